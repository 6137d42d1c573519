/**
 * The files of a project by which its agents run code, at one moment: their settings, hooks, commands, servers, skills.
 * Agents run them without asking, whoever wrote them. They are looked for in the project and in each folder above it up
 * to the root of its repository, never in the owner's home. `docs/security.md` says what is watched, and what is not.
 *
 * Everything is bounded, and nothing that changes is missed: a file beyond the limits is known by its size, times and
 * inode (a file's ctime cannot be set back), and a folder with more than can be looked at is never the same as before.
 * A link is followed only inside the repository, so nothing outside of it is read, or shown to anybody.
 *
 * An ordinary project is looked at within one turn of the event loop, because a job's start waits for it and whatever
 * else is due would come first; a large one in several turns.
 */
import { createHash, randomUUID, type Hash } from "node:crypto";
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  opendirSync,
  readlinkSync,
  readSync,
  realpathSync,
  type BigIntStats,
} from "node:fs";
import { homedir } from "node:os";
import { dirname, join, relative, sep } from "node:path";
import { setImmediate } from "node:timers/promises";
import type { Configuration, ConfigurationEntry } from "../../core/projects/agent-configuration.ts";
import { findRepository, type Repository } from "../git/git-process.ts";
import { isTracked } from "../git/tracked.ts";
import { withoutAllowed, withoutOwnPlugin } from "./agents-own-words.ts";

/** Watched with everything in them, but for what agents write there while they work. */
const FOLDERS: Readonly<Record<string, readonly string[]>> = {
  ".claude": [
    ".cc-writes",
    "agent-memory",
    "agent-memory-local",
    "checkpoints",
    "debug",
    "file-history",
    "projects",
    "scheduled_tasks.lock",
    "session-env",
    "shell-snapshots",
    "tasks",
  ],
  ".codex": [],
  ".gemini": [],
  ".agents": [],
  ".opencode": [".gitignore"],
};
const FILES = [".mcp.json", ".lsp.json", "opencode.json", "opencode.jsonc"];
/** In each of the folders: what any of the agents writes there. */
const WRITTEN = ["cache", "history", "history.jsonl", "log", "logs", "plans", "sessions", "tmp", "todos", "worktrees"];
/** They tell agents what to do, and run nothing. */
const INSTRUCTIONS = ["AGENTS.md", "AGENTS.override.md", "CLAUDE.local.md", "CLAUDE.md", "GEMINI.md"];
/** Installed by opencode itself when it starts; where the repository tracks them, they are the repository's. */
const INSTALLED = [".opencode/bun.lock", ".opencode/node_modules", ".opencode/package-lock.json"];
/** Claude writes here what its user always allows; where the repository tracks it, it is the repository's. */
const LOCAL_SETTINGS = ".claude/settings.local.json";
const PACKAGE = ".opencode/package.json";

/** `looks`: files and folders; `entries`: of them, those that are read and named; `depth`: of folders. */
const MOST = {
  looks: 100_000,
  entries: 5_000,
  readBytes: 64 * 1024 * 1024,
  textBytes: 256 * 1024,
  allTextBytes: 4 * 1024 * 1024,
  depth: 32,
} as const;
type ScanLimits = Record<keyof typeof MOST, number>;

export interface LookOptions {
  /** The home directory, whose configuration is no project's. */
  home?: string | undefined;
  /** Whether an agent there reads `.env`. */
  dotenv?: boolean | undefined;
  most?: Partial<ScanLimits>;
}

/** Entries, or pieces of a file, looked at in one turn: some milliseconds. */
const STEPS_A_TURN = 400;
const PIECE_BYTES = 64 * 1024;

/** Pauses at each `yield`; returns when nothing is left to look at. */
type ScanSteps<T = void> = Generator<undefined, T, undefined>;

