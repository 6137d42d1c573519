/**
 * `/queue` and everything pressed on its card: cancel one, move one first, clear. What a press names is looked at
 * when it is pressed, so it works days later and after a restart, and what has changed meanwhile is said instead of
 * done.
 */
import { ComponentType, MessageFlags, type APIMessageComponentInteraction } from "discord-api-types/v10";
import { BellhopError } from "../../base/errors.ts";
import { compareSnowflakes } from "../../base/ids.ts";
import { say, type Locale } from "../../base/words/say.ts";
import type { State } from "../../core/house.ts";
import type { Job } from "../../core/job.ts";
import { code, told } from "../body.ts";
import { hashOf } from "../posting.ts";
import { clearQuestion, newestOf, OLD_QUEUE_PART, QUEUE_PART, queueBody, queuedJob, queuePage } from "../queue-card.ts";
import { acknowledge, failureText, plain, type Reply } from "./reply.ts";
import type { Answer, Command, CommandRoom, Standing } from "./room.ts";
import { sessionHere } from "./session-here.ts";

/** Up to so many are cleared without asking again. */
const CLEARED_AT_ONCE = 3;
const BUTTON = /^q-(?:(cancel|first):(job_\d{8}_\d{4,12})|(clear|pick):(\d{17,20})|(page):(\d{17,20}):(\d{1,4})|(sure):(\d{17,20}):(job_\d{8}_\d{4,12}))$/;

export const queue: Command = {
  name: "queue",
  ephemeral: false,
  run({ interaction }, { engine, locale }) {
    return Promise.resolve().then(() => {
      const { thread_id } = sessionHere(engine.state, interaction.channel.id);
      // In the language the card is kept in, or it would change it at the first edit.
      const { content, embeds, components } = queueBody(engine.state, thread_id, locale);
      return { content, embeds, components };
    });
  },
  stands: (message, answer, { interaction }, room) => keep(interaction.channel.id, message, hashOf({ ...told({}), ...answer }), room),
};

/** A press whose id begins with `q-`. Never throws. */
export async function pressQueue(interaction: APIMessageComponentInteraction, locale: Locale, room: CommandRoom): Promise<void> {
  const reply = await acknowledge(interaction, "button", room);
  if (!reply) return;
  const press = { interaction, locale, room, reply, alone: ((interaction.message.flags ?? 0) & MessageFlags.Ephemeral) !== 0 };
  try {
    await act(press);
  } catch (error) {
    await reply.whisper(failureText(error, locale, room));
  }
}

interface Press {
  interaction: APIMessageComponentInteraction;
  locale: Locale;
  room: CommandRoom;
  reply: Reply;
  /** Pressed on a message that only its presser sees, which an answer may replace. */
  alone: boolean;
}

async function act(press: Press): Promise<void> {
  const [, change, job = "", whole, thread = "", page, paged = "", number = "", sure, cleared = "", newest = ""] = BUTTON.exec(press.interaction.data.custom_id) ?? [];
  const { state } = press.room.engine;
  if (change === "cancel" || change === "first") return changeOne(press, change, job);
  const threadId = `${thread}${paged}${cleared}`;
  // A thread that is no session's (any more) has nothing waiting that a press could mean.
  if (!Object.hasOwn(state.sessions, threadId)) throw new BellhopError("E_DECISION_CLOSED");
  await adopt(press, threadId);
  if (page !== undefined) return show(press, queuePage(state, threadId, Number(number), press.locale));
  if (whole === "pick") return pick(press);
  return clear(press, threadId, sure === undefined ? null : newest);
}

async function changeOne(press: Press, change: "cancel" | "first", jobId: string): Promise<void> {
  const { room, locale } = press;
  const job = waitingJob(room.engine.state, jobId);
  if (!job) return done(press, say(locale, "queue_stale", { job: code(jobId) }), true);
  await adopt(press, job.thread_id);
  if (change === "cancel") {
    await room.engine.submit({ type: "cancel_job", job_id: jobId, by: "owner" });
    return done(press, say(locale, "queue_cancelled", { job: code(jobId) }), false);
  }
  const events = await room.engine.submit({ type: "move_first", job_id: jobId });
  return done(press, say(locale, events.length > 0 ? "queue_is_first" : "queue_was_first", { job: code(jobId) }), events.length === 0);
}

async function pick(press: Press): Promise<void> {
  const { data } = press.interaction;
  const [chosen = ""] = data.component_type === ComponentType.StringSelect ? data.values : [];
  const { state } = press.room.engine;
  const job = waitingJob(state, chosen);
  await press.reply.whisper(job ? answerOf(queuedJob(state, job, press.locale)) : say(press.locale, "queue_stale", { job: code(chosen, 100) }));
}

/** @param sure the newest job of the queue as it was when its clearing was confirmed; null: not asked yet */
async function clear(press: Press, threadId: string, sure: string | null): Promise<void> {
  const { room, locale } = press;
  const waiting = room.engine.state.sessions[threadId]?.queue ?? [];
  if (waiting.length === 0) return done(press, say(locale, "queue_none"), true);
  const grown = sure !== null && sure !== newestOf(waiting);
  if (grown || (sure === null && waiting.length > CLEARED_AT_ONCE)) {
    return show(press, clearQuestion(threadId, waiting, locale, grown));
  }
  const events = await room.engine.submit({ type: "clear_queue", thread_id: threadId });
  const count = events.filter(({ type }) => type === "JobCancelled").length;
  return done(press, say(locale, "queue_cleared", { count }), false);
}

/** The job, if it waits in its thread's queue. */
function waitingJob(state: State, jobId: string): Job | null {
  const job = Object.hasOwn(state.jobs, jobId) ? state.jobs[jobId] : undefined;
  return job && state.sessions[job.thread_id]?.queue.includes(jobId) ? job : null;
}

/** Says it where it was pressed; the thread's card shows by itself what was done, so there only what was not is told. */
async function done({ reply, alone }: Press, words: string, unexpected: boolean): Promise<void> {
  if (alone) await reply.answer({ ...plain(words), components: [] });
  else if (unexpected) await reply.whisper(words);
}

async function show({ reply, alone }: Press, body: Answer): Promise<void> {
  const answer = answerOf(body);
  if (alone) await reply.answer(answer);
  else await reply.whisper(answer);
}

function answerOf({ content, embeds, components = [] }: Answer): Answer {
  return { content, embeds, components };
}

/** A card that stands but was not written down, because we were stopped in between, is written down when it is pressed. */
async function adopt({ interaction, alone, room }: Press, threadId: string): Promise<void> {
  const { message } = interaction;
  const known = room.engine.state.posts[threadId]?.[QUEUE_PART]?.message_id;
  if (alone || message.channel_id !== threadId || known === message.id) return;
  if (known && compareSnowflakes(message.id, known) < 0) return;
  await keep(threadId, { id: message.id, channel_id: message.channel_id }, "pressed", room);
}

/** From now on this is the thread's card; the one before it is closed. */
async function keep(threadId: string, message: Standing, hash: string, { engine }: CommandRoom): Promise<void> {
  const before = engine.state.posts[threadId]?.[QUEUE_PART];
  const record = { type: "record_post", subject: threadId } as const;
  const written = [];
  if (before?.message_id && before.message_id !== message.id) {
    written.push(engine.submit({ ...record, part: OLD_QUEUE_PART, channel_id: before.channel_id, message_id: before.message_id, hash: "open" }));
  }
  written.push(engine.submit({ ...record, part: QUEUE_PART, channel_id: message.channel_id, message_id: message.id, hash }));
  await Promise.all(written);
}
