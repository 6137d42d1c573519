/**
 * The bodies of posts. A reader can always tell two kinds apart: an agent's text is plain content that pings nobody
 * and unfurls nothing; our own text is in embeds and in small print, but for the first line above them. External text
 * enters it only through `plainLine` or `code`, so nothing in it is formatting there.
 */
import {
  ButtonStyle,
  ComponentType,
  MessageFlags,
  type APIButtonComponentWithCustomId,
  type APIEmbed,
  type APIMessageTopLevelComponent,
  type APIAllowedMentions,
  type APIMessage,
} from "discord-api-types/v10";
import { excerpt, oneLine, withoutMarkdown, longestBeginning } from "../../base/text.ts";
import type { Post, Upto } from "../../core/posts/post.ts";
import { WINDOW_TOOL } from "../../core/sessions/windows.ts";
import type { State } from "../../core/state.ts";
import { type Locale, say, sayReason, type WordKey } from "../../base/words/say.ts";
import type { Priority } from "../api/rate-limits.ts";
import type { Markdown } from "../text/markdown.ts";
import { createHash } from "node:crypto";
import type { JobState } from "../../core/jobs/job.ts";
import type { ErrorCode, ErrorDetails } from "../../base/errors.ts";

export type Button = APIButtonComponentWithCustomId;

/** Discord's limit for the buttons of a row. */
export const ROW_BUTTONS = 5;

/** Red, amber, blue, green, grey, and violet for what is asked of the owner. Only our own posts have colours. */
export const colours = {
  bad: 0xc83c3c,
  waits: 0xd69a2d,
  runs: 0x4b7bec,
  good: 0x3a9d5d,
  quiet: 0x7a7f87,
  asks: 0x8b5cf6,
} as const;

/** An agent's text: `content` has been through `agentText` and `split`. */
export function agentBody(content: string): Body {
  return { content, embeds: [], components: [], flags: MessageFlags.SuppressEmbeds, allowed_mentions: nobody() };
}

/** Our own text, as one embed with buttons below it. */
export function systemBody(embed: APIEmbed, buttons: readonly Button[] = []): Body {
  return { content: "", embeds: [embed], components: buttonRows(buttons), flags: 0, allowed_mentions: nobody() };
}

/**
 * The body with its first line as the message's text: a phone notifies with the text, and not with what is in an embed.
 * A text of ours that has no embed left below it has small print, which no agent's text has.
 */
export function withHeadline(body: Body): Body {
  const [embed, ...more] = body.embeds;
  if (body.content !== "" || embed === undefined) return body;
  const { title, ...rest } = embed;
  if (title !== undefined) {
    const embeds = rest.description || rest.fields ? [rest, ...more] : more;
    return { ...body, content: embeds.length === 0 ? signed(title) : title, embeds };
  }
  const [head = "", ...lines] = (rest.description ?? "").split("\n");
  if (lines.length > 0)
    return { ...body, content: head, embeds: [{ ...rest, description: lines.join("\n") }, ...more] };
  const [, words = head, code] = /^(.*\S) (`E_[A-Z_]+`)$/.exec(head) ?? [];
  return { ...body, content: signed(words, code), embeds: more };
}

function signed(words: string, by = "Bellhop"): string {
  return `${words}\n${smallPrint(by)}`;
}

/** What stays of something that was offered or said, once it is over. */
export function pastBody(locale: Locale): Body {
  return { ...agentBody(smallPrint(say(locale, "no_longer"))), flags: 0 };
}

/**
 * A line of our own below or above an agent's text, in Discord's small print. `agentText` neutralises small print in
 * agents' text, so such a line is always ours.
 */
export function smallPrint(line: string): string {
  return `-# ${line}`;
}

/** External text as one line of plain text, at most `max` characters. */
export function plainLine(text: string, max: number): string {
  return withoutMarkdown(oneLine(text, max));
}

