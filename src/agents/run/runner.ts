/**
 * The runner: a reconciler that makes sure that every running job has an agent, and that the agent's output becomes
 * facts in the right order: the answer on disk, then the job's end in the journal, then the thread free. It stops jobs
 * that the owner cancels, and all jobs when the journal fails. It knows agents only by the driver contract, and nothing
 * of Discord.
 */
import { codeOf, theirWords, BellhopError } from "../../base/errors.ts";
import type { Job } from "../../core/jobs/job.ts";
import { type Session, sessionKey, toolKey } from "../../core/sessions/session.ts";
import type { Turn, Driver } from "../contract/driver.ts";
import type { RunContext, Attending } from "./run-context.ts";
import { recordLostBefore } from "./outside-turn.ts";
import { pause } from "../../base/clock.ts";
import type { Checkout } from "../../core/projects/checkout.ts";
import type { State } from "../../core/state.ts";
import type { Engine } from "../../engine/engine.ts";
import { inEnglish } from "../../core/jobs/ending.ts";
import { runProcess } from "../../core/jobs/run.ts";
import { sentInto } from "../../core/jobs/sending.ts";
import { untoldReasons } from "../../core/jobs/untold-reasons.ts";
import { isOwnCommand } from "../../core/sessions/told.ts";
import { isRunOfWindow, type Window } from "../../core/sessions/windows.ts";
import type { JobLog } from "../../host/files/job-log.ts";
import { lookBefore, measure, noteBegin, noteEnd, type Before } from "./checkouts.ts";
import { conclude, hasRunNoTool, failure } from "./conclusion.ts";
import { argumentsOf, openingOf, settingsOf, checkStart, waitForOwner } from "./start-guard.ts";
import { listen, recordProcess } from "./listen.ts";
import { RunRecorder } from "./run-recorder.ts";
import { filesOf, givenOf, promptOf, requireUnchanged } from "./prompt.ts";
import type { Begun } from "./steering.ts";
import type { Outcome, FailedOutcome } from "../contract/updates.ts";

export interface Runner {
  /** Checks every thread once: for the start, when nothing has changed yet. */
  start(): void;
  /** Ends every agent; their jobs stay as they are in the journal. */
  close(): Promise<void>;
}

interface RunEntry {
  turn: Turn | null;
  done: Promise<void>;
}

export function openRunner(context: RunContext): Runner {
  const { engine, log, steering } = context;
  const running = new Map<string, RunEntry>();
  /** Jobs that a bug of ours has stopped: none is begun a second time by itself. */
  const broken = new Set<string>();
  let closed = false;

  function attend(threadId: string): void {
    const jobId = engine.state.threads[threadId]?.busy_job;
    const job = jobId ? engine.state.jobs[jobId] : undefined;
    const session = engine.state.sessions[threadId];
    if (closed || !job || !session || job.state !== "running" || broken.has(job.job_id)) return;
    const known = running.get(job.job_id);
    if (!known) return begin(job, session);
    if (engine.state.runs[job.job_id]?.cancelling) void known.turn?.cancel();
    else if (known.turn) steering.sendRequested({ id: job.job_id, thread_id: threadId }, known.turn);
  }

  function begin(job: Job, session: Session): void {
    const entry: RunEntry = { turn: null, done: Promise.resolve() };
    running.set(job.job_id, entry);
    const started = (turn: Turn): void => {
      entry.turn = turn;
      steering.nameOfMessage(turn, job.job_id);
      if (closed) void (turn.detach ?? turn.cancel).call(turn);
      else if (engine.state.runs[job.job_id]?.cancelling) void turn.cancel();
    };
    entry.done = runJob({ ...context, stopping: () => closed, started }, job, session)
      .catch((error: unknown) => (engine.over ? undefined : broke(job.job_id, entry, error)))
      .finally(() => {
        running.delete(job.job_id);
        // The next job may have started while this one was ending.
        attend(job.thread_id);
      });
  }

  /** Ends the agent, and the job as failed, so that its thread says so and continues. */
  async function broke(job_id: string, { turn }: RunEntry, error: unknown): Promise<void> {
    broken.add(job_id);
    log.failure("a job's runner failed", error, { job_id });
    if (closed) return;
    try {
      await turn?.cancel();
      await steering.turnEnded({ id: job_id, thread_id: engine.state.jobs[job_id]?.thread_id ?? "" });
      const nothing = { result_excerpt: null, result_sha256: null, model: null, usage: null };
      if (engine.state.jobs[job_id]?.state === "running")
        await engine.submit({
          type: "fail",
          job_id,
          code: codeOf(error),
          details: { reason: theirWords(context.redactor.redactText(String(error))) },
          ...nothing,
        });
      await engine.submit({ type: "progress", job_id, progress: { kind: "gone" } });
    } catch (again) {
      if (!engine.over)
        log.failure("the end of a job whose runner failed could not be written down", again, { job_id });
    }
  }

  async function close(): Promise<void> {
    closed = true;
    unwatch();
    // The agents' output so far is written before the journal closes.
    await Promise.all([
      steering.close(),
      ...[...running.values()].flatMap(({ turn, done }) => [(turn?.detach ?? turn?.cancel)?.call(turn), done]),
    ]);
  }

  const unwatch = engine.watch(["run", "end"], (topics) => topics.forEach(attend));
  engine.atEnd(() => void close());
  return {
    start() {
      recordLostBefore(context);
      Object.keys(engine.state.threads).forEach(attend);
    },
    close,
  };
}

