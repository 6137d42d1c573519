/**
 * What a job changed in its work tree, without a trace in the owner's repository: the whole of the tree is written
 * down as git would commit it when the job begins and when it ends, into a git directory of ours, and the two are
 * compared. Nothing of theirs is written, locked or run.
 *
 * The repository may be hostile: agents write to it. So git is never given its directory. Ours
 * (`STATE_DIR/checkouts/<job_id>/`) has a configuration of our own, borrows the other's objects for reading only, and
 * takes from it just what is data: which files are ignored, and the commit checked out. A filter, hook, textconv, diff
 * driver, fsmonitor or remote that its configuration names does not exist here; a `.gitattributes` that asks for one
 * asks for nothing. For the same reason files are compared as they are on disk, not as a clean filter (Git LFS) would
 * store them, and nothing is looked for inside a submodule but its commit: to ask more, git would start a second git
 * that does read the submodule's configuration.
 */
import { existsSync, readdirSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import type { Clock } from "../base/clock.ts";
import type { Checkout } from "../core/checkout.ts";
import { type GitAnswer, runGit } from "./git-process.ts";
import { PATCH_BYTES, readPatch, readStat, readTotals, type Difference } from "./difference.ts";
import { findRepository, readHead, readSmall, realDirectory, type Repository } from "./repository.ts";
import { which } from "./which.ts";

export interface Git {
  /** Where `cwd` stands, read from files at once; its `tree` is null. No git is needed for it. */
  stand(cwd: string): Checkout;
  /** The same with the whole work tree written down. `tree` stays null where there is no git, no repository, or too much of it. */
  take(jobId: string, cwd: string): Promise<Checkout>;
  /** What lies between a tree that was taken and one taken later for the same job; null where that cannot be told. */
  compare(jobId: string, from: Checkout, to: Checkout): Promise<Difference | null>;
  /** Whether `newer` has `older` among its ancestors: only work was added. False where that cannot be told. */
  follows(jobId: string, cwd: string, older: string, newer: string): Promise<boolean>;
  /** Lets go of all that was taken for this job. Never rejects. */
  forget(jobId: string): Promise<void>;
  /** The same for all jobs but these. Never rejects. */
  forgetAllBut(jobIds: ReadonlySet<string>): Promise<void>;
}

export interface GitOptions {
  /** Absolute; ours. */
  stateDir: string;
  clock: Clock;
  /** Where git is looked for. */
  path: string | undefined;
  /** The owner's own list of what to ignore, beside the repository's; a file's path. */
  ignoreFile?: string | undefined;
  withinMs?: number;
}

const WITHIN_MS = 10_000;
const ANSWER_BYTES = 64 * 1024;
const LIST_BYTES = 64 * 1024 * 1024;
const IGNORE_BYTES = 1024 * 1024;
/** Two cores' worth: twenty jobs that begin together must not take the machine from their agents. */
const AT_ONCE = 2;

const MAC = process.platform === "darwin" ? "\tignorecase = true\n\tprecomposeunicode = true\n" : "";
const CONFIG = `[core]\n\trepositoryformatversion = 0\n\tbare = false\n${MAC}`;

export function openGit(options: GitOptions): Git {
  return new Checkouts(options);
}

/** Where the owner of this environment keeps what git ignores everywhere: as their configuration says it, else the usual place. */
export function ownersIgnoreFile(env: Readonly<Record<string, string | undefined>>): string | undefined {
  const home = env["HOME"];
  if (!home) return undefined;
  const settings = env["XDG_CONFIG_HOME"] || join(home, ".config");
  const said = [join(home, ".gitconfig"), join(settings, "git", "config")].map((path) => /^\s*excludesfile\s*=\s*"?([^"\n#;]+)/im.exec(readSmall(path, IGNORE_BYTES) ?? "")?.[1]?.trim());
  const file = said.find((path) => path !== undefined && path !== "");
  return file === undefined ? join(settings, "git", "ignore") : resolve(home, file.replace(/^~\//, ""));
}

class Checkouts implements Git {
  readonly #options: GitOptions;
  readonly #folder: string;
  #working = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(options: GitOptions) {
    this.#options = options;
    this.#folder = join(options.stateDir, "checkouts");
  }

  stand(cwd: string): Checkout {
    const real = realDirectory(cwd);
    const repository = findRepository(real);
    const head = repository === null ? null : readHead(repository);
    return { cwd: real, branch: head?.branch ?? null, head: head?.commit ?? null, tree: null };
  }

  async take(jobId: string, cwd: string): Promise<Checkout> {
    const stand = this.stand(cwd);
    const tree = await this.#inTurn(stand.cwd, jobId, (work) => work.writeDown(stand.head));
    return { ...stand, tree };
  }

  async compare(jobId: string, from: Checkout, to: Checkout): Promise<Difference | null> {
    const { tree: before } = from;
    const { tree: after } = to;
    if (before === null || after === null) return null;
    if (before === after) return { files: 0, added: 0, removed: 0, stat: "", patch: null };
    return this.#inTurn(to.cwd, jobId, (work) => work.compare(before, after));
  }

  async follows(jobId: string, cwd: string, older: string, newer: string): Promise<boolean> {
    const answer = await this.#inTurn(realDirectory(cwd), jobId, (work) => work.git(["merge-base", "--is-ancestor", older, newer]));
    return answer?.code === 0;
  }

  async forget(jobId: string): Promise<void> {
    await rm(join(this.#folder, jobId), { recursive: true, force: true, maxRetries: 3 }).catch(() => undefined);
  }

  async forgetAllBut(jobIds: ReadonlySet<string>): Promise<void> {
    // Seen at once: what a job takes from now on is not among them.
    const known = existsSync(this.#folder) ? readdirSync(this.#folder) : [];
    await Promise.all(known.filter((name) => !jobIds.has(name)).map((name) => this.forget(name)));
  }

  /** With a git directory of this job's own; null where there is nothing to look at, or it failed. */
  async #inTurn<T>(cwd: string, jobId: string, act: (work: Work) => Promise<T | null>): Promise<T | null> {
    const repository = findRepository(cwd);
    const file = which("git", this.#options.path);
    if (file === null || repository?.workTree == null) return null;
    await this.#turn();
    try {
      const { clock, withinMs = WITHIN_MS } = this.#options;
      const gitDir = join(this.#folder, jobId);
      await prepare(gitDir, repository, this.#options);
      return await act(new Work(file, gitDir, repository.workTree, clock, clock.monotonic() + withinMs));
    } catch {
      return null;
    } finally {
      this.#working -= 1;
      this.#waiting.shift()?.();
    }
  }

  async #turn(): Promise<void> {
    while (this.#working >= AT_ONCE) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#working += 1;
  }
}

/** What may be asked of a work tree through a git directory of ours, until a deadline. */
class Work {
  readonly #file: string;
  readonly #gitDir: string;
  readonly #workTree: string;
  readonly #clock: Clock;
  readonly #deadline: number;

  constructor(file: string, gitDir: string, workTree: string, clock: Clock, deadline: number) {
    this.#file = file;
    this.#gitDir = gitDir;
    this.#workTree = workTree;
    this.#clock = clock;
    this.#deadline = deadline;
  }

  git(args: readonly string[], more: { input?: Buffer; maxBytes?: number } = {}): Promise<GitAnswer> {
    const { maxBytes = ANSWER_BYTES, input } = more;
    const mark = join(this.#gitDir, "..", "..", "outputs", "checkouts");
    const request = { file: this.#file, args, gitDir: this.#gitDir, workTree: this.#workTree, mark, maxBytes, clock: this.#clock, deadline: this.#deadline };
    return runGit(input === undefined ? request : { ...request, input });
  }

  /** The id of the tree that a commit of everything here would have; null where it cannot be told. */
  async writeDown(head: string | null): Promise<string | null> {
    // One that was killed left its lock.
    await rm(join(this.#gitDir, "index.lock"), { force: true });
    // Files that are ignored and committed all the same are known from the commit.
    if (head !== null && !existsSync(join(this.#gitDir, "index"))) await this.git(["read-tree", head]);
    await this.#leaveOutNested();
    // What cannot be read, and a repository inside this one without a commit, is left out: then it ends with 1.
    const { code } = await this.git(["add", "--all", "--ignore-errors", "."]);
    if (code !== 0 && code !== 1) return null;
    const { code: written, stdout } = await this.git(["write-tree"]);
    return written === 0 ? stdout.toString().trim() : null;
  }

  async compare(before: string, after: string): Promise<Difference | null> {
    const between = (...how: string[]): string[] => ["diff-tree", "-r", "-M", "--no-ext-diff", "--no-textconv", ...how, before, after];
    const totals = readTotals(await this.git(between("--numstat", "-z"), { maxBytes: LIST_BYTES }));
    if (totals === null) return null;
    // As wide as a phone.
    const stat = readStat(await this.git(between("--stat=42,28", "--stat-count=60")));
    const patch = readPatch(await this.git(between("--patch", "--full-index"), { maxBytes: PATCH_BYTES }));
    return { ...totals, stat, patch };
  }

  /**
   * Takes submodules out of the index, from where git adds them anew by their commits: of one that it finds there it
   * would ask more, by starting another git inside the submodule, with the submodule's configuration.
   */
  async #leaveOutNested(): Promise<void> {
    const { code, stdout } = await this.git(["ls-files", "--stage", "-z"], { maxBytes: LIST_BYTES });
    if (code !== 0) throw new Error("the index cannot be read");
    // A name may be any bytes; as Latin-1 they come back as they were.
    const nested = stdout.toString("latin1").split("\0").filter((line) => line.startsWith("160000 "));
    if (nested.length === 0) return;
    const input = Buffer.from(nested.map((line) => `0 ${removal(line)}\0`).join(""), "latin1");
    const left = await this.git(["update-index", "-z", "--index-info"], { input });
    if (left.code !== 0) throw new Error("a submodule cannot be left out");
  }
}

/** Makes the git directory where it is not there yet: nothing in it comes from the other but names and ids. */
async function prepare(gitDir: string, repository: Repository, { stateDir, ignoreFile }: GitOptions): Promise<void> {
  if (existsSync(join(gitDir, "HEAD"))) return;
  const { commonDir, workTree } = repository;
  for (const folder of [join(gitDir, "objects", "info"), join(gitDir, "refs"), join(gitDir, "info")]) await mkdir(folder, { recursive: true, mode: 0o700 });
  const write = (name: string, text: string): Promise<void> => writeFile(join(gitDir, name), text, { mode: 0o600 });
  const ignored = [ignoreFile, join(commonDir, "info", "exclude")].map((path) => (path === undefined ? null : readSmall(path, IGNORE_BYTES)));
  const ours = relative(workTree ?? "/", stateDir);
  if (!ours.startsWith("..")) ignored.push(`/${ours.replace(/[\\*?[\] ]/g, "\\$&")}`);
  await write("info/exclude", `${ignored.filter((text) => text !== null).join("\n")}\n`);
  await write("objects/info/alternates", `${quoted(join(commonDir, "objects"))}\n`);
  const shallow = readSmall(join(commonDir, "shallow"), IGNORE_BYTES);
  if (shallow !== null) await write("shallow", shallow);
  const longIds = /^\s*objectformat\s*=\s*"?sha256/im.test(readSmall(join(commonDir, "config"), IGNORE_BYTES) ?? "");
  await write("config", longIds ? `${CONFIG.replace("= 0", "= 1")}[extensions]\n\tobjectFormat = sha256\n` : CONFIG);
  // Last: with it the directory is whole.
  await write("HEAD", "ref: refs/heads/none\n");
}

/** Of `MODE ID STAGE TAB NAME`: an id of zeros of the same length, and the name. */
function removal(line: string): string {
  const [, id = ""] = line.split(" ");
  return `${"0".repeat(id.length)}${line.slice(line.indexOf("\t"))}`;
}

/** As git quotes a path in this file. */
function quoted(path: string): string {
  return /^["#]|\n/.test(path) ? `"${path.replace(/["\\]/g, "\\$&").replaceAll("\n", "\\n")}"` : path;
}
