/**
 * A sign on a message of the owner that became no job: that it was taken as an answer, not understood, or put into
 * the inbox. It is set once what it says is on disk, and losing it loses nothing but the sign.
 */
import type { Log } from "../base/log.ts";
import type { Recorded } from "../core/house.ts";
import { failureKind } from "./rest-failure.ts";
import type { Rest } from "./rest.ts";

export const ANSWERED_SIGN = "✅";
export const UNCLEAR_SIGN = "❓";
export const RECEIVED_SIGN = "📥";

/** Returns what is to be told of each message that was heard, with what came of it. */
export function openReceipts({ rest, log }: { rest: Pick<Rest, "call">; log: Log }): (channelId: string, messageId: string, events: readonly Recorded[]) => void {
  return (channelId, messageId, events) => {
    const sign = signOf(events);
    if (sign === null) return;
    const path = `/channels/${channelId}/messages/${messageId}/reactions/${encodeURIComponent(sign)}/@me` as const;
    rest.call({ method: "PUT", path, lane: "cosmetic" }).catch((error: unknown) => {
      if (failureKind(error) !== "closed") log.info("a message goes without its sign", { channel_id: channelId, message_id: messageId, reason: String(error) });
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
