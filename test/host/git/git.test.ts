/** What changed in a work tree is told truly, and nothing that the repository names is run or written for it. */
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { systemClock } from "../../../src/base/clock.ts";
import { openGit } from "../../../src/host/git/git.ts";
import { findRepository, readHead } from "../../../src/host/git/git-process.ts";
import { difference, everything, gitIn, place } from "./checkout-place.ts";
import { folder } from "../scene.ts";

describe("what changed", () => {
  test("is counted, drawn and whole, with what is not committed, new, gone and renamed", async () => {
    const at = await place();
    at.write("kept.txt", "1\n2\n3\n");
    at.write("gone.txt", "a\nb\n");
    at.write("old.txt", "the same\nlines\nin both\n");
    at.run("add", "-A");
    at.run("commit", "-qm", "one");
    at.write("kept.txt", "1\n2 changed before\n3\n");
    const { difference: found } = await difference(at, () => {
      at.write("kept.txt", "1\n2 changed before\n3\n4\n");
      at.write("new.txt", "n\n");
      rmSync(join(at.repo, "gone.txt"));
      renameSync(join(at.repo, "old.txt"), join(at.repo, "moved.txt"));
    });
    expect(found).toMatchObject({ files: 4, added: 2, removed: 2 });
    expect(found?.stat).toContain("old.txt => moved.txt");
    expect(found?.patch?.toString()).toContain("+4\n");
    // What had been changed before the job is not its doing.
    expect(found?.patch?.toString()).not.toContain("-2\n");
  });

  test("is the same whether the job committed it or not, on whichever branch", async () => {
    const at = await place();
    at.write("a.txt", "a\n");
    at.run("add", "-A");
    at.run("commit", "-qm", "one");
    const {
      from,
      to,
      difference: found,
    } = await difference(at, () => {
      at.run("checkout", "-qb", "other");
      at.write("a.txt", "b\n");
      at.run("commit", "-qam", "two");
    });
    expect(found).toMatchObject({ files: 1, added: 1, removed: 1 });
    expect([from.branch, to.branch]).toEqual(["main", "other"]);
    expect(from.head).not.toBe(to.head);
  });

  test("leaves out what is ignored, here, by the repository's own list and by the owner's; not what is committed all the same", async () => {
    const home = await folder();
    writeFileSync(join(home, "ignore"), "*.mine\n");
    const at = await place({ ignoreFile: join(home, "ignore") });
    at.write(".gitignore", "*.log\n");
    at.write("kept.log", "1\n");
    at.run("add", "-Af");
    at.run("commit", "-qm", "one");
    writeFileSync(join(at.repo, ".git/info/exclude"), "*.secret\n");
    const { difference: found } = await difference(at, () => {
      for (const name of ["a.log", "b.secret", "c.mine"]) at.write(name, "x\n");
      at.write("kept.log", "2\n");
    });
    expect(found).toMatchObject({ files: 1 });
    expect(found?.patch?.toString()).toContain("kept.log");
  });

  test("is told for names with line ends, tabs, quotes and other scripts, and for binary files", async () => {
    const at = await place();
    const { difference: found } = await difference(at, () => {
      for (const name of ["a\nb", "c\td", '"quoted"', "한글.txt", "-rf", ":(top)x"]) at.write(name, "x\n");
      at.write("image.png", Buffer.from([0, 1, 2, 255]));
    });
    expect(found).toMatchObject({ files: 7, added: 6, removed: 0 });
    expect(found?.stat).toContain("한글.txt");
  });

  test("covers the whole repository when the project is a folder of it, or a link to it", async () => {
    const at = await place();
    mkdirSync(join(at.repo, "packages"));
    symlinkSync(join(at.repo, "packages"), join(at.stateDir, "..", "link"));
    const { from, difference: found } = await difference(
      at,
      () => at.write("outside.txt", "x\n"),
      join(at.stateDir, "..", "link"),
    );
    expect(found).toMatchObject({ root: at.repo, files: 1 });
    expect(from.cwd).toBe(join(at.repo, "packages"));
  });

  test("is nothing where nothing changed", async () => {
    const at = await place();
    at.write("a.txt", "a\n");
    const { difference: found } = await difference(at, () => undefined);
    expect(found).toEqual({ root: at.repo, files: 0, added: 0, removed: 0, stat: "", patch: null });
  });

  test("that is more than a patch may hold is counted whole, and its patch says that it is cut", async () => {
    const at = await place();
    const lines = "many of the same\n".repeat(700_000);
    const { difference: found } = await difference(at, () => at.write("big.txt", lines));
    expect(found).toMatchObject({ files: 1, added: 700_000 });
    expect(found?.patch?.length).toBeLessThanOrEqual(8 * 1024 * 1024);
    expect(found?.patch?.toString().slice(-80)).toContain("many of the same\n\\ Cut here");
  });
});

