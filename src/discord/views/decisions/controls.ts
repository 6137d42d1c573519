/**
 * The controls under a decision: up to five options as buttons, more as a select, and still more as a paged select;
 * text through a modal. A button that allows something works only after all of it was shown.
 */
import {
  ButtonStyle,
  ComponentType,
  type APIMessageTopLevelComponent,
  type APISelectMenuOption,
  type APIEmbed,
} from "discord-api-types/v10";
import { instantOf, shownAt } from "../../../base/local-time.ts";
import { excerpt, oneLine, longestBeginning, withoutMarkdown } from "../../../base/text.ts";
import { say, type Locale } from "../../../base/words/say.ts";
import { calledBy } from "../../../core/decisions/answers/option-names.ts";
import { fitsConstraint } from "../../../core/decisions/answers/wanted.ts";
import { isOnScreen, workOf, type TurnAsker } from "../../../core/decisions/asker.ts";
import { jobOrTurn } from "../../../core/jobs/job-or-turn.ts";
import {
  isOpen,
  nextQuestion,
  type Answer,
  type Decision,
  type DecisionRef,
  type Question,
  type SettledDecision,
} from "../../../core/decisions/decision.ts";
import { isSeen, mayBeAllowed, PERMISSION, PLAN } from "../../../core/decisions/may-answer.ts";
import { wantsTo } from "../../../core/decisions/subject.ts";
import {
  button,
  ROW_BUTTONS,
  buttonRows,
  type Body,
  type Button,
  code,
  colours,
  phoneLine,
  plainLine,
  systemBody,
  urlOf,
} from "../message.ts";
import { packPlaces, PRESET, pressId } from "../custom-id.ts";
import type { State } from "../../../core/state.ts";
import { PROMPT_PART } from "../../../core/posts/post.ts";

/** Discord's limit for the options of a select, and for the buttons of a message. */
export const PAGE_OPTIONS = 25;
/** With more options than this, a custom id cannot carry the chosen ones: they are answered in words. */
const PICKABLE = 120;

type ComponentRow = APIMessageTopLevelComponent;

/** The controls under the prompt of an open decision. `readable`: what would be done can be shown. */
export function controls(decision: Decision, locale: Locale, readable: boolean): ComponentRow[] {
  if (decision.kind !== "question")
    return [
      ...buttonRows(choices(decision, locale, readable && mayBeAllowed(decision) && isSeen(decision))),
      ...buttonRows(turning(decision, locale, readable)),
    ];
  const question = decision.questions[nextQuestion(decision)];
  if (!question) return [];
  const { options, many } = question;
  const inTerminal = decision.asker.by === "hook";
  const own = question.words
    ? [
        button(
          pressId(decision, "words"),
          say(
            locale,
            options.length === 0 ? "button_own_words" : inTerminal ? "button_other_terminal" : "button_other",
          ),
        ),
      ]
    : [];
  const isPressed = options.length > 0 && options.length <= ROW_BUTTONS && !many;
  const keep =
    question.preset !== undefined && !isPressed
      ? [
          button(
            pressId(decision, "done", PRESET),
            oneLine(say(locale, "button_keep", { value: valueOf(question, question.preset) }), 80),
          ),
        ]
      : [];
  const skip = question.optional ? [button(pressId(decision, "done"), say(locale, "button_skip"))] : [];
  const turnDown = decision.form
    ? [
        button(pressId(decision, "decline", "decline"), say(locale, "button_decline"), ButtonStyle.Danger),
        button(
          pressId(decision, "decline", "cancel"),
          say(locale, question.url === undefined ? "button_cancel_form" : "button_not_now"),
        ),
      ]
    : [];
  const others = [
    ...own,
    ...keep,
    ...skip,
    button(pressId(decision, "snooze"), say(locale, "button_later")),
    ...turnDown,
  ];
  if (options.length === 0) return buttonRows(others);
  if (isPressed) {
    const answers = optionButtons(decision, question, ButtonStyle.Primary);
    if (inTerminal) return [...buttonRows(answers), ...buttonRows(own)];
    // Buttons that are not options get a row of their own if not all fit into one.
    return answers.length + others.length <= ROW_BUTTONS
      ? buttonRows([...answers, ...others])
      : [...buttonRows(answers), ...buttonRows(others)];
  }
  return [
    select(decision, question, { page: 0, chosen: [] }, locale),
    ...buttonRows([...allOptions(decision, question, locale), ...others]),
  ];
}

