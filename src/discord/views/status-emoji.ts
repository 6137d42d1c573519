/**
 * The emoji of each job state, the same on the owner's message, on the card, in the queue and on the closing message.
 */
import type { JobState } from "../../core/jobs/job.ts";

export const signs: Record<JobState, string> = {
  queued: "⏳",
  running: "⚙️",
  success: "✅",
  failed: "❌",
  cancelled: "🚫",
  unknown_after_crash: "💥",
  sent_into: "📨",
};

/** For a job that waits for its owner. */
export const WAITING_SIGN = "🙋";
/** For a job that is to stop. */
export const STOPPING_SIGN = "🛑";
/** For what waits for something other than its turn. */
export const HELD_SIGN = "⏸️";
