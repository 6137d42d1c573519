/**
 * Makes one post be as it is owed: creates it, edits it, marks it interrupted or takes it away, and writes down in
 * the journal what stands where. It may be called for the same post any number of times, in this process or the
 * next; one message is the result.
 */
import { MessageReferenceType, type APIMessage } from "discord-api-types/v10";
import { say } from "../base/words/say.ts";
import type { Post } from "../core/post.ts";
import { keyOf, memoryOf, type Desk } from "./desk.ts";
import { createFallback } from "./fallback.ts";
import { lookUp } from "./lookup.ts";
import type { Body, Lane, Owed } from "./owed.ts";
import * as posting from "./posting.ts";
import { failureKind } from "./rest-failure.ts";
import type { Spot, Task, Tools } from "./task.ts";

export interface Writer {
  /**
   * `lane` is that of the most urgent post that waits behind this one. Where more is to do later, it has the desk
   * look again. Rejects only when nothing can be done any more: we are closing, or the journal has failed.
   */
  mend(owed: Owed, desk: Desk, lane: Lane): Promise<void>;
}

/** For a message that may show something else than was sent: the next look edits it. */
const UNKNOWN = "unknown";

export function createWriter(tools: Tools): Writer {
  const { engine, rest, clock, locale, botId, lookLater } = tools;
  const fallback = createFallback(tools, { post, record, patch });

  async function mend(owed: Owed, desk: Desk, lane: Lane): Promise<void> {
    const posted = engine.state.posts[owed.subject]?.[owed.part];
    const task: Task = { owed, desk, lane, memory: memoryOf(desk, owed) };
    switch (owed.want.kind) {
      case "show":
        return show(task, owed.want.body, posted);
      case "interrupted":
        return posted?.message_id ? interrupt(task, owed.want.line, posted, posted.message_id) : undefined;
      case "remove":
        return posted?.message_id ? remove(task, posted, posted.message_id) : undefined;
    }
  }

  async function show(task: Task, body: Body, posted: Post | undefined): Promise<void> {
    const { owed, memory } = task;
    const hash = posting.hashOf(body);
    if (owed.live && memory.letGo) return;
    if (!posted || (posted.message_id === null && posted.hash === posting.REMOVED)) return create(task, body, hash, "");
    const { message_id } = posted;
    if (message_id === null) return;
    if (owed.live) return grow(task, body, hash, posted, message_id);
    // An edit still in line or under way would come on top of what the message shows now.
    const shown = memory.edit === null ? (memory.shown ?? posted.hash) : null;
    if (shown !== hash) return edit(task, body, hash, posted, message_id);
    if (posted.hash !== hash) await record(task, posted.channel_id, message_id, hash);
  }

  async function create(task: Task, body: Body, hash: string, replaces: string): Promise<void> {
    const { owed, memory } = task;
    let spot: Spot | null = null;
    try {
      spot = await fallback.spotOf(task);
      const message = await post(task, body, spot, replaces);
      memory.leftAt = clock.monotonic();
      const same = posting.showsBody(message, fitted(body, owed, spot.channelId));
      memory.shown = same ? hash : UNKNOWN;
      await record(task, spot.channelId, message.id, owed.live ? posting.liveHash(memory.shown) : memory.shown);
    } catch (error) {
      await fallback.createFailed(task, body, hash, spot, error);
    }
  }

  /** Sends it, or finds it where it may have been sent before. */
  async function post(task: Task, body: Body, spot: Spot, replaces: string): Promise<APIMessage> {
    const { owed, desk, lane, memory } = task;
    const { channelId } = spot;
    const nonce = posting.nonceOf(botId, owed, channelId, memory.burnt ? `${replaces}!` : replaces);
    const shown = fitted(body, owed, channelId);
    const replyTo = spot.place === "thread" ? owed.reply_to : null;
    const { signal } = desk.withdraw;
    let tried = firstTry(task);
    if (tried !== null && clock.monotonic() - tried > posting.NONCE_LIFE_MS) {
      const inThread = spot.place === "thread";
      const since = firstOwed(owed);
      const found = await lookUp(rest, { channelId, botId, nonce, body: shown, replyTo, inThread, since, lane, claimed, signal });
      if (found) return found;
      memory.triedAt = tried = null;
      desk.inherited?.delete(keyOf(owed));
    }
    const reference = { type: MessageReferenceType.Default, message_id: replyTo, fail_if_not_exists: false };
    const request = posting.requestOf(shown);
    const message = await rest.call<APIMessage>({
      method: "POST",
      path: `/channels/${channelId}/messages`,
      body: { ...request.body, nonce, enforce_nonce: true, ...(replyTo === null ? {} : { message_reference: reference }) },
      files: request.files,
      lane,
      signal,
      repeatMs: posting.NONCE_LIFE_MS,
      ...(tried === null ? {} : { doubtSince: tried }),
      onLeave: () => (memory.triedAt ??= tried ?? clock.monotonic()),
    });
    memory.triedAt = null;
    return message;
  }

  /** When it may have left for the first time, by the monotonic clock; null when it certainly has not. */
  function firstTry({ owed, desk, memory }: Task): number | null {
    if (memory.triedAt !== null) return memory.triedAt;
    if (!desk.inherited?.has(keyOf(owed))) return null;
    const age = clock.now() - firstOwed(owed);
    // A wall clock that was put back says nothing about the nonce.
    return age < 0 ? Number.NEGATIVE_INFINITY : clock.monotonic() - age;
  }

  /** A job's posts may have been tried while it still ran. Milliseconds since the epoch. */
  function firstOwed({ subject, since }: Owed): number {
    const started = Date.parse(engine.state.jobs[subject]?.started_at ?? "");
    return Number.isNaN(started) ? since : Math.min(since, started);
  }

  async function edit(task: Task, body: Body, hash: string, posted: Post, messageId: string): Promise<void> {
    const { channel_id } = posted;
    try {
      // Until its answer is here it shows the one or the other.
      task.memory.shown = UNKNOWN;
      await patch(task, channel_id, messageId, fitted(body, task.owed, channel_id));
      task.memory.shown = hash;
      await record(task, channel_id, messageId, hash);
    } catch (error) {
      const next = await fallback.editFailed(task, hash, { ...posted, message_id: messageId }, error);
      if (next === "anew") await create(task, body, hash, messageId);
    }
  }

  /** The edit of a message that still grows: nobody waits for it, the latest wins, and never two within the interval. */
  function grow(task: Task, body: Body, hash: string, posted: Post, messageId: string): void {
    const { desk, memory, owed } = task;
    if ((memory.edit?.hash ?? memory.shown) === hash) return;
    const wait = memory.leftAt + tools.editIntervalMs() - clock.monotonic();
    if (wait > 0 && (memory.edit === null || memory.edit.left)) return lookLater(desk, wait);
    const mine = { hash, left: false };
    memory.edit = mine;
    const onLeave = (): void => {
      mine.left = true;
      memory.leftAt = clock.monotonic();
    };
    const sent = patch(task, posted.channel_id, messageId, fitted(body, owed, posted.channel_id), { onLeave, waits: false })
      .then(() => {
        memory.shown = hash;
      })
      .catch((error) => {
        // It may have been done all the same.
        if (mine.left) memory.shown = UNKNOWN;
        fallback.growthFailed(task, error);
      })
      .finally(() => {
        if (memory.edit === mine) memory.edit = null;
        desk.background.delete(sent);
        lookLater(desk, 0);
      });
    desk.background.add(sent);
  }

  async function interrupt(task: Task, line: string, posted: Post, messageId: string): Promise<void> {
    const hash = posting.interruptedHash(line);
    const { channel_id } = posted;
    if (posted.hash === hash) return;
    const path = `/channels/${channel_id}/messages/${messageId}` as const;
    try {
      const { signal } = task.desk.withdraw;
      const message = await rest.call<APIMessage>({ method: "GET", path, lane: task.lane, signal });
      const content = posting.withLineBelow(message.content, line);
      const body = { content, components: [], allowed_mentions: { parse: [] } };
      // Already there: the last process was stopped before it could write it down.
      if (content !== message.content) await rest.call({ method: "PATCH", path, body, lane: task.lane, key: path, signal });
      await record(task, channel_id, messageId, hash);
    } catch (error) {
      await fallback.markFailed(task, hash, { ...posted, message_id: messageId }, error);
    }
  }

  async function remove(task: Task, posted: Post, messageId: string): Promise<void> {
    const { channel_id } = posted;
    const path = `/channels/${channel_id}/messages/${messageId}` as const;
    try {
      await rest.call({ method: "DELETE", path, lane: task.lane, key: path, signal: task.desk.withdraw.signal });
    } catch (error) {
      const kind = failureKind(error);
      if (kind !== "message_gone" && kind !== "channel_gone") {
        return fallback.markFailed(task, posting.REMOVED, { ...posted, message_id: messageId }, error);
      }
    }
    await record(task, channel_id, null, posting.REMOVED);
  }

  async function patch(
    task: Task,
    channelId: string,
    messageId: string,
    body: Body,
    how: { onLeave?: () => void; waits?: boolean } = {},
  ): Promise<void> {
    const path = `/channels/${channelId}/messages/${messageId}` as const;
    const request = posting.requestOf(body);
    const { onLeave, waits = true } = how;
    await rest.call({
      method: "PATCH",
      path,
      ...request,
      // What is shown when convenient leaves the last place of a window to what is final.
      lane: task.owed.live ? "cosmetic" : task.lane,
      key: path,
      repeatMs: posting.NONCE_LIFE_MS,
      ...(waits ? { signal: task.desk.withdraw.signal } : {}),
      ...(onLeave ? { onLeave } : {}),
    });
  }

  async function record(task: Task, channel_id: string, message_id: string | null, hash: string): Promise<void> {
    const { subject, part } = task.owed;
    task.memory.unanswered = 0;
    await engine.submit({ type: "record_post", subject, part, channel_id, message_id, hash });
  }

  /** The body as it is shown in this channel: with a word of where it belongs, where that is elsewhere. */
  function fitted(body: Body, owed: Owed, channelId: string): Body {
    if (channelId === owed.thread_id) return body;
    const project = engine.state.sessions[owed.thread_id]?.project_name ?? "?";
    return posting.elsewhere(body, say(locale, "post_elsewhere", { project, thread: `<#${owed.thread_id}>` }));
  }

  function claimed(messageId: string): boolean {
    return Object.values(engine.state.posts).some((parts) => Object.values(parts).some((known) => known.message_id === messageId));
  }

  return { mend };
}
