/**
 * The posts owed to a thread for a decision: its prompt, a plan's pages above it, a notice when an answer
 * was not understood, and, once it is settled, the outcome in place of the prompt.
 */
import { say, type Locale, type WordKey } from "../../../base/words/say.ts";
import { isAtTerminal, isOnScreen, workOf } from "../../../core/decisions/asker.ts";
import {
  decisionsIn,
  isOpen,
  nextQuestion,
  REASKED_AT_MOST,
  type Decision,
  type OpenDecision,
  type Question,
  type SettledDecision,
} from "../../../core/decisions/decision.ts";
import { shownLine } from "../../../base/hidden-characters.ts";
import type { MixedWord } from "../../../core/decisions/look-alikes.ts";
import { allows, askedOf, lacksPlan, isSeen, mayBeAllowed } from "../../../core/decisions/may-answer.ts";
import { jobOrTurn } from "../../../core/jobs/job-or-turn.ts";
import type { State } from "../../../core/state.ts";
import type { Page } from "../../../core/decisions/pages.ts";
import { PROMPT_PART } from "../../../core/posts/post.ts";
import { OVER, promptName, SAID } from "../../../core/jobs/post-state.ts";
import {
  code,
  colours,
  pastBody,
  systemBody,
  type Body,
  type DesiredPost,
  type Rendering,
  type News,
} from "../message.ts";
import { calledIn, controls, whichControls, promptLink, clock, framedBody } from "./controls.ts";
import { isUnasked, keptPosts, pointerPosts, settledBody } from "./settled.ts";
import { planBodies, wholeFile } from "./pages.ts";
import { questionAbove, describedQuestion, type Described } from "./question.ts";
import { wantedText } from "./wanted.ts";
import { always, type Attempt } from "../../text/markdown.ts";

export interface DecisionOptions extends Rendering {
  /** What an open permission or plan would do, as shown, read before the view runs; undefined: it cannot be read. */
  reviewed?(decisionId: string): readonly Page[] | undefined;
  /** Optional: renders agents' text where that may fail or take too long. */
  attempt?: Attempt;
  /** The owner's id, to name the owner where something was settled. */
  ownerId?: string | undefined;
  /** Optional: decides whether the owner is mentioned; without it, nobody is. */
}

export function decisionPosts(state: State, decision: Decision, options: DecisionOptions): DesiredPost[] {
  if (!isOpen(decision)) return postsOf(state, decision, options);
  return (options.attempt ?? always)(
    decision.decision_id,
    Number.POSITIVE_INFINITY,
    () => postsOf(state, decision, options),
    () => [unrendered(state, decision, options.locale)],
  );
}

/** It cannot be rendered, so it has no buttons and nobody can allow it; a no in words still counts. */
function unrendered(state: State, decision: Decision, locale: Locale): DesiredPost {
  const { decision_id, kind } = decision;
  const description =
    kind === "question"
      ? say(locale, "ask_unrendered")
      : say(locale, "ask_unrendered_file", { file: code(`decisions/${decision_id}.json`) });
  const body = systemBody({ color: colours.asks, description: `⚠️ ${description}` });
  const desired = {
    ...show(decision, PROMPT_PART, body, `${promptName(state, decision)} unrendered`),
    ...(isOpen(decision) && { news: newsOf(state, decision) }),
  };
  return kind === "question" ? desired : { ...desired, want: { kind: "show", body, partly: true } };
}

function postsOf(state: State, decision: Decision, options: DecisionOptions): DesiredPost[] {
  const { locale, ownerId } = options;
  if (!isOpen(decision)) {
    if (isForgotten(state, decision) || isAllowedByRule(decision)) return [];
    const body = settledOnce(state, decision, locale, ownerId);
    // It ended by itself, or the owner settled it: nobody is notified.
    return [
      show(decision, PROMPT_PART, body, promptName(state, decision)),
      ...givenUp(state, decision, locale),
      ...which(state, decision, locale),
      ...keptPosts(state, decision, locale),
      ...pointerPosts(state, decision, locale),
    ];
  }
  const pages = decision.kind === "question" ? null : options.reviewed?.(decision.decision_id);
  return [
    ...planPages(state, decision, pages, options),
    ...above(state, decision, options),
    prompt(state, decision, pages, options),
    ...again(state, decision, locale),
    ...which(state, decision, locale),
    ...keptPosts(state, decision, locale),
    ...pointerPosts(state, decision, locale),
  ];
}

