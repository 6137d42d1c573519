/**
 * People for tests: each writes, reacts, presses and uses commands in one channel, through a person's client. An
 * actor can only do what a client would let them do.
 */
import { randomBytes } from "node:crypto";
import type { APIMessage, APIThreadChannel } from "discord-api-types/v10";
import type { Client, ClientFile } from "./client.ts";
import { findCommand, optionsAt } from "../interactions/command-use.ts";
import { allComponents, selectKinds } from "../messages/components.ts";
import { isObject, type Json } from "../rest/form.ts";
import type { Interaction } from "../interactions/interaction.ts";
import { fillModal, type ModalValues } from "../interactions/modals.ts";
import { watchInteraction, type InteractionHandle } from "./interaction-handle.ts";
import type { Context } from "../context.ts";
import type { Waiting } from "./waiting.ts";
import type { Message } from "../state/world.ts";

export type OptionValue = string | number | boolean;

export interface UserActor {
  readonly userId: string;
  send(
    content: string,
    options?: {
      files?: readonly ClientFile[];
      replyTo?: string;
      nonce?: string;
      allowedMentions?: Json;
      /** The id of a sticker that goes with it. */
      sticker?: string;
      /** A poll's question. */
      poll?: string;
    },
  ): Promise<APIMessage>;
  /** Forwards a message, of this channel unless another is named. */
  forward(messageId: string, fromChannelId?: string): Promise<APIMessage>;
  edit(messageId: string, content: string): Promise<APIMessage>;
  delete(messageId: string): Promise<void>;
  react(messageId: string, emoji: string): Promise<void>;
  unreact(messageId: string, emoji: string): Promise<void>;
  upload(files: readonly ClientFile[], content?: string): Promise<APIMessage>;
  typing(): Promise<void>;
  /**
   * `path`: `"project create"` or its parts. Options by name, checked as the client checks them. `locale`: the
   * client's, if it is not its default.
   */
  slash(
    path: string | readonly string[],
    options?: Record<string, OptionValue>,
    locale?: string,
  ): Promise<InteractionHandle>;
  /** What is offered while `focused` is being typed. */
  autocomplete(
    path: string | readonly string[],
    focused: string,
    typed: string,
    options?: Record<string, OptionValue>,
  ): Promise<{ name: string; value: string | number }[]>;
  /** By custom id or by label. Throws where there is no such button or it is disabled. */
  clickButton(messageId: string, customIdOrLabel: string): Promise<InteractionHandle>;
  select(messageId: string, customId: string, values: readonly string[]): Promise<InteractionHandle>;
  /** Sends the modal an interaction has opened. */
  submitModal(opened: InteractionHandle, values: ModalValues): Promise<InteractionHandle>;
  /** From a message where `messageId` is given. */
  createThread(name: string, options?: { messageId?: string; autoArchiveMinutes?: number }): Promise<APIThreadChannel>;
  /** In a forum: a post, with tags by their ids. */
  createPost(
    name: string,
    content: string,
    options?: { tags?: readonly string[]; files?: readonly ClientFile[] },
  ): Promise<APIThreadChannel>;
  /** Replaces the tags of a post. */
  setTags(tags: readonly string[]): Promise<void>;
  archive(): Promise<void>;
  unarchive(): Promise<void>;
  lock(): Promise<void>;
  unlock(): Promise<void>;
  rename(name: string): Promise<void>;
}

export interface ActorParts {
  context: Context;
  waiting: Waiting;
  client: Client;
  channelId: string;
  userId: string;
}

