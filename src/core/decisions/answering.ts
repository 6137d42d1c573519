/**
 * Reads a typed message while decisions are open. It is for the decision whose prompt it replies to, else for the only
 * one whose prompt is above it; if several are possible, none is settled. A question takes the text as its answer; a
 * permission or a plan only text that clearly names one of its options, and anything else is the next job. A request
 * for more time or a counter-question answers nothing: the question stays open.
 */
import { compareSnowflakes } from "../../base/ids.ts";
import { readAnswer, type Reading, type Unclear } from "./answers/read-answer.ts";
import { decisionsIn, decisionsNamed, isOpen, nextQuestion, openUnder, REASKED_AT_MOST, refOf, type Answer, type Decision, type DecisionEvent, type From, type KeptWhy } from "./decision.ts";
import { answered, askedOf, mayBeAllowed } from "./may-answer.ts";
import type { InboxEvent } from "../inbox/inbox.ts";
import type { EndEvent, IncomingMessage, Jobs, QueueEvent } from "../jobs/job.ts";
import { PAGE_PART, PROMPT_PART, subjectsAt, type PostCommand } from "../posts/post.ts";
import { cancelQueued } from "../jobs/queue.ts";
import type { Pointed, ThreadEvent } from "../sessions/thread.ts";

export interface Answering {
  /** What the message settled, or the notices about it. */
  events: (DecisionEvent | ThreadEvent)[];
  /** It is no answer, and may be a job. */
  goesOn: boolean;
}

/** What a message means for the decisions that are open where it was written. */
export function answering(state: Jobs, written: IncomingMessage): Answering {
  const message = withoutAddress(state, written);
  const meant = message.reply_to === null ? undefined : repliedTo(state, message.reply_to);
  if (meant !== undefined && !isOpen(meant)) return late(meant, message);
  if (meant === undefined && mayMeanUnrecorded(state, message)) return NOTHING;
  const open = meant === undefined ? openAt(state, message.thread_id).filter((one) => wasShown(state, one, message)) : [meant];
  if (open.length === 0) return NOTHING;
  if (message.prompt.trim() === "") return withoutWords(state, open, message);
  const might = open.filter((one) => one.kind === "question" || reading(one, message).kind === "options");
  const [only, ...others] = might;
  if (only === undefined) return goesOn(open, message);
  return others.length === 0 ? settling(only, message, isShownIn(state, only, message.thread_id)) : stays(might, message, "which");
}

type Meanwhile = DecisionEvent | ThreadEvent | EndEvent | QueueEvent | InboxEvent;

/**
 * If Discord's response is slow or lost, a message can arrive before the prompt above it, or the message it replies to,
 * is recorded; it is then in the queue or the inbox, and becomes the answer once that post is recorded. Checked for
 * every post that is recorded.
 */
export function answeredMeanwhile(state: Jobs, command: PostCommand): Meanwhile[] {
  const { subject, part, message_id, channel_id, partly } = command;
  const decision = state.decisions[subject];
  if (message_id === null || !decision || !isOpen(decision)) return [];
  const replied = byReply(state, decision, message_id, part === PROMPT_PART && !partly ? channel_id : null);
  if (replied.length > 0 || part !== PROMPT_PART || decision.shown !== null) return replied;
  for (const job_id of state.sessions[decision.thread_id ?? ""]?.queue ?? []) {
    const job = state.jobs[job_id];
    if (!job || job.attempt > 1 || compareSnowflakes(job.discord_message_id, message_id) <= 0) continue;
    const message = withoutAddress(state, { ...job, files: state.runs[job_id]?.files ?? [], refused_files: [], reply_to: null });
    if (message.prompt.trim() === "" || (decision.kind !== "question" && reading(decision, message).kind !== "options")) continue;
    return [...settling(decision, message, !partly && channel_id === message.thread_id).events, ...cancelQueued(state, job, "answer")];
  }
  return [];
}

/** The same when a decision gets its thread: before, a reply to its announcement answered nothing. */
export function answeredBeforePlaced(state: Jobs, { decision_id, thread_id }: { decision_id: string; thread_id: string }): Meanwhile[] {
  const decision = state.decisions[decision_id];
  if (!decision || !isOpen(decision) || decision.thread_id !== null) return [];
  const ids = Object.values(state.posts[decision_id] ?? {}).flatMap(({ message_id }) => message_id ?? []);
  return ids.map((id) => byReply(state, { ...decision, thread_id }, id, null)).find((events) => events.length > 0) ?? [];
}

