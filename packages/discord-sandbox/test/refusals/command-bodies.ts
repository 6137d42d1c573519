/**
 * Wrong application commands, and wrong answers to interactions, one for each documented rule.
 */
import { choice, long, type WrongBody } from "./message-bodies.ts";

const many = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));
const command = (more: Record<string, unknown>): Record<string, unknown> => ({
  type: 1,
  name: "start",
  description: "d",
  ...more,
});
const option = (name: string, more: Record<string, unknown> = {}): Record<string, unknown> => ({
  type: 3,
  name,
  description: "d",
  ...more,
});
const withOptions = (...options: unknown[]): Record<string, unknown> => command({ options });
const sub = (name: string, more: Record<string, unknown> = {}): Record<string, unknown> => ({
  type: 1,
  name,
  description: "d",
  ...more,
});

/** A right command of exactly so many characters in names, descriptions and values. */
export function sized(characters: number): Record<string, unknown> {
  const choices = (count: number) =>
    many(count, (n) => ({ name: String(n).padEnd(100, "x"), value: String(n).padEnd(100, "x") }));
  // "start" and "d" are 6; an option with its description 3, each choice 200, each option without one 2 to 101.
  const first = option("a1", { choices: choices(25) });
  const second = option("a2", { choices: choices(Math.floor((characters - 6 - 5006) / 200)) });
  const left = (characters - 6 - 3 - 5003) % 200;
  const rest = [option("b1", { description: long(Math.min(100, left - 4)) })];
  return withOptions(first, second, ...rest, ...(left > 104 ? [option("b2", { description: long(left - 104) })] : []));
}

/** Each is created on its own. */
export const wrongCommands: readonly WrongBody[] = [
  { law: "a command has a name", body: { type: 1, description: "d" }, at: "name" },
  { law: "of at most 32", body: command({ name: long(33) }), at: "name" },
  { law: "without spaces", body: command({ name: "start it" }), at: "name" },
  { law: "in lower case", body: command({ name: "Start" }), at: "name" },
  { law: "in every language", body: command({ name_localizations: { ko: "시작 하기" } }), at: "name_localizations.ko" },
  {
    law: "in languages Discord has",
    body: command({ name_localizations: { tlh: "start" } }),
    at: "name_localizations",
  },
  { law: "a chat command has a description", body: { type: 1, name: "start" }, at: "description" },
  { law: "of at most 100", body: command({ description: long(101) }), at: "description" },
  {
    law: "in every language too",
    body: command({ description_localizations: { ko: long(101) } }),
    at: "description_localizations.ko",
  },
  { law: "a message command has none", body: { type: 3, name: "Look", description: "d" }, at: "description" },
  { law: "a message command has no options", body: { type: 3, name: "Look", options: [option("a")] }, at: "options" },
  { law: "a command has at most 25 options", body: withOptions(...many(26, (n) => option(`o${n}`))), at: "options" },
  { law: "an option has a description", body: withOptions({ type: 3, name: "a" }), at: "options.0.description" },
  { law: "an option's name is lower case", body: withOptions(option("Name")), at: "options.0.name" },
  { law: "an option's type is 1 to 11", body: withOptions(option("a", { type: 12 })), at: "options.0.type" },
  { law: "an option's name stands once", body: withOptions(option("a"), option("a")), at: "options.1" },
  {
    law: "required options stand first",
    body: withOptions(option("a"), option("b", { required: true })),
    at: "options.1",
  },
  {
    law: "an option has at most 25 choices",
    body: withOptions(option("a", { choices: many(26, (n) => ({ name: `n${n}`, value: `v${n}` })) })),
    at: "options.0.choices",
  },
  {
    law: "a choice's name is at most 100",
    body: withOptions(option("a", { choices: [{ name: long(101), value: "v" }] })),
    at: "options.0.choices.0.name",
  },
  {
    law: "a choice's value is at most 100",
    body: withOptions(option("a", { choices: [{ name: "n", value: long(101) }] })),
    at: "options.0.choices.0.value",
  },
  {
    law: "choices stand not beside autocomplete",
    body: withOptions(option("a", { autocomplete: true, choices: [{ name: "n", value: "v" }] })),
    at: "options.0",
  },
  {
    law: "autocomplete is for text and numbers",
    body: withOptions(option("a", { type: 5, autocomplete: true })),
    at: "options.0",
  },
  { law: "a subcommand stands beside subcommands only", body: withOptions(sub("a"), option("b")), at: "options" },
  {
    law: "a group stands in no subcommand",
    body: withOptions(sub("a", { options: [{ type: 2, name: "g", description: "d", options: [] }] })),
    at: "options.0.options.0.type",
  },
  { law: "a command has at most 8000 characters", body: sized(8001), at: "" },
];