export function actor(parts: ActorParts): UserActor {
  const { client, channelId } = parts;
  const base = `/channels/${channelId}`;
  const thread = (change: Json) => client.rest("PATCH", base, change).then(() => undefined);
  const emojiPath = (id: string, emoji: string) => `${base}/messages/${id}/reactions/${encodeURIComponent(emoji)}/@me`;
  const send: UserActor["send"] = async (content, options = {}) => {
    const body = {
      content,
      nonce: options.nonce ?? newNonce(),
      ...(options.replyTo === undefined ? {} : { message_reference: { message_id: options.replyTo } }),
      ...(options.allowedMentions === undefined ? {} : { allowed_mentions: options.allowedMentions }),
      ...(options.sticker === undefined ? {} : { sticker_ids: [options.sticker] }),
      ...(options.poll === undefined
        ? {}
        : { poll: { question: { text: options.poll }, answers: [{ poll_media: { text: "yes" } }] } }),
    };
    return (await client.rest("POST", `${base}/messages`, body, options.files)) as APIMessage;
  };
  return {
    userId: parts.userId,
    send,
    forward: async (id, from = channelId) => {
      const reference = { type: 1, message_id: id, channel_id: from };
      const body = { nonce: newNonce(), message_reference: reference };
      return (await client.rest("POST", `${base}/messages`, body)) as APIMessage;
    },
    edit: async (id, content) => (await client.rest("PATCH", `${base}/messages/${id}`, { content })) as APIMessage,
    delete: async (id) => void (await client.rest("DELETE", `${base}/messages/${id}`)),
    react: async (id, emoji) => void (await client.rest("PUT", emojiPath(id, emoji))),
    unreact: async (id, emoji) => void (await client.rest("DELETE", emojiPath(id, emoji))),
    upload: (files, content = "") => send(content, { files }),
    typing: async () => void (await client.rest("POST", `${base}/typing`)),
    slash: (path, options = {}, locale) => slash(parts, path, options, locale),
    autocomplete: (path, focused, typed, options = {}) =>
      complete(parts, path, focused, { ...options, [focused]: typed }),
    clickButton: (id, wanted) =>
      press(parts, id, {
        named: wanted,
        is: (one) => one["type"] === 2 && (one["custom_id"] === wanted || one["label"] === wanted),
      }),
    select: (id, customId, values) =>
      press(
        parts,
        id,
        { named: customId, is: (one) => selectKinds.includes(Number(one["type"])) && one["custom_id"] === customId },
        values,
      ),
    submitModal: (opened, values) => submit(parts, opened, values),
    createThread: async (name, options = {}) => {
      const minutes =
        options.autoArchiveMinutes === undefined ? {} : { auto_archive_duration: options.autoArchiveMinutes };
      const path =
        options.messageId === undefined ? `${base}/threads` : `${base}/messages/${options.messageId}/threads`;
      return (await client.rest("POST", path, {
        name,
        ...minutes,
        ...(options.messageId === undefined ? { type: 11 } : {}),
      })) as APIThreadChannel;
    },
    createPost: async (name, content, { tags = [], files } = {}) =>
      (await client.rest(
        "POST",
        `${base}/threads`,
        { name, message: { content }, applied_tags: tags },
        files,
      )) as APIThreadChannel,
    setTags: (tags) => thread({ applied_tags: tags }),
    archive: () => thread({ archived: true }),
    unarchive: () => thread({ archived: false }),
    lock: () => thread({ locked: true }),
    unlock: () => thread({ locked: false }),
    rename: (name) => thread({ name }),
  };
}

async function slash(
  parts: ActorParts,
  path: string | readonly string[],
  given: Record<string, OptionValue>,
  locale?: string,
): Promise<InteractionHandle> {
  const { command, nested } = findCommand(Object.values(parts.context.world.commands), path);
  const known = optionsAt(command, nested);
  const options = Object.entries(given).map(([name, value]) => {
    const option = known.find((one) => one["name"] === name);
    if (option === undefined) throw new Error(`/${[command.name, ...nested].join(" ")} has no option "${name}"`);
    return { type: option["type"], name, value };
  });
  const data = {
    version: command.version,
    id: command.id,
    name: command.name,
    type: 1,
    options: nest(nested, command.options, options),
  };
  return begin(parts, 2, command.applicationId, { data, ...(locale !== undefined && { locale }) });
}

