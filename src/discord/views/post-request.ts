/**
 * What identifies a post, as pure functions: its nonce, its digest, the request that creates it, and whether a message
 * in Discord is it. The nonce depends on what the post is for and never on when it is sent, so a second try, even
 * after a restart, is the same post to Discord.
 */
import { createHash } from "node:crypto";
import type { APIMessage } from "discord-api-types/v10";
import { beginning } from "../../base/text.ts";
import { smallPrint } from "./body.ts";
import type { Body, DesiredPost } from "./desired-posts.ts";

const CONTENT_LIMIT = 2000;
const NONCE_CHARS = 25;
const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/**
 * At most 25 characters. It does not cover the text: if that changed between two tries, the second finds the first's
 * message, which is then edited; another nonce would make a second message. `replaces` is the deleted message that
 * this one takes the place of.
 */
export function nonceOf(
  botId: string,
  post: Pick<DesiredPost, "subject" | "part">,
  channelId: string,
  replaces: string,
): string {
  const digest = createHash("sha256")
    .update(JSON.stringify([botId, post.subject, post.part, channelId, replaces]))
    .digest();
  let number =
    digest.readBigUInt64BE(0) * 2n ** 80n + digest.readBigUInt64BE(8) * 2n ** 16n + BigInt(digest.readUInt16BE(16));
  let text = "";
  for (; number > 0n; number /= 62n) text += DIGITS[Number(number % 62n)];
  return text.slice(0, NONCE_CHARS);
}

const digests = new WeakMap<Body, string>();

/** Digest of everything a body shows, files included; 32 hex digits. */
export function hashOf(body: Body): string {
  const known = digests.get(body);
  if (known !== undefined) return known;
  const { files = [], ...rest } = body;
  const hash = createHash("sha256").update(JSON.stringify(rest, sorted));
  for (const { name, bytes } of files) hash.update(`\n${name}\n`).update(bytes);
  // Not a slice of the whole digest in hex: the state keeps it for long, and a slice keeps the whole string in memory.
  const digest = hash.digest().toString("hex", 0, 16);
  digests.set(body, digest);
  return digest;
}

/** A short digest of many facts. */
export function nameOf(facts: unknown): string {
  return createHash("sha256").update(JSON.stringify(facts)).digest("hex").slice(0, 16);
}

/** The request's JSON and files. `attachments` names exactly these files, so an edit removes earlier ones. */
export function requestOf(body: Body): { body: object; files: { name: string; bytes: Uint8Array }[] } {
  const { files = [], ...rest } = body;
  return { body: { ...rest, attachments: files.map(({ name }, id) => ({ id: String(id), filename: name })) }, files };
}

/** Whether this message shows the body, as far as Discord returns what it was sent. */
export function showsBody(message: APIMessage, body: Body): boolean {
  return shapeOf(message) === shapeOfBody(body);
}

export function shapeOfBody(body: Body): string {
  return shapeOf({ ...body, attachments: body.files ?? [] });
}

/** The text with a line of ours below it; an open code block is closed, and text too long for a message is cut. */
export function withLineBelow(text: string, line: string): string {
  if (text.endsWith(line)) return text;
  const below = `\n${line}`;
  const fence = "\n```";
  const fits = beginning(text, CONTENT_LIMIT - below.length - fence.length);
  const open = (fits.match(/^```/gm) ?? []).length % 2 === 1;
  return `${fits}${open ? fence : ""}${below}`;
}

/** The same body for another place, under a line that says where it belongs. */
export function elsewhere(body: Body, line: string): Body {
  const above = smallPrint(line);
  if (body.content.length + above.length + 1 <= CONTENT_LIMIT) {
    return { ...body, content: body.content === "" ? above : `${above}\n${body.content}` };
  }
  // A full message has no room for a line, but an embed still fits.
  return { ...body, flags: 0, embeds: [...body.embeds, { description: line }].slice(0, 10) };
}

interface Shaped {
  content: string;
  embeds: readonly { title?: string; description?: string }[];
  components?: readonly unknown[];
  attachments: readonly unknown[];
}

/** What a message shows, as far as Discord returns what it was sent. */
export function shapeOf(message: Shaped): string {
  const embeds = message.embeds.map(({ title, description }) => [title?.trim(), description?.trim()]);
  const ids = JSON.stringify(message.components ?? []).match(/"custom_id":"[^"]*"/g) ?? [];
  // Of a file's name Discord keeps only ASCII.
  return JSON.stringify([message.content.trim(), embeds, ids, message.attachments.length]);
}

/** Two bodies that differ only in the order of fields are equal. */
function sorted(_key: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
