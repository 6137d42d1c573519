/**
 * `/project status`: the state of a project's sessions and jobs, in a fixed wording and order. Never translated:
 * scripts and people compare it.
 */
import type { State } from "../../../core/state.ts";
import type { Job } from "../../../core/jobs/job.ts";
import { sessionState } from "../../../core/sessions/session.ts";
import { projectNamed } from "../find-project.ts";
import { plain } from "../reply.ts";
import { NAME_CHARS, type Command } from "../command.ts";
import { projectChoices } from "../autocomplete.ts";

const DAY_MS = 24 * 60 * 60_000;

export const projectStatus: Command = {
  name: "project status",
  options: [{ key: "opt_project_which", max: NAME_CHARS, suggested: true }],
  ephemeral: true,
  run({ options }, { engine, now }) {
    return Promise.resolve().then(() => plain(projectStatusText(engine.state, options["project_name"] ?? "", now())));
  },
  complete: ({ state, option, typed }) => (option === "project_name" ? projectChoices(state, typed) : []),
};

/** The six lines. @param now milliseconds since the epoch @throws BellhopError `E_PROJECT_NOT_FOUND` */
export function projectStatusText(state: State, typed: string, now: number): string {
  const { name } = projectNamed(state, typed);
  const sessions = Object.values(state.sessions).filter(({ project_name }) => project_name === name);
  const failed = sessions
    .flatMap(({ thread_id }) => state.threads[thread_id]?.ended ?? [])
    .flatMap((id) => state.jobs[id] ?? [])
    .filter((job) => job.state === "failed" && job.finished_at !== null)
    .toSorted((a, b) => endOf(b) - endOf(a));
  return [
    `Project Status: ${name}`,
    `session_total: ${sessions.length}`,
    `running_sessions: ${sessions.filter((session) => sessionState(session, state.jobs) === "running").length}`,
    `queued_jobs: ${sessions.reduce((sum, { queue }) => sum + queue.length, 0)}`,
    `failed_jobs_24h: ${failed.filter((job) => now - endOf(job) < DAY_MS).length}`,
    `last_error: ${failed[0] ? `${failed[0].error_code} ${failed[0].job_id} ${failed[0].finished_at}` : "n/a"}`,
  ].join("\n");
}

function endOf(job: Job): number {
  return Date.parse(job.finished_at ?? "");
}
