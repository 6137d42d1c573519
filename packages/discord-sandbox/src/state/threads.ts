/**
 * Threads: started from a message (and then with its id) or without one, joined and left, archived, locked, and
 * brought back by writing in them. Says on the gateway what Discord says.
 */
import type { Json } from "../rest/form.ts";
import { channelView, isThread, threadMemberView, threadsOf, type ThreadChannel } from "./channels.ts";
import { limits } from "../limits.ts";
import { append, newMessage, updated } from "../messages/message-store.ts";
import { Bit, mayIn } from "./permissions.ts";
import { discordTime, type Context } from "../context.ts";
import { Code, refuse } from "../rest/refusals.ts";
import { snowflakeTime } from "./snowflakes.ts";
import { textChannel, type Channel, type Message } from "./world.ts";

export interface ThreadStart {
  /** Of a forum's post, the id that its first message has too. Absent: a new one, or that of the message it hangs on. */
  id?: string;
  /** Of a forum's post: its tags. */
  tags?: string[];
  name: string;
  ownerId: string;
  /** 11 public, 12 private. */
  type: number;
  autoArchiveMinutes: number;
  slowmodeSeconds: number;
  invitable: boolean;
  /** The message it hangs on. */
  from: Message | null;
}

export interface ThreadChange {
  tags?: string[];
  name?: string;
  archived?: boolean;
  locked?: boolean;
  invitable?: boolean;
  autoArchiveMinutes?: number;
  slowmodeSeconds?: number;
}

/** Starts a thread. 160004 where the message has one already, 160006 where too many are active. */
export function startThread(context: Context, parent: Channel, start: ThreadStart): ThreadChannel {
  const { world } = context;
  const from = start.from;
  if (from !== null && world.channels[from.id] !== undefined) throw refuse(Code.ThreadAlreadyCreatedForMessage);
  if (threadsOf(world).filter((one) => !one.thread.archived).length >= limits.activeThreads)
    throw refuse(Code.MaximumActiveThreads);
  const older = from !== null && parent.lastMessageId !== from.id;
  const thread = newThread(context, parent, start);
  world.channels[thread.id] = thread;
  context.dispatch({
    t: "THREAD_CREATE",
    d: (viewerId) => ({ ...channelView(world, thread, viewerId), newly_created: true }),
    channelId: thread.id,
  });
  tellJoined(context, thread, start.ownerId);
  if (from !== null) {
    from.hasThread = true;
    from.flags |= 32;
    const starter = newMessage(context, thread.id, from.authorId);
    append(context, { ...starter, type: 21, reference: { channelId: parent.id, messageId: from.id } });
    updated(context, from);
  }
  // Nothing is written in a forum itself: its last message is its newest post.
  if (parent.forum !== undefined) parent.lastMessageId = thread.id;
  else if ((from === null || older) && start.type === 11) announce(context, parent, thread);
  scheduleArchive(context, thread);
  context.changed();
  return thread;
}

/** Changes a thread and tells of it. The caller checks who may do so. */
export function changeThread(context: Context, thread: ThreadChannel, change: ThreadChange): void {
  const state = thread.thread;
  const now = discordTime(context.clock.now());
  if (change.name !== undefined) thread.name = change.name;
  if (change.slowmodeSeconds !== undefined) thread.slowmodeSeconds = change.slowmodeSeconds;
  if (change.invitable !== undefined) state.invitable = change.invitable;
  if (change.tags !== undefined && String(change.tags) !== String(state.tags)) state.tags = change.tags;
  if (change.locked !== undefined) state.locked = change.locked;
  if (change.autoArchiveMinutes !== undefined) {
    state.autoArchiveMinutes = change.autoArchiveMinutes;
    state.archivedAt = now;
  }
  if (change.archived !== undefined && change.archived !== state.archived) {
    state.archived = change.archived;
    state.archivedAt = now;
  }
  scheduleArchive(context, thread);
  tellUpdated(context, thread);
}

/**
 * Before anything is written: an archived thread comes back, a locked one only for who may manage threads
 * (160005), and the writer becomes a member.
 */
export function openForWriting(context: Context, channel: Channel, userId: string): void {
  if (!isThread(channel)) return;
  requireUnlocked(context, channel, userId);
  if (channel.thread.archived) changeThread(context, channel, { archived: false });
  else scheduleArchive(context, channel);
  joinThread(context, channel, userId);
}

/** 160005 for who may not write in a locked thread. */
export function requireUnlocked(context: Context, channel: Channel, userId: string): void {
  if (channel.thread?.locked === true && !mayIn(context.world, channel, userId, Bit.ManageThreads))
    throw refuse(Code.ThreadLocked);
}

/** 50083 for whatever cannot be done while a thread is archived. */
export function requireUnarchived(channel: Channel): void {
  if (channel.thread?.archived === true) throw refuse(Code.InvalidActionOnArchivedThread);
}

