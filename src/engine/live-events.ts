/**
 * Live events: what an agent says while it runs. They are not facts: they are never journaled, and a crash
 * may lose them. Code that is not listening misses them; what must not be missed is submitted.
 */
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
