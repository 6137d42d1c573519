/**
 * Opens the window of a session before it has a prompt. Where the project is not as its owner has seen it, nothing of it
 * runs: he is asked with the next message that he writes in the thread.
 */
import { BellhopError } from "../../base/errors.ts";
import { sessionKey } from "../../core/sessions/session.ts";
import { isBusy, WINDOW_TOOL } from "../../core/sessions/windows.ts";
import { seenConfiguration } from "../../core/sessions/worktrees.ts";
import type { RunDependencies } from "./dependencies.ts";
import { standing } from "./start-guard.ts";

/** Whether it stands now. @throws BellhopError for why it cannot be opened */
export async function startWindow(options: RunDependencies, thread_id: string): Promise<boolean> {
  const { engine, agents, drivers, grants } = options;
  const session = engine.state.sessions[thread_id];
  const driver = drivers.get(WINDOW_TOOL);
  if (!driver || session?.tool !== WINDOW_TOOL) throw new BellhopError("E_SESSION_NOT_FOUND", { session: thread_id });
  if (engine.state.windows?.[thread_id]) return true;
  // A job opens it by itself.
  if (isBusy(engine.state, thread_id)) return false;
  const { cwd, wait } = await standing(options, { job_id: "", thread_id }, session);
  if ((await wait) !== null || isBusy(engine.state, thread_id)) return false;
  const key = sessionKey(session);
  const args = engine.state.projects[session.project_name]?.default_args[WINDOW_TOOL] ?? [];
  const mode = engine.state.threads[thread_id]?.modes?.[WINDOW_TOOL];
  const agent = await agents.open(driver, { job_id: "", thread_id, cwd, args, settings: options.settingsOf(session, WINDOW_TOOL), folders: grants({ thread_id }), key, configuration: seenConfiguration(engine.state, session), ...(mode && { mode }) });
  const why = (await agent.opened) ?? null;
  if (why?.outcome === "failed") throw new BellhopError(why.code, why.details);
  if (!isBusy(engine.state, thread_id)) await agents.rest(thread_id, key);
  return engine.state.windows?.[thread_id] !== undefined;
}
