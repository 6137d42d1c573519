/** An answer on the disk: whole however long, there after a crash as far as it came, and never wholly in memory. */
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { nodeDisk, type Disk } from "../../../src/base/disk.ts";
import { openResults, type Results } from "../../../src/host/files/results.ts";

const JOB = "job_20260301_0001";

function place(): { dir: string; md: string } {
  const dir = mkdtempSync(join(tmpdir(), "bellhop-results-"));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  return { dir, md: join(dir, "results", `${JOB}.md`) };
}

async function write(results: Results, ...parts: string[]): Promise<{ sha256: string | null; beginning: string }> {
  const answer = results.beginAnswer(JOB);
  for (const part of parts) await answer.write(Buffer.from(part));
  return answer.finish();
}

async function wholeAnswer(results: Results, jobId: string, end: object = { model: "m" }): Promise<void> {
  const answer = results.beginAnswer(jobId);
  await answer.write(Buffer.from("all of it"));
  answer.noteEnd(end);
  await answer.finish();
}

test("its pieces stand in their order, with the digest of the file", async () => {
  const { dir, md } = place();
  const results = await openResults(nodeDisk, dir);
  const { sha256, beginning } = await write(results, "one ", "", "가나다 ", "three");
  expect(readFileSync(md, "utf8")).toBe("one 가나다 three");
  expect(sha256).toBe(createHash("sha256").update(readFileSync(md)).digest("hex"));
  expect(beginning).toBe("one 가나다 three");
  expect(await results.read(JOB)).toEqual({ text: "one 가나다 three", left: 0 });
  expect(existsSync(`${md}.part`)).toBe(false);
});

test("nothing said is an empty file, and what is let go leaves none", async () => {
  const { dir, md } = place();
  const results = await openResults(nodeDisk, dir);
  await write(results);
  expect(readFileSync(md, "utf8")).toBe("");
  rmSync(md);
  const answer = results.beginAnswer(JOB);
  await answer.write(Buffer.from("never mind"));
  await answer.discard();
  expect(existsSync(md) || existsSync(`${md}.part`)).toBe(false);
  expect(await results.read(JOB)).toBeUndefined();
});

test("a second answer takes the place of the first, and of one that was never finished", async () => {
  const { dir, md } = place();
  const results = await openResults(nodeDisk, dir);
  await results.beginAnswer(JOB).write(Buffer.from("cut off"));
  await write(results, "first");
  await write(results, "second");
  expect(readFileSync(md, "utf8")).toBe("second");
});

test("after a crash what was written is found, and takes its name with its digest", async () => {
  const { dir, md } = place();
  const results = await openResults(nodeDisk, dir);
  const text = `${"가".repeat(50_000)}, and then`;
  writeFileSync(`${md}.part`, text);
  expect(await results.unfinished()).toEqual([JOB]);
  const { sha256, beginning = "" } = (await results.recover(JOB)) ?? {};
  expect(sha256).toBe(createHash("sha256").update(text).digest("hex"));
  // No part of a character stands at its end.
  expect(text.startsWith(beginning)).toBe(true);
  expect(beginning.length).toBeGreaterThan(20_000);
  expect(readFileSync(md, "utf8")).toBe(text);
  expect(await results.unfinished()).toEqual([]);
});

test("one that was cut off in a character is kept to the byte", async () => {
  const { dir, md } = place();
  const results = await openResults(nodeDisk, dir);
  const bytes = Buffer.from("so far 가").subarray(0, -1);
  writeFileSync(`${md}.part`, bytes);
  expect((await results.recover(JOB))?.beginning).toBe("so far ");
  expect(readFileSync(md).equals(bytes)).toBe(true);
});

test("of a long one only its ends are read, whole characters, and it is said how much lies between", async () => {
  const { dir, md } = place();
  const results = await openResults(nodeDisk, dir);
  writeFileSync(md, `a${"가".repeat(6_000_000)}z`);
  const { text = "", left = 0 } = (await results.read(JOB)) ?? {};
  expect(text.startsWith("a가가")).toBe(true);
  expect(text.endsWith("가z")).toBe(true);
  expect(text).not.toContain("\uFFFD");
  expect(left).toBe(18_000_002 - 2 * 512 * 1024);
});

