/** The windows of tmux sessions from the start of a daemon on: who takes them up again, and which are to be opened. */
import { sessionSettings } from "../../config/session-settings.ts";
import { WINDOW_TOOL, type Window } from "../../core/sessions/windows.ts";
import type { State } from "../../core/state.ts";
import { reconcile, type Reconciler } from "../../engine/reconcile.ts";
import { standingWindows } from "../tmux/windows.ts";
import type { RunContext } from "./run-context.ts";
import { openingOf } from "./start-guard.ts";

/**
 * Listens to the Claudes of windows that an earlier daemon left, and of those that are adopted; where one has a job, it
 * is listened to with that. `whenIdle` of the result: all that stand are listened to.
 */
export function takeUpWindows(context: RunContext): Reconciler {
  const { engine, agents, clock, log } = context;
  const windows = reconcile({
    engine,
    clock,
    log,
    failure: "the Claude of a window cannot be listened to",
    details: (thread_id) => ({ thread_id }),
    follows: "windows",
    step(thread_id, again) {
      const window = engine.state.windows[thread_id];
      // Whoever opens a window listens to it from the beginning.
      const isLeft = window !== undefined && (window.adopted || again);
      return isLeft && !hasJob(engine.state, thread_id) && agents.agentFacts(thread_id) === null
        ? takeUp(context, window)
        : null;
    },
  });
  windows.start();
  return windows;
}

/** Its Claude may have ended meanwhile. */
async function takeUp(context: RunContext, window: Window): Promise<void> {
  const { engine, agents, drivers, machine } = context;
  const { thread_id, pane_id, cwd } = window;
  const session = engine.state.sessions[thread_id];
  const driver = drivers.get(WINDOW_TOOL);
  if (!driver || !session) return;
  const [stands] = await standingWindows(machine, { [thread_id]: window });
  if (stands === undefined)
    return void (await engine.submit({ type: "close_window", thread_id, pane_id, why: "lost" }));
  const opening = openingOf(context, { ...session, tool: WINDOW_TOOL }, cwd);
  await agents.open(driver, opening);
  if (!hasJob(engine.state, thread_id)) await agents.afterTurn(thread_id, opening.key);
}

function hasJob({ threads }: State, threadId: string): boolean {
  return threads[threadId]?.busy_job != null;
}

/** The threads whose windows config.json wants opened at the start; what it does not name is left as it is. */
export function startupThreads({ config, engine }: RunContext): Set<string> {
  const { projects } = config();
  const { sessions } = engine.state;
  const named = Object.values(projects).flatMap((project) =>
    [project.channel_id, ...(project.threads ?? []).map(({ thread_id }) => thread_id)].flatMap((id) =>
      id !== undefined && sessionSettings(project, id).startup ? [id] : [],
    ),
  );
  const known = Object.values(sessions).filter(
    ({ thread_id, project_name }) =>
      projects[project_name] && sessionSettings(projects[project_name], thread_id).startup,
  );
  return new Set([...named, ...known.map(({ thread_id }) => thread_id)]);
}
