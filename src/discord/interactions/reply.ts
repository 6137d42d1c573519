/**
 * How an interaction is answered: acknowledged first, within Discord's three seconds, and then by editing that
 * acknowledgement while its token lives. An answer that comes later, or that Discord refuses for the token, is posted
 * as a message, so every request is answered somewhere.
 */
import {
  ComponentType,
  InteractionResponseType,
  MessageFlags,
  type APIInteraction,
  type APIMessageComponentInteraction,
  type APIModalInteractionResponseCallbackData,
  type APIModalSubmitInteraction,
  InteractionType,
  TextInputStyle,
  type APITextInputComponent,
} from "discord-api-types/v10";
import { codeOf, BellhopError, errors, type ErrorCode } from "../../base/errors.ts";
import { fileRefusal } from "../../base/path-refusal.ts";
import type { Locale } from "../../base/words/say.ts";
import { failureKind } from "../api/transport.ts";
import { sendOnce } from "../delivery/send-once.ts";
import type { Action, ActionFields } from "../views/custom-id.ts";
import { withCommands } from "../views/command-mentions.ts";
import { explainError, sentence } from "../views/message.ts";
import type { InteractionAnswer, AutocompleteChoice, CommandContext, MessageRef } from "./command.ts";

type Acknowledged = Exclude<APIInteraction, { type: InteractionType.Ping }>;
/** Discord's 15 minutes, less a margin for the network. */
const TOKEN_MS = 14.5 * 60_000;
/** How long a person is expected to wait for an answer. */
const PATIENCE_MS = 60_000;
const NOBODY = { parse: [] };

export interface InteractionReply {
  /**
   * Replaces the acknowledgement (for a button: the message it is on), or posts in the channel when that is no longer
   * possible. Resolves with its position; null if it was not posted. Never throws.
   */
  respond(answer: InteractionAnswer): Promise<MessageRef | null>;
  /** An additional ephemeral message; for buttons, whose message must stay. Resolves like `answer`. Never throws. */
  ephemeral(text: string | InteractionAnswer): Promise<MessageRef | null>;
}

/** A press on one of our messages, acknowledged. */
export interface Press {
  interaction: APIMessageComponentInteraction;
  /** What was chosen in a select; empty for a button. */
  values: readonly string[];
  reply: InteractionReply;
  /** The message is ephemeral, so an answer may replace it. */
  alone: boolean;
  /** The presser's if the message is ephemeral, else the one of all that stands in the channel. */
  locale: Locale;
  context: CommandContext;
}

/** What a press of this action does. What it throws is told to the presser. */
export type Handler<A extends Action> = (fields: ActionFields<A>, press: Press) => Promise<void>;
export type Handlers<A extends Action> = { readonly [K in A]: Handler<K> };

/**
 * Acknowledges. Null if Discord refused it: then Discord has shown the person a failure, and nothing may be done that
 * they would repeat.
 */
export async function acknowledge(
  interaction: Acknowledged,
  kind: { ephemeral: boolean } | "button",
  context: CommandContext,
): Promise<InteractionReply | null> {
  const begun = context.clock.now();
  const body =
    kind === "button"
      ? { type: InteractionResponseType.DeferredMessageUpdate }
      : {
          type: InteractionResponseType.DeferredChannelMessageWithSource,
          data: kind.ephemeral ? { flags: MessageFlags.Ephemeral } : {},
        };
  try {
    await callback(interaction, body, context);
  } catch (error) {
    context.log.warn("an interaction could not be acknowledged", {
      interaction_id: interaction.id,
      reason: String(error),
    });
    return null;
  }
  const fresh = (): boolean => context.clock.now() - begun < TOKEN_MS;
  return {
    respond: (answer) => edit(interaction, answer, fresh(), context),
    ephemeral: (text) => followUp(interaction, typeof text === "string" ? plainAnswer(text) : text, fresh(), context),
  };
}

/** Says why the answer to an acknowledged interaction takes longer: in its place, or for a press beside it. Never throws. */
export async function respondMeanwhile(
  interaction: APIInteraction,
  text: string,
  context: CommandContext,
): Promise<void> {
  if (interaction.type === InteractionType.ApplicationCommand)
    await edit(interaction, plainAnswer(text), true, context);
  else if (interaction.type === InteractionType.MessageComponent)
    await followUp(interaction, plainAnswer(text), true, context);
}

/** Tells the presser alone, by replacing the pressed message if it is ephemeral. */
export function replyPrivately(
  { reply, alone }: Press,
  answer: InteractionAnswer,
): ReturnType<InteractionReply["respond"]> {
  return alone ? reply.respond(answer) : reply.ephemeral(answer);
}

/** Suggestions for an option; one that Discord no longer takes is dropped. Never throws. */
export async function suggest(
  interaction: Acknowledged,
  choices: readonly (Omit<AutocompleteChoice, "value"> & { value: string | number })[],
  context: CommandContext,
): Promise<void> {
  const type = InteractionResponseType.ApplicationCommandAutocompleteResult;
  await callback(interaction, { type, data: { choices: choices.slice(0, 25) } }, context).catch((error: unknown) => {
    context.log.debug("suggestions came too late", { interaction_id: interaction.id, reason: String(error) });
  });
}

/** Opens a modal that asks for words, as the first response only. False if Discord refused it. Never throws. */
export async function openModal(
  interaction: Acknowledged,
  data: APIModalInteractionResponseCallbackData,
  context: CommandContext,
): Promise<boolean> {
  try {
    await callback(interaction, { type: InteractionResponseType.Modal, data }, context);
    return true;
  } catch (error) {
    context.log.warn("a modal could not be shown", { interaction_id: interaction.id, reason: String(error) });
    return false;
  }
}

