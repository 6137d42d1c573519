/**
 * The files of a project by which its agents run code, at one moment: hooks, commands, servers, skills. Agents run
 * them without asking, whoever wrote them. Everything is bounded: how many files are looked at, how much is read, how
 * much is kept for display; a file beyond the limits is identified by its size and times, or recorded as unknown.
 *
 * An ordinary project is looked at within one turn of the event loop, because a job's start waits for it and whatever
 * else is due would come first; a large one in several turns.
 *
 * What the owner has seen or is asked about is kept: `STATE_DIR/configurations/<digest>.json`, so that a later change can
 * be shown line by line, and `<digest>.diff`, the difference as shown to the owner. Each file is named by the digest of
 * its content; one with other content is ignored.
 */
import { createHash } from "node:crypto";
import { closeSync, constants, fstatSync, lstatSync, openSync, readdirSync, readlinkSync, readSync, realpathSync, statSync, type BigIntStats } from "node:fs";
import { homedir } from "node:os";
import { join, sep } from "node:path";
import { setImmediate } from "node:timers/promises";
import { inFolder, openFolder, readWhole, writeNew, type Disk } from "../../base/disk.ts";
import type { Configuration, Entry } from "../../core/projects/agent-configuration.ts";

/** Read whole; the first list has files, the second folders. */
const FILES = [".claude/settings.json", ".claude/settings.local.json", ".mcp.json", ".codex/config.toml", ".gemini/settings.json", "opencode.json", "opencode.jsonc", ".opencode/opencode.json", ".opencode/opencode.jsonc"];
const CLAUDES = ["hooks", "agents", "commands", "skills", "plugins"].map((name) => `.claude/${name}`);
const OPENCODES = ["agent", "command", "mode", "plugin", "skill", "tool"].flatMap((name) => [`.opencode/${name}`, `.opencode/${name}s`]);
const FOLDERS = [...CLAUDES, ...OPENCODES];
/** If one of these is a link, everything in it is elsewhere. */
const ABOVE = [".claude", ".codex", ".gemini", ".opencode"];
const SETTINGS = new Set([".claude/settings.json", ".claude/settings.local.json"]);

const MOST = { entries: 5_000, readBytes: 64 * 1024 * 1024, textBytes: 256 * 1024, allTextBytes: 4 * 1024 * 1024, depth: 32 } as const;

export interface LookOptions {
  /** The home directory, whose configuration is no project's. */
  home?: string | undefined;
  most?: Partial<Record<keyof typeof MOST, number>>;
}

export interface Configurations {
  /** The current configuration. @param directory absolute */
  look(directory: string): Configuration | Promise<Configuration>;
  /** Writes and syncs. @throws what the disk throws */
  save(configuration: Configuration): Promise<void>;
  /** Null if it is missing or altered. */
  read(digest: string): Promise<Entry[] | null>;
  /** Writes and syncs; returns its digest. @throws what the disk throws */
  saveDifference(text: string): Promise<string>;
  /** Null if it is missing or altered. */
  readDifference(digest: string): Promise<string | null>;
}

const DIGEST = /^[0-9a-f]{64}$/;
/** Entries, or pieces of a file, looked at in one turn: some milliseconds. */
const STEPS_A_TURN = 400;

/** Pauses at each `yield`; returns when nothing is left to look at. */
type Steps<T = void> = Generator<undefined, T, undefined>;

/** @param stateDir absolute; its folder `configurations` is made if missing, and files no longer needed are removed */
export async function openConfigurations(disk: Disk, stateDir: string, { home, needed }: { home: string | undefined; needed: ReadonlySet<string> }): Promise<Configurations> {
  const folder = await openFolder(disk, stateDir, "configurations");
  for (const name of await disk.readdir(folder)) if (!needed.has(name.slice(0, 64))) await disk.unlink(join(folder, name)).catch(() => undefined);

  async function text(name: string): Promise<string | null> {
    return (await readWhole(disk, join(folder, name)).catch(() => undefined))?.toString("utf8") ?? null;
  }

  const keep = (name: string, content: string): Promise<void> => inFolder(disk, folder, () => writeNew(disk, join(folder, name), Buffer.from(content)));

  return {
    look: (directory) => lookAtConfiguration(directory, { home }),
    save: ({ digest, entries }) => keep(`${digest}.json`, JSON.stringify(entries)),
    async read(digest) {
      const json = DIGEST.test(digest) ? await text(`${digest}.json`) : null;
      const entries = json === null ? null : entriesOf(json);
      return entries !== null && configurationOf(entries).digest === digest ? entries : null;
    },
    async saveDifference(difference) {
      const digest = sha256(difference);
      await keep(`${digest}.diff`, difference);
      return digest;
    },
    async readDifference(digest) {
      const difference = DIGEST.test(digest) ? await text(`${digest}.diff`) : null;
      return difference !== null && sha256(difference) === digest ? difference : null;
    },
  };
}

