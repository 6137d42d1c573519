/**
 * The object that `bellhop status` shows: the daemon and its connection, and each session. The part about sessions is
 * pure and needs no daemon, so it also describes the state on disk when no daemon runs.
 */
import type { ErrorCode, ErrorDetails } from "../base/errors.ts";
import type { LoggedFailure } from "../base/log.ts";
import { lockedSince } from "../core/jobs/lock.ts";
import { openOf } from "../core/decisions/decision.ts";
import type { State } from "../core/state.ts";
import type { Origin } from "../core/jobs/outside-turn.ts";
import { sessionState, type Session } from "../core/sessions/session.ts";
import type { LiveAgent } from "../engine/live.ts";

export interface SessionStatus {
  thread_id: string;
  project_name: string;
  tool: string;
  state: ReturnType<typeof sessionState>;
  /** Queued jobs. */
  pending: number;
  running_job_id: string | null;
  /** ISO 8601: when that job started. */
  running_since: string | null;
  /** That job waits for its owner's answer. Absent: it does not. */
  asks?: true;
  /** The turn that its agent began by itself, if one runs now; `since` in ISO 8601. */
  outside: { turn_id: string; origin: Origin; since: string } | null;
  last_activity_at: string;
  /**
   * Why nothing starts here: the owner must settle a crash, a limit must pass, what a job would run in or with has
   * changed, nothing can be typed in its window, the next message would fail for the same cause, it waits from before a
   * lock, or a budget is used up.
   */
  parked:
    | { kind: "crash" | "changed" | "terminal" | "stuck" | "locked" | "budget"; job_id: string }
    | { kind: "limit"; job_id: string; until: string; /** The limit is over and the owner is asked. */ lifted: boolean }
    | null;
  /** The last job, if it failed or was cut off. */
  last_error: { job_id: string; error_code: ErrorCode | null; at: string | null } | null;
}

export interface SessionsStatus {
  /** Latest activity first, up to a maximum; `sessions_total` counts all. */
  sessions: SessionStatus[];
  sessions_total: number;
  running: number;
  pending: number;
  /** Since when it is locked, ISO 8601; null: it is not. */
  locked: string | null;
}

export interface GatewayStatus {
  phase: string;
  heard_ms: number;
  dispatch_ms: number | null;
  healthy: boolean;
  /** Time until the next attempt, if one is scheduled. */
  next_try_ms: number | null;
  /** Why there is no connection, in the log's words. */
  why: string | null;
  /** The same for a sentence in any language. */
  why_said: ErrorDetails | null;
  /** REST requests: whether the last one succeeded, and how many were refused in ten minutes. */
  rest: { connected: boolean | null; invalidRequests: number; pausedRoutes: string[]; waiting: number };
}

export interface AgentStatus {
  tool: string;
  found: boolean;
  version?: string;
}

/** One more server with a bot of its own. */
export interface ServerStatus {
  /** In config.json. */
  name: string;
  guild_id: string;
  /** Null until Discord has told it. */
  bot_id: string | null;
  /** Of its gateway; null until a connection has been tried. */
  phase: string | null;
  /** Why it is not served, as a sentence. */
  error: { code: ErrorCode; text: string } | null;
}

/** What only the whole app knows. */
export interface AppFacts {
  /** The version that was installed in its place since it started; null: none. */
  installed: string | null;
  /** `clients`: started by a client, without a bot of its own; it serves only clients. */
  serves: "all" | "clients";
  /** Null until Discord has sent our identity. */
  bot_id: string | null;
  guild_id: string | null;
  owner_id: string | null;
  /** Null until a connection has been tried. */
  gateway: GatewayStatus | null;
  /** Null until they have been probed. */
  agents: AgentStatus[] | null;
  /** Those that are open now. */
  living: readonly LiveAgent[];
  /** Those beside the main bot's. */
  servers: readonly ServerStatus[];
  max_running: number;
  /** Nothing new starts until there is room. */
  disk_full: boolean;
}

export interface DaemonStatus extends SessionsStatus, AppFacts {
  version: string;
  pid: number;
  /** ISO 8601. */
  since: string;
  state_dir: string;
  log_dir: string;
  /** Newest last. */
  failures: readonly LoggedFailure[];
}

/** More than fits on a screen, less than fits into a frame. */
const TOLD_SESSIONS = 500;

export function sessionsStatus(state: State): SessionsStatus {
  const all = Object.values(state.sessions).sort((a, b) => (a.last_activity_at < b.last_activity_at ? 1 : -1));
  return {
    sessions: all.slice(0, TOLD_SESSIONS).map((session) => sessionStatus(state, session)),
    sessions_total: all.length,
    running: all.filter((session) => session.running_job_id !== null).length,
    pending: all.reduce((sum, session) => sum + session.queue.length, 0),
    locked: lockedSince(state),
  };
}

function sessionStatus(state: State, session: Session): SessionStatus {
  const { thread_id, project_name, tool, queue, running_job_id, last_activity_at } = session;
  return {
    thread_id,
    project_name,
    tool,
    state: sessionState(session, state.jobs, state.threads[thread_id]),
    pending: queue.length,
    running_job_id,
    running_since: running_job_id === null ? null : (state.jobs[running_job_id]?.started_at ?? null),
    ...(running_job_id !== null && openOf(state, running_job_id).length > 0 && { asks: true as const }),
    outside: outsideOf(state, thread_id),
    last_activity_at,
    parked: parkedBy(state, thread_id),
    last_error: lastError(state, session),
  };
}

function outsideOf({ threads, turns }: State, threadId: string): SessionStatus["outside"] {
  const turn = turns[threads[threadId]?.outside ?? ""];
  return turn ? { turn_id: turn.turn_id, origin: turn.origin, since: turn.began_at } : null;
}

function parkedBy(state: State, threadId: string): SessionStatus["parked"] {
  const thread = state.threads[threadId];
  if (thread?.hold) return { kind: "crash", job_id: thread.hold };
  if (!thread?.wait) return null;
  const { kind, job_id } = thread.wait;
  if (kind === "stuck" && thread.wait.cause === "locked") return { kind: "locked", job_id };
  return kind === "limit"
    ? { kind, job_id, until: thread.wait.until, lifted: thread.wait.lifted === true }
    : { kind, job_id };
}

function lastError({ jobs }: State, { last_job_id }: Session): SessionStatus["last_error"] {
  const job = last_job_id === null ? undefined : jobs[last_job_id];
  if (job?.state !== "failed" && job?.state !== "unknown_after_crash") return null;
  return { job_id: job.job_id, error_code: job.error_code, at: job.finished_at };
}
