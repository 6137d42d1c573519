/**
 * Messages that agents send through their tools: a notice by its level, a report, and the message that a question
 * still waits. Each is one embed, posted once however often it is repeated; it pings nobody and unfurls nothing, and
 * what is too long for an embed is attached whole as a file.
 */
import type { APIEmbed, APIMessage } from "discord-api-types/v10";
import { BellhopError } from "../../base/errors.ts";
import { isSnowflake } from "../../base/ids.ts";
import { oneLine } from "../../base/text.ts";
import { say, type Locale } from "../../base/words/say.ts";
import { openWithin } from "../../host/time-limit.ts";
import { agentText } from "../text/agent-text.ts";
import { code, colours, plainLine, smallPrint, systemBody, type Body, nonceOf, requestOf } from "../views/message.ts";
import { calledFor, flagsOf } from "../views/rings.ts";
import { type Markdown, openRendering } from "../text/markdown.ts";
import type { BotContext } from "../api/bot-context.ts";
import { refusedPlace } from "../api/refused-place.ts";
import { RestFailure } from "../api/transport.ts";
import { findOwn, readOwn } from "./own-messages.ts";
import { sendOnce, snowflakeBefore } from "./send-once.ts";
import { contentOf, split } from "../text/split.ts";
import type { AgentNotice, AgentPostTarget, AgentReport } from "../../core/posts/agent-post.ts";

/**
 * Each resolves with the message's id. @throws E_THREAD_FOREIGN {thread} for a place that is not the caller's,
 * E_THREAD_ACCESS_FAILED {thread} for one that does not exist, E_PLACE_REFUSED if Discord refuses the message there
 */
export interface AgentPosts {
  postNotification(notice: AgentNotice, where: AgentPostTarget): Promise<string>;
  report(report: AgentReport, where: AgentPostTarget): Promise<string>;
  /** As a reply to the prompt, if that is known. */
  restarted(where: AgentPostTarget & { prompt: string | null }): Promise<string>;
}

const LEVELS = {
  info: { color: colours.runs, sign: "ℹ️" },
  warning: { color: colours.waits, sign: "⚠️" },
  success: { color: colours.good, sign: "✅" },
  error: { color: colours.bad, sign: "❌" },
} as const;

/** Characters of an embed's text; Discord allows 4,096 in one and 6,000 with its titles. */
const SHOWN_CHARS = 3_800;
const TITLE_CHARS = 200;
const PROJECT_CHARS = 60;
/** After this many 429s the waiting caller gets an error. */
const LIMIT_TRIES = 5;

export function openAgentPosts(context: BotContext): AgentPosts {
  const { rest, locale, botId, guildId, log, redactor } = context;
  const known = new Set<string>();
  const within = openWithin();
  const attempt = openRendering({
    within,
    givenUp: (subject, error) => log.failure("a notice cannot be rendered as it was written", error, { subject }),
  });
  let markdown: Promise<Markdown> | null = null;

  /** Loaded when an agent first posts something. */
  function reading(): Promise<Markdown> {
    return (markdown ??= import("../text/markdown.ts").then(({ openMarkdown }) => openMarkdown(within)));
  }

  async function isOurs({ channel_id, within }: AgentPostTarget): Promise<boolean> {
    const key = `${channel_id} ${within}`;
    if (known.has(key)) return true;
    const { guild_id, parent_id } = await rest.call<{ guild_id?: string; parent_id?: string | null }>({
      method: "GET",
      path: `/channels/${channel_id}`,
      priority: "result",
    });
    const is = guild_id === guildId && (within === null || channel_id === within || parent_id === within);
    if (is) known.add(key);
    return is;
  }

  async function post(
    body: Body,
    part: string,
    where: AgentPostTarget,
    replyTo: string | null = null,
  ): Promise<string> {
    const { channel_id, request_id } = where;
    try {
      if (!(await isOurs(where))) throw new BellhopError("E_THREAD_FOREIGN", { thread: channel_id });
      const nonce = nonceOf(botId, { subject: request_id, part }, channel_id, "");
      return await once(context, `${part}:${botId}:${channel_id}:${request_id}`, channel_id, (since) =>
        send(context, body, { channelId: channel_id, nonce, replyTo, since }),
      );
    } catch (error) {
      if (!(error instanceof RestFailure)) throw error;
      if (error.kind === "limited") throw new BellhopError("E_DISCORD_RATE_LIMIT", {}, { cause: error });
      if (error.kind === "channel_gone")
        throw new BellhopError("E_THREAD_ACCESS_FAILED", { thread: `<#${channel_id}>` }, { cause: error });
      throw await refusedPlace(context, channel_id, error);
    }
  }

  async function rendered(told: AgentPostText, { request_id }: AgentPostTarget): Promise<Body> {
    const markdown = await reading();
    return attempt(
      request_id,
      told.text.length,
      () => said(told, markdown, locale),
      () => unrendered(told, locale),
    );
  }

  return {
    async postNotification({ level, message }, where) {
      const { color, sign } = LEVELS[level];
      const title = `${sign} ${plainLine(where.project, PROJECT_CHARS)}`;
      const told = { embed: { color, title }, text: redactor.redactText(message), file: "notice.md" };
      return post(await rendered(told, where), "notify", where);
    },
    async report({ title, summary, details }, where) {
      const text = redactor.redactText([summary, details.map(listed).join("\n")].filter(Boolean).join("\n\n"));
      const embed = {
        color: colours.good,
        title: `📋 ${plainLine(redactor.redactText(title), TITLE_CHARS)}`,
        footer: { text: oneLine(where.project, PROJECT_CHARS) },
      };
      return post(await rendered({ embed, text, file: "report.md" }, where), "report", where);
    },
    restarted: (where) =>
      post(
        systemBody({ color: colours.waits, description: `🔄 ${say(locale, "question_restarted")}` }),
        "restarted",
        where,
        isSnowflake(where.prompt) ? where.prompt : null,
      ),
  };
}