/** The field of every modal of ours. */
export const WORDS_FIELD = "words";

/** It, for one line of at most so many characters. */
export function wordsField(max_length: number): APITextInputComponent {
  return {
    type: ComponentType.TextInput,
    custom_id: WORDS_FIELD,
    style: TextInputStyle.Short,
    max_length,
    required: true,
  };
}

/** What was typed in a modal. */
export function typedIn({ data }: APIModalSubmitInteraction): string {
  for (const top of data.components) {
    const fields = "components" in top ? top.components : "component" in top ? [top.component] : [];
    for (const one of fields)
      if ("value" in one && typeof one.value === "string" && one.custom_id === WORDS_FIELD) return one.value;
  }
  return "";
}

/** Answers a modal that was filled in, ephemerally, with what is made of its words, or why not. Never throws. */
export async function answerModal(
  interaction: APIModalSubmitInteraction,
  made: (typed: string) => Promise<InteractionAnswer>,
  locale: Locale,
  context: CommandContext,
): Promise<void> {
  const reply = await acknowledge(interaction, { ephemeral: true }, context);
  if (!reply) return;
  try {
    await reply.respond(await made(typedIn(interaction)));
  } catch (error) {
    await reply.respond(plainAnswer(failureText(error, locale, context)));
  }
}

/** One ephemeral message, as the first response. Never throws. */
export async function refuse(interaction: Acknowledged, content: string, context: CommandContext): Promise<void> {
  const type = InteractionResponseType.ChannelMessageWithSource;
  const { content: linked } = withCommands({ content, embeds: [] }, context.commandIds);
  const data = { content: linked, flags: MessageFlags.Ephemeral, allowed_mentions: NOBODY };
  await callback(interaction, { type, data }, context).catch((error: unknown) => {
    context.log.warn("a refusal could not be sent", { interaction_id: interaction.id, reason: String(error) });
  });
}

/** A refusal with a sentence of its own, instead of the one that its code has. */
export class Refused extends BellhopError {
  readonly words: string;

  constructor(code: ErrorCode, words: string) {
    super(code);
    this.words = words;
  }
}

/**
 * The sentence for an error, with its code, which is logged as its table says; an unexpected error is logged in full.
 */
export function failureText(thrown: unknown, locale: Locale, context: CommandContext): string {
  const error = fileRefusal(thrown) ?? thrown;
  const code = codeOf(error);
  const { logged = "info" } = errors[code];
  if (logged === "error") context.log.failure("a command failed", error);
  else context.log[logged]("a command was refused", { error_code: code });
  if (error instanceof Refused) return `${error.words} \`${code}\``;
  const details = error instanceof BellhopError ? error.details : {};
  // The reason of any other error is in its sentence already, or only for the log.
  return code === "E_AGENT_START_FAILED"
    ? explainError(locale, code, details).join("\n")
    : `${sentence(locale, code, details)} \`${code}\``;
}

/** An answer of one sentence. */
export function plainAnswer(content: string): InteractionAnswer {
  return { content, embeds: [] };
}

function callback(interaction: Acknowledged, body: unknown, context: CommandContext): Promise<unknown> {
  const path = `/interactions/${interaction.id}/${interaction.token}/callback` as const;
  return context.rest.respond({ method: "POST", path, body });
}

async function edit(
  interaction: Acknowledged,
  answer: InteractionAnswer,
  fresh: boolean,
  context: CommandContext,
): Promise<MessageRef | null> {
  const path = `/webhooks/${interaction.application_id}/${interaction.token}/messages/@original` as const;
  const { body, files } = sendable(answer, context);
  const first = fresh ? () => context.rest.respond<MessageRef>({ method: "PATCH", path, body, files }) : null;
  return reach(interaction, answer, first, context);
}

async function followUp(
  interaction: Acknowledged,
  answer: InteractionAnswer,
  fresh: boolean,
  context: CommandContext,
): Promise<MessageRef | null> {
  const path = `/webhooks/${interaction.application_id}/${interaction.token}` as const;
  const { body, files } = sendable(answer, context);
  const hidden = { ...body, flags: MessageFlags.Ephemeral };
  const first = fresh ? () => context.rest.respond<MessageRef>({ method: "POST", path, body: hidden, files }) : null;
  return reach(interaction, answer, first, context);
}

function sendable(
  { files = [], isFixed, ...message }: InteractionAnswer,
  { commandIds }: CommandContext,
): {
  body: object;
  files: NonNullable<InteractionAnswer["files"]>;
} {
  return { body: { ...(isFixed ? message : withCommands(message, commandIds)), allowed_mentions: NOBODY }, files };
}

/** Uses the token while it lives; else posts in the channel, once, however often the response to that is lost. */
async function reach(
  interaction: Acknowledged,
  answer: InteractionAnswer,
  byToken: (() => Promise<MessageRef | undefined>) | null,
  context: CommandContext,
): Promise<MessageRef | null> {
  const failed = (error: unknown): null => {
    context.log.warn("an answer could not be sent", { interaction_id: interaction.id, reason: String(error) });
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
  return sendOnce<MessageRef>(context.rest, {
    channelId,
    ...sendable(answer, context),
    nonce: `i${interaction.id}`,
    priority: "result",
    patienceMs: PATIENCE_MS,
  })
    .then(standing)
    .catch(failed);
}

function standing(message: MessageRef | undefined): MessageRef | null {
  return message?.id === undefined ? null : { id: message.id, channel_id: message.channel_id };
}

function isOver(error: unknown): boolean {
  const kind = failureKind(error);
  return kind === "unauthorized" || kind === "closed";
}
