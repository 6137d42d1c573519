/** Which part of the state an event changes, so that only those who follow that part look at it. */
import type { Event, State } from "./state.ts";

/**
 * What an event is about, for the reconcilers: a thread or channel id; for what belongs to none, a word such as `projects`,
 * `starts`, `inbox`, or `decisions` (for one without a thread yet).
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
      return state.adoptions?.[event.payload.claude_session]?.channel_id ?? "adoptions";
    case "InboxReceived":
    case "InboxRead":
    case "InboxCleared":
    case "InboxEdited":
    case "InboxImported":
      return "inbox";
    case "AgentPostNoted":
      return "agent_posts";
    case "WorktreeOrphaned":
      return "orphans";
    case "PostRecorded": {
      const { subject } = event.payload;
      return (state.jobs[subject] ?? state.turns?.[subject])?.thread_id ?? state.decisions[subject]?.thread_id ?? subject;
    }
    default:
      return event.payload.thread_id ?? "decisions";
  }
}
