/**
 * The state, the commands that ask for a change and the events that record one. `step` is the whole core: it decides a
 * command on the state, applies the events, and starts what may run. Pure: no clock, no randomness, no I/O; time comes
 * in with the command, and `evolve` changes only the state it is given.
 */
import { decideChoice, evolveResumed } from "./jobs/after-crash.ts";
import { decideAgentPost, evolveAgentPost, type AgentPostCommand, type AgentPostEvent, type AgentPosts } from "./posts/agent-post.ts";
import { answeredBeforePlaced, answeredMeanwhile } from "./decisions/answering.ts";
import { decideDecision, evolveDecision, evolveShown } from "./decisions/lifecycle.ts";
import type { DecisionCommand, DecisionEvent } from "./decisions/decision.ts";
import { voidedWithout } from "./decisions/settlement.ts";
import { decideEnd, evolveEnd } from "./jobs/ending.ts";
import { evolveFormat, FORMAT, type FormatEvent } from "./format.ts";
import { decideGrant, evolveGrant, type GrantCommand, type GrantEvent } from "./decisions/grant.ts";
import { decideMessage, evolveNoted } from "./jobs/accept-message.ts";
import { follow, remove } from "./indexed.ts";
import { decideInbox, evolveInbox, type InboxCommand, type InboxEvent } from "./inbox/inbox.ts";
import {
  decideProgress,
  evolveJob,
  type ChoiceCommand,
  type EndEvent,
  type MessageCommand,
  type JobEvent,
  type Jobs,
  type MessageNoted,
  type ParkCommand,
  type QueueCommand,
  type QueueEvent,
  type Rules,
  type RunCommand,
} from "./jobs/job.ts";
import { decideOwner, evolveOwner, type Owner, type OwnerCommand, type OwnerEvent } from "./owner.ts";
import { decideAdoption, evolveAdoption, evolveClosedWindow, takenWith, type AdoptionCommand, type AdoptionEvent, type Adoptions } from "./sessions/adoptions.ts";
import { archiveEvolvers, decideArchive, isArchiveCommand, type ArchiveCommand, type ArchiveEvent, type Archives } from "./sessions/archives.ts";
import { decideBackground, evolveBackground, type BackgroundCommand, type BackgroundEvent } from "./sessions/background.ts";
import { decideClosing, evolveClosing, type ClosingCommand, type ClosingEvent } from "./sessions/closing.ts";
import { decideMode, evolveMode, type ModeCommand, type ModeEvent } from "./sessions/modes.ts";
import { decideModel, evolveModel, type ModelCommand, type ModelEvent } from "./sessions/models.ts";
import { decideWait, evolveWait } from "./sessions/waiting.ts";
import { decidePost, evolvePost, isOfWork, type PostCommand, type PostEvent } from "./posts/post.ts";
import { decideProject, evolveProject, type ProjectsState, type ProjectCommand, type ProjectEvent } from "./projects/project.ts";
import { decideQueue, evolveQueue, nextStart } from "./jobs/queue.ts";
import { decideSending, evolveSending, type SendCommand, type SendEvent } from "./jobs/sending.ts";
import type { OutsideTurnCommand, OutsideTurnEvent } from "./jobs/outside-turn.ts";
import { decideOutsideTurn, evolveOutsideTurn } from "./jobs/outside-turn-lifecycle.ts";
import { releasedByPost } from "./jobs/released.ts";
import { evolveSeen, type SeenEvent } from "./projects/seen.ts";
import { decideSession, evolveSession, type SessionCommand, type SessionEvent, type Sessions } from "./sessions/session.ts";
import { decideThread, evolveThread, type ThreadCommand, type ThreadEvent } from "./sessions/thread.ts";
import { decideWindow, evolveWindow, releasedFrom, type WindowCommand, type WindowEvent } from "./sessions/windows.ts";
import { decideWorktree, worktreeEvolvers, type WorktreeCommand, type WorktreeEvent, type Worktrees } from "./sessions/worktrees.ts";
import { decideWake, type WakeCommand } from "./wake.ts";

/** What `snapshot.json` holds. */
export interface State extends ProjectsState, Sessions, Jobs, AgentPosts, Adoptions, Worktrees, Archives {
  /** The journal's format; 1 until a `FormatRaised`. */
  version: number;
  /** Absent until the owner is known. */
  owner?: Owner;
}

export type Command =
  | ProjectCommand
  | SessionCommand
  | ClosingCommand
  | ModelCommand | BackgroundCommand
  | ModeCommand
  | ThreadCommand
  | MessageCommand
  | RunCommand
  | ChoiceCommand
  | QueueCommand
  | SendCommand
  | ParkCommand
  | OutsideTurnCommand | WindowCommand | WorktreeCommand | ArchiveCommand | AdoptionCommand
  | PostCommand
  | AgentPostCommand
  | DecisionCommand
  | GrantCommand
  | InboxCommand
  | OwnerCommand
  | WakeCommand;

