/**
 * Messages sent and edited: a draft becomes a stored message, under Discord's rules for permissions, replies,
 * threads, repeated nonces and messages with nothing in them.
 */
import { MessageFlags as Flag } from "discord-api-types/v10";
import { limits } from "../limits.ts";
import { mentionsIn } from "./mentions.ts";
import { editFlags, type AttachmentDraft, type Draft, type UploadedFile } from "./message-form.ts";
import { append, newMessage, updated } from "./message-store.ts";
import { snapshotOf } from "./message-view.ts";
import { Bit, mayIn, requirePermission } from "../state/permissions.ts";
import { discordTime, type Context } from "../context.ts";
import { badField, badForm, Code, refuse } from "../rest/refusals.ts";
import { snowflakeTime } from "../state/snowflakes.ts";
import { openForWriting, requireUnarchived, requireUnlocked } from "../state/threads.ts";
import type { Attachment, Channel, Message } from "../state/world.ts";

/** Kinds of message a reply may point at. */
const repliable = [0, 19, 20, 23];
const DAY_MS = 86_400_000;

/** Sends as the user would: permissions, thread rules and the nonce first, then the message. */
export function sendMessage(context: Context, channel: Channel, authorId: string, draft: Draft): Message {
  const { world } = context;
  if (channel.type === 4) throw refuse(Code.CannotExecuteActionOnThisChannelType);
  if (channel.forum !== undefined) throw refuse(Code.CannotSendMessagesInNonTextChannel);
  requirePermission(world, channel, authorId, channel.thread === null ? Bit.SendMessages : Bit.SendMessagesInThreads);
  if (draft.files.length > 0) requirePermission(world, channel, authorId, Bit.AttachFiles);
  if ((draft.embeds ?? []).length > 0) requirePermission(world, channel, authorId, Bit.EmbedLinks);
  if (((draft.flags ?? 0) & Flag.IsVoiceMessage) !== 0) throw refuse(Code.YouCannotSendVoiceMessagesInThisChannel);
  const first = repeated(context, authorId, draft);
  if (first !== undefined) return first;
  const target = repliedTo(context, channel, authorId, draft);
  const forwarded = forwardedBy(context, channel, authorId, draft);
  requireUnlocked(context, channel, authorId);
  const empty = newMessage(context, channel.id, authorId);
  if (forwarded !== null) {
    empty.reference = { channelId: forwarded.channelId, messageId: forwarded.id, forwards: true };
    empty.snapshot = forwarded.snapshot ?? snapshotOf(context, forwarded, authorId);
  }
  const message = fill(context, empty, draft);
  openForWriting(context, channel, authorId);
  if (target !== null) {
    message.type = 19;
    message.reference = { channelId: target.channelId, messageId: target.id };
    if (draft.allowedMentions?.repliedUser !== false && !message.mentions.includes(target.authorId))
      message.mentions.push(target.authorId);
  }
  remember(context, message);
  return append(context, message);
}

/**
 * Puts a draft's parts into a message. Throws 50006 where nothing would be left to show, unless `mayBeEmpty`.
 */
export function fill(context: Context, message: Message, draft: Draft): Message {
  const { world } = context;
  const channel = world.channels[message.channelId];
  message.content = draft.content ?? "";
  message.embeds = draft.embeds ?? [];
  message.components = draft.components ?? [];
  message.flags |= draft.flags ?? 0;
  message.tts = draft.tts;
  message.nonce = draft.nonce;
  if (draft.stickers.length > 0)
    message.stickers = draft.stickers.map((id) => ({ id, name: `sticker ${id}`, format_type: 1 }));
  if (draft.poll !== null) {
    // Bots have not the right to send polls here.
    if (world.users[message.authorId]?.bot === true) throw refuse(Code.MissingPermissions);
    message.poll = { ...draft.poll, expiry: discordTime(context.clock.now() + DAY_MS) };
  }
  requireSomething(message, draft.files.length);
  requireUnblocked(context, message);
  message.attachments = keepFiles(context, message, draft.files, draft.attachments ?? []);
  const everyone = channel !== undefined && mayIn(world, channel, message.authorId, Bit.MentionEveryone);
  setMentions(context, message, draft, everyone);
  return message;
}

