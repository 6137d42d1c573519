/**
 * Where an agent works, and what a thread may be waiting for before its next job. A conversation is only ever taken
 * up again in the checkout it was left in, unless the owner says so; and nothing is tried while an agent's account
 * is known to be at its limit.
 */

/** A working directory at one moment. Null where it is under no version control, or where that could not be read. */
export interface Checkout {
  /** Its real path. */
  cwd: string;
  branch: string | null;
  /** The commit that is checked out. */
  head: string | null;
  /** Digest of what differs from that commit. */
  tree: string | null;
}

/** Why a thread starts nothing; other threads run. */
export type Wait =
  /** The agent's account is at its limit until then (ISO 8601). */
  | { kind: "limit"; job_id: string; until: string }
  /** The checkout is not what it was when the session's last job ended. */
  | { kind: "checkout"; job_id: string; was: Checkout; is: Checkout };

/**
 * What ended a wait: its time has come, or the owner: goes on all the same (`owner`), takes the changed checkout for
 * the right one (`anyway`), begins a new conversation in it (`fresh`), or does without the job (`dropped`).
 */
export type UnparkedBy = "time" | "owner" | "anyway" | "fresh" | "dropped";

export function copyCheckout({ cwd, branch, head, tree }: Checkout): Checkout {
  return { cwd, branch, head, tree };
}

export function copyWait(wait: Wait): Wait {
  if (wait.kind === "limit") return { ...wait };
  return { ...wait, was: copyCheckout(wait.was), is: copyCheckout(wait.is) };
}
