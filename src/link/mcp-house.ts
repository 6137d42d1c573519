/**
 * What the methods for agents' faces are given of the house, and where a call of theirs belongs: under which bot,
 * and in which thread or channel. A face's own variables decide that; where they leave it open, the session it runs
 * in does, and where there is none either the caller is told which variable is missing.
 */
import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import type { Locale } from "../base/words/say.ts";
import { invalid } from "../config/invalid.ts";
import type { Engine } from "../engine/engine.ts";
import type { Call } from "./connection.ts";
import { readVariables, type FaceVariables, type NotifyParams, type ReportParams } from "./mcp-protocol.ts";

export interface McpHouse {
  engine: Engine;
  clock: Clock;
  log: Log;
  locale: Locale;
  /** Where mirrors go that no face has a place for. */
  pendingDir: string;
  /** After how many seconds a question lapses that brings no time of its own; undefined: it waits for ever. */
  lapseSeconds(): number | undefined;
  /**
   * One bot's side of Discord, held until it is released. `token` null: the daemon's own.
   * @throws E_TOKEN_REFUSED, E_CONFIG_INVALID
   */
  hold(token: string | null, channelId: string | null): Promise<HeldBot>;
}

/** What may be said under a bot. Each resolves with the message's id; @throws E_THREAD_ACCESS_FAILED {thread} */
export interface AgentSays {
  notify(words: Pick<NotifyParams, "level" | "message">, where: Where): Promise<string>;
  report(words: Pick<ReportParams, "title" | "summary" | "details">, where: Where): Promise<string>;
  /** Seed A's restart notice, in the thread of a question that waits on. */
  restarted(where: Where & { prompt: string | null }): Promise<string>;
}

export interface Where {
  project: string;
  channel_id: string;
  /** The same for every repetition of one message. */
  request_id: string;
}

export interface HeldBot {
  readonly bot_id: string;
  readonly guild_id: string;
  readonly says: AgentSays;
  release(): void;
}

/** Where something goes that names no thread of its own. */
export type Belongs = { channel: string } | { thread: string };

/** Does something under the bot a call belongs to. */
export async function underBot<T>(house: McpHouse, call: Call, act: (bot: HeldBot, face: FaceVariables) => Promise<T>): Promise<T> {
  const face = readVariables(call.variables);
  const bot = await house.hold(face.token, face.channelId);
  try {
    return await act(bot, face);
  } finally {
    bot.release();
  }
}

/** @throws E_CONFIG_INVALID where neither a channel nor a session is known */
export function belongs({ engine, locale }: Pick<McpHouse, "engine" | "locale">, { channelId, session }: FaceVariables): Belongs {
  if (channelId !== null) return { channel: channelId };
  if (session !== null && engine.state.sessions[session]) return { thread: session };
  const name = "DISCORD_CHANNEL_ID";
  throw invalid(locale, { where: name, found: undefined, want: "config.want.snowflake", mend: "config.mend.snowflake", args: { name } });
}

/** `HeldBot`'s names for the places of a call: the thread it names, else where it belongs. */
export function placeOf(house: Pick<McpHouse, "engine" | "locale">, face: FaceVariables, threadId: string | null): { channel_id: string; thread_id: string | null } {
  if (threadId !== null) return { channel_id: threadId, thread_id: threadId };
  const at = belongs(house, face);
  return "thread" in at ? { channel_id: at.thread, thread_id: at.thread } : { channel_id: at.channel, thread_id: null };
}