/** Lists that replace all commands. */
export const wrongCommandLists: readonly { law: string; body: unknown[]; at: string; code?: number }[] = [
  { law: "at most 100 chat commands", body: many(101, (n) => command({ name: `c${n}` })), at: "", code: 30032 },
  { law: "at most 15 message commands", body: many(16, (n) => ({ type: 3, name: `m${n}` })), at: "", code: 30032 },
  { law: "at most 15 user commands", body: many(16, (n) => ({ type: 2, name: `u${n}` })), at: "", code: 30032 },
  { law: "a name stands once for each type", body: [command({}), command({})], at: "" },
];

const modal = (...components: unknown[]): Record<string, unknown> => ({
  type: 9,
  data: { custom_id: "m", title: "T", components },
});
const label = (component: unknown, more: Record<string, unknown> = {}): unknown => ({
  type: 18,
  label: "L",
  component,
  ...more,
});
const input = (custom_id: string, more: Record<string, unknown> = {}): Record<string, unknown> => ({
  type: 4,
  custom_id,
  style: 1,
  ...more,
});
const choices = (...list: unknown[]): Record<string, unknown> => ({ type: 8, data: { choices: list } });

export const wrongModals: readonly WrongBody[] = [
  {
    law: "a modal has a title",
    body: { type: 9, data: { custom_id: "m", components: [label(input("a"))] } },
    at: "data.title",
  },
  {
    law: "of at most 45",
    body: { type: 9, data: { custom_id: "m", title: long(46), components: [label(input("a"))] } },
    at: "data.title",
  },
  {
    law: "a modal has a custom_id of at most 100",
    body: { type: 9, data: { custom_id: long(101), title: "T", components: [label(input("a"))] } },
    at: "data.custom_id",
  },
  {
    law: "a modal has at most 5 components",
    body: modal(...many(6, (n) => label(input(`i${n}`)))),
    at: "data.components",
  },
  { law: "a modal has a component", body: modal(), at: "data.components" },
  {
    law: "a modal has no buttons",
    body: modal({ type: 1, components: [{ type: 2, style: 1, label: "x", custom_id: "b" }] }),
    at: "data.components.0.components.0.type",
  },
  { law: "a label is at most 45", body: modal(label(input("a"), { label: long(46) })), at: "data.components.0.label" },
  {
    law: "a label's description is at most 100",
    body: modal(label(input("a"), { description: long(101) })),
    at: "data.components.0.description",
  },
  { law: "a label has a component", body: modal({ type: 18, label: "L" }), at: "data.components.0.component" },
  {
    law: "a text input has a style",
    body: modal(label({ type: 4, custom_id: "a" })),
    at: "data.components.0.component.style",
  },
  {
    law: "its length is at most 4000",
    body: modal(label(input("a", { max_length: 4001 }))),
    at: "data.components.0.component.max_length",
  },
  {
    law: "its placeholder is at most 100",
    body: modal(label(input("a", { placeholder: long(101) }))),
    at: "data.components.0.component.placeholder",
  },
  {
    law: "a radio group has 2 options",
    body: modal(label({ type: 21, custom_id: "r", options: [choice("a")] })),
    at: "data.components.0.component.options",
  },
  {
    law: "and at most 10",
    body: modal(label({ type: 21, custom_id: "r", options: many(11, (n) => choice(`o${n}`)) })),
    at: "data.components.0.component.options",
  },
  {
    law: "a checkbox group has at most 10 options",
    body: modal(label({ type: 22, custom_id: "c", options: many(11, (n) => choice(`o${n}`)) })),
    at: "data.components.0.component.options",
  },
  {
    law: "a file upload takes at most 10 files",
    body: modal(label({ type: 19, custom_id: "f", max_values: 11 })),
    at: "data.components.0.component.max_values",
  },
  {
    law: "a modal's custom_id is used once",
    body: modal(label(input("a")), label(input("a"))),
    at: "data.components.1.component.custom_id",
  },
];

export const wrongChoices: readonly WrongBody[] = [
  {
    law: "at most 25 choices are offered",
    body: choices(...many(26, (n) => ({ name: `n${n}`, value: `v${n}` }))),
    at: "data.choices",
  },
  { law: "a choice's name is at most 100", body: choices({ name: long(101), value: "v" }), at: "data.choices.0.name" },
  { law: "a choice has a name", body: choices({ name: "", value: "v" }), at: "data.choices.0.name" },
  {
    law: "a choice's value is at most 100",
    body: choices({ name: "n", value: long(101) }),
    at: "data.choices.0.value",
  },
];
