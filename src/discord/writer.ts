/**
 * Makes one post be as it is owed: creates it, edits it, marks it interrupted or takes it away, and writes down in
 * the journal what stands where. It may be called for the same post any number of times, in this process or the
 * next; one message is the result.
 */
import { MessageReferenceType, type APIMessage } from "discord-api-types/v10";
import { say } from "../base/words/say.ts";
import type { Post } from "../core/post.ts";
import { inert } from "./body.ts";
import { keyOf, memoryOf, type Desk } from "./desk.ts";
import { Fallback, type Steps } from "./fallback.ts";
import { lookUp } from "./lookup.ts";
import type { Body, Lane, Owed } from "./owed.ts";
import * as posting from "./posting.ts";
import { failureKind } from "./rest-failure.ts";
import type { Spot, Mending, Tools } from "./mending.ts";

/** For a message that may show something else than was sent: the next look edits it. */
const UNKNOWN = "unknown";

export class Writer implements Steps {
  readonly #tools: Tools;
  readonly #fallback: Fallback;

  constructor(tools: Tools) {
    this.#tools = tools;
    this.#fallback = new Fallback(tools, this);
  }

  /**
   * `lane` is that of the most urgent post that waits behind this one. Where more is to do later, it has the desk
   * look again. Rejects only when nothing can be done any more: we are closing, or the journal has failed.
   */
  async mend(owed: Owed, desk: Desk, lane: Lane): Promise<void> {
    const posted = this.#tools.engine.state.posts[owed.subject]?.[owed.part];
    const mending: Mending = { owed, desk, lane, memory: memoryOf(desk, owed) };
    switch (owed.want.kind) {
      case "show":
        return this.#show(mending, owed.want.body, posted);
      case "interrupted":
        return posted?.message_id ? this.#interrupt(mending, owed.want.line, posted, posted.message_id) : undefined;
      case "remove":
        return posted?.message_id ? this.#remove(mending, posted, posted.message_id) : undefined;
    }
  }

