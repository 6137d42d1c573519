/**
 * The card of a job: one compact embed, edited while the job runs, with the state, the agent and the tools as they
 * happen; at the end one line that sums the job up. Whatever an agent named in it is drawn as code, never as format.
 */
import { say, type Locale } from "../base/words/say.ts";
import type { Job } from "../core/job.ts";
import type { Run } from "../core/run.ts";
import { code, colours, inert, told } from "./body.ts";
import type { Body, Live } from "./owed.ts";

/** Tools a card names; the others are counted. */
const SHOWN_TOOLS = 6;
const TITLE_CHARS = 120;
const REASON_CHARS = 200;

/** The card of a running job. `hidden` counts characters written that no message shows yet. */
export function runningCard(job: Job, live: Live | undefined, hidden: number, locale: Locale): Body {
  const lines = [`⏳ ${[agentOf(job), say(locale, "job_running")].join(" · ")}`];
  const tools = live?.tools ?? [];
  const before = tools.length - SHOWN_TOOLS;
  if (before > 0) lines.push(say(locale, "tools_before", { count: before }));
  lines.push(...tools.slice(-SHOWN_TOOLS).map((tool) => liveTool(tool, locale)));
  if (hidden > 0) lines.push(say(locale, "written_so_far", { count: number(hidden) }));
  return told({ color: colours.runs, description: lines.join("\n") });
}

/** The card of an ended job: state · tool · model · duration · tokens · cost · failed tools, as far as known. */
export function endedCard(job: Job, run: Run | undefined, locale: Locale): Body {
  const { sign, word, colour } = ends[job.state] ?? ends.cancelled;
  const failed = run?.tools.filter((tool) => !tool.ok).length ?? 0;
  const parts = [
    say(locale, word),
    agentOf(job),
    run?.model ? code(run.model, 60) : null,
    duration(job, run),
    tokens(run, locale),
    run?.usage?.cost_usd === undefined ? null : money(run.usage.cost_usd),
    failed === 0 ? null : say(locale, "tools_failed", { count: failed }),
  ];
  return told({ color: colour, description: `${sign} ${parts.filter((part) => part !== null).join(" · ")}` });
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

function liveTool({ name, title, state, reason }: Live["tools"][number], locale: Locale): string {
  switch (state) {
    case "running": {
      const says = say(locale, "tool_running", { tool: inert(name, 60) });
      return title === "" ? says : `${says} ${code(title, TITLE_CHARS)}`;
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
  return [inert(name, 60), code(title, TITLE_CHARS)].filter((part) => part !== "").join(" ");
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

function money(dollars: number): string {
  return `$${dollars >= 1 ? dollars.toFixed(2) : dollars.toFixed(4)}`;
}

function number(count: number): string {
  return count.toLocaleString("en-US");
}
