/**
 * What one bot posts: answers and cards by the post sync, streamed text by the stream, states by the reactions; and the
 * threads' names and archiving, which follow what is posted.
 */
import { decisionsIn, openOf } from "../core/decisions/decision.ts";
import { offeredIn } from "../core/sessions/adoptions.ts";
import type { JobLiveEvent, LiveEvents } from "../engine/live.ts";
import type { Results } from "../host/files/results.ts";
import type { FileLimit } from "./api/file-limit.ts";
import type { Rest, RestCaller } from "./api/rest.ts";
import { openPlan, type Plan, type PlanOptions } from "./delivery/plan.ts";
import type { Away } from "./delivery/in-server.ts";
import { openStream, type Stream } from "./delivery/live-stream.ts";
import { openReactions } from "./delivery/reactions.ts";
import { openPostSync, type PostSync } from "./delivery/sync-posts.ts";
import type { Identity } from "./identity.ts";
import { noticeChannel, type Intake, type IntakeOptions } from "./intake/intake.ts";
import { openArchives, stillDesired, openThreadNames } from "./threads/thread-upkeep.ts";
import { adoptionCard } from "./views/adoption.ts";
import { announcement, lapsedNotice, reminderPosts } from "./views/decisions/reminders.ts";
import type { Calls } from "./views/rings.ts";
import { welcome, type FoundAgent } from "./views/welcome.ts";
import { orphanedWorktree } from "./views/worktrees.ts";
import type { APIChannel } from "discord-api-types/v10";
import { isSnowflake } from "../base/ids.ts";
import { WINDOW_TOOL } from "../core/sessions/windows.ts";
import type { Engine } from "../engine/engine.ts";
import type { DesiredPost } from "./views/message.ts";
import { PANEL_PART, panelPost, panelSubject, type PanelOptions } from "./views/panel.ts";
import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import { isRunning } from "../core/decisions/asker.ts";
import type { State } from "../core/state.ts";
import { reconcile, type Reconciler, type Reconciling } from "../engine/reconcile.ts";
import { isSent } from "./views/jobs/job-end.ts";
import { workersIn } from "../core/jobs/job-or-turn.ts";
import { CARD_PART } from "../core/posts/post.ts";
import { isThreadOfBot, type ThreadsOfBot } from "../core/sessions/thread.ts";
import type { DecisionFiles } from "../host/files/kept-files.ts";

