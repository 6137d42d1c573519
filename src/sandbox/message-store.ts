/**
 * Where messages stand: put in, found, told to the gateway, taken out. Knows nothing of permissions or forms;
 * a thread's counters and a channel's last message are kept true here.
 */
import { gatewayMessage } from "./message-view.ts";
import { discordTime, type Dispatch, type Realm } from "./realm.ts";
import { Code, refuse } from "./refusals.ts";
import type { Channel, Message, World } from "./world.ts";

/** A message with nothing in it yet, written now. */
export function newMessage(realm: Realm, channelId: string, authorId: string): Message {
  return {
    id: realm.ids.next(),
    channelId,
    authorId,
    type: 0,
    content: "",
    embeds: [],
    components: [],
    attachments: [],
    flags: 0,
    timestamp: discordTime(realm.clock.now()),
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
export function append(realm: Realm, message: Message): Message {
  const { world } = realm;
  if (message.ephemeralFor === null) {
    (world.messages[message.channelId] ??= []).push(message);
    const channel = world.channels[message.channelId];
    if (channel !== undefined) countIn(channel, message);
  } else realm.ephemerals.set(message.id, message);
  realm.dispatch({ t: "MESSAGE_CREATE", ...audience(realm, message, true) });
  realm.changed();
  return message;
}

/** Tells that a stored message is now different. */
export function updated(realm: Realm, message: Message): void {
  realm.dispatch({ t: "MESSAGE_UPDATE", ...audience(realm, message, false) });
  realm.changed();
}

/** Takes messages out and tells it, with one event for several (`MESSAGE_DELETE_BULK`). */
export function removeAll(realm: Realm, channelId: string, messages: readonly Message[], bulk: boolean): void {
  const { world } = realm;
  const gone = new Set(messages.map((one) => one.id));
  world.messages[channelId] = (world.messages[channelId] ?? []).filter((one) => !gone.has(one.id));
  const channel = world.channels[channelId];
  if (channel?.thread) channel.thread.messageCount = Math.max(0, channel.thread.messageCount - gone.size);
  const place = { channel_id: channelId, ...(channel?.guildId ? { guild_id: channel.guildId } : {}) };
  if (bulk) realm.dispatch({ t: "MESSAGE_DELETE_BULK", d: { ids: [...gone], ...place }, channelId });
  else for (const id of gone) realm.dispatch({ t: "MESSAGE_DELETE", d: { id, ...place }, channelId });
  for (const message of messages) for (const file of message.attachments) realm.attachments.forget(file);
  realm.changed();
}

/** 10008 where there is no such message in the channel. Ephemeral messages are never found here. */
export function requireMessage(world: World, channelId: string, id: string): Message {
  const message = world.messages[channelId]?.find((one) => one.id === id);
  if (message === undefined) throw refuse(Code.UnknownMessage);
  return message;
}

/** An ephemeral message reaches its one user and nobody else, and no bot by way of the gateway. */
function audience(realm: Realm, message: Message, nonce: boolean): Pick<Dispatch, "d" | "channelId" | "only"> {
  const d = (viewerId: string, blank: boolean) => gatewayMessage(realm, message, { viewerId, blank, nonce });
  return message.ephemeralFor === null ? { d, channelId: message.channelId } : { d, only: [message.ephemeralFor] };
}

function countIn(channel: Channel, message: Message): void {
  channel.lastMessageId = message.id;
  if (channel.thread === null) return;
  message.position = channel.thread.totalSent;
  if (message.type === 21) return;
  channel.thread.messageCount += 1;
  channel.thread.totalSent += 1;
}
