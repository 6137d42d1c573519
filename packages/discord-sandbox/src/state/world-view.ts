/**
 * A reader's view of the world, for tests and for facts to wait on: messages as Discord would give them, threads,
 * reactions, typing, interactions, connections.
 */
import type { Notification } from "./notifications.ts";
import type { APIMessage, APIThreadChannel } from "discord-api-types/v10";
import { channelView, threadsOf } from "./channels.ts";
import type { Json } from "../rest/form.ts";
import type { Interaction } from "../interactions/interaction.ts";
import { messageView } from "../messages/message-view.ts";
import type { Exchange, Context, Violation } from "../context.ts";
import type { Sessions } from "../gateway/sessions.ts";
import type { Command, Message } from "./world.ts";

export interface Connection {
  sessionId: string;
  userId: string;
  isBot: boolean;
  seq: number;
}

export interface WorldView {
  readonly guildId: string;
  readonly channelId: string;
  readonly botId: string;
  readonly ownerId: string;
  /** Oldest first; ephemeral ones are not among them. */
  messages(channelId: string): APIMessage[];
  /** Ephemeral messages a user has been shown, oldest first. */
  ephemerals(userId: string): APIMessage[];
  /** One message, ephemeral or not. */
  message(id: string): APIMessage | undefined;
  /** Who reacted with what: emoji to user ids. */
  reactions(messageId: string): Record<string, string[]>;
  threads(parentId?: string): APIThreadChannel[];
  /** A channel or thread as Discord gives it. */
  channelObject(id: string): Json | undefined;
  threadMembers(threadId: string): string[];
  typing(channelId?: string): { channelId: string; userId: string; at: number }[];
  commands(): Command[];
  interactions(): readonly Interaction[];
  /** Gateway sessions with a socket now. */
  connections(): Connection[];
  readonly requests: readonly Exchange[];
  readonly violations: readonly Violation[];
  /** What the owner's client would have notified him of, in order. */
  readonly notifications: readonly Notification[];
  /** 401, 403 and 429 of the last ten minutes. */
  readonly invalidRequests: number;
}

export interface ViewParts {
  context: Context;
  sessions: Sessions;
  requests: Exchange[];
  invalidRequests(): number;
}

export function worldView(parts: ViewParts): WorldView {
  const { context, sessions } = parts;
  const { world } = context;
  const show = (message: Message) =>
    messageView(context, message, { viewerId: message.ephemeralFor ?? world.ownerId }) as unknown as APIMessage;
  const find = (id: string) =>
    context.ephemerals.get(id) ??
    Object.values(world.messages)
      .flat()
      .find((one) => one.id === id);
  return {
    guildId: world.guildId,
    channelId: world.generalId,
    botId: world.applicationId,
    ownerId: world.ownerId,
    messages: (channelId) => (world.messages[channelId] ?? []).map(show),
    ephemerals: (userId) => [...context.ephemerals.values()].filter((one) => one.ephemeralFor === userId).map(show),
    message(id) {
      const found = find(id);
      return found === undefined ? undefined : show(found);
    },
    reactions: (id) => Object.fromEntries((find(id)?.reactions ?? []).map((one) => [one.key, [...one.users]])),
    threads: (parentId) =>
      threadsOf(world, parentId).map((one) => channelView(world, one) as unknown as APIThreadChannel),
    channelObject(id) {
      const channel = world.channels[id];
      return channel === undefined ? undefined : channelView(world, channel);
    },
    threadMembers: (id) => Object.keys(world.channels[id]?.thread?.members ?? {}),
    typing: (channelId) => context.typing.filter((one) => channelId === undefined || one.channelId === channelId),
    commands: () => Object.values(world.commands),
    interactions: () => context.interactions.all(),
    connections: () =>
      sessions.connected().map(({ id, userId, isBot, seq }) => ({ sessionId: id, userId, isBot, seq })),
    requests: parts.requests,
    violations: context.violations,
    notifications: context.notifications,
    get invalidRequests() {
      return parts.invalidRequests();
    },
  };
}
