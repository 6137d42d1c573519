/**
 * What should be posted in a thread, from the state alone: the welcome; for every job its card while it runs, its
 * answer, and the message that closes it; decisions; and replies to messages that became no job. Pure, so a restart
 * does not change what is owed.
 */
import { ButtonStyle } from "discord-api-types/v10";
import { compareSnowflakes, snowflakeTime } from "../../base/ids.ts";
import { type Locale, say } from "../../base/words/say.ts";
import { workOf } from "../../core/decisions/asker.ts";
import { decisionsIn, isOpen, openOf } from "../../core/decisions/decision.ts";
import { leftToTerminal } from "../../core/decisions/settlement.ts";
import { uncopied } from "../../core/jobs/pictures.ts";
import type { State } from "../../core/state.ts";
import { jobsOf, type Job } from "../../core/jobs/job.ts";
import { endedIn, isTurn, jobOrTurn, workersIn, type Work } from "../../core/jobs/job-or-turn.ts";
import { changesOf, isUnderWay } from "../../core/jobs/run.ts";
import { CARD_PART, END_PART, GROWING, type Post } from "../../core/posts/post.ts";
import { endName, OVER, SAID, welcomeName } from "../../core/jobs/post-state.ts";
import { adoptedIn } from "../../core/sessions/adoptions.ts";
import type { Session } from "../../core/sessions/session.ts";
import { forwardPart, MOST_HELD } from "../../core/jobs/forwards.ts";
import { noticesIn, type Notice, type Thread, type ThreadFailure } from "../../core/sessions/thread.ts";
import { adoptedPosts } from "./adoption.ts";
import { ruleNotices } from "./allowed-rules.ts";
import {
  answerAndEnd,
  endedPosts,
  growingPosts,
  isShownAbove,
  mayCloseItself,
  unrenderedPosts,
  type AnswerOptions,
} from "./jobs/answer-posts.ts";
import {
  agentName,
  button,
  code,
  colours,
  plainLine,
  systemBody,
  type Body,
  type DesiredPost,
  sentence,
} from "./message.ts";
import { customId } from "./custom-id.ts";
import { promptLink } from "./decisions/controls.ts";
import { pointedText } from "./decisions/settled.ts";
import { decisionPosts, type DecisionOptions } from "./decisions/decision-posts.ts";
import { overCard, runningCard } from "./jobs/job-card.ts";
import {
  crashPatch,
  endBody,
  jobEnd,
  originLine,
  PATCH_PART,
  footerLine,
  filePosts,
  type FileOptions,
  jobPost,
  sends,
  tookLine,
} from "./jobs/job-end.ts";
import { queueCard } from "./queue-card.ts";
import { always } from "../text/markdown.ts";
import { stopOffers } from "./stop-offer.ts";
import { waitNotices, type WaitOptions } from "./wait-notice.ts";
import { archivedPosts, lostWorktree } from "./worktrees.ts";
import type { SessionAccess } from "../api/bot-context.ts";

export interface ViewOptions extends DecisionOptions, AnswerOptions, FileOptions, WaitOptions {
  /** Optional: all the changes of this crashed job, if their file is not posted yet. */
  patch?(jobId: string): Uint8Array | undefined;
  /** Optional: the changed configuration that the thread's owner is asked about. */
  difference?: string | null;
  /** Optional: whether turns that the owner types at the terminal are shown; all are without it. */
  terminalTurns?: "all" | "none";
  /** Optional: how a session's agent may write, and which arguments would let it. */
  sessionAccess?(session: Session): SessionAccess;
}

/**
 * Everything owed to a thread, in the order in which new posts are made. For a thread without a session, its decisions
 * and the replies to messages there. Empty for an unknown thread.
 */
