/**
 * A question to the owner: its text, its options, and its context, which is Markdown as agents write it everywhere.
 * All of it is in the prompt if it fits. Otherwise the context, and a question that is itself too long, go into
 * messages above the prompt, cut between paragraphs; only what exceeds those is in a file.
 */
import { withoutControls } from "../../../base/text.ts";
import { say, type Locale } from "../../../base/words/say.ts";
import { nextQuestion, type Decision, type Question } from "../../../core/decisions/decision.ts";
import type { State } from "../../../core/state.ts";
import { agentText, FENCE } from "../../text/agent-text.ts";
import { plainLine, systemBody, type Body } from "../message.ts";
import {
  lettersOf,
  PAGE_OPTIONS,
  pickControls,
  type OptionSelection,
  answerText,
  frame,
  headline,
} from "./controls.ts";
import { wantedLines } from "./wanted.ts";
import type { Markdown } from "../../text/markdown.ts";
import { contentOf, split, type TextWithTables } from "../../text/split.ts";

/** Most messages above a prompt; what does not fit into them is in the file. */
const ABOVE_MESSAGES = 5;
/** Characters of one of them; leaves room for quote marks in an embed. */
const ABOVE_CHARS = 3_400;
const DESCRIPTION_LIMIT = 4_096;
/** Characters of a prompt for the context and the question: for a single question, and for one of several. */
const ROOM = 3_000;
const ROOM_OF_SEVERAL = 1_600;
const OPTIONS_CHARS = 1_500;
/** Characters of a question above the prompt that the prompt repeats. */
const BEGINNING_CHARS = 300;
/** A longer question is not drawn bold. */
const BOLD_CHARS = 600;
/**
 * Characters of the answers given so far to several questions, together and each; and of all of a form, before they are
 * sent.
 */
const SO_FAR = { most: 700, each: 200 };
const REVIEWED = { most: 2_600, each: 500 };

export interface Described {
  description: string[];
  files: NonNullable<Body["files"]>;
}

/** The prompt's text for the current question. */
export function describedQuestion(decision: Decision, markdown: Markdown, locale: Locale): Described {
  const place = nextQuestion(decision);
  const question = decision.questions[place];
  if (!question) return { description: [], files: [] };
  // Its only option is a button, and says for itself what it is.
  const options = question.url === undefined ? optionLines(question) : { lines: [], cut: false };
  const { context, words, above } = laidOut(decision, question, options.lines, markdown);
  const header = plainLine(question.header, 60);
  const isCut = options.cut || above.length > ABOVE_MESSAGES;
  const isReview = decision.form === true && place === decision.questions.length - 1;
  const given = soFar(decision, locale, isReview ? REVIEWED : SO_FAR);
  const description = [
    ...given.lines,
    ...(isReview && given.cut ? [`-# ${say(locale, "ask_cut")}`] : []),
    ...(context === "" ? [] : [context, ""]),
    ...(header === "" ? [] : [`**${header}**`]),
    words,
    ...pageLines(question),
    ...wantedLines(question, locale),
    // Below a question that is not bold, the options would read as its last lines.
    ...(words.length > BOLD_CHARS && options.lines.length > 0 ? [""] : []),
    ...options.lines,
    ...(above.length > 0 ? [`-# ⬆️ ${say(locale, "ask_above")}`] : []),
    ...(isCut ? [`-# ${say(locale, "ask_cut")}`] : []),
  ];
  const whole = [
    ...(isCut ? [{ name: "question.txt", text: wholeQuestion(decision, place) }] : []),
    ...(isReview && given.cut ? [{ name: "answers.txt", text: allAnswers(decision) }] : []),
  ];
  return { description, files: whole.map(({ name, text }) => ({ name, bytes: Buffer.from(text, "utf8") })) };
}

