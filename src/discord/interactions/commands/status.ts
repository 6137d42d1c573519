/**
 * `/status`: the state of this thread's session, in a fixed wording and order that is never translated, because scripts
 * and people compare it; and below it, in the person's own language, the agents that are open now.
 */
import { oneLine } from "../../../base/text.ts";
import type { State } from "../../../core/state.ts";
import type { Job } from "../../../core/jobs/job.ts";
import { workersIn } from "../../../core/jobs/job-or-turn.ts";
import { sessionKey, sessionState } from "../../../core/sessions/session.ts";
import { liveAgents } from "../../views/agent-status.ts";
import { isRetryable } from "../retryable.ts";
import type { Command } from "../command.ts";
import { sessionHere } from "../find.ts";

const NONE = "n/a";

export const status: Command = {
  name: "status",
  options: [],
  ephemeral: true,
  run({ interaction, locale }, { engine, sessionAgents }) {
    const { id } = interaction.channel;
    return Promise.resolve().then(() => ({
      content: statusText(engine.state, id),
      embeds: [liveAgents(engine.state, sessionAgents.living(), id, locale)],
    }));
  },
};

/** The nine lines. @throws BellhopError `E_NOT_IN_MANAGED_THREAD` if the channel is no session's thread */
export function statusText(state: State, threadId: string): string {
  const session = sessionHere(state, threadId);
  const key = sessionKey(session);
  const last = session.last_job_id === null ? undefined : state.jobs[session.last_job_id];
  return [
    "Session Status",
    `project: ${session.project_name}`,
    `tool: ${session.tool}`,
    `session_key: ${key === null ? NONE : oneLine(key, 200)}`,
    `state: ${sessionState(session, state.jobs, state.threads[threadId])}`,
    `queue: pending=${session.queue.length}, running=${workersIn(state, threadId).at(-1) ?? NONE}`,
    `last_job: ${last ? lastJob(last) : NONE}`,
    `resume_ready: ${key === null ? "no" : "yes"}`,
    `retry_hint: ${last && isRetryable(state, last) ? `/retry ${last.job_id}` : NONE}`,
  ].join("\n");
}

function lastJob({ state, started_at, finished_at }: Job): string {
  const seconds =
    started_at && finished_at
      ? `${Math.max(0, Math.round((Date.parse(finished_at) - Date.parse(started_at)) / 1000))}s`
      : NONE;
  return `${state}, ${seconds}, ${finished_at ?? NONE}`;
}
