/**
 * The messages owed for a job's answer, while it grows and after it has ended. They are numbered (`answer:0`,
 * `answer:1`, …). A message is added to only while nothing is posted below it: a growing answer is cut there, what was
 * written by then stays above, and what follows goes into new messages below, so that a thread reads in the order in
 * which things happened.
 */
import { createHash } from "node:crypto";
import { compareSnowflakes } from "../../../base/ids.ts";
import { say, type Locale } from "../../../base/words/say.ts";
import { openOf } from "../../../core/decisions/decision.ts";
import type { State } from "../../../core/state.ts";
import type { StatusLine } from "../../../protocol/status-line.ts";
import type { Job } from "../../../core/jobs/job.ts";
import { isUnkept } from "../../../core/jobs/job-or-turn.ts";
import { isOwnCommand } from "../../../core/sessions/told.ts";
import { conversationLines } from "./job-card.ts";
import type { AnswerText } from "../../../host/files/answer-writing.ts";
import { GROWING, UNRECORDED_PART, type Post, type Upto } from "../../../core/posts/post.ts";
import { INTERRUPTED, SAID, UNRENDERED, WHOLE } from "../../../core/jobs/post-state.ts";
import {
  closedAnswer,
  growingAnswer,
  lostAnswer,
  WHOLE_ANSWER,
  wholeAnswer,
  withLine,
  type AnswerPart,
  type AnswerRendering,
  type AnswerSegment,
  unrenderedAnswer,
} from "./answer.ts";
import {
  agentBody,
  code,
  buttonRows,
  smallPrint,
  systemBody,
  type Below,
  type Body,
  type Live,
  type DesiredPost,
} from "../message.ts";
import { IncrementalRendering } from "../../text/incremental-rendering.ts";
import { MESSAGE_LIMIT } from "../../text/split.ts";
import { footerLine, jobPost, takenAway, type JobEnd } from "./job-end.ts";

export interface AnswerOptions extends AnswerRendering {
  /** The live text of a running job. */
  liveText(jobId: string): Live | undefined;
  /** Optional: what was posted while it ran. */
  below?(jobId: string): readonly Below[];
  /** Optional: the rendering of it so far, from earlier looks. */
  incremental?(jobId: string): IncrementalRendering | undefined;
  /** The whole answer of an ended job from its file, read before the view runs; undefined: it cannot be read. */
  result(jobId: string): string | undefined;
  /** Optional: what its Claude last said for its status line, shown below the answer. */
  footer?(job: Job): StatusLine | null;
  /** Optional: bytes left out between the beginning and the end that `result` returns; 0: it is whole. */
  bytesLeftOut?(jobId: string): number;
}

/** `beyond`: characters written so far, if not all of them are shown before the end; else 0. */
export function growingPosts(
  state: State,
  job: Job,
  options: AnswerOptions,
): { desired: DesiredPost[]; beyond: number } {
  const { liveText: live, config, markdown, incremental } = options;
  const transcript = live(job.job_id);
  const text = transcript?.text ?? "";
  const since = Date.parse(job.started_at ?? "");
  const posts = state.posts[job.job_id] ?? {};
  const segment = segmentOf(posts, text);
  const paused =
    openOf(state, job.job_id).length > 0 || (transcript?.tools.some((tool) => tool.state === "running") ?? false);
  const cut = cutOf(posts, segment, options.below?.(job.job_id) ?? [], { text, paused });
  // What follows the cut is owed once the cut is recorded.
  if (cut !== null) return { desired: closed(state, job, { text, cut, segment, since }, options), beyond: 0 };
  const { parts, beyond } = growingAnswer(
    text,
    config,
    incremental?.(job.job_id) ?? new IncrementalRendering(markdown),
    segment,
  );
  return {
    desired: [
      ...parts.map((part) => answerPost(job, part, since)),
      ...surplus(posted(state, job), parts, segment).map((part) => takenAway(job, part, since)),
    ],
    beyond,
  };
}

