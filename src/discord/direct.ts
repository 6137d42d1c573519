/**
 * The owner's direct messages with this bot: the door beside the threads, for answers alone. Which channel that is
 * Discord says, never a message; from then on it is read like any other place, back to where the first open prompt
 * stands, so that an answer given there before we listened is found.
 */
import type { APIDMChannel } from "discord-api-types/v10";
import type { Clock } from "../base/clock.ts";
import { compareSnowflakes, isSnowflake } from "../base/ids.ts";
import type { Log } from "../base/log.ts";
import { isOpen, type Decision } from "../core/decision.ts";
import type { State } from "../core/house.ts";
import { PROMPT_PART } from "../core/post.ts";
import type { Engine } from "../engine/engine.ts";
import { authorize, type Told, type Wall } from "./authorize.ts";
import type { Rest } from "./rest.ts";

export interface DirectOptions {
  engine: Pick<Engine, "state" | "submit" | "watch">;
  rest: Pick<Rest, "call">;
  clock: Clock;
  log: Log;
  wall: Wall;
  botId: string;
}

export interface Direct {
  /** The channel's id; what is written there is heard from then on. Rejects with a `RestFailure`. */
  open(): Promise<string>;
  /** A message from the gateway: the first one of these direct messages opens them. */
  message(message: Told): void;
  close(): void;
}

/** How soon a refused opening is tried again. */
const AGAIN_MS = 60_000;

/** Opens them by itself as soon as something of this bot is open. */
export function openDirect({ engine, rest, clock, log, wall, botId }: DirectOptions): Direct {
  let opening: Promise<string> | null = null;
  let opened: string | null = null;
  let waiting: (() => void) | null = null;
  const stop = engine.watch(look);
  look();

  async function open(since: string | null): Promise<string> {
    const channel = await rest.call<APIDMChannel>({
      method: "POST",
      path: "/users/@me/channels",
      body: { recipient_id: wall.ownerId },
      lane: "decision",
      repeatMs: Number.POSITIVE_INFINITY,
    });
    const from = earliest([since, ...prompts(engine.state, botId)]) ?? channel.last_message_id ?? channel.id;
    await engine.submit({ type: "open_channel", channel_id: channel.id, guild_id: null, bot_id: botId, kind: "direct", since: from });
    return (opened = channel.id);
  }

  function once(since: string | null): Promise<string> {
    opening ??= open(since).catch((error: unknown) => {
      opening = null;
      waiting ??= clock.after(AGAIN_MS, () => {
        waiting = null;
        look();
      });
      throw error;
    });
    return opening;
  }

  function tried(since: string | null): void {
    once(since).catch((error: unknown) => log.info("the owner's direct messages could not be opened", { reason: String(error) }));
  }

  function look(): void {
    if (opening === null && waiting === null && openOf(engine.state, botId).length > 0) tried(null);
  }

  return {
    open: () => once(null),
    message(message) {
      const { id, channel_id: channel } = message;
      if (opened === channel || !isSnowflake(id) || channel === undefined || engine.state.channels[channel] || engine.state.threads[channel]) return;
      // Only that the owner wrote to us alone is taken from the message; where that was, Discord is asked.
      if (!authorize(wall, { kind: "message", message, direct: true })) return;
      if (opened === null) tried(String(BigInt(id) - 1n));
    },
    close() {
      stop();
      waiting?.();
    },
  };
}

function openOf(state: State, botId: string): Decision[] {
  return Object.values(state.decisions).filter((one) => isOpen(one) && one.thread_id !== null && state.threads[one.thread_id]?.bot_id === botId);
}

/**
 * Where the prompts of what is open stand, or, of one that is posted and not yet known to be, from where on its thread
 * is read. By Discord's ids alone: no clock of ours takes part.
 */
function prompts(state: State, botId: string): string[] {
  return openOf(state, botId).flatMap(({ decision_id, thread_id }) => state.posts[decision_id]?.[PROMPT_PART]?.message_id ?? state.watermarks[thread_id ?? ""] ?? []);
}

function earliest(ids: readonly (string | null)[]): string | undefined {
  return ids.filter((id) => id !== null).sort(compareSnowflakes)[0];
}
