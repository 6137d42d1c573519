/**
 * Why a thread starts nothing, and what the owner can do about it: the agent's account is at its limit, what the next
 * job would run in or with has changed, nothing can be typed in its window now, a budget is used up, or the disk is full.
 * One message per wait, with buttons while it lasts; a new one when a limit is over and the owner is asked whether to
 * continue, and a new one when something changes further.
 */
import { snowflakeTime } from "../../base/ids.ts";
import { digestOf } from "../../base/digest.ts";
import { lastLines } from "../../base/text.ts";
import { say, type Locale, type WordKey } from "../../base/words/say.ts";
import {
  BUDGET_PARTS,
  budgetPart,
  LIFTED_PARTS,
  liftedPart,
  STUCK_PARTS,
  stuckPart,
  type BudgetWait,
  type ChangedWait,
  type Wait,
  type LimitWait,
  type StuckWait,
  type TerminalWait,
} from "../../core/projects/checkout.ts";
import { shownLine } from "../../base/hidden-characters.ts";
import type { State } from "../../core/state.ts";
import type { Job } from "../../core/jobs/job.ts";
import type { Thread } from "../../core/sessions/thread.ts";
import { isTurn, jobOrTurn, workersIn, type Work } from "../../core/jobs/job-or-turn.ts";
import { CARD_PART } from "../../core/posts/post.ts";
import { WINDOW_TOOL } from "../../core/sessions/windows.ts";
import type { Tools } from "../api/bot-context.ts";
import { couldCompact, otherTools } from "../../core/jobs/waiting.ts";
import { atBudget, OVER, waitName } from "../../core/jobs/post-state.ts";
import {
  button,
  code,
  colours,
  agentName,
  smallPrint,
  systemBody,
  type Body,
  type Button,
  type DesiredPost,
  explainError,
  HELD_SIGN,
} from "./message.ts";
import { changedBody } from "./changed-notice.ts";
import { customId } from "./custom-id.ts";
import { amount } from "./money.ts";

/** The part of a job's posts that says what its thread waits for. */
export const WAIT_PART = "wait";

/** What the parts of a job's posts begin with that ask about what has changed: each change asks in a message of its own. */
const CHANGED_PARTS = "changed:";

/** The part of a job's posts that says that it waits for room on the disk. */
export const DISK_PART = "disk";

/** Shown of the command that shows the window. */
const COMMAND_CHARS = 900;

/** Shown of a window's screen: its end, where it asks. */
const SCREEN_CHARS = 1_500;

export interface WaitOptions {
  locale: Locale;
  /** What happens when a usage limit resets. Optional: the owner is asked. */
  afterLimit?: "ask" | "go_on";
  /** The whole change of the configuration that is asked about; null: it cannot be shown. */
  difference?: string | null;
  /** Optional: whether nothing new starts because the disk is full. */
  diskFull?: boolean;
  /** Optional: whether config.json names the model of this job's tool; without it, it does not. */
  isModelInConfig?(job: Job): boolean;
  /** Optional: how a tool's conversations are made shorter; without it, none is. */
  compacts?: Tools["compacts"];
}

/** What is owed for the thread's wait, and for waits that are over. */
export function waitNotices(state: State, threadId: string, options: WaitOptions): DesiredPost[] {
  const { locale, difference = null, diskFull = false } = options;
  const thread = state.threads[threadId];
  const session = state.sessions[threadId];
  if (!thread || !session) return [];
  const { wait } = thread;
  const here = [...thread.ended, ...(thread.turns ?? []), ...workersIn(state, threadId), ...session.queue];
  // Hardly any of them ever waited, and they are asked at each change.
  const [first] = diskFull && couldStart(thread) ? session.queue : [];
  const desired = here
    .filter((id) => hasNotices(state.posts[id]))
    .flatMap((id) => overNotices(state, jobOrTurn(state, id), { wait, first }, locale));
  if (first !== undefined) desired.push(...diskNotice(state.jobs[first], locale));
  const waits = wait === null ? undefined : jobOrTurn(state, wait.job_id);
  if (wait === null || waits === undefined) return desired;
  // Its agent had begun and the job was put back: its old card must not look as if it still ran.
  const held =
    waits.state === "queued" && state.posts[waits.job_id]?.[CARD_PART]?.message_id
      ? [show(waits, CARD_PART, "held", heldCard(state, waits, locale))]
      : [];
  if (wait.kind === "limit" && wait.lifted) return [...desired, ...held, ...liftedNotices(state, wait, waits, options)];
  const is = [
    waitName(state, waits),
    wait.kind === "changed" && wait.configuration && difference === null ? "unreadable" : null,
    wait.kind !== "limit" ? null : wait.again ? "again" : asksAfter(wait, options) ? "asks" : null,
  ];
  return [
    ...desired,
    ...held,
    {
      ...show(waits, partOf(wait), is.filter((part) => part !== null).join(" "), body(state, wait, waits, options)),
      ...(!endsByItself(wait) && { news: { kind: "waits" } as const }),
    },
  ];
}

