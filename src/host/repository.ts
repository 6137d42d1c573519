/**
 * What a directory's git repository says of itself, read from its files alone: where it begins, which branch is
 * checked out and at which commit. No program runs for it, so it is safe to ask of a repository that an agent has
 * written to, and quick enough to stand between a message and its agent. Nothing in it throws.
 */
import { lstatSync, readFileSync, readlinkSync, realpathSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

export interface Repository {
  /** Absolute; null for a bare repository and for the inside of a `.git`. */
  workTree: string | null;
  /** Its own `.git`; of a further work tree, that one's folder. */
  gitDir: string;
  /** Where branches and objects are; of a further work tree, the first one's `.git`. */
  commonDir: string;
}

export interface Head {
  /** Null where none is checked out (a detached head) or it cannot be told. */
  branch: string | null;
  /** The commit, as hex digits; null where there is none yet. */
  commit: string | null;
}

const OBJECT_ID = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/;
const SMALL_BYTES = 64 * 1024;
const LIST_BYTES = 32 * 1024 * 1024;
/** A branch may name a branch; git follows as many. */
const DEEPEST = 5;

/** The path without symlinks, or as it is where it cannot be followed. */
export function realDirectory(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/** The repository that `cwd` (absolute, without symlinks) lies in, as git would find it; null where there is none. */
export function findRepository(cwd: string): Repository | null {
  for (let folder = cwd; ; folder = dirname(folder)) {
    const gitDir = gitDirOf(folder);
    if (gitDir !== null) return { workTree: folder, gitDir, commonDir: commonDirOf(gitDir) };
    if (isGitDir(folder)) return { workTree: null, gitDir: folder, commonDir: commonDirOf(folder) };
    if (dirname(folder) === folder) return null;
  }
}

/** What is checked out. A repository that keeps its branches in another form (reftable) tells neither. */
export function readHead({ gitDir, commonDir }: Repository): Head {
  const said = linkedHead(gitDir) ?? readSmall(join(gitDir, "HEAD"), SMALL_BYTES)?.trim() ?? "";
  if (OBJECT_ID.test(said)) return { branch: null, commit: said };
  const [, ref] = /^ref: *(refs\/\S.*)$/.exec(said) ?? [];
  if (ref === undefined || ref === "refs/heads/.invalid") return { branch: null, commit: null };
  const branch = ref.startsWith("refs/heads/") ? ref.slice("refs/heads/".length) : ref;
  return { branch, commit: commitOf(commonDir, ref, DEEPEST) };
}

/** A regular file's text, or null: it is none, is too long, or cannot be read. A pipe is never opened, it might never answer. */
export function readSmall(path: string, maxBytes: number): string | null {
  try {
    const { size } = requireFile(path);
    return size > maxBytes ? null : readFileSync(path, "utf8");
  } catch {
    return null;
  }
}

function requireFile(path: string): { size: number } {
  const stats = statSync(path);
  if (!stats.isFile()) throw new Error("not a regular file");
  return stats;
}

function gitDirOf(folder: string): string | null {
  const path = join(folder, ".git");
  if (isGitDir(path)) return path;
  const [, target] = /^gitdir: *(.+)/.exec(readSmall(path, SMALL_BYTES) ?? "") ?? [];
  if (target === undefined) return null;
  const gitDir = resolve(folder, target.trimEnd());
  return isFolder(gitDir) ? gitDir : null;
}

function commonDirOf(gitDir: string): string {
  const said = readSmall(join(gitDir, "commondir"), SMALL_BYTES)?.trim();
  return said ? resolve(gitDir, said) : gitDir;
}

function isGitDir(path: string): boolean {
  return isFolder(join(path, "objects")) && isFolder(join(path, "refs")) && (linkedHead(path) ?? readSmall(join(path, "HEAD"), SMALL_BYTES)) !== null;
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

/** Very old repositories have a link to the branch for a HEAD. */
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
  // A name that leaves the folder is nobody's branch.
  if (deep === 0 || ref.split("/").includes("..") || ref.includes("\0")) return null;
  const said = readSmall(join(commonDir, ref), SMALL_BYTES)?.trim();
  if (said !== undefined && OBJECT_ID.test(said)) return said;
  const [, other] = /^ref: *(refs\/\S.*)$/.exec(said ?? "") ?? [];
  if (other !== undefined) return commitOf(commonDir, other, deep - 1);
  return packedCommit(readSmall(join(commonDir, "packed-refs"), LIST_BYTES) ?? "", ref);
}

function packedCommit(packed: string, ref: string): string | null {
  const at = packed.indexOf(` ${ref}\n`);
  if (at < 0) return null;
  const commit = packed.slice(packed.lastIndexOf("\n", at) + 1, at);
  return OBJECT_ID.test(commit) ? commit : null;
}