/** The messages above the prompt, in order; none if all of it fits into the prompt. */
export function questionAbove(state: State, decision: Decision, markdown: Markdown, locale: Locale): Body[] {
  const question = decision.questions[nextQuestion(decision)];
  if (!question) return [];
  const pages = laidOut(decision, question, optionLines(question).lines, markdown).above.slice(0, ABOVE_MESSAGES);
  return pages.map((page, at) => {
    const number = pages.length === 1 ? [] : [say(locale, "ask_page", { page: at + 1, pages: pages.length })];
    return systemBody(
      frame(
        decision,
        locale,
        { title: [headline(state, decision, locale), ...number].join(" · "), description: page },
        state,
      ),
    );
  });
}

interface LaidOut {
  /** In the prompt. */
  context: string;
  words: string;
  /** Above it. */
  above: string[];
}

const known = new WeakMap<Question, LaidOut>();

/**
 * Depends only on what never changes while it is open, so the messages above stay right; done once as it may be long.
 */
function laidOut(decision: Decision, question: Question, options: readonly string[], markdown: Markdown): LaidOut {
  const before = known.get(question);
  if (before !== undefined) return before;
  const made = layOut(decision, question, options, markdown);
  known.set(question, made);
  return made;
}

function layOut(decision: Decision, question: Question, options: readonly string[], markdown: Markdown): LaidOut {
  const beside = [...options, ...pageLines(question)].join("\n").length;
  const room = decision.questions.length === 1 ? ROOM - beside : ROOM_OF_SEVERAL;
  const shown = agentText(decision.context.trim(), markdown);
  const context = quote(shown.text);
  const plain = escaped(question.question);
  const words = drawn(plain);
  if (context.length + words.length <= room) return { context, words, above: [] };
  // The first of several questions has already shown it.
  const above = question === decision.questions[0] ? pagesOf(shown, markdown) : [];
  if (words.length <= room) return { context: "", words, above };
  // The question comes last, right before the answer.
  const [beginning] = split({ text: plain, tables: [] }, markdown, BEGINNING_CHARS);
  return {
    context: "",
    words: drawn(`${(beginning?.body ?? "").trimEnd()} …`),
    above: [...above, ...pagesOf({ text: plain, tables: [] }, markdown)],
  };
}

/** Whole paragraphs, as many as fit on each page. At most one page too many is made, to show that there are more. */
function pagesOf(shown: TextWithTables, markdown: Markdown): string[] {
  const pages: string[] = [];
  for (const chunk of split(shown, markdown, ABOVE_CHARS)) {
    const text = contentOf(chunk).trim();
    const page = quote(text);
    if (text !== "") pages.push(page.length <= DESCRIPTION_LIMIT ? page : text);
    if (pages.length > ABOVE_MESSAGES) break;
  }
  return pages;
}

