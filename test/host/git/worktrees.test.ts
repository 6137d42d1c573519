/**
 * A session's worktree is made whole or not at all, nothing that the repository names runs for it, and no work in it is
 * lost.
 */
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { systemClock } from "../../../src/base/clock.ts";
import {
  insideWorktree,
  openWorktrees,
  sessionOf,
  worktreeName,
  type Worktrees,
} from "../../../src/host/git/worktrees.ts";
import { which } from "../../../src/host/processes/which.ts";
import { gitIn, place, type Place } from "./checkout-place.ts";

const THREAD = "200000000000000010";
const NAME = worktreeName(THREAD);
const BRANCH = `worktree-${NAME}`;

async function scene(
  options: Parameters<typeof place>[0] = {},
): Promise<Place & { worktrees: Worktrees; path: string }> {
  const at = await place(options);
  const worktrees = openWorktrees({
    git: at.git,
    stateDir: at.stateDir,
    clock: systemClock,
    path: process.env["PATH"],
  });
  return { ...at, worktrees, path: join(at.repo, ".claude", "worktrees", NAME) };
}

async function committed(): ReturnType<typeof scene> {
  const at = await scene();
  at.write("a.txt", "a\n");
  at.run("add", "-A");
  at.run("commit", "-qm", "one");
  return at;
}

test("a worktree stands on its own branch with the files of the commit, and neither repository sees a change", async () => {
  const at = await committed();
  at.write("uncommitted.txt", "x\n");
  mkdirSync(join(at.repo, "sub"));
  at.write("sub/b.txt", "b\n");
  at.run("add", "sub");
  at.run("commit", "-qm", "two");
  const made = await at.worktrees.make(at.repo, NAME, false);
  expect(made).toEqual({ path: at.path, branch: BRANCH });
  expect(readdirSync(at.path).toSorted()).toEqual([".git", "a.txt", "sub"]);
  expect([
    gitIn(at.path, "status", "--porcelain"),
    gitIn(at.path, "branch", "--show-current"),
    at.run("status", "--porcelain"),
  ]).toEqual(["", BRANCH, "?? uncommitted.txt"]);
  expect(at.run("fsck")).toBe("");
  expect(at.worktrees.exists(at.path)).toBe(true);
  expect([insideWorktree(join(at.repo, "sub"), at.path), insideWorktree("/elsewhere", at.path)]).toEqual([
    join(at.path, "sub"),
    at.path,
  ]);
  // What stands already is taken up again, as it is.
  writeFileSync(join(at.path, "a.txt"), "changed\n");
  expect(await at.worktrees.make(at.repo, NAME, true)).toEqual(made);
  expect(readFileSync(join(at.path, "a.txt"), "utf8")).toBe("changed\n");
  // One of any other name is a worktree too; a mere folder is none.
  const other = join(at.repo, ".claude", "worktrees", "mine");
  at.run("worktree", "add", "-q", other);
  mkdirSync(join(at.repo, ".claude", "worktrees", "folder"));
  expect([...at.worktrees.list(at.repo)]).toEqual([
    [NAME, at.path],
    ["mine", other],
  ]);
  expect([sessionOf(NAME), sessionOf("mine"), sessionOf("bellhop-1/../x")]).toEqual([THREAD, null, null]);
});

test("what is done in a worktree is no change of the directory around it", async () => {
  const at = await committed();
  const before = await at.git.recordCheckout("job_20260101_0001", at.repo);
  await at.worktrees.make(at.repo, NAME, false);
  rmSync(join(at.repo, ".claude", "worktrees", ".gitignore"));
  writeFileSync(join(at.path, "a.txt"), "b\n");
  expect((await at.git.recordCheckout("job_20260101_0001", at.repo)).tree).toBe(before.tree);
  const { tree } = await at.git.recordCheckout("job_20260101_0002", at.path);
  expect(tree).not.toBe(before.tree);
});

