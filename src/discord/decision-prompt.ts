/**
 * The prompt of an open decision: what is asked, whole, what can be pressed, and that a typed answer does as well.
 * Pure, and made from the structured request alone, so it is the same after every restart.
 */
import { say, type Locale } from "../base/words/say.ts";
import { isSeen, nextQuestion, type Decision } from "../core/decision.ts";
import type { State } from "../core/house.ts";
import { inert, told } from "./body.ts";
import { controls, letterOf, PAGE_OPTIONS } from "./decision-controls.ts";
import { answerText, clock, frame, headline, quoted } from "./decision-frame.ts";
import { inCodeFrame } from "./decision-pages.ts";
import type { Body } from "./owed.ts";

const CONTEXT_CHARS = 1000;
const QUESTION_CHARS = 1200;
const OPTIONS_CHARS = 1500;

/** @param pages what would be done, as it is shown; null for a question, undefined where it cannot be read */
export function promptBody(state: State, decision: Decision, pages: readonly string[] | null | undefined, locale: Locale): Body {
  const readable = pages !== undefined;
  const { description, files } = decision.kind === "question" ? asked(decision, locale) : exhibited(decision, pages ?? [], readable, locale);
  const lines = [...description, ...notes(decision, locale), ...how(decision, locale)];
  const embed = frame(decision, locale, { title: headline(state, decision, locale), description: lines.join("\n") }, state);
  return { ...told(embed), components: controls(decision, locale, readable), ...(files.length > 0 ? { files } : {}) };
}

interface Described {
  description: string[];
  files: NonNullable<Body["files"]>;
}

function exhibited(decision: Decision, pages: readonly string[], readable: boolean, locale: Locale): Described {
  if (!readable) return { description: [say(locale, "ask_unreadable")], files: [] };
  const [first = ""] = pages;
  const isPlan = decision.kind === "plan";
  const description = isPlan ? [] : [inCodeFrame(first)];
  if (pages.join("").includes("⟨")) description.push(`-# ${say(locale, "ask_hidden")}`);
  const { seen } = decision;
  if (pages.length > 1) {
    const left = isPlan ? "ask_pages_plan" : "ask_pages";
    description.push(`📄 ${isSeen(decision) ? say(locale, "ask_pages_seen", { pages: pages.length }) : say(locale, left, { seen, pages: pages.length })}`);
  }
  // A plan's file hangs on its own first page.
  return { description, files: pages.length > 1 && !isPlan ? [wholeFile(pages)] : [] };
}

/** All of what would be done, as it is shown. */
export function wholeFile(pages: readonly string[]): { name: string; bytes: Uint8Array } {
  return { name: "request.txt", bytes: Buffer.from(`${pages.join("\n")}\n`, "utf8") };
}

function asked(decision: Decision, locale: Locale): Described {
  const place = nextQuestion(decision);
  const question = decision.questions[place];
  if (!question) return { description: [], files: [] };
  const context = decision.context.trim() === "" ? null : quoted(decision.context, CONTEXT_CHARS);
  const words = quoted(question.question, QUESTION_CHARS);
  const options = optionLines(question.options, (at) => letterOf(question, at));
  const header = inert(question.header, 60);
  const isCut = context?.cut === true || words.cut || options.cut;
  const description = [
    ...soFar(decision, locale),
    ...(context === null ? [] : [context.text, ""]),
    ...(header === "" ? [] : [`**${header}**`]),
    // Ours is the frame; the question itself stands out in it.
    words.text.replace(/^> /gm, "").split("\n").map((line) => (line === "" ? "" : `**${line}**`)).join("\n"),
    ...options.lines,
    ...(isCut ? [`-# ${say(locale, "ask_cut")}`] : []),
  ];
  return { description, files: isCut ? [{ name: "question.txt", bytes: Buffer.from(wholeQuestion(decision, place), "utf8") }] : [] };
}

function optionLines(options: Decision["questions"][number]["options"], letter: (place: number) => string): { lines: string[]; cut: boolean } {
  const lines: string[] = [];
  let left = OPTIONS_CHARS;
  let cut = options.length > PAGE_OPTIONS;
  for (const [place, { label, description }] of options.slice(0, PAGE_OPTIONS).entries()) {
    const name = letter(place);
    const line = [name === "" ? "•" : `**${name}**`, inert(label, 200), ...(description.trim() === "" ? [] : [`— ${inert(description, 200)}`])].join(" ");
    cut ||= label.length > 200 || description.length > 200;
    if (line.length > left) {
      cut = true;
      break;
    }
    lines.push(line);
    left -= line.length + 1;
  }
  return { lines: [...lines, ...(cut && lines.length < options.length ? ["…"] : [])], cut };
}

function wholeQuestion({ context, questions }: Decision, place: number): string {
  const { question = "", options = [] } = questions[place] ?? {};
  const lines = options.map(({ label, description }, at) => `${at + 1}. ${label}${description === "" ? "" : `\n   ${description}`}`);
  return [...(context === "" ? [] : [context, ""]), question, "", ...lines, ""].join("\n");
}

function soFar({ questions, answers }: Decision, locale: Locale): string[] {
  const given = questions.flatMap((question, place) => {
    const answer = answers[place];
    return answer ? [`☑ ${inert(question.header || question.question, 100)}: ${answerText(question, answer, 200)}`] : [];
  });
  return given.length === 0 ? [] : [say(locale, "ask_so_far"), ...given, ""];
}

/** What has happened to it that the owner should know before he answers. */
function notes({ state, asker, refreshed_at, lapses_at }: Decision, locale: Locale): string[] {
  const lines: string[] = [];
  if (state === "disconnected") lines.push(`🔌 ${say(locale, "ask_disconnected")}`);
  if (refreshed_at !== null) lines.push(`🔄 ${say(locale, "ask_refreshed", { at: clock(refreshed_at, "f") })}`);
  if (lapses_at !== null) lines.push(`⌛ ${say(locale, "ask_lapses", { in: clock(lapses_at, "R") })}`);
  if (asker.by === "hook") lines.push(say(locale, "ask_there_too"));
  return lines;
}

function how(decision: Decision, locale: Locale): string[] {
  const question = decision.questions[nextQuestion(decision)];
  if (decision.kind !== "question" || !question) return ["", `-# ${say(locale, decision.kind === "plan" ? "ask_how_plan" : "ask_how_permission")}`];
  const { options, many } = question;
  if (options.length === 0) return ["", `-# ${say(locale, "ask_how_words")}`];
  const [first, second] = [letterOf(question, 0) || "1", letterOf(question, 1) || "2"];
  if (many) return ["", `-# ${say(locale, "ask_how_many", { example: `\`${first}, ${second}\`` })}`];
  return ["", `-# ${say(locale, options.length > 5 ? "ask_how_select" : "ask_how_options")}`];
}