const MARKUP = /[\\`*_~|<>@[\]]|[.:](?=\S)|^[-#+]/g;

/**
 * External text on one line that a phone notifies with: backslashes are seen there, so only what is markup within such
 * a line is escaped.
 */
export function phoneLine(line: string): string {
  return line.replace(MARKUP, "\\$&");
}

/** External text as one line of code, at most `max` characters; its backticks are replaced by a look-alike. */
export function code(text: string, max = 200): string {
  const line = oneLine(text, max).replaceAll("`", "ˋ");
  return line === "" ? "" : `\`${line}\``;
}

/** The agent, as it calls itself or as its tool is named; one tool is named after its terminal. */
export function agentCalled({ threads }: State, { thread_id, tool }: AgentOf, locale: Locale): string {
  return threads[thread_id]?.told?.[tool]?.name ?? (tool === WINDOW_TOOL ? say(locale, "agent_in_tmux") : tool);
}

export function agentName(state: State, agent: AgentOf, locale: Locale): string {
  return `**${plainLine(agentCalled(state, agent, locale), 40)}**`;
}

interface AgentOf {
  thread_id: string;
  tool: string;
}

/** The address of a channel or a thread or, with its id, of a message there. `guildId` null: in direct messages. */
export function discordUrl(guildId: string | null, channelId: string, messageId: string | null = null): string {
  return ["https://discord.com/channels", guildId ?? "@me", channelId, ...(messageId === null ? [] : [messageId])].join(
    "/",
  );
}

/** The address of a thread or of a message of it, which may also stand in its channel or in direct messages. */
export function urlOf(
  { threads }: State,
  threadId: string,
  at: Partial<Pick<Post, "channel_id" | "message_id">> = {},
): string {
  const thread = threads[threadId];
  const { channel_id = threadId, message_id } = at;
  const isInGuild = thread !== undefined && (channel_id === threadId || channel_id === thread.channel_id);
  return discordUrl(isInGuild ? thread.guild_id : null, channel_id, message_id);
}

function nobody(): Body["allowed_mentions"] {
  return { parse: [], replied_user: false };
}

export function button(custom_id: string, label: string, style: Button["style"] = ButtonStyle.Secondary): Button {
  return { type: ComponentType.Button, style, label: excerpt(label, 80), custom_id };
}

/** As many rows as the buttons need. */
export function buttonRows(buttons: readonly Button[]): APIMessageTopLevelComponent[] {
  return chunksOf(buttons, ROW_BUTTONS).map((components) => ({ type: ComponentType.ActionRow, components }));
}

export function chunksOf<T>(all: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(all.length / size) }, (_, place) =>
    all.slice(place * size, (place + 1) * size),
  );
}

/*
 * The posts owed to Discord: the contract between the view, which says what should be posted where, and the post sync,
 * which makes it so. A post is named by its subject and part (`posts/post.ts`); its body is exactly what Discord is
 * sent.
 */

/** In whose language posts are, and what reads agents' Markdown. */
export interface Rendering {
  locale: Locale;
  markdown: Markdown;
}

/**
 * The body of a create or edit. `allowed_mentions` and `flags` are always set: agent text never pings, never unfurls.
 */
export interface Body {
  content: string;
  embeds: APIEmbed[];
  components: APIMessageTopLevelComponent[];
  flags: number;
  allowed_mentions: APIAllowedMentions;
  files?: { name: string; bytes: Uint8Array }[];
}

/** Which post of its subject it is. */
export interface PostKey {
  subject: string;
  part: string;
  /**
   * Another part under whose nonce it is sent. A message that was sent for that part, perhaps by an earlier process, then
   * counts as this post and is edited.
   */
  sentAs?: string;
}

