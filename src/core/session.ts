/**
 * A session: one Discord thread bound to one project and one tool; its id is the thread's id. The record has
 * exactly seed B's keys (10.2). `/start` is recorded as wanted before anything is made in Discord, so a crash
 * in between neither loses nor doubles the thread.
 */
import { BellhopError, type ErrorCode } from "../base/errors.ts";
import type { Project } from "./project.ts";
import { newThread, type Thread } from "./thread.ts";

export interface Session {
  thread_id: string;
  project_name: string;
  tool: string;
  /** The key by which the current tool resumes this conversation, under that tool's own name for it. */
  adapter_state: Record<string, string>;
  queue: string[];
  running_job_id: string | null;
  last_job_id: string | null;
  created_at: string;
  updated_at: string;
  last_activity_at: string;
}

/** A `/start` under way: on disk, its thread not made yet. */
export interface Start {
  request_id: string;
  project_name: string;
  tool: string;
  channel_id: string;
  guild_id: string;
  bot_id: string;
  at: string;
}

export type SessionEvent =
  | { type: "SessionRequested"; payload: Omit<Start, "at"> }
  | { type: "SessionRequestDropped"; payload: { request_id: string; code: ErrorCode } }
  | {
      type: "SessionCreated";
      payload: {
        thread_id: string;
        project_name: string;
        tool: string;
        channel_id: string;
        guild_id: string;
        bot_id: string;
        request_id: string;
      };
    }
  | { type: "ToolChanged"; payload: { thread_id: string; tool: string } };

export type SessionCommand =
  /** `request_id` is the interaction's id: the same interaction asks once. */
  | {
      type: "start_session";
      request_id: string;
      project_name: string;
      tool?: string;
      channel_id: string;
      guild_id: string;
      bot_id: string;
    }
  /** The thread for a start exists now. */
  | { type: "open_session"; request_id: string; thread_id: string }
  | { type: "drop_start"; request_id: string; code: ErrorCode }
  /** From the session's next job on; a running one keeps its tool, and what waits goes on waiting. */
  | { type: "change_tool"; thread_id: string; tool: string };

export interface Sessions {
  projects: Record<string, Project>;
  sessions: Record<string, Session>;
  threads: Record<string, Thread>;
  starts: Record<string, Start>;
  watermarks: Record<string, string>;
  parked: Record<string, Record<string, Record<string, string>>>;
}

export function decideSession(state: Sessions, command: SessionCommand): SessionEvent[] {
  switch (command.type) {
    case "start_session":
      return start(state, command);
    case "open_session": {
      const wanted = state.starts[command.request_id];
      if (!wanted || state.sessions[command.thread_id]) return [];
      const { at: _at, ...rest } = wanted;
      return [{ type: "SessionCreated", payload: { thread_id: command.thread_id, ...rest } }];
    }
    case "drop_start": {
      const { request_id, code } = command;
      return state.starts[request_id]
        ? [{ type: "SessionRequestDropped", payload: { request_id, code } }]
        : [];
    }
    case "change_tool":
      return changeTool(state, command.thread_id, command.tool);
  }
}

export function evolveSession(state: Sessions, event: SessionEvent, ts: string): void {
  switch (event.type) {
    case "SessionRequested":
      state.starts[event.payload.request_id] = { ...event.payload, at: ts };
      return;
    case "SessionRequestDropped":
      delete state.starts[event.payload.request_id];
      return;
    case "SessionCreated":
      return created(state, event.payload, ts);
    case "ToolChanged":
      toolChanged(state, event.payload, ts);
  }
}

/** Seed B 12.2, in its order. */
export function sessionState(
  session: Session,
  jobs: Readonly<Record<string, { state: string }>>,
): "running" | "queued" | "unknown_after_crash" | "failed" | "idle" {
  if (session.running_job_id !== null) return "running";
  if (session.queue.length > 0) return "queued";
  const last = session.last_job_id === null ? undefined : jobs[session.last_job_id];
  if (last?.state === "unknown_after_crash") return "unknown_after_crash";
  return last?.state === "failed" ? "failed" : "idle";
}

