/**
 * Users, the guild, its members and roles, the application and the gateway's address over REST.
 */
import { guildView, rolesView } from "../../state/guild.ts";
import type { Json } from "../form.ts";
import { compareSnowflakes } from "../../state/snowflake-order.ts";
import { readFlag, readLimit, readSnowflake } from "../query.ts";
import { Code, refuse } from "../refusals.ts";
import { ok, type Answer, type Call, type Route } from "../router.ts";
import { applicationView, memberView, ownGuildView, requireUser, selfView, userView } from "../../state/users.ts";

export const peopleRoutes: Route[] = [
  {
    method: "GET",
    path: "/users/@me",
    operationId: "get_my_user",
    who: "any",
    run: (call) => ok(selfView(call.caller)),
  },
  { method: "GET", path: "/users/@me/guilds", operationId: "list_my_guilds", who: "any", run: myGuilds },
  { method: "GET", path: "/users/{user_id}", operationId: "get_user", who: "any", run: user },
  { method: "GET", path: "/guilds/{guild_id}", operationId: "get_guild", who: "any", run: guild },
  { method: "GET", path: "/guilds/{guild_id}/roles", operationId: "list_guild_roles", who: "any", run: roles },
  { method: "GET", path: "/guilds/{guild_id}/members", operationId: "list_guild_members", who: "any", run: members },
  {
    method: "GET",
    path: "/guilds/{guild_id}/members/{user_id}",
    operationId: "get_guild_member",
    who: "any",
    run: member,
  },
  { method: "GET", path: "/applications/@me", operationId: "get_my_application", who: "bot", run: application },
  {
    method: "GET",
    path: "/oauth2/applications/@me",
    operationId: "get_my_oauth2_application",
    who: "bot",
    run: application,
  },
  {
    method: "GET",
    path: "/gateway",
    operationId: "get_gateway",
    who: "open",
    run: (call) => ok({ url: call.context.gatewayUrl }),
  },
  { method: "GET", path: "/gateway/bot", operationId: "get_bot_gateway", who: "bot", run: gateway },
];

function myGuilds(call: Call): Answer {
  const { world } = call.context;
  readLimit(call.query, 200, 200);
  if (world.members[call.caller.id] === undefined) return ok([]);
  const view: Json = ownGuildView(world, call.caller.id);
  if (!readFlag(call.query, "with_counts")) {
    delete view["approximate_member_count"];
    delete view["approximate_presence_count"];
  }
  return ok([view]);
}

function user(call: Call): Answer {
  return ok(userView(requireUser(call.context.world, call.params["user_id"] ?? "")));
}

function guild(call: Call): Answer {
  const { world } = inside(call).context;
  const count = Object.keys(world.members).length;
  const counts = readFlag(call.query, "with_counts")
    ? { approximate_member_count: count, approximate_presence_count: count }
    : {};
  return ok({ ...guildView(world), ...counts });
}

function roles(call: Call): Answer {
  return ok(rolesView(inside(call).context.world));
}

function members(call: Call): Answer {
  const { world } = inside(call).context;
  const application = world.applications[call.caller.id];
  // Listing members is what the privileged intent is for, over REST too.
  if (call.caller.bot && application?.privilegedIntents !== true) throw refuse(Code.MissingAccess);
  const after = readSnowflake(call.query, "after") ?? "0";
  const limit = readLimit(call.query, 1, 1000);
  const ids = Object.keys(world.members)
    .toSorted(compareSnowflakes)
    .filter((id) => compareSnowflakes(id, after) > 0);
  return ok(
    ids
      .slice(0, limit)
      .flatMap((id) => world.members[id] ?? [])
      .map((one) => memberView(world, one)),
  );
}

function member(call: Call): Answer {
  const { world } = inside(call).context;
  const found = world.members[call.params["user_id"] ?? ""];
  if (found === undefined) throw refuse(Code.UnknownMember);
  return ok(memberView(world, found));
}

function application(call: Call): Answer {
  const own = call.context.world.applications[call.caller.id];
  if (own === undefined) throw refuse(Code.UnknownApplication);
  return ok(applicationView(call.context.world, own));
}

function gateway(call: Call): Answer {
  return ok({
    url: call.context.gatewayNamed("REST"),
    shards: 1,
    session_start_limit: call.context.identifyLimit(call.caller.id),
  });
}

/** 10004 for a guild that is not here or that the caller is not in. */
export function inside(call: Call): Call {
  const { world } = call.context;
  if (call.params["guild_id"] !== world.guildId) throw refuse(Code.UnknownGuild);
  if (world.members[call.caller.id] === undefined) throw refuse(Code.MissingAccess);
  return call;
}