export function viewThread(state: State, threadId: string, options: ViewOptions): DesiredPost[] {
  const session = state.sessions[threadId];
  const thread = state.threads[threadId];
  const worktree = state.worktrees[threadId];
  const archived = state.archives[threadId];
  const notices = noticesIn(state, threadId);
  const decisions = decisionsIn(state, threadId).flatMap((one) => decisionPosts(state, one, options));
  // One that was shown before the setting changed is shown to its end.
  const isShown = (id: string): boolean =>
    options.terminalTurns !== "none" || state.turns[id]?.origin !== "terminal" || state.posts[id] !== undefined;
  if (!session || !thread)
    return thread ? [...decisions, ...notices.map((notice) => refusal(state, notice, options.locale))] : [];
  return [
    ...welcome(state, session, options),
    ...endedIn(state, thread)
      .filter(isShown)
      .flatMap((jobId) => viewJob(state, jobId, options)),
    ...notices.filter((notice) => isKnown(state, notice)).map((notice) => refusal(state, notice, options.locale)),
    ...workersIn(state, threadId)
      .filter(isShown)
      .flatMap((id) => viewJob(state, id, options)),
    ...decisions,
    ...adoptedIn(state, threadId).flatMap((one) => adoptedPosts(state, one, threadId, options.locale)),
    ...ruleNotices(state, threadId, options.locale),
    ...forwardPosts(thread, options.locale),
    ...waitNotices(state, threadId, options),
    ...stopOffers(state, threadId, options.locale),
    ...(worktree ? lostWorktree(state, worktree, options.locale) : []),
    ...threadFailures(state, threadId, options.locale),
    ...(archived ? archivedPosts(state, archived, options) : []),
    ...queueCard(state, threadId, options.locale, options.diskFull),
  ];
}

const WELCOME_PART = "welcome";
/** Nothing is posted of a job for this long after its start or its owner's last answer: one that ends sooner has no card. */
const SHORT_MS = 1_500;
const NOTHING_SAID = { desired: [], beyond: 0 };

/**
 * What is owed for one job or outside turn; empty for a job that has not begun, unless a crash came while it was sent
 * into another one's turn.
 */
export function viewJob(state: State, jobId: string, options: ViewOptions): DesiredPost[] {
  const job = jobOrTurn(state, jobId);
  if (!job || job.state === "queued" || (job.started_at === null && job.state !== "unknown_after_crash")) return [];
  return job.state === "running" ? runningJob(state, job, options) : endedJob(state, job, options);
}

function runningJob(state: State, job: Work, options: ViewOptions): DesiredPost[] {
  const { liveText: live, locale, attempt = always } = options;
  const transcript = live(job.job_id);
  // If it cannot be rendered further, its messages stay; its end says so.
  const { desired, beyond } = transcript?.text
    ? attempt(
        job.job_id,
        transcript.text.length,
        () => growingPosts(state, job, options),
        () => ({ desired: [], beyond: transcript.text.length }),
      )
    : NOTHING_SAID;
  const since = Date.parse(job.started_at ?? "");
  const posts = state.posts[job.job_id] ?? {};
  const open = openOf(state, job.job_id);
  const tools = new Set(open.flatMap(({ subject }) => subject?.tool ?? []));
  const inTerminal =
    open.length === 0 && leftToTerminal(state, job.thread_id).some(({ asker }) => workOf(asker) === job.job_id);
  const waiting = (open[0] !== undefined || inTerminal) && {
    link: open[0] ? promptLink(state, open[0]) : null,
    tools,
    inTerminal,
  };
  const run = state.runs[job.job_id];
  const { cancelling: stopping = false, quotes } = run ?? {};
  const { left_out: leftOut, changed_mode: changedMode, warnings } = run?.begun ?? {};
  const sent = sends(state, job, locale);
  sent.lines.unshift(...tookLine(state, job, locale));
  const isPosted = posts[CARD_PART]?.message_id != null;
  const body = runningCard(
    job,
    transcript,
    {
      agent: agentName(state, job, locale),
      hidden: beyond,
      // It is posted with the first lines by which it is found if its record is lost.
      ...(waiting && isPosted && { waiting }),
      stopping: stopping && isPosted,
      quotes,
      pictures: uncopied(run, job.tool).map(({ path }) => path),
      leftOut,
      changedMode,
      warnings,
      byRules: run?.by_rules,
      origin: isTurn(job) ? originLine(job.turn, locale) : undefined,
      sent,
    },
    locale,
  );
  const card = { part: CARD_PART, is: GROWING, body, priority: "cosmetic", since, live: true } as const;
  const notBefore = Math.max(since, ...answersTo(state, job)) + SHORT_MS;
  if (open.length > 0) return [jobPost(job, { ...card, notBefore: Infinity }), ...desired];
  return [jobPost(job, { ...card, notBefore }), ...desired.map((one) => ({ ...one, notBefore }))];
}

