/**
 * Where messages are kept: put in, found, told to the gateway, taken out. Knows nothing of permissions or forms; keeps
 * a thread's counters and a channel's last message right.
 */
import { limits } from "../limits.ts";
import { gatewayMessage } from "./message-view.ts";
import { discordTime, type Dispatch, type Context } from "../context.ts";
import { Code, refuse } from "../rest/refusals.ts";
import { notificationOf } from "../state/notifications.ts";
import type { Channel, Message, World } from "../state/world.ts";

/** A message with nothing in it yet, written now. */
export function newMessage(context: Context, channelId: string, authorId: string): Message {
  return {
    id: context.ids.next(),
    channelId,
    authorId,
    type: 0,
    content: "",
    embeds: [],
    components: [],
    attachments: [],
    flags: 0,
    timestamp: discordTime(context.clock.now()),
    editedAt: null,
    mentions: [],
    mentionRoles: [],
    mentionEveryone: false,
    tts: false,
    pinnedAt: null,
    reactions: [],
    reference: null,
    applicationId: null,
    webhookId: null,
    interactionMetadata: null,
    interaction: null,
    hasThread: false,
    position: 0,
    ephemeralFor: null,
    nonce: null,
  };
}

/** Stores a message and tells whoever may see it. */
export function append(context: Context, message: Message): Message {
  const { world } = context;
  if (message.ephemeralFor === null) {
    (world.messages[message.channelId] ??= []).push(message);
    const channel = world.channels[message.channelId];
    if (channel !== undefined) countIn(channel, message);
  } else context.ephemerals.set(message.id, message);
  const notification = notificationOf(world, message);
  if (notification !== null) context.notifications.push(notification);
  if (context.notifications.length > limits.requestsKept) context.notifications.shift();
  context.dispatch({ t: "MESSAGE_CREATE", ...audience(context, message, true) });
  context.changed();
  return message;
}

/** Tells that a stored message has changed. */
export function updated(context: Context, message: Message): void {
  context.dispatch({ t: "MESSAGE_UPDATE", ...audience(context, message, false) });
  context.changed();
}

/** Takes messages out and tells of it, with one event for several (`MESSAGE_DELETE_BULK`). */
export function removeAll(context: Context, channelId: string, messages: readonly Message[], bulk: boolean): void {
  const { world } = context;
  const gone = new Set(messages.map((one) => one.id));
  world.messages[channelId] = (world.messages[channelId] ?? []).filter((one) => !gone.has(one.id));
  const channel = world.channels[channelId];
  if (channel?.thread) channel.thread.messageCount = Math.max(0, channel.thread.messageCount - gone.size);
  const place = { channel_id: channelId, ...(channel?.guildId ? { guild_id: channel.guildId } : {}) };
  if (bulk) context.dispatch({ t: "MESSAGE_DELETE_BULK", d: { ids: [...gone], ...place }, channelId });
  else for (const id of gone) context.dispatch({ t: "MESSAGE_DELETE", d: { id, ...place }, channelId });
  for (const message of messages) for (const file of message.attachments) context.attachments.forget(file);
  context.changed();
}

/** 10008 where there is no such message in the channel. Ephemeral messages are never found here. */
export function requireMessage(world: World, channelId: string, id: string): Message {
  const message = world.messages[channelId]?.find((one) => one.id === id);
  if (message === undefined) throw refuse(Code.UnknownMessage);
  return message;
}

/** An ephemeral message reaches its one user and nobody else, and no bot by way of the gateway. */
function audience(context: Context, message: Message, nonce: boolean): Pick<Dispatch, "d" | "channelId" | "only"> {
  const d = (viewerId: string, blank: boolean) => gatewayMessage(context, message, { viewerId, blank, nonce });
  return message.ephemeralFor === null ? { d, channelId: message.channelId } : { d, only: [message.ephemeralFor] };
}

function countIn(channel: Channel, message: Message): void {
  channel.lastMessageId = message.id;
  if (channel.thread === null) return;
  message.position = channel.thread.totalSent;
  // What a thread begins with is not counted.
  if (message.type === 21 || message.id === channel.id) return;
  channel.thread.messageCount += 1;
  channel.thread.totalSent += 1;
}
