/**
 * How a job ended badly, and what the owner can do about it: the notice of a failure, of a cancellation, or of a
 * crash that its thread's queue waits on, with what is known of that job's work. Its buttons carry the job's id and
 * nothing else, so they work for as long as there is something to choose, and go when there is not.
 */
import { withoutControls } from "../base/text.ts";
import { say, type Locale } from "../base/words/say.ts";
import type { State } from "../core/house.ts";
import type { Job } from "../core/job.ts";
import type { Run } from "../core/run.ts";
import { code, colours, inert, smallPrint, told, type Button } from "./body.ts";
import { changed, finishedTool } from "./job-card.ts";
import type { Body } from "./owed.ts";
import { sentence } from "./sentence.ts";

/** The part of a crashed job's posts that holds the whole of what it changed, as a file. */
export const PATCH_PART = "patch";

const SHOWN_TOOLS = 10;
const STAT_CHARS = 1_400;
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

/** The file below the notice of a crash. A message of its own: the notice is edited, and its file would be sent each time. */
export function crashPatch({ job_id }: Job, patch: Uint8Array, maxBytes: number, locale: Locale): Body {
  const message = { ...told({}), embeds: [] };
  if (patch.length > maxBytes) return { ...message, content: smallPrint(say(locale, "diff_too_large", { file: code(`results/${job_id}.patch`) })) };
  const content = smallPrint(say(locale, "crash_patch", { job: code(job_id) }));
  return { ...message, content, files: [{ name: `${job_id}.patch`, bytes: patch }] };
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
    run?.retried_by ? [] : [button("retry", "button_retry", job, locale)],
  );
}

function crashed(state: State, job: Job, run: Run | undefined, locale: Locale): Body {
  const held = state.threads[job.thread_id]?.hold === job.job_id;
  const tools = run?.tools.slice(-SHOWN_TOOLS) ?? [];
  const lines = [say(locale, "crash_what")];
  if (run?.cancelling) lines.push(say(locale, "crash_asked_to_stop"));
  if (tools.length === 0) lines.push(say(locale, "crash_no_tools"));
  else lines.push(say(locale, "crash_tools"), ...tools.map(finishedTool));
  lines.push(...evidence(run, locale));
  const settled = settledBy(run, locale);
  if (settled !== null) lines.push(settled);
  else if (held) lines.push(waiting(state.sessions[job.thread_id]?.queue.length ?? 0, locale));
  else lines.push(say(locale, "crash_goes_on"));
  const again = [button("retry", "button_retry", job, locale), button("continue", "button_continue", job, locale)];
  const buttons = settled !== null ? [] : [...again, ...(held ? [button("discard", "button_discard", job, locale)] : [])];
  return told(
    { color: settled === null ? colours.waits : colours.quiet, title: say(locale, "end_crashed"), description: lines.join("\n") },
    buttons,
  );
}

/** What the directory tells of the job, as far as it was looked at. */
function evidence(run: Run | undefined, locale: Locale): string[] {
  if (!run?.changes) return [say(locale, "crash_changes_unknown")];
  const changes = changed(run, locale);
  if (changes === null) return [say(locale, "crash_no_changes")];
  return [say(locale, "crash_changes", { changes }), ...(run.stat === null ? [] : [drawn(run.stat)])];
}

/**
 * As git drew it, whole lines of it, without its sum, which is told in the person's own language. Names in it come
 * from outside, and must not end the block they stand in.
 */
function drawn(stat: string): string {
  const lines = withoutControls(stat).replaceAll("`", "ˋ").split("\n").slice(0, -1).map((line) => line.replace(/^ /, ""));
  let fits = lines;
  while (fits.join("\n").length > STAT_CHARS) fits = fits.slice(0, -1);
  return ["```", ...fits, ...(fits.length < lines.length ? ["…"] : []), "```"].join("\n");
}

function waiting(count: number, locale: Locale): string {
  return count === 0 ? say(locale, "crash_choose") : say(locale, "crash_waiting", { count });
}

/** Who or what settled it; null where it is open. */
function settledBy(run: Run | undefined, locale: Locale): string | null {
  if (run?.retried_by) return say(locale, run.settled === "continue" ? "settled_continue" : "settled_retry", { job: code(run.retried_by) });
  if (run?.settled === "discard") return say(locale, "settled_discard");
  if (run?.settled === "message") return say(locale, "settled_message");
  return null;
}

function button(wanted: string, label: "button_retry" | "button_continue" | "button_discard", job: Job, locale: Locale): Button {
  return { customId: `${wanted}:${job.job_id}`, label: say(locale, label), emphasis: wanted === "retry" ? "main" : "plain" };
}
