/**
 * A session: one Discord thread, or the channel of a project, bound to one project and one tool; its id is the thread's
 * id, or the channel's. The record's keys are fixed. `/start` is recorded before anything is made in Discord, so a
 * crash in between neither loses nor duplicates the thread.
 */
import { entryOf } from "../../base/entry.ts";
import { BellhopError, type ErrorCode, type ErrorDetails } from "../../base/errors.ts";
import { indexed } from "../indexed.ts";
import { copyCheckout, type Checkout } from "../projects/checkout.ts";
import type { Project } from "../projects/project.ts";
import { newThread, type Location, type PlaceKind, type Thread } from "./thread.ts";
import { each, type Slice } from "../slice.ts";
import type { State } from "../state.ts";

export interface Session {
  thread_id: string;
  project_name: string;
  tool: string;
  /** The key with which the current tool resumes this conversation, under that tool's own name for it; or nothing. */
  adapter_state: Record<string, string>;
  queue: string[];
  running_job_id: string | null;
  last_job_id: string | null;
  created_at: string;
  updated_at: string;
  last_activity_at: string;
}

/** The stored conversation that a session goes on with. Absent: it begins a new one. */
export interface Continued {
  /** Its key, under the tool's name for it. */
  adapter_state?: Record<string, string>;
  /** Where it was, without its commit. Absent: nobody knows. */
  checkout?: Checkout;
}

/** A `/start` in progress: on disk, its thread not made yet. */
export interface Start extends Location, Continued {
  request_id: string;
  project_name: string;
  tool: string;
  /** Its agent is opened before its thread is made. Absent: with its first job. */
  agent?: true;
  /** Its session's window is opened without a prompt. Absent: with its first job. */
  window?: true;
  /** That has been done. */
  readied?: true;
  /** The conversation of the owner's own Claude that goes into its thread. Absent: none does. */
  adoption?: string;
  /** The owner's message on which its thread is opened, and which is its first prompt. Absent: on one of Bellhop's. */
  on_message?: string;
  at: string;
}

export type SessionEvent =
  | { type: "SessionRequested"; payload: Omit<Start, "at" | "readied"> }
  | { type: "StartReadied"; payload: { request_id: string } }
  | { type: "SessionRequestDropped"; payload: { request_id: string; code: ErrorCode; details?: ErrorDetails } }
  | {
      type: "SessionCreated";
      payload: Location &
        Continued & {
          thread_id: string;
          project_name: string;
          tool: string;
          /** Absent for a place that its owner made. */
          request_id?: string;
          /** Absent: Bellhop made its thread. */
          kind?: PlaceKind;
          /** Its thread stands on a message of the owner's, which is its first prompt. Absent: on one of Bellhop's. */
          on_message?: true;
          /** Messages up to this id are not its prompts. Absent: as with `thread_id`. */
          since?: string;
          /** Its window is opened without a prompt. Absent: with its first job. */
          window?: true;
        };
    }
  | {
      type: "ToolChanged";
      payload: {
        thread_id: string;
        tool: string;
        /**
         * The new tool goes on with the former one's conversation: its key, under the new tool's name for it. Absent:
         * with its own.
         */
        carried?: Record<string, string>;
      };
    }
  | { type: "SessionNamed"; payload: { thread_id: string; name: string } };

export type SessionCommand =
  /**
   * `request_id` is the interaction's id, so the same interaction has an effect only once. Refused for a stored
   * conversation that a session has already.
   */
  | (Location &
      Continued & {
        type: "start_session";
        request_id: string;
        project_name: string;
        tool?: string;
        /** Its agent is opened first. */
        agent?: true;
        /**
         * Its window is opened without a prompt. If this bot makes such a session already, that one gets the window;
         * without an effect if it has one.
         */
        window?: true;
        /** Without an effect if this message has a session, or gets one. */
        on_message?: string;
      })
  /** Its agent is open, or will be with its first job, because the owner has to be asked before. */
  | { type: "ready_start"; request_id: string }
  /** The thread for a start exists now. */
  | { type: "open_session"; request_id: string; thread_id: string }
  /**
   * A place that the owner made is a session of the project from `since` on. Without an effect for a thread already
   * known.
   */
  | (Location & {
      type: "take_place";
      kind: PlaceKind;
      thread_id: string;
      project_name: string;
      /** Not allowed, or absent: the project's default tool. */
      tool?: string;
      since: string;
    })
  | { type: "drop_start"; request_id: string; code: ErrorCode; details?: ErrorDetails }
  /** From the session's next job on; a running job keeps its tool, and queued jobs stay queued. */
  | {
      type: "change_tool";
      thread_id: string;
      tool: string;
      /** The new tool finds the conversations of the session's tool, and calls their key so. Absent: it has its own. */
      key_name?: string;
    }
  /**
   * What the session is about, set once from its first message; `renamed`: as its thread was named in Discord, which
   * replaces that.
   */
  | { type: "name_session"; thread_id: string; name: string; renamed?: true };

