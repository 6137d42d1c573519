/**
 * Claude Code's hooks and status line: whether they are this version's, whether anything turns them off, and whether
 * they are quick.
 */
import { nodeDisk, readWhole } from "../../base/disk.ts";
import type { Finding } from "../../base/finding.ts";
import { claudeSettings } from "../../config/homes.ts";
import { hasHooks, withoutHooks } from "../../host/hooks/claude-settings.ts";
import { hasStatusLine } from "../../host/hooks/status-line.ts";
import { which } from "../../host/processes/which.ts";
import { wantedHooks } from "../hooks.ts";
import { localeOf, type Io } from "../io.ts";

/** The settings that an administrator makes for everybody. */
const MANAGED = "/etc/claude-code/managed-settings.json";

/** @param managed of the administrator's settings */
export async function checkHooks(io: Io, stateDir: string, managed = MANAGED): Promise<Finding[]> {
  const path = claudeSettings(io.env);
  const text = await textOf(path);
  const wanted = await wantedHooks(stateDir, localeOf(io.env));
  const none: Finding = { check: "hooks", verdict: "idle", says: "doctor.hooks.none" };
  if (text === null) return [none];
  try {
    if (withoutHooks(text, wanted.folder, text) === text) return [none];
    const own: Finding = hasHooks(text, wanted)
      ? { check: "hooks", verdict: "good", says: "doctor.hooks", args: { path } }
      : {
          check: "hooks",
          verdict: "warn",
          says: "doctor.hooks.old",
          args: { path },
          mend: { says: "doctor.hooks.mend" },
        };
    const off = [
      { where: path, settings: text },
      { where: managed, settings: await textOf(managed) },
    ].filter(({ settings }) => turnsOff(settings ?? ""));
    const curl = which("curl", io.env["PATH"]) !== null;
    const line: Finding[] = hasStatusLine(text, wanted.folder)
      ? []
      : [
          {
            check: "hooks",
            verdict: "warn",
            says: "doctor.hooks.line",
            args: { path },
            mend: { says: "doctor.hooks.mend" },
          },
        ];
    return [
      own,
      ...line,
      ...off.map(({ where }): Finding => ({
        check: "hooks",
        verdict: "warn",
        says: "doctor.hooks.off",
        args: { path: where },
        mend: { says: "doctor.hooks.off.mend", args: { path: where } },
      })),
      ...(curl
        ? []
        : [
            {
              check: "hooks",
              verdict: "warn",
              says: "doctor.hooks.curl",
              mend: { says: "doctor.hooks.curl.mend" },
            } satisfies Finding,
          ]),
    ];
  } catch {
    return [
      {
        check: "hooks",
        verdict: "warn",
        says: "doctor.hooks.strange",
        args: { path },
        mend: { says: "doctor.hooks.strange.mend" },
      },
    ];
  }
}

/** Null if it is not there or cannot be read. */
async function textOf(path: string): Promise<string | null> {
  return (await readWhole(nodeDisk, path).catch(() => undefined))?.toString() ?? null;
}

function turnsOff(text: string): boolean {
  try {
    const { disableAllHooks, allowManagedHooksOnly } = JSON.parse(text) as Record<string, unknown>;
    return disableAllHooks === true || allowManagedHooksOnly === true;
  } catch {
    return false;
  }
}