/** What each tool calls its session key (seed B 4.2); an ACP agent's is `session_id` too. */
export function keyName(tool: string): string {
  return tool === "codex" ? "thread_id" : "session_id";
}

/** The key a job of this session resumes by, or null for a new conversation. */
export function sessionKey(session: Session): string | null {
  return session.adapter_state[keyName(session.tool)] ?? null;
}

function start(
  state: Sessions,
  command: Extract<SessionCommand, { type: "start_session" }>,
): SessionEvent[] {
  if (state.starts[command.request_id]) return [];
  const project = Object.hasOwn(state.projects, command.project_name)
    ? state.projects[command.project_name]
    : undefined;
  if (!project) throw new BellhopError("E_PROJECT_NOT_FOUND", { project: command.project_name });
  const tool = command.tool ?? project.default_tool;
  requireEnabled(project, tool);
  const { request_id, project_name, channel_id, guild_id, bot_id } = command;
  return [
    { type: "SessionRequested", payload: { request_id, project_name, tool, channel_id, guild_id, bot_id } },
  ];
}

function requireEnabled(project: Project, tool: string): void {
  if (project.enabled_tools.includes(tool)) return;
  throw new BellhopError("E_TOOL_NOT_ENABLED", {
    tool,
    project: project.name,
    tools: project.enabled_tools.join(", "),
  });
}

function changeTool(state: Sessions, thread_id: string, tool: string): SessionEvent[] {
  const session = state.sessions[thread_id];
  if (!session) throw new BellhopError("E_NOT_IN_MANAGED_THREAD");
  const project = state.projects[session.project_name];
  if (!project) throw new BellhopError("E_PROJECT_NOT_FOUND", { project: session.project_name });
  requireEnabled(project, tool);
  return tool === session.tool ? [] : [{ type: "ToolChanged", payload: { thread_id, tool } }];
}

/** Each tool keeps its own conversation, so going back to one takes it up again. */
function toolChanged(state: Sessions, { thread_id, tool }: { thread_id: string; tool: string }, ts: string): void {
  const session = state.sessions[thread_id];
  if (!session) return;
  const kept = (state.parked[thread_id] ??= {});
  if (Object.keys(session.adapter_state).length > 0) kept[session.tool] = session.adapter_state;
  session.adapter_state = kept[tool] ?? {};
  delete kept[tool];
  if (state.threads[thread_id]) leaveCheckout(state.threads[thread_id], session.tool, tool);
  session.tool = tool;
  session.updated_at = ts;
}

/** Another tool is another account and another conversation: whose limit was reached, and what was left where, is not its own. */
function leaveCheckout(thread: Thread, before: string, tool: string): void {
  if (thread.wait?.kind === "limit") thread.wait = null;
  const { [tool]: taken, ...kept } = thread.checkouts ?? {};
  if (thread.checkout) kept[before] = thread.checkout;
  thread.checkout = taken ?? null;
  if (Object.keys(kept).length > 0) thread.checkouts = kept;
  else delete thread.checkouts;
}

function created(
  state: Sessions,
  payload: Extract<SessionEvent, { type: "SessionCreated" }>["payload"],
  ts: string,
): void {
  const { thread_id, project_name, tool, channel_id, guild_id, bot_id } = payload;
  delete state.starts[payload.request_id];
  state.sessions[thread_id] = {
    thread_id,
    project_name,
    tool,
    adapter_state: {},
    queue: [],
    running_job_id: null,
    last_job_id: null,
    created_at: ts,
    updated_at: ts,
    last_activity_at: ts,
  };
  state.threads[thread_id] = newThread({ thread_id, channel_id, guild_id, bot_id });
  // Nothing older than the thread itself can have been written in it.
  state.watermarks[thread_id] = thread_id;
}
