/**
 * Accepts everything the owner writes, live or read back: a message becomes a job with its files, an answer, or an
 * inbox message; an edit replaces the text of what still waits, a deletion takes it back. A message from anyone else
 * leaves only a line in the log, or, if the owner has enabled that, an inbox message.
 */
import type { APIMessage } from "discord-api-types/v10";
import { errors } from "../../base/errors.ts";
import { say } from "../../base/words/say.ts";
import { jobsOf } from "../../core/jobs/job.ts";
import { isKeptOut } from "../../core/jobs/lock.ts";
import { isRefused } from "../../core/jobs/accept-message.ts";
import { filesFor, decisionHoldingMessage, mayAnswer } from "../../core/decisions/answering.ts";
import { makesPicturesSmaller } from "../../core/jobs/pictures.ts";
import type { Quote } from "../../core/jobs/run.ts";
import type { RecordedEvent } from "../../core/state.ts";
import { isHandled } from "../../core/inbox/redelivered-messages.ts";
import { snowflakeTime } from "../../base/ids.ts";
import { channelOf, isInForum } from "../../core/sessions/thread.ts";
import type { WrittenMessage } from "../../core/inbox/inbox.ts";
import type { Speaker } from "./authorize.ts";
import type { BotContext } from "../api/bot-context.ts";
import { forwardOf, isPaste, quoteOf, repliesTo, wordlessOf } from "./incoming.ts";
import { attachmentName, type Attaching, type UploadResult, type Uploads } from "./uploads.ts";

export interface AcceptorOptions {
  uploads: Uploads;
  /** Whether the author of a message that belongs to no session is offered to open one with it; by default not. */
  offers?(channelId: string, message: APIMessage): boolean;
  /** The owner's message was an answer, went into the inbox, or was not taken. Called after it is on disk. */
  accepted?(channelId: string, messageId: string, events: readonly RecordedEvent[]): void;
}

/** What comes with a message. `pasted`: its words, which Discord has turned into a file; absent: it has its own. */
interface Brought extends UploadResult {
  quotes: Quote[];
  pasted?: string;
}

/**
 * What became of a wish to reopen a session with a message: it was opened, and has the message; or only one of these,
 * now or already; or neither.
 */
export type Reopened = "both" | "sent" | "opened" | "neither";

export function reopenedBy(events: readonly { type: string }[]): Reopened {
  const has = (wanted: string): boolean => events.some(({ type }) => type === wanted);
  if (has("SessionReopened")) return has("JobEnqueued") ? "both" : "opened";
  return has("JobEnqueued") ? "sent" : "neither";
}

/** A message of a channel; null: there is none, undefined: Discord does not tell in time. */
type FindMessage = (channelId: string, messageId: string) => Promise<APIMessage | null | undefined>;

export class MessageAcceptor {
  readonly #context: BotContext;
  readonly #options: AcceptorOptions;
  readonly #findMessage: FindMessage;
  readonly #underWay = new Set<string>();
  readonly #repeating = new Map<string, Promise<readonly RecordedEvent[]>>();

  constructor(context: BotContext, options: AcceptorOptions, findMessage: FindMessage) {
    this.#context = context;
    this.#options = options;
    this.#findMessage = findMessage;
  }

  /** Whether this message's files are being fetched, or its job is not on disk yet. */
  isUnderWay(messageId: string): boolean {
    return this.#underWay.has(messageId);
  }