describe("a repository", () => {
  test("is left exactly as it is: index, objects, references and files", async () => {
    const at = await place();
    at.write("a.txt", "a\n");
    at.run("add", "-A");
    at.run("commit", "-qm", "one");
    at.write("a.txt", "b\n");
    at.write("new.txt", "n\n");
    const before = everything(at.repo);
    const { difference: found } = await difference(at, () => undefined);
    expect(found).not.toBeNull();
    expect(everything(at.repo)).toEqual(before);
  });

  test("that names programs to run has none of them run: filters, hooks, fsmonitor, diff drivers, textconv, in it or in a submodule", async () => {
    const at = await place();
    const ran = join(at.stateDir, "..", "ran");
    const program = join(at.stateDir, "..", "program");
    writeFileSync(program, `#!/bin/sh\necho "$0" >> '${ran}'\ncat\n`);
    chmodSync(program, 0o755);
    const inner = join(at.repo, "inner");
    mkdirSync(inner);
    gitIn(inner, "init", "-q");
    gitIn(inner, "commit", "-q", "--allow-empty", "-m", "in");
    at.write("a.txt", "a\n");
    at.run("add", "-A");
    at.run("commit", "-qm", "one");
    const hostile = {
      "filter.x.clean": program,
      "filter.x.smudge": program,
      "filter.x.process": program,
      "filter.x.required": "true",
      "diff.x.command": program,
      "diff.x.textconv": program,
      "diff.external": program,
      "core.fsmonitor": program,
      "core.pager": program,
      "core.hooksPath": join(at.repo, "hooks"),
      "core.sshCommand": program,
      "extensions.partialClone": "evil",
      "remote.evil.url": `ext::${program}`,
      "remote.evil.promisor": "true",
      "core.attributesFile": join(at.repo, "attributes"),
    };
    for (const [key, value] of Object.entries(hostile))
      for (const where of [at.repo, inner]) gitIn(where, "config", key, value);
    mkdirSync(join(at.repo, "hooks"));
    for (const hook of ["post-index-change", "reference-transaction", "pre-commit"])
      writeFileSync(join(at.repo, "hooks", hook), `#!/bin/sh\nexec ${program}\n`, { mode: 0o755 });
    at.write("attributes", "* filter=x diff=x\n");
    at.write(".gitattributes", "* filter=x diff=x\n");
    // The proof that they would run: the owner's own git runs them.
    try {
      at.run("status");
    } catch {
      // They are none that git could talk to.
    }
    expect(existsSync(ran)).toBe(true);
    rmSync(ran);
    const { difference: found } = await difference(at, () => {
      at.write("a.txt", "b\n");
      writeFileSync(join(inner, "i.txt"), "i\n");
    });
    expect(found).toMatchObject({ files: 1, added: 1, removed: 1 });
    expect(existsSync(ran)).toBe(false);
  });

  test("inside another is asked nothing that would run a program it names", async () => {
    const at = await place();
    const inner = join(at.repo, "inner");
    const ran = join(at.stateDir, "..", "ran");
    mkdirSync(inner);
    gitIn(inner, "init", "-q");
    writeFileSync(join(inner, "i.txt"), "1\n");
    writeFileSync(join(inner, ".gitattributes"), "* filter=x\n");
    gitIn(inner, "add", "-A");
    gitIn(inner, "commit", "-q", "-m", "in");
    at.run("add", "-A");
    at.run("commit", "-qm", "one");
    gitIn(inner, "config", "filter.x.clean", `echo ran >> '${ran}'; cat`);
    writeFileSync(join(inner, "i.txt"), "2\n");
    at.run("status");
    expect(existsSync(ran)).toBe(true);
    rmSync(ran);
    await difference(at, () => writeFileSync(join(inner, "i.txt"), "3\n"));
    expect(existsSync(ran)).toBe(false);
  });

  test("inside another is one line: its commit", async () => {
    const at = await place();
    const inner = join(at.repo, "inner");
    mkdirSync(inner);
    gitIn(inner, "init", "-q");
    gitIn(inner, "commit", "-q", "--allow-empty", "-m", "in");
    at.run("add", "-A");
    at.run("commit", "-qm", "one");
    const { difference: found } = await difference(
      at,
      () => void gitIn(inner, "commit", "-q", "--allow-empty", "-m", "two"),
    );
    expect(found).toMatchObject({ files: 1 });
    expect(found?.patch?.toString()).toMatch(/\+Subproject commit [0-9a-f]{40}/);
  });

  test("inside another that has no commit does not hide the rest", async () => {
    const at = await place();
    mkdirSync(join(at.repo, "unborn"));
    gitIn(join(at.repo, "unborn"), "init", "-q");
    const { difference: found } = await difference(at, () => at.write("a.txt", "a\n"));
    expect(found).toMatchObject({ files: 1 });
  });

  test("without a commit, with a detached head, in a further work tree: each says where it stands", async () => {
    const at = await place();
    expect(at.git.readCheckout(at.repo)).toEqual({ cwd: at.repo, branch: "main", head: null, tree: null });
    at.write("a.txt", "a\n");
    at.run("add", "-A");
    at.run("commit", "-qm", "one");
    const head = at.run("rev-parse", "HEAD");
    expect(at.git.readCheckout(at.repo)).toMatchObject({ branch: "main", head });
    at.run("pack-refs", "--all");
    expect(at.git.readCheckout(at.repo)).toMatchObject({ branch: "main", head });
    const beside = join(at.stateDir, "..", "beside");
    at.run("worktree", "add", "-q", "-b", "feature/x", beside);
    expect(at.git.readCheckout(beside)).toMatchObject({ cwd: beside, branch: "feature/x", head });
    at.run("checkout", "-q", "--detach");
    expect(at.git.readCheckout(at.repo)).toMatchObject({ branch: null, head });
    const { difference: found } = await difference(at, () => writeFileSync(join(beside, "b.txt"), "b\n"), beside);
    expect(found).toMatchObject({ files: 1 });
  });

  test("that is none, is bare, or is too slow, has no tree, and nobody fails", async () => {
    const none = await place({ init: false });
    expect(await none.git.recordCheckout("job_20260101_0001", none.repo)).toEqual({
      cwd: none.repo,
      branch: null,
      head: null,
      tree: null,
    });
    none.run("init", "-q", "--bare", "-b", "main");
    expect(await none.git.recordCheckout("job_20260101_0001", none.repo)).toMatchObject({ branch: "main", tree: null });
    const late = await place({ withinMs: 0 });
    expect(await late.git.recordCheckout("job_20260101_0001", late.repo)).toMatchObject({ branch: "main", tree: null });
    const without = openGit({ stateDir: late.stateDir, clock: systemClock, path: late.repo });
    expect(await without.recordCheckout("job_20260101_0001", late.repo)).toMatchObject({ branch: "main", tree: null });
    expect(
      await without.changes("job_20260101_0001", { cwd: late.repo, branch: null, head: null, tree: null }),
    ).toBeNull();
  });

  test("whose head is a pipe is not waited for", async () => {
    const at = await place();
    rmSync(join(at.repo, ".git/HEAD"));
    execFileSync("mkfifo", [join(at.repo, ".git/HEAD")]);
    expect(findRepository(at.repo)).toBeNull();
  });

  test("whose branch points out of it is followed nowhere", async () => {
    const at = await place();
    writeFileSync(join(at.stateDir, "secret"), `${"a".repeat(40)}\n`);
    writeFileSync(join(at.repo, ".git/HEAD"), "ref: refs/heads/../../../../state/secret\n");
    const repository = findRepository(at.repo);
    expect(repository && readHead(repository).commit).toBeNull();
  });

  test("with long ids works too", async () => {
    const at = await place({ init: false });
    at.run("init", "-q", "--object-format=sha256", "-b", "main");
    at.write("a.txt", "a\n");
    at.run("add", "-A");
    at.run("commit", "-qm", "one");
    const { from, difference: found } = await difference(at, () => at.write("a.txt", "b\n"));
    expect(from.tree).toHaveLength(64);
    expect(found).toMatchObject({ files: 1, added: 1, removed: 1 });
  });
});

