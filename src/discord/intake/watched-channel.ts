/**
 * A channel watched for an agent: messages there that belong to no session go into the inbox. Watching begins at the
 * channel's newest message: nothing older is replayed, and nothing newer is missed.
 */
import type { APIChannel } from "discord-api-types/v10";
import type { Log } from "../../base/log.ts";
import type { Engine } from "../../engine/engine.ts";
import type { AccessPolicy } from "./authorize.ts";
import { failureKind } from "../api/rest-failure.ts";
import type { Rest } from "../api/rest.ts";

export interface WatchingOptions {
  engine: Pick<Engine, "state" | "submit">;
  rest: Pick<Rest, "call">;
  log: Log;
  policy: AccessPolicy;
  botId: string;
}

/**
 * Resolves with whether it is watched from now on; not for a channel of another server, or one that Discord does not
 * show. Never rejects.
 */
export async function watchChannel(
  { engine, rest, log, policy, botId }: WatchingOptions,
  channelId: string,
): Promise<boolean> {
  const { channels, threads } = engine.state;
  const known = channels[channelId];
  if (threads[channelId]?.kind === "channel")
    log.warn("a channel that is a session of its project is not watched", {
      error_code: "E_CONFIG_INVALID",
      channel_id: channelId,
    });
  if (known || threads[channelId]) return known?.kind === "watched" && known.guild_id === policy.guildId;
  try {
    const channel = await rest.call<APIChannel>({ method: "GET", path: `/channels/${channelId}`, priority: "result" });
    if (!("guild_id" in channel) || channel.guild_id !== policy.guildId) {
      log.warn("a channel of another server is not watched", { channel_id: channelId });
      return false;
    }
    const newest = "last_message_id" in channel ? channel.last_message_id : null;
    await engine.submit({
      type: "open_channel",
      channel_id: channelId,
      guild_id: policy.guildId,
      bot_id: botId,
      kind: "watched",
      since: newest ?? channelId,
    });
    return true;
  } catch (error) {
    if (isKept(error))
      log.warn("Discord does not let Bellhop watch a channel", {
        error_code: "E_THREAD_ACCESS_FAILED",
        channel_id: channelId,
        reason: String(error),
      });
    else log.failure("a channel cannot be watched", error, { channel_id: channelId });
    return false;
  }
}

/** The channel's name. Null: Discord does not show it, or it is another server's. @throws other errors of `rest` */
export async function lookAtChannel(
  { rest, policy }: Pick<WatchingOptions, "rest" | "policy">,
  channelId: string,
): Promise<{ name: string } | null> {
  try {
    const channel = await rest.call<APIChannel>({ method: "GET", path: `/channels/${channelId}`, priority: "result" });
    return "guild_id" in channel && channel.guild_id === policy.guildId ? { name: channel.name ?? "" } : null;
  } catch (error) {
    if (isKept(error)) return null;
    throw error;
  }
}

function isKept(error: unknown): boolean {
  return ["channel_gone", "no_access", "rejected"].includes(failureKind(error) ?? "");
}
