/**
 * The queue card: what waits in a thread, which job is first and which one runs, with controls that change the order.
 * Pure. A thread's newest card follows the queue until it is empty; then it says so and is finished. An older card is
 * closed and points to the newest.
 */
import {
  ButtonStyle,
  ComponentType,
  type APIMessageTopLevelComponent,
  type APISelectMenuOption,
} from "discord-api-types/v10";
import { basename } from "node:path";
import { longestBeginning, excerpt, oneLine } from "../../base/text.ts";
import { say, type Locale } from "../../base/words/say.ts";
import { openOf } from "../../core/decisions/decision.ts";
import type { State } from "../../core/state.ts";
import type { Job } from "../../core/jobs/job.ts";
import { isTakenBack, isUnderWay } from "../../core/jobs/run.ts";
import { sendable } from "../../core/jobs/sending.ts";
import { OVER } from "../../core/jobs/post-state.ts";
import {
  button,
  code,
  colours,
  plainLine,
  buttonRows,
  systemBody,
  urlOf,
  type Button,
  type Body,
  type DesiredPost,
  nameOf,
  HELD_SIGN,
  signs,
  STOPPING_SIGN,
  WAITING_SIGN,
} from "./message.ts";
import { customId } from "./custom-id.ts";

/** The part under which the newest card is recorded; its subject is the thread. */
export const QUEUE_PART = "queue";
/** The previous card, until it is closed. */
export const OLD_QUEUE_PART = "queue:old";
/** Discord's limit for the options of a select. */
export const PAGE_JOBS = 25;
/** Jobs named on the card itself. */
const SHOWN_JOBS = 10;
const PROMPT_CHARS = 120;
/** Characters of a prompt that are read. */
const READ_CHARS = 4000;

/**
 * What a thread's cards should show; empty if there is none, or if its final text is already posted.
 * @param diskFull nothing new starts because of that
 */
export function queueCard(state: State, threadId: string, locale: Locale, diskFull = false): DesiredPost[] {
  const { [QUEUE_PART]: card, [OLD_QUEUE_PART]: old } = state.posts[threadId] ?? {};
  const since = Date.parse(state.sessions[threadId]?.created_at ?? "");
  const owe = (part: string, is: string, body: Body): DesiredPost => ({
    subject: threadId,
    part,
    thread_id: threadId,
    priority: "cosmetic",
    want: { kind: "show", body },
    is,
    since,
  });
  const desired: DesiredPost[] = [];
  if (card?.message_id && card.is !== OVER)
    desired.push(owe(QUEUE_PART, queueName(state, threadId, diskFull), queueBody(state, threadId, locale, diskFull)));
  if (old?.message_id && card?.message_id)
    desired.push(owe(OLD_QUEUE_PART, `moved to ${card.message_id}`, movedOn(state, threadId, card.message_id, locale)));
  return desired;
}

/** The card for the current queue. */
export function queueBody(state: State, threadId: string, locale: Locale, diskFull = false): Body {
  const session = state.sessions[threadId];
  const running = state.jobs[session?.running_job_id ?? ""];
  const waiting = (session?.queue ?? []).flatMap((id) => state.jobs[id] ?? []);
  if (!running && waiting.length === 0) return overBody(locale);
  const more = waiting.length - SHOWN_JOBS;
  const lines = [
    ...(running
      ? [
          `${state.runs[running.job_id]?.cancelling ? STOPPING_SIGN : asks(state, running.job_id) ? WAITING_SIGN : signs.running} ${jobLine(state, running, PROMPT_CHARS, locale)}`,
        ]
      : []),
    ...held(state, threadId, locale, diskFull),
    waiting.length === 0 ? say(locale, "queue_none") : `**${say(locale, "queue_waits", { count: waiting.length })}**`,
    ...waiting
      .slice(0, SHOWN_JOBS)
      .map((job, index) => `**${index + 1}.** ${jobLine(state, job, PROMPT_CHARS, locale)}`),
    ...(more > 0 ? [say(locale, "queue_more", { count: more })] : []),
  ];
  const body = systemBody({ color: colours.waits, title: say(locale, "queue_title"), description: lines.join("\n") });
  return { ...body, components: controls(state, threadId, waiting, locale) };
}

