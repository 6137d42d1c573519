/**
 * What is known of the Discord thread, or channel, of a session: where it is, whether its queue is held after a crash,
 * which job's process is still alive, and how far its messages have been read. If the thread is gone from Discord, its
 * session stays, and what is owed goes to the next place up.
 */
import { compareSnowflakes } from "../../base/ids.ts";
import type { ErrorCode, ErrorDetails } from "../../base/errors.ts";
import type { Checkout, Wait } from "../projects/checkout.ts";
import { follow, indexed, type Index } from "../indexed.ts";
import type { KeptMode } from "./modes.ts";
import type { NextConversation } from "./settings.ts";
import type { AgentFacts } from "./told.ts";
import { forgetHandled, markHandled } from "../inbox/redelivered-messages.ts";
import { each, type Slice } from "../slice.ts";
import type { Forward } from "../jobs/forwards.ts";
import type { State } from "../state.ts";

/**
 * Where posts for a thread go: there, else in its parent channel unless that is a forum, else in the owner's direct
 * messages.
 */
export type Place = "thread" | "parent" | "owner";

/** Who closed a session: its owner, who let its agent finish or had it killed; or its agent was silent for too long. */
export type ClosedBy = "owner" | "killed" | "silent";

/** A place of a session that its owner made: the channel of its project, or a thread there. */
export type PlaceKind = "channel" | "found";

/** A channel in Discord, its server, and the bot that serves it there. */
export interface Location {
  channel_id: string;
  guild_id: string;
  bot_id: string;
}

/** Something that was to be done for a thread, and could not. */
export interface ThreadFailure {
  code: ErrorCode;
  details: ErrorDetails;
  at: string;
}

/** What there is of each thread, whoever made it. Its location is that of its parent channel; of a channel, its own. */
interface KnownThread extends Location {
  thread_id: string;
  place: Place;
  /** The job that the owner has to decide about before the queue continues; null if nothing holds it. */
  hold: string | null;
  /** What has to pass before anything else starts here; null if nothing does. */
  wait: Wait | null;
  /** The queue continued by itself after a usage limit, and no job has succeeded since. Absent: it did not. */
  resumed_after_limit?: true;
  /** How often in a row it met what is tried again by itself: a service that did not answer, a limit without a time. */
  tries?: number;
  /** Since a restart, the queued messages have not been checked for edits yet; until then none starts. */
  stale: boolean;
  /** The checkout as the last job of the session's tool left it. */
  checkout: Checkout | null;
  /** The same for its other tools, which have their own conversations; absent while there are none. */
  checkouts?: Record<string, Checkout>;
  /** The job whose process is alive (or being started); the next one starts when it is gone. */
  busy_job: string | null;
  /**
   * What its session is about, in the words of its first message, or as its thread was named in Discord since; absent
   * before the first message.
   */
  name?: string;
  /**
   * When this thread last got a slot, as a count over all threads: the scheduler serves the one that has waited
   * longest.
   */
  turn: number;
  /**
   * The last job that had ended when the conversation moved to the session's tool from another one. Absent: it never
   * did.
   */
  moved_after?: string;
  /** The models that the owner chose, by tool. Absent: none. */
  models?: Record<string, string>;
  /** The same for how much its agents are to think. */
  efforts?: Record<string, string>;
  /** What becomes of its conversation before the next job's prompt. Absent: it goes on. */
  next_conversation?: NextConversation;
  /**
   * config.json does not hold yet what its owner chose. `failure`: why it could not be written; absent: that was not
   * tried yet. Absent: nothing is to be written there.
   */
  unsaved?: { failure?: ThreadFailure };
  /**
   * Its owner wants its window open; or why it could not be opened when it was last to be, without a job. Absent:
   * nobody has asked for it, or that is settled.
   */
  window?: "wanted" | ThreadFailure;
  /** The modes of its agents, by tool. Absent: those in which the tools begin. */
  modes?: Record<string, KeptMode>;
  /** Why it takes no message and starts nothing. Absent: it is open. */
  closed?: ClosedBy | "forgotten";
  /** Its words are just leaving the disk. Absent: they are not. */
  forgetting?: true;
  /** The name that it has in Discord is from before it was forgotten, so it counts no more. Absent: it counts. */
  unnamed?: true;
  /** Messages that it refused while it was closed and that have become no job since, oldest first. Absent: none. */
  refused?: string[];
  /** Messages that its owner has forwarded into it, by their ids, oldest first. Absent: none. */
  forwards?: Record<string, Forward>;
  /** What its agents told of themselves last, by tool. Absent: nothing. */
  told?: Record<string, AgentFacts>;
  /** What its agent does in the background, as far as that is known. Absent: nothing. */
  background?: { tool: string; what: string };
  /**
   * The newest message in it whose post has left the live state. A post in doubt is only looked for above it,
   * because the messages up to there belong to posts that are no longer known. Absent: none has.
   */
  forgotten_through?: string;
  /** The outside turn that runs here. Absent: none. */
  outside?: string;
  /** What its owner lets its agents use, by unit. Absent: what config.json says. */
  budget?: Readonly<Record<string, number>>;
  /** How far he has raised that. Absent: he has not. */
  raised?: Readonly<Record<string, number>>;
  /** What its agents have told of what they used. Absent: nothing. */
  spent?: Readonly<Record<string, number>>;
  /** The tools and units of which was said that a budget does not count them. Absent: none. */
  uncounted?: string[];
  /** Ended jobs still in the live state, oldest first. */
  ended: string[];
  /** The same for outside turns. Absent: none. */
  turns?: string[];
}

