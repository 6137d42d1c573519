/**
 * What each gateway event does to the state. Events that the page has no use for, or that come in a shape
 * it does not know, leave the state as it is: a newer server never breaks an older page.
 */
import { change, inHistory, markStale, put, remove } from "./history.ts";
import {
  emojiKey,
  FLAG,
  has,
  MESSAGE,
  type Channel,
  type Component,
  type Emoji,
  type Guild,
  type Member,
  type Message,
  type Reaction,
  type User,
} from "./model.ts";
import { without, type ModalShown, type State } from "./state.ts";

type Handler = (state: State, data: never, now: number) => State;

export const TYPING_LASTS_MS = 10_000;

export function dispatched(state: State, event: string, data: unknown, now: number): State {
  const handler = handlers[event];
  if (!handler || typeof data !== "object" || data === null) return state;
  return handler(state, data as never, now);
}

const handlers: Record<string, Handler> = {
  READY: ready,
  GUILD_CREATE: guildCreated,
  GUILD_UPDATE: (state, guild: Guild) => ({
    ...state,
    guilds: { ...state.guilds, [guild.id]: { id: guild.id, name: guild.name } },
  }),
  GUILD_DELETE: (state, guild: { id: string }) => ({ ...state, guilds: without(state.guilds, guild.id) }),
  GUILD_MEMBER_ADD: (state, member: Member) => withMember(state, member),
  GUILD_MEMBER_UPDATE: (state, member: Member) => withMember(state, member),
  CHANNEL_CREATE: channelChanged,
  CHANNEL_UPDATE: channelChanged,
  CHANNEL_DELETE: channelGone,
  THREAD_CREATE: channelChanged,
  THREAD_UPDATE: channelChanged,
  THREAD_DELETE: channelGone,
  THREAD_LIST_SYNC: (state, sync: { threads?: Channel[] }) => (sync.threads ?? []).reduce(channelChanged, state),
  MESSAGE_CREATE: messageCreated,
  MESSAGE_UPDATE: messageUpdated,
  MESSAGE_DELETE: (state, gone: { id: string; channel_id: string }) =>
    inHistory(state, gone.channel_id, (h) => remove(h, [gone.id])),
  MESSAGE_DELETE_BULK: (state, gone: { ids: string[]; channel_id: string }) =>
    inHistory(state, gone.channel_id, (h) => remove(h, gone.ids)),
  MESSAGE_REACTION_ADD: (state, event: ReactionEvent) => reacted(state, event, 1),
  MESSAGE_REACTION_REMOVE: (state, event: ReactionEvent) => reacted(state, event, -1),
  MESSAGE_REACTION_REMOVE_ALL: (state, event: ReactionEvent) =>
    onMessage(state, event, (m) => ({ ...m, reactions: [] })),
  MESSAGE_REACTION_REMOVE_EMOJI: (state, event: ReactionEvent) =>
    onMessage(state, event, (m) => ({
      ...m,
      reactions: (m.reactions ?? []).filter((r) => emojiKey(r.emoji) !== emojiKey(event.emoji)),
    })),
  TYPING_START: typingStarted,
  INTERACTION_SUCCESS: (state, event: { nonce?: string }) =>
    event.nonce ? { ...state, pending: without(state.pending, event.nonce) } : state,
  INTERACTION_FAILURE: interactionFailed,
  INTERACTION_MODAL_CREATE: modalCreated,
  GUILD_APPLICATION_COMMAND_INDEX_UPDATE: (state) => ({ ...state, commandsSeen: state.commandsSeen + 1 }),
};

interface Ready {
  session_id: string;
  user: User;
  guilds?: GuildSent[];
  users?: User[];
  private_channels?: Channel[];
}
interface GuildSent extends Guild {
  unavailable?: boolean;
  properties?: { name: string };
  channels?: Channel[];
  threads?: Channel[];
  members?: Member[];
  roles?: { id: string; name: string }[];
}

/** A new session: whatever happened since the last one was not told, so every history must be asked again. */
function ready(state: State, data: Ready): State {
  const history = Object.fromEntries(Object.entries(state.history).map(([id, h]) => [id, markStale(h)]));
  let next: State = { ...state, phase: "live", sessionId: data.session_id, me: data.user, history, typing: {} };
  for (const user of [data.user, ...(data.users ?? [])]) next = withUser(next, user);
  for (const channel of data.private_channels ?? []) next = channelChanged(next, channel);
  for (const guild of data.guilds ?? []) if (!guild.unavailable) next = guildCreated(next, guild);
  return next;
}

/** The guild as it is now: a channel that was deleted while we were away disappears, known archived threads stay. */
function guildCreated(state: State, guild: GuildSent): State {
  if (guild.unavailable) return state;
  const name = guild.name ?? guild.properties?.name ?? guild.id;
  const kept = Object.entries(state.channels).filter(([, c]) => c.guild_id !== guild.id || c.thread_metadata?.archived);
  const told = guild.channels ? Object.fromEntries(kept) : state.channels;
  let next: State = { ...state, guilds: { ...state.guilds, [guild.id]: { id: guild.id, name } }, channels: told };
  for (const channel of [...(guild.channels ?? []), ...(guild.threads ?? [])]) {
    next = channelChanged(next, { ...channel, guild_id: guild.id });
  }
  for (const member of guild.members ?? []) next = withMember(next, member);
  const roles = Object.fromEntries((guild.roles ?? []).map((role) => [role.id, role.name]));
  return { ...next, roles: { ...next.roles, ...roles }, commandsSeen: next.commandsSeen + 1 };
}

