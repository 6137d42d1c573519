/**
 * Handles a message, its edits and its deletion. A message becomes at most one job, in whatever order and however often
 * it arrives; an edit never creates one. Until its job starts, edits change the job; after that a change is only noted,
 * once.
 */
import type { ErrorCode, ErrorDetails } from "../../base/errors.ts";
import { releasedBy, cancelQueued } from "./queue.ts";
import { answerInQueue, readDecisionAnswer, decisionHoldingMessage, type Answering } from "../decisions/answering.ts";
import type { DecisionEvent } from "../decisions/decision.ts";
import { changedEntry, unansweredMessageEvents, type InboxEvent } from "../inbox/inbox.ts";
import {
  nextJobId,
  ref,
  type EndEvent,
  type MessageCommand,
  type IncomingMessage,
  type Job,
  type JobEvent,
  type MessageNoted,
  type QueueEvent,
  type Rules,
} from "./job.ts";
import { forwardsWith, heldForward } from "./forwards.ts";
import { workersIn } from "./job-or-turn.ts";
import { isUnderWay } from "./run.ts";
import { sentInto } from "./sending.ts";
import { reopenEvents, type ClosingEvent } from "./closing.ts";
import type { PostCommand } from "../posts/post.ts";
import type { State } from "../state.ts";
import type { Event } from "../slices.ts";
import { opensThreads, type Project } from "../projects/project.ts";
import { decideSession, type Session, type SessionEvent } from "../sessions/session.ts";
import { isHandled } from "../inbox/redelivered-messages.ts";
import { decideThread, oweNotice, type Change, type MessagePointed, type ThreadEvent } from "../sessions/thread.ts";
import { each, type Slice } from "../slice.ts";

type HearingEvent =
  | ClosingEvent
  | JobEvent
  | EndEvent
  | QueueEvent
  | ThreadEvent
  | MessagePointed
  | DecisionEvent
  | InboxEvent
  | SessionEvent
  | MessageNoted;
interface SendForward {
  type: "send_forward";
  thread_id: string;
  discord_message_id: string;
}
type MessageRefusal = { code: ErrorCode; details: ErrorDetails };

/** A message in the queue that turns out to be for the prompt above it, once that is recorded, is no job. */
function answeredFromQueue(state: State, command: PostCommand): Event[] {
  const answer = answerInQueue(state, command);
  if (answer === null) return [];
  const isUnclear = answer.events.some(({ type }) => type === "DecisionReasked");
  return [...answer.events, ...cancelQueued(state, answer.job, isUnclear ? "unclear" : "answer")];
}

function decideMessage(state: State, command: MessageCommand, at: string, rules: Rules): HearingEvent[] {
  if (command.type === "hear") {
    const events = hear(state, command, at, rules);
    // The owner can write there, so what kept us out may be over; Discord does not announce every right that is given
    // back.
    return events.length > 0
      ? [...events, ...decideThread(state, { type: "find_thread", thread_id: command.thread_id })]
      : [];
  }
  const job = liveJob(state, command.thread_id, command.discord_message_id);
  const held = decisionHoldingMessage(state, command.thread_id, command.discord_message_id)?.typed.pointed;
  // What its writer has changed is no reply any more: he may have meant to take it back.
  if (held?.reply_to !== undefined)
    return [
      {
        type: "MessagePointed",
        payload: {
          thread_id: command.thread_id,
          discord_message_id: command.discord_message_id,
          why: held.why,
          decisions: [...held.decisions],
          ...(held.words !== undefined && { words: held.words }),
        },
      },
    ];
  if (!job)
    return changedEntry(
      state,
      command.thread_id,
      command.discord_message_id,
      command.type === "edit_message" ? command.prompt : null,
    );
  return command.type === "edit_message" ? edit(state, job, command.prompt, rules) : remove(state, job);
}

/** A forward that its owner sends by its button is a prompt of its own. */
function sendForward(
  state: State,
  { thread_id, discord_message_id }: SendForward,
  at: string,
  rules: Rules,
): HearingEvent[] {
  const quote = heldForward(state, thread_id, discord_message_id);
  const message = { thread_id, discord_message_id, prompt: "", files: [], refused_files: [], reply_to: null };
  return quote === undefined ? [] : enqueue(state, { ...message, quotes: [quote] }, at, rules);
}

function evolveNoted(state: State, { payload }: MessageNoted, ts: string): void {
  const { thread_id, job_id, discord_message_id, change, code, details } = payload;
  const outcome = code ?? change;
  state.runs[job_id]?.noted.push(outcome);
  const subject = `${discord_message_id}:${outcome}`;
  oweNotice(state, { subject, thread_id, discord_message_id, change, code, details: { ...details }, at: ts });
}

