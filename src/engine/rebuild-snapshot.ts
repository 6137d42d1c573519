/**
 * A snapshot made of what is on disk, as a start makes its state: the last snapshot and the events since. The daemon's
 * own state would change while it is turned into text bit by bit, and doing that at once would hold up everything else,
 * so a large one is made in a thread of its own. Until it is there, only the last one and the journal count.
 */
import type { Disk } from "../base/disk.ts";
import { evolve, understands } from "../core/evolve.ts";
import { restoreState, type RecordedEvent } from "../core/state.ts";
import { BellhopError } from "../base/errors.ts";
import type { Blanked, Blanking } from "../journal/blanking.ts";
import type { Position } from "../journal/format.ts";
import { readJournal } from "../journal/reader.ts";
import { loadSnapshot, writeSnapshot } from "../journal/snapshot.ts";

/** What the thread is told. */
export interface Rebuild {
  /** The state directory. */
  dir: string;
  at: Position;
}

/**
 * Writes the snapshot at this event, which is on disk; later ones may be being written. Returns its size in bytes.
 * @throws what cannot be read or written; then the last snapshot stays
 */
export async function rebuildSnapshot(disk: Disk, { dir, at }: Rebuild): Promise<number> {
  const loaded = await loadSnapshot(disk, dir);
  const from = loaded.kind === "good" ? loaded.at : undefined;
  const state = restoreState(loaded.kind === "good" ? loaded.state : null);
  const onEvent = (event: object): void => evolve(state, event as RecordedEvent);
  const { last } = await readJournal({
    disk,
    dir,
    canRead: understands,
    onEvent,
    until: at.seq,
    ...(from && { from }),
  });
  if (last.seq !== at.seq || last.crc !== at.crc)
    throw new Error(`the journal has ${last.seq} ${last.crc} where ${at.seq} ${at.crc} was expected`);
  return writeSnapshot(disk, dir, at, state);
}

/** The same in a thread of its own. */
export function rebuildInThread(rebuild: Rebuild): Promise<number> {
  return inThread(rebuild);
}

/** Blanks in a thread of its own: it reads the whole journal. */
export function blankInThread(blanking: Blanking, closing: AbortSignal): Promise<Blanked> {
  return inThread(blanking, closing);
}

/** What a thread answers. An error of ours would lose its code on the way. */
export type ThreadAnswer = { result: unknown } | { refused: Pick<BellhopError, "code" | "details"> };

/** @param closing ends it at once */
async function inThread<Result>(workerData: Rebuild | Blanking, closing?: AbortSignal): Promise<Result> {
  closing?.throwIfAborted();
  const { Worker } = await import("node:worker_threads");
  // In the package, everything is beside the program.
  const program = import.meta.url.endsWith(".ts") ? "./snapshot-thread.ts" : "./snapshot-thread.js";
  const thread = new Worker(new URL(program, import.meta.url), { workerData, execArgv: [] });
  closing?.addEventListener("abort", () => void thread.terminate(), { once: true });
  return new Promise((resolve, reject) => {
    thread.once("message", (answer: ThreadAnswer) => {
      if ("result" in answer) resolve(answer.result as Result);
      else reject(new BellhopError(answer.refused.code, answer.refused.details));
    });
    thread.once("error", reject);
    thread.once("exit", (code) => reject(new Error(`the thread ended with ${code}`)));
  });
}
