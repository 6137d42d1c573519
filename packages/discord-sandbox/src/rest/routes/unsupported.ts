/**
 * What the sandbox does not have, answered as Discord answers a bot without the right to it: webhooks of channels,
 * and polls. The webhooks of interactions are with the interactions.
 */
import { visibleChannel } from "../../state/channels.ts";
import { requireMessage } from "../../messages/message-store.ts";
import { Code, refuse } from "../refusals.ts";
import type { Answer, Call, Route } from "../router.ts";

const hook = "/webhooks/{webhook_id}";
const polls = "/channels/{channel_id}/polls/{message_id}";

export const unsupportedRoutes: Route[] = [
  {
    method: "GET",
    path: "/channels/{channel_id}/webhooks",
    operationId: "list_channel_webhooks",
    who: "any",
    run: ofChannel,
  },
  {
    method: "POST",
    path: "/channels/{channel_id}/webhooks",
    operationId: "create_webhook",
    who: "any",
    run: ofChannel,
  },
  { method: "GET", path: "/guilds/{guild_id}/webhooks", operationId: "get_guild_webhooks", who: "any", run: ofGuild },
  { method: "GET", path: hook, operationId: "get_webhook", who: "any", run: unknown },
  { method: "PATCH", path: hook, operationId: "update_webhook", who: "any", run: unknown },
  { method: "DELETE", path: hook, operationId: "delete_webhook", who: "any", run: unknown },
  { method: "GET", path: `${hook}/{webhook_token}`, operationId: "get_webhook_by_token", who: "open", run: unknown },
  {
    method: "PATCH",
    path: `${hook}/{webhook_token}`,
    operationId: "update_webhook_by_token",
    who: "open",
    run: unknown,
  },
  {
    method: "DELETE",
    path: `${hook}/{webhook_token}`,
    operationId: "delete_webhook_by_token",
    who: "open",
    run: unknown,
  },
  {
    method: "POST",
    path: `${hook}/{webhook_token}/slack`,
    operationId: "execute_slack_compatible_webhook",
    who: "open",
    run: unknown,
  },
  {
    method: "POST",
    path: `${hook}/{webhook_token}/github`,
    operationId: "execute_github_compatible_webhook",
    who: "open",
    run: unknown,
  },
  { method: "GET", path: `${polls}/answers/{answer_id}`, operationId: "get_answer_voters", who: "any", run: voters },
  { method: "POST", path: `${polls}/expire`, operationId: "poll_expire", who: "any", run: expire },
];

function ofChannel({ context, caller, params }: Call): Answer {
  visibleChannel(context.world, params["channel_id"] ?? "", caller.id);
  throw refuse(Code.MissingPermissions);
}

function ofGuild({ context, params }: Call): Answer {
  if (params["guild_id"] !== context.world.guildId) throw refuse(Code.UnknownGuild);
  throw refuse(Code.MissingPermissions);
}

function unknown(): Answer {
  throw refuse(Code.UnknownWebhook);
}

/** No message has a poll. */
function voters(call: Call): Answer {
  standing(call);
  throw refuse(Code.UnknownMessage);
}

function expire(call: Call): Answer {
  standing(call);
  throw refuse(Code.CannotExpireANonPollMessage);
}

function standing({ context, caller, params }: Call): void {
  const channel = visibleChannel(context.world, params["channel_id"] ?? "", caller.id);
  requireMessage(context.world, channel.id, params["message_id"] ?? "");
}
