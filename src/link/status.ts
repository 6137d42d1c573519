/**
 * What `bellhop status` is told, as one object: of the daemon and its connection, and of each session. The part about
 * sessions is pure and needs no daemon, so the same is said of the state on disk when none runs.
 */
import type { ErrorCode } from "../base/errors.ts";
import type { LoggedFailure } from "../base/log.ts";
import type { State } from "../core/house.ts";
import { sessionState, type Session } from "../core/session.ts";

export interface SessionStatus {
  thread_id: string;
  project_name: string;
  tool: string;
  state: ReturnType<typeof sessionState>;
  /** Jobs that wait. */
  pending: number;
  running_job_id: string | null;
  /** ISO 8601: since when that one runs. */
  running_since: string | null;
  last_activity_at: string;
  /** Why nothing starts here: the owner has to settle a crash, a limit has to pass, or a checkout is another one. */
  parked: { kind: "crash" | "checkout"; job_id: string } | { kind: "limit"; job_id: string; until: string } | null;
  /** The job that failed or was cut off last, where that was the last thing to happen. */
  last_error: { job_id: string; error_code: ErrorCode | null; at: string | null } | null;
}

export interface SessionsStatus {
  /** Newest activity first, as many as are told of; `sessions_total` counts all. */
  sessions: SessionStatus[];
  sessions_total: number;
  running: number;
  pending: number;
}

export interface GatewayStatus {
  phase: string;
  heard_ms: number;
  dispatch_ms: number | null;
  healthy: boolean;
  /** Until the next try, where one is waited for. */
  next_try_ms: number | null;
  /** Why there is no connection, in the log's words. */
  why: string | null;
  /** Of the requests: whether the last one got through, and how many were refused in ten minutes. */
  rest: { connected: boolean | null; invalidRequests: number; pausedRoutes: string[]; waiting: number };
}

export interface AgentStatus {
  tool: string;
  found: boolean;
  version?: string;
}

export interface DaemonStatus extends SessionsStatus {
  version: string;
  pid: number;
  /** ISO 8601. */
  since: string;
  state_dir: string;
  log_dir: string;
  /** Null until Discord has told who we are. */
  bot_id: string | null;
  guild_id: string | null;
  owner_id: string | null;
  /** Null until a connection has been tried. */
  gateway: GatewayStatus | null;
  /** Null until they have been looked for. */
  agents: AgentStatus[] | null;
  max_running: number;
  /** Newest last. */
  failures: readonly LoggedFailure[];
}

/** More than a screen has room for, and less than a frame has. */
const TOLD_SESSIONS = 500;

export function sessionsStatus(state: State): SessionsStatus {
  const all = Object.values(state.sessions).sort((a, b) => (a.last_activity_at < b.last_activity_at ? 1 : -1));
  return {
    sessions: all.slice(0, TOLD_SESSIONS).map((session) => sessionStatus(state, session)),
    sessions_total: all.length,
    running: all.filter((session) => session.running_job_id !== null).length,
    pending: all.reduce((sum, session) => sum + session.queue.length, 0),
  };
}

function sessionStatus(state: State, session: Session): SessionStatus {
  const { thread_id, project_name, tool, queue, running_job_id, last_activity_at } = session;
  return {
    thread_id,
    project_name,
    tool,
    state: sessionState(session, state.jobs),
    pending: queue.length,
    running_job_id,
    running_since: running_job_id === null ? null : (state.jobs[running_job_id]?.started_at ?? null),
    last_activity_at,
    parked: parkedBy(state, thread_id),
    last_error: lastError(state, session),
  };
}

function parkedBy(state: State, threadId: string): SessionStatus["parked"] {
  const thread = state.threads[threadId];
  if (thread?.hold) return { kind: "crash", job_id: thread.hold };
  if (!thread?.wait) return null;
  const { kind, job_id } = thread.wait;
  return kind === "limit" ? { kind, job_id, until: thread.wait.until } : { kind, job_id };
}

function lastError({ jobs }: State, { last_job_id }: Session): SessionStatus["last_error"] {
  const job = last_job_id === null ? undefined : jobs[last_job_id];
  if (job?.state !== "failed" && job?.state !== "unknown_after_crash") return null;
  return { job_id: job.job_id, error_code: job.error_code, at: job.finished_at };
}