test("nothing that the repository names runs: hooks, filters, a file watcher", async () => {
  const at = await committed();
  const trace = join(at.stateDir, "ran");
  for (const folder of ["hooks", "info"]) mkdirSync(join(at.repo, ".git", folder), { recursive: true });
  for (const hook of ["post-checkout", "reference-transaction", "post-index-change", "pre-commit"]) {
    writeFileSync(join(at.repo, ".git", "hooks", hook), `#!/bin/sh\necho ${hook} >> '${trace}'\n`);
    chmodSync(join(at.repo, ".git", "hooks", hook), 0o755);
  }
  at.write(".gitattributes", "* filter=evil\n");
  at.run("add", "-A");
  at.run("-c", "core.hooksPath=/dev/null", "commit", "-qm", "two");
  at.run("config", "filter.evil.smudge", `sh -c "echo smudge >> '${trace}'; cat"`);
  at.run("config", "filter.evil.clean", `sh -c "echo clean >> '${trace}'; cat"`);
  at.run("config", "core.fsmonitor", `${at.repo}/.git/hooks/pre-commit`);
  at.run("config", "core.worktree", at.stateDir);
  writeFileSync(join(at.repo, ".git", "info", "attributes"), "* filter=evil\n");
  rmSync(trace, { force: true });
  const made = await at.worktrees.make(at.repo, NAME, false);
  expect(readFileSync(join(at.path, "a.txt"), "utf8")).toBe("a\n");
  await at.worktrees.remains(at.repo, made);
  await at.worktrees.remove(at.repo, made);
  expect([existsSync(at.path), existsSync(trace)]).toEqual([false, false]);
});

test("hooks that its configuration names, as git 2.54 runs them, are off in every command that writes there", async () => {
  const at = await committed();
  const [trace, seen, bin] = [join(at.stateDir, "ran"), join(at.stateDir, "seen"), join(at.stateDir, "bin")];
  const hooks = ["evil", "a=b", "two words.x", ""];
  const lines = hooks.map(
    (hook) =>
      `[hook "${hook}"]\n\tevent = reference-transaction\n\tevent = post-checkout\n\tcommand = "echo ran >> '${trace}'"\n`,
  );
  writeFileSync(join(at.repo, ".git", "evil"), lines.join(""));
  at.run("config", "include.path", "evil");
  // A git that also tells what it would be told about these hooks.
  const git = which("git", process.env["PATH"]) ?? "";
  mkdirSync(bin);
  const asks = hooks.map((hook) => `'${git}' config --get 'hook.${hook}.enabled'`).join("; ");
  writeFileSync(
    join(bin, "git"),
    `#!/bin/sh\ncase "$*" in *' worktree add '*|*' branch -- '*|*' worktree remove '*) echo $(${asks}) >> '${seen}' ;; esac\nexec '${git}' "$@"\n`,
    { mode: 0o755 },
  );
  const worktrees = openWorktrees({ git: at.git, stateDir: at.stateDir, clock: systemClock, path: bin });
  const made = await worktrees.make(at.repo, NAME, false);
  gitIn(at.path, "-c", "core.hooksPath=/dev/null", "checkout", "-q", "--detach");
  gitIn(at.path, "commit", "-qm", "two", "--allow-empty");
  rmSync(trace, { force: true });
  await worktrees.remove(at.repo, made);
  expect(readFileSync(seen, "utf8").trim().split("\n")).toEqual(
    Array.from({ length: 3 }, () => hooks.map(() => "false").join(" ")),
  );
  expect(existsSync(trace)).toBe(false);
});

test("a repository whose hooks cannot be read whole gets no worktree", async () => {
  const at = await committed();
  writeFileSync(
    join(at.repo, ".git", "config"),
    Buffer.concat([
      readFileSync(join(at.repo, ".git", "config")),
      Buffer.from('[hook "\xff"]\n\tevent = post-checkout\n\tcommand = true\n', "latin1"),
    ]),
  );
  await expect(at.worktrees.make(at.repo, NAME, false)).rejects.toMatchObject({ code: "E_WORKTREE_FAILED" });
  expect(existsSync(at.path)).toBe(false);
});

