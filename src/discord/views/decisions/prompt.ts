/**
 * The prompt of an open decision: all of what is asked, its controls, and that a typed answer works as well. Pure and
 * made only from the structured request, so it is the same after every restart.
 */
import { say, type Locale } from "../../../base/words/say.ts";
import { nextQuestion, type Decision } from "../../../core/decisions/decision.ts";
import { isSeen, lacksPlan, mayBeAllowed } from "../../../core/decisions/may-answer.ts";
import type { State } from "../../../core/state.ts";
import type { Page } from "../../../core/decisions/pages.ts";
import { systemBody } from "../body.ts";
import { calledIn, controls } from "./controls.ts";
import { clock, frame, headline } from "./frame.ts";
import { wholeFile } from "./pages.ts";
import { describedQuestion, type Described } from "./question.ts";
import type { Body, Rendering } from "../desired-posts.ts";

/** @param pages what would be done, as it is shown; null for a question, undefined where it cannot be read */
export function promptBody(state: State, decision: Decision, pages: readonly Page[] | null | undefined, { markdown, locale }: Rendering): Body {
  const readable = pages !== undefined;
  const { description, files } = decision.kind === "question" ? describedQuestion(decision, markdown, locale) : reviewed(decision, pages ?? [], readable, locale);
  const lines = [...description, ...notes(decision, locale), ...how(decision, locale)];
  const embed = frame(decision, locale, { title: headline(state, decision, locale), description: lines.join("\n") }, state);
  return { ...systemBody(embed), components: controls(decision, locale, readable), ...(files.length > 0 ? { files } : {}) };
}

function reviewed(decision: Decision, pages: readonly Page[], readable: boolean, locale: Locale): Described {
  if (!readable) return { description: [say(locale, "ask_unreadable")], files: [] };
  if (lacksPlan(decision)) return { description: [`⚠️ ${say(locale, "ask_no_plan")}`], files: [] };
  const isPlan = decision.kind === "plan";
  const description = isPlan ? [] : [pages[0]?.text ?? ""];
  if (pages.some(({ prose, text }) => `${prose}${text}`.includes("⟨"))) description.push(`-# ${say(locale, "ask_hidden")}`);
  if (!mayBeAllowed(decision)) description.push(`⚠️ ${say(locale, "ask_no_yes")}`);
  if (decision.subject?.exact !== undefined) description.push(`🔑 ${say(locale, "ask_redacted")}`);
  const { seen } = decision;
  if (pages.length > 1) {
    const left = isPlan ? "ask_pages_plan" : "ask_pages";
    description.push(`📄 ${isSeen(decision) ? say(locale, "ask_pages_seen", { pages: pages.length }) : say(locale, left, { seen, pages: pages.length })}`);
  }
  // A plan's file is attached to the plan's first page.
  return { description, files: pages.length > 1 && !isPlan ? [wholeFile("request.md", pages)] : [] };
}

/** Events since it was asked that the owner should know before answering. */
function notes(decision: Decision, locale: Locale): string[] {
  const { kind, state, asker, noticed, refreshed_at, lapses_at, snooze } = decision;
  const lines: string[] = [];
  if (state === "disconnected" && noticed !== true) lines.push(`🔌 ${say(locale, "ask_disconnected")}`);
  if (refreshed_at !== null) lines.push(`🔄 ${say(locale, "ask_refreshed", { at: clock(refreshed_at, "f") })}`);
  if (snooze !== undefined) lines.push(`💤 ${say(locale, "ask_snoozed", { at: clock(snooze.until, "f") })}`);
  const inTerminal = asker.by === "hook";
  if (inTerminal && kind === "plan" && mayBeAllowed(decision)) lines.push(`✏️ ${say(locale, "ask_plan_edits")}`);
  if (lapses_at !== null) lines.push(`⌛ ${say(locale, inTerminal ? "ask_lapses_terminal" : "ask_lapses", { in: clock(lapses_at, "R") })}`);
  if (inTerminal) lines.push(say(locale, "ask_there_too"));
  return lines;
}

function how(decision: Decision, locale: Locale): string[] {
  const question = decision.questions[nextQuestion(decision)];
  if (decision.kind !== "question" || !question) {
    const trust = decision.subject?.described === true ? [`-# ${say(locale, "ask_described")}`] : [];
    return ["", ...trust, ...(mayBeAllowed(decision) ? [`-# ${say(locale, decision.kind === "plan" ? "ask_how_plan" : "ask_how_permission")}`] : [])];
  }
  const { options, many } = question;
  if (options.length === 0) return ["", `-# ${say(locale, "ask_how_words")}`];
  if (many) return ["", `-# ${say(locale, "ask_how_many", { example: calledIn(question).slice(0, 2).join(", ") })}`];
  return ["", `-# ${say(locale, options.length > 5 ? "ask_how_select" : "ask_how_options")}`];
}
