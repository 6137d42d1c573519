/**
 * What should stand in a thread, from the state alone: the welcome, and for every job its card, its answer and, if
 * it ended badly, how; what is asked of the owner; and what is owed to messages that became no job. Pure, so what is
 * owed after a restart is what was owed before it.
 */
import type { Locale } from "../base/words/say.ts";
import { say } from "../base/words/say.ts";
import { openOf } from "../core/decision.ts";
import type { State } from "../core/house.ts";
import type { Job } from "../core/job.ts";
import { CRASH_PART } from "../core/post.ts";
import type { Session } from "../core/session.ts";
import type { Notice } from "../core/thread.ts";
import { growingAnswer, lostAnswer, wholeAnswer, type AnswerConfig, type AnswerPart } from "./answer.ts";
import { code, colours, inert, smallPrint, told } from "./body.ts";
import { promptLink } from "./decision-frame.ts";
import { pointedText } from "./decision-notice.ts";
import { decisionPosts, type DecisionOptions } from "./decision-view.ts";
import { Growth } from "./growth.ts";
import { endedCard, runningCard } from "./job-card.ts";
import { crashPatch, jobEnd, PATCH_PART } from "./job-end.ts";
import type { Body, Live, Owed } from "./owed.ts";
import { queueCard } from "./queue-card.ts";
import { sentence } from "./sentence.ts";
import { waitNotices } from "./wait-notice.ts";

export interface ViewOptions extends DecisionOptions {
  /** What a running job is saying. */
  live(jobId: string): Live | undefined;
  /** Optional: what was read of it when it was looked at before. */
  growth?(jobId: string): Growth | undefined;
  /** The whole answer of an ended job from its file, read before the view is asked; undefined: it cannot be read. */
  result(jobId: string): string | undefined;
  /** Optional: the answer of this ended job stands as it should, so there is no need to render it again. */
  answered?(jobId: string): boolean;
  /** Optional: all of this job stands as it should and will not change, so it is passed over. */
  settled?(jobId: string): boolean;
  /** Optional: the whole of what this crashed job changed, where its file is not posted yet. */
  patch?(jobId: string): Uint8Array | undefined;
  config: AnswerConfig;
}

/**
 * Everything owed to a thread, in the order in which what is new is to be posted. In a thread without a session that
 * is what is asked there and what is said to those who write. None for an unknown one.
 */
export function viewThread(state: State, threadId: string, options: ViewOptions): Owed[] {
  const session = state.sessions[threadId];
  const thread = state.threads[threadId];
  const notices = Object.values(state.notices).filter((notice) => notice.thread_id === threadId);
  const decisions = decisionPosts(state, threadId, options);
  if (!session || !thread) return thread ? [...decisions, ...notices.map((notice) => refusal(state, notice, options.locale))] : [];
  const running = session.running_job_id;
  return [
    welcome(state, session, options.locale),
    ...thread.ended.flatMap((jobId) => (options.settled?.(jobId) ? [] : viewJob(state, jobId, options))),
    ...notices.map((notice) => refusal(state, notice, options.locale)),
    ...(running === null ? [] : viewJob(state, running, options)),
    ...decisions,
    ...waitNotices(state, threadId, options.locale),
    ...queueCard(state, threadId, options.locale),
  ];
}

/** What is owed for one job. None for a job that has not begun. */
export function viewJob(state: State, jobId: string, options: ViewOptions): Owed[] {
  const job = state.jobs[jobId];
  if (!job?.started_at || job.state === "queued") return [];
  return job.state === "running" ? runningJob(state, job, options) : endedJob(state, job, options);
}

function runningJob(state: State, job: Job, { live, locale, config, markdown, growth }: ViewOptions): Owed[] {
  const said = live(job.job_id);
  const { parts, beyond } = growingAnswer(said?.text ?? "", config, growth?.(job.job_id) ?? new Growth(markdown));
  const since = Date.parse(job.started_at ?? "");
  const [waits] = openOf(state, job.job_id);
  const waiting = waits && { link: promptLink(state, waits) };
  const card = show(job, "card", runningCard(job, said, beyond, locale, waiting), { lane: "cosmetic", since, live: true });
  return [card, ...parts.map((part) => answer(job, part, since)), ...surplus(state, job, parts, since)];
}

