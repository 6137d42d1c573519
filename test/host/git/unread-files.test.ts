/**
 * What was read of a work tree is kept for the next job there: it saves reading, and changes nothing of what is told.
 */
import { chmodSync, mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { systemClock } from "../../../src/base/clock.ts";
import { openGit } from "../../../src/host/git/git.ts";
import { which } from "../../../src/host/processes/which.ts";
import { canTrace } from "../../flows/tracer.ts";
import { folder } from "../scene.ts";
import { place, type Place } from "./checkout-place.ts";

/** A job that begins here and ends at once. */
async function recorded({ git, repo }: Pick<Place, "git" | "repo">, job: string): Promise<string | null> {
  const { tree } = await git.recordCheckout(job, repo);
  await git.removeRecords(job);
  return tree;
}

/** The same by a git that has never been here. */
async function anew({ repo }: Place): Promise<string | null> {
  return recorded(
    { repo, git: openGit({ stateDir: await folder(), clock: systemClock, path: process.env["PATH"] }) },
    "job_20260101_0001",
  );
}

const names = ["a.txt", "b.txt", "kept.log", "c/d.txt"];
const texts = ["one\n", "two\n", "three\n"];
type Change =
  | { what: "write"; name: string; text: string }
  | { what: "remove"; name: string }
  | { what: "commit" | "branch" | "back" };

function make(at: Place, change: Change): void {
  switch (change.what) {
    case "write":
      return at.write(change.name, change.text);
    case "remove":
      return rmSync(join(at.repo, change.name), { force: true });
    case "commit":
      at.run("add", "-A");
      return void at.run("commit", "-q", "--allow-empty", "-m", "more");
    case "branch":
      return void at.run("checkout", "-q", "-B", "other");
    case "back":
      return void at.run("checkout", "-qf", "main");
  }
}

test("whatever happened between two jobs, the tree is the one that is recorded anew", async () => {
  const change: fc.Arbitrary<Change> = fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        what: fc.constant("write" as const),
        name: fc.constantFrom(...names),
        text: fc.constantFrom(...texts),
      }),
    },
    { weight: 1, arbitrary: fc.record({ what: fc.constant("remove" as const), name: fc.constantFrom(...names) }) },
    {
      weight: 3,
      arbitrary: fc.record({ what: fc.constantFrom("commit" as const, "branch" as const, "back" as const) }),
    },
  );
  for (const jobs of fc.sample(
    fc.array(fc.array(change, { minLength: 1, maxLength: 4 }), { minLength: 4, maxLength: 4 }),
    { numRuns: 4, seed: 5 },
  )) {
    const at = await place();
    mkdirSync(join(at.repo, "c"));
    at.write(".gitignore", "*.log\n");
    // Ignored, and committed all the same.
    at.write("kept.log", "log\n");
    at.run("add", "-Af");
    at.run("commit", "-qm", "one");
    for (const [number, changes] of jobs.entries()) {
      for (const one of changes) make(at, one);
      expect(await recorded(at, `job_20260101_000${number}`), JSON.stringify(jobs)).toBe(await anew(at));
    }
  }
}, 120_000);

test("a file that is written again at once, and is as long as it was, is seen to be another one", async () => {
  const at = await place();
  at.write("a.txt", "....\n");
  at.run("add", "-A");
  at.run("commit", "-qm", "one");
  for (const [number, text] of ["aaaa\n", "bbbb\n", "....\n", "cccc\n"].entries()) {
    at.write("a.txt", text);
    expect(await recorded(at, `job_20260101_000${number}`)).toBe(await anew(at));
  }
});

test("an index that cannot be read is done without", async () => {
  const at = await place();
  at.write("a.txt", "a\n");
  at.run("add", "-A");
  at.run("commit", "-qm", "one");
  await at.git.recordCheckout("job_20260101_0001", at.repo);
  writeFileSync(join(at.stateDir, "checkouts", "job_20260101_0001", "index"), "nonsense");
  await at.git.removeRecords("job_20260101_0001");
  expect(await recorded(at, "job_20260101_0002")).toBe(await anew(at));
});

test.skipIf(!canTrace)("of the files that nobody touched since the last job none is read", async () => {
  const at = await place();
  const all = Array.from({ length: 10 }, (_, number) => `${number}.txt`);
  for (const name of all) {
    at.write(name, `${name}\n`);
    utimesSync(join(at.repo, name), 1_000_000_000, 1_000_000_000);
  }
  at.run("add", "-A");
  at.run("commit", "-qm", "one");
  // A git that writes down which files it opens.
  const [bin, log] = [await folder(), join(await folder(), "opened")];
  writeFileSync(
    join(bin, "git"),
    `#!/bin/sh\nexec /usr/bin/strace -f -A -o '${log}' -e trace=openat '${which("git", process.env["PATH"])}' "$@"\n`,
  );
  chmodSync(join(bin, "git"), 0o755);
  const git = openGit({ stateDir: at.stateDir, clock: systemClock, path: bin });
  const opened = async (job: string): Promise<string[]> => {
    writeFileSync(log, "");
    expect(await recorded({ git, repo: at.repo }, job)).toMatch(/^[0-9a-f]{40}$/);
    const lines = readFileSync(log, "utf8");
    return all.filter((name) => lines.includes(`"${name}"`));
  };
  expect(await opened("job_20260101_0001")).toEqual(all);
  at.write("3.txt", "touched\n");
  expect(await opened("job_20260101_0002")).toEqual(["3.txt"]);
  expect(await opened("job_20260101_0003")).toEqual(["3.txt"]);
});
