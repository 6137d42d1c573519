/**
 * Posts that agents requested through their tools: recorded before they are sent and again when they are posted, under
 * a name that every repetition of the call has. A call repeated after a restart gets the existing message, not a second
 * one.
 */
import type { Slice } from "../slice.ts";
import type { State } from "../state.ts";

export interface AgentPost {
  channel_id: string;
  /** Null: it may have been sent, but whether it arrived is not known yet. */
  message_id: string | null;
  /** ISO 8601: before it was first sent. */
  at: string;
}

export interface AgentNotice {
  level: "info" | "warning" | "success" | "error";
  message: string;
}

export interface AgentReport {
  title: string;
  summary: string;
  details: string[];
}

/** Where an agent's post goes. */
export interface AgentPostTarget {
  project: string;
  channel_id: string;
  /** The channel that this must be, or be a thread of; null: any place of ours. */
  within: string | null;
  /** The same for every repetition of one message. */
  request_id: string;
}

export interface AgentPostEvent {
  type: "AgentPostNoted";
  payload: { request: string; channel_id: string; message_id: string | null };
}

export type AgentPostCommand = { type: "note_agent_post" } & AgentPostEvent["payload"];

/** No call is repeated after this many others. Changing it changes replay. */
const KEPT = 500;

export function decideAgentPost(
  { agent_posts }: State,
  { request, channel_id, message_id }: AgentPostCommand,
): AgentPostEvent[] {
  const known = agent_posts[request];
  if (known !== undefined && (known.message_id !== null || message_id === null)) return [];
  return [{ type: "AgentPostNoted", payload: { request, channel_id, message_id } }];
}

export function evolveAgentPost(state: State, { payload }: AgentPostEvent, ts: string): void {
  const { request, channel_id, message_id } = payload;
  const all = state.agent_posts;
  all[request] = { channel_id, message_id, at: all[request]?.at ?? ts };
  const names = Object.keys(all);
  if (names.length > KEPT) delete all[names[0] ?? ""];
}

export const agentPostSlice: Slice<AgentPostCommand, AgentPostEvent> = {
  decide: { note_agent_post: decideAgentPost },
  evolve: { AgentPostNoted: evolveAgentPost },
  kinds: "agent_post",
  topic: () => "agent_posts",
};
