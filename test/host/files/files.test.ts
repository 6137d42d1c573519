/** Where files that somebody else named may lie: in their own folder, under a name of ours, and nowhere else. */
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import * as fc from "fast-check";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { openFiles, safeName } from "../../../src/host/files/files.ts";

const ID = "1300000000000000001";
const SESSION = "1300000000000000900";
let stateDir = "";
let outside = "";

beforeEach(() => {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "bellhop-files-")));
  stateDir = join(base, "state");
  outside = join(base, "outside");
  for (const directory of [stateDir, outside]) mkdirSync(directory, { mode: 0o700 });
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
});

const bytes = Buffer.from("content");

test("a file lies in its message's folder, readable by its owner alone and never executable", async () => {
  const folder = await openFiles(stateDir).createFolder(SESSION, ID);
  const file = await folder.create(1, "notes.txt");
  await file.write(bytes);
  await file.finish();
  await folder.sync();
  expect(file.path).toBe(join(stateDir, "uploads", SESSION, ID, "1-notes.txt"));
  expect(readFileSync(file.path, "utf8")).toBe("content");
  expect(lstatSync(file.path).mode & 0o777).toBe(0o600);
  for (const directory of [dirname(file.path), dirname(dirname(file.path))])
    expect(lstatSync(directory).mode & 0o777).toBe(0o700);
});

const nasty = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        "..",
        "/",
        "\\",
        "\0",
        "\n",
        "\r",
        "~",
        "-",
        "--settings=",
        ".",
        "%2e%2e%2f",
        "$(id)",
        "`id`",
        ";",
        "|",
        "C:",
        "::$DATA",
        "CON",
        "\u202e",
        "\u200b",
        "한",
        "🧑‍🚀",
        "é",
        " ",
        "'",
        '"',
        ".sh",
        ".tar.gz",
        "a".repeat(300),
      ),
      fc.string({ unit: "binary" }),
    ),
    { maxLength: 8 },
  )
  .map((parts) => parts.join(""));

test("whatever a file is called, its name is ours, short, plain, and one path segment", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 20 }), nasty, (index, name) => {
      const made = safeName(index, name);
      expect(made).toMatch(/^\d+-[A-Za-z0-9._-]{1,80}$/);
      expect(made.startsWith(`${index}-`)).toBe(true);
      expect(basename(made)).toBe(made);
    }),
    { numRuns: 20_000 },
  );
});

test("2,000 hostile names: every file lies in its folder, and nothing else was written anywhere", async () => {
  const files = openFiles(stateDir);
  const names = fc.sample(nasty, 2_000);
  for (let from = 0; from < names.length; from += 100) {
    const id = String(BigInt(ID) + BigInt(from));
    const folder = await files.createFolder(SESSION, id);
    for (const [index, name] of names.slice(from, from + 100).entries()) {
      const file = await folder.create(index + 1, name);
      expect(dirname(file.path)).toBe(join(stateDir, "uploads", SESSION, id));
      await file.write(bytes);
      await file.finish();
    }
    expect(readdirSync(join(stateDir, "uploads", SESSION, id))).toHaveLength(100);
  }
  expect(readdirSync(stateDir)).toEqual(["uploads"]);
  expect(readdirSync(outside)).toEqual([]);
});

test("a long name keeps its ending", () => {
  expect(safeName(3, `${"x".repeat(300)}.json`)).toMatch(/^3-x{75}\.json$/);
  expect(safeName(1, "")).toBe("1-file");
});

