import { expect, test } from "vitest";

import {
  bitFlips,
  damagedSnapshots,
  foreignSnapshots,
  shuffledLines,
  truncations,
  truncationsBehindSnapshots,
} from "./damage.ts";
import { everyFault } from "./faults.ts";
import { atomicWrites } from "./atomic-write.ts";
import { writeAtomically } from "../../src/base/disk.ts";
import { long, real } from "./sample-state.ts";

test("cut at any byte, the whole lines are kept and the torn one is set aside", async () => {
  await truncations(real, long ? 100 : 40);
  await truncationsBehindSnapshots(real, long ? 1000 : 60);
}, 1_800_000);

test("any flipped bit is refused or harmless", async () => {
  expect(await bitFlips(real, long ? 100 : 16)).toBeGreaterThan(5000);
}, 1_800_000);

test("lines swapped, doubled, left out or put in from an older file are refused", async () => {
  await shuffledLines(real, long ? 1000 : 60);
}, 1_800_000);

test("a snapshot that is cut, flipped, missing or old is rebuilt or refused", async () => {
  await damagedSnapshots(real, 20);
});

test("a journal that ends before its snapshot, or is another one, is refused", async () => {
  await foreignSnapshots(real, 20);
});

test("whichever operation of the disk fails, however: it is said, and nothing acknowledged is lost", async () => {
  expect(await everyFault(real)).toBeGreaterThan(400);
});

test("an atomic write is the old content or the new, and the new once it resolved", async () => {
  await atomicWrites(writeAtomically, 500);
});
