/**
 * Makes a thread in a channel: its starter message, then the thread, then adds the owner. However often this is
 * interrupted and repeated, there is one thread: the message is posted under a nonce derived from its purpose, and once
 * Discord may have forgotten the nonce, the message is searched for before it is posted again.
 */
import { MessageFlags, type APIMessage, type APIThreadChannel } from "discord-api-types/v10";
import type { BotContext } from "../api/bot-context.ts";
import type { Priority } from "../api/rate-limits.ts";
import type { RestCaller } from "../api/rest.ts";
import { failureKind, RestFailure } from "../api/transport.ts";
import { messagesAfter, sendOnce } from "../delivery/send-once.ts";
import { longestBeginning, withoutControls } from "../../base/text.ts";
import { NAMED_PART } from "../../core/posts/post.ts";
import type { State } from "../../core/state.ts";
import { entriesOf, reconcile } from "../../engine/reconcile.ts";
import { decisionsIn, isOpen, type Decision } from "../../core/decisions/decision.ts";
import type { DesiredPost } from "../views/message.ts";
import type { PostSync } from "../delivery/sync-posts.ts";
import type { Reactions } from "../delivery/reactions.ts";

export interface NewThread {
  channel_id: string;
  /** At most 100 characters. */
  name: string;
  priority: Priority;
  /** The message on which it is opened: one that stands, by its id, or one of ours. */
  starter: string | ThreadStarter;
  /** Discord lets it be made only after so many milliseconds. */
  onDelayed?: (ms: number) => void;
}

export interface ThreadStarter {
  /** The content of the starter message, and its components. */
  content: string;
  components?: readonly unknown[];
  /** At most 25 characters, the same for every attempt. */
  nonce: string;
  /** The starter message is newer than this id. */
  after: string;
  /** Whether a message of the channel is the starter. */
  isStarter(message: APIMessage): boolean;
}

const THREAD_EXISTS = 160004;

/**
 * Resolves to the thread's id, which is its starter's. `inherited`: an earlier run may have begun it.
 * @throws RestFailure; `isDecided` tells whether Discord refuses for good
 */
export async function makeThread(context: BotContext, wanted: NewThread, inherited: boolean): Promise<string> {
  const { starter: on } = wanted;
  const starter = typeof on === "string" ? on : await standing(context, wanted, on, inherited);
  const path = `/channels/${wanted.channel_id}/messages/${starter}/threads` as const;
  try {
    await context.rest.call({
      method: "POST",
      path,
      body: { name: wanted.name },
      priority: wanted.priority,
      repeatMs: Number.POSITIVE_INFINITY,
      ...(wanted.onDelayed && { onDelayed: wanted.onDelayed }),
    });
  } catch (error) {
    if (!(error instanceof RestFailure) || error.code !== THREAD_EXISTS) {
      if (starter !== on) takeBack(context, wanted, starter, error);
      throw error;
    }
  }
  invite(context, starter);
  return starter;
}

/** Whether Discord refuses for good. Otherwise the next start of the daemon continues. */
export function isDecided(error: unknown): boolean {
  const kind = failureKind(error);
  return kind !== null && kind !== "unauthorized" && kind !== "closed";
}

/** The starter message; if several match, the oldest. */
async function standing(
  { rest }: BotContext,
  { channel_id: channelId, priority, onDelayed }: NewThread,
  { content, components = [], nonce, after, isStarter }: ThreadStarter,
  inherited: boolean,
): Promise<string> {
  const body = { content, components, flags: MessageFlags.SuppressEmbeds, allowed_mentions: { parse: [] } };
  async function find(): Promise<APIMessage | null> {
    for await (const message of messagesAfter(rest, { channelId, after, priority }))
      if (isStarter(message)) return message;
    return null;
  }
  const lookUp = { first: inherited, untilKnown: true, find };
  return (await sendOnce(rest, { channelId, body, nonce, priority, lookUp, ...(onDelayed && { onDelayed }) })).id;
}

