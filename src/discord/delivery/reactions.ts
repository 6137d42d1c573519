/**
 * The reaction on each of the owner's messages shows the true state of its job: the journal is written first, then the
 * emoji is set. A message has one emoji for its state, and a pencil if an edit counted; states that pass faster than
 * Discord lets us react are skipped, and the last one is recorded, so that a restart neither repeats nor misses it.
 * Messages that became no job have reactions of their own.
 */
import type { APIMessage } from "discord-api-types/v10";
import { decisionsIn, openOf } from "../../core/decisions/decision.ts";
import type { State, RecordedEvent } from "../../core/state.ts";
import { jobsOf, type Job, type JobState } from "../../core/jobs/job.ts";
import { signName } from "../../core/jobs/post-state.ts";
import { channelOf, isThreadOfBot, noticesIn } from "../../core/sessions/thread.ts";
import { reconcile, type Reconciler } from "../../engine/reconcile.ts";
import type { BotContext } from "../api/bot-context.ts";
import { failureKind } from "../api/transport.ts";
import { inServer, type Away } from "./in-server.ts";
import { signs, WAITING_SIGN } from "../views/message.ts";

export interface Reactions {
  /** Resolves when every message has its emoji, or cannot have it. */
  idle(): Promise<void>;
  close(): Promise<void>;
}

/** The part under which a job's last reaction is recorded. */
export const REACTION_PART = "reaction";

export const REFUSED_SIGN = "⚠️";
/** The job's prompt is the edited text of the message. */
export const EDITED_SIGN = "✏️";
/** The message is not understood, or was held back. */
const UNCLEAR_SIGN = "❓";
const HEARD_SIGNS = { answer: signs.success, unclear: UNCLEAR_SIGN };
/** The message is in the inbox. */
const RECEIVED_SIGN = "📥";
/** The message came while Bellhop was locked, and is not taken. */
const LOCKED_SIGN = "🔒";
const ALL = [...Object.values(signs), WAITING_SIGN, REFUSED_SIGN, EDITED_SIGN, UNCLEAR_SIGN, RECEIVED_SIGN];

/** The emoji a message should have, its state first, and the job to record them for, if they are final. */
interface DesiredReactions {
  signs: readonly string[];
  /** The same as a name. */
  is: string;
  /** Milliseconds since the epoch before which a message without an emoji of ours gets none. */
  notBefore?: number;
  final: string | null;
}

interface Marked {
  threadId: string;
  messageId: string;
  wanted: DesiredReactions;
  /** Our emoji on it as far as known; null: an earlier process may have set some. */
  there: Set<string> | null;
  /** How often its thread was found archived. */
  archived?: number;
}

/** How long a job runs before its message says so; its card says so earlier. */
const LASTING_MS = 5_000;
/** How long a thread that is archived is waited for: a post opens it, and the end of each job is one. */
const OPENS_MS = 2_000;
const OPENS_WITHIN = 5;

export function openReactions(context: BotContext, whenPresent?: Away): Reactions {
  return new MarkedMessages(context, whenPresent);
}

class MarkedMessages implements Reactions {
  readonly #context: BotContext;
  readonly #whenPresent: Away | undefined;
  /** By thread and message; only messages whose emoji are not final yet. */
  readonly #messages = new Map<string, Map<string, Marked>>();
  readonly #loop: Reconciler;