/** Bellhop made it. */
export interface MadeThread extends KnownThread {
  kind?: never;
  /**
   * It was made on a message that its owner wrote in its channel: that is its first prompt, and has the thread's id.
   * Absent: it begins with a message of Bellhop's.
   */
  on_message?: true;
}

/** Its owner made it, in the channel of a project. */
export interface OwnersThread extends KnownThread {
  kind: "found";
}

/** The channel of a project. */
export interface ChannelThread extends KnownThread {
  kind: "channel";
  /** Messages and threads from before are not its. */
  since?: string | undefined;
}

export type Thread = MadeThread | OwnersThread | ChannelThread;

/**
 * Channels that are read besides threads: the owner's direct messages with a bot, channels watched for an agent, and
 * those of projects in which each message opens a thread.
 */
export interface Channel {
  channel_id: string;
  /** Null: direct messages. */
  guild_id: string | null;
  bot_id: string;
  kind: "direct" | "watched" | "project";
  /** Of a project's: threads from before are not its sessions. */
  since?: string;
  /** A project's forum: nothing is written in it but in its posts, which are threads. Absent: it is none. */
  forum?: true;
  /** An agent has read the inbox that is filled here. Absent: none ever has. */
  inbox_read?: true;
}

/** A sentence owed to the author of a message; removed once it is posted. */
export interface Notice {
  /** Its key among the notices and posts: one message may be owed several sentences. */
  subject: string;
  thread_id: string;
  discord_message_id: string;
  /** What happened to the message too late, or why it answers nothing; null: it became no job, or not all of it did. */
  change: Change | Pointed | Unsent | null;
  /** Why it was refused; null for a change that was only too late. */
  code: ErrorCode | null;
  details: ErrorDetails;
  at: string;
}

/** What an author did to a message afterwards. */
export type Change = "edited" | "deleted";

/** It was to be sent into a running turn, and waits again. */
export type Unsent = "unsent";

/**
 * Why a message settled no open decision: `bare`: it says only yes, no, a number or the like, and is not known to mean
 * a certain prompt; `stop`: it says only stop; `which`: it may answer several; `unseen`: it says yes to what was not
 * shown in full, or not where it was written; `no_yes`: it says yes to what can only be refused; `open`: it is no
 * answer, so it is the next job; `settled`: the decision it replies to, or was written for, was already settled;
 * `nothing`: nothing is open where it was written. `sent`: it was one of these, and its writer has sent it to the agent
 * all the same.
 */
