/**
 * Slash commands as a client handles them: the application's command tree becomes a flat list of things
 * one can type, typed text is matched against it, and every option is checked as Discord's client checks
 * it before anything is sent.
 */
import { discordLocale } from "../locale.ts";
import type { Application, Choice, Command, CommandOption } from "../state/model.ts";

export const OPTION = {
  subcommand: 1,
  group: 2,
  string: 3,
  integer: 4,
  boolean: 5,
  user: 6,
  channel: 7,
  role: 8,
  mentionable: 9,
  number: 10,
  attachment: 11,
} as const;

/** One thing that can be typed after `/`. */
export interface Invocable {
  command: Command;
  application: Application;
  /** The names from the command down to the subcommand. */
  path: string[];
  title: string;
  description: string;
  options: CommandOption[];
}

export interface Index {
  applications?: Application[];
  application_commands?: Command[];
}

/** What was entered for one option: the text shown, and the value when it was chosen from a list. */
export interface Entry {
  text: string;
  value?: string | number;
}
export type Entries = Record<string, Entry>;

export interface SentOption {
  type: number;
  name: string;
  value?: string | number | boolean;
  focused?: boolean;
  options?: SentOption[];
}

/** Texts in other languages, by Discord's names for them. */
type Localized = Pick<Command, "name" | "name_localized" | "name_localizations">;

/** A command's, option's or choice's name in the reader's language. */
export function localName(thing: Localized, locale: string): string {
  return thing.name_localized ?? thing.name_localizations?.[discordLocale(locale)] ?? thing.name;
}

export function localDescription(thing: CommandOption | Command, locale: string): string {
  return thing.description_localized ?? thing.description_localizations?.[discordLocale(locale)] ?? thing.description;
}

/** Every command that can be run, in the order of its title. Message and user commands are not typed. */
export function invocables(index: Index, locale: string): Invocable[] {
  const applications = new Map((index.applications ?? []).map((a) => [a.id, a]));
  const all = (index.application_commands ?? [])
    .filter((c) => (c.type ?? 1) === 1)
    .flatMap((command) => {
      const application = applications.get(command.application_id) ?? { id: command.application_id, name: "" };
      return leaves(command, locale).map((leaf) => ({ ...leaf, command, application }));
    });
  return all.sort((a, b) => a.title.localeCompare(b.title));
}

function leaves(command: Command, locale: string): Omit<Invocable, "command" | "application">[] {
  const walk = (
    at: Command | CommandOption,
    path: string[],
    names: string[],
  ): Omit<Invocable, "command" | "application">[] => {
    const below = (at.options ?? []).filter((o) => o.type === OPTION.subcommand || o.type === OPTION.group);
    if (below.length > 0) return below.flatMap((o) => walk(o, [...path, o.name], [...names, localName(o, locale)]));
    return [
      { path, title: `/${names.join(" ")}`, description: localDescription(at, locale), options: at.options ?? [] },
    ];
  };
  return walk(command, [command.name], [localName(command, locale)]);
}

/** Commands for what stands after the slash: those beginning with it first, then those with each word in them. */
export function matching(all: readonly Invocable[], typed: string): Invocable[] {
  const wanted = typed.trim().toLowerCase();
  if (wanted === "") return [...all];
  const words = wanted.split(/\s+/);
  const starts = all.filter((i) => namesOf(i).some((name) => name.startsWith(wanted)));
  const rest = all.filter(
    (i) =>
      !starts.includes(i) &&
      words.every((w) => namesOf(i).some((name) => name.includes(w)) || i.description.toLowerCase().includes(w)),
  );
  return [...starts, ...rest];
}

/**
 * A whole command typed or pasted, `/project create name:house path:/tmp`: the command and what is
 * entered. `undefined` where the text names no command.
 */
export function readTyped(
  all: readonly Invocable[],
  text: string,
): { invocable: Invocable; entries: Entries } | undefined {
  const lower = text.toLowerCase();
  const candidates = all
    .flatMap((i) => [i.title, `/${i.path.join(" ")}`].map((title) => ({ i, title })))
    .filter(({ title }) => lower === title.toLowerCase() || lower.startsWith(`${title.toLowerCase()} `))
    .sort((a, b) => b.title.length - a.title.length);
  const best = candidates[0];
  if (!best) return undefined;
  return { invocable: best.i, entries: readEntries(best.i.options, text.slice(best.title.length).trim()) };
}

function readEntries(options: readonly CommandOption[], text: string): Entries {
  const marks = options
    .flatMap((o) => {
      const at = new RegExp(`(?:^|\\s)${o.name.replace(/[^\p{L}\p{N}_-]/gu, "")}:`, "u").exec(text);
      return at ? [{ name: o.name, from: at.index, begin: at.index + at[0].length }] : [];
    })
    .sort((a, b) => a.from - b.from);
  const entries: Entries = {};
  marks.forEach((mark, i) => {
    entries[mark.name] = { text: text.slice(mark.begin, marks[i + 1]?.from ?? text.length).trim() };
  });
  const first = options[0];
  if (marks.length === 0 && text !== "" && first) entries[first.name] = { text };
  return entries;
}