  constructor(context: BotContext, whenPresent: Away | undefined) {
    this.#context = context;
    this.#whenPresent = whenPresent;
    this.#loop = reconcile({
      ...context,
      failure: "a reaction could not be brought up to date",
      details: (key) => ({ thread_id: key.split(" ")[0] ?? "" }),
      follows: {
        kinds: ["queue", "run", "end", "wait", "decision", "notice"],
        all: ({ threads }) => Object.keys(threads).flatMap((threadId) => this.#messagesToUpdate(threadId, false)),
        about: (topic) => this.#messagesToUpdate(topic, true),
      },
      step: (key, again, changed) => this.#step(key, again, changed),
      // A thread's share Discord's limit, and hundreds may wait for it.
      line: (key) => key.split(" ")[0] ?? "",
    });
    this.#loop.start();
  }

  idle(): Promise<void> {
    return this.#loop.whenIdle();
  }

  close(): Promise<void> {
    return this.#loop.close();
  }

  /**
   * Returns the messages whose emoji are to change. `fresh`: what is new here was created in this process, so its
   * message has no emoji of ours yet.
   */
  #messagesToUpdate(threadId: string, fresh: boolean): string[] {
    const { state } = this.#context.engine;
    if (!isThreadOfBot(state, threadId, this.#context)) return [];
    const all = wantedIn(state, threadId);
    const here = this.#messages.get(threadId) ?? new Map<string, Marked>();
    // One that still waits gets its emoji, though its job may have left the live state meanwhile.
    for (const [messageId, message] of here) if (!all.has(messageId) && isShown(message)) here.delete(messageId);
    const news: string[] = [];
    for (const [messageId, wanted] of all)
      if (this.#setWanted(here, { threadId, messageId, wanted }, fresh)) news.push(`${threadId} ${messageId}`);
    if (here.size > 0) this.#messages.set(threadId, here);
    else this.#messages.delete(threadId);
    return news;
  }

  /** Notes what a message should have; returns whether that is news. */
  #setWanted(
    here: Map<string, Marked>,
    { threadId, messageId, wanted }: Omit<Marked, "there">,
    fresh: boolean,
  ): boolean {
    const known = here.get(messageId);
    if (known) {
      const isNew = !isSame(known.wanted, wanted);
      known.wanted = wanted;
      return isNew;
    }
    if (this.#isRecorded(wanted)) return false;
    const unmarked = fresh && wanted.final === null && isFirst(this.#context.engine.state, threadId, messageId);
    here.set(messageId, { threadId, messageId, wanted, there: unmarked ? new Set() : null });
    return true;
  }

  #isRecorded({ is, final }: DesiredReactions): boolean {
    return final !== null && this.#context.engine.state.posts[final]?.[REACTION_PART]?.is === is;
  }

  #step(key: string, again: boolean, changed: AbortSignal): Promise<number | null> | number | null {
    const [threadId = "", messageId = ""] = key.split(" ");
    const message = this.#messages.get(threadId)?.get(messageId);
    if (!message) return null;
    if (again) message.there = null;
    const ms = message.there?.size === 0 ? (message.wanted.notBefore ?? 0) - this.#context.clock.now() : 0;
    if (ms > 0) return Math.min(ms, LASTING_MS);
    return inServer(this.#whenPresent, changed, async () => (await this.#update(message, changed)) ?? null);
  }

  async #update(message: Marked, changed: AbortSignal): Promise<number | void> {
    const { wanted } = message;
    try {
      while (!changed.aborted && !isShown(message)) await this.#request(message, changed);
    } catch (error) {
      return this.#onRefused(message, error);
    }
    delete message.archived;
    // The owner may retry it meanwhile.
    if (!changed.aborted) await this.#done(message, wanted, message.messageId);
  }

  /** First adds the emoji that is wanted, then removes the others, so that there is always one. */
  async #request(message: Marked, changed: AbortSignal): Promise<void> {
    const { there, wanted } = message;
    const missing = wanted.signs.find((sign) => there?.has(sign) === false);
    const stale = [...(there ?? [])].find((sign) => !wanted.signs.includes(sign));
    if (there === null) {
      message.there = await this.#ours(message, changed);
    } else if (missing !== undefined) {
      await this.#react("PUT", message, missing, changed);
      there.add(missing);
    } else if (stale !== undefined) {
      await this.#react("DELETE", message, stale, changed);
      there.delete(stale);
    }
  }

  async #ours({ threadId, messageId }: Marked, signal: AbortSignal): Promise<Set<string>> {
    const channelId = channelOf(this.#context.engine.state, threadId, messageId);
    const path = `/channels/${channelId}/messages/${messageId}` as const;
    const message = await this.#context.rest.call<APIMessage>({ method: "GET", path, priority: "cosmetic", signal });
    const mine = (message.reactions ?? []).filter(({ me }) => me).map(({ emoji }) => bare(emoji.name ?? ""));
    return new Set(ALL.filter((sign) => mine.includes(bare(sign))));
  }

  async #react(method: "PUT" | "DELETE", message: Marked, sign: string, signal: AbortSignal): Promise<void> {
    const { threadId, messageId } = message;
    const channelId = channelOf(this.#context.engine.state, threadId, messageId);
    const path = `/channels/${channelId}/messages/${messageId}/reactions/${encodeURIComponent(sign)}/@me` as const;
    let isSent = false;
    try {
      await this.#context.rest.call({ method, path, priority: "cosmetic", signal, onSend: () => (isSent = true) });
    } catch (error) {
      // If the answer to an earlier try was lost, the reaction may be there all the same.
      if (isSent) message.there = null;
      throw error;
    }
  }

  /** The message is gone, or may not be reacted to: its job continues without an emoji. */
  async #onRefused(message: Marked, error: unknown): Promise<number | void> {
    const kind = failureKind(error);
    if (kind === "superseded") return;
    if (kind === "closed" || kind === "unauthorized") return void this.#loop.close();
    if (kind === "archived" && (message.archived = (message.archived ?? 0) + 1) < OPENS_WITHIN) return OPENS_MS;
    if (kind === null || kind === "archived") throw error;
    const { wanted, threadId, messageId } = message;
    this.#context.log.info("a message has no reaction for its state", {
      thread_id: threadId,
      message_id: messageId,
      reason: String(error),
    });
    // Treated as if it were there: tried again only when another one is wanted.
    message.there = new Set(wanted.signs);
    await this.#done(message, wanted, null);
  }

  /** Final emoji are recorded, and their message is done with. `message_id` null: it does not have them. */
  async #done(message: Marked, wanted: DesiredReactions, message_id: string | null): Promise<void> {
    const { engine } = this.#context;
    const { final, is } = wanted;
    if (final === null) return;
    const channel_id = message.threadId;
    if (engine.state.jobs[final])
      await engine.submit({
        type: "record_post",
        subject: final,
        part: REACTION_PART,
        channel_id,
        message_id,
        hash: wanted.signs.join(""),
        is,
      });
    if (isSame(message.wanted, wanted)) this.#messages.get(channel_id)?.delete(message.messageId);
  }
}