/**
 * The owner's reply to this message, if still unread in the inbox, counts as the answer.
 * `shownIn`: the channel where the whole subject is shown.
 */
function byReply(state: Jobs, decision: Decision, messageId: string, shownIn: string | null): Meanwhile[] {
  if (decision.thread_id === null) return [];
  const entry = Object.values(state.inbox).find(({ reply_to, read }) => reply_to === messageId && !read);
  if (!entry || entry.content.trim() === "") return [];
  const { message_id: discord_message_id, content: prompt } = entry;
  const thread_id = entry.thread_id ?? entry.channel_id;
  const message = withoutAddress(state, { thread_id, discord_message_id, prompt, files: [], refused_files: [], reply_to: messageId });
  if (decision.kind !== "question" && reading(decision, message).kind !== "options") return [];
  return [...settling(decision, message, shownIn === thread_id).events, { type: "InboxCleared", payload: { message_ids: [discord_message_id] } }];
}

/** A mention of the bot only says who the message is for; it is not part of the answer. */
function withoutAddress({ threads, channels }: Jobs, message: IncomingMessage): IncomingMessage {
  const bot = (threads[message.thread_id] ?? channels[message.thread_id])?.bot_id;
  return bot === undefined ? message : { ...message, prompt: message.prompt.replaceAll(`<@${bot}>`, " ") };
}

/** The decisions that can be answered in this channel: its own; in direct messages all of that bot. */
function openAt(state: Jobs, channelId: string): Decision[] {
  const direct = state.channels[channelId]?.kind === "direct" ? state.channels[channelId] : undefined;
  if (!direct) return decisionsIn(state, channelId).filter(isOpen);
  return openUnder(state, direct.bot_id);
}

/** Whether a message written there may answer an open decision. */
export function mayAnswer(state: Jobs, channelId: string, replyTo: string | null): boolean {
  const meant = replyTo === null ? undefined : repliedTo(state, replyTo);
  return meant === undefined ? openAt(state, channelId).length > 0 : isOpen(meant);
}

/**
 * Where the files of such a message belong: in the session whose agent asked what it may answer, else where it was
 * written.
 */
export function filesFor(state: Jobs, channelId: string, replyTo: string | null): string {
  const meant = replyTo === null ? undefined : repliedTo(state, replyTo);
  const questions = (meant === undefined ? openAt(state, channelId) : [meant]).filter(({ kind }) => kind === "question");
  const [only, ...others] = questions;
  return others.length === 0 ? (only?.thread_id ?? channelId) : channelId;
}

const NOTHING: Answering = { events: [], goesOn: true };

/**
 * A message written before the prompt was shown is not meant for it. Both ids are Discord's, so our clock does not
 * matter. A thread created only for the question carries its name, so whatever is written there is meant for it, even
 * before its prompt is posted.
 */
function wasShown(state: Jobs, { shown, thread_id, asker }: Decision, message: IncomingMessage): boolean {
  if (asker.by === "mcp" && asker.wanted_thread === null && thread_id === message.thread_id && !state.sessions[thread_id]) return true;
  if (shown === null) return thread_id === null || !state.sessions[thread_id];
  return compareSnowflakes(message.discord_message_id, shown) > 0;
}

function repliedTo(state: Jobs, messageId: string): Decision | undefined {
  return decisionsNamed(state, subjectsAt(state.posts, messageId))[0];
}

/**
 * A reply to an unrecorded message that is newer than every recorded prompt, in a session where another prompt is on
 * its way: it waits in the queue until that one is recorded, and does not answer another.
 */
function mayMeanUnrecorded(state: Jobs, { thread_id, reply_to }: IncomingMessage): boolean {
  if (reply_to === null || !state.sessions[thread_id]) return false;
  const open = openAt(state, thread_id);
  return open.some(({ shown }) => shown === null) && open.every(({ shown }) => shown === null || compareSnowflakes(reply_to, shown) > 0);
}

/** A reply to a settled decision: what would have been its answer answers nothing else and is no prompt either. */
function late(settled: Decision, message: IncomingMessage): Answering {
  const wouldAnswer = settled.questions.some((_, place) => {
    const answers = settled.questions.map((__, index) => (index === place ? null : NO_ANSWER));
    return readAnswer(message.prompt, askedOf({ ...settled, answers })).kind === "options";
  });
  return wouldAnswer ? stays([settled], message, "settled") : NOTHING;
}

