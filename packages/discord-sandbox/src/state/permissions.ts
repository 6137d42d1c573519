/**
 * Who may do what where: guild owner, then roles, then a channel's overwrites, in Discord's order. A thread has
 * its parent's overwrites.
 */
import { PermissionFlagsBits as Bit } from "discord-api-types/v10";
import { Code, refuse } from "../rest/refusals.ts";
import type { Channel, World } from "./world.ts";

export { Bit };

const allPermissions = Object.values(Bit).reduce((sum, bit) => sum | bit, 0n);
const directMessagePermissions =
  Bit.ViewChannel |
  Bit.SendMessages |
  Bit.ReadMessageHistory |
  Bit.AttachFiles |
  Bit.EmbedLinks |
  Bit.AddReactions |
  Bit.UseApplicationCommands |
  Bit.PinMessages;

/** A user's permissions over the whole guild, overwrites left out. */
export function guildPermissions(world: World, userId: string): bigint {
  const member = world.members[userId];
  if (member === undefined) return 0n;
  if (userId === world.ownerId) return allPermissions;
  let sum = BigInt(world.roles[world.guildId]?.permissions ?? "0");
  for (const roleId of member.roles) sum |= BigInt(world.roles[roleId]?.permissions ?? "0");
  return (sum & Bit.Administrator) !== 0n ? allPermissions : sum;
}

/** A user's permissions in a channel, thread or direct message; 0 where it cannot be seen at all. */
export function channelPermissions(world: World, channel: Channel, userId: string): bigint {
  if (channel.guildId === null) return channel.recipients.includes(userId) ? directMessagePermissions : 0n;
  const base = guildPermissions(world, userId);
  if (base === 0n || base === allPermissions) return base;
  const home = channel.thread === null ? channel : (world.channels[channel.parentId ?? ""] ?? channel);
  const sum = withOverwrites(world, home, userId, base);
  if ((sum & Bit.ViewChannel) === 0n) return 0n;
  if (channel.type === 12 && channel.thread?.members[userId] === undefined && (sum & Bit.ManageThreads) === 0n)
    return 0n;
  return sum;
}

/** Throws 50001 where the channel cannot be seen, 50013 where any of the bits is missing. */
export function requirePermission(world: World, channel: Channel, userId: string, ...bits: bigint[]): void {
  const have = channelPermissions(world, channel, userId);
  if ((have & Bit.ViewChannel) === 0n) throw refuse(Code.MissingAccess);
  for (const bit of bits) if ((have & bit) === 0n) throw refuse(Code.MissingPermissions);
}

export function mayIn(world: World, channel: Channel, userId: string, bit: bigint): boolean {
  return (channelPermissions(world, channel, userId) & bit) !== 0n;
}

function withOverwrites(world: World, channel: Channel, userId: string, base: bigint): bigint {
  let sum = base;
  const apply = (allow: bigint, deny: bigint) => {
    sum = (sum & ~deny) | allow;
  };
  const everyone = channel.overwrites.find((one) => one.id === world.guildId);
  if (everyone !== undefined) apply(BigInt(everyone.allow), BigInt(everyone.deny));
  const roles = channel.overwrites.filter((one) => one.type === 0 && world.members[userId]?.roles.includes(one.id));
  apply(
    roles.reduce((all, one) => all | BigInt(one.allow), 0n),
    roles.reduce((all, one) => all | BigInt(one.deny), 0n),
  );
  const own = channel.overwrites.find((one) => one.type === 1 && one.id === userId);
  if (own !== undefined) apply(BigInt(own.allow), BigInt(own.deny));
  return sum;
}
