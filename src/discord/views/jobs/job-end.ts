/**
 * The message that closes a job: how it ended, on one line, and what the owner can do about it. For a failure it has
 * the reason, for a crash what is known of the job's work. Its buttons carry only the job's id; they work as long as
 * there is something to choose and are then removed. An outside turn is closed in the same way, and says where it
 * began.
 */
import { ButtonStyle } from "discord-api-types/v10";
import { errors } from "../../../base/errors.ts";
import { withoutControls } from "../../../base/text.ts";
import { say, type Locale, type WordKey } from "../../../base/words/say.ts";
import type { State } from "../../../core/state.ts";
import { retriedAs, type Job } from "../../../core/jobs/job.ts";
import type { OutsideTurn } from "../../../core/jobs/outside-turn.ts";
import { isUnkept } from "../../../core/jobs/job-or-turn.ts";
import { isAbove } from "../../../core/posts/post-state.ts";
import { isTakenBack, type Run } from "../../../core/jobs/run.ts";
import { button, code, colours, smallPrint, systemBody, urlOf, type Button } from "../body.ts";
import { customId } from "../custom-id.ts";
import { changed, finishedTool, summary } from "./job-card.ts";
import type { Body } from "../desired-posts.ts";
import { patchMessage } from "./patch.ts";
import { tookLine } from "./sent-messages.ts";
import { explained } from "../error-details.ts";

/** The part of a crashed job's posts that holds all of its changes, as a file. */
export const PATCH_PART = "patch";

const SHOWN_TOOLS = 10;
const STAT_CHARS = 1_400;
const PROMPT_CHARS = 200;

/** The last of an ended job's messages. `footer`: the state of its Claude. */
export function jobEnd(state: State, job: Job, locale: Locale, footer: string | null = null): Body {
  const run = state.runs[job.job_id];
  const turn = state.turns?.[job.job_id];
  const { colour, lines, buttons } = turn ? outside(state, job, run, locale) : detailsOf(state, job, run, locale);
  // A choice that is still open opens the session with it.
  if (buttons.length > 0 && state.threads[job.thread_id]?.closed !== undefined)
    lines.push(say(locale, "retry_reopens"));
  const all = [
    ...(turn ? [originLine(turn, locale)] : []),
    ...summary(job, run, answerLink(state, job), locale),
    ...tookLine(state, job, locale),
    ...(footer === null ? [] : [footer]),
    ...lines,
    ...(isUnkept(job, run) ? [`⚠️ ${say(locale, "answer_unkept")}`] : []),
  ];
  // A crashed job's changes are posted below, in full.
  const diff =
    run?.changes?.patch && job.state !== "unknown_after_crash"
      ? [button(customId("diff", { job: job.job_id }), say(locale, "button_diff"))]
      : [];
  return systemBody({ color: colour, description: all.join("\n") }, [...buttons, ...diff]);
}

/** The link to the first message of its answer; null if there is none. */
function answerLink(state: State, job: Job): string | null {
  const numbers = Object.entries(state.posts[job.job_id] ?? {}).filter(
    ([part, { message_id }]) => part.startsWith("answer:") && message_id !== null,
  );
  const [, first] = numbers.sort(([a], [b]) => Number(a.slice(7)) - Number(b.slice(7)))[0] ?? [];
  return first && state.threads[job.thread_id] ? urlOf(state, job.thread_id, first) : null;
}

interface Details {
  colour: number;
  lines: string[];
  buttons: Button[];
}

function detailsOf(state: State, job: Job, run: Run | undefined, locale: Locale): Details {
  switch (job.state) {
    case "failed":
      return failed(state, job, run, locale);
    case "unknown_after_crash":
      return crashed(state, job, run, locale);
    default:
      return { colour: job.state === "success" ? colours.good : colours.quiet, lines: [], buttons: [] };
  }
}

/** An outside turn is never run again, so nothing is offered. */
function outside(state: State, job: Job, run: Run | undefined, locale: Locale): Details {
  if (job.state === "failed") return { ...failed(state, job, run, locale), buttons: [] };
  const lines = job.state === "unknown_after_crash" ? [unknownLine(isAbove(state, job), locale)] : [];
  return { colour: job.state === "success" ? colours.good : colours.quiet, lines, buttons: [] };
}

/** Where an outside turn began. */
export function originLine({ origin, prompt, error_code }: OutsideTurn, locale: Locale): string {
  if (error_code === "E_BACKGROUND_ENDED" || error_code === "E_BACKGROUND_SILENT")
    return `🌙 ${say(locale, "outside_lost")}`;
  const sign = origin === "background" ? "🌙" : "⌨️";
  const words = prompt === null || prompt.trim() === "" ? "" : ` ${code(prompt, PROMPT_CHARS)}`;
  return `${sign} ${say(locale, `outside_${origin}` satisfies WordKey)}${words}`;
}

