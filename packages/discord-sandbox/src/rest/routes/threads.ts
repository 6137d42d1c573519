/**
 * Threads over REST: start, list, join, leave.
 */
import { compareSnowflakes } from "../../state/snowflake-order.ts";
import {
  threadMemberView,
  threadsOf,
  threadView,
  visibleChannel,
  visibleThread,
  type ThreadChannel,
} from "../../state/channels.ts";
import type { Form, Json } from "../form.ts";
import { limits } from "../../limits.ts";
import { readDraft, type Draft } from "../../messages/message-form.ts";
import { requireMessage } from "../../messages/message-store.ts";
import { messageView } from "../../messages/message-view.ts";
import { postFlags, readAppliedTags, requireTags, startPost } from "../../messages/posts.ts";
import { Bit, channelPermissions, mayIn, requirePermission } from "../../state/permissions.ts";
import { readFlag, readLimit, readSnowflake } from "../query.ts";
import { Code, refuse } from "../refusals.ts";
import { created, noContent, ok, type Answer, type Call, type Route } from "../router.ts";
import { joinThread, leaveThread, requireUnarchived, startThread, type ThreadStart } from "../../state/threads.ts";
import { memberView } from "../../state/users.ts";
import type { Channel } from "../../state/world.ts";

const channel = "/channels/{channel_id}";
const member = `${channel}/thread-members`;

export const threadRoutes: Route[] = [
  {
    method: "POST",
    path: `${channel}/messages/{message_id}/threads`,
    operationId: "create_thread_from_message",
    who: "any",
    run: startFromMessage,
  },
  { method: "POST", path: `${channel}/threads`, operationId: "create_thread", who: "any", run: start },
  {
    method: "GET",
    path: `${channel}/threads/archived/public`,
    operationId: "list_public_archived_threads",
    who: "any",
    run: (call) => listArchived(call, 11),
  },
  {
    method: "GET",
    path: `${channel}/threads/archived/private`,
    operationId: "list_private_archived_threads",
    who: "any",
    run: (call) => listArchived(call, 12),
  },
  {
    method: "GET",
    path: "/guilds/{guild_id}/threads/active",
    operationId: "get_active_guild_threads",
    who: "any",
    run: listActive,
  },
  { method: "GET", path: member, operationId: "list_thread_members", who: "any", run: listMembers },
  {
    method: "PUT",
    path: `${member}/@me`,
    operationId: "join_thread",
    who: "any",
    run: (call) => join(call, call.caller.id),
  },
  {
    method: "DELETE",
    path: `${member}/@me`,
    operationId: "leave_thread",
    who: "any",
    run: (call) => leave(call, call.caller.id),
  },
  { method: "GET", path: `${member}/{user_id}`, operationId: "get_thread_member", who: "any", run: getMember },
  {
    method: "PUT",
    path: `${member}/{user_id}`,
    operationId: "add_thread_member",
    who: "any",
    run: (call) => join(call, call.params["user_id"] ?? ""),
  },
  {
    method: "DELETE",
    path: `${member}/{user_id}`,
    operationId: "delete_thread_member",
    who: "any",
    run: (call) => leave(call, call.params["user_id"] ?? ""),
  },
];

function startFromMessage(call: Call): Answer {
  const { context, caller } = call;
  const parent = visibleChannel(context.world, call.params["channel_id"] ?? "", caller.id);
  if (parent.type !== 0) throw refuse(Code.CannotExecuteActionOnThisChannelType);
  requirePermission(context.world, parent, caller.id, Bit.CreatePublicThreads);
  const from = requireMessage(context.world, parent.id, call.params["message_id"] ?? "");
  if (![0, 19, 20, 23].includes(from.type)) throw refuse(Code.CannotExecuteActionOnSystemMessage);
  return made(call, parent, { ...readStart(call.form()), type: 11, from });
}

function start(call: Call): Answer {
  const { context, caller } = call;
  const parent = visibleChannel(context.world, call.params["channel_id"] ?? "", caller.id);
  if (parent.forum !== undefined) return post(call, parent);
  if (parent.type !== 0) throw refuse(Code.CannotExecuteActionOnThisChannelType);
  const form = call.form();
  // Without a type Discord makes a private thread, which is rarely what an app wants and often what it may not do.
  const type = form.choice("type", [10, 11, 12]) ?? 12;
  const read = readStart(form);
  requirePermission(context.world, parent, caller.id, type === 12 ? Bit.CreatePrivateThreads : Bit.CreatePublicThreads);
  return made(call, parent, { ...read, type, from: null });
}

function post(call: Call, forum: Channel): Answer {
  const { context, caller } = call;
  requirePermission(context.world, forum, caller.id, Bit.SendMessages);
  const form = call.form();
  const tags = readAppliedTags(form) ?? [];
  const draft = form.object("message", (part) => readDraft(part, call.files, postFlags), true);
  const start = { ...readStart(form), ownerId: caller.id, tags };
  requireTags(context, forum, caller.id, { before: [], after: tags });
  // Without a message the form is refused.
  const { thread, message } = startPost(context, forum, start, draft as Draft);
  return created({ ...threadView(thread, caller.id), message: messageView(context, message, { viewerId: caller.id }) });
}