/** Posted once, and not changed any more. */
function owe(decision: Decision, part: string, body: Body): DesiredPost {
  return show(decision, part, body, SAID);
}

function newsOf(state: State, decision: Decision): News {
  const at = Date.parse(decision.asked_at);
  if (isAtTerminal(state.turns, decision.asker)) return { kind: "asks_at_terminal", at };
  const all = decisionsIn(state, decision.thread_id);
  const before = all.slice(0, all.indexOf(decision)).filter((one) => hasCalled(state, one));
  return { kind: "asks", at, before: before.map(({ asked_at }) => Date.parse(asked_at)) };
}

/** Whether its prompt called its owner, or will. What is void may never have been shown. */
function hasCalled(state: State, decision: Decision): boolean {
  return decision.state !== "void" && !isUnasked(decision) && !isAtTerminal(state.turns, decision.asker);
}

/** Its job counts it, and nothing is posted. */
function isAllowedByRule(decision: SettledDecision): boolean {
  const [answer] = decision.answers;
  return isUnasked(decision) && decision.settled_by === "rule" && answer != null && allows(decision, answer);
}

/** If its file cannot be read, it shows nothing of what would be done, so nobody can allow it. */
function prompt(
  state: State,
  decision: OpenDecision,
  pages: readonly Page[] | null | undefined,
  options: DecisionOptions,
): DesiredPost {
  const body = promptBody(state, decision, pages, options);
  const is = promptName(state, decision);
  const seen = { news: newsOf(state, decision), stands: true };
  if (pages !== undefined) return { ...show(decision, PROMPT_PART, body, is), ...seen };
  return {
    ...show(decision, PROMPT_PART, body, `${is} unreadable`),
    ...seen,
    want: { kind: "show", body, partly: true },
  };
}

/** Its job has left the live state, and with it the prompt's text about the asker: the existing message stays. */
function isForgotten(state: State, { asker }: Decision): boolean {
  const work = workOf(asker);
  return work !== null && !jobOrTurn(state, work);
}

const settledBodies = new WeakMap<SettledDecision, { of: string; body: Body }>();

/** A settled decision does not change, and a thread may hold dozens: each body is reused until its inputs change. */
function settledOnce(state: State, decision: SettledDecision, locale: Locale, ownerId: string | undefined): Body {
  const of = `${locale} ${ownerId} ${promptName(state, decision)} ${decision.settled_at}`;
  const known = settledBodies.get(decision);
  if (known?.of === of) return known.body;
  const body = settledBody(state, decision, locale, ownerId);
  settledBodies.set(decision, { of, body });
  return body;
}

/** A page that is posted as a message of its own does not change any more. */
function planPages(
  state: State,
  decision: Decision,
  pages: readonly Page[] | null | undefined,
  options: DecisionOptions,
): DesiredPost[] {
  if (decision.kind !== "plan" || !pages || lacksPlan(decision)) return [];
  const posts = state.posts[decision.decision_id] ?? {};
  const isOwed = (page: number): boolean => !posts[`page:${page}`];
  if (!pages.some((_, at) => isOwed(at + 1))) return [];
  return planBodies(state, decision, pages, options).flatMap((body, at) =>
    isOwed(at + 1) ? [owe(decision, `page:${at + 1}`, body)] : [],
  );
}

/** The parts of a question that do not fit into its prompt: posted once, for each question of several. */
function above(state: State, decision: Decision, { markdown, locale }: DecisionOptions): DesiredPost[] {
  if (decision.kind !== "question") return [];
  const posts = state.posts[decision.decision_id] ?? {};
  const number = nextQuestion(decision) === 0 ? "" : `:${nextQuestion(decision)}`;
  return questionAbove(state, decision, markdown, locale).flatMap((body, at) => {
    const part = `above${number}:${at + 1}`;
    return posts[part] ? [] : [owe(decision, part, body)];
  });
}

