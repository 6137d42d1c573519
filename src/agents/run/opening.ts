/**
 * What the agent of a session is opened with. Whoever opens it, for a job, at a start or at the owner's button, takes it
 * from here: an agent that was opened with anything else is closed by the next job, which takes it for another.
 */
import type { State } from "../../core/state.ts";
import { toolKey, type Session } from "../../core/sessions/session.ts";
import { seenConfiguration, seenName } from "../../core/projects/seen.ts";
import type { Job } from "../../core/jobs/job.ts";
import type { Wanted } from "../live/living-agents.ts";
import type { RunDependencies } from "./dependencies.ts";

/** The job, or the request, that the agent is opened for; absent: there is none yet. */
type OpenedFor = Pick<Job, "job_id"> & Partial<Pick<Job, "discord_message_id">>;

type Opened = Pick<Session, "thread_id" | "project_name" | "tool">;

/** @param cwd absolute */
export function openingOf({ engine: { state }, grants, settingsOf, pathOf }: Pick<RunDependencies, "engine" | "grants" | "settingsOf" | "pathOf">, session: Opened, cwd: string, job?: OpenedFor): Wanted {
  const { thread_id, tool } = session;
  const mode = state.threads[thread_id]?.modes?.[tool];
  const last = state.jobs[state.sessions[thread_id]?.last_job_id ?? ""]?.started_at ?? null;
  return {
    job_id: job?.job_id ?? "",
    thread_id,
    cwd,
    args: argumentsOf(state, session),
    settings: settingsOf(session, tool),
    folders: grants({ thread_id, ...job }),
    key: toolKey(state, thread_id, tool),
    configuration: seenConfiguration(state, thread_id, seenName(session, pathOf(session) !== undefined)),
    ...(last !== null && { begunAt: Date.parse(last) }),
    ...(mode && { mode }),
  };
}

export function argumentsOf({ projects }: Pick<State, "projects">, { project_name, tool }: Pick<Session, "project_name" | "tool">): readonly string[] {
  return projects[project_name]?.default_args[tool] ?? [];
}
