/**
 * What a session's agent does in the background, in words. It is known only to the agent's process, so it is on record:
 * when the daemon was killed, and the process with it, the thread is told what was lost.
 */
import type { ErrorCode } from "../../base/errors.ts";
import type { Slice } from "../slice.ts";
import type { State } from "../state.ts";

/** `what` is empty if it does nothing any more. */
export type BackgroundEvent = { type: "BackgroundNoted"; payload: { thread_id: string; tool: string; what: string } };

export interface BackgroundCommand {
  type: "note_background";
  thread_id: string;
  tool: string;
  what: string;
}

/** An outside turn that ends with one of these codes tells its thread that the background work is over. */
const TOLD: ReadonlySet<ErrorCode | undefined> = new Set(["E_BACKGROUND_ENDED", "E_BACKGROUND_SILENT"]);

export function decideBackground({ threads }: State, { type: _type, ...noted }: BackgroundCommand): BackgroundEvent[] {
  const thread = threads[noted.thread_id];
  return !thread || (thread.background?.what ?? "") === noted.what ? [] : [{ type: "BackgroundNoted", payload: noted }];
}

export function evolveBackground({ threads }: State, { payload: { thread_id, tool, what } }: BackgroundEvent): void {
  const thread = threads[thread_id];
  if (!thread) return;
  if (what === "") delete thread.background;
  else thread.background = { tool, what };
}

/** An outside turn has ended in this thread: if it told of background work, that is over. */
export function backgroundTold(thread: State["threads"][string], code: ErrorCode | undefined): void {
  if (TOLD.has(code)) delete thread.background;
}

export const backgroundSlice: Slice<BackgroundCommand, BackgroundEvent> = {
  decide: { note_background: decideBackground },
  evolve: { BackgroundNoted: evolveBackground },
  kinds: "told",
};