/** Posted below the answer that was not understood, where it is seen. */
function again(state: State, decision: Decision, locale: Locale): DesiredPost[] {
  const { reasked, unclear } = decision.typed;
  const question = decision.questions[nextQuestion(decision)];
  if (reasked === 0 || unclear === null || unclear === "which" || !question) return [];
  const embed = {
    color: colours.asks,
    title: say(locale, "again_title"),
    description: [
      say(locale, `again_${unclear}` satisfies WordKey, {
        what: question.wanted === undefined ? "" : wantedText(question.wanted, locale),
      }),
      ...howAgain(state, decision, question, locale),
    ].join("\n"),
  };
  const desired = owe(decision, `again:${reasked}`, systemBody(embed));
  return [{ ...desired, is: `${unclear} ${nextQuestion(decision)}`, news: { kind: "told" } }];
}

function howAgain(state: State, decision: Decision, question: Question, locale: Locale): string[] {
  const link = linked(state, decision, say(locale, "again_link"));
  const letters = calledIn(question.options).slice(0, 26).join(", ");
  const how =
    question.options.length === 0
      ? question.wanted === undefined
        ? "again_how_open"
        : "again_how_fitting"
      : askedOf(decision).words
        ? "again_how"
        : "again_how_strict";
  return [
    say(locale, how, { link, letters }),
    ...(decision.typed.reasked >= REASKED_AT_MOST ? [say(locale, "again_last")] : []),
  ];
}

const WHICH_PART = "which:";

/** Posted below a plain yes or no that does not say which option is meant. */
function which(state: State, decision: Decision, locale: Locale): DesiredPost[] {
  const { decision_id } = decision;
  const question = decision.questions[nextQuestion(decision)];
  const now =
    isOpen(decision) && decision.typed.asked_which && question ? `${WHICH_PART}${nextQuestion(decision)}` : null;
  const over = Object.keys(state.posts[decision_id] ?? {}).filter(
    (part) => part.startsWith(WHICH_PART) && part !== now,
  );
  const past = over.map((part): DesiredPost => ({ ...owe(decision, part, pastBody(locale)), is: OVER }));
  if (now === null || !question) return past;
  const embed = {
    color: colours.asks,
    title: say(locale, "which_title"),
    description: [say(locale, "which_says"), ...howAgain(state, decision, question, locale)].join("\n"),
  };
  return [
    ...past,
    {
      ...owe(decision, now, { ...systemBody(embed), components: whichControls(decision, locale) }),
      is: `asked again ${decision.typed.reasked}`,
      news: { kind: "told" },
    },
  ];
}

/** An edit of a message far above is not noticed, so a new message below also says that it was given up. */
function givenUp(state: State, decision: Decision, locale: Locale): DesiredPost[] {
  if (decision.state !== "aborted") return [];
  const lines = [`⚠️ ${say(locale, "done_aborted_says")}`, linked(state, decision, say(locale, "pointed_link"))];
  const embed = { color: colours.waits, title: say(locale, "done_aborted"), description: lines.join("\n") };
  return [{ ...owe(decision, "end", systemBody(embed)), news: { kind: "told" } }];
}

function linked(state: State, decision: Decision, words: string): string {
  const link = promptLink(state, decision);
  return link === null ? words : `[${words}](${link})`;
}

function show(decision: Decision, part: string, body: Body, is: string): DesiredPost {
  const { decision_id: subject, thread_id, asked_at } = decision;
  return {
    subject,
    part,
    thread_id: thread_id ?? "",
    priority: "decision",
    want: { kind: "show", body },
    is,
    since: Date.parse(asked_at),
  };
}

/**
 * The prompt of an open decision: all of what is asked, its controls, and that a typed answer works as well. Made only
 * from the structured request, so it is the same after every restart.
 * @param pages what would be done, as it is shown; null for a question, undefined where it cannot be read
 */
function promptBody(
  state: State,
  decision: OpenDecision,
  pages: readonly Page[] | null | undefined,
  { markdown, locale }: Rendering,
): Body {
  const readable = pages !== undefined;
  const { description, files } =
    decision.kind === "question"
      ? describedQuestion(decision, markdown, locale)
      : reviewed(decision, pages ?? [], readable, locale);
  const lines = [...description, ...notes(decision, locale), ...how(decision, locale)];
  return {
    ...framedBody(state, decision, locale, { description: lines.join("\n") }),
    components: controls(decision, locale, readable),
    ...(files.length > 0 ? { files } : {}),
  };
}

