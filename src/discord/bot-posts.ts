/**
 * What one bot posts: answers and cards by the post sync, streamed text by the stream, states by the reactions; and the
 * threads' names and archiving, which follow what is posted.
 */
import { decisionsIn, openOf } from "../core/decisions/decision.ts";
import { offeredIn } from "../core/sessions/adoptions.ts";
import type { BotContext } from "./api/bot-context.ts";
import type { FileLimit } from "./api/file-limit.ts";
import type { Rest } from "./api/rest.ts";
import { openPlan } from "./delivery/plan.ts";
import type { Away } from "./delivery/in-server.ts";
import { openStream } from "./delivery/live-stream.ts";
import { openReactions } from "./delivery/reactions.ts";
import { openPostSync, ownersChannel, type PostSync } from "./delivery/sync-posts.ts";
import { noticeChannel, type Intake } from "./intake/intake.ts";
import { openPostTags } from "./threads/post-tags.ts";
import { openArchives, stillDesired, openThreadNames } from "./threads/thread-upkeep.ts";
import { adoptionCard } from "./views/adoption.ts";
import { announcement, lapsedNotice, reminderPosts } from "./views/decisions/reminders.ts";
import { lockNotice } from "./views/lock-notice.ts";
import { welcome } from "./views/welcome.ts";
import { orphanedWorktree } from "./views/worktrees.ts";
import type { APIChannel } from "discord-api-types/v10";
import { isSnowflake } from "../base/ids.ts";
import { WINDOW_TOOL } from "../core/sessions/windows.ts";
import type { DesiredPost } from "./views/message.ts";
import { PANEL_PART, panelPost, panelSubject } from "./views/panel.ts";
import { isRunning } from "../core/decisions/asker.ts";
import type { State } from "../core/state.ts";
import { reconcile, type Reconciler } from "../engine/reconcile.ts";
import { isSent } from "./views/jobs/job-end.ts";
import { LOCK_TOPIC } from "../core/jobs/lock.ts";
import { workersIn } from "../core/jobs/job-or-turn.ts";
import { CARD_PART } from "../core/posts/post.ts";
import { isThreadOfBot } from "../core/sessions/thread.ts";

export interface BotPosts {
  /** The list of what is still to be read back has changed. */
  leftChanged(): void;
  /** A message was posted in a channel, by anyone. */
  onMessagePosted(channelId: string, messageId: string): void;
  /** Messages were deleted, by anyone. */
  onMessagesDeleted(messageIds: readonly string[]): void;
  close(): Promise<void>;
}

export function openPosts(
  context: BotContext,
  intake: Intake,
  { fileLimit, whenPresent }: { fileLimit: FileLimit; whenPresent: Away },
): BotPosts {
  const { engine, clock, locale, botId, ownerId, role, panelId } = context;
  const channelId = ownersChannel(context);
  const changed = (threadId: string): void => postSync.syncThread(threadId);
  const posted = (at: string, messageId: string): void => {
    stream.onMessagePosted(at, messageId);
    panel?.onMessagePosted(at, messageId);
  };
  const panel = panelId === undefined ? null : openPanel(context, panelId, changed);
  const stream = openStream(context, changed);
  const typing = openTyping(context);
  const plan = openPlan(context, stream, fileLimit);
  const [hello, since] = [openHello(context), clock.now()];
  const place = (): string | undefined =>
    role === "serves" ? noticeChannel(engine.state, channelId, botId) : context.channelId;
  const postSync: PostSync = openPostSync(context, {
    openDirect: intake.direct.open,
    async plan(threadId) {
      const { state } = engine;
      const before = [...(threadId === channelId ? await hello() : []), ...((await panel?.desired(threadId)) ?? [])];
      const left =
        context.main && threadId === place()
          ? [
              ...lockNotice(state, threadId, locale),
              ...Object.values(state.orphans).map((one) =>
                orphanedWorktree(one, { channelId: threadId, locale, since }),
              ),
            ]
          : [];
      before.push(...left, ...intake.desired(threadId), ...(await plan(threadId)));
      const asked = decisionsIn(state, threadId);
      const offered = offeredIn(state, threadId).filter((one) => one.bot_id === botId);
      const after = [
        ...asked.flatMap((one) => announcement(state, one, locale)),
        ...asked.flatMap((one) => lapsedNotice(state, one, locale)),
        ...asked.flatMap((one) => reminderPosts(state, one, { locale, ownerId })),
        ...offered.map((one) => adoptionCard(state, one, locale)),
      ];
      return stillDesired(state, threadId, [...before, ...after]);
    },
    whenPresent,
    onPosted: posted,
  });
  const reactions = openReactions(context, whenPresent);
  const sent = context.main ? [keepSentFiles(context)] : [];
  const tags = role === "serves" ? [openPostTags(context)] : [];
  const reconcilers = [openArchives(context, postSync, reactions), openThreadNames(context), ...tags, ...sent];
  const leftChanged = (): void => {
    const at = place();
    if (at) postSync.syncThread(at);
  };
  leftChanged();
  const unwatch = engine.watch(
    ["worktree", "inbox", "daemon"],
    (topics) => void (["orphans", "inbox", LOCK_TOPIC].some((one) => topics.has(one)) && leftChanged()),
  );
  return {
    leftChanged,
    onMessagePosted: posted,
    onMessagesDeleted: (messageIds) => postSync.onMessagesDeleted(messageIds),
    async close() {
      unwatch();
      panel?.close();
      for (const reconciler of reconcilers) reconciler.close();
      stream.close();
      typing.close();
      await postSync.close();
      await reactions.close();
    },
  };
}

