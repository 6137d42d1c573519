/**
 * Brings one post into the state that is owed: creates it, edits it, marks it interrupted or removes it, and records
 * in the journal which message is where. It may be called for the same post any number of times, in this process or
 * the next; the result is one message.
 */
import { flagsOf } from "../views/rings.ts";
import * as posting from "../views/message.ts";
import type { APIMessage } from "discord-api-types/v10";
import { compareSnowflakes } from "../../base/ids.ts";
import { once } from "../../base/once.ts";
import { say } from "../../base/words/say.ts";
import { GROWING, REMOVED, UNKNOWN, UNSETTLED, type Post } from "../../core/posts/post.ts";
import { plainLine, type Body, type DesiredPost } from "../views/message.ts";
import {
  firstOwed,
  keyOf,
  memoryOf,
  sentAfter,
  type PostOperation,
  type ChannelReading,
  type ShownPosts,
  type Spot,
  type PostedMessage,
  type PostWriterOptions,
} from "./posts-as-shown.ts";
import { Fallback, type RecordOptions, type PostSteps } from "./fallback.ts";
import type { Priority } from "../api/rate-limits.ts";
import { failureKind } from "../api/transport.ts";
import { findOwn, readOwn, type Own, type MessageQuery } from "./own-messages.ts";
import { NONCE_LIFE_MS, sendOnce } from "./send-once.ts";

/** Names under which a message may show anything. */
const OPEN_NAMES: ReadonlySet<string> = new Set([GROWING, UNKNOWN, UNSETTLED]);

export class PostWriter implements PostSteps {
  readonly #options: PostWriterOptions;
  readonly #fallback: Fallback;

  constructor(options: PostWriterOptions) {
    this.#options = options;
    this.#fallback = new Fallback(options, this);
  }

