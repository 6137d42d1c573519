/**
 * How an interaction is answered: acknowledged first, within Discord's three seconds, and then by editing that
 * acknowledgement for as long as its token lives. An answer that comes later, or that the token no longer takes, is
 * posted as a message: what a person asked for is always answered somewhere.
 */
import {
  InteractionResponseType,
  MessageFlags,
  type APIInteraction,
  type APIModalInteractionResponseCallbackData,
  type InteractionType,
} from "discord-api-types/v10";
import { codeOf, BellhopError } from "../../base/errors.ts";
import type { Locale } from "../../base/words/say.ts";
import { failureKind } from "../rest-failure.ts";
import { sentence } from "../sentence.ts";
import type { Answer, Choice, CommandRoom, Standing } from "./room.ts";

type Acknowledged = Exclude<APIInteraction, { type: InteractionType.Ping }>;
type ReplyRoom = Pick<CommandRoom, "rest" | "now" | "log">;

/** Discord's 15 minutes, less what the way there may take. */
const TOKEN_MS = 14.5 * 60_000;
const NOBODY = { parse: [] };

export interface Reply {
  /**
   * Replaces the acknowledgement (for a button: the message it stands on), or posts in the channel when that is no
   * longer possible. Resolves with where it stands; null where it stands nowhere. Never throws.
   */
  answer(answer: Answer): Promise<Standing | null>;
  /** A further message for the owner's eyes; for buttons, whose message is not theirs to replace. Resolves as `answer` does. Never throws. */
  whisper(said: string | Answer): Promise<Standing | null>;
}

/**
 * Acknowledges. Null where Discord did not take it: then Discord has told the person that it failed, and nothing
 * may be done that they would do again.
 */
export async function acknowledge(
  interaction: Acknowledged,
  kind: { ephemeral: boolean } | "button",
  room: ReplyRoom,
): Promise<Reply | null> {
  const begun = room.now();
  const body =
    kind === "button"
      ? { type: InteractionResponseType.DeferredMessageUpdate }
      : {
          type: InteractionResponseType.DeferredChannelMessageWithSource,
          data: kind.ephemeral ? { flags: MessageFlags.Ephemeral } : {},
        };
  try {
    await callback(interaction, body, room);
  } catch (error) {
    room.log.warn("an interaction could not be acknowledged", { interaction_id: interaction.id, reason: String(error) });
    return null;
  }
  const fresh = (): boolean => room.now() - begun < TOKEN_MS;
  return {
    answer: (answer) => edit(interaction, answer, fresh(), room),
    whisper: (said) => followUp(interaction, typeof said === "string" ? plain(said) : said, fresh(), room),
  };
}

/** Suggestions for an option; what Discord does not take any more is of no use to anybody. Never throws. */
export async function suggest(interaction: Acknowledged, choices: readonly Choice[], room: ReplyRoom): Promise<void> {
  const type = InteractionResponseType.ApplicationCommandAutocompleteResult;
  await callback(interaction, { type, data: { choices: choices.slice(0, 25) } }, room).catch((error: unknown) => {
    room.log.debug("suggestions came too late", { interaction_id: interaction.id, reason: String(error) });
  });
}

/** A window that asks for words, at once: it cannot come later. False where Discord did not take it. Never throws. */
export async function ask(interaction: Acknowledged, data: APIModalInteractionResponseCallbackData, room: ReplyRoom): Promise<boolean> {
  try {
    await callback(interaction, { type: InteractionResponseType.Modal, data }, room);
    return true;
  } catch (error) {
    room.log.warn("a window could not be shown", { interaction_id: interaction.id, reason: String(error) });
    return false;
  }
}

/** One message for the person's eyes alone, at once. Never throws. */
export async function refuse(interaction: Acknowledged, content: string, room: ReplyRoom): Promise<void> {
  const type = InteractionResponseType.ChannelMessageWithSource;
  const data = { content, flags: MessageFlags.Ephemeral, allowed_mentions: NOBODY };
  await callback(interaction, { type, data }, room).catch((error: unknown) => {
    room.log.warn("a refusal could not be told", { interaction_id: interaction.id, reason: String(error) });
  });
}

/** The sentence for whatever went wrong, with its code, which is logged; what nobody foresaw is logged whole. */
export function failureText(error: unknown, locale: Locale, room: Pick<CommandRoom, "log">): string {
  const code = codeOf(error);
  if (error instanceof BellhopError) room.log.info("a command was refused", { error_code: code });
  else room.log.failure("a command failed", error);
  return `${sentence(locale, code, error instanceof BellhopError ? error.details : {})} \`${code}\``;
}

/** An answer of one sentence. */
export function plain(content: string): Answer {
  return { content, embeds: [] };
}

function callback(interaction: Acknowledged, body: unknown, room: ReplyRoom): Promise<unknown> {
  const path = `/interactions/${interaction.id}/${interaction.token}/callback` as const;
  return room.rest.respond({ method: "POST", path, body });
}

async function edit(interaction: Acknowledged, answer: Answer, fresh: boolean, room: ReplyRoom): Promise<Standing | null> {
  const path = `/webhooks/${interaction.application_id}/${interaction.token}/messages/@original` as const;
  const { body, files } = sendable(answer);
  const first = fresh ? () => room.rest.respond<Standing>({ method: "PATCH", path, body, files }) : null;
  return reach(interaction, answer, first, room);
}

async function followUp(interaction: Acknowledged, answer: Answer, fresh: boolean, room: ReplyRoom): Promise<Standing | null> {
  const path = `/webhooks/${interaction.application_id}/${interaction.token}` as const;
  const { body, files } = sendable(answer);
  const hidden = { ...body, flags: MessageFlags.Ephemeral };
  const first = fresh ? () => room.rest.respond<Standing>({ method: "POST", path, body: hidden, files }) : null;
  return reach(interaction, answer, first, room);
}

function sendable({ files = [], ...message }: Answer): { body: object; files: NonNullable<Answer["files"]> } {
  return { body: { ...message, allowed_mentions: NOBODY }, files };
}

/** By the token while it lives; else in the channel, once, however often the answer to that is lost. */
async function reach(
  interaction: Acknowledged,
  answer: Answer,
  byToken: (() => Promise<Standing | undefined>) | null,
  room: ReplyRoom,
): Promise<Standing | null> {
  const failed = (error: unknown): null => {
    room.log.warn("an answer did not get through", { interaction_id: interaction.id, reason: String(error) });
    return null;
  };
  try {
    if (byToken) return standing(await byToken());
  } catch (error) {
    failed(error);
    if (isOver(error)) return null;
  }
  const channelId = interaction.channel?.id;
  if (channelId === undefined) return null;
  const message = sendable(answer);
  const body = { ...message.body, nonce: `i${interaction.id}`, enforce_nonce: true };
  const path = `/channels/${channelId}/messages` as const;
  const request = { method: "POST" as const, path, body, files: message.files, lane: "result" as const, repeatMs: 60_000 };
  return room.rest.call<Standing | undefined>(request).then(standing).catch(failed);
}

function standing(message: Standing | undefined): Standing | null {
  return message?.id === undefined ? null : { id: message.id, channel_id: message.channel_id };
}

function isOver(error: unknown): boolean {
  const kind = failureKind(error);
  return kind === "unauthorized" || kind === "closed";
}
