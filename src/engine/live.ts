/**
 * Live events: what an agent says while it runs. They are not facts: they are never journaled, and a crash
 * may lose them. Code that is not listening misses them; what must not be missed is submitted.
 */
import type { AgentFacts, Choice, CommandOffered, Offered } from "../core/sessions/told.ts";

export interface LiveEvents<T> {
  send(event: T): void;
  /** Returns a function that stops listening. */
  listen(listener: (event: T) => void): () => void;
}

export function createLiveEvents<T>(): LiveEvents<T> {
  const listeners = new Set<(event: T) => void>();
  return {
    send(event) {
      for (const listener of listeners) listener(event);
    },
    listen(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** The live view of a running job, as far as people see it. */
export type JobLiveEvent =
  | { kind: "text"; job_id: string; thread_id: string; delta: string }
  | { kind: "thought"; job_id: string; thread_id: string; delta: string }
  | { kind: "tool_started"; job_id: string; thread_id: string; id: string; name: string; title: string }
  | { kind: "tool_ended"; job_id: string; thread_id: string; id: string; ok: boolean }
  | { kind: "denied"; job_id: string; thread_id: string; tool: string; reason: string }
  /** The whole plan as it is now. */
  | {
      kind: "plan";
      job_id: string;
      thread_id: string;
      entries: { text: string; state: "pending" | "active" | "done" }[];
    }
  | { kind: "notice"; job_id: string; thread_id: string; code: string; text: string }
  /** Its agent has written all of it; its end is on its way to the disk. */
  | { kind: "written"; job_id: string; thread_id: string };

/*
 * The agents of sessions that are open: what is read from this machine at the moment, and what commands want of them.
 */

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
  agentFacts(threadId: string): (AgentFacts & { state: "opening" | "working" | "idle"; heardMs: number }) | null;
  /** What the tool's agents offered last to choose among; null if none has said. */
  offered(what: Choice, tool: string): readonly Offered[] | null;
  /** The commands of the session's agent, else those that the tool's agents had last. */
  commands(threadId: string, tool: string): readonly CommandOffered[];
  /**
   * Sets the model or the effort of the session's agent while it idles, or the mode of one that is open. Resolves with the
   * id that it confirms, or null if there is none.
   * @throws BellhopError E_MODEL_UNAVAILABLE, E_MODE_UNAVAILABLE, E_EFFORT_UNAVAILABLE
   */
  choose(threadId: string, what: Choice, id: string): Promise<string | null>;
  /** Those that are open now. */
  living(): readonly LiveAgent[];
  /**
   * Ends the session's agent, if it has one; `now`: kills it; `away`: also one that outlives the daemon. Resolves when
   * it is gone.
   */
  endAgent(threadId: string, how?: "now" | "away"): Promise<void>;
}

/* A conversation that an agent's own program has kept on this machine, whoever began it. */

export interface StoredConversation {
  /** With which it is resumed. */
  key: string;
  /** When it was last written to, in milliseconds since the epoch. */
  at: number;
  /** Its title, else the beginning of its first prompt; empty if neither could be read. */
  about: string;
  /** What the agent said last; empty if nothing could be read. */
  said: string;
  /** The branch on which it was, as far as its record tells. */
  branch?: string;
}

/** One that a project's session can go on with. */
export interface Resumable extends StoredConversation {
  /** The tool of the project that goes on with it, and what that tool calls its key. */
  tool: string;
  key_name: string;
  /** Where it was: the project's directory, absolute and real. */
  cwd: string;
}
