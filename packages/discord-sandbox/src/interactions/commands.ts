/**
 * Application commands: what may be registered, by Discord's limits and name pattern, and how it is shown.
 */
import { ApplicationCommandOptionType as Kind } from "discord-api-types/v10";
import { characters, isObject, type Form, type Json } from "../rest/form.ts";
import { limits } from "../limits.ts";
import { locales } from "../locale.ts";
import type { Context } from "../context.ts";
import { Code, refuse } from "../rest/refusals.ts";
import type { Command } from "../state/world.ts";

/** Discord's pattern for names of chat commands and options; they must also be lower case where case exists. */
const NAME = /^[-_'\p{L}\p{N}\p{sc=Deva}\p{sc=Thai}]{1,32}$/u;
const withChoices: readonly number[] = [Kind.String, Kind.Integer, Kind.Number];
const nesting: readonly number[] = [Kind.Subcommand, Kind.SubcommandGroup];

export type CommandDraft = Omit<Command, "id" | "applicationId" | "guildId" | "version">;

/** Reads one command of a bulk overwrite or a create. Notes every breach in the form. */
export function readCommand(form: Form): CommandDraft {
  const type = form.choice("type", [1, 2, 3]) ?? 1;
  const chat = type === 1;
  const draft: CommandDraft = {
    type,
    name: chat ? readName(form) : (form.text("name", { min: 1, max: limits.commandName, required: true }) ?? ""),
    nameLocalizations: readLocalizations(form, "name_localizations", limits.commandName, chat),
    description: chat ? readDescription(form) : (form.text("description", { max: 0 }) ?? ""),
    descriptionLocalizations: readLocalizations(form, "description_localizations", limits.commandDescription, false),
    options: chat ? readOptions(form, 0) : noOptions(form),
    defaultMemberPermissions: form.text("default_member_permissions", { pattern: /^\d+$/ }) ?? null,
    nsfw: form.boolean("nsfw") ?? false,
    contexts: numbers(form, "contexts"),
    integrationTypes: numbers(form, "integration_types") ?? [0],
  };
  if (totalCharacters(draft) > limits.commandTotal) {
    form.fail("", "APPLICATION_COMMAND_TOO_LARGE", `Command exceeds maximum size (${limits.commandTotal})`);
  }
  return draft;
}

/** Notes names used twice among commands of the same type, and more of a type than fit. */
export function checkSet(form: Form, drafts: readonly CommandDraft[]): void {
  const seen = new Set<string>();
  for (const [index, draft] of drafts.entries()) {
    const key = `${draft.type}:${draft.name}`;
    if (seen.has(key))
      form.fail(`${index}.name`, "APPLICATION_COMMANDS_DUPLICATE_NAME", "Application command names must be unique");
    seen.add(key);
  }
}

export function requireRoom(drafts: readonly { type: number }[]): void {
  for (const [type, most] of [
    [1, limits.commands],
    [2, limits.contextCommands],
    [3, limits.contextCommands],
  ] as const) {
    if (drafts.filter((one) => one.type === type).length > most)
      throw refuse(Code.MaximumNumberOfApplicationCommandsReached);
  }
}

export function commandView(command: Command): Json {
  return {
    id: command.id,
    application_id: command.applicationId,
    version: command.version,
    default_member_permissions: command.defaultMemberPermissions,
    type: command.type,
    name: command.name,
    name_localizations: command.nameLocalizations,
    description: command.description,
    description_localizations: command.descriptionLocalizations,
    dm_permission: command.guildId === null,
    contexts: command.contexts,
    integration_types: command.integrationTypes,
    ...(command.guildId === null ? {} : { guild_id: command.guildId }),
    ...(command.options.length === 0 ? {} : { options: command.options }),
    nsfw: command.nsfw,
  };
}

export function newCommand(
  context: Context,
  { applicationId, guildId }: Pick<Command, "applicationId" | "guildId">,
  draft: CommandDraft,
  standing?: Command,
): Command {
  return { ...draft, applicationId, guildId, id: standing?.id ?? context.ids.next(), version: context.ids.next() };
}

function noOptions(form: Form): Json[] {
  form.list("options", { max: 0 }, () => ({}));
  return [];
}

function readName(form: Form): string {
  const name = form.text("name", { min: 1, max: limits.commandName, required: true }) ?? "";
  if (name !== "" && (!NAME.test(name) || name !== name.toLowerCase())) {
    form.fail("name", "APPLICATION_COMMAND_INVALID_NAME", "Command name is invalid");
  }
  return name;
}

function readDescription(form: Form): string {
  return form.text("description", { min: 1, max: limits.commandDescription, required: true }) ?? "";
}

function readLocalizations(form: Form, key: string, max: number, asName: boolean): Record<string, string> | null {
  const read = form.object(key, (part) => {
    const known: Record<string, string> = {};
    for (const locale of Object.keys(part.value)) {
      if (!locales.includes(locale)) part.fail(locale, "LOCALE_INVALID", `Unknown locale ${locale}`);
      const text = part.text(locale, { min: 1, max });
      if (typeof text !== "string") continue;
      if (asName && (!NAME.test(text) || text !== text.toLowerCase()))
        part.fail(locale, "APPLICATION_COMMAND_INVALID_NAME", "Command name is invalid");
      known[locale] = text;
    }
    return known;
  });
  return read ?? null;
}

/** `depth`: 0 the command itself, 1 inside a subcommand or group, 2 inside a group's subcommand. */
function readOptions(form: Form, depth: number): Json[] {
  const options = form.list("options", { max: limits.commandOptions }, (part) => readOption(part, depth)) ?? [];
  const names = new Set<unknown>();
  let optionalSeen = false;
  for (const [index, option] of options.entries()) {
    if (names.has(option["name"]))
      form.fail(
        `options.${index}.name`,
        "APPLICATION_COMMAND_OPTIONS_NAME_ALREADY_EXISTS",
        "Option name already exists",
      );
    names.add(option["name"]);
    if (nesting.includes(Number(option["type"]))) continue;
    if (option["required"] === true && optionalSeen) {
      form.fail(
        `options.${index}`,
        "APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID",
        "Required options must be placed before non-required options",
      );
    }
    optionalSeen ||= option["required"] !== true;
  }
  const nested = options.filter((one) => nesting.includes(Number(one["type"]))).length;
  if (nested > 0 && nested < options.length) {
    form.fail(
      "options",
      "APPLICATION_COMMAND_OPTIONS_TYPE_INVALID",
      "Sub-command and sub-command group option types are mutually exclusive to all other types",
    );
  }
  return options;
}

function readOption(form: Form, depth: number): Json {
  const kinds = [
    Kind.Subcommand,
    Kind.SubcommandGroup,
    Kind.String,
    Kind.Integer,
    Kind.Boolean,
    Kind.User,
    Kind.Channel,
    Kind.Role,
    Kind.Mentionable,
    Kind.Number,
    Kind.Attachment,
  ];
  const allowed =
    depth === 0
      ? kinds
      : depth === 1
        ? kinds.filter((one) => one !== Kind.SubcommandGroup)
        : kinds.filter((one) => !nesting.includes(one));
  const type = form.choice<number>("type", allowed, true) ?? 0;
  const base: Json = {
    type,
    name: readName(form),
    name_localizations: readLocalizations(form, "name_localizations", limits.commandName, true),
    description: readDescription(form),
    description_localizations: readLocalizations(form, "description_localizations", limits.commandDescription, false),
  };
  if (nesting.includes(type)) {
    const options = readOptions(form, type === Kind.SubcommandGroup ? 1 : 2);
    return options.length === 0 ? base : { ...base, options };
  }
  return { ...base, ...readValueRules(form, type) };
}

function readValueRules(form: Form, type: number): Json {
  const autocomplete = form.boolean("autocomplete") ?? false;
  const choices = withChoices.includes(type)
    ? form.list("choices", { max: limits.commandChoices }, readChoice)
    : undefined;
  if (autocomplete && (choices ?? []).length > 0) {
    form.fail(
      "autocomplete",
      "APPLICATION_COMMAND_OPTIONS_AUTOCOMPLETE_CHOICES_EXCLUSIVE",
      "Autocomplete cannot be used with choices",
    );
  }
  if (autocomplete && !withChoices.includes(type)) {
    form.fail(
      "autocomplete",
      "APPLICATION_COMMAND_OPTIONS_AUTOCOMPLETE_TYPE_INVALID",
      "Autocomplete is only for strings, integers and numbers",
    );
  }
  const rules: Json = {
    required: form.boolean("required") ?? undefined,
    autocomplete: autocomplete ? true : undefined,
    choices: choices ?? undefined,
    min_length: form.integer("min_length", { min: 0, max: 6000 }) ?? undefined,
    max_length: form.integer("max_length", { min: 1, max: 6000 }) ?? undefined,
    min_value: numeric(form, "min_value"),
    max_value: numeric(form, "max_value"),
    channel_types: form.values("channel_types", {}) ?? undefined,
  };
  return Object.fromEntries(Object.entries(rules).filter(([, value]) => value !== undefined));
}

function readChoice(form: Form): Json {
  const value = form.value["value"];
  if (typeof value !== "number") form.text("value", { min: 1, max: limits.choiceText, required: true });
  return {
    name: form.text("name", { min: 1, max: limits.choiceText, required: true }),
    name_localizations: readLocalizations(form, "name_localizations", limits.choiceText, false),
    value,
  };
}

function numeric(form: Form, key: string): number | undefined {
  const value = form.value[key];
  if (value !== undefined && value !== null && typeof value !== "number")
    form.fail(key, "NUMBER_TYPE_COERCE", `Value ${JSON.stringify(value)} is not a number.`);
  return typeof value === "number" ? value : undefined;
}

function numbers(form: Form, key: string): number[] | null {
  const values = form.values(key, {});
  return Array.isArray(values) ? values.filter((one) => typeof one === "number") : null;
}

/** What counts towards 8000: names, descriptions and values, each localized text by its longest. */
function totalCharacters(draft: CommandDraft): number {
  const longest = (text: unknown, localized: unknown): number => {
    const texts = [text, ...(isObject(localized) ? Object.values(localized) : [])];
    return Math.max(0, ...texts.map((one) => (typeof one === "string" ? characters(one) : 0)));
  };
  const ofOption = (option: Json): number => {
    const choices = (Array.isArray(option["choices"]) ? option["choices"] : []).filter(isObject);
    const inner = (Array.isArray(option["options"]) ? option["options"] : []).filter(isObject);
    return (
      longest(option["name"], option["name_localizations"]) +
      longest(option["description"], option["description_localizations"]) +
      choices.reduce(
        (sum, one) => sum + longest(one["name"], one["name_localizations"]) + characters(String(one["value"])),
        0,
      ) +
      inner.reduce((sum, one) => sum + ofOption(one), 0)
    );
  };
  return (
    longest(draft.name, draft.nameLocalizations) +
    longest(draft.description, draft.descriptionLocalizations) +
    draft.options.reduce((sum, one) => sum + ofOption(one), 0)
  );
}
