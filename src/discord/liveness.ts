/**
 * Finds the connection that answers every heartbeat and brings no events any more: what Discord has told us of each
 * thread is held against what its REST API says was written there last. A quiet server is not a deaf connection, so
 * silence alone is no sign, only a message that stands there and was never told.
 */
import type { Clock } from "../base/clock.ts";
import { compareSnowflakes, isSnowflake } from "../base/ids.ts";
import type { Log } from "../base/log.ts";

export interface LivenessOptions {
  clock: Clock;
  log: Log;
  /** Milliseconds between two heartbeats, as Discord wants them: the measure of all patience here. */
  beatMs(): number;
  /** Whether events are expected now. */
  live(): boolean;
  /** The server's active threads, asked over REST; anything in the answer may be missing. */
  threads(): Promise<unknown>;
  /** Events are not coming: connect anew, and read back what was missed. */
  deaf(): void;
}

export interface Liveness {
  /** One event of the gateway. */
  hear(t: string, d: unknown): void;
  /** Since Discord's own answer last agreed with what we were told, in milliseconds; null before the first time. */
  agreed_ms(): number | null;
  close(): void;
}

interface Told {
  id?: unknown;
  channel_id?: unknown;
  last_message_id?: unknown;
  threads?: unknown;
  channels?: unknown;
}

/** So many heartbeats without one event, and Discord is asked. At its 41 s that is four minutes. */
const QUIET_BEATS = 6;
/** An event may be on its way while REST already knows of it. */
const GRACE_BEATS = 1;
/** A cure costs an IDENTIFY, so one that did not help is not repeated soon. */
const CURE_EVERY_MS = 30 * 60_000;

export function openLiveness(options: LivenessOptions): Liveness {
  const { clock, log, beatMs } = options;
  /** The newest message of each channel that we have been told of. */
  const told = new Map<string, string>();
  let heardAt = clock.monotonic();
  let agreedAt: number | null = null;
  let curedAt = Number.NEGATIVE_INFINITY;
  let stop = (): void => undefined;
  let armedFor = 0;
  let closed = false;

  function learn(channelId: unknown, messageId: unknown): void {
    if (!isSnowflake(channelId) || !isSnowflake(messageId)) return;
    const known = told.get(channelId);
    if (known === undefined || compareSnowflakes(messageId, known) > 0) told.set(channelId, messageId);
  }

  function hear(t: string, d: unknown): void {
    heardAt = clock.monotonic();
    // How often Discord wants to hear us is known only once we are connected.
    if (armedFor !== 0 && armedFor !== beatMs()) arm();
    const event = (typeof d === "object" && d !== null ? d : {}) as Told;
    if (t === "MESSAGE_CREATE") return learn(event.channel_id, event.id);
    for (const channel of [event, ...listOf(event.threads), ...listOf(event.channels)]) learn(channel.id, channel.last_message_id);
  }

  /** Threads in which something stands that we were never told of. A thread new to us is taken as it is. */
  function untold(answer: unknown): string[] {
    const threads = listOf((answer as Told | null | undefined)?.threads);
    return threads.flatMap(({ id, last_message_id }) => {
      if (!isSnowflake(id) || !isSnowflake(last_message_id)) return [];
      const known = told.get(id);
      if (known === undefined) learn(id, last_message_id);
      return known !== undefined && compareSnowflakes(last_message_id, known) > 0 ? [id] : [];
    });
  }

  async function probe(): Promise<void> {
    const suspects = untold(await options.threads());
    if (suspects.length === 0) return void (agreedAt = clock.monotonic());
    await new Promise<void>((resolve) => (stop = clock.after(GRACE_BEATS * beatMs(), resolve)));
    const still = closed || !options.live() ? [] : untold(await options.threads()).filter((id) => suspects.includes(id));
    if (still.length === 0 || clock.monotonic() - curedAt < CURE_EVERY_MS) return;
    curedAt = clock.monotonic();
    log.warn("the gateway answers but brings no events; connecting anew", { threads: still.length, quiet_ms: Math.round(curedAt - heardAt) });
    options.deaf();
  }

  function arm(): void {
    stop();
    armedFor = beatMs();
    stop = clock.after(QUIET_BEATS * armedFor, () => {
      armedFor = 0;
      const quiet = options.live() && clock.monotonic() - heardAt >= QUIET_BEATS * beatMs();
      const looked = quiet ? probe().catch((error: unknown) => log.info("Discord could not be asked what was written last", { reason: String(error) })) : null;
      void Promise.resolve(looked).then(() => closed || arm());
    });
  }

  arm();
  return {
    hear,
    agreed_ms: () => (agreedAt === null ? null : clock.monotonic() - agreedAt),
    close() {
      closed = true;
      stop();
    },
  };
}

function listOf(value: unknown): Told[] {
  const all: readonly unknown[] = Array.isArray(value) ? value : [];
  return all.filter((one): one is Told => typeof one === "object" && one !== null);
}