/** The greeting, if there is a channel for it. */
function openHello({
  engine,
  clock,
  locale,
  channelId,
  agents,
}: BotContext): () => Promise<ReturnType<typeof welcome>[]> {
  const since = clock.now();
  return async () =>
    channelId === undefined
      ? []
      : [welcome(engine.state, { locale, channelId, agents: await agents.lastFound(), since })];
}

/*
 * When the control panel is posted: at the start, and when what it says has changed. It is edited while it is the last
 * message in its channel, and else moved to the end.
 */

interface Panel {
  desired(channelId: string): Promise<DesiredPost[]>;
  /** A message was posted in a channel, by anyone. */
  onMessagePosted(channelId: string, messageId: string): void;
  close(): void;
}

/** @param look has the channel's posts looked at */
function openPanel(
  { engine, rest, clock, botId, locale }: BotContext,
  channelId: string,
  look: (channelId: string) => void,
): Panel {
  const options = { channelId, botId, locale, since: clock.now() };
  let newest: string | null = null;
  /** It was the last message at some time since the start. */
  let begun = false;
  const learn = (id: string): void => {
    if (newest === null || BigInt(id) > BigInt(newest)) newest = id;
  };
  const isAbout = (topic: string): boolean =>
    topic === "projects" ||
    engine.state.sessions[topic]?.tool === WINDOW_TOOL ||
    engine.state.worktrees[topic] !== undefined;
  const unwatch = engine.watch(
    ["project", "window", "session", "worktree", "place"],
    (topics) => void ([...topics].some(isAbout) && look(channelId)),
  );
  return {
    async desired(id) {
      if (id !== channelId) return [];
      if (newest === null) learn(await lastIn(rest, channelId));
      const post = panelPost(engine.state, options);
      const standing = engine.state.posts[panelSubject(channelId)]?.[PANEL_PART];
      const isLast = standing?.message_id != null && BigInt(newest ?? 0) <= BigInt(standing.message_id);
      begun ||= isLast;
      const isBuried = standing?.message_id != null && !isLast && (!begun || standing.is !== post.is);
      return [{ ...post, ...(isBuried && { buried: true }) }];
    },
    onMessagePosted(at, messageId) {
      if (at === channelId && isSnowflake(messageId)) learn(messageId);
    },
    close: unwatch,
  };
}

async function lastIn(rest: Rest, channelId: string): Promise<string> {
  try {
    const channel = await rest.call<APIChannel>({
      method: "GET",
      path: `/channels/${channelId}`,
      priority: "cosmetic",
    });
    return ("last_message_id" in channel ? channel.last_message_id : null) ?? "0";
  } catch {
    // The next message posted there tells it.
    return "0";
  }
}