/** The answer of an ended job. If its text is lost, the messages in Discord are all there is. */
export function endedPosts(state: State, job: Job, options: AnswerOptions, since: number): DesiredPost[] {
  const { locale, markdown } = options;
  const run = state.runs[job.job_id];
  const unkept = isUnkept(job, run);
  if (!run?.result_sha256 && !unkept)
    return (
      unrecorded(state, job, locale, since) ??
      cutOff(state, job, cutLine(job, locale) ?? smallPrint(say(locale, "answer_stopped")), since)
    );
  const posts = state.posts[job.job_id] ?? {};
  const text = options.result(job.job_id) ?? (unkept ? wholeExcerpt(job) : undefined);
  const segment = segmentOf(posts, text ?? null);
  if (text === undefined && unkept && posted(state, job).length > 0)
    return cutOff(state, job, smallPrint(say(locale, "answer_unkept_cut")), since);
  if (text === undefined)
    return lostAnswer(job, markdown, locale, segment, unkept).map((part) => answerPost(job, part, since));
  const cut = cutOf(posts, segment, options.below?.(job.job_id) ?? [], { text, paused: false });
  if (cut !== null && cut < text.trimEnd().length) return closed(state, job, { text, cut, segment, since }, options);
  const answer = answerIn(state, job, text, options);
  const footer = footerBelow(job, options);
  const lines = [cutLine(job, locale), footer && smallPrint(footer)].filter((line) => line !== null);
  const parts = withLine(
    wholeAnswer(job, answer, shownWhole(state, job, answer, options), segment),
    lines.length === 0 ? null : lines.join("\n"),
  );
  return [
    ...parts.map((part) => answerPost(job, part, since)),
    ...surplus(posted(state, job), parts, segment).map((part) => takenAway(job, part, since)),
  ];
}

/** Room for a mention of the owner below a text. */
const MENTION_CHARS = 30;

/**
 * What is left of the answer and the end of its job as one message, for a job of which `mayCloseItself` is true. Null if
 * both do not fit, nothing is left or the answer cannot be read: then the end is a message of its own.
 */
export function answerAndEnd(
  state: State,
  job: Job,
  options: AnswerOptions,
  { figures, lines, buttons }: JobEnd,
): { body: Body; part: string } | null {
  const text = options.result(job.job_id);
  if (text === undefined) return null;
  const answer = answerIn(state, job, text, options);
  const segment = segmentOf(state.posts[job.job_id] ?? {}, text);
  const footer = footerBelow(job, options);
  const below = [...(footer === null ? [] : [footer]), figures, ...lines].map(smallPrint).join("\n");
  const [whole, ...more] = withLine(wholeAnswer(job, answer, shownWhole(state, job, answer, options), segment), below);
  if (whole === undefined || more.length > 0 || whole.body.files) return null;
  if (whole.body.content.length > MESSAGE_LIMIT - MENTION_CHARS) return null;
  return { body: { ...whole.body, components: buttonRows(buttons) }, part: `answer:${whole.number}` };
}

/** Whether what is left of the answer, none of which is shown yet, and the end of a job may be one message, or are one. */
export function mayCloseItself({ jobs, runs, posts }: State, { job_id, state }: Job): boolean {
  return (
    state === "success" &&
    jobs[job_id] !== undefined &&
    !runs[job_id]?.attachments?.length &&
    answers(posts[job_id] ?? {}).every(({ post }) => post.upto !== undefined)
  );
}

/** Whether all of its answer stands in messages above its end. */
export function isShownAbove({ posts }: State, { job_id }: Job, { result }: AnswerOptions): boolean {
  const text = result(job_id);
  const { from, first } = segmentOf(posts[job_id] ?? {}, text ?? null);
  return text !== undefined && first > 0 && text.slice(from).trim() === "";
}

/**
 * An answer that could not be rendered: all of it as a file, below what is posted of it. That stays as it is: a machine
 * that is busy may render the beginning in time and the rest not.
 */
export function unrenderedPosts(state: State, job: Job, options: AnswerOptions, since: number): DesiredPost[] {
  const there = answers(state.posts[job.job_id] ?? {});
  const number = there.find(({ post }) => post.is === UNRENDERED)?.number ?? (there.at(-1)?.number ?? -1) + 1;
  const body = unrenderedAnswer(
    job,
    {
      text: options.result(job.job_id) ?? "",
      left: options.bytesLeftOut?.(job.job_id) ?? 0,
      ...(isUnkept(job, state.runs[job.job_id]) && { unkept: true as const }),
    },
    options,
  );
  return [jobPost(job, { part: `answer:${number}`, is: UNRENDERED, body, priority: "result", since })];
}

/** The part of an answer above something else that was posted. */
interface CutAnswer {
  text: string;
  /** After so many characters. */
  cut: number;
  segment: AnswerSegment;
  since: number;
}

