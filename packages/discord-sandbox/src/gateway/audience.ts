/**
 * Who receives a gateway event: by membership, sight of the channel, intents, shard; and whether the reader may see
 * message content.
 */
import { GatewayIntentBits as Intent } from "discord-api-types/v10";
import { channelPermissions } from "../state/permissions.ts";
import type { Dispatch } from "../context.ts";
import type { Session } from "./session.ts";
import type { World } from "../state/world.ts";

const everyIntent = Object.values(Intent).reduce<number>((sum, bit) => (typeof bit === "number" ? sum | bit : sum), 0);
const privileged: readonly number[] = [Intent.GuildMembers, Intent.GuildPresences];

/** Event name prefix to the intents that let it through: in a guild, in a direct message. First match wins. */
const needs: readonly [prefix: string, guild: number, direct: number][] = [
  ["MESSAGE_REACTION_", Intent.GuildMessageReactions, Intent.DirectMessageReactions],
  ["MESSAGE_", Intent.GuildMessages, Intent.DirectMessages],
  ["TYPING_START", Intent.GuildMessageTyping, Intent.DirectMessageTyping],
  ["THREAD_MEMBERS_UPDATE", Intent.Guilds, 0],
  ["CHANNEL_PINS_UPDATE", Intent.Guilds, Intent.DirectMessages],
  ["THREAD_", Intent.Guilds, 0],
  ["CHANNEL_", Intent.Guilds, 0],
  ["GUILD_MEMBER_", Intent.GuildMembers, 0],
  ["GUILD_", Intent.Guilds, 0],
];

/** Whether the number is a sum of known intents. */
export function validIntents(intents: number): boolean {
  return Number.isInteger(intents) && intents >= 0 && (intents & ~everyIntent) === 0;
}

/** Privileged bits asked for that the application has not switched on. */
export function disallowedIntents(world: World, applicationId: string, intents: number): boolean {
  const application = world.applications[applicationId];
  if (application === undefined) return true;
  if ((intents & Intent.MessageContent) !== 0 && !application.messageContentIntent) return true;
  return !application.privilegedIntents && privileged.some((bit) => (intents & bit) !== 0);
}

/** Whether the session's reader is blind to the content of others' messages: not asked for, or switched off since. */
export function isBlank(world: World, session: Session): boolean {
  const asked = (session.intents & Intent.MessageContent) !== 0;
  return session.isBot && !(asked && world.applications[session.userId]?.messageContentIntent === true);
}

export function receives(world: World, session: Session, event: Dispatch): boolean {
  if (event.except?.includes(session.userId) === true) return false;
  if (event.only !== undefined && !event.only.includes(session.userId)) return false;
  const channel = event.channelId === undefined ? undefined : world.channels[event.channelId];
  if (event.channelId !== undefined && channel === undefined) return false;
  if (channel !== undefined && channelPermissions(world, channel, session.userId) === 0n) return false;
  if (event.only === undefined && channel === undefined && world.members[session.userId] === undefined) return false;
  const direct = channel !== undefined && channel.guildId === null;
  return !session.isBot || (onShard(world, session, direct) && intended(session, event, direct));
}

function intended(session: Session, event: Dispatch, direct: boolean): boolean {
  const rule = needs.find(([prefix]) => event.t.startsWith(prefix));
  if (rule === undefined) return true;
  if (
    event.t === "THREAD_MEMBERS_UPDATE" &&
    (session.intents & Intent.GuildMembers) === 0 &&
    !concerns(event, session.userId)
  )
    return false;
  return (session.intents & (direct ? rule[2] : rule[1])) !== 0;
}

/** Without the members intent a bot is told only of its own joining and leaving. */
function concerns(event: Dispatch, userId: string): boolean {
  const d = typeof event.d === "function" ? event.d(userId, false) : event.d;
  return JSON.stringify([d["added_members"] ?? [], d["removed_member_ids"] ?? []]).includes(`"${userId}"`);
}

function onShard(world: World, session: Session, direct: boolean): boolean {
  const [id, count] = session.shard;
  return direct ? id === 0 : Number((BigInt(world.guildId) >> 22n) % BigInt(count)) === id;
}
