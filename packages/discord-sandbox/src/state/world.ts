/**
 * What the sandbox knows: one guild, its channels, threads, people, messages and commands, as plain records that
 * can be written to a file and read back unchanged. How they look on the wire is each noun's own business.
 */
import { randomBytes } from "node:crypto";
import type { Json } from "../rest/form.ts";
import { botRolePermissions, everyonePermissions } from "./grants.ts";
import type { Snowflakes } from "./snowflakes.ts";

export interface User {
  id: string;
  username: string;
  globalName: string | null;
  bot: boolean;
  token: string;
}

export interface Member {
  userId: string;
  roles: string[];
  joinedAt: string;
  nick: string | null;
}

export interface Role {
  id: string;
  name: string;
  permissions: string;
  position: number;
  managed: boolean;
  botId: string | null;
}

/** `type` 0 is a role, 1 a member. */
export interface Overwrite {
  id: string;
  type: 0 | 1;
  allow: string;
  deny: string;
}

export interface Thread {
  ownerId: string;
  archived: boolean;
  archivedAt: string;
  autoArchiveMinutes: number;
  locked: boolean;
  createdAt: string;
  invitable: boolean;
  messageCount: number;
  totalSent: number;
  members: Record<string, { joinedAt: string }>;
  /** Of a forum's post: the ids of its tags. Absent: it is none. */
  tags?: string[];
}

export interface ForumTag {
  id: string;
  name: string;
  /** Only who manages threads adds it to a post, or takes it off. */
  moderated: boolean;
  emojiId: string | null;
  emojiName: string | null;
}

export interface Forum {
  tags: ForumTag[];
  requireTag: boolean;
}

/** A text channel (0), category (4), forum (15), direct message (1) or thread (10, 11, 12). */
export interface Channel {
  id: string;
  type: number;
  guildId: string | null;
  name: string;
  topic: string | null;
  position: number;
  parentId: string | null;
  overwrites: Overwrite[];
  lastMessageId: string | null;
  lastPinAt: string | null;
  slowmodeSeconds: number;
  recipients: string[];
  thread: Thread | null;
  /** Absent: it is no forum. */
  forum?: Forum;
}

export interface Attachment {
  id: string;
  channelId: string;
  filename: string;
  /** The name as it was, without its ending, where `filename` has lost some of it. */
  title?: string;
  size: number;
  contentType: string | null;
  description: string | null;
  /** Of a picture. Absent: it is none, or is from before this was kept. */
  picture?: { width: number; height: number };
  ephemeral: boolean;
}

export interface Reaction {
  /** `name` for Unicode, `name:id` for a custom emoji. */
  key: string;
  users: string[];
}

/** What somebody did, in the audit log. */
export interface AuditEntry {
  id: string;
  actionType: number;
  userId: string;
  targetId: string;
  changes: { key: string; new_value: unknown; old_value: unknown }[];
}

export interface Message {
  id: string;
  channelId: string;
  authorId: string;
  type: number;
  content: string;
  embeds: Json[];
  components: Json[];
  attachments: Attachment[];
  flags: number;
  timestamp: string;
  editedAt: string | null;
  mentions: string[];
  mentionRoles: string[];
  mentionEveryone: boolean;
  tts: boolean;
  pinnedAt: string | null;
  reactions: Reaction[];
  /** `forwards`: it is a forward of that message; absent: a reply. */
  reference: { channelId: string; messageId: string | null; forwards?: true } | null;
  /** What a forward shows: the message as it was then, without its author. Absent: it is none. */
  snapshot?: Json;
  /** Absent: none. */
  stickers?: Json[];
  poll?: Json;
  applicationId: string | null;
  /** Set on answers to interactions, which are sent through the application's webhook. */
  webhookId: string | null;
  interactionMetadata: Json | null;
  interaction: Json | null;
  /** Whether a thread was started from this message (its id is the message's). */
  hasThread: boolean;
  position: number;
  /** The only user who sees an ephemeral message. */
  ephemeralFor: string | null;
  nonce: string | number | null;
}