/** Under "Which one?": all options, as many as a message can have as buttons, none of which stands out. */
export function whichControls(decision: Decision, locale: Locale): ComponentRow[] {
  const question = decision.questions[nextQuestion(decision)];
  if (!question) return [];
  if (question.options.length <= PAGE_OPTIONS && !question.many)
    return buttonRows(optionButtons(decision, question, ButtonStyle.Secondary));
  return [
    select(decision, question, { page: 0, chosen: [] }, locale),
    ...buttonRows(allOptions(decision, question, locale)),
  ];
}

function optionButtons(decision: Decision, question: Question, style: Button["style"]): Button[] {
  const letters = question.url === undefined ? lettersOf(question.options) : [];
  return question.options.map(({ label }, place) =>
    button(pressId(decision, "option", place), optionLabel(letters[place] ?? "", label, place), style),
  );
}

function allOptions(decision: Decision, { options }: Question, locale: Locale): Button[] {
  return options.length > PAGE_OPTIONS && options.length <= PICKABLE
    ? [button(pressId(decision, "pick", "0."), say(locale, "button_all_options", { count: options.length }))]
    : [];
}

/** Under an answered question: the press can be taken back until somebody has received the answer. */
export function settledControls(decision: SettledDecision, locale: Locale): ComponentRow[] {
  return decision.state === "answered" && decision.revocable
    ? buttonRows([button(pressId(decision, "back"), say(locale, "button_take_back"))])
    : [];
}

/** The choices of when a question is asked again. */
export function snoozeControls(decision: Decision, locale: Locale): ComponentRow[] {
  return buttonRows(
    SNOOZES.map((choice) => button(pressId(decision, "snooze", choice), say(locale, `button_snooze_${choice}`))),
  );
}

/** Under the reply to a message that keeps a question open. `sends`: its words can still be sent as the answer. */
export function keptControls(decision: Decision, locale: Locale, sends: boolean): ComponentRow[] {
  return [
    ...(sends
      ? buttonRows([
          button(pressId(decision, "words", "kept"), say(locale, "button_send_as_answer"), ButtonStyle.Primary),
        ])
      : []),
    ...snoozeControls(decision, locale),
  ];
}

/** Under one page of what would be done: a button for the next page, or the choices after the last page. */
export function pageControls(decision: Decision, page: number, locale: Locale): ComponentRow[] {
  const { pages = 1 } = decision.subject ?? {};
  if (page < pages)
    return buttonRows([
      button(
        pressId(decision, "page", page + 1),
        say(locale, "button_page", { page: page + 1, pages }),
        ButtonStyle.Primary,
      ),
    ]);
  // This page counts as seen as soon as it is posted.
  return buttonRows(choices(decision, locale, mayBeAllowed(decision) && decision.shown.pages >= page - 1));
}

/** Which page of the options is open, from 0, and the places of those chosen so far. */
export interface OptionSelection {
  page: number;
  chosen: readonly number[];
}

/** Under one page of a question's options, counted from 0, with the options chosen so far. */
export function pickControls(decision: Decision, choice: OptionSelection, locale: Locale): ComponentRow[] {
  const { page, chosen } = choice;
  const question = decision.questions[nextQuestion(decision)];
  if (!question) return [];
  const turn = (to: number, word: "button_page_before" | "button_page_after"): Button =>
    button(pressId(decision, "pick", `${to}.${packPlaces(chosen)}`), say(locale, word));
  const done = usable(
    button(
      pressId(decision, "done", packPlaces(chosen)),
      say(locale, "button_choose_done", { count: chosen.length }),
      ButtonStyle.Success,
    ),
    chosen.length > 0 && fitsConstraint(question.wanted, { places: chosen, words: null }),
  );
  return [
    select(decision, question, choice, locale),
    ...buttonRows([
      ...(page > 0 ? [turn(page - 1, "button_page_before")] : []),
      ...((page + 1) * PAGE_OPTIONS < question.options.length ? [turn(page + 1, "button_page_after")] : []),
      ...(question.many ? [done] : []),
    ]),
  ];
}

