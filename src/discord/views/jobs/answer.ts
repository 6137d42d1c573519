/**
 * An agent's answer as messages. What is posted while it grows is the same at its end: the first messages are cut from
 * the same text in the same way, and only the last may still change. An answer of many messages shows its beginning
 * and its end, and comes whole as a file.
 */
import { say, type Locale } from "../../../base/words/say.ts";
import type { Job } from "../../../core/jobs/job.ts";
import type { AnswerText } from "../../../host/files/answer-writing.ts";
import { agentText, type RenderedText } from "../../text/agent-text.ts";
import { smallPrint, agentBody, type Body, type Rendering, code } from "../message.ts";
import type { IncrementalRendering } from "../../text/incremental-rendering.ts";
import type { Markdown } from "../../text/markdown.ts";
import { contentOf, lastChunk, MESSAGE_LIMIT, split, type Chunk } from "../../text/split.ts";
import { groupDigits } from "../../../base/text.ts";

export interface AnswerConfig {
  /** Whether an answer of more than five messages becomes a file, or is split to its end. */
  long_answers: "file" | "split";
  /** Where the state of a Claude at a terminal is shown: below its answer, or in the message that closes the job. */
  footer?: "line" | "card";
  /** The largest file Discord accepts from us, in bytes. */
  max_file_bytes: number;
}

export interface AnswerRendering extends Rendering {
  config: AnswerConfig;
  /** What stands in the place of an answer without words. Absent: that there are none. */
  empty?: string;
}

/** Messages of an answer shown inline; a longer one has one more, with its end and the file. */
const INLINE_MESSAGES = 5;
/** Characters shown of the end of a longer one. */
const TAIL_CHARS = 1400;
/** Text of a growing answer beyond this cannot change its first messages. */
const ENOUGH_TO_SHOW = INLINE_MESSAGES * MESSAGE_LIMIT * 1.5;
/**
 * Of an answer that becomes a file, what lies between this many first characters (as shown) and last ones is only in
 * the file.
 */
const MAY_BE_SHOWN = { first: (INLINE_MESSAGES + 1) * MESSAGE_LIMIT, last: 5000 } as const;

/** Where the unposted part of an answer begins: after so many characters, in the message of this number. */
export interface AnswerSegment {
  from: number;
  first: number;
}

export const WHOLE_ANSWER: AnswerSegment = { from: 0, first: 0 };

/** One message: its number in `answer:<number>`, and its body. */
export interface AnswerPart {
  number: number;
  body: Body;
  /** Still growing. */
  open: boolean;
}

/**
 * The answer as far as it has been written. `incremental`: the rendering of it so far. `beyond`: characters written so
 * far, if not all of them are shown before the end; else 0.
 */
export function growingAnswer(
  written: string,
  config: AnswerConfig,
  incremental: IncrementalRendering,
  { from, first } = WHOLE_ANSWER,
): { parts: AnswerPart[]; beyond: number } {
  const text = written.slice(from);
  const inFile = config.long_answers === "file";
  const most = inFile ? Math.max(0, INLINE_MESSAGES - first) : Infinity;
  const enough = inFile ? text.slice(0, ENOUGH_TO_SHOW) : text;
  const { contents, decided } = incremental.read(enough.replace(/[\uD800-\uDBFF]$/, ""), most + 1);
  // How unfinished text will be rendered is undecided: it may fill the last message but not begin another.
  const count = Math.min(contents.length, Math.max(decided, 1), most);
  const parts = messages(
    contents.slice(0, count),
    first,
    (number) => number === first + count - 1 && number >= first + decided - 1,
  );
  return { parts, beyond: inFile && (contents.length > most || text.length > enough.length) ? written.length : 0 };
}

/** A piece of the answer with something else posted below it, so nothing is added to it any more. */
export function closedAnswer(text: string, config: AnswerConfig, markdown: Markdown, first: number): AnswerPart[] {
  const most = config.long_answers === "file" ? Math.max(0, INLINE_MESSAGES - first) : Infinity;
  return messages(firstOf(agentText(text, markdown), markdown, most).map(contentOf), first, () => false);
}

/**
 * What was made of each answer last, because it is looked at again with each of its posts. A collection may drop it.
 */
const last = new WeakMap<Job, WeakRef<{ of: string; text: string; parts: AnswerPart[] }>>();

/** A job's answer from a segment to its end. One that is empty says so, if its agent has finished. */
export function wholeAnswer(
  job: Job,
  whole: AnswerText,
  rendering: AnswerRendering,
  segment = WHOLE_ANSWER,
): AnswerPart[] {
  const { text, left, unkept } = whole;
  const {
    config: { long_answers, max_file_bytes },
    locale,
    empty,
  } = rendering;
  const of = JSON.stringify([segment, left, unkept, job.state, long_answers, max_file_bytes, locale, empty]);
  const known = last.get(job)?.deref();
  if (known?.of === of && known.text === text) return known.parts;
  const parts = partsOf(job, whole, rendering, segment);
  last.set(job, new WeakRef({ of, text, parts }));
  return parts;
}

