/** The settings that are read here, and the file with the token. */
import { chmod } from "node:fs/promises";
import { statSync } from "node:fs";
import { join } from "node:path";
import { BellhopError } from "../../base/errors.ts";
import { failed, type Finding } from "../../base/finding.ts";
import { configHome, TOKEN_NAMES } from "../../config/homes.ts";
import { givenValues, type Settings } from "../../config/settings.ts";
import type { Io } from "../io.ts";
import { envFilesHere, settingsHere } from "../start/settings-here.ts";

/** `settings`: null if they cannot be read even without the token. */
export function checkSettings(io: Io): { findings: Finding[]; settings: Settings | null } {
  try {
    const settings = settingsHere(io, "nothing");
    const warnings = [...settings.warnings.map((text): Finding => ({ check: "settings", verdict: "warn", says: "doctor.as_it_is", args: { text } })), ...openFiles(io)];
    if (settings.token === undefined) return { findings: [...warnings, { check: "token", verdict: "bad", says: "doctor.token.none", mend: { says: "doctor.token.none.mend" } }], settings };
    return { findings: [...warnings, { check: "settings", verdict: "good", says: "doctor.settings", args: { name: settings.token.from, dir: settings.stateDir } }], settings };
  } catch (error) {
    const finding = { ...failed("settings", error), ...privateFix(io, error) };
    return { findings: [finding], settings: withoutToken(io) };
  }
}

/** Settings files with secrets in them that others can read. */
function openFiles(io: Io): Finding[] {
  const withToken = envFilesHere(io).filter(({ values }) => ["DISCORD_BOT_TOKEN", "DISCORD_TOKEN"].some((name) => values.get(name)));
  const service = join(configHome(io.env), "bellhop", "service.env");
  return [...new Set([...withToken.map(({ path }) => path), service])].flatMap((path): Finding[] => {
    const stats = statSync(path, { throwIfNoEntry: false });
    if (!stats?.isFile() || stats.uid !== process.getuid?.() || (stats.mode & 0o077) === 0) return [];
    return [{ check: "secrets", verdict: "bad", says: "doctor.open", args: { path }, fix: () => chmod(path, 0o600) }];
  });
}

function withoutToken(io: Io): Settings | null {
  try {
    return settingsHere(io, "nothing", TOKEN_NAMES);
  } catch {
    return null;
  }
}

/** A token file of ours that others may read can be made private. */
function privateFix(io: Io, error: unknown): Pick<Finding, "fix"> {
  if (!(error instanceof BellhopError) || error.details["where"] !== "DISCORD_TOKEN_FILE") return {};
  const path = givenValues(io.env, process.cwd(), envFilesHere(io))["DISCORD_TOKEN_FILE"];
  const stats = path === undefined ? undefined : statSync(path, { throwIfNoEntry: false });
  if (path === undefined || !stats?.isFile() || stats.uid !== process.getuid?.() || (stats.mode & 0o077) === 0) return {};
  return { fix: () => chmod(path, 0o600) };
}
