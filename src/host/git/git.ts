/**
 * What a job changed in its work tree, without a trace in the owner's repository: when the job begins and when it ends,
 * the whole tree is recorded as git would commit it, in a git directory of ours, and the two are compared. Nothing of
 * the owner's is written, locked or run.
 *
 * The repository may be hostile: agents write to it. So git never gets its directory. Ours
 * (`STATE_DIR/checkouts/<job_id>/`) has its own configuration, uses the other's objects read-only, and takes only data
 * from it: which files are ignored, and the commit checked out. A filter, hook, textconv, diff driver, fsmonitor or
 * remote named in its configuration does not exist here; a `.gitattributes` that asks for one has no effect. For the
 * same reason files are compared as they are on disk, not as a clean filter (Git LFS) would store them, and of a
 * submodule only its commit is checked: for more, git would start a second git that does read the submodule's
 * configuration.
 *
 * What was read of a work tree's files is kept from one job to the next in the same work tree, as git's index of it, so
 * that files that nobody touched are not read again. The second look of a job, for which the next job waits, is two git
 * processes where nothing changed: one that looks at every file, and one that compares the index with the first tree.
 */
import { createHash } from "node:crypto";
import { existsSync, readdirSync } from "node:fs";
import { link, mkdir, rename, rm, writeFile } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import type { Clock } from "../../base/clock.ts";
import type { Checkout } from "../../core/projects/checkout.ts";
import {
  runGit,
  PATCH_BYTES,
  readPatch,
  readStat,
  readTotals,
  type GitAnswer,
  type GitPlace,
  type Difference,
  findRepository,
  readHead,
  readSmall,
  realDirectory,
  type Repository,
} from "./git-process.ts";
import { which } from "../processes/which.ts";

export interface Git {
  /** The checkout of `cwd`, read from files synchronously; its `tree` is null. It needs no git. */
  readCheckout(cwd: string): Checkout;
  /**
   * The same with the whole work tree recorded. `tree` is null without git or a repository, or for too large a tree.
   */
  recordCheckout(jobId: string, cwd: string): Promise<Checkout>;
  /**
   * The difference between the tree that was recorded for this job and the work tree as it is now; null if it cannot be
   * determined, "late" if that takes longer than allowed, or recording the first tree did.
   */
  changes(jobId: string, from: Checkout, withinMs?: number): Promise<Difference | null | "late">;
  /** Whether `older` is an ancestor of `newer`: only work was added. False if that cannot be determined. */
  follows(jobId: string, cwd: string, older: string, newer: string): Promise<boolean>;
  /** Removes everything recorded for this job, now or when its recording ends. Never rejects. */
  removeRecords(jobId: string): Promise<void>;
  /** Removes everything recorded for other jobs than these. Never rejects. */
  forgetAllBut(jobIds: ReadonlySet<string>): Promise<void>;
}

export interface GitOptions {
  /** Absolute path of our state directory. */
  stateDir: string;
  clock: Clock;
  /** The PATH in which git is looked up. */
  path: string | undefined;
  /** Path of the owner's own ignore file, used besides the repository's. */
  ignoreFile?: string | undefined;
  withinMs?: number;
}

const WITHIN_MS = 10_000;
const ANSWER_BYTES = 64 * 1024;
const LIST_BYTES = 64 * 1024 * 1024;
const IGNORE_BYTES = 1024 * 1024;
/** About two cores: twenty jobs that begin together must not slow down their agents. */
const AT_ONCE = 2;
/**
 * How long a work tree that could not be looked at in time is left alone: the attempt alone costs as much as the limit.
 */
const REST_MS = 600_000;

const MAC = process.platform === "darwin" ? "\tignorecase = true\n\tprecomposeunicode = true\n" : "";
const CONFIG = `[core]\n\trepositoryformatversion = 0\n\tbare = false\n${MAC}`;