async function complete(
  parts: ActorParts,
  path: string | readonly string[],
  focused: string,
  values: Record<string, OptionValue>,
): Promise<{ name: string; value: string | number }[]> {
  const { command, nested } = findCommand(Object.values(parts.context.world.commands), path);
  const known = optionsAt(command, nested);
  const options = Object.entries(values).map(([name, value]) => {
    const option = known.find((one) => one["name"] === name);
    if (option === undefined) throw new Error(`/${[command.name, ...nested].join(" ")} has no option "${name}"`);
    return { type: option["type"], name, value, ...(name === focused ? { focused: true } : {}) };
  });
  const data = {
    version: command.version,
    id: command.id,
    name: command.name,
    type: 1,
    options: nest(nested, command.options, options),
  };
  const handle = await begin(parts, 4, command.applicationId, { data });
  return handle.choices();
}

/** The component to press: how the test names it, and how it is recognised. */
interface Wanted {
  named: string;
  is(component: Json): boolean;
}

async function press(
  parts: ActorParts,
  messageId: string,
  { named, is }: Wanted,
  values: readonly string[] = [],
): Promise<InteractionHandle> {
  const message = findMessage(parts, messageId);
  const component = allComponents(message.components).find(is);
  if (component === undefined) throw new Error(`The message has no component "${named}"`);
  if (component["disabled"] === true) throw new Error(`The component "${named}" is disabled`);
  if (component["custom_id"] === undefined) throw new Error(`"${named}" is a link`);
  const data: Json = { component_type: component["type"], custom_id: component["custom_id"] };
  if (component["type"] !== 2) data["values"] = checkedValues(component, values);
  return begin(parts, 3, message.applicationId ?? message.authorId, {
    message_id: message.id,
    message_flags: message.flags,
    data,
  });
}

async function submit(parts: ActorParts, opened: InteractionHandle, values: ModalValues): Promise<InteractionHandle> {
  const modal = await opened.modal();
  const components = fillModal(modal, values);
  return begin(parts, 5, opened.interaction.applicationId, {
    data: { id: modal.id, custom_id: modal.customId, components },
  });
}

async function begin(parts: ActorParts, type: number, applicationId: string, more: Json): Promise<InteractionHandle> {
  const { context, client, channelId, waiting, userId } = parts;
  const sessionId = await client.session();
  const nonce = newNonce();
  const guildId = context.world.channels[channelId]?.guildId ?? null;
  const place = { channel_id: channelId, ...(guildId === null ? {} : { guild_id: guildId }) };
  await client.rest("POST", "/interactions", {
    type,
    application_id: applicationId,
    ...place,
    session_id: sessionId,
    nonce,
    ...more,
  });
  const found = context.interactions
    .all()
    .find((one): one is Interaction => one.nonce === nonce && one.userId === userId);
  if (found === undefined) throw new Error("The interaction was not made");
  return watchInteraction(context, waiting, found);
}

/** Wraps the options into the subcommands they belong to, outermost first. */
function nest(nested: readonly string[], known: readonly Json[], options: readonly Json[]): Json[] {
  const [name, ...rest] = nested;
  if (name === undefined) return [...options];
  const here = known.find((one) => one["name"] === name);
  const inner = Array.isArray(here?.["options"]) ? here["options"].filter(isObject) : [];
  return [{ type: here?.["type"], name, options: nest(rest, inner, options) }];
}

function checkedValues(component: Json, values: readonly string[]): string[] {
  const [min, max] = [Number(component["min_values"] ?? 1), Number(component["max_values"] ?? 1)];
  if (values.length < min || values.length > max) throw new Error(`Between ${min} and ${max} values can be chosen`);
  const options = Array.isArray(component["options"])
    ? component["options"].filter(isObject).map((one) => one["value"])
    : null;
  const unknown = values.find((value) => options !== null && !options.includes(value));
  if (unknown !== undefined) throw new Error(`"${unknown}" is not one of the options`);
  return [...values];
}

function findMessage(parts: ActorParts, id: string): Message {
  const hidden = parts.context.ephemerals.get(id);
  const message =
    hidden?.ephemeralFor === parts.userId
      ? hidden
      : parts.context.world.messages[parts.channelId]?.find((one) => one.id === id);
  if (message === undefined) throw new Error(`This person sees no message ${id} here`);
  return message;
}

function newNonce(): string {
  return BigInt(`0x${randomBytes(8).toString("hex")}`)
    .toString()
    .slice(0, 19);
}