/** Never throws for what it finds: what cannot be read becomes an entry that says so. @param directory absolute */
export function lookAtConfiguration(directory: string, { home = homedir(), most = {} }: LookOptions = {}): Configuration | Promise<Configuration> {
  return inTurns(lookIn(directory, realOr(home, home), { ...MOST, ...most }));
}

function inTurns<T>(steps: Steps<T>): T | Promise<T> {
  for (let taken = 0; taken < STEPS_A_TURN; taken += 1) {
    const step = steps.next();
    if (step.done) return step.value;
  }
  return setImmediate().then(() => inTurns(steps));
}

function* lookIn(directory: string, owners: string, most: Record<keyof typeof MOST, number>): Steps<Configuration> {
  const look = new Look(most, ABOVE.map((name) => `${owners}${sep}${name}`));
  // The owner configures the home directory personally.
  if (realOr(directory, directory) !== owners) {
    const root = Buffer.from(directory.endsWith(sep) ? directory : directory + sep);
    const path = (name: string): Buffer => Buffer.concat([root, Buffer.from(name)]);
    const closed: string[] = [];
    for (const name of ABOVE) if (look.isClosed(path(name), name)) closed.push(`${name}/`);
    for (const name of [...FILES, ...FOLDERS]) {
      if (!closed.some((above) => name.startsWith(above))) yield* look.at(path(name), name, 0, SETTINGS.has(name));
    }
  }
  return configurationOf(look.entries);
}

function realOr(path: string | Buffer, otherwise: string): string {
  try {
    return realpathSync(path);
  } catch {
    return otherwise;
  }
}

/** The entries with their digest. */
export function configurationOf(entries: readonly Entry[]): Configuration {
  const sorted = entries.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  return { digest: sha256(JSON.stringify(sorted.map(({ name, is }) => [name, is]))), entries: sorted };
}

class Look {
  readonly entries: Entry[] = [];
  readonly #most: Record<keyof typeof MOST, number>;
  readonly #owners: readonly string[];
  /** Folders already walked: a link back to one adds nothing. */
  readonly #walked = new Set<string>();
  #read = 0;
  #kept = 0;

  constructor(most: Record<keyof typeof MOST, number>, owners: readonly string[]) {
    this.#most = most;
    this.#owners = owners;
  }

