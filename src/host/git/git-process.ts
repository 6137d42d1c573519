/**
 * Runs one git command: no shell, no terminal, no pager, an environment built here instead of inherited, and limits on
 * its time, its output and what it may write. It always gets a git directory of ours, so the configuration of the
 * inspected repository, which could name a program to run, is never read. Also reads what git answers about the
 * difference of two trees.
 */
import { spawn } from "node:child_process";
import { statfs } from "node:fs/promises";
import type { Clock } from "../../base/clock.ts";
import { longestBeginning } from "../../base/text.ts";
import { lstatSync, readFileSync, readlinkSync, realpathSync, statSync, type Stats } from "node:fs";
import { dirname, join, resolve } from "node:path";

/** With which git and on which work tree, and until when. */
export interface GitPlace {
  /** The program; absolute. */
  file: string;
  /** Our own git directory, as `GIT_DIR`. */
  gitDir: string;
  /** The inspected work tree, which is also the working directory. */
  workTree: string;
  /** A folder below the agents' outputs: a mark by which the next start ends the process if it outlives us. */
  mark: string;
  clock: Clock;
  /** On the monotonic clock; after it, the process is killed. */
  deadline: number;
}

interface GitRequest extends GitPlace {
  args: readonly string[];
  input?: Buffer;
  /** Output beyond this is cut, and the process is ended. */
  maxBytes: number;
  /** On top of what the command line says, under names that it could not hold. */
  settings?: readonly (readonly [name: string, value: string])[];
  /** How much of the disk may be used meanwhile, by anybody, before it is ended. By default a gigabyte. */
  takesBytes?: number;
}

export interface GitAnswer {
  /** Null: it was killed or could not be started. */
  code: number | null;
  stdout: Buffer;
  /** There was more output than `maxBytes`. */
  cut: boolean;
}

/** Between two trees. */
export interface Totals {
  files: number;
  /** Lines; 0 for a binary file. */
  added: number;
  removed: number;
}

export interface Difference extends Totals {
  /** Absolute: everything below it was compared. */
  root: string;
  /** As printed by `git diff --stat`; at most 4,000 characters. */
  stat: string;
  /** At most 8 MiB, then the last line says that it was cut; null if it is unavailable or nothing changed. */
  patch: Buffer | null;
}

export const PATCH_BYTES = 8 * 1024 * 1024;
const STAT_CHARS = 4_000;
const CUT = "\\ Cut here: the whole patch is larger than 8 MiB.\n";

/** Also disables by name every setting that could make git run another program. */
const NOTHING_ELSE_RUNS = [
  "-c",
  "core.fsmonitor=false",
  "-c",
  "core.hooksPath=/dev/null",
  "-c",
  "core.quotePath=false",
  "-c",
  "core.fsync=none",
  "-c",
  "core.bigFileThreshold=32m",
  "--no-pager",
];

const LOOK_MS = 250;
/** The journal is on the same disk: git must never fill it. */
const LEFT_BYTES = 256 * 1024 * 1024;
const TAKEN_BYTES = 1024 * 1024 * 1024;

/** Never rejects. */
export async function runGit(request: GitRequest): Promise<GitAnswer> {
  const { file, args, gitDir, workTree, mark, clock, deadline } = request;
  const leftMs = deadline - clock.monotonic();
  if (leftMs <= 0) return { code: null, stdout: Buffer.alloc(0), cut: false };
  const child = spawn(file, [...NOTHING_ELSE_RUNS, ...args], {
    cwd: workTree,
    env: {
      ...environment(gitDir, workTree),
      ...asVariables(request.settings ?? []),
      BELLHOP_JOB: "checkout",
      BELLHOP_OUTPUTS: mark,
    },
    shell: false,
    windowsHide: true,
  });
  const end = (): void => void child.kill("SIGKILL");
  const forgetTime = clock.after(leftMs, end);
  const forgetDisk = watchDisk({ folder: gitDir, clock, most: request.takesBytes ?? TAKEN_BYTES, end });
  const chunks: Buffer[] = [];
  let bytes = 0;
  child.stdout.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    chunks.push(chunk);
    if (bytes > request.maxBytes) end();
  });
  child.stderr.resume();
  child.stdin.on("error", () => undefined);
  child.stdin.end(request.input);
  const code = await new Promise<number | null>((resolve) => {
    child.once("error", () => resolve(null));
    child.once("close", resolve);
  });
  forgetTime();
  forgetDisk();
  return { code, stdout: Buffer.concat(chunks).subarray(0, request.maxBytes), cut: bytes > request.maxBytes };
}

