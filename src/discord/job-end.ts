/**
 * How a job ended badly, and what the owner can do about it: the notice of a failure, of a cancellation, or of a
 * crash that its thread's queue waits on. Its buttons carry the job's id and nothing else, so they work for as long
 * as there is something to choose, and go when there is not.
 */
import { say, type Locale } from "../base/words/say.ts";
import type { State } from "../core/house.ts";
import type { Job } from "../core/job.ts";
import type { Run } from "../core/run.ts";
import { code, colours, inert, told, type Button } from "./body.ts";
import { finishedTool } from "./job-card.ts";
import type { Body } from "./owed.ts";
import { sentence } from "./sentence.ts";

const SHOWN_TOOLS = 10;
const REASON_CHARS = 600;

/** The notice below an ended job; null for one that ended well or has not ended. */
export function jobEnd(state: State, job: Job, locale: Locale): Body | null {
  const run = state.runs[job.job_id];
  switch (job.state) {
    case "failed":
      return failed(job, run, locale);
    case "cancelled":
      return told({ color: colours.quiet, title: say(locale, "end_cancelled") });
    case "unknown_after_crash":
      return crashed(state, job, run, locale);
    default:
      return null;
  }
}

function failed(job: Job, run: Run | undefined, locale: Locale): Body {
  const details = run?.error_details ?? {};
  const error = job.error_code ?? "E_INTERNAL";
  const lines = [`${sentence(locale, error, { tool: job.tool, ...details })} \`${error}\``];
  const { reason, install } = details;
  // Where the agent could not be started it has no words of its own.
  if (typeof reason === "string" && install === undefined) lines.push(say(locale, "end_reason", { reason: inert(reason, REASON_CHARS) }));
  if (typeof install === "string" && install !== "-") {
    lines.push(say(locale, "end_install", { install: code(install, 300) }));
  }
  if (run?.retried_by) lines.push(say(locale, "settled_retry", { job: code(run.retried_by) }));
  return told(
    { color: colours.bad, title: say(locale, "end_failed"), description: lines.join("\n") },
    run?.retried_by ? [] : [retryButton(job, locale)],
  );
}

function crashed(state: State, job: Job, run: Run | undefined, locale: Locale): Body {
  const held = state.threads[job.thread_id]?.hold === job.job_id;
  const tools = run?.tools.slice(-SHOWN_TOOLS) ?? [];
  const lines = [say(locale, "crash_what")];
  if (tools.length === 0) lines.push(say(locale, "crash_no_tools"));
  else lines.push(say(locale, "crash_tools"), ...tools.map(finishedTool));
  const settled = settledBy(run, locale);
  if (settled !== null) lines.push(settled);
  else if (held) lines.push(waiting(state.sessions[job.thread_id]?.queue.length ?? 0, locale));
  const buttons = settled !== null ? [] : [retryButton(job, locale), ...(held ? [discardButton(job, locale)] : [])];
  return told(
    { color: settled === null ? colours.waits : colours.quiet, title: say(locale, "end_crashed"), description: lines.join("\n") },
    buttons,
  );
}

function waiting(count: number, locale: Locale): string {
  return count === 0 ? say(locale, "crash_choose") : say(locale, "crash_waiting", { count });
}

/** Who or what settled it; null where it is open. */
function settledBy(run: Run | undefined, locale: Locale): string | null {
  if (run?.retried_by) return say(locale, "settled_retry", { job: code(run.retried_by) });
  if (run?.settled === "discard") return say(locale, "settled_discard");
  if (run?.settled === "message") return say(locale, "settled_message");
  return null;
}

function retryButton(job: Job, locale: Locale): Button {
  return { customId: `retry:${job.job_id}`, label: say(locale, "button_retry"), emphasis: "main" };
}

function discardButton(job: Job, locale: Locale): Button {
  return { customId: `discard:${job.job_id}`, label: say(locale, "button_discard"), emphasis: "plain" };
}