/** The name of what the card says. */
export function queueName(state: State, threadId: string, diskFull = false): string {
  const session = state.sessions[threadId];
  const { hold = null, wait = null } = state.threads[threadId] ?? {};
  const listed = [...(session?.running_job_id ? [session.running_job_id] : []), ...(session?.queue ?? [])];
  if (listed.length === 0) return OVER;
  const jobs = listed.map((id) => [
    id,
    state.jobs[id]?.prompt,
    state.runs[id]?.edited,
    state.runs[id]?.files.length,
    state.runs[id]?.cancelling,
    ...sendName(state, id),
  ]);
  return nameOf([
    session?.running_job_id,
    jobs,
    hold,
    wait?.kind === "limit" ? (wait.lifted ? "lifted" : wait.until) : wait?.kind,
    session?.last_job_id,
    ...(asks(state, session?.running_job_id) ? ["asks"] : []),
    ...(diskFull ? ["disk full"] : []),
  ]);
}

/** Whether the running job waits for its owner's answer. */
function asks(state: State, jobId: string | null | undefined): boolean {
  return typeof jobId === "string" && openOf(state, jobId).length > 0;
}

/** Nothing for a job that is never to be sent. */
function sendName(state: State, id: string): string[] {
  const job = state.jobs[id];
  if (!job || job.state !== "queued") return [];
  const may = sendable(state, job);
  return may === "now" || may === "under_way" ? [may] : [];
}

/** One page of the queue, from 1; limited to the existing pages. */
export function queuePage(state: State, threadId: string, wanted: number, locale: Locale): Body {
  const waiting = (state.sessions[threadId]?.queue ?? []).flatMap((id) => state.jobs[id] ?? []);
  const pages = Math.max(1, Math.ceil(waiting.length / PAGE_JOBS));
  const page = Math.min(Math.max(1, wanted), pages);
  const first = (page - 1) * PAGE_JOBS;
  const jobs = waiting.slice(first, first + PAGE_JOBS);
  const lines = jobs.map((job, index) => `**${first + index + 1}.** ${jobLine(state, job, 50, locale)}`);
  const body = systemBody({
    color: colours.waits,
    title: `${say(locale, "queue_title")} · ${say(locale, "queue_page", { page, pages })}`,
    description: lines.length === 0 ? say(locale, "queue_none") : lines.join("\n"),
  });
  const turns = [
    ...(page > 1
      ? [button(customId("queue_page", { thread: threadId, page: String(page - 1) }), say(locale, "queue_before"))]
      : []),
    ...(page < pages
      ? [button(customId("queue_page", { thread: threadId, page: String(page + 1) }), say(locale, "queue_after"))]
      : []),
  ];
  return { ...body, components: [...picker(state, jobs, first, locale), ...buttonRows(turns)] };
}

/** One waiting job in full, with its controls. */
export function queuedJob(state: State, job: Job, locale: Locale): Body {
  const queue = state.sessions[job.thread_id]?.queue ?? [];
  const place = queue.indexOf(job.job_id) + 1;
  const body = systemBody({
    color: colours.waits,
    description: `${say(locale, "queue_picked", { place })}\n${jobLine(state, job, 1200, locale)}`,
  });
  const first = place > 1 ? [button(customId("move_to_front", { job: job.job_id }), say(locale, "queue_first"))] : [];
  return {
    ...body,
    components: buttonRows([
      ...sendButton(state, job, locale),
      ...(isUnderWay(state, job.job_id) ? [] : first),
      ...cancelButton(state, job, locale),
    ]),
  };
}

/** Asks again whether the whole queue should be cleared. */
export function clearQuestion(threadId: string, queue: readonly string[], locale: Locale, grown: boolean): Body {
  const count = queue.length;
  const question = say(locale, "queue_sure", { count });
  const body = systemBody({
    color: colours.bad,
    description: grown ? `${say(locale, "queue_grown", { count })}\n${question}` : question,
  });
  const sure = button(
    customId("confirm_clear_queue", { thread: threadId, job: newestOf(queue) }),
    say(locale, "queue_sure_button", { count }),
    ButtonStyle.Danger,
  );
  return { ...body, components: buttonRows([sure]) };
}

/** The newest of these jobs, whatever their order is now. */
export function newestOf(queue: readonly string[]): string {
  return queue.reduce(
    (newest, id) => (id.length > newest.length || (id.length === newest.length && id > newest) ? id : newest),
    "",
  );
}

/** Its prompt on one line, whether it was edited, its files, and its id. */
export function jobLine(state: State, job: Job, max: number, locale: Locale): string {
  const { label, extras } = wordsOf(state, job, max, locale);
  return [plainLine(label, max), ...extras, code(job.job_id)].join(" · ");
}