/** When each of the job's decisions was settled, in milliseconds since the epoch. */
function answersTo(state: State, { job_id, thread_id }: Job): number[] {
  return decisionsIn(state, thread_id).flatMap((one) =>
    !isOpen(one) && workOf(one.asker) === job_id ? Date.parse(one.settled_at) : [],
  );
}

/**
 * First all of its answer, and only when that is posted the message that closes it, so that nothing more has to be
 * posted above the closing message. From then on the answer is not looked at any more.
 */
function endedJob(state: State, job: Work, options: ViewOptions): DesiredPost[] {
  const posts = state.posts[job.job_id] ?? {};
  const is = endName(state, job);
  const patch = options.patch?.(job.job_id);
  // Nearly all jobs of a thread end here, each time something in it changes.
  const card = posts[CARD_PART];
  const isCardOver = card?.message_id == null || card.is === OVER;
  if (posts[END_PART]?.is === is && isCardOver && !patch) return [];
  const since = Date.parse(job.finished_at ?? "");
  const { attempt = always } = options;
  const said = options.config.footer === "card" ? (options.footer?.(job) ?? null) : null;
  const session = state.sessions[job.thread_id];
  const end = jobEnd(state, job, options.locale, {
    footer: said && footerLine(said, since),
    lastWords: options.liveText(job.job_id)?.lastWords,
    writing: (session && options.sessionAccess?.({ ...session, tool: job.tool }).writing) ?? null,
  });
  const length = options.result(job.job_id)?.length ?? 0;
  const mayBeOne = mayCloseItself(state, job);
  const inOne = mayBeOne
    ? attempt(
        job.job_id,
        length,
        () => answerAndEnd(state, job, options, end),
        () => null,
      )
    : null;
  const transcript =
    posts[END_PART] || inOne
      ? []
      : attempt(
          job.job_id,
          length,
          () => endedPosts(state, job, options, since),
          () => unrenderedPosts(state, job, options, since),
        );
  if (posts[END_PART] === undefined) transcript.push(...filePosts(state, job, options, since));
  const unrecorded = card === undefined ? [lostCard(state, job, since, options)] : [];
  // The answer is in the message that closes the job, and can no longer be read: an edit would remove it.
  const isKept = mayBeOne && inOne === null && posts[END_PART] !== undefined && !isShownAbove(state, job, options);
  if (transcript.some((one) => !standsIn(state, one))) return [...unrecorded, ...transcript];
  return [
    ...unrecorded,
    ...(posts[END_PART]?.is === is || isKept
      ? []
      : [closing(state, job, { is, body: inOne?.body ?? endBody(end), sentAs: inOne?.part })]),
    ...(patch ? [patchPost(state, job, { patch, since }, options)] : []),
    ...(isCardOver ? [] : [finishedCard(state, job, since, options)]),
  ];
}

/** All the changes of a crashed job. */
function patchPost(
  state: State,
  job: Job,
  { patch, since }: { patch: Uint8Array; since: number },
  { config, locale }: ViewOptions,
): DesiredPost {
  const { beside } = changesOf(state.runs[job.job_id]) ?? {};
  const body = crashPatch({ ...job, beside }, patch, config.max_file_bytes, locale);
  return jobPost(job, { part: PATCH_PART, is: SAID, body, priority: "result", since });
}

/** A card that may have been posted without being recorded is found by its first lines. */
function lostCard(state: State, job: Work, since: number, { locale }: ViewOptions): DesiredPost {
  const origin = isTurn(job) ? originLine(job.turn, locale) : undefined;
  const agent = agentName(state, job, locale);
  const body = runningCard(job, undefined, { agent, hidden: 0, stopping: false, origin }, locale);
  return {
    ...jobPost(job, { part: CARD_PART, is: GROWING, body, priority: "cosmetic", since }),
    want: { kind: "found", body, grown: true },
  };
}

function finishedCard(state: State, job: Work, since: number, { locale, liveText }: ViewOptions): DesiredPost {
  const about = {
    agent: agentName(state, job, locale),
    plan: liveText(job.job_id)?.plan,
    origin: isTurn(job) ? originLine(job.turn, locale) : undefined,
  };
  const body = overCard(job, state.runs[job.job_id], about, locale);
  return jobPost(job, { part: CARD_PART, is: OVER, body, priority: "cosmetic", since });
}

