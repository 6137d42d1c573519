/**
 * The agents of sessions that are open: what is read from this machine at the moment, and what commands want of them.
 */
import type { AgentFacts, CommandOffered, Offered } from "../core/sessions/told.ts";

/** An agent that is open, as people are told of it. */
export interface LiveAgent {
  thread_id: string;
  tool: string;
  pid: number;
  /** ISO 8601: since its process runs. */
  since: string;
  state: "working" | "idle";
  /** How many things it still does in the background. */
  background: number;
  /** Its memory; null if the machine does not tell. */
  bytes: number | null;
}

/** The agents of sessions, for commands: what they tell, and what their owner wants of them. */
export interface SessionAgents {
  /** Null if the session has no agent with a process. `heardMs`: milliseconds since its last sign of life. */
  facts(threadId: string): (AgentFacts & { state: "opening" | "working" | "idle"; heardMs: number }) | null;
  /** The models that the tool's agents offered last, or the modes; null if none has said. */
  offered(what: "model" | "mode", tool: string): readonly Offered[] | null;
  /** The commands of the session's agent, else those that the tool's agents had last. */
  commands(threadId: string, tool: string): readonly CommandOffered[];
  /**
   * Sets the model of the session's agent while it idles, or the mode of one that is open. Resolves with the id that it
   * confirms, or null if there is none.
   * @throws BellhopError E_MODEL_UNAVAILABLE, E_MODE_UNAVAILABLE
   */
  choose(threadId: string, what: "model" | "mode", id: string): Promise<string | null>;
  /** Those that are open now. */
  living(): readonly LiveAgent[];
  /**
   * Ends the session's agent, if it has one; `now`: kills it; `away`: also one that outlives the daemon. Resolves when
   * it is gone.
   */
  end(threadId: string, how?: "now" | "away"): Promise<void>;
}