/** What stays above. How far it goes is recorded with its last message. */
function closed(
  state: State,
  job: Job,
  { text, cut, segment, since }: CutAnswer,
  { config, markdown }: AnswerOptions,
): DesiredPost[] {
  const parts = closedAnswer(text.slice(segment.from, cut), config, markdown, segment.first);
  const desired = parts.map((part) => answerPost(job, part, since));
  const last = desired.at(-1);
  const marked = last ? [...desired.slice(0, -1), { ...last, is: `${WHOLE} to ${cut}`, upto: uptoOf(text, cut) }] : [];
  return [...marked, ...surplus(posted(state, job), parts, segment).map((part) => takenAway(job, part, since))];
}

function answerIn(state: State, job: Job, text: string, { bytesLeftOut }: AnswerOptions): AnswerText {
  const unkept = isUnkept(job, state.runs[job.job_id]);
  return { text, left: bytesLeftOut?.(job.job_id) ?? 0, ...(unkept && { unkept }) };
}

/**
 * What is in no file, and too large to be one in Discord, is shown to its end. Without words, what has become of the
 * conversation is the answer.
 */
function shownWhole<O extends AnswerRendering>(
  state: State,
  job: Job,
  { text, left, unkept }: AnswerText,
  options: O,
): O {
  const { config, locale } = options;
  if (text === "") {
    const ran = isOwnCommand(state, job) ? [say(locale, "answer_command", { command: code(job.prompt, 60) })] : [];
    const [empty] = [...conversationLines(state.runs[job.job_id], locale), ...ran];
    return empty === undefined ? options : { ...options, empty };
  }
  return unkept && left === 0 && Buffer.byteLength(text) > config.max_file_bytes
    ? { ...options, config: { ...config, long_answers: "split" } }
    : options;
}

/** A short answer, all of which the journal has. */
function wholeExcerpt({ result_excerpt }: Job): string | undefined {
  return result_excerpt === null || result_excerpt.endsWith("…") ? undefined : result_excerpt;
}

/**
 * What an answer in memory has in Discord when its end cannot be recorded any more. `isWhole`: its agent had ended
 * well.
 */
export function unsavedPosts(
  state: State,
  running: Job,
  answer: AnswerText,
  isWhole: boolean,
  options: Omit<AnswerOptions, "liveText" | "result">,
): DesiredPost[] {
  const job: Job = { ...running, state: isWhole ? "success" : "unknown_after_crash" };
  const segment = segmentOf(state.posts[job.job_id] ?? {}, answer.text);
  const parts = withLine(
    wholeAnswer(
      job,
      { ...answer, unkept: true },
      shownWhole(state, job, { ...answer, unkept: true }, options),
      segment,
    ),
    cutLine(job, options.locale),
  );
  const since = Date.parse(job.started_at ?? "");
  return [
    ...parts.map((part) => answerPost(job, part, since)),
    jobPost(job, { part: UNRECORDED_PART, is: SAID, body: unrecordedBody(options.locale), priority: "result", since }),
  ];
}

/** The message below what was posted in that way. */
function unrecordedBody(locale: Locale): Body {
  return agentBody(smallPrint(`⚠️ ${say(locale, "answer_unrecorded")}`));
}

/**
 * What the last daemon may have posted of an answer whose end it could not record: it is looked for, the message below
 * it first, and stays as it is. Null: nothing was posted in that way.
 */
function unrecorded(state: State, job: Job, locale: Locale, since: number): DesiredPost[] | null {
  if (job.state !== "unknown_after_crash" || job.started_at === null) return null;
  const posts = state.posts[job.job_id] ?? {};
  const find = (part: string, body: Body, above?: string): DesiredPost[] => [
    {
      ...jobPost(job, { part, is: SAID, body, priority: "result", since }),
      want: { kind: "found", body, ...(above !== undefined && { above }) },
    },
  ];
  const below = posts[UNRECORDED_PART];
  if (below === undefined) return find(UNRECORDED_PART, unrecordedBody(locale));
  if (below.message_id === null) return null;
  const last = answers(posts).at(-1);
  return last?.post.message_id === null
    ? []
    : find(`answer:${(last?.number ?? -1) + 1}`, agentBody("…"), below.message_id);
}

/** The posted text stays; its last message bears this line, unless the answer continues below something else. */
function cutOff(state: State, job: Job, line: string, since: number): DesiredPost[] {
  const last = posted(state, job).at(-1);
  if (!last || last.post.upto) return [];
  return [
    {
      ...jobPost(job, {
        part: `answer:${last.number}`,
        is: INTERRUPTED,
        body: systemBody({}),
        priority: "result",
        since,
      }),
      want: { kind: "interrupted", line },
    },
  ];
}