describe("a planted link", () => {
  test("in place of the root is refused", async () => {
    symlinkSync(outside, join(stateDir, "uploads"));
    await expect(openFiles(stateDir).createFolder(SESSION, ID)).rejects.toThrow("EUNSAFE");
    expect(readdirSync(outside)).toEqual([]);
  });

  test.each([
    ["a session's", [SESSION]],
    ["a message's", [SESSION, ID]],
  ])("in place of %s folder is refused, and what it leads to is left alone", async (_, path) => {
    mkdirSync(join(stateDir, "uploads", ...path.slice(0, -1)), { recursive: true, mode: 0o700 });
    writeFileSync(join(outside, "precious"), "keep");
    symlinkSync(outside, join(stateDir, "uploads", ...path));
    const files = openFiles(stateDir);
    await expect(files.createFolder(SESSION, ID)).rejects.toThrow("EUNSAFE");
    expect(await files.sweep(() => false)).toBe(0);
    expect(readdirSync(outside)).toEqual(["precious"]);
  });

  test("in place of a file, also one that leads nowhere, is refused", async () => {
    const folder = await openFiles(stateDir).createFolder(SESSION, ID);
    symlinkSync(join(outside, "new"), join(stateDir, "uploads", SESSION, ID, "1-a.txt"));
    await expect(folder.create(1, "a.txt")).rejects.toMatchObject({ code: "EEXIST" });
    expect(existsSync(join(outside, "new"))).toBe(false);
  });

  test("put in place of the folder after it was made is noticed before a byte is written", async () => {
    const folder = await openFiles(stateDir).createFolder(SESSION, ID);
    rmSync(join(stateDir, "uploads", SESSION, ID), { recursive: true });
    symlinkSync(outside, join(stateDir, "uploads", SESSION, ID));
    await expect(folder.create(1, "a.txt")).rejects.toThrow("EUNSAFE");
    for (const name of readdirSync(outside)) expect(lstatSync(join(outside, name)).size).toBe(0);
  });

  test("inside a folder that is swept is removed, never followed", async () => {
    const files = openFiles(stateDir);
    await files.createFolder(SESSION, ID);
    writeFileSync(join(outside, "precious"), "keep");
    symlinkSync(outside, join(stateDir, "uploads", SESSION, ID, "1-link"));
    expect(await files.sweep(() => false)).toBe(1);
    expect(readdirSync(outside)).toEqual(["precious"]);
  });
});

test("a state directory that is itself a link of the owner's is fine", async () => {
  const link = join(outside, "state");
  symlinkSync(stateDir, link);
  const file = await (await openFiles(link).createFolder(SESSION, ID)).create(1, "a");
  expect(file.path).toBe(join(stateDir, "uploads", SESSION, ID, "1-a"));
  await file.discard();
});

test("what is not a message id makes no folder", async () => {
  for (const id of ["..", "../x", "", "1", ID + "/..", `${ID}\0`]) {
    await expect(openFiles(stateDir).createFolder(SESSION, id)).rejects.toThrow("EUNSAFE");
    await expect(openFiles(stateDir).createFolder(id, ID)).rejects.toThrow("EUNSAFE");
  }
  expect(existsSync(join(stateDir, "uploads"))).toBe(false);
});

test("a message begun again has an empty folder: half a file of a crash does not count", async () => {
  const files = openFiles(stateDir);
  const half = await (await files.createFolder(SESSION, ID)).create(1, "a.txt");
  await half.write(Buffer.from("ha"));
  const whole = await (await files.createFolder(SESSION, ID)).create(1, "a.txt");
  await whole.write(bytes);
  await whole.finish();
  await half.finish();
  expect(readFileSync(whole.path, "utf8")).toBe("content");
});

test("only the folders that nobody needs are swept, and what is not ours is left", async () => {
  const files = openFiles(stateDir);
  const other = "1300000000000000002";
  for (const id of [ID, other]) await files.createFolder(SESSION, id);
  mkdirSync(join(stateDir, "uploads", "notes"));
  expect(await files.sweep((id) => id === other)).toBe(1);
  expect(readdirSync(join(stateDir, "uploads")).sort()).toEqual([SESSION, "notes"]);
  expect(readdirSync(join(stateDir, "uploads", SESSION))).toEqual([other]);
  // A session that is known keeps its folder, which its agent may be using.
  expect(await files.sweep((id) => id === SESSION)).toBe(1);
  expect(readdirSync(join(stateDir, "uploads")).sort()).toEqual([SESSION, "notes"]);
  await files.sweep(() => false);
  expect(readdirSync(join(stateDir, "uploads"))).toEqual(["notes"]);
});
