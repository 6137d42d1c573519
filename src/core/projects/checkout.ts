/**
 * Where an agent works, and what a thread may be waiting for before its next job. A conversation is only resumed in the
 * checkout it was left in, and a project's agents only run in the directory and with the configuration that the owner
 * has seen, unless he says otherwise; and nothing starts while an agent's account is known to be at its limit.
 */
import { digestOf } from "../../base/digest.ts";
import type { ErrorCode, ErrorDetails } from "../../base/errors.ts";

/** A working directory at one moment. Null if it is not under version control, or that could not be read. */
export interface Checkout {
  /** Its real path. */
  cwd: string;
  branch: string | null;
  /** The checked-out commit. */
  head: string | null;
  /** Digest of the differences from that commit. */
  tree: string | null;
}

/** What has changed; at least one of them. */
export interface Changed {
  /** The project's path leads to a directory other than the one the owner has seen; both are real paths. */
  place?: { project_name: string; was: string; is: string };
  /** The checkout is not the same as when the session's last job ended. */
  checkout?: { was: Checkout; is: Checkout };
  /**
   * The project's own files that make its agents run code differ from those the owner has seen; both are digests.
   * `project_name`: as of `seenName`; `shown`: digest of the difference he is shown.
   */
  configuration?: { project_name: string; was: string; is: string; shown: string };
}

/** `digest`: SHA-256 of all that the owner is shown; his answer names it. */
export type ChangedWait = { kind: "changed"; job_id: string; digest: string } & Changed;

/** Why a thread starts nothing; other threads run. */
export type Wait =
  | LimitWait
  /** What the next job would run in or with is not what the owner has seen, or where its conversation was left. */
  | ChangedWait
  | TerminalWait
  | StuckWait
  | BudgetWait;

/** The agent's account is at its limit. */
export interface LimitWait {
  kind: "limit";
  job_id: string;
  /** ISO 8601. */
  until: string;
  /** A job that had continued by itself after a limit reached it again, so the owner is asked. */
  again?: true;
  /** The limit is over, or nobody knows until when it holds, and the thread waits for the owner. */
  lifted?: true;
  /**
   * The agent has not said until when, or has named a time that is past or cannot be right: at `until` it is tried
   * again, or its owner was asked.
   */
  untimed?: true;
}

/**
 * What has failed would fail again: nobody is logged in, the conversation is full, the model is unknown, the account is
 * out of credits, or the model's service does not answer. `locked`: nothing has failed, but it waits from before a lock.
 */
export type StuckCause = "login" | "full" | "model" | "credits" | "busy" | "locked";

/** The next message would fail for the same cause, so none is tried before somebody has seen to it. */
export interface StuckWait {
  kind: "stuck";
  job_id: string;
  cause: StuckCause;
  code: ErrorCode;
  details: ErrorDetails;
  /** When it failed. ISO 8601. */
  since: string;
  /** When it is tried again by itself. ISO 8601. Absent: when its owner says so. */
  until?: string;
}

/** What agents may use is used up: in this session, or in all of them today. */
export interface BudgetWait {
  kind: "budget";
  /** With which it was used up, or which was to start then. */
  job_id: string;
  of: "session" | "day";
  /** `tokens`, or a currency. */
  unit: string;
  used: number;
  limit: number;
  /** By how much it is raised when its owner goes on. */
  more: number;
  since: string;
  /** When its day is over. ISO 8601. Absent: it is the session's. */
  until?: string;
  /** Its owner is asked here. Absent: in another thread. */
  asks?: true;
  /** He stopped here: nothing goes on until he says so, also on another day. Absent: he did not. */
  stopped?: true;
}

/** Nothing can be typed safely in its window. */
export interface TerminalWait {
  kind: "terminal";
  job_id: string;
  reason: TerminalReason;
  /** The command that shows it. */
  attach: string;
  /** What stands there, if that helps; of a draft, the draft. */
  screen?: string;
}

/**
 * Claude has not said that it is ready (`start`); it asks something in its own dialog (`dialog`); somebody has begun to
 * type (`draft`) or scrolls (`mode`); it still works (`busy`); its prompt box is not to be seen (`hidden`).
 */
export type TerminalReason = "start" | "dialog" | "draft" | "mode" | "busy" | "hidden";

/**
 * What ended a wait: its time (`time`), or the owner, who continues anyway (`owner`), has seen what changed and runs with
 * it (`seen`), does so, or goes on, in a new conversation (`fresh`), has the draft cleared that he was shown (`cleared`), or drops the
 * job (`dropped`); or the terminal, where something can be typed again (`terminal`).
 */
export type UnparkedBy = "time" | "owner" | "seen" | "fresh" | "cleared" | "dropped" | "terminal";

/** The wait for an answer to all of this. */
export function changedWait(job_id: string, { place, checkout, configuration }: Changed): ChangedWait {
  const shown = [
    place && [place.project_name, place.was, place.is],
    checkout && [checkout.was, checkout.is].map(({ cwd, branch, head }) => [cwd, branch, head]),
    configuration && [configuration.project_name, configuration.was, configuration.is, configuration.shown],
  ];
  return {
    kind: "changed",
    job_id,
    digest: digestOf(JSON.stringify(shown.map((part) => part ?? null))),
    ...(place && { place: { ...place } }),
    ...(checkout && { checkout: { was: copyCheckout(checkout.was), is: copyCheckout(checkout.is) } }),
    ...(configuration && { configuration: { ...configuration } }),
  };
}

/**
 * The part of a job's posts that asks, once its limit is lifted, whether to continue. Each limit of a job gets its own,
 * because Discord notifies of new messages only.
 */
export function liftedPart({ until }: LimitWait): string {
  return `${LIFTED_PARTS}${until}`;
}

/**
 * The part of a job's posts that says what it is stuck with: one while it is tried again by itself, and one for each time
 * that its owner is asked, because Discord notifies of new messages only.
 */
export function stuckPart({ since, until }: StuckWait): string {
  return `${STUCK_PARTS}${until === undefined ? since : "tries"}`;
}

export const STUCK_PARTS = "stuck:";

/** The part of a job's posts that asks what becomes of a budget that is used up: each time in a new message. */
export function budgetPart({ since }: BudgetWait): string {
  return `${BUDGET_PARTS}${since}`;
}

export const BUDGET_PARTS = "budget:";

/** What such parts begin with. */
export const LIFTED_PARTS = "lifted:";

export function copyCheckout({ cwd, branch, head, tree }: Checkout): Checkout {
  return { cwd, branch, head, tree };
}

export function copyWait(wait: Wait): Wait {
  return structuredClone(wait);
}
