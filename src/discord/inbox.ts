/**
 * The ear: takes what the owner writes in a session's thread, live or read back after we were away, through one
 * door and in the order written. A channel is either caught up, and then what the gateway brings is heard as it
 * comes, or it is being read from its watermark, and then the gateway only says that there is more to read.
 */
import type { APIMessage, GatewayMessageCreateDispatchData } from "discord-api-types/v10";
import type { Clock } from "../base/clock.ts";
import { compareSnowflakes } from "../base/ids.ts";
import type { Log } from "../base/log.ts";
import type { Heard } from "../core/job.ts";
import type { Engine } from "../engine/engine.ts";
import { isOwnersMessage, isOwnersWord, type Wall } from "./authorize.ts";

export interface InboxOptions {
  engine: Engine;
  wall: Wall;
  clock: Clock;
  log: Log;
  /** The next messages of a channel after an id, at most 100, in any order. */
  read(channelId: string, after: string): Promise<APIMessage[]>;
  /** Messages a thread may have waiting before reading back pauses. */
  maxQueue(): number;
  /** The thread cannot be read; `gone` for good. */
  unreadable(channelId: string, error: unknown): "gone" | "try_again";
}

const PAGE = 100;
const READ_AGAIN_MS = 30_000;
/** Ids kept above the watermark, wider than Discord ever reorders events; and when to bring the watermark up to them. */
const KEPT_ABOVE = 64;
const TOO_MANY_ABOVE = 96;

interface Channel {
  readonly id: string;
  caughtUp: boolean;
  /** The gateway brought something while we were reading: read once more before believing we are caught up. */
  more: boolean;
  reading: Promise<void> | null;
  /** Handled since the watermark last moved, while caught up. */
  above: Set<string>;
}

export class Inbox {
  readonly #options: InboxOptions;
  readonly #channels = new Map<string, Channel>();
  readonly #unwatch: () => void;
  #closed = false;

  constructor(options: InboxOptions) {
    this.#options = options;
    const { engine } = options;
    this.#unwatch = engine.watch((topics) => {
      for (const topic of topics) if (engine.state.sessions[topic]) this.#attend(this.#channel(topic));
    });
  }

  /** A message from the gateway. */
  message(message: GatewayMessageCreateDispatchData): void {
    const { engine, wall, log } = this.#options;
    if (!engine.state.sessions[message.channel_id]) return;
    const channel = this.#channel(message.channel_id);
    if (!channel.caughtUp) {
      channel.more = true;
      this.#attend(channel);
      return;
    }
    void this.#hear(channel.id, message, isOwnersMessage(wall, message))
      .then(() => this.#raise(channel, message.id))
      .catch((error: unknown) => log.failure("a message could not be heard", error, { message_id: message.id }));
  }

  /** The gateway has a connection again: whatever was written meanwhile is read back. */
  catchUp(): void {
    for (const id of Object.keys(this.#options.engine.state.sessions)) {
      const channel = this.#channel(id);
      channel.caughtUp = false;
      channel.more = true;
      this.#attend(channel);
    }
  }

  /** Resolves when every channel is caught up (or waits for room in its queue). */
  async settled(): Promise<void> {
    for (;;) {
      const reading = [...this.#channels.values()].flatMap((channel) => channel.reading ?? []);
      if (reading.length === 0) return;
      await Promise.all(reading);
    }
  }

  close(): void {
    this.#closed = true;
    this.#unwatch();
  }

  #channel(id: string): Channel {
    let channel = this.#channels.get(id);
    if (!channel) {
      channel = { id, caughtUp: false, more: false, reading: null, above: new Set() };
      this.#channels.set(id, channel);
    }
    return channel;
  }

  /** Sees to it that a channel that is not caught up is being read, unless its queue has no room for more. */
  #attend(channel: Channel): void {
    if (this.#closed || channel.caughtUp || channel.reading || this.#isFull(channel)) return;
    channel.reading = this.#readBack(channel).then(
      () => {
        channel.reading = null;
        this.#attend(channel);
      },
      (error: unknown) => {
        channel.reading = null;
        this.#failed(channel, error);
      },
    );
  }

  /**
   * The channel stays unread, and so nothing of it is passed over: the next connection reads it again, and so does
   * the next message the gateway brings from it, which shows that it can be read after all.
   */
  #failed(channel: Channel, error: unknown): void {
    const { log, clock, unreadable } = this.#options;
    const verdict = unreadable(channel.id, error);
    log.failure("a thread could not be read back", error, { channel_id: channel.id, verdict });
    if (verdict === "try_again") clock.after(READ_AGAIN_MS, () => this.#attend(channel));
  }

  #isFull({ id }: Channel): boolean {
    return (this.#options.engine.state.sessions[id]?.queue.length ?? 0) >= this.#options.maxQueue();
  }

  async #readBack(channel: Channel): Promise<void> {
    const { engine, read } = this.#options;
    while (!this.#closed) {
      channel.more = false;
      const after = engine.state.watermarks[channel.id] ?? channel.id;
      const page = (await read(channel.id, after)).sort((a, b) => compareSnowflakes(a.id, b.id));
      if ((await this.#hearPage(channel, page)) < page.length) return;
      if (page.length < PAGE && !channel.more) {
        channel.caughtUp = true;
        channel.above.clear();
        return;
      }
    }
  }

  /** Hears a page in order until the queue is full; returns how many, and moves the watermark that far. */
  async #hearPage(channel: Channel, page: APIMessage[]): Promise<number> {
    let count = 0;
    for (const message of page) {
      if (this.#isFull(channel)) break;
      await this.#hear(channel.id, message, isOwnersWord(this.#options.wall, message));
      count += 1;
    }
    const last = page[count - 1];
    if (last) await this.#options.engine.submit({ type: "channel_read", channel_id: channel.id, through: last.id });
    return count;
  }

  async #hear(id: string, message: APIMessage, owner: boolean): Promise<void> {
    const { engine, log } = this.#options;
    if (owner) await engine.submit({ type: "hear", ...heard(id, message) });
    else if (!message.author?.bot) {
      log.warn("a stranger wrote", { channel_id: id, author_id: message.author?.id, error_code: "E_OWNER_ONLY" });
    }
  }

  /** Brings the watermark up behind what was heard, far enough behind for whatever may still come out of order. */
  async #raise(channel: Channel, messageId: string): Promise<void> {
    channel.above.add(messageId);
    if (!channel.caughtUp || channel.above.size < TOO_MANY_ABOVE) return;
    const sorted = [...channel.above].sort(compareSnowflakes);
    channel.above = new Set(sorted.slice(-KEPT_ABOVE));
    const through = sorted.at(-KEPT_ABOVE - 1);
    if (through) await this.#options.engine.submit({ type: "channel_read", channel_id: channel.id, through });
  }
}

function heard(thread_id: string, message: APIMessage): Heard {
  return {
    thread_id,
    discord_message_id: message.id,
    prompt: message.content,
    attachments: (message.attachments ?? []).map((file) => file.filename),
  };
}