export interface DesiredPost extends PostKey {
  /** The session's thread; the post sync finds the place to post from `state.threads[...].place`. */
  thread_id: string;
  priority: Priority;
  /**
   * - `show`: a message with this body; `partly`: not all of its subject could be put into it
   * - `interrupted`: the existing message stays, with this line below its text (which only Discord knows)
   * - `remove`: no message
   * - `found`: the message stays that may have been posted without being recorded: the one with this body, or the first
   *   of its kind above the message `above`; it is looked for once, and nothing is posted. `grown`: only if an earlier
   *   try is known of, and it may show more by now
   */
  want:
    | { kind: "show"; body: Body; partly?: true }
    | { kind: "interrupted"; line: string }
    | { kind: "remove" }
    | { kind: "found"; body: Body; above?: string; grown?: true };
  /** `owner`: in the owner's direct messages; `parent`: in the thread's channel; wherever the thread's posts go. */
  to?: "owner" | "parent";
  /**
   * It must be seen, as the owner presses what is in it: if its thread is gone, it is posted again in the current
   * place, and where Discord refuses it everywhere, it is tried again later.
   */
  stands?: boolean;
  /**
   * Something else was posted below it, and it belongs at the end: it is posted again, and the message above removed.
   */
  buried?: boolean;
  /**
   * The name of what it says (`posts/post-state.ts`): a post is edited when its name changes, and not when only our
   * wording does. `growing` for a body that still grows.
   */
  is: string;
  /** For the last message of an answer that continues below something else. */
  upto?: Upto;
  /** What it is to its owner, on creation only (`views/rings.ts`). Absent: no news. */
  news?: News;
  /** The message this one replies to, on creation only. */
  reply_to?: string | null;
  /**
   * Milliseconds since the epoch: since when this is owed. After the nonce's life, Discord is asked before it is
   * resent.
   */
  since: number;
  /**
   * Milliseconds since the epoch before which it is not posted; `Infinity`: not for now. A message that stands is edited
   * all the same.
   */
  notBefore?: number;
  /** A body that is still growing: shown at low priority, recorded once, the latest wins. */
  live?: boolean;
}

/** What a post is to its owner; `at`: since when, in milliseconds since the epoch, absent: now. */
export type News =
  /** Its agent asks; `before`: when what the thread asked before it was asked, ascending. */
  | { kind: "asks"; at: number; before: readonly number[] }
  /** It asks at a terminal, where its owner sits. */
  | { kind: "asks_at_terminal"; at: number }
  | { kind: "ends"; at: number; workedMs: number }
  /** Nothing goes on there before he decides; he is reminded of what is open; or something became of what he wrote. */
  | { kind: "waits" | "reminds" | "told"; at?: number };

/** The text and tools of a running job, kept by `live-stream.ts`; lost in a crash without harm. */
export interface Live {
  text: string;
  /** Running and just finished tools, oldest first, one line each. */
  tools: {
    id: string;
    name: string;
    title: string;
    state: "running" | "ok" | "failed" | "denied";
    /** Why it was denied, in the agent's words. */
    reason?: string;
  }[];
  /** Number of earlier tools that are no longer kept. */
  toolsBefore?: number;
  /** The agent's latest plan. */
  plan?: { text: string; state: "pending" | "active" | "done" }[];
  /** How many characters it had written when it last used a tool. */
  toolAt?: number;
  /** Of an ended job: the beginning of what it wrote after its last tool. */
  lastWords?: string;
  /** What it thinks, until it says or does something. */
  thought?: string;
  /** What holds it up, until it continues. */
  notice?: { code: string; text: string };
}

/** A message that was posted while a job ran, and how much its agent had written by then. */
export interface Below {
  id: string;
  /** Characters. */
  at: number;
}

