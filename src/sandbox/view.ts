/**
 * A reader's view of the world, for tests and for facts to wait on: messages as Discord would give them, threads,
 * reactions, typing, interactions, connections.
 */
import type { APIMessage, APIThreadChannel } from "discord-api-types/v10";
import { channelView, threadsOf } from "./channels.ts";
import type { Json } from "./form.ts";
import type { Interaction } from "./interaction.ts";
import { messageView } from "./message-view.ts";
import type { Exchange, Realm, Violation } from "./realm.ts";
import type { Sessions } from "./sessions.ts";
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
  /** 401, 403 and 429 of the last ten minutes. */
  readonly invalidRequests: number;
}

export interface ViewParts {
  realm: Realm;
  sessions: Sessions;
  requests: Exchange[];
  invalidRequests(): number;
}

export function worldView(parts: ViewParts): WorldView {
  const { realm, sessions } = parts;
  const { world } = realm;
  const show = (message: Message) => messageView(realm, message, { viewerId: message.ephemeralFor ?? world.ownerId }) as unknown as APIMessage;
  const find = (id: string) => realm.ephemerals.get(id) ?? Object.values(world.messages).flat().find((one) => one.id === id);
  return {
    guildId: world.guildId,
    channelId: world.generalId,
    botId: world.applicationId,
    ownerId: world.ownerId,
    messages: (channelId) => (world.messages[channelId] ?? []).map(show),
    ephemerals: (userId) => [...realm.ephemerals.values()].filter((one) => one.ephemeralFor === userId).map(show),
    message(id) {
      const found = find(id);
      return found === undefined ? undefined : show(found);
    },
    reactions: (id) => Object.fromEntries((find(id)?.reactions ?? []).map((one) => [one.key, [...one.users]])),
    threads: (parentId) => threadsOf(world, parentId).map((one) => channelView(world, one) as unknown as APIThreadChannel),
    channelObject(id) {
      const channel = world.channels[id];
      return channel === undefined ? undefined : channelView(world, channel);
    },
    threadMembers: (id) => Object.keys(world.channels[id]?.thread?.members ?? {}),
    typing: (channelId) => realm.typing.filter((one) => channelId === undefined || one.channelId === channelId),
    commands: () => Object.values(world.commands),
    interactions: () => realm.interactions.all(),
    connections: () => sessions.connected().map(({ id, userId, isBot, seq }) => ({ sessionId: id, userId, isBot, seq })),
    requests: parts.requests,
    violations: realm.violations,
    get invalidRequests() {
      return parts.invalidRequests();
    },
  };
}
