/**
 * The windows of sessions: in which tmux window a session's Claude runs. A window outlives the daemon, so which one it
 * is must be on disk; whether it still stands is looked up at each start. That its owner wants one open is on disk too,
 * until it is open or could not be opened.
 */
import type { SessionCommand } from "./session.ts";
import type { ErrorCode, ErrorDetails } from "../../base/errors.ts";
import { stateOfTool } from "./session.ts";
import type { Thread } from "./thread.ts";
import { each, type Slice } from "../slice.ts";
import type { State } from "../state.ts";

/** The tool whose sessions have windows. */
export const WINDOW_TOOL = "tmux";

/** A Claude in a terminal: its process, and the tmux server and the pane it runs in. */
export interface RunningClaude {
  socket: string;
  window_id: string;
  pane_id: string;
  /** With the start time it identifies exactly one process. */
  pid: number;
  start_time: string;
  cwd: string;
}

export interface Window extends RunningClaude {
  thread_id: string;
  /** Whose tmux server it stands in: Bellhop's, or one that the owner started. */
  server: "own" | "owner";
  /** The owner had started it. Only he ends it. */
  adopted: boolean;
  /** The conversation that an adopted one was at. Absent: Bellhop began it. */
  claude_session?: string;
}

/**
 * Its Claude ended by itself (`exit`), was ended by Bellhop (`stopped`), with its thread (`archived`) or because the
 * session goes on elsewhere (`moved`); it disappeared while nobody looked (`lost`), or was given back (`released`).
 */
export type WindowEnd = "exit" | "stopped" | "archived" | "moved" | "lost" | "released";

export type WindowEvent =
  | { type: "WindowRequested"; payload: { thread_id: string } }
  | {
      type: "WindowRefused";
      payload: { thread_id: string; /** Absent: a job is to open it. */ code?: ErrorCode; details?: ErrorDetails };
    }
  | { type: "WindowOpened"; payload: Window }
  | { type: "WindowClosed"; payload: { thread_id: string; pane_id: string; why: WindowEnd; exit_code?: number } }
  | { type: "WindowCleared"; payload: { thread_id: string; pane_id: string; tool: string } };

export type WindowCommand =
  /** Its owner wants it open. Without an effect where it is, or is to be already. */
  | { type: "request_window"; thread_id: string }
  /** It could not be opened, or (without a code) a job is to open it. Without an effect where it stands. */
  | { type: "refuse_window"; thread_id: string; code?: ErrorCode; details?: ErrorDetails }
  | ({ type: "open_window" } & Window)
  /** Ignored for another window than the session's present one. */
  | { type: "close_window"; thread_id: string; pane_id: string; why: WindowEnd; exit_code?: number }
  /** The conversation with this key was cleared at the terminal; ignored if it is not the window's present one. */
  | { type: "clear_window"; thread_id: string; pane_id: string; tool: string; key: string };

function decideWindow(state: State, command: WindowCommand): WindowEvent[] {
  const known = state.windows[command.thread_id];
  if (command.type === "open_window") {
    const { type: _type, ...payload } = command;
    if (!state.sessions[payload.thread_id] || known?.pane_id === payload.pane_id) return [];
    return [...(known ? [closed(known, "lost")] : []), { type: "WindowOpened", payload }];
  }
  if (command.type === "request_window" || command.type === "refuse_window") return requested(state, command);
  if (command.type === "clear_window") {
    const { thread_id, pane_id, tool, key } = command;
    const isKnown = known?.pane_id === pane_id && Object.values(stateOfTool(state, thread_id, tool)).includes(key);
    return isKnown ? [{ type: "WindowCleared", payload: { thread_id, pane_id, tool } }] : [];
  }
  const { type: _type, ...payload } = command;
  return known?.pane_id === payload.pane_id ? [{ type: "WindowClosed", payload }] : [];
}

function requested(
  { sessions, threads, windows }: State,
  command: Extract<WindowCommand, { type: "request_window" | "refuse_window" }>,
): WindowEvent[] {
  const { thread_id } = command;
  const thread = threads[thread_id];
  if (!thread || windows[thread_id]) return [];
  if (command.type === "refuse_window") {
    const { type: _type, ...payload } = command;
    return thread.window === "wanted" || payload.code !== undefined ? [{ type: "WindowRefused", payload }] : [];
  }
  const isOpen = thread.closed === undefined && sessions[thread_id]?.tool === WINDOW_TOOL;
  return isOpen && thread.window !== "wanted" ? [{ type: "WindowRequested", payload: { thread_id } }] : [];
}