/**
 * A message with files only answers a question without options. Otherwise it is no answer: in a session it is the next
 * job, in a thread made for the question a message that was not understood.
 */
function withoutWords(state: Jobs, open: readonly Decision[], message: IncomingMessage): Answering {
  const [only, ...others] = open;
  const { thread_id, files } = message;
  const outside = !state.sessions[thread_id] && !state.channels[thread_id];
  if (others.length > 0) return outside ? stays(open, message, "which") : goesOn(open, message);
  if (only?.kind !== "question") return goesOn(open, message);
  if (files.length > 0 && askedOf(only).options.length === 0) return inWords(only, message);
  return outside ? notUnderstood(only, message, "nothing") : goesOn(open, message);
}

const NO_ANSWER = { places: [], words: null };

/** `isShown`: the whole subject is shown where the message was written. */
function settling(decision: Decision, message: IncomingMessage, isShown: boolean): Answering {
  const read = reading(decision, message);
  if (read.kind === "unclear" && (read.why === "later" || read.why === "question")) return keptOpen(decision, message, read.why);
  if (read.kind === "unclear") return notUnderstood(decision, message, read.why);
  return read.kind === "words" ? inWords(decision, message) : given(decision, message, { places: read.places, words: null }, isShown);
}

/**
 * Whether everything it would allow is shown in this channel: the prompt and each page that is a message. Elsewhere, in
 * a reminder or a list, it is shortened, and a yes there may mean less than would be done.
 */
function isShownIn({ posts }: Jobs, { decision_id }: Decision, channelId: string): boolean {
  const parts = Object.entries(posts[decision_id] ?? {}).filter(([part, { message_id }]) => message_id !== null && (part === PROMPT_PART || PAGE_PART.test(part)));
  return parts.length > 0 && parts.every(([, { channel_id }]) => channel_id === channelId);
}

/** The message is no answer and was not misunderstood: the question stays open, unchanged. */
function keptOpen(decision: Decision, message: IncomingMessage, why: KeptWhy): Answering {
  const { discord_message_id, thread_id: channel_id, prompt } = message;
  return { events: [{ type: "DecisionKeptOpen", payload: { ...refOf(decision), why, words: prompt.trim(), discord_message_id, channel_id } }], goesOn: false };
}

function inWords(decision: Decision, message: IncomingMessage): Answering {
  const parts = [message.prompt.trim(), ...message.files].filter((part) => part !== "");
  return given(decision, message, { places: [], words: parts.join("\n") }, true);
}

function given(decision: Decision, message: IncomingMessage, answer: Answer, all: boolean): Answering {
  const event = answered(decision, { question: nextQuestion(decision), answer, saw: { all } }, fromOf(message));
  if (event !== null) return { events: [event], goesOn: false };
  // The only other obstacle: not everything it would allow was shown, or not here.
  return stays([decision], message, mayBeAllowed(decision) ? "unseen" : "no_yes");
}

function notUnderstood(decision: Decision, message: IncomingMessage, why: Unclear): Answering {
  const type = decision.reasked < REASKED_AT_MOST ? "DecisionReasked" : "DecisionAborted";
  return { events: [{ type, payload: { ...refOf(decision), ...fromOf(message), why } }], goesOn: false };
}

function fromOf({ discord_message_id, thread_id: channel_id }: IncomingMessage): From {
  return { discord_message_id, channel_id };
}

function reading(decision: Decision, { prompt }: IncomingMessage): Reading {
  return readAnswer(prompt, askedOf(decision));
}

function goesOn(open: readonly Decision[], message: IncomingMessage): Answering {
  return { events: [pointed(open, message, "open")], goesOn: true };
}

function stays(open: readonly Decision[], message: IncomingMessage, why: Pointed): Answering {
  return { events: [pointed(open, message, why)], goesOn: false };
}

function pointed(open: readonly Decision[], { thread_id, discord_message_id }: IncomingMessage, why: Pointed): ThreadEvent {
  return { type: "MessagePointed", payload: { thread_id, discord_message_id, why, decisions: open.map(({ decision_id }) => decision_id) } };
}
