/**
 * Reactions on messages of the owner that became no job: taken as an answer, not understood, or put into the inbox.
 * One is set once the fact is on disk, and losing it loses nothing but the reaction.
 */
import type { Log } from "../../base/log.ts";
import type { Recorded } from "../../core/state.ts";
import { failureKind } from "../api/rest-failure.ts";
import type { Rest } from "../api/rest.ts";

export const ANSWERED_SIGN = "✅";
export const UNCLEAR_SIGN = "❓";
export const RECEIVED_SIGN = "📥";

/** Returns a function to call with each accepted message and the events it led to. */
export function openReceipts({ rest, log }: { rest: Pick<Rest, "call">; log: Log }): (channelId: string, messageId: string, events: readonly Recorded[]) => void {
  return (channelId, messageId, events) => {
    const sign = signOf(events);
    if (sign === null) return;
    const path = `/channels/${channelId}/messages/${messageId}/reactions/${encodeURIComponent(sign)}/@me` as const;
    rest.call({ method: "PUT", path, priority: "cosmetic" }).catch((error: unknown) => {
      if (failureKind(error) !== "closed") log.info("a message has no reaction for its state", { channel_id: channelId, message_id: messageId, reason: String(error) });
    });
  };
}

function signOf(events: readonly Recorded[]): string | null {
  for (const { type } of events) {
    if (type === "DecisionAnswered" || type === "QuestionAnswered") return ANSWERED_SIGN;
    if (type === "DecisionReasked" || type === "DecisionAborted") return UNCLEAR_SIGN;
    if (type === "InboxReceived") return RECEIVED_SIGN;
  }
  return null;
}
