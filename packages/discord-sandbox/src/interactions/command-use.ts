/**
 * A command as a person's client uses it: the path and the typed options become an interaction's data, checked
 * against the registered command as the client checks them, with users and channels resolved.
 */
import { ApplicationCommandOptionType as Kind } from "discord-api-types/v10";
import { characters, isObject, type Json } from "../rest/form.ts";
import type { Context } from "../context.ts";
import { badField, Code, refuse } from "../rest/refusals.ts";
import type { InteractionStart } from "./interaction.ts";
import { Resolved, type Resolvable } from "./resolved.ts";
import type { Command } from "../state/world.ts";

interface Checked {
  /** While a value is being typed nothing is required and nothing must fit yet. */
  typing: boolean;
  resolved: Resolved;
}

/**
 * The `data` the app is given. Throws 10063 for a command that is not registered (or in an older version) and
 * 50035 for options that do not fit it.
 */
export function commandData(
  context: Context,
  { kind, userId, applicationId }: Pick<InteractionStart, "kind" | "userId" | "applicationId">,
  data: Json,
): Json {
  const command = context.world.commands[String(data["id"])];
  if (command === undefined || command.applicationId !== applicationId) throw refuse(Code.UnknownApplicationCommand);
  if (data["version"] !== undefined && data["version"] !== command.version) {
    throw badField(
      "data.version",
      "INTERACTION_APPLICATION_COMMAND_INVALID_VERSION",
      "This command is outdated, please try again in a few minutes",
    );
  }
  const checked: Checked = { typing: kind === 4, resolved: new Resolved(context, userId) };
  const options = readGiven(checked, command.options, listOf(data["options"]), "data.options");
  return {
    id: command.id,
    name: command.name,
    type: command.type,
    ...(options.length === 0 ? {} : { options }),
    ...checked.resolved.part(),
    ...(command.guildId === null ? {} : { guild_id: command.guildId }),
  };
}

/** Splits `["project", "create"]` or `project create` into a command and the option path below it. */
export function findCommand(
  commands: readonly Command[],
  path: string | readonly string[],
): { command: Command; nested: string[] } {
  const [name, ...nested] = typeof path === "string" ? path.replace(/^\//, "").split(" ") : path;
  const command = commands.find((one) => one.type === 1 && one.name === name);
  if (command === undefined) throw new Error(`There is no command /${name ?? ""}`);
  return { command, nested };
}

/** The registered options a nested path leads to. Throws where there is no such subcommand. */
export function optionsAt(command: Command, nested: readonly string[]): Json[] {
  let options = command.options;
  for (const name of nested) {
    const next = options.find((one) => one["name"] === name && [1, 2].includes(Number(one["type"])));
    if (next === undefined) throw new Error(`/${command.name} has no subcommand "${name}"`);
    options = listOf(next["options"]);
  }
  if (options.some((one) => [1, 2].includes(Number(one["type"]))))
    throw new Error(`/${[command.name, ...nested].join(" ")} needs a subcommand`);
  return options;
}

function readGiven(checked: Checked, known: readonly Json[], given: readonly Json[], path: string): Json[] {
  const nested = known.filter((one) => [1, 2].includes(Number(one["type"])));
  if (nested.length > 0) {
    const [chosen] = given;
    const match = nested.find((one) => one["name"] === chosen?.["name"]);
    if (given.length !== 1 || chosen === undefined || match === undefined) throw wrong(path, "Unknown subcommand");
    return [
      {
        type: match["type"],
        name: match["name"],
        options: readGiven(checked, listOf(match["options"]), listOf(chosen["options"]), `${path}.0.options`),
      },
    ];
  }
  for (const option of known) {
    const missing = !given.some((one) => one["name"] === option["name"]);
    if (option["required"] === true && missing && !checked.typing)
      throw wrong(path, `Option "${String(option["name"])}" is required`);
  }
  return given.map((one, index) => {
    const option = known.find((each) => each["name"] === one["name"]);
    if (option === undefined) throw wrong(`${path}.${index}`, `Unknown option "${String(one["name"])}"`);
    const focused = one["focused"] === true;
    if (focused && option["autocomplete"] !== true)
      throw wrong(`${path}.${index}`, `Option "${String(one["name"])}" has no autocomplete`);
    const value =
      focused && checked.typing ? one["value"] : readValue(checked, option, one["value"], `${path}.${index}.value`);
    return { type: option["type"], name: option["name"], value, ...(focused ? { focused: true } : {}) };
  });
}

function readValue(checked: Checked, option: Json, value: unknown, path: string): unknown {
  const type = Number(option["type"]);
  const choices = listOf(option["choices"]);
  if (choices.length > 0 && !choices.some((one) => one["value"] === value)) throw wrong(path, "Not one of the choices");
  switch (type) {
    case Kind.String:
      return readText(option, value, path);
    case Kind.Integer:
    case Kind.Number:
      return readNumber(option, value, path);
    case Kind.Boolean:
      if (typeof value !== "boolean") throw wrong(path, "Must be true or false");
      return value;
    case Kind.User:
    case Kind.Channel:
    case Kind.Role:
    case Kind.Mentionable:
      return resolve(checked, type, String(value), path);
    default:
      throw wrong(path, "The sandbox cannot fill in this kind of option");
  }
}

function readText(option: Json, value: unknown, path: string): string {
  if (typeof value !== "string" || value === "") throw wrong(path, "Must be a text");
  const length = characters(value);
  const [min, max] = [Number(option["min_length"] ?? 0), Number(option["max_length"] ?? 6000)];
  if (length < min || length > max) throw wrong(path, `Must be between ${min} and ${max} in length.`);
  return value;
}

function readNumber(option: Json, value: unknown, path: string): number {
  if (typeof value !== "number" || (option["type"] === Kind.Integer && !Number.isSafeInteger(value)))
    throw wrong(path, "Must be a number");
  const [min, max] = [Number(option["min_value"] ?? -Infinity), Number(option["max_value"] ?? Infinity)];
  if (value < min || value > max) throw wrong(path, `Must be between ${min} and ${max}.`);
  return value;
}

const meanings: Partial<Record<number, readonly Resolvable[]>> = {
  [Kind.User]: ["user"],
  [Kind.Channel]: ["channel"],
  [Kind.Role]: ["role"],
  [Kind.Mentionable]: ["user", "role"],
};

function resolve(checked: Checked, type: number, id: string, path: string): string {
  if (!checked.resolved.add(id, meanings[type] ?? [])) throw wrong(path, "There is nothing with this id");
  return id;
}

function listOf(value: unknown): Json[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

function wrong(path: string, message: string) {
  return badField(path, "APPLICATION_COMMAND_INVALID_OPTION", message);
}