export type Pointed = "bare" | "stop" | "which" | "unseen" | "no_yes" | "open" | "settled" | "nothing" | "sent";

/** The owner's last message that settled none of what was open, for the one pointer to it. */
export interface PointedMessage {
  why: Exclude<Pointed, "nothing">;
  discord_message_id: string;
  /** Where it was written. */
  channel_id: string;
  /** What was open, this decision first. */
  decisions: string[];
  /** Absent: they were long. */
  words?: string;
  /** The message it replied to. Absent: none. */
  reply_to?: string;
  at: string;
}

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
        /** The notice's key; absent: the message's id. */
        subject?: string;
      };
    }
  | { type: "ChannelOpened"; payload: Channel & { /** Messages up to this id are ignored. */ since: string } };

export interface MessagePointed {
  type: "MessagePointed";
  payload: {
    thread_id: string;
    discord_message_id: string;
    why: Pointed;
    /** What is open. */
    decisions: string[];
    /** Absent: they are long. */
    words?: string;
    /** The message it replies to; absent: none. */
    reply_to?: string;
  };
}

export type ThreadCommand =
  /** Every message of the channel up to `through` has been handled. */
  | { type: "channel_read"; channel_id: string; through: string }
  /**
   * Discord reports that this place, where we posted for the thread, is gone or closed to us. A second report has no
   * effect.
   */
  | { type: "lose_thread"; thread_id: string; place: Place; code: ErrorCode }
  /** Discord shows the thread itself again. */
  | { type: "find_thread"; thread_id: string }
  | ({ type: "open_channel" } & Channel & { since: string });

/** Of the messages that a closed session refused, so many can still be sent by their buttons. */
const MOST_REFUSED = 50;

