/**
 * The door through which everything the owner writes comes in, live or read back: a message becomes a job with its
 * files beside it, an answer, or a message of the inbox; an edit replaces what still waits, a deletion takes it back.
 * Who is not the owner leaves a line in the log and nothing else, or, where the owner wants it, inbox data.
 */
import type { APIMessage } from "discord-api-types/v10";
import type { Log } from "../base/log.ts";
import type { Recorded } from "../core/house.ts";
import { isHandled } from "../core/thread.ts";
import type { Engine } from "../engine/engine.ts";
import type { Speaker, Wall } from "./authorize.ts";
import { letterOf, namesOf } from "./letter.ts";
import type { Uploads } from "./uploads.ts";

export interface DoorOptions {
  wall: Wall;
  engine: Pick<Engine, "state" | "submit">;
  log: Log;
  uploads: Pick<Uploads, "take">;
  /** Why files that come with an answer outside of a session are not taken, for whoever sent them. */
  whyNoFiles?: string;
  /** Whose messages the inbox takes; the owner's where it is not said. */
  inboxFrom?(): "owner" | "anyone";
  /** What the owner wrote was an answer, or went into the inbox. Told after it is on disk. */
  heard?(channelId: string, messageId: string, events: readonly Recorded[]): void;
}

export class Door {
  readonly #options: DoorOptions;
  readonly #underWay = new Set<string>();

  constructor(options: DoorOptions) {
    this.#options = options;
  }

  /** Whether this message's files are being taken, or its job is not on disk yet. */
  isUnderWay(messageId: string): boolean {
    return this.#underWay.has(messageId);
  }

  /** Whether hearing it takes longer than writing it down, so that whoever is behind it has to wait. */
  isSlow(channelId: string, message: APIMessage): boolean {
    const { state } = this.#options.engine;
    return hasFiles(message) && state.sessions[channelId] !== undefined && !isHandled(state, channelId, message.id);
  }

  /**
   * Resolves when it is on disk. Without files it is decided before this returns. `latest` is asked when the files
   * are there: what the message says by then, or null where it was deleted meanwhile.
   */
  async hear(channelId: string, message: APIMessage, speaker: Speaker, latest: () => string | null = () => message.content): Promise<void> {
    const { engine, uploads } = this.#options;
    if (speaker !== "owner") return this.#stranger(channelId, message, speaker);
    const at = { thread_id: channelId, discord_message_id: message.id, reply_to: message.message_reference?.message_id ?? null };
    if (!this.isSlow(channelId, message)) return this.#plain(message, latest(), at);
    this.#underWay.add(message.id);
    try {
      const { files, refused } = await uploads.take(channelId, message);
      const prompt = latest();
      if (prompt !== null) await engine.submit({ type: "hear", ...at, prompt, files, refused_files: refused });
    } finally {
      this.#underWay.delete(message.id);
    }
  }

  /** Without files, or where nobody would take them. */
  async #plain(message: APIMessage, prompt: string | null, at: { thread_id: string; discord_message_id: string; reply_to: string | null }): Promise<void> {
    const { engine, log, heard, whyNoFiles = "" } = this.#options;
    if (prompt === null) return;
    if (prompt === "" && !hasFiles(message)) log.warn("a message came without content; is the Message Content Intent on?", { error_code: "E_EMPTY_PROMPT", message_id: message.id });
    const outside = engine.state.sessions[at.thread_id] === undefined;
    const refused_files = outside ? namesOf(message).map((name) => ({ name, why: whyNoFiles })) : [];
    const events = await engine.submit({ type: "hear", ...at, prompt, files: [], refused_files, ...(outside && { from: letterOf(message, prompt) }) });
    heard?.(at.thread_id, message.id, events);
  }

  /** Nothing but words counts: a link's preview that Discord adds later is no edit, and an empty one is no prompt. */
  async edit(channelId: string, messageId: string, content: string, files: boolean): Promise<void> {
    if (content.trim() === "" && !files) return;
    await this.#options.engine.submit({ type: "edit_message", thread_id: channelId, discord_message_id: messageId, prompt: content });
  }

  async delete(channelId: string, messageId: string): Promise<void> {
    await this.#options.engine.submit({ type: "delete_message", thread_id: channelId, discord_message_id: messageId });
  }

  async #stranger(channelId: string, message: APIMessage, speaker: Speaker): Promise<void> {
    const { engine, log, wall, inboxFrom } = this.#options;
    const { author, webhook_id, application_id, id, content } = message;
    if (speaker === "guest" && inboxFrom?.() === "anyone" && engine.state.sessions[channelId] === undefined) {
      await engine.submit({ type: "receive", place_id: channelId, message_id: id, ...letterOf(message, content) });
      return;
    }
    // Bots write all the time; a pin or a new name of the thread comes in the name of whoever did it.
    const own = author?.id === wall.ownerId && webhook_id === undefined && application_id === undefined;
    if (author?.bot || own) return;
    log.warn("a stranger wrote", { channel_id: channelId, author_id: author?.id, error_code: "E_OWNER_ONLY" });
  }
}

export function hasFiles({ attachments }: Pick<APIMessage, "attachments">): boolean {
  return Array.isArray(attachments) && attachments.length > 0;
}