  /** Whether handling it takes longer than writing it down, so that later messages have to wait. */
  isSlow(channelId: string, message: APIMessage): boolean {
    const { state } = this.#context.engine;
    const takes =
      state.sessions[channelId] !== undefined ||
      mayAnswer(state, channelId, { id: message.id, replyTo: message.message_reference?.message_id ?? null });
    return (
      (hasFiles(message) || this.#isQuoteSlow(channelId, message)) &&
      takes &&
      state.threads[channelId]?.closed === undefined &&
      !isKeptOut(state, message.id) &&
      !isHandled(state, channelId, message.id)
    );
  }

  /** Whether the message that it points at has to be looked up, or has files that its agent gets. */
  #isQuoteSlow(channelId: string, message: APIMessage): boolean {
    if (this.#context.engine.state.sessions[channelId] === undefined) return false;
    if (repliesTo(message) === null) return this.#isFirst(channelId);
    const { referenced_message: quoted } = message;
    return quoted === undefined || (quoted !== null && this.#hasOurFiles(quoted));
  }

  /** Whether nothing was written yet in a thread that the owner has made, perhaps on somebody's message; never on a post's. */
  #isFirst(threadId: string): boolean {
    const { state } = this.#context.engine;
    const { adapter_state = {} } = state.sessions[threadId] ?? {};
    const isNew = jobsOf(state, threadId).length === 0 && Object.keys(adapter_state).length === 0;
    const thread = state.threads[threadId];
    return isNew && thread?.kind === "found" && !isInForum(state, thread);
  }

  #hasOurFiles(quoted: APIMessage): boolean {
    const { whose } = quoteOf(quoted, { id: quoted.id, how: "reply", ...this.#people });
    return hasFiles(quoted) && (whose === "owner" || whose === "bellhop");
  }

  /**
   * Resolves when it is on disk. Without files it is decided before this returns. `latest` is called when the files are
   * there: the message's current content, or null if it was deleted meanwhile.
   */
  async accept(
    channelId: string,
    message: APIMessage,
    speaker: Speaker,
    latest: () => string | null = () => message.content,
  ): Promise<void> {
    if (speaker === "forwarder") return this.#holdForward(channelId, message);
    if (speaker !== "owner") return this.#stranger(channelId, message, speaker);
    const isTaken = this.isSlow(channelId, message);
    if (!isTaken) {
      const refused = this.#unwanted(channelId, message);
      return this.#submit(channelId, message, latest, {
        files: [],
        refused,
        quotes: this.#quoteAtHand(channelId, message),
      });
    }
    this.#underWay.add(message.id);
    try {
      const session = filesFor(this.#context.engine.state, channelId, message.message_reference?.message_id ?? null);
      await this.#submit(channelId, message, latest, await this.#bring(session, channelId, message));
    } finally {
      this.#underWay.delete(message.id);
    }
  }

  get #people(): { ownerId: string; botId: string } {
    const { ownerId, botId } = this.#context;
    return { ownerId, botId };
  }

