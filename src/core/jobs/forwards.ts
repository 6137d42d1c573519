/**
 * Messages that the owner forwards into a thread. Their words are somebody else's, so none runs by itself: it is held
 * until he says what it is for, with his next message, a reply or a button, and goes to the agent as quoted data.
 */
import { compareSnowflakes, snowflakeTime } from "../../base/ids.ts";
import { isHandled, markHandled } from "../inbox/redelivered-messages.ts";
import { each, type Slice } from "../slice.ts";
import type { Event } from "../slices.ts";
import type { State } from "../state.ts";
import type { PostEvent } from "../posts/post.ts";
import type { IncomingMessage } from "./job.ts";
import type { Quote } from "./run.ts";

/** A forward in a thread's live state, until what became of it is posted. */
export interface Forward {
  quote: Quote;
  /** `crowded`: dropped because too many were held. Absent: it is held. */
  became?: "sent" | "dropped" | "crowded";
}

export type ForwardEvent =
  | { type: "ForwardHeld"; payload: Holding }
  /** `crowded`: for a newer one, because too many were held. */
  | { type: "ForwardDropped"; payload: { thread_id: string; discord_message_id: string; crowded?: true } };

interface Holding {
  thread_id: string;
  discord_message_id: string;
  quote: Quote;
}

export type ForwardCommand =
  | ({ type: "hold_forward" } & Holding)
  | { type: "drop_forward"; thread_id: string; discord_message_id: string };

/** So long a forward goes along with the owner's next message. */
const ALONG_MS = 60_000;
/** More than these are not held in a thread: the oldest is dropped. */
export const MOST_HELD = 20;

export function forwardPart(messageId: string): string {
  return `forward:${messageId}`;
}

/** The held forwards that go along with this message: those of the last minute, and the one that it replies to. */
export function forwardsWith(
  { threads }: State,
  { thread_id, discord_message_id, reply_to }: IncomingMessage,
): Quote[] {
  return Object.entries(threads[thread_id]?.forwards ?? {}).flatMap(([id, { quote, became }]) => {
    const isAbove = compareSnowflakes(id, discord_message_id) < 0;
    const isRecent = isAbove && snowflakeTime(discord_message_id) - snowflakeTime(id) <= ALONG_MS;
    return became === undefined && (reply_to === id || isRecent) ? [quote] : [];
  });
}

/** A forward that is still held. */
export function heldForward({ threads }: State, threadId: string, messageId: string): Quote | undefined {
  const { quote, became } = threads[threadId]?.forwards?.[messageId] ?? {};
  return became === undefined ? quote : undefined;
}

function decideHeld(state: State, { thread_id, discord_message_id, quote }: Holding): ForwardEvent[] {
  if (state.sessions[thread_id] === undefined || isHandled(state, thread_id, discord_message_id)) return [];
  const held = Object.entries(state.threads[thread_id]?.forwards ?? {}).filter(
    ([, { became }]) => became === undefined,
  );
  const [oldest] = held.length < MOST_HELD ? [] : held.map(([id]) => id).toSorted(compareSnowflakes);
  return [
    ...(oldest === undefined
      ? []
      : [{ type: "ForwardDropped", payload: { thread_id, discord_message_id: oldest, crowded: true } } as const]),
    { type: "ForwardHeld", payload: { thread_id, discord_message_id, quote } },
  ];
}

/** By its button, or with its message. */
function decideDropped(
  state: State,
  { thread_id, discord_message_id }: { thread_id: string; discord_message_id: string },
): ForwardEvent[] {
  if (heldForward(state, thread_id, discord_message_id) === undefined) return [];
  return [{ type: "ForwardDropped", payload: { thread_id, discord_message_id } }];
}

function evolveForward(state: State, { type, payload }: ForwardEvent): void {
  const { thread_id, discord_message_id } = payload;
  const thread = state.threads[thread_id];
  if (!thread) return;
  if (type === "ForwardDropped")
    return settle(state, thread_id, discord_message_id, payload.crowded ? "crowded" : "dropped");
  markHandled(state, thread_id, discord_message_id);
  (thread.forwards ??= {})[discord_message_id] = { quote: structuredClone(payload.quote) };
}

/** What was forwarded has gone with a job's message. */
function evolveSent(state: State, { payload }: Extract<Event, { type: "JobEnqueued" }>): void {
  for (const { how, message_id } of payload.quotes ?? [])
    if (how === "forward" && message_id !== null) settle(state, payload.thread_id, message_id, "sent");
}

function settle({ threads }: State, threadId: string, messageId: string, became: NonNullable<Forward["became"]>): void {
  const held = threads[threadId]?.forwards?.[messageId];
  if (held) held.became = became;
}

/** What became of it is posted: it is forgotten. */
function evolvePosted({ threads }: State, { payload: { subject, part, is } }: PostEvent): void {
  const thread = threads[subject];
  for (const [id, { became }] of Object.entries(thread?.forwards ?? {}))
    if (thread?.forwards && part === forwardPart(id) && became === is) delete thread.forwards[id];
  if (thread?.forwards && Object.keys(thread.forwards).length === 0) delete thread.forwards;
}

export const forwardSlice: Slice<ForwardCommand, ForwardEvent> = {
  decide: { hold_forward: decideHeld, drop_forward: decideDropped },
  alsoDecides: { delete_message: decideDropped },
  evolve: each(evolveForward, "ForwardHeld", "ForwardDropped"),
  alsoEvolves: { JobEnqueued: evolveSent, PostRecorded: evolvePosted },
  kinds: "notice",
};
