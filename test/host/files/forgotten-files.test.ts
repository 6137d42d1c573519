/** The files of a forgotten session are removed, wherever they are; those of others, and what links lead to, are not. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { journalCopies, removeFilesOf } from "../../../src/host/files/forgotten-files.ts";

const THREAD = "100000000000000010";
const OTHER = "100000000000000020";
const JOB = "job_20260226_0001";

function state(...files: string[]): string {
  const dir = mkdtempSync(join(tmpdir(), "bellhop-forgotten-"));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  for (const file of files) {
    mkdirSync(join(dir, dirname(file)), { recursive: true });
    writeFileSync(join(dir, file), "x");
  }
  return dir;
}

const of = (dir: string) => ({
  threadId: THREAD,
  works: [JOB, "turn_20260226_a"],
  decisions: [
    { id: "dec_1", mirrored: null },
    { id: "mcp_1", mirrored: join(dir, "pending") },
    { id: "mcp_2", mirrored: join(dir, "nowhere") },
  ],
});

test("answers, patches, files, requests, logs, uploads, outputs and mirrored questions go; what is another's stays", async () => {
  const theirs = [
    ...[
      `results/${JOB}.md`,
      `results/${JOB}.patch`,
      `results/${JOB}.file-0`,
      `results/.${JOB}.md.0123456789abcdef.tmp`,
    ],
    ...["results/turn_20260226_a.md", "decisions/dec_1.json", "pending/mcp_1.json", `logs/job/${JOB}.log`],
    ...[`logs/sessions/${THREAD}.log`, `uploads/${THREAD}/1/0-a.txt`, `outputs/${THREAD}/b/c.png`],
  ];
  const others = [
    ...["results/job_20260226_00011.md", "decisions/dec_11.json", "pending/mcp_11.json", "logs/app.ndjson"],
    ...[`logs/sessions/${OTHER}.log`, `uploads/${OTHER}/1/0-a.txt`, `outputs/${OTHER}/b.png`],
  ];
  const dir = state(...theirs, ...others);
  for (let once = 0; once < 2; once += 1) {
    await removeFilesOf({ stateDir: dir, logDir: join(dir, "logs") }, of(dir));
    expect(theirs.filter((file) => existsSync(join(dir, file)))).toEqual([]);
    expect(others.filter((file) => !existsSync(join(dir, file)))).toEqual([]);
  }
});

test("a link in a folder's place is removed, and what it leads to stays", async () => {
  const dir = state("elsewhere/kept.txt", `uploads/${OTHER}/x`);
  symlinkSync(join(dir, "elsewhere"), join(dir, "uploads", THREAD));
  await removeFilesOf({ stateDir: dir, logDir: join(dir, "logs") }, of(dir));
  expect(readdirSync(join(dir, "uploads"))).toEqual([OTHER]);
  expect(existsSync(join(dir, "elsewhere", "kept.txt"))).toBe(true);
});

test("copies of the journal are named", async () => {
  const copies = ["events-000000000001.ndjson.damaged-20260226T142100000Z", "events.ndjson.torn-20260226T142100000Z"];
  expect(await journalCopies(state(...copies, "events.ndjson", "snapshot.json"))).toEqual(copies);
});
