/**
 * Claude Code's settings file on disk: read, changed only if nobody else has changed it meanwhile, and put back as it
 * was. What it was before is kept beside the state.
 */
import { createHash } from "node:crypto";
import fs from "node:fs/promises";
import { dirname, join } from "node:path";
import { errnoOf, nodeDisk, openFolder, writeAtomically } from "../../base/disk.ts";
import type { WordKey } from "../../base/words/say.ts";
import { ReadOnly, replaceOwners, same } from "../../host/files/owners-file.ts";

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
        if (same(now, next)) return false;
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