/*
 * One job, from its agent's start until nothing of it is left: its checkout is checked, the agent runs, its answer and
 * end are written, its changes are measured, and only then is the thread free for the next job.
 */

interface Attended extends Attending {
  /** An agent now works on the job; stopping the job cancels this turn. */
  started(turn: Turn): void;
}

/** The pause before a job's only automatic retry. */
const RETRY_AFTER_MS = 2_000;

/** Everything about a job that stays the same while it runs. */
interface Scene {
  context: Attended;
  driver: Driver;
  job: Job;
  session: Session;
  /** Absolute. */
  cwd: string;
  log: JobLog;
  /** Its agent has begun with it already. */
  begun?: Begun | undefined;
  before: Before;
}

async function runJob(context: Attended, job: Job, session: Session): Promise<void> {
  const { engine, git } = context;
  const { job_id } = job;
  const byItself = context.steering.takeBegunTurn(job_id);
  const log = byItself?.log ?? context.openLog(job_id);
  let begun: Promise<Checkout | null> | null = null;
  try {
    const driver = context.drivers.get(job.tool);
    if (!driver) throw new BellhopError("E_AGENT_START_FAILED", { tool: job.tool, install: "-" });
    const goesOn = windowOf(engine.state, job);
    const found = goesOn ? { cwd: placeOf(context, job, goesOn), wait: null } : checkStart(context, job, session);
    const { cwd, wait: asks } = found instanceof Promise ? await found : found;
    const wait = byItself ? null : asks instanceof Promise ? await asks : asks;
    if (context.stopping()) return void (await byItself?.turn.cancel());
    if (wait !== null) await waitForOwner(context, job, wait);
    else if (!byItself && !goesOn && isCancelling(context, job_id)) await engine.submit({ type: "cancelled", job_id });
    else {
      const opened = Promise.withResolvers<Turn | null>();
      const before = lookBefore(context, job, cwd, byItself !== undefined || goesOn !== undefined);
      const scene = { context, driver, job, session, cwd, log, begun: byItself, before };
      begun = opened.promise.then((turn) => recordCheckout(scene, turn));
      await serve(scene, opened.resolve).finally(() => opened.resolve(null));
    }
  } catch (error) {
    void byItself?.turn.cancel();
    await conclude(context, job_id, new RunRecorder(context, job_id), failure(error));
  } finally {
    await log.close();
  }
  if (begun !== null && !context.stopping()) await recordChanges(context, job, begun);
  if (engine.state.jobs[job_id]?.state !== "running") await git.removeRecords(job_id);
  // A job that has not ended keeps its thread; the next start reports what is unknown about it.
  await engine.submit({ type: "progress", job_id, progress: { kind: "gone" } });
}

/** Starts the job's turn in its session's conversation, unless its agent has begun it already. */
async function start({ context, driver, job, session, cwd, log, begun, before: looked }: Scene): Promise<Turn> {
  if (begun) {
    context.started(begun.turn);
    return begun.turn;
  }
  const { state } = context.engine;
  const { job_id } = job;
  const files = windowOf(state, job) ? [] : filesOf(state.runs[job_id], sessionKey(session) !== null, job.tool);
  if (files.length > 0) await requireUnchanged(files);
  // A repeat goes on in the conversation as it was when the job began, whatever its first try has said since.
  const opening = { ...openingOf(context, { ...session, tool: job.tool }, cwd, job), key: sessionKey(session) };
  const opened = context.agents.open(driver, opening);
  const agent = opened instanceof Promise ? await opened : opened;
  const before = agent.resume && windowOf(state, job) ? await context.results.writtenBefore(job_id) : undefined;
  const resumed =
    before === undefined
      ? undefined
      : agent.resume?.({ log, name: runProcess(state.runs[job_id])?.prompt_id ?? null, before });
  if (resumed) {
    context.started(resumed);
    return resumed;
  }
  const text = promptOf(job, state.runs[job_id], {
    resumes: opening.key !== null,
    outputs: opening.folders[0],
    isCommand: isOnlyCommand(context.engine, job, driver),
    sent: sentBefore(state, job),
    reasons: untoldReasons(state, job),
  });
  await looked.wait();
  const { model, effort } = opening.settings ?? {};
  const turn = agent.prompt({
    text,
    files: givenOf(files, job.tool),
    counters: countersBefore(state, job),
    log,
    ...(model !== undefined && { model }),
    ...(effort !== undefined && { effort }),
  });
  context.started(turn);
  return turn;
}

