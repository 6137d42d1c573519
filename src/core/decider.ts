/**
 * The commands that ask for a change, and `decideAndEvolve`, the whole core: it decides a command on the state, applies the
 * events, and starts what may run. Pure: no clock, no randomness, no I/O; time comes in with the command.
 */
import { decideChoice, decideEnd } from "./jobs/ending.ts";
import { decideAgentPost, type AgentPostCommand } from "./posts/agent-post.ts";
import { answeredBeforePlaced, answeredMeanwhile } from "./decisions/answering.ts";
import { decideDecision } from "./decisions/lifecycle.ts";
import type { DecisionCommand } from "./decisions/decision.ts";
import { voidedWithout } from "./decisions/settlement.ts";
import { decideGrant, type GrantCommand } from "./decisions/grant.ts";
import { decideMessage } from "./jobs/accept-message.ts";
import { decideInbox, type InboxCommand } from "./inbox/inbox.ts";
import {
  decideProgress,
  type ChoiceCommand,
  type MessageCommand,
  type ParkCommand,
  type QueueCommand,
  type Rules,
  type RunCommand,
} from "./jobs/job.ts";
import { decideOwner, type OwnerCommand } from "./owner.ts";
import { decideAdoption, takenWith, type AdoptionCommand } from "./sessions/adoptions.ts";
import { decideArchive, isArchiveCommand, type ArchiveCommand } from "./sessions/archives.ts";
import { decideBackground, type BackgroundCommand } from "./sessions/background.ts";
import { decideTold, type ToldCommand } from "./sessions/told.ts";
import { decideClosing, type ClosingCommand } from "./sessions/closing.ts";
import { decideMode, type ModeCommand } from "./sessions/modes.ts";
import { decideModel, type ModelCommand, decideSettings, type SettingsCommand } from "./sessions/settings.ts";
import { decideWait } from "./sessions/waiting.ts";
import { decidePost, type PostCommand } from "./posts/post.ts";
import { decideRules, type RulesCommand } from "./projects/allowed-rules.ts";
import { decideProject, type ProjectCommand } from "./projects/project.ts";
import { decideQueue, nextStart, releasedByPost, unparkEvent } from "./jobs/queue.ts";
import { decideSending, type SendCommand } from "./jobs/sending.ts";
import type { OutsideTurnCommand } from "./jobs/outside-turn.ts";
import { decideOutsideTurn } from "./jobs/outside-turn-lifecycle.ts";
import { decideSession, type SessionCommand } from "./sessions/session.ts";
import { decideThread, type ThreadCommand } from "./sessions/thread.ts";
import { decideTerminalImport, type TerminalImportCommand } from "./sessions/terminal-import.ts";
import { decideWindow, releasedFrom, type WindowCommand } from "./sessions/windows.ts";
import { decideWorktree, type WorktreeCommand } from "./sessions/worktrees.ts";
import { evolve } from "./evolve.ts";
import { decideRestart, type RestartCommand } from "./restart.ts";
import type { Event, RecordedEvent, State } from "./state.ts";

export type Command =
  | ProjectCommand
  | SessionCommand
  | ClosingCommand
  | ModelCommand
  | BackgroundCommand
  | ToldCommand
  | ModeCommand
  | SettingsCommand
  | TerminalImportCommand
  | ThreadCommand
  | MessageCommand
  | RunCommand
  | ChoiceCommand
  | QueueCommand
  | SendCommand
  | ParkCommand
  | OutsideTurnCommand
  | WindowCommand
  | AdoptionCommand
  | WorktreeCommand
  | RulesCommand
  | ArchiveCommand
  | PostCommand
  | AgentPostCommand
  | DecisionCommand
  | GrantCommand
  | InboxCommand
  | OwnerCommand
  | RestartCommand;

export interface Moment {
  /** ISO 8601. */
  at: string;
  rules: Rules;
  /** Called with each event before any is applied; throws for one that cannot be recorded. */
  check?(event: Event): void;
}

/**
 * Decides, evolves `state`, and returns the events. Throws a `BellhopError` for a refusal, or what `check` throws; then
 * nothing has changed.
 */
export function decideAndEvolve(state: State, command: Command, { at, rules, check }: Moment): RecordedEvent[] {
  const recorded: RecordedEvent[] = [];
  const believe = (event: Event): void => {
    const fact = { ...event, ts: at };
    evolve(state, fact);
    recorded.push(fact);
  };
  const decided = decide(state, command, at, rules);
  if (check) decided.forEach(check);
  decided.forEach(believe);
  for (let next = nextStart(state, rules); next;) {
    believe(next);
    next = nextStart(state, rules);
  }
  return recorded;
}

