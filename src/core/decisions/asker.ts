/** Who waits for the answer to a decision, and whether a job or an outside turn is still there to receive it. */

export type Asker =
  /** A job's agent; `request_id` is its own id for the request, `subagent` the one of its own that asks, if any. */
  | { by: "job"; job_id: string; request_id: string; subagent?: string }
  /** The agent in an outside turn. */
  | { by: "turn"; turn_id: string; request_id: string; subagent?: string }
  /** An agent through `bellhop mcp`: its client's own variables, and the thread it named, if any. */
  | {
      by: "mcp";
      project: string;
      /** Absolute: the directory of its mirrored file. */
      pending_dir: string;
      timeout_seconds: number | null;
      wanted_thread: string | null;
      /** Where a thread for it is created. */
      channel_id: string | null;
      bot_id: string;
    }
  /** A hook of a Claude that the owner can also answer in its terminal. */
  | { by: "hook"; request_id: string };

/** Jobs and outside turns by id. */
export interface Works {
  jobs: Readonly<Record<string, { state: string }>>;
  turns?: Readonly<Record<string, { state: string }>>;
}

/** The job or outside turn that asks; null for another asker. */
export function workOf(asker: Asker): string | null {
  return asker.by === "job" ? asker.job_id : asker.by === "turn" ? asker.turn_id : null;
}

/** Whether the job or outside turn is running. */
export function isRunning({ jobs, turns }: Works, work: string): boolean {
  return (jobs[work] ?? turns?.[work])?.state === "running";
}
