/**
 * Reads a typed message while decisions are open. A question takes the text as its answer: of the one it replies to,
 * else of the only one whose prompt is above it. A yes in words to a permission or a plan counts only in a reply to its
 * prompt or one of its pages, where the whole of it stands; a no also where it is the only one open. What says only
 * yes, no, a number or the like is no job while one is open: its writer is shown the prompt, and can send it as a
 * message. Anything else is the next job. A request for more time or a counter-question answers nothing: the question
 * stays open.
 */
import { compareSnowflakes, isOlderThan } from "../../base/ids.ts";
import { bareWord, type Bare } from "./answers/consent.ts";
import { readAnswer, type AnswerReading, type Unclear } from "./answers/read-answer.ts";
import { fitsConstraint } from "./answers/wanted.ts";
import {
  decisionsIn,
  decisionsNamed,
  isInTime,
  isOpen,
  nextQuestion,
  openDecisions,
  openUnder,
  REASKED_AT_MOST,
  refOf,
  type Answer,
  type Decision,
  type DecisionEvent,
  type From,
  type KeptWhy,
} from "./decision.ts";
import { answerEvent, askedOf, mayBeAllowed, noTo, rulesOf, yesTo } from "./may-answer.ts";
import { leftToTerminal } from "./settlement.ts";
import type { Event } from "../slices.ts";
import type { IncomingMessage, Job } from "../jobs/job.ts";
import { PAGE_PART, PROMPT_PART, subjectsAt, type PostCommand } from "../posts/post.ts";
import { markHandled } from "../inbox/redelivered-messages.ts";
import { oweNotice, type MessagePointed, type Pointed, type PointedMessage } from "../sessions/thread.ts";
import type { Slice } from "../slice.ts";
import type { State } from "../state.ts";

export interface Answering {
  /** What the message settled, or the notices about it. */
  events: (DecisionEvent | MessagePointed)[];
  /** It is no answer, and may be a job. */
  goesOn: boolean;
}

/** What a message means for the decisions that are open where it was written. */
export function readDecisionAnswer(state: State, written: IncomingMessage): Answering {
  const message = withoutAddress(state, written);
  const meant = message.reply_to === null ? undefined : repliedTo(state, message.reply_to);
  if (meant !== undefined && !isAnswerable(meant, message.discord_message_id)) return late(meant, message);
  if (meant !== undefined && meant.kind !== "question") return toPrompt(state, meant, message);
  const open = meant === undefined ? openAt(state, message.thread_id) : [meant];
  const consents = open.filter(needsConsent);
  const undecided = consents.length > 0 || meant !== undefined ? consents : overHere(state, message);
  const bare = undecided[0] === undefined ? null : bareIn(undecided[0], message);
  const isUnrecorded = meant === undefined && mayMeanUnrecorded(state, message);
  if (bare === null && isUnrecorded) return NOTHING;
  const shown =
    meant === undefined
      ? open.filter((one) => isInTime(one, message.discord_message_id) && wasShown(state, one, message))
      : open;
  const questions = isUnrecorded ? [] : shown.filter((one) => !needsConsent(one));
  if (bare !== null) return toMany(state, { questions, undecided }, message, bare);
  if (shown.length === 0) return NOTHING;
  if (message.prompt.trim() === "") return withoutWords(state, shown, message);
  const [only, ...others] = questions;
  if (only === undefined) return goesOn(shown, message);
  return others.length === 0 ? settling(only, message) : stays(questions, message, "which");
}

/**
 * Where nothing is open any more: what still stands in the terminal, else what ended without an answer after this was
 * written. A yes that is read back after a restart was meant for that, and is no work for the next agent.
 */
function overHere(state: State, { thread_id, discord_message_id: id }: IncomingMessage): Decision[] {
  const standing = leftToTerminal(state, thread_id);
  if (standing.length > 0) return standing;
  return decisionsIn(state, thread_id).filter(
    (one) =>
      needsConsent(one) &&
      one.state === "void" &&
      one.shown.first !== null &&
      compareSnowflakes(id, one.shown.first) > 0 &&
      isOlderThan(id, one.settled_at),
  );
}

const needsConsent = ({ kind }: Decision): boolean => kind !== "question";

