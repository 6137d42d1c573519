/**
 * The requests of one post: it is sent, edited, looked for or deleted where its thread's posts go, and the journal
 * learns which message it is. What Discord refuses is thrown.
 */
import type { APIMessage } from "discord-api-types/v10";
import { say } from "../../base/words/say.ts";
import { channelOf, isInForum, type Place } from "../../core/sessions/thread.ts";
import type { BotContext } from "../api/bot-context.ts";
import { failureKind, type FailureKind } from "../api/transport.ts";
import {
  nonceOf,
  plainLine,
  requestOf,
  showsBody,
  withLineBelow,
  withPlaceLine,
  type Body,
  type DesiredPost,
} from "../views/message.ts";
import { calledFor, flagsOf } from "../views/rings.ts";
import { firstOwed, keyOf, type PostedMessage, type PostOperation } from "./diff.ts";
import { findEarlier } from "./own-messages.ts";
import { NONCE_LIFE_MS, sendOnce } from "./send-once.ts";

/** What sending needs of the rest of the bot. */
export interface SendOptions {
  /** Opens the owner's direct messages, once; resolves with the channel's id. */
  openDirect(): Promise<string>;
  /** A message was posted in this channel. */
  onPosted(channelId: string, messageId: string): void;
}

/** Where a thread's posts go now. */
export interface Spot {
  place: Place;
  channelId: string;
}

interface PostedAs {
  message_id: string;
  /** Whether it shows what was sent: one that was found may not. */
  isAsWanted: boolean;
}

/**
 * `is`: what it says now, if that is not what is owed. `isNotice`: a notice that it could not be posted is in its
 * place.
 */
interface RecordOptions {
  is?: string;
  isNotice?: boolean;
}

const OPENINGS = 3;

export class PostRequests {
  readonly #context: BotContext;
  readonly #options: SendOptions;

  constructor(context: BotContext, options: SendOptions) {
    this.#context = context;
    this.#options = options;
  }

  /** Sends it, or finds it if it may have been sent before. */
  async post(operation: PostOperation, body: Body, spot: Spot, replaces: string): Promise<PostedAs> {
    const { desired, shownPosts, priority, memory } = operation;
    const { channelId } = spot;
    const nonce = nonceOf(this.#context.botId, desired, channelId, memory.burnt ? `${replaces}!` : replaces);
    const shown = this.#fitted(body, desired, channelId);
    const replyTo = this.#replyTo(desired, spot);
    const { signal } = shownPosts;
    let tried = this.#firstTry(operation);
    let stood = false;
    const find = async (): Promise<APIMessage | null> => {
      const found = await findEarlier(this.#context, operation, {
        channelId,
        nonce,
        body: shown,
        replyTo: desired.sentAs === undefined ? replyTo : undefined,
        inThread: spot.place === "thread",
      });
      stood = found !== null;
      if (stood) return found;
      memory.triedAt = tried = null;
      shownPosts.inherited?.delete(keyOf(desired));
      return null;
    };
    const request = requestOf(shown);
    const message = await sendOnce(this.#context.rest, {
      channelId,
      body: {
        ...request.body,
        flags: flagsOf(shown, calledFor(this.#context, desired.news)),
      },
      files: request.files,
      nonce,
      replyTo,
      priority,
      signal,
      lookUp: {
        first: tried !== null && this.#context.clock.monotonic() - tried > NONCE_LIFE_MS,
        untilKnown: false,
        find,
      },
      ...(tried !== null && { doubtSince: tried }),
      onSend: () => (memory.triedAt ??= tried ?? this.#context.clock.monotonic()),
    });
    if (!stood) {
      memory.triedAt = null;
      this.#options.onPosted(channelId, message.id);
    }
    return { message_id: message.id, isAsWanted: showsBody(message, shown) };
  }

  /** The message of an earlier try that shows this body, or of its kind; null: none stands. */
  async find(
    operation: PostOperation,
    { channelId }: Spot,
    { body, ...sought }: { body: Body; above?: string | undefined; inThread: boolean; mayGoOn?: boolean },
  ): Promise<string | null> {
    const { desired } = operation;
    const found = await findEarlier(this.#context, operation, {
      ...sought,
      channelId,
      nonce: nonceOf(this.#context.botId, desired, channelId, ""),
      body: this.#fitted(body, desired, channelId),
      replyTo: null,
    });
    return found?.id ?? null;
  }

  /** Discord takes a reply only in the channel of its message. */
  #replyTo({ thread_id, reply_to }: DesiredPost, { place }: Spot): string | null {
    if (place !== "thread" || !reply_to) return null;
    return channelOf(this.#context.engine.state, thread_id, reply_to) === thread_id ? reply_to : null;
  }

  /** When it may have been sent for the first time, by the monotonic clock; null if it certainly was not. */
  #firstTry({ desired, shownPosts, memory }: PostOperation): number | null {
    if (memory.triedAt !== null) return memory.triedAt;
    if (!shownPosts.inherited?.has(keyOf(desired))) return null;
    const age = this.#context.clock.now() - firstOwed(this.#context.engine.state, desired);
    // A wall clock that was set back says nothing about the nonce.
    return age < 0 ? Number.NEGATIVE_INFINITY : this.#context.clock.monotonic() - age;
  }

  /** One that is gone already is deleted too. */
  async delete(
    { priority, shownPosts }: PostOperation,
    { channel_id, message_id }: { channel_id: string; message_id: string },
  ): Promise<void> {
    const path = `/channels/${channel_id}/messages/${message_id}` as const;
    try {
      await this.#context.rest.call({ method: "DELETE", path, priority, key: path, signal: shownPosts.signal });
    } catch (error) {
      const kind = failureKind(error);
      if (kind !== "message_gone" && kind !== "channel_gone") throw error;
    }
  }

  async edit(
    { desired, priority, shownPosts }: PostOperation,
    { channel_id, message_id }: PostedMessage,
    body: Body,
    { onSend, waits = true }: { onSend?: () => void; waits?: boolean } = {},
  ): Promise<void> {
    const path = `/channels/${channel_id}/messages/${message_id}` as const;
    await this.#context.rest.call({
      method: "PATCH",
      path,
      ...requestOf(this.#fitted(body, desired, channel_id)),
      // A growing post leaves the last place of a rate-limit window to final posts.
      priority: desired.live ? "cosmetic" : priority,
      key: path,
      repeatMs: NONCE_LIFE_MS,
      ...(waits ? { signal: shownPosts.signal } : {}),
      ...(onSend ? { onSend } : {}),
    });
  }

