/**
 * The card of a job: one compact embed, edited while the job runs, with the state, the agent and the tools as they
 * happen; at the end one line that sums the job up, and what it changed. Whatever an agent named in it is drawn as
 * code or plain words, never as format.
 */
import { say, type Locale } from "../base/words/say.ts";
import type { Job } from "../core/job.ts";
import type { Run } from "../core/run.ts";
import { code, colours, inert, told, type Button } from "./body.ts";
import type { Body, Live } from "./owed.ts";

/** Of a job that waits for its owner, on its card and on its message. */
export const WAITING_SIGN = "🙋";
/** Tools a card names; the others are counted. */
const SHOWN_TOOLS = 6;
const TITLE_CHARS = 120;
const REASON_CHARS = 100;
/** Entries of a plan a card shows, and how many of them may lie before the one the agent is at. */
const PLAN = { shown: 7, before: 2, chars: 70 } as const;
const DENIED_CHARS = 300;

/**
 * The card of a running job. `hidden` counts characters written that no message shows yet. `waiting`: it waits for its
 * owner's answer, with where that is asked, if it stands in Discord.
 */
export function runningCard(job: Job, live: Live | undefined, hidden: number, locale: Locale, waiting?: { link: string | null }): Body {
  const lines = [waiting ? waitingLine(job, waiting.link, locale) : `⏳ ${[agentOf(job), say(locale, "job_running")].join(" · ")}`];
  lines.push(...planned(live?.plan ?? [], locale), ...heldUp(live?.notice, locale));
  const tools = latest(live?.tools ?? []);
  const before = (live?.toolsBefore ?? 0) + (live?.tools.length ?? 0) - tools.length;
  if (before > 0) lines.push(say(locale, "tools_before", { count: before }));
  lines.push(...tools.map((tool) => liveTool(tool, locale)));
  if (hidden > 0) lines.push(say(locale, "written_so_far", { count: number(hidden) }));
  return told({ color: waiting ? colours.asks : colours.runs, description: lines.join("\n") });
}

/** The card of an ended job: state · tool · model · duration · tokens · cost · context · changes · failed tools, as far as known. */
export function endedCard(job: Job, run: Run | undefined, locale: Locale): Body {
  const { sign, word, colour } = ends[job.state] ?? ends.cancelled;
  const failed = failures(run);
  const parts = [
    say(locale, word),
    agentOf(job),
    run?.model ? code(run.model, 60) : null,
    duration(job, run),
    tokens(run, locale),
    run?.usage?.cost_usd === undefined ? null : money(run.usage.cost_usd),
    context(run, locale),
    changed(run, locale),
    failed === 0 ? null : say(locale, "tools_failed", { count: failed }),
  ];
  const lines = [`${sign} ${parts.filter((part) => part !== null).join(" · ")}`, ...refused(run, locale)];
  return told({ color: colour, description: lines.join("\n") }, run?.changes?.patch ? [diffButton(job, locale)] : []);
}

/** One finished tool, as it is remembered after its job is gone. */
export function finishedTool({ name, title, ok }: Run["tools"][number]): string {
  return `${ok ? "✓" : "✗"} ${named(name, title)}`;
}

/** `18s`, `2m 5s`, `1h 2m`. */
export function span(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 60) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60 ? `${minutes}m ${seconds % 60}s` : `${Math.floor(minutes / 60)}h ${minutes % 60}m`;
}

const ends = {
  success: { sign: "✅", word: "job_done", colour: colours.good },
  failed: { sign: "❌", word: "job_failed", colour: colours.bad },
  unknown_after_crash: { sign: "⚠️", word: "job_interrupted", colour: colours.waits },
  cancelled: { sign: "⏹️", word: "job_cancelled", colour: colours.quiet },
  queued: null,
  running: null,
} as const;

function waitingLine(job: Job, link: string | null, locale: Locale): string {
  const there = link === null ? [] : [`[${say(locale, "job_waits_link")}](${link})`];
  return `${WAITING_SIGN} ${[agentOf(job), say(locale, "job_waits"), ...there].join(" · ")}`;
}

/** The tools a card names, in their order: those that run first of all, then those that ended last. */
function latest(tools: Live["tools"]): Live["tools"] {
  const running = tools.filter(({ state }) => state === "running").slice(-SHOWN_TOOLS);
  const room = SHOWN_TOOLS - running.length;
  const ended = room === 0 ? [] : tools.filter(({ state }) => state !== "running").slice(-room);
  const shown = new Set([...running, ...ended]);
  return tools.filter((tool) => shown.has(tool));
}

