/**
 * The one door: whether something that came in from Discord is the owner speaking. Asked for every kind of ingress,
 * and answered from Discord's own ids alone, never from names, texts or anything an agent passed on (attack S1).
 */
import type { APIInteraction, APIMessage, GatewayMessageCreateDispatchData } from "discord-api-types/v10";

export interface Wall {
  ownerId: string;
  guildId: string;
}

/** Ordinary messages and replies (Discord's message types 0 and 19); joins, pins, thread notices are nobody's words. */
const SPOKEN = new Set<number>([0, 19]);

/** A message from the gateway: the guild is named in it. Without one it is a direct message. */
export function isOwnersMessage(wall: Wall, message: GatewayMessageCreateDispatchData): boolean {
  return message.guild_id === wall.guildId && isOwnersWord(wall, message);
}

/**
 * A message read back over REST, which names no guild: the caller read it from a channel of ours.
 * A webhook's author is no user whatever it calls itself, and a forward is somebody else's words.
 */
export function isOwnersWord(wall: Wall, message: APIMessage): boolean {
  return (
    message.author?.id === wall.ownerId &&
    message.author.bot !== true &&
    message.webhook_id === undefined &&
    message.application_id === undefined &&
    (message.message_snapshots?.length ?? 0) === 0 &&
    SPOKEN.has(message.type)
  );
}

/**
 * An edit, which may tell no more than an id and new words. What it does tell must be the owner's; what it leaves
 * out was told when the message itself came through the door, and only of such a message an edit means anything.
 */
export function isOwnersEdit(wall: Wall, edit: Partial<APIMessage> & { guild_id?: string }): boolean {
  const { guild_id, author, type } = edit;
  return (
    (guild_id === undefined || guild_id === wall.guildId) &&
    (author === undefined || (author?.id === wall.ownerId && author.bot !== true)) &&
    edit.webhook_id === undefined &&
    edit.application_id === undefined &&
    (edit.message_snapshots?.length ?? 0) === 0 &&
    (type === undefined || SPOKEN.has(type))
  );
}

/** A slash command, button, select, modal or autocomplete in our guild. */
export function isOwnersInteraction(wall: Wall, interaction: APIInteraction): boolean {
  const user = interaction.member?.user ?? interaction.user;
  return interaction.guild_id === wall.guildId && user?.id === wall.ownerId && user.bot !== true;
}