export function joinThread(context: Context, channel: ThreadChannel, userId: string): void {
  const { members } = channel.thread;
  if (members[userId] !== undefined) return;
  if (Object.keys(members).length >= limits.threadParticipants) throw refuse(Code.MaximumThreadParticipantsReached);
  members[userId] = { joinedAt: discordTime(context.clock.now()) };
  tellJoined(context, channel, userId);
  context.changed();
}

export function leaveThread(context: Context, channel: ThreadChannel, userId: string): void {
  if (channel.thread.members[userId] === undefined) return;
  delete channel.thread.members[userId];
  context.dispatch({
    t: "THREAD_MEMBERS_UPDATE",
    d: { ...membersEvent(channel), removed_member_ids: [userId] },
    channelId: channel.id,
  });
  context.changed();
}

/** Deletes a thread or channel with everything in it. */
export function removeChannel(context: Context, channel: Channel): void {
  const { world } = context;
  const place = { id: channel.id, guild_id: channel.guildId, parent_id: channel.parentId, type: channel.type };
  const d: Json = isThread(channel) ? place : channelView(world, channel);
  context.dispatch({ t: isThread(channel) ? "THREAD_DELETE" : "CHANNEL_DELETE", d, channelId: channel.id });
  for (const thread of threadsOf(world, channel.id)) delete world.channels[thread.id];
  for (const message of world.messages[channel.id] ?? [])
    for (const file of message.attachments) context.attachments.forget(file);
  delete world.messages[channel.id];
  delete world.channels[channel.id];
  const starter = world.messages[channel.parentId ?? ""]?.find((one) => one.id === channel.id);
  if (starter !== undefined) {
    starter.hasThread = false;
    starter.flags &= ~32;
    updated(context, starter);
  }
  context.changed();
}

/** Arms the inactivity clock again; called for every active thread when a world is read back. */
export function scheduleArchive(context: Context, channel: ThreadChannel): void {
  const { thread } = channel;
  if (thread.archived) return;
  const span = thread.autoArchiveMinutes * 60_000;
  const due = lastActive(channel) + span;
  context.timers.arm(`archive:${channel.id}`, Math.max(0, due - context.clock.now()), () => {
    if (context.world.channels[channel.id] !== channel || thread.archived) return;
    if (lastActive(channel) + span > context.clock.now()) scheduleArchive(context, channel);
    else changeThread(context, channel, { archived: true });
  });
}

function lastActive(channel: ThreadChannel): number {
  const written = channel.lastMessageId === null ? 0 : snowflakeTime(channel.lastMessageId);
  return Math.max(written, Date.parse(channel.thread.archivedAt), Date.parse(channel.thread.createdAt));
}

function newThread(context: Context, parent: Channel, start: ThreadStart): ThreadChannel {
  const now = discordTime(context.clock.now());
  return {
    ...textChannel(start.from?.id ?? start.id ?? context.ids.next(), parent.guildId ?? "", start.name, 0),
    type: start.type,
    parentId: parent.id,
    slowmodeSeconds: start.slowmodeSeconds,
    thread: {
      ownerId: start.ownerId,
      archived: false,
      archivedAt: now,
      autoArchiveMinutes: start.autoArchiveMinutes,
      locked: false,
      createdAt: now,
      invitable: start.invitable,
      messageCount: 0,
      totalSent: 0,
      members: { [start.ownerId]: { joinedAt: now } },
      ...(parent.forum === undefined ? {} : { tags: start.tags ?? [] }),
    },
  };
}

/** The line "started a thread" in the parent, for a thread that no visible message announces. */
function announce(context: Context, parent: Channel, thread: ThreadChannel): void {
  const line = newMessage(context, parent.id, thread.thread.ownerId);
  append(context, { ...line, type: 18, content: thread.name, reference: { channelId: thread.id, messageId: null } });
}

function tellUpdated(context: Context, thread: ThreadChannel): void {
  context.dispatch({
    t: "THREAD_UPDATE",
    d: (viewerId) => channelView(context.world, thread, viewerId),
    channelId: thread.id,
  });
  context.changed();
}

function tellJoined(context: Context, channel: ThreadChannel, userId: string): void {
  const joinedAt = channel.thread.members[userId]?.joinedAt ?? channel.thread.createdAt;
  const added = [threadMemberView(channel.id, userId, joinedAt)];
  context.dispatch({
    t: "THREAD_MEMBERS_UPDATE",
    d: { ...membersEvent(channel), added_members: added },
    channelId: channel.id,
  });
}

function membersEvent(channel: ThreadChannel): Json {
  return {
    id: channel.id,
    guild_id: channel.guildId,
    member_count: Math.min(50, Object.keys(channel.thread.members).length),
  };
}