function readStart(form: Form): Pick<ThreadStart, "name" | "autoArchiveMinutes" | "slowmodeSeconds" | "invitable"> {
  const start = {
    name: form.text("name", { min: 1, max: limits.threadName, required: true })?.trim() ?? "",
    autoArchiveMinutes: form.choice("auto_archive_duration", [60, 1440, 4320, 10_080]) ?? 4320,
    slowmodeSeconds: form.integer("rate_limit_per_user", { min: 0, max: 21_600 }) ?? 0,
    invitable: form.boolean("invitable") ?? true,
  };
  form.done();
  return start;
}

function made(call: Call, parent: Channel, start: Omit<ThreadStart, "ownerId">): Answer {
  const { context, caller } = call;
  const thread = startThread(context, parent, { ...start, ownerId: caller.id });
  return created(threadView(thread, caller.id));
}

function listActive(call: Call): Answer {
  const { world } = call.context;
  if (call.params["guild_id"] !== world.guildId || world.members[call.caller.id] === undefined)
    throw refuse(Code.UnknownGuild);
  const active = threadsOf(world).filter(
    (one) => !one.thread.archived && mayIn(world, one, call.caller.id, Bit.ViewChannel),
  );
  return ok(
    threadsAnswer(
      call,
      active.toSorted((a, b) => compareSnowflakes(b.id, a.id)),
      false,
    ),
  );
}

function listArchived(call: Call, type: number): Answer {
  const { world } = call.context;
  const parent = visibleChannel(world, call.params["channel_id"] ?? "", call.caller.id);
  requirePermission(world, parent, call.caller.id, Bit.ReadMessageHistory, ...(type === 12 ? [Bit.ManageThreads] : []));
  const limit = readLimit(call.query, 50, 100);
  const before = call.query.get("before");
  const archived = threadsOf(world, parent.id)
    .filter((one) => one.thread.archived && one.type === type)
    .filter((one) => before === null || Date.parse(one.thread.archivedAt) < Date.parse(before))
    .toSorted((a, b) => Date.parse(b.thread.archivedAt) - Date.parse(a.thread.archivedAt));
  return ok(threadsAnswer(call, archived.slice(0, limit), archived.length > limit));
}

function listMembers(call: Call): Answer {
  const thread = visibleThread(call.context.world, call.params["channel_id"] ?? "", call.caller.id);
  const after = readSnowflake(call.query, "after");
  const limit = readLimit(call.query, 100, 100);
  const ids = Object.keys(thread.thread.members).toSorted(compareSnowflakes);
  const chosen = ids.filter((id) => after === null || compareSnowflakes(id, after) > 0);
  return ok(chosen.slice(0, limit).map((id) => memberOf(call, thread, id)));
}

function getMember(call: Call): Answer {
  const thread = visibleThread(call.context.world, call.params["channel_id"] ?? "", call.caller.id);
  return ok(memberOf(call, thread, call.params["user_id"] ?? ""));
}

function memberOf(call: Call, thread: ThreadChannel, userId: string): Json {
  const joined = thread.thread.members[userId];
  if (joined === undefined) throw refuse(Code.UnknownMember);
  const inGuild = call.context.world.members[userId];
  const view = threadMemberView(thread.id, userId, joined.joinedAt);
  return readFlag(call.query, "with_member") && inGuild !== undefined
    ? { ...view, member: memberView(call.context.world, inGuild) }
    : view;
}

function join(call: Call, userId: string): Answer {
  const { context, caller } = call;
  const thread = visibleThread(context.world, call.params["channel_id"] ?? "", caller.id);
  requireUnarchived(thread);
  if (userId !== caller.id) requirePermission(context.world, thread, caller.id, Bit.SendMessagesInThreads);
  if ((channelPermissions(context.world, thread, userId) & Bit.ViewChannel) === 0n && thread.type !== 12)
    throw refuse(Code.UnknownUser);
  joinThread(context, thread, userId);
  return noContent;
}

function leave(call: Call, userId: string): Answer {
  const { context, caller } = call;
  const thread = visibleThread(context.world, call.params["channel_id"] ?? "", caller.id);
  requireUnarchived(thread);
  if (userId !== caller.id) requirePermission(context.world, thread, caller.id, Bit.ManageThreads);
  leaveThread(context, thread, userId);
  return noContent;
}

function threadsAnswer(call: Call, threads: readonly ThreadChannel[], more: boolean): Json {
  const userId = call.caller.id;
  const members = threads.flatMap((one) => {
    const joined = one.thread.members[userId];
    return joined === undefined ? [] : [threadMemberView(one.id, userId, joined.joinedAt)];
  });
  return { threads: threads.map((one) => threadView(one, userId)), members, has_more: more };
}
