/**
 * A work tree made to harm those who look at it: nothing in it is run, followed out of it or waited for without end,
 * and the owner's repository stays as it is.
 */
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../../src/base/clock.ts";
import { openGit } from "../../../src/host/git/git.ts";
import { openProcesses } from "../../../src/host/processes/processes.ts";
import { which } from "../../../src/host/processes/which.ts";
import { folder } from "../scene.ts";
import { difference, everything, place, type Place } from "./checkout-place.ts";

const JOB = "job_20260101_0001";

async function committed(options: Parameters<typeof place>[0] = {}): Promise<Place> {
  const at = await place(options);
  at.write("a.txt", "a\n");
  at.run("add", "-A");
  at.run("commit", "-qm", "one");
  return at;
}

/** Everything we keep for the job, as text. */
const kept = ({ stateDir }: Place): string => everything(join(stateDir, "checkouts", JOB)).join("\n");

describe("what is no file", () => {
  test("a pipe, a socket, a link that leads to itself or out of the tree: none is opened, all else is told", async () => {
    const at = await committed();
    const outside = join(at.stateDir, "..", "outside");
    mkdirSync(outside);
    writeFileSync(join(outside, "secret"), "a secret\n");
    const server = createServer().listen(join(at.repo, "socket"));
    onTestFinished(() => void server.close());
    const { difference: found } = await difference(at, () => {
      execFileSync("mkfifo", [join(at.repo, "pipe")]);
      symlinkSync("loop", join(at.repo, "loop"));
      symlinkSync(outside, join(at.repo, "out"));
      at.write("b.txt", "b\n");
    });
    // The two links as links, and the file.
    expect(found).toMatchObject({ files: 3, added: 3 });
    expect(found?.patch?.toString()).not.toContain("a secret");
  });

  test("what may not be read is left out, and hides nothing", async () => {
    const at = await committed();
    at.write("closed.txt", "x\n");
    chmodSync(join(at.repo, "closed.txt"), 0);
    const { difference: found } = await difference(at, () => at.write("b.txt", "b\n"));
    expect(found).toMatchObject({ files: 1 });
  });

  test("a list of what to ignore that is a pipe is not waited for without end", async () => {
    const at = await committed({ withinMs: 300 });
    execFileSync("mkfifo", [join(at.repo, ".gitignore")]);
    expect(await at.git.recordCheckout(JOB, at.repo)).toMatchObject({ branch: "main" });
  });
});

describe("what is too much", () => {
  test("a file of many gigabytes ends the look in time, takes no disk space for long, and the next look is complete again", async () => {
    const at = await committed({ withinMs: 1_500 });
    at.write("huge.bin", "");
    truncateSync(join(at.repo, "huge.bin"), 200 * 1024 ** 3);
    expect(await at.git.recordCheckout(JOB, at.repo)).toMatchObject({ branch: "main", tree: null });
    rmSync(join(at.repo, "huge.bin"));
    const patient = { ...at, git: openGit({ stateDir: at.stateDir, clock: systemClock, path: process.env["PATH"] }) };
    const { difference: found } = await difference(patient, () => at.write("b.txt", "b\n"));
    expect(found).toMatchObject({ files: 1, added: 1 });
    await at.git.removeRecords(JOB);
    expect(readdirSync(join(at.stateDir, "checkouts"))).toEqual([]);
  });

  test("a look that is not over in time is said to be late; where it is the first, the work tree is left alone for ten minutes", async () => {
    const at = await committed();
    let time = 0;
    const options = {
      stateDir: at.stateDir,
      clock: { ...systemClock, monotonic: () => time },
      path: process.env["PATH"],
    };
    const from = await openGit(options).recordCheckout(JOB, at.repo);
    expect(await openGit(options).changes(JOB, from, 0)).toBe("late");
    const late = { ...options, withinMs: 0 };
    const git = openGit(late);
    const unseen = await git.recordCheckout(JOB, at.repo);
    expect([unseen.tree, await git.changes(JOB, unseen)]).toEqual([null, "late"]);
    await git.removeRecords(JOB);
    delete (late as { withinMs?: number }).withinMs;
    expect((await git.recordCheckout(JOB, at.repo)).tree).toBeNull();
    time = 600_000;
    expect((await git.recordCheckout(JOB, at.repo)).tree).toBe(from.tree);
  });

  test("a first look that nobody waits for goes on, leaves nothing but what it read, and the next one begins after it", async () => {
    const at = await committed();
    const bin = await folder();
    const log = join(bin, "log");
    // A git that writes down what it does, and tells that it adds before it may.
    for (const pipe of ["adds", "may"]) execFileSync("mkfifo", [join(bin, pipe)]);
    const wait = `case "$*" in *" add "*) if [ ! -e '${log}.once' ]; then : > '${log}.once'; : > '${join(bin, "adds")}'; : < '${join(bin, "may")}'; fi;; esac`;
    writeFileSync(
      join(bin, "git"),
      `#!/bin/sh\necho "\${GIT_DIR##*/} $*" >> '${log}'\n${wait}\nexec '${which("git", process.env["PATH"])}' "$@"\n`,
      { mode: 0o755 },
    );
    const git = openGit({ stateDir: at.stateDir, clock: systemClock, path: bin });
    const first = git.recordCheckout(JOB, at.repo);
    const over = first.then(() => git.removeRecords(JOB));
    await readFile(join(bin, "adds"));
    await git.removeRecords(JOB);
    const second = git.recordCheckout("job_20260101_0002", at.repo);
    await writeFile(join(bin, "may"), "");
    expect((await second).tree).toBe((await first).tree);
    await over;
    const jobs = readFileSync(log, "utf8")
      .split("\n")
      .map((line) => line.split(" ")[0])
      .filter((job, index, all) => job !== "" && job !== all[index - 1]);
    expect(jobs).toEqual([JOB, "job_20260101_0002"]);
    expect(readdirSync(join(at.stateDir, "checkouts"))).toEqual(["job_20260101_0002"]);
    expect(readdirSync(join(at.stateDir, "indexes"))).toHaveLength(1);
  });

  test("a look that outlives its daemon is ended by the next start", async () => {
    const at = await committed({ withinMs: 60_000 });
    at.write("huge.bin", "");
    truncateSync(join(at.repo, "huge.bin"), 200 * 1024 ** 3);
    let over = false;
    const looked = at.git.recordCheckout(JOB, at.repo).finally(() => (over = true));
    const processes = openProcesses();
    // Each of its steps is a process of its own; without the sweep the last one would take its whole minute.
    let ended = 0;
    while (!over) {
      await turn();
      ended += (await processes.sweep({ outputsRoot: join(at.stateDir, "outputs"), recorded: [] })).ended;
    }
    expect(await looked).toMatchObject({ branch: "main", tree: null });
    expect(ended).toBeGreaterThan(0);
  });

  test("twenty jobs that begin at once are looked at two by two, and all are told", async () => {
    const at = await committed();
    const jobs = Array.from({ length: 20 }, (_, n) => `job_20260101_${String(n + 1).padStart(4, "0")}`);
    const trees = await Promise.all(jobs.map(async (job) => (await at.git.recordCheckout(job, at.repo)).tree));
    expect(new Set(trees).size).toBe(1);
    expect(trees[0]).toMatch(/^[0-9a-f]{40}$/);
  });
});