test.each([
  ["not a repository", { init: false }, (): void => undefined],
  ["without a commit", {}, (): void => undefined],
])("%s: nothing is made, and it is said", async (_name, options, prepare) => {
  const at = await scene(options);
  prepare();
  await expect(at.worktrees.make(at.repo, NAME, false)).rejects.toMatchObject({ code: "E_WORKTREE_NO_COMMIT" });
  expect(existsSync(join(at.repo, ".claude"))).toBe(false);
});

test("a name in use is left as it is", async () => {
  const at = await committed();
  mkdirSync(at.path, { recursive: true });
  writeFileSync(join(at.path, "mine"), "");
  await expect(at.worktrees.make(at.repo, NAME, false)).rejects.toMatchObject({
    code: "E_WORKTREE_IN_USE",
    details: { path: at.path, branch: BRANCH },
  });
  expect(readdirSync(at.path)).toEqual(["mine"]);
  rmSync(at.path, { recursive: true });
  at.run("checkout", "-qb", BRANCH);
  at.run("commit", "-qm", "elsewhere", "--allow-empty");
  at.run("checkout", "-q", "main");
  await expect(at.worktrees.make(at.repo, NAME, false)).rejects.toMatchObject({ code: "E_WORKTREE_IN_USE" });
});

test("what fails in the middle leaves neither a branch nor a folder", async () => {
  const at = await committed();
  // A blob that cannot be read.
  const blob = at.run("rev-parse", "HEAD:a.txt");
  rmSync(join(at.repo, ".git", "objects", blob.slice(0, 2), blob.slice(2)), { force: true });
  await expect(at.worktrees.make(at.repo, NAME, false)).rejects.toMatchObject({ code: "E_WORKTREE_FAILED" });
  expect([
    existsSync(at.path),
    at.run("branch", "--list", BRANCH),
    at.run("worktree", "list").split("\n").length,
  ]).toEqual([false, "", 1]);
});

test.each([".claude", ".claude/worktrees"])("a link at %s is not followed", async (name) => {
  const at = await committed();
  const elsewhere = join(at.stateDir, "elsewhere");
  mkdirSync(join(elsewhere, "worktrees"), { recursive: true });
  if (name.includes("/")) mkdirSync(join(at.repo, ".claude"));
  symlinkSync(elsewhere, join(at.repo, name));
  await expect(at.worktrees.make(at.repo, NAME, false)).rejects.toMatchObject({ code: "E_WORKTREE_FAILED" });
  expect(readdirSync(join(elsewhere, "worktrees"))).toEqual([]);
  expect(at.run("branch", "--list", BRANCH)).toBe("");
});

test("what is uncommitted, and what only its branch has, is counted", async () => {
  const at = await committed();
  const made = await at.worktrees.make(at.repo, NAME, false);
  expect(await at.worktrees.remains(at.repo, made)).toMatchObject({
    uncommitted: { files: 0 },
    commits: 0,
    unkept: false,
  });
  writeFileSync(join(at.path, "a.txt"), "b\n");
  gitIn(at.path, "commit", "-qam", "two");
  writeFileSync(join(at.path, "new.txt"), "1\n2\n");
  expect(await at.worktrees.remains(at.repo, made)).toMatchObject({
    uncommitted: { files: 1, added: 2, removed: 0 },
    commits: 1,
    unkept: false,
  });
  gitIn(at.path, "add", "-A");
  gitIn(at.path, "checkout", "-q", "--detach");
  gitIn(at.path, "commit", "-qm", "three");
  expect(await at.worktrees.remains(at.repo, made)).toMatchObject({
    uncommitted: { files: 0 },
    commits: 2,
    unkept: true,
  });
  expect(readdirSync(join(at.stateDir, "checkouts"))).toEqual([]);
});