export type Event =
  | FormatEvent
  | OwnerEvent
  | ProjectEvent
  | SeenEvent
  | SessionEvent
  | ClosingEvent
  | ModelEvent | ModeEvent | BackgroundEvent
  | ThreadEvent
  | MessageNoted
  | JobEvent
  | EndEvent
  | QueueEvent
  | SendEvent
  | OutsideTurnEvent
  | WindowEvent
  | AdoptionEvent
  | WorktreeEvent
  | ArchiveEvent
  | DecisionEvent
  | GrantEvent
  | InboxEvent
  | AgentPostEvent
  | PostEvent;

/** An event as journaled: with its time, ISO 8601. */
export type Recorded = Event & { ts: string };

export function emptyState(): State {
  return {
    version: 1,
    sessions: nothing(),
    jobs: nothing(),
    dedupe: nothing(),
    projects: nothing(),
    active_project: null,
    threads: nothing(),
    channels: nothing(),
    starts: nothing(),
    runs: nothing(),
    parked: nothing(),
    decisions: nothing(),
    grants: nothing(),
    inbox: nothing(),
    inbox_imported: false,
    posts: nothing(),
    notices: nothing(),
    watermarks: nothing(),
    count: { day: "", jobs: 0, turns: 0 },
  };
}

/** A record without a prototype: an id such as `constructor` is in it only if it was put there. */
export function nothing<T>(): Record<string, T> {
  return Object.create(null) as Record<string, T>;
}

/**
 * Decides, evolves `state`, and returns the events. Throws a `BellhopError` for a refusal, or what `check` throws for
 * an event that cannot be recorded; then nothing has changed.
 */
export function step(
  state: State,
  command: Command,
  at: string,
  rules: Rules,
  check: (event: Event) => void = () => undefined,
): Recorded[] {
  const recorded: Recorded[] = [];
  const believe = (event: Event): void => {
    const fact = { ...event, ts: at };
    evolve(state, fact);
    recorded.push(fact);
  };
  const decided = decide(state, command, at, rules);
  decided.forEach(check);
  decided.forEach(believe);
  for (let next = nextStart(state, rules.global_max_running); next; ) {
    believe(next);
    next = nextStart(state, rules.global_max_running);
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
    case "change_tool":
      return [...decideSession(state, command), ...withClaude(state, command)];
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
      return decideChoice(state, command, at);
    case "cancel_job":
    case "clear_queue":
    case "move_first":
    case "queue_checked":
      return decideQueue(state, command);
    case "send_now":
    case "sent":
    case "not_sent":
      return decideSending(state, command);
    case "put_back":
    case "park":
    case "unpark":
    case "run_with":
    case "lift_limit":
      return decideWait(state, command, rules);
    case "begin_outside_turn":
    case "end_outside_turn":
      return decideOutsideTurn(state, command);
    case "wake":
      return decideWake(state, command, rules);
    default:
      return decideNoted(state, command, at);
  }
}

/** The owner's own Claude comes into a new thread, and stays behind when its session goes on with another tool; at work it is not interrupted. */
function withClaude(state: State, command: Extract<SessionCommand, { type: "open_session" | "change_tool" }>): Event[] {
  const { thread_id } = command;
  if (command.type === "open_session") return takenWith(state, command.request_id, thread_id);
  const isLeft = state.sessions[thread_id]?.tool !== command.tool && state.threads[thread_id]?.busy_job === null;
  return isLeft ? releasedFrom(state, thread_id) : [];
}

/** Posts, decisions, the inbox, worktrees, windows, work in the background, who the owner is, and which of his Claudes he takes. */
function decideNoted(state: State, command: PostCommand | AgentPostCommand | DecisionCommand | GrantCommand | InboxCommand | WorktreeCommand | BackgroundCommand | ArchiveCommand | OwnerCommand | AdoptionCommand | WindowCommand, at: string): Event[] {
  if (isArchiveCommand(command)) return decideArchive(state, command);
  switch (command.type) {
    case "note_background": return decideBackground(state, command);
    case "record_post":
      return [...decidePost(state.posts, command), ...releasedByPost(state, command), ...answeredMeanwhile(state, command), ...voidedWithout(state, command)];
    case "place_decision":
      return [...decideDecision(state, command, at), ...answeredBeforePlaced(state, command)];
    case "note_agent_post":
      return decideAgentPost(state, command);
    case "revoke_grant":
      return decideGrant(state, command);
    case "receive":
    case "read_inbox":
    case "clear_inbox":
    case "import_inbox":
      return decideInbox(state, command);
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
    case "open_window":
    case "close_window":
    case "clear_window":
      return decideWindow(state, command);
    default:
      return decideDecision(state, command, at);
  }
}

export function evolve(state: State, event: Recorded): void {
  const evolver = evolvers[event.type] as (state: State, event: Recorded, at: string) => void;
  evolver(state, event, event.ts);
  followEvent(state, event);
}

