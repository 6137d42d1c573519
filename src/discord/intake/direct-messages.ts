/**
 * When the owner's direct messages, where only answers are accepted, are opened: as soon as something of this bot is
 * open, and by the first message of the owner there. Discord says which channel that is, never a message.
 */
import { isSnowflake, compareSnowflakes } from "../../base/ids.ts";
import { decisionsIn, isOpen, openUnder } from "../../core/decisions/decision.ts";
import { reconcile } from "../../engine/reconcile.ts";
import { authorize, type MessagePayload } from "./authorize.ts";
import type { BotContext } from "../api/bot-context.ts";
import { failureKind } from "../api/transport.ts";
import type { APIDMChannel } from "discord-api-types/v10";
import type { State } from "../../core/state.ts";
import { PROMPT_PART } from "../../core/posts/post.ts";

export interface Direct {
  /** Resolves to the channel's id; messages there are processed from then on. Rejects with a `RestFailure`. */
  open(): Promise<string>;
  /** Handles a message from the gateway: the first one from the owner's direct messages opens them. */
  message(message: MessagePayload): void;
  close(): Promise<void>;
}

/** Delay before a refused opening is tried again. */
const AGAIN_MS = 60_000;
const DIRECT = "direct";

/** Also opens them without a message as soon as something of this bot is open. */
export function openDirect(context: BotContext): Direct {
  const { engine, clock, log, botId } = context;
  const channel = openDirectChannel(context);
  let refusedUntil = Number.NEGATIVE_INFINITY;
  const attempts = reconcile({
    engine,
    clock,
    log,
    failure: "the owner's direct messages could not be opened",
    details: () => ({ error_code: "E_THREAD_ACCESS_FAILED", bot_id: botId }),
    follows: {
      kinds: ["decision"],
      all: () => [DIRECT],
      about: (topic, state) =>
        !channel.opening && state.threads[topic]?.bot_id === botId && decisionsIn(state, topic).some(isOpen)
          ? [DIRECT]
          : [],
    },
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
      attempts.markChanged(DIRECT);
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
      if (
        channel.id === place ||
        !isSnowflake(id) ||
        place === undefined ||
        engine.state.channels[place] ||
        engine.state.threads[place]
      )
        return;
      // The message only shows that the owner wrote a direct message; the channel is asked of Discord.
      if (!authorize(context, { kind: "message", message, direct: true })) return;
      if (channel.id === null)
        open(String(BigInt(id) - 1n)).catch((error: unknown) =>
          log.info("the owner's direct messages could not be opened", { reason: String(error) }),
        );
    },
    close: attempts.close,
  };
}

interface DirectChannel {
  /** Its id, once it is open. */
  readonly id: string | null;
  readonly opening: boolean;
  /**
   * Resolves to its id; asks Discord once. `since`: messages after this one are read too.
   * @throws RestFailure if Discord refuses; the next call asks again
   */
  open(since?: string): Promise<string>;
}

/**
 * The owner's direct messages with this bot: the one place that opens them. Discord says which channel that is; from
 * then on it is read like any other channel, back to the first open prompt, so that an answer given there before we
 * listened is found.
 */
export function openDirectChannel({ engine, rest, botId, ownerId }: BotContext): DirectChannel {
  let opening: Promise<string> | null = null;
  let opened: string | null = null;

  async function ask(since: string | undefined): Promise<string> {
    const channel = await rest.call<APIDMChannel>({
      method: "POST",
      path: "/users/@me/channels",
      body: { recipient_id: ownerId },
      priority: "decision",
      repeatMs: Number.POSITIVE_INFINITY,
    });
    const from =
      earliest([...(since === undefined ? [] : [since]), ...prompts(engine.state, botId)]) ??
      channel.last_message_id ??
      channel.id;
    await engine.submit({
      type: "open_channel",
      channel_id: channel.id,
      guild_id: null,
      bot_id: botId,
      kind: "direct",
      since: from,
    });
    return (opened = channel.id);
  }

  return {
    get id() {
      return opened;
    },
    get opening() {
      return opening !== null;
    },
    open(since) {
      opening ??= ask(since).catch((error: unknown) => {
        opening = null;
        throw error;
      });
      return opening;
    },
  };
}

/**
 * The ids of the prompts of open decisions or, for a posted prompt whose id is not known yet, the id from which its
 * thread is read. Uses only Discord's ids, no clock of ours.
 */
function prompts(state: State, botId: string): string[] {
  return openUnder(state, botId).flatMap(
    ({ decision_id, thread_id }) =>
      state.posts[decision_id]?.[PROMPT_PART]?.message_id ?? state.watermarks[thread_id ?? ""] ?? [],
  );
}

function earliest(ids: readonly string[]): string | undefined {
  return ids.toSorted(compareSnowflakes)[0];
}
