/**
 * Routes the gateway's events: messages, edits and deletions to the listener, interactions to the commands, events
 * about threads and servers to the channel events. Each kind is authorized first.
 */
import type {
  APIInteraction,
  GatewayMessageCreateDispatchData,
  GatewayMessageDeleteBulkDispatchData,
  GatewayMessageDeleteDispatchData,
} from "discord-api-types/v10";
import { isSnowflake } from "../base/ids.ts";
import type { Posts } from "./bot-posts.ts";
import { authorize, type Payload, type AccessPolicy } from "./intake/authorize.ts";
import { carries, handleInteraction, refuseHere, refuseStranger } from "./interactions/interaction.ts";
import type { CommandContext } from "./interactions/command.ts";
import type { Direct } from "./intake/direct-messages.ts";
import type { Edit, Listener } from "./intake/listener.ts";
import type { ChannelEvents } from "./intake/channel-events.ts";

export interface DispatchTargets {
  listener: Pick<Listener, "message" | "edited" | "deleted">;
  direct: Pick<Direct, "message">;
  channelEvents: Pick<ChannelEvents, "hear">;
  /** What follows the server itself. */
  server: readonly { hear(t: string, d: unknown): void }[];
  policy: AccessPolicy;
  commandContext: CommandContext;
  /** Only for the bot that has commands. */
  hints?: { message(message: Payload): void } | undefined;
  posts: Pick<Posts, "posted" | "gone">;
}

/** Handles one gateway event. The owner's interactions are handled; a stranger's are refused with a message. */
export function dispatch(
  t: string,
  d: unknown,
  { listener, direct, channelEvents, server, policy, commandContext, hints, posts }: DispatchTargets,
): void {
  // An event without an object carries no information.
  if (typeof d !== "object" || d === null) return;
  switch (t) {
    case "MESSAGE_CREATE": {
      const { channel_id, id } = d as GatewayMessageCreateDispatchData;
      if (isSnowflake(channel_id) && isSnowflake(id)) posts.posted(channel_id, id);
      direct.message(d as GatewayMessageCreateDispatchData);
      hints?.message(d as GatewayMessageCreateDispatchData);
      return listener.message(d as GatewayMessageCreateDispatchData);
    }
    case "MESSAGE_UPDATE":
      return listener.edited(d as Edit);
    case "MESSAGE_DELETE": {
      const gone = d as GatewayMessageDeleteDispatchData;
      posts.gone([gone.id]);
      return listener.deleted(gone.channel_id, [gone.id], gone);
    }
    case "MESSAGE_DELETE_BULK": {
      const gone = d as GatewayMessageDeleteBulkDispatchData;
      if (Array.isArray(gone.ids)) posts.gone(gone.ids);
      return listener.deleted(gone.channel_id, gone.ids, gone);
    }
    case "INTERACTION_CREATE": {
      const interaction = d as APIInteraction;
      // Without an id and a token an interaction cannot be answered, so it must not be obeyed.
      if (!isSnowflake(interaction?.id) || typeof interaction.token !== "string") return;
      if (!authorize(policy, { kind: "interaction", interaction }))
        return void refuseStranger(interaction, commandContext);
      return void (carries(interaction, commandContext)
        ? handleInteraction(interaction, commandContext)
        : refuseHere(interaction, commandContext));
    }
    default:
      channelEvents.hear(t, d);
      if (t.startsWith("GUILD_")) for (const one of server) one.hear(t, d);
  }
}
