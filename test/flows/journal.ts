/** The journal as it is on the disk. It is looked at after each of its changes: only what is new is parsed. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { World } from "./world.ts";

export interface JournalEvent {
  seq: number;
  ts: string;
  type: string;
  payload: Record<string, unknown>;
}

const known = new WeakMap<World, { bytes: Buffer; events: JournalEvent[] }>();

/** Whole lines only: the last one may still be on its way. */
export function journalOf(world: World): readonly JournalEvent[] {
  const file = join(world.stateDir, "events.ndjson");
  const all = existsSync(file) ? readFileSync(file) : Buffer.alloc(0);
  const bytes = all.subarray(0, all.lastIndexOf("\n") + 1);
  const before = known.get(world);
  // A test may have changed what is old.
  const goesOn = before?.bytes.equals(bytes.subarray(0, before.bytes.length)) === true;
  const [from, events] = goesOn ? [before.bytes.length, before.events] : [0, []];
  for (const line of bytes.subarray(from).toString().split("\n").slice(0, -1))
    events.push(JSON.parse(line) as JournalEvent);
  known.set(world, { bytes, events });
  return events;
}
