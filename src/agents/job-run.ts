/**
 * One job from its agent's start until nothing of it is left in the way: its checkout is looked at, the agent runs,
 * its answer and end are written down, what it changed is measured, and only then is the thread free for the next.
 */
import { BellhopError } from "../base/errors.ts";
import type { Checkout } from "../core/checkout.ts";
import type { State } from "../core/house.ts";
import type { Job } from "../core/job.ts";
import { sessionKey, type Session } from "../core/session.ts";
import type { JobLog } from "../host/job-log.ts";
import { Asking } from "./asking.ts";
import { measure, moved, noteBegin, noteEnd } from "./checkouts.ts";
import { conclude, didNothing, failure, type Concluding } from "./conclusion.ts";
import type { Run } from "./driver.ts";
import { Heard, inProject, take } from "./heard.ts";
import { promptOf } from "./prompt.ts";
import { watchSilence } from "./silence.ts";
import type { ConversationUsage, Outcome } from "./updates.ts";

export interface Attended extends Concluding {
  /** An agent runs for the job now; whoever stops the job stops this one. */
  started(run: Run): void;
}

/** Before the one try that a job has again by itself. */
const RETRY_AFTER_MS = 2_000;

/** Everything about one job that stays the same while it runs. */
interface Scene {
  options: Attended;
  job: Job;
  session: Session;
  /** Absolute. */
  cwd: string;
  log: JobLog;
}

export async function runJob(options: Attended, job: Job, session: Session): Promise<void> {
  const { engine, git } = options;
  const { job_id } = job;
  const log = options.openLog(job_id);
  let begun: Promise<Checkout | null> | null = null;
  try {
    const scene = { options, job, session, cwd: placeOf(options, job, session), log };
    const asks = moved(options, job, session, scene.cwd);
    const is = asks instanceof Promise ? await asks : asks;
    if (is !== null) await ask(options, job, is);
    else if (isCancelling(options, job_id)) await engine.submit({ type: "cancelled", job_id });
    else {
      const first = start(scene);
      begun = beside(scene, first);
      await serve(scene, first);
    }
  } catch (error) {
    await conclude(options, job_id, new Heard(options.redactStream()), failure(error));
  } finally {
    await log.close();
  }
  if (begun !== null && !options.stopping()) await afterwards(options, job, await begun);
  if (engine.state.jobs[job_id]?.state !== "running") await git.forget(job_id);
  // A job without an end keeps its thread: the next start says what is not known of it.
  await engine.submit({ type: "progress", job_id, progress: { kind: "gone" } });
}

/** The directory of the job's project. @throws BellhopError for a project or an agent that is not there */
function placeOf(options: Attended, job: Job, session: Session): string {
  const project = options.engine.state.projects[session.project_name];
  if (!project) throw new BellhopError("E_PROJECT_NOT_FOUND", { project: session.project_name });
  if (!options.drivers.has(job.tool)) throw new BellhopError("E_AGENT_START_FAILED", { tool: job.tool, install: "-" });
  if (!options.isDirectory(project.path)) throw new BellhopError("E_INVALID_PATH", { path: project.path });
  return project.path;
}

/** The job goes back to its queue, and its thread waits for the owner's word. */
async function ask({ engine }: Attended, { job_id, thread_id }: Job, is: Checkout): Promise<void> {
  const was = engine.state.threads[thread_id]?.checkout ?? is;
  await engine.submit({ type: "put_back", job_id, why: "checkout" });
  await engine.submit({ type: "park", thread_id, job_id, wait: { kind: "checkout", job_id, was, is } });
}

function start({ options, job, session, cwd, log }: Scene): Run {
  const { engine, drivers } = options;
  const driver = drivers.get(job.tool);
  if (!driver) throw new BellhopError("E_AGENT_START_FAILED", { tool: job.tool, install: "-" });
  // Before the grants: it makes the folder that is granted.
  const env = options.environment(job);
  const resume = sessionKey(session);
  const run = driver.run({
    jobId: job.job_id,
    threadId: job.thread_id,
    prompt: promptOf(job, engine.state.runs[job.job_id], resume !== null),
    cwd,
    args: engine.state.projects[session.project_name]?.default_args[job.tool] ?? [],
    resume,
    spent: spentBefore(engine.state, job),
    env,
    grants: options.grants(job),
    log,
  });
  options.started(run);
  return run;
}

