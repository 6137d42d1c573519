/**
 * The card of a running job: one compact embed, edited while the job runs, with its state, the agent and the tools as
 * they run; and the summary line of an ended job. Names from an agent are drawn as code or plain text, never as
 * formatting.
 */
import { basename } from "node:path";
import { groupDigits } from "../../../base/text.ts";
import { say, type Locale, type WordKey } from "../../../base/words/say.ts";
import { costIn } from "../../../core/jobs/cost.ts";
import { LARGEST_SIDE, uncopied } from "../../../core/jobs/pictures.ts";
import type { Job, JobState } from "../../../core/jobs/job.ts";
import {
  changesOf,
  type FinishedTool,
  type LeftOut,
  type Quote,
  type Run,
  type Warning,
} from "../../../core/jobs/run.ts";
import { LINE_CAP_BYTES } from "../../../host/processes/pipes.ts";
import {
  code,
  colours,
  plainLine,
  systemBody,
  type Button,
  type Body,
  type Live,
  signs,
  STOPPING_SIGN,
  WAITING_SIGN,
  button,
} from "../message.ts";
import { customId } from "../custom-id.ts";
import { money, shares, unitName } from "../money.ts";

/** Tools named on a card; the others are counted. */
const SHOWN_TOOLS = 6;
const TITLE_CHARS = 120;
const REASON_CHARS = 100;
/** Plan entries shown on a card, and how many of them may precede the agent's current one. */
const PLAN = { shown: 7, before: 2, kept: 20, chars: 70 } as const;
/** Threads named that worked in the same directory. */
const SHOWN_BESIDE = 5;
const SHOWN_PICTURES = 5;
const PICTURE_CHARS = 60;
const DENIED_CHARS = 300;
const THOUGHT_CHARS = 600;

export interface CardOptions {
  /** The agent, as it is called. */
  agent: string;
  /** Characters written that no message shows yet. */
  hidden: number;
  /** It waits for the owner's answer: the link to the prompt, if posted, and the tools that need permission. */
  waiting?: { link: string | null; tools: ReadonlySet<string>; inTerminal?: boolean } | undefined;
  /** For an outside turn: where it began. */
  origin?: string | undefined;
  /** Of messages that were sent into it, or could be. */
  sent?: { lines: readonly string[]; buttons: readonly Button[] } | undefined;
  /** The owner asked to stop it. */
  stopping: boolean;
  /** What its message points at. */
  quotes?: readonly Quote[] | undefined;
  /** Paths of pictures that it was given larger than it should be. */
  pictures?: readonly string[] | undefined;
  /** A line of the agent's output that was refused. */
  leftOut?: LeftOut | undefined;
  /** The mode that its agent went into. */
  changedMode?: string | undefined;
  warnings?: readonly Warning[] | undefined;
  /** What its owner's rules have settled. */
  byRules?: Run["by_rules"];
}

/** The card of a running job. */
export function runningCard(
  job: Job,
  live: Live | undefined,
  {
    agent,
    hidden,
    waiting,
    origin,
    sent,
    stopping,
    quotes = [],
    pictures = [],
    leftOut,
    changedMode,
    warnings,
    byRules,
  }: CardOptions,
  locale: Locale,
): Body {
  const lines = [
    ...(origin === undefined ? [] : [origin]),
    waiting ? waitingLine(agent, waiting, locale) : stateLine(agent, stopping, locale),
    ...(quotes.some(({ how }) => how === "forward") ? [`↪️ ${say(locale, "with_forward")}`] : []),
    ...whole(pictures, locale),
  ];
  lines.push(
    ...planned(live?.plan ?? [], PLAN.shown, locale),
    ...heldUp(live?.notice, locale),
    ...inMode(changedMode, locale),
    ...warned(warnings, locale),
    ...incomplete(leftOut, locale),
    ...settledByRules(byRules, locale),
  );
  const tools = latest(live?.tools ?? []);
  const before = (live?.toolsBefore ?? 0) + (live?.tools.length ?? 0) - tools.length;
  if (before > 0) lines.push(say(locale, "tools_before", { count: before }));
  lines.push(
    ...tools.map((tool) =>
      tool.state === "running" && waiting?.tools.has(tool.name)
        ? `${WAITING_SIGN} ${named(tool.name, tool.title)}`
        : liveTool(tool, locale),
    ),
  );
  if (live?.thought) lines.push(`💭 ||${thoughtOf(live.thought)}||`);
  if (hidden > 0) lines.push(say(locale, "written_so_far", { count: number(hidden) }));
  lines.push(...(sent?.lines ?? []));
  const finish =
    live?.notice?.code === "quiet" && !stopping && !waiting
      ? [button(customId("finish_job", { job: job.job_id }), say(locale, "button_finish"))]
      : [];
  const stop = stopping ? [] : [button(customId("stop_job", { job: job.job_id }), say(locale, "button_stop"))];
  return systemBody({ color: waiting ? colours.asks : colours.runs, description: lines.join("\n") }, [
    ...finish,
    ...(sent?.buttons ?? []),
    ...stop,
  ]);
}