/** A reply to the prompt of a permission or a plan, to one of its pages, or to what else was said of it. */
function toPrompt(state: State, decision: Decision, message: IncomingMessage): Answering {
  const bare = bareIn(decision, message);
  if (bare === null) return goesOn([decision], message);
  if (isPrompt(state, decision, message.reply_to))
    return consent(decision, message, bare, isShownIn(state, decision, message.thread_id));
  const [only, ...more] = openAt(state, message.thread_id).filter(needsConsent);
  return bare === "no" && only === decision && more.length === 0
    ? given(decision, message, noTo(decision), false)
    : stays([decision], message, bare === "yes" ? "unseen" : pointerFor(bare));
}

/** `isShown`: the whole of it is shown where the message was written. */
function consent(decision: Decision, message: IncomingMessage, bare: Bare, isShown: boolean): Answering {
  if (bare !== "yes" && bare !== "no") return stays([decision], message, pointerFor(bare));
  return given(decision, message, bare === "yes" ? yesTo(decision) : noTo(decision), isShown);
}

/** A message that says only yes, no or the like and replies to none of these. */
function toMany(
  state: State,
  { questions, undecided }: { questions: readonly Decision[]; undecided: readonly Decision[] },
  message: IncomingMessage,
  bare: Bare,
): Answering {
  const [question, ...others] = questions;
  if (question === undefined) {
    const [only, ...more] = undecided;
    const isNo =
      bare === "no" && only !== undefined && more.length === 0 && isOpen(only) && wasShown(state, only, message);
    if (isNo) return given(only, message, noTo(only), false);
    return stays(undecided, message, undecided.every(({ state: is }) => is === "void") ? "settled" : pointerFor(bare));
  }
  // A permission or a plan takes no number; anything else may be meant for each of them.
  const isForQuestion = bare === "place" || (bare === "stop" && reading(question, message).kind === "options");
  if (isForQuestion && others.length === 0) return settling(question, message);
  return bare === "stop" ? stays(undecided, message, "stop") : stays([...questions, ...undecided], message, "which");
}

function pointerFor(bare: Bare): Pointed {
  return bare === "stop" ? "stop" : "bare";
}

/** What the message says to a permission or a plan, if it says nothing else. */
function bareIn({ kind, questions }: Decision, { prompt, files }: IncomingMessage): Bare | null {
  if (files.length > 0) return null;
  const [yes = "", ...others] = questions[0]?.options.map(({ label }) => label) ?? [];
  return bareWord(prompt, { yes, no: others.at(-1) ?? "", other: kind === "permission" ? others.slice(0, -1) : [] });
}

/**
 * If Discord's response is slow or lost, a message can arrive before the prompt above it, or the message it replies to,
 * is recorded. It then waits in the queue or the inbox, or its writer was shown what is open; it becomes the answer
 * once that post is recorded. Checked for every post that is recorded.
 */
function answeredMeanwhile(state: State, command: PostCommand): Event[] {
  const { subject, part, message_id, channel_id, partly } = command;
  const decision = state.decisions[subject];
  if (message_id === null || !decision || !isOpen(decision)) return [];
  return byReply(state, decision, message_id, { isPrompt: isPromptPart(part), shownIn: partly ? null : channel_id });
}

/** The queued message that is the answer, where no reply is, with its answer; null if none is. */
export function answerInQueue(
  state: State,
  command: PostCommand,
): { job: Job; events: (DecisionEvent | MessagePointed)[] } | null {
  const { subject, part, message_id } = command;
  const decision = state.decisions[subject];
  if (message_id === null || !decision || !isOpen(decision) || part !== PROMPT_PART) return null;
  if (decision.shown.first !== null || needsConsent(decision) || answeredMeanwhile(state, command).length > 0)
    return null;
  for (const job_id of state.sessions[decision.thread_id ?? ""]?.queue ?? []) {
    const job = state.jobs[job_id];
    if (
      !job ||
      job.attempt > 1 ||
      compareSnowflakes(job.discord_message_id, message_id) <= 0 ||
      !isInTime(decision, job.discord_message_id)
    )
      continue;
    const message = withoutAddress(state, {
      ...job,
      files: state.runs[job_id]?.files ?? [],
      refused_files: [],
      reply_to: null,
    });
    if (message.prompt.trim() === "") continue;
    return { job, events: settling(decision, message).events };
  }
  return null;
}

/** The same when a decision gets its thread: before, a reply to its announcement answered nothing. */
function answeredBeforePlaced(
  state: State,
  { decision_id, thread_id }: { decision_id: string; thread_id: string },
): Event[] {
  const decision = state.decisions[decision_id];
  if (!decision || !isOpen(decision) || decision.thread_id !== null) return [];
  const ids = Object.values(state.posts[decision_id] ?? {}).flatMap(({ message_id }) => message_id ?? []);
  return (
    ids
      .map((id) => byReply(state, { ...decision, thread_id }, id, { isPrompt: false, shownIn: null }))
      .find((events) => events.length > 0) ?? []
  );
}

