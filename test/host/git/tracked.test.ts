/**
 * Which files a repository tracks, as git itself says, in every form of its index; what is not certain counts as
 * tracked.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { findRepository } from "../../../src/host/git/git-process.ts";
import { isTracked } from "../../../src/host/git/tracked.ts";

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "bellhop-tracked-")));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const git = (...args: string[]): string =>
  execFileSync("git", args, {
    cwd: root,
    encoding: "utf8",
    env: { PATH: process.env["PATH"], HOME: root, GIT_CONFIG_NOSYSTEM: "1" },
  });

function put(path: string, text = "x"): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

function tracked(path: string): boolean {
  const repository = findRepository(root);
  if (repository === null) throw new Error("no repository");
  return isTracked(repository, path);
}

const LOCAL = ".claude/settings.local.json";
const OTHERS = [
  "(a)/b",
  "README.md",
  ".claude/settings.json",
  ".claude/settings.local.json5",
  "packages/app/.claude/settings.local.json",
  `deep/${"a".repeat(200)}/${"b".repeat(200)}/${"c".repeat(4000)}`.slice(0, 250),
];

describe.each([
  ["version 2", ["-c", "index.version=2"], "sha1"],
  ["version 3", ["-c", "index.version=3"], "sha1"],
  ["version 4", ["-c", "index.version=4"], "sha1"],
  ["version 4 with SHA-256", ["-c", "index.version=4"], "sha256"],
  ["version 2 with SHA-256", ["-c", "index.version=2"], "sha256"],
])("an index of %s", (_name, how, format) => {
  test("tells what is tracked", () => {
    git("init", "-q", `--object-format=${format}`);
    expect(tracked(LOCAL)).toBe(false);
    OTHERS.forEach((path) => put(path));
    put(LOCAL);
    git(...how, "add", "--", ...OTHERS);
    // Flags that only version 3 and later can hold.
    if (how[1] !== "index.version=2") git(...how, "update-index", "--skip-worktree", "README.md");
    expect(
      [LOCAL, "packages/app/.claude/settings.local.json", ".claude", "packages", "nothing", "README"].map(tracked),
    ).toEqual([false, true, true, true, false, false]);
    expect(OTHERS.every(tracked)).toBe(true);
    git(...how, "add", "-f", LOCAL);
    expect([tracked(LOCAL), tracked(LOCAL.toUpperCase())]).toEqual([true, true]);
    git(...how, "rm", "-q", "--cached", LOCAL);
    expect(tracked(LOCAL)).toBe(false);
  });
});

test("what is in a submodule, in a split index, or in no index that can be read, counts as tracked", () => {
  git("init", "-q");
  put("a");
  git("add", "a");
  git("update-index", "--add", "--cacheinfo", `160000,${"1".repeat(40)},.claude`);
  expect([tracked(LOCAL), tracked("a"), tracked("b")]).toEqual([true, true, false]);
  git("update-index", "--split-index");
  expect(tracked("b")).toBe(true);
  git("update-index", "--no-split-index");
  expect(tracked("b")).toBe(false);
  const index = join(root, ".git", "index");
  const whole = readFileSync(index);
  for (const broken of [
    whole.subarray(0, 60),
    Buffer.alloc(0),
    Buffer.from("DIRC\0\0\0\x09\0\0\0\x01"),
    Buffer.concat([whole.subarray(0, 8), Buffer.from([0xff, 0xff, 0xff, 0xff]), whole.subarray(12)]),
  ]) {
    writeFileSync(index, broken);
    expect(tracked("b")).toBe(true);
  }
});
