/**
 * Choosing among many options, visible only to the owner: one page of options at a time, those chosen so far, and the
 * button that makes them the answer. The message itself carries the choice, so a restart loses nothing.
 */
import { say, type Locale } from "../../../base/words/say.ts";
import { nextQuestion, type Decision } from "../../../core/decisions/decision.ts";
import type { State } from "../../../core/state.ts";
import { inert, systemBody } from "../body.ts";
import { letterOf, PAGE_OPTIONS, pickControls, type Choice } from "./controls.ts";
import { answerText, frame, headline } from "./frame.ts";
import type { Body } from "../desired-posts.ts";

export function pickBody(state: State, decision: Decision, { page, chosen }: Choice, locale: Locale): Body {
  const question = decision.questions[nextQuestion(decision)];
  const options = question?.options ?? [];
  const last = Math.max(0, Math.ceil(options.length / PAGE_OPTIONS) - 1);
  const at = Math.min(Math.max(0, page), last);
  const places = chosen.filter((place) => place < options.length);
  const range = { from: at * PAGE_OPTIONS + 1, to: Math.min(options.length, (at + 1) * PAGE_OPTIONS), count: options.length };
  const lines = [
    inert(question?.question ?? "", 500),
    ...(last > 0 ? [`-# ${say(locale, "choose_page", range)}`] : []),
    ...options.slice(range.from - 1, range.to).map(({ label }, index) => optionLine(decision, label, at * PAGE_OPTIONS + index)),
    ...(question?.many === true ? ["", places.length === 0 ? say(locale, "choose_none") : say(locale, "choose_so_far", { chosen: answerText(question, { places: [...places], words: null }, 800) })] : []),
  ];
  return { ...systemBody(frame(decision, locale, { title: headline(state, decision, locale), description: lines.join("\n") }, state)), components: pickControls(decision, { page: at, chosen: places }, locale) };
}

function optionLine(decision: Decision, label: string, place: number): string {
  const question = decision.questions[nextQuestion(decision)];
  const letter = question ? letterOf(question, place) : "";
  return [letter === "" ? "•" : `**${letter}**`, inert(label, 60)].join(" ");
}