test("our own files are never part of what changed, wherever the state directory lies", async () => {
  const home = realpathSync(await folder());
  gitIn(home, "init", "-q");
  const stateDir = join(home, "state [1] *");
  mkdirSync(stateDir);
  const git = openGit({ stateDir, clock: systemClock, path: process.env["PATH"] });
  const { difference: found } = await difference(
    { git, stateDir, repo: home, run: () => "", write: () => undefined },
    () => writeFileSync(join(stateDir, "token"), "x\n"),
  );
  expect(found).toMatchObject({ files: 0 });
});

test("a commit follows those before it, and not one that was rewritten", async () => {
  const at = await place();
  const commit = (): string => {
    at.run("commit", "-q", "--allow-empty", "-m", "more");
    return at.run("rev-parse", "HEAD");
  };
  const [first, second] = [commit(), commit()];
  at.run("reset", "-q", "--hard", first);
  at.run("commit", "-q", "--allow-empty", "-m", "another");
  const rewritten = at.run("rev-parse", "HEAD");
  const follows = (older: string, newer: string): Promise<boolean> =>
    at.git.follows("job_20260101_0001", at.repo, older, newer);
  expect(await follows(first, second)).toBe(true);
  expect(await follows(second, rewritten)).toBe(false);
  expect(await follows("f".repeat(40), second)).toBe(false);
});

test("what was taken for a job goes with it, and at a start all that no job needs", async () => {
  const at = await place();
  for (const job of ["job_20260101_0001", "job_20260101_0002", "job_20260101_0003"])
    await at.git.recordCheckout(job, at.repo);
  await at.git.removeRecords("job_20260101_0001");
  await at.git.forgetAllBut(new Set(["job_20260101_0003"]));
  expect(readdirSync(join(at.stateDir, "checkouts"))).toEqual(["job_20260101_0003"]);
});
