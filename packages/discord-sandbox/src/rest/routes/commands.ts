/**
 * Application commands over REST, for a guild or everywhere: list, overwrite, create, get, change, delete; and the
 * index a person's client reads to offer them.
 */
import { visibleChannel } from "../../state/channels.ts";
import { checkSet, commandView, newCommand, readCommand, requireRoom } from "../../interactions/commands.ts";
import { Form, type Json } from "../form.ts";
import { limits } from "../../limits.ts";
import { Code, refuse } from "../refusals.ts";
import { noContent, ok, type Answer, type Call, type Route } from "../router.ts";
import { userView } from "../../state/users.ts";
import type { Command } from "../../state/world.ts";

const everywhere = "/applications/{application_id}/commands";
const inGuild = "/applications/{application_id}/guilds/{guild_id}/commands";

export const commandRoutes: Route[] = [
  { method: "GET", path: everywhere, operationId: "list_application_commands", who: "bot", run: list },
  { method: "PUT", path: everywhere, operationId: "bulk_set_application_commands", who: "bot", run: overwrite },
  { method: "POST", path: everywhere, operationId: "create_application_command", who: "bot", run: create },
  { method: "GET", path: `${everywhere}/{command_id}`, operationId: "get_application_command", who: "bot", run: get },
  {
    method: "PATCH",
    path: `${everywhere}/{command_id}`,
    operationId: "update_application_command",
    who: "bot",
    run: change,
  },
  {
    method: "DELETE",
    path: `${everywhere}/{command_id}`,
    operationId: "delete_application_command",
    who: "bot",
    run: remove,
  },
  { method: "GET", path: inGuild, operationId: "list_guild_application_commands", who: "bot", run: list },
  { method: "PUT", path: inGuild, operationId: "bulk_set_guild_application_commands", who: "bot", run: overwrite },
  { method: "POST", path: inGuild, operationId: "create_guild_application_command", who: "bot", run: create },
  {
    method: "GET",
    path: `${inGuild}/{command_id}`,
    operationId: "get_guild_application_command",
    who: "bot",
    run: get,
  },
  {
    method: "PATCH",
    path: `${inGuild}/{command_id}`,
    operationId: "update_guild_application_command",
    who: "bot",
    run: change,
  },
  {
    method: "DELETE",
    path: `${inGuild}/{command_id}`,
    operationId: "delete_guild_application_command",
    who: "bot",
    run: remove,
  },
  { method: "GET", path: "/guilds/{guild_id}/application-command-index", operationId: null, who: "user", run: index },
  {
    method: "GET",
    path: "/channels/{channel_id}/application-command-index",
    operationId: null,
    who: "user",
    run: indexOfChannel,
  },
];

interface Scope {
  applicationId: string;
  guildId: string | null;
}

function list(call: Call): Answer {
  return ok(standing(call, scopeOf(call)).map((one) => shown(call, one)));
}

function overwrite(call: Call): Answer {
  const { context } = call;
  const scope = scopeOf(call);
  const form = new Form(Object.fromEntries(Array.isArray(call.body) ? call.body.entries() : []));
  if (!Array.isArray(call.body)) form.fail("", "LIST_TYPE_CONVERT", "Only iterables may be used in a ListType");
  const drafts = Object.keys(form.value)
    .map((key) => form.object(key, readCommand))
    .filter((one) => one !== null && one !== undefined);
  checkSet(form, drafts);
  form.done();
  requireRoom(drafts);
  const before = standing(call, scope);
  const former = (draft: { type: number; name: string }) =>
    before.find((one) => one.type === draft.type && one.name === draft.name);
  countCreates(call, scope, drafts.filter((draft) => former(draft) === undefined).length);
  for (const command of before) delete context.world.commands[command.id];
  const after = drafts.map((draft) => newCommand(context, scope, draft, former(draft)));
  for (const command of after) context.world.commands[command.id] = command;
  told(call, scope);
  return ok(after.map(commandView));
}

function create(call: Call): Answer {
  const { context } = call;
  const scope = scopeOf(call);
  const form = call.form();
  const draft = readCommand(form);
  form.done();
  const others = standing(call, scope);
  const former = others.find((one) => one.type === draft.type && one.name === draft.name);
  if (former === undefined) {
    requireRoom([...others, draft]);
    countCreates(call, scope, 1);
  }
  const command = newCommand(context, scope, draft, former);
  context.world.commands[command.id] = command;
  told(call, scope);
  return { status: former === undefined ? 201 : 200, body: commandView(command) };
}

