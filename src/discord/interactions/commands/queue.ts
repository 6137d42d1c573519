/**
 * `/queue` and all presses on its card: send one now, cancel one, move one first, clear. What a press names is checked
 * when it is pressed, so it works days later and after a restart; if it has changed meanwhile, nothing is done and the
 * presser is told.
 */
import { entryOf } from "../../../base/entry.ts";
import { BellhopError } from "../../../base/errors.ts";
import { compareSnowflakes } from "../../../base/ids.ts";
import { say } from "../../../base/words/say.ts";
import type { State } from "../../../core/state.ts";
import type { Job } from "../../../core/jobs/job.ts";
import { isUnderWay } from "../../../core/jobs/run.ts";
import { sendable } from "../../../core/jobs/sending.ts";
import { UNKNOWN } from "../../../core/posts/post.ts";
import { code, systemBody, hashOf } from "../../views/message.ts";
import {
  clearQuestion,
  newestOf,
  OLD_QUEUE_PART,
  QUEUE_PART,
  queueBody,
  queuedJob,
  queueName,
  queuePage,
} from "../../views/queue-card.ts";
import { plainAnswer, replyPrivately, type Handlers, type Press } from "../reply.ts";
import type { InteractionAnswer, SlashCommand, CommandContext, MessageRef } from "../command.ts";
import { sessionHere } from "../find.ts";

/** Up to this many are cleared without confirmation. */
const CLEARED_AT_ONCE = 3;

export const queue: SlashCommand = {
  name: "queue",
  options: [],
  ephemeral: false,
  run({ interaction }, { engine, locale }) {
    return Promise.resolve().then(() => {
      const { thread_id } = sessionHere(engine.state, interaction.channel.id);
      // In the card's own language: otherwise the first edit would change it.
      const { content, embeds, components } = queueBody(engine.state, thread_id, locale, engine.diskFull);
      return { content, embeds, components };
    });
  },
  onPosted: (message, answer, { interaction }, context) => {
    const {
      engine: { state, diskFull },
      locale,
    } = context;
    const { id } = interaction.channel;
    const hash = hashOf({ ...systemBody({}), ...answer });
    // The queue may have changed since the answer was made.
    return keep(
      id,
      message,
      { hash, is: hash === hashOf(queueBody(state, id, locale, diskFull)) ? queueName(state, id, diskFull) : UNKNOWN },
      context,
    );
  },
};

export const queueButtons: Handlers<
  | "cancel_queued"
  | "move_to_front"
  | "send_queued"
  | "pick_queued"
  | "clear_queue"
  | "queue_page"
  | "confirm_clear_queue"
> = {
  cancel_queued: ({ job }, press) => changeOne(press, "cancel", job),
  move_to_front: ({ job }, press) => changeOne(press, "first", job),
  send_queued: ({ job }, press) => sendNow(press, job),
  pick_queued: async ({ thread }, press) => {
    await ofSession(press, thread);
    await pick(press);
  },
  queue_page: async ({ thread, page }, press) => {
    await ofSession(press, thread);
    await replyPrivately(press, answerOf(queuePage(press.context.engine.state, thread, Number(page), press.locale)));
  },
  clear_queue: async ({ thread }, press) => {
    await ofSession(press, thread);
    await clear(press, thread, null);
  },
  confirm_clear_queue: async ({ thread, job }, press) => {
    await ofSession(press, thread);
    await clear(press, thread, job);
  },
};

/** A thread that is no (longer a) session's has nothing waiting. */
async function ofSession(press: Press, threadId: string): Promise<void> {
  if (!Object.hasOwn(press.context.engine.state.sessions, threadId)) throw new BellhopError("E_DECISION_CLOSED");
  await adopt(press, threadId);
}

async function changeOne(press: Press, change: "cancel" | "first", jobId: string): Promise<void> {
  const { context, locale } = press;
  const job = waitingJob(context.engine.state, jobId);
  if (!job) return done(press, say(locale, "queue_stale", { job: code(jobId) }), true);
  await adopt(press, job.thread_id);
  const isSending = isUnderWay(context.engine.state, jobId);
  if (isSending && change === "first") return done(press, say(locale, "queue_sending", { job: code(jobId) }), true);
  if (change === "cancel") {
    await context.engine.submit({ type: "cancel_job", job_id: jobId, by: "owner" });
    return done(
      press,
      say(locale, isSending ? "queue_taking_back" : "queue_cancelled", { job: code(jobId) }),
      isSending,
    );
  }
  const events = await context.engine.submit({ type: "move_first", job_id: jobId });
  return done(
    press,
    say(locale, events.length > 0 ? "queue_is_first" : "queue_was_first", { job: code(jobId) }),
    events.length === 0,
  );
}

