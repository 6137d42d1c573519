/**
 * `bellhop hooks install|remove|print`: Bellhop's hooks in the settings of Claude Code. It changes nothing else there,
 * keeps what was there before, and puts it back byte for byte. It can be repeated at any time.
 */
import fs from "node:fs/promises";
import { existsSync } from "node:fs";
import { join, dirname } from "node:path";
import { nodeDisk, errnoOf, openFolder, writeAtomically, readWhole } from "../base/disk.ts";
import { BellhopError } from "../base/errors.ts";
import { jsonForTerminal, terminalLine } from "../base/terminal-text.ts";
import { say, type WordArgs, type WordKey } from "../base/words/say.ts";
import { checkConfig } from "../config/config-file.ts";
import { claudeSettings } from "../config/homes.ts";
import {
  hookEntries,
  hookFoldersIn,
  withHooks,
  withoutHooks,
  type HookSettings,
  StrangeSettings,
  lineWith,
  readOwnersLine,
  hasHooks,
  hasStatusLine,
} from "../host/hooks/claude-settings.ts";
import { openHookFolder } from "../host/hooks/hook-folder.ts";
import { lockHolder } from "../journal/lock.ts";
import { prepareStateDirectory } from "../journal/state-directory.ts";
import { localeOf, type Io, type Tell } from "./io.ts";
import { readOptions, WrongCall } from "./options.ts";
import { places } from "./start/daemons.ts";
import { createHash } from "node:crypto";
import { ReadOnly, replaceOwners, equalBytes } from "../host/files/kept-files.ts";
import type { Finding } from "../base/finding.ts";
import { which } from "../host/processes/which.ts";

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

export async function wantedHooks(stateDir: string, locale: Parameters<typeof checkConfig>[1]): Promise<HookSettings> {
  const { config } = await checkConfig(join(stateDir, "config.json"), locale);
  return { folder: join(stateDir, "hooks"), permissionTools: config.permission_tools };
}

