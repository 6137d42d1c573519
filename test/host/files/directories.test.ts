import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getuid, seteuid } from "node:process";
import { afterEach, beforeEach, expect, test } from "vitest";
import { lookAtDirectory, standingDirectory } from "../../../src/host/files/kept-files.ts";

let root: string;
let stateDir: string;
beforeEach(() => {
  stateDir = realpathSync(mkdtempSync(join(tmpdir(), "bellhop-directories-state-")));
  root = realpathSync(mkdtempSync(join(tmpdir(), "bellhop-directories-")));
  mkdirSync(join(root, "home", "app"), { recursive: true });
  mkdirSync(join(root, "elsewhere"));
  writeFileSync(join(root, "home", "file"), "");
});
afterEach(() => {
  for (const made of [root, stateDir]) rmSync(made, { recursive: true, force: true });
});

const look = (...path: string[]): ReturnType<typeof lookAtDirectory> =>
  lookAtDirectory(join(root, ...path), { home: join(root, "home"), stateDir });

test("a directory is one, where it is", async () => {
  expect(await look("home", "app")).toEqual({ is: "directory", path: join(root, "home", "app"), wide: false });
});

test("a link is where it leads, also out of the directory it is in and over another link", async () => {
  symlinkSync(join(root, "elsewhere"), join(root, "home", "out"));
  symlinkSync("out", join(root, "home", "again"));
  for (const name of ["out", "again"])
    expect(await look("home", name)).toEqual({ is: "directory", path: join(root, "elsewhere"), wide: false });
});

test("what holds the whole home is wide, a link to it too", async () => {
  symlinkSync("..", join(root, "home", "everything"));
  expect(await look("home")).toMatchObject({ wide: true });
  expect(await look()).toMatchObject({ wide: true });
  expect(await look("home", "everything")).toEqual({ is: "directory", path: root, wide: true });
  expect(await look("elsewhere")).toMatchObject({ wide: false });
  mkdirSync(join(root, "home-of-others"));
  expect(await look("home-of-others")).toMatchObject({ wide: false });
});

test("the state directory, what holds it and what lies in it are Bellhop's own, by whatever name", async () => {
  mkdirSync(join(stateDir, "outputs", "1"), { recursive: true });
  symlinkSync(stateDir, join(root, "home", "project"));
  for (const path of [
    stateDir,
    join(stateDir, "outputs", "1"),
    tmpdir(),
    "/",
    join(root, "home", "project"),
    join(root, "home", "project", "outputs"),
  ]) {
    expect(await lookAtDirectory(path, { home: root, stateDir }), path).toEqual({ is: "ours" });
    expect(standingDirectory(path, stateDir), path).toEqual({ path: realpathSync(path), ours: true });
  }
  mkdirSync(`${stateDir}-other`);
  expect(standingDirectory(`${stateDir}-other`, stateDir)).toMatchObject({ ours: false });
  rmSync(`${stateDir}-other`, { recursive: true });
  expect([
    standingDirectory(join(root, "home", "file"), stateDir),
    standingDirectory(join(root, "none"), stateDir),
  ]).toEqual([null, null]);
});

test("a file is none, and nothing is inside it", async () => {
  expect(await look("home", "file")).toEqual({ is: "file" });
  expect(await look("home", "file", "app")).toEqual({ is: "absent" });
});

test("what is not there, leads nowhere or in a circle, or has no possible name, is absent", async () => {
  symlinkSync("nowhere", join(root, "home", "broken"));
  symlinkSync("circle", join(root, "home", "circle"));
  for (const name of ["none", "broken", "circle", "x".repeat(5000), "a\0b"])
    expect(await look("home", name), name.slice(0, 9)).toEqual({ is: "absent" });
});

test("one that is gone later is absent then", async () => {
  rmSync(join(root, "home", "app"), { recursive: true });
  expect(await look("home", "app")).toEqual({ is: "absent" });
});

test("one that we may not come to is closed", async () => {
  mkdirSync(join(root, "elsewhere", "app"));
  chmodSync(root, 0o755);
  chmodSync(join(root, "elsewhere"), 0);
  await asSomebody(async () => expect(await look("elsewhere", "app")).toEqual({ is: "closed" }));
});

/** Root may read everything, so root is somebody else for a moment. */
async function asSomebody(act: () => Promise<void>): Promise<void> {
  if (getuid?.() !== 0) return act();
  seteuid?.(65_534);
  try {
    await act();
  } finally {
    seteuid?.(0);
  }
}
