/**
 * An agent's answer as messages. What stands there while it grows stands there at its end: the first messages are
 * cut from the same text in the same way, and only the last may still change. An answer of many messages shows its
 * beginning and its end, and comes whole as a file.
 */
import { say, type Locale } from "../base/words/say.ts";
import type { Job } from "../core/job.ts";
import { agentText, type Shown } from "./agent-text.ts";
import { smallPrint, spoken } from "./body.ts";
import type { Growth } from "./growth.ts";
import type { Markdown } from "./markdown.ts";
import type { Body } from "./owed.ts";
import { contentOf, ending, MESSAGE_LIMIT, split, type Chunk } from "./split.ts";

export interface AnswerConfig {
  /** Whether an answer of more than five messages becomes a file, or is split to its end. */
  long_answers: "file" | "split";
  /** The largest file Discord takes from us, in bytes. */
  max_file_bytes: number;
}

/** Messages of an answer that stand inline; one more with the end and the file follows a longer one. */
export const INLINE_MESSAGES = 5;
/** Characters of the end that is shown of a longer one. */
const TAIL_CHARS = 1400;
/** More of a growing answer than this cannot change its first messages. */
const ENOUGH_TO_SHOW = INLINE_MESSAGES * MESSAGE_LIMIT * 1.5;
/** Of an answer that becomes a file, what lies between so many first characters as shown and last ones is in the file alone. */
const MAY_BE_SHOWN = { first: (INLINE_MESSAGES + 1) * MESSAGE_LIMIT, last: 5000 } as const;

/** One message: its number in `answer:<number>`, and what it says. */
export interface AnswerPart {
  number: number;
  body: Body;
  /** Still growing. */
  open: boolean;
}

/**
 * The answer as far as it has been written. `growth`: what was read of it before. `beyond`: characters written so
 * far, where not all of them are shown before the end; else 0.
 */
export function growingAnswer(text: string, config: AnswerConfig, growth: Growth): { parts: AnswerPart[]; beyond: number } {
  const inFile = config.long_answers === "file";
  const most = inFile ? INLINE_MESSAGES : Infinity;
  const enough = inFile ? text.slice(0, ENOUGH_TO_SHOW) : text;
  const { contents, decided } = growth.read(enough.replace(/[\uD800-\uDBFF]$/, ""), most + 1);
  // How what is being written will be read is not decided: it may fill the last message, not begin another.
  const count = Math.min(contents.length, Math.max(decided, 1), most);
  const parts = messages(contents.slice(0, count), (number) => number === count - 1 && number >= decided - 1);
  return { parts, beyond: inFile && (contents.length > most || text.length > enough.length) ? text.length : 0 };
}

/** The whole answer of a job. Never empty: an answer without words says so. */
export function wholeAnswer(job: Job, text: string, config: AnswerConfig, markdown: Markdown, locale: Locale): AnswerPart[] {
  if (config.long_answers === "file") {
    const page = agentText(text, markdown, { unseen: { from: MAY_BE_SHOWN.first, to: text.length - MAY_BE_SHOWN.last } });
    const chunks = first(page, markdown, INLINE_MESSAGES + 1);
    if (chunks.length > INLINE_MESSAGES) {
      const inline = messages(chunks.slice(0, INLINE_MESSAGES).map(contentOf), () => false);
      return [...inline, tail(job, text, endOf(page, chunks, markdown), config, locale)];
    }
  }
  const parts = messages(first(agentText(text, markdown), markdown, Infinity).map(contentOf), () => false);
  return parts.length > 0 ? parts : [one(smallPrint(say(locale, "answer_empty")))];
}

/** What the journal keeps of an answer whose file cannot be read. */
export function lostAnswer(job: Job, markdown: Markdown, locale: Locale): AnswerPart[] {
  const [beginning] = split(agentText(job.result_excerpt ?? "", markdown), markdown, MESSAGE_LIMIT - 400);
  const line = smallPrint(say(locale, "answer_unreadable", { file: fileOf(job) }));
  return [one(beginning === undefined ? line : `${contentOf(beginning)}\n${line}`)];
}

/** The first messages, at most so many; what is not asked for is not read. */
function first(page: Shown, markdown: Markdown, most: number): Chunk[] {
  const chunks: Chunk[] = [];
  for (const chunk of split(page, markdown)) if (chunks.push(chunk) >= most) break;
  return chunks;
}

/** Discord takes no message of nothing but blanks; its number stays free. */
function messages(contents: readonly string[], open: (number: number) => boolean): AnswerPart[] {
  return contents.flatMap((content, number) =>
    content.trim() === "" ? [] : [{ number, body: spoken(content), open: open(number) }],
  );
}

function one(content: string): AnswerPart {
  return { number: 0, body: spoken(content), open: false };
}

interface End {
  content: string;
  /** Characters between the inline messages and this. */
  skipped: number;
}

/** What is shown of the rest behind the inline messages: all of it where it fits, else its end. */
function endOf(page: Shown, chunks: Chunk[], markdown: Markdown): End {
  const from = lengthOf(chunks.slice(0, INLINE_MESSAGES));
  const next = chunks.at(-1);
  if (next && lengthOf(chunks) === page.text.length && contentOf(next).length <= TAIL_CHARS) return { content: contentOf(next), skipped: 0 };
  const end = ending(page, markdown, from, TAIL_CHARS);
  return { content: contentOf(end), skipped: page.text.length - from - end.body.length };
}

/** The message below the inline ones: the answer's end, and the whole of it as a file. */
function tail(job: Job, text: string, end: End, config: AnswerConfig, locale: Locale): AnswerPart {
  const bytes = Buffer.from(text, "utf8");
  const attached = bytes.length <= config.max_file_bytes;
  const key = attached ? "answer_middle" : "answer_middle_on_disk";
  const line = smallPrint(say(locale, key, { count: end.skipped.toLocaleString("en-US"), file: fileOf(job) }));
  const body = spoken(end.skipped === 0 && attached ? end.content : `${line}\n${end.content}`);
  if (attached) body.files = [{ name: `${job.job_id}.md`, bytes }];
  return { number: INLINE_MESSAGES, body, open: false };
}

function lengthOf(chunks: Chunk[]): number {
  return chunks.reduce((total, chunk) => total + chunk.body.length, 0);
}

function fileOf(job: Job): string {
  return `results/${job.job_id}.md`;
}