  async record(
    { desired, shownPosts, memory, hash }: PostOperation,
    channel_id: string,
    message_id: string | null,
    { is = desired.is, isNotice = false }: RecordOptions = {},
  ): Promise<void> {
    const { subject, part, upto, want } = desired;
    const partly = isNotice || (want.kind === "show" && want.partly === true);
    memory.unanswered = 0;
    shownPosts.inherited?.delete(keyOf(desired));
    if (shownPosts.inherited?.size === 0) shownPosts.reading = null;
    await this.#context.engine.submit({
      type: "record_post",
      subject,
      part,
      channel_id,
      message_id,
      hash,
      is,
      ...(upto && { upto }),
      ...(partly && { partly }),
    });
  }

  /** Adds a line below the message's text, which only Discord knows. */
  async addLine(operation: PostOperation, { channel_id, message_id }: PostedMessage, line: string): Promise<void> {
    const path = `/channels/${channel_id}/messages/${message_id}` as const;
    const { priority, shownPosts } = operation;
    const { signal } = shownPosts;
    const message = await this.#context.rest.call<APIMessage>({ method: "GET", path, priority, signal });
    const content = withLineBelow(message.content, line);
    const body = { content, components: [], allowed_mentions: { parse: [] } };
    // Already there: the last process was stopped before it could record it.
    if (content === message.content) return;
    await this.#context.rest.call({ method: "PATCH", path, body, priority, key: path, signal });
  }

  /** Where this post goes now; opens the owner's direct messages if necessary. */
  async spotOf({ desired }: PostOperation): Promise<Spot> {
    const { state } = this.#context.engine;
    const thread = state.threads[desired.thread_id];
    const place = desired.to ?? thread?.place ?? "thread";
    if (!thread || place === "thread") return { place, channelId: desired.thread_id };
    if (place === "parent" && !isInForum(state, thread)) return { place, channelId: thread.channel_id };
    return { place: "owner", channelId: await this.#options.openDirect() };
  }

  /** The body as shown in this channel: with a line on where it belongs, if that is elsewhere. */
  #fitted(body: Body, desired: DesiredPost, channelId: string): Body {
    if (channelId === desired.thread_id || desired.to !== undefined) return body;
    const { sessions, decisions, threads } = this.#context.engine.state;
    const asker = decisions[desired.subject]?.asker;
    const name = threads[desired.thread_id]?.name;
    // Discord draws the mention of a deleted thread as unknown.
    const thread = `<#${desired.thread_id}>${name === undefined ? "" : ` (${plainLine(name, 60)})`}`;
    const project =
      sessions[desired.thread_id]?.project_name ?? (asker?.by === "mcp" ? plainLine(asker.project, 60) : "?");
    return withPlaceLine(body, say(this.#context.locale, "post_elsewhere", { project, thread }));
  }

  /** @returns whether it is open now. */
  async unarchive({ priority, shownPosts, memory }: PostOperation, channelId: string): Promise<boolean> {
    memory.opened += 1;
    // Somebody, or Discord, keeps archiving it.
    if (memory.opened > OPENINGS) return false;
    try {
      await this.#context.rest.call({
        method: "PATCH",
        path: `/channels/${channelId}`,
        body: { archived: false },
        priority,
        key: `open ${channelId}`,
        signal: shownPosts.signal,
      });
      return true;
    } catch (error) {
      if (handled(error) === "superseded") return true;
      this.#context.log.info("an archived thread could not be opened", { thread_id: channelId, reason: String(error) });
      return false;
    }
  }
}

/** The failure's kind. Rethrows what is not a failure of Discord's, or ends all work. */
export function handled(error: unknown): FailureKind {
  const kind = failureKind(error);
  if (kind === null || kind === "closed" || kind === "unauthorized") throw error;
  return kind;
}
