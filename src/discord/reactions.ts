/**
 * The reaction on each of the owner's messages is the true state of its job: the journal first, then the sign. A
 * message has one sign of ours; steps that pass faster than Discord lets us react are left out, and the last one is
 * written down, so that a restart neither repeats nor misses it.
 */
import type { APIMessage } from "discord-api-types/v10";
import { BellhopError } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import type { State } from "../core/house.ts";
import type { Job, JobState } from "../core/job.ts";
import type { Engine } from "../engine/engine.ts";
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
const ALL = [...Object.values(signs), REFUSED_SIGN];

/** What a message should bear, and the job whose end makes it its last. */
interface Wanted {
  sign: string;
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
  const { engine, rest, log } = options;
  const bearers = new Map<string, Bearer>();
  const waiters = new Set<() => void>();
  let closed = false;

  const stop = engine.watch((topics) => {
    for (const topic of topics) attend(topic, true);
  });
  for (const threadId of Object.keys(engine.state.threads)) attend(threadId, false);

  /** `fresh`: what is new here came to be in this process, so its message bears nothing of ours yet. */
  function attend(threadId: string, fresh: boolean): void {
    if (closed || engine.state.threads[threadId]?.bot_id !== options.botId) return;
    const all = wantedIn(engine.state, threadId);
    for (const [id, bearer] of bearers) if (bearer.threadId === threadId && !bearer.working && !all.has(id)) bearers.delete(id);
    for (const [messageId, wanted] of all) {
      const known = bearers.get(messageId);
      if (known) {
        if (known.wanted.sign !== wanted.sign) known.withdraw.abort();
        known.wanted = wanted;
      } else if (wanted.final === null || !isRecorded(wanted)) {
        bearers.set(messageId, {
          messageId,
          threadId,
          borne: fresh && wanted.final === null && isFirst(messageId, threadId) ? new Set() : null,
          wanted,
          withdraw: new AbortController(),
          working: false,
        });
      }
      const bearer = bearers.get(messageId);
      if (bearer && !bearer.working) void work(bearer);
    }
  }

  function isRecorded({ sign, final }: Wanted): boolean {
    return final !== null && engine.state.posts[final]?.[REACTION_PART]?.hash === sign;
  }

  function isFirst(messageId: string, threadId: string): boolean {
    return !jobsOf(engine.state, threadId).some((job) => job.discord_message_id === messageId && job.attempt > 1);
  }

  async function work(bearer: Bearer): Promise<void> {
    bearer.working = true;
    try {
      while (!closed && !(await settled(bearer))) await step(bearer);
    } catch (error) {
      await letGo(bearer, error);
    } finally {
      bearer.working = false;
      for (const ask of waiters) ask();
    }
  }

  /** Whether nothing is left to do. The last sign is written down, and its message is done with. */
  async function settled(bearer: Bearer): Promise<boolean> {
    const { borne, wanted, messageId, threadId } = bearer;
    if (borne === null || borne.size !== 1 || !borne.has(wanted.sign)) return false;
    if (wanted.final !== null) await record(wanted, threadId, messageId);
    // The owner may have had it retried meanwhile.
    if (bearer.wanted.sign !== wanted.sign) return false;
    if (wanted.final !== null) bearers.delete(messageId);
    return true;
  }

  /** One request nearer: the sign that is wanted first, then away with the others, so that there is always one. */
  async function step(bearer: Bearer): Promise<void> {
    bearer.withdraw = new AbortController();
    const { signal } = bearer.withdraw;
    const { sign } = bearer.wanted;
    try {
      if (bearer.borne === null) {
        bearer.borne = await ours(bearer, signal);
      } else if (!bearer.borne.has(sign)) {
        await react("PUT", bearer, sign, signal);
        bearer.borne.add(sign);
      } else {
        const stale = [...bearer.borne].find((one) => one !== sign);
        if (stale === undefined) return;
        await react("DELETE", bearer, stale, signal);
        bearer.borne.delete(stale);
      }
    } catch (error) {
      if (failureKind(error) !== "superseded") throw error;
    }
  }