function wordsOf(state: State, job: Job, max: number, locale: Locale): { label: string; extras: string[] } {
  const { files = [], quotes = [], edited = false } = state.runs[job.job_id] ?? {};
  // A prompt may be very long, and a card is rebuilt with every change.
  const prompt = oneLine(longestBeginning(job.prompt, READ_CHARS), max);
  // A message with only files is labelled with their names, a forward with what it says.
  const others = [...files.map(({ path }) => basename(path)), ...quotes.map(({ text }) => text)].join(", ");
  const label = prompt === "" ? oneLine(others, max) || "…" : prompt;
  const extras = [
    ...(edited ? [`✏️ ${say(locale, "queue_edited")}`] : []),
    ...(isUnderWay(state, job.job_id) ? [`${signs.sent_into} ${say(locale, "queue_under_way")}`] : []),
    ...(quotes.some(({ how }) => how === "forward") ? [`↪️ ${say(locale, "with_forward")}`] : []),
    ...(files.length > 0 ? [`📎 ${say(locale, "queue_files", { count: files.length })}`] : []),
  ];
  return { label, extras };
}

/** Why nothing in the queue starts now, if something in the thread itself holds it, or the disk is full. */
function held(state: State, threadId: string, locale: Locale, diskFull: boolean): string[] {
  const { hold = null, wait = null } = state.threads[threadId] ?? {};
  const lines: string[] = [];
  if (diskFull) lines.push(say(locale, "wait_disk"));
  if (hold !== null) lines.push(say(locale, "queue_held", { job: code(hold) }));
  if (wait?.kind === "limit" && wait.lifted) lines.push(say(locale, wait.untimed ? "queue_untimed" : "queue_lifted"));
  else if (wait?.kind === "limit")
    lines.push(say(locale, "queue_limit", { time: `<t:${Math.floor(Date.parse(wait.until) / 1000)}:f>` }));
  if (wait && wait.kind !== "limit") lines.push(say(locale, `queue_${wait.kind}`));
  return lines.map((line) => `${HELD_SIGN} ${line}`);
}

function controls(
  state: State,
  threadId: string,
  waiting: readonly Job[],
  locale: Locale,
): APIMessageTopLevelComponent[] {
  const [only] = waiting;
  if (!only) return [];
  if (waiting.length === 1)
    return buttonRows([...sendButton(state, only, locale), ...cancelButton(state, only, locale)]);
  const count = waiting.length;
  const all =
    count > PAGE_JOBS
      ? [button(customId("queue_page", { thread: threadId, page: "1" }), say(locale, "queue_browse", { count }))]
      : [];
  // What is being sent is taken back one by one.
  const left = waiting.filter(({ job_id }) => !isUnderWay(state, job_id)).length;
  const clear =
    left === 0
      ? []
      : [button(customId("clear_queue", { thread: threadId }), say(locale, "queue_clear", { count: left }))];
  return [...picker(state, waiting.slice(0, PAGE_JOBS), 0, locale), ...buttonRows([...all, ...clear])];
}

/** Only while it would be sent. */
function sendButton(state: State, job: Job, locale: Locale): Button[] {
  return sendable(state, job) === "now"
    ? [button(customId("send_queued", { job: job.job_id }), say(locale, "queue_send"))]
    : [];
}

/** None for what is being taken back already. */
function cancelButton({ runs }: State, { job_id }: Job, locale: Locale): Button[] {
  return isTakenBack(runs[job_id])
    ? []
    : [button(customId("cancel_queued", { job: job_id }), say(locale, "queue_cancel"))];
}

/** @param jobs of one thread @param before number of jobs that wait before the first of these */
function picker(state: State, jobs: readonly Job[], before: number, locale: Locale): APIMessageTopLevelComponent[] {
  const [one] = jobs;
  if (!one) return [];
  const options = jobs.map((job, index): APISelectMenuOption => {
    const { label, extras } = wordsOf(state, job, 90, locale);
    return {
      label: excerpt(`${before + index + 1}. ${label}`, 100),
      value: job.job_id,
      description: excerpt([job.job_id, ...extras].join(" · "), 100),
    };
  });
  const placeholder = excerpt(say(locale, "queue_pick"), 150);
  const select = {
    type: ComponentType.StringSelect as const,
    custom_id: customId("pick_queued", { thread: one.thread_id }),
    placeholder,
    options,
  };
  return [{ type: ComponentType.ActionRow, components: [select] }];
}

function overBody(locale: Locale): Body {
  return systemBody({
    color: colours.quiet,
    title: say(locale, "queue_title"),
    description: say(locale, "queue_over"),
  });
}

function movedOn(state: State, threadId: string, newest: string, locale: Locale): Body {
  const link = urlOf(state, threadId, { message_id: newest });
  return systemBody({ color: colours.quiet, description: say(locale, "queue_moved_on", { link }) });
}
