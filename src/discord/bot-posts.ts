/**
 * What one bot posts: answers and cards by the post sync, streamed text by the stream, states by the reactions; and the
 * threads' names and archiving, which follow what is posted.
 */
import { decisionsIn } from "../core/decisions/decision.ts";
import { offeredIn } from "../core/sessions/adoptions.ts";
import type { JobLiveEvent, LiveEvents } from "../engine/live-events.ts";
import type { Results } from "../host/files/results.ts";
import type { FileLimit } from "./api/file-limit.ts";
import type { Rest } from "./api/rest.ts";
import { openDesired, type Desired, type DesiredOptions } from "./delivery/desired.ts";
import type { Away } from "./delivery/in-server.ts";
import { openStream, type Stream } from "./delivery/live-stream.ts";
import { openPanel } from "./delivery/panel.ts";
import { openReactions } from "./delivery/reactions.ts";
import { keepSentFiles } from "./delivery/sent-files.ts";
import { openPostSync, type PostSync } from "./delivery/sync-posts.ts";
import { openTyping } from "./delivery/typing.ts";
import type { Identity } from "./identity.ts";
import { noticeChannel } from "./intake/catch-up/catch-up-notice.ts";
import type { Intake, IntakeOptions } from "./intake/intake.ts";
import { openArchives, stillDesired } from "./threads/archive-threads.ts";
import { openThreadNames } from "./threads/rename-threads.ts";
import { adoptionCard } from "./views/adoption.ts";
import { announcement, lapsedNotice } from "./views/decisions/announcement.ts";
import { reminderPosts } from "./views/decisions/reminder-posts.ts";
import { openCalls } from "./views/mention.ts";
import { welcome, type FoundAgent } from "./views/welcome.ts";
import { orphanedWorktree } from "./views/worktrees.ts";

export interface PostsOptions
  extends
    Pick<DesiredOptions, "decisionFiles" | "readDifference" | "statusLine">,
    Pick<IntakeOptions, "own" | "main" | "engine" | "clock" | "log" | "locale" | "channelId" | "config"> {
  liveEvents: LiveEvents<JobLiveEvent>;
  results: Results;
  /** Where the control panel stands. */
  panelId?: string | undefined;
  /** The agents found by the last search. */
  agents: { known(): Promise<FoundAgent[]> };
  machine: { tools: Pick<DesiredOptions, "access"> };
}

export interface Posts {
  /** The list of what is still to be read back has changed. */
  leftChanged(): void;
  /** A message was posted in a channel, by anyone. */
  posted(channelId: string, messageId: string): void;
  /** Messages were deleted, by anyone. */
  gone(messageIds: readonly string[]): void;
  close(): Promise<void>;
}

export function openPosts(
  options: PostsOptions,
  rest: Rest,
  { botId, ownerId, fileLimit, away }: Identity & { fileLimit: FileLimit; away: Away },
  intake: Intake,
): Posts {
  const { engine, liveEvents, clock, log, locale } = options;
  const channelId = options.own ? options.channelId : undefined;
  const editIntervalMs = (): number => options.config().limits.status_edit_min_interval_ms;
  const changed = (threadId: string): void => postSync.look(threadId);
  const questionsOnly = !options.own;
  const posted = (at: string, messageId: string): void => {
    stream.posted(at, messageId);
    panel?.posted(at, messageId);
  };
  const panel =
    options.panelId === undefined
      ? null
      : openPanel({ engine, rest, channelId: options.panelId, botId, locale, since: clock.now() }, changed);
  const stream = openStream({ engine, liveEvents, clock, log, botId, questionsOnly, editIntervalMs, changed });
  const typing = openTyping({ engine, rest, clock, botId, questionsOnly });
  const desiredPosts = openDesiredOf(options, stream, { ownerId, fileLimit });
  const [hello, since] = [openHello(options), clock.now()];
  const place = (): string | undefined =>
    options.own ? noticeChannel(engine.state, channelId, botId) : options.channelId;
  const postSync: PostSync = openPostSync({
    engine,
    rest,
    clock,
    log,
    botId,
    questionsOnly,
    openDirect: intake.direct.open,
    channelId,
    panelId: options.panelId,
    locale,
    async desired(threadId) {
      const { state } = engine;
      const before = [...(threadId === channelId ? await hello() : []), ...((await panel?.desired(threadId)) ?? [])];
      const left =
        options.main && threadId === place()
          ? Object.values(state.orphans ?? {}).map((one) =>
              orphanedWorktree(one, { channelId: threadId, locale, since }),
            )
          : [];
      before.push(...left, ...intake.desired(threadId), ...(await desiredPosts(threadId)));
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
    away,
    posted,
  });
  const reactions = openReactions({ engine, rest, clock, log, botId, questionsOnly, away });
  const sent = options.main ? [keepSentFiles({ engine, results: options.results, clock, log })] : [];
  const reconcilers = [
    openArchives({ engine, clock, rest, postSync, reactions, log, botId }),
    openThreadNames({ engine, clock, rest, log, botId }),
    ...sent,
  ];
  const leftChanged = (): void => {
    const at = place();
    if (at) postSync.look(at);
  };
  leftChanged();
  const unwatch = engine.watch((topics) => void (topics.has("orphans") && leftChanged()));
  return {
    leftChanged,
    posted,
    gone: (messageIds) => postSync.gone(messageIds),
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
function openDesiredOf(
  options: PostsOptions,
  stream: Stream,
  { ownerId, fileLimit }: Pick<Identity, "ownerId"> & { fileLimit: FileLimit },
): Desired {
  const { engine, clock, locale, log } = options;
  return openDesired({
    engine,
    results: options.results,
    decisionFiles: options.decisionFiles,
    readDifference: options.readDifference,
    access: options.machine.tools.access,
    ownerId,
    calls: openCalls({ ownerId, clock, config: options.config }),
    locale,
    stream,
    config: () => ({
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
    channelId === undefined ? [] : [welcome(engine.state, { locale, channelId, agents: await agents.known(), since })];
}
