/** The text of a snapshot, which is made in pieces. */
import { FORMAT, SHAPE } from "../../src/core/state.ts";
import { crc32 } from "node:zlib";
import { expect, test } from "vitest";
import { loadSnapshot, writeSnapshot } from "../../src/journal/snapshot.ts";
import { MemoryDisk } from "../fakes/disk/memory-disk.ts";

const at = { seq: 7, crc: "0000abcd" };

/** What JSON makes of the whole at once, sealed. */
function atOnce(state: object): string {
  const text = JSON.stringify({ version: 1, shape: SHAPE, last_seq: at.seq, last_crc: at.crc, ...state });
  return `${text.slice(0, -1)},"crc":"${crc32(text).toString(16).padStart(8, "0")}"}\n`;
}

const many = Object.fromEntries(
  Array.from({ length: 3_000 }, (_, index) => [
    `job_${index}`,
    { prompt: `✅ ${"é".repeat(index % 90)} 👩‍💻`, files: [], at: null },
  ]),
);

test.each([
  [
    "a large one",
    {
      version: FORMAT,
      jobs: many,
      posts: Object.assign(Object.create(null), many) as object,
      count: { day: "20260101", jobs: 3, turns: 4 },
    },
  ],
  ["an empty one", {}],
  [
    "one with empty records, lists and what JSON leaves out",
    {
      jobs: {},
      active_project: null,
      is_full: false,
      turns: undefined,
      threads: { one: undefined, two: [undefined] },
      list: [1, "\ud800"],
      '"': "\n",
    },
  ],
])("the pieces of a snapshot are together what JSON makes of the state at once: %s", async (_, state) => {
  const disk = new MemoryDisk("/state");
  const bytes = await writeSnapshot(disk, "/state", at, state);
  const written = disk.bytes("/state/snapshot.json");
  expect(written.toString()).toBe(atOnce(state));
  expect(bytes).toBe(written.length);
  expect(await loadSnapshot(disk, "/state")).toMatchObject({
    kind: "good",
    at,
    state: JSON.parse(JSON.stringify(state)) as object,
  });
});