/** What stays of the card when its job has ended: the tools that it used, and its plan. */
export function overCard(
  job: Job,
  run: Run | undefined,
  { agent, plan = [], origin }: { agent: string; plan: Live["plan"]; origin: string | undefined },
  locale: Locale,
): Body {
  const counts = [...Map.groupBy(run?.begun?.tools ?? [], ({ name }) => name)].map(
    ([name, { length }]) => `${plainLine(name, 60)}${length === 1 ? "" : ` ×${length}`}`,
  );
  const named = [agent, ...counts.slice(0, SHOWN_TOOLS), ...(counts.length > SHOWN_TOOLS ? ["…"] : [])];
  const lines = [
    ...(origin === undefined ? [] : [origin]),
    `${signs[job.state]} ${named.join(" · ")}`,
    ...planned(plan, PLAN.kept, locale),
  ];
  return systemBody({ color: colours.quiet, description: lines.join("\n") });
}

/**
 * An ended job: state · tool · model · duration · tokens · cost · context · changes · failed tools, as far as known;
 * and a line each for tools that were not allowed, for changes that are not known and for refused output.
 * `writing`: the arguments with which its agent could write.
 */
export function summary(
  job: Job,
  run: Run | undefined,
  { agent, writing }: { agent: string; writing: readonly string[] | null },
  locale: Locale,
): string[] {
  const failed = failures(run);
  const cost = costIn(run?.concluded?.usage);
  const parts = [
    say(locale, words[job.state] ?? "job_cancelled"),
    agent,
    run?.concluded?.model ? code(run.concluded.model, 60) : null,
    duration(job, run),
    tokens(run, locale),
    cost === null ? null : money(cost, locale),
    context(run, locale),
    changesLine(run, locale),
    failed === 0 ? null : say(locale, "tools_failed", { count: failed }),
  ];
  return [
    `${signs[job.state]} ${parts.filter((part) => part !== null).join(" · ")}`,
    ...settledByRules(run?.by_rules, locale),
    ...refused(run, locale),
    ...readOnly(job, run, { agent, writing }, locale),
    ...unmeasured(run, locale),
    ...beside(run, locale),
    ...whole(
      uncopied(run, job.tool).map(({ path }) => path),
      locale,
    ),
    ...inMode(run?.begun?.changed_mode, locale),
    ...budgeted(run?.budget, agent, locale),
    ...warned(run?.begun?.warnings, locale),
    ...incomplete(run?.begun?.left_out, locale),
    ...early(run, locale),
    // An answer without words says it in their place.
    ...(job.result_excerpt === "" ? [] : conversationLines(run, locale)),
  ];
}

/** How much of a budget is used, or that one does not count it. */
function budgeted(notes: Run["budget"], tool: string, locale: Locale): string[] {
  return (notes ?? []).map((note) => {
    const unit = unitName(note.unit, locale);
    if (note.kind === "uncounted")
      return note.tells === null
        ? `💰 ${say(locale, "budget_untold", { unit, tool })}`
        : `💰 ${say(locale, "budget_other", { unit, tool, tells: note.tells })}`;
    return `💰 ${say(locale, `budget_near_${note.of}`, shares(note, locale))}`;
  });
}

