/**
 * The state, the commands that ask for a change and the events that record one. `step` is the whole of the core:
 * it decides a command on the state, believes the events, and starts what may run. Pure: no clock, no chance, no
 * I/O; time comes in with the command, and `evolve` changes nothing but the state it is handed.
 */
import { decideChoice, evolveResumed, resumedBy } from "./after-crash.ts";
import { answeredMeanwhile } from "./answering.ts";
import { decideDecision, evolveDecision, evolveShown } from "./deciding.ts";
import type { DecisionCommand, DecisionEvent } from "./decision.ts";
import { decideEnd, evolveEnd } from "./ending.ts";
import { decideGrant, evolveGrant, type GrantCommand, type GrantEvent } from "./grant.ts";
import { decideHearing, evolveNoted } from "./hearing.ts";
import { decideInbox, evolveInbox, type InboxCommand, type InboxEvent } from "./inbox.ts";
import {
  decideProgress,
  evolveJob,
  type ChoiceCommand,
  type EndEvent,
  type HearCommand,
  type JobEvent,
  type Jobs,
  type MessageNoted,
  type ParkCommand,
  type QueueCommand,
  type QueueEvent,
  type Rules,
  type RunCommand,
} from "./job.ts";
import { decideParking, evolveParking } from "./parking.ts";
import { decidePost, evolvePost, type PostCommand, type PostEvent } from "./post.ts";
import { decideProject, evolveProject, type Catalogue, type ProjectCommand, type ProjectEvent } from "./project.ts";
import { decideQueue, evolveQueue, nextStart } from "./queue.ts";
import { decideSession, evolveSession, type SessionCommand, type SessionEvent, type Sessions } from "./session.ts";
import { decideThread, evolveThread, type ThreadCommand, type ThreadEvent } from "./thread.ts";
import { decideWake, type WakeCommand } from "./wake.ts";

/** What `snapshot.json` holds: seed B's keys, then the other nouns'. */
export interface State extends Catalogue, Sessions, Jobs {
  version: 1;
}

export type Command =
  | ProjectCommand
  | SessionCommand
  | ThreadCommand
  | HearCommand
  | RunCommand
  | ChoiceCommand
  | QueueCommand
  | ParkCommand
  | PostCommand
  | DecisionCommand
  | GrantCommand
  | InboxCommand
  | WakeCommand;

export type Event =
  | ProjectEvent
  | SessionEvent
  | ThreadEvent
  | MessageNoted
  | JobEvent
  | EndEvent
  | QueueEvent
  | DecisionEvent
  | GrantEvent
  | InboxEvent
  | PostEvent;

/** An event as the journal keeps it: with its time, ISO 8601. */
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

/** A record that holds nothing by birth: an id that somebody makes up (`constructor`) is in it only if it was put there. */
export function nothing<T>(): Record<string, T> {
  return Object.create(null) as Record<string, T>;
}