/** The line below an answer that was cut off; for a failed job the closing message says it. */
function cutLine({ state }: Job, locale: Locale): string | null {
  if (state === "unknown_after_crash") return smallPrint(say(locale, "answer_interrupted"));
  return state === "cancelled" ? smallPrint(say(locale, "answer_stopped")) : null;
}

/** With the setting `card`, the closing message has it. */
function footerBelow(job: Job, { footer, config }: AnswerOptions): string | null {
  const said = config.footer === "card" ? null : (footer?.(job) ?? null);
  return said && footerLine(said, Date.parse(job.finished_at ?? ""));
}

/** Posted messages that the current answer no longer has. */
function surplus(there: Posted, parts: AnswerPart[], { first }: AnswerSegment): string[] {
  const wanted = new Set(parts.map((part) => part.number));
  return there.filter(({ number }) => number >= first && !wanted.has(number)).map(({ number }) => `answer:${number}`);
}

type Posted = ReturnType<typeof answers>;

function posted(state: State, job: Job): Posted {
  return answers(state.posts[job.job_id] ?? {}).filter(({ post }) => post.message_id !== null);
}

function answerPost(job: Job, { number, body, open }: AnswerPart, since: number): DesiredPost {
  return jobPost(job, {
    part: `answer:${number}`,
    is: open ? GROWING : WHOLE,
    body,
    priority: "result",
    since,
    live: open,
  });
}

const FENCE = /^ {0,3}(?:> ?)?(`{3,}|~{3,})/;
const ANSWER = /^answer:(\d+)$/;

type Parts = Readonly<Record<string, Post>>;

/**
 * Where the answer continues, by the record of its messages. If this text does not begin with what they contain, it is
 * another text, and all of it goes below them. `text` null: not known.
 */
export function segmentOf(posts: Parts, text: string | null): AnswerSegment {
  let segment = WHOLE_ANSWER;
  let shown: Upto | undefined;
  for (const { number, post } of answers(posts)) {
    if (!post.upto || number < segment.first) continue;
    segment = { from: post.upto.chars, first: number + 1 };
    shown = post.upto;
  }
  return shown && text !== null && digest(text.slice(0, shown.chars)) !== shown.sha256
    ? { ...segment, from: 0 }
    : segment;
}

/** What is written of an answer. */
interface Written {
  text: string;
  /** Its agent writes nothing now: it waits, or runs a tool. */
  paused: boolean;
}

/** Up to where the segment stays above what was posted below its last message; null if nothing was. */
export function cutOf(
  posts: Parts,
  { from, first }: AnswerSegment,
  below: readonly Below[],
  { text, paused }: Written,
): number | null {
  const ids = answers(posts).flatMap(({ number, post }) =>
    number >= first && post.message_id !== null ? [post.message_id] : [],
  );
  const last = ids.sort(compareSnowflakes).at(-1);
  const next =
    last === undefined ? undefined : below.find(({ id, at }) => compareSnowflakes(id, last) > 0 && at > from);
  // Text that is being written is not cut before more of it follows.
  if (next === undefined || (!paused && text.length <= next.at)) return null;
  const cut = cutAt(text, from, Math.min(next.at, text.length), paused);
  return cut !== null && cut > from ? cut : null;
}

export function uptoOf(text: string, chars: number): Upto {
  return { chars, sha256: digest(text.slice(0, chars)) };
}

/** At the end of a line outside code if there is one; null while an open code block fills the segment. */
function cutAt(text: string, from: number, at: number, paused: boolean): number | null {
  if (paused || text[at] === "\n") return at;
  const { lineEnd, open } = readUpTo(text.slice(from, at));
  if (lineEnd > 0) return from + lineEnd;
  if (open) return null;
  const blank = text.slice(from, at).search(/\s\S*$/);
  return blank > 0 ? from + blank : at;
}

/** The last line end outside code, and whether code is open at the end. */
function readUpTo(text: string): { lineEnd: number; open: boolean } {
  let open = false;
  let lineEnd = 0;
  let from = 0;
  for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", from)) {
    if (FENCE.test(text.slice(from, end))) open = !open;
    from = end + 1;
    if (!open) lineEnd = from;
  }
  return { lineEnd, open: FENCE.test(text.slice(from)) ? !open : open };
}

/** The messages of an answer by their number, lowest first. */
function answers(posts: Parts): { number: number; post: Post }[] {
  return Object.entries(posts)
    .flatMap(([part, post]) => {
      const number = ANSWER.exec(part)?.[1];
      return number === undefined ? [] : [{ number: Number(number), post }];
    })
    .sort((a, b) => a.number - b.number);
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest().toString("hex", 0, 16);
}
