/**
 * What is owed to a thread for its decisions: the prompt of each, a plan's pages above it, what is said when an answer
 * was not understood, and, once it is settled, what became of it in the prompt's place.
 */
import { say, type Locale, type WordKey } from "../base/words/say.ts";
import { askedOf, isOpen, nextQuestion, REASKED_AT_MOST, type Decision } from "../core/decision.ts";
import type { State } from "../core/house.ts";
import { PROMPT_PART } from "../core/post.ts";
import { colours, told } from "./body.ts";
import { letterOf } from "./decision-controls.ts";
import { promptLink } from "./decision-frame.ts";
import { planBodies } from "./decision-pages.ts";
import { promptBody } from "./decision-prompt.ts";
import { settledBody } from "./decision-settled.ts";
import type { Markdown } from "./markdown.ts";
import type { Body, Owed } from "./owed.ts";

export interface DecisionOptions {
  locale: Locale;
  /** What would be done by an open permission or plan, as it is shown, read before the view is asked; undefined: it cannot be read. */
  exhibited?(decisionId: string): readonly string[] | undefined;
  /** How agents' Markdown is read. */
  markdown: Markdown;
  /** Who is obeyed, to be named where something was settled. */
  ownerId?: string | undefined;
}

/** In the order in which they were asked. */
export function decisionPosts(state: State, threadId: string, options: DecisionOptions): Owed[] {
  return Object.values(state.decisions).filter(({ thread_id }) => thread_id === threadId).flatMap((decision) => postsOf(state, decision, options));
}

function postsOf(state: State, decision: Decision, options: DecisionOptions): Owed[] {
  const { locale, ownerId } = options;
  const owe = (part: string, body: Body): Owed => show(decision, part, body);
  if (!isOpen(decision)) return isForgotten(state, decision) ? [] : [owe(PROMPT_PART, settledOnce(state, decision, locale, ownerId)), ...givenUp(state, decision, owe, locale)];
  const pages = decision.kind === "question" ? null : options.exhibited?.(decision.decision_id);
  return [...planPages(state, decision, pages, owe, options), owe(PROMPT_PART, promptBody(state, decision, pages, locale)), ...again(state, decision, owe, locale)];
}

/** Its job has left the live state, and with it what the prompt says of who asked: what stands there stays. */
function isForgotten({ jobs }: State, { asker }: Decision): boolean {
  return asker.by === "job" && !jobs[asker.job_id];
}

const settledBodies = new WeakMap<Decision, { of: string; body: Body }>();

/** What is settled does not change, and a thread may hold dozens: each is made once, as long as nothing it says changes. */
function settledOnce(state: State, decision: Decision, locale: Locale, ownerId: string | undefined): Body {
  const job = decision.asker.by === "job" ? state.jobs[decision.asker.job_id]?.state : "";
  const of = `${locale} ${ownerId} ${job}`;
  const known = settledBodies.get(decision);
  if (known?.of === of) return known.body;
  const body = settledBody(state, decision, locale, ownerId);
  settledBodies.set(decision, { of, body });
  return body;
}

/** What stands as a message of its own does not change any more. */
function planPages(state: State, decision: Decision, pages: readonly string[] | null | undefined, owe: (part: string, body: Body) => Owed, { markdown, locale }: DecisionOptions): Owed[] {
  if (decision.kind !== "plan" || !pages) return [];
  const posts = state.posts[decision.decision_id] ?? {};
  const isOwed = (page: number): boolean => !posts[`page:${page}`];
  if (!pages.some((_, at) => isOwed(at + 1))) return [];
  return planBodies(state, decision, pages, markdown, locale).flatMap((body, at) => (isOwed(at + 1) ? [owe(`page:${at + 1}`, body)] : []));
}

/** Said below what was not understood, where it is seen. */
function again(state: State, decision: Decision, owe: (part: string, body: Body) => Owed, locale: Locale): Owed[] {
  const { reasked, unclear } = decision;
  const question = decision.questions[nextQuestion(decision)];
  if (reasked === 0 || unclear === null || !question) return [];
  const link = linked(state, decision, say(locale, "again_link"));
  const letters = question.options.slice(0, 26).map((_, place) => `\`${letterOf(question, place) || place + 1}\``).join(", ");
  const how = say(locale, askedOf(decision).words ? "again_how" : "again_how_strict", { link, letters });
  const last = reasked >= REASKED_AT_MOST ? [say(locale, "again_last")] : [];
  const embed = { color: colours.asks, title: say(locale, "again_title"), description: [say(locale, `again_${unclear}` satisfies WordKey), how, ...last].join("\n") };
  return [owe(`again:${reasked}`, told(embed))];
}

/** An edit of what stands far above is not seen: that it was given up is said below as well. */
function givenUp(state: State, decision: Decision, owe: (part: string, body: Body) => Owed, locale: Locale): Owed[] {
  if (decision.state !== "aborted") return [];
  const lines = [`⚠️ ${say(locale, "done_aborted_says")}`, linked(state, decision, say(locale, "pointed_link"))];
  return [owe("end", told({ color: colours.waits, title: say(locale, "done_aborted"), description: lines.join("\n") }))];
}

function linked(state: State, decision: Decision, words: string): string {
  const link = promptLink(state, decision);
  return link === null ? words : `[${words}](${link})`;
}

function show(decision: Decision, part: string, body: Body): Owed {
  const { decision_id: subject, thread_id, asked_at } = decision;
  return { subject, part, thread_id: thread_id ?? "", lane: "decision", want: { kind: "show", body }, reply_to: null, since: Date.parse(asked_at), live: false };
}