/** Never throws for what it finds: what cannot be read becomes an entry that says so. @param directory absolute */
export function lookAtConfiguration(
  directory: string,
  { home = homedir(), dotenv = false, most = {} }: LookOptions = {},
): Configuration | Promise<Configuration> {
  return inTurns(
    lookIn(realOr(directory, directory), { owners: realOr(home, home), dotenv, most: { ...MOST, ...most } }),
  );
}

function inTurns<T>(steps: ScanSteps<T>): T | Promise<T> {
  for (let taken = 0; taken < STEPS_A_TURN; taken += 1) {
    const step = steps.next();
    if (step.done) return step.value;
  }
  return setImmediate().then(() => inTurns(steps));
}

function* lookIn(
  directory: string,
  { owners, dotenv, most }: { owners: string; dotenv: boolean; most: ScanLimits },
): ScanSteps<Configuration> {
  const repository = findRepository(directory);
  const root = repository?.workTree ?? directory;
  const look = new ConfigurationScan({
    most,
    root,
    repository,
    owners: Object.keys(FOLDERS).map((name) => join(owners, name)),
  });
  let up = "";
  // The owner configures the home directory personally.
  for (let folder = directory; directory !== owners; folder = dirname(folder)) {
    if (folder !== owners) {
      for (const name of Object.keys(FOLDERS)) yield* look.watched(Buffer.from(join(folder, name)), { up, name });
      for (const name of dotenv ? [...FILES, ".env"] : FILES)
        yield* look.single(Buffer.from(join(folder, name)), { up, name });
    }
    if (folder === root || dirname(folder) === folder) break;
    up += "../";
  }
  return look.configuration();
}

function realOr(path: string, otherwise: string): string {
  try {
    return realpathSync(path);
  } catch {
    return otherwise;
  }
}

/** With its digest. */
export function configurationOf(
  entries: readonly ConfigurationEntry[],
  allowed: readonly string[] = [],
): Configuration {
  const sorted = entries.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  return {
    digest: createHash("sha256")
      .update(JSON.stringify(sorted.map(({ name, is }) => [name, is])))
      .digest("hex"),
    entries: sorted,
    allowed: [...new Set(allowed)].toSorted(),
  };
}

interface ScanContext {
  most: ScanLimits;
  /** Of the repository, or the project; real. */
  root: string;
  repository: Repository | null;
  /** Folders of the owner's own configuration. */
  owners: readonly string[];
}

/** What is watched, as its path is written: the way up from the project, and its name in the folder there. */
interface WatchedPath {
  up: string;
  name: string;
}

/** Something found: its path without links, and what it is called here. */
interface FoundPath extends WatchedPath {
  path: Buffer;
  depth: number;
  /** It was reached through a link. */
  linked?: boolean;
}

class ConfigurationScan {
  readonly #around: ScanContext;
  readonly #entries: ConfigurationEntry[] = [];
  readonly #allowed: string[] = [];
  /** Folders already walked: a link back to one adds nothing. */
  readonly #walked = new Set<string>();
  /** What is beyond the limits, by the watched folder it is in. */
  readonly #beyond = new Map<string, { count: number; first: string; hash: Hash }>();
  readonly #piece = Buffer.alloc(PIECE_BYTES);
  #looks = 0;
  #read = 0;
  #kept = 0;

  constructor(around: ScanContext) {
    this.#around = around;
  }

  configuration(): Configuration {
    for (const [name, { count, first, hash }] of this.#beyond) {
      const isEndless = this.#looks > this.#around.most.looks;
      this.#entries.push({
        name,
        is: isEndless ? randomUUID() : hash.digest("hex"),
        why: isEndless ? { because: "endless", most: this.#around.most.looks } : { because: "beyond", count, first },
      });
    }
    return configurationOf(this.#entries, this.#allowed);
  }

  /** One of the folders, without what is no configuration in it. */
  *watched(path: Buffer, { up, name }: WatchedPath): ScanSteps {
    yield* this.#at({ path, up, name, depth: 0 });
  }

  /** A file; a folder of this name is something else. */
  *single(path: Buffer, named: WatchedPath): ScanSteps {
    yield* this.#at({ path, ...named, depth: 0 }, true);
  }