/** Whether nothing but a command of its agent's own is to be sent. */
function isOnlyCommand({ state }: Engine, job: Job, { compacts }: Driver): boolean {
  const { files = [], quotes = [], mode } = state.runs[job.job_id] ?? {};
  if (mode === "continue" || files.length > 0 || quotes.length > 0) return false;
  return isOwnCommand(state, job) || (compacts === "command" && /^\/compact(?: |$)/.test(job.prompt));
}

/**
 * Messages that were sent into the turns that this job repeats, continues or follows after a crash, outside turns too.
 */
function sentBefore(state: State, { job_id, thread_id }: Job): string[] {
  const { runs, threads } = state;
  const before = (id: string): string[] =>
    (threads[thread_id]?.ended ?? []).filter(
      (one) => runs[one]?.retried_by === id || runs[id]?.begun?.after_crash_of === one,
    );
  const repeated: string[] = [];
  for (let next = before(job_id); next.length > 0; next = next.flatMap(before).filter((id) => !repeated.includes(id)))
    repeated.unshift(...next);
  return [...repeated, ...turnsCutOff(state, thread_id)]
    .flatMap((id) => sentInto(state, { job_id: id, thread_id }))
    .map((one) => promptOf(one, runs[one.job_id], { resumes: true }));
}

/** The outside turns of a thread that crashes cut off since its last job began. */
function turnsCutOff({ jobs, threads, turns }: State, threadId: string): string[] {
  const { ended = [], turns: all = [] } = threads[threadId] ?? {};
  const last = ended.map((id) => jobs[id]?.started_at ?? "").reduce((a, b) => (a > b ? a : b), "");
  return all.filter((id) => turns[id]?.state === "unknown" && (turns[id].ended_at ?? "") > last);
}

/** The window in which the job's agent goes on, although the daemon that began it has ended. */
function windowOf({ windows, runs }: State, { job_id, thread_id }: Job): Window | undefined {
  const window = windows[thread_id];
  return isRunOfWindow(window, runProcess(runs[job_id])) ? window : undefined;
}

/** Where a job that goes on in a window has begun: an adopted Claude may itself be at work below that. */
function placeOf({ engine, directoryAt }: Attended, { job_id, thread_id }: Job, { adopted, cwd }: Window): string {
  const { runs, threads, sessions, projects } = engine.state;
  const began = runs[job_id]?.begun?.checkout?.cwd ?? threads[thread_id]?.checkout?.cwd;
  const { path = cwd } = projects[sessions[thread_id]?.project_name ?? ""] ?? {};
  return began ?? (adopted ? directoryAt(path)?.path : undefined) ?? cwd;
}

/**
 * The counters that the tool's last job here reported; null if it reported none, or another tool has continued the
 * conversation since.
 */
function countersBefore(
  { threads, jobs, runs }: State,
  { thread_id, tool }: Job,
): Readonly<Record<string, number>> | null {
  const { ended = [], moved_after = "" } = threads[thread_id] ?? {};
  const last = ended
    .slice(ended.indexOf(moved_after) + 1)
    .findLast((id) => jobs[id]?.tool === tool && jobs[id].started_at !== null);
  return runs[last ?? ""]?.concluded?.usage ?? null;
}

/** Records the checkout once the agent has started. Never rejects. */
async function recordCheckout(
  { context, driver, job, session, before }: Scene,
  turn: Turn | null,
): Promise<Checkout | null> {
  const { job_id } = job;
  const process = await turn?.process;
  if (!process) return null;
  try {
    const { checkout } = context.engine.state.runs[job_id]?.begun ?? {};
    if (checkout) return checkout;
    const access = driver.access(
      argumentsOf(context.engine.state, { ...session, tool: job.tool }),
      settingsOf(context, session, job.tool),
    );
    if (access === "reads")
      await context.engine.submit({ type: "progress", job_id, progress: { kind: "access", access } });
    return await noteBegin(context, job, before);
  } catch (error) {
    context.log.failure("a job's checkout cannot be recorded", error, { job_id });
    return null;
  }
}

/**
 * Runs the agent, and once more if its failure is temporary and nothing was done yet; in a new conversation if the
 * agent had not kept the one that a crash cut off.
 * @param opened called with each turn that has a process
 */