export function decide(state: State, command: Command, at: string, rules: Rules): Event[] {
  switch (command.type) {
    case "adopt_projects":
    case "create_project":
    case "projects_saved":
    case "switch_project":
    case "see_project":
      return decideProject(state, command, at);
    case "start_session":
    case "ready_start":
    case "take_place":
    case "drop_start":
    case "name_session":
      return decideSession(state, command);
    case "open_session":
      return [...decideSession(state, command), ...takenWith(state, command.request_id, command.thread_id)];
    case "change_tool":
      return changeTool(state, command);
    case "release":
    case "close_session":
    case "reopen_session":
      return decideClosing(state, command);
    case "choose_model":
      return decideModel(state, command);
    case "set_mode":
      return decideMode(state, command);
    case "channel_read":
    case "lose_thread":
    case "find_thread":
    case "open_channel":
      return decideThread(state, command);
    case "hear":
    case "edit_message":
    case "delete_message":
      return decideMessage(state, command, at, rules);
    case "progress":
      return decideProgress(state, command);
    case "complete":
    case "fail":
    case "cancelled":
      return decideEnd(state, command);
    case "retry":
    case "continue":
    case "discard":
      return decideChoice(state, command, at, rules);
    case "cancel_job":
    case "clear_queue":
    case "move_first":
    case "queue_checked":
    case "start_waiting":
      return decideQueue(state, command);
    case "send_now":
    case "sent":
    case "not_sent":
      return decideSending(state, command, rules);
    case "put_back":
    case "park":
    case "unpark":
    case "accept_changed":
    case "lift_limit":
      return decideWait(state, command, rules);
    case "begin_outside_turn":
    case "end_outside_turn":
      return decideOutsideTurn(state, command);
    case "restart":
      return decideRestart(state, command, rules);
    default:
      return decideNoted(state, command, at);
  }
}

/**
 * The owner's own Claude stays behind when its session goes on with another tool; at work it is not interrupted. A wait
 * that is also about the checkout of a conversation ends when the new tool has another one: its next job looks at that
 * one's checkout, and at everything else, again.
 */
function changeTool(state: State, command: Extract<SessionCommand, { type: "change_tool" }>): Event[] {
  const { thread_id, tool } = command;
  const { wait, busy_job } = state.threads[thread_id] ?? {};
  const changed = decideSession(state, command);
  const isOther = changed.some((event) => event.type === "ToolChanged" && event.payload.carried === undefined);
  const isLeft = state.sessions[thread_id]?.tool !== tool && busy_job === null;
  return [
    ...changed,
    ...(isOther && wait?.kind === "changed" && wait.checkout ? [unparkEvent(thread_id, wait)] : []),
    ...(isLeft ? releasedFrom(state, thread_id) : []),
  ];
}

type NotedCommand =
  | PostCommand
  | AgentPostCommand
  | DecisionCommand
  | GrantCommand
  | InboxCommand
  | BackgroundCommand
  | ToldCommand
  | SettingsCommand
  | TerminalImportCommand
  | WindowCommand
  | AdoptionCommand
  | WorktreeCommand
  | RulesCommand
  | ArchiveCommand
  | OwnerCommand;

/**
 * Posts, decisions, the inbox, worktrees, windows, work in the background, who the owner is, and which of his Claudes
 * he takes.
 */
function decideNoted(state: State, command: NotedCommand, at: string): Event[] {
  if (isArchiveCommand(command)) return decideArchive(state, command);
  switch (command.type) {
    case "note_background":
      return decideBackground(state, command);
    case "note_told":
      return decideTold(state, command);
    case "choose_settings":
    case "settings_refused":
    case "settings_saved":
      return decideSettings(state, command);
    case "import_terminal_state":
      return decideTerminalImport(state, command);
    case "record_post":
      return [
        ...decidePost(state.posts, command),
        ...releasedByPost(state, command),
        ...answeredMeanwhile(state, command),
        ...voidedWithout(state, command),
      ];
    case "place_decision":
      return [...decideDecision(state, command, at), ...answeredBeforePlaced(state, command)];
    case "note_agent_post":
      return decideAgentPost(state, command);
    case "revoke_grant":
      return decideGrant(state, command);
    case "receive":
    case "read_inbox":
    case "clear_inbox":
      return decideInbox(state, command);
    case "note_rules":
      return decideRules(state, command);
    case "made_worktree":
    case "removed_worktree":
    case "lose_worktree":
    case "see_worktree":
    case "find_orphan":
      return decideWorktree(state, command);
    case "know_owner":
      return decideOwner(state, command);
    case "offer_adoption":
    case "adopt":
      return decideAdoption(state, command);
    case "request_window":
    case "refuse_window":
    case "open_window":
    case "close_window":
    case "clear_window":
      return decideWindow(state, command);
    default:
      return decideDecision(state, command, at);
  }
}