  /**
   * `priority` is that of the most urgent post waiting behind this one. If more is to do later, it has the post sync
   * look again. Rejects only when nothing can be done any more: on close, or when the journal has failed.
   */
  async mend(desired: DesiredPost, shownPosts: ShownPosts, priority: Priority): Promise<void> {
    const posted = this.#options.engine.state.posts[desired.subject]?.[desired.part];
    const { want } = desired;
    const memory = memoryOf(shownPosts, desired);
    if (want.kind === "show")
      return this.#show({ desired, shownPosts, priority, memory, hash: posting.hashOf(want.body) }, want.body, posted);
    if (want.kind === "found")
      return posted
        ? undefined
        : this.#find({ desired, shownPosts, priority, memory, hash: posting.hashOf(want.body) }, want);
    if (want.kind === "remove" && want.unrecorded && !posted)
      return this.#removeUnrecorded(
        { desired, shownPosts, priority, memory, hash: posting.hashOf(want.unrecorded) },
        want.unrecorded,
      );
    if (!isStanding(posted)) return;
    const operation: PostOperation = { desired, shownPosts, priority, memory, hash: posted.hash };
    return want.kind === "interrupted"
      ? this.#interrupt(operation, want.line, posted)
      : this.#remove(operation, posted);
  }

  async #show(operation: PostOperation, body: Body, posted: Post | undefined): Promise<void> {
    const { desired, memory, hash } = operation;
    if (desired.live && memory.letGo) return;
    if (!posted || (posted.message_id === null && posted.is === REMOVED)) return this.#create(operation, body, "");
    if (!isStanding(posted)) return this.#tryAgain(operation, body);
    if (desired.buried === true) return this.#moveToEnd(operation, body, posted);
    if (desired.stands === true && this.#isGone(desired, posted))
      return this.#create(operation, body, posted.message_id);
    if (desired.live) return this.#grow(operation, body, posted);
    // An edit that is queued or in flight would replace what the message shows now.
    const shown =
      memory.edit === null ? (memory.shown ?? (OPEN_NAMES.has(posted.is) ? UNKNOWN : posted.hash)) : UNKNOWN;
    if (posted.is === desired.is && shown === posted.hash) return;
    if (shown !== hash) return this.#edit(operation, body, posted);
    await this.record(operation, posted.channel_id, posted.message_id);
  }

  /** A post that was given up: now if it is due again, else when it is. */
  async #tryAgain(operation: PostOperation, body: Body): Promise<void> {
    const { shownPosts } = operation;
    const at = dueAgainAt(operation);
    if (this.#options.clock.monotonic() >= at) return this.#create(operation, body, "");
    shownPosts.tryAt = Math.min(shownPosts.tryAt, at);
  }

  /** The new message's nonce names the old one, so that it is posted once, however often this is interrupted. */
  async #moveToEnd(operation: PostOperation, body: Body, posted: PostedMessage): Promise<void> {
    try {
      await this.#delete(operation, posted);
    } catch (error) {
      return this.#fallback.markFailed(operation, posted.channel_id, error);
    }
    await this.#create(operation, body, posted.message_id);
  }

  /** Whether it is in a place that the thread has lost since. */
  #isGone({ thread_id }: DesiredPost, { channel_id }: Post): boolean {
    const thread = this.#options.engine.state.threads[thread_id];
    if (!thread || thread.place === "thread") return false;
    return channel_id === thread_id || (thread.place === "owner" && channel_id === thread.channel_id);
  }

  async #create(operation: PostOperation, body: Body, replaces: string): Promise<void> {
    const { desired, memory, hash } = operation;
    let spot: Spot | null = null;
    try {
      spot = await this.#fallback.spotOf(operation);
      const message = await this.post(operation, body, spot, replaces);
      memory.sentAt = this.#options.clock.monotonic();
      const same = posting.showsBody(message, this.#fitted(body, desired, spot.channelId));
      memory.shown = same ? hash : UNKNOWN;
      await this.record(operation, spot.channelId, message.id, {
        is: desired.live ? GROWING : same ? desired.is : UNKNOWN,
      });
    } catch (error) {
      await this.#fallback.createFailed(operation, body, spot, error);
    }
  }

  /** Sends it, or finds it if it may have been sent before. */
  async post(operation: PostOperation, body: Body, spot: Spot, replaces: string): Promise<APIMessage> {
    const { desired, shownPosts, priority, memory } = operation;
    const { channelId } = spot;
    const nonce = posting.nonceOf(this.#options.botId, desired, channelId, memory.burnt ? `${replaces}!` : replaces);
    const shown = this.#fitted(body, desired, channelId);
    const replyTo = spot.place === "thread" ? (desired.reply_to ?? null) : null;
    const { signal } = shownPosts;
    let tried = this.#firstTry(operation);
    let stood = false;
    const find = async (): Promise<APIMessage | null> => {
      const found = await this.#lookFor(operation, {
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
    const request = posting.requestOf(shown);
    const message = await sendOnce(this.#options.rest, {
      channelId,
      body: {
        ...request.body,
        flags: flagsOf(shown, this.#options.calls(desired.news)),
      },
      files: request.files,
      nonce,
      replyTo,
      priority,
      signal,
      lookUp: {
        first: tried !== null && this.#options.clock.monotonic() - tried > NONCE_LIFE_MS,
        untilKnown: false,
        find,
      },
      ...(tried !== null && { doubtSince: tried }),
      onSend: () => (memory.triedAt ??= tried ?? this.#options.clock.monotonic()),
    });
    if (stood) return message;
    memory.triedAt = null;
    this.#options.onPosted(channelId, message.id);
    return message;
  }

  /** When it may have been sent for the first time, by the monotonic clock; null if it certainly was not. */
  #firstTry({ desired, shownPosts, memory }: PostOperation): number | null {
    if (memory.triedAt !== null) return memory.triedAt;
    if (!shownPosts.inherited?.has(keyOf(desired))) return null;
    const age = this.#options.clock.now() - firstOwed(this.#options.engine.state, desired);
    // A wall clock that was set back says nothing about the nonce.
    return age < 0 ? Number.NEGATIVE_INFINITY : this.#options.clock.monotonic() - age;
  }

  /** The message that an earlier try may have left in the channel. */
  async #lookFor(
    operation: PostOperation,
    sought: Pick<MessageQuery, "nonce" | "body" | "replyTo" | "inThread" | "above" | "mayGoOn"> & { channelId: string },
  ): Promise<APIMessage | null> {
    const { desired, shownPosts } = operation;
    const after = sentAfter(this.#options.engine.state, desired);
    const own = await this.#ownIn(operation, sought.channelId, after);
    const others = new Set(
      [...(shownPosts.inherited ?? [])].flatMap(([key, { shape }]) => (key === keyOf(desired) ? [] : [shape])),
    );
    return findOwn(own, {
      ...sought,
      after,
      claimed: this.#claims(sought.channelId),
      isOthers: (shape) => others.has(shape),
    });
  }

  /** One reading serves all that an earlier process may have sent, back to the oldest of it. */
  #ownIn({ shownPosts, memory, priority }: PostOperation, channelId: string, after: string): Promise<readonly Own[]> {
    const { rest, botId } = this.#options;
    const { signal, inherited, reading } = shownPosts;
    // This process may have sent it meanwhile.
    if (memory.triedAt !== null) return readOwn(rest, { channelId, botId, after, priority, signal });
    if (reading?.channelId === channelId && compareSnowflakes(reading.after, after) <= 0) return reading.own;
    const oldest =
      [after, ...[...(inherited ?? new Map()).values()].map((one) => one.after)].toSorted(compareSnowflakes)[0] ??
      after;
    // Whatever changes in the thread, it is wanted.
    const next: ChannelReading = {
      channelId,
      after: oldest,
      own: readOwn(rest, { channelId, botId, after: oldest, priority }),
      isDone: false,
    };
    shownPosts.reading = next;
    next.own.then(
      () => (next.isDone = true),
      () => shownPosts.reading === next && (shownPosts.reading = null),
    );
    return next.own;
  }

  async #edit(operation: PostOperation, body: Body, posted: PostedMessage): Promise<void> {
    const { channel_id, message_id } = posted;
    try {
      // Until the answer arrives it may show either.
      operation.memory.shown = UNKNOWN;
      await this.patch(operation, posted, this.#fitted(body, operation.desired, channel_id));
      operation.memory.shown = operation.hash;
      await this.record(operation, channel_id, message_id);
    } catch (error) {
      const next = await this.#fallback.editFailed(operation, body, posted, error);
      if (next === "anew") await this.#create(operation, body, message_id);
    }
  }

  /**
   * Edits a growing message: nobody waits for it, the latest text wins, and there is at most one edit in each interval.
   */
  #grow(operation: PostOperation, body: Body, posted: PostedMessage): void {
    const { shownPosts, memory, desired, hash } = operation;
    if ((memory.edit?.hash ?? memory.shown) === hash) return;
    const wait = memory.sentAt + this.#options.editIntervalMs() - this.#options.clock.monotonic();
    if (wait > 0 && (memory.edit === null || memory.edit.sent)) return this.#options.lookLater(shownPosts, wait);
    const mine = { hash, sent: false };
    memory.edit = mine;
    const onSend = (): void => {
      mine.sent = true;
      memory.sentAt = this.#options.clock.monotonic();
    };
    const editing = this.patch(operation, posted, this.#fitted(body, desired, posted.channel_id), {
      onSend,
      waits: false,
    })
      .then(() => {
        memory.shown = hash;
        return true;
      })
      .catch((error) => {
        // It may have been applied all the same.
        if (mine.sent) memory.shown = UNKNOWN;
        return this.#fallback.growthFailed(operation, error);
      })
      .then((goesOn) => {
        if (memory.edit === mine) memory.edit = null;
        shownPosts.background.delete(editing);
        if (goesOn) this.#options.lookLater(shownPosts, 0);
      });
    shownPosts.background.add(editing);
  }

  async #interrupt(operation: PostOperation, line: string, posted: PostedMessage): Promise<void> {
    const { channel_id, message_id } = posted;
    if (posted.is === operation.desired.is) return;
    const path = `/channels/${channel_id}/messages/${message_id}` as const;
    try {
      const { signal } = operation.shownPosts;
      const message = await this.#options.rest.call<APIMessage>({
        method: "GET",
        path,
        priority: operation.priority,
        signal,
      });
      const content = posting.withLineBelow(message.content, line);
      const body = { content, components: [], allowed_mentions: { parse: [] } };
      // Already there: the last process was stopped before it could record it.
      if (content !== message.content)
        await this.#options.rest.call({ method: "PATCH", path, body, priority: operation.priority, key: path, signal });
      await this.record(operation, channel_id, message_id);
    } catch (error) {
      await this.#fallback.markFailed(operation, posted.channel_id, error);
    }
  }

  async #remove(operation: PostOperation, posted: PostedMessage): Promise<void> {
    try {
      await this.#delete(operation, posted);
    } catch (error) {
      return this.#fallback.markFailed(operation, posted.channel_id, error);
    }
    await this.record(operation, posted.channel_id, null);
  }

  /** It may have been sent, and its answer lost, by this process or an earlier one: then it is looked for. */
  async #removeUnrecorded(operation: PostOperation, body: Body): Promise<void> {
    const { desired } = operation;
    if (this.#firstTry(operation) === null) return;
    const { channelId } = await this.#fallback.spotOf(operation);
    const nonce = posting.nonceOf(this.#options.botId, desired, channelId, "");
    try {
      // Only exactly this one: another of its kind may be a post that is still to be recorded.
      const found = await this.#lookFor(operation, {
        channelId,
        nonce,
        body: this.#fitted(body, desired, channelId),
        replyTo: null,
        inThread: false,
        mayGoOn: true,
      });
      if (found) await this.#delete(operation, { channel_id: channelId, message_id: found.id });
    } catch (error) {
      return this.#fallback.markFailed(operation, channelId, error);
    }
    await this.record(operation, channelId, null);
  }

  /** Records it if it stands, and otherwise that it does not. */
  async #find(operation: PostOperation, { body, above }: { body: Body; above?: string }): Promise<void> {
    const { desired } = operation;
    const { channelId, place } = await this.#fallback.spotOf(operation);
    const nonce = posting.nonceOf(this.#options.botId, desired, channelId, "");
    try {
      const found = await this.#lookFor(operation, {
        channelId,
        nonce,
        body: this.#fitted(body, desired, channelId),
        above,
        replyTo: null,
        inThread: above !== undefined && place === "thread",
      });
      await this.record(operation, channelId, found?.id ?? null);
    } catch (error) {
      await this.#fallback.markFailed(operation, channelId, error);
    }
  }

  /** One that is gone already is deleted too. */
  async #delete(
    { priority, shownPosts }: PostOperation,
    { channel_id, message_id }: Pick<PostedMessage, "channel_id" | "message_id">,
  ): Promise<void> {
    const path = `/channels/${channel_id}/messages/${message_id}` as const;
    try {
      await this.#options.rest.call({ method: "DELETE", path, priority, key: path, signal: shownPosts.signal });
    } catch (error) {
      const kind = failureKind(error);
      if (kind !== "message_gone" && kind !== "channel_gone") throw error;
    }
  }

  async patch(
    operation: PostOperation,
    { channel_id, message_id }: PostedMessage,
    body: Body,
    { onSend, waits = true }: { onSend?: () => void; waits?: boolean } = {},
  ): Promise<void> {
    const path = `/channels/${channel_id}/messages/${message_id}` as const;
    const request = posting.requestOf(body);
    await this.#options.rest.call({
      method: "PATCH",
      path,
      ...request,
      // A growing post leaves the last place of a rate-limit window to final posts.
      priority: operation.desired.live ? "cosmetic" : operation.priority,
      key: path,
      repeatMs: NONCE_LIFE_MS,
      ...(waits ? { signal: operation.shownPosts.signal } : {}),
      ...(onSend ? { onSend } : {}),
    });
  }

  async record(
    operation: PostOperation,
    channel_id: string,
    message_id: string | null,
    { is = operation.desired.is, isNotice = false }: RecordOptions = {},
  ): Promise<void> {
    const { subject, part, upto, want } = operation.desired;
    const partly = isNotice || (want.kind === "show" && want.partly === true);
    const { hash, shownPosts, desired } = operation;
    operation.memory.unanswered = 0;
    shownPosts.inherited?.delete(keyOf(desired));
    if (shownPosts.inherited?.size === 0) shownPosts.reading = null;
    await this.#options.engine.submit({
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

  /** The body as shown in this channel: with a line on where it belongs, if that is elsewhere. */
  #fitted(body: Body, desired: DesiredPost, channelId: string): Body {
    if (channelId === desired.thread_id || desired.to !== undefined) return body;
    const { sessions, decisions, threads } = this.#options.engine.state;
    const asker = decisions[desired.subject]?.asker;
    const name = threads[desired.thread_id]?.name;
    // Discord draws the mention of a deleted thread as unknown.
    const thread = `<#${desired.thread_id}>${name === undefined ? "" : ` (${plainLine(name, 60)})`}`;
    const project =
      sessions[desired.thread_id]?.project_name ?? (asker?.by === "mcp" ? plainLine(asker.project, 60) : "?");
    return posting.withPlaceLine(body, say(this.#options.locale, "post_elsewhere", { project, thread }));
  }

  /**
   * Tells whether a message belongs to a post, or did. Nearly all of ours do; only if one did not at first are all
   * posts looked at again.
   */
  #claims(channelId: string): (messageId: string) => boolean {
    const { state } = this.#options.engine;
    const forgotten = state.threads[channelId]?.forgotten_through ?? "0";
    const known = once(
      () =>
        new Set(
          Object.values(state.posts).flatMap((parts) => Object.values(parts).map(({ message_id }) => message_id)),
        ),
    );
    const isNow = (id: string): boolean =>
      Object.values(state.posts).some((parts) => Object.values(parts).some(({ message_id }) => message_id === id));
    return (messageId) => compareSnowflakes(messageId, forgotten) <= 0 || known().has(messageId) || isNow(messageId);
  }
}

/**
 * When a post that was given up is due again, by the monotonic clock: at once when it says something else and after a
 * restart, else later and later; infinite: never.
 */
function dueAgainAt({ desired, memory: { refused } }: PostOperation): number {
  if (desired.stands !== true) return Number.POSITIVE_INFINITY;
  return refused?.is === desired.is ? refused.until : Number.NEGATIVE_INFINITY;
}

function isStanding(posted: Post | undefined): posted is PostedMessage {
  return typeof posted?.message_id === "string";
}