/**
 * The owner's reply to this message, if it is still unread in the inbox or was held back, counts as the answer.
 * `shownIn`: the channel where that message shows its part of the whole; null: it does not.
 */
function byReply(
  state: State,
  decision: Decision,
  messageId: string,
  { isPrompt: isPart, shownIn }: { isPrompt: boolean; shownIn: string | null },
): Event[] {
  if (decision.thread_id === null) return [];
  const reply = replyIn(state, messageId);
  if (reply === null || reply.prompt.trim() === "" || !isInTime(decision, reply.discord_message_id)) return [];
  const message = withoutAddress(state, { ...reply, files: [], refused_files: [], reply_to: messageId });
  const cleared: Event[] = state.inbox[reply.discord_message_id]
    ? [{ type: "InboxCleared", payload: { message_ids: [reply.discord_message_id] } }]
    : [];
  if (!needsConsent(decision)) return [...settling(decision, message).events, ...cleared];
  const bare = bareIn(decision, message);
  if (!isPart || (bare !== "yes" && bare !== "no")) return [];
  const isShown =
    shownIn === message.thread_id && promptsOf(state, decision).every(({ channel_id }) => channel_id === shownIn);
  return [...consent(decision, message, bare, isShown).events, ...cleared];
}

function replyIn(
  state: State,
  messageId: string,
): Pick<IncomingMessage, "thread_id" | "discord_message_id" | "prompt"> | null {
  const entry = Object.values(state.inbox).find(({ reply_to, read }) => reply_to === messageId && !read);
  if (entry)
    return {
      thread_id: entry.thread_id ?? entry.channel_id,
      discord_message_id: entry.message_id,
      prompt: entry.content,
    };
  const held = openDecisions(state)
    .map(({ typed }) => typed.pointed)
    .find((at) => at?.reply_to === messageId && isHeld(at));
  return held === undefined
    ? null
    : { thread_id: held.channel_id, discord_message_id: held.discord_message_id, prompt: held.words ?? "" };
}

/** A mention of the bot only says who the message is for; it is not part of the answer. */
function withoutAddress({ threads, channels }: State, message: IncomingMessage): IncomingMessage {
  const bot = (threads[message.thread_id] ?? channels[message.thread_id])?.bot_id;
  return bot === undefined ? message : { ...message, prompt: message.prompt.replaceAll(`<@${bot}>`, " ") };
}

/** The decisions that can be answered in this channel: its own; in direct messages all of that bot. */
function openAt(state: State, channelId: string): Decision[] {
  const direct = state.channels[channelId]?.kind === "direct" ? state.channels[channelId] : undefined;
  if (!direct) return decisionsIn(state, channelId).filter(isOpen);
  return openUnder(state, direct.bot_id);
}

const isAnswerable = (decision: Decision, messageId: string): boolean =>
  isOpen(decision) && isInTime(decision, messageId);

/** Whether a message written there may answer an open decision. */
export function mayAnswer(
  state: State,
  channelId: string,
  { id, replyTo }: { id: string; replyTo: string | null },
): boolean {
  const meant = replyTo === null ? undefined : repliedTo(state, replyTo);
  return (meant === undefined ? openAt(state, channelId) : [meant]).some((one) => isAnswerable(one, id));
}

/**
 * Where the files of such a message belong: in the session whose agent asked what it may answer, else where it was
 * written.
 */
export function filesFor(state: State, channelId: string, replyTo: string | null): string {
  const meant = replyTo === null ? undefined : repliedTo(state, replyTo);
  const questions = (meant === undefined ? openAt(state, channelId) : [meant]).filter((one) => !needsConsent(one));
  const [only, ...others] = questions;
  return others.length === 0 ? (only?.thread_id ?? channelId) : channelId;
}

/** The channels in which it may be answered: its thread, and wherever something of it is posted. */
export function placesOf({ posts }: State, { decision_id, thread_id, asker }: Decision): string[] {
  const posted = Object.values(posts[decision_id] ?? {}).map(({ channel_id }) => channel_id);
  return [...new Set([thread_id, asker.by === "mcp" ? asker.channel_id : null, ...posted])].filter((id) => id !== null);
}

const NOTHING: Answering = { events: [], goesOn: true };

/**
 * A message written before the prompt was shown is not meant for it. Both ids are Discord's, so our clock does not
 * matter. A thread created only for the question carries its name, so whatever is written there is meant for it, even
 * before its prompt is posted.
 */
