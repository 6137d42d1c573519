/**
 * What a session's agent tells of itself: its model, mode and commands, what it offers to choose from, and what its
 * conversation has used. Kept with the session as it was last told, for when the agent sleeps and after a restart.
 */
import type { Cost } from "../jobs/cost.ts";
import type { Slice } from "../slice.ts";
import type { State } from "../state.ts";

/** What its owner may choose for an agent. `effort`: how much it is to think. */
export type Choice = "model" | "mode" | "effort";

/** A model, a mode or an effort as its agent names it. */
export interface Offered {
  id: string;
  name: string;
  /** For a mode: it is not known whether the agent asks in it before it acts. */
  unsure?: true;
}

/** A command of the agent's own: a prompt that begins with `/` and its name. Names may hold blanks and `$`. */
export interface CommandOffered {
  name: string;
  description: string;
  /** What may follow its name; empty: nothing is known. */
  hint: string;
}

/** What an agent tells of its session; each is absent where it does not tell. */
export interface AgentFacts {
  /** What it calls itself. */
  name?: string;
  /** The id of its model. */
  model?: string;
  models?: readonly Offered[];
  /** How much it thinks. */
  effort?: string;
  /** The efforts that its model has. */
  efforts?: readonly Offered[];
  /** The id of its mode. */
  mode?: string;
  /** The modes that its owner may choose. */
  modes?: readonly Offered[];
  commands?: readonly CommandOffered[];
  /** Tokens in its context, and the context's capacity. */
  context?: { used: number; size: number };
  /** Since the session began. */
  cost?: Cost;
  /** How much of its account's limits is used: percent, and when that is reset, in milliseconds since the epoch. */
  limits?: Record<"session" | "weekly", { percent: number; resetsAt: number | null } | null>;
  /** Of a Claude in a window: the process that told this. */
  pid?: number;
}

/** Whether a prompt is one of its agent's own commands, as far as that has told them. */
export function isOwnCommand(
  { threads }: State,
  { thread_id, tool, prompt }: { thread_id: string; tool: string; prompt: string },
): boolean {
  const name = /^\/(\S+)/.exec(prompt)?.[1];
  return (threads[thread_id]?.told?.[tool]?.commands ?? []).some((one) => one.name === name);
}

export interface ToldEvent {
  type: "AgentTold";
  /** Only what has changed. */
  payload: { thread_id: string; tool: string; told: AgentFacts };
}

export interface ToldCommand {
  type: "note_told";
  thread_id: string;
  tool: string;
  told: AgentFacts;
}

export function decideTold({ threads }: State, { thread_id, tool, told }: ToldCommand): ToldEvent[] {
  const thread = threads[thread_id];
  const kept: Record<string, unknown> = { ...thread?.told?.[tool] };
  const fresh = Object.fromEntries(
    Object.entries(told).filter(([key, value]) => JSON.stringify(value) !== JSON.stringify(kept[key])),
  );
  return thread === undefined || Object.keys(fresh).length === 0
    ? []
    : [{ type: "AgentTold", payload: { thread_id, tool, told: fresh } }];
}

export function evolveTold({ threads }: State, { payload: { thread_id, tool, told } }: ToldEvent): void {
  const thread = threads[thread_id];
  if (thread) thread.told = { ...thread.told, [tool]: { ...thread.told?.[tool], ...structuredClone(told) } };
}

export const toldSlice: Slice<ToldCommand, ToldEvent> = {
  decide: { note_told: decideTold },
  evolve: { AgentTold: evolveTold },
  kinds: "told",
};
