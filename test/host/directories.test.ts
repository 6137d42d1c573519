import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getuid, seteuid } from "node:process";
import { afterEach, beforeEach, expect, test } from "vitest";
import { lookAtDirectory } from "../../src/host/directories.ts";

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "bellhop-directories-")));
  mkdirSync(join(root, "home", "app"), { recursive: true });
  mkdirSync(join(root, "elsewhere"));
  writeFileSync(join(root, "home", "file"), "");
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const look = (...path: string[]): ReturnType<typeof lookAtDirectory> => lookAtDirectory(join(root, ...path), join(root, "home"));

test("a directory is one, where it is", async () => {
  expect(await look("home", "app")).toEqual({ is: "directory", path: join(root, "home", "app"), wide: false });
});

test("a link is where it leads, also out of the directory it stands in and over another link", async () => {
  symlinkSync(join(root, "elsewhere"), join(root, "home", "out"));
  symlinkSync("out", join(root, "home", "again"));
  for (const name of ["out", "again"]) expect(await look("home", name)).toEqual({ is: "directory", path: join(root, "elsewhere"), wide: false });
});

test("what holds the whole home, or the whole machine, is wide, a link to it too", async () => {
  symlinkSync("/", join(root, "home", "everything"));
  expect(await look("home")).toMatchObject({ wide: true });
  expect(await look()).toMatchObject({ wide: true });
  expect(await look("home", "everything")).toEqual({ is: "directory", path: "/", wide: true });
  expect(await look("elsewhere")).toMatchObject({ wide: false });
  mkdirSync(join(root, "home-of-others"));
  expect(await look("home-of-others")).toMatchObject({ wide: false });
  expect(await lookAtDirectory("/", undefined)).toMatchObject({ wide: true });
});

test("a file is none, and nothing is inside it", async () => {
  expect(await look("home", "file")).toEqual({ is: "file" });
  expect(await look("home", "file", "app")).toEqual({ is: "absent" });
});

test("what is not there, leads nowhere or in a circle, or has no possible name, is absent", async () => {
  symlinkSync("nowhere", join(root, "home", "broken"));
  symlinkSync("circle", join(root, "home", "circle"));
  for (const name of ["none", "broken", "circle", "x".repeat(5000), "a\0b"]) expect(await look("home", name), name.slice(0, 9)).toEqual({ is: "absent" });
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