function reviewed(decision: Decision, pages: readonly Page[], readable: boolean, locale: Locale): Described {
  if (!readable) return { description: [say(locale, "ask_unreadable")], files: [] };
  if (lacksPlan(decision)) return { description: [`⚠️ ${say(locale, "ask_no_plan")}`], files: [] };
  const isPlan = decision.kind === "plan";
  const description = isPlan ? [] : [pages[0]?.text ?? ""];
  if (pages.some(({ prose, text }) => prose.includes("⟨") || text.includes("⟨")))
    description.push(`-# ${say(locale, "ask_hidden")}`);
  for (const one of decision.subject?.mixed ?? []) description.push(`⚠️ ${mixedWord(one, locale)}`);
  if (!mayBeAllowed(decision))
    description.push(`⚠️ ${say(locale, isOnScreen(decision.asker) ? "ask_screen" : "ask_no_yes")}`);
  if (decision.subject?.exact !== undefined) description.push(`🔑 ${say(locale, "ask_redacted")}`);
  const seen = decision.shown.pages;
  if (pages.length > 1) {
    const left = isPlan ? "ask_pages_plan" : "ask_pages";
    description.push(
      `📄 ${isSeen(decision) ? say(locale, "ask_pages_seen", { pages: pages.length }) : say(locale, left, { seen, pages: pages.length })}`,
    );
  }
  // A plan's file is attached to the plan's first page.
  return { description, files: pages.length > 1 && !isPlan ? [wholeFile("request.md", pages)] : [] };
}

/** That a word mixes scripts, and where. */
function mixedWord({ word, scripts, letters }: MixedWord, locale: Locale): string {
  const names = new Intl.DisplayNames(locale, { type: "script" });
  const named = scripts.map((script) =>
    script === "Zyyy" ? say(locale, "ask_mixed_forms") : (names.of(script) ?? script),
  );
  const places = letters.map(({ at, code: unit }) =>
    say(locale, "ask_mixed_letter", { at, code: `U+${unit.toString(16).toUpperCase().padStart(4, "0")}` }),
  );
  return say(locale, "ask_mixed", {
    word: code(shownLine(word)),
    scripts: new Intl.ListFormat(locale).format(named),
    letters: places.join(", "),
  });
}

/** Events since it was asked that the owner should know before answering. */
function notes(decision: OpenDecision, locale: Locale): string[] {
  const { kind, state, asker, lapses_at } = decision;
  const { noticed, refreshed_at, snooze } = decision.meanwhile;
  const lines: string[] = [];
  if (state === "disconnected" && noticed !== true) lines.push(`🔌 ${say(locale, "ask_disconnected")}`);
  if (refreshed_at !== null) lines.push(`🔄 ${say(locale, "ask_refreshed", { at: clock(refreshed_at, "f") })}`);
  if (snooze !== undefined) lines.push(`💤 ${say(locale, "ask_snoozed", { at: clock(snooze.until, "f") })}`);
  const inTerminal = asker.by === "hook";
  if (inTerminal && kind === "plan" && mayBeAllowed(decision)) lines.push(`✏️ ${say(locale, "ask_plan_edits")}`);
  const isBefore = inTerminal && asker.before === true;
  if (lapses_at !== null)
    lines.push(
      `⌛ ${say(locale, inTerminal && !isBefore ? "ask_lapses_terminal" : "ask_lapses", { in: clock(lapses_at, "R") })}`,
    );
  if (inTerminal && !isOnScreen(asker) && !(isBefore && lapses_at !== null))
    lines.push(say(locale, isBefore ? "ask_there_later" : "ask_there_too"));
  return lines;
}

function how(decision: Decision, locale: Locale): string[] {
  const question = decision.questions[nextQuestion(decision)];
  if (decision.kind !== "question" || !question) {
    const trust = decision.subject?.described === true ? [`-# ${say(locale, "ask_described")}`] : [];
    return [
      "",
      ...trust,
      ...(mayBeAllowed(decision)
        ? [`-# ${say(locale, decision.kind === "plan" ? "ask_how_plan" : "ask_how_permission")}`]
        : []),
    ];
  }
  const { options, many, url } = question;
  if (url !== undefined) return ["", `-# ${say(locale, "ask_how_page")}`];
  if (options.length === 0) return ["", `-# ${say(locale, "ask_how_words")}`];
  if (many)
    return ["", `-# ${say(locale, "ask_how_many", { example: calledIn(question.options).slice(0, 2).join(", ") })}`];
  return ["", `-# ${say(locale, options.length > 5 ? "ask_how_select" : "ask_how_options")}`];
}
