/**
 * Decides whether something that came from Discord is from the owner. Called for every kind of ingress, and based only
 * on Discord's own ids, never on names, texts or anything an agent passed on. Whatever is uncertain is not the owner's;
 * it never throws.
 */
import { InteractionType, type APIInteraction, type APIMessage } from "discord-api-types/v10";
import { isSnowflake } from "../../base/ids.ts";

export interface AccessPolicy {
  ownerId: string;
  guildId: string;
}

/** A message or an edit from the gateway or the REST API: any field may be missing. */
export type MessagePayload = Partial<APIMessage> & { guild_id?: string };

/**
 * What came in. `direct`: it came from the channel that Discord has named as the owner's direct messages with the bot;
 * everything else must name our guild, except messages read from one of our own channels (`read_back`).
 */
export type Ingress =
  | { kind: "message"; message: MessagePayload; direct: boolean }
  | { kind: "read_back"; message: MessagePayload }
  | { kind: "edit"; edit: MessagePayload; direct: boolean }
  /** Discord does not say who deleted it; a deletion takes work back and starts none. */
  | { kind: "deletion"; gone: { guild_id?: string }; direct: boolean }
  /** A thread that somebody made. */
  | { kind: "thread"; thread: { owner_id?: unknown; guild_id?: unknown } }
  | { kind: "interaction"; interaction: APIInteraction };

/** Ordinary messages and replies (Discord's message types 0 and 19); joins, pins and thread notices have no author. */
const SPOKEN = new Set<unknown>([0, 19]);
/** Discord's channel type of direct messages between two users. */
const DIRECT = 1;

/** Whether the owner did it. */
export function authorize(policy: AccessPolicy, ingress: Ingress): boolean {
  switch (ingress.kind) {
    case "message":
      return isHere(policy, ingress.message?.guild_id, ingress.direct) && isOwnersWord(policy, ingress.message);
    case "read_back":
      return isOwnersWord(policy, ingress.message);
    case "edit":
      return isOwnersEdit(policy, ingress.edit, ingress.direct);
    case "deletion":
      return ingress.gone?.guild_id === undefined || isHere(policy, ingress.gone.guild_id, ingress.direct);
    case "thread":
      return ingress.thread?.guild_id === policy.guildId && ingress.thread.owner_id === policy.ownerId;
    case "interaction":
      return isOwnersInteraction(policy, ingress.interaction);
  }
}

/**
 * Who wrote it: the owner, another person of the guild, whose words may only be inbox data, or nobody; `forwarder`: the
 * owner has forwarded it, and its words are somebody else's.
 */
export type Speaker = "owner" | "forwarder" | "guest" | "nobody";

/** A webhook's author is not a user, whatever its name, and a stranger's forward is nobody's words. */
export function speakerOf(policy: AccessPolicy, ingress: Extract<Ingress, { kind: "message" | "read_back" }>): Speaker {
  if (authorize(policy, ingress)) return "owner";
  const { message } = ingress;
  const here = ingress.kind === "read_back" || message?.guild_id === policy.guildId;
  const { message_snapshots: _forwarded, ...bare } = message ?? {};
  if (here && isForward(message) && isOwnersWord(policy, bare)) return "forwarder";
  return here && isSnowflake(message?.author?.id) && message.author.id !== policy.ownerId && isWord(message)
    ? "guest"
    : "nobody";
}

function isOwnersWord(policy: AccessPolicy, message: MessagePayload): boolean {
  return message?.author?.id === policy.ownerId && isWord(message);
}

function isWord(message: MessagePayload): boolean {
  return message.author?.bot !== true && isOwnHand(message) && SPOKEN.has(message.type);
}

/** Written by a person, not by an application in a user's name, and not forwarded. */
function isOwnHand(message: MessagePayload): boolean {
  return message.webhook_id === undefined && message.application_id === undefined && !isForward(message);
}

function isForward(message: MessagePayload): boolean {
  const { message_snapshots } = message ?? {};
  return Array.isArray(message_snapshots) ? message_snapshots.length > 0 : message_snapshots !== undefined;
}

/**
 * An edit, which may contain no more than its author and new words. Everything else was checked when the message itself
 * arrived, and only an edit of an accepted message has an effect.
 */
function isOwnersEdit(policy: AccessPolicy, edit: MessagePayload, direct: boolean): boolean {
  if (typeof edit !== "object" || edit === null || !isOwnHand(edit)) return false;
  const { guild_id, author, type } = edit;
  const here = guild_id === undefined || isHere(policy, guild_id, direct);
  return here && author?.id === policy.ownerId && author.bot !== true && (type === undefined || SPOKEN.has(type));
}

/**
 * A slash command, button, select, modal or autocomplete in our guild; in the owner's direct messages with the bot only
 * presses and modals of what is posted there.
 */
function isOwnersInteraction(policy: AccessPolicy, interaction: APIInteraction): boolean {
  const user = interaction?.member?.user ?? interaction?.user;
  if (user?.id !== policy.ownerId || user.bot === true) return false;
  if (interaction.guild_id !== undefined) return interaction.guild_id === policy.guildId;
  const { type } = interaction;
  const answers = type === InteractionType.MessageComponent || type === InteractionType.ModalSubmit;
  return answers && interaction.member === undefined && interaction.channel?.type === DIRECT;
}

function isHere(policy: AccessPolicy, guildId: unknown, direct: boolean): boolean {
  return direct ? guildId === undefined : guildId === policy.guildId;
}