export function decideSession(state: State, command: SessionCommand): SessionEvent[] {
  switch (command.type) {
    case "start_session":
      return start(state, command);
    case "open_session": {
      const wanted = state.starts[command.request_id];
      if (!wanted || state.sessions[command.thread_id]) return [];
      const { at: _at, agent: _agent, readied: _readied, adoption: _adoption, on_message, ...rest } = wanted;
      const onMessage =
        on_message === undefined ? {} : { on_message: true as const, since: String(BigInt(on_message) - 1n) };
      return [{ type: "SessionCreated", payload: { thread_id: command.thread_id, ...rest, ...onMessage } }];
    }
    case "take_place":
      return takePlace(state, command);
    case "ready_start": {
      const { request_id } = command;
      const wanted = state.starts[request_id];
      return wanted?.agent && !wanted.readied ? [{ type: "StartReadied", payload: { request_id } }] : [];
    }
    case "drop_start": {
      const { type: _type, ...payload } = command;
      return state.starts[command.request_id] ? [{ type: "SessionRequestDropped", payload }] : [];
    }
    case "change_tool":
      return changeTool(state, command);
    case "name_session": {
      const { thread_id, name, renamed } = command;
      const { name: before, unnamed } = state.threads[thread_id] ?? {};
      const isTaken = (before !== undefined && (!renamed || before === name)) || (renamed && unnamed);
      return !state.threads[thread_id] || isTaken || name === ""
        ? []
        : [{ type: "SessionNamed", payload: { thread_id, name } }];
    }
  }
}

export function evolveSession(state: State, event: SessionEvent, ts: string): void {
  switch (event.type) {
    case "SessionRequested":
      state.starts[event.payload.request_id] = { at: ts, ...state.starts[event.payload.request_id], ...event.payload };
      return;
    case "StartReadied": {
      const wanted = state.starts[event.payload.request_id];
      if (wanted) wanted.readied = true;
      return;
    }
    case "SessionRequestDropped":
      delete state.starts[event.payload.request_id];
      return;
    case "SessionCreated":
      return created(state, event.payload, ts);
    case "ToolChanged":
      return toolChanged(state, event.payload, ts);
    case "SessionNamed": {
      const thread = state.threads[event.payload.thread_id];
      if (!thread) return;
      thread.name = event.payload.name;
      delete thread.unnamed;
    }
  }
}

/** The first of these that applies. */
export function sessionState(
  session: Session,
  jobs: Readonly<Record<string, { state: string }>>,
  thread: Thread | undefined,
): "running" | "queued" | "unknown_after_crash" | "failed" | "idle" {
  if (session.running_job_id !== null || thread?.outside !== undefined) return "running";
  if (session.queue.length > 0) return "queued";
  const last = session.last_job_id === null ? undefined : jobs[session.last_job_id];
  if (last?.state === "unknown_after_crash") return "unknown_after_crash";
  return last?.state === "failed" ? "failed" : "idle";
}

/** Sessions with queued jobs. */
export function waitingSessions({ sessions }: State): Session[] {
  return indexed(sessions, ({ queue }) => (queue.length > 0 ? ["waiting"] : []))
    .idsOf("waiting")
    .flatMap((id) => sessions[id] ?? []);
}

/**
 * The tool's conversation here, whichever tool the session has now: its key, under the tool's name for it; or nothing.
 */
export function stateOfTool({ sessions, parked }: State, threadId: string, tool: string): Record<string, string> {
  const session = sessions[threadId];
  return (session?.tool === tool ? session.adapter_state : parked[threadId]?.[tool]) ?? {};
}

/** The key with which a job of this tool resumes here, or null for a new conversation. */
export function toolKey(state: State, threadId: string, tool: string): string | null {
  return Object.values(stateOfTool(state, threadId, tool))[0] ?? null;
}

/** The key with which a job of this session resumes, or null for a new conversation. */
export function sessionKey(session: Session): string | null {
  return Object.values(session.adapter_state)[0] ?? null;
}

