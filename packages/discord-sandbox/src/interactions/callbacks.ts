/**
 * The app's answers to an interaction: messages at once or deferred, updates of the message pressed, choices,
 * modals, follow-ups. Ephemeral ones reach only the person who asked.
 */
import { MessageFlags as Flag } from "discord-api-types/v10";
import { Form, isObject, type Json } from "../rest/form.ts";
import type { Interaction } from "./interaction.ts";
import { interactionMetadata } from "./interactions.ts";
import { limits } from "../limits.ts";
import { answerFlags, editFlags, readDraft, type Draft, type UploadedFile } from "../messages/message-form.ts";
import { append, newMessage, removeAll, updated } from "../messages/message-store.ts";
import { editMessage, fill } from "../messages/messages.ts";
import { readModal } from "./modals.ts";
import type { Context } from "../context.ts";
import { badField, Code, refuse } from "../rest/refusals.ts";
import type { Message } from "../state/world.ts";

/**
 * Callback types an interaction kind may be answered with: 4 message, 5 deferred, 6 deferred update, 7 update, 8
 * choices, 9 modal.
 */
const fitting: Record<number, readonly number[]> = { 2: [4, 5, 9], 3: [4, 5, 6, 7, 9], 4: [8], 5: [4, 5, 6, 7] };

/** Carries out a callback and returns the message it made or changed, if any. */
export function answer(
  context: Context,
  interaction: Interaction,
  body: unknown,
  files: UploadedFile[],
): Message | null {
  if (interaction.callback !== null) throw refuse(Code.InteractionHasAlreadyBeenAcknowledged);
  const form = new Form(body);
  const type = form.choice("type", [4, 5, 6, 7, 8, 9], true);
  form.done();
  const allowed = fitting[interaction.kind] ?? [];
  if (typeof type !== "number" || !allowed.includes(type) || ([6, 7].includes(type) && interaction.message === null)) {
    throw badField("type", "BASE_TYPE_CHOICES", `Value must be one of {${allowed.join(", ")}}.`);
  }
  const data = form.value["data"] ?? {};
  switch (type) {
    case 4:
      return respond(context, interaction, readDraft(inData(data), files, answerFlags));
    case 5:
      return defer(context, interaction, data);
    case 6:
      context.interactions.acknowledge(interaction, 6);
      interaction.originalId = interaction.message?.id ?? null;
      return interaction.message;
    case 7:
      return updatePressed(context, interaction, data, files);
    case 8:
      offer(context, interaction, data);
      return null;
    default:
      modal(context, interaction, data);
      return null;
  }
}

/** A follow-up. The first one after a deferral takes the place of the waiting message. */
export function followUp(context: Context, interaction: Interaction, body: unknown, files: UploadedFile[]): Message {
  const draft = readDraft(new Form(body), files, answerFlags);
  if (interaction.thinking) {
    const waiting = original(context, interaction);
    return fillIn(context, interaction, waiting, draft);
  }
  const ephemeral = ((draft.flags ?? 0) & Flag.Ephemeral) !== 0;
  const message = fill(context, blank(context, interaction, ephemeral), draft);
  if (interaction.originalId !== null)
    Object.assign(message, {
      type: 19,
      reference: { channelId: message.channelId, messageId: interaction.originalId },
    });
  interaction.followUps.push(message.id);
  return append(context, message);
}

/** Edits `@original` or a follow-up; a waiting message becomes the answer. */
export function editAnswer(
  { context, body, files }: { context: Context; body: unknown; files: UploadedFile[] },
  interaction: Interaction,
  id: string,
): Message {
  const message = answerMessage(context, interaction, id);
  const draft = readDraft(new Form(body), files, editFlags | Flag.Ephemeral, message.flags);
  if (interaction.thinking && message.id === interaction.originalId)
    return fillIn(context, interaction, message, draft);
  return editMessage(context, message, draft);
}

export function deleteAnswer(context: Context, interaction: Interaction, id: string): void {
  const message = answerMessage(context, interaction, id);
  if (message.ephemeralFor === null) removeAll(context, message.channelId, [message], false);
  else {
    context.ephemerals.delete(message.id);
    const guildId = context.world.channels[message.channelId]?.guildId ?? null;
    const place = { channel_id: message.channelId, ...(guildId === null ? {} : { guild_id: guildId }) };
    context.dispatch({ t: "MESSAGE_DELETE", d: { id: message.id, ...place }, only: [message.ephemeralFor] });
    context.changed();
  }
  if (message.id === interaction.originalId) interaction.originalId = null;
}

/** `@original`, or the follow-up with this id. 10008 where it is not one of this interaction's messages. */
export function answerMessage(context: Context, interaction: Interaction, id: string): Message {
  const wanted = id === "@original" ? interaction.originalId : id;
  if (wanted === null || (wanted !== interaction.originalId && !interaction.followUps.includes(wanted)))
    throw refuse(Code.UnknownMessage);
  const message =
    context.ephemerals.get(wanted) ?? context.world.messages[interaction.channelId]?.find((one) => one.id === wanted);
  if (message === undefined) throw refuse(Code.UnknownMessage);
  return message;
}