  async function ours({ threadId, messageId }: Bearer, signal: AbortSignal): Promise<Set<string>> {
    const path = `/channels/${threadId}/messages/${messageId}` as const;
    const message = await rest.call<APIMessage>({ method: "GET", path, lane: "cosmetic", signal });
    const mine = (message.reactions ?? []).filter(({ me }) => me).map(({ emoji }) => bare(emoji.name ?? ""));
    return new Set(ALL.filter((sign) => mine.includes(bare(sign))));
  }

  async function react(method: "PUT" | "DELETE", { threadId, messageId }: Bearer, sign: string, signal: AbortSignal): Promise<void> {
    const path = `/channels/${threadId}/messages/${messageId}/reactions/${encodeURIComponent(sign)}/@me` as const;
    await rest.call({ method, path, lane: "cosmetic", signal });
  }

  /** The message is gone, or may not be reacted to: its job goes on without a sign. */
  async function letGo(bearer: Bearer, error: unknown): Promise<void> {
    const kind = failureKind(error);
    if (kind === "closed" || kind === "unauthorized" || error instanceof BellhopError) {
      closed = true;
      return;
    }
    const { wanted, threadId, messageId } = bearer;
    if (kind === null) log.failure("a reaction could not be put right", error, { thread_id: threadId });
    else log.info("a message goes without its sign", { thread_id: threadId, message_id: messageId, reason: String(error) });
    // As if it were there: tried again only when it should be another.
    bearer.borne = new Set([wanted.sign]);
    if (wanted.final === null) return;
    await record(wanted, threadId, null).catch(() => undefined);
    if (bearer.wanted.sign === wanted.sign) bearers.delete(messageId);
  }

  async function record({ sign, final }: Wanted, channel_id: string, message_id: string | null): Promise<void> {
    if (final === null || !engine.state.jobs[final]) return;
    await engine.submit({ type: "record_post", subject: final, part: REACTION_PART, channel_id, message_id, hash: sign });
  }

  function when(fact: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const ask = (): void => {
        if (!fact()) return;
        waiters.delete(ask);
        resolve();
      };
      waiters.add(ask);
      ask();
    });
  }

  const quiet = (): boolean => ![...bearers.values()].some(({ working }) => working);
  return {
    idle: () => when(quiet),
    async close() {
      closed = true;
      stop();
      for (const bearer of bearers.values()) bearer.withdraw.abort();
      await when(quiet);
    },
  };
}

/** Without the mark that asks for colour, which may be left out. */
function bare(emoji: string): string {
  return emoji.replaceAll("\ufe0f", "");
}

/** For each message of the thread that is in the live state: what it should bear, by its newest job. */
function wantedIn(state: State, threadId: string): Map<string, Wanted> {
  const newest = new Map<string, Job>();
  for (const job of jobsOf(state, threadId)) {
    const known = newest.get(job.discord_message_id);
    if (!known || known.attempt < job.attempt) newest.set(job.discord_message_id, job);
  }
  const wanted = new Map<string, Wanted>();
  for (const [messageId, { state: is, job_id }] of newest) {
    wanted.set(messageId, { sign: signs[is], final: is === "queued" || is === "running" ? null : job_id });
  }
  for (const { thread_id, discord_message_id } of Object.values(state.notices)) {
    if (thread_id === threadId) wanted.set(discord_message_id, { sign: REFUSED_SIGN, final: null });
  }
  return wanted;
}

function jobsOf(state: State, threadId: string): Job[] {
  const session = state.sessions[threadId];
  const ids = [...(state.threads[threadId]?.ended ?? []), session?.running_job_id ?? "", ...(session?.queue ?? [])];
  return ids.map((id) => state.jobs[id]).filter((job) => job !== undefined);
}
