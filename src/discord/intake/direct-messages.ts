/**
 * When the owner's direct messages, where only answers are accepted, are opened: as soon as something of this bot is
 * open, and by the first message of the owner there. Discord says which channel that is, never a message.
 */
import type { Clock } from "../../base/clock.ts";
import { isSnowflake } from "../../base/ids.ts";
import type { Log } from "../../base/log.ts";
import { decisionsIn, isOpen, openUnder } from "../../core/decisions/decision.ts";
import type { Engine } from "../../engine/engine.ts";
import { reconcile, type Reconciling } from "../../engine/reconcile.ts";
import { openDirectChannel } from "../delivery/direct-channel.ts";
import { authorize, type Payload, type AccessPolicy } from "./authorize.ts";
import type { Rest } from "../api/rest.ts";
import { failureKind } from "../api/rest-failure.ts";

export interface DirectOptions {
  engine: Reconciling["engine"] & Pick<Engine, "submit">;
  rest: Pick<Rest, "call">;
  clock: Clock;
  log: Log;
  policy: AccessPolicy;
  botId: string;
}

export interface Direct {
  /** Resolves to the channel's id; messages there are processed from then on. Rejects with a `RestFailure`. */
  open(): Promise<string>;
  /** Handles a message from the gateway: the first one from the owner's direct messages opens them. */
  message(message: Payload): void;
  close(): Promise<void>;
}

/** Delay before a refused opening is tried again. */
const AGAIN_MS = 60_000;
const DIRECT = "direct";

/** Also opens them without a message as soon as something of this bot is open. */
export function openDirect({ engine, rest, clock, log, policy, botId }: DirectOptions): Direct {
  const channel = openDirectChannel({ engine, rest, botId, ownerId: policy.ownerId });
  let refusedUntil = Number.NEGATIVE_INFINITY;
  const attempts = reconcile({
    engine,
    clock,
    log,
    failure: "the owner's direct messages could not be opened",
    details: () => ({ error_code: "E_THREAD_ACCESS_FAILED", bot_id: botId }),
    all: () => [DIRECT],
    about: (topic, state) => (!channel.opening && state.threads[topic]?.bot_id === botId && decisionsIn(state, topic).some(isOpen) ? [DIRECT] : []),
    step,
  });
  attempts.start();

  function step(): Promise<unknown> | number | null {
    if (channel.opening) return null;
    const wait = refusedUntil - clock.monotonic();
    if (wait > 0) return wait;
    return openUnder(engine.state, botId).length === 0 ? null : open().catch(unlessRefused);
  }

  function open(since?: string): Promise<string> {
    return channel.open(since).catch((error: unknown) => {
      // An owner who takes no direct messages may allow them later.
      if (failureKind(error) !== null) refusedUntil = clock.monotonic() + AGAIN_MS;
      attempts.look(DIRECT);
      throw error;
    });
  }

  function unlessRefused(error: unknown): void {
    if (failureKind(error) === null) throw error;
    log.info("the owner's direct messages could not be opened", { reason: String(error) });
  }

  return {
    open: () => open(),
    message(message) {
      const { id, channel_id: place } = message;
      if (channel.id === place || !isSnowflake(id) || place === undefined || engine.state.channels[place] || engine.state.threads[place]) return;
      // The message only shows that the owner wrote a direct message; the channel is asked of Discord.
      if (!authorize(policy, { kind: "message", message, direct: true })) return;
      if (channel.id === null) open(String(BigInt(id) - 1n)).catch((error: unknown) => log.info("the owner's direct messages could not be opened", { reason: String(error) }));
    },
    close: attempts.close,
  };
}