function respond(context: Context, interaction: Interaction, draft: Draft): Message {
  const ephemeral = ((draft.flags ?? 0) & Flag.Ephemeral) !== 0;
  const message = fill(context, blank(context, interaction, ephemeral), draft);
  context.interactions.acknowledge(interaction, 4);
  interaction.originalId = message.id;
  interaction.ephemeral = ephemeral;
  return append(context, message);
}

function defer(context: Context, interaction: Interaction, data: unknown): Message {
  const form = inData(data);
  const flags = form.integer("flags", { min: 0 }) ?? 0;
  if ((flags & ~answerFlags) !== 0)
    form.fail("flags", "BASE_TYPE_CHOICES", `Only these flags may be set here: ${answerFlags}.`);
  form.done();
  const ephemeral = (flags & Flag.Ephemeral) !== 0;
  const message = blank(context, interaction, ephemeral);
  message.flags |= Flag.Loading;
  context.interactions.acknowledge(interaction, 5);
  interaction.originalId = message.id;
  interaction.ephemeral = ephemeral;
  interaction.thinking = true;
  return append(context, message);
}

function fillIn(context: Context, interaction: Interaction, waiting: Message, draft: Draft): Message {
  const flags = waiting.flags & ~(Flag.Loading as number);
  fill(context, waiting, { ...draft, flags: (draft.flags ?? 0) & ~(Flag.Ephemeral as number) });
  waiting.flags = flags | ((draft.flags ?? 0) & editFlags);
  interaction.thinking = false;
  updated(context, waiting);
  return waiting;
}

function updatePressed(context: Context, interaction: Interaction, data: unknown, files: UploadedFile[]): Message {
  const message = interaction.message;
  if (message === null) throw refuse(Code.UnknownMessage);
  const draft = readDraft(inData(data), files, editFlags, message.flags);
  context.interactions.acknowledge(interaction, 7);
  interaction.originalId = message.id;
  return editMessage(context, message, draft);
}

function offer(context: Context, interaction: Interaction, data: unknown): void {
  const form = inData(data);
  const choices = form.list("choices", { max: limits.autocompleteChoices, required: true }, (choice) => {
    const name = choice.text("name", { min: 1, max: limits.choiceText, required: true });
    const value = choice.value["value"];
    if (typeof value === "string") choice.text("value", { min: 1, max: limits.choiceText, required: true });
    else if (typeof value !== "number") choice.fail("value", "BASE_TYPE_REQUIRED", "This field is required");
    return { name, value } as Json;
  });
  form.done();
  context.interactions.acknowledge(interaction, 8);
  context.interactions.offerChoices(interaction, choices ?? []);
}

function modal(context: Context, interaction: Interaction, data: unknown): void {
  const shown = readModal(inData(data), context.ids.next());
  context.interactions.acknowledge(interaction, 9);
  context.interactions.showModal(interaction, shown);
}

/** What is wrong in an answer's data is told under `data`. */
function inData(data: unknown): Form {
  return new Form(data, ["data"]);
}

function original(context: Context, interaction: Interaction): Message {
  return answerMessage(context, interaction, "@original");
}

/** A message of the app's webhook, in the interaction's channel. Type 20 answers a command, 0 follows anything else. */
function blank(context: Context, interaction: Interaction, ephemeral: boolean): Message {
  const application = context.world.applications[interaction.applicationId];
  const message = newMessage(context, interaction.channelId, application?.botId ?? interaction.applicationId);
  const pressed = interaction.kind === 3 && interaction.originalId === null ? interaction.message : null;
  return {
    ...message,
    type: interaction.kind === 2 && interaction.originalId === null ? 20 : pressed === null ? 0 : 19,
    flags: ephemeral ? Flag.Ephemeral : 0,
    ephemeralFor: ephemeral ? interaction.userId : null,
    applicationId: interaction.applicationId,
    webhookId: interaction.applicationId,
    interactionMetadata: interactionMetadata(context, interaction),
    interaction: interaction.kind === 2 ? legacyInteraction(interaction, context) : null,
    reference: pressed === null ? null : { channelId: pressed.channelId, messageId: pressed.id },
  };
}

function legacyInteraction(interaction: Interaction, context: Context): Json {
  const metadata = interactionMetadata(context, interaction);
  return { id: interaction.id, type: 2, name: fullName(interaction.data), user: metadata["user"] };
}

/** `project create`: a command's name with the subcommand that was used. */
function fullName(data: Json): string {
  const [first] = Array.isArray(data["options"]) ? data["options"].filter(isObject) : [];
  const nested = first !== undefined && [1, 2].includes(Number(first["type"])) ? ` ${fullName(first)}` : "";
  return `${String(data["name"] ?? "")}${nested}`;
}