/** Deletes a starter whose thread was refused, because it is misleading; if that fails it does no harm. */
function takeBack({ rest, log }: BotContext, { channel_id }: NewThread, starter: string, error: unknown): void {
  if (!isDecided(error)) return;
  rest
    .call({ method: "DELETE", path: `/channels/${channel_id}/messages/${starter}`, priority: "cosmetic" })
    .catch((lost: unknown) => {
      log.debug("a starter message could not be deleted", { message_id: starter, reason: String(lost) });
    });
}

function invite({ rest, ownerId, log }: BotContext, threadId: string): void {
  rest
    .call({ method: "PUT", path: `/channels/${threadId}/thread-members/${ownerId}`, priority: "cosmetic" })
    .catch((error: unknown) => {
      log.debug("the owner was not added to the thread", { thread_id: threadId, reason: String(error) });
    });
}

/*
 * The reconciler that names a session's thread after the first words of its first message, once, because Discord allows
 * only two renames in ten minutes. A thread that its owner made, or has renamed meanwhile, keeps its name. The name is
 * on disk before it is sent to Discord.
 */

const NAME_CHARS = 60;
/** How much of a message is read. */
const READ_CHARS = 2_000;

/** Checks every thread once: what an earlier run left undone is done. */
export function openThreadNames(context: BotContext): { close(): void } {
  const { engine, botId } = context;

  function step(threadId: string, again: boolean): Promise<void> | null {
    const thread = engine.state.threads[threadId];
    if (
      !thread ||
      thread.kind !== undefined ||
      thread.bot_id !== botId ||
      !engine.state.sessions[threadId] ||
      engine.state.posts[threadId]?.[NAMED_PART]
    )
      return null;
    const wanted = thread.name ?? firstName(engine.state, threadId);
    return wanted ? give(threadId, wanted, again) : null;
  }

  async function give(threadId: string, name: string, again: boolean): Promise<void> {
    const known = engine.state.threads[threadId]?.name !== undefined;
    if (!known) await engine.submit({ type: "name_session", thread_id: threadId, name });
    await rename(context, threadId, { name, inherited: again && known });
    await engine.submit({
      type: "record_post",
      subject: threadId,
      part: NAMED_PART,
      channel_id: threadId,
      message_id: null,
      hash: NAMED_PART,
      is: NAMED_PART,
    });
  }

  const names = reconcile({
    ...context,
    failure: "a thread could not be named",
    details: (thread_id) => ({ thread_id }),
    // The first message that is queued names it.
    follows: entriesOf(["session", "queue", "run"], ({ sessions }) => sessions),
    step,
  });
  names.start();
  return names;
}