function environment(gitDir: string, workTree: string): Record<string, string> {
  return {
    // Git needs no other program, and an empty PATH lets it run none.
    PATH: "",
    HOME: gitDir,
    LC_ALL: "C.UTF-8",
    GIT_DIR: gitDir,
    GIT_WORK_TREE: workTree,
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_SYSTEM: "/dev/null",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_ATTR_NOSYSTEM: "1",
    GIT_NO_REPLACE_OBJECTS: "1",
    GIT_NO_LAZY_FETCH: "1",
    GIT_ALLOW_PROTOCOL: "none",
    GIT_TERMINAL_PROMPT: "0",
    GIT_OPTIONAL_LOCKS: "0",
    GIT_LITERAL_PATHSPECS: "1",
  };
}

function asVariables(settings: readonly (readonly [string, string])[]): Record<string, string> {
  const pairs = settings.flatMap(([name, value], at) => [
    [`GIT_CONFIG_KEY_${at}`, name],
    [`GIT_CONFIG_VALUE_${at}`, value],
  ]);
  return { GIT_CONFIG_COUNT: String(settings.length), ...Object.fromEntries(pairs) };
}

/** Ends it when the disk runs low, or when it has used more than its share since it began. Returns a stop function. */
function watchDisk({
  folder,
  clock,
  most,
  end,
}: {
  folder: string;
  clock: Clock;
  most: number;
  end: () => void;
}): () => void {
  let first: number | null = null;
  let forget = clock.after(LOOK_MS, () => void look());
  let over = false;
  async function look(): Promise<void> {
    const { bavail, bsize } = await statfs(folder).catch(() => ({ bavail: Number.NaN, bsize: 1 }));
    const free = bavail * bsize;
    first ??= free;
    if (over) return;
    if (free < LEFT_BYTES || free < first - most) return end();
    forget = clock.after(LOOK_MS, () => void look());
  }
  return () => {
    over = true;
    forget();
  };
}

/**
 * How much differs between two trees. Names may contain anything, line ends too, so nothing that matters is parsed by
 * lines. Parses `--numstat -z`: for each file `added TAB removed TAB name NUL`, or for a renamed one both names after a
 * NUL.
 */
export function readTotals({ code, stdout }: GitAnswer): Totals | null {
  if (code !== 0) return null;
  const fields = stdout.toString("latin1").split("\0");
  const totals = { files: 0, added: 0, removed: 0 };
  for (let at = 0; at < fields.length - 1; at += 1) {
    const [added = "", removed = "", name] = (fields[at] ?? "").split("\t");
    totals.files += 1;
    totals.added += Number(added) || 0;
    totals.removed += Number(removed) || 0;
    if (name === "") at += 2;
  }
  return totals;
}

export function readStat({ code, stdout }: GitAnswer): string {
  return code === 0 ? longestBeginning(stdout.toString("utf8").trimEnd(), STAT_CHARS) : "";
}

export function readPatch({ code, stdout, cut }: GitAnswer): Buffer | null {
  if (cut)
    return Buffer.concat([
      stdout.subarray(0, stdout.lastIndexOf("\n", PATCH_BYTES - CUT.length - 1) + 1),
      Buffer.from(CUT),
    ]);
  return code === 0 && stdout.length > 0 ? stdout : null;
}

/*
 * A directory's git repository as described by its files alone: its root, which branch is checked out and at which
 * commit. No program runs, so it is safe for a repository that an agent has written to, and fast enough to run before
 * each job. Nothing here throws.
 */

export interface Repository {
  /** Absolute; null for a bare repository and inside a `.git`. */
  workTree: string | null;
  /** Its own `.git`; for a linked work tree, the folder of that one. */
  gitDir: string;
  /** Where branches and objects are; for a linked work tree, the main one's `.git`. */
  commonDir: string;
}

interface Head {
  /** Null with a detached head or if it cannot be determined. */
  branch: string | null;
  /** The commit, as hex digits; null if there is none yet. */
  commit: string | null;
}

const OBJECT_ID = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/;
const SMALL_BYTES = 64 * 1024;
const LIST_BYTES = 32 * 1024 * 1024;
/** A branch may point to a branch; git follows this many. */
const DEEPEST = 5;