export type Problem =
  | { kind: "required" | "integer" | "number" | "boolean" | "choice" | "reference" | "unsupported" }
  | { kind: "shorter" | "longer" | "least" | "most"; bound: number };

/** What people write for yes and no, in the page's four languages. */
const YES = new Set(["true", "yes", "y", "예", "네", "はい", "是"]);
const NO = new Set(["false", "no", "n", "아니요", "아니오", "いいえ", "否"]);

/** The value to send for an option, or what is wrong with it; `{}` for an optional one left empty. */
export function readOption(
  option: CommandOption,
  entry: Entry | undefined,
): { value?: string | number | boolean; problem?: Problem } {
  const text = entry?.text ?? "";
  if (text.trim() === "") return option.required ? { problem: { kind: "required" } } : {};
  const chosen = entry?.value ?? chosenValue(option.choices, text);
  if (option.choices?.length && chosen === undefined) return { problem: { kind: "choice" } };
  if (option.type === OPTION.string) return checkedText(option, String(chosen ?? text));
  if (option.type === OPTION.integer || option.type === OPTION.number) return checkedNumber(option, chosen ?? text);
  if (option.type === OPTION.boolean) return checkedBoolean(text);
  if (option.type === OPTION.attachment) return { problem: { kind: "unsupported" } };
  const id = /\d{17,20}/.exec(String(chosen ?? text))?.[0];
  return id ? { value: id } : { problem: { kind: "reference" } };
}

function chosenValue(choices: readonly Choice[] | undefined, text: string): string | number | undefined {
  const wanted = text.trim().toLowerCase();
  return choices?.find((c) => c.name.toLowerCase() === wanted || String(c.value).toLowerCase() === wanted)?.value;
}

function checkedText(option: CommandOption, value: string): ReturnType<typeof readOption> {
  const length = [...value].length;
  if (option.min_length !== undefined && length < option.min_length)
    return { problem: { kind: "shorter", bound: option.min_length } };
  const most = option.max_length ?? 6000;
  return length > most ? { problem: { kind: "longer", bound: most } } : { value };
}

function checkedNumber(option: CommandOption, raw: string | number): ReturnType<typeof readOption> {
  const value = Number(raw);
  const whole = option.type === OPTION.integer;
  if (!Number.isFinite(value) || (whole && !Number.isSafeInteger(value)))
    return { problem: { kind: whole ? "integer" : "number" } };
  if (option.min_value !== undefined && value < option.min_value)
    return { problem: { kind: "least", bound: option.min_value } };
  if (option.max_value !== undefined && value > option.max_value)
    return { problem: { kind: "most", bound: option.max_value } };
  return { value };
}

function checkedBoolean(text: string): ReturnType<typeof readOption> {
  const word = text.trim().toLowerCase();
  return YES.has(word) ? { value: true } : NO.has(word) ? { value: false } : { problem: { kind: "boolean" } };
}

/** The first option that cannot be sent as it stands. */
export function firstProblem(
  invocable: Invocable,
  entries: Entries,
): { option: CommandOption; problem: Problem } | undefined {
  for (const option of invocable.options) {
    const { problem } = readOption(option, entries[option.name]);
    if (problem) return { option, problem };
  }
  return undefined;
}

/**
 * The `data` of the interaction. With `focused`, the one for autocompletion: that option as typed so far,
 * the others only if they can be sent.
 */
export function commandData(invocable: Invocable, entries: Entries, focused?: string): object {
  const options = invocable.options.flatMap((option): SentOption[] => {
    const entry = entries[option.name];
    if (option.name === focused)
      return [{ type: option.type, name: option.name, value: entry?.text ?? "", focused: true }];
    const { value } = readOption(option, entry);
    return value === undefined ? [] : [{ type: option.type, name: option.name, value }];
  });
  const { command, path } = invocable;
  return {
    id: command.id,
    name: command.name,
    type: 1,
    version: command.version,
    options: nested(path.slice(1), options),
  };
}

function nested(path: readonly string[], options: SentOption[]): SentOption[] {
  const [name, ...rest] = path;
  if (name === undefined) return options;
  return [{ type: rest.length > 0 ? OPTION.group : OPTION.subcommand, name, options: nested(rest, options) }];
}

/** Fixed choices (or yes and no) that fit what is typed; `undefined` where the option has no fixed list. */
export function fixedChoices(
  option: CommandOption,
  typed: string,
  yesNo: [string, string],
  locale: string,
): Choice[] | undefined {
  const wanted = typed.trim().toLowerCase();
  if (option.type === OPTION.boolean) {
    return [
      { name: yesNo[0], value: "true" },
      { name: yesNo[1], value: "false" },
    ].filter((c) => c.name.toLowerCase().startsWith(wanted));
  }
  if (!option.choices?.length) return undefined;
  return option.choices
    .map((c) => ({ ...c, name: localName(c, locale) }))
    .filter((c) => c.name.toLowerCase().includes(wanted));
}

function namesOf(invocable: Invocable): string[] {
  return [invocable.title.slice(1).toLowerCase(), invocable.path.join(" ").toLowerCase()];
}
