/**
 * What can be pressed under a decision: up to five options as buttons, more as a select, and more than that as pages
 * of one; words through a window. Whatever is allowed by a press can be pressed only once all of it was shown.
 */
import { ButtonStyle, ComponentType, type APIMessageTopLevelComponent, type APISelectMenuOption } from "discord-api-types/v10";
import { excerpt, oneLine } from "../base/text.ts";
import { say, type Locale } from "../base/words/say.ts";
import { isSeen, nextQuestion, PERMISSION, PLAN, type Decision, type Question } from "../core/decision.ts";
import { packed, pressId } from "./decision-id.ts";

/** Discord's limits for a row of buttons and for the options of a select. */
const BUTTONS = 5;
export const PAGE_OPTIONS = 25;
/** Of more than these no press can carry which are chosen: they are answered in words. */
export const PICKABLE = 120;

type Row = APIMessageTopLevelComponent;
type Style = ButtonStyle.Primary | ButtonStyle.Secondary | ButtonStyle.Success | ButtonStyle.Danger;
interface Pressable {
  id: string;
  label: string;
  style: Style;
  disabled?: boolean;
}

/** Under the prompt of an open decision. `readable`: what would be done can be shown. */
export function controls(decision: Decision, locale: Locale, readable: boolean): Row[] {
  if (decision.kind !== "question") return [...rows(choices(decision, locale, readable && isSeen(decision))), ...rows(turning(decision, locale, readable))];
  const question = decision.questions[nextQuestion(decision)];
  if (!question) return [];
  const { options, many } = question;
  const own = question.words ? [button(pressId(decision, "words"), say(locale, options.length === 0 ? "button_own_words" : "button_other"))] : [];
  if (options.length === 0) return rows(own);
  if (options.length <= BUTTONS && !many) return rows([...options.map(({ label }, place) => button(pressId(decision, "option", place), optionLabel(question, label, place), ButtonStyle.Primary)), ...own]);
  const all = options.length > PAGE_OPTIONS && options.length <= PICKABLE ? [button(pressId(decision, "pick", "0."), say(locale, "button_all_options", { count: options.length }))] : [];
  return [select(decision, question, 0, [], locale), ...rows([...all, ...own])];
}

/** Under one page of what would be done: the next one, and after the last what it comes to. */
export function pageControls(decision: Decision, page: number, locale: Locale): Row[] {
  const { pages = 1 } = decision.subject ?? {};
  if (page < pages) return rows([button(pressId(decision, "page", page + 1), say(locale, "button_page", { page: page + 1, pages }), ButtonStyle.Primary)]);
  // This page counts as seen as soon as it stands.
  return rows(choices(decision, locale, decision.seen >= page - 1));
}

/** Under one page of the options of a question, from 0, with those chosen so far. */
export function pickControls(decision: Decision, page: number, chosen: readonly number[], locale: Locale): Row[] {
  const question = decision.questions[nextQuestion(decision)];
  if (!question) return [];
  const turn = (to: number, word: "button_page_before" | "button_page_after"): Pressable => button(pressId(decision, "pick", `${to}.${packed(chosen)}`), say(locale, word));
  const done = button(pressId(decision, "done", packed(chosen)), say(locale, "button_choose_done", { count: chosen.length }), ButtonStyle.Success, chosen.length === 0);
  return [
    select(decision, question, page, chosen, locale),
    ...rows([
      ...(page > 0 ? [turn(page - 1, "button_page_before")] : []),
      ...((page + 1) * PAGE_OPTIONS < question.options.length ? [turn(page + 1, "button_page_after")] : []),
      ...(question.many ? [done] : []),
    ]),
  ];
}

/** How an option is called: by its own words where these have a letter or number in front, else by a letter. */
export function letterOf({ options }: Pick<Question, "options">, place: number): string {
  const named = options.some(({ label }) => /^\s*[([]?(?:[A-Za-z]|\d{1,3})[).:\]]/.test(label));
  if (named) return "";
  return options.length <= 26 ? String.fromCharCode(65 + place) : String(place + 1);
}

/** `whole`: all of what would be done was shown. */
function choices(decision: Decision, locale: Locale, whole: boolean): Pressable[] {
  const shut = !whole;
  const option = (place: number, label: string, style: Style, disabled = false): Pressable => button(pressId(decision, "option", place), label, style, disabled);
  if (decision.kind === "plan") {
    return [
      option(PLAN.approve, say(locale, "decision_approve"), ButtonStyle.Success, shut),
      option(PLAN.reject, say(locale, "decision_reject"), ButtonStyle.Danger),
      button(pressId(decision, "words", PLAN.reject), say(locale, "button_reject_why")),
    ];
  }
  return [
    option(PERMISSION.once, say(locale, "decision_allow_once"), ButtonStyle.Success, shut),
    option(PERMISSION.session, say(locale, "decision_allow_session"), ButtonStyle.Primary, shut),
    option(PERMISSION.deny, say(locale, "decision_deny"), ButtonStyle.Danger),
    button(pressId(decision, "words", PERMISSION.deny), say(locale, "button_deny_why")),
  ];
}

/** The page that comes next, or, once all were shown, the second again. A plan's stand above it as messages. */
function turning(decision: Decision, locale: Locale, readable: boolean): Pressable[] {
  const { subject, seen, kind } = decision;
  if (!subject || subject.pages === 1 || !readable || (kind === "plan" && isSeen(decision))) return [];
  const page = seen < subject.pages ? seen + 1 : 2;
  return [button(pressId(decision, "page", page), say(locale, "button_page", { page, pages: subject.pages }), isSeen(decision) ? ButtonStyle.Secondary : ButtonStyle.Primary)];
}

function select(decision: Decision, question: Question, page: number, chosen: readonly number[], locale: Locale): Row {
  const first = page * PAGE_OPTIONS;
  const options = question.options.slice(first, first + PAGE_OPTIONS).map(({ label, description }, index): APISelectMenuOption => {
    const place = first + index;
    const says = oneLine(description, 100);
    return { label: optionLabel(question, label, place, 100), value: String(place), ...(says === "" ? {} : { description: says }), ...(chosen.includes(place) ? { default: true } : {}) };
  });
  const many = question.many ? { min_values: page === 0 && question.options.length <= PAGE_OPTIONS ? 1 : 0, max_values: options.length } : {};
  const placeholder = excerpt(say(locale, question.many ? "choose_many" : "choose_one"), 150);
  const custom_id = pressId(decision, "select", `${page}.${packed(chosen)}`);
  return { type: ComponentType.ActionRow, components: [{ type: ComponentType.StringSelect, custom_id, placeholder, ...many, options }] };
}

function optionLabel(question: Question, label: string, place: number, max = 80): string {
  const letter = letterOf(question, place);
  const words = oneLine(label, max);
  return oneLine(letter === "" ? words : words === "" ? letter : `${letter} · ${words}`, max) || String(place + 1);
}

function button(id: string, label: string, style: Style = ButtonStyle.Secondary, disabled = false): Pressable {
  return { id, label, style, disabled };
}

/** As many rows as it takes. */
function rows(all: readonly Pressable[]): Row[] {
  return Array.from({ length: Math.ceil(all.length / BUTTONS) }, (_, row) => ({
    type: ComponentType.ActionRow,
    components: all.slice(row * BUTTONS, (row + 1) * BUTTONS).map(({ id, label, style, disabled }) => ({
      type: ComponentType.Button as const,
      style,
      label: excerpt(label, 80),
      custom_id: id,
      ...(disabled === true ? { disabled } : {}),
    })),
  }));
}
