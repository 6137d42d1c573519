/**
 * Changes of the guild itself: people, roles, channels and overwrites. Who gains sight of a channel hears of its
 * threads (`THREAD_LIST_SYNC`), who loses it hears that it is gone.
 */
import { channelView, guildChannels, threadMemberView, threadsOf } from "./channels.ts";
import type { Json } from "./form.ts";
import { guildCreate, roleView } from "./guild.ts";
import { Bit, mayIn } from "./permissions.ts";
import type { Realm } from "./realm.ts";
import { Code, refuse } from "./refusals.ts";
import { memberView, requireUser, userView } from "./users.ts";
import type { Channel, Overwrite } from "./world.ts";

export function setOverwrites(realm: Realm, channel: Channel, overwrites: Overwrite[]): void {
  withSight(realm, () => {
    channel.overwrites = overwrites;
    return [{ t: "CHANNEL_UPDATE", d: channelView(realm.world, channel), channelId: channel.id }];
  });
}

/** Sets a role's permission bits. 10011 where there is no such role. */
export function setRolePermissions(realm: Realm, roleId: string, permissions: bigint): void {
  const role = realm.world.roles[roleId];
  if (role === undefined) throw refuse(Code.UnknownRole);
  withSight(realm, () => {
    role.permissions = String(permissions);
    return [{ t: "GUILD_ROLE_UPDATE", d: { guild_id: realm.world.guildId, role: roleView(role) } }];
  });
}

export function addMember(realm: Realm, userId: string, joinedAt: string): void {
  const { world } = realm;
  const member = { userId, roles: [], joinedAt, nick: null };
  world.members[userId] = member;
  realm.dispatch({ t: "GUILD_MEMBER_ADD", d: { ...memberView(world, member), guild_id: world.guildId }, except: [userId] });
  realm.changed();
}

/** Puts somebody out, who is told that the guild is gone and no more; what it returns takes them in again as they were. */
export function removeMember(realm: Realm, userId: string): () => void {
  const { world } = realm;
  const member = world.members[userId];
  if (member === undefined) return () => undefined;
  const user = userView(requireUser(world, userId));
  delete world.members[userId];
  realm.dispatch({ t: "GUILD_DELETE", d: { id: world.guildId }, only: [userId] });
  realm.dispatch({ t: "GUILD_MEMBER_REMOVE", d: { guild_id: world.guildId, user }, except: [userId] });
  realm.changed();
  return () => {
    world.members[userId] = member;
    realm.dispatch({ t: "GUILD_CREATE", d: guildCreate(world, userId), only: [userId] });
    realm.dispatch({ t: "GUILD_MEMBER_ADD", d: { ...memberView(world, member), guild_id: world.guildId }, except: [userId] });
    realm.changed();
  };
}

/** Runs a change and tells, beside its own events, what it let every member see or no longer see. */
function withSight(realm: Realm, change: () => { t: string; d: Json; channelId?: string }[]): void {
  const { world } = realm;
  const members = Object.keys(world.members);
  const before = new Map(members.map((id) => [id, seen(realm, id)]));
  const events = change();
  for (const id of members) {
    const [was, is] = [before.get(id) ?? new Set(), seen(realm, id)];
    for (const channel of guildChannels(world)) {
      if (is.has(channel.id) && !was.has(channel.id)) gained(realm, id, channel);
      if (!is.has(channel.id) && was.has(channel.id)) realm.dispatch({ t: "CHANNEL_DELETE", d: channelView(world, channel, id), only: [id] });
    }
  }
  for (const event of events) realm.dispatch(event);
  realm.changed();
}

function gained(realm: Realm, userId: string, channel: Channel): void {
  const { world } = realm;
  realm.dispatch({ t: "CHANNEL_CREATE", d: channelView(world, channel, userId), only: [userId] });
  const threads = threadsOf(world, channel.id).filter((one) => !one.thread.archived && mayIn(world, one, userId, Bit.ViewChannel));
  const members = threads.flatMap((one) => {
    const joined = one.thread.members[userId];
    return joined === undefined ? [] : [threadMemberView(one.id, userId, joined.joinedAt)];
  });
  const d = { guild_id: world.guildId, channel_ids: [channel.id], threads: threads.map((one) => channelView(world, one, userId)), members };
  realm.dispatch({ t: "THREAD_LIST_SYNC", d, only: [userId] });
}

function seen(realm: Realm, userId: string): Set<string> {
  return new Set(guildChannels(realm.world).filter((one) => mayIn(realm.world, one, userId, Bit.ViewChannel)).map((one) => one.id));
}