function wasShown(state: State, { shown, thread_id, asker }: Decision, message: IncomingMessage): boolean {
  if (
    asker.by === "mcp" &&
    asker.wanted_thread === null &&
    thread_id === message.thread_id &&
    !state.sessions[thread_id]
  )
    return true;
  if (shown.first === null) return thread_id === null || !state.sessions[thread_id];
  return compareSnowflakes(message.discord_message_id, shown.first) > 0;
}

function repliedTo(state: State, messageId: string): Decision | undefined {
  return decisionsNamed(state, subjectsAt(state.posts, messageId))[0];
}

/**
 * A reply to an unrecorded message that is newer than every recorded prompt, in a session where another prompt is on
 * its way: it waits until that one is recorded, and does not answer another.
 */
function mayMeanUnrecorded(state: State, { thread_id, reply_to }: IncomingMessage): boolean {
  if (reply_to === null || !state.sessions[thread_id]) return false;
  const open = openAt(state, thread_id);
  return (
    open.some(({ shown }) => shown.first === null) &&
    open.every(({ shown }) => shown.first === null || compareSnowflakes(reply_to, shown.first) > 0)
  );
}

/** A reply to a settled decision: what would have been its answer answers nothing else and is no prompt either. */
function late(settled: Decision, message: IncomingMessage): Answering {
  return wouldAnswer(settled, message) ? stays([settled], message, "settled") : NOTHING;
}

function wouldAnswer(settled: Decision, message: IncomingMessage): boolean {
  if (needsConsent(settled)) return bareIn(settled, message) !== null;
  return settled.questions.some((question) => {
    const read = readAnswer(message.prompt, rulesOf(question));
    return read.kind === "options" || (read.kind === "unclear" && read.why === "which");
  });
}

/**
 * A message with files only answers a question without options. Otherwise it is no answer: in a session it is the next
 * job, in a thread made for the question a message that was not understood.
 */
function withoutWords(state: State, open: readonly Decision[], message: IncomingMessage): Answering {
  const [only, ...others] = open;
  const { thread_id, files } = message;
  const outside = !state.sessions[thread_id] && !state.channels[thread_id];
  if (others.length > 0) return outside ? stays(open, message, "which") : goesOn(open, message);
  if (only === undefined || needsConsent(only)) return goesOn(open, message);
  if (files.length > 0 && askedOf(only).options.length === 0) return inWords(only, message);
  return outside ? notUnderstood(only, message, "nothing") : goesOn(open, message);
}

function settling(question: Decision, message: IncomingMessage): Answering {
  const read = reading(question, message);
  if (read.kind === "unclear" && (read.why === "later" || read.why === "question"))
    return keptOpen(question, message, read.why);
  if (read.kind === "unclear") return notUnderstood(question, message, read.why);
  return read.kind === "words"
    ? inWords(question, message)
    : given(question, message, { places: read.places, words: null }, true);
}

function isPromptPart(part: string): boolean {
  return part === PROMPT_PART || PAGE_PART.test(part);
}

/** The messages that show what a yes would allow: the prompt and each page that is a message. */
function promptsOf({ posts }: State, { decision_id }: Decision): { channel_id: string; message_id: string }[] {
  return Object.entries(posts[decision_id] ?? {}).flatMap(([part, { channel_id, message_id }]) =>
    message_id !== null && isPromptPart(part) ? [{ channel_id, message_id }] : [],
  );
}

function isPrompt(state: State, decision: Decision, messageId: string | null): boolean {
  return promptsOf(state, decision).some(({ message_id }) => message_id === messageId);
}

/**
 * Whether everything it would allow is shown in this channel. Elsewhere, in a reminder or a list, it is shortened, and
 * a yes there may mean less than would be done.
 */
function isShownIn(state: State, decision: Decision, channelId: string): boolean {
  const prompts = promptsOf(state, decision);
  return prompts.length > 0 && prompts.every(({ channel_id }) => channel_id === channelId);
}

/** The message is no answer and was not misunderstood: the question stays open, unchanged. */
function keptOpen(decision: Decision, message: IncomingMessage, why: KeptWhy): Answering {
  const { discord_message_id, thread_id: channel_id, prompt } = message;
  return {
    events: [
      {
        type: "DecisionKeptOpen",
        payload: { ...refOf(decision), why, words: prompt.trim(), discord_message_id, channel_id },
      },
    ],
    goesOn: false,
  };
}

