/**
 * `bellhop hooks install|remove|print`: Bellhop's hooks in the settings of Claude Code. It changes nothing else there,
 * keeps what was there before, and puts it back byte for byte. It can be repeated at any time.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { nodeDisk } from "../base/disk.ts";
import { BellhopError } from "../base/errors.ts";
import { jsonForTerminal, terminalLine } from "../base/terminal-text.ts";
import { say, type WordArgs, type WordKey } from "../base/words/say.ts";
import { checkConfig } from "../config/check-config.ts";
import { claudeSettings } from "../config/homes.ts";
import { hookEntries, hookFoldersIn, withHooks, withoutHooks, type Wanted } from "../host/hooks/claude-settings.ts";
import { openHookFolder } from "../host/hooks/hook-folder.ts";
import { StrangeSettings } from "../host/hooks/settings-text.ts";
import { lineWith, readOwnersLine } from "../host/hooks/status-line.ts";
import { lockHolder } from "../journal/lock.ts";
import { prepareStateDirectory } from "../journal/state-directory.ts";
import { NotChanged, openSettingsFile } from "./hooks/settings-file.ts";
import { localeOf, type Io } from "./io.ts";
import { readOptions, WrongCall } from "./options.ts";
import { places } from "./start/daemons.ts";

type Tell = (key: WordKey, args?: WordArgs) => void;

/**
 * @param argv `install`, `remove` or `print`, and `--sandbox`
 * @param program `bin/bellhop.cjs` of this package
 * @throws E_HOOKS_REFUSED {path, why}, E_CONFIG_INVALID
 */
export async function hooks(
  argv: readonly string[],
  io: Io,
  program = join(import.meta.dirname, "..", "bin", "bellhop.cjs"),
): Promise<number> {
  const {
    values,
    words: [verb],
  } = readOptions(argv, { sandbox: { type: "boolean" } }, 1);
  if (verb === undefined) throw new WrongCall("cli.wrong.missing");
  if (verb !== "install" && verb !== "remove" && verb !== "print")
    throw new WrongCall("cli.wrong.verb", { verb: terminalLine(verb, 80) });
  const locale = localeOf(io.env);
  const tell: Tell = (key, args) => void io.stdout.write(`${say(locale, key, args)}\n`);
  const all = places(io, values.sandbox ?? false).map((place) => place.stateDir);
  const stateDir = all.find((one) => existsSync(one) && lockHolder(one) !== undefined) ?? all[0] ?? "";
  const wanted = await wantedHooks(stateDir, locale);
  const path = claudeSettings(io.env);
  if (verb === "print") {
    const statusLine = lineWith(wanted.folder, await readOwnersLine(path, wanted.folder));
    io.stdout.write(`${jsonForTerminal({ hooks: hookEntries(wanted), statusLine }, 2)}\n`);
    return 0;
  }
  try {
    if (verb === "install") {
      await prepareStateDirectory(stateDir);
      await openHookFolder(nodeDisk, stateDir, { node: process.execPath, program });
      await install(path, stateDir, wanted, tell);
    } else {
      await remove(
        path,
        all.filter((one, at) => at === 0 || existsSync(one)),
        tell,
      );
    }
    return 0;
  } catch (error) {
    const why = whyNot(error);
    if (why === null) throw error;
    throw new BellhopError("E_HOOKS_REFUSED", { path, why: say(locale, ...why) }, { cause: error });
  }
}

export async function wantedHooks(stateDir: string, locale: Parameters<typeof checkConfig>[1]): Promise<Wanted> {
  const { config } = await checkConfig(join(stateDir, "config.json"), locale);
  return { folder: join(stateDir, "hooks"), permissionTools: config.permission_tools };
}

async function install(path: string, stateDir: string, wanted: Wanted, tell: Tell): Promise<void> {
  const file = await openSettingsFile(path, stateDir);
  const isNew = (await file.read()) === null;
  const changed = await file.change(
    (text) => withHooks(withoutGone(text ?? "{}\n"), wanted),
    (text) => (text === null ? null : withoutHooks(withoutGone(text), wanted.folder, "{}")),
  );
  if (!changed) return tell("cli.hooks.same", { path: file.path });
  tell("cli.hooks.installed", { path: file.path });
  if (!isNew) tell("cli.hooks.before", { path: file.copy });
  tell("cli.hooks.restart");
}

/** Without the hooks of state directories that no longer exist: nothing else would ever remove them. */
function withoutGone(text: string): string {
  const gone = hookFoldersIn(text).filter((folder) => !existsSync(folder));
  return gone.reduce((left, folder) => withoutHooks(left, folder, "{}"), text);
}

/** Those of each of these state directories: first what was added last, so that all is put back as it was. */
async function remove(path: string, stateDirs: readonly string[], tell: Tell): Promise<void> {
  const files = [];
  for (const dir of stateDirs) {
    await prepareStateDirectory(dir);
    files.push({ file: await openSettingsFile(path, dir), folder: join(dir, "hooks") });
  }
  const isLast = await Promise.all(files.map(({ file }) => file.isAsLeft()));
  let changed = false;
  for (const { file, folder } of isLast[0] === true ? files : files.toReversed()) {
    const before = await file.before();
    const isAsLeft = before !== undefined && (await file.isAsLeft());
    if (
      !(await file.change(
        (text) => (isAsLeft ? before : text === null ? null : withoutHooks(text, folder, before ?? "{}")),
        null,
      ))
    )
      continue;
    changed = true;
    tell(!isAsLeft ? "cli.hooks.taken" : before === null ? "cli.hooks.deleted" : "cli.hooks.restored", {
      path: file.path,
    });
  }
  if (!changed) tell("cli.hooks.none", { path: files[0]?.file.path ?? path });
}

/** The words for why it was not changed; null for anything unforeseen. */
function whyNot(error: unknown): [WordKey, WordArgs] | null {
  if (error instanceof NotChanged) return [error.why, { reason: error.reason }];
  if (!(error instanceof StrangeSettings)) return null;
  return error.line === null ? ["cli.hooks.why.form", {}] : ["cli.hooks.why.json", { line: error.line }];
}