/*
 * What identifies a post, as pure functions: its nonce, its digest, the request that creates it, and whether a message
 * in Discord is it. The nonce depends on what the post is for and never on when it is sent, so a second try, even
 * after a restart, is the same post to Discord.
 */

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
  { subject, part, sentAs = part }: PostKey,
  channelId: string,
  replaces: string,
): string {
  const digest = createHash("sha256")
    .update(JSON.stringify([botId, subject, sentAs, channelId, replaces]))
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
  const fits = longestBeginning(text, CONTENT_LIMIT - below.length - fence.length);
  const open = (fits.match(/^```/gm) ?? []).length % 2 === 1;
  return `${fits}${open ? fence : ""}${below}`;
}

/** The same body for another place, under a line that says where it belongs. */
export function withPlaceLine(body: Body, line: string): Body {
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

/*
 * The emoji of each job state, the same on the owner's message, on the card, in the queue and on the closing message.
 */

export const signs: Record<JobState, string> = {
  queued: "⏳",
  running: "⚙️",
  success: "✅",
  failed: "❌",
  cancelled: "🚫",
  unknown_after_crash: "💥",
  sent_into: "📨",
};

/** For a job that waits for its owner. */
export const WAITING_SIGN = "🙋";
/** For a job that is to stop. */
export const STOPPING_SIGN = "🛑";
/** For what waits for something other than its turn. */
export const HELD_SIGN = "⏸️";

/*
 * The sentence for an error, as a person reads it in Discord: the values of its placeholders come from outside and are
 * drawn as plain text, or as code where the sentence has them as code; a placeholder without a value is not shown. Why
 * it failed is told in the reader's language where Bellhop says so, and in quotation marks where somebody else did.
 */

const DETAIL_CHARS = 200;
const REASON_CHARS = 600;
const MENTION = /^<#\d{17,20}>$/;

/** @param details what the error carries; only what the sentence names is used */
export function sentence(locale: Locale, code: ErrorCode, details: ErrorDetails): string {
  return filled(locale, code === "E_AGENT_LOGIN" ? loginKey(details) : code, details);
}

function loginKey({ login, ways, because }: ErrorDetails): WordKey {
  if (because === "why_account_refused") return login === undefined ? "agent_login_refused_own" : "agent_login_refused";
  if (login !== undefined) return "E_AGENT_LOGIN";
  return ways === undefined ? "agent_login_own" : "agent_login_ways";
}

/** The sentence with its code, then why, where the sentence does not say it, and what installs the agent. */
export function explainError(locale: Locale, error: ErrorCode, details: ErrorDetails): string[] {
  const { install, because } = details;
  const lines = [`${sentence(locale, error, details)} \`${error}\``];
  const isSaid =
    say(locale, error).includes("{reason}") || (error === "E_AGENT_LOGIN" && because === "why_account_refused");
  const reason = isSaid ? undefined : reasonOf(locale, details, REASON_CHARS);
  if (reason !== undefined) lines.push(say(locale, "end_why", { reason }));
  if (typeof install === "string" && install !== "-")
    lines.push(say(locale, "end_install", { install: code(install, 300) }));
  return lines;
}

function filled(locale: Locale, key: WordKey, details: ErrorDetails): string {
  // Numbers need no drawing, and the words around them agree with them.
  const numbers = Object.entries(details).filter(([, value]) => typeof value === "number");
  const template = say(locale, key, Object.fromEntries(numbers));
  return template.replace(/(\s?)\{(\w+)\}/g, (_brace, space: string, name: string) => {
    const isCode = template.includes(`\`{${name}}\``);
    const value =
      name === "reason" && !isCode ? reasonOf(locale, details, DETAIL_CHARS) : drawn(name, details[name], isCode);
    return value === undefined ? "" : `${space}${value}`;
  });
}

function drawn(name: string, value: ErrorDetails[string] | undefined, isCode: boolean): string | undefined {
  if (typeof value !== "string") return value === undefined ? undefined : String(value);
  if (name === "mend" || MENTION.test(value)) return value;
  return isCode ? code(value, DETAIL_CHARS).slice(1, -1) : plainLine(value, DETAIL_CHARS);
}

function reasonOf(locale: Locale, { reason, ...details }: ErrorDetails, chars: number): string | undefined {
  return sayReason(
    locale,
    { ...details, ...(typeof reason === "string" && { reason: plainLine(reason, chars) }) },
    (key) => filled(locale, key, details),
  );
}
