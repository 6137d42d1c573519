/**
 * What the agent of a session is opened with. Whoever opens it, for a job, at a start or at the owner's button, takes
 * it from here: an agent that was opened with anything else is closed by the next job, which takes it for another.
 */
import { agentSettings, ownPath } from "../../config/session-settings.ts";
import type { State } from "../../core/state.ts";
import { toolKey, type Session } from "../../core/sessions/session.ts";
import { seenConfiguration, seenName } from "../../core/projects/seen.ts";
import type { Job } from "../../core/jobs/job.ts";
import type { ChosenSettings } from "../contract/driver.ts";
import type { Wanted } from "../live/living-agents.ts";
import type { RunDependencies } from "./dependencies.ts";

/** The job, or the request, that the agent is opened for; absent: there is none yet. */
type OpenedFor = Pick<Job, "job_id"> & Partial<Pick<Job, "discord_message_id">>;

type Opened = Pick<Session, "thread_id" | "project_name" | "tool">;

/** @param cwd absolute */
export function openingOf(
  options: Pick<RunDependencies, "engine" | "folders" | "config" | "locale">,
  session: Opened,
  cwd: string,
  job?: OpenedFor,
): Wanted {
  const {
    engine: { state },
    folders,
    config,
  } = options;
  const { thread_id, tool } = session;
  const mode = state.threads[thread_id]?.modes?.[tool];
  const last = state.jobs[state.sessions[thread_id]?.last_job_id ?? ""]?.started_at ?? null;
  return {
    job_id: job?.job_id ?? "",
    thread_id,
    cwd,
    args: argumentsOf(state, session),
    settings: settingsOf(options, session, tool),
    folders: folders.granted(thread_id, job?.discord_message_id),
    key: toolKey(state, thread_id, tool),
    configuration: seenConfiguration(state, thread_id, seenName(session, ownPath(config(), session) !== undefined)),
    ...(last !== null && { begunAt: Date.parse(last) }),
    ...(mode && { mode }),
  };
}

/** What config.json sets for this session's agent. @throws E_CONFIG_INVALID if that cannot work */
export function settingsOf(
  { config, locale }: Pick<RunDependencies, "config" | "locale">,
  session: Pick<Session, "project_name" | "thread_id">,
  tool: string,
): ChosenSettings {
  return agentSettings(config(), session, tool, { locale, isRoot: process.getuid?.() === 0 });
}

export function argumentsOf(
  { projects }: Pick<State, "projects">,
  { project_name, tool }: Pick<Session, "project_name" | "tool">,
): readonly string[] {
  return projects[project_name]?.default_args[tool] ?? [];
}