/** What has become of its conversation. */
export function conversationLines(run: Run | undefined, locale: Locale): string[] {
  const { compacted, renewed } = run?.begun ?? {};
  const [before, after] = [compacted?.before ?? null, compacted?.after ?? null];
  return [
    ...(renewed ? [`🆕 ${say(locale, "conversation_renewed")}`] : []),
    ...(compacted === undefined
      ? []
      : [
          before === null || after === null
            ? `🗜️ ${say(locale, "conversation_compacted")}`
            : `🗜️ ${say(locale, "conversation_compacted_to", { before: thousands(before), after: thousands(after) })}`,
        ]),
  ];
}

/** `180k`, `1.2k`, `950`. */
function thousands(count: number): string {
  if (count < 1_000) return String(count);
  return `${count < 10_000 ? Math.round(count / 100) / 10 : Math.round(count / 1_000)}k`;
}

/** One finished tool, as remembered after its job is gone. */
export function finishedTool({ name, title, ok }: FinishedTool): string {
  return `${ok ? "✓" : "✗"} ${named(name, title)}`;
}

/** `18s`, `2m 5s`, `1h 2m`. */
export function span(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 60) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60 ? `${minutes}m ${seconds % 60}s` : `${Math.floor(minutes / 60)}h ${minutes % 60}m`;
}

const words: Partial<Record<JobState, WordKey>> = {
  success: "job_done",
  failed: "job_failed",
  unknown_after_crash: "job_interrupted",
};

function stateLine(agent: string, stopping: boolean, locale: Locale): string {
  return stopping
    ? `${STOPPING_SIGN} ${agent} · ${say(locale, "job_stopping")}`
    : `${signs.running} ${agent} · ${say(locale, "job_running")}`;
}

function waitingLine(agent: string, { link, inTerminal }: NonNullable<CardOptions["waiting"]>, locale: Locale): string {
  const there = link === null ? [] : [`[${say(locale, "job_waits_link")}](${link})`];
  return `${WAITING_SIGN} ${[agent, say(locale, inTerminal ? "job_waits_terminal" : "job_waits"), ...there].join(" · ")}`;
}

/** The tools named on a card, in their order: running tools take precedence, then those that ended last. */
function latest(tools: Live["tools"]): Live["tools"] {
  const running = tools.filter(({ state }) => state === "running").slice(-SHOWN_TOOLS);
  const room = SHOWN_TOOLS - running.length;
  const ended = room === 0 ? [] : tools.filter(({ state }) => state !== "running").slice(-room);
  const shown = new Set([...running, ...ended]);
  return tools.filter((tool) => shown.has(tool));
}

/** The plan entries around the agent's current one. */
function planned(plan: NonNullable<Live["plan"]>, shown: number, locale: Locale): string[] {
  if (plan.length === 0) return [];
  const done = plan.filter(({ state }) => state === "done").length;
  const at = plan.findIndex(({ state }) => state !== "done");
  const last = Math.max(0, plan.length - shown);
  const from = at < 0 ? last : Math.min(last, Math.max(0, at - PLAN.before));
  const entries = plan.slice(from, from + shown).map(({ text, state }) => {
    const words = plainLine(text, PLAN.chars);
    return state === "active" ? `▸ **${words}**` : `${state === "done" ? "☑" : "☐"} ${words}`;
  });
  const title = say(locale, "plan_title", { done, count: plan.length });
  const more = plan.length - from - entries.length;
  return [title, ...(from > 0 ? ["…"] : []), ...entries, ...(more > 0 ? ["…"] : [])];
}

/** Its end, because that is what it thinks now. */
function thoughtOf(thought: string): string {
  const words = thought.replace(/\s+/g, " ").trim().slice(-THOUGHT_CHARS).toWellFormed();
  return `${thought.length > THOUGHT_CHARS ? "…" : ""}${plainLine(words, THOUGHT_CHARS)}`;
}

