/**
 * The owner's direct messages with this bot: the one place that opens them. Discord says which channel that is; from
 * then on it is read like any other channel, back to the first open prompt, so that an answer given there before we
 * listened is found.
 */
import type { APIDMChannel } from "discord-api-types/v10";
import { compareSnowflakes } from "../../base/ids.ts";
import { openUnder } from "../../core/decisions/decision.ts";
import type { State } from "../../core/state.ts";
import { PROMPT_PART } from "../../core/posts/post.ts";
import type { Engine } from "../../engine/engine.ts";
import type { Rest } from "../api/rest.ts";

export interface DirectChannelOptions {
  engine: Pick<Engine, "state" | "submit">;
  rest: Pick<Rest, "call">;
  botId: string;
  ownerId: string;
}

export interface DirectChannel {
  /** Its id, once it is open. */
  readonly id: string | null;
  readonly opening: boolean;
  /**
   * Resolves to its id; asks Discord once. `since`: messages after this one are read too.
   * @throws RestFailure if Discord refuses; the next call asks again
   */
  open(since?: string): Promise<string>;
}

export function openDirectChannel({ engine, rest, botId, ownerId }: DirectChannelOptions): DirectChannel {
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
    const from = earliest([...(since === undefined ? [] : [since]), ...prompts(engine.state, botId)]) ?? channel.last_message_id ?? channel.id;
    await engine.submit({ type: "open_channel", channel_id: channel.id, guild_id: null, bot_id: botId, kind: "direct", since: from });
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
  return openUnder(state, botId).flatMap(({ decision_id, thread_id }) => state.posts[decision_id]?.[PROMPT_PART]?.message_id ?? state.watermarks[thread_id ?? ""] ?? []);
}

function earliest(ids: readonly string[]): string | undefined {
  return ids.toSorted(compareSnowflakes)[0];
}
