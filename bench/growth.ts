/**
 * What is kept must cost nothing: a message behind two million events, and the writing of a large state's snapshot,
 * which must not hold up the daemon's event loop.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { nodeDisk } from "../src/base/disk.ts";
import { evolve } from "../src/core/evolve.ts";
import { emptyState, type RecordedEvent } from "../src/core/state.ts";
import { rebuildInThread } from "../src/engine/rebuild-snapshot.ts";
import { encode, type Position } from "../src/journal/format.ts";
import { writeSnapshot } from "../src/journal/snapshot.ts";
import { history } from "./history.ts";
import { HISTORY_TS, writeJournal, type Figure } from "./journal.ts";
import { begin, costs, MANY, stored, type Cost } from "./scale.ts";
import { ms, pause } from "./stage.ts";

/** One message with so many events behind the snapshot, beside one to a daemon that has none; in turns. */
export async function behind(events = 2_000_000, rounds = 5, messages = 100): Promise<Figure[]> {
  const [empty, full] = await Promise.all([
    begin(async () => () => true),
    begin(({ home }) => keep(join(home, "state"), events)),
  ]);
  if (!empty || !full) throw new Error("the daemons did not start");
  try {
    const queued: [Cost[], Cost[]] = [[], []];
    const answered: [Cost[], Cost[]] = [[], []];
    for (let round = 0; round < rounds; round += 1) {
      for (const [index, stand] of [empty, full].entries()) queued[index]?.push(await stand.queue(messages));
      for (const [index, stand] of [empty, full].entries()) answered[index]?.push(await stand.answer(messages / 10));
    }
    const what = `${events} events behind a snapshot to none`;
    return [
      costs(`one message queued behind a running one: ${what}`, queued),
      costs(`one message answered by an agent: ${what}`, answered),
    ];
  } finally {
    await Promise.all([empty.close(), full.close()]);
  }
}

async function keep(dir: string, events: number): Promise<() => boolean> {
  const last = writeJournal(dir, events, history);
  const state = emptyState();
  for (let seq = 1; seq <= events; seq += 1) evolve(state, { ...history.draft(seq), ts: HISTORY_TS } as RecordedEvent);
  await writeSnapshot(nodeDisk, dir, last, state);
  return () => true;
}

/** How long the event loop is held while a large state's snapshot is written, as the daemon does it, and at once. */
export async function snapshotHolds(rounds = 7): Promise<Figure> {
  const dir = mkdtempSync(join(tmpdir(), "bellhop-bench-"));
  try {
    const { at, state } = large(dir);
    const [none, apart, once]: [number[], number[], number[]] = [[], [], []];
    let bytes = 0;
    for (let round = 0; round < rounds; round += 1) {
      none.push(await held(() => pause(500)));
      apart.push(await held(async () => void (bytes = await rebuildInThread({ dir, at }))));
      once.push(await held(() => writeSnapshot(nodeDisk, dir, at, state)));
    }
    const worst = Math.max(...apart);
    return {
      name: `a snapshot of ${(bytes / 2 ** 20).toFixed(0)} MB is written ${rounds} times: the event loop is held`,
      reached: `at most ${ms(worst)}; by nothing at most ${ms(Math.max(...none))}, at once at most ${ms(Math.max(...once))}`,
      value: worst,
      bar: "< 20 ms",
      holds: worst < 20,
    };
  } finally {
    rmSync(dir, { recursive: true });
  }
}

function large(dir: string): { at: Position; state: object } {
  const state = emptyState();
  const lines: Buffer[] = [];
  let at: Position = { seq: 0, crc: "" };
  for (const event of stored(MANY, "/pending", HISTORY_TS)) {
    evolve(state, { ...event, ts: HISTORY_TS });
    const { line, crc } = encode(event, lines.length + 1, HISTORY_TS);
    lines.push(line);
    at = { seq: lines.length, crc };
  }
  writeFileSync(join(dir, "events.ndjson"), Buffer.concat(lines));
  return { at, state };
}

/** The longest time between two looks at the clock, less the time that is meant to lie between them. */
async function held(act: () => Promise<unknown>): Promise<number> {
  const every = 2;
  const loop = monitorEventLoopDelay({ resolution: every });
  loop.enable();
  await pause(50);
  loop.reset();
  await pause(50);
  await act();
  await pause(50);
  loop.disable();
  return Math.max(0, loop.max / 1e6 - every);
}
