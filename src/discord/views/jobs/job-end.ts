/**
 * The message that closes a job: how it ended, on one line, and what the owner can do about it. For a failure it has
 * the reason, for a crash what is known of the job's work. Its buttons carry only the job's id; they work as long as
 * there is something to choose and are then removed. An outside turn is closed in the same way, and says where it
 * began.
 */
import { ButtonStyle } from "discord-api-types/v10";
import { errors } from "../../../base/errors.ts";
import { withoutControls, oneLine } from "../../../base/text.ts";
import { say, type Locale, type WordKey } from "../../../base/words/say.ts";
import type { State } from "../../../core/state.ts";
import { retriedAs, type Job } from "../../../core/jobs/job.ts";
import type { OutsideTurn } from "../../../core/jobs/outside-turn.ts";
import { isTurn, isUnkept, type Work } from "../../../core/jobs/job-or-turn.ts";
import { isAbove, SAID } from "../../../core/jobs/post-state.ts";
import { changesOf, isTakenBack, type Run } from "../../../core/jobs/run.ts";
import {
  button,
  code,
  colours,
  smallPrint,
  systemBody,
  urlOf,
  type Button,
  type Body,
  agentCalled,
  agentName,
  explainError,
  phoneLine,
  plainLine,
  agentBody,
  type DesiredPost,
  signs,
} from "../message.ts";
import { customId } from "../custom-id.ts";
import { besideLine, changesLine, finishedTool, summary } from "./job-card.ts";
import type { StatusLine, UsageLimit } from "../../../protocol/status-line.ts";
import { isUtf8 } from "node:buffer";
import { shownLines } from "../../../base/hidden-characters.ts";
import { FENCE } from "../../text/agent-text.ts";
import type { AnswerConfig } from "./answer.ts";
import { basename } from "node:path";
import { sendable, sentInto, jobsBeingSent } from "../../../core/jobs/sending.ts";
import { REMOVED } from "../../../core/posts/post.ts";
import { channelOf } from "../../../core/sessions/thread.ts";

/** The part of a crashed job's posts that holds all of its changes, as a file. */
export const PATCH_PART = "patch";

const SHOWN_TOOLS = 10;
const STAT_CHARS = 1_400;
const PROMPT_CHARS = 200;

/** The last of an ended job's messages. */
export function endBody({ colour, head, figures, answer, lines, buttons }: JobEnd): Body {
  const small = answer === null ? figures : `${figures} · ${answer}`;
  const content = [...(head === null ? [] : [head]), smallPrint(small)].join("\n");
  const { embeds, ...body } = systemBody({ color: colour, description: lines.join("\n") }, buttons);
  return { ...body, content, embeds: lines.length === 0 ? [] : embeds };
}

/** Fits a phone's notification. */
const HEAD_CHARS = 120;

