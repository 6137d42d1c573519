/**
 * Git worktrees that sessions work in: made, looked at, and removed. They stand in `.claude/worktrees/` of the
 * repository, each on a branch `worktree-<name>`, as Claude Code's own `--worktree` makes them, and one way serves
 * every agent.
 *
 * The repository may be hostile: agents write to it. Git has to write in the owner's repository here (a branch, the
 * worktree's own folder), but nothing that the repository names runs: hooks are off, those in its folder and those that
 * its configuration names (since git 2.54, https://git-scm.com/docs/git-hook), and the files are checked out through a
 * git directory of ours, in which no filter is configured. So a file that a filter would change (Git LFS) is as it is
 * committed. A path that leads elsewhere through a link is refused.
 */
import { isUtf8 } from "node:buffer";
import { createHash } from "node:crypto";
import { existsSync, lstatSync, readdirSync } from "node:fs";
import { copyFile, lstat, mkdir, rm, statfs, writeFile } from "node:fs/promises";
import { basename, dirname, join, relative } from "node:path";
import type { Clock } from "../../base/clock.ts";
import { BellhopError, theirWords } from "../../base/errors.ts";
import { which } from "../processes/which.ts";
import {
  runGit,
  type Totals,
  type GitAnswer,
  type GitPlace,
  commitOfBranch,
  findRepository,
  readHead,
  realDirectory,
  type Repository,
} from "./git-process.ts";
import { prepare, type Git, type GitOptions } from "./git.ts";

export interface MadeWorktree {
  /** Its root: absolute, without links. */
  path: string;
  branch: string;
}

/** What would be lost with a worktree, or kept on its branch only. */
export interface Remains {
  /** What is not committed; null: it could not be determined. */
  uncommitted: (Totals & { stat: string }) | null;
  /** Commits that are on no other branch, here or at a remote. */
  commits: number;
  /** Whether something in it is on no branch and would be lost, although everything is committed. */
  unkept: boolean;
  /** Digest of its commit and its files, where these could be determined; 32 hex digits. */
  mark: string;
}

export interface Worktrees {
  /**
   * Makes the worktree of this name, or takes up the one that stands. `again`: it was there before, so its branch is.
   * @throws E_WORKTREE_NO_COMMIT, E_WORKTREE_IN_USE, E_WORKTREE_FAILED; then nothing of it is left
   */
  make(directory: string, name: string, again: boolean): Promise<MadeWorktree>;
  /** Whether it stands: a worktree at exactly this place. Synchronous, because it is asked before each job. */
  exists(path: string): boolean;
  /**
   * One that somebody else made there, such as Claude's own `--worktree`, on the branch that belongs to it; null: it is
   * not there.
   */
  madeThere(directory: string, path: string): MadeWorktree | "elsewhere" | null;
  /** Those of ours in the directory's repository, as absolute paths, by name. */
  list(directory: string): Map<string, string>;
  remains(directory: string, worktree: MadeWorktree): Promise<Remains>;
  /**
   * Removes it with everything in it. Its branch stays; what only a detached head has gets a branch of its own.
   * @throws E_WORKTREE_FAILED
   */
  remove(directory: string, worktree: MadeWorktree): Promise<void>;
}

export interface WorktreesOptions extends Omit<GitOptions, "withinMs"> {
  git: Git;
}

const FOLDER = [".claude", "worktrees"];
const WITHIN_MS = 300_000;
const ANSWER_BYTES = 64 * 1024;
const NAME = /^bellhop-(\d{17,20})$/;
/** Less than this left on the disk explains a failure. */
const FULL_BYTES = 300 * 1024 * 1024;

/** The session's id is in the name, so it is never another session's. */
export function worktreeName(threadId: string): string {
  return `bellhop-${threadId}`;
}

/** The session in such a name; null: it is not one of ours. */
export function sessionOf(name: string): string | null {
  return NAME.exec(name)?.[1] ?? null;
}

/** The root of the repository in which a worktree was made, from its path alone: it may be gone. */
export function repositoryAround(path: string): string {
  return join(path, ...FOLDER.map(() => ".."), "..");
}

/**
 * Where in the worktree a project works whose directory is this one; its root, where they are not of one repository.
 */
export function insideWorktree(directory: string, path: string): string {
  const below = relative(repositoryAround(path), directory);
  return below.startsWith("..") ? path : join(path, below);
}

export function openWorktrees(options: WorktreesOptions): Worktrees {
  return new GitWorktrees(options);
}

class GitWorktrees implements Worktrees {
  readonly #options: WorktreesOptions;
  readonly #clock: Clock;

  constructor(options: WorktreesOptions) {
    this.#options = options;
    this.#clock = options.clock;
  }