  /** Whether it has nothing of the project's: it does not exist, or leads elsewhere. A link is recorded as a link. */
  isClosed(path: Buffer, name: string): boolean {
    const is = kindOf(path);
    if (is === "link") this.entries.push({ name: `link:${name}`, is: `→ ${nameOf(targetOf(path))}` });
    return is === "absent" || (is === "link" && this.#isOwners(path));
  }

  /** Records a file, or a folder with everything in it; nothing if it does not exist. */
  *at(path: Buffer, name: string, depth: number, isSettings = false): Steps {
    yield;
    if (this.#isFull(name)) return;
    if (this.isClosed(path, name)) return;
    try {
      const found = statSync(path, { bigint: true, throwIfNoEntry: false });
      // Deleted meanwhile, or a broken link, which is recorded as a link already.
      if (found === undefined) return;
      if (found.isDirectory()) yield* this.#folder(path, name, depth, found);
      else if (found.isFile()) yield* this.#file(path, name, isSettings);
      else this.entries.push({ name, is: "no file" });
    } catch (error) {
      const { code = "" } = error as NodeJS.ErrnoException;
      if (code !== "ENOENT" && code !== "ENOTDIR") this.entries.push({ name, is: `unreadable ${code}` });
    }
  }

  /** One entry records that there is more than is looked at. */
  #isFull(name: string): boolean {
    if (this.entries.length < this.#most.entries) return false;
    if (this.entries.length === this.#most.entries) this.entries.push({ name: "…", is: `not checked, from ${name} on` });
    return true;
  }

  /** Whether it is inside the owner's own configuration. */
  #isOwners(path: Buffer): boolean {
    const real = realOr(path, "");
    return this.#owners.some((own) => real === own || real.startsWith(own + sep));
  }

  *#folder(path: Buffer, name: string, depth: number, { dev, ino }: BigIntStats): Steps {
    const id = `${dev}:${ino}`;
    if (this.#walked.has(id)) return;
    this.#walked.add(id);
    if (depth >= this.#most.depth) return void this.entries.push({ name, is: "too deep" });
    const names = readdirSync(path, { encoding: "buffer" }).toSorted(Buffer.compare);
    for (const one of names) yield* this.at(Buffer.concat([path, Buffer.from(sep), one]), `${name}/${nameOf(one)}`, depth + 1);
  }

  *#file(path: Buffer, name: string, isSettings: boolean): Steps {
    // Must not block if it has become a pipe meanwhile.
    const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const found = fstatSync(file, { bigint: true });
      if (!found.isFile()) return void this.entries.push({ name, is: "no file" });
      const size = Number(found.size);
      if (this.#read + size > this.#most.readBytes) return void this.entries.push({ name, is: `${found.size} bytes of ${found.mtimeNs}, ${found.ctimeNs}, ${found.ino}`, size });
      const { digest, text, bytes } = yield* this.#content(file, size <= this.#most.textBytes);
      const shown = text !== null && isSettings ? withoutAllowed(text) : text;
      if (shown === "" && isSettings) return;
      const is = shown === text ? digest : sha256(shown ?? "");
      this.entries.push({ name, is, size: bytes, ...(shown !== null && this.#keeps(shown) && { text: shown }) });
    } finally {
      closeSync(file);
    }
  }

  /** Reads in chunks up to the current end, and never more than the total limit. */
  *#content(file: number, whole: boolean): Steps<{ digest: string; text: string | null; bytes: number }> {
    const hash = createHash("sha256");
    const kept: Buffer[] = [];
    let bytes = 0;
    for (const into = Buffer.alloc(64 * 1024); this.#read < this.#most.readBytes; ) {
      const read = readSync(file, into, 0, into.length, null);
      if (read === 0) break;
      const piece = Buffer.from(into.subarray(0, read));
      hash.update(piece);
      bytes += read;
      this.#read += read;
      if (whole && bytes <= this.#most.textBytes) kept.push(piece);
      yield;
    }
    const all = Buffer.concat(kept);
    return { digest: hash.digest("hex"), text: all.length === bytes ? textOf(all) : null, bytes };
  }

  #keeps(text: string): boolean {
    this.#kept += text.length;
    return this.#kept <= this.#most.allTextBytes;
  }
}

function kindOf(path: Buffer): "absent" | "link" | "other" {
  try {
    const found = lstatSync(path, { throwIfNoEntry: false });
    return found === undefined ? "absent" : found.isSymbolicLink() ? "link" : "other";
  } catch {
    return "other";
  }
}

function targetOf(link: Buffer): Buffer {
  try {
    return readlinkSync(link, "buffer");
  } catch {
    return Buffer.alloc(0);
  }
}

/** Null for what is not text. */
function textOf(bytes: Buffer): string | null {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    return text.includes("\0") ? null : text;
  } catch {
    return null;
  }
}

/** Removes what Claude Code writes there itself when its user allows something. Empty if nothing else is left. */
function withoutAllowed(text: string): string {
  try {
    const settings: unknown = JSON.parse(text);
    if (!isObject(settings)) return text;
    const { permissions, ...others } = settings;
    const { allow: _allow, ...left } = isObject(permissions) ? permissions : {};
    const rest = isObject(permissions) ? { ...others, ...(Object.keys(left).length > 0 && { permissions: left }) } : settings;
    return Object.keys(rest).length === 0 ? "" : `${JSON.stringify(rest, null, 2)}\n`;
  } catch {
    return text;
  }
}

/** A name that is not UTF-8 is written in a form that no other name can have. */
function nameOf(bytes: Buffer): string {
  const text = bytes.toString("utf8");
  return Buffer.from(text).equals(bytes) && !text.startsWith("hex:") ? text : `hex:${bytes.toString("hex")}`;
}

/** Of a text, of its UTF-8. */
function sha256(content: string | Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Only files written here match the digest in their name, so their form is not checked further. */
function entriesOf(json: string): Entry[] | null {
  try {
    const entries: unknown = JSON.parse(json);
    return Array.isArray(entries) && entries.every((entry) => isObject(entry) && "name" in entry && "is" in entry) ? (entries as Entry[]) : null;
  } catch {
    return null;
  }
}
