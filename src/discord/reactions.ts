/**
 * The reaction on each of the owner's messages is the true state of its job: the journal first, then the sign. A
 * message has one sign of a state, and beside it a pencil where an edit counted; steps that pass faster than Discord
 * lets us react are left out, and the last one is written down, so that a restart neither repeats nor misses it.
 */
import type { APIMessage } from "discord-api-types/v10";
import { BellhopError } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import { openOf } from "../core/decision.ts";
import type { State } from "../core/house.ts";
import type { Job, JobState } from "../core/job.ts";
import type { Engine } from "../engine/engine.ts";
import { WAITING_SIGN } from "./job-card.ts";
import { failureKind } from "./rest-failure.ts";
import type { Rest } from "./rest.ts";

export interface ReactionsOptions {
  engine: Pick<Engine, "state" | "watch" | "submit">;
  rest: Pick<Rest, "call">;
  log: Log;
  botId: string;
}

export interface Reactions {
  /** Resolves when every message bears its sign, or cannot. */
  idle(): Promise<void>;
  close(): Promise<void>;
}

/** The part under which a job's last sign is recorded. */
export const REACTION_PART = "reaction";

export const signs: Record<JobState, string> = {
  queued: "⏳",
  running: "⚙️",
  success: "✅",
  failed: "❌",
  cancelled: "🚫",
  unknown_after_crash: "❓",
};
export const REFUSED_SIGN = "⚠️";
/** The job's prompt is what the message was edited to. */
export const EDITED_SIGN = "✏️";
const ALL = [...Object.values(signs), WAITING_SIGN, REFUSED_SIGN, EDITED_SIGN];

/** What a message should bear, its state first, and the job whose end makes that its last. */
interface Wanted {
  signs: readonly string[];
  final: string | null;
}

interface Bearer {
  messageId: string;
  threadId: string;
  /** Our signs on it as far as known; null: an earlier process may have put some. */
  borne: Set<string> | null;
  wanted: Wanted;
  /** Takes back a request that waits for a sign no longer wanted. */
  withdraw: AbortController;
  working: boolean;
}

export function openReactions(options: ReactionsOptions): Reactions {
  return new Signs(options);
}

class Signs implements Reactions {
  readonly #options: ReactionsOptions;
  readonly #bearers = new Map<string, Bearer>();
  readonly #waiters = new Set<() => void>();
  readonly #stop: () => void;
  #closed = false;