export function openGit(options: GitOptions): Git {
  return new Checkouts(options);
}

/** The owner's global git ignore file: as this environment sets it, else the usual path. */
export function ownersIgnoreFile(env: Readonly<Record<string, string | undefined>>): string | undefined {
  const home = env["HOME"];
  if (!home) return undefined;
  const settings = env["XDG_CONFIG_HOME"] || join(home, ".config");
  const configured = [join(home, ".gitconfig"), join(settings, "git", "config")].map((path) =>
    /^[ \t]*excludesfile[ \t]*=[ \t]*"?([^"\n#;]+)/im.exec(readSmall(path, IGNORE_BYTES) ?? "")?.[1]?.trim(),
  );
  const file = configured.find((path) => path !== undefined && path !== "");
  return file === undefined ? join(settings, "git", "ignore") : resolve(home, file.replace(/^~\//, ""));
}

/** What is known of the checkout of one job. */
interface TakenCheckout {
  /** Its first tree, while that is being recorded. */
  recording: Promise<unknown> | null;
  /** Its first tree could not be recorded in time. */
  isLate: boolean;
  /** Its index is of its first tree and holds no submodule (`Work.#leaveOutNested`). */
  isReady: boolean;
  /** Where the index of its work tree is kept for the next job there; null: it was not looked at. */
  lastIndex: string | null;
}

/** What is known of a directory from one job in it to the next. */
interface WorkDirectory {
  /** Every file is being read, because there is no index yet. */
  reading: Promise<unknown> | null;
  /** There was a look before, so that an index of its work tree may be kept. */
  isKnown: boolean;
  /** Its first look was late: until then, by the monotonic clock, it is left alone. */
  restsUntil: number;
}

class Checkouts implements Git {
  readonly #options: GitOptions;
  readonly #folder: string;
  /** The last index of each work tree. Removed at each start, so that none outlives its project. */
  readonly #indexes: string;
  /** By job. */
  readonly #taken = new Map<string, TakenCheckout>();
  /** By path. */
  readonly #directories = new Map<string, WorkDirectory>();
  #working = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(options: GitOptions) {
    this.#options = options;
    this.#folder = join(options.stateDir, "checkouts");
    this.#indexes = join(options.stateDir, "indexes");
  }

  readCheckout(cwd: string): Checkout {
    return standing(cwd).stand;
  }

  async recordCheckout(jobId: string, cwd: string): Promise<Checkout> {
    const { stand, repository } = standing(cwd);
    if (repository === null) return stand;
    const taken = this.#takenOf(jobId);
    const recording = this.#record(jobId, stand).finally(() => (taken.recording = null));
    taken.recording = recording;
    const tree = await recording;
    taken.isLate ||= tree === "late";
    return { ...stand, tree: tree === "late" ? null : tree };
  }

  async changes(jobId: string, from: Checkout, withinMs?: number): Promise<Difference | null | "late"> {
    const { cwd, tree } = from;
    if (tree === null) return this.#taken.get(jobId)?.isLate ? "late" : null;
    // It does not wait for its turn: a thread waits for it, and no more jobs end at once than may run at once.
    const taken = this.#takenOf(jobId);
    const { isReady } = taken;
    taken.isReady = false;
    return this.#inTime(jobId, cwd, withinMs, (work) => work.changesSince(tree, this.readCheckout(cwd).head, isReady));
  }

  async follows(jobId: string, cwd: string, older: string, newer: string): Promise<boolean> {
    const answer = await this.#withWork(jobId, realDirectory(cwd), WITHIN_MS, (work) =>
      work.git(["merge-base", "--is-ancestor", older, newer]),
    );
    return answer?.code === 0;
  }

  async removeRecords(jobId: string): Promise<void> {
    const { recording = null, lastIndex = null } = this.#taken.get(jobId) ?? {};
    // Nobody waits for it any more, but the next job here uses what it reads.
    if (recording !== null) return void recording.then(() => this.removeRecords(jobId));
    this.#taken.delete(jobId);
    if (lastIndex !== null) await rename(join(this.#folder, jobId, "index"), lastIndex).catch(() => undefined);
    const folder = join(this.#folder, jobId);
    if (existsSync(folder)) await rm(folder, { recursive: true, force: true, maxRetries: 3 }).catch(() => undefined);
  }

  async forgetAllBut(jobIds: ReadonlySet<string>): Promise<void> {
    // Listed synchronously, so what a job records from now on is not among them.
    const known = existsSync(this.#folder) ? readdirSync(this.#folder) : [];
    await Promise.all(known.filter((name) => !jobIds.has(name)).map((name) => this.removeRecords(name)));
    if (![...this.#taken.values()].some(({ lastIndex }) => lastIndex !== null))
      await rm(this.#indexes, { recursive: true, force: true }).catch(() => undefined);
  }

  /**
   * Two at a time; but for a work tree that is new to us, one job reads every file, and the others continue from that.
   */
  async #record(jobId: string, { cwd, head }: Checkout): Promise<string | null | "late"> {
    const directory = this.#directoryAt(cwd);
    while (directory.reading !== null) await directory.reading;
    const recorded = this.#inTurn(async () => {
      const { clock, withinMs } = this.#options;
      if (clock.monotonic() < directory.restsUntil) return "late";
      const taken = this.#takenOf(jobId);
      const { isReady } = taken;
      const tree = await this.#inTime(jobId, cwd, withinMs, (work) => work.writeDown(head, isReady));
      if (tree === "late") directory.restsUntil = clock.monotonic() + REST_MS;
      else if (tree !== null) taken.isReady = true;
      return tree;
    });
    if (directory.isKnown) return recorded;
    directory.reading = recorded;
    await recorded.finally(() => (directory.reading = null));
    directory.isKnown = true;
    return recorded;
  }

  /** "late": it could not be done in time. */
  async #inTime<T>(
    jobId: string,
    cwd: string,
    withinMs = WITHIN_MS,
    act: (work: WorkTreeGit) => Promise<T | null>,
  ): Promise<T | null | "late"> {
    const { clock } = this.#options;
    const begun = clock.monotonic();
    const found = await this.#withWork(jobId, cwd, withinMs, act);
    return found === null && clock.monotonic() >= begun + withinMs ? "late" : found;
  }

  /** Runs with a git directory of this job's own; null if there is nothing to inspect, or it failed. */
  async #withWork<T>(
    jobId: string,
    cwd: string,
    withinMs: number,
    act: (work: WorkTreeGit) => Promise<T | null>,
  ): Promise<T | null> {
    const { clock } = this.#options;
    const deadline = clock.monotonic() + withinMs;
    const repository = findRepository(cwd);
    const file = which("git", this.#options.path);
    if (file === null || repository?.workTree == null) return null;
    const { workTree } = repository;
    try {
      const gitDir = join(this.#folder, jobId);
      await prepare(gitDir, repository, this.#options);
      const mark = join(this.#folder, "..", "outputs", "checkouts");
      const lastIndex = await this.#lastIndexOf(jobId, workTree);
      return await act(new WorkTreeGit({ file, gitDir, workTree, mark, clock, deadline }, lastIndex));
    } catch {
      return null;
    }
  }

  async #lastIndexOf(jobId: string, workTree: string): Promise<string> {
    await mkdir(this.#indexes, { recursive: true, mode: 0o700 });
    const lastIndex = join(this.#indexes, createHash("sha256").update(workTree).digest("hex"));
    this.#takenOf(jobId).lastIndex = lastIndex;
    return lastIndex;
  }

  #takenOf(jobId: string): TakenCheckout {
    const taken = this.#taken.get(jobId) ?? { recording: null, isLate: false, isReady: false, lastIndex: null };
    this.#taken.set(jobId, taken);
    return taken;
  }

  #directoryAt(path: string): WorkDirectory {
    const directory = this.#directories.get(path) ?? { reading: null, isKnown: false, restsUntil: 0 };
    this.#directories.set(path, directory);
    return directory;
  }

  async #inTurn<T>(act: () => Promise<T>): Promise<T> {
    while (this.#working >= AT_ONCE) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#working += 1;
    try {
      return await act();
    } finally {
      this.#working -= 1;
      this.#waiting.shift()?.();
    }
  }
}

function standing(cwd: string): { stand: Checkout; repository: Repository | null } {
  const real = realDirectory(cwd);
  const repository = findRepository(real);
  const head = repository === null ? null : readHead(repository);
  return { repository, stand: { cwd: real, branch: head?.branch ?? null, head: head?.commit ?? null, tree: null } };
}

/** The git operations on a work tree through a git directory of ours, until a deadline. */
class WorkTreeGit {
  readonly #place: GitPlace;
  /** The index with which the last job of this work tree ended, or with which its first one began. */
  readonly #lastIndex: string;

  constructor(place: GitPlace, lastIndex: string) {
    this.#place = place;
    this.#lastIndex = lastIndex;
  }

  git(args: readonly string[], more: { input?: Buffer; maxBytes?: number } = {}): Promise<GitAnswer> {
    const { maxBytes = ANSWER_BYTES, input } = more;
    const request = { ...this.#place, args, maxBytes };
    return runGit(input === undefined ? request : { ...request, input });
  }

  /**
   * The id of the tree that a commit of everything here would have; null if it cannot be determined.
   * @param ready whether the index can be used as it is
   */
  async writeDown(head: string | null, ready: boolean): Promise<string | null> {
    if (!(await this.#add(head, ready))) return null;
    const { code, stdout } = await this.git(["write-tree"]);
    if (code !== 0) return null;
    const tree = stdout.toString().trim();
    // Now rather than before the next look, for which somebody waits.
    await this.#leaveOutNested(tree);
    // Where there is none yet, other jobs need not wait for the end of this one.
    await link(join(this.#place.gitDir, "index"), this.#lastIndex).catch(() => undefined);
    return tree;
  }

  /** Everything that differs from the recorded tree. */
  async changesSince(before: string, head: string | null, ready: boolean): Promise<Difference | null> {
    if (!(await this.#add(head, ready))) return null;
    const since = (...how: string[]): string[] => [
      "diff-index",
      "--cached",
      "-M",
      "--no-ext-diff",
      "--no-textconv",
      ...how,
      before,
    ];
    const totals = readTotals(await this.git(since("--numstat", "-z"), { maxBytes: LIST_BYTES }));
    const { workTree: root } = this.#place;
    if (totals === null || totals.files === 0) return totals && { root, ...totals, stat: "", patch: null };
    // The width of a phone.
    const [stat, patch] = await Promise.all([
      this.git(since("--stat=42,28", "--stat-count=60")),
      this.git(since("--patch", "--full-index"), { maxBytes: PATCH_BYTES }),
    ]);
    return { root, ...totals, stat: readStat(stat), patch: readPatch(patch) };
  }

  /** Brings the index up to the work tree. False if that failed. */
  async #add(head: string | null, ready: boolean): Promise<boolean> {
    // A killed git leaves its lock.
    await rm(join(this.#place.gitDir, "index.lock"), { force: true });
    if (!ready) {
      await rm(join(this.#place.gitDir, "index"), { force: true });
      if (head !== null && (await this.#begin(head))) await this.#leaveOutNested(head);
    }
    // Unreadable files, and nested repositories without a commit, are left out: then git ends with 1.
    const { code } = await this.git(["add", "--all", "--ignore-errors", "."]);
    return code === 0 || code === 1;
  }

  /**
   * The index of the commit: files that are both ignored and committed are known only from it. An entry of the last
   * job's index that is in the commit as well keeps what that job read of its file, so that an unchanged one is not
   * read again. False if the commit cannot be read; then the index is empty.
   */
  async #begin(head: string): Promise<boolean> {
    const index = join(this.#place.gitDir, "index");
    // A second name of the same file keeps its time, by which git knows which entries may be older than their files.
    await link(this.#lastIndex, index).catch(() => undefined);
    const { code } = await this.git(["read-tree", "-m", head]);
    if (code === 0) return true;
    await rm(index, { force: true });
    const anew = await this.git(["read-tree", head]);
    return anew.code === 0;
  }

  /**
   * Removes submodules from the index of this tree, so that git adds them again by their commits: for one that is in
   * the index it would start another git inside the submodule, with the submodule's configuration.
   */
  async #leaveOutNested(tree: string): Promise<void> {
    const { code, stdout } = await this.git(["ls-tree", "-r", "-d", "-z", tree], { maxBytes: LIST_BYTES });
    if (code !== 0) throw new Error("the tree cannot be read");
    // A name may be any bytes; Latin-1 keeps them unchanged.
    const nested = stdout
      .toString("latin1")
      .split("\0")
      .filter((line) => line.startsWith("160000 "));
    if (nested.length === 0) return;
    const input = Buffer.from(nested.map((line) => `0 ${removal(line)}\0`).join(""), "latin1");
    const left = await this.git(["update-index", "-z", "--index-info"], { input });
    if (left.code !== 0) throw new Error("a submodule cannot be left out");
  }
}

/** Makes the git directory if missing: only names and ids are taken from the other repository. */
export async function prepare(
  gitDir: string,
  repository: Repository,
  { stateDir, ignoreFile }: GitOptions,
): Promise<void> {
  if (existsSync(join(gitDir, "HEAD"))) return;
  const { commonDir, workTree } = repository;
  for (const folder of [join(gitDir, "objects", "info"), join(gitDir, "refs"), join(gitDir, "info")])
    await mkdir(folder, { recursive: true, mode: 0o700 });
  const write = (name: string, text: string): Promise<void> => writeFile(join(gitDir, name), text, { mode: 0o600 });
  const ignored = [ignoreFile, join(commonDir, "info", "exclude")].map((path) =>
    path === undefined ? null : readSmall(path, IGNORE_BYTES),
  );
  const ours = relative(workTree ?? "/", stateDir);
  if (!ours.startsWith("..")) ignored.push(`/${ours.replace(/[\\*?[\] ]/g, "\\$&")}`);
  // What is done in a worktree is not what is done around it.
  ignored.push("/.claude/worktrees/");
  await write("info/exclude", `${ignored.filter((text) => text !== null).join("\n")}\n`);
  await write("objects/info/alternates", `${quoted(join(commonDir, "objects"))}\n`);
  const shallow = readSmall(join(commonDir, "shallow"), IGNORE_BYTES);
  if (shallow !== null) await write("shallow", shallow);
  const longIds = /^[ \t]*objectformat[ \t]*=[ \t]*"?sha256/im.test(
    readSmall(join(commonDir, "config"), IGNORE_BYTES) ?? "",
  );
  await write("config", longIds ? `${CONFIG.replace("= 0", "= 1")}[extensions]\n\tobjectFormat = sha256\n` : CONFIG);
  // Written last: it marks the directory as complete.
  await write("HEAD", "ref: refs/heads/none\n");
}

/** From `MODE commit ID TAB NAME`: an id of zeros of the same length, and the name. */
function removal(line: string): string {
  const name = line.indexOf("\t");
  return `${"0".repeat(name - "160000 commit ".length)}${line.slice(name)}`;
}

/** Quotes a path as git does in this file. */
function quoted(path: string): string {
  return /^["#]|\n/.test(path) ? `"${path.replace(/["\\]/g, "\\$&").replaceAll("\n", "\\n")}"` : path;
}