/** The card stands above the answer where it already was, else below it; nothing of an answer waits for its sum. */
function endedJob(state: State, job: Job, options: ViewOptions): Owed[] {
  const { locale } = options;
  const since = Date.parse(job.finished_at ?? "");
  const card = show(job, "card", endedCard(job, state.runs[job.job_id], locale), { lane: "cosmetic", since });
  const end = jobEnd(state, job, locale);
  const told = [
    ...(options.answered?.(job.job_id) ? [] : endedAnswer(state, job, options, since)),
    ...(end === null ? [] : [show(job, CRASH_PART, end, { lane: "result", since })]),
  ];
  const patch = options.patch?.(job.job_id);
  if (patch) told.push(show(job, PATCH_PART, crashPatch(job, patch, options.config.max_file_bytes, locale), { lane: "result", since }));
  return [...told, card];
}

/** The answer of an ended job. Where its text is nowhere any more, what stands in Discord is all there is. */
function endedAnswer(state: State, job: Job, options: ViewOptions, since: number): Owed[] {
  const { locale, config, markdown } = options;
  if (!state.runs[job.job_id]?.result_sha256) return cutOff(state, job, locale, since);
  const text = options.result(job.job_id);
  const parts = text === undefined ? lostAnswer(job, markdown, locale) : wholeAnswer(job, text, config, markdown, locale);
  const owed = parts.map((part) => answer(job, part, since));
  // A file that cannot be read takes nothing away from what stands.
  return text === undefined ? owed : [...owed, ...surplus(state, job, parts, since)];
}

function cutOff(state: State, job: Job, locale: Locale, since: number): Owed[] {
  const last = answerNumbers(state, job).at(-1);
  if (last === undefined) return [];
  const line = say(locale, job.state === "unknown_after_crash" ? "answer_interrupted" : "answer_stopped");
  return [
    {
      ...show(job, `answer:${last}`, told({}), { lane: "result", since }),
      want: { kind: "interrupted", line: smallPrint(line) },
    },
  ];
}

/** Messages that were posted and that the answer as it is now does not have. */
function surplus(state: State, job: Job, parts: AnswerPart[], since: number): Owed[] {
  const wanted = new Set(parts.map((part) => part.number));
  return answerNumbers(state, job)
    .filter((number) => !wanted.has(number))
    .map((number) => ({
      ...show(job, `answer:${number}`, told({}), { lane: "cosmetic", since }),
      want: { kind: "remove" },
    }));
}

/** The numbers of the answer's messages that were posted, lowest first. */
function answerNumbers(state: State, job: Job): number[] {
  return Object.entries(state.posts[job.job_id] ?? {})
    .filter(([part, post]) => part.startsWith("answer:") && post.message_id !== null)
    .map(([part]) => Number(part.slice("answer:".length)))
    .sort((a, b) => a - b);
}

function answer(job: Job, { number, body, open }: AnswerPart, since: number): Owed {
  return show(job, `answer:${number}`, body, { lane: "result", since, live: open });
}

function show(
  job: Job,
  part: string,
  body: Body,
  { lane, since, live = false }: { lane: Owed["lane"]; since: number; live?: boolean },
): Owed {
  const { job_id, thread_id } = job;
  return { subject: job_id, part, thread_id, lane, want: { kind: "show", body }, reply_to: null, since, live };
}

function welcome(state: State, session: Session, locale: Locale): Owed {
  const { thread_id, project_name, tool } = session;
  const path = state.projects[project_name]?.path ?? project_name;
  const body = told({
    color: colours.runs,
    title: say(locale, "welcome_title"),
    description: [
      say(locale, "welcome_body", { tool: `**${inert(tool, 40)}**`, path: code(path, 300) }),
      say(locale, "welcome_hints"),
    ].join("\n"),
  });
  const since = Date.parse(session.created_at);
  const want = { kind: "show", body } as const;
  return { subject: thread_id, part: "welcome", thread_id, lane: "result", want, reply_to: null, since, live: false };
}

function refusal(state: State, notice: Notice, locale: Locale): Owed {
  const { subject, thread_id, discord_message_id: reply_to, code: error, details, at } = notice;
  const pointed = pointedText(state, notice, locale);
  const description = pointed !== null ? pointed : error === null ? changed(state, notice, locale) : `${sentence(locale, error, details)} \`${error}\``;
  const body = told({ color: colours.waits, description });
  const want = { kind: "show", body } as const;
  const since = Date.parse(at);
  return { subject, part: "refused", thread_id, lane: "result", want, reply_to, since, live: false };
}

/** What came of an edit or a deletion. The message that is gone cannot be replied to, so its job is named. */
function changed(state: State, { thread_id, discord_message_id, change }: Notice, locale: Locale): string {
  if (change !== "deleted") return say(locale, "noted_edited");
  const jobs = Object.values(state.jobs).filter((job) => job.thread_id === thread_id && job.discord_message_id === discord_message_id);
  const job = jobs.at(-1);
  return say(locale, job?.started_at === null ? "noted_taken_back" : "noted_deleted", { job: code(job?.job_id ?? "…") });
}
