/**
 * Which threads a bot reads and posts in: its own. A client's bot has the threads of questions and no sessions, not
 * even sessions that an earlier version opened under it.
 */
import type { State } from "../../core/state.ts";

export interface ThreadsOfBot {
  botId: string;
  /** A client's bot. */
  questionsOnly?: boolean;
}

export function isThreadOfBot(state: State, threadId: string, { botId, questionsOnly = false }: ThreadsOfBot): boolean {
  return state.threads[threadId]?.bot_id === botId && !(questionsOnly && state.sessions[threadId] !== undefined);
}
