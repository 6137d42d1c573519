/**
 * What the bot may do in a channel, and which of the permissions it needs are missing there, by the names that
 * Discord's settings use. Computed as Discord documents it: roles first, then the channel's overwrites.
 */
import {
  ChannelType,
  PermissionFlagsBits as Bit,
  type APIGuildMember,
  type APIOverwrite,
  type APIRole,
} from "discord-api-types/v10";
import type { WordKey } from "../../base/words/say.ts";

/** Channel types in which a thread can be opened. */
export const TEXT_CHANNELS: ReadonlySet<number> = new Set<number>([
  ChannelType.GuildText,
  ChannelType.GuildAnnouncement,
]);

/** Channel types in which each thread begins with a post, and nothing is written outside of one. */
export const FORUM_CHANNELS: ReadonlySet<number> = new Set<number>([ChannelType.GuildForum, ChannelType.GuildMedia]);

type Rights = readonly (readonly [bigint, WordKey])[];

/** No session works without these; in the order of Discord's own list. */
export const sessionRights: Rights = [
  [Bit.ViewChannel, "right_view"],
  [Bit.SendMessages, "right_send"],
  [Bit.CreatePublicThreads, "right_threads"],
  [Bit.SendMessagesInThreads, "right_in_threads"],
  [Bit.EmbedLinks, "right_embed"],
  [Bit.ReadMessageHistory, "right_history"],
];

/** Everything it uses. */
export const allRights: Rights = [
  ...sessionRights,
  [Bit.ManageThreads, "right_manage"],
  [Bit.AttachFiles, "right_files"],
  [Bit.AddReactions, "right_reactions"],
];

/** The names of those that are not among the permissions. */
export function missingOf(permissions: bigint, needed: Rights): WordKey[] {
  if ((permissions & Bit.Administrator) !== 0n) return [];
  return needed.filter(([bit]) => (permissions & bit) === 0n).map(([, key]) => key);
}

export interface RightsContext {
  guild: { id: string; owner_id: string; roles: readonly APIRole[] };
  member: APIGuildMember;
  userId: string;
  overwrites: readonly APIOverwrite[];
}

/** @param now milliseconds since the epoch: a member in time-out may only read */
export function permissionsIn({ guild, member, userId, overwrites }: RightsContext, now: number): bigint {
  if (guild.owner_id === userId) return Bit.Administrator;
  const roles = guild.roles.filter(({ id }) => id === guild.id || member.roles.includes(id));
  const base = roles.reduce((all, { permissions }) => all | BigInt(permissions), 0n);
  if ((base & Bit.Administrator) !== 0n) return base;
  const sets = [
    overwrites.filter(({ id }) => id === guild.id),
    overwrites.filter(({ id, type }) => type === 0 && id !== guild.id && member.roles.includes(id)),
    overwrites.filter(({ id, type }) => type === 1 && id === userId),
  ];
  const sum = sets.reduce((before, set) => (before & ~union(set, "deny")) | union(set, "allow"), base);
  if ((sum & Bit.ViewChannel) === 0n) return 0n;
  const silenced = Date.parse(member.communication_disabled_until ?? "") > now;
  return silenced ? sum & (Bit.ViewChannel | Bit.ReadMessageHistory) : sum;
}

function union(set: RightsContext["overwrites"], side: "allow" | "deny"): bigint {
  return set.reduce((all, overwrite) => all | BigInt(overwrite[side]), 0n);
}
