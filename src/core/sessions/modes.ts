/**
 * In which mode a session's agent is, where that is not simply the one in which the tool always begins. What an agent
 * chose for itself, such as to plan first, still holds when it wakes.
 */
import type { Slice } from "../slice.ts";
import type { State } from "../state.ts";
/** Bellhop set it, the agent is in it by itself, the project's arguments name it, or the owner chose it in Discord. */
export type ModeBy = "bellhop" | "agent" | "config" | "owner";

export interface Mode {
  mode: string;
  by: ModeBy;
}

/** `chosen`: what the owner chose last in Discord, whatever mode it is in now; absent: nothing. */
export type KeptMode = Mode & { chosen?: string };

interface InTurn {
  /** The job, or the outside turn, in which the agent changed its mode. Absent: it changed in neither. */
  job_id?: string;
}

export interface ModeEvent {
  type: "ModeSet";
  payload: { thread_id: string; tool: string } & Mode & InTurn;
}

export interface ModeCommand extends Mode, InTurn {
  type: "set_mode";
  thread_id: string;
  tool: string;
}

export function decideMode({ threads }: State, { type: _type, ...payload }: ModeCommand): ModeEvent[] {
  const thread = threads[payload.thread_id];
  const kept = thread?.modes?.[payload.tool];
  const isKnown = kept?.mode === payload.mode && (payload.by !== "owner" || kept.chosen === payload.mode);
  return !thread || isKnown ? [] : [{ type: "ModeSet", payload }];
}

export function evolveMode(
  { threads, runs }: State,
  { payload: { thread_id, tool, mode, by, job_id } }: ModeEvent,
): void {
  const thread = threads[thread_id];
  const run = runs[job_id ?? ""];
  if (run?.begun) run.begun.changed_mode = mode;
  if (!thread) return;
  const chosen = by === "owner" ? mode : thread.modes?.[tool]?.chosen;
  thread.modes = { ...thread.modes, [tool]: { mode, by, ...(chosen !== undefined && { chosen }) } };
}

export const modeSlice: Slice<ModeCommand, ModeEvent> = {
  decide: { set_mode: decideMode },
  evolve: { ModeSet: evolveMode },
  kinds: "choice",
};
