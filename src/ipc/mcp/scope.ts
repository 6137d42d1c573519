/**
 * What the methods for agents' clients need from Bellhop, and what each caller is bound to. A session's capability
 * binds its caller to that session; any other caller is bound to the bot, project and channel that its variables name.
 * Every method checks here, so that nothing else is read, cleared or posted in.
 */
import { withTimeout, type Clock } from "../../base/clock.ts";
import type { DiscordTime } from "../../base/discord-time.ts";
import { BellhopError } from "../../base/errors.ts";
import type { Log } from "../../base/log.ts";
import type { Locale } from "../../base/words/say.ts";
import { invalidSetting } from "../../config/invalid.ts";
import type { Settings } from "../../config/settings.ts";
import type { Asked } from "../../core/decisions/decision.ts";
import type { State } from "../../core/state.ts";
import type { Engine } from "../../engine/engine.ts";
import type { Call } from "../connection.ts";
import { linkRefused } from "../../protocol/frame.ts";
import { readVariables } from "../../protocol/mcp.ts";
import type { AgentPostTarget, AgentNotice, AgentReport } from "../../core/posts/agent-post.ts";

export interface McpContext {
  engine: Engine;
  clock: Clock;
  /** Limits are counted by it. */
  time: DiscordTime;
  log: Log;
  /** `pendingDir`: where mirrors go if the client names no directory. */
  settings: Settings;
  /** Seconds until a question expires that has no limit of its own; undefined: never. */
  lapseSeconds(): number | undefined;
  /** Removes secrets, so that a repeated question compares equal to the stored one. */
  withoutSecrets<T>(value: T): T;
  /**
   * One bot's access to Discord, held until it is released.
   * @param whose a token, null for the daemon's main bot; or the id of a bot of its own
   * @throws E_TOKEN_REFUSED, E_CONFIG_INVALID
   */
  acquireBot(whose: string | null | { botId: string }, channelId: string | null): Promise<HeldBot>;
}

/**
 * What may be posted under a bot. Each resolves with the message's id. @throws E_THREAD_FOREIGN or
 * E_THREAD_ACCESS_FAILED {thread}, E_PLACE_REFUSED {place}
 */
export interface AgentSays {
  postNotification(notice: AgentNotice, where: AgentPostTarget): Promise<string>;
  report(report: AgentReport, where: AgentPostTarget): Promise<string>;
  /** The restart notice, in the thread of a question that is still open. */
  restarted(where: AgentPostTarget & { prompt: string | null }): Promise<string>;
}

export interface HeldBot {
  readonly bot_id: string;
  readonly guild_id: string;
  readonly says: AgentSays;
  /** Resolves with whether all messages in these places up to now have been read; false if that takes too long. */
  isCaughtUp(ids: readonly string[]): Promise<boolean>;
  release(): void;
}

/** The caller's identity, and so everything it may read, clear or post in. */
export interface Bound {
  /** A secret: never journaled, never logged. Null: a bot of the daemon's own, the session's or the main one. */
  token: string | null;
  project: string;
  /** Absolute; null: the daemon's own directory. */
  pendingDir: string | null;
  /** The session's thread, or the client's channel. */
  home: { thread: string } | { channel: string };
}

/** Runs an action under the bot that a call belongs to. */
export async function underBot<T>(
  mcp: McpContext,
  call: Call,
  act: (bot: HeldBot, bound: Bound) => Promise<T>,
): Promise<T> {
  const bound = boundOf(mcp, call);
  const { home, token } = bound;
  const ofThread = "thread" in home ? mcp.engine.state.threads[home.thread]?.bot_id : undefined;
  const bot = await mcp.acquireBot(
    ofThread === undefined ? token : { botId: ofThread },
    "channel" in home ? home.channel : null,
  );
  try {
    return await act(bot, bound);
  } finally {
    bot.release();
  }
}

/** How long calls that can be answered without Discord wait for it. */
const SOON_MS = 10_000;

/**
 * Waits until messages written in these places while no daemon listened have been read, so that the answer is complete.
 * `caughtUp` false: not read in time. `bot` null: not even our own identity is known yet.
 */
