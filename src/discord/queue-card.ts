/**
 * The queue card: what waits in a thread, which job is first and which one runs, with what changes the order. Pure.
 * The newest card of a thread is kept as the queue is until nothing is left of it; then it says so and is done. An
 * older one is closed and points at the newest.
 */
import { ButtonStyle, ComponentType, type APIMessageTopLevelComponent, type APISelectMenuOption } from "discord-api-types/v10";
import { basename } from "node:path";
import { beginning, excerpt, oneLine } from "../base/text.ts";
import { catalogues, say, type Locale } from "../base/words/say.ts";
import type { State } from "../core/house.ts";
import type { Job } from "../core/job.ts";
import { code, colours, inert, told } from "./body.ts";
import type { Body, Owed } from "./owed.ts";
import { hashOf } from "./posting.ts";

/** The part under which the newest card is recorded; its subject is the thread. */
export const QUEUE_PART = "queue";
/** The card before it, until it is closed. */
export const OLD_QUEUE_PART = "queue:old";
/** Discord's limit for the options of a select. */
export const PAGE_JOBS = 25;
/** Jobs named on the card itself. */
const SHOWN_JOBS = 10;
const PROMPT_CHARS = 120;
/** So much of a prompt is looked at. */
const READ_CHARS = 4000;

/** What the cards of a thread should show: nothing where there is none, or where its last word is said. */
export function queueCard(state: State, threadId: string, locale: Locale): Owed[] {
  const { [QUEUE_PART]: card, [OLD_QUEUE_PART]: old } = state.posts[threadId] ?? {};
  const since = Date.parse(state.sessions[threadId]?.created_at ?? "");
  const owe = (part: string, body: Body): Owed => ({
    subject: threadId,
    part,
    thread_id: threadId,
    lane: "cosmetic",
    want: { kind: "show", body },
    reply_to: null,
    since,
    live: false,
  });
  const owed: Owed[] = [];
  if (card?.message_id && !isLastWord(card.hash)) owed.push(owe(QUEUE_PART, queueBody(state, threadId, locale)));
  if (old?.message_id && card?.message_id) owed.push(owe(OLD_QUEUE_PART, movedOn(state, threadId, card.message_id, locale)));
  return owed;
}

/** The card as the queue is now. */
export function queueBody(state: State, threadId: string, locale: Locale): Body {
  const session = state.sessions[threadId];
  const running = state.jobs[session?.running_job_id ?? ""];
  const waiting = (session?.queue ?? []).flatMap((id) => state.jobs[id] ?? []);
  if (!running && waiting.length === 0) return overBody(locale);
  const more = waiting.length - SHOWN_JOBS;
  const lines = [
    ...(running ? [`${state.runs[running.job_id]?.cancelling ? "🛑" : "⚙️"} ${jobLine(state, running, PROMPT_CHARS, locale)}`] : []),
    ...held(state, threadId, locale),
    waiting.length === 0 ? say(locale, "queue_none") : `**${say(locale, "queue_waits", { count: waiting.length })}**`,
    ...waiting.slice(0, SHOWN_JOBS).map((job, index) => `**${index + 1}.** ${jobLine(state, job, PROMPT_CHARS, locale)}`),
    ...(more > 0 ? [say(locale, "queue_more", { count: more })] : []),
  ];
  const body = told({ color: colours.waits, title: say(locale, "queue_title"), description: lines.join("\n") });
  return { ...body, components: controls(state, threadId, waiting, locale) };
}

/** One page of all that waits, from 1; the nearest there is. */
export function queuePage(state: State, threadId: string, wanted: number, locale: Locale): Body {
  const waiting = (state.sessions[threadId]?.queue ?? []).flatMap((id) => state.jobs[id] ?? []);
  const pages = Math.max(1, Math.ceil(waiting.length / PAGE_JOBS));
  const page = Math.min(Math.max(1, wanted), pages);
  const first = (page - 1) * PAGE_JOBS;
  const jobs = waiting.slice(first, first + PAGE_JOBS);
  const lines = jobs.map((job, index) => `**${first + index + 1}.** ${jobLine(state, job, 50, locale)}`);
  const body = told({
    color: colours.waits,
    title: `${say(locale, "queue_title")} · ${say(locale, "queue_page", { page, pages })}`,
    description: lines.length === 0 ? say(locale, "queue_none") : lines.join("\n"),
  });
  const turns = [
    ...(page > 1 ? [button(`q-page:${threadId}:${page - 1}`, say(locale, "queue_before"))] : []),
    ...(page < pages ? [button(`q-page:${threadId}:${page + 1}`, say(locale, "queue_after"))] : []),
  ];
  return { ...body, components: [...picker(state, threadId, jobs, first, locale), ...row(turns)] };
}

/** One waiting job whole, with what can be done with it. */
export function queuedJob(state: State, job: Job, locale: Locale): Body {
  const queue = state.sessions[job.thread_id]?.queue ?? [];
  const place = queue.indexOf(job.job_id) + 1;
  const body = told({
    color: colours.waits,
    description: `${say(locale, "queue_picked", { place })}\n${jobLine(state, job, 1200, locale)}`,
  });
  const first = place > 1 ? [button(`q-first:${job.job_id}`, say(locale, "queue_first"))] : [];
  return { ...body, components: row([...first, button(`q-cancel:${job.job_id}`, say(locale, "queue_cancel"))]) };
}

