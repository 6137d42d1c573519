/**
 * The files of a project by which its agents run code, at one moment: hooks, commands, servers, skills. Whoever wrote
 * them, they run without being asked for. Everything is bounded: how many files are looked at, how much is read, how
 * much is kept for display; a file beyond the limits is identified by its size and times, or recorded as unknown.
 */
import { createHash } from "node:crypto";
import { constants, type BigIntStats } from "node:fs";
import { lstat, open, readdir, readlink, realpath, stat, type FileHandle } from "node:fs/promises";
import { homedir } from "node:os";
import { sep } from "node:path";
import type { Configuration, Entry } from "../../core/projects/configuration.ts";

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

/** Never throws for what it finds: what cannot be read becomes an entry that says so. @param directory absolute */
export async function lookAtConfiguration(directory: string, { home = homedir(), most = {} }: LookOptions = {}): Promise<Configuration> {
  const owners = await realpath(home).catch(() => home);
  const look = new Look({ ...MOST, ...most }, ABOVE.map((name) => `${owners}${sep}${name}`));
  // The owner configures the home directory personally.
  if ((await realpath(directory).catch(() => directory)) !== owners) {
    const root = Buffer.from(directory.endsWith(sep) ? directory : directory + sep);
    const path = (name: string): Buffer => Buffer.concat([root, Buffer.from(name)]);
    const closed: string[] = [];
    for (const name of ABOVE) if ((await look.link(path(name), name)) && (await look.isOwners(path(name)))) closed.push(`${name}/`);
    for (const name of [...FILES, ...FOLDERS]) {
      if (!closed.some((above) => name.startsWith(above))) await look.at(path(name), name, 0, SETTINGS.has(name));
    }
  }
  return configurationOf(look.entries);
}

/** The entries with their digest. */
export function configurationOf(entries: readonly Entry[]): Configuration {
  const sorted = entries.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  return { digest: sha256(Buffer.from(JSON.stringify(sorted.map(({ name, is }) => [name, is])))), entries: sorted };
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

  /** Records a link as a link. Returns true if it is one. */
  async link(path: Buffer, name: string): Promise<boolean> {
    const found = await lstat(path).catch(() => null);
    if (!found?.isSymbolicLink()) return false;
    const target = await readlink(path, "buffer").catch(() => Buffer.alloc(0));
    this.entries.push({ name: `link:${name}`, is: `→ ${nameOf(target)}` });
    return true;
  }

  /** Records a file, or a folder with everything in it; nothing if it does not exist. */
  async at(path: Buffer, name: string, depth: number, isSettings = false): Promise<void> {
    if (this.#isFull(name)) return;
    if ((await this.link(path, name)) && (await this.isOwners(path))) return;
    try {
      const found = await stat(path, { bigint: true });
      if (found.isDirectory()) await this.#folder(path, name, depth, found);
      else if (found.isFile()) await this.#file(path, name, isSettings);
      else this.entries.push({ name, is: "no file" });
    } catch (error) {
      const { code = "" } = error as NodeJS.ErrnoException;
      // Deleted meanwhile, or a broken link, which is recorded as a link already.
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
  async isOwners(path: Buffer): Promise<boolean> {
    const real = await realpath(path).catch(() => "");
    return this.#owners.some((own) => real === own || real.startsWith(own + sep));
  }

  async #folder(path: Buffer, name: string, depth: number, { dev, ino }: BigIntStats): Promise<void> {
    const id = `${dev}:${ino}`;
    if (this.#walked.has(id)) return;
    this.#walked.add(id);
    if (depth >= this.#most.depth) return void this.entries.push({ name, is: "too deep" });
    const names = (await readdir(path, { encoding: "buffer" })).toSorted(Buffer.compare);
    for (const one of names) await this.at(Buffer.concat([path, Buffer.from(sep), one]), `${name}/${nameOf(one)}`, depth + 1);
  }

  async #file(path: Buffer, name: string, isSettings: boolean): Promise<void> {
    // Must not block if it has become a pipe meanwhile.
    const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const found = await file.stat({ bigint: true });
      if (!found.isFile()) return void this.entries.push({ name, is: "no file" });
      const size = Number(found.size);
      if (this.#read + size > this.#most.readBytes) return void this.entries.push({ name, is: `${found.size} bytes of ${found.mtimeNs}, ${found.ctimeNs}, ${found.ino}`, size });
      const { digest, text, bytes } = await this.#content(file, size <= this.#most.textBytes);
      const shown = text !== null && isSettings ? withoutAllowed(text) : text;
      if (shown === "" && isSettings) return;
      const is = shown === text ? digest : sha256(Buffer.from(shown ?? ""));
      this.entries.push({ name, is, size: bytes, ...(shown !== null && this.#keeps(shown) && { text: shown }) });
    } finally {
      await file.close();
    }
  }

  /** Reads in chunks up to the current end, and never more than the total limit. */
  async #content(file: FileHandle, whole: boolean): Promise<{ digest: string; text: string | null; bytes: number }> {
    const hash = createHash("sha256");
    const kept: Buffer[] = [];
    let bytes = 0;
    for (const into = Buffer.alloc(64 * 1024); this.#read < this.#most.readBytes; ) {
      const { bytesRead } = await file.read(into, 0, into.length, null);
      if (bytesRead === 0) break;
      const piece = Buffer.from(into.subarray(0, bytesRead));
      hash.update(piece);
      bytes += bytesRead;
      this.#read += bytesRead;
      if (whole && bytes <= this.#most.textBytes) kept.push(piece);
    }
    const all = Buffer.concat(kept);
    return { digest: hash.digest("hex"), text: all.length === bytes ? textOf(all) : null, bytes };
  }

  #keeps(text: string): boolean {
    this.#kept += text.length;
    return this.#kept <= this.#most.allTextBytes;
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

function sha256(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