/** What becomes of it shows on the card, the answer and the message itself. */
async function sendNow(press: Press, jobId: string): Promise<void> {
  const { context, locale } = press;
  const job = waitingJob(context.engine.state, jobId);
  const words = { job: code(jobId) };
  if (!job) return done(press, say(locale, "queue_stale", words), true);
  const events = await context.engine.submit({ type: "send_now", job_id: jobId });
  if (events.length > 0) return done(press, say(locale, "queue_sending", words), false);
  const may = sendable(context.engine.state, job);
  return done(
    press,
    say(locale, may === "asks" ? "queue_send_asks" : may === "alone" ? "queue_send_alone" : "queue_sending", words),
    true,
  );
}

async function pick(press: Press): Promise<void> {
  const [chosen = ""] = press.values;
  const { state } = press.context.engine;
  const job = waitingJob(state, chosen);
  await press.reply.ephemeral(
    job ? answerOf(queuedJob(state, job, press.locale)) : say(press.locale, "queue_stale", { job: code(chosen, 100) }),
  );
}

/** @param sure the newest job of the queue when clearing it was confirmed; null: not confirmed yet */
async function clear(press: Press, threadId: string, sure: string | null): Promise<void> {
  const { context, locale } = press;
  const waiting = context.engine.state.sessions[threadId]?.queue ?? [];
  if (waiting.length === 0) return done(press, say(locale, "queue_none"), true);
  const grown = sure !== null && sure !== newestOf(waiting);
  if (grown || (sure === null && waiting.length > CLEARED_AT_ONCE)) {
    return void (await replyPrivately(press, answerOf(clearQuestion(threadId, waiting, locale, grown))));
  }
  const events = await context.engine.submit({ type: "clear_queue", thread_id: threadId });
  const count = events.filter(({ type }) => type === "JobCancelled").length;
  return done(press, say(locale, "queue_cleared", { count }), false);
}

/** The job, if it waits in its thread's queue. */
function waitingJob(state: State, jobId: string): Job | null {
  const job = entryOf(state.jobs, jobId);
  return job && state.sessions[job.thread_id]?.queue.includes(jobId) ? job : null;
}

/** Reports the result where it was pressed; the thread's card updates itself, so there only a failure is reported. */
async function done({ reply, alone }: Press, words: string, unexpected: boolean): Promise<void> {
  if (alone) await reply.respond({ ...plainAnswer(words), components: [] });
  else if (unexpected) await reply.ephemeral(words);
}

function answerOf({ content, embeds, components = [] }: InteractionAnswer): InteractionAnswer {
  return { content, embeds, components };
}

/** Records a card that was posted but not recorded, because the daemon was stopped in between, when it is pressed. */
async function adopt({ interaction, alone, context }: Press, threadId: string): Promise<void> {
  const { message } = interaction;
  const known = context.engine.state.posts[threadId]?.[QUEUE_PART]?.message_id;
  if (alone || message.channel_id !== threadId || known === message.id) return;
  if (known && compareSnowflakes(message.id, known) < 0) return;
  await keep(threadId, { id: message.id, channel_id: message.channel_id }, { hash: "pressed", is: UNKNOWN }, context);
}

/** Makes this message the thread's card; the previous one is closed. */
async function keep(
  threadId: string,
  message: MessageRef,
  { hash, is }: { hash: string; is: string },
  { engine }: CommandContext,
): Promise<void> {
  const before = engine.state.posts[threadId]?.[QUEUE_PART];
  const record = { type: "record_post", subject: threadId } as const;
  const written = [];
  if (before?.message_id && before.message_id !== message.id) {
    written.push(
      engine.submit({
        ...record,
        part: OLD_QUEUE_PART,
        channel_id: before.channel_id,
        message_id: before.message_id,
        hash: "open",
        is: UNKNOWN,
      }),
    );
  }
  written.push(
    engine.submit({ ...record, part: QUEUE_PART, channel_id: message.channel_id, message_id: message.id, hash, is }),
  );
  await Promise.all(written);
}