/**
 * Windows that are gone since the last daemon. That of a worktree is opened again: what its Claude left there is
 * unfinished.
 * @param alive threads whose windows stand
 */
export function lostWindows(state: State, alive: readonly string[]): WindowEvent[] {
  const { windows, worktrees, sessions, threads } = state;
  return Object.values(windows).flatMap((window): WindowEvent[] => {
    const { thread_id, adopted } = window;
    if (alive.includes(thread_id)) return [];
    const isUnfinished =
      !adopted &&
      worktrees[thread_id]?.is === "there" &&
      sessions[thread_id]?.tool === WINDOW_TOOL &&
      threads[thread_id]?.closed === undefined;
    return [
      closed(window, "lost"),
      ...(isUnfinished ? [{ type: "WindowRequested", payload: { thread_id } } as const] : []),
    ];
  });
}

/** The owner's Claude goes on without Bellhop. */
export function releasedFrom({ windows }: State, threadId: string): WindowEvent[] {
  const window = windows[threadId];
  return window?.adopted === true ? [closed(window, "released")] : [];
}

/** The owner's own Claude stays behind when its session goes on with another tool; at work it is not interrupted. */
function releasedWithTool(
  state: State,
  { thread_id, tool }: Extract<SessionCommand, { type: "change_tool" }>,
): WindowEvent[] {
  const isLeft = state.sessions[thread_id]?.tool !== tool && state.threads[thread_id]?.busy_job === null;
  return isLeft ? releasedFrom(state, thread_id) : [];
}

function evolveWindow(state: State, event: WindowEvent, ts: string): void {
  const thread = state.threads[event.payload.thread_id];
  if (thread && event.type !== "WindowClosed" && event.type !== "WindowCleared") evolveWanted(thread, event, ts);
  if (event.type === "WindowRequested" || event.type === "WindowRefused") return;
  const windows = state.windows;
  const { thread_id } = event.payload;
  if (event.type === "WindowCleared") return forgetKey(state, event.payload);
  if (event.type === "WindowClosed") return void delete windows[thread_id];
  windows[thread_id] = { ...event.payload };
  const { claude_session } = event.payload;
  const session = state.sessions[thread_id];
  if (session && claude_session !== undefined) session.adapter_state = { session_id: claude_session };
}

/** The same failure is told once, until its owner asks again. */
function evolveWanted(
  thread: Thread,
  event: Exclude<WindowEvent, { type: "WindowClosed" | "WindowCleared" }>,
  at: string,
): void {
  const before = thread.window === "wanted" ? undefined : thread.window;
  if (event.type === "WindowRequested") thread.window = "wanted";
  else if (event.type === "WindowOpened" || before === undefined) delete thread.window;
  if (event.type !== "WindowRefused") return;
  const { code, details = {} } = event.payload;
  const isSame = before?.code === code && JSON.stringify(before?.details) === JSON.stringify(details);
  if (code !== undefined && !isSame) thread.window = { code, details: { ...details }, at };
}

/** Whether this is the window's Claude: what it works at was taken there. */
export function isRunOfWindow(window: Window | undefined, agent: { pid: number; start_time: string } | null): boolean {
  return window !== undefined && agent?.pid === window.pid && agent.start_time === window.start_time;
}

function forgetKey({ sessions, parked }: State, { thread_id, tool }: { thread_id: string; tool: string }): void {
  const session = sessions[thread_id];
  if (session?.tool === tool) session.adapter_state = {};
  else delete parked[thread_id]?.[tool];
}

function closed({ thread_id, pane_id }: Window, why: WindowEnd): WindowEvent {
  return { type: "WindowClosed", payload: { thread_id, pane_id, why } };
}

/** Whether a job runs or waits there, so that its agent is opened for it. */
export function isBusy({ sessions }: State, threadId: string): boolean {
  const session = sessions[threadId];
  return session !== undefined && (session.running_job_id !== null || session.queue.length > 0);
}

export const windowSlice: Slice<WindowCommand, WindowEvent> = {
  decide: each(decideWindow, "request_window", "refuse_window", "open_window", "close_window", "clear_window"),
  evolve: each(evolveWindow, "WindowRequested", "WindowRefused", "WindowOpened", "WindowClosed", "WindowCleared"),
  kinds: "window",
  alsoDecides: { change_tool: releasedWithTool },
};
