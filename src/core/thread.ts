/**
 * What we know of the Discord thread a session lives in: where it is, whether its queue is held after a crash,
 * which job's process still lives, and how far its messages have been read. A thread whose Discord side is gone
 * keeps its session; what we owe goes to the next place up.
 */
import { compareSnowflakes } from "../base/ids.ts";
import type { ErrorCode, ErrorDetails } from "../base/errors.ts";
import type { Checkout, Wait } from "./checkout.ts";
import { CRASH_PART, type Posts } from "./post.ts";

/** Where what we owe a thread is posted: there, else in its parent channel, else in the owner's direct messages. */
export type Place = "thread" | "parent" | "owner";

export interface Thread {
  thread_id: string;
  channel_id: string;
  guild_id: string;
  bot_id: string;
  place: Place;
  /** The job whose fate the owner has to settle before the queue goes on; null where nothing holds it. */
  hold: string | null;
  /** What has to pass before anything more starts here; null where nothing does. */
  wait: Wait | null;
  /** Since a restart nobody has looked up yet whether the queued messages still stand as they were; until then none starts. */
  stale: boolean;
  /** The checkout as the last job of the session's tool left it. */
  checkout: Checkout | null;
  /** The same for its other tools, which have conversations of their own; absent while there are none. */
  checkouts?: Record<string, Checkout>;
  /** The job whose process lives (or is being started); the next one starts when it is gone. */
  busy_job: string | null;
  /** When this thread last got a slot, as a count over all threads: the scheduler serves the longest unserved. */
  turn: number;
  /** Ended jobs that are still in the live state, oldest first. */
  ended: string[];
}

/** Where we listen beside our threads: the owner's direct messages with a bot, and channels that are watched for an agent. */
export interface Channel {
  channel_id: string;
  /** Null: direct messages. */
  guild_id: string | null;
  bot_id: string;
  kind: "direct" | "watched";
}

/** A sentence owed to the writer of a message; forgotten once it was posted. */
export interface Notice {
  /** Its name among the notices and posts: one message may be owed several sentences. */
  subject: string;
  thread_id: string;
  discord_message_id: string;
  /** What happened to the message too late to count, or why it answers nothing; null: it became no job, or not all of it did. */
  change: Change | Pointed | null;
  /** Why it was not taken; null for a change that was only too late. */
  code: ErrorCode | null;
  details: ErrorDetails;
  at: string;
}

/** What a writer did to a message afterwards. */
export type Change = "edited" | "deleted";

/**
 * Why a message settled nothing of what is open: `which`: it may answer several; `unseen`: it says yes to what was not
 * wholly shown; `open`: it is no answer, so it is the next job; `settled`: what it replies to was settled before;
 * `nothing`: nothing is open where it was written.
 */
export type Pointed = "which" | "unseen" | "open" | "settled" | "nothing";

export type ThreadEvent =
  | { type: "ChannelRead"; payload: { channel_id: string; through: string } }
  | { type: "ThreadLost"; payload: { thread_id: string; place: Place; code: ErrorCode } }
  | { type: "ThreadFound"; payload: { thread_id: string } }
  | {
      type: "MessageRefused";
      payload: {
        thread_id: string;
        discord_message_id: string;
        code: ErrorCode;
        details: ErrorDetails;
        /** The notice's name; absent: the message's id. */
        subject?: string;
      };
    }
  | { type: "MessagePointed"; payload: { thread_id: string; discord_message_id: string; why: Pointed; /** What is open. */ decisions: string[] } }
  | { type: "ChannelOpened"; payload: Channel & { /** Nothing older than this id is heard. */ since: string } };

export type ThreadCommand =
  /** Every message of the channel up to `through` has been through the door. */
  | { type: "channel_read"; channel_id: string; through: string }
  /** Discord says that this place, where we posted for the thread, is gone or closed to us. Told twice, it is lost once. */
  | { type: "lose_thread"; thread_id: string; place: Place; code: ErrorCode }
  /** Discord shows the thread itself again. */
  | { type: "find_thread"; thread_id: string }
  | ({ type: "open_channel"; since: string } & Channel);

export interface Threads {
  threads: Record<string, Thread>;
  channels: Record<string, Channel>;
  /** `channel:message` of what was handled above the channel's watermark, to its job (null: it became none). */
  dedupe: Record<string, string | null>;
  /** Per channel: every message up to this id has been handled. */
  watermarks: Record<string, string>;
  notices: Record<string, Notice>;
}

