/**
 * Opens the window of a session before it has a prompt. Where the project is not as its owner has seen it, nothing of it
 * runs: he is asked with the next message that he writes in the thread.
 */
import { BellhopError } from "../../base/errors.ts";
import { isBusy, WINDOW_TOOL } from "../../core/sessions/windows.ts";
import type { RunDependencies } from "./dependencies.ts";
import { openingOf } from "./opening.ts";
import { standing } from "./start-guard.ts";

/** Whether it stands now. @throws BellhopError for why it cannot be opened */
export async function startWindow(options: RunDependencies, thread_id: string): Promise<boolean> {
  const { engine, agents, drivers } = options;
  const session = engine.state.sessions[thread_id];
  const driver = drivers.get(WINDOW_TOOL);
  if (!driver || session?.tool !== WINDOW_TOOL) throw new BellhopError("E_SESSION_NOT_FOUND", { session: thread_id });
  if (engine.state.windows?.[thread_id]) return true;
  // A job opens it by itself.
  if (isBusy(engine.state, thread_id)) return false;
  const { cwd, wait } = await standing(options, { job_id: "", thread_id }, session);
  if ((await wait) !== null || isBusy(engine.state, thread_id)) return false;
  const opening = openingOf(options, session, cwd);
  const agent = await agents.open(driver, opening);
  const why = (await agent.opened) ?? null;
  if (why?.outcome === "failed") throw new BellhopError(why.code, why.details);
  if (!isBusy(engine.state, thread_id)) await agents.rest(thread_id, opening.key);
  return engine.state.windows?.[thread_id] !== undefined;
}
