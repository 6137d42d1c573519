/**
 * A typed message where something is open. It means the decision whose prompt it replies to, else the only one whose
 * prompt stands above it; where it might mean several, none is settled. A question takes what is written as its answer;
 * a permission or a plan only what clearly reads as one of its options, and anything else is the next job.
 */
import { compareSnowflakes } from "../base/ids.ts";
import { readAnswer, type Reading, type Unclear } from "./answer.ts";
import { answered, askedOf, isOpen, nextQuestion, REASKED_AT_MOST, refOf, type Answer, type Decision, type DecisionEvent, type From } from "./decision.ts";
import type { EndEvent, Heard, Jobs, QueueEvent } from "./job.ts";
import { PROMPT_PART, type PostCommand } from "./post.ts";
import { cancelQueued } from "./queue.ts";
import type { Pointed, ThreadEvent } from "./thread.ts";

export interface Answering {
  /** What was settled by the message, or said of it. */
  events: (DecisionEvent | ThreadEvent)[];
  /** It is no answer, and may be a job. */
  goesOn: boolean;
}

/** What a message means for what is open where it was written. */
export function answering(state: Jobs, message: Heard): Answering {
  const meant = message.reply_to === null ? undefined : repliedTo(state, message.reply_to);
  if (meant !== undefined && !isOpen(meant)) return late(meant, message);
  const open = meant === undefined ? openAt(state, message.thread_id).filter((one) => wasShown(state, one, message)) : [meant];
  if (open.length === 0) return NOTHING;
  if (message.prompt.trim() === "") return withoutWords(state, open, message);
  const might = open.filter((one) => one.kind === "question" || reading(one, message).kind === "options");
  const [only, ...others] = might;
  if (only === undefined) return goesOn(open, message);
  return others.length === 0 ? settling(only, message) : stays(might, message, "which");
}

/**
 * A message can be heard before the prompt above it is written down, when Discord's word of that got lost on the way;
 * then it is queued, and is the answer when that is. Asked with every post that is recorded.
 */
export function answeredMeanwhile(state: Jobs, { subject, part, message_id }: PostCommand): (DecisionEvent | ThreadEvent | EndEvent | QueueEvent)[] {
  const decision = state.decisions[subject];
  if (part !== PROMPT_PART || message_id === null || !decision || decision.shown !== null || !isOpen(decision)) return [];
  for (const job_id of state.sessions[decision.thread_id ?? ""]?.queue ?? []) {
    const job = state.jobs[job_id];
    if (!job || job.attempt > 1 || compareSnowflakes(job.discord_message_id, message_id) <= 0) continue;
    const message: Heard = { ...job, files: state.runs[job_id]?.files ?? [], refused_files: [], reply_to: null };
    if (job.prompt.trim() === "" || (decision.kind !== "question" && reading(decision, message).kind !== "options")) continue;
    return [...settling(decision, message).events, ...cancelQueued(state, job, "answer")];
  }
  return [];
}

/** What may be answered in this channel: its own decisions; in direct messages every one of that bot. */
export function openAt(state: Jobs, channelId: string): Decision[] {
  const direct = state.channels[channelId]?.kind === "direct" ? state.channels[channelId] : undefined;
  return Object.values(state.decisions).filter((one) => {
    if (!isOpen(one) || one.thread_id === null) return false;
    return direct ? state.threads[one.thread_id]?.bot_id === direct.bot_id : one.thread_id === channelId;
  });
}

const NOTHING: Answering = { events: [], goesOn: true };

/**
 * Whoever wrote before the prompt stood there did not mean it. Both ids are Discord's, so no clock of ours takes part.
 * A thread that was made for the question alone bears its name: whatever is written there is written to it, also in
 * the moment before its prompt stands.
 */
function wasShown(state: Jobs, { shown, thread_id, asker }: Decision, message: Heard): boolean {
  if (asker.by === "mcp" && asker.wanted_thread === null && thread_id === message.thread_id && !state.sessions[thread_id]) return true;
  if (shown === null) return thread_id === null || !state.sessions[thread_id];
  return compareSnowflakes(message.discord_message_id, shown) > 0;
}

function repliedTo(state: Jobs, messageId: string): Decision | undefined {
  return Object.values(state.decisions).find(({ decision_id }) =>
    Object.values(state.posts[decision_id] ?? {}).some((post) => post.message_id === messageId));
}

/** A reply to what is settled: what would have been its answer is none to anything else, and no prompt either. */
function late(settled: Decision, message: Heard): Answering {
  const wouldAnswer = settled.questions.some((_, place) => {
    const answers = settled.questions.map((__, index) => (index === place ? null : NO_ANSWER));
    return readAnswer(message.prompt, askedOf({ ...settled, answers })).kind === "options";
  });
  return wouldAnswer ? stays([settled], message, "settled") : NOTHING;
}

/**
 * Files alone are the answer to a question that has nothing to choose from. To anything else they are none: in a
 * session the next job, in a thread that is there for the question a message that was not understood.
 */
function withoutWords(state: Jobs, open: readonly Decision[], message: Heard): Answering {
  const [only, ...others] = open;
  const { thread_id, files } = message;
  const outside = !state.sessions[thread_id] && !state.channels[thread_id];
  if (others.length > 0) return outside ? stays(open, message, "which") : goesOn(open, message);
  if (only?.kind !== "question") return goesOn(open, message);
  if (files.length > 0 && askedOf(only).options.length === 0) return inWords(only, message);
  return outside ? notUnderstood(only, message, "nothing") : goesOn(open, message);
}

const NO_ANSWER = { places: [], words: null };

function settling(decision: Decision, message: Heard): Answering {
  const read = reading(decision, message);
  if (read.kind === "unclear") return notUnderstood(decision, message, read.why);
  return read.kind === "words" ? inWords(decision, message) : given(decision, message, { places: read.places, words: null });
}

function inWords(decision: Decision, message: Heard): Answering {
  const parts = [message.prompt.trim(), ...message.files].filter((part) => part !== "");
  return given(decision, message, { places: [], words: parts.join("\n") });
}

function given(decision: Decision, message: Heard, answer: Answer): Answering {
  const event = answered(decision, nextQuestion(decision), answer, fromOf(message), "words");
  // The one thing that can still stand in the way: not all of what it would allow was shown.
  return event === null ? stays([decision], message, "unseen") : { events: [event], goesOn: false };
}

function notUnderstood(decision: Decision, message: Heard, why: Unclear): Answering {
  const type = decision.reasked < REASKED_AT_MOST ? "DecisionReasked" : "DecisionAborted";
  return { events: [{ type, payload: { ...refOf(decision), ...fromOf(message), why } }], goesOn: false };
}

function fromOf({ discord_message_id, thread_id: channel_id }: Heard): From {
  return { discord_message_id, channel_id };
}

function reading(decision: Decision, { prompt }: Heard): Reading {
  return readAnswer(prompt, askedOf(decision));
}

function goesOn(open: readonly Decision[], message: Heard): Answering {
  return { events: [pointed(open, message, "open")], goesOn: true };
}

function stays(open: readonly Decision[], message: Heard, why: Pointed): Answering {
  return { events: [pointed(open, message, why)], goesOn: false };
}

function pointed(open: readonly Decision[], { thread_id, discord_message_id }: Heard, why: Pointed): ThreadEvent {
  return { type: "MessagePointed", payload: { thread_id, discord_message_id, why, decisions: open.map(({ decision_id }) => decision_id) } };
}