/*
 * The reconciler of the files that agents send: Bellhop's own copy of a file is kept until it is posted in Discord, or
 * until it is known that it never will be. The agent's file stays where it is.
 */

/** Stands for the look at all kept files, including those of an earlier daemon. */
const ALL = "all";

function keepSentFiles({ engine, results, clock, log }: BotContext): Reconciler {
  const done = new Set<string>();

  function step(key: string): Promise<void> | null {
    if (done.has(key)) return null;
    if (key === ALL) return lookAtAll();
    const [jobId = "", place = ""] = key.split(" ");
    // While it runs, its files may be kept and not recorded yet.
    return isOwed(engine.state, jobId, Number(place)) || isRunning(engine.state, jobId)
      ? null
      : drop(key, jobId, Number(place));
  }

  async function lookAtAll(): Promise<void> {
    for (const { jobId, place } of await results.attached()) files.markChanged(keyOf(jobId, place));
    done.add(ALL);
  }

  async function drop(key: string, jobId: string, place: number): Promise<void> {
    await results.dropAttached(jobId, place);
    done.add(key);
  }

  const files = reconcile({
    engine,
    clock,
    log,
    failure: "a file that was sent could not be removed",
    details: (key) => ({ job_id: key.split(" ")[0] ?? "" }),
    follows: { kinds: ["post", "end"], all: () => [ALL], about: sentIn },
    step,
  });
  files.start();
  return files;
}

function keyOf(jobId: string, place: number): string {
  return `${jobId} ${place}`;
}

/** It is to be posted, and is not yet. */
function isOwed(state: State, jobId: string, place: number): boolean {
  return state.runs[jobId]?.attachments?.[place]?.why === null && !isSent(state, jobId, place);
}

function sentIn(threadId: string, state: State): string[] {
  const thread = state.threads[threadId];
  return [...(thread?.ended ?? []), ...(thread?.turns ?? [])].flatMap((id) =>
    (state.runs[id]?.attachments ?? []).flatMap(({ why }, place) =>
      why === null && isSent(state, id, place) ? [keyOf(id, place)] : [],
    ),
  );
}

/*
 * The typing indicator: shown in a session's thread while its agent works there without a card, and sent again before
 * Discord removes it. One timer per thread; nothing here has to outlive the process.
 */

/** Discord shows "is typing" for ten seconds. */
const TYPING_EVERY_MS = 8000;

export function openTyping(context: BotContext): { close(): void } {
  const { engine, rest, clock } = context;
  const ending = new AbortController();
  /** What cancels the next one, by thread. */
  const timers = new Map<string, () => void>();
  /** One that waits for its owner's answer, perhaps for days, is not at work; a card says more. */
  const isUnshown = (id: string): boolean =>
    openOf(engine.state, id).length === 0 && !engine.state.posts[id]?.[CARD_PART]?.message_id;
  const isRunning = (threadId: string): boolean => workersIn(engine.state, threadId).some(isUnshown);
  const stop = (threadId: string): void => {
    timers.get(threadId)?.();
    timers.delete(threadId);
  };
  const type = (threadId: string): void => {
    if (timers.has(threadId)) return;
    const again = (): void => {
      timers.delete(threadId);
      if (isRunning(threadId)) type(threadId);
    };
    timers.set(threadId, clock.after(TYPING_EVERY_MS, again));
    if (engine.state.threads[threadId]?.place !== "thread") return;
    const path = `/channels/${threadId}/typing` as const;
    // Nothing waits for it, and it does not matter if it fails.
    rest.call({ method: "POST", path, priority: "cosmetic", key: path, signal: ending.signal }).catch(() => undefined);
  };
  const look = (threadId: string): void => {
    if (!engine.state.sessions[threadId] || !isThreadOfBot(engine.state, threadId, context)) return;
    if (isRunning(threadId)) type(threadId);
    else stop(threadId);
  };
  const unwatch = engine.watch(["run", "end", "decision"], (topics) => topics.forEach(look));
  Object.keys(engine.state.threads).forEach(look);
  return {
    close() {
      unwatch();
      ending.abort();
      for (const threadId of timers.keys()) stop(threadId);
    },
  };
}
