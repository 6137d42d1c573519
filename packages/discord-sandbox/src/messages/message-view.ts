/**
 * A message as Discord writes it down: full, with who is mentioned, what it answers, and whether the reader has
 * reacted. The bodies of REST answers and gateway events are the same object.
 */
import { channelView, isThread } from "../state/channels.ts";
import { isObject, type Json } from "../rest/form.ts";
import type { Context } from "../context.ts";
import { memberPart, requireUser, userView } from "../state/users.ts";
import type { Attachment, Message, Reaction, World } from "../state/world.ts";

export interface ViewOptions {
  viewerId: string;
  /** Leaves out what a bot without the message content intent may not read. */
  blank?: boolean;
  /** Shows the nonce: only in the answer to the sender and in the event, never when read later. */
  nonce?: boolean;
}

export function messageView(context: Context, message: Message, options: ViewOptions): Json {
  const { world } = context;
  const referenced = referencedView(context, message, options);
  return {
    ...basicView(context, message, options),
    ...(referenced === undefined ? {} : { referenced_message: referenced }),
    ...(message.reactions.length === 0
      ? {}
      : { reactions: message.reactions.map((one) => reactionView(one, options.viewerId)) }),
    ...threadPart(world, message, options.viewerId),
  };
}

/** The same with what only the gateway adds: the guild, the author's member, the mentioned members. */
export function gatewayMessage(context: Context, message: Message, options: ViewOptions): Json {
  const { world } = context;
  const guildId = world.channels[message.channelId]?.guildId ?? null;
  const view = messageView(context, message, options);
  if (guildId === null) return view;
  const member = world.members[message.authorId];
  return {
    ...view,
    guild_id: guildId,
    ...(member === undefined || message.webhookId !== null ? {} : { member: memberPart(member) }),
    mentions: message.mentions.map((id) => {
      const mentioned = world.members[id];
      return {
        ...userView(requireUser(world, id)),
        ...(mentioned === undefined ? {} : { member: memberPart(mentioned) }),
      };
    }),
  };
}

export function attachmentView(context: Context, attachment: Attachment): Json {
  const url = context.attachments.link(attachment);
  return {
    id: attachment.id,
    filename: attachment.filename,
    ...(attachment.title === undefined ? {} : { title: attachment.title }),
    size: attachment.size,
    url,
    proxy_url: context.attachments.proxyLink(attachment),
    ...attachment.picture,
    ...(attachment.contentType === null ? {} : { content_type: attachment.contentType }),
    ...(attachment.description === null ? {} : { description: attachment.description }),
    ...(attachment.ephemeral ? { ephemeral: true } : {}),
  };
}

/** `{id, name}` of a reaction's key. */
export function emojiOf(key: string): { id: string | null; name: string } {
  const custom = /^(.+):(\d+)$/.exec(key);
  return custom === null ? { id: null, name: key } : { id: custom[2] ?? null, name: custom[1] ?? "" };
}

function basicView(context: Context, message: Message, options: ViewOptions): Json {
  const { world } = context;
  const blank = options.blank === true && hidden(world, message, options.viewerId);
  const channel = world.channels[message.channelId];
  return {
    type: message.type,
    content: blank ? "" : message.content,
    mentions: message.mentions.map((id) => userView(requireUser(world, id))),
    mention_roles: message.mentionRoles,
    attachments: blank ? [] : message.attachments.map((one) => attachmentView(context, one)),
    embeds: blank ? [] : message.embeds.map((one) => linkFiles(context, message, one)),
    timestamp: message.timestamp,
    edited_timestamp: message.editedAt,
    flags: message.flags,
    components: blank ? [] : message.components.map((one) => linkFiles(context, message, one)),
    id: message.id,
    channel_id: message.channelId,
    author: userView(requireUser(world, message.authorId)),
    pinned: message.pinnedAt !== null,
    mention_everyone: message.mentionEveryone,
    tts: message.tts,
    ...(message.nonce === null || options.nonce !== true ? {} : { nonce: message.nonce }),
    ...(message.applicationId === null ? {} : { application_id: message.applicationId }),
    ...(message.webhookId === null ? {} : { webhook_id: message.webhookId }),
    ...(message.interactionMetadata === null ? {} : { interaction_metadata: message.interactionMetadata }),
    ...(message.interaction === null ? {} : { interaction: message.interaction }),
    ...(channel !== undefined && isThread(channel) ? { position: message.position } : {}),
    ...referencePart(world, message),
    ...(message.snapshot === undefined ? {} : { message_snapshots: blank ? [] : [{ message: message.snapshot }] }),
    ...(message.stickers === undefined ? {} : { sticker_items: message.stickers }),
    ...(message.poll === undefined || blank ? {} : { poll: message.poll }),
  };
}