function channelChanged(state: State, channel: Channel): State {
  if (!channel.id) return state;
  return { ...state, channels: { ...state.channels, [channel.id]: { ...state.channels[channel.id], ...channel } } };
}

function channelGone(state: State, gone: { id: string }): State {
  const channels = Object.fromEntries(
    Object.entries(state.channels).filter(([id, channel]) => id !== gone.id && channel.parent_id !== gone.id),
  );
  const here = state.here && channels[state.here] ? state.here : undefined;
  return { ...state, channels, here, history: without(state.history, gone.id) };
}

function messageCreated(state: State, message: Message): State {
  let next = withUser(state, message.author);
  if (message.member) next = withMember(next, { ...message.member, user: message.author });
  for (const user of message.mentions ?? []) next = withUser(next, user);
  // The first page of a channel will bring everything, except what arrives while that page is on its way.
  const wanted = next.history[message.channel_id]?.loaded || next.here === message.channel_id;
  if (wanted || has(message, FLAG.ephemeral)) next = inHistory(next, message.channel_id, (h) => put(h, message));
  return quiet(touched(next, message), message.channel_id, message.author.id);
}

/** Only stored messages move the channel's newest id and count; an ephemeral one never makes a channel unread. */
function touched(state: State, message: Message): State {
  const channel = state.channels[message.channel_id];
  if (!channel || has(message, FLAG.ephemeral)) return state;
  return {
    ...state,
    channels: {
      ...state.channels,
      [channel.id]: { ...channel, last_message_id: message.id, ...oneMore(channel, message) },
    },
  };
}

/** Threads tell how many messages they hold; what opened the thread is not among them. */
function oneMore(channel: Channel, message: Message): { message_count?: number } {
  const counts =
    channel.message_count !== undefined &&
    message.type !== MESSAGE.threadStarter &&
    channel.last_message_id !== message.id;
  return counts ? { message_count: (channel.message_count ?? 0) + 1 } : {};
}

/** An update may carry only what has changed. */
function messageUpdated(state: State, update: Partial<Message> & { id: string; channel_id: string }): State {
  return inHistory(state, update.channel_id, (h) => change(h, update.id, (m) => ({ ...m, ...update })));
}

interface ReactionEvent {
  message_id: string;
  channel_id: string;
  user_id: string;
  emoji: Emoji;
}

function reacted(state: State, event: ReactionEvent, by: 1 | -1): State {
  const mine = event.user_id === state.me?.id;
  return onMessage(state, event, (m) => ({ ...m, reactions: counted(m.reactions ?? [], event.emoji, by, mine) }));
}

function counted(reactions: readonly Reaction[], emoji: Emoji, by: 1 | -1, mine: boolean): Reaction[] {
  const key = emojiKey(emoji);
  if (by === 1 && !reactions.some((r) => emojiKey(r.emoji) === key))
    return [...reactions, { emoji, count: 1, me: mine }];
  return reactions
    .map((r) => (emojiKey(r.emoji) === key ? { ...r, count: r.count + by, me: mine ? by === 1 : r.me } : r))
    .filter((r) => r.count > 0);
}

function onMessage(
  state: State,
  event: { message_id: string; channel_id: string },
  how: (m: Message) => Message,
): State {
  return inHistory(state, event.channel_id, (h) => change(h, event.message_id, how));
}

function typingStarted(
  state: State,
  event: { channel_id: string; user_id: string; member?: Member },
  now: number,
): State {
  if (event.user_id === state.me?.id) return state;
  const next = event.member ? withMember(state, event.member) : state;
  const there = { ...next.typing[event.channel_id], [event.user_id]: now + TYPING_LASTS_MS };
  return { ...next, typing: { ...next.typing, [event.channel_id]: there } };
}

function quiet(state: State, channelId: string, userId: string): State {
  const there = state.typing[channelId];
  if (!there || !(userId in there)) return state;
  const others = without(there, userId);
  const typing =
    Object.keys(others).length > 0 ? { ...state.typing, [channelId]: others } : without(state.typing, channelId);
  return { ...state, typing };
}

function interactionFailed(state: State, event: { nonce?: string }): State {
  const pending = event.nonce ? state.pending[event.nonce] : undefined;
  if (!pending) return state;
  return { ...state, pending: { ...state.pending, [pending.nonce]: { ...pending, failed: true } } };
}

interface ModalSent {
  id: string;
  nonce?: string;
  channel_id: string;
  custom_id: string;
  title: string;
  components: Component[];
  application: { id: string; name: string };
}

/** A modal answers the interaction that asked for it; one that nobody here asked for is not shown. */
function modalCreated(state: State, event: ModalSent): State {
  if (!event.nonce || !state.pending[event.nonce]) return state;
  const modal: ModalShown = {
    nonce: event.nonce,
    id: event.id,
    channelId: event.channel_id,
    applicationId: event.application.id,
    applicationName: event.application.name,
    customId: event.custom_id,
    title: event.title,
    components: event.components,
  };
  return { ...state, modal, pending: without(state.pending, event.nonce) };
}

function withUser(state: State, user: User): State {
  return state.users[user.id] === user ? state : { ...state, users: { ...state.users, [user.id]: user } };
}

function withMember(state: State, member: Member): State {
  if (!member.user) return state;
  const nicks = member.nick ? { ...state.nicks, [member.user.id]: member.nick } : without(state.nicks, member.user.id);
  return { ...withUser(state, member.user), nicks };
}
