/**
 * Opens the agent of an `/agent start` before its thread is made: one that cannot be opened leaves nothing behind, no
 * thread and no process. If the project is not as its owner has seen it, none of it may run before he is asked: then
 * the agent is opened with the first job, as for `/start`.
 */
import { resolve } from "node:path";
import { BellhopError, type ErrorDetails } from "../../base/errors.ts";
import { isolates } from "../../config/session-settings.ts";
import { seenAt } from "../../core/projects/seen.ts";
import type { Start } from "../../core/sessions/session.ts";
import { failure } from "./conclusion.ts";
import type { RunContext } from "./run-context.ts";
import { openingOf, lookAt, recordConfigurationSeen, checkStart } from "./start-guard.ts";
import { lockedSince } from "../../core/jobs/lock.ts";
import { isBusy, WINDOW_TOOL } from "../../core/sessions/windows.ts";
import { reconcile, type Reconciler } from "../../engine/reconcile.ts";

/** @throws BellhopError for why the agent cannot be opened; the start is dropped then */
export async function readyStart(context: RunContext, request_id: string): Promise<void> {
  const { engine, agents, redactor } = context;
  const start = engine.state.starts[request_id];
  if (!start?.agent || start.readied) return;
  try {
    await openFor(context, start);
    await engine.submit({ type: "ready_start", request_id });
  } catch (error) {
    await agents.endAgent(request_id);
    const { code, details } = failure(error);
    // Before they are drawn for people: what is escaped or cut off then is not known for a secret any more.
    const told = redactor.value(details);
    await engine.submit({ type: "drop_start", request_id, code, details: told });
    throw error instanceof BellhopError ? new BellhopError(code, told, { cause: error }) : error;
  }
}

/** Readies the starts whose daemon ended before their agents were open. */
export function readyLeftStarts(context: RunContext): void {
  for (const request_id of Object.keys(context.engine.state.starts)) {
    readyStart(context, request_id).catch((error: unknown) =>
      context.log.failure("the agent of a requested session could not be started", error, { request_id }),
    );
  }
}

/** Called when the thread of a start is made. @param thread_id null: it could not be made */
export async function adopt(
  { agents, folders, log }: RunContext,
  request_id: string,
  thread_id: string | null,
): Promise<void> {
  try {
    if (thread_id === null) return await agents.endAgent(request_id);
    folders.assignSession(request_id, thread_id);
    agents.assignThread(request_id, thread_id, folders.granted(thread_id));
  } catch (error) {
    log.failure("the agent that was started for a session cannot go on as its own", error, { request_id });
    await agents.endAgent(request_id);
  }
}

async function openFor(context: RunContext, { request_id, project_name, tool }: Start): Promise<void> {
  const { engine, drivers, agents, directoryAt } = context;
  const driver = drivers.get(tool);
  const project = engine.state.projects[project_name];
  if (lockedSince(engine.state) !== null) throw new BellhopError("E_LOCKED");
  if (engine.diskFull) throw new BellhopError("E_DISK_FULL");
  if (!driver) throw new BellhopError("E_AGENT_START_FAILED", { tool, install: "-" });
  if (!project) throw new BellhopError("E_PROJECT_NOT_FOUND", { project: project_name });
  const found = directoryAt(project.path);
  if (found === null) throw new BellhopError("E_INVALID_PATH", { path: project.path });
  if (found.ours) throw new BellhopError("E_STATE_DIRECTORY", { path: project.path });
  // Its worktree is made with its first job, when the session has an id.
  if (isolates(context.config(), { project_name, thread_id: request_id })) return;
  if (!(await isAsSeen(context, project_name, { path: project.path, cwd: found.path }))) return;
  const agent = await agents.open(
    driver,
    openingOf(context, { thread_id: request_id, project_name, tool }, found.path, { job_id: request_id }),
  );
  const why = (await agent.opened) ?? null;
  if (why?.outcome === "failed") throw new BellhopError(why.code, { tool, ...why.details } satisfies ErrorDetails);
  await agents.afterTurn(request_id, null);
}

/** The first version found counts as seen. */
async function isAsSeen(
  context: RunContext,
  project_name: string,
  { path, cwd }: { path: string; cwd: string },
): Promise<boolean> {
  const seen = seenAt(context.engine.state, project_name);
  if (cwd !== (seen?.path ?? resolve(path))) return false;
  if (seen?.configuration != null) return (await lookAt(context, project_name, cwd)).digest === seen.configuration;
  await recordConfigurationSeen(context, project_name, cwd);
  return true;
}

/*
 * Opens the windows that their owner wants without a prompt: those that he asked for, which are in the state until they
 * are open or their threads say why not, and at the start those of config.json. If the project is not as its owner has
 * seen it, none of it runs: he is asked with the next message that he writes in the thread.
 */

const UNOPENED = "a window that is wanted could not be opened";