/** Quotes external Markdown, to set it apart from our own text. */
function quote(text: string): string {
  if (text.trim() === "") return "";
  const open = (text.match(/^(?: {0,3}> )?```/gm) ?? []).length % 2 === 1;
  return `${text}${open ? `\n${FENCE}` : ""}`
    .split("\n")
    .map((line) => `> ${line}`)
    .join("\n");
}

/** The question's own text, line by line. */
function escaped(question: string): string {
  return withoutControls(question)
    .trim()
    .split("\n")
    .map((line) => plainLine(line, Number.POSITIVE_INFINITY))
    .join("\n");
}

/** The frame's text is ours; bold sets the question apart in it. */
function drawn(words: string): string {
  if (words.length > BOLD_CHARS) return words;
  return words
    .split("\n")
    .map((line) => (line === "" ? "" : `**${line}**`))
    .join("\n");
}

/** The page that is to be opened: whose it is, and its whole address, which has no character that could end it early. */
function pageLines({ url }: Question): string[] {
  if (url === undefined) return [];
  const host = URL.canParse(url) ? [`🌐 **${plainLine(new URL(url).host, 300)}**`] : [];
  return [...host, `<${url}>`];
}

/** The options as they are shown, each with its name for a typed answer. */
export function optionLines(question: Question): { lines: string[]; cut: boolean } {
  const { options } = question;
  const letters = lettersOf(question.options);
  const lines: string[] = [];
  let left = OPTIONS_CHARS;
  let cut = options.length > PAGE_OPTIONS;
  for (const [place, { label, description }] of options.slice(0, PAGE_OPTIONS).entries()) {
    const name = letters[place] ?? "";
    const line = [
      name === "" ? "•" : `**${name}**`,
      plainLine(label, 200),
      ...(description.trim() === "" ? [] : [`— ${plainLine(description, 200)}`]),
    ].join(" ");
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

/**
 * Choosing among many options, visible only to the owner: one page of options at a time, those chosen so far, and the
 * button that makes them the answer. The message itself carries the choice, so a restart loses nothing.
 */
export function pickBody(state: State, decision: Decision, { page, chosen }: OptionSelection, locale: Locale): Body {
  const question = decision.questions[nextQuestion(decision)];
  const options = question?.options ?? [];
  const letters = lettersOf(options);
  const last = Math.max(0, Math.ceil(options.length / PAGE_OPTIONS) - 1);
  const at = Math.min(Math.max(0, page), last);
  const places = chosen.filter((place) => place < options.length);
  const range = {
    from: at * PAGE_OPTIONS + 1,
    to: Math.min(options.length, (at + 1) * PAGE_OPTIONS),
    count: options.length,
  };
  const lines = [
    plainLine(question?.question ?? "", 500),
    ...(last > 0 ? [`-# ${say(locale, "choose_page", range)}`] : []),
    ...options
      .slice(range.from - 1, range.to)
      .map(({ label }, index) => optionLine(letters[at * PAGE_OPTIONS + index] ?? "", label)),
    ...(question?.many === true
      ? [
          "",
          places.length === 0
            ? say(locale, "choose_none")
            : say(locale, "choose_so_far", { chosen: answerText(question, { places: [...places], words: null }, 800) }),
        ]
      : []),
  ];
  return {
    ...systemBody(
      frame(decision, locale, { title: headline(state, decision, locale), description: lines.join("\n") }, state),
    ),
    components: pickControls(decision, { page: at, chosen: places }, locale),
  };
}

function optionLine(letter: string, label: string): string {
  return [letter === "" ? "•" : `**${letter}**`, plainLine(label, 60)].join(" ");
}

function wholeQuestion({ context, questions }: Decision, place: number): string {
  const { question = "", options = [] } = questions[place] ?? {};
  const lines = options.map(
    ({ label, description }, at) => `${at + 1}. ${label}${description === "" ? "" : `\n   ${description}`}`,
  );
  return [...(context === "" ? [] : [context, ""]), question, "", ...lines, ""].join("\n");
}

/** The answers given so far to several questions; only the last of them if they are long. */
function soFar(
  { questions, answers }: Decision,
  locale: Locale,
  { most, each }: typeof SO_FAR,
): { lines: string[]; cut: boolean } {
  let cut = false;
  const given = questions.flatMap((question, place) => {
    const answer = answers[place];
    if (!answer) return [];
    const shown = answerText(question, answer, each);
    cut ||= shown.endsWith("…");
    return [`☑ ${plainLine(question.header || question.question, 100)}: ${shown}`];
  });
  let last = given;
  while (last.join("\n").length > most) last = last.slice(1);
  cut ||= last.length < given.length;
  return {
    lines:
      given.length === 0 ? [] : [say(locale, "ask_so_far"), ...(last.length < given.length ? ["…"] : []), ...last, ""],
    cut,
  };
}

function allAnswers({ questions, answers }: Decision): string {
  const given = questions.flatMap(({ question, options }, place) => {
    const answer = answers[place];
    return answer
      ? [`${question}\n${answer.words ?? answer.places.map((one) => options[one]?.label ?? "").join(", ")}\n`]
      : [];
  });
  return given.join("\n");
}
