/**
 * Reactions and the typing indicator over REST.
 */
import { compareSnowflakes } from "../../state/snowflake-order.ts";
import { visibleChannel } from "../../state/channels.ts";
import type { Json } from "../form.ts";
import { limits } from "../../limits.ts";
import { requireMessage } from "../../messages/message-store.ts";
import { emojiOf } from "../../messages/message-view.ts";
import { Bit, requirePermission } from "../../state/permissions.ts";
import { readLimit, readSnowflake } from "../query.ts";
import { Code, refuse } from "../refusals.ts";
import { noContent, ok, type Answer, type Call, type Route } from "../router.ts";
import { requireUnarchived } from "../../state/threads.ts";
import { memberView, requireUser, userView } from "../../state/users.ts";
import type { Channel, Message } from "../../state/world.ts";

const base = "/channels/{channel_id}/messages/{message_id}/reactions";
const one = `${base}/{emoji_name}`;

export const reactionRoutes: Route[] = [
  { method: "PUT", path: `${one}/@me`, operationId: "add_my_message_reaction", who: "any", run: add },
  {
    method: "DELETE",
    path: `${one}/@me`,
    operationId: "delete_my_message_reaction",
    who: "any",
    run: (call) => take(call, call.caller.id),
  },
  {
    method: "DELETE",
    path: `${one}/{user_id}`,
    operationId: "delete_user_message_reaction",
    who: "any",
    run: (call) => take(call, call.params["user_id"] ?? ""),
  },
  { method: "GET", path: one, operationId: "list_message_reactions_by_emoji", who: "any", run: list },
  { method: "DELETE", path: one, operationId: "delete_all_message_reactions_by_emoji", who: "any", run: clearOne },
  { method: "DELETE", path: base, operationId: "delete_all_message_reactions", who: "any", run: clear },
  {
    method: "POST",
    path: "/channels/{channel_id}/typing",
    operationId: "trigger_typing_indicator",
    who: "any",
    run: typing,
  },
];

function add(call: Call): Answer {
  const { context, caller } = call;
  const { channel, message } = target(call);
  const key = emojiKey(call);
  requirePermission(context.world, channel, caller.id, Bit.ReadMessageHistory);
  requireUnarchived(channel);
  const standing = message.reactions.find((reaction) => reaction.key === key);
  if (standing?.users.includes(caller.id) === true) return noContent;
  if (standing === undefined) {
    requirePermission(context.world, channel, caller.id, Bit.AddReactions);
    if (message.reactions.length >= limits.reactionKinds) throw refuse(Code.MaximumNumberOfReactionsReached);
    message.reactions.push({ key, users: [caller.id] });
  } else standing.users.push(caller.id);
  const member = context.world.members[caller.id];
  context.dispatch({
    t: "MESSAGE_REACTION_ADD",
    d: {
      user_id: caller.id,
      type: 0,
      ...spot(channel, message),
      ...(member === undefined || channel.guildId === null ? {} : { member: memberView(context.world, member) }),
      message_author_id: message.authorId,
      emoji: emojiOf(key),
      burst: false,
    },
    channelId: channel.id,
  });
  context.changed();
  return noContent;
}

function take(call: Call, userId: string): Answer {
  const { context, caller } = call;
  const { channel, message } = target(call);
  const key = emojiKey(call);
  requireUnarchived(channel);
  if (userId !== caller.id) requirePermission(context.world, channel, caller.id, Bit.ManageMessages);
  const standing = message.reactions.find((reaction) => reaction.key === key);
  if (standing === undefined || !standing.users.includes(userId)) return noContent;
  standing.users = standing.users.filter((id) => id !== userId);
  message.reactions = message.reactions.filter((reaction) => reaction.users.length > 0);
  context.dispatch({
    t: "MESSAGE_REACTION_REMOVE",
    d: { user_id: userId, type: 0, ...spot(channel, message), emoji: emojiOf(key), burst: false },
    channelId: channel.id,
  });
  context.changed();
  return noContent;
}

function list(call: Call): Answer {
  const { context, caller } = call;
  const { channel, message } = target(call);
  requirePermission(context.world, channel, caller.id, Bit.ReadMessageHistory);
  const after = readSnowflake(call.query, "after");
  const limit = readLimit(call.query, 25, 100);
  const users = message.reactions.find((reaction) => reaction.key === emojiKey(call))?.users ?? [];
  const chosen = users.toSorted(compareSnowflakes).filter((id) => after === null || compareSnowflakes(id, after) > 0);
  return ok(chosen.slice(0, limit).map((id) => userView(requireUser(context.world, id))));
}

function clearOne(call: Call): Answer {
  const { context, caller } = call;
  const { channel, message } = target(call);
  requirePermission(context.world, channel, caller.id, Bit.ManageMessages);
  requireUnarchived(channel);
  const key = emojiKey(call);
  message.reactions = message.reactions.filter((reaction) => reaction.key !== key);
  context.dispatch({
    t: "MESSAGE_REACTION_REMOVE_EMOJI",
    d: { ...spot(channel, message), emoji: emojiOf(key) },
    channelId: channel.id,
  });
  context.changed();
  return noContent;
}

function clear(call: Call): Answer {
  const { context, caller } = call;
  const { channel, message } = target(call);
  requirePermission(context.world, channel, caller.id, Bit.ManageMessages);
  requireUnarchived(channel);
  message.reactions = [];
  context.dispatch({ t: "MESSAGE_REACTION_REMOVE_ALL", d: spot(channel, message), channelId: channel.id });
  context.changed();
  return noContent;
}

function typing(call: Call): Answer {
  const { context, caller } = call;
  const channel = visibleChannel(context.world, call.params["channel_id"] ?? "", caller.id);
  requirePermission(
    context.world,
    channel,
    caller.id,
    channel.thread === null ? Bit.SendMessages : Bit.SendMessagesInThreads,
  );
  const at = context.clock.now();
  context.typing.push({ channelId: channel.id, userId: caller.id, at });
  if (context.typing.length > 10_000) context.typing.shift();
  const member = context.world.members[caller.id];
  context.dispatch({
    t: "TYPING_START",
    d: {
      channel_id: channel.id,
      user_id: caller.id,
      timestamp: Math.floor(at / 1000),
      ...(channel.guildId === null || member === undefined
        ? {}
        : { guild_id: channel.guildId, member: memberView(context.world, member) }),
    },
    channelId: channel.id,
    except: [caller.id],
  });
  context.changed();
  return noContent;
}

function target(call: Call): { channel: Channel; message: Message } {
  const channel = visibleChannel(call.context.world, call.params["channel_id"] ?? "", call.caller.id);
  return { channel, message: requireMessage(call.context.world, channel.id, call.params["message_id"] ?? "") };
}

/**
 * The path's emoji: one Unicode emoji, or `name:id`. The sandbox's guild has no emoji of its own, so 10014 for those.
 */
function emojiKey(call: Call): string {
  const name = call.params["emoji_name"] ?? "";
  const clusters = [...new Intl.Segmenter().segment(name)].length;
  if (clusters === 1 && /\p{Extended_Pictographic}|\p{Regional_Indicator}|\u20e3/u.test(name)) return name;
  throw refuse(Code.UnknownEmoji);
}

function spot(channel: Channel, message: Message): Json {
  return {
    message_id: message.id,
    channel_id: channel.id,
    ...(channel.guildId === null ? {} : { guild_id: channel.guildId }),
  };
}
