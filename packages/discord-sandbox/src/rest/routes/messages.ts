/**
 * Messages over REST: create, list, get, edit, delete one or many, pins.
 */
import { compareSnowflakes } from "../../state/snowflake-order.ts";
import { visibleChannel } from "../../state/channels.ts";
import { limits } from "../../limits.ts";
import { createFlags, editFlags, readDraft } from "../../messages/message-form.ts";
import { append, newMessage, removeAll, requireMessage, updated } from "../../messages/message-store.ts";
import { messageView } from "../../messages/message-view.ts";
import { editOwn, sendMessage } from "../../messages/messages.ts";
import { Bit, mayIn, requirePermission } from "../../state/permissions.ts";
import { readLimit, readSnowflake } from "../query.ts";
import { discordTime } from "../../context.ts";
import { badField, Code, refuse } from "../refusals.ts";
import { noContent, ok, type Answer, type Call, type Route } from "../router.ts";
import { snowflakeTime } from "../../state/snowflakes.ts";
import { requireUnarchived } from "../../state/threads.ts";
import type { Channel, Message } from "../../state/world.ts";

const base = "/channels/{channel_id}/messages";

export const messageRoutes: Route[] = [
  { method: "GET", path: base, operationId: "list_messages", who: "any", run: list },
  { method: "POST", path: base, operationId: "create_message", who: "any", run: create },
  { method: "POST", path: `${base}/bulk-delete`, operationId: "bulk_delete_messages", who: "bot", run: bulkDelete },
  { method: "GET", path: `${base}/pins`, operationId: "list_pins", who: "any", run: listPins },
  {
    method: "PUT",
    path: `${base}/pins/{message_id}`,
    operationId: "create_pin",
    who: "any",
    run: (call) => setPinned(call, true),
  },
  {
    method: "DELETE",
    path: `${base}/pins/{message_id}`,
    operationId: "delete_pin",
    who: "any",
    run: (call) => setPinned(call, false),
  },
  { method: "GET", path: `${base}/{message_id}`, operationId: "get_message", who: "any", run: get },
  { method: "PATCH", path: `${base}/{message_id}`, operationId: "update_message", who: "any", run: edit },
  { method: "DELETE", path: `${base}/{message_id}`, operationId: "delete_message", who: "any", run: remove },
];

function create(call: Call): Answer {
  const channel = place(call);
  const draft = readDraft(call.form(), call.files, createFlags);
  return ok(view(call, sendMessage(call.context, channel, call.caller.id, draft), true));
}

function list(call: Call): Answer {
  const channel = place(call);
  const limit = readLimit(call.query, 50, 100);
  const [before, after, around] = [
    readSnowflake(call.query, "before"),
    readSnowflake(call.query, "after"),
    readSnowflake(call.query, "around"),
  ];
  if ([before, after, around].filter((one) => one !== null).length > 1) {
    throw badField("before", "MESSAGES_QUERY_EXCLUSIVE", "Only one of before, after and around may be given");
  }
  if (!mayIn(call.context.world, channel, call.caller.id, Bit.ReadMessageHistory)) return ok([]);
  const all = call.context.world.messages[channel.id] ?? [];
  return ok(page(all, limit, { before, after, around }).map((one) => view(call, one)));
}

function get(call: Call): Answer {
  const channel = place(call);
  requirePermission(call.context.world, channel, call.caller.id, Bit.ReadMessageHistory);
  return ok(view(call, requireMessage(call.context.world, channel.id, call.params["message_id"] ?? "")));
}

function edit(call: Call): Answer {
  const channel = place(call);
  const message = requireMessage(call.context.world, channel.id, call.params["message_id"] ?? "");
  const draft = readDraft(call.form(), call.files, editFlags, message.flags);
  return ok(view(call, editOwn(call.context, { channel, userId: call.caller.id }, message, draft)));
}

function remove(call: Call): Answer {
  const { context, caller } = call;
  const channel = place(call);
  const message = requireMessage(context.world, channel.id, call.params["message_id"] ?? "");
  requireUnarchived(channel);
  if (message.authorId !== caller.id) requirePermission(context.world, channel, caller.id, Bit.ManageMessages);
  if (message.type === 21) throw refuse(Code.CannotExecuteActionOnSystemMessage);
  removeAll(context, channel.id, [message], false);
  return noContent;
}