/** @param startup threads whose windows are opened as soon as their sessions are known; once each */
export function openWantedWindows(context: RunContext, startup: Iterable<string>): Reconciler {
  const { engine, clock, log } = context;
  const atStart = new Set([...startup].filter((thread_id) => !engine.state.windows[thread_id]));

  function step(thread_id: string): Promise<void> | null {
    const { threads, sessions, windows } = engine.state;
    const thread = threads[thread_id];
    // Nothing from before goes on by itself when it is opened again.
    const isLocked = lockedSince(engine.state) !== null;
    if (windows[thread_id] || isLocked) atStart.delete(thread_id);
    if (isLocked) return null;
    // Those of config.json wait for room on the disk; the others are refused, because somebody waits for them.
    const isWanted = (atStart.has(thread_id) && !engine.diskFull) || thread?.window === "wanted";
    return isWanted && thread?.closed === undefined && sessions[thread_id]?.tool === WINDOW_TOOL
      ? attempt(thread_id)
      : null;
  }

  async function attempt(thread_id: string): Promise<void> {
    try {
      await startWindow(context, thread_id);
      await engine.submit({ type: "refuse_window", thread_id });
    } catch (error) {
      if (engine.over) throw error;
      log.failure(UNOPENED, error, { thread_id });
      const { code, details } = failure(error);
      await engine.submit({ type: "refuse_window", thread_id, code, details });
    }
    atStart.delete(thread_id);
  }

  const loop = reconcile({
    engine,
    clock,
    log,
    failure: UNOPENED,
    details: (thread_id) => ({ thread_id }),
    follows: "windowed",
    step,
  });
  loop.start();
  return loop;
}

/** Leaves it to a job where one runs or waits. @throws BellhopError for why it cannot be opened */
async function startWindow(context: RunContext, thread_id: string): Promise<void> {
  const { engine, agents, drivers } = context;
  const session = engine.state.sessions[thread_id];
  const driver = drivers.get(WINDOW_TOOL);
  if (!driver || session?.tool !== WINDOW_TOOL) throw new BellhopError("E_SESSION_NOT_FOUND", { session: thread_id });
  if (isBusy(engine.state, thread_id)) return;
  if (engine.diskFull) throw new BellhopError("E_DISK_FULL");
  const { cwd, wait } = await checkStart(context, { job_id: "", thread_id }, session);
  if ((await wait) !== null) throw new BellhopError("E_PROJECT_CHANGED", { project: session.project_name });
  if (lockedSince(engine.state) !== null) throw new BellhopError("E_LOCKED");
  if (isBusy(engine.state, thread_id)) return;
  const opening = openingOf(context, session, cwd);
  const agent = await agents.open(driver, opening);
  const why = (await agent.opened) ?? null;
  if (why?.outcome === "failed") throw new BellhopError(why.code, why.details);
  if (!isBusy(engine.state, thread_id)) await agents.afterTurn(thread_id, opening.key);
}

/*
 * Reports when the usage limit that a thread waits for, or the day of its budget, is over: by the wall clock, so that a
 * laptop that slept past the time reports it when it wakes; and at the latest after the time that remained when first
 * seen, so that a clock that is set back does not cause a second wait.
 */

interface Parked {
  jobId: string;
  until: number;
  /** On the monotonic clock. */
  latest: number;
}

/** Timers do not run while the machine sleeps; this is the longest delay after it wakes. */
const LOOK_MS = 30_000;
/** A wait longer than any limit means that the clock was or is wrong. */
const LONGEST_MS = 32 * 24 * 60 * 60_000;

export function openLimitWait({ engine, clock, log }: RunContext): Reconciler {
  const parked = new Map<string, Parked>();

  function step(thread_id: string): Promise<unknown> | number | null {
    const wait = engine.state.threads[thread_id]?.wait;
    const until =
      wait?.kind === "stuck" || (wait?.kind === "budget" && !wait.stopped) || (wait?.kind === "limit" && !wait.lifted)
        ? wait.until
        : undefined;
    if (!wait || until === undefined) return (parked.delete(thread_id), null);
    if (lockedSince(engine.state) !== null) return LOOK_MS;
    const { job_id, kind } = wait;
    const one = parkedBy(thread_id, job_id, Date.parse(until));
    const left = Math.min(one.until - clock.now(), one.latest - clock.monotonic());
    if (left > 0) return Math.min(left, LOOK_MS);
    return engine.submit(
      kind === "limit" ? { type: "lift_limit", thread_id, job_id } : { type: "unpark", thread_id, job_id, by: "time" },
    );
  }

  function parkedBy(threadId: string, jobId: string, until: number): Parked {
    const known = parked.get(threadId);
    if (known?.until === until && known.jobId === jobId) return known;
    const leftMs = until - clock.now();
    const one = { jobId, until, latest: clock.monotonic() + (leftMs > LONGEST_MS ? 0 : leftMs) };
    parked.set(threadId, one);
    return one;
  }

  return reconcile({
    engine,
    clock,
    log,
    failure: "the end of a usage limit cannot be recorded",
    details: (thread_id) => ({ thread_id }),
    follows: "waiting",
    step,
  });
}
