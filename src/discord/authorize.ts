/**
 * The one door: whether something that came in from Discord is the owner speaking. Asked for every kind of ingress,
 * and answered from Discord's own ids alone, never from names, texts or anything an agent passed on (attack S1).
 * Whatever it cannot tell for certain is nobody, and it never throws.
 */
import { InteractionType, type APIInteraction, type APIMessage } from "discord-api-types/v10";
import { isSnowflake } from "../base/ids.ts";

export interface Wall {
  ownerId: string;
  guildId: string;
}

/** A message or an edit as the gateway or a reading tells it: anything may be missing of it. */
export type Told = Partial<APIMessage> & { guild_id?: string };

/**
 * What came in. `direct`: it came from the channel that Discord has told us to be the owner's direct messages with us;
 * everything else has to name our guild, save what the caller has read from a channel of ours (`read_back`).
 */
export type Ingress =
  | { kind: "message"; message: Told; direct: boolean }
  | { kind: "read_back"; message: Told }
  | { kind: "edit"; edit: Told; direct: boolean }
  /** Who took it away Discord does not say; it takes work back and begins none. */
  | { kind: "deletion"; gone: { guild_id?: string }; direct: boolean }
  | { kind: "interaction"; interaction: APIInteraction };

/** Ordinary messages and replies (Discord's message types 0 and 19); joins, pins, thread notices are nobody's words. */
const SPOKEN = new Set<unknown>([0, 19]);
/** Discord's channel type of direct messages between two. */
const DIRECT = 1;

/** Whether it is the owner's own doing. */
export function authorize(wall: Wall, ingress: Ingress): boolean {
  switch (ingress.kind) {
    case "message":
      return isHere(wall, ingress.message?.guild_id, ingress.direct) && isOwnersWord(wall, ingress.message);
    case "read_back":
      return isOwnersWord(wall, ingress.message);
    case "edit":
      return isOwnersEdit(wall, ingress.edit, ingress.direct);
    case "deletion":
      return ingress.gone?.guild_id === undefined || isHere(wall, ingress.gone.guild_id, ingress.direct);
    case "interaction":
      return isOwnersInteraction(wall, ingress.interaction);
  }
}

/** Who spoke: the owner, some other person of the guild, whose words may be inbox data and no more, or nobody. */
export type Speaker = "owner" | "guest" | "nobody";

/** A webhook's author is no user whatever it calls itself, and a forward is somebody else's words: that is nobody. */
export function speakerOf(wall: Wall, ingress: Extract<Ingress, { kind: "message" | "read_back" }>): Speaker {
  if (authorize(wall, ingress)) return "owner";
  const { message } = ingress;
  const here = ingress.kind === "read_back" || message?.guild_id === wall.guildId;
  return here && isSnowflake(message?.author?.id) && message.author.id !== wall.ownerId && isWord(message) ? "guest" : "nobody";
}

function isOwnersWord(wall: Wall, message: Told): boolean {
  return message?.author?.id === wall.ownerId && isWord(message);
}

function isWord(message: Told): boolean {
  return message.author?.bot !== true && isOwnHand(message) && SPOKEN.has(message.type);
}

/** Written by a person, not by an application in somebody's name, and not handed on. */
function isOwnHand({ webhook_id, application_id, message_snapshots }: Told): boolean {
  const handedOn = Array.isArray(message_snapshots) ? message_snapshots.length > 0 : message_snapshots !== undefined;
  return webhook_id === undefined && application_id === undefined && !handedOn;
}

/**
 * An edit, which may tell no more than whose it is and new words. What else it leaves out was told when the message
 * itself came through the door, and only of such a message an edit means anything.
 */
function isOwnersEdit(wall: Wall, edit: Told, direct: boolean): boolean {
  if (typeof edit !== "object" || edit === null || !isOwnHand(edit)) return false;
  const { guild_id, author, type } = edit;
  const here = guild_id === undefined || isHere(wall, guild_id, direct);
  return here && author?.id === wall.ownerId && author.bot !== true && (type === undefined || SPOKEN.has(type));
}

/** A slash command, button, select, modal or autocomplete in our guild; in his direct messages with us only what answers what stands there. */
function isOwnersInteraction(wall: Wall, interaction: APIInteraction): boolean {
  const user = interaction?.member?.user ?? interaction?.user;
  if (user?.id !== wall.ownerId || user.bot === true) return false;
  if (interaction.guild_id !== undefined) return interaction.guild_id === wall.guildId;
  const { type } = interaction;
  const answers = type === InteractionType.MessageComponent || type === InteractionType.ModalSubmit;
  return answers && interaction.member === undefined && interaction.channel?.type === DIRECT;
}

function isHere(wall: Wall, guildId: unknown, direct: boolean): boolean {
  return direct ? guildId === undefined : guildId === wall.guildId;
}
