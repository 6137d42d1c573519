/**
 * What agents say of their own accord through their tools: a notice by its level, a report, and our word that a
 * question waits on. Each is one embed, said once however often it is repeated; it pings nobody and unfurls nothing,
 * and what is too long for an embed comes whole as a file.
 */
import { MessageReferenceType, type APIEmbed, type APIMessage } from "discord-api-types/v10";
import type { Clock } from "../base/clock.ts";
import { BellhopError } from "../base/errors.ts";
import { isSnowflake } from "../base/ids.ts";
import type { Log } from "../base/log.ts";
import { oneLine } from "../base/text.ts";
import { say, type Locale } from "../base/words/say.ts";
import { agentText } from "./agent-text.ts";
import { code, colours, inert, smallPrint, told } from "./body.ts";
import { lookUp } from "./lookup.ts";
import type { Markdown } from "./markdown.ts";
import type { Body } from "./owed.ts";
import { NONCE_LIFE_MS, nonceOf, requestOf } from "./posting.ts";
import type { Rest } from "./rest.ts";
import { failureKind, RestFailure } from "./rest-failure.ts";
import { contentOf, split } from "./split.ts";

export interface AgentPostsOptions {
  rest: Rest;
  clock: Clock;
  log: Log;
  locale: Locale;
  botId: string;
  /** Nothing is said elsewhere. */
  guildId: string;
  /** Takes secrets out of what agents say. */
  redact(text: string): string;
}

export interface Where {
  project: string;
  channel_id: string;
  /** The same for every repetition of one message. */
  request_id: string;
}

export type Level = "info" | "warning" | "success" | "error";

/** Each resolves with the message's id; @throws E_THREAD_ACCESS_FAILED {thread} where Discord will not have it there */
export interface AgentPosts {
  notify(words: { level: Level; message: string }, where: Where): Promise<string>;
  report(words: { title: string; summary: string; details: readonly string[] }, where: Where): Promise<string>;
  /** As a reply to the prompt, where that is known. */
  restarted(where: Where & { prompt: string | null }): Promise<string>;
}

const LEVELS = {
  info: { color: colours.runs, sign: "ℹ️" },
  warning: { color: colours.waits, sign: "⚠️" },
  success: { color: colours.good, sign: "✅" },
  error: { color: colours.bad, sign: "❌" },
} as const;

/** Of an embed's text; Discord takes 4,096 in one and 6,000 with its titles. */
const SHOWN_CHARS = 3_800;
const TITLE_CHARS = 200;
const PROJECT_CHARS = 60;

export function openAgentPosts(options: AgentPostsOptions): AgentPosts {
  const { rest, locale, botId, guildId } = options;
  const known = new Set<string>();
  let markdown: Promise<Markdown> | null = null;

  /** Loaded when an agent first says something. */
  function reading(): Promise<Markdown> {
    return (markdown ??= import("./markdown.ts").then(({ openMarkdown }) => openMarkdown()));
  }

  async function isOurs(channelId: string): Promise<boolean> {
    if (known.has(channelId)) return true;
    const channel = await rest.call<{ guild_id?: string }>({ method: "GET", path: `/channels/${channelId}`, lane: "result" });
    if (channel.guild_id === guildId) known.add(channelId);
    return channel.guild_id === guildId;
  }

  async function post(body: Body, part: string, { channel_id, request_id }: Where, replyTo: string | null = null): Promise<string> {
    const refused = new BellhopError("E_THREAD_ACCESS_FAILED", { thread: `<#${channel_id}>` });
    try {
      if (!(await isOurs(channel_id))) throw refused;
      const nonce = nonceOf(botId, { subject: request_id, part }, channel_id, "");
      return (await send(options, body, { channelId: channel_id, nonce, replyTo })).id;
    } catch (error) {
      if (!(error instanceof RestFailure)) throw error;
      throw new BellhopError("E_THREAD_ACCESS_FAILED", refused.details, { cause: error });
    }
  }

  return {
    async notify({ level, message }, where) {
      const { color, sign } = LEVELS[level];
      const title = `${sign} ${inert(where.project, PROJECT_CHARS)}`;
      return post(said({ color, title }, options.redact(message), "notice.md", await reading(), locale), "notify", where);
    },
    async report({ title, summary, details }, where) {
      const text = options.redact([summary, details.map(listed).join("\n")].filter(Boolean).join("\n\n"));
      const embed = { color: colours.good, title: `📋 ${inert(options.redact(title), TITLE_CHARS)}`, footer: { text: oneLine(where.project, PROJECT_CHARS) } };
      return post(said(embed, text, "report.md", await reading(), locale), "report", where);
    },
    restarted: (where) =>
      post(told({ color: colours.waits, description: `🔄 ${say(locale, "question_restarted")}` }), "restarted", where, isSnowflake(where.prompt) ? where.prompt : null),
  };
}

/** An agent's words in an embed: all of them, or their beginning and a file. */
function said(embed: APIEmbed, text: string, file: string, markdown: Markdown, locale: Locale): Body {
  const chunks: string[] = [];
  for (const chunk of split(agentText(text, markdown), markdown, SHOWN_CHARS)) if (chunks.push(contentOf(chunk)) > 1) break;
  const [shown = ""] = chunks;
  const body = told(shown.trim() === "" ? embed : { ...embed, description: shown });
  if (chunks.length <= 1) return body;
  const line = smallPrint(say(locale, "told_beginning", { file: code(file) }));
  return { ...body, embeds: [{ ...embed, description: `${shown}\n${line}` }], files: [{ name: file, bytes: Buffer.from(text, "utf8") }] };
}

/** One point of a list, its further lines set below it. */
function listed(detail: string): string {
  return `- ${detail.trim().replace(/\n/g, "\n  ")}`;
}

/** The message; one however often its answer is lost. */
async function send({ rest, clock, botId }: AgentPostsOptions, body: Body, { channelId, nonce, replyTo }: { channelId: string; nonce: string; replyTo: string | null }): Promise<APIMessage> {
  const since = clock.now();
  const request = requestOf(body);
  const reference = { type: MessageReferenceType.Default, message_id: replyTo, fail_if_not_exists: false };
  const message = { ...request.body, nonce, enforce_nonce: true, ...(replyTo === null ? {} : { message_reference: reference }) };
  for (;;) {
    try {
      return await rest.call<APIMessage>({ method: "POST", path: `/channels/${channelId}/messages`, body: message, files: request.files, lane: "result", repeatMs: NONCE_LIFE_MS });
    } catch (error) {
      // The nonce may be forgotten by now: whether it was posted is asked before it is posted again.
      if (failureKind(error) !== "unavailable") throw error;
      const { signal } = new AbortController();
      const posted = await lookUp(rest, { channelId, botId, nonce, body, replyTo, inThread: false, since, lane: "result", claimed: () => false, signal });
      if (posted !== null) return posted;
    }
  }
}