/** What a restart of Bellhop means for an outside turn. */
function unknownLine(hasAnswer: boolean, locale: Locale): string {
  return say(locale, hasAnswer ? "outside_unknown_kept" : "outside_unknown");
}

/** Below the crash notice. A message of its own: the notice is edited, and each edit would send the file again. */
export function crashPatch({ job_id }: Job, patch: Uint8Array, maxBytes: number, locale: Locale): Body {
  const message = patchMessage(job_id, patch, maxBytes, locale);
  return { ...systemBody({}), embeds: [], ...message, content: smallPrint(message.content) };
}

function failed(state: State, job: Job, run: Run | undefined, locale: Locale): Details {
  const details = run?.error_details ?? {};
  const error = job.error_code ?? "E_INTERNAL";
  const lines = explained(locale, error, { tool: job.tool, ...details });
  const again = retriedAs(state, job);
  if (again !== null) lines.push(say(locale, "settled_retry", { job: code(again) }));
  const mayHelp = errors[error].retry && again === null;
  return { colour: colours.bad, lines, buttons: mayHelp ? [jobButton("retry", job, locale)] : [] };
}

function crashed(state: State, job: Job, run: Run | undefined, locale: Locale): Details {
  const held = state.threads[job.thread_id]?.hold === job.job_id;
  const begun = job.started_at !== null;
  const tools = run?.tools.slice(-SHOWN_TOOLS) ?? [];
  const takenBack = !begun && isTakenBack(run);
  const lines = [
    takenBack
      ? say(locale, "crash_taken_back", { job: code(job.job_id) })
      : say(locale, !begun ? "crash_sent" : isAbove(state, job) ? "crash_what_kept" : "crash_what"),
  ];
  if (run?.cancelling && !takenBack) lines.push(say(locale, "crash_asked_to_stop"));
  if (begun && tools.length === 0) lines.push(say(locale, "crash_no_tools"));
  if (tools.length > 0) lines.push(say(locale, "crash_tools"), ...tools.map(finishedTool));
  if (begun) lines.push(...evidence(run, locale));
  const settled = settledBy(run, locale);
  if (settled !== null) lines.push(settled);
  else if (held) lines.push(waiting(state.sessions[job.thread_id]?.queue.length ?? 0, locale));
  else lines.push(say(locale, "crash_goes_on"));
  const again = [jobButton("retry", job, locale), ...(begun ? [jobButton("continue", job, locale)] : [])];
  const buttons = settled !== null ? [] : [...again, ...(held ? [jobButton("discard", job, locale)] : [])];
  return { colour: settled === null ? colours.waits : colours.quiet, lines, buttons };
}

/** What the directory shows of the job's work, as far as it was examined. */
function evidence(run: Run | undefined, locale: Locale): string[] {
  if (!run?.changes) return [say(locale, "crash_changes_unknown")];
  const changes = changed(run, locale);
  if (changes === null) return [say(locale, "crash_no_changes")];
  return [say(locale, "crash_changes", { changes }), ...(run.stat === null ? [] : [drawn(run.stat)])];
}

/**
 * Git's stat in whole lines, without its total, which is given in the reader's own language. Names in it come from
 * outside and must not end the code block.
 */
function drawn(stat: string): string {
  const lines = withoutControls(stat)
    .replaceAll("`", "ˋ")
    .split("\n")
    .slice(0, -1)
    .map((line) => line.replace(/^ /, ""));
  let fits = lines;
  while (fits.join("\n").length > STAT_CHARS) fits = fits.slice(0, -1);
  return ["```", ...fits, ...(fits.length < lines.length ? ["…"] : []), "```"].join("\n");
}

function waiting(count: number, locale: Locale): string {
  return count === 0 ? say(locale, "crash_choose") : say(locale, "crash_waiting", { count });
}

/** Who or what settled it; null while it is open. */
function settledBy(run: Run | undefined, locale: Locale): string | null {
  if (run?.retried_by)
    return say(locale, run.settled === "continue" ? "settled_continue" : "settled_retry", {
      job: code(run.retried_by),
    });
  if (run?.settled === "discard") return say(locale, "settled_discard");
  if (run?.settled === "message") return say(locale, "settled_message");
  return null;
}

function jobButton(wanted: "retry" | "continue" | "discard", { job_id }: Job, locale: Locale): Button {
  return button(
    customId(wanted, { job: job_id }),
    say(locale, `button_${wanted}`),
    wanted === "retry" ? ButtonStyle.Primary : ButtonStyle.Secondary,
  );
}