/** Changes a stored message by a draft; what the draft does not give stays as it is. The caller checks permissions. */
export function editMessage(context: Context, message: Message, draft: Draft): Message {
  const files = draft.files.length;
  const keep = keptAttachments(message, draft, files);
  const next: Message = {
    ...message,
    content: draft.content === undefined ? message.content : (draft.content ?? ""),
    embeds: draft.embeds === undefined ? message.embeds : (draft.embeds ?? []),
    components: draft.components === undefined ? message.components : (draft.components ?? []),
    flags: draft.flags === undefined || draft.flags === null ? message.flags : editedFlags(message.flags, draft.flags),
    attachments: keep,
  };
  requireSomething(next, files);
  requireUnblocked(context, next);
  Object.assign(message, next);
  for (const [index, file] of message.attachments.entries()) {
    const said = draft.attachments?.find((one) => one.id === file.id);
    if (said?.description !== undefined && said.description !== null)
      message.attachments[index] = { ...file, description: said.description };
  }
  const fresh = (draft.attachments ?? []).filter((one) => !keep.some((kept) => kept.id === one.id));
  message.attachments.push(...keepFiles(context, message, draft.files, fresh));
  message.editedAt = discordTime(context.clock.now());
  if (draft.content !== undefined) setMentions(context, message, draft, false);
  updated(context, message);
  return message;
}

/** AutoMod reads what is written, and no files. */
function requireUnblocked({ world, blocked }: Context, { authorId, content }: Message): void {
  if (blocked !== null && world.users[authorId]?.bot === true && blocked.words.test(content))
    throw refuse(blocked.code);
}

/** Edits by the message's author (or, for nothing but flags, by who may manage messages). */
export function editOwn(
  context: Context,
  { channel, userId }: { channel: Channel; userId: string },
  message: Message,
  draft: Draft,
): Message {
  requirePermission(context.world, channel, userId);
  requireUnarchived(channel);
  if (message.authorId !== userId) {
    const onlyFlags =
      draft.content === undefined &&
      draft.embeds === undefined &&
      draft.components === undefined &&
      draft.attachments === undefined &&
      draft.files.length === 0;
    if (!onlyFlags || !mayIn(context.world, channel, userId, Bit.ManageMessages))
      throw refuse(Code.CannotEditMessageAuthoredByAnotherUser);
  }
  if (![0, 19, 20, 23].includes(message.type)) throw refuse(Code.CannotExecuteActionOnSystemMessage);
  return editMessage(context, message, draft);
}

/** `enforce_nonce`: the first message of the same author with the same nonce in the past minutes. */
function repeated(context: Context, authorId: string, draft: Draft): Message | undefined {
  if (draft.nonce === null) return undefined;
  const known = context.nonces.get(`${authorId}:${draft.nonce}`);
  if (!draft.enforceNonce || known === undefined) return undefined;
  if (context.clock.now() - snowflakeTime(known.messageId) > limits.nonceMemoryMs) return undefined;
  const first = context.world.messages[known.channelId]?.find((one) => one.id === known.messageId);
  if (first === undefined) throw refuse(Code.UnknownMessage);
  return first;
}

/** Also used when a world is read back, so that a restart does not forget nonces. */
export function remember(context: Context, message: Message): void {
  if (message.nonce === null) return;
  context.nonces.set(`${message.authorId}:${message.nonce}`, { channelId: message.channelId, messageId: message.id });
}

/** The message that is forwarded, of any channel that the author sees. */
function forwardedBy(context: Context, channel: Channel, authorId: string, { reference }: Draft): Message | null {
  if (reference === null || !reference.forwards) return null;
  const from = context.world.channels[reference.channelId ?? channel.id];
  if (from === undefined) throw refuse(Code.UnknownChannel);
  requirePermission(context.world, from, authorId);
  const target = context.world.messages[from.id]?.find((one) => one.id === reference.messageId);
  if (target === undefined) throw badField("message_reference", "REPLIES_UNKNOWN_MESSAGE", "Unknown message");
  return target;
}

