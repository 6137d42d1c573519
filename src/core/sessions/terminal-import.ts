/**
 * What an earlier bridge for tmux kept of its threads is taken over once: each becomes a session of its project, with
 * its worktree. What ran in its panes is offered for adoption like every other Claude of the owner's.
 */
import { decideSession, type SessionEvent } from "./session.ts";
import { WINDOW_TOOL } from "./windows.ts";
import type { WorktreeEvent } from "./worktrees.ts";
import type { Slice } from "../slice.ts";
import type { State } from "../state.ts";

export interface EarlierThread {
  thread_id: string;
  /** The channel around it, which is a session of its project. */
  channel_id: string;
  project_name: string;
  /** Absent: it worked in its project's directory. */
  worktree?: { path: string; branch: string };
}

export interface TerminalImportEvent {
  type: "TerminalStateImported";
  payload: { count: number };
}

/** Without an effect the second time. */
export interface TerminalImportCommand {
  type: "import_terminal_state";
  threads: EarlierThread[];
}

export function decideTerminalImport(
  state: State,
  { threads }: TerminalImportCommand,
): (SessionEvent | WorktreeEvent | TerminalImportEvent)[] {
  if (state.terminal_imported) return [];
  const taken = threads.flatMap(({ worktree, ...one }) => {
    const channel = state.threads[one.channel_id];
    if (channel?.kind !== "channel" || channel.since === undefined) return [];
    const { guild_id, bot_id, since } = channel;
    // Messages that were written there before are not run.
    const events = decideSession(state, {
      type: "take_place",
      kind: "found",
      ...one,
      tool: WINDOW_TOOL,
      guild_id,
      bot_id,
      since,
    });
    return events.length === 0
      ? []
      : [
          {
            events,
            made: worktree && { type: "WorktreeMade" as const, payload: { thread_id: one.thread_id, ...worktree } },
          },
        ];
  });
  return [
    ...taken.flatMap(({ events, made }) => [...events, ...(made ? [made] : [])]),
    { type: "TerminalStateImported", payload: { count: taken.length } },
  ];
}

export function evolveTerminalImport(state: State): void {
  state.terminal_imported = true;
}

export const terminalImportSlice: Slice<TerminalImportCommand, TerminalImportEvent> = {
  decide: { import_terminal_state: decideTerminalImport },
  evolve: { TerminalStateImported: evolveTerminalImport },
  kinds: "daemon",
  topic: () => "terminal",
};