/** Whether all that waits should go, asked once more. */
export function clearQuestion(threadId: string, queue: readonly string[], locale: Locale, grown: boolean): Body {
  const count = queue.length;
  const question = say(locale, "queue_sure", { count });
  const body = told({ color: colours.bad, description: grown ? `${say(locale, "queue_grown", { count })}\n${question}` : question });
  const sure = button(`q-sure:${threadId}:${newestOf(queue)}`, say(locale, "queue_sure_button", { count }), ButtonStyle.Danger);
  return { ...body, components: row([sure]) };
}

/** The job of these that was written last, whatever their order is now. */
export function newestOf(queue: readonly string[]): string {
  return queue.reduce((newest, id) => (id.length > newest.length || (id.length === newest.length && id > newest) ? id : newest), "");
}

/** Its prompt on one line, what came with it, and its id. */
export function jobLine(state: State, job: Job, max: number, locale: Locale): string {
  const { label, extras } = wordsOf(state, job, max, locale);
  return [inert(label, max), ...extras, code(job.job_id)].join(" · ");
}

function wordsOf(state: State, job: Job, max: number, locale: Locale): { label: string; extras: string[] } {
  const { files = [], edited = false } = state.runs[job.job_id] ?? {};
  // A prompt may be as long as a book, and a card is made anew with every change.
  const prompt = oneLine(beginning(job.prompt, READ_CHARS), max);
  // A message of files alone is known by their names.
  const label = prompt === "" ? oneLine(files.map((file) => basename(file)).join(", "), max) || "…" : prompt;
  const extras = [
    ...(edited ? [`✏️ ${say(locale, "queue_edited")}`] : []),
    ...(files.length > 0 ? [`📎 ${say(locale, "queue_files", { count: files.length })}`] : []),
  ];
  return { label, extras };
}

/** Why nothing of the queue starts now, where something of the thread's own holds it. */
function held(state: State, threadId: string, locale: Locale): string[] {
  const { hold = null, wait = null } = state.threads[threadId] ?? {};
  const lines: string[] = [];
  if (hold !== null) lines.push(say(locale, "queue_held", { job: code(hold) }));
  if (wait?.kind === "limit") lines.push(say(locale, "queue_limit", { time: `<t:${Math.floor(Date.parse(wait.until) / 1000)}:f>` }));
  if (wait?.kind === "checkout") lines.push(say(locale, "queue_checkout", { job: code(state.sessions[threadId]?.last_job_id ?? "") }));
  return lines.map((line) => `⏸️ ${line}`);
}

function controls(state: State, threadId: string, waiting: readonly Job[], locale: Locale): APIMessageTopLevelComponent[] {
  const [only] = waiting;
  if (!only) return [];
  if (waiting.length === 1) return row([button(`q-cancel:${only.job_id}`, say(locale, "queue_cancel"))]);
  const count = waiting.length;
  const all = count > PAGE_JOBS ? [button(`q-page:${threadId}:1`, say(locale, "queue_browse", { count }))] : [];
  const clear = button(`q-clear:${threadId}`, say(locale, "queue_clear", { count }));
  return [...picker(state, threadId, waiting.slice(0, PAGE_JOBS), 0, locale), ...row([...all, clear])];
}

/** @param before how many wait before the first of these */
function picker(state: State, threadId: string, jobs: readonly Job[], before: number, locale: Locale): APIMessageTopLevelComponent[] {
  if (jobs.length === 0) return [];
  const options = jobs.map((job, index): APISelectMenuOption => {
    const { label, extras } = wordsOf(state, job, 90, locale);
    return { label: excerpt(`${before + index + 1}. ${label}`, 100), value: job.job_id, description: excerpt([job.job_id, ...extras].join(" · "), 100) };
  });
  const placeholder = excerpt(say(locale, "queue_pick"), 150);
  const select = { type: ComponentType.StringSelect as const, custom_id: `q-pick:${threadId}`, placeholder, options };
  return [{ type: ComponentType.ActionRow, components: [select] }];
}

type QueueButton = { type: ComponentType.Button; style: ButtonStyle.Secondary | ButtonStyle.Danger; label: string; custom_id: string };

function button(custom_id: string, label: string, style: QueueButton["style"] = ButtonStyle.Secondary): QueueButton {
  return { type: ComponentType.Button, style, label: excerpt(label, 80), custom_id };
}

function row(buttons: QueueButton[]): APIMessageTopLevelComponent[] {
  return buttons.length === 0 ? [] : [{ type: ComponentType.ActionRow, components: buttons }];
}

function overBody(locale: Locale): Body {
  return told({ color: colours.quiet, title: say(locale, "queue_title"), description: say(locale, "queue_over") });
}

/** Said in any language: a card that was done stays done when the language is changed. */
function isLastWord(hash: string): boolean {
  return (Object.keys(catalogues) as Locale[]).some((locale) => hash === hashOf(overBody(locale)));
}

function movedOn(state: State, threadId: string, newest: string, locale: Locale): Body {
  const link = `https://discord.com/channels/${state.threads[threadId]?.guild_id ?? "@me"}/${threadId}/${newest}`;
  return told({ color: colours.quiet, description: say(locale, "queue_moved_on", { link }) });
}