const NO_ANSWER: Answering = { events: [], goesOn: true };

function hear(state: State, message: IncomingMessage, at: string, rules: Rules): HearingEvent[] {
  const { thread_id } = message;
  if (message.reopens) return reopen(state, message, at, rules);
  if (message.anyway) return sendAnyway(state, message, at, rules);
  const listened = state.threads[thread_id] ?? state.channels[thread_id];
  if (!listened || isHandled(state, thread_id, message.discord_message_id)) return [];
  const { events, goesOn } = message.is_prompt ? NO_ANSWER : readDecisionAnswer(state, message);
  if (!goesOn)
    return [
      ...events,
      ...refusedFiles({ ...message, refused_files: [...message.refused_files, ...unused(message, events)] }),
    ];
  const opens = opensThreads(state, thread_id);
  if (opens) return events.length > 0 ? events : opened(state, message, opens);
  const session = state.sessions[thread_id];
  // The job goes first: a crash may keep only the beginning of what is written together, and a message marked as
  // handled must have its job.
  if (session) return [...enqueue(state, message, at, rules), ...events];
  return events.length > 0 ? events : unansweredMessageEvents(state, message);
}

/** The message opens a thread on itself, and is read there as its first prompt. */
function opened(state: State, { thread_id, discord_message_id }: IncomingMessage, { name }: Project): SessionEvent[] {
  const { guild_id, bot_id } = state.channels[thread_id] ?? { guild_id: null, bot_id: "" };
  return decideSession(state, {
    type: "start_session",
    request_id: discord_message_id,
    on_message: discord_message_id,
    project_name: name,
    channel_id: thread_id,
    guild_id: guild_id ?? "",
    bot_id,
  });
}

/** Also where another message has opened the session since; only a message that was refused, and only once. */
function reopen(state: State, message: IncomingMessage, at: string, rules: Rules): HearingEvent[] {
  const events = reopenEvents(state, message.thread_id);
  return isRefused(state, message.thread_id, message.discord_message_id)
    ? [...events, ...enqueue(state, message, at, rules)]
    : events;
}

/** Whether its session was closed when it was written, and it has not been sent since. */
export function isRefused({ threads }: State, threadId: string, messageId: string): boolean {
  return threads[threadId]?.refused?.includes(messageId) ?? false;
}

/** Once, and only a message that was held back; where it cannot be queued, its pointer offers it again. */
function sendAnyway(state: State, message: IncomingMessage, at: string, rules: Rules): HearingEvent[] {
  const { thread_id, discord_message_id } = message;
  const held = decisionHoldingMessage(state, thread_id, discord_message_id);
  if (held === undefined) return [];
  const events = enqueue(state, message, at, rules);
  if (!events.some(({ type }) => type === "JobEnqueued")) return events;
  return [
    ...events,
    { type: "MessagePointed", payload: { thread_id, discord_message_id, why: "sent", decisions: [held.decision_id] } },
  ];
}

function enqueue(state: State, message: IncomingMessage, at: string, rules: Rules): HearingEvent[] {
  const { thread_id, discord_message_id, prompt, files } = message;
  const forwards = forwardsWith(state, message);
  const others = (message.quotes ?? []).filter((one) => !forwards.some(({ message_id: id }) => id === one.message_id));
  const quotes = [...forwards, ...others];
  const session = state.sessions[thread_id];
  const thread = state.threads[thread_id];
  if (!session) return [];
  const events: HearingEvent[] = [];
  const isClosed = thread?.closed !== undefined && !message.reopens;
  const refusal = isClosed
    ? ({ code: "E_SESSION_CLOSED", details: {} } as const)
    : refuse(session, { ...message, quotes }, rules);
  // Refused files do not stop the text beside them from running.
  if (refusal === null) {
    const fresh = { job_id: nextJobId(state, at), tool: session.tool, attempt: 1, retry_of: null, first: false };
    events.push({
      type: "JobEnqueued",
      payload: {
        thread_id,
        discord_message_id,
        prompt,
        ...fresh,
        files,
        ...(quotes.length > 0 && { quotes }),
        mode: "prompt",
      },
    });
  }
  if (refusal !== null && refusal !== "nothing left") {
    events.push({ type: "MessageRefused", payload: { thread_id, discord_message_id, ...refusal } });
  } else events.push(...refusedFiles(message));
  if (thread) events.push(...releasedBy(state, thread, discord_message_id));
  return events;
}

/**
 * Why a message becomes no job; null if it does. If it had nothing but refused files, only their refusal is reported.
 */