async function serve(scene: Scene, opened: (turn: Turn) => void): Promise<void> {
  const { context, job } = scene;
  // The conversation as it was, because a failed turn may have started another.
  const again = { ...scene, session: structuredClone(scene.session), begun: undefined };
  const failed = await attend(scene, true, opened);
  if (failed === null) return;
  if (isForgotten(failed)) {
    scene.log.writeNote(`begun anew: ${inEnglish(failed.code, failed.details)}`);
    return void (await attend({ ...again, session: { ...again.session, adapter_state: {} } }, false, opened));
  }
  const { job_id, thread_id } = job;
  const text = context.redactor.redactText(inEnglish(failed.code, failed.details));
  scene.log.writeNote(`retried once after a temporary failure: ${text}`);
  context.liveEvents.send({ kind: "notice", job_id, thread_id, code: "tried_again", text });
  await pause(context.clock, RETRY_AFTER_MS);
  if (context.stopping()) return;
  if (isCancelling(context, job_id)) await context.engine.submit({ type: "cancelled", job_id });
  else await attend(again, false, opened);
}

/** Runs one turn until nothing of it is left. Returns its failure, not yet concluded, if the job may try again. */
async function attend(scene: Scene, mayRetry: boolean, opened: (turn: Turn) => void): Promise<FailedOutcome | null> {
  const { context, job } = scene;
  const { job_id } = job;
  const turn = await start(scene);
  const recorded = recordProcess(context, job_id, turn);
  void turn.process.then(
    (process) => process !== null && opened(turn),
    () => undefined,
  );
  // Its failure is handled below, after the agent's last update; until then it must not be an unhandled rejection.
  recorded.catch(() => undefined);
  const { failed, again } = await follow(scene, turn, mayRetry);
  await recorded;
  await turn.over;
  // Its agent has already begun a turn of its own with a message that it was sent.
  if (await context.steering.turnEnded({ id: job_id, thread_id: job.thread_id })) return null;
  // What failed may be the process's own fault, so the next turn gets another one.
  if (failed !== null) await context.agents.endAgent(job.thread_id);
  else await context.agents.afterTurn(job.thread_id, toolKey(context.engine.state, job.thread_id, job.tool));
  return again ? failed : null;
}

/** Returns the turn's failure, if it failed, and whether the job, which has not ended then, may try again. */
async function follow(
  { context, job, cwd, before }: Scene,
  turn: Turn,
  mayRetry: boolean,
): Promise<{ failed: FailedOutcome | null; again: boolean }> {
  const { job_id, thread_id } = job;
  const recorder = new RunRecorder(context, job_id);
  const end: { failed: FailedOutcome | null; again: boolean } = { failed: null, again: false };
  await listen(context, {
    work: job,
    cwd,
    turn,
    recorder,
    asker: (request_id) => ({ by: "job", job_id, request_id }),
    acted: () => before.acted(),
    async ended(outcome) {
      before.acted();
      recorder.ended(noteEnd(context, job, cwd));
      if (outcome.outcome === "failed") end.failed = outcome;
      end.again =
        mayRetry &&
        mayTryAgain(context.engine.state, job, outcome, recorder) &&
        !isCancelling(context, job_id) &&
        !context.steering.isBusy(thread_id);
      if (!end.again) await conclude(context, job_id, recorder, outcome);
    },
  });
  return end;
}

/** Whether nothing was done or said yet, and trying again may work: soon, or in a new conversation without a loss. */
function mayTryAgain(state: State, job: Job, outcome: Outcome, recorder: RunRecorder): boolean {
  if (outcome.outcome !== "failed" || !hasRunNoTool(outcome, recorder) || recorder.said) return false;
  return outcome.details["temporary"] === true || (isForgotten(outcome) && onlyCutOff(state, job));
}

function isForgotten({ details }: FailedOutcome): boolean {
  return details["resume"] === "unknown";
}

/**
 * Whether the conversation is only what crashes cut off: agents name a conversation before they write it down. One that
 * moved between tools may hold what any of them has done here.
 */
function onlyCutOff({ threads, jobs }: State, { thread_id, tool }: Job): boolean {
  const { ended = [], moved_after } = threads[thread_id] ?? {};
  const before = ended
    .flatMap((id) => jobs[id] ?? [])
    .filter((one) => (one.tool === tool || moved_after !== undefined) && one.started_at !== null);
  return before.length > 0 && before.every(({ state }) => state === "unknown_after_crash");
}

function isCancelling({ engine }: Attended, jobId: string): boolean {
  return engine.state.runs[jobId]?.cancelling ?? false;
}

/** Records what the job changed. A failure must not block the next job. */
async function recordChanges(context: Attended, job: Job, begun: Promise<Checkout | null>): Promise<void> {
  if (context.engine.state.jobs[job.job_id]?.state === "queued") return void (await begun);
  try {
    await measure(context, job, begun);
  } catch (error) {
    context.log.failure("what a job changed cannot be recorded", error, { job_id: job.job_id });
  }
}
