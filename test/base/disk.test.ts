import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";

import {
  type DiskFile,
  errnoOf,
  isTemporary,
  nodeDisk,
  readWhole,
  writeAll,
  writeAtomically,
} from "../../src/base/disk.ts";

let dir = "";

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "bellhop-disk-"));
});

afterEach(() => {
  rmSync(dir, { recursive: true });
});

async function errno(promise: Promise<unknown>): Promise<string> {
  return promise.then(
    () => "ok",
    (error: unknown) => errnoOf(error),
  );
}

test("appending adds at the end, whoever wrote last, with small writes and large ones", async () => {
  const path = join(dir, "a");
  const [one, two] = [await nodeDisk.open(path, "ax"), await nodeDisk.open(path, "a")];
  const large = Buffer.alloc(300_000, "b");
  await writeAll(one, Buffer.from("a"));
  await writeAll(two, large);
  await writeAll(one, Buffer.from("c"));
  await one.datasync();
  await two.sync();
  await nodeDisk.syncDirectory(dir);
  expect(await one.size()).toBe(300_002);
  expect(readFileSync(path)).toEqual(Buffer.concat([Buffer.from("a"), large, Buffer.from("c")]));
  await Promise.all([one.close(), two.close()]);
});

test("a pipe that nobody writes to is an empty file, and keeps nobody waiting", async () => {
  const path = join(dir, "pipe");
  execFileSync("mkfifo", [path]);
  expect(await readWhole(nodeDisk, path)).toEqual(Buffer.alloc(0));
});

test("what is made new must not be there before, and what is read must", async () => {
  writeFileSync(join(dir, "there"), "");
  expect(await errno(nodeDisk.open(join(dir, "there"), "ax"))).toBe("EEXIST");
  expect(await errno(nodeDisk.open(join(dir, "there"), "wx"))).toBe("EEXIST");
  expect(await errno(nodeDisk.open(join(dir, "gone"), "r"))).toBe("ENOENT");
  expect(await errno(nodeDisk.open(join(dir, "gone"), "r+"))).toBe("ENOENT");
});

test("files are for us alone", async () => {
  await (await nodeDisk.open(join(dir, "file"), "ax")).close();
  await nodeDisk.mkdir(join(dir, "folder"));
  expect(statSync(join(dir, "file")).mode & 0o777).toBe(0o600);
  expect(statSync(join(dir, "folder")).mode & 0o777).toBe(0o700);
  expect(await nodeDisk.stat(join(dir, "folder"))).toMatchObject({ directory: true });
});

test("a closed file is closed: its number may be another's by now", async () => {
  const file = await nodeDisk.open(join(dir, "one"), "ax");
  await file.close();
  const other = await nodeDisk.open(join(dir, "two"), "ax");
  await file.close();
  for (const use of [file.write(Buffer.from("x"), 0), file.datasync(), file.sync(), file.truncate(0)])
    expect(await errno(use)).toBe("EBADF");
  await writeAll(other, Buffer.from("mine"));
  await other.close();
  expect(readFileSync(join(dir, "two"), "utf8")).toBe("mine");
});

test("everything is written, however short the single writes fall", async () => {
  const out: number[] = [];
  const file = {
    write: async (bytes: Uint8Array, from: number) =>
      out.push(...bytes.subarray(from, from + 2)) && Math.min(2, bytes.length - from),
  };
  await writeAll(file as unknown as DiskFile, Buffer.from("hello"));
  expect(Buffer.from(out).toString()).toBe("hello");
});

test("a disk that takes nothing and says nothing is an error, not an endless loop", async () => {
  const file = { write: async () => 0 };
  expect(await errno(writeAll(file as unknown as DiskFile, Buffer.from("x")))).toBe("EIO");
});

test("an atomic write replaces the content, private, and leaves nothing beside it", async () => {
  const path = join(dir, "config.json");
  writeFileSync(path, "old", { mode: 0o644 });
  await writeAtomically(nodeDisk, path, Buffer.from("new"));
  expect(readFileSync(path, "utf8")).toBe("new");
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(readdirSync(dir)).toEqual(["config.json"]);
});

test("an atomic write that fails leaves the old content and nothing beside it", async () => {
  const path = join(dir, "config.json");
  writeFileSync(path, "old");
  const seen: string[] = [];
  const broken = {
    ...nodeDisk,
    rename: async (from: string) =>
      Promise.reject(Object.assign(new Error(from), { code: "EIO", at: seen.push(from) })),
  };
  expect(await errno(writeAtomically(broken, path, Buffer.from("new")))).toBe("EIO");
  expect(readdirSync(dir)).toEqual(["config.json"]);
  expect(readFileSync(path, "utf8")).toBe("old");
  expect(seen.map((name) => isTemporary(name.slice(dir.length + 1)))).toEqual([true]);
});

test("a whole file is read whole; one that is not there is nothing, not an error", async () => {
  writeFileSync(join(dir, "a"), "content");
  expect((await readWhole(nodeDisk, join(dir, "a")))?.toString()).toBe("content");
  expect(await readWhole(nodeDisk, join(dir, "b"))).toBeUndefined();
  expect(await errno(readWhole(nodeDisk, dir))).toBe("EISDIR");
});
