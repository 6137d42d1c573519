/**
 * A message as Discord sends it, live or read back, in one form: what is null there is absent here. And what it points
 * at: the message that it replies to, and the one that it forwards.
 */
import { randomBytes } from "node:crypto";
import {
  MessageReferenceType,
  MessageType,
  type APIMessage,
  type APIMessageSnapshotFields,
} from "discord-api-types/v10";
import { longestBeginning } from "../../base/text.ts";
import type { Wordless } from "../../core/jobs/job.ts";
import { QUOTE_CHARS, type Quote } from "../../core/jobs/run.ts";
import { attachmentName } from "./uploads.ts";

const LONGEST_PASTE = 200 * 1024;

/** Null says the same as absent, except that a `referenced_message` of null was deleted. */
export function withoutNulls<T extends object>(payload: T): T {
  const known = Object.entries(payload).filter(([key, value]) => value !== null || key === "referenced_message");
  return Object.fromEntries(known) as T;
}

/** The same for a whole message, which always has a content. */
export function incomingMessage<T extends Pick<APIMessage, "content">>(payload: T): T {
  const message = withoutNulls(payload);
  return typeof message.content === "string" ? message : { ...message, content: "" };
}

/** What a message without words is; undefined: nothing at all, as where Discord keeps its words from us. */
export function wordlessOf({ content, sticker_items, poll }: APIMessage): Wordless | undefined {
  if (Array.isArray(sticker_items) && sticker_items.length > 0) return "sticker";
  if (poll !== undefined) return "poll";
  return content === "" ? undefined : "blank";
}

/** What Discord makes of a long paste: a file of this name and nothing else. */
export function isPaste({
  content,
  attachments,
  message_snapshots,
}: Pick<APIMessage, "content" | "attachments" | "message_snapshots">): boolean {
  if (!Array.isArray(attachments) || message_snapshots !== undefined) return false;
  const [file, ...more] = attachments;
  return (
    content.trim() === "" &&
    file !== undefined &&
    more.length === 0 &&
    file.filename === "message.txt" &&
    file.content_type?.split(";")[0] === "text/plain" &&
    file.size <= LONGEST_PASTE
  );
}

/** The id of the message that it replies to; null if it replies to none. */
export function repliesTo({ type, message_reference }: APIMessage): string | null {
  const isReply = type === MessageType.Reply && (message_reference?.type ?? 0) === MessageReferenceType.Default;
  return isReply ? (message_reference?.message_id ?? null) : null;
}

interface Quoted {
  /** The message that is quoted, or that forwards it. */
  id: string | null;
  how: Quote["how"];
  ownerId: string;
  botId: string;
}

/** A message as it is quoted, without its files; undefined: Discord did not show it, null: it was deleted. */
export function quoteOf(message: APIMessage | null | undefined, { id, how, ownerId, botId }: Quoted): Quote {
  const base = {
    how,
    message_id: id,
    mark: markOf(),
    author: null,
    at: null,
    text: "",
    left_out: 0,
    files: [],
    named: [],
  };
  if (!message) return { ...base, whose: "unknown", missing: message === null ? "deleted" : "unread" };
  if (message.message_snapshots !== undefined) return { ...forwardOf(message), how };
  const { author, timestamp, webhook_id } = message;
  const isOwners = author?.id === ownerId && webhook_id === undefined && message.application_id === undefined;
  return {
    ...base,
    ...textIn(message),
    whose: isOwners ? "owner" : author?.id === botId ? "bellhop" : "other",
    author: typeof author?.username === "string" ? author.username : null,
    at: timeOf(timestamp),
    named: isOwners || author?.id === botId ? [] : namesIn(message),
  };
}

/** A forwarded message: Discord does not say whose it was. */
export function forwardOf({ id, message_snapshots }: APIMessage): Quote {
  const [snapshot] = Array.isArray(message_snapshots) ? message_snapshots : [];
  const message = snapshot?.message;
  const base = { how: "forward", message_id: id, mark: markOf(), whose: "unknown", author: null } as const;
  if (message === undefined)
    return { ...base, at: null, text: "", left_out: 0, missing: "unread", files: [], named: [] };
  return { ...base, ...textIn(message), at: timeOf(message.timestamp), files: [], named: namesIn(message) };
}

/** The text, its beginning if it is long: of embeds too, in which bots write. */
function textIn(message: APIMessageSnapshotFields): Pick<Quote, "text" | "left_out"> {
  const whole = [
    message.content,
    ...objectsIn(message.embeds).flatMap(({ title, description, fields }) => [
      title,
      description,
      ...objectsIn(fields).map(({ name, value }) => `${name}: ${value}`),
    ]),
    ...objectsIn(message.sticker_items).map(({ name }) => `[sticker: ${name}]`),
  ]
    .filter((part) => typeof part === "string" && part !== "")
    .join("\n");
  const text = longestBeginning(whole, QUOTE_CHARS);
  return { text, left_out: whole.length - text.length };
}

function objectsIn<T extends object>(list: readonly T[] | undefined): T[] {
  return Array.isArray(list) ? list.filter((one) => typeof one === "object" && one !== null) : [];
}

function namesIn({ attachments }: Pick<APIMessage, "attachments">): string[] {
  return objectsIn(attachments).map(attachmentName);
}

function timeOf(timestamp: unknown): string | null {
  const ms = typeof timestamp === "string" ? Date.parse(timestamp) : Number.NaN;
  return Number.isNaN(ms) ? null : new Date(ms).toISOString();
}

function markOf(): string {
  return `quoted_${randomBytes(6).toString("hex")}`;
}