/** The letter or number shown before each option; empty where the option's own label contains it. */
export function lettersOf(options: Question["options"]): string[] {
  return calledBy(options.map(({ label }) => label)).map(({ name, shown }) => (shown ? "" : name));
}

/** The name of each option in a typed answer, as shown: its letter, its number, its label or its words. */
export function calledIn(options: Question["options"]): string[] {
  return calledBy(options.map(({ label }) => label)).map(({ name }) => `\`${oneLine(name.replaceAll("`", "'"), 40)}\``);
}

/** `allowable`: it can be allowed, and all of what would be done was shown. */
function choices(decision: Decision, locale: Locale, allowable: boolean): Button[] {
  const inTerminal = decision.asker.by === "hook";
  const later = decision.subject?.described === true;
  const option = (place: number, label: string, style: Button["style"]): Button =>
    button(pressId(decision, "option", place), label, style);
  if (decision.kind === "plan") {
    return [
      usable(option(PLAN.approve, say(locale, "decision_approve"), ButtonStyle.Success), allowable),
      option(PLAN.reject, say(locale, "decision_reject"), ButtonStyle.Danger),
      button(
        pressId(decision, "words", PLAN.reject),
        say(locale, later ? "button_reject_why_later" : "button_reject_why"),
      ),
    ];
  }
  const deny = option(PERMISSION.deny, say(locale, "decision_deny"), ButtonStyle.Danger);
  // Escape says no more than that.
  if (isOnScreen(decision.asker)) return [deny];
  return [
    usable(
      option(PERMISSION.once, say(locale, inTerminal ? "button_allow" : "decision_allow_once"), ButtonStyle.Success),
      allowable,
    ),
    usable(option(PERMISSION.session, say(locale, "decision_allow_session"), ButtonStyle.Primary), allowable),
    ...(decision.subject?.rules === true
      ? [usable(button(pressId(decision, "rules"), say(locale, "button_always")), allowable)]
      : []),
    deny,
    button(
      pressId(decision, "words", PERMISSION.deny),
      say(locale, inTerminal ? "button_else" : later ? "button_deny_why_later" : "button_deny_why"),
    ),
  ];
}

/** A button for the next page or, once all were shown, for page 2 again. A plan's pages are messages above it. */
function turning(decision: Decision, locale: Locale, readable: boolean): Button[] {
  const { subject, shown, kind } = decision;
  if (!subject || subject.pages === 1 || !readable || (kind === "plan" && isSeen(decision))) return [];
  const page = shown.pages < subject.pages ? shown.pages + 1 : 2;
  return [
    button(
      pressId(decision, "page", page),
      say(locale, "button_page", { page, pages: subject.pages }),
      isSeen(decision) ? ButtonStyle.Secondary : ButtonStyle.Primary,
    ),
  ];
}

function select(
  decision: Decision,
  question: Question,
  { page, chosen }: OptionSelection,
  locale: Locale,
): ComponentRow {
  const first = page * PAGE_OPTIONS;
  const letters = lettersOf(question.options);
  const options = question.options
    .slice(first, first + PAGE_OPTIONS)
    .map(({ label, description }, index): APISelectMenuOption => {
      const place = first + index;
      const says = oneLine(description, 100);
      return {
        label: optionLabel(letters[place] ?? "", label, place, 100),
        value: String(place),
        ...(says === "" ? {} : { description: says }),
        ...(chosen.includes(place) ? { default: true } : {}),
      };
    });
  const { minimum = 1, maximum = options.length } = question.wanted ?? {};
  const isWhole = page === 0 && question.options.length <= PAGE_OPTIONS;
  const many = question.many
    ? {
        min_values: isWhole ? Math.min(minimum, options.length) : 0,
        max_values: Math.min(Math.max(1, maximum), options.length),
      }
    : {};
  const placeholder = excerpt(say(locale, question.many ? "choose_many" : "choose_one"), 150);
  const custom_id = pressId(decision, "select", `${page}.${packPlaces(chosen)}`);
  return {
    type: ComponentType.ActionRow,
    components: [{ type: ComponentType.StringSelect, custom_id, placeholder, ...many, options }],
  };
}

/** An answer as plain words. */
function valueOf({ options }: Question, { places, words }: Answer): string {
  return words ?? places.map((place) => options[place]?.label ?? "").join(", ");
}

function optionLabel(letter: string, label: string, place: number, max = 80): string {
  const words = oneLine(label, max);
  return oneLine(letter === "" ? words : words === "" ? letter : `${letter} · ${words}`, max) || String(place + 1);
}

function usable(button: Button, isUsable: boolean): Button {
  return isUsable ? button : { ...button, disabled: true };
}

/*
 * The frame of every decision: an embed in a colour of its own that says who asks, which no agent text can imitate.
 * Agent text in it comes only from the structured request and is drawn as plain text or as code.
 */

/** A shorter beginning of a line is not worth showing. */
const ENOUGH_CHARS = 12;
const SUBAGENT_CHARS = 80;
/** Of the first line, which a phone shows. */
const HEADLINE_CHARS = 100;
/** Of the thing in it, and of each of two; a longer one stands whole below. */
const THING_CHARS = 60;
const TWO_THINGS_CHARS = 28;

/** Who asks, in a few words; drawn as plain text. */
export function askerOf(state: State, decision: Decision): string {
  return withoutMarkdown(askerIn(state, decision));
}

function askerIn(state: State, decision: Decision, max = Number.POSITIVE_INFINITY): string {
  const { asker, thread_id } = decision;
  switch (asker.by) {
    case "job":
    case "turn": {
      const name = toolOf(state, decision, asker);
      const tool = oneLine(state.threads[thread_id ?? ""]?.told?.[name]?.name ?? name, Math.min(40, max));
      if (asker.subagent === undefined) return tool;
      const left = Math.min(SUBAGENT_CHARS, max - tool.length - 3);
      // Rather the subagent of an agent than the agent of a subagent.
      return left < ENOUGH_CHARS
        ? oneLine(asker.subagent, Math.min(SUBAGENT_CHARS, max))
        : `${tool} › ${oneLine(asker.subagent, left)}`;
    }
    case "mcp":
      return oneLine(asker.project, Math.min(60, max)) || "MCP";
    case "hook":
      return "Claude";
  }
}

function toolOf(state: State, decision: Decision, asker: TurnAsker): string {
  const asked = isOpen(decision) ? undefined : decision.asker_tool;
  return asked ?? jobOrTurn(state, workOf(asker) ?? "")?.tool ?? "?";
}

export function frame(decision: Decision, locale: Locale, embed: APIEmbed, state: State): APIEmbed {
  return { color: colours.asks, ...embed, footer: { text: footer(state, decision, locale) } };
}

/**
 * The message of a decision. Its first line is the message's own text: of one that mentions its owner, a phone shows
 * nothing else.
 */
export function framedBody(state: State, decision: Decision, locale: Locale, embed: APIEmbed): Body {
  return { ...systemBody(frame(decision, locale, embed, state)), content: headline(state, decision, locale) };
}

/** Who asks for what, on one line. */
export function headline(state: State, decision: Decision, locale: Locale): string {
  const by = (agent: string): string => headlineBy(agent, decision, locale);
  return by(phoneLine(askerIn(state, decision, HEADLINE_CHARS - by("").length)));
}

function headlineBy(agent: string, decision: Decision, locale: Locale): string {
  switch (decision.kind) {
    case "permission": {
      if (isOnScreen(decision.asker)) return `🖥️ ${say(locale, "decision_screen", { agent })}`;
      const { subject } = decision;
      const chars = subject?.act?.where === undefined ? THING_CHARS : TWO_THINGS_CHARS;
      return `🔐 ${wantsTo(locale, agent, subject ?? { tool: "?" }, (thing) => code(thing || '""', chars))}`;
    }
    case "plan":
      return `📋 ${say(locale, "decision_plan", { agent })}`;
    case "question": {
      // The last question of a form is ours: whether to send the answers.
      const count = decision.questions.length - (decision.form === true ? 1 : 0);
      const number = nextQuestion(decision) + 1;
      return [
        `❓ ${say(locale, "ask_question", { agent })}`,
        ...(count > 1 && number > 0 && number <= count ? [say(locale, "ask_number", { number, count })] : []),
      ].join(" · ");
    }
  }
}

/** External text, quoted line by line, in at most `max` characters; longer text is cut at the end. */
export function quoteLines(text: string, max: number): string {
  const shown: string[] = [];
  let left = max;
  for (const line of text.replace(/\r\n?/g, "\n").trim().split("\n")) {
    const drawn = `> ${plainLine(line, max)}`;
    if (drawn.length > left) {
      const cut = longestBeginning(drawn, left - 1).trimEnd();
      // A backslash whose escaped character was cut off would escape the ellipsis.
      const [escapes = ""] = /(?<!\\)\\*$/.exec(cut) ?? [];
      shown.push(left < ENOUGH_CHARS ? "> …" : `${escapes.length % 2 === 1 ? cut.slice(0, -1) : cut}…`);
      break;
    }
    shown.push(drawn);
    left -= drawn.length + 1;
  }
  return shown.join("\n");
}

/** The answer to a question: the labels of the chosen options, and the owner's words. */
export function answerText({ options }: Question, { places, words }: Answer, max: number): string {
  const letters = places.length > 0 ? lettersOf(options) : [];
  const names = places.map((place) => {
    const letter = letters[place] ?? "";
    return [...(letter === "" ? [] : [`**${letter}**`]), plainLine(options[place]?.label ?? "?", 200)].join(" ");
  });
  if (names.length === 0 && words === null) return "—";
  return excerpt(names.length > 0 ? names.join(", ") : plainLine(words ?? "", max), max);
}

/** The link to its prompt; null while the prompt is not posted. */
export function promptLink(state: State, { decision_id, thread_id }: DecisionRef): string | null {
  const post = state.posts[decision_id]?.[PROMPT_PART];
  return post?.message_id ? urlOf(state, thread_id ?? "", post) : null;
}

/** A timestamp that Discord draws in the reader's own time zone and language. */
export function clock(iso: string, how: "f" | "R"): string {
  return `<t:${Math.floor(Date.parse(iso) / 1000)}:${how}>`;
}

function footer(state: State, decision: Decision, locale: Locale): string {
  const { asker } = decision;
  // Footers have no Markdown, so nothing is escaped.
  switch (asker.by) {
    case "job":
    case "turn": {
      const { subagent } = asker;
      const tool = toolOf(state, decision, asker);
      const agent =
        subagent === undefined ? tool : `${tool} › ${excerpt(subagent.replace(/\s+/g, " "), SUBAGENT_CHARS)}`;
      return asker.by === "job"
        ? say(locale, "ask_by", { agent, job: asker.job_id })
        : say(locale, "ask_by_turn", { agent });
    }
    case "mcp":
      return excerpt(say(locale, "ask_by_mcp", { project: asker.project.replace(/\s+/g, " ") }), 200);
    case "hook":
      return say(locale, "ask_by_hook");
  }
}

/* How long a question can be put off, and when that ends. */

const SNOOZES = ["15m", "1h", "9h"] as const;
export type SnoozeChoice = (typeof SNOOZES)[number];

const MINUTE_MS = 60_000;
const MORNING_HOUR = 9;

export function isSnooze(detail: string): detail is SnoozeChoice {
  return (SNOOZES as readonly string[]).includes(detail);
}

/** Milliseconds since the epoch. @param zone undefined: the machine's */
export function snoozedUntil(choice: SnoozeChoice, now: number, zone?: string): number {
  if (choice === "15m") return now + 15 * MINUTE_MS;
  if (choice === "1h") return now + 60 * MINUTE_MS;
  const today = new Date(shownAt(now, zone));
  return instantOf(Date.UTC(today.getUTCFullYear(), today.getUTCMonth(), today.getUTCDate() + 1, MORNING_HOUR), zone);
}
