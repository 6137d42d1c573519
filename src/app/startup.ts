/** The windows that config.json wants from the start. What it does not name is left as it stands. */
import type { RunDependencies } from "../agents/run/dependencies.ts";
import { startWindow } from "../agents/run/start-window.ts";
import { BellhopError } from "../base/errors.ts";
import { say } from "../base/words/say.ts";
import type { Config } from "../config/config-file.ts";
import { sessionSettings } from "../config/session-settings.ts";
import type { State } from "../core/state.ts";
import { isBusy, WINDOW_TOOL } from "../core/sessions/windows.ts";
import type { Engine } from "../engine/engine.ts";
import type { Ground } from "./ground.ts";

/** Opens each as soon as its session is known. */
export function openStartupWindows({ configProjects, log, settings: { locale } }: Ground, engine: Engine, runs: RunDependencies): void {
  const module = log.module("windows");
  for (const thread_id of startupThreads(configProjects.config, engine.state)) {
    engine
      .until(({ sessions, threads }) => (sessions[thread_id]?.tool === WINDOW_TOOL && threads[thread_id]?.closed === undefined) || null)
      .then(() => startWindow(runs, thread_id))
      .then((stands) => void (!stands && !isBusy(engine.state, thread_id) && module.warn("a window was not opened at the start, because its project is not as its owner has seen it", { thread_id })))
      .catch((error: unknown) => module.failure(error instanceof BellhopError ? say(locale, error.code, error.details) : "a window could not be opened at the start", error, { thread_id }));
  }
}

function startupThreads({ projects }: Config, { sessions }: State): Set<string> {
  const named = Object.values(projects).flatMap((project) => [project.channel_id, ...(project.threads ?? []).map(({ thread_id }) => thread_id)].flatMap((id) => (id !== undefined && sessionSettings(project, id).startup ? [id] : [])));
  const known = Object.values(sessions).filter(({ thread_id, project_name }) => projects[project_name] && sessionSettings(projects[project_name], thread_id).startup);
  return new Set([...named, ...known.map(({ thread_id }) => thread_id)]);
}
