/**
 * An agent's answer as messages. What stands there while it grows stands there at its end: the first messages are
 * cut from the same text in the same way, and only the last may still change. An answer of many messages shows its
 * beginning and its end, and comes whole as a file.
 */
import { say, type Locale } from "../base/words/say.ts";
import type { Job } from "../core/job.ts";
import { agentText, completeLines } from "./agent-text.ts";
import { smallPrint, spoken } from "./body.ts";
import type { Body } from "./owed.ts";
import { contentOf, MESSAGE_LIMIT, split, type Chunk } from "./split.ts";

export interface AnswerConfig {
  /** Whether an answer of more than five messages becomes a file, or is split to its end. */
  long_answers: "file" | "split";
  /** The largest file Discord takes from us, in bytes. */
  max_file_bytes: number;
}

/** Messages of an answer that stand inline; one more with the end and the file follows a longer one. */
export const INLINE_MESSAGES = 5;
/** The end that is shown of a longer one: so many pieces of so many characters. */
const TAIL = { pieces: 3, chars: 450 } as const;
/** More of a growing answer than this cannot change its first messages. */
const ENOUGH_TO_SHOW = INLINE_MESSAGES * MESSAGE_LIMIT * 1.5;

/** One message: its number in `answer:<number>`, and what it says. */
export interface AnswerPart {
  number: number;
  body: Body;
  /** Still growing. */
  open: boolean;
}

/**
 * The answer as far as it has been written. `beyond`: characters written so far, where not all of them are shown
 * before the end; else 0.
 */
export function growingAnswer(text: string, config: AnswerConfig): { parts: AnswerPart[]; beyond: number } {
  const inFile = config.long_answers === "file";
  const enough = inFile ? text.slice(0, ENOUGH_TO_SHOW) : text;
  const decided = split(agentText(completeLines(enough))).length;
  const shown = split(agentText(enough.replace(/[\uD800-\uDBFF]$/, "")));
  // How the line being written will be read is not decided: it may fill the last message, not begin another.
  const count = Math.min(shown.length, Math.max(decided, 1), inFile ? INLINE_MESSAGES : shown.length);
  const parts = messages(shown.slice(0, count), (number) => number === count - 1 && number >= decided - 1);
  return { parts, beyond: inFile && (shown.length > INLINE_MESSAGES || text.length > enough.length) ? text.length : 0 };
}

/** The whole answer of a job. Never empty: an answer without words says so. */
export function wholeAnswer(job: Job, text: string, config: AnswerConfig, locale: Locale): AnswerPart[] {
  const chunks = split(agentText(text));
  const long = chunks.length > INLINE_MESSAGES && config.long_answers === "file";
  const parts = messages(long ? chunks.slice(0, INLINE_MESSAGES) : chunks, () => false);
  if (long) parts.push(tail(job, text, chunks, config, locale));
  return parts.length > 0 ? parts : [one(smallPrint(say(locale, "answer_empty")))];
}

/** What the journal keeps of an answer whose file cannot be read. */
export function lostAnswer(job: Job, locale: Locale): AnswerPart[] {
  const [beginning] = split(agentText(job.result_excerpt ?? ""), MESSAGE_LIMIT - 400);
  const line = smallPrint(say(locale, "answer_unreadable", { file: fileOf(job) }));
  return [one(beginning === undefined ? line : `${contentOf(beginning)}\n${line}`)];
}

/** Discord takes no message of nothing but blanks; its number stays free. */
function messages(chunks: Chunk[], open: (number: number) => boolean): AnswerPart[] {
  return chunks.map(contentOf).flatMap((content, number) =>
    content.trim() === "" ? [] : [{ number, body: spoken(content), open: open(number) }],
  );
}

function one(content: string): AnswerPart {
  return { number: 0, body: spoken(content), open: false };
}

/** The message below the inline ones: the answer's end, and the whole of it as a file. */
function tail(job: Job, text: string, chunks: Chunk[], config: AnswerConfig, locale: Locale): AnswerPart {
  const bytes = Buffer.from(text, "utf8");
  const attached = bytes.length <= config.max_file_bytes;
  const head = lengthOf(chunks.slice(0, INLINE_MESSAGES));
  const end = lastPieces(chunks.map((chunk) => chunk.body).join(""), head);
  const key = attached ? "answer_middle" : "answer_middle_on_disk";
  const line = smallPrint(say(locale, key, { count: end.skipped.toLocaleString("en-US"), file: fileOf(job) }));
  const body = spoken(end.skipped === 0 && attached ? end.content : `${line}\n${end.content}`);
  if (attached) body.files = [{ name: `${job.job_id}.md`, bytes }];
  return { number: INLINE_MESSAGES, body, open: false };
}

/** The last pieces of a text that begin at `from` or later, and how many characters lie between. */
function lastPieces(text: string, from: number): { content: string; skipped: number } {
  const pieces = split(text, TAIL.chars);
  const last: Chunk[] = [];
  let at = text.length;
  for (const piece of pieces.toReversed()) {
    if (last.length === TAIL.pieces || at - piece.body.length < from) break;
    at -= piece.body.length;
    last.unshift(piece);
  }
  const before = last[0]?.before ?? "";
  const after = last.at(-1)?.after ?? "";
  return { content: before + last.map((piece) => piece.body).join("") + after, skipped: at - from };
}

function lengthOf(chunks: Chunk[]): number {
  return chunks.reduce((total, chunk) => total + chunk.body.length, 0);
}

function fileOf(job: Job): string {
  return `results/${job.job_id}.md`;
}