async function install(path: string, stateDir: string, wanted: HookSettings, tell: Tell): Promise<void> {
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

/*
 * Claude Code's settings file on disk: read, changed only if nobody else has changed it meanwhile, and put back as it
 * was. What it was before is kept beside the state.
 */

/** Why it is not changed; the caller has the sentence. */
export class NotChanged extends Error {
  override readonly name = "NotChanged";
  readonly why: WordKey;
  readonly reason: string;

  constructor(why: WordKey, reason = "") {
    super(why);
    this.why = why;
    this.reason = reason;
  }
}

/** What was there before Bellhop's first change, and what Bellhop made of it. */
interface Backup {
  path: string;
  /** Base64; null: there was no file. */
  before: string | null;
  after_sha256: string;
}

/** What counts as the text before Bellhop's change, if somebody else has changed the file since. */
export type Keep = (text: string | null) => string | null;

const MOST_BYTES = 10 * 1024 * 1024;
/** A program that changes it all the time is not waited for. */
const TRIES = 3;

export interface SettingsFile {
  /** Where it really is, if the path is a link. */
  readonly path: string;
  /** The text; null: there is none. @throws NotChanged if it cannot be read */
  read(): Promise<string | null>;
  /** What was there before Bellhop's first change; undefined: Bellhop has not changed it. */
  before(): Promise<string | null | undefined>;
  /** True if nobody has changed it since Bellhop did. */
  isAsLeft(): Promise<boolean>;
  /**
   * Changes the text; null removes the file. False if nothing had to be changed.
   * @param keep null: what was there before is forgotten
   * @throws NotChanged
   */
  change(to: (text: string | null) => string | null, keep: Keep | null): Promise<boolean>;
  /** The copy of what was there before, for people; null if there was nothing. */
  readonly copy: string;
}

/** @param stateDir exists and is ours. @throws NotChanged */
export async function openSettingsFile(given: string, stateDir: string): Promise<SettingsFile> {
  const path = await realPath(given);
  const folder = await openFolder(nodeDisk, await openFolder(nodeDisk, stateDir, "hooks"), "settings");
  const name = digest(Buffer.from(path)).slice(0, 16);
  const [backupFile, copy] = [join(folder, `${name}.json`), join(folder, `${name}.before.json`)];
  const backup = async (): Promise<Backup | null> =>
    JSON.parse((await bytesOf(backupFile))?.toString() ?? "null") as Backup | null;
  const isAsLeft = async (): Promise<boolean> => {
    const now = await bytesOf(path);
    return now !== null && (await backup())?.after_sha256 === digest(now);
  };
  return {
    path,
    copy,
    read: async () => textOf(await bytesOf(path)),
    async before() {
      const kept = await backup();
      return kept === null ? undefined : kept.before === null ? null : Buffer.from(kept.before, "base64").toString();
    },
    isAsLeft,
    async change(to, keep) {
      for (let left = TRIES; left > 0; left -= 1) {
        const now = await bytesOf(path);
        const text = to(textOf(now));
        const next = text === null ? null : Buffer.from(text);
        if (equalBytes(now, next)) return false;
        if (keep !== null && next !== null) {
          const stripped = keep(textOf(now));
          const before = (await isAsLeft())
            ? ((await backup())?.before ?? null)
            : stripped === null
              ? null
              : Buffer.from(stripped).toString("base64");
          if (before !== null) await writeAtomically(nodeDisk, copy, Buffer.from(before, "base64"));
          await writeAtomically(
            nodeDisk,
            backupFile,
            Buffer.from(JSON.stringify({ path, before, after_sha256: digest(next) } satisfies Backup)),
          );
        }
        if (!(await replaced(path, now, next))) continue;
        if (keep === null) await Promise.all([backupFile, copy].map((file) => fs.rm(file, { force: true })));
        return true;
      }
      throw new NotChanged("cli.hooks.why.changing");
    },
  };
}

/** False if it is not what it was when it was read. @throws NotChanged */
async function replaced(path: string, was: Buffer | null, next: Buffer | null): Promise<boolean> {
  try {
    if (was === null) await fs.mkdir(dirname(path), { recursive: true, mode: 0o700 });
    return await replaceOwners(path, was, next);
  } catch (error) {
    throw error instanceof ReadOnly
      ? new NotChanged("cli.hooks.why.readonly")
      : new NotChanged("cli.hooks.why.write", errnoOf(error));
  }
}

/** Links are followed, because people keep this file elsewhere; one that leads nowhere is not replaced. */
async function realPath(path: string): Promise<string> {
  try {
    return await fs.realpath(path);
  } catch (error) {
    if (errnoOf(error) !== "ENOENT") throw new NotChanged("cli.hooks.why.read", errnoOf(error));
    const link = await fs.readlink(path).catch(() => null);
    if (link !== null) throw new NotChanged("cli.hooks.why.link", link);
    return path;
  }
}

/** Null if there is none. @throws NotChanged */
async function bytesOf(path: string): Promise<Buffer | null> {
  try {
    const stats = await fs.stat(path);
    if (!stats.isFile() || stats.size > MOST_BYTES) throw new NotChanged("cli.hooks.why.file");
    if (process.getuid !== undefined && stats.uid !== process.getuid()) throw new NotChanged("cli.hooks.why.foreign");
    return await fs.readFile(path);
  } catch (error) {
    if (error instanceof NotChanged) throw error;
    if (errnoOf(error) === "ENOENT") return null;
    throw new NotChanged("cli.hooks.why.read", errnoOf(error));
  }
}

function textOf(bytes: Buffer | null): string | null {
  if (bytes === null) return null;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new NotChanged("cli.hooks.why.text");
  }
}

function digest(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/*
 * Claude Code's hooks and status line: whether they are this version's, whether anything turns them off, and whether
 * they are quick.
 */

/** The settings that an administrator makes for everybody. */
const MANAGED = "/etc/claude-code/managed-settings.json";

/** @param managed of the administrator's settings */
export async function checkHooks(io: Io, stateDir: string, managed = MANAGED): Promise<Finding[]> {
  const path = claudeSettings(io.env);
  const text = await fileText(path);
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
      { where: managed, settings: await fileText(managed) },
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
async function fileText(path: string): Promise<string | null> {
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