export function decideThread(state: State, command: ThreadCommand): ThreadEvent[] {
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
      const place = thread.place === "thread" && !isInForum(state, thread) ? "parent" : "owner";
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

function evolveThread(state: State, event: ThreadEvent, ts: string): void {
  switch (event.type) {
    case "ChannelRead": {
      const { channel_id, through } = event.payload;
      state.watermarks[channel_id] = through;
      return forgetHandled(state, channel_id, through);
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
      state.channels[channel.channel_id] = { ...channel, ...(channel.kind === "project" && { since }) };
      state.watermarks[channel.channel_id] ??= since;
      return;
    }
    case "MessageRefused": {
      const { thread_id, discord_message_id, subject = discord_message_id, code, details } = event.payload;
      markHandled(state, thread_id, discord_message_id);
      const thread = state.threads[thread_id];
      if (thread && code === "E_SESSION_CLOSED")
        thread.refused = [...(thread.refused ?? []), discord_message_id].slice(-MOST_REFUSED);
      oweNotice(state, { subject, thread_id, discord_message_id, change: null, code, details: { ...details }, at: ts });
    }
  }
}

export function newThread({ thread_id, channel_id, guild_id, bot_id }: Location & { thread_id: string }): MadeThread {
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

/** Adds a notice owed to the author of a message. */
export function oweNotice({ notices }: State, notice: Notice): void {
  notices[notice.subject] = notice;
  follow(notices, notice.subject);
}

/** The notices owed in a thread, oldest first. */
export function noticesIn({ notices }: State, threadId: string): Notice[] {
  return indexed(notices, ({ thread_id }) => [thread_id])
    .idsOf(threadId)
    .flatMap((id) => notices[id] ?? []);
}

/** Threads in which a job's process is alive. */
export function busyThreads(state: State): Thread[] {
  return threadsUnder(state, "busy");
}

/** Threads in which an outside turn runs. */
export function outsideThreads(state: State): Thread[] {
  return threadsUnder(state, "outside");
}

/** The channels that are sessions themselves. */
export function channelSessions(state: State): Thread[] {
  return threadsUnder(state, "channel");
}

/** Threads whose settings config.json does not hold yet. */
export function unsavedThreads(state: State): Thread[] {
  return threadsUnder(state, "unsaved");
}

/** Threads whose window is to be opened. */
export function windowlessThreads(state: State): Thread[] {
  return threadsUnder(state, "windowless");
}

/** Threads that wait before anything else starts in them. */
export function parkedThreads(state: State): Thread[] {
  return threadsUnder(state, "parked");
}

/** Threads of this channel, the first known first. */
export function threadsOf(state: State, channelId: string): Thread[] {
  return threadsUnder(state, `of ${channelId}`);
}

/** A bot of the daemon's own serves sessions and commands; one that a client brought asks that client's questions. */
export type BotRole = "serves" | "asks";

/** A bot, as far as it matters which threads it reads and posts in: its own, and those of sessions if it serves. */
export interface ThreadsOfBot {
  botId: string;
  role: BotRole;
}

export function isThreadOfBot(
  { threads, sessions }: State & { sessions: Readonly<Record<string, unknown>> },
  threadId: string,
  { botId, role }: ThreadsOfBot,
): boolean {
  return threads[threadId]?.bot_id === botId && (role === "serves" || sessions[threadId] === undefined);
}

/** The channel in which a message of a thread stands: the one on which the thread was opened stands in its channel. */
export function channelOf({ threads }: State, threadId: string, messageId: string): string {
  const thread = threads[threadId];
  return isOnMessage(thread) && messageId === threadId ? thread.channel_id : threadId;
}

/** The thread to which a message in a channel belongs, as its first prompt; else the channel. */
export function threadOn({ threads }: State, channelId: string, messageId: string): string {
  const thread = threads[messageId];
  return isOnMessage(thread) && thread.channel_id === channelId ? messageId : channelId;
}

/** Whether it was made on a message of its owner's. */
export function isOnMessage(thread: Thread | undefined): thread is MadeThread {
  return thread !== undefined && thread.kind === undefined && thread.on_message === true;
}

/** Whether it is a post of a project's forum, in which itself nothing can be written. */
export function isInForum({ channels }: State, thread: Thread | undefined): boolean {
  return channels[thread?.channel_id ?? ""]?.forum === true;
}

/** The thread of this bot that has been known longest. */
export function firstThread({ threads }: State, botId: string): Thread | undefined {
  return threads[threadIndex(threads).first(`by ${botId}`) ?? ""];
}

function threadsUnder(
  { threads }: State,
  key: "busy" | "parked" | "outside" | "channel" | "unsaved" | "windowless" | `of ${string}`,
): Thread[] {
  return threadIndex(threads)
    .idsOf(key)
    .flatMap((id) => threads[id] ?? []);
}

function threadIndex(threads: State["threads"]): Index<Thread> {
  return indexed(threads, ({ channel_id, bot_id, busy_job, wait, outside, kind, unsaved, window }) => [
    ...(unsaved ? ["unsaved"] : []),
    ...(window === "wanted" ? ["windowless"] : []),
    ...(kind === "channel" ? ["channel"] : []),
    `of ${channel_id}`,
    `by ${bot_id}`,
    ...(busy_job === null ? [] : ["busy"]),
    ...(wait ? ["parked"] : []),
    ...(outside === undefined ? [] : ["outside"]),
  ]);
}

export const threadSlice: Slice<ThreadCommand, ThreadEvent> = {
  decide: each(decideThread, "channel_read", "lose_thread", "find_thread", "open_channel"),
  evolve: each(evolveThread, "ChannelRead", "ThreadLost", "ThreadFound", "MessageRefused", "ChannelOpened"),
  kinds: {
    ChannelRead: "place",
    ThreadLost: "place",
    ThreadFound: "place",
    MessageRefused: "notice",
    ChannelOpened: "place",
  },
  topic: (_state, { payload }) => ("thread_id" in payload ? payload.thread_id : payload.channel_id),
};