function isShown({ there, wanted }: Marked): boolean {
  return there?.size === wanted.signs.length && wanted.signs.every((sign) => there.has(sign));
}

function isFirst(state: State, threadId: string, messageId: string): boolean {
  const wasHeld = decisionsIn(state, threadId).some(({ typed }) => typed.pointed?.discord_message_id === messageId);
  // It may have been in the inbox before.
  if (channelOf(state, threadId, messageId) !== threadId) return false;
  return !wasHeld && !jobsOf(state, threadId).some((job) => job.discord_message_id === messageId && job.attempt > 1);
}

function isSame(a: DesiredReactions, b: DesiredReactions): boolean {
  return a.signs.length === b.signs.length && a.signs.every((sign, at) => sign === b.signs[at]);
}

/** Without the variation selector that asks for colour, which may be left out. */
function bare(emoji: string): string {
  return emoji.replaceAll("\ufe0f", "");
}

/** Whether the message's only job has ended and its emoji are recorded. Nearly all are, each time a thread changes. */
function isSettled({ runs, posts }: State, { job_id, state: is, attempt }: Job): boolean {
  const recorded = attempt === 1 && isFinal(is) ? posts[job_id]?.[REACTION_PART]?.is : undefined;
  if (recorded === undefined) return false;
  const run = runs[job_id];
  return !run?.retried_by && recorded === signName(is, run?.heard_as ?? null, run?.edited ?? false);
}

function isFinal(is: JobState): boolean {
  return is !== "queued" && is !== "running";
}

/** For each message of the thread whose emoji may not be final yet: those it should have, by its newest job. */
export function wantedIn(state: State, threadId: string): Map<string, DesiredReactions> {
  const newest = new Map<string, Job>();
  const edited = new Set<string>();
  for (const job of jobsOf(state, threadId)) {
    if (isSettled(state, job)) continue;
    const known = newest.get(job.discord_message_id);
    if (!known || known.attempt < job.attempt) newest.set(job.discord_message_id, job);
    if (state.runs[job.job_id]?.edited) edited.add(job.discord_message_id);
  }
  const wanted = new Map<string, DesiredReactions>();
  for (const [messageId, { state: is, job_id, started_at }] of newest) {
    const waits = is === "running" && openOf(state, job_id).length > 0;
    const heardAs = state.runs[job_id]?.heard_as ?? null;
    const sign = waits ? WAITING_SIGN : heardAs === null ? signs[is] : HEARD_SIGNS[heardAs];
    const all = edited.has(messageId) ? [sign, EDITED_SIGN] : [sign];
    wanted.set(messageId, {
      signs: all,
      is: waits ? "waiting" : signName(is, heardAs, edited.has(messageId)),
      final: isFinal(is) ? job_id : null,
      ...(is === "running" && !waits && all.length === 1 && { notBefore: Date.parse(started_at ?? "") + LASTING_MS }),
    });
  }
  for (const { discord_message_id, change, code } of noticesIn(state, threadId)) {
    // One that is kept out gets its emoji as soon as that is on disk.
    if (change === null && code !== "E_LOCKED" && code !== "E_KEPT_OUT")
      wanted.set(discord_message_id, { signs: [REFUSED_SIGN], is: "refused", final: null });
  }
  return wanted;
}

/**
 * Reactions on messages of the owner that became no job: taken as an answer, not understood, or put into the inbox.
 * One is set once the fact is on disk, and losing it loses nothing but the reaction.
 */
const ANSWERED_SIGN = "✅";

/** Returns a function to call with each accepted message and the events it led to. */
export function openReceipts({
  rest,
  log,
}: BotContext): (channelId: string, messageId: string, events: readonly RecordedEvent[]) => void {
  return (channelId, messageId, events) => {
    const sign = signOf(events);
    if (sign === null) return;
    const path = `/channels/${channelId}/messages/${messageId}/reactions/${encodeURIComponent(sign)}/@me` as const;
    rest.call({ method: "PUT", path, priority: "cosmetic" }).catch((error: unknown) => {
      if (failureKind(error) !== "closed")
        log.info("a message has no reaction for its state", {
          channel_id: channelId,
          message_id: messageId,
          reason: String(error),
        });
    });
  };
}

function signOf(events: readonly RecordedEvent[]): string | null {
  for (const event of events) {
    const { type } = event;
    if (event.type === "MessagePointed" && event.payload.decisions.length > 0 && event.payload.why !== "open")
      return UNCLEAR_SIGN;
    if (type === "DecisionAnswered" || type === "QuestionAnswered") return ANSWERED_SIGN;
    if (type === "DecisionReasked" || type === "DecisionAborted") return UNCLEAR_SIGN;
    if (type === "InboxReceived") return RECEIVED_SIGN;
    if (type === "MessageKeptOut") return LOCKED_SIGN;
  }
  return null;
}