  /** The message that it replies to, where Discord has sent it along. */
  #quoteAtHand(channelId: string, message: APIMessage): Quote[] {
    const isPrompt = this.#context.engine.state.sessions[channelId] !== undefined;
    if (!isPrompt || repliesTo(message) === null) return [];
    return [quoteOf(message.referenced_message, { id: repliesTo(message), how: "reply", ...this.#people })];
  }

  /** All that comes with it: its files, its text if it was pasted, the message that it points at and that one's files. */
  async #bring(session: string, channelId: string, message: APIMessage): Promise<Brought> {
    const { engine } = this.#context;
    const { uploads } = this.#options;
    const isPrompt = engine.state.sessions[channelId] !== undefined;
    const points = isPrompt ? await this.#pointsAt(channelId, message) : null;
    const attachments = points?.message && this.#hasOurFiles(points.message) ? points.message.attachments : [];
    const smaller = isPrompt && !makesPicturesSmaller(engine.state.sessions[channelId]?.tool ?? "");
    const wanted = { id: message.id, attachments: message.attachments, quoted: attachments, smaller };
    const {
      files,
      refused,
      quoted = [],
    } = hasFiles(message) || attachments.length > 0
      ? await uploads.download(session, channelId, wanted)
      : { files: [], refused: [] };
    const quotes =
      points === null ? [] : [{ ...quoteOf(points.message, { ...points, ...this.#people }), files: quoted }];
    const [only] = files;
    const pasted = isPrompt && only !== undefined && isPaste(message) ? await uploads.readText(only) : null;
    return pasted === null ? { files, refused, quotes } : { files: [], refused, quotes, pasted };
  }

  /** The message that it replies to, or on which its thread was opened, as Discord shows it; null: it has none. */
  async #pointsAt(
    channelId: string,
    { referenced_message, ...message }: APIMessage,
  ): Promise<{ how: Quote["how"]; id: string; message: APIMessage | null | undefined } | null> {
    const id = repliesTo(message);
    if (id !== null) {
      const isSentAlong = referenced_message !== undefined;
      const place = channelOf(this.#context.engine.state, channelId, message.id);
      return { how: "reply", id, message: isSentAlong ? referenced_message : await this.#fetchPointed(place, id) };
    }
    const parent = this.#context.engine.state.threads[channelId]?.channel_id;
    const starter =
      parent !== undefined && this.#isFirst(channelId) ? await this.#fetchPointed(parent, channelId) : null;
    return starter ? { how: "starter", id: channelId, message: starter } : null;
  }

  async #fetchPointed(channelId: string, messageId: string): Promise<APIMessage | null | undefined> {
    return this.#findMessage(channelId, messageId).catch((error: unknown) => {
      this.#context.log.warn("a message that is pointed at cannot be read", {
        channel_id: channelId,
        message_id: messageId,
        reason: String(error),
      });
      return undefined;
    });
  }

  /** Sends a message of the owner's that a closed session refused, once, and opens the session. */
  async reopen(channelId: string, message: APIMessage): Promise<Reopened> {
    const { state, submit } = this.#context.engine;
    // If it was sent already, its files are its job's, and are not fetched again.
    if (!isRefused(state, channelId, message.id)) {
      const opened = reopenedBy(await submit({ type: "reopen_session", thread_id: channelId }));
      return opened === "neither" && jobsOf(state, channelId).some((job) => job.discord_message_id === message.id)
        ? "sent"
        : opened;
    }
    return reopenedBy(await this.#acceptAgain(channelId, message, { reopens: true }));
  }

  /**
   * Sends a message that was held back while something was open, once. Resolves with whether it was still held back.
   */
  async sendHeld(channelId: string, message: APIMessage): Promise<boolean> {
    if (decisionHoldingMessage(this.#context.engine.state, channelId, message.id) === undefined) return false;
    return (await this.#acceptAgain(channelId, message, { anyway: true })).length > 0;
  }

  /** Hears a message that became no job; what is asked for several times at once is done once. */
  #acceptAgain(
    channelId: string,
    message: APIMessage,
    how: { reopens: true } | { anyway: true },
  ): Promise<readonly RecordedEvent[]> {
    const before = this.#repeating.get(message.id);
    if (before) return before;
    const repeating = this.#repeat(channelId, message, how).finally(() => this.#repeating.delete(message.id));
    this.#repeating.set(message.id, repeating);
    return repeating;
  }

  async #repeat(
    channelId: string,
    message: APIMessage,
    how: { reopens: true } | { anyway: true },
  ): Promise<readonly RecordedEvent[]> {
    this.#underWay.add(message.id);
    try {
      const { files, refused: refused_files, quotes, pasted } = await this.#bring(channelId, channelId, message);
      const events = await this.#context.engine.submit({
        type: "hear",
        thread_id: channelId,
        discord_message_id: message.id,
        reply_to: null,
        prompt: pasted ?? message.content,
        files,
        refused_files,
        ...(quotes.length > 0 && { quotes }),
        ...how,
      });
      this.#noteRefusals(events);
      return events;
    } finally {
      this.#underWay.delete(message.id);
    }
  }

  #noteRefusals(events: readonly RecordedEvent[]): void {
    for (const { type, payload } of events) {
      if (type !== "MessageRefused") continue;
      const { thread_id: channel_id, discord_message_id: message_id, code: error_code } = payload;
      this.#context.log[errors[error_code].logged === undefined ? "info" : "warn"]("a message was refused", {
        channel_id,
        message_id,
        error_code,
      });
    }
  }

  /** Refusals for files that nothing would use. */
  #unwanted(channelId: string, message: APIMessage): UploadResult["refused"] {
    const { engine, locale } = this.#context;
    const why = say(locale, "file_why_session");
    return engine.state.sessions[channelId] === undefined ? namesOf(message).map((name) => ({ name, why })) : [];
  }

  async #submit(
    thread_id: string,
    message: APIMessage,
    latest: () => string | null,
    { files, refused: refused_files, quotes, pasted }: Brought,
  ): Promise<void> {
    const { engine, log, locale } = this.#context;
    const { offers } = this.#options;
    const words = latest();
    if (words === null) return;
    const prompt = pasted ?? words;
    const wordless = prompt.trim() === "" && !hasFiles(message) ? wordlessOf(message) : undefined;
    if (prompt === "" && !hasFiles(message) && wordless === undefined)
      log.warn("a message came without content; is the Message Content Intent on?", {
        error_code: "E_EMPTY_PROMPT",
        message_id: message.id,
      });
    const outside = engine.state.sessions[thread_id] === undefined;
    const reply_to = message.message_reference?.message_id ?? null;
    const events = await engine.submit({
      type: "hear",
      thread_id,
      discord_message_id: message.id,
      reply_to,
      prompt,
      files,
      refused_files,
      ...(outside && { from: inboxEntryOf(message, prompt), unused_why: say(locale, "file_why_option") }),
      ...(outside && hasContent(message) && offers?.(thread_id, message) && { offered: true as const }),
      ...(wordless !== undefined && { wordless }),
      ...(quotes.length > 0 && { quotes }),
      ...(pasted !== undefined && { is_prompt: true as const }),
    });
    this.#noteRefusals(events);
    if (outside || files.length === 0) this.#options.accepted?.(thread_id, message.id, events);
  }

  /** Only a change of the words counts: a link preview that Discord adds later is no edit; empty text is no prompt. */
  async edit(channelId: string, message: EditableMessage): Promise<void> {
    const { engine } = this.#context;
    const { id: discord_message_id, content, edited_timestamp: at } = message;
    if (!hasContent(message) || isPaste(message)) return;
    const prompt = engine.state.sessions[channelId] === undefined ? withFiles(message, content) : content;
    await engine.submit({
      type: "edit_message",
      thread_id: channelId,
      discord_message_id,
      prompt,
      ...(at != null && { edited_at: at }),
    });
  }

  async delete(channelId: string, messageId: string): Promise<void> {
    await this.#context.engine.submit({ type: "delete_message", thread_id: channelId, discord_message_id: messageId });
  }

  /** Nothing of a forward runs by itself; outside of a session there is nothing that it could be for. */
  async #holdForward(thread_id: string, message: APIMessage): Promise<void> {
    const { engine } = this.#context;
    if (engine.state.sessions[thread_id] === undefined) return;
    const quote = forwardOf(message);
    const events = await engine.submit({ type: "hold_forward", thread_id, discord_message_id: message.id, quote });
    this.#options.accepted?.(thread_id, message.id, events);
  }

  async #stranger(channelId: string, message: APIMessage, speaker: Speaker): Promise<void> {
    const { engine, log, ownerId, config } = this.#context;
    const { author, webhook_id, application_id, id, content } = message;
    if (speaker === "guest" && config().inbox_from === "anyone" && engine.state.sessions[channelId] === undefined) {
      await engine.submit({ type: "receive", place_id: channelId, message_id: id, ...inboxEntryOf(message, content) });
      return;
    }
    // Bots write all the time; the notice of a pin or of a thread's new name has the name of the user who did it.
    const own = author?.id === ownerId && webhook_id === undefined && application_id === undefined;
    if (author?.bot || own) return;
    log.warn("a stranger wrote", { channel_id: channelId, author_id: author?.id, error_code: "E_OWNER_ONLY" });
  }
}