/**
 * A Claude that still works is waited for, and its owner has nothing to do; nor where it is tried again, or where he is
 * asked elsewhere.
 */
function endsByItself(wait: Wait): boolean {
  if (wait.kind === "budget") return !wait.asks;
  return (wait.kind === "terminal" && wait.reason === "busy") || (wait.kind === "stuck" && wait.until !== undefined);
}

/** What is said of a wait that goes on; a limit that is over asks in a part of its own. */
function partOf(wait: Wait): string {
  switch (wait.kind) {
    case "changed":
      return changedPart(wait);
    case "stuck":
      return stuckPart(wait);
    case "budget":
      return budgetPart(wait);
    default:
      return WAIT_PART;
  }
}

function hasNotices(posts: Readonly<Record<string, unknown>> | undefined): boolean {
  for (const part in posts) if (part === WAIT_PART || part === DISK_PART || isOfOneWait(part)) return true;
  return false;
}

function isOfOneWait(part: string): boolean {
  return [LIFTED_PARTS, CHANGED_PARTS, STUCK_PARTS, BUDGET_PARTS].some((prefix) => part.startsWith(prefix));
}

function changedPart({ digest }: ChangedWait): string {
  return `${CHANGED_PARTS}${digest.slice(0, 16)}`;
}

/** Whether only the disk, or other threads, keep its first job waiting. */
function couldStart({ busy_job, hold, wait, outside, closed }: Thread): boolean {
  return busy_job === null && hold === null && wait === null && outside === undefined && closed === undefined;
}

function diskNotice(job: Job | undefined, locale: Locale): DesiredPost[] {
  if (!job) return [];
  const says = systemBody({
    color: colours.waits,
    title: say(locale, "wait_disk_title"),
    description: say(locale, "wait_disk"),
  });
  return [{ ...show(job, DISK_PART, "full", says), news: { kind: "waits" } }];
}

/** The notices of a job that are over. `first`: the job that waits for room on the disk. */
function overNotices(
  state: State,
  job: Job | undefined,
  { wait, first }: { wait: Wait | null; first: string | undefined },
  locale: Locale,
): DesiredPost[] {
  if (job === undefined) return [];
  const isCurrent = wait?.job_id === job.job_id;
  const current = !isCurrent ? null : wait.kind === "limit" ? liftedPart(wait) : partOf(wait);
  const isReplaced = isCurrent && wait.kind === "changed";
  const posts = state.posts[job.job_id] ?? {};
  const isOver = (part: string): boolean =>
    part === WAIT_PART
      ? !isCurrent || isReplaced
      : part === DISK_PART
        ? job.job_id !== first
        : isOfOneWait(part) && part !== current;
  const parts = Object.keys(posts).filter((part) => isOver(part) && posts[part]?.message_id !== null);
  if (isReplaced) return parts.map((part) => show(job, part, "replaced", small(say(locale, "wait_changed_newer"))));
  return parts.map((part) =>
    part.startsWith(BUDGET_PARTS)
      ? show(job, part, OVER, small(say(locale, "wait_budget_over")))
      : show(
          job,
          part,
          isCurrent ? OVER : waitName(state, job),
          ended(job, state.runs[job.job_id]?.drafts ?? [], locale),
        ),
  );
}

/** The limit is over: its notice says so, and a new message asks whether to continue. */
function liftedNotices(state: State, wait: LimitWait, job: Work, { locale }: WaitOptions): DesiredPost[] {
  const notice = state.posts[job.job_id]?.[WAIT_PART]?.message_id
    ? [show(job, WAIT_PART, waitName(state, job), small(say(locale, wait.untimed ? "wait_limit_holds" : "wait_reset")))]
    : [];
  // An outside turn is never run again.
  const waits = (state.sessions[job.thread_id]?.queue.length ?? 0) > 0 || isTurn(job);
  const args = { tool: agentName(state, job, locale), job: code(job.job_id) };
  const [title, sentence] = wait.untimed
    ? (["wait_limit_title", "wait_limit_untimed_asks"] as const)
    : (["wait_lifted_title", waits ? "wait_lifted" : "wait_lifted_retry"] as const);
  const embed = { color: colours.waits, title: say(locale, title), description: say(locale, sentence, args) };
  const asks = systemBody(embed, [
    waits
      ? button(customId("resume_thread", { job: job.job_id }), say(locale, "button_go_on"))
      : button(customId("retry", { job: job.job_id }), say(locale, "button_retry")),
  ]);
  return [
    ...notice,
    { ...show(job, liftedPart(wait), waits ? "asks queue" : "asks retry", asks), news: { kind: "waits" } },
  ];
}