export interface Command {
  id: string;
  applicationId: string;
  guildId: string | null;
  version: string;
  type: number;
  name: string;
  nameLocalizations: Record<string, string> | null;
  description: string;
  descriptionLocalizations: Record<string, string> | null;
  options: Json[];
  defaultMemberPermissions: string | null;
  nsfw: boolean;
  contexts: number[] | null;
  integrationTypes: number[];
}

export interface Application {
  id: string;
  name: string;
  botId: string;
  ownerId: string;
  /** Set when a team owns the application; `ownerId` is then the team's owner. */
  teamId: string | null;
  messageContentIntent: boolean;
  privilegedIntents: boolean;
}

export type BoostLevel = 0 | 1 | 2 | 3;

export interface World {
  version: 1;
  lastId: string;
  guildId: string;
  guildName: string;
  /** The guild's boost level; absent: none. */
  boostLevel?: BoostLevel;
  ownerId: string;
  applicationId: string;
  generalId: string;
  signingKey: string;
  createdAt: string;
  users: Record<string, User>;
  members: Record<string, Member>;
  roles: Record<string, Role>;
  channels: Record<string, Channel>;
  applications: Record<string, Application>;
  commands: Record<string, Command>;
  /** Oldest first; absent before the first. */
  auditLog?: AuditEntry[];
  /** By channel, oldest first. */
  messages: Record<string, Message[]>;
}

/** A fresh world: an owner, a bot in its guild, and `#general`. */
export function newWorld(ids: Snowflakes, now: string, names: { guild: string; bot: string }, owner?: string): World {
  const [guildId, anOwner, botId, generalId] = [ids.next(), ids.next(), ids.next(), ids.next()];
  const ownerId = owner ?? anOwner;
  const world: World = {
    version: 1,
    lastId: ids.last,
    guildId,
    guildName: names.guild,
    ownerId,
    applicationId: botId,
    generalId,
    signingKey: randomBytes(32).toString("hex"),
    createdAt: now,
    users: {},
    members: {},
    roles: {},
    channels: {},
    applications: {},
    commands: {},
    messages: {},
  };
  world.roles[guildId] = {
    id: guildId,
    name: "@everyone",
    permissions: String(everyonePermissions),
    position: 0,
    managed: false,
    botId: null,
  };
  world.users[ownerId] = person(ownerId, "owner", false);
  world.members[ownerId] = { userId: ownerId, roles: [], joinedAt: now, nick: null };
  world.channels[generalId] = textChannel(generalId, guildId, "general", 0);
  installBot(world, { id: botId, name: names.bot, roleId: ids.next() }, now);
  world.lastId = ids.last;
  return world;
}

/** Adds a user record with a token of its own. */
export function person(id: string, username: string, bot: boolean): User {
  return { id, username, globalName: bot ? null : username, bot, token: newToken(id) };
}

export interface NewBot {
  id: string;
  name: string;
  /** Of the role that it gets. */
  roleId: string;
}

/** Adds a bot with its application and its own role, as inviting it does. The application has the bot's id. */
export function installBot(world: World, { id, name, roleId }: NewBot, now: string): void {
  world.users[id] = person(id, name, true);
  world.roles[roleId] = {
    id: roleId,
    name,
    permissions: String(botRolePermissions),
    position: Object.keys(world.roles).length,
    managed: true,
    botId: id,
  };
  world.members[id] = { userId: id, roles: [roleId], joinedAt: now, nick: null };
  world.applications[id] = {
    id,
    name,
    botId: id,
    ownerId: world.ownerId,
    teamId: null,
    messageContentIntent: true,
    privilegedIntents: true,
  };
}

export function textChannel(id: string, guildId: string, name: string, position: number): Channel {
  return {
    id,
    type: 0,
    guildId,
    name,
    topic: null,
    position,
    parentId: null,
    overwrites: [],
    lastMessageId: null,
    lastPinAt: null,
    slowmodeSeconds: 0,
    recipients: [],
    thread: null,
  };
}

/** A token in the shape of Discord's: the id in base64, a stamp, a secret. */
export function newToken(userId: string): string {
  const stamp = randomBytes(5).toString("base64url").slice(0, 6);
  return `${Buffer.from(userId).toString("base64url")}.${stamp}.${randomBytes(28).toString("base64url")}`;
}
