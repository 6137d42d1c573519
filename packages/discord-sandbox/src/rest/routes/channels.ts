/**
 * Channels over REST: get, change, delete, overwrites, direct messages.
 */
import { channelView, guildChannels, isThread, visibleChannel, type ThreadChannel } from "../../state/channels.ts";
import type { Form } from "../form.ts";
import { Bit, mayIn, requirePermission } from "../../state/permissions.ts";
import { Code, refuse } from "../refusals.ts";
import { created, noContent, ok, type Answer, type Call, type Route } from "../router.ts";
import { noteThreadChange, threadFacts } from "../../state/audit-log.ts";
import { readAppliedTags, readForum, requireTags } from "../../messages/posts.ts";
import { setOverwrites } from "../../state/guild-changes.ts";
import { changeThread, removeChannel, requireUnlocked, type ThreadChange } from "../../state/threads.ts";
import { requireUser } from "../../state/users.ts";
import { textChannel, type Channel } from "../../state/world.ts";

export const channelRoutes: Route[] = [
  { method: "GET", path: "/channels/{channel_id}", operationId: "get_channel", who: "any", run: get },
  { method: "PATCH", path: "/channels/{channel_id}", operationId: "update_channel", who: "any", run: change },
  { method: "DELETE", path: "/channels/{channel_id}", operationId: "delete_channel", who: "any", run: remove },
  {
    method: "PUT",
    path: "/channels/{channel_id}/permissions/{overwrite_id}",
    operationId: "set_channel_permission_overwrite",
    who: "any",
    run: setOverwrite,
  },
  {
    method: "DELETE",
    path: "/channels/{channel_id}/permissions/{overwrite_id}",
    operationId: "delete_channel_permission_overwrite",
    who: "any",
    run: dropOverwrite,
  },
  { method: "GET", path: "/guilds/{guild_id}/channels", operationId: "list_guild_channels", who: "any", run: list },
  { method: "POST", path: "/guilds/{guild_id}/channels", operationId: "create_guild_channel", who: "any", run: create },
  { method: "POST", path: "/users/@me/channels", operationId: "create_dm", who: "any", run: openDirect },
];

function get(call: Call): Answer {
  return ok(channelView(call.context.world, place(call), call.caller.id));
}

function list(call: Call): Answer {
  const { world } = call.context;
  if (call.params["guild_id"] !== world.guildId || world.members[call.caller.id] === undefined)
    throw refuse(Code.UnknownGuild);
  return ok(guildChannels(world).map((one) => channelView(world, one, call.caller.id)));
}

function change(call: Call): Answer {
  const channel = place(call);
  if (channel.type === 1) throw refuse(Code.CannotExecuteActionOnDMChannel);
  const form = call.form();
  if (isThread(channel)) updateThread(call, channel, form);
  else updateChannel(call, channel, form);
  return ok(channelView(call.context.world, channel, call.caller.id));
}

function updateThread(call: Call, thread: ThreadChannel, form: Form): void {
  const { context, caller } = call;
  const asked = {
    name: form.text("name", { min: 1, max: 100 })?.trim(),
    tags: thread.thread.tags && readAppliedTags(form),
    archived: form.boolean("archived"),
    locked: form.boolean("locked"),
    invitable: form.boolean("invitable"),
    autoArchiveMinutes: form.choice("auto_archive_duration", [60, 1440, 4320, 10_080]),
    slowmodeSeconds: form.integer("rate_limit_per_user", { min: 0, max: 21_600 }),
  };
  form.done();
  const wanted = Object.fromEntries(
    Object.entries(asked).filter(([, value]) => value !== undefined && value !== null),
  ) as ThreadChange;
  const manages = mayIn(context.world, thread, caller.id, Bit.ManageThreads);
  const owns = thread.thread.ownerId === caller.id;
  if ((wanted.locked !== undefined || wanted.slowmodeSeconds !== undefined) && !manages)
    throw refuse(Code.MissingPermissions);
  const { archived, ...others } = wanted;
  if (!manages && !owns && (Object.keys(others).length > 0 || archived === true)) throw refuse(Code.MissingPermissions);
  requireUnlocked(context, thread, caller.id);
  if (archived === false && !manages) requirePermission(context.world, thread, caller.id, Bit.SendMessagesInThreads);
  // An archived thread takes no change but being opened (and locked or unlocked) in the same request.
  if (thread.thread.archived && archived !== false && Object.keys(others).some((key) => key !== "locked"))
    throw refuse(Code.InvalidActionOnArchivedThread);
  if (wanted.tags !== undefined)
    requireTags(context, context.world.channels[thread.parentId ?? ""] ?? thread, caller.id, {
      before: thread.thread.tags ?? [],
      after: wanted.tags,
    });
  const before = threadFacts(thread);
  changeThread(context, thread, wanted);
  noteThreadChange(context, thread, caller.id, before);
}