export function decideThread(state: Threads, command: ThreadCommand): ThreadEvent[] {
  switch (command.type) {
    case "channel_read": {
      const before = state.watermarks[command.channel_id];
      if (before !== undefined && compareSnowflakes(command.through, before) <= 0) return [];
      const { channel_id, through } = command;
      return [{ type: "ChannelRead", payload: { channel_id, through } }];
    }
    case "lose_thread": {
      const thread = state.threads[command.thread_id];
      if (!thread || thread.place === "owner" || thread.place !== command.place) return [];
      const place = thread.place === "thread" ? "parent" : "owner";
      return [{ type: "ThreadLost", payload: { thread_id: thread.thread_id, place, code: command.code } }];
    }
    case "find_thread": {
      const { thread_id } = command;
      const lost = (state.threads[thread_id]?.place ?? "thread") !== "thread";
      return lost ? [{ type: "ThreadFound", payload: { thread_id } }] : [];
    }
    case "open_channel": {
      const { type: _type, ...payload } = command;
      return state.channels[command.channel_id] ? [] : [{ type: "ChannelOpened", payload }];
    }
  }
}

export function evolveThread(state: Threads, event: ThreadEvent, ts: string): void {
  switch (event.type) {
    case "ChannelRead": {
      const { channel_id, through } = event.payload;
      state.watermarks[channel_id] = through;
      const prefix = `${channel_id}:`;
      for (const key of Object.keys(state.dedupe)) {
        if (key.startsWith(prefix) && compareSnowflakes(key.slice(prefix.length), through) <= 0) {
          delete state.dedupe[key];
        }
      }
      return;
    }
    case "ThreadLost": {
      const thread = state.threads[event.payload.thread_id];
      if (thread) thread.place = event.payload.place;
      return;
    }
    case "ThreadFound": {
      const thread = state.threads[event.payload.thread_id];
      if (thread) thread.place = "thread";
      return;
    }
    case "ChannelOpened": {
      const { since, ...channel } = event.payload;
      state.channels[channel.channel_id] = channel;
      state.watermarks[channel.channel_id] ??= since;
      return;
    }
    case "MessagePointed": {
      const { thread_id, discord_message_id, why, decisions } = event.payload;
      state.dedupe[`${thread_id}:${discord_message_id}`] ??= null;
      const subject = `${discord_message_id}:${why}`;
      const details = { decisions: decisions.join(",") };
      state.notices[subject] = { subject, thread_id, discord_message_id, change: why, code: null, details, at: ts };
      return;
    }
    case "MessageRefused": {
      const { thread_id, discord_message_id, subject = discord_message_id, code, details } = event.payload;
      state.dedupe[`${thread_id}:${discord_message_id}`] ??= null;
      state.notices[subject] = {
        subject,
        thread_id,
        discord_message_id,
        change: null,
        code,
        details: { ...details },
        at: ts,
      };
    }
  }
}

export function newThread({ thread_id, channel_id, guild_id, bot_id }: Pick<Thread, "thread_id" | "channel_id" | "guild_id" | "bot_id">): Thread {
  return {
    thread_id,
    channel_id,
    guild_id,
    bot_id,
    place: "thread",
    hold: null,
    wait: null,
    stale: false,
    checkout: null,
    busy_job: null,
    turn: 0,
    ended: [],
  };
}

/** Whether this message has been through the door before: at or below the watermark, or among those above it. */
export function isHandled(state: Threads, channelId: string, messageId: string): boolean {
  const watermark = state.watermarks[channelId];
  if (watermark !== undefined && compareSnowflakes(messageId, watermark) <= 0) return true;
  return `${channelId}:${messageId}` in state.dedupe;
}

/**
 * Whether a message lets a held queue go on: only one written below the notice that tells of the crash, because
 * whoever wrote before it did not know. Both ids are Discord's, so no clock of ours takes part.
 */
export function mayResume(
  state: { posts: Posts },
  thread: Thread,
  messageId: string,
): thread is Thread & { hold: string } {
  if (thread.hold === null) return false;
  const notice = state.posts[thread.hold]?.[CRASH_PART];
  if (!notice) return false;
  return notice.message_id === null || compareSnowflakes(messageId, notice.message_id) > 0;
}
