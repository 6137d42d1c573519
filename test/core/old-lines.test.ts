/** Lines of every event type as they were first written: each later version must read them and come to the same state. */
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../src/base/clock.ts";
import { nodeDisk } from "../../src/base/disk.ts";
import { emptyState, evolve, eventTypes, type Recorded } from "../../src/core/house.ts";
import { openJournal } from "../../src/journal/journal.ts";

const fixtures = join(import.meta.dirname, "..", "fixtures", "journal");
const page = readFileSync(join(import.meta.dirname, "..", "..", "docs", "journal-format.md"), "utf8");

test("a journal of the first version is read to the state it meant then", async () => {
  const dir = mkdtempSync(join(tmpdir(), "bellhop-old-"));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  copyFileSync(join(fixtures, "v1.ndjson"), join(dir, "events.ndjson"));
  const state = emptyState();
  const types = new Set<string>();
  const journal = await openJournal({
    dir,
    disk: nodeDisk,
    clock: systemClock,
    knows: (type) => (eventTypes as ReadonlySet<string>).has(type),
    restore: () => undefined,
    apply(event) {
      types.add(event.type);
      evolve(state, event as unknown as Recorded);
    },
  });
  await journal.close();
  expect(state).toEqual(JSON.parse(readFileSync(join(fixtures, "v1.state.json"), "utf8")));
  // Every type there is has a line in the fixture; a new one needs a fixture of its own.
  expect([...types].sort()).toEqual([...eventTypes].sort());
});

test("the page about the journal has every event type, and no other", () => {
  const listed = [...page.matchAll(/^\| `([A-Z]\w+)` \|/gm)].map(([, type]) => type);
  expect(listed.sort()).toEqual([...eventTypes].sort());
});
