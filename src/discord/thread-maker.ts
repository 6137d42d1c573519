/**
 * Makes a thread in a channel: the message it hangs on, then the thread, then the owner in it. However often it is
 * stopped in between and begun again, there is one thread: the message is posted under a nonce that follows from what
 * it is for, and once that may be forgotten it is looked for before it is posted again.
 */
import { MessageFlags, type APIMessage } from "discord-api-types/v10";
import { compareSnowflakes } from "../base/ids.ts";
import type { Log } from "../base/log.ts";
import type { Lane } from "./owed.ts";
import type { Rest } from "./rest.ts";
import { failureKind, RestFailure } from "./rest-failure.ts";

export interface Making {
  rest: Pick<Rest, "call">;
  /** Added to each new thread, so that it stands in their list. */
  ownerId: string;
  log: Log;
}

export interface NewThread {
  channel_id: string;
  /** At most 100 characters. */
  name: string;
  /** What the message says that the thread hangs on. */
  content: string;
  /** At most 25 characters, the same for every try. */
  nonce: string;
  /** The message is younger than this id. */
  after: string;
  lane: Lane;
  /** Whether a message of the channel is the one. */
  isStarter(message: APIMessage): boolean;
}

/** Discord's "past few minutes" for a nonce, with a margin. */
const NONCE_MS = 110_000;
const THREAD_EXISTS = 160004;
const PAGE = 100;

/**
 * The thread's id: that of the message it hangs on. `inherited`: it may have been begun before.
 * @throws RestFailure; `isDecided` tells whether Discord will not have it
 */
export async function makeThread(making: Making, wanted: NewThread, inherited: boolean): Promise<string> {
  const starter = (inherited ? await findStarter(making, wanted) : null) ?? (await postStarter(making, wanted));
  const path = `/channels/${wanted.channel_id}/messages/${starter}/threads` as const;
  try {
    await making.rest.call({ method: "POST", path, body: { name: wanted.name }, lane: wanted.lane, repeatMs: Number.POSITIVE_INFINITY });
  } catch (error) {
    if (!(error instanceof RestFailure) || error.code !== THREAD_EXISTS) {
      takeBack(making, wanted, starter, error);
      throw error;
    }
  }
  invite(making, starter);
  return starter;
}

/** Whether Discord will not have it. Otherwise the next start of the daemon goes on with it. */
export function isDecided(error: unknown): boolean {
  const kind = failureKind(error);
  return kind !== null && kind !== "unauthorized" && kind !== "closed";
}

/** Posts the message the thread hangs on; the same one however often its answer is lost. */
async function postStarter(making: Making, wanted: NewThread): Promise<string> {
  const path = `/channels/${wanted.channel_id}/messages` as const;
  const { content, nonce, lane } = wanted;
  const body = { content, nonce, enforce_nonce: true, flags: MessageFlags.SuppressEmbeds, allowed_mentions: { parse: [] } };
  for (;;) {
    try {
      return (await making.rest.call<APIMessage>({ method: "POST", path, body, lane, repeatMs: NONCE_MS })).id;
    } catch (error) {
      // The nonce may be forgotten by now: whether it was posted is asked before it is posted again.
      if (failureKind(error) !== "unavailable") throw error;
      const posted = await findStarter(making, wanted);
      if (posted !== null) return posted;
    }
  }
}

/** The oldest message that is the one. */
async function findStarter({ rest }: Making, { channel_id, after: since, lane, isStarter }: NewThread): Promise<string | null> {
  let after = since;
  for (;;) {
    const path = `/channels/${channel_id}/messages?after=${after}&limit=${PAGE}` as const;
    const page = await rest.call<APIMessage[]>({ method: "GET", path, lane });
    const found = page.filter(isStarter).map(({ id }) => id).sort(compareSnowflakes);
    if (found[0] !== undefined) return found[0];
    if (page.length < PAGE) return null;
    after = page.map(({ id }) => id).sort(compareSnowflakes).at(-1) ?? after;
  }
}

/** A starter whose thread was refused says nothing true; where it cannot be removed it does no harm. */
function takeBack({ rest, log }: Making, { channel_id }: NewThread, starter: string, error: unknown): void {
  if (!isDecided(error)) return;
  rest.call({ method: "DELETE", path: `/channels/${channel_id}/messages/${starter}`, lane: "cosmetic" }).catch((lost: unknown) => {
    log.debug("a starter message stays", { message_id: starter, reason: String(lost) });
  });
}

function invite({ rest, ownerId, log }: Making, threadId: string): void {
  rest.call({ method: "PUT", path: `/channels/${threadId}/thread-members/${ownerId}`, lane: "cosmetic" }).catch((error: unknown) => {
    log.debug("the owner was not added to the thread", { thread_id: threadId, reason: String(error) });
  });
}
