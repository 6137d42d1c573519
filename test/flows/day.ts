/** The turns of a compressed day: who asked for each, and how it ends. */

export type Side = "discord" | "desk";

/** How a turn ends in the journal: of a job, and of a turn at the terminal. */
export type End = "done" | "failed" | "cancelled" | "unknown";
export const JOB_ENDS = {
  done: "JobCompleted",
  failed: "JobFailed",
  cancelled: "JobCancelled",
  unknown: "JobMarkedUnknownAfterCrash",
} as const;

export interface Asked {
  side: Side;
  word: string;
  end: End;
}

/** Decides the order of a day's turns. */
export const SEED = Number(process.env["BELLHOP_TEST_SEED"] ?? 14);