/** The path without symlinks, or unchanged if it cannot be resolved. */
export function realDirectory(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/** The repository that contains `cwd` (absolute, without symlinks), as git would find it; null if there is none. */
export function findRepository(cwd: string): Repository | null {
  for (let folder = cwd; ; folder = dirname(folder)) {
    const gitDir = gitDirOf(folder);
    if (gitDir !== null) return { workTree: folder, gitDir, commonDir: commonDirOf(gitDir) };
    if (isGitDir(folder)) return { workTree: null, gitDir: folder, commonDir: commonDirOf(folder) };
    if (dirname(folder) === folder) return null;
  }
}

/** The commit of a branch; null if there is no such branch, or it cannot be read. */
export function commitOfBranch({ commonDir }: Repository, branch: string): string | null {
  return commitOf(commonDir, `refs/heads/${branch}`, DEEPEST);
}

/** The branch and commit checked out; both null for a repository with another storage of branches (reftable). */
export function readHead({ gitDir, commonDir }: Repository): Head {
  const content = linkedHead(gitDir) ?? readSmall(join(gitDir, "HEAD"), SMALL_BYTES)?.trim() ?? "";
  if (OBJECT_ID.test(content)) return { branch: null, commit: content };
  const [, ref] = /^ref: *(refs\/\S.*)$/.exec(content) ?? [];
  if (ref === undefined || ref === "refs/heads/.invalid") return { branch: null, commit: null };
  const branch = ref.startsWith("refs/heads/") ? ref.slice("refs/heads/".length) : ref;
  return { branch, commit: commitOf(commonDir, ref, DEEPEST) };
}

/**
 * A regular file's text; null if it is none, too long, or unreadable. A pipe is never opened: that might block forever.
 */
export function readSmall(path: string, maxBytes: number): string | null {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    return found === undefined || !found.isFile() || found.size > maxBytes ? null : readFileSync(path, "utf8");
  } catch {
    return null;
  }
}

function gitDirOf(folder: string): string | null {
  const path = join(folder, ".git");
  const found = statOf(path);
  if (found === undefined) return null;
  if (found.isDirectory()) return isGitDir(path) ? path : null;
  const [, target] = /^gitdir: *(.+)/.exec(readSmall(path, SMALL_BYTES) ?? "") ?? [];
  if (target === undefined) return null;
  const gitDir = resolve(folder, target.trimEnd());
  return isFolder(gitDir) ? gitDir : null;
}

function commonDirOf(gitDir: string): string {
  const content = readSmall(join(gitDir, "commondir"), SMALL_BYTES)?.trim();
  return content ? resolve(gitDir, content) : gitDir;
}

function isGitDir(path: string): boolean {
  return (
    isFolder(join(path, "objects")) &&
    isFolder(join(path, "refs")) &&
    (linkedHead(path) ?? readSmall(join(path, "HEAD"), SMALL_BYTES)) !== null
  );
}

function isFolder(path: string): boolean {
  return statOf(path)?.isDirectory() === true;
}

function statOf(path: string): Stats | undefined {
  try {
    // What is missing is no error here: most of what is looked for is, and each error takes longer than the look.
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/** In very old repositories HEAD is a link to the branch. */
function linkedHead(gitDir: string): string | null {
  try {
    const path = join(gitDir, "HEAD");
    if (!lstatSync(path).isSymbolicLink()) return null;
    const target = readlinkSync(path);
    return target.startsWith("refs/") ? `ref: ${target}` : null;
  } catch {
    return null;
  }
}

function commitOf(commonDir: string, ref: string, deep: number): string | null {
  // A name that leaves the folder is not a branch.
  if (deep === 0 || ref.split("/").includes("..") || ref.includes("\0")) return null;
  const content = readSmall(join(commonDir, ref), SMALL_BYTES)?.trim();
  if (content !== undefined && OBJECT_ID.test(content)) return content;
  const [, other] = /^ref: *(refs\/\S.*)$/.exec(content ?? "") ?? [];
  if (other !== undefined) return commitOf(commonDir, other, deep - 1);
  return packedCommit(readSmall(join(commonDir, "packed-refs"), LIST_BYTES) ?? "", ref);
}

function packedCommit(packed: string, ref: string): string | null {
  const at = packed.indexOf(` ${ref}\n`);
  if (at < 0) return null;
  const commit = packed.slice(packed.lastIndexOf("\n", at) + 1, at);
  return OBJECT_ID.test(commit) ? commit : null;
}