function heldUp(notice: Live["notice"], locale: Locale): string[] {
  if (!notice) return [];
  const words = plainLine(notice.text, REASON_CHARS * 2);
  if (notice.code === "form_declined")
    return [`⚠️ ${[say(locale, "notice_form_declined"), words].filter((part) => part !== "").join(" ")}`];
  if (notice.code === "quiet") return [`⏳ ${say(locale, "notice_quiet")}`];
  if (notice.code === "opens_later")
    return [`⏳ ${say(locale, "notice_opens_later", { in: `<t:${Number(notice.text)}:R>` })}`];
  if (notice.code === "mode_changed") return [say(locale, "notice_mode_changed", { mode: words })];
  if (notice.code !== "model_retry") return [`💬 ${words}`];
  return [`⚠️ ${[say(locale, "notice_model_retry"), words].filter((part) => part !== "").join(" ")}`];
}

function liveTool({ name, title, state, reason }: Live["tools"][number], locale: Locale): string {
  switch (state) {
    case "running": {
      const parts = [say(locale, "tool_running", { tool: plainLine(name, 60) }), titled(name, title)];
      return parts.filter((part) => part !== "").join(" ");
    }
    case "denied": {
      const says = `⛔ ${say(locale, "tool_denied", { tool: named(name, title) })}`;
      return reason ? `${says}: ${say(locale, "quoted", { words: plainLine(reason, REASON_CHARS) })}` : says;
    }
    case "ok":
      return `✓ ${named(name, title)}`;
    case "failed":
      return `✗ ${named(name, title)}`;
  }
}

function named(name: string, title: string): string {
  return [plainLine(name, 60), titled(name, title)].filter((part) => part !== "").join(" ");
}

/** Empty for a title that only repeats the name. */
function titled(name: string, title: string): string {
  return title === name ? "" : code(title, TITLE_CHARS);
}

/** As measured here; the agent's own figure leaves out its start. */
function duration(job: Job, run: Run | undefined): string | null {
  if (job.started_at && job.finished_at) return span(Date.parse(job.finished_at) - Date.parse(job.started_at));
  const taken = run?.concluded?.usage?.duration_ms;
  return taken === undefined ? null : span(taken);
}

function tokens(run: Run | undefined, locale: Locale): string | null {
  const { input_tokens, output_tokens } = run?.concluded?.usage ?? {};
  if (input_tokens === undefined && output_tokens === undefined) return null;
  return say(locale, "tokens_used", { input: number(input_tokens ?? 0), output: number(output_tokens ?? 0) });
}

function context(run: Run | undefined, locale: Locale): string | null {
  const { context_used, context_size } = run?.concluded?.usage ?? {};
  if (context_used === undefined) return null;
  if (!context_size) return say(locale, "context_tokens", { count: number(context_used) });
  const percent = Math.min(100, Math.round((100 * context_used) / context_size));
  return percent === 0 ? null : say(locale, "context_share", { percent });
}

export function changesLine(run: Run | undefined, locale: Locale): string | null {
  const { files, added, removed } = changesOf(run) ?? { files: 0, added: 0, removed: 0 };
  if (files === 0) return null;
  // Files in which git counts no lines: binary or empty files, renames and mode changes.
  if (added === 0 && removed === 0) return say(locale, "changed_no_lines", { files: number(files) });
  return say(locale, "changed", {
    added: number(added),
    removed: number(removed),
    files: number(files),
  });
}

/** The number of failed tools; those that were not allowed have a line of their own. */
function failures(run: Run | undefined): number {
  const denied = [...(run?.begun?.denied ?? [])];
  const failed = (run?.begun?.tools ?? []).filter(({ name, ok }) => {
    const at = ok ? -1 : denied.indexOf(name);
    if (at >= 0) denied.splice(at, 1);
    return !ok && at < 0;
  });
  return failed.length;
}

/**
 * Some agents end successfully and do not mention that they were not allowed to write, so this line does; how to allow it
 * stands there where something was refused.
 */
function readOnly(
  job: Job,
  run: Run | undefined,
  { agent: tool, writing }: { agent: string; writing: readonly string[] | null },
  locale: Locale,
): string[] {
  const changed = (changesOf(run)?.files ?? 0) > 0;
  if (run?.begun?.access !== "reads" || changed || job.state !== "success") return [];
  if (run.begun.denied.length === 0 || writing === null) return [`🔒 ${say(locale, "card_reads", { tool })}`];
  const refused = say(locale, "card_reads_refused", { tool });
  return [`🔒 ${refused} ${say(locale, "access_writing", { args: code(JSON.stringify({ [job.tool]: writing })) })}`];
}