const SNAPSHOT_FIELDS = [
  "type",
  "content",
  "mentions",
  "mention_roles",
  "attachments",
  "embeds",
  "timestamp",
  "edited_timestamp",
  "flags",
  "components",
];

/** What a forward of this message shows: neither its author nor its id. */
export function snapshotOf(context: Context, message: Message, viewerId: string): Json {
  const view = basicView(context, message, { viewerId });
  return {
    ...Object.fromEntries(SNAPSHOT_FIELDS.map((field) => [field, view[field]])),
    ...(message.stickers === undefined ? {} : { sticker_items: message.stickers }),
  };
}

function referencePart(world: World, message: Message): Json {
  if (message.reference === null) return {};
  const guildId = world.channels[message.reference.channelId]?.guildId ?? null;
  return {
    message_reference: {
      type: message.reference.forwards === true ? 1 : 0,
      channel_id: message.reference.channelId,
      ...(message.reference.messageId === null ? {} : { message_id: message.reference.messageId }),
      ...(guildId === null ? {} : { guild_id: guildId }),
    },
  };
}

/** `null` for a reply whose target is gone; left out for a message that answers nothing. */
function referencedView(context: Context, message: Message, options: ViewOptions): Json | null | undefined {
  const reference = message.reference;
  if (reference === null || reference.messageId === null || reference.forwards === true) return undefined;
  const target = context.world.messages[reference.channelId]?.find((one) => one.id === reference.messageId);
  return target === undefined ? null : basicView(context, target, options);
}

function threadPart(world: World, message: Message, viewerId: string): Json {
  const thread = message.hasThread ? world.channels[message.id] : undefined;
  return thread === undefined ? {} : { thread: channelView(world, thread, viewerId) };
}

function reactionView(reaction: Reaction, viewerId: string): Json {
  return {
    emoji: emojiOf(reaction.key),
    count: reaction.users.length,
    count_details: { burst: 0, normal: reaction.users.length },
    burst_colors: [],
    me_burst: false,
    me: reaction.users.includes(viewerId),
  };
}

/** Content stays readable in direct messages, in what the app itself wrote, and where the app is mentioned. */
function hidden(world: World, message: Message, viewerId: string): boolean {
  return (
    world.channels[message.channelId]?.guildId !== null &&
    message.authorId !== viewerId &&
    message.applicationId !== viewerId &&
    !message.mentions.includes(viewerId)
  );
}

/** `attachment://name` becomes the file's link, wherever it stands; media get what Discord adds to them. */
function linkFiles(context: Context, message: Message, value: Json): Json {
  const walk = (part: unknown): unknown => {
    if (typeof part === "string" && part.startsWith("attachment://")) {
      const file = message.attachments.find((one) => one.filename === part.slice("attachment://".length));
      return file === undefined ? part : context.attachments.link(file);
    }
    if (Array.isArray(part)) return part.map(walk);
    if (isObject(part)) return walkObject(part);
    return part;
  };
  const walkObject = (part: Json): Json => ({
    ...Object.fromEntries(Object.entries(part).map(([key, inner]) => [key, walk(inner)])),
    ...mediaPart(context, message, part),
  });
  return walkObject(value);
}

/** What a gallery's item, a thumbnail or a file component shows: its link, and of an attachment its name and size. */
function mediaPart(context: Context, message: Message, part: Json): Json {
  const key = part["type"] === 13 ? "file" : "media";
  const media = part[key];
  if (!isObject(media)) return {};
  const asked = String(media["url"]);
  const file = message.attachments.find((one) => asked === `attachment://${one.filename}`);
  const url = file === undefined ? asked : context.attachments.link(file);
  const shown = {
    id: file?.id ?? message.id,
    url,
    proxy_url: url,
    ...(file === undefined ? {} : { attachment_id: file.id }),
  };
  return { [key]: shown, ...(key === "file" ? { name: file?.filename ?? null, size: file?.size ?? null } : {}) };
}
