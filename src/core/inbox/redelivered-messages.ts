/**
 * Which messages of a channel have been handled, so that one that Discord delivers again, or that catch-up reads again,
 * is not handled twice: all up to the channel's watermark, and single ones above it.
 */
import { compareSnowflakes } from "../../base/ids.ts";
import { follow, indexed, remove } from "../indexed.ts";
import type { State } from "../state.ts";

/** The message has been handled; `job` is what it became, if anything. */
export function markHandled(state: State, channelId: string, messageId: string, job?: string): void {
  const key = `${channelId}:${messageId}`;
  state.dedupe[key] = job ?? state.dedupe[key] ?? null;
  follow(state.dedupe, key);
}

/**
 * Forgets what was handled in a channel, up to a message or all of it: the watermark covers it, or nobody asks any
 * more.
 */
export function forgetHandled(state: State, channelId: string, through?: string): void {
  for (const id of handledIn(state, channelId)) {
    if (through === undefined || compareSnowflakes(id, through) <= 0) remove(state.dedupe, `${channelId}:${id}`);
  }
}

/** The messages of a channel that were handled above its watermark. */
export function handledIn({ dedupe }: State, channelId: string): string[] {
  const keys = indexed(dedupe, (_, key) => [key.slice(0, key.indexOf(":"))]).idsOf(channelId);
  return keys.map((key) => key.slice(channelId.length + 1));
}

/** Whether this message was already handled: at or below the watermark, or among those above it. */
export function isHandled(state: State, channelId: string, messageId: string): boolean {
  const watermark = state.watermarks[channelId];
  if (watermark !== undefined && compareSnowflakes(messageId, watermark) <= 0) return true;
  return `${channelId}:${messageId}` in state.dedupe;
}