  async make(directory: string, name: string, again: boolean): Promise<MadeWorktree> {
    const { repository, root, commit } = this.#repositoryOf(directory);
    const path = join(root, ...FOLDER, name);
    const branch = `worktree-${name}`;
    const of = { path, branch };
    if (this.exists(path) && readHeadOf(path) === branch) return of;
    const held = commitOfBranch(repository, branch);
    if (existsSync(path) || (held !== null && !again && held !== commit))
      throw new BellhopError("E_WORKTREE_IN_USE", of);
    await this.#makeFolder(root);
    const base = held ?? commit;
    const fresh = held === null;
    try {
      const how = fresh ? ["-b", branch, "--", path, base] : ["--", path, branch];
      this.#require(
        await this.#run(repository, root, ["worktree", "add", "--quiet", "--no-checkout", ...how]),
        of,
        "git worktree add",
      );
      await this.#fill(path, name, base);
    } catch (error) {
      await this.#undo(repository, root, { path, branch: fresh ? branch : null, base });
      throw await this.#explained(error, of, root);
    }
    return of;
  }

  exists(path: string): boolean {
    return realDirectory(path) === path && findRepository(path)?.workTree === path;
  }

  madeThere(directory: string, path: string): MadeWorktree | "elsewhere" | null {
    const root = findRepository(realDirectory(directory))?.workTree;
    if (root == null || dirname(path) !== join(root, ...FOLDER)) return "elsewhere";
    const branch = `worktree-${basename(path)}`;
    return this.exists(path) && readHeadOf(path) === branch ? { path, branch } : null;
  }

  list(directory: string): Map<string, string> {
    const root = findRepository(realDirectory(directory))?.workTree;
    if (root == null) return new Map();
    const folder = join(root, ...FOLDER);
    try {
      const there = readdirSync(folder).filter(
        (name) =>
          lstatSync(join(folder, name)).isDirectory() &&
          (NAME.test(name) || lstatSync(join(folder, name, ".git"), { throwIfNoEntry: false })?.isFile() === true),
      );
      return new Map(there.map((name) => [name, join(folder, name)]));
    } catch {
      return new Map();
    }
  }

  async remains(directory: string, { path, branch }: MadeWorktree): Promise<Remains> {
    const { git } = this.#options;
    const job = `worktree-${path.slice(path.lastIndexOf("/") + 1)}`;
    const repository = findRepository(path);
    const { root, repository: main } = this.#repositoryOf(directory);
    try {
      const is = await git.recordCheckout(job, path);
      const found = is.head === null || is.tree === null ? null : await git.changes(job, { ...is, tree: is.head });
      const changed = found === "late" ? null : found;
      const known = JSON.stringify([is.head, changed === null ? null : is.tree]);
      const mark = createHash("sha256").update(known).digest("hex").slice(0, 32);
      if (is.head === null) return { uncommitted: null, commits: 0, unkept: true, mark };
      const counted = await this.#run(main, root, [
        "rev-list",
        "--count",
        is.head,
        "--not",
        `--exclude=${branch}`,
        "--branches",
        "--remotes",
        "--",
      ]);
      const holding = await this.#run(main, root, [
        "for-each-ref",
        "--count=1",
        `--contains=${is.head}`,
        "refs/heads",
        "refs/remotes",
        "refs/tags",
      ]);
      // The commits of submodules that were fetched here are nowhere else.
      const hasModules = repository !== null && existsSync(join(repository.gitDir, "modules"));
      return {
        uncommitted: changed,
        commits: Number(counted.stdout.toString().trim()) || 0,
        unkept: hasModules || holding.code !== 0 || holding.stdout.length === 0,
        mark,
      };
    } finally {
      await git.removeRecords(job);
    }
  }

  async remove(directory: string, worktree: MadeWorktree): Promise<void> {
    const { path, branch } = worktree;
    const { root, repository } = this.#repositoryOf(directory);
    // Git follows links, and would remove what they lead to.
    if (!this.exists(path) || dirname(path) !== join(root, ...FOLDER))
      throw new BellhopError("E_WORKTREE_FAILED", { path, branch, because: "why_moved" });
    const found = findRepository(path);
    const head = found && readHead(found).commit;
    if (head) {
      const held = await this.#run(repository, root, ["for-each-ref", "--count=1", `--contains=${head}`, "refs/heads"]);
      if (held.stdout.length === 0)
        this.#require(
          await this.#run(repository, root, ["branch", "--", `${branch}-${head.slice(0, 10)}`, head]),
          worktree,
          "git branch",
        );
    }
    this.#require(
      await this.#run(repository, root, ["worktree", "remove", "--force", "--", path]),
      worktree,
      "git worktree remove",
    );
  }

  /** @throws E_WORKTREE_NO_COMMIT */
  #repositoryOf(directory: string): { repository: Repository; root: string; commit: string } {
    const repository = findRepository(realDirectory(directory));
    const commit = repository && readHead(repository).commit;
    if (repository?.workTree == null || !commit) throw new BellhopError("E_WORKTREE_NO_COMMIT", { path: directory });
    return { repository, root: repository.workTree, commit };
  }

  /** Each part of the path is a directory, never a link. What stands in it is ignored by the repository around it. */
  async #makeFolder(root: string): Promise<void> {
    let folder = root;
    for (const name of FOLDER) {
      folder = join(folder, name);
      await mkdir(folder).catch(() => undefined);
      const found = await lstat(folder).catch(() => null);
      if (!found?.isDirectory())
        throw new BellhopError("E_WORKTREE_FAILED", {
          path: folder,
          because: found?.isSymbolicLink() ? "why_link" : "why_no_directory",
        });
    }
    await writeFile(join(folder, ".gitignore"), "*\n", { flag: "wx" }).catch(() => undefined);
  }

  /** Checks the files out through a git directory of ours, whose index becomes the worktree's. */
  async #fill(path: string, name: string, commit: string): Promise<void> {
    const repository = findRepository(path);
    if (repository?.workTree !== path)
      throw new BellhopError("E_WORKTREE_FAILED", { path, because: "why_git_nothing" });
    const gitDir = join(this.#options.stateDir, "checkouts", `worktree-${name}`);
    try {
      await rm(gitDir, { recursive: true, force: true });
      await prepare(gitDir, repository, this.#options);
      const place = { ...this.#place(path), gitDir, takesBytes: Number.POSITIVE_INFINITY };
      const of = { path, branch: `worktree-${name}` };
      this.#require(
        await runGit({ ...place, args: ["read-tree", commit], maxBytes: ANSWER_BYTES }),
        of,
        "git read-tree",
      );
      this.#require(
        await runGit({ ...place, args: ["checkout-index", "--all", "--index", "--quiet"], maxBytes: ANSWER_BYTES }),
        of,
        "git checkout-index",
      );
      await copyFile(join(gitDir, "index"), join(repository.gitDir, "index"));
    } finally {
      await rm(gitDir, { recursive: true, force: true });
    }
  }

  async #undo(
    repository: Repository,
    root: string,
    { path, branch, base }: { path: string; branch: string | null; base: string },
  ): Promise<void> {
    await this.#run(repository, root, ["worktree", "remove", "--force", "--", path]);
    if (branch !== null) await this.#run(repository, root, ["update-ref", "-d", `refs/heads/${branch}`, base]);
  }

  async #explained(error: unknown, of: MadeWorktree, root: string): Promise<BellhopError> {
    const { bavail, bsize } = await statfs(root).catch(() => ({ bavail: Number.NaN, bsize: 1 }));
    if (bavail * bsize < FULL_BYTES) return new BellhopError("E_WORKTREE_FAILED", { ...of, because: "why_disk_full" });
    return error instanceof BellhopError
      ? error
      : new BellhopError("E_WORKTREE_FAILED", { ...of, reason: theirWords(String(error)) });
  }

  #require({ code }: GitAnswer, of: MadeWorktree, what: string): void {
    if (code !== 0)
      throw new BellhopError("E_WORKTREE_FAILED", {
        ...of,
        command: what,
        ...(code === null ? { because: "why_git_late" } : { because: "why_git_code", exit_code: code }),
      });
  }

  /** In the owner's repository, where what is written must be as durable as git makes it. */
  async #run({ gitDir }: Repository, root: string, args: readonly string[]): Promise<GitAnswer> {
    const place = { ...this.#place(root), gitDir, maxBytes: ANSWER_BYTES };
    const named = await runGit({ ...place, args: ["config", "--null", "--name-only", "--get-regexp", "^hook[.]"] });
    const settings = hooksOff(named);
    if (settings === null) return { ...named, code: named.code || null };
    return runGit({
      ...place,
      settings,
      args: ["-c", "core.fsync=default", "-c", "core.attributesFile=/dev/null", ...args],
    });
  }

  #place(workTree: string): GitPlace {
    const file = which("git", this.#options.path) ?? "/nonexistent/git";
    return {
      file,
      gitDir: workTree,
      workTree,
      mark: join(this.#options.stateDir, "outputs", "checkouts"),
      clock: this.#clock,
      deadline: this.#clock.monotonic() + WITHIN_MS,
    };
  }
}

/** What switches every hook off that a configuration names; null: it could not be read whole. */
function hooksOff({ code, cut, stdout }: GitAnswer): [string, string][] | null {
  // Git ends with 1 if there are none. A name that is not UTF-8 could not be said back to it.
  if ((code !== 0 && code !== 1) || cut || !isUtf8(stdout)) return null;
  const hooks = stdout
    .toString()
    .split("\0")
    .flatMap((name) => /^hook[.]([^]*)[.][^.]*$/.exec(name)?.[1] ?? []);
  return [...new Set(hooks)].map((hook) => [`hook.${hook}.enabled`, "false"]);
}

function readHeadOf(path: string): string | null {
  const repository = findRepository(path);
  return repository && readHead(repository).branch;
}
