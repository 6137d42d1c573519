import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { nodeDisk } from "../../../src/base/disk.ts";
import { newDecisionId } from "../../../src/base/ids.ts";
import { digestOf, openDecisionFiles } from "../../../src/host/files/kept-files.ts";
import { seededChance } from "../../fakes/disk/chance.ts";
import { MemoryDisk } from "../../fakes/disk/memory-disk.ts";

let dir = "";
const id = newDecisionId(Date.UTC(2026, 10, 21));
const bytes = '{"tool":"Bash","input":{"command":"echo \\u202e \ud83d\ude00"}}';

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "bellhop-decisions-"));
});

afterEach(() => {
  rmSync(dir, { recursive: true });
});

test("a decision's id names its day and is one that nobody can guess", () => {
  expect(id).toMatch(/^dec_20261121_[0-9a-f]{32}$/);
  expect(newDecisionId(Date.UTC(2026, 10, 21))).not.toBe(id);
});

test("what is written is read back to the byte, also by who comes later, and only its owner may read it", async () => {
  const files = await openDecisionFiles(nodeDisk, dir);
  expect(await files.write(id, bytes)).toBe(createHash("sha256").update(bytes).digest("hex"));
  expect(await files.read(id)).toBe(bytes);
  expect(await (await openDecisionFiles(nodeDisk, dir)).read(id)).toBe(bytes);
  const file = join(dir, "decisions", `${id}.json`);
  expect(readFileSync(file, "utf8")).toBe(bytes);
  expect(digestOf(readFileSync(file, "utf8"))).toBe(digestOf(bytes));
  expect([statSync(join(dir, "decisions")).mode & 0o777, statSync(file).mode & 0o777]).toEqual([0o700, 0o600]);
});

test("the folder is made again, private, when somebody has removed it", async () => {
  const files = await openDecisionFiles(nodeDisk, dir);
  rmSync(join(dir, "decisions"), { recursive: true });
  await files.write(id, bytes);
  expect([
    readFileSync(join(dir, "decisions", `${id}.json`), "utf8"),
    statSync(join(dir, "decisions")).mode & 0o777,
  ]).toEqual([bytes, 0o700]);
});

test("nothing but a decision's id names a file", async () => {
  const files = await openDecisionFiles(nodeDisk, dir);
  for (const name of ["../config", "", `${id}/..`, `${id}\n`, "dec_20261121_..", "job_20261121_0001"]) {
    await expect(files.write(name, "{}")).rejects.toThrow(TypeError);
    expect(await files.read(name)).toBeNull();
  }
  expect(await files.read(newDecisionId(0))).toBeNull();
});

test("what is written when write resolves outlives any loss of power", async () => {
  for (let seed = 1; seed <= 200; seed += 1) {
    const disk = new MemoryDisk("/state", "/state/decisions");
    const files = await openDecisionFiles(disk, "/state");
    await files.write(id, bytes);
    disk.crash(seededChance(seed));
    expect(await (await openDecisionFiles(disk, "/state")).read(id), `seed ${seed}`).toBe(bytes);
  }
});