function inWords(decision: Decision, message: IncomingMessage): Answering {
  const parts = [message.prompt.trim(), ...message.files.map(({ path }) => path)].filter((part) => part !== "");
  const answer = { places: [], words: parts.join("\n") };
  return fitsConstraint(askedOf(decision).wanted, answer)
    ? given(decision, message, answer, true)
    : notUnderstood(decision, message, "unfit");
}

function given(decision: Decision, message: IncomingMessage, answer: Answer, all: boolean): Answering {
  const event = answerEvent(decision, { question: nextQuestion(decision), answer, saw: { all } }, fromOf(message));
  if (event !== null) return { events: [event], goesOn: false };
  // The only other obstacle: not everything it would allow was shown, or not here.
  return stays([decision], message, mayBeAllowed(decision) ? "unseen" : "no_yes");
}

function notUnderstood(decision: Decision, message: IncomingMessage, why: Unclear): Answering {
  // A plain yes or no that is repeated is no further answer that was not understood.
  const counts = why !== "which" || decision.typed.asked_which !== true;
  const type = !counts || decision.typed.reasked < REASKED_AT_MOST ? "DecisionReasked" : "DecisionAborted";
  return { events: [{ type, payload: { ...refOf(decision), ...fromOf(message), why } }], goesOn: false };
}

function fromOf({ discord_message_id, thread_id: channel_id }: IncomingMessage): From {
  return { discord_message_id, channel_id };
}

function reading(decision: Decision, { prompt }: IncomingMessage): AnswerReading {
  return readAnswer(prompt, askedOf(decision));
}

function goesOn(open: readonly Decision[], message: IncomingMessage): Answering {
  return { events: [pointed(open, message, "open")], goesOn: true };
}

function stays(open: readonly Decision[], message: IncomingMessage, why: Pointed): Answering {
  return { events: [pointed(open, message, why)], goesOn: false };
}

/** Longer words are not kept: whoever sends the message later reads it in Discord. */
const KEPT_CHARS = 60;

function pointed(
  open: readonly Decision[],
  { thread_id, discord_message_id, reply_to, prompt }: IncomingMessage,
  why: Pointed,
): MessagePointed {
  const words = prompt.trim();
  return {
    type: "MessagePointed",
    payload: {
      thread_id,
      discord_message_id,
      why,
      decisions: open.map(({ decision_id }) => decision_id),
      ...(words !== "" && words.length <= KEPT_CHARS && { words }),
      ...(reply_to !== null && { reply_to }),
    },
  };
}

/** Whether the message was kept from the agent, and can still be sent to it. */
export function isHeld({ why }: PointedMessage): boolean {
  return why !== "open" && why !== "sent";
}

/** The decision whose pointer offers to send this message. */
export function decisionHoldingMessage(state: State, threadId: string, messageId: string): Decision | undefined {
  return decisionsIn(state, threadId).find(
    ({ typed: { pointed: at } }) => at?.discord_message_id === messageId && at.channel_id === threadId && isHeld(at),
  );
}

/**
 * The first of the decisions keeps the message, for one pointer to all of them: another message changes it, and work
 * for the agent does so only where there is none yet. Where there is no decision, the message itself is owed a notice.
 */
function evolvePointed(state: State, { payload }: MessagePointed, ts: string): void {
  const { thread_id: channel_id, discord_message_id, why, decisions, ...more } = payload;
  markHandled(state, channel_id, discord_message_id);
  const first = state.decisions[decisions[0] ?? ""];
  if (first === undefined || why === "nothing") {
    const details = { decisions: decisions.join(",") };
    return oweNotice(state, {
      subject: `${discord_message_id}:${why}`,
      thread_id: channel_id,
      discord_message_id,
      change: why,
      code: null,
      details,
      at: ts,
    });
  }
  if (why === "open" && first.typed.pointed !== undefined) return;
  if (why === "sent" && first.typed.pointed !== undefined) first.typed.pointed = { ...first.typed.pointed, why };
  else first.typed.pointed = { why, discord_message_id, channel_id, decisions: [...decisions], ...more, at: ts };
}

export const answeringSlice: Slice<never, MessagePointed> = {
  decide: {},
  evolve: { MessagePointed: evolvePointed },
  kinds: "notice",
  alsoDecides: { record_post: answeredMeanwhile, place_decision: answeredBeforePlaced },
  // The first of the decisions has the pointer.
  topic: ({ decisions }, { payload }) => decisions[payload.decisions[0] ?? ""]?.thread_id ?? payload.thread_id,
};
