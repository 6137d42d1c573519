/**
 * Opens the windows that their owner wants without a prompt: those that he asked for, which are in the state until they
 * are open or their threads say why not, and at the start those of config.json. If the project is not as its owner has
 * seen it, none of it runs: he is asked with the next message that he writes in the thread.
 */
import { BellhopError } from "../../base/errors.ts";
import { isBusy, WINDOW_TOOL } from "../../core/sessions/windows.ts";
import { reconcile, type Reconciler } from "../../engine/reconcile.ts";
import { failure } from "./conclusion.ts";
import type { RunDependencies } from "./dependencies.ts";
import { openingOf } from "./opening.ts";
import { checkStart } from "./start-guard.ts";

const UNOPENED = "a window that is wanted could not be opened";

/** @param startup threads whose windows are opened as soon as their sessions are known; once each */
export function openWantedWindows(options: RunDependencies, startup: Iterable<string>): Pick<Reconciler, "close"> {
  const { engine, clock, log } = options;
  const atStart = new Set([...startup].filter((thread_id) => !engine.state.windows?.[thread_id]));

  function step(thread_id: string): Promise<void> | null {
    const { threads, sessions, windows } = engine.state;
    const thread = threads[thread_id];
    if (windows?.[thread_id]) atStart.delete(thread_id);
    // Those of config.json wait for room on the disk; the others are refused, because somebody waits for them.
    const isWanted = (atStart.has(thread_id) && !engine.diskFull) || thread?.window_wanted === true;
    return isWanted && thread?.closed === undefined && sessions[thread_id]?.tool === WINDOW_TOOL
      ? attempt(thread_id)
      : null;
  }

  async function attempt(thread_id: string): Promise<void> {
    try {
      await startWindow(options, thread_id);
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
async function startWindow(options: RunDependencies, thread_id: string): Promise<void> {
  const { engine, agents, drivers } = options;
  const session = engine.state.sessions[thread_id];
  const driver = drivers.get(WINDOW_TOOL);
  if (!driver || session?.tool !== WINDOW_TOOL) throw new BellhopError("E_SESSION_NOT_FOUND", { session: thread_id });
  if (isBusy(engine.state, thread_id)) return;
  if (engine.diskFull) throw new BellhopError("E_DISK_FULL");
  const { cwd, wait } = await checkStart(options, { job_id: "", thread_id }, session);
  if ((await wait) !== null) throw new BellhopError("E_PROJECT_CHANGED", { project: session.project_name });
  if (isBusy(engine.state, thread_id)) return;
  const opening = openingOf(options, session, cwd);
  const agent = await agents.open(driver, opening);
  const why = (await agent.opened) ?? null;
  if (why?.outcome === "failed") throw new BellhopError(why.code, why.details);
  if (!isBusy(engine.state, thread_id)) await agents.rest(thread_id, opening.key);
}