  constructor(options: ReactionsOptions) {
    this.#options = options;
    const { engine } = options;
    this.#stop = engine.watch((topics) => {
      for (const topic of topics) this.#attend(topic, true);
    });
    for (const threadId of Object.keys(engine.state.threads)) this.#attend(threadId, false);
  }

  idle(): Promise<void> {
    return new Promise((resolve) => {
      const ask = (): void => {
        if ([...this.#bearers.values()].some(({ working }) => working)) return;
        this.#waiters.delete(ask);
        resolve();
      };
      this.#waiters.add(ask);
      ask();
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#stop();
    for (const bearer of this.#bearers.values()) bearer.withdraw.abort();
    await this.idle();
  }

  /** `fresh`: what is new here came to be in this process, so its message bears nothing of ours yet. */
  #attend(threadId: string, fresh: boolean): void {
    const { state } = this.#options.engine;
    if (this.#closed || state.threads[threadId]?.bot_id !== this.#options.botId) return;
    const all = wantedIn(state, threadId);
    this.#forget(threadId, all);
    for (const [messageId, wanted] of all) {
      const bearer = this.#bearers.get(messageId);
      if (bearer) {
        if (!isSame(bearer.wanted, wanted)) bearer.withdraw.abort();
        bearer.wanted = wanted;
      } else if (!this.#isRecorded(wanted)) {
        const unsigned = fresh && wanted.final === null && isFirst(state, threadId, messageId);
        this.#bearers.set(messageId, newBearer(messageId, threadId, wanted, unsigned));
      }
      const awake = this.#bearers.get(messageId);
      if (awake && !awake.working) void this.#work(awake);
    }
  }

  #forget(threadId: string, wanted: Map<string, Wanted>): void {
    for (const [id, bearer] of this.#bearers) {
      if (bearer.threadId === threadId && !bearer.working && !wanted.has(id)) this.#bearers.delete(id);
    }
  }

  #isRecorded({ signs: all, final }: Wanted): boolean {
    return final !== null && this.#options.engine.state.posts[final]?.[REACTION_PART]?.hash === all.join("");
  }

  async #work(bearer: Bearer): Promise<void> {
    bearer.working = true;
    try {
      while (!this.#closed && !(await this.#settled(bearer))) await this.#step(bearer);
    } catch (error) {
      await this.#letGo(bearer, error);
    } finally {
      bearer.working = false;
      for (const ask of this.#waiters) ask();
    }
  }

  /** Whether nothing is left to do. The last sign is written down, and its message is done with. */
  async #settled(bearer: Bearer): Promise<boolean> {
    const { borne, wanted, messageId, threadId } = bearer;
    if (borne === null || borne.size !== wanted.signs.length || !wanted.signs.every((sign) => borne.has(sign))) return false;
    if (wanted.final !== null) await this.#record(wanted, threadId, messageId);
    // The owner may have had it retried meanwhile.
    if (!isSame(bearer.wanted, wanted)) return false;
    if (wanted.final !== null) this.#bearers.delete(messageId);
    return true;
  }

  /** One request nearer: the sign that is wanted first, then away with the others, so that there is always one. */
  async #step(bearer: Bearer): Promise<void> {
    bearer.withdraw = new AbortController();
    const { borne, wanted } = bearer;
    try {
      const missing = wanted.signs.find((sign) => borne?.has(sign) === false);
      const stale = [...(borne ?? [])].find((sign) => !wanted.signs.includes(sign));
      if (borne === null) {
        bearer.borne = await this.#ours(bearer);
      } else if (missing !== undefined) {
        await this.#react("PUT", bearer, missing);
        borne.add(missing);
      } else if (stale !== undefined) {
        await this.#react("DELETE", bearer, stale);
        borne.delete(stale);
      }
    } catch (error) {
      if (failureKind(error) !== "superseded") throw error;
    }
  }

  async #ours({ threadId, messageId, withdraw }: Bearer): Promise<Set<string>> {
    const path = `/channels/${threadId}/messages/${messageId}` as const;
    const message = await this.#options.rest.call<APIMessage>({ method: "GET", path, lane: "cosmetic", signal: withdraw.signal });
    const mine = (message.reactions ?? []).filter(({ me }) => me).map(({ emoji }) => bare(emoji.name ?? ""));
    return new Set(ALL.filter((sign) => mine.includes(bare(sign))));
  }

  async #react(method: "PUT" | "DELETE", { threadId, messageId, withdraw }: Bearer, sign: string): Promise<void> {
    const path = `/channels/${threadId}/messages/${messageId}/reactions/${encodeURIComponent(sign)}/@me` as const;
    await this.#options.rest.call({ method, path, lane: "cosmetic", signal: withdraw.signal });
  }

  /** The message is gone, or may not be reacted to: its job goes on without a sign. */
  async #letGo(bearer: Bearer, error: unknown): Promise<void> {
    const kind = failureKind(error);
    if (kind === "closed" || kind === "unauthorized" || error instanceof BellhopError) {
      this.#closed = true;
      return;
    }
    const { wanted, threadId, messageId } = bearer;
    const { log } = this.#options;
    if (kind === null) log.failure("a reaction could not be put right", error, { thread_id: threadId });
    else log.info("a message goes without its sign", { thread_id: threadId, message_id: messageId, reason: String(error) });
    // As if it were there: tried again only when it should be another.
    bearer.borne = new Set(wanted.signs);
    if (wanted.final === null) return;
    await this.#record(wanted, threadId, null).catch(() => undefined);
    if (isSame(bearer.wanted, wanted)) this.#bearers.delete(messageId);
  }

  async #record({ signs: all, final }: Wanted, channel_id: string, message_id: string | null): Promise<void> {
    const { engine } = this.#options;
    if (final === null || !engine.state.jobs[final]) return;
    await engine.submit({ type: "record_post", subject: final, part: REACTION_PART, channel_id, message_id, hash: all.join("") });
  }
}

function newBearer(messageId: string, threadId: string, wanted: Wanted, unsigned: boolean): Bearer {
  return { messageId, threadId, borne: unsigned ? new Set() : null, wanted, withdraw: new AbortController(), working: false };
}

function isFirst(state: State, threadId: string, messageId: string): boolean {
  return !jobsOf(state, threadId).some((job) => job.discord_message_id === messageId && job.attempt > 1);
}

function isSame(a: Wanted, b: Wanted): boolean {
  return a.signs.join("") === b.signs.join("");
}

/** Without the mark that asks for colour, which may be left out. */
function bare(emoji: string): string {
  return emoji.replaceAll("\ufe0f", "");
}

/** For each message of the thread that is in the live state: what it should bear, by its newest job. */
function wantedIn(state: State, threadId: string): Map<string, Wanted> {
  const newest = new Map<string, Job>();
  const edited = new Set<string>();
  for (const job of jobsOf(state, threadId)) {
    const known = newest.get(job.discord_message_id);
    if (!known || known.attempt < job.attempt) newest.set(job.discord_message_id, job);
    if (state.runs[job.job_id]?.edited) edited.add(job.discord_message_id);
  }
  const wanted = new Map<string, Wanted>();
  for (const [messageId, { state: is, job_id }] of newest) {
    const waits = is === "running" && openOf(state, job_id).length > 0;
    const sign = waits ? WAITING_SIGN : state.runs[job_id]?.was_answer ? signs.success : signs[is];
    const all = edited.has(messageId) ? [sign, EDITED_SIGN] : [sign];
    wanted.set(messageId, { signs: all, final: is === "queued" || is === "running" ? null : job_id });
  }
  for (const { thread_id, discord_message_id, change } of Object.values(state.notices)) {
    if (thread_id === threadId && change === null) wanted.set(discord_message_id, { signs: [REFUSED_SIGN], final: null });
  }
  return wanted;
}

function jobsOf(state: State, threadId: string): Job[] {
  const session = state.sessions[threadId];
  const ids = [...(state.threads[threadId]?.ended ?? []), session?.running_job_id ?? "", ...(session?.queue ?? [])];
  return ids.map((id) => state.jobs[id]).filter((job) => job !== undefined);
}