/**
 * Decides, evolves `state`, and returns what happened. Throws a `BellhopError` for a refusal, and what `check` throws
 * of an event that cannot be recorded; then nothing happened.
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
      return decideProject(state, command, at);
    case "start_session":
    case "open_session":
    case "drop_start":
    case "change_tool":
      return decideSession(state, command);
    case "channel_read":
    case "lose_thread":
    case "find_thread":
    case "open_channel":
      return decideThread(state, command);
    case "hear":
    case "edit_message":
    case "delete_message":
      return decideHearing(state, command, at, rules);
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
    case "put_back":
    case "park":
    case "unpark":
      return decideParking(state, command);
    case "record_post":
      return [...decidePost(state.posts, command), ...resumedBy(state, command), ...answeredMeanwhile(state, command)];
    case "ask":
    case "place_decision":
    case "see_page":
    case "answer":
    case "remind":
    case "lapse":
    case "disconnect":
    case "reconnect":
    case "void":
    case "answer_delivered":
      return decideDecision(state, command, at);
    case "revoke_grant":
      return decideGrant(state, command);
    case "receive":
    case "read_inbox":
    case "clear_inbox":
    case "import_inbox":
      return decideInbox(state, command);
    case "wake":
      return decideWake(state, rules);
  }
}

export function evolve(state: State, event: Recorded): void {
  switch (event.type) {
    case "ProjectCreated":
    case "ProjectUpdated":
    case "ProjectRemoved":
    case "ProjectSaved":
    case "ProjectSwitched":
      return evolveProject(state, event);
    case "SessionRequested":
    case "SessionRequestDropped":
    case "SessionCreated":
    case "ToolChanged":
      return evolveSession(state, event, event.ts);
    case "ChannelRead":
    case "ThreadLost":
    case "ThreadFound":
    case "MessageRefused":
    case "MessagePointed":
    case "ChannelOpened":
      return evolveThread(state, event, event.ts);
    case "MessageNoted":
      return evolveNoted(state, event, event.ts);
    case "PostRecorded":
      return posted(state, event);
    case "JobEnqueued":
    case "JobStarted":
    case "JobProgress":
    case "JobEdited":
    case "JobMoved":
    case "JobPutBack":
    case "JobCancelRequested":
      return evolveJob(state, event, event.ts);
    case "JobCompleted":
    case "JobFailed":
    case "JobCancelled":
    case "JobMarkedUnknownAfterCrash":
      return evolveEnd(state, event, event.ts);
    case "QueueResumed":
      return evolveResumed(state, event, event.ts);
    case "QueueStale":
    case "QueueChecked":
      return evolveQueue(state, event);
    case "SessionParked":
    case "SessionUnparked":
      return evolveParking(state, event, event.ts);
    case "DecisionAsked":
    case "DecisionPlaced":
    case "DecisionPageSeen":
    case "QuestionAnswered":
    case "DecisionAnswered":
    case "DecisionReasked":
    case "DecisionAborted":
    case "DecisionReminded":
    case "DecisionRefreshed":
    case "DecisionLapsed":
    case "DecisionDisconnected":
    case "DecisionReconnected":
    case "DecisionVoided":
    case "AnswerDelivered":
      return evolveDecision(state, event, event.ts);
    case "GrantRevoked":
      return evolveGrant(state, event);
    case "InboxReceived":
    case "InboxRead":
    case "InboxCleared":
    case "InboxImported":
      return evolveInbox(state, event);
  }
}

/** What an event is about, for the keepers: a thread's or channel's id, or `projects`, `starts`, `inbox`, `decisions` (of one that has no thread yet). */
export function topicOf(state: State, event: Event): string {
  switch (event.type) {
    case "ProjectCreated":
    case "ProjectUpdated":
    case "ProjectRemoved":
    case "ProjectSaved":
    case "ProjectSwitched":
      return "projects";
    case "SessionRequested":
    case "SessionRequestDropped":
      return "starts";
    case "ChannelRead":
    case "ChannelOpened":
      return event.payload.channel_id;
    case "InboxReceived":
    case "InboxRead":
    case "InboxCleared":
    case "InboxImported":
      return "inbox";
    case "PostRecorded": {
      const { subject } = event.payload;
      return state.jobs[subject]?.thread_id ?? state.decisions[subject]?.thread_id ?? subject;
    }
    default:
      return event.payload.thread_id ?? "decisions";
  }
}

/** Every event type this version understands; a journal with another one is refused (rule J10). */
export const eventTypes: ReadonlySet<Event["type"]> = new Set<Event["type"]>([
  "ProjectCreated",
  "ProjectUpdated",
  "ProjectRemoved",
  "ProjectSaved",
  "ProjectSwitched",
  "SessionRequested",
  "SessionRequestDropped",
  "SessionCreated",
  "ToolChanged",
  "ChannelRead",
  "ThreadLost",
  "ThreadFound",
  "MessageRefused",
  "MessagePointed",
  "ChannelOpened",
  "MessageNoted",
  "PostRecorded",
  "JobEnqueued",
  "JobStarted",
  "JobProgress",
  "JobEdited",
  "JobMoved",
  "JobPutBack",
  "JobCancelRequested",
  "JobCompleted",
  "JobFailed",
  "JobCancelled",
  "JobMarkedUnknownAfterCrash",
  "QueueResumed",
  "QueueStale",
  "QueueChecked",
  "SessionParked",
  "SessionUnparked",
  "DecisionAsked",
  "DecisionPlaced",
  "DecisionPageSeen",
  "QuestionAnswered",
  "DecisionAnswered",
  "DecisionReasked",
  "DecisionAborted",
  "DecisionReminded",
  "DecisionRefreshed",
  "DecisionLapsed",
  "DecisionDisconnected",
  "DecisionReconnected",
  "DecisionVoided",
  "AnswerDelivered",
  "GrantRevoked",
  "InboxReceived",
  "InboxRead",
  "InboxCleared",
  "InboxImported",
]);

/** A posted notice is done with; a post of a job that has left the live state is let go. */
function posted(state: State, event: PostEvent): void {
  const { subject, part, message_id } = event.payload;
  evolveShown(state.decisions[subject], part, message_id);
  if (state.notices[subject]) delete state.notices[subject];
  else if (!subject.startsWith("job_") || state.jobs[subject]) evolvePost(state.posts, event);
}