/**
 * A job stopped by the owner is no news, nor is what he typed at the terminal.
 */
function closing(
  state: State,
  job: Work,
  { is, body, sentAs }: { is: string; body: Body; sentAs: string | undefined },
): DesiredPost {
  const since = Date.parse(job.finished_at ?? "");
  const held = state.threads[job.thread_id]?.hold === job.job_id;
  const workedMs = since - Date.parse(job.started_at ?? job.finished_at ?? "");
  const isNews =
    !(isTurn(job) && job.turn.origin === "terminal") &&
    !(job.state === "cancelled" && state.runs[job.job_id]?.cancelling);
  const reply_to = job.started_at === null || standsApart(state, job) ? job.discord_message_id : null;
  return {
    ...jobPost(job, { part: END_PART, is, body, priority: "result", since }),
    ...(sentAs !== undefined && { sentAs }),
    ...(isNews && { news: held ? { kind: "waits", at: since } : { kind: "ends", at: since, workedMs } }),
    reply_to,
  };
}

/**
 * Whether something else stands between a job's message and its end, so that nobody could tell which message was
 * answered: the owner wrote the next one before it ended, or it waited behind another job.
 */
function standsApart(state: State, job: Job): boolean {
  // Nobody wrote a message for an outside turn.
  if (state.jobs[job.job_id] === undefined) return false;
  const end = Date.parse(job.finished_at ?? "");
  const written = snowflakeTime(job.discord_message_id);
  return jobsOf(state, job.thread_id).some((other) => {
    const order = compareSnowflakes(other.discord_message_id, job.discord_message_id);
    return order > 0
      ? snowflakeTime(other.discord_message_id) < end
      : order < 0 && Date.parse(other.finished_at ?? "") > written;
  });
}

/** Whether it is posted as owed, or given up. */
function standsIn({ posts }: State, { subject, part, is, want }: DesiredPost): boolean {
  const post: Post | undefined = posts[subject]?.[part];
  return post === undefined ? want.kind === "interrupted" || want.kind === "remove" : post.is === is;
}

/** How its agent may write and, if it may not, what lets it. */
function accessLine({ access, writing }: SessionAccess, tool: string, agent: string, locale: Locale): string[] {
  if (access === null) return [];
  if (access !== "reads" || writing === null) return [say(locale, `access_${access}`, { tool: agent })];
  return [
    `🔒 ${say(locale, "access_reads", { tool: agent })} ${say(locale, "access_writing", { args: code(JSON.stringify({ [tool]: writing })) })}`,
  ];
}

/** Empty once it is posted as it should be. */
function welcome(
  state: State,
  session: Session,
  { locale, sessionAccess: access = () => ({ access: null, writing: null }) }: ViewOptions,
): DesiredPost[] {
  const { thread_id, project_name, tool } = session;
  const is = welcomeName(state, thread_id);
  if (state.posts[thread_id]?.[WELCOME_PART]?.is === is) return [];
  const path = state.projects[project_name]?.path ?? project_name;
  const agent = agentName(state, session, locale);
  const body = systemBody({
    color: colours.runs,
    title: say(locale, "welcome_title"),
    description: [
      say(locale, "welcome_body", { tool: agent, path: code(path, 300) }),
      ...(state.threads[thread_id]?.kind === "channel"
        ? [say(locale, "welcome_channel", { project: `**${plainLine(project_name, 40)}**` })]
        : []),
      ...(state.worktrees[thread_id]
        ? [say(locale, "worktree_here", { branch: code(state.worktrees[thread_id].branch) })]
        : []),
      ...accessLine(access(session), tool, agent, locale),
      say(locale, "welcome_hints"),
    ].join("\n"),
  });
  const since = Date.parse(session.created_at);
  const want = { kind: "show", body } as const;
  return [{ subject: thread_id, part: WELCOME_PART, thread_id, priority: "result", want, is, since }];
}