function get(call: Call): Answer {
  return ok(commandView(one(call)));
}

function change(call: Call): Answer {
  const { context } = call;
  const former = one(call);
  const body = call.form().value;
  const form = new Form({ ...commandView(former), ...body, type: former.type });
  const draft = readCommand(form);
  form.done();
  const command = newCommand(context, former, draft, former);
  context.world.commands[command.id] = command;
  told(call, scopeOf(call));
  return ok(commandView(command));
}

function remove(call: Call): Answer {
  delete call.context.world.commands[one(call).id];
  told(call, scopeOf(call));
  return noContent;
}

function index(call: Call): Answer {
  const { world } = call.context;
  if (call.params["guild_id"] !== world.guildId || world.members[call.caller.id] === undefined)
    throw refuse(Code.UnknownGuild);
  return ok(indexBody(call, Object.values(world.commands)));
}

function indexOfChannel(call: Call): Answer {
  const { world } = call.context;
  const channel = visibleChannel(world, call.params["channel_id"] ?? "", call.caller.id);
  const here = Object.values(world.commands).filter((one) => one.guildId === null || one.guildId === channel.guildId);
  return ok(indexBody(call, here));
}

function indexBody(call: Call, commands: readonly Command[]): Json {
  const { world } = call.context;
  const applications = Object.values(world.applications).filter((one) =>
    commands.some((command) => command.applicationId === one.id),
  );
  return {
    applications: applications.map((one) => {
      const bot = world.users[one.botId];
      return {
        id: one.id,
        name: one.name,
        description: "",
        icon: null,
        flags: 0,
        ...(bot === undefined ? {} : { bot: userView(bot) }),
      };
    }),
    application_commands: commands.map(commandView),
    version: commands.reduce((last, one) => (one.version > last ? one.version : last), "0"),
  };
}

function one(call: Call): Command {
  const scope = scopeOf(call);
  const command = standing(call, scope).find((each) => each.id === call.params["command_id"]);
  if (command === undefined) throw refuse(Code.UnknownApplicationCommand);
  return command;
}

function standing(call: Call, scope: Scope): Command[] {
  return Object.values(call.context.world.commands).filter(
    (one) => one.applicationId === scope.applicationId && one.guildId === scope.guildId,
  );
}

/** Only an application's own bot may touch its commands, and only in a guild it is in. */
function scopeOf(call: Call): Scope {
  const { world } = call.context;
  const applicationId = call.params["application_id"] ?? "";
  if (world.applications[applicationId] === undefined) throw refuse(Code.UnknownApplication);
  if (applicationId !== call.caller.id) throw refuse(Code.NotAuthorizedToPerformThisActionOnThisApplication);
  const guildId = call.params["guild_id"] ?? null;
  if (guildId !== null && (guildId !== world.guildId || world.members[call.caller.id] === undefined))
    throw refuse(Code.MissingAccess);
  return { applicationId, guildId };
}

function countCreates(call: Call, scope: Scope, count: number): void {
  const { context } = call;
  const key = `${scope.applicationId}:${scope.guildId ?? ""}`;
  const since = context.clock.monotonic() - 24 * 60 * 60_000;
  const past = (context.commandCreates.get(key) ?? []).filter((at) => at > since);
  if (past.length + count > limits.commandCreatesPerDay) {
    const refusal = refuse(Code.MaximumDailyApplicationCommandCreatesReached);
    refusal.retryAfterS = Math.ceil(((past[0] ?? since) - since) / 1000);
    throw refusal;
  }
  context.commandCreates.set(key, [...past, ...Array.from({ length: count }, () => context.clock.monotonic())]);
}

/** People's clients read the index again. */
function told(call: Call, scope: Scope): void {
  const { context } = call;
  const people = Object.keys(context.world.members).filter((id) => context.world.users[id]?.bot !== true);
  context.dispatch({
    t: "GUILD_APPLICATION_COMMAND_INDEX_UPDATE",
    d: { guild_id: scope.guildId ?? context.world.guildId, application_id: scope.applicationId },
    only: people,
  });
  context.changed();
}

/** Localizations are only shown on request in lists. */
function shown(call: Call, command: Command): Json {
  const view = commandView(command);
  if (["true", "1"].includes(call.query.get("with_localizations") ?? "")) return view;
  delete view["name_localizations"];
  delete view["description_localizations"];
  return view;
}
