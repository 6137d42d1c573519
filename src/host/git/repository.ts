/**
 * A directory's git repository as described by its files alone: its root, which branch is checked out and at which
 * commit. No program runs, so it is safe for a repository that an agent has written to, and fast enough to run before
 * each job. Nothing here throws.
 */
import { lstatSync, readFileSync, readlinkSync, realpathSync, statSync, type Stats } from "node:fs";
import { dirname, join, resolve } from "node:path";

export interface Repository {
  /** Absolute; null for a bare repository and inside a `.git`. */
  workTree: string | null;
  /** Its own `.git`; for a linked work tree, the folder of that one. */
  gitDir: string;
  /** Where branches and objects are; for a linked work tree, the main one's `.git`. */
  commonDir: string;
}

export interface Head {
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