test(
  "a hundred megabytes pass through little memory, and wait for a disk that is slow",
  { timeout: 60_000 },
  async () => {
    const { dir, md } = place();
    const results = await openResults(nodeDisk, dir);
    const piece = Buffer.alloc(100_000, "x");
    const answer = results.beginAnswer(JOB);
    const before = process.memoryUsage.rss();
    let most = 0;
    for (let n = 0; n < 1000; n += 1) {
      await answer.write(Buffer.from(piece));
      most = Math.max(most, process.memoryUsage.rss() - before);
    }
    await answer.finish();
    expect(readFileSync(md).length).toBe(100_000_000);
    expect(most).toBeLessThan(64 * 1024 * 1024);
  },
);

test("a file with nothing in it is no answer", async () => {
  const { dir, md } = place();
  const results = await openResults(nodeDisk, dir);
  writeFileSync(`${md}.part`, "");
  expect(await results.recover(JOB)).toBeNull();
  expect([existsSync(md), await results.unfinished()]).toEqual([false, []]);
});

test("what a disk does not take is said at the end, and can be read until it is released", async () => {
  const { dir } = place();
  const full: Disk = {
    ...nodeDisk,
    open: async (path, flags) => ({
      ...(await nodeDisk.open(path, flags)),
      write: () => Promise.reject(Object.assign(new Error("ENOSPC"), { code: "ENOSPC" })),
    }),
  };
  const results = await openResults(full, dir);
  const answer = results.beginAnswer(JOB);
  await answer.write(Buffer.from("a"));
  await answer.write(Buffer.from("b"));
  expect(await results.unsaved()).toEqual([{ jobId: JOB, answer: { text: "ab", left: 0 }, whole: false }]);
  answer.complete();
  expect(await answer.finish()).toMatchObject({ sha256: null, beginning: "ab", error: { code: "ENOSPC" } });
  expect(await results.read(JOB)).toEqual({ text: "ab", left: 0 });
  expect(await results.unsaved()).toMatchObject([{ whole: true }]);
  await results.releaseAnswer(JOB);
  expect([await results.read(JOB), await results.unsaved(), await results.unfinished()]).toEqual([undefined, [], []]);
});

test.each([0, 1, 5_000, 70_000, 3_000_000])(
  "an answer of which the disk has taken %i bytes is read whole",
  async (room) => {
    const { dir } = place();
    let left = room;
    const small: Disk = {
      ...nodeDisk,
      async open(path, flags) {
        const file = await nodeDisk.open(path, flags);
        const write = async (bytes: Uint8Array, from: number): Promise<number> => {
          if (left === 0) throw Object.assign(new Error("ENOSPC"), { code: "ENOSPC" });
          const wrote = await file.write(bytes.subarray(0, from + left), from);
          left -= wrote;
          return wrote;
        };
        return path.endsWith(".part") ? { ...file, write } : file;
      },
    };
    const results = await openResults(small, dir);
    const answer = results.beginAnswer(JOB);
    const pieces = Array.from({ length: 4_000 }, (_, number) => `${number} 한글 `.padEnd(1_000, "word "));
    for (const piece of pieces) await answer.write(Buffer.from(piece));
    expect((await answer.finish()).sha256).toBeNull();
    expect(await results.read(JOB)).toEqual({ text: pieces.join(""), left: 0 });
  },
);

test("of one that is too long for the memory its ends are kept, and it is said how much is not", async () => {
  const { dir } = place();
  const full: Disk = {
    ...nodeDisk,
    open: (path, flags) =>
      path.endsWith(".part")
        ? Promise.reject(Object.assign(new Error("ENOSPC"), { code: "ENOSPC" }))
        : nodeDisk.open(path, flags),
  };
  const results = await openResults(full, dir);
  const answer = results.beginAnswer(JOB);
  const megabyte = Buffer.alloc(1_000_000, "x");
  for (let number = 0; number < 12; number += 1) await answer.write(Buffer.from(megabyte));
  await answer.finish();
  const { text = "", left = 0 } = (await results.read(JOB)) ?? {};
  expect(text.length - 2 + left).toBe(12_000_000);
});

