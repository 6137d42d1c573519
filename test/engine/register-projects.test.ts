import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { repositoriesIn } from "../../src/engine/register-projects.ts";

function folders(...names: string[]): string {
  const root = realpathSync(mkdtempSync(path.join(tmpdir(), "bellhop-roots-")));
  onTestFinished(() => rmSync(root, { recursive: true }));
  for (const name of names) mkdirSync(path.join(root, name), { recursive: true });
  return root;
}

test("the repositories of a directory are found two levels deep, by path, and nothing is looked for inside of one", async () => {
  const root = folders(
    "b/.git",
    "a/z/.git",
    "a/x/.git",
    "a/x/inside/.git",
    "a/deep/er/.git",
    ".hidden/.git",
    "a/node_modules/.git",
    "plain",
  );
  mkdirSync(path.join(root, "worktree"));
  writeFileSync(path.join(root, "worktree", ".git"), "gitdir: elsewhere");
  symlinkSync(path.join(root, "b"), path.join(root, "link"));
  expect((await repositoriesIn(root)).map((found) => path.relative(root, found))).toEqual([
    "a/x",
    "a/z",
    "b",
    "worktree",
  ]);
});

test("a root that is a repository is the only one", async () => {
  const root = folders(".git", "a/.git");
  expect(await repositoriesIn(root)).toEqual([root]);
});

test("a root that is not there is an error", async () => {
  await expect(repositoriesIn("/nowhere/at/all")).rejects.toThrow("ENOENT");
});