describe("the owner's repository", () => {
  test("with a staged, a half staged and a conflicting file, and a lock that somebody holds, is told truly and stays as it is", async () => {
    const at = await committed();
    at.run("checkout", "-qb", "other");
    at.write("a.txt", "other\n");
    at.run("commit", "-qam", "other");
    at.run("checkout", "-q", "main");
    at.write("a.txt", "main\n");
    at.run("commit", "-qam", "main");
    at.write("staged.txt", "1\n");
    at.run("add", "staged.txt");
    at.write("staged.txt", "1\n2\n");
    expect(() => at.run("merge", "other")).toThrow();
    writeFileSync(join(at.repo, ".git/index.lock"), "");
    const before = everything(at.repo);
    const status = readFileSync(join(at.repo, ".git/index"), "base64");
    const { from, difference: found } = await difference(at, () => undefined);
    expect(from.tree).toMatch(/^[0-9a-f]{40}$/);
    expect(found?.files).toBe(0);
    expect(everything(at.repo)).toEqual(before);
    expect(readFileSync(join(at.repo, ".git/index"), "base64")).toBe(status);
  });

  test("that includes other configuration, names another work tree, or a program for every command, is read for nothing of it", async () => {
    const at = await committed();
    const ran = join(at.stateDir, "..", "ran");
    const elsewhere = join(at.stateDir, "..", "elsewhere");
    mkdirSync(elsewhere);
    writeFileSync(join(elsewhere, "theirs.txt"), "theirs\n");
    writeFileSync(
      join(at.repo, "included"),
      `[alias]\n\tadd = "!touch '${ran}'"\n\twrite-tree = "!touch '${ran}'"\n[core]\n\teditor = touch '${ran}'\n`,
    );
    at.run("config", "include.path", "../included");
    at.run("config", "core.worktree", elsewhere);
    at.run("config", "credential.helper", `!touch '${ran}'`);
    at.run("config", "gpg.program", `touch '${ran}'`);
    const { difference: found } = await difference(at, () => at.write("b.txt", "b\n"));
    expect(found).toMatchObject({ files: 1 });
    expect(existsSync(ran)).toBe(false);
    expect(kept(at)).not.toContain(Buffer.from("theirs").toString("base64"));
  });

  test("that borrows its objects, and one whose objects are partly gone, is told as far as it goes", async () => {
    const at = await committed();
    const copy = await place({ init: false, at: "copy" });
    execFileSync("git", ["clone", "-q", "-s", at.repo, copy.repo], { stdio: "ignore" });
    expect((await difference(copy, () => writeFileSync(join(copy.repo, "a.txt"), "b\n"))).difference).toMatchObject({
      files: 1,
      added: 1,
      removed: 1,
    });
    rmSync(join(at.repo, ".git/objects"), { recursive: true });
    mkdirSync(join(at.repo, ".git/objects"));
    const { difference: found } = await difference(at, () => at.write("b.txt", "b\n"));
    expect(found).toMatchObject({ files: 1, added: 1 });
  });

  test("whose .git is a file that points nowhere, or out of it, is none, or the one it points to", async () => {
    const at = await committed();
    const beside = join(at.stateDir, "..", "beside");
    mkdirSync(beside);
    writeFileSync(join(beside, ".git"), "gitdir: /nowhere/at/all\n");
    expect(await at.git.recordCheckout(JOB, beside)).toEqual({ cwd: beside, branch: null, head: null, tree: null });
    writeFileSync(join(beside, ".git"), `gitdir: ${join(at.repo, ".git")}\n`);
    expect(await at.git.recordCheckout(JOB, beside)).toMatchObject({ branch: "main" });
  });
});
