/**
 * Makes a thread in a channel: its starter message, then the thread, then adds the owner. However often this is
 * interrupted and repeated, there is one thread: the message is posted under a nonce derived from its purpose, and once
 * Discord may have forgotten the nonce, the message is searched for before it is posted again.
 */
import { MessageFlags, type APIMessage } from "discord-api-types/v10";
import type { Log } from "../../base/log.ts";
import type { Priority } from "../api/request-queue.ts";
import type { Rest } from "../api/rest.ts";
import { failureKind, RestFailure } from "../api/rest-failure.ts";
import { messagesAfter, sendOnce } from "../delivery/send-once.ts";

export interface Making {
  rest: Pick<Rest, "call">;
  /** Added to each new thread, so that it is in their list. */
  ownerId: string;
  log: Log;
}

export interface NewThread {
  channel_id: string;
  /** At most 100 characters. */
  name: string;
  /** The content of the starter message, and its components. */
  content: string;
  components?: readonly unknown[];
  /** At most 25 characters, the same for every attempt. */
  nonce: string;
  /** The starter message is newer than this id. */
  after: string;
  priority: Priority;
  /** Whether a message of the channel is the starter. */
  isStarter(message: APIMessage): boolean;
}

const THREAD_EXISTS = 160004;

/**
 * Resolves to the thread's id, which is its starter's. `inherited`: an earlier run may have begun it.
 * @throws RestFailure; `isDecided` tells whether Discord refuses for good
 */
export async function makeThread(making: Making, wanted: NewThread, inherited: boolean): Promise<string> {
  const starter = await standing(making, wanted, inherited);
  const path = `/channels/${wanted.channel_id}/messages/${starter}/threads` as const;
  try {
    await making.rest.call({
      method: "POST",
      path,
      body: { name: wanted.name },
      priority: wanted.priority,
      repeatMs: Number.POSITIVE_INFINITY,
    });
  } catch (error) {
    if (!(error instanceof RestFailure) || error.code !== THREAD_EXISTS) {
      takeBack(making, wanted, starter, error);
      throw error;
    }
  }
  invite(making, starter);
  return starter;
}

/** Whether Discord refuses for good. Otherwise the next start of the daemon continues. */
export function isDecided(error: unknown): boolean {
  const kind = failureKind(error);
  return kind !== null && kind !== "unauthorized" && kind !== "closed";
}

/** The starter message; if several match, the oldest. */
async function standing({ rest }: Making, wanted: NewThread, inherited: boolean): Promise<string> {
  const { channel_id: channelId, content, components = [], nonce, priority, after } = wanted;
  const body = { content, components, flags: MessageFlags.SuppressEmbeds, allowed_mentions: { parse: [] } };
  async function find(): Promise<APIMessage | null> {
    for await (const message of messagesAfter(rest, { channelId, after, priority }))
      if (wanted.isStarter(message)) return message;
    return null;
  }
  return (
    await sendOnce(rest, { channelId, body, nonce, priority, lookUp: { first: inherited, untilKnown: true, find } })
  ).id;
}

/** Deletes a starter whose thread was refused, because it is misleading; if that fails it does no harm. */
function takeBack({ rest, log }: Making, { channel_id }: NewThread, starter: string, error: unknown): void {
  if (!isDecided(error)) return;
  rest
    .call({ method: "DELETE", path: `/channels/${channel_id}/messages/${starter}`, priority: "cosmetic" })
    .catch((lost: unknown) => {
      log.debug("a starter message could not be deleted", { message_id: starter, reason: String(lost) });
    });
}

function invite({ rest, ownerId, log }: Making, threadId: string): void {
  rest
    .call({ method: "PUT", path: `/channels/${threadId}/thread-members/${ownerId}`, priority: "cosmetic" })
    .catch((error: unknown) => {
      log.debug("the owner was not added to the thread", { thread_id: threadId, reason: String(error) });
    });
}