function repliedTo(context: Context, channel: Channel, authorId: string, draft: Draft): Message | null {
  const reference = draft.reference;
  if (reference === null || reference.forwards) return null;
  if (!mayIn(context.world, channel, authorId, Bit.ReadMessageHistory))
    throw refuse(Code.CannotReplyWithoutPermissionToReadMessageHistory);
  const target = context.world.messages[channel.id]?.find((one) => one.id === reference.messageId);
  const elsewhere = reference.channelId !== null && reference.channelId !== channel.id;
  if (target === undefined || elsewhere) {
    if (!reference.failIfMissing) return null;
    throw badField("message_reference", "REPLIES_UNKNOWN_MESSAGE", "Unknown message");
  }
  if (!repliable.includes(target.type)) {
    throw badField("message_reference", "REPLIES_CANNOT_REPLY_TO_SYSTEM_MESSAGE", "Cannot reply to a system message");
  }
  return target;
}

/** Bits that were already set may be sent along or taken off; the newer-components bit cannot be taken off. */
function editedFlags(standing: number, asked: number): number {
  const settled = standing & ~(Flag.SuppressEmbeds as number);
  if ((standing & Flag.IsComponentsV2) !== 0 && (asked & Flag.IsComponentsV2) === 0) {
    throw badField("flags", "MESSAGE_CANNOT_REMOVE_COMPONENTS_V2_FLAG", "The IS_COMPONENTS_V2 flag cannot be removed");
  }
  return settled | (asked & editFlags);
}

function requireSomething(message: Message, files: number): void {
  if (message.snapshot !== undefined || message.stickers !== undefined || message.poll !== undefined) return;
  const newer = (message.flags & Flag.IsComponentsV2) !== 0;
  if (message.components.length > 0) return;
  if (!newer && (message.content !== "" || message.embeds.length > 0)) return;
  if (!newer && (files > 0 || message.attachments.length > 0)) return;
  throw refuse(Code.CannotSendAnEmptyMessage);
}

/** With `attachments` given, what it does not name of the old files goes away. */
function keptAttachments(message: Message, draft: Draft, files: number): Attachment[] {
  if (draft.attachments === undefined) return [...message.attachments];
  const named = (draft.attachments ?? []).map((one) => one.id);
  const unknown = named.filter((id) => Number(id) >= files && !message.attachments.some((one) => one.id === id));
  if (unknown.length > 0) throw refuse(Code.UploadedFileNotFound);
  return message.attachments.filter((one) => named.includes(one.id));
}

function keepFiles(
  context: Context,
  message: Message,
  files: readonly UploadedFile[],
  drafts: readonly AttachmentDraft[],
): Attachment[] {
  const numbers = files.map((file) => /^files\[(\d+)\]$/.exec(file.field)?.[1]);
  const missing = drafts.findIndex((one) => !numbers.includes(one.id));
  if (missing !== -1) throw refuse(Code.UploadedFileNotFound);
  if (message.attachments.length + files.length > limits.files) {
    throw badForm({
      attachments: {
        _errors: [{ code: "BASE_TYPE_MAX_LENGTH", message: `Must be ${limits.files} or fewer in length.` }],
      },
    });
  }
  return files.map((file, index) => {
    const kept = context.attachments.keep(
      context.ids,
      message.channelId,
      file,
      drafts.find((one) => one.id === numbers[index]),
    );
    return { ...kept, ephemeral: message.ephemeralFor !== null };
  });
}

function setMentions(context: Context, message: Message, draft: Draft, everyone: boolean): void {
  const found = mentionsIn(context.world, message.content, draft.allowedMentions ?? null, everyone);
  message.mentions = found.users;
  message.mentionRoles = found.roles;
  message.mentionEveryone = found.everyone;
}