function bulkDelete(call: Call): Answer {
  const { context, caller } = call;
  const channel = place(call);
  requirePermission(context.world, channel, caller.id, Bit.ManageMessages);
  const form = call.form();
  const ids = (form.values("messages", { required: true }) ?? []).map(String);
  form.done();
  if (ids.length < limits.bulkDeleteMin || ids.length > limits.bulkDeleteMax)
    throw refuse(Code.ProvidedTooFewOrTooManyMessagesToDelete);
  if (new Set(ids).size !== ids.length)
    throw badField("messages", "SET_TYPE_ALREADY_CONTAINS_VALUE", "The set already contains the value.");
  const oldest = context.clock.now() - limits.bulkDeleteAgeMs;
  if (ids.some((id) => snowflakeTime(id) < oldest)) throw refuse(Code.OneOfTheMessagesProvidedWasTooOldForBulkDelete);
  const found = (context.world.messages[channel.id] ?? []).filter((one) => ids.includes(one.id));
  removeAll(context, channel.id, found, true);
  return noContent;
}

function listPins(call: Call): Answer {
  const channel = place(call);
  requirePermission(call.context.world, channel, call.caller.id, Bit.ReadMessageHistory);
  const limit = readLimit(call.query, 50, 50);
  const before = call.query.get("before");
  const pinned = (call.context.world.messages[channel.id] ?? [])
    .filter((one) => one.pinnedAt !== null && (before === null || Date.parse(one.pinnedAt) < Date.parse(before)))
    .toSorted((a, b) => Date.parse(b.pinnedAt ?? "") - Date.parse(a.pinnedAt ?? ""));
  const items = pinned.slice(0, limit).map((one) => ({ pinned_at: one.pinnedAt, message: view(call, one) }));
  return ok({ items, has_more: pinned.length > limit });
}

function setPinned(call: Call, pinned: boolean): Answer {
  const { context, caller } = call;
  const channel = place(call);
  requirePermission(context.world, channel, caller.id, Bit.PinMessages);
  requireUnarchived(channel);
  const message = requireMessage(context.world, channel.id, call.params["message_id"] ?? "");
  if ((message.pinnedAt !== null) === pinned) return noContent;
  const count = (context.world.messages[channel.id] ?? []).filter((one) => one.pinnedAt !== null).length;
  if (pinned && count >= limits.pins) throw refuse(Code.MaximumNumberOfPinsReachedForTheChannel);
  message.pinnedAt = pinned ? discordTime(context.clock.now()) : null;
  channel.lastPinAt = message.pinnedAt ?? channel.lastPinAt;
  updated(context, message);
  context.dispatch({
    t: "CHANNEL_PINS_UPDATE",
    d: {
      channel_id: channel.id,
      last_pin_timestamp: channel.lastPinAt,
      ...(channel.guildId === null ? {} : { guild_id: channel.guildId }),
    },
    channelId: channel.id,
  });
  if (pinned) {
    const line = newMessage(context, channel.id, caller.id);
    append(context, { ...line, type: 6, reference: { channelId: channel.id, messageId: message.id } });
  }
  return noContent;
}

function place(call: Call): Channel {
  return visibleChannel(call.context.world, call.params["channel_id"] ?? "", call.caller.id);
}

function view(call: Call, message: Message, nonce = false) {
  return messageView(call.context, message, { viewerId: call.caller.id, nonce, blank: mayNotRead(call) });
}

function mayNotRead(call: Call): boolean {
  const application = call.context.world.applications[call.caller.id];
  return application !== undefined && !application.messageContentIntent;
}

/** Newest first, as Discord gives them. */
function page(
  all: readonly Message[],
  limit: number,
  at: { before: string | null; after: string | null; around: string | null },
): Message[] {
  const older = (id: string) => all.filter((one) => compareSnowflakes(one.id, id) < 0);
  const newer = (id: string) => all.filter((one) => compareSnowflakes(one.id, id) > 0);
  if (at.before !== null) return older(at.before).slice(-limit).toReversed();
  if (at.after !== null) return newer(at.after).slice(0, limit).toReversed();
  if (at.around === null) return all.slice(-limit).toReversed();
  const { around } = at;
  const half = Math.floor(limit / 2);
  const middle = all.filter((one) => one.id === around);
  const before = half === 0 ? [] : older(around).slice(-half);
  return [...before, ...middle, ...newer(around).slice(0, Math.max(0, limit - half - 1))].toReversed();
}
