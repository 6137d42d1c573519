/**
 * What a test changes about the world itself, as a guild's owner or the developer portal would: people, channels,
 * roles and overwrites, privileged intents, who owns the application.
 */
import { randomBytes } from "node:crypto";
import { channelView, guildChannels } from "./channels.ts";
import { addMember, removeMember, setBoostLevel, setOverwrites, setRolePermissions } from "./guild-changes.ts";
import { discordTime, type Context } from "../context.ts";
import { installBot, newToken, person, textChannel, type BoostLevel, type Channel, type Overwrite } from "./world.ts";

export interface NewChannel {
  topic?: string;
  hidden?: boolean;
  category?: boolean;
  parentId?: string;
  forum?: { tags: readonly string[]; requireTag?: boolean };
}

export interface Settings {
  /** A new person, or (`bot`) another bot with its application; a member of the guild unless told otherwise. */
  addUser(
    name: string,
    options?: { admin?: boolean; guildMember?: boolean; bot?: boolean },
  ): { id: string; token: string };
  /**
   * A new text channel, category or forum; returns its id. `hidden`: nobody but the owner sees it. `forum`: the names of
   * its tags.
   */
  addChannel(name: string, options?: NewChannel): string;
  /** Replaces the bits of the bot's own role (`undefined` user: the first bot). */
  setBotPermissions(permissions: bigint, botId?: string): void;
  setEveryonePermissions(permissions: bigint): void;
  setOverwrites(channelId: string, overwrites: Overwrite[]): void;
  /** The boost level decides how large a file may be. */
  setBoostLevel(level: BoostLevel): void;
  /** Removes a person or bot from the guild. Returns a function that takes the member in again as before. */
  kick(userId: string): () => void;
  /**
   * AutoMod (200000) or the filter of harmful links (240000): bots' messages with these words are refused; null: none
   * are.
   */
  setBlocked(blocked: { words: RegExp; code: 200000 | 240000 } | null): void;
  /** Discord writes the audit log a little later: while `late`, new entries are not to be seen. */
  setAuditLogLate(late: boolean): void;
  /** Switches privileged intents in the developer portal. */
  setIntents(intents: { messageContent?: boolean; members?: boolean }, botId?: string): void;
  /** Gives the application to a team (whose owner is then its owner), or back to a person. */
  setApplicationOwner(owner: { userId: string; team?: boolean }, botId?: string): void;
  /** A fresh token; the old one is refused from now on. */
  resetToken(userId: string): string;
}

export function worldSettings(context: Context): Settings {
  const { world } = context;
  const bot = (id?: string) => {
    const application = world.applications[id ?? world.applicationId];
    if (application === undefined) throw new Error(`There is no bot ${id ?? ""}`);
    return application;
  };
  return {
    addUser: (name, options = {}) => addUser(context, name, options),
    addChannel: (name, options = {}) => addChannel(context, name, options),
    setBotPermissions(permissions, botId) {
      const role = Object.values(world.roles).find((one) => one.botId === bot(botId).botId);
      if (role !== undefined) setRolePermissions(context, role.id, permissions);
    },
    setEveryonePermissions: (permissions) => setRolePermissions(context, world.guildId, permissions),
    setOverwrites(channelId, overwrites) {
      const channel = world.channels[channelId];
      if (channel === undefined) throw new Error(`There is no channel ${channelId}`);
      setOverwrites(context, channel, overwrites);
    },
    setBoostLevel: (level) => setBoostLevel(context, level),
    kick: (userId) => removeMember(context, userId),
    setBlocked(blocked) {
      context.blocked = blocked;
    },
    setAuditLogLate(late) {
      context.auditHeldFrom = late ? context.ids.next() : null;
    },
    setIntents(intents, botId) {
      const application = bot(botId);
      application.messageContentIntent = intents.messageContent ?? application.messageContentIntent;
      application.privilegedIntents = intents.members ?? application.privilegedIntents;
      context.changed();
    },
    setApplicationOwner(owner, botId) {
      const application = bot(botId);
      application.ownerId = owner.userId;
      application.teamId = owner.team === true ? context.ids.next() : null;
      context.changed();
    },
    resetToken(userId) {
      const user = world.users[userId];
      if (user === undefined) throw new Error(`There is no user ${userId}`);
      user.token = newToken(userId);
      context.changed();
      return user.token;
    },
  };
}

function addUser(
  context: Context,
  name: string,
  options: { admin?: boolean; guildMember?: boolean; bot?: boolean },
): { id: string; token: string } {
  const { world } = context;
  const id = context.ids.next();
  const now = discordTime(context.clock.now());
  if (options.bot === true) installBot(world, { id, name, roleId: context.ids.next() }, now);
  const user = (world.users[id] ??= person(id, name, false));
  if (options.guildMember === false) delete world.members[id];
  else if (options.bot !== true) addMember(context, id, now);
  if (options.admin === true) makeAdmin(context, id);
  context.changed();
  return { id, token: user.token };
}

function makeAdmin(context: Context, userId: string): void {
  const { world } = context;
  const roleId = context.ids.next();
  world.roles[roleId] = {
    id: roleId,
    name: `admin-${randomBytes(2).toString("hex")}`,
    permissions: "8",
    position: Object.keys(world.roles).length,
    managed: false,
    botId: null,
  };
  world.members[userId]?.roles.push(roleId);
}

function addChannel(context: Context, name: string, options: NewChannel): string {
  const { world } = context;
  const { forum } = options;
  const channel: Channel = {
    ...textChannel(context.ids.next(), world.guildId, name, guildChannels(world).length),
    topic: options.topic ?? null,
    parentId: options.parentId ?? null,
    type: options.category === true ? 4 : 0,
    ...(forum && {
      type: 15,
      forum: {
        tags: forum.tags.map((tag) => ({
          id: context.ids.next(),
          name: tag,
          moderated: false,
          emojiId: null,
          emojiName: null,
        })),
        requireTag: forum.requireTag === true,
      },
    }),
  };
  const hide: Overwrite = { id: world.guildId, type: 0, allow: "0", deny: "1024" };
  if (options.hidden === true) channel.overwrites.push(hide);
  world.channels[channel.id] = channel;
  context.dispatch({ t: "CHANNEL_CREATE", d: channelView(world, channel), channelId: channel.id });
  context.changed();
  return channel.id;
}