/** The first words of what its agent said, without what is formatting there; null if it said nothing. */
function firstWords(said: string): string | null {
  const text = said
    .replace(/^ {0,3}(?:`{3}|~{3}).*$/gm, "")
    .replace(/^[ \t]*(?:#{1,6}|>|[-*+]|\d{1,9}[.)])[ \t]+/gm, "")
    .replace(/!?\[([^\][\n]*)\]\([^()\s[\]]*\)/g, "$1")
    .replace(/\*\*|__|~~|`/g, "");
  return phoneLine(oneLine(text, HEAD_CHARS)) || null;
}

interface EndFacts {
  /** The state of its Claude. */
  footer?: string | null;
  /** The arguments with which its agent could write. */
  writing?: readonly string[] | null;
  /** What its agent wrote after its last tool. Absent: not known, or nothing. */
  lastWords?: string | undefined;
}

/** What the last of an ended job's messages says, and what may be pressed there. */
export function jobEnd(
  state: State,
  job: Work,
  locale: Locale,
  { footer = null, writing = null, lastWords }: EndFacts = {},
): JobEnd {
  const run = state.runs[job.job_id];
  const { colour, lines, buttons, ...said } = isTurn(job)
    ? outside(state, job, run, locale)
    : detailsOf(state, job, run, locale);
  // A choice that is still open opens the session with it.
  if (buttons.length > 0 && state.threads[job.thread_id]?.closed !== undefined)
    lines.push(say(locale, "retry_reopens"));
  const [figures = "", ...remarks] = summary(job, run, { agent: agentName(state, job, locale), writing }, locale);
  const all = [
    ...(isTurn(job) ? [originLine(job.turn, locale)] : []),
    ...remarks,
    ...tookLine(state, job, locale),
    ...(footer === null ? [] : [footer]),
    ...lines,
    ...(isUnkept(job, run) ? [`⚠️ ${say(locale, "answer_unkept")}`] : []),
  ];
  // A crashed job's changes are posted below, in full.
  const diff =
    changesOf(run)?.patch && job.state !== "unknown_after_crash"
      ? [button(customId("show_diff", { job: job.job_id }), say(locale, "button_diff"))]
      : [];
  const head = said.head ?? firstWords(lastWords ?? job.result_excerpt ?? "");
  const link = answerLink(state, job);
  const answer = link === null ? null : `[${say(locale, "end_answer")}](${link})`;
  return { colour, head, figures, answer, lines: all, buttons: [...buttons, ...diff] };
}

/** The link to the first message of its answer; null if there is none. */
function answerLink(state: State, job: Job): string | null {
  const numbers = Object.entries(state.posts[job.job_id] ?? {}).filter(
    ([part, { message_id }]) => part.startsWith("answer:") && message_id !== null,
  );
  const [, first] = numbers.sort(([a], [b]) => Number(a.slice(7)) - Number(b.slice(7)))[0] ?? [];
  return first && state.threads[job.thread_id] ? urlOf(state, job.thread_id, first) : null;
}

export interface JobEnd {
  colour: number;
  /** What it is about, first: what its agent said, or what went wrong. */
  head: string | null;
  /** How it ended, and its figures. */
  figures: string;
  /** The way to the beginning of its answer; null: there is none. */
  answer: string | null;
  lines: string[];
  buttons: Button[];
}

/** `head` null: the first words of what its agent said. */
type Details = Omit<JobEnd, "figures" | "answer">;

function detailsOf(state: State, job: Job, run: Run | undefined, locale: Locale): Details {
  switch (job.state) {
    case "failed":
      return failed(state, job, run, locale);
    case "unknown_after_crash":
      return crashed(state, job, run, locale);
    default:
      return ended(job);
  }
}

function ended(job: Job): Details {
  return {
    colour: job.state === "success" ? colours.good : colours.quiet,
    head: null,
    lines: [],
    buttons: [],
  };
}

/** An outside turn is never run again, so nothing is offered. */
function outside(state: State, job: Job, run: Run | undefined, locale: Locale): Details {
  if (job.state === "failed") return { ...failed(state, job, run, locale), buttons: [] };
  return job.state === "unknown_after_crash"
    ? { ...ended(job), head: unknownLine(isAbove(state, job), locale) }
    : ended(job);
}

/** Where an outside turn began. */
export function originLine({ origin, prompt, error_code }: OutsideTurn, locale: Locale): string {
  if (error_code === "E_BACKGROUND_ENDED" || error_code === "E_BACKGROUND_SILENT")
    return `🌙 ${say(locale, "outside_lost")}`;
  const sign = origin === "background" ? "🌙" : "⌨️";
  const words = prompt === null || prompt.trim() === "" ? "" : ` ${code(prompt, PROMPT_CHARS)}`;
  return `${sign} ${say(locale, `outside_${origin}` satisfies WordKey)}${words}`;
}

/** What a restart of Bellhop means for an outside turn. */
function unknownLine(hasAnswer: boolean, locale: Locale): string {
  return say(locale, hasAnswer ? "outside_unknown_kept" : "outside_unknown");
}

/** Below the crash notice. A message of its own: the notice is edited, and each edit would send the file again. */
export function crashPatch(run: PatchOf, patch: Uint8Array, maxBytes: number, locale: Locale): Body {
  const message = patchMessage(run, patch, maxBytes, locale);
  return { ...systemBody({}), embeds: [], ...message, content: smallPrint(message.content) };
}

function failed(state: State, job: Job, run: Run | undefined, locale: Locale): Details {
  const details = run?.concluded?.error_details ?? {};
  const error = job.error_code ?? "E_INTERNAL";
  const [head = "", ...lines] = explainError(locale, error, {
    ...details,
    ...(details["tool"] === undefined || details["tool"] === job.tool ? { tool: agentCalled(state, job, locale) } : {}),
  });
  const again = retriedAs(state, job);
  if (again !== null) lines.push(say(locale, "settled_retry", { job: code(again) }));
  const mayHelp = errors[error].retry && again === null;
  return { colour: colours.bad, head, lines, buttons: mayHelp ? [jobButton("retry", job, locale)] : [] };
}

function crashed(state: State, job: Job, run: Run | undefined, locale: Locale): Details {
  const held = state.threads[job.thread_id]?.hold === job.job_id;
  const begun = job.started_at !== null;
  const tools = run?.begun?.tools.slice(-SHOWN_TOOLS) ?? [];
  const takenBack = !begun && isTakenBack(run);
  const head = takenBack
    ? say(locale, "crash_taken_back", { job: code(job.job_id) })
    : say(locale, !begun ? "crash_sent" : isAbove(state, job) ? "crash_what_kept" : "crash_what");
  const lines: string[] = [];
  if (run?.cancelling && !takenBack) lines.push(say(locale, "crash_asked_to_stop"));
  if (begun && tools.length === 0) lines.push(say(locale, "crash_no_tools"));
  if (tools.length > 0) lines.push(say(locale, "crash_tools"), ...tools.map(finishedTool));
  if (begun) lines.push(...evidence(run, locale));
  const settled = settledBy(run, locale);
  if (settled !== null) lines.push(settled);
  else if (held) lines.push(waiting(state.sessions[job.thread_id]?.queue.length ?? 0, locale));
  else lines.push(say(locale, "crash_goes_on"));
  const again = [jobButton("retry", job, locale), ...(begun ? [jobButton("continue", job, locale)] : [])];
  const buttons = settled !== null ? [] : [...again, ...(held ? [jobButton("discard", job, locale)] : [])];
  return { colour: settled === null ? colours.waits : colours.quiet, head, lines, buttons };
}

/** What the directory shows of the job's work, as far as it was examined. */
function evidence(run: Run | undefined, locale: Locale): string[] {
  const found = changesOf(run);
  if (!found) return [say(locale, "crash_changes_unknown")];
  const changes = changesLine(run, locale);
  if (changes === null) return [say(locale, "crash_no_changes")];
  return [say(locale, "crash_changes", { changes }), ...(found.stat === null ? [] : [drawn(found.stat)])];
}

/**
 * Git's stat in whole lines, without its total, which is given in the reader's own language. Names in it come from
 * outside and must not end the code block.
 */
function drawn(stat: string): string {
  const lines = withoutControls(stat)
    .replaceAll("`", "ˋ")
    .split("\n")
    .slice(0, -1)
    .map((line) => line.replace(/^ /, ""));
  let fits = lines;
  while (fits.join("\n").length > STAT_CHARS) fits = fits.slice(0, -1);
  return ["```", ...fits, ...(fits.length < lines.length ? ["…"] : []), "```"].join("\n");
}

function waiting(count: number, locale: Locale): string {
  return count === 0 ? say(locale, "crash_choose") : say(locale, "crash_waiting", { count });
}

/** Who or what settled it; null while it is open. */
function settledBy(run: Run | undefined, locale: Locale): string | null {
  if (run?.retried_by)
    return say(locale, run.settled === "continue" ? "settled_continue" : "settled_retry", {
      job: code(run.retried_by),
    });
  if (run?.settled === "discard") return say(locale, "settled_discard");
  if (run?.settled === "message") return say(locale, "settled_message");
  return null;
}

function jobButton(wanted: "retry" | "continue" | "discard", { job_id }: Job, locale: Locale): Button {
  return button(
    customId(wanted, { job: job_id }),
    say(locale, `button_${wanted}`),
    wanted === "retry" ? ButtonStyle.Primary : ButtonStyle.Secondary,
  );
}

/*
 * The line below an answer of a Claude at a terminal: its model, how full its context is, and how much of its usage
 * limits is used, as it last said. What is not known is left out.
 */

const MODEL_CHARS = 40;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** The longest that a limit can take until it resets, with some room. */
const LONGEST_MS = { session: 6 * HOUR_MS, weekly: 8 * 24 * HOUR_MS } as const;

/** @param at when the answer was finished, in milliseconds since the epoch. Null: nothing is known */
export function footerLine({ model, context, session, weekly }: StatusLine, at: number): string | null {
  const name = [model === null ? "" : plainLine(model, MODEL_CHARS), context === null ? "" : `${context}%`]
    .filter((part) => part !== "")
    .join(" ");
  const parts = [name, limitOf("session", session, at), limitOf("weekly", weekly, at)].filter((part) => part !== "");
  return parts.length === 0 ? null : `📊 ${parts.join(" │ ")}`;
}

/** Empty if it was reset since: what was used of it then says nothing now. */
function limitOf(name: keyof typeof LONGEST_MS, limit: UsageLimit | null, at: number): string {
  if (limit === null) return "";
  const left = limit.resetsAt === null ? null : limit.resetsAt - at;
  if (left !== null && left <= 0) return "";
  return `${name}:${limit.percent}%${left === null || left > LONGEST_MS[name] ? "" : `(${timeLeft(left)})`}`;
}

/** `5d03h`, `2h30m`, `9m`. */
function timeLeft(ms: number): string {
  const minutes = Math.ceil(ms / MINUTE_MS);
  const hours = Math.floor(minutes / 60);
  const two = (count: number): string => String(count).padStart(2, "0");
  if (hours >= 24) return `${Math.floor(hours / 24)}d${two(hours % 24)}h`;
  return hours >= 1 ? `${hours}h${two(minutes % 60)}m` : `${minutes}m`;
}

/*
 * A job's changes as a message: a small change is in the message itself, readable at once on a phone; a larger one is
 * a file.
 */

const INLINE_LINES = 40;
/** Fits into a message together with the lines above it. */
const INLINE_CHARS = 1_700;

interface PatchOf {
  job_id: string;
  /** Other threads whose changes it has as well. */
  beside: readonly string[] | undefined;
}

export function patchMessage(
  { job_id: jobId, beside }: PatchOf,
  patch: Uint8Array,
  maxBytes: number,
  locale: Locale,
): Pick<Body, "content" | "files"> {
  const shared = besideLine(beside, locale);
  const content = [say(locale, "crash_patch", { job: code(jobId) }), ...(shared === null ? [] : [shared])].join("\n");
  const lines = patchDrawn(patch, INLINE_CHARS - (shared?.length ?? 0));
  if (lines !== null) return { content: [content, `${FENCE}diff`, ...lines, FENCE].join("\n") };
  if (patch.length > maxBytes)
    return { content: say(locale, "diff_too_large", { file: code(`results/${jobId}.patch`) }) };
  return { content, files: [{ name: `${jobId}.patch`, bytes: patch }] };
}

/** Its lines, with nothing in them that hides or ends the code; null if they are too many or not text. */
function patchDrawn(patch: Uint8Array, chars: number): string[] | null {
  if (patch.length > chars * 4 || !isUtf8(patch)) return null;
  const text = Buffer.from(patch).toString("utf8").replace(/\n$/, "");
  // Git's index lines are for programs, and an unchanged empty line needs no mark.
  const lines = shownLines(text.replace(/^index [0-9a-f]+\.\.[0-9a-f]+(?: \d+)?\n/gm, "").replace(/^ $/gm, ""));
  return lines.length <= INLINE_LINES && lines.join("\n").length <= chars ? lines : null;
}

/*
 * The files that a job's agent sends: each is a message of its own below the answer, posted once and one after the
 * other; for a file that was not accepted, a line says why.
 */

export interface FileOptions {
  locale: Locale;
  config: AnswerConfig;
  /** Optional: the bytes of a job's file that is not in Discord yet, by its place. */
  attached?(jobId: string, place: number): Uint8Array | undefined;
}

const MEGABYTE = 1024 * 1024;

const WHY: Record<string, WordKey> = {
  outside: "sent_why_outside",
  missing: "sent_why_missing",
  no_file: "sent_why_no_file",
  too_large: "sent_why_too_large",
  many: "sent_why_many",
};

function filePart(place: number): string {
  return `file:${place}`;
}

/** Whether the file, or why it is not sent, is in Discord as owed; from then on its bytes are not needed. */
export function isSent({ posts }: State, jobId: string, place: number): boolean {
  return posts[jobId]?.[filePart(place)]?.is === SAID;
}

/** Up to the next one that is not sent yet: one file per job is held in memory at a time. */
export function filePosts(state: State, job: Job, options: FileOptions, since: number): DesiredPost[] {
  const files = state.runs[job.job_id]?.attachments ?? [];
  const next = files.findIndex((_, place) => !isSent(state, job.job_id, place));
  const due = next < 0 ? files : files.slice(0, next + 1);
  return due.map((file, place) => {
    const bytes = file.why === null ? options.attached?.(job.job_id, place) : undefined;
    return jobPost(job, {
      part: filePart(place),
      is: SAID,
      body: fileBody(file, bytes, options),
      priority: "result",
      since,
    });
  });
}

function fileBody(
  { name, why }: { name: string; why: string | null },
  bytes: Uint8Array | undefined,
  { locale, config: { max_file_bytes } }: FileOptions,
): Body {
  const shown = code(name, 200) || "…";
  const isLarge = bytes !== undefined && bytes.length > max_file_bytes;
  if (bytes !== undefined && !isLarge)
    return { ...agentBody(smallPrint(`📎 ${shown}`)), files: [{ name: fileName(name), bytes }] };
  const reason = WHY[isLarge ? "too_large" : (why ?? "")] ?? "sent_why_unreadable";
  return agentBody(
    smallPrint(
      say(locale, "sent_not", { name: shown, why: say(locale, reason, { limit: max_file_bytes / MEGABYTE }) }),
    ),
  );
}

/** The last part of its path, safe to save. Discord shows letters that are not ASCII, as the file's title. */
function fileName(name: string): string {
  const last = name.split(/[\\/]/).at(-1) ?? "";
  return last.replace(/[^\p{L}\p{N}._-]/gu, "_").slice(-100) || "file";
}

/*
 * What the card of a running job and the message that closes it say of messages that were sent into its turn, and the
 * button that sends the next one. Pure.
 */

const SENT_CHARS = 80;
/** Messages named on one line. */
const SHOWN = 5;

/** The messages that this job's answer answers too; empty if there are none. */
export function tookLine(state: State, job: Job, locale: Locale): string[] {
  const messages = sentInto(state, job);
  if (messages.length === 0) return [];
  const named = [
    ...messages.slice(0, SHOWN).map((one) => linkTo(state, one)),
    ...(messages.length > SHOWN ? ["…"] : []),
  ];
  return [`${signs.sent_into} ${say(locale, "job_took", { messages: named.join(" · ") })}`];
}

/** What is being sent into a running job, and the first message that could be. */
export function sends(state: State, { thread_id }: Job, locale: Locale): { lines: string[]; buttons: Button[] } {
  const going = jobsBeingSent(state, thread_id).flatMap((id) => state.jobs[id] ?? []);
  const next = (state.sessions[thread_id]?.queue ?? [])
    .flatMap((id) => state.jobs[id] ?? [])
    .find((one) => sendable(state, one) === "now");
  const lines = [
    ...going
      .slice(0, SHOWN)
      .map((one) => `${signs.sent_into} ${linkTo(state, one)} · ${say(locale, "queue_under_way")}`),
    ...(next ? [`${signs.queued} ${linkTo(state, next)}`] : []),
  ];
  return {
    lines,
    buttons: next ? [button(customId("send_queued", { job: next.job_id }), say(locale, "queue_send"))] : [],
  };
}

function linkTo(state: State, { job_id, thread_id, discord_message_id, prompt }: Job): string {
  const files = state.runs[job_id]?.files ?? [];
  const words = plainLine(
    prompt.trim() === "" ? oneLine(files.map(({ path }) => basename(path)).join(", "), SENT_CHARS) : prompt,
    SENT_CHARS,
  );
  return `[${words || "…"}](${urlOf(state, thread_id, { channel_id: channelOf(state, thread_id, discord_message_id), message_id: discord_message_id })})`;
}

/*
 * How a job's posts are owed: what is posted in its thread, and what is removed from it.
 */

/** What differs among the posts of one job. */
interface JobPost extends Pick<DesiredPost, "part" | "is" | "priority" | "since" | "notBefore"> {
  body: Body;
  live?: boolean;
}

export function jobPost({ job_id, thread_id }: Job, { body, live = false, ...post }: JobPost): DesiredPost {
  return { ...post, subject: job_id, thread_id, want: { kind: "show", body }, live };
}

/** The existing message is to be removed. */
export function takenAway(job: Job, part: string, since: number): DesiredPost {
  return {
    ...jobPost(job, { part, is: REMOVED, body: systemBody({}), priority: "cosmetic", since }),
    want: { kind: "remove" },
  };
}
