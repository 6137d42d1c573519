/**
 * Channels, threads and direct messages as Discord writes them down, and how to find them.
 */
import type { Json } from "../rest/form.ts";
import { Bit, channelPermissions } from "./permissions.ts";
import { Code, refuse } from "../rest/refusals.ts";
import { userView } from "./users.ts";
import type { Channel, Forum, Thread, World } from "./world.ts";

export type ThreadChannel = Channel & { thread: Thread };

export function channelView(world: World, channel: Channel, viewerId?: string): Json {
  if (isThread(channel)) return threadView(channel, viewerId);
  if (channel.type === 1) return directView(world, channel, viewerId);
  return {
    ...placeView(channel),
    guild_id: channel.guildId ?? world.guildId,
    topic: channel.topic,
    position: channel.position,
    permission_overwrites: channel.overwrites.map((one) => ({ ...one })),
    nsfw: false,
    ...(channel.forum === undefined ? {} : forumView(channel.forum)),
  };
}

function forumView({ tags, requireTag }: Forum): Json {
  return {
    flags: requireTag ? 1 << 4 : 0,
    available_tags: tags.map(({ id, name, moderated, emojiId, emojiName }) => ({
      id,
      name,
      moderated,
      emoji_id: emojiId,
      emoji_name: emojiName,
    })),
    default_reaction_emoji: null,
    default_sort_order: null,
    default_forum_layout: 0,
  };
}

export function threadView(channel: ThreadChannel, viewerId?: string): Json {
  const { thread } = channel;
  const joined = viewerId === undefined ? undefined : thread.members[viewerId];
  return {
    ...placeView(channel),
    owner_id: thread.ownerId,
    thread_metadata: threadMetadata(channel),
    message_count: thread.messageCount,
    member_count: Math.min(50, Object.keys(thread.members).length),
    total_message_sent: thread.totalSent,
    ...(thread.tags === undefined ? {} : { applied_tags: [...thread.tags] }),
    ...(joined === undefined || viewerId === undefined
      ? {}
      : { member: threadMemberView(channel.id, viewerId, joined.joinedAt) }),
  };
}

/** What channels and threads have in common. */
function placeView({ id, type, lastMessageId, lastPinAt, guildId, name, parentId, slowmodeSeconds }: Channel): Json {
  return {
    id,
    type,
    last_message_id: lastMessageId,
    flags: 0,
    last_pin_timestamp: lastPinAt,
    guild_id: guildId,
    name,
    parent_id: parentId,
    rate_limit_per_user: slowmodeSeconds,
  };
}

export function threadMemberView(threadId: string, userId: string, joinedAt: string): Json {
  return { id: threadId, user_id: userId, join_timestamp: joinedAt, flags: 0 };
}

export function isThread(channel: Channel): channel is ThreadChannel {
  return channel.thread !== null;
}

/** The channel, which must be visible to the user: 10003 where there is none, 50001 where it cannot be seen. */
export function visibleChannel(world: World, id: string, userId: string): Channel {
  const channel = world.channels[id];
  if (channel === undefined) throw refuse(Code.UnknownChannel);
  if ((channelPermissions(world, channel, userId) & Bit.ViewChannel) === 0n) throw refuse(Code.MissingAccess);
  return channel;
}

export function visibleThread(world: World, id: string, userId: string): ThreadChannel {
  const channel = visibleChannel(world, id, userId);
  if (!isThread(channel)) throw refuse(Code.CannotExecuteActionOnThisChannelType);
  return channel;
}

/** Guild channels that are not threads, in order. */
export function guildChannels(world: World): Channel[] {
  return Object.values(world.channels)
    .filter((one) => one.guildId !== null && one.thread === null)
    .toSorted((a, b) => a.position - b.position || Number(BigInt(a.id) - BigInt(b.id)));
}

export function threadsOf(world: World, parentId?: string): ThreadChannel[] {
  return Object.values(world.channels)
    .filter(isThread)
    .filter((one) => parentId === undefined || one.parentId === parentId);
}

function threadMetadata(channel: ThreadChannel): Json {
  const { thread } = channel;
  return {
    archived: thread.archived,
    archive_timestamp: thread.archivedAt,
    auto_archive_duration: thread.autoArchiveMinutes,
    locked: thread.locked,
    create_timestamp: thread.createdAt,
    ...(channel.type === 12 ? { invitable: thread.invitable } : {}),
  };
}

function directView(world: World, channel: Channel, viewerId: string | undefined): Json {
  const others = channel.recipients.filter((id) => id !== viewerId).map((id) => world.users[id]);
  return {
    id: channel.id,
    type: 1,
    last_message_id: channel.lastMessageId,
    flags: 0,
    last_pin_timestamp: channel.lastPinAt,
    recipients: others.filter((one) => one !== undefined).map(userView),
  };
}