interface AgentPostText {
  embed: APIEmbed;
  text: string;
  /** The name of the file that has all of it, where it does not fit. */
  file: string;
}

/** An agent's text in an embed: all of it, or its beginning and a file. */
function said({ embed, text, file }: AgentPostText, markdown: Markdown, locale: Locale): Body {
  const chunks: string[] = [];
  for (const chunk of split(agentText(text, markdown), markdown, SHOWN_CHARS))
    if (chunks.push(contentOf(chunk)) > 1) break;
  const [shown = ""] = chunks;
  const body = systemBody(shown.trim() === "" ? embed : { ...embed, description: shown });
  if (chunks.length <= 1) return body;
  const line = smallPrint(say(locale, "told_beginning", { file: code(file) }));
  return {
    ...body,
    embeds: [{ ...embed, description: `${shown}\n${line}` }],
    files: [{ name: file, bytes: Buffer.from(text, "utf8") }],
  };
}

/** All of the text as a file. */
function unrendered({ embed, text, file }: AgentPostText, locale: Locale): Body {
  const description = smallPrint(say(locale, "told_unrendered", { file: code(file) }));
  return { ...systemBody({ ...embed, description }), files: [{ name: file, bytes: Buffer.from(text, "utf8") }] };
}

/** One item of a list, its further lines indented below it. */
function listed(detail: string): string {
  return `- ${detail.trim().replace(/\n/g, "\n  ")}`;
}

/**
 * Posts it, or returns the message that was posted before. `since`: it may have been sent in an earlier process, but
 * not before then.
 */
async function once(
  { engine }: BotContext,
  request: string,
  channel_id: string,
  put: (since: number | null) => Promise<APIMessage>,
): Promise<string> {
  const known = engine.state.agent_posts[request];
  if (known?.message_id) return known.message_id;
  await engine.submit({ type: "note_agent_post", request, channel_id, message_id: null });
  const { id } = await put(known === undefined ? null : Date.parse(known.at));
  await engine.submit({ type: "note_agent_post", request, channel_id, message_id: id });
  return id;
}

interface Sending {
  channelId: string;
  nonce: string;
  replyTo: string | null;
  /** When it may have been sent for the first time; null: it was not. */
  since: number | null;
}

/** The message; one however often its answer is lost. */
async function send(
  context: BotContext,
  body: Body,
  { channelId, nonce, replyTo, since: before }: Sending,
): Promise<APIMessage> {
  const { engine, rest, clock, botId } = context;
  const since = before ?? clock.now();
  // The same text in another request is another message.
  const claimed = (id: string): boolean =>
    Object.values(engine.state.agent_posts).some(({ message_id }) => message_id === id);
  const after = replyTo ?? snowflakeBefore(since);
  const find = async (): Promise<APIMessage | null> =>
    findOwn(await readOwn(rest, { channelId, botId, after, priority: "result" }), {
      nonce,
      body,
      replyTo,
      inThread: false,
      claimed,
    });
  const request = requestOf(body);
  return sendOnce(rest, {
    channelId,
    body: { ...request.body, flags: flagsOf(body, calledFor(context, { kind: "told" })) },
    files: request.files,
    nonce,
    replyTo,
    priority: "result",
    limitTries: LIMIT_TRIES,
    lookUp: { first: before !== null, untilKnown: true, find },
  });
}
