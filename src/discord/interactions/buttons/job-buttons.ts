/**
 * The buttons under a job and under what its thread waits for. A button names its job and the action; the state decides
 * at the press whether the action is still possible. So it works days later and after a restart, a second press changes
 * nothing, and a late one is refused with a message.
 */
import { BellhopError } from "../../../base/errors.ts";
import { say, type Locale } from "../../../base/words/say.ts";
import type { UnparkedBy, Wait } from "../../../core/projects/checkout.ts";
import type { Command } from "../../../core/decider.ts";
import { jobOrTurn } from "../../../core/jobs/job-or-turn.ts";
import type { Recorded } from "../../../core/state.ts";
import { patchMessage } from "../../views/jobs/patch.ts";
import { waitMark } from "../../views/wait-notice.ts";
import { plain, type Handlers, type Press } from "../reply.ts";
import type { Answer, CommandContext } from "../command.ts";
import { ranAgain, retryJob } from "../retryable.ts";

export const jobButtons: Handlers<
  | "stop"
  | "retry"
  | "continue"
  | "discard"
  | "diff"
  | "unpark"
  | "anyway"
  | "fresh"
  | "drop"
  | "there"
  | "with"
  | "t-clear"
> = {
  stop: ({ job }, press) => done(changes({ type: "cancel_job", job_id: job, by: "owner" }, press.context)),
  retry: ({ job }, press) => again(retryJob(job, press.context), press),
  continue: ({ job }, press) => again(press.context.engine.submit({ type: "continue", job_id: job }), press),
  discard: ({ job }, press) => done(changes({ type: "discard", job_id: job }, press.context)),
  unpark: ({ job }, press) => done(goOn(job, press.context)),
  anyway: ({ job }, press) => done(leave(job, "checkout", "anyway", press.context)),
  fresh: ({ job }, press) => done(leave(job, "checkout", "fresh", press.context)),
  drop: ({ job }, press) => done(drop(job, press.context)),
  // Of a request to run with something, the mark of what was shown follows the job.
  there: ({ job, mark }, press) => done(runWith(job, { kind: "place", mark }, press.context)),
  with: ({ job, mark }, press) => done(runWith(job, { kind: "configuration", mark }, press.context)),
  "t-clear": ({ job, mark }, press) => done(clear(job, mark, press.context)),
  diff: async ({ job }, { interaction, reply, locale, context }) =>
    void (await reply.ephemeral(await patchOf(job, interaction.attachment_size_limit, locale, context))),
};

/** What was done shows in the thread; only a press without effect is reported. */
async function done(changed: Promise<boolean>): Promise<void> {
  if (!(await changed)) throw new BellhopError("E_DECISION_CLOSED");
}

/** Whether it changed anything, like all of these. */
async function changes(command: Command, { engine }: CommandContext): Promise<boolean> {
  return (await engine.submit(command)).length > 0;
}

/** A job that was already run again, or no longer exists, means that the choice was made. */
async function again(
  chosen: Promise<readonly Recorded[]>,
  { interaction, reply, locale }: Pick<Press, "interaction" | "reply" | "locale">,
): Promise<void> {
  const events = await chosen.catch((error: unknown) => {
    if (error instanceof BellhopError && error.code === "E_JOB_NOT_RETRYABLE") return [];
    throw error;
  });
  await done(Promise.resolve(events.length > 0));
  const said = events.some(({ type }) => type === "SessionReopened")
    ? ranAgain(events, locale, interaction.channel.id)
    : null;
  if (said !== null) await reply.ephemeral(said);
}

/** One job may wait for several things in turn: a button answers only the wait it was posted for. */
function leave(
  job_id: string,
  kind: Wait["kind"],
  by: Extract<UnparkedBy, "owner" | "anyway" | "fresh">,
  context: CommandContext,
): Promise<boolean> {
  const thread_id = threadThatWaits(job_id, kind, context);
  if (thread_id === null) return Promise.resolve(false);
  return changes({ type: "unpark", thread_id, job_id, by }, context);
}

async function goOn(job: string, context: CommandContext): Promise<boolean> {
  return (await leave(job, "limit", "owner", context)) || leave(job, "terminal", "owner", context);
}

/** Only the draft that was shown above the button may be cleared. */
function clear(job_id: string, mark: string, context: CommandContext): Promise<boolean> {
  const thread_id = threadThatWaits(job_id, "terminal", context);
  const wait = context.engine.state.threads[thread_id ?? ""]?.wait;
  if (thread_id === null || wait?.kind !== "terminal" || waitMark(wait) !== mark) return Promise.resolve(false);
  return changes({ type: "unpark", thread_id, job_id, by: "cleared" }, context);
}

/** A yes counts only for exactly what was shown above the button. */
function runWith(
  job_id: string,
  { kind, mark }: { kind: "place" | "configuration"; mark: string },
  context: CommandContext,
): Promise<boolean> {
  const thread_id = threadThatWaits(job_id, kind, context);
  const wait = context.engine.state.threads[thread_id ?? ""]?.wait;
  if (thread_id === null || (wait?.kind !== "place" && wait?.kind !== "configuration") || waitMark(wait) !== mark)
    return Promise.resolve(false);
  return changes({ type: "run_with", thread_id, job_id, is: wait.is }, context);
}

function drop(job_id: string, context: CommandContext): Promise<boolean> {
  if (
    !(["checkout", "place", "configuration", "terminal"] as const).some(
      (kind) => threadThatWaits(job_id, kind, context) !== null,
    )
  )
    return Promise.resolve(false);
  return changes({ type: "cancel_job", job_id, by: "owner" }, context);
}

function threadThatWaits(jobId: string, kind: Wait["kind"], { engine: { state } }: CommandContext): string | null {
  const job = jobOrTurn(state, jobId);
  const wait = state.threads[job?.thread_id ?? ""]?.wait;
  return job && wait?.job_id === jobId && wait.kind === kind ? job.thread_id : null;
}

/** The patch of what the job changed. It is kept longer than the job's state. */
async function patchOf(jobId: string, maxBytes: number, locale: Locale, { results }: CommandContext): Promise<Answer> {
  const bytes = await results.readPatch(jobId);
  if (!bytes) return plain(say(locale, "diff_none"));
  return { ...plain(""), ...patchMessage(jobId, bytes, maxBytes, locale) };
}
