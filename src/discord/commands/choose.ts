/**
 * The buttons under a job and under what its thread waits for. A button names its job and what is wanted of it;
 * whether that is still to be had is decided by the state when it is pressed, so it works days later and after a
 * restart, a second press changes nothing, and one that comes too late says so.
 */
import type { APIMessageComponentInteraction } from "discord-api-types/v10";
import { BellhopError } from "../../base/errors.ts";
import { say, type Locale } from "../../base/words/say.ts";
import type { UnparkedBy, Wait } from "../../core/checkout.ts";
import type { Command } from "../../core/house.ts";
import { code } from "../body.ts";
import { decide, isDecision } from "./decide.ts";
import { pressPending } from "./pending.ts";
import { pressQueue } from "./queue.ts";
import { acknowledge, failureText, plain } from "./reply.ts";
import type { Answer, CommandRoom } from "./room.ts";

const BUTTON = /^(retry|continue|discard|diff|unpark|anyway|fresh|drop):(job_\d{8}_\d{4,12})$/;

/** A press of one of ours, or of one that nobody knows. Never throws. */
export async function choose(
  interaction: APIMessageComponentInteraction,
  locale: Locale,
  room: CommandRoom,
): Promise<void> {
  const { custom_id } = interaction.data;
  if (custom_id.startsWith("q-")) return pressQueue(interaction, locale, room);
  if (custom_id.startsWith("p-")) return pressPending(interaction, locale, room);
  if (isDecision(custom_id)) return decide(interaction, locale, room);
  const reply = await acknowledge(interaction, "button", room);
  if (!reply) return;
  try {
    const [, wanted, job_id = ""] = BUTTON.exec(custom_id) ?? [];
    if (wanted === "diff") await reply.whisper(await patchOf(job_id, interaction.attachment_size_limit, locale, room));
    // What was done shows in the thread; only what was not is told.
    else if (!(await press(wanted, job_id, room))) throw new BellhopError("E_DECISION_CLOSED");
  } catch (error) {
    await reply.whisper(failureText(error, locale, room));
  }
}

/** Whether there was still something to change. */
function press(wanted: string | undefined, job_id: string, room: CommandRoom): Promise<boolean> {
  switch (wanted) {
    case "retry":
    case "continue":
      return again({ type: wanted, job_id }, room);
    case "discard":
      return changes({ type: "discard", job_id }, room);
    case "unpark":
      return leave(job_id, "limit", "owner", room);
    case "anyway":
    case "fresh":
      return leave(job_id, "checkout", wanted, room);
    case "drop":
      return drop(job_id, room);
    default:
      return Promise.resolve(false);
  }
}

async function changes(command: Command, { engine }: CommandRoom): Promise<boolean> {
  return (await engine.submit(command)).length > 0;
}

/** What was run again before, or is nowhere any more, is a choice that was made. */
async function again(command: Extract<Command, { type: "retry" | "continue" }>, room: CommandRoom): Promise<boolean> {
  try {
    return await changes(command, room);
  } catch (error) {
    if (error instanceof BellhopError && error.code === "E_JOB_NOT_RETRYABLE") return false;
    throw error;
  }
}

/** One job may wait for one thing after another: a button answers what it stood under, and nothing else. */
function leave(job_id: string, kind: Wait["kind"], by: UnparkedBy, room: CommandRoom): Promise<boolean> {
  const thread_id = threadThatWaits(job_id, kind, room);
  if (thread_id === null) return Promise.resolve(false);
  return changes({ type: "unpark", thread_id, job_id, by }, room);
}

function drop(job_id: string, room: CommandRoom): Promise<boolean> {
  if (threadThatWaits(job_id, "checkout", room) === null) return Promise.resolve(false);
  return changes({ type: "cancel_job", job_id, by: "owner" }, room);
}

function threadThatWaits(jobId: string, kind: Wait["kind"], { engine: { state } }: CommandRoom): string | null {
  const job = Object.hasOwn(state.jobs, jobId) ? state.jobs[jobId] : undefined;
  const wait = state.threads[job?.thread_id ?? ""]?.wait;
  return job && wait?.job_id === jobId && wait.kind === kind ? job.thread_id : null;
}

/** What the job changed, as a file. It is kept for longer than the job is known. */
async function patchOf(jobId: string, maxBytes: number, locale: Locale, { results }: CommandRoom): Promise<Answer> {
  const bytes = await results.readPatch(jobId);
  if (!bytes) return plain(say(locale, "diff_none"));
  if (bytes.length > maxBytes) return plain(say(locale, "diff_too_large", { file: code(`results/${jobId}.patch`) }));
  return { ...plain(say(locale, "crash_patch", { job: code(jobId) })), files: [{ name: `${jobId}.patch`, bytes }] };
}