function refusal(state: State, notice: Notice, locale: Locale): DesiredPost {
  const { subject, thread_id, discord_message_id: reply_to, code: error, details, at } = notice;
  const pointed = pointedText(state, notice, locale);
  const wasForgotten = error === "E_SESSION_CLOSED" && state.threads[thread_id]?.closed === "forgotten";
  const description =
    pointed !== null
      ? pointed
      : error === null
        ? changed(state, notice, locale)
        : `${sentence(locale, error, details)} \`${error}\`${wasForgotten ? `\n${say(locale, "session_was_forgotten")}` : ""}`;
  const reopen =
    error === "E_SESSION_CLOSED"
      ? [
          button(
            customId("reopen_session", { thread: thread_id, message: reply_to }),
            say(locale, "session_reopen"),
            ButtonStyle.Primary,
          ),
        ]
      : [];
  const body = systemBody({ color: colours.waits, description }, reopen);
  const want = { kind: "show", body } as const;
  const since = Date.parse(at);
  return {
    subject,
    part: "refused",
    thread_id,
    priority: "result",
    want,
    is: SAID,
    news: { kind: "told" },
    reply_to,
    since,
  };
}

/** A forwarded message that is held, with the buttons that say what it is for; then what became of it. */
function forwardPosts({ thread_id, forwards = {} }: Thread, locale: Locale): DesiredPost[] {
  return Object.entries(forwards).map(([message, { became }]) => {
    const about = { thread: thread_id, message };
    const buttons = [
      button(customId("send_forward", about), say(locale, "forward_send"), ButtonStyle.Primary),
      button(customId("drop_forward", about), say(locale, "button_drop")),
    ];
    const body =
      became === undefined
        ? systemBody({ color: colours.waits, description: say(locale, "forward_held") }, buttons)
        : systemBody({ color: colours.quiet, description: say(locale, `forward_${became}`, { limit: MOST_HELD }) });
    return {
      subject: thread_id,
      part: forwardPart(message),
      thread_id,
      priority: "result",
      want: { kind: "show", body },
      is: became ?? "held",
      reply_to: message,
      since: snowflakeTime(message),
    };
  });
}

/**
 * Whether it is known what the agent was given of a message that was deleted while it was sent; a crash has its own
 * notice.
 */
function isKnown(state: State, notice: Notice): boolean {
  const job = notice.change === "deleted" ? jobOf(state, notice) : undefined;
  return job?.started_at !== null || (!isUnderWay(state, job.job_id) && job.state !== "unknown_after_crash");
}

/** The last job of the message. */
function jobOf(state: State, { thread_id, discord_message_id }: Notice): Job | undefined {
  const jobs = jobsOf(state, thread_id).filter((one) => one.discord_message_id === discord_message_id);
  return jobs.sort((a, b) => a.attempt - b.attempt).at(-1);
}

/** The reply to an edit or a deletion. A deleted message cannot be replied to, so its job is named. */
function changed(state: State, notice: Notice, locale: Locale): string {
  const job = jobOf(state, notice);
  const isSent = job !== undefined && (job.state === "sent_into" || isUnderWay(state, job.job_id));
  if (notice.change !== "deleted") return say(locale, isSent ? "noted_edited_sent" : "noted_edited");
  if (isSent) return say(locale, "noted_deleted_sent", { job: code(job.job_id) });
  return say(locale, job?.started_at === null ? "noted_taken_back" : "noted_deleted", {
    job: code(job?.job_id ?? "…"),
  });
}

/**
 * What failed in a thread without a job: settings that config.json could not take, which hold all the same, and a
 * window that could not be opened. Each is said once, until it succeeds and fails again.
 */
export function threadFailures({ threads }: State, threadId: string, locale: Locale): DesiredPost[] {
  const { unsaved, window } = threads[threadId] ?? {};
  const why = ({ code, details }: ThreadFailure): string => `${sentence(locale, code, details)} \`${code}\``;
  const post = ({ at }: ThreadFailure, part: string, description: string): DesiredPost => {
    const body = systemBody({ color: colours.waits, description });
    const since = Date.parse(at);
    return {
      subject: threadId,
      part: `${part}:${since}`,
      thread_id: threadId,
      priority: "result",
      want: { kind: "show", body },
      is: SAID,
      news: { kind: "told" },
      since,
    };
  };
  return [
    ...(unsaved?.failure ? [post(unsaved.failure, "settings", why(unsaved.failure))] : []),
    ...(window === undefined || window === "wanted"
      ? []
      : [post(window, "window", say(locale, "window_unopened", { why: why(window) }))]),
  ];
}
