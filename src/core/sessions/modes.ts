/**
 * In which mode a session's agent is, where that is not simply the one in which the tool always begins. What an agent
 * chose for itself, such as to plan first, still holds when it wakes.
 */
/** Bellhop set it, the agent is in it by itself, or the project's arguments name it. */
export type ModeBy = "bellhop" | "agent" | "config";

export interface Mode {
  mode: string;
  by: ModeBy;
}

export interface ModeEvent {
  type: "ModeSet";
  payload: { thread_id: string; tool: string } & Mode;
}

export interface ModeCommand extends Mode {
  type: "set_mode";
  thread_id: string;
  tool: string;
}

/** What of the threads is read and written here. */
interface Moded {
  threads: Record<string, { modes?: Record<string, Mode> }>;
}

export function decideMode({ threads }: Moded, { type: _type, ...payload }: ModeCommand): ModeEvent[] {
  const thread = threads[payload.thread_id];
  return !thread || thread.modes?.[payload.tool]?.mode === payload.mode ? [] : [{ type: "ModeSet", payload }];
}

export function evolveMode({ threads }: Moded, { payload: { thread_id, tool, mode, by } }: ModeEvent): void {
  const thread = threads[thread_id];
  if (thread) thread.modes = { ...thread.modes, [tool]: { mode, by } };
}