export function caughtUp(
  mcp: McpContext,
  call: Call,
  places: (bound: Bound, botId: string) => readonly string[],
): Promise<{ bot: HeldBot | null; caughtUp: boolean }> {
  const read = underBot(mcp, call, async (bot, bound) => ({
    bot,
    caughtUp: await bot.isCaughtUp(places(bound, bot.bot_id)),
  }));
  return withTimeout(mcp.clock, SOON_MS, read).then((soon) => soon ?? { bot: null, caughtUp: false });
}

/**
 * @throws E_SESSION_NOT_FOUND for a session that is gone; E_CONFIG_INVALID if neither a session nor a channel is known,
 * or if the channel is the thread of a session
 */
export function boundOf({ engine, settings: { locale } }: McpContext, { scope, variables }: Call): Bound {
  if (scope.thread_id !== undefined) {
    const session = engine.state.sessions[scope.thread_id];
    if (!session) throw new BellhopError("E_SESSION_NOT_FOUND", { session: scope.thread_id });
    return { token: null, project: session.project_name, pendingDir: null, home: { thread: scope.thread_id } };
  }
  const { token, channelId: channel, project, pendingDir } = readVariables(variables);
  if (channel !== null && isSessionsThread(engine.state, channel)) throw wrongChannel(locale, channel);
  if (channel !== null) return { token, project, pendingDir, home: { channel } };
  const name = "DISCORD_CHANNEL_ID";
  throw invalidSetting(locale, {
    where: name,
    found: undefined,
    want: "config.want.snowflake",
    mend: "config.mend.snowflake",
    args: { name },
  });
}

/** Only the agent of a session writes in its thread. The channel of a project may be the channel of its clients too. */
function isSessionsThread({ sessions, threads }: State, id: string): boolean {
  return sessions[id] !== undefined && threads[id]?.kind !== "channel";
}

/**
 * The thread that a call names; null if it is the caller's own place. Only Discord knows whether an unknown thread
 * belongs to the caller's channel; the code that posts there checks it.
 * @throws E_LINK_REFUSED {why} for one that is known to belong to somebody else
 */
export function namedThread({ engine }: McpContext, { home }: Bound, threadId: string | null): string | null {
  if (threadId === null || threadId === ("thread" in home ? home.thread : home.channel)) return null;
  const parent = engine.state.threads[threadId]?.channel_id;
  const isOthers =
    "thread" in home ||
    engine.state.sessions[threadId] !== undefined ||
    (parent !== undefined && parent !== home.channel);
  if (!isOthers) return threadId;
  const own =
    "thread" in home
      ? "the thread of this session, which is the only one to write in"
      : "the channel of this server or a thread of it";
  throw linkRefused(`thread_id is "${threadId}"; that is not ${own}. Send the thread_id of an earlier result, or null`);
}

/** Whether this caller's scope asked the question, so that it may read the answer. */
export function asksFor(
  { asker, thread_id }: Asked,
  { project, home }: Bound,
  { botId, pendingDir }: { /** Null: any. */ botId: string | null; pendingDir: string },
): boolean {
  if (
    asker.by !== "mcp" ||
    (botId !== null && asker.bot_id !== botId) ||
    asker.project !== project ||
    asker.pending_dir !== pendingDir
  )
    return false;
  const { channel_id, wanted_thread } = asker;
  if ("thread" in home) return channel_id === null && wanted_thread === null && thread_id === home.thread;
  return channel_id === home.channel;
}

/** The error for a channel in which Discord does not let the bot write, or that is not one. */
export function wrongChannel(locale: Locale, channel: string): BellhopError {
  const name = "DISCORD_CHANNEL_ID";
  return invalidSetting(locale, {
    where: name,
    found: channel,
    want: "config.want.channel",
    mend: "config.mend.snowflake",
    args: { name },
  });
}

/** Where a post that names this thread goes. @throws as `namedThread` */
export function placeOf(
  mcp: McpContext,
  bound: Bound,
  threadId: string | null,
): Pick<AgentPostTarget, "channel_id" | "within"> & { thread_id: string | null } {
  const { home } = bound;
  const named = namedThread(mcp, bound, threadId);
  if ("thread" in home) return { channel_id: home.thread, within: null, thread_id: home.thread };
  return { channel_id: named ?? home.channel, within: home.channel, thread_id: named };
}