/** Reindexes the entries that an event is about; an evolver that changes others calls `follow` itself. */
function followEvent(state: State, { payload }: Recorded): void {
  if ("decision_id" in payload) follow(state.decisions, payload.decision_id);
  if (!("thread_id" in payload) || payload.thread_id === null) return;
  follow(state.threads, payload.thread_id);
  follow(state.sessions, payload.thread_id);
}

/** What each event type does to the state; a type that is not here is not understood. */
const evolvers: { readonly [Type in Event["type"]]: (state: State, event: Extract<Recorded, { type: Type }>, at: string) => void } = {
  FormatRaised: evolveFormat,
  OwnerKnown: evolveOwner,
  ProjectCreated: evolveProject,
  ProjectUpdated: evolveProject,
  ProjectRemoved: evolveProject,
  ProjectSaved: evolveProject,
  ProjectSwitched: evolveProject,
  ProjectSeen: evolveSeen,
  SessionRequested: evolveSession,
  StartReadied: evolveSession,
  SessionRequestDropped: evolveSession,
  SessionCreated: evolveSession,
  ToolChanged: evolveSession,
  SessionNamed: evolveSession,
  SessionClosed: evolveClosing,
  SessionReopened: evolveClosing,
  ModelChosen: evolveModel,
  ModelSettled: evolveModel,
  ModeSet: evolveMode,
  BackgroundNoted: evolveBackground,
  ChannelRead: evolveThread,
  ThreadLost: evolveThread,
  ThreadFound: evolveThread,
  MessageRefused: evolveThread,
  MessagePointed: evolveThread,
  ChannelOpened: evolveThread,
  MessageNoted: evolveNoted,
  PostRecorded: posted,
  JobEnqueued: evolveJob,
  JobStarted: evolveJob,
  JobProgress: evolveJob,
  JobEdited: evolveJob,
  JobMoved: evolveJob,
  JobPutBack: evolveJob,
  JobCancelRequested: evolveJob,
  JobCompleted: evolveEnd,
  JobFailed: evolveEnd,
  JobCancelled: evolveEnd,
  JobMarkedUnknownAfterCrash: evolveEnd,
  JobSent: evolveEnd,
  JobSendRequested: evolveSending,
  JobSendFailed: evolveSending,
  QueueResumed: evolveResumed,
  QueueStale: evolveQueue,
  QueueChecked: evolveQueue,
  SessionParked: evolveWait,
  SessionUnparked: evolveWait,
  LimitLifted: evolveWait,
  OutsideTurnBegan: evolveOutsideTurn,
  OutsideTurnEnded: evolveOutsideTurn,
  WindowOpened: evolveWindow,
  WindowClosed: evolveClosedWindow,
  WindowCleared: evolveWindow,
  AdoptionOffered: evolveAdoption,
  AdoptionSettled: evolveAdoption,
  ...worktreeEvolvers,
  ...archiveEvolvers,
  DecisionAsked: evolveDecision,
  DecisionPlaced: evolveDecision,
  DecisionPageSeen: evolveDecision,
  QuestionAnswered: evolveDecision,
  DecisionAnswered: evolveDecision,
  DecisionReasked: evolveDecision,
  DecisionAborted: evolveDecision,
  DecisionReminded: evolveDecision,
  DecisionKeptOpen: evolveDecision,
  DecisionSnoozed: evolveDecision,
  DecisionRefreshed: evolveDecision,
  DecisionLapsed: evolveDecision,
  DecisionDisconnected: evolveDecision,
  DecisionReconnected: evolveDecision,
  DecisionNoticed: evolveDecision,
  DecisionVoided: evolveDecision,
  AnswerTakenBack: evolveDecision,
  AnswerStands: evolveDecision,
  AnswerDelivered: evolveDecision,
  GrantRevoked: evolveGrant,
  AgentPostNoted: evolveAgentPost,
  InboxReceived: evolveInbox,
  InboxRead: evolveInbox,
  InboxCleared: evolveInbox,
  InboxEdited: evolveInbox,
  InboxImported: evolveInbox,
};

/** Every event type this version understands; a journal with any other is refused. */
export const eventTypes: ReadonlySet<string> = new Set(Object.keys(evolvers));

/** Whether this version reads the event as it was meant. */
export function understands({ type, payload }: { type: string; payload: object }): boolean {
  if (type === "FormatRaised") return "format" in payload && Number(payload.format) <= FORMAT;
  return eventTypes.has(type);
}

/** A posted notice is finished; a post of a job or outside turn that has left the live state is dropped. */
function posted(state: State, event: PostEvent): void {
  const { subject } = event.payload;
  evolveShown(state.decisions[subject], event.payload);
  if (state.notices[subject]) remove(state.notices, subject);
  else if (!isOfWork(subject) || state.jobs[subject] || state.turns?.[subject]) evolvePost(state.posts, event);
}
