import { describe, expect, test } from "vitest";

import { atomicWrites } from "./atomic-write.ts";
import { bitFlips, damagedSnapshots, foreignSnapshots, shuffledLines, truncations } from "./damage.ts";
import { everyFault } from "./faults.ts";
import { real } from "./sample-state.ts";
import { type Edit, type Mutant, mutant } from "./mutants.ts";
import { powerLoss } from "./power.ts";

async function power(implementation: Mutant): Promise<void> {
  for (let seed = 1; seed <= 3000; seed += 1) await powerLoss(implementation, { seed, short: seed % 2 === 0 });
}

const atomic = (implementation: Mutant): Promise<void> => atomicWrites(implementation.writeAtomically, 500);
const faults = (implementation: Mutant): Promise<unknown> => everyFault(implementation);

interface Case extends Edit {
  without: string;
  caughtBy: (implementation: Mutant) => Promise<unknown>;
}

const WRITER = "journal/writer.ts";
const READER = "journal/reader.ts";
const FORMAT = "journal/format.ts";
const DISK = "base/disk.ts";

const cases: Case[] = [
  {
    without: "the sync of an append",
    file: WRITER,
    find: "() => this.#file.datasync()",
    put: "async () => undefined",
    caughtBy: power,
  },
  {
    without: "waiting for the sync",
    file: WRITER,
    find: 'await attempt(this.#path, "sync", () => this.#file.datasync());',
    put: 'attempt(this.#path, "sync", () => this.#file.datasync()).catch(() => undefined);',
    caughtBy: faults,
  },
  {
    without: "the sync of what an earlier process left",
    file: WRITER,
    find: "    await file.sync();\n",
    put: "",
    caughtBy: power,
  },
  {
    without: "the directory's sync after creation",
    file: WRITER,
    find: "    await disk.syncDirectory(dir);\n",
    put: "",
    caughtBy: power,
  },
  {
    without: "the directory's sync after the rename of a segment",
    file: "journal/writer.ts",
    find: 'await attempt(dir, "sync", () => disk.syncDirectory(dir));',
    put: "",
    caughtBy: power,
  },
  {
    without: "giving up for good after an error",
    file: WRITER,
    find: "    this.#failed = error;\n",
    put: "    this.#running = undefined;\n",
    caughtBy: faults,
  },
  {
    without: "the write loop",
    file: DISK,
    find: "while (out < bytes.length) {",
    put: "if (out < bytes.length) {",
    caughtBy: power,
  },
  {
    without: "the file's sync before a rename",
    file: DISK,
    find: "    await file.sync();\n",
    put: "",
    caughtBy: atomic,
  },
  {
    without: "the directory's sync after a rename",
    file: DISK,
    find: "  await disk.syncDirectory(directory);\n",
    put: "",
    caughtBy: atomic,
  },
  {
    without: "a temporary file",
    file: DISK,
    find: "    await writeSynced(disk, temporary, bytes instanceof Uint8Array ? [bytes] : bytes);\n    await disk.rename(temporary, path);",
    put: '    const file = await disk.open(path, "r+");\n    await file.truncate(0);\n    for (const piece of bytes instanceof Uint8Array ? [bytes] : bytes) await writeAll(file, piece);\n    await file.sync();',
    caughtBy: atomic,
  },
  {
    without: "the crc",
    file: FORMAT,
    find: "return parseHex(bytes, seal + 8) === crc ? crc : -1;",
    put: "return crc;",
    caughtBy: (each) => bitFlips(each, 4),
  },
  {
    without: "the snapshot's crc",
    file: "journal/snapshot.ts",
    find: " || checkSeal(bytes, 0, end) < 0",
    put: "",
    caughtBy: (each) => damagedSnapshots(each, 20),
  },
  {
    without: "the sequence check",
    file: READER,
    find: "if (event.seq !== state.seq + 1)",
    put: "if (event.seq < 1)",
    caughtBy: (each) => shuffledLines(each, 10),
  },
  {
    without: "telling a flipped newline from a tear",
    file: "journal/tail.ts",
    find: 'return { kind: "damaged", found: "neither a record nor the beginning of one" };',
    put: 'return { kind: "torn" };',
    caughtBy: (each) => bitFlips(each, 4),
  },
  {
    without: "keeping a copy of the torn part",
    file: "journal/tail.ts",
    find: "  await writeAtomically(disk, copy, torn);\n",
    put: "",
    caughtBy: (each) => truncations(each, 3),
  },
  {
    without: "keeping a record that lacks its newline",
    file: "journal/tail.ts",
    find: 'return { kind: "whole", event: decoded.event, crc: decoded.crc, length };',
    put: 'return { kind: "torn" };',
    caughtBy: (each) => truncations(each, 3),
  },
  {
    without: "cutting the torn part off",
    file: "journal/tail.ts",
    find: "(file) => file.truncate(live.bytes)",
    put: "async () => undefined",
    caughtBy: power,
  },
  {
    without: "the end compared with the snapshot's",
    file: READER,
    find: "if (last.seq < state.skipTo)",
    put: "if (last.seq < 0)",
    caughtBy: (each) => foreignSnapshots(each, 6),
  },
  {
    without: "the crc where the snapshot ends",
    file: READER,
    find: "&& hex(crc) !== from.crc",
    put: "&& crc < 0",
    caughtBy: (each) => foreignSnapshots(each, 6),
  },
  {
    without: "waiting for the disk before it is believed",
    file: "journal/journal.ts",
    find: "written.then(() => confirm(end))",
    put: "(written.catch(() => undefined), Promise.resolve(confirm(end)))",
    caughtBy: power,
  },
];

describe("a journal that lacks one of its safeguards does not get through:", () => {
  test.for(cases)("without $without", { timeout: 120_000 }, async ({ caughtBy, file, find, put }) => {
    const broken = await mutant({ file, find, put });
    await expect(caughtBy(broken)).rejects.toThrow();
  });

  test("the copy gets through unchanged", { timeout: 120_000 }, async () => {
    const copy = await mutant({ file: WRITER, find: "export class Writer {", put: "export class Writer { " });
    expect(copy.openJournal).not.toBe(real.openJournal);
    await bitFlips(copy, 2);
    await truncations(copy, 2);
    await shuffledLines(copy, 4);
    await foreignSnapshots(copy, 4);
    await damagedSnapshots(copy, 6);
    await everyFault(copy, 5);
    await atomic(copy);
    for (let seed = 1; seed <= 100; seed += 1) await powerLoss(copy, { seed, short: true });
  });
});