export interface PostsOptions
  extends
    Pick<PlanOptions, "decisionFiles" | "readDifference" | "statusLine">,
    Pick<IntakeOptions, "role" | "main" | "engine" | "clock" | "log" | "locale" | "channelId" | "config"> {
  liveEvents: LiveEvents<JobLiveEvent>;
  results: Results;
  decisionFiles: DecisionFiles;
  /** Where the control panel stands. */
  panelId?: string | undefined;
  /** The agents found by the last search. */
  agents: { lastFound(): Promise<FoundAgent[]> };
  machine: { tools: Pick<PlanOptions, "toolAccess"> };
}

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
  options: PostsOptions,
  rest: Rest,
  {
    botId,
    ownerId,
    fileLimit,
    calls,
    whenPresent: away,
  }: Identity & {
    fileLimit: FileLimit;
    calls: Calls;
    whenPresent: Away;
  },
  intake: Intake,
): BotPosts {
  const { engine, liveEvents, clock, log, locale } = options;
  const channelId = options.role === "serves" ? options.channelId : undefined;
  const editIntervalMs = (): number => options.config().limits.status_edit_min_interval_ms;
  const changed = (threadId: string): void => postSync.syncThread(threadId);
  const { role } = options;
  const posted = (at: string, messageId: string): void => {
    stream.onMessagePosted(at, messageId);
    panel?.onMessagePosted(at, messageId);
  };
  const panel =
    options.panelId === undefined
      ? null
      : openPanel({ engine, rest, channelId: options.panelId, botId, locale, since: clock.now() }, changed);
  const stream = openStream({ engine, liveEvents, clock, log, botId, role, editIntervalMs, changed });
  const typing = openTyping({ engine, rest, clock, botId, role });
  const plan = planOf(options, stream, { ownerId, fileLimit });
  const [hello, since] = [openHello(options), clock.now()];
  const place = (): string | undefined =>
    role === "serves" ? noticeChannel(engine.state, channelId, botId) : options.channelId;
  const postSync: PostSync = openPostSync({
    engine,
    rest,
    clock,
    log,
    botId,
    role,
    openDirect: intake.direct.open,
    channelId,
    panelId: options.panelId,
    locale,
    calls,
    async plan(threadId) {
      const { state } = engine;
      const before = [...(threadId === channelId ? await hello() : []), ...((await panel?.desired(threadId)) ?? [])];
      const left =
        options.main && threadId === place()
          ? Object.values(state.orphans).map((one) => orphanedWorktree(one, { channelId: threadId, locale, since }))
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
    editIntervalMs,
    whenPresent: away,
    onPosted: posted,
  });
  const reactions = openReactions({ engine, rest, clock, log, botId, role, whenPresent: away });
  const sent = options.main ? [keepSentFiles({ engine, results: options.results, clock, log })] : [];
  const reconcilers = [
    openArchives({ engine, clock, rest, postSync, reactions, log, botId }),
    openThreadNames({ engine, clock, rest, log, botId }),
    ...sent,
  ];
  const leftChanged = (): void => {
    const at = place();
    if (at) postSync.syncThread(at);
  };
  leftChanged();
  const unwatch = engine.watch(
    ["worktree", "inbox"],
    (topics) => void ((topics.has("orphans") || topics.has("inbox")) && leftChanged()),
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

/** The posts owed about jobs, turns and decisions, with the bot's configuration. */
function planOf(
  options: PostsOptions,
  stream: Stream,
  { ownerId, fileLimit }: Pick<Identity, "ownerId"> & { fileLimit: FileLimit },
): Plan {
  const { engine, locale, log } = options;
  return openPlan({
    engine,
    results: options.results,
    decisionFiles: options.decisionFiles,
    readDifference: options.readDifference,
    toolAccess: options.machine.tools.toolAccess,
    ownerId,
    locale,
    stream,
    answerConfig: () => ({
      long_answers: options.config().long_answers,
      max_file_bytes: fileLimit.bytes(),
      resume_after_limit: options.config().limits.resume_after_limit,
      terminal_turns: options.config().terminal_turns,
      footer: options.config().footer,
    }),
    statusLine: options.statusLine,
    log,
  });
}

/** The greeting, if there is a channel for it. */
function openHello({
  engine,
  clock,
  locale,
  channelId,
  agents,
}: PostsOptions): () => Promise<ReturnType<typeof welcome>[]> {
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
  { engine, rest, ...options }: PanelOptions & { engine: Engine; rest: Rest },
  look: (channelId: string) => void,
): Panel {
  const { channelId } = options;
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

interface SentFilesOptions {
  engine: Reconciling["engine"];
  results: Results;
  clock: Clock;
  log: Log;
}

/** Stands for the look at all kept files, including those of an earlier daemon. */
const ALL = "all";

function keepSentFiles({ engine, results, clock, log }: SentFilesOptions): Reconciler {
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

interface TypingOptions extends ThreadsOfBot {
  engine: Pick<Engine, "state" | "watch">;
  rest: RestCaller;
  clock: Clock;
}

/** Discord shows "is typing" for ten seconds. */
const TYPING_EVERY_MS = 8000;

export function openTyping(options: TypingOptions): { close(): void } {
  const { engine, rest, clock } = options;
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
    if (!engine.state.sessions[threadId] || !isThreadOfBot(engine.state, threadId, options)) return;
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