/** The first words of a message, on one line, as a name; empty if there are none. */
export function nameFrom(words: string): string {
  const line = withoutControls(longestBeginning(words, READ_CHARS))
    .toWellFormed()
    .replace(/<(?:@[!&]?|#|a?:\w{2,32}:)\d{17,20}>/g, " ")
    .replace(/[`*]|^[ \t]*[#>]+[ \t]/gm, "")
    .replace(/\s+/g, " ")
    .trim();
  if (line.length <= NAME_CHARS) return line;
  const cut = longestBeginning(line, NAME_CHARS - 1);
  const space = cut.lastIndexOf(" ");
  return `${(space > NAME_CHARS / 2 ? cut.slice(0, space) : cut).trimEnd()}…`;
}

/** The name for a session in which no job has ended yet: its first message may still wait. Null without a message. */
function firstName({ sessions, threads, jobs }: State, threadId: string): string | null {
  const session = sessions[threadId];
  if (!session || (threads[threadId]?.ended.length ?? 0) > 0) return null;
  const first = jobs[session.running_job_id ?? session.queue[0] ?? ""];
  return first === undefined ? null : nameFrom(first.prompt);
}

/** Renames the thread, unless it was renamed since we first tried. */
async function rename(
  { rest, log }: BotContext,
  threadId: string,
  { name, inherited }: { name: string; inherited: boolean },
): Promise<void> {
  const path = `/channels/${threadId}` as const;
  try {
    if (inherited && (await isRenamed(rest, threadId))) return;
    await rest.call({ method: "PATCH", path, body: { name }, priority: "cosmetic" });
  } catch (error) {
    const kind = failureKind(error);
    if (kind === null || kind === "closed" || kind === "unauthorized" || kind === "unavailable") throw error;
    log.info("a thread keeps its name", { thread_id: threadId, reason: String(error) });
  }
}

/** Whether its name differs from the initial one. */
async function isRenamed(rest: RestCaller, threadId: string): Promise<boolean> {
  const { name = "" } = await rest.call<Partial<APIThreadChannel>>({
    method: "GET",
    path: `/channels/${threadId}`,
    priority: "cosmetic",
  });
  return !isInitialName(name);
}

/** Whether a thread of ours has this name because it has not been named yet: it ends with the date and the time. */
export function isInitialName(name: string): boolean {
  return / · \d{4}-\d{2}-\d{2} \d{2}:\d{2}$/.test(name);
}

/*
 * The reconciler that archives threads of questions: a thread that Bellhop made is archived when everything asked in it
 * is settled, delivered to whoever asked, and shown correctly. This happens once for each last question, so a thread
 * the owner opens again stays open.
 */

/** The post part that records that a question's thread was archived. */
const ARCHIVED_PART = "archived";

/**
 * Opened after the post sync, so that what is still to be posted into a thread is known before the thread is checked.
 */
export function openArchives(context: BotContext, postSync: PostSync, reactions: Reactions): { close(): void } {
  const { engine, botId } = context;
  let closed = false;

  async function putAway(threadId: string): Promise<void> {
    await postSync.whenDelivered(threadId);
    await reactions.idle();
    const last = doneWith(engine.state, threadId, botId);
    if (closed || last === null) return;
    await archive(context, threadId);
    const { decision_id: subject } = last;
    await engine.submit({
      type: "record_post",
      subject,
      part: ARCHIVED_PART,
      channel_id: threadId,
      message_id: null,
      hash: ARCHIVED_PART,
      is: ARCHIVED_PART,
    });
  }

  const archives = reconcile({
    ...context,
    failure: "a thread could not be archived",
    details: (thread_id) => ({ thread_id }),
    follows: entriesOf(["decision", "session"], ({ threads }) => threads),
    step: (threadId) => (doneWith(engine.state, threadId, botId) === null ? null : putAway(threadId)),
  });
  archives.start();
  return {
    close() {
      closed = true;
      archives.close();
    },
  };
}

/**
 * A thread's posts that must still be kept up to date: editing a question in an archived thread would reopen the
 * thread.
 */
export function stillDesired(state: State, threadId: string, desired: readonly DesiredPost[]): DesiredPost[] {
  const last = decisionsIn(state, threadId).at(-1);
  if (!last || !state.posts[last.decision_id]?.[ARCHIVED_PART]) return [...desired];
  return desired.filter(({ subject }) => !state.decisions[subject]);
}

/** The last question of a thread in which nothing is left to do but archive it; else null. */
function doneWith(state: State, threadId: string, botId: string): Decision | null {
  if (state.threads[threadId]?.bot_id !== botId || state.sessions[threadId]) return null;
  const all = decisionsIn(state, threadId);
  const last = all.at(-1);
  if (!last || all.some((one) => isOpen(one) || (one.state !== "void" && !one.delivered))) return null;
  return state.posts[last.decision_id]?.[ARCHIVED_PART] ? null : last;
}

/** Archives a thread of ours; other threads and missing ones are left alone. */
async function archive({ rest, botId, log }: BotContext, threadId: string): Promise<void> {
  const path = `/channels/${threadId}` as const;
  try {
    const { owner_id, thread_metadata } = await rest.call<Partial<APIThreadChannel>>({
      method: "GET",
      path,
      priority: "cosmetic",
    });
    if (owner_id !== botId || thread_metadata?.archived === true) return;
    await rest.call({ method: "PATCH", path, body: { archived: true }, priority: "cosmetic" });
  } catch (error) {
    const kind = failureKind(error);
    if (kind === null || kind === "closed" || kind === "unauthorized") throw error;
    log.info("a thread is left as it is", { thread_id: threadId, reason: String(error) });
  }
}