function start(state: State, command: Extract<SessionCommand, { type: "start_session" }>): SessionEvent[] {
  const { on_message } = command;
  if (state.starts[command.request_id]) return [];
  if (on_message !== undefined && (state.threads[on_message] || startOn(state, on_message))) return [];
  const project = entryOf(state.projects, command.project_name);
  if (!project) throw new BellhopError("E_PROJECT_NOT_FOUND", { project: command.project_name });
  const tool = command.tool ?? project.default_tool;
  requireEnabled(project, tool);
  const { request_id, project_name, channel_id, guild_id, bot_id, agent, window, adapter_state, checkout } = command;
  if (adapter_state) refuseTaken(state, Object.values(adapter_state)[0] ?? "");
  const underWay = window && startUnderWay(state, { project_name, tool, bot_id });
  if (window && (underWay?.window || hasOpen(state, { project_name, tool, bot_id }))) return [];
  if (underWay) return [{ type: "SessionRequested", payload: withWindow(underWay) }];
  return [
    {
      type: "SessionRequested",
      payload: {
        request_id,
        project_name,
        tool,
        channel_id,
        guild_id,
        bot_id,
        ...(agent && { agent }),
        ...(window && { window }),
        ...(adapter_state && { adapter_state }),
        ...(checkout && { checkout }),
        ...(on_message !== undefined && { on_message }),
      },
    },
  ];
}

/** A thread that the owner has made is to be a session from this message on. */
export function takingThread(
  place: Location & { thread_id: string; project_name: string },
  messageId: string,
): SessionCommand {
  return { type: "take_place", kind: "found", ...place, since: String(BigInt(messageId) - 1n) };
}

/** The start that makes a thread on this message. */
export function startOn({ starts }: State, messageId: string): Start | undefined {
  return Object.values(starts).find(({ on_message }) => on_message === messageId);
}

/**
 * The thread whose session has a conversation, or the channel in which its thread is being made. A session whose thread
 * is gone from Discord, and which has nothing to do and no window, does not keep its conversation from another one.
 */
export function placeOf({ sessions, threads, parked, starts, windows }: State, key: string): string | undefined {
  const has = (state: Record<string, string>): boolean => Object.values(state).includes(key);
  const isIdle = ({ thread_id, running_job_id, queue }: Session): boolean =>
    running_job_id === null &&
    queue.length === 0 &&
    threads[thread_id]?.outside === undefined &&
    windows[thread_id] === undefined;
  const isOver = (one: Session): boolean => threads[one.thread_id]?.place !== "thread" && isIdle(one);
  const session = Object.values(sessions).find(
    (one) => [one.adapter_state, ...Object.values(parked[one.thread_id] ?? {})].some(has) && !isOver(one),
  );
  return session?.thread_id ?? Object.values(starts).find(({ adapter_state = {} }) => has(adapter_state))?.channel_id;
}

/**
 * Two agents must not write to one conversation.
 * @throws BellhopError E_CONVERSATION_IN_USE {thread}; E_CONVERSATION_IN_WINDOW if its thread is gone and its window
 * stands, so that there is nowhere to write to it
 */
export function refuseTaken(state: Parameters<typeof placeOf>[0], key: string): void {
  const place = placeOf(state, key);
  if (place === undefined) return;
  if (state.windows[place] && state.threads[place]?.place !== "thread")
    throw new BellhopError("E_CONVERSATION_IN_WINDOW");
  throw new BellhopError("E_CONVERSATION_IN_USE", { thread: `<#${place}>` });
}

/** A start that makes such a session; not for the owner's own Claude, which has its terminal. */
export function startUnderWay(
  { starts }: State,
  wanted: Pick<Start, "project_name" | "tool" | "bot_id">,
): Start | undefined {
  return Object.values(starts).find(
    (one) =>
      one.project_name === wanted.project_name &&
      one.tool === wanted.tool &&
      one.bot_id === wanted.bot_id &&
      one.adoption === undefined,
  );
}

/** The same start once more, which opens a window now. */
function withWindow({ at: _at, readied: _readied, ...start }: Start): Omit<Start, "at" | "readied"> {
  return { ...start, window: true };
}

function hasOpen({ sessions, threads }: State, wanted: Pick<Start, "project_name" | "tool" | "bot_id">): boolean {
  return Object.values(sessions).some(
    ({ thread_id, project_name, tool }) =>
      project_name === wanted.project_name &&
      tool === wanted.tool &&
      threads[thread_id]?.bot_id === wanted.bot_id &&
      threads[thread_id].closed === undefined,
  );
}

function takePlace(
  state: State,
  { type: _type, tool, ...place }: Extract<SessionCommand, { type: "take_place" }>,
): SessionEvent[] {
  const { thread_id, project_name } = place;
  const project = state.projects[project_name];
  if (!project || state.threads[thread_id]) return [];
  const chosen = tool !== undefined && project.enabled_tools.includes(tool) ? tool : project.default_tool;
  return [{ type: "SessionCreated", payload: { ...place, tool: chosen } }];
}

/** @throws BellhopError E_TOOL_NOT_ENABLED */
export function requireEnabled(project: Pick<Project, "name" | "enabled_tools">, tool: string): void {
  if (project.enabled_tools.includes(tool)) return;
  throw new BellhopError("E_TOOL_NOT_ENABLED", {
    tool,
    project: project.name,
    tools: project.enabled_tools.join(", "),
  });
}

