/**
 * The documented rules for application commands that the OpenAPI description lacks: how a name is made, which
 * options may stand together and in which order, and how much text a command may carry in all.
 * Source: interactions/application-commands.mdx.
 */
import { type Finding, isRecord, items, told, wrong } from "../finding.ts";
import { lengthOf } from "./text.ts";

const NAME = /^[-_'\p{L}\p{N}\p{Script=Devanagari}\p{Script=Thai}]{1,32}$/u;
const most = { 1: 100, 2: 15, 3: 15 } as const;

/** A list that replaces all commands of a scope. */
export function commandListFindings(list: unknown): Finding[] {
  const commands = items(list).filter(isRecord);
  const perType = ([1, 2, 3] as const).flatMap((type) => {
    const names = commands.filter((command) => typeOf(command) === type).map((command) => command["name"]);
    const many =
      names.length > most[type] ? [told("", `${names.length} commands of type ${type}`, `at most ${most[type]}`)] : [];
    const twice = names.filter((name, index) => names.indexOf(name) < index);
    return [...many, ...twice.map((name) => wrong("", name, "every name once"))];
  });
  return [...perType, ...items(list).flatMap((command, index) => commandFindings(command, `/${index}`))];
}

/** One command, created or edited. */
export function commandFindings(command: unknown, at: string): Finding[] {
  if (!isRecord(command)) return [];
  const type = typeOf(command);
  const size = sizeOf(command);
  return [
    ...(type === 1 ? nameFindings(command, at) : []),
    ...descriptionFindings(command, type, at),
    ...optionsFindings(items(command["options"]), `${at}/options`, 0),
    ...(size > 8000 ? [told(at, `${size} characters of names, descriptions and values`, "at most 8000")] : []),
  ];
}

function typeOf(command: Record<string, unknown>): number {
  return typeof command["type"] === "number" ? command["type"] : 1;
}

function nameFindings(named: Record<string, unknown>, at: string): Finding[] {
  const localized = isRecord(named["name_localizations"]) ? Object.entries(named["name_localizations"]) : [];
  const names: [string, unknown][] = [
    [`${at}/name`, named["name"]],
    ...localized.map(([key, name]): [string, unknown] => [`${at}/name_localizations/${key}`, name]),
  ];
  return names
    .filter(([, name]) => typeof name === "string" && !isName(name))
    .map(([place, name]) => wrong(place, name, `lower case, 1 to 32, as ${NAME.source}`));
}

function isName(name: string): boolean {
  return NAME.test(name) && name === name.toLowerCase();
}

function descriptionFindings(command: Record<string, unknown>, type: number, at: string): Finding[] {
  const { description } = command;
  const edit = command["name"] === undefined;
  const length = lengthOf(description);
  if (type === 1)
    return edit || (length >= 1 && length <= 100)
      ? []
      : [wrong(`${at}/description`, description, "a description of 1 to 100 characters")];
  return length === 0 ? [] : [wrong(`${at}/description`, description, "no description on a user or message command")];
}

function optionsFindings(options: unknown[], at: string, depth: number): Finding[] {
  const list = options.filter(isRecord);
  const nested = list.filter((option) => isSubcommand(option)).length;
  const names = list.map((option) => option["name"]);
  return [
    ...(list.length > 25 ? [told(at, `${list.length} options`, "at most 25")] : []),
    ...(nested > 0 && nested < list.length ? [wrong(at, names, "subcommands only, or none")] : []),
    ...(new Set(names).size < names.length ? [wrong(at, names, "every option's name once")] : []),
    ...orderFindings(list, at),
    ...list.flatMap((option, index) => optionFindings(option, `${at}/${index}`, depth)),
  ];
}

function isSubcommand(option: Record<string, unknown>): boolean {
  return option["type"] === 1 || option["type"] === 2;
}

function orderFindings(list: Record<string, unknown>[], at: string): Finding[] {
  const firstOptional = list.findIndex((option) => option["required"] !== true && !isSubcommand(option));
  const late = list.findIndex(
    (option, index) => option["required"] === true && firstOptional !== -1 && index > firstOptional,
  );
  return late === -1 ? [] : [wrong(`${at}/${late}`, list[late]?.["name"], "required options before the others")];
}

function optionFindings(option: Record<string, unknown>, at: string, depth: number): Finding[] {
  const choices = items(option["choices"]);
  const deepest = option["type"] === 2 ? 0 : option["type"] === 1 ? 1 : 2;
  return [
    ...nameFindings(option, at),
    ...(option["autocomplete"] === true && choices.length > 0
      ? [told(`${at}/choices`, `${choices.length} choices`, "none, since it autocompletes")]
      : []),
    ...(choices.length > 25 ? [told(`${at}/choices`, `${choices.length} choices`, "at most 25")] : []),
    ...(depth > deepest
      ? [wrong(`${at}/type`, option["type"], "groups only at the top, subcommands only in them")]
      : []),
    ...optionsFindings(items(option["options"]), `${at}/options`, depth + 1),
  ];
}

/** Names, descriptions and values of a command and all in it; of translations the longest counts. */
function sizeOf(node: Record<string, unknown>): number {
  const value = typeof node["value"] === "string" ? lengthOf(node["value"]) : 0;
  const below = [...items(node["options"]), ...items(node["choices"])].filter(isRecord);
  return (
    longest(node, "name") + longest(node, "description") + value + below.reduce((sum, child) => sum + sizeOf(child), 0)
  );
}

function longest(node: Record<string, unknown>, key: string): number {
  const translations = node[`${key}_localizations`];
  const lengths = isRecord(translations) ? Object.values(translations).map(lengthOf) : [];
  return Math.max(lengthOf(node[key]), ...lengths);
}
