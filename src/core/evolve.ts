/**
 * What each event does to the state, live and at replay, and which part of it that is: only those who follow that part
 * look at it. An event changes only what it is about, and never fails.
 */
import { FORMAT, type Event, type RecordedEvent, type State } from "./state.ts";
import { evolveResumed, evolveEnd } from "./jobs/ending.ts";
import { evolveAgentPost } from "./posts/agent-post.ts";
import { evolvePointed } from "./decisions/answering.ts";
import { evolveDecision, evolveShown } from "./decisions/lifecycle.ts";
import { evolveFormat } from "./restart.ts";
import { evolveGrant } from "./decisions/grant.ts";
import { evolveNoted } from "./jobs/accept-message.ts";
import { follow, remove } from "./indexed.ts";
import { evolveInbox } from "./inbox/inbox.ts";
import { evolveJob } from "./jobs/job.ts";
import { evolveOwner } from "./owner.ts";
import { evolveAdoption, evolveClosedWindow } from "./sessions/adoptions.ts";
import { archiveEvolvers } from "./sessions/archives.ts";
import { evolveBackground } from "./sessions/background.ts";
import { evolveTold } from "./sessions/told.ts";
import { evolveClosing } from "./sessions/closing.ts";
import { evolveMode } from "./sessions/modes.ts";
import { evolveTerminalImport } from "./sessions/terminal-import.ts";
import { evolveSettings, evolveModel } from "./sessions/settings.ts";
import { evolveWait } from "./sessions/waiting.ts";
import { evolvePost, isOfWork, type PostEvent } from "./posts/post.ts";
import { evolveProject } from "./projects/project.ts";
import { evolveQueue } from "./jobs/queue.ts";
import { evolveSending } from "./jobs/sending.ts";
import { evolveOutsideTurn } from "./jobs/outside-turn-lifecycle.ts";
import { evolveRules } from "./projects/allowed-rules.ts";
import { evolveSeen } from "./projects/seen.ts";
import { evolveSession } from "./sessions/session.ts";
import { evolveThread } from "./sessions/thread.ts";
import { evolveWindow } from "./sessions/windows.ts";
import { worktreeEvolvers } from "./sessions/worktrees.ts";

export function evolve(state: State, event: RecordedEvent): void {
  const evolver = evolvers[event.type] as (state: State, event: RecordedEvent, at: string) => void;
  evolver(state, event, event.ts);
  followEvent(state, event);
}

/** Reindexes the entries that an event is about; an evolver that changes others calls `follow` itself. */
function followEvent(state: State, { payload }: RecordedEvent): void {
  if ("decision_id" in payload) follow(state.decisions, payload.decision_id);
  if ("job_id" in payload) follow(state.runs, payload.job_id);
  if (!("thread_id" in payload) || payload.thread_id === null) return;
  follow(state.threads, payload.thread_id);
  follow(state.sessions, payload.thread_id);
}

/** What each event type does to the state; a type that is not here is not understood. */
const evolvers: {
  readonly [Type in Event["type"]]: (state: State, event: Extract<RecordedEvent, { type: Type }>, at: string) => void;
} = {
  FormatRaised: evolveFormat,
  OwnerKnown: evolveOwner,
  ProjectCreated: evolveProject,
  ProjectUpdated: evolveProject,
  ProjectRemoved: evolveProject,
  ProjectSaved: evolveProject,
  ProjectSwitched: evolveProject,
  ProjectSeen: evolveSeen,
  RulesAllowed: evolveRules,
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
  ThreadSettingsChosen: evolveSettings,
  ThreadSettingsRefused: evolveSettings,
  ThreadSettingsSaved: evolveSettings,
  TerminalStateImported: evolveTerminalImport,
  BackgroundNoted: evolveBackground,
  AgentTold: evolveTold,
  ChannelRead: evolveThread,
  ThreadLost: evolveThread,
  ThreadFound: evolveThread,
  MessageRefused: evolveThread,
  MessagePointed: evolvePointed,
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
  WindowRequested: evolveWindow,
  WindowRefused: evolveWindow,
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
  DecisionHandedOver: evolveDecision,
  AnswerDelivered: evolveDecision,
  GrantRevoked: evolveGrant,
  AgentPostNoted: evolveAgentPost,
  InboxReceived: evolveInbox,
  InboxRead: evolveInbox,
  InboxCleared: evolveInbox,
  InboxEdited: evolveInbox,
};

/** Every event type this version understands; a journal with any other is refused. */
export const eventTypes: ReadonlySet<string> = new Set(Object.keys(evolvers));

/** Whether this version reads the event as it was meant. */
export function understands({ type, payload }: { type: string; payload: object }): boolean {
  if (type === "FormatRaised") return "format" in payload && payload.format === FORMAT;
  return eventTypes.has(type);
}

/** A posted notice is finished; a post of a job or outside turn that has left the live state is dropped. */
function posted(state: State, event: PostEvent): void {
  const { subject } = event.payload;
  evolveShown(state.decisions[subject], event.payload);
  if (state.notices[subject]) remove(state.notices, subject);
  else if (!isOfWork(subject) || state.jobs[subject] || state.turns[subject]) evolvePost(state.posts, event);
}

/**
 * What an event is about, for the reconcilers: a thread or channel id; for what belongs to none, a word such as
 * `projects`, `starts`, `inbox`, or `decisions` (for one without a thread yet).
 */
export function topicOf(state: State, event: Event): string {
  switch (event.type) {
    case "ProjectCreated":
    case "ProjectUpdated":
    case "ProjectRemoved":
    case "ProjectSaved":
    case "ProjectSwitched":
    case "ProjectSeen":
      return "projects";
    case "SessionRequested":
    case "StartReadied":
    case "SessionRequestDropped":
      return "starts";
    case "TerminalStateImported":
      return "terminal";
    case "FormatRaised":
      return "format";
    case "OwnerKnown":
      return "owner";
    case "ChannelRead":
    case "ChannelOpened":
      return event.payload.channel_id;
    case "AdoptionOffered":
    case "AdoptionSettled":
      return state.adoptions[event.payload.claude_session]?.channel_id ?? "adoptions";
    case "InboxReceived":
    case "InboxRead":
    case "InboxCleared":
    case "InboxEdited":
      return "inbox";
    case "AgentPostNoted":
      return "agent_posts";
    case "WorktreeOrphaned":
      return "orphans";
    // The first of the decisions has the pointer.
    case "MessagePointed":
      return state.decisions[event.payload.decisions[0] ?? ""]?.thread_id ?? event.payload.thread_id;
    case "PostRecorded": {
      const { subject } = event.payload;
      return (state.jobs[subject] ?? state.turns[subject])?.thread_id ?? state.decisions[subject]?.thread_id ?? subject;
    }
    default:
      return event.payload.thread_id ?? "decisions";
  }
}