function changeTool(
  state: State,
  { thread_id, tool, key_name }: Extract<SessionCommand, { type: "change_tool" }>,
): SessionEvent[] {
  const session = state.sessions[thread_id];
  if (!session) throw new BellhopError("E_NOT_IN_MANAGED_THREAD");
  const project = state.projects[session.project_name];
  if (!project) throw new BellhopError("E_PROJECT_NOT_FOUND", { project: session.project_name });
  requireEnabled(project, tool);
  const key = state.threads[thread_id]?.next_conversation === "new" ? null : sessionKey(session);
  const carried = key !== null && key_name !== undefined ? { carried: { [key_name]: key } } : {};
  return tool === session.tool ? [] : [{ type: "ToolChanged", payload: { thread_id, tool, ...carried } }];
}

/** Each tool keeps its own conversation, so going back to one resumes it, unless the former tool's goes along. */
function toolChanged(
  state: State,
  { thread_id, tool, carried }: Extract<SessionEvent, { type: "ToolChanged" }>["payload"],
  ts: string,
): void {
  const session = state.sessions[thread_id];
  if (!session) return;
  const kept = (state.parked[thread_id] ??= {});
  if (Object.keys(session.adapter_state).length > 0) kept[session.tool] = session.adapter_state;
  session.adapter_state = carried === undefined ? (kept[tool] ?? {}) : { ...carried };
  delete kept[tool];
  const thread = state.threads[thread_id];
  if (thread?.window === "wanted") delete thread.window;
  if (thread && carried === undefined) leaveCheckout(thread, session.tool, tool);
  else if (thread) moveIn(thread, session.tool, tool);
  session.tool = tool;
  session.updated_at = ts;
}

/**
 * Another tool has another account and another conversation: the former tool's limit, window and checkout do not apply
 * to it.
 */
function leaveCheckout(thread: Thread, before: string, tool: string): void {
  if (thread.wait && thread.wait.kind !== "changed" && thread.wait.kind !== "budget") thread.wait = null;
  delete thread.resumed_after_limit;
  delete thread.tries;
  const { [tool]: taken, ...kept } = thread.checkouts ?? {};
  if (thread.checkout) kept[before] = thread.checkout;
  thread.checkout = taken ?? null;
  if (Object.keys(kept).length > 0) thread.checkouts = kept;
  else delete thread.checkouts;
}

/** The conversation moves: what its checkout was and the account's limit still hold, the terminal's window does not. */
function moveIn(thread: Thread, before: string, tool: string): void {
  if (thread.wait?.kind === "terminal" || (thread.wait?.kind === "stuck" && thread.wait.cause !== "full"))
    thread.wait = null;
  const { [tool]: _taken, ...kept } = thread.checkouts ?? {};
  if (thread.checkout) thread.checkouts = { ...kept, [before]: thread.checkout };
  const last = thread.ended.at(-1);
  if (last !== undefined) thread.moved_after = last;
}

function created(
  state: State,
  payload: Extract<SessionEvent, { type: "SessionCreated" }>["payload"],
  ts: string,
): void {
  const {
    thread_id,
    project_name,
    tool,
    channel_id,
    guild_id,
    bot_id,
    request_id,
    kind,
    on_message,
    since,
    window,
    adapter_state = {},
    checkout,
  } = payload;
  if (request_id !== undefined) delete state.starts[request_id];
  // No agent's inbox watches it any more: what is written there is for the session.
  delete state.channels[thread_id];
  state.sessions[thread_id] = {
    thread_id,
    project_name,
    tool,
    adapter_state: { ...adapter_state },
    queue: [],
    running_job_id: null,
    last_job_id: null,
    created_at: ts,
    updated_at: ts,
    last_activity_at: ts,
  };
  state.threads[thread_id] = {
    ...newThread({ thread_id, channel_id, guild_id, bot_id }),
    ...(kind === "channel" ? { kind, since } : kind ? { kind } : on_message && { on_message }),
    ...(window && { window: "wanted" }),
    ...(checkout && { checkout: copyCheckout(checkout) }),
  };
  // No message in the thread can be older than the thread.
  state.watermarks[thread_id] = since ?? thread_id;
}

export const sessionSlice: Slice<SessionCommand, SessionEvent> = {
  decide: each(
    decideSession,
    "start_session",
    "ready_start",
    "take_place",
    "drop_start",
    "name_session",
    "open_session",
    "change_tool",
  ),
  evolve: each(
    evolveSession,
    "SessionRequested",
    "StartReadied",
    "SessionRequestDropped",
    "SessionCreated",
    "ToolChanged",
    "SessionNamed",
  ),
  kinds: (_state, { payload }) => ("thread_id" in payload ? "session" : "start"),
  topic: (_state, { payload }) => ("thread_id" in payload ? payload.thread_id : "starts"),
};
