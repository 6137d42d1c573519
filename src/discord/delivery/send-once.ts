/**
 * Sends one message to a channel exactly once, however often its answer is lost: posts, the message a thread hangs on,
 * replies and files alike. Its nonce depends on what it is for, so Discord takes a repetition for the same message as
 * long as it remembers the nonce; after that the message is searched for before it is sent again. The caller records
 * what is returned.
 */
import { MessageReferenceType, type APIMessage } from "discord-api-types/v10";
import { compareSnowflakes, firstSnowflake } from "../../base/ids.ts";
import type { Priority, SendTerms } from "../api/rate-limits.ts";
import type { RestCaller, RestCall } from "../api/rest.ts";
import { failureKind, RestFailure } from "../api/transport.ts";

/** Discord's code for a reply where we may not read what it replies to. */
const NEEDS_HISTORY = 160002;
/** Discord remembers a nonce for "the past few minutes"; this is on the safe side. */
export const NONCE_LIFE_MS = 100_000;

export interface Outgoing extends SendTerms {
  channelId: string;
  /** The message's JSON, without its nonce and what it replies to. */
  body: object;
  files?: RestCall["files"];
  /** At most 25 characters, the same for every try. */
  nonce: string;
  replyTo?: string | null;
  /** How long it is repeated under its nonce, in milliseconds; by default `NONCE_LIFE_MS`. */
  patienceMs?: number;
  /** How it is found if it may exist unrecorded. Without it, it is not sent again after `patienceMs`. */
  lookUp?: LookUp;
}

export interface LookUp {
  /** It may have been sent so long ago that its nonce is forgotten: it is searched for before it is sent. */
  first: boolean;
  /** Continues until it is known to exist; without it, it rejects as `unavailable` and the caller comes back later. */
  untilKnown: boolean;
  find(): Promise<APIMessage | null>;
}

/** The message, created now or found. @throws RestFailure */
export async function sendOnce<Sent extends { id: string } = APIMessage>(
  rest: RestCaller,
  out: Outgoing,
): Promise<Sent | APIMessage> {
  const { lookUp } = out;
  for (let looks = lookUp?.first ?? false; ; looks = true) {
    const found = looks ? await lookUp?.find() : null;
    if (found) return found;
    try {
      return await rest.call<Sent>(requestFor(out, looks));
    } catch (error) {
      if (error instanceof RestFailure && error.code === NEEDS_HISTORY && (out.replyTo ?? null) !== null)
        return sendOnce(rest, { ...out, replyTo: null });
      if (!lookUp?.untilKnown || failureKind(error) !== "unavailable") throw error;
    }
  }
}

/** `isFresh`: a search has not found it, so no earlier try is in doubt. */
function requestFor(out: Outgoing, isFresh: boolean): RestCall {
  const {
    channelId,
    body,
    nonce,
    replyTo = null,
    patienceMs = NONCE_LIFE_MS,
    lookUp: _lookUp,
    files,
    doubtSince,
    ...terms
  } = out;
  const reference = { type: MessageReferenceType.Default, message_id: replyTo, fail_if_not_exists: false };
  return {
    ...terms,
    method: "POST",
    path: `/channels/${channelId}/messages`,
    body: { ...body, nonce, enforce_nonce: true, ...(replyTo !== null && { message_reference: reference }) },
    repeatMs: patienceMs,
    ...(files && { files }),
    ...(doubtSince !== undefined && !isFresh && { doubtSince }),
  };
}

const PAGE = 100;
/** Our clock and Discord's may differ; reading a message too many costs nothing, missing one makes a duplicate. */
const CLOCKS_APART_MS = 10 * 60_000;

/** The messages of a channel after this id, oldest first, read page by page. */
export async function* messagesAfter(
  rest: RestCaller,
  {
    channelId,
    after,
    priority,
    signal,
  }: { channelId: string; after: string; priority: Priority; signal?: AbortSignal },
): AsyncGenerator<APIMessage> {
  for (let from = after; ;) {
    const path = `/channels/${channelId}/messages?after=${from}&limit=${PAGE}` as const;
    const page = await rest.call<APIMessage[]>({ method: "GET", path, priority, ...(signal && { signal }) });
    const oldestFirst = page.toSorted((a, b) => compareSnowflakes(a.id, b.id));
    yield* oldestFirst;
    const last = oldestFirst.at(-1);
    if (page.length < PAGE || !last) return;
    from = last.id;
  }
}

/** An id older than everything created since then, whichever clock is right. `since`: milliseconds since the epoch. */
export function snowflakeBefore(since: number): string {
  return firstSnowflake(since - CLOCKS_APART_MS);
}
