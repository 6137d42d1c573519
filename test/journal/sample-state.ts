/**
 * A small state on top of the journal, for the tests: the list of the ids of its events, so what was lost, doubled or
 * changed shows at once.
 */
import type { Clock } from "../../src/base/clock.ts";
import type { Disk } from "../../src/base/disk.ts";
import { type EventDraft, type JournalEvent, encode } from "../../src/journal/format.ts";
import { type Journal, type JournalNotice, openJournal } from "../../src/journal/journal.ts";
import { MemoryDisk } from "../fakes/disk/memory-disk.ts";

/** The piece under test: the real one, or a copy that was broken on purpose. */
export interface Implementation {
  openJournal: typeof openJournal;
}

export const real: Implementation = { openJournal };

export const DIR = "/state";
export const TS = "2026-02-26T14:21:00.000Z";

/** Time that stands still: snapshots then come by count alone. */
export const still: Clock = { now: () => Date.parse(TS), monotonic: () => 0, after: () => () => undefined };

export interface House {
  journal: Journal;
  /** The ids, in order, as snapshot and replay told them and as they were acknowledged since. */
  ids: number[];
  notices: JournalNotice[];
  /** Appends one event an id, all in one append; then lets a snapshot be taken. */
  tell(...ids: number[]): Promise<void>;
}

export interface HouseOptions {
  segmentBytes?: number;
  everyEvents?: number;
  knows?: (event: { type: string }) => boolean;
}

/** Opens the journal of `DIR` on the disk. */
export async function openHouse(
  { openJournal: open }: Implementation,
  disk: Disk,
  options: HouseOptions = {},
): Promise<House> {
  let ids: number[] = [];
  const journal = await open({
    dir: DIR,
    disk,
    clock: still,
    canRead: options.knows ?? (() => true),
    restore(state) {
      ids = state === null ? [] : [...(state["ids"] as number[])];
    },
    apply: (event) => ids.push(idOf(event)),
    segmentBytes: options.segmentBytes ?? 1e9,
    rhythm: { everyEvents: options.everyEvents ?? 1e9, everyMs: options.everyEvents === undefined ? 1e9 : 0 },
  });
  let at = journal.last.seq;
  return {
    journal,
    ids,
    notices: journal.notices as JournalNotice[],
    async tell(...told) {
      const { seq } = await journal.append(told.map(draft));
      ids.push(...told);
      at = Math.max(at, seq);
      journal.snapshotSoon(() => ({ seq: at, state: { ids } }));
    },
  };
}

/** An event that carries the id and, by its length, lines of many sizes. */
export function draft(id: number): EventDraft {
  return { type: "JobProgress", payload: { id, text: "é한".repeat(id % 7) } };
}

/** @throws when the payload is not that of `draft` */
export function idOf(event: JournalEvent): number {
  const { id } = event.payload as { id: number };
  if (JSON.stringify(event.payload) !== JSON.stringify(draft(id).payload))
    throw new Error(`changed: ${JSON.stringify(event)}`);
  return id;
}

/** The lines of events 1 to `count`, each with its newline. */
export function lines(count: number, first = 1): Buffer[] {
  return Array.from({ length: count }, (_, index) => encode(draft(first + index), first + index, TS).line);
}

export function numbers(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index + 1);
}

/** A disk whose journal is these bytes. */
export function diskWith(live: Uint8Array): MemoryDisk {
  const disk = new MemoryDisk(DIR);
  disk.put(`${DIR}/events.ndjson`, live);
  return disk;
}

/** The code of what the promise rejects with; `ok` when it does not. */
export async function codeOf(promise: Promise<unknown>): Promise<string> {
  try {
    await promise;
    return "ok";
  } catch (error) {
    return error instanceof Error && "code" in error ? String(error.code) : `not a code: ${String(error)}`;
  }
}

export function same(a: readonly number[], b: readonly number[]): boolean {
  return a.length === b.length && a.every((value, index) => value === b[index]);
}

/** Full sizes, by `npm run test:long`. */
export const long = process.env["BELLHOP_TEST_LONG"] === "1";