/** The plan around what the agent is at. */
function planned(plan: NonNullable<Live["plan"]>, locale: Locale): string[] {
  if (plan.length === 0) return [];
  const done = plan.filter(({ state }) => state === "done").length;
  const at = plan.findIndex(({ state }) => state !== "done");
  const last = Math.max(0, plan.length - PLAN.shown);
  const from = at < 0 ? last : Math.min(last, Math.max(0, at - PLAN.before));
  const entries = plan.slice(from, from + PLAN.shown).map(({ text, state }) => {
    const words = inert(text, PLAN.chars);
    return state === "active" ? `▸ **${words}**` : `${state === "done" ? "☑" : "☐"} ${words}`;
  });
  const title = say(locale, "plan_title", { done, count: plan.length });
  const more = plan.length - from - entries.length;
  return [title, ...(from > 0 ? ["…"] : []), ...entries, ...(more > 0 ? ["…"] : [])];
}

function heldUp(notice: Live["notice"], locale: Locale): string[] {
  if (!notice) return [];
  const words = inert(notice.text, REASON_CHARS * 2);
  if (notice.code !== "model_retry") return [`💬 ${words}`];
  return [`⚠️ ${[say(locale, "notice_model_retry"), words].filter((part) => part !== "").join(" ")}`];
}

function liveTool({ name, title, state, reason }: Live["tools"][number], locale: Locale): string {
  switch (state) {
    case "running": {
      const parts = [say(locale, "tool_running", { tool: inert(name, 60) }), titled(name, title)];
      return parts.filter((part) => part !== "").join(" ");
    }
    case "denied": {
      const says = `⛔ ${say(locale, "tool_denied", { tool: named(name, title) })}`;
      return reason ? `${says}: ${inert(reason, REASON_CHARS)}` : says;
    }
    case "ok":
      return `✓ ${named(name, title)}`;
    case "failed":
      return `✗ ${named(name, title)}`;
  }
}

function named(name: string, title: string): string {
  return [inert(name, 60), titled(name, title)].filter((part) => part !== "").join(" ");
}

/** A title that only repeats the name says nothing. */
function titled(name: string, title: string): string {
  return title === name ? "" : code(title, TITLE_CHARS);
}

function agentOf(job: Job): string {
  return `**${inert(job.tool, 40)}**`;
}

/** As long as it took here; the agent's own count leaves out its start. */
function duration(job: Job, run: Run | undefined): string | null {
  if (job.started_at && job.finished_at) return span(Date.parse(job.finished_at) - Date.parse(job.started_at));
  return run?.usage?.duration_ms === undefined ? null : span(run.usage.duration_ms);
}

function tokens(run: Run | undefined, locale: Locale): string | null {
  const { input_tokens, output_tokens } = run?.usage ?? {};
  if (input_tokens === undefined && output_tokens === undefined) return null;
  return say(locale, "tokens_used", { input: number(input_tokens ?? 0), output: number(output_tokens ?? 0) });
}

function context(run: Run | undefined, locale: Locale): string | null {
  const { context_used, context_size } = run?.usage ?? {};
  if (context_used === undefined) return null;
  if (!context_size) return say(locale, "context_tokens", { count: number(context_used) });
  return say(locale, "context_share", { percent: Math.min(100, Math.round((100 * context_used) / context_size)) });
}

export function changed(run: Run | undefined, locale: Locale): string | null {
  if (!run?.changes || run.changes.files === 0) return null;
  const { files, added, removed } = run.changes;
  return say(locale, files === 1 ? "changed_one" : "changed_many", { added: number(added), removed: number(removed), files: number(files) });
}

/** Tools that failed; to those that were not allowed belongs a line of their own. */
function failures(run: Run | undefined): number {
  const denied = [...(run?.denied ?? [])];
  const failed = (run?.tools ?? []).filter(({ name, ok }) => {
    const at = ok ? -1 : denied.indexOf(name);
    if (at >= 0) denied.splice(at, 1);
    return !ok && at < 0;
  });
  return failed.length;
}

/** The tools that were not allowed, each once and counted. */
function refused(run: Run | undefined, locale: Locale): string[] {
  const counts = Map.groupBy(run?.denied ?? [], (name) => name);
  if (counts.size === 0) return [];
  const names = [...counts].map(([name, all]) => (all.length === 1 ? name : `${name} ×${all.length}`));
  return [`⛔ ${say(locale, "tools_denied", { tools: inert(names.join(", "), DENIED_CHARS) })}`];
}

function diffButton(job: Job, locale: Locale): Button {
  return { customId: `diff:${job.job_id}`, label: say(locale, "button_diff"), emphasis: "plain" };
}

function money(dollars: number): string {
  return `$${dollars >= 1 ? dollars.toFixed(2) : dollars.toFixed(4)}`;
}

function number(count: number): string {
  return count.toLocaleString("en-US");
}
