/**
 * `/status`: how this thread's session is doing, in seed B's words and order (11.7). Never translated: it is what
 * scripts and people compare.
 */
import { oneLine } from "../../base/text.ts";
import type { State } from "../../core/house.ts";
import type { Job } from "../../core/job.ts";
import { sessionKey, sessionState } from "../../core/session.ts";
import { plain } from "./reply.ts";
import { isRetryable } from "./retryable.ts";
import type { Command } from "./room.ts";
import { sessionHere } from "./session-here.ts";

const NONE = "n/a";

export const status: Command = {
  name: "status",
  ephemeral: true,
  run({ interaction }, room) {
    return Promise.resolve().then(() => plain(statusText(room.engine.state, interaction.channel.id)));
  },
};

/** B's nine lines. @throws BellhopError `E_NOT_IN_MANAGED_THREAD` where the channel is no session's thread */
export function statusText(state: State, threadId: string): string {
  const session = sessionHere(state, threadId);
  const key = sessionKey(session);
  const last = session.last_job_id === null ? undefined : state.jobs[session.last_job_id];
  return [
    "Session Status",
    `project: ${session.project_name}`,
    `tool: ${session.tool}`,
    `session_key: ${key === null ? NONE : oneLine(key, 200)}`,
    `state: ${sessionState(session, state.jobs)}`,
    `queue: pending=${session.queue.length}, running=${session.running_job_id ?? NONE}`,
    `last_job: ${last ? lastJob(last) : NONE}`,
    `resume_ready: ${key === null ? "no" : "yes"}`,
    `retry_hint: ${last && isRetryable(state, last) ? `/retry ${last.job_id}` : NONE}`,
  ].join("\n");
}

function lastJob({ state, started_at, finished_at }: Job): string {
  const seconds =
    started_at && finished_at ? `${Math.max(0, Math.round((Date.parse(finished_at) - Date.parse(started_at)) / 1000))}s` : NONE;
  return `${state}, ${seconds}, ${finished_at ?? NONE}`;
}