function asksAfter({ again }: LimitWait, { afterLimit = "ask" }: WaitOptions): boolean {
  return again === true || afterLimit === "ask";
}

/** Of the draft that was shown, short enough for a button. */
export function draftMark({ screen }: TerminalWait): string {
  return digestOf(JSON.stringify([screen])).slice(0, 32);
}

function body(state: State, wait: Wait, job: Job, options: WaitOptions): Body {
  const { locale, difference = null } = options;
  switch (wait.kind) {
    case "limit":
      return limited(state, wait, job, options);
    case "changed":
      return changedBody(wait, job, difference, locale);
    case "terminal":
      return atTerminal(wait, job, locale);
    case "stuck":
      return stuck(state, wait, job, options);
    case "budget":
      return usedUp(state, wait, job, options);
  }
}

/** Of the time at which it was used up, short enough for a button. */
export function budgetMark({ since }: BudgetWait): string {
  return digestOf(since).slice(0, 32);
}

/** What may be used is used; words in the thread are no answer to this. */
function usedUp(state: State, wait: BudgetWait, work: Job, { locale }: WaitOptions): Body {
  const { of, unit, used, limit, more, until, stopped } = wait;
  const args = {
    used: amount(unit, used, locale),
    limit: amount(unit, limit, locale),
    at: until === undefined ? "" : `<t:${Math.ceil(Date.parse(until) / 1000)}:t>`,
  };
  const fields = { job: work.job_id, mark: budgetMark(wait) };
  const becomes = atBudget(state, work);
  const lines = [
    say(locale, stopped ? "wait_budget_stopped" : `wait_budget_${of}_says`, args),
    ...(becomes === null || stopped ? [] : [say(locale, `wait_budget_${becomes}`)]),
  ];
  return systemBody({ color: colours.waits, title: say(locale, `wait_budget_${of}`), description: lines.join("\n") }, [
    button(
      customId("go_on_with_budget", fields),
      say(locale, "button_budget_go_on", { more: amount(unit, more, locale) }),
    ),
    button(customId("raise_budget", fields), say(locale, "button_budget_raise")),
    ...(stopped ? [] : [button(customId("stop_at_budget", fields), say(locale, "button_budget_stop"))]),
  ]);
}

/** What would make the next message fail too, and what helps against it. */
function stuck(state: State, wait: StuckWait, job: Job, options: WaitOptions): Body {
  const { cause, code: error, details, until } = wait;
  const { locale } = options;
  if (cause === "locked") {
    const description = say(locale, "wait_stuck_locked_says", { button: say(locale, "button_go_on") });
    const embed = { color: colours.waits, title: say(locale, "wait_stuck_locked"), description };
    return systemBody(embed, stuckButtons(state, wait, job, options));
  }
  const args = {
    job: code(job.job_id),
    in: until === undefined ? "" : `<t:${Math.ceil(Date.parse(until) / 1000)}:R>`,
    button: say(locale, "button_retry"),
  };
  const model = job.tool === WINDOW_TOOL ? "agent_model_window" : "wait_stuck_config_model";
  const saysWhere = cause === "model" && (job.tool === WINDOW_TOOL || options.isModelInConfig?.(job) === true);
  return systemBody(
    {
      color: colours.waits,
      title: say(locale, `wait_stuck_${cause}`),
      description: [
        ...explainError(locale, error, { tool: job.tool, ...details }),
        ...(saysWhere ? [say(locale, model)] : []),
        ...(until === undefined ? [] : [say(locale, "wait_stuck_tries", args)]),
        say(locale, job.state === "failed" ? "wait_stuck_done" : "wait_stuck_kept", args),
      ].join("\n"),
    },
    stuckButtons(state, wait, job, options),
  );
}

function stuckButtons(state: State, wait: StuckWait, work: Job, options: WaitOptions): Button[] {
  const { job_id: job, thread_id } = work;
  const { locale } = options;
  const again = (key: WordKey): Button => button(customId("resume_thread", { job }), say(locale, key));
  const drop = work.state === "failed" ? [] : [button(customId("drop_job", { job }), say(locale, "button_drop"))];
  switch (wait.cause) {
    case "locked":
    case "busy":
      return [again(wait.until === undefined ? "button_go_on" : "button_try_now"), ...drop];
    case "model":
      return [
        ...(work.tool === WINDOW_TOOL
          ? []
          : [button(customId("choose_model", { job }), say(locale, "button_choose_model"))]),
        again("button_try_again"),
        ...drop,
      ];
    case "login":
    case "credits":
      return [
        again("button_try_again"),
        ...(otherTools(state, thread_id).length > 0
          ? [button(customId("other_tool", { job }), say(locale, "button_other_tool"))]
          : []),
        ...drop,
      ];
    case "full": {
      const compacts = couldCompact(state, wait) && canCompact(state, work, options);
      const isMore = (state.sessions[thread_id]?.queue.length ?? 0) > 1;
      return [
        button(customId("new_conversation", { job }), say(locale, "button_new_conversation")),
        ...(compacts ? [button(customId("compact_full", { job }), say(locale, "button_compact"))] : []),
        ...drop,
        ...(isMore ? [button(customId("drop_waiting", { job }), say(locale, "button_drop_waiting"))] : []),
      ];
    }
  }
}