function partsOf(
  job: Job,
  whole: AnswerText,
  rendering: AnswerRendering,
  { from, first }: AnswerSegment,
): AnswerPart[] {
  const { config, markdown, locale } = rendering;
  const text = whole.text.slice(from);
  // What is too long to be held in memory is too long to be split completely.
  if (config.long_answers === "file" || whole.left > 0) {
    const inline = Math.max(0, INLINE_MESSAGES - first);
    const page = agentText(text, markdown, {
      unseen: { from: MAY_BE_SHOWN.first, to: text.length - MAY_BE_SHOWN.last },
    });
    const chunks = firstOf(page, markdown, inline + 1);
    if (chunks.length > inline) {
      const shown = messages(chunks.slice(0, inline).map(contentOf), first, () => false);
      return [
        ...shown,
        {
          number: first + inline,
          body: endWithFile(job, whole, endOf(page, chunks, inline, markdown), rendering),
          open: false,
        },
      ];
    }
  }
  const parts = messages(firstOf(agentText(text, markdown), markdown, Infinity).map(contentOf), first, () => false);
  return parts.length > 0 || first > 0 || job.state !== "success"
    ? parts
    : [one(smallPrint(rendering.empty ?? say(locale, "answer_empty")), 0)];
}

/** The journal's excerpt of an answer whose file cannot be read, or that has none (`unkept`). */
export function lostAnswer(
  job: Job,
  markdown: Markdown,
  locale: Locale,
  { first }: AnswerSegment,
  unkept = false,
): AnswerPart[] {
  const [beginning] = split(agentText(job.result_excerpt ?? "", markdown), markdown, MESSAGE_LIMIT - 400);
  const line = smallPrint(
    unkept ? say(locale, "answer_unkept_cut") : say(locale, "answer_unreadable", { file: fileOf(job) }),
  );
  return [one(beginning === undefined || first > 0 ? line : `${contentOf(beginning)}\n${line}`, first)];
}

/** The same parts with a line of ours below the last message or, if that is full, in one more. */
export function withLine(parts: AnswerPart[], line: string | null): AnswerPart[] {
  const last = parts.at(-1);
  if (line === null || last === undefined) return parts;
  const content = `${last.body.content}\n${line}`;
  if (content.length > MESSAGE_LIMIT) return [...parts, one(line, last.number + 1)];
  return [...parts.slice(0, -1), { ...last, body: { ...last.body, content } }];
}

/** The first messages, at most `most`; the rest is not read. */
function firstOf(page: RenderedText, markdown: Markdown, most: number): Chunk[] {
  const chunks: Chunk[] = [];
  if (most <= 0) return chunks;
  for (const chunk of split(page, markdown)) if (chunks.push(chunk) >= most) break;
  return chunks;
}

/** Discord rejects a message of only whitespace; its number stays unused. */
function messages(contents: readonly string[], first: number, open: (number: number) => boolean): AnswerPart[] {
  return contents.flatMap((content, place) =>
    content.trim() === "" ? [] : [{ number: first + place, body: agentBody(content), open: open(first + place) }],
  );
}

function one(content: string, number: number): AnswerPart {
  return { number, body: agentBody(content), open: false };
}

/** What is shown after the inline messages: all of the rest if it fits, else its end. */
function endOf(page: RenderedText, chunks: Chunk[], inline: number, markdown: Markdown): End {
  const from = lengthOf(chunks.slice(0, inline));
  const next = chunks.at(-1);
  if (next && lengthOf(chunks) === page.text.length && contentOf(next).length <= TAIL_CHARS)
    return { content: contentOf(next), skipped: 0 };
  const end = lastChunk(page, markdown, from, TAIL_CHARS);
  return { content: contentOf(end), skipped: page.text.length - from - end.body.length };
}

function lengthOf(chunks: Chunk[]): number {
  return chunks.reduce((total, chunk) => total + chunk.body.length, 0);
}

/*
 * A long answer, or one that cannot be rendered, as an attached file; one that is too large for Discord stays on disk.
 */

interface FileRendering {
  locale: Locale;
  config: {
    /** The largest file Discord accepts from us, in bytes. */
    max_file_bytes: number;
  };
}

/** What is shown of the end of a long answer. */
interface End {
  content: string;
  /** Characters between the inline messages and this. */
  skipped: number;
}

/** The message below the inline ones: the answer's end, and the whole of it as a file. */
function endWithFile(job: Job, answer: AnswerText, end: End, { config, locale }: FileRendering): Body {
  const files = filesOf(job, answer, config);
  const key = files ? "answer_middle" : answer.unkept ? "answer_middle_lost" : "answer_middle_on_disk";
  const line = smallPrint(say(locale, key, { count: groupDigits(end.skipped + answer.left), file: fileOf(job) }));
  const body = agentBody(end.skipped === 0 && files ? end.content : `${line}\n${end.content}`);
  return files ? { ...body, files } : body;
}

/** An answer that could not be rendered: its path, and all of it as a file. */
export function unrenderedAnswer(job: Job, answer: AnswerText, { config, locale }: FileRendering): Body {
  const files = filesOf(job, answer, config);
  const key = answer.unkept
    ? files
      ? "answer_unrendered_unkept"
      : "answer_unkept_cut"
    : files
      ? "answer_unrendered"
      : "answer_unrendered_on_disk";
  const body = agentBody(smallPrint(say(locale, key, { file: code(fileOf(job)) })));
  return files ? { ...body, files } : body;
}

/** The answer's file, in the state directory. */
function fileOf(job: Job): string {
  return `results/${job.job_id}.md`;
}

/** Null: the answer is too large for Discord, or is only on disk. */
function filesOf(
  job: Job,
  { text, left }: AnswerText,
  { max_file_bytes }: FileRendering["config"],
): Body["files"] | null {
  const bytes = Buffer.from(text, "utf8");
  return left === 0 && bytes.length <= max_file_bytes ? [{ name: `${job.job_id}.md`, bytes }] : null;
}
