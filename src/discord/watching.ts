/**
 * A channel that is watched for an agent: what is written there, and belongs to no session, goes into the inbox. The
 * first look begins at its newest message (seed A 4.2): nothing old is replayed, and nothing newer is missed.
 */
import type { APIChannel } from "discord-api-types/v10";
import type { Log } from "../base/log.ts";
import type { Engine } from "../engine/engine.ts";
import type { Wall } from "./authorize.ts";
import type { Rest } from "./rest.ts";

export interface WatchingOptions {
  engine: Pick<Engine, "state" | "submit">;
  rest: Pick<Rest, "call">;
  log: Log;
  wall: Wall;
  botId: string;
}

/**
 * Resolves with whether it is watched from now on; a channel of another server, or one that Discord keeps from us, is
 * not. Never rejects.
 */
export async function watchChannel({ engine, rest, log, wall, botId }: WatchingOptions, channelId: string): Promise<boolean> {
  const { channels, threads } = engine.state;
  const known = channels[channelId];
  if (known || threads[channelId]) return known?.kind === "watched" && known.guild_id === wall.guildId;
  try {
    const channel = await rest.call<APIChannel>({ method: "GET", path: `/channels/${channelId}`, lane: "result" });
    if (!("guild_id" in channel) || channel.guild_id !== wall.guildId) {
      log.warn("a channel of another server is not watched", { channel_id: channelId });
      return false;
    }
    const newest = "last_message_id" in channel ? channel.last_message_id : null;
    await engine.submit({ type: "open_channel", channel_id: channelId, guild_id: wall.guildId, bot_id: botId, kind: "watched", since: newest ?? channelId });
    return true;
  } catch (error) {
    log.failure("a channel cannot be watched", error, { channel_id: channelId });
    return false;
  }
}
