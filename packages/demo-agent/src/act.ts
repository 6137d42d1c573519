/** What an act is: something the agent can do in one turn. */
import type { ContentBlock } from "@agentclientprotocol/sdk";
import type { Message } from "./conversations.ts";
import type { Turn } from "./turn.ts";

export interface Act {
  /** The prompt's first word. */
  name: string;
  /** What it does, in one line for people. */
  description: string;
  /** What may follow the word. */
  hint?: string;
  /** @throws when the turn is cancelled, or to fail it */
  perform(performance: Performance): Promise<void>;
}

export interface Performance {
  turn: Turn;
  /** The prompt's text after its first word. */
  rest: string;
  /** The prompt's text. */
  whole: string;
  prompt: readonly ContentBlock[];
  /** What was said in the session before. */
  earlier: readonly Message[];
}