/** Without it, an empty place for the changes would say that there are none, or that those shown are all. */
function unmeasured(run: Run | undefined, locale: Locale): string[] {
  if (run?.changes === "unmeasured") return [`⚠️ ${say(locale, "card_unmeasured")}`];
  const mayLack = run?.changes && run.begun?.looked_late && run.begun.access !== "reads";
  return mayLack ? [`⚠️ ${say(locale, "card_looked_late")}`] : [];
}

/** Its conversation may come to an end because of them, and nobody would know why. */
function whole(pictures: readonly string[], locale: Locale): string[] {
  if (pictures.length === 0) return [];
  const names = pictures
    .slice(0, SHOWN_PICTURES)
    .map((path) => code(basename(path).replace(/^\d+-/, ""), PICTURE_CHARS));
  const named = [...names, ...(pictures.length > SHOWN_PICTURES ? ["…"] : [])].join(", ");
  return [`🖼️ ${say(locale, "card_pictures", { names: named, side: number(LARGEST_SIDE) })}`];
}

/** Without it, the changes would look like this session's alone. */
function beside(run: Run | undefined, locale: Locale): string[] {
  const line = besideLine(changesOf(run)?.beside, locale);
  return line === null ? [] : [`${line} ${say(locale, "card_apart")}`];
}

/** Whose changes they are as well. */
export function besideLine(threads: readonly string[] | undefined, locale: Locale): string | null {
  if (threads === undefined) return null;
  const links = threads.slice(0, SHOWN_BESIDE).map((id) => `<#${id}>`);
  const named = [...links, ...(threads.length > SHOWN_BESIDE ? ["…"] : [])].join(", ");
  return `👥 ${say(locale, "card_beside", { threads: named })}`;
}

/** What the agent asks about depends on it. */
function inMode(mode: string | undefined, locale: Locale): string[] {
  return mode === undefined ? [] : [`🔁 ${say(locale, "notice_mode_changed", { mode: code(mode, REASON_CHARS) })}`];
}

/** They are news that must not pass with the job. */
function warned(warnings: readonly Warning[] = [], locale: Locale): string[] {
  return warnings.map(
    ({ code: warning, mode }) => `⚠️ ${say(locale, `notice_${warning}`, { mode: code(mode, REASON_CHARS) })}`,
  );
}

/** Refused output is missing from what is shown of it. */
function incomplete(leftOut: LeftOut | undefined, locale: Locale): string[] {
  if (leftOut === undefined) return [];
  return [
    `⚠️ ${say(locale, `left_out_${leftOut.why}`, { bytes: number(leftOut.bytes), limit: LINE_CAP_BYTES / 1024 / 1024 })}`,
  ];
}

/** Without it, an answer that was cut off would look like a whole one. */
function early(run: Run | undefined, locale: Locale): string[] {
  const why = run?.begun?.ended_early;
  return why === undefined ? [] : [`⚠️ ${say(locale, `early_${why}`)}`];
}

/** The tools that were not allowed, each once and counted. */
function refused(run: Run | undefined, locale: Locale): string[] {
  const counts = Map.groupBy(run?.begun?.denied ?? [], (name) => name);
  if (counts.size === 0) return [];
  const names = [...counts].map(([name, all]) => (all.length === 1 ? name : `${name} ×${all.length}`));
  return [`⛔ ${say(locale, "tools_denied", { tools: plainLine(names.join(", "), DENIED_CHARS) })}`];
}

/** What was not asked, because a rule of the owner's says it. */
function settledByRules(byRules: Run["by_rules"], locale: Locale): string[] {
  const { allowed = 0, denied = 0 } = byRules ?? {};
  const parts = [
    ...(allowed > 0 ? [say(locale, "ruled_allowed", { count: allowed })] : []),
    ...(denied > 0 ? [say(locale, "ruled_denied", { count: denied })] : []),
  ];
  return parts.length === 0 ? [] : [`📏 ${parts.join(" · ")}`];
}

function number(count: number): string {
  return groupDigits(count);
}