test("its folder is made again, private, when somebody has removed it: for an answer, its note, a patch and a file", async () => {
  const { dir, md } = place();
  const results = await openResults(nodeDisk, dir);
  await wholeAnswer(results, "job_20260301_0002");
  const folder = join(dir, "results");
  const acts = [
    () => wholeAnswer(results, JOB),
    () => results.savePatch(JOB, Buffer.from("+a")),
    () => results.attach(JOB, 0, { folder: dir, name: "a.txt", redactBytes: (bytes) => bytes }),
  ];
  writeFileSync(join(dir, "a.txt"), "sent");
  for (const act of acts) {
    rmSync(folder, { recursive: true });
    await act();
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    if (act === acts[0])
      expect([readFileSync(md, "utf8"), await results.jobsWithEndNote()]).toEqual(["all of it", [JOB]]);
  }
  expect((await results.readAttached(JOB, 0))?.toString()).toBe("sent");
});

test("an answer whose folder is removed while it is written is in memory, and its end says so; the next one is kept", async () => {
  const { dir, md } = place();
  const results = await openResults(nodeDisk, dir);
  const answer = results.beginAnswer("job_20260301_0002");
  await answer.write(Buffer.from("lost"));
  answer.noteEnd({});
  while (!existsSync(join(dir, "results", "ends"))) await setImmediate();
  rmSync(join(dir, "results"), { recursive: true });
  expect(await answer.finish()).toMatchObject({ sha256: null, error: { code: "ENOENT" } });
  expect(await results.read("job_20260301_0002")).toEqual({ text: "lost", left: 0 });
  await wholeAnswer(results, JOB);
  expect([readFileSync(md, "utf8"), await results.jobsWithEndNote()]).toEqual(["all of it", [JOB]]);
});

test("a note of the end counts where the answer is whole, under whichever of its names, and not where it is not", async () => {
  const { dir, md } = place();
  const results = await openResults(nodeDisk, dir);
  await wholeAnswer(results, JOB);
  expect(await results.jobsWithEndNote()).toEqual([JOB]);
  expect(await results.notedEnd(JOB)).toMatchObject({ end: { model: "m" }, answer: { beginning: "all of it" } });
  renameSync(md, `${md}.part`);
  expect(await results.notedEnd(JOB)).toMatchObject({ end: { model: "m" }, answer: { beginning: "all of it" } });
  expect(readFileSync(md, "utf8")).toBe("all of it");
  writeFileSync(md, "all of");
  expect(await results.notedEnd(JOB)).toBeUndefined();
});

test("a note that a power cut cut off counts as none, and those beside it as they are", async () => {
  const { dir } = place();
  const before = await openResults(nodeDisk, dir);
  await wholeAnswer(before, "job_20260301_0002");
  await wholeAnswer(before, JOB);
  const ends = join(dir, "results", "ends");
  truncateSync(ends, statSync(ends).size - 1);
  const results = await openResults(nodeDisk, dir);
  expect(await results.jobsWithEndNote()).toEqual(["job_20260301_0002"]);
  await wholeAnswer(results, JOB);
  expect((await results.jobsWithEndNote()).sort()).toEqual([JOB, "job_20260301_0002"]);
});

test("the notes of a start are gone when they are not needed, and then those of many jobs, but none that is needed", async () => {
  const { dir } = place();
  await wholeAnswer(await openResults(nodeDisk, dir), JOB);
  const results = await openResults(nodeDisk, dir);
  await results.forgetEnd(JOB);
  expect(await results.jobsWithEndNote()).toEqual([]);
  const end = { model: "m".repeat(8_000) };
  const ids = Array.from({ length: 10 }, (_, at) => `job_20260301_${1_000 + at}`);
  for (const id of ids) await wholeAnswer(results, id, end);
  for (const id of ids.slice(1)) await results.forgetEnd(id);
  expect(await results.notedEnd(ids[0] ?? "")).toMatchObject({ end });
  // What is written while the file is emptied comes after that.
  await Promise.all([results.forgetEnd(ids[0] ?? ""), wholeAnswer(results, JOB)]);
  expect(await results.notedEnd(JOB)).toMatchObject({ end: { model: "m" } });
});