/** What an edit may change. */
type EditableMessage = Pick<APIMessage, "id" | "content" | "attachments"> &
  Partial<Pick<APIMessage, "edited_timestamp">>;

/** Without the Message Content Intent a message comes without any. */
export function hasContent(message: EditableMessage): boolean {
  return message.content.trim() !== "" || hasFiles(message);
}

function hasFiles({ attachments }: Attaching): boolean {
  return Array.isArray(attachments) && attachments.length > 0;
}

/** `words`: its current text. */
function inboxEntryOf(message: APIMessage, words: string): WrittenMessage {
  const { id, author, timestamp } = message;
  return {
    author: nameOf(author),
    author_id: author?.id ?? "",
    timestamp: toTheSecond(id, timestamp),
    content: withFiles(message, words),
  };
}

/** In the inbox, files are listed below the words, because an agent that reads it later gets nothing else of them. */
function withFiles(message: Attaching, words: string): string {
  return [...(words === "" ? [] : [words]), ...namesOf(message).map((name) => `[file: ${name}]`)].join("\n");
}

/** The names of its files. */
function namesOf({ attachments }: Attaching): string[] {
  return Array.isArray(attachments) ? attachments.map((one) => attachmentName(one).replaceAll(/\s+/g, " ")) : [];
}

function nameOf(author: Partial<APIMessage["author"]> | undefined): string {
  const name = author?.username;
  return typeof name === "string" ? name : "";
}

/** ISO 8601 to the second with `Z`. Without a timestamp, the time comes from the snowflake. */
function toTheSecond(id: string, timestamp: string | undefined): string {
  const sentAt = Date.parse(timestamp ?? "");
  const ms = Number.isNaN(sentAt) ? snowflakeTime(id) : sentAt;
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}
