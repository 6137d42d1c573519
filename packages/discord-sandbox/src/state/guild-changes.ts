/**
 * Changes of the guild itself: people, roles, channels and overwrites. Who gains sight of a channel is told of its
 * threads (`THREAD_LIST_SYNC`), who loses it is told that it is gone.
 */
import { channelView, guildChannels, threadMemberView, threadsOf } from "./channels.ts";
import type { Json } from "../rest/form.ts";
import { guildCreate, guildUpdate, roleView } from "./guild.ts";
import { Bit, mayIn } from "./permissions.ts";
import type { Context } from "../context.ts";
import { Code, refuse } from "../rest/refusals.ts";
import { memberView, requireUser, userView } from "./users.ts";
import type { BoostLevel, Channel, Overwrite } from "./world.ts";

export function setOverwrites(context: Context, channel: Channel, overwrites: Overwrite[]): void {
  withSight(context, () => {
    channel.overwrites = overwrites;
    return [{ t: "CHANNEL_UPDATE", d: channelView(context.world, channel), channelId: channel.id }];
  });
}

export function setBoostLevel(context: Context, level: BoostLevel): void {
  context.world.boostLevel = level;
  context.dispatch({ t: "GUILD_UPDATE", d: guildUpdate(context.world) });
  context.changed();
}

/** Sets a role's permission bits. 10011 where there is no such role. */
export function setRolePermissions(context: Context, roleId: string, permissions: bigint): void {
  const role = context.world.roles[roleId];
  if (role === undefined) throw refuse(Code.UnknownRole);
  withSight(context, () => {
    role.permissions = String(permissions);
    return [{ t: "GUILD_ROLE_UPDATE", d: { guild_id: context.world.guildId, role: roleView(role) } }];
  });
}

export function addMember(context: Context, userId: string, joinedAt: string): void {
  const { world } = context;
  const member = { userId, roles: [], joinedAt, nick: null };
  world.members[userId] = member;
  context.dispatch({
    t: "GUILD_MEMBER_ADD",
    d: { ...memberView(world, member), guild_id: world.guildId },
    except: [userId],
  });
  context.changed();
}

/**
 * Removes a member, who is told only that the guild is gone. Returns a function that takes the member in again as
 * before.
 */
export function removeMember(context: Context, userId: string): () => void {
  const { world } = context;
  const member = world.members[userId];
  if (member === undefined) return () => undefined;
  const user = userView(requireUser(world, userId));
  delete world.members[userId];
  context.dispatch({ t: "GUILD_DELETE", d: { id: world.guildId }, only: [userId] });
  context.dispatch({ t: "GUILD_MEMBER_REMOVE", d: { guild_id: world.guildId, user }, except: [userId] });
  context.changed();
  return () => {
    world.members[userId] = member;
    context.dispatch({ t: "GUILD_CREATE", d: guildCreate(world, userId), only: [userId] });
    context.dispatch({
      t: "GUILD_MEMBER_ADD",
      d: { ...memberView(world, member), guild_id: world.guildId },
      except: [userId],
    });
    context.changed();
  };
}

/** Runs a change and tells, beside its own events, what it let every member see or no longer see. */
function withSight(context: Context, change: () => { t: string; d: Json; channelId?: string }[]): void {
  const { world } = context;
  const members = Object.keys(world.members);
  const before = new Map(members.map((id) => [id, seen(context, id)]));
  const events = change();
  for (const id of members) {
    const [was, is] = [before.get(id) ?? new Set(), seen(context, id)];
    for (const channel of guildChannels(world)) {
      if (is.has(channel.id) && !was.has(channel.id)) gained(context, id, channel);
      if (!is.has(channel.id) && was.has(channel.id))
        context.dispatch({ t: "CHANNEL_DELETE", d: channelView(world, channel, id), only: [id] });
    }
  }
  for (const event of events) context.dispatch(event);
  context.changed();
}

function gained(context: Context, userId: string, channel: Channel): void {
  const { world } = context;
  context.dispatch({ t: "CHANNEL_CREATE", d: channelView(world, channel, userId), only: [userId] });
  const threads = threadsOf(world, channel.id).filter(
    (one) => !one.thread.archived && mayIn(world, one, userId, Bit.ViewChannel),
  );
  const members = threads.flatMap((one) => {
    const joined = one.thread.members[userId];
    return joined === undefined ? [] : [threadMemberView(one.id, userId, joined.joinedAt)];
  });
  const d = {
    guild_id: world.guildId,
    channel_ids: [channel.id],
    threads: threads.map((one) => channelView(world, one, userId)),
    members,
  };
  context.dispatch({ t: "THREAD_LIST_SYNC", d, only: [userId] });
}

function seen(context: Context, userId: string): Set<string> {
  return new Set(
    guildChannels(context.world)
      .filter((one) => mayIn(context.world, one, userId, Bit.ViewChannel))
      .map((one) => one.id),
  );
}