/** As the tool's last job here told it; where that one told nothing, nobody knows. */
function spentBefore({ threads, jobs, runs }: State, { thread_id, tool }: Job): ConversationUsage | null {
  const last = threads[thread_id]?.ended.findLast((id) => jobs[id]?.tool === tool && jobs[id].started_at !== null);
  const { conversation_input: input, conversation_cached: cached, conversation_output: output } = runs[last ?? ""]?.usage ?? {};
  return input === undefined || cached === undefined || output === undefined ? null : { input, cached, output };
}

/** Looks at the checkout once the agent is on its way. Never rejects. */
async function beside({ options, job, cwd }: Scene, run: Run): Promise<Checkout | null> {
  const { job_id } = job;
  const process = await run.process;
  if (process === null) return null;
  try {
    return await noteBegin(options, job, cwd);
  } catch (error) {
    options.log.failure("a job's checkout cannot be noted", error, { job_id });
    return null;
  }
}

/** Runs the agent, and once more where its failure passes by itself and nothing was done yet. */
async function serve(scene: Scene, first: Run): Promise<void> {
  const { options, job } = scene;
  // The conversation as it was: a run that failed may have begun another.
  const again = { ...scene, session: structuredClone(scene.session) };
  const failed = await attend(scene, first, true);
  if (failed === null) return;
  const { job_id, thread_id } = job;
  scene.log.note(`tried once more after a failure that passes by itself: ${String(failed.details["reason"] ?? failed.code)}`);
  const text = options.redact(String(failed.details["reason"] ?? failed.code));
  options.signals.send({ kind: "notice", job_id, thread_id, code: "tried_again", text });
  await new Promise<void>((resolve) => void options.clock.after(RETRY_AFTER_MS, resolve));
  if (options.stopping()) return;
  if (isCancelling(options, job_id)) await options.engine.submit({ type: "cancelled", job_id });
  else await attend(again, start(again), false);
}

/** One agent until it is gone. Returns its failure, not yet concluded, where the job may try again. */
async function attend(scene: Scene, run: Run, mayRetry: boolean): Promise<Extract<Outcome, { outcome: "failed" }> | null> {
  const { options, job } = scene;
  const { job_id } = job;
  const told = run.process.then(async (process) => {
    if (!process) return;
    const progress = { kind: "process", pid: process.pid, start_time: String(process.startTime) } as const;
    await options.engine.submit({ type: "progress", job_id, progress });
  });
  // Its failure is taken below, when the agent has said its last: until then it must not count as nobody's.
  told.catch(() => undefined);
  const failed = await listen(scene, run, mayRetry);
  await told;
  await run.gone;
  return failed;
}

async function listen(
  { options, job, cwd }: Scene,
  run: Run,
  mayRetry: boolean,
): Promise<Extract<Outcome, { outcome: "failed" }> | null> {
  const heard = new Heard(options.redactStream());
  const silence = watchSilence(options.clock, options.limits().silenceMs, run);
  const asking = new Asking(options, job, run, silence);
  let failed: Extract<Outcome, { outcome: "failed" }> | null = null;
  try {
    for await (const update of run.updates) {
      if (update.kind === "question" || update.kind === "permission" || update.kind === "plan_approval") asking.take(inProject(update, cwd));
      else if (update.kind === "withdrawn") asking.withdraw(update.id);
      else if (update.kind !== "end") take(options, job, heard, inProject(update, cwd));
      if (update.kind !== "end") continue;
      asking.end();
      heard.written(noteEnd(options, job, cwd));
      const outcome = silence.verdict(update);
      if (mayRetry && passes(outcome, heard) && !isCancelling(options, job.job_id)) failed = outcome;
      else await conclude(options, job.job_id, heard, outcome);
    }
    await heard.settled();
  } finally {
    silence.stop();
    asking.leave();
  }
  return failed;
}

/** Whether nothing was done or said yet and the agent's own words say that the same may work in a moment. */
function passes(outcome: Outcome, heard: Heard): outcome is Extract<Outcome, { outcome: "failed" }> {
  return outcome.outcome === "failed" && outcome.details["temporary"] === true && didNothing(outcome, heard) && heard.text === "";
}

function isCancelling({ engine }: Attended, jobId: string): boolean {
  return engine.state.runs[jobId]?.cancelling ?? false;
}

/** What the job changed. Nothing of it may stand in the way of the next job. */
async function afterwards(options: Attended, job: Job, from: Checkout | null): Promise<void> {
  if (options.engine.state.jobs[job.job_id]?.state === "queued") return;
  try {
    await measure(options, job, from);
  } catch (error) {
    options.log.failure("what a job changed cannot be noted", error, { job_id: job.job_id });
  }
}