  *#at(found: FoundPath, isSingle = false): ScanSteps {
    yield;
    const name = found.up + found.name;
    try {
      const is = lstatSync(found.path, { bigint: true, throwIfNoEntry: false });
      if (is === undefined) return;
      this.#looks += 1;
      if (is.isDirectory()) {
        if (!isSingle) yield* this.#folder(found, is);
      } else if (this.#isBeyond(found)) this.#count(found, identity(is));
      else if (is.isSymbolicLink()) yield* this.#link(found, isSingle);
      else if (is.isFile()) yield* this.#file(found);
      else this.#entries.push({ name, is: "special", why: { because: "special" } });
    } catch (error) {
      const { code = "" } = error as NodeJS.ErrnoException;
      if (code === "ENOENT" || code === "ENOTDIR") return;
      if (this.#isBeyond(found)) this.#count(found, code);
      else this.#entries.push({ name, is: `unreadable ${code}`, why: { because: "unreadable", code } });
    }
  }

  #isBeyond({ depth }: FoundPath): boolean {
    return this.#entries.length >= this.#around.most.entries || depth > this.#around.most.depth;
  }

  /** Its name and what tells every change of it, in one sum for all that is beyond the limits. */
  #count({ up, name }: FoundPath, is: string): void {
    const [top = ""] = name.split("/", 1);
    const key = `${up}${top}/…`;
    const beyond = this.#beyond.get(key) ?? { count: 0, first: up + name, hash: createHash("sha256") };
    this.#beyond.set(key, beyond);
    beyond.count += 1;
    beyond.hash.update(JSON.stringify([up + name, is]));
  }

  /** As where it leads. What is elsewhere is not looked into, but another file there is noticed. */
  *#link(found: FoundPath, isSingle: boolean): ScanSteps {
    const name = found.up + found.name;
    this.#entries.push({ name: `link:${name}`, is: `→ ${nameOf(readlinkSync(found.path, "buffer"))}` });
    const path = realpathSync(found.path, "buffer");
    const [real, { root, owners }] = [path.toString("latin1"), this.#around];
    if (owners.some((own) => isInside(real, own))) return;
    if (isInside(real, root)) return yield* this.#at({ ...found, path, linked: true }, isSingle);
    const is = lstatSync(path, { bigint: true });
    if (is.isFile()) this.#entries.push({ name, is: identity(is), size: Number(is.size) });
  }

  *#folder(found: FoundPath, { dev, ino }: BigIntStats): ScanSteps {
    const id = `${dev}:${ino}`;
    if (this.#walked.has(id)) return;
    this.#walked.add(id);
    for (const one of this.#namesIn(found.path)) {
      const inside = {
        ...found,
        path: Buffer.concat([found.path, Buffer.from(sep), one]),
        name: `${found.name}/${nameOf(one)}`,
        depth: found.depth + 1,
      };
      if (!this.#isAgents(found, nameOf(one))) yield* this.#at(inside);
      // Nothing more is told of it than that it cannot be told.
      if (this.#looks > this.#around.most.looks) return this.#count(inside, "");
    }
  }

  /** In their order; of more than can be looked at, any. */
  #namesIn(path: Buffer): Buffer[] {
    const names: Buffer[] = [];
    const folder = opendirSync(path as unknown as string, { encoding: "buffer" as BufferEncoding });
    try {
      for (let one = folder.readSync(); one !== null; one = folder.readSync()) {
        names.push(one.name as unknown as Buffer);
        if (names.length > this.#around.most.looks) break;
      }
    } finally {
      folder.closeSync();
    }
    return names.sort(Buffer.compare);
  }

  /** Whether agents write this in a watched folder while they work, or it only instructs them. */
  #isAgents({ path, name, depth }: FoundPath, one: string): boolean {
    const own = depth === 0 ? FOLDERS[name] : undefined;
    if (own === undefined) return false;
    if (INSTALLED.includes(`${name}/${one}`)) return !this.#isTracked(join(path.toString(), one));
    return own.includes(one) || WRITTEN.includes(one) || INSTRUCTIONS.includes(one);
  }

  /** @param path of something in a watched folder, without links */
  #isTracked(path: string): boolean {
    const { repository, root } = this.#around;
    if (repository === null) return false;
    // With a repository of its own, ours does not know what is in the folder.
    if (lstatSync(join(dirname(path), ".git"), { throwIfNoEntry: false }) !== undefined) return true;
    return isTracked(repository, relative(root, path).split(sep).join("/"));
  }

  *#file(found: FoundPath): ScanSteps {
    const name = found.up + found.name;
    // Must not block if it has become a pipe meanwhile, nor lead elsewhere if it has become a link.
    const file = openSync(found.path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
    try {
      const is = fstatSync(file, { bigint: true });
      if (!is.isFile()) return void this.#entries.push({ name, is: "special", why: { because: "special" } });
      const size = Number(is.size);
      if (this.#read + size > this.#around.most.readBytes)
        return void this.#entries.push({ name, is: identity(is), size });
      const { digest, text } = yield* this.#content(file, size);
      const left = text === null ? null : this.#withoutAgentsOwn(found, text);
      if (left === "" && text !== "") return;
      this.#entries.push({
        name,
        is:
          left === text
            ? digest
            : createHash("sha256")
                .update(left ?? "")
                .digest("hex"),
        size,
        ...(left !== null && this.#keeps(left) && { text: left }),
      });
    } finally {
      closeSync(file);
    }
  }

  /** The text without what an agent writes there itself. Empty if nothing else is in it. */
  #withoutAgentsOwn({ path, name, linked }: FoundPath, text: string): string {
    if (name === PACKAGE) return withoutOwnPlugin(text);
    if (name !== LOCAL_SETTINGS || linked) return text;
    const found = withoutAllowed(text);
    if (found === null || this.#isTracked(path.toString())) return text;
    this.#allowed.push(...found.allowed);
    return found.left;
  }

  /** Reads in pieces up to the end that it had when it was opened. */
  *#content(file: number, size: number): ScanSteps<{ digest: string; text: string | null }> {
    const hash = createHash("sha256");
    const isText = size <= this.#around.most.textBytes;
    const whole = isText && size > PIECE_BYTES ? Buffer.alloc(size) : this.#piece;
    let bytes = 0;
    while (bytes < size) {
      const into = whole === this.#piece ? 0 : bytes;
      const read = readSync(file, whole, into, Math.min(PIECE_BYTES, size - bytes), null);
      if (read === 0) break;
      hash.update(whole.subarray(into, into + read));
      bytes += read;
      yield;
    }
    this.#read += bytes;
    return { digest: hash.digest("hex"), text: isText ? textOf(whole.subarray(0, bytes)) : null };
  }

  #keeps(text: string): boolean {
    this.#kept += text.length;
    return this.#kept <= this.#around.most.allTextBytes;
  }
}

/** What differs after every change of a file, whatever its modification time was set to. */
function identity({ size, mode, mtimeNs, ctimeNs, dev, ino }: BigIntStats): string {
  return `${size} bytes of ${mtimeNs}, ${ctimeNs}, ${dev}:${ino}, ${mode}`;
}

/** @param path in Latin-1, byte by byte */
function isInside(path: string, folder: string): boolean {
  const around = Buffer.from(folder).toString("latin1");
  return path === around || path.startsWith(around.endsWith(sep) ? around : around + sep);
}

const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Null for what is not text. */
function textOf(bytes: Buffer): string | null {
  try {
    const text = UTF8.decode(bytes);
    return text.includes("\0") ? null : text;
  } catch {
    return null;
  }
}

/** A name that is not UTF-8 is written in a form that no other name can have. */
function nameOf(bytes: Buffer): string {
  const text = bytes.toString("utf8");
  return Buffer.from(text).equals(bytes) && !text.startsWith("hex:") ? text : `hex:${bytes.toString("hex")}`;
}
