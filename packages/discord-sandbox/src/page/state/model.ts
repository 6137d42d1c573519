/**
 * The shapes of Discord's objects as far as the page reads them, after Discord's API v10 reference. Every
 * field that a server may leave out is optional here, so the page never trusts more than it was sent.
 */
export interface User {
  id: string;
  username: string;
  global_name?: string | null;
  bot?: boolean;
}

export interface Member {
  user?: User;
  nick?: string | null;
}

export interface Guild {
  id: string;
  name: string;
}

export interface ThreadMetadata {
  archived: boolean;
  locked?: boolean;
  archive_timestamp?: string;
}

export interface Channel {
  id: string;
  type: number;
  guild_id?: string;
  name?: string | null;
  topic?: string | null;
  position?: number;
  parent_id?: string | null;
  last_message_id?: string | null;
  owner_id?: string;
  message_count?: number;
  thread_metadata?: ThreadMetadata;
}

export interface Emoji {
  id?: string | null;
  name?: string | null;
  animated?: boolean;
}

export interface Reaction {
  emoji: Emoji;
  count: number;
  me: boolean;
}

export interface Attachment {
  id: string;
  filename: string;
  /** Its name without the ending, where `filename` has lost some of it. */
  title?: string;
  size: number;
  url: string;
  content_type?: string;
  description?: string | null;
  width?: number | null;
  height?: number | null;
}

export interface Embed {
  title?: string;
  description?: string;
  url?: string;
  timestamp?: string;
  color?: number;
  footer?: { text: string; icon_url?: string };
  image?: { url: string; description?: string };
  thumbnail?: { url: string };
  author?: { name: string; url?: string };
  fields?: { name: string; value: string; inline?: boolean }[];
}

export interface SelectOption {
  label: string;
  value: string;
  description?: string;
  default?: boolean;
  emoji?: Emoji;
}

/** Every kind of component in one shape: which fields are there depends on `type` (see `COMPONENT`). */
export interface Component {
  type: number;
  id?: number;
  custom_id?: string;
  style?: number;
  label?: string;
  description?: string | null;
  emoji?: Emoji;
  url?: string;
  disabled?: boolean;
  required?: boolean;
  placeholder?: string;
  options?: SelectOption[];
  min_values?: number;
  max_values?: number;
  min_length?: number;
  max_length?: number;
  value?: string;
  default?: boolean;
  content?: string;
  components?: Component[];
  component?: Component;
  accessory?: Component;
  accent_color?: number | null;
  divider?: boolean;
  spoiler?: boolean;
  media?: { url: string };
  file?: { url: string };
  items?: { media: { url: string }; description?: string | null }[];
}

export const COMPONENT = {
  row: 1,
  button: 2,
  stringSelect: 3,
  textInput: 4,
  userSelect: 5,
  roleSelect: 6,
  mentionableSelect: 7,
  channelSelect: 8,
  section: 9,
  text: 10,
  thumbnail: 11,
  gallery: 12,
  file: 13,
  separator: 14,
  container: 17,
  label: 18,
  radioGroup: 21,
  checkboxGroup: 22,
  checkbox: 23,
} as const;

export interface Message {
  id: string;
  channel_id: string;
  type: number;
  author: User;
  member?: Member;
  content: string;
  timestamp: string;
  edited_timestamp?: string | null;
  flags?: number;
  nonce?: string | number;
  application_id?: string;
  webhook_id?: string;
  mentions?: User[];
  mention_everyone?: boolean;
  attachments?: Attachment[];
  embeds?: Embed[];
  reactions?: Reaction[];
  components?: Component[];
  message_reference?: { message_id?: string; channel_id?: string };
  referenced_message?: Message | null;
  interaction_metadata?: { id: string; type: number; user: User; name?: string };
  interaction?: { id: string; type: number; name: string; user: User };
  thread?: Channel;
  /** Set by the page only: a message on its way, or one that could not be sent. */
  local?: { state: "sending" | "failed"; reason?: string };
}

export const MESSAGE = {
  default: 0,
  pinned: 6,
  join: 7,
  threadCreated: 18,
  reply: 19,
  command: 20,
  threadStarter: 21,
  contextCommand: 23,
} as const;

export const FLAG = { suppressEmbeds: 1 << 2, ephemeral: 1 << 6, loading: 1 << 7, componentsV2: 1 << 15 } as const;

export function has(message: { flags?: number }, flag: number): boolean {
  return ((message.flags ?? 0) & flag) !== 0;
}

/** Threads: announcement (10), public (11), private (12). */
export function isThread(channel: Channel): boolean {
  return channel.type === 10 || channel.type === 11 || channel.type === 12;
}

/** Channels in which one can write: text, direct message, announcement, and threads. */
export function isTextual(channel: Channel): boolean {
  return channel.type === 0 || channel.type === 1 || channel.type === 5 || isThread(channel);
}

/** How a reaction or button emoji is named in a route: the character itself, or `name:id`. */
export function emojiKey(emoji: Emoji): string {
  return emoji.id ? `${emoji.name ?? ""}:${emoji.id}` : (emoji.name ?? "");
}

export interface CommandOption {
  type: number;
  name: string;
  name_localized?: string;
  name_localizations?: Record<string, string> | null;
  description: string;
  description_localized?: string;
  description_localizations?: Record<string, string> | null;
  required?: boolean;
  autocomplete?: boolean;
  choices?: Choice[];
  options?: CommandOption[];
  min_value?: number;
  max_value?: number;
  min_length?: number;
  max_length?: number;
}

export interface Choice {
  name: string;
  name_localized?: string;
  name_localizations?: Record<string, string> | null;
  value: string | number;
}

export interface Command {
  id: string;
  application_id: string;
  version: string;
  type?: number;
  name: string;
  name_localized?: string;
  name_localizations?: Record<string, string> | null;
  description: string;
  description_localized?: string;
  description_localizations?: Record<string, string> | null;
  options?: CommandOption[];
}

export interface Application {
  id: string;
  name: string;
  bot?: User;
}