/** Whether the tool can, as far as its agent has told. */
function canCompact({ threads }: State, { thread_id, tool }: Job, { compacts }: WaitOptions): boolean {
  const how = compacts?.(tool);
  const told = threads[thread_id]?.told?.[tool]?.commands ?? [];
  return how === "offered" ? told.some(({ name }) => name === "compact") : how !== undefined;
}

/** What the owner has to see to at the desk; the job starts as soon as something can be typed again. */
function atTerminal(wait: TerminalWait, job: Job, locale: Locale): Body {
  const { reason, screen, attach } = wait;
  const how =
    reason === "busy" ? [] : [say(locale, "wait_terminal_attach", { command: code(shownLine(attach), COMMAND_CHARS) })];
  // What is not shown in full is not cleared.
  const clear =
    reason === "draft" && screen !== undefined && screen.length <= SCREEN_CHARS
      ? say(locale, "button_clear_draft")
      : null;
  const shown = [
    ...(clear === null ? [] : [say(locale, "wait_terminal_clear", { button: clear })]),
    ...(screen === undefined ? [] : [quoted(lastLines(screen, SCREEN_CHARS))]),
  ];
  const buttons = [
    ...(clear === null ? [] : [button(customId("clear_draft", { job: job.job_id, mark: draftMark(wait) }), clear)]),
    button(customId("resume_thread", { job: job.job_id }), say(locale, "button_try_now")),
    button(customId("drop_job", { job: job.job_id }), say(locale, "button_drop")),
  ];
  return systemBody(
    {
      color: colours.waits,
      title: say(locale, "wait_terminal_title"),
      description: [
        `${say(locale, `wait_terminal_${reason}`, { button: say(locale, "button_try_now") })} \`E_TERMINAL_BUSY\``,
        ...how,
        ...shown,
      ].join("\n"),
    },
    buttons,
  );
}

function limited(state: State, wait: LimitWait, job: Job, options: WaitOptions): Body {
  const { until, again, untimed } = wait;
  const { locale } = options;
  const sentence = untimed
    ? "wait_limit_untimed"
    : again
      ? "wait_limit_again"
      : asksAfter(wait, options)
        ? "wait_limit_asks"
        : "wait_limit";
  const seconds = Math.ceil(Date.parse(until) / 1000);
  // Discord draws these in the reader's own time zone and language.
  const args = { tool: agentName(state, job, locale), at: `<t:${seconds}:f>`, in: `<t:${seconds}:R>` };
  const embed = {
    color: colours.waits,
    title: say(locale, "wait_limit_title"),
    description: say(locale, sentence, args),
  };
  return systemBody(embed, [button(customId("resume_thread", { job: job.job_id }), say(locale, "button_go_on"))]);
}

/** @param drafts what was cleared from the prompt box for it */
function ended(job: Job, drafts: readonly string[], locale: Locale): Body {
  const over = small(say(locale, job.state === "cancelled" ? "wait_dropped" : "wait_over"));
  if (drafts.length === 0) return over;
  return {
    ...over,
    content: [
      over.content,
      say(locale, "wait_terminal_cleared"),
      quoted(lastLines(drafts.join("\n\n"), SCREEN_CHARS)),
    ].join("\n"),
  };
}

function quoted(text: string): string {
  return `\`\`\`\n${text.replaceAll("`", "ˋ")}\n\`\`\``;
}

function small(line: string): Body {
  return { ...systemBody({}), embeds: [], content: smallPrint(line) };
}

function heldCard(state: State, job: Job, locale: Locale): Body {
  return systemBody({
    color: colours.quiet,
    description: `${HELD_SIGN} ${agentName(state, job, locale)} · ${say(locale, "wait_held")}`,
  });
}

function show(job: Job, part: string, is: string, shown: Body): DesiredPost {
  const { job_id: subject, thread_id, discord_message_id } = job;
  // A wait records no time of its own; the message's is older, which only means that Discord is asked once more.
  const since = snowflakeTime(discord_message_id);
  return { subject, part, thread_id, priority: "result", want: { kind: "show", body: shown }, is, since };
}