function refuse(
  session: Session,
  { prompt, files, refused_files, wordless, quotes = [] }: IncomingMessage,
  rules: Rules,
): MessageRefusal | "nothing left" | null {
  const long = tooLong(prompt, rules);
  if (long) return long;
  if (session.queue.length >= rules.max_queue_per_session) {
    return { code: "E_QUEUE_FULL", details: { limit: rules.max_queue_per_session } };
  }
  if (prompt.trim() !== "" || files.length > 0 || quotes.some(({ how }) => how === "forward")) return null;
  if (refused_files.length > 0) return "nothing left";
  return wordless === undefined
    ? { code: "E_EMPTY_PROMPT", details: {} }
    : { code: "E_NOT_A_PROMPT", details: { because: `why_message_${wordless}` } };
}

function tooLong(prompt: string, { max_prompt_chars: limit }: Rules): MessageRefusal | null {
  return prompt.length > limit ? { code: "E_PROMPT_TOO_LONG", details: { length: prompt.length, limit } } : null;
}

/** The files that came with an answer that does not include them. */
function unused(
  { files, unused_why: why }: IncomingMessage,
  events: readonly unknown[],
): IncomingMessage["refused_files"] {
  const outcome = JSON.stringify(events);
  const left = files.map(({ path }) => path).filter((path) => !outcome.includes(JSON.stringify(path).slice(1, -1)));
  return why === undefined
    ? []
    : left.map((path) => ({ name: path.slice(path.lastIndexOf("/") + 1).replace(/^\d+-/, ""), why }));
}

/** One notice for all files that are refused for the same reason. */
function refusedFiles({ thread_id, discord_message_id, refused_files }: IncomingMessage): ThreadEvent[] {
  const reasons = [...new Set(refused_files.map(({ why }) => why))];
  return reasons.map((why) => {
    const name = refused_files.flatMap((file) => (file.why === why ? [file.name] : [])).join(", ");
    const subject = `${discord_message_id}:${why}`;
    return {
      type: "MessageRefused",
      payload: { thread_id, discord_message_id, code: "E_ATTACHMENT_REFUSED", details: { name, why }, subject },
    };
  });
}

function edit(state: State, job: Job, prompt: string, rules: Rules): HearingEvent[] {
  // Discord also reports an edit when it adds a link preview; the text is the same then.
  if (prompt === job.prompt) return [];
  const run = state.runs[job.job_id];
  if (job.state !== "queued" || isUnderWay(state, job.job_id) || run?.mode === "continue")
    return note(state, job, "edited", null);
  const refusal = refusedWords(prompt, run?.files ?? [], rules);
  if (refusal) return note(state, job, "edited", refusal);
  return [{ type: "JobEdited", payload: { ...ref(job), prompt } }];
}

/** Why a job cannot have other words; null if it can. */
export function refusedWords(prompt: string, files: readonly unknown[], rules: Rules): MessageRefusal | null {
  return prompt.trim() === "" && files.length === 0 ? { code: "E_EMPTY_PROMPT", details: {} } : tooLong(prompt, rules);
}

function remove(state: State, job: Job): HearingEvent[] {
  return [...cancelQueued(state, job, "deleted"), ...note(state, job, "deleted", null)];
}

function note(state: State, job: Job, change: Change, refusal: MessageRefusal | null): MessageNoted[] {
  const { code, details } = refusal ?? { code: null, details: {} };
  if (state.runs[job.job_id]?.noted.includes(code ?? change)) return [];
  const { discord_message_id } = job;
  return [{ type: "MessageNoted", payload: { ...ref(job), discord_message_id, change, code, details } }];
}

/** The message's job that has not ended, or is part of one; a retry counts as the same message's. */
function liveJob(state: State, threadId: string, messageId: string): Job | undefined {
  const session = state.sessions[threadId];
  if (!session) return undefined;
  const running = workersIn(state, threadId);
  const part = running.flatMap((job_id) => sentInto(state, { job_id, thread_id: threadId }));
  const id = [...session.queue, ...running, ...part.map(({ job_id }) => job_id)].find(
    (one) => state.jobs[one]?.discord_message_id === messageId,
  );
  return id === undefined ? undefined : state.jobs[id];
}

export const messageSlice: Slice<MessageCommand | SendForward, MessageNoted> = {
  decide: { ...each(decideMessage, "hear", "edit_message", "delete_message"), send_forward: sendForward },
  evolve: { MessageNoted: evolveNoted },
  // What is deleted while it is being sent is taken back from the agent.
  kinds: "run",
  alsoDecides: { record_post: answeredFromQueue },
};
