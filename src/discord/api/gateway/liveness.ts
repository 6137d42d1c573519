/**
 * Detects a connection that answers every heartbeat and brings no events any more: compares the newest message
 * received in each thread with what Discord's REST API says was written there last. A quiet server is not a broken
 * connection, so silence alone proves nothing, only a message that exists and was never received.
 */
import type { Clock } from "../../../base/clock.ts";
import { compareSnowflakes, isSnowflake } from "../../../base/ids.ts";
import type { Log } from "../../../base/log.ts";

export interface LivenessOptions {
  clock: Clock;
  log: Log;
  /** Milliseconds between two heartbeats, as Discord asks: the unit of all waits here. */
  beatMs(): number;
  /** Whether events are expected now. */
  isLive(): boolean;
  /** The server's active threads, read over REST; anything in the answer may be missing. */
  threads(): Promise<unknown>;
  /** Events are not coming: connect anew, and read what was missed. */
  onSilence(): void;
}

export interface Liveness {
  /** One event of the gateway. */
  onServerEvent(t: string, d: unknown): void;
  close(): void;
}

interface LivenessPayload {
  id?: unknown;
  channel_id?: unknown;
  last_message_id?: unknown;
  threads?: unknown;
  channels?: unknown;
}

/** After this many heartbeats without an event, Discord is asked. At Discord's 41 s that is four minutes. */
const QUIET_BEATS = 6;
/** An event may be on its way when REST already knows of it. */
const GRACE_BEATS = 1;
/** A new connection costs an IDENTIFY, so one that did not help is not repeated soon. */
const CURE_EVERY_MS = 30 * 60_000;

export function openLiveness(options: LivenessOptions): Liveness {
  const { clock, log, beatMs } = options;
  /** The newest message received in each channel. */
  const latest = new Map<string, string>();
  let heardAt = clock.monotonic();
  let curedAt = Number.NEGATIVE_INFINITY;
  let stop = (): void => undefined;
  let armedFor = 0;
  let closed = false;

  function learn(channelId: unknown, messageId: unknown): void {
    if (!isSnowflake(channelId) || !isSnowflake(messageId)) return;
    const known = latest.get(channelId);
    if (known === undefined || compareSnowflakes(messageId, known) > 0) latest.set(channelId, messageId);
  }

  function hear(t: string, d: unknown): void {
    heardAt = clock.monotonic();
    // The heartbeat interval is known only once we are connected.
    if (armedFor !== 0 && armedFor !== beatMs()) arm();
    const event = (typeof d === "object" && d !== null ? d : {}) as LivenessPayload;
    if (t === "MESSAGE_CREATE") return learn(event.channel_id, event.id);
    for (const channel of [event, ...listOf(event.threads), ...listOf(event.channels)])
      learn(channel.id, channel.last_message_id);
  }

  /** Threads with a message that we never received. A thread new to us is taken as it is. */
  function untold(answer: unknown): string[] {
    const threads = listOf((answer as LivenessPayload | null | undefined)?.threads);
    return threads.flatMap(({ id, last_message_id }) => {
      if (!isSnowflake(id) || !isSnowflake(last_message_id)) return [];
      const known = latest.get(id);
      if (known === undefined) learn(id, last_message_id);
      return known !== undefined && compareSnowflakes(last_message_id, known) > 0 ? [id] : [];
    });
  }

  async function probe(): Promise<void> {
    const suspects = untold(await options.threads());
    if (suspects.length === 0) return;
    await new Promise<void>((resolve) => (stop = clock.after(GRACE_BEATS * beatMs(), resolve)));
    const still =
      closed || !options.isLive() ? [] : untold(await options.threads()).filter((id) => suspects.includes(id));
    if (still.length === 0 || clock.monotonic() - curedAt < CURE_EVERY_MS) return;
    curedAt = clock.monotonic();
    log.warn("the gateway answers but sends no events; reconnecting", {
      threads: still.length,
      quiet_ms: Math.round(curedAt - heardAt),
    });
    options.onSilence();
  }

  function arm(): void {
    stop();
    armedFor = beatMs();
    stop = clock.after(QUIET_BEATS * armedFor, () => {
      armedFor = 0;
      const quiet = options.isLive() && clock.monotonic() - heardAt >= QUIET_BEATS * beatMs();
      const looked = quiet
        ? probe().catch((error: unknown) =>
            log.info("the latest messages could not be read from Discord", { reason: String(error) }),
          )
        : null;
      void Promise.resolve(looked).then(() => closed || arm());
    });
  }

  arm();
  return {
    onServerEvent: hear,
    close() {
      closed = true;
      stop();
    },
  };
}

function listOf(value: unknown): LivenessPayload[] {
  const all: readonly unknown[] = Array.isArray(value) ? value : [];
  return all.filter((one): one is LivenessPayload => typeof one === "object" && one !== null);
}