  async #show(mending: Mending, body: Body, posted: Post | undefined): Promise<void> {
    const { owed, memory } = mending;
    const hash = posting.hashOf(body);
    if (owed.live && memory.letGo) return;
    if (!posted || (posted.message_id === null && posted.hash === posting.REMOVED)) return this.#create(mending, body, hash, "");
    const { message_id } = posted;
    if (message_id === null) return;
    if (owed.live) return this.#grow(mending, body, hash, posted, message_id);
    // An edit still in line or under way would come on top of what the message shows now.
    const shown = memory.edit === null ? (memory.shown ?? posted.hash) : null;
    if (shown !== hash) return this.#edit(mending, body, hash, posted, message_id);
    if (posted.hash !== hash) await this.record(mending, posted.channel_id, message_id, hash);
  }

  async #create(mending: Mending, body: Body, hash: string, replaces: string): Promise<void> {
    const { owed, memory } = mending;
    let spot: Spot | null = null;
    try {
      spot = await this.#fallback.spotOf(mending);
      const message = await this.post(mending, body, spot, replaces);
      memory.leftAt = this.#tools.clock.monotonic();
      const same = posting.showsBody(message, this.#fitted(body, owed, spot.channelId));
      memory.shown = same ? hash : UNKNOWN;
      await this.record(mending, spot.channelId, message.id, owed.live ? posting.liveHash(memory.shown) : memory.shown);
    } catch (error) {
      await this.#fallback.createFailed(mending, body, hash, spot, error);
    }
  }

  /** Sends it, or finds it where it may have been sent before. */
  async post(mending: Mending, body: Body, spot: Spot, replaces: string): Promise<APIMessage> {
    const { owed, desk, lane, memory } = mending;
    const { channelId } = spot;
    const nonce = posting.nonceOf(this.#tools.botId, owed, channelId, memory.burnt ? `${replaces}!` : replaces);
    const shown = this.#fitted(body, owed, channelId);
    const replyTo = spot.place === "thread" ? owed.reply_to : null;
    const { signal } = desk.withdraw;
    let tried = this.#firstTry(mending);
    if (tried !== null && this.#tools.clock.monotonic() - tried > posting.NONCE_LIFE_MS) {
      const inThread = spot.place === "thread";
      const since = this.#firstOwed(owed);
      const found = await lookUp(this.#tools.rest, { channelId, botId: this.#tools.botId, nonce, body: shown, replyTo, inThread, since, lane, claimed: (id) => this.#claimed(id), signal });
      if (found) return found;
      memory.triedAt = tried = null;
      desk.inherited?.delete(keyOf(owed));
    }
    const reference = { type: MessageReferenceType.Default, message_id: replyTo, fail_if_not_exists: false };
    const request = posting.requestOf(shown);
    const message = await this.#tools.rest.call<APIMessage>({
      method: "POST",
      path: `/channels/${channelId}/messages`,
      body: { ...request.body, nonce, enforce_nonce: true, ...(replyTo === null ? {} : { message_reference: reference }) },
      files: request.files,
      lane,
      signal,
      repeatMs: posting.NONCE_LIFE_MS,
      ...(tried === null ? {} : { doubtSince: tried }),
      onLeave: () => (memory.triedAt ??= tried ?? this.#tools.clock.monotonic()),
    });
    memory.triedAt = null;
    return message;
  }

  /** When it may have left for the first time, by the monotonic clock; null when it certainly has not. */
  #firstTry({ owed, desk, memory }: Mending): number | null {
    if (memory.triedAt !== null) return memory.triedAt;
    if (!desk.inherited?.has(keyOf(owed))) return null;
    const age = this.#tools.clock.now() - this.#firstOwed(owed);
    // A wall clock that was put back says nothing about the nonce.
    return age < 0 ? Number.NEGATIVE_INFINITY : this.#tools.clock.monotonic() - age;
  }

  /** A job's posts may have been tried while it still ran. Milliseconds since the epoch. */
  #firstOwed({ subject, since }: Owed): number {
    const started = Date.parse(this.#tools.engine.state.jobs[subject]?.started_at ?? "");
    return Number.isNaN(started) ? since : Math.min(since, started);
  }

  async #edit(mending: Mending, body: Body, hash: string, posted: Post, messageId: string): Promise<void> {
    const { channel_id } = posted;
    try {
      // Until its answer is here it shows the one or the other.
      mending.memory.shown = UNKNOWN;
      await this.patch(mending, channel_id, messageId, this.#fitted(body, mending.owed, channel_id));
      mending.memory.shown = hash;
      await this.record(mending, channel_id, messageId, hash);
    } catch (error) {
      const next = await this.#fallback.editFailed(mending, body, hash, { ...posted, message_id: messageId }, error);
      if (next === "anew") await this.#create(mending, body, hash, messageId);
    }
  }

  /** The edit of a message that still grows: nobody waits for it, the latest wins, and never two within the interval. */
  #grow(mending: Mending, body: Body, hash: string, posted: Post, messageId: string): void {
    const { desk, memory, owed } = mending;
    if ((memory.edit?.hash ?? memory.shown) === hash) return;
    const wait = memory.leftAt + this.#tools.editIntervalMs() - this.#tools.clock.monotonic();
    if (wait > 0 && (memory.edit === null || memory.edit.left)) return this.#tools.lookLater(desk, wait);
    const mine = { hash, left: false };
    memory.edit = mine;
    const onLeave = (): void => {
      mine.left = true;
      memory.leftAt = this.#tools.clock.monotonic();
    };
    const sent = this.patch(mending, posted.channel_id, messageId, this.#fitted(body, owed, posted.channel_id), { onLeave, waits: false })
      .then(() => {
        memory.shown = hash;
      })
      .catch((error) => {
        // It may have been done all the same.
        if (mine.left) memory.shown = UNKNOWN;
        this.#fallback.growthFailed(mending, error);
      })
      .finally(() => {
        if (memory.edit === mine) memory.edit = null;
        desk.background.delete(sent);
        this.#tools.lookLater(desk, 0);
      });
    desk.background.add(sent);
  }

  async #interrupt(mending: Mending, line: string, posted: Post, messageId: string): Promise<void> {
    const hash = posting.interruptedHash(line);
    const { channel_id } = posted;
    if (posted.hash === hash) return;
    const path = `/channels/${channel_id}/messages/${messageId}` as const;
    try {
      const { signal } = mending.desk.withdraw;
      const message = await this.#tools.rest.call<APIMessage>({ method: "GET", path, lane: mending.lane, signal });
      const content = posting.withLineBelow(message.content, line);
      const body = { content, components: [], allowed_mentions: { parse: [] } };
      // Already there: the last process was stopped before it could write it down.
      if (content !== message.content) await this.#tools.rest.call({ method: "PATCH", path, body, lane: mending.lane, key: path, signal });
      await this.record(mending, channel_id, messageId, hash);
    } catch (error) {
      await this.#fallback.markFailed(mending, hash, { ...posted, message_id: messageId }, error);
    }
  }

  async #remove(mending: Mending, posted: Post, messageId: string): Promise<void> {
    const { channel_id } = posted;
    const path = `/channels/${channel_id}/messages/${messageId}` as const;
    try {
      await this.#tools.rest.call({ method: "DELETE", path, lane: mending.lane, key: path, signal: mending.desk.withdraw.signal });
    } catch (error) {
      const kind = failureKind(error);
      if (kind !== "message_gone" && kind !== "channel_gone") {
        return this.#fallback.markFailed(mending, posting.REMOVED, { ...posted, message_id: messageId }, error);
      }
    }
    await this.record(mending, channel_id, null, posting.REMOVED);
  }

  async patch(
    mending: Mending,
    channelId: string,
    messageId: string,
    body: Body,
    how: { onLeave?: () => void; waits?: boolean } = {},
  ): Promise<void> {
    const path = `/channels/${channelId}/messages/${messageId}` as const;
    const request = posting.requestOf(body);
    const { onLeave, waits = true } = how;
    await this.#tools.rest.call({
      method: "PATCH",
      path,
      ...request,
      // What is shown when convenient leaves the last place of a window to what is final.
      lane: mending.owed.live ? "cosmetic" : mending.lane,
      key: path,
      repeatMs: posting.NONCE_LIFE_MS,
      ...(waits ? { signal: mending.desk.withdraw.signal } : {}),
      ...(onLeave ? { onLeave } : {}),
    });
  }

  async record(mending: Mending, channel_id: string, message_id: string | null, hash: string): Promise<void> {
    const { subject, part } = mending.owed;
    mending.memory.unanswered = 0;
    await this.#tools.engine.submit({ type: "record_post", subject, part, channel_id, message_id, hash });
  }

  /** The body as it is shown in this channel: with a word of where it belongs, where that is elsewhere. */
  #fitted(body: Body, owed: Owed, channelId: string): Body {
    if (channelId === owed.thread_id || owed.to === "owner") return body;
    const { sessions, decisions } = this.#tools.engine.state;
    const asker = decisions[owed.subject]?.asker;
    const project = sessions[owed.thread_id]?.project_name ?? (asker?.by === "mcp" ? inert(asker.project, 60) : "?");
    return posting.elsewhere(body, say(this.#tools.locale, "post_elsewhere", { project, thread: `<#${owed.thread_id}>` }));
  }

  #claimed(messageId: string): boolean {
    return Object.values(this.#tools.engine.state.posts).some((parts) => Object.values(parts).some((known) => known.message_id === messageId));
  }
}