function updateChannel(call: Call, channel: Channel, form: Form): void {
  const { context, caller } = call;
  requirePermission(context.world, channel, caller.id, Bit.ManageChannels);
  const name = form.text("name", { min: 1, max: 100 });
  const topic = form.text("topic", { max: channel.forum === undefined ? 1024 : 4096 });
  const forum = channel.forum && readForum(context, form, channel.forum);
  const slowmode = form.integer("rate_limit_per_user", { min: 0, max: 21_600 });
  const position = form.integer("position", { min: 0 });
  form.done();
  if (typeof name === "string") channel.name = channelName(name);
  if (topic !== undefined) channel.topic = topic;
  if (forum !== undefined) channel.forum = forum;
  if (typeof slowmode === "number") channel.slowmodeSeconds = slowmode;
  if (typeof position === "number") channel.position = position;
  context.dispatch({ t: "CHANNEL_UPDATE", d: channelView(context.world, channel), channelId: channel.id });
  context.changed();
}

function remove(call: Call): Answer {
  const { context, caller } = call;
  const channel = place(call);
  if (channel.type === 1) return ok(channelView(context.world, channel, caller.id));
  requirePermission(context.world, channel, caller.id, isThread(channel) ? Bit.ManageThreads : Bit.ManageChannels);
  const view = channelView(context.world, channel, caller.id);
  removeChannel(context, channel);
  return ok(view);
}

function create(call: Call): Answer {
  const { context, caller } = call;
  const { world } = context;
  if (call.params["guild_id"] !== world.guildId) throw refuse(Code.UnknownGuild);
  const anywhere = world.channels[world.generalId] ?? textChannel("0", world.guildId, "", 0);
  requirePermission(world, { ...anywhere, overwrites: [] }, caller.id, Bit.ManageChannels);
  const form = call.form();
  const name = form.text("name", { min: 1, max: 100, required: true });
  const type = form.choice("type", [0, 4, 15]) ?? 0;
  const topic = form.text("topic", { max: type === 15 ? 4096 : 1024 });
  const forum = type === 15 ? readForum(context, form, { tags: [], requireTag: false }) : undefined;
  const parentId = form.snowflake("parent_id");
  form.done();
  const channel: Channel = {
    ...textChannel(context.ids.next(), world.guildId, channelName(name ?? ""), guildChannels(world).length),
    type,
    topic: topic ?? null,
    parentId: parentId ?? null,
    ...(forum && { forum }),
  };
  world.channels[channel.id] = channel;
  context.dispatch({ t: "CHANNEL_CREATE", d: channelView(world, channel), channelId: channel.id });
  context.changed();
  return created(channelView(world, channel, caller.id));
}

function setOverwrite(call: Call): Answer {
  const { context, caller } = call;
  const channel = place(call);
  requirePermission(context.world, channel, caller.id, Bit.ManageRoles);
  const form = call.form();
  const type = form.choice("type", [0, 1], true) ?? 0;
  const [allow, deny] = [
    form.text("allow", { pattern: /^\d+$/ }) ?? "0",
    form.text("deny", { pattern: /^\d+$/ }) ?? "0",
  ];
  form.done();
  const id = call.params["overwrite_id"] ?? "";
  setOverwrites(context, channel, [...channel.overwrites.filter((one) => one.id !== id), { id, type, allow, deny }]);
  return noContent;
}

function dropOverwrite(call: Call): Answer {
  const { context, caller } = call;
  const channel = place(call);
  requirePermission(context.world, channel, caller.id, Bit.ManageRoles);
  const id = call.params["overwrite_id"] ?? "";
  if (!channel.overwrites.some((one) => one.id === id)) throw refuse(Code.UnknownPermissionOverwrite);
  setOverwrites(
    context,
    channel,
    channel.overwrites.filter((one) => one.id !== id),
  );
  return noContent;
}

function openDirect(call: Call): Answer {
  const { context, caller } = call;
  const { world } = context;
  const form = call.form();
  const other = form.snowflake("recipient_id", true) ?? "";
  form.done();
  if (other === caller.id) throw refuse(Code.InvalidRecipients);
  const recipient = requireUser(world, other);
  if (recipient.bot && caller.bot) throw refuse(Code.CannotSendMessagesToThisUser);
  const standing = Object.values(world.channels).find(
    (one) => one.type === 1 && one.recipients.includes(caller.id) && one.recipients.includes(other),
  );
  const channel = standing ?? {
    ...textChannel(context.ids.next(), "", "", 0),
    type: 1,
    guildId: null,
    recipients: [caller.id, other],
  };
  if (standing === undefined) {
    world.channels[channel.id] = channel;
    const people = channel.recipients.filter((id) => world.users[id]?.bot !== true);
    context.dispatch({ t: "CHANNEL_CREATE", d: (viewerId) => channelView(world, channel, viewerId), only: people });
    context.changed();
  }
  return ok(channelView(world, channel, caller.id));
}

function place(call: Call): Channel {
  return visibleChannel(call.context.world, call.params["channel_id"] ?? "", call.caller.id);
}

/** Text channels have lower-case names without spaces. */
export function channelName(name: string): string {
  return name.trim().toLowerCase().replace(/\s+/g, "-");
}