test("what cannot be read in time has one name, by which its owner's yes to losing it counts", async () => {
  const at = await committed();
  const made = await at.worktrees.make(at.repo, NAME, false);
  const { git } = await place({ withinMs: 0 });
  const hasty = openWorktrees({ git, stateDir: at.stateDir, clock: systemClock, path: process.env["PATH"] });
  const { mark } = await hasty.remains(at.repo, made);
  expect(await hasty.remains(at.repo, made)).toMatchObject({ uncommitted: null, mark });
  expect((await at.worktrees.remains(at.repo, made)).mark).not.toBe(mark);
  gitIn(at.path, "commit", "-qm", "two", "--allow-empty");
  expect((await hasty.remains(at.repo, made)).mark).not.toBe(mark);
});

test("a worktree goes with its folder; its branch stays, and so does what only a detached head had", async () => {
  const at = await committed();
  const made = await at.worktrees.make(at.repo, NAME, false);
  gitIn(at.path, "commit", "-qm", "two", "--allow-empty");
  const two = gitIn(at.path, "rev-parse", "HEAD");
  gitIn(at.path, "checkout", "-q", "--detach");
  gitIn(at.path, "commit", "-qm", "three", "--allow-empty");
  const three = gitIn(at.path, "rev-parse", "HEAD");
  await at.worktrees.remove(at.repo, made);
  expect([existsSync(at.path), at.worktrees.exists(at.path)]).toEqual([false, false]);
  expect([at.run("rev-parse", BRANCH), at.run("rev-parse", `${BRANCH}-${three.slice(0, 10)}`)]).toEqual([two, three]);
  // Made again, it continues on its branch.
  await at.worktrees.make(at.repo, NAME, true);
  expect(gitIn(at.path, "rev-parse", "HEAD")).toBe(two);
});

test("a worktree whose place was taken by a link is not removed through it", async () => {
  const at = await committed();
  const made = await at.worktrees.make(at.repo, NAME, false);
  at.run("worktree", "add", "-q", join(at.stateDir, "owners"));
  rmSync(at.path, { recursive: true });
  symlinkSync(join(at.stateDir, "owners"), at.path);
  expect(at.worktrees.exists(at.path)).toBe(false);
  await expect(at.worktrees.remove(at.repo, made)).rejects.toMatchObject({ code: "E_WORKTREE_FAILED" });
  expect([lstatSync(at.path).isSymbolicLink(), existsSync(join(at.stateDir, "owners", "a.txt"))]).toEqual([true, true]);
});

test("a worktree that its owner has locked stays", async () => {
  const at = await committed();
  const made = await at.worktrees.make(at.repo, NAME, false);
  at.run("worktree", "lock", at.path);
  await expect(at.worktrees.remove(at.repo, made)).rejects.toMatchObject({ code: "E_WORKTREE_FAILED" });
  expect(at.worktrees.exists(at.path)).toBe(true);
});

test("one that somebody else made in its place is known by its branch, and goes like one of ours; anything else is not taken", async () => {
  const at = await committed();
  const path = join(at.repo, ".claude", "worktrees", "old");
  at.run("worktree", "add", "-q", "-b", "worktree-old", path);
  const made = { path, branch: "worktree-old" };
  expect(at.worktrees.madeThere(at.repo, path)).toEqual(made);
  for (const other of [at.repo, join(at.repo, ".claude", "worktrees"), join(path, "sub"), "/etc"])
    expect(at.worktrees.madeThere(at.repo, other)).toBe("elsewhere");
  expect(at.worktrees.madeThere(at.repo, join(at.repo, ".claude", "worktrees", "gone"))).toBeNull();
  await at.worktrees.remove(at.repo, made);
  expect(at.worktrees.exists(path)).toBe(false);
  expect(await at.worktrees.make(at.repo, "old", true)).toEqual(made);
  at.run("-C", path, "checkout", "-q", "-b", "another");
  expect(at.worktrees.madeThere(at.repo, path)).toBeNull();
});
