/**
 * What the gateway brings, handed to whom it concerns: messages, edits and deletions to the ear, interactions to the
 * commands, everything about threads and servers to the places. Each kind of ingress passes the wall on its way.
 */
import type { APIInteraction, GatewayMessageCreateDispatchData, GatewayMessageDeleteBulkDispatchData, GatewayMessageDeleteDispatchData } from "discord-api-types/v10";
import { isSnowflake } from "../base/ids.ts";
import { authorize, type Wall } from "./authorize.ts";
import { handleInteraction, refuseStranger } from "./commands/interaction.ts";
import type { CommandRoom } from "./commands/room.ts";
import type { Direct } from "./direct.ts";
import type { Edit, Inbox } from "./inbox.ts";
import type { Places } from "./places.ts";

export interface Ears {
  inbox: Pick<Inbox, "message" | "edited" | "deleted">;
  direct: Pick<Direct, "message">;
  places: Places;
  wall: Wall;
  commandRoom: CommandRoom;
}

/** One event of the gateway. The owner's interactions are taken up; a stranger's are told that they are nobody's. */
export function hear(t: string, d: unknown, { inbox, direct, places, wall, commandRoom }: Ears): void {
  // What is no object tells nothing (fault D23).
  if (typeof d !== "object" || d === null) return;
  switch (t) {
    case "MESSAGE_CREATE":
      direct.message(d as GatewayMessageCreateDispatchData);
      return inbox.message(d as GatewayMessageCreateDispatchData);
    case "MESSAGE_UPDATE":
      return inbox.edited(d as Edit);
    case "MESSAGE_DELETE": {
      const gone = d as GatewayMessageDeleteDispatchData;
      return inbox.deleted(gone.channel_id, [gone.id], gone);
    }
    case "MESSAGE_DELETE_BULK": {
      const gone = d as GatewayMessageDeleteBulkDispatchData;
      return inbox.deleted(gone.channel_id, gone.ids, gone);
    }
    case "INTERACTION_CREATE": {
      const interaction = d as APIInteraction;
      // Without these two nobody could be answered, and one who cannot be answered must not be obeyed.
      if (!isSnowflake(interaction?.id) || typeof interaction.token !== "string") return;
      const owners = authorize(wall, { kind: "interaction", interaction });
      return void (owners ? handleInteraction(interaction, commandRoom) : refuseStranger(interaction, commandRoom));
    }
    default:
      return places.hear(t, d);
  }
}
