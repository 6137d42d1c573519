/** The windows that config.json wants from the start. What it does not name is left as it stands. */
import type { Config } from "../config/config-file.ts";
import { sessionSettings } from "../config/session-settings.ts";
import type { State } from "../core/state.ts";

/** The threads whose windows are opened at the start. */
export function startupThreads({ projects }: Config, { sessions }: Pick<State, "sessions">): Set<string> {
  const named = Object.values(projects).flatMap((project) => [project.channel_id, ...(project.threads ?? []).map(({ thread_id }) => thread_id)].flatMap((id) => (id !== undefined && sessionSettings(project, id).startup ? [id] : [])));
  const known = Object.values(sessions).filter(({ thread_id, project_name }) => projects[project_name] && sessionSettings(projects[project_name], thread_id).startup);
  return new Set([...named, ...known.map(({ thread_id }) => thread_id)]);
}
