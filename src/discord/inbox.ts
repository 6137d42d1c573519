/**
 * The ear: takes what the owner writes in a session's thread, live or read back after we were away, through one
 * door and in the order written. A channel is either caught up, and then what the gateway brings is heard as it
 * comes, or it is being read from its watermark, and then the gateway only says that there is more to read.
 */
import { compareSnowflakes } from "../base/ids.ts";
import type { Log } from "../base/log.ts";
import type { Heard } from "../core/job.ts";
import type { Engine } from "../engine/engine.ts";
import type { APIMessage, GatewayMessageCreateDispatchData } from "discord-api-types/v10";
import { isOwnersMessage, isOwnersWord, type Wall } from "./authorize.ts";

export interface InboxOptions {
  engine: Engine;
  wall: Wall;
  log: Log;
  /** The next messages of a channel after an id, at most 100, in any order. */
  read(channelId: string, after: string): Promise<APIMessage[]>;
  /** Messages a thread may have waiting before reading back pauses. */
  maxQueue(): number;
  /** The thread cannot be read; `gone` for good. */
  unreadable(channelId: string, error: unknown): "gone" | "try_again";
}

export interface Inbox {
  /** A message from the gateway. */
  message(message: GatewayMessageCreateDispatchData): void;
  /** The gateway has a connection again: whatever was written meanwhile is read back. */
  catchUp(): void;
  /** Resolves when every channel is caught up (or waits for room in its queue). */
  settled(): Promise<void>;
  close(): void;
}

const PAGE = 100;
/** Ids kept above the watermark, wider than Discord ever reorders events; and when to bring the watermark up to them. */
const KEPT_ABOVE = 64;
const TOO_MANY_ABOVE = 96;

interface Channel {
  caughtUp: boolean;
  /** The gateway brought something while we were reading: read once more before believing we are caught up. */
  more: boolean;
  reading: Promise<void> | null;
  /** Handled since the watermark last moved, while caught up. */
  above: Set<string>;
}

export function openInbox(options: InboxOptions): Inbox {
  const { engine, log, wall } = options;
  const channels = new Map<string, Channel>();
  let closed = false;
  const unwatch = engine.watch((topics) => {
    for (const topic of topics) if (engine.state.sessions[topic]) attend(topic);
  });

  function channelOf(id: string): Channel {
    let channel = channels.get(id);
    if (!channel) channels.set(id, (channel = { caughtUp: false, more: false, reading: null, above: new Set() }));
    return channel;
  }

  /** Sees to it that a channel that is not caught up is being read, unless its queue has no room for more. */
  function attend(id: string): void {
    const channel = channelOf(id);
    if (closed || channel.caughtUp || channel.reading || isFull(id)) return;
    channel.reading = readBack(id, channel)
      .catch((error: unknown) => failed(id, channel, error))
      .finally(() => {
        channel.reading = null;
        if (!channel.caughtUp) attend(id);
      });
  }

  function failed(id: string, channel: Channel, error: unknown): void {
    const verdict = options.unreadable(id, error);
    log.failure("a thread could not be read back", error, { channel_id: id, verdict });
    // Nothing more can be read there; a later connection asks again.
    if (verdict === "gone") channel.caughtUp = true;
  }

  function isFull(id: string): boolean {
    return (engine.state.sessions[id]?.queue.length ?? 0) >= options.maxQueue();
  }

  async function readBack(id: string, channel: Channel): Promise<void> {
    while (!closed) {
      channel.more = false;
      const after = engine.state.watermarks[id] ?? id;
      const page = (await options.read(id, after)).sort((a, b) => compareSnowflakes(a.id, b.id));
      const heard = await hearPage(id, page);
      if (heard < page.length) return;
      if (page.length < PAGE && !channel.more) {
        channel.caughtUp = true;
        channel.above.clear();
        return;
      }
    }
  }

  /** Hears a page in order until the queue is full; returns how many, and moves the watermark that far. */
  async function hearPage(id: string, page: APIMessage[]): Promise<number> {
    let count = 0;
    for (const message of page) {
      if (isFull(id)) break;
      await hear(id, message, isOwnersWord(wall, message));
      count += 1;
    }
    const last = page[count - 1];
    if (last) await engine.submit({ type: "channel_read", channel_id: id, through: last.id });
    return count;
  }

  function message(message: GatewayMessageCreateDispatchData): void {
    const id = message.channel_id;
    if (!engine.state.sessions[id]) return;
    const channel = channelOf(id);
    if (!channel.caughtUp) {
      channel.more = true;
      attend(id);
      return;
    }
    void hear(id, message, isOwnersMessage(wall, message))
      .then(() => raise(id, channel, message.id))
      .catch((error: unknown) => log.failure("a message could not be heard", error, { message_id: message.id }));
  }

  async function hear(id: string, message: APIMessage, owner: boolean): Promise<void> {
    if (!owner) {
      if (!message.author?.bot) {
        log.warn("a stranger wrote", { channel_id: id, author_id: message.author?.id, error_code: "E_OWNER_ONLY" });
      }
      return;
    }
    await engine.submit({ type: "hear", ...heard(id, message) });
  }

  /** Brings the watermark up behind what was heard, far enough behind for whatever may still come out of order. */
  async function raise(id: string, channel: Channel, messageId: string): Promise<void> {
    channel.above.add(messageId);
    if (!channel.caughtUp || channel.above.size < TOO_MANY_ABOVE) return;
    const sorted = [...channel.above].sort(compareSnowflakes);
    channel.above = new Set(sorted.slice(-KEPT_ABOVE));
    const through = sorted.at(-KEPT_ABOVE - 1);
    if (through) await engine.submit({ type: "channel_read", channel_id: id, through });
  }

  function catchUp(): void {
    for (const id of Object.keys(engine.state.sessions)) {
      const channel = channelOf(id);
      channel.caughtUp = false;
      channel.more = true;
      attend(id);
    }
  }

  async function settled(): Promise<void> {
    for (;;) {
      const reading = [...channels.values()].flatMap((channel) => channel.reading ?? []);
      if (reading.length === 0) return;
      await Promise.all(reading);
    }
  }

  function close(): void {
    closed = true;
    unwatch();
  }

  return { message, catchUp, settled, close };
}

function heard(thread_id: string, message: APIMessage): Heard {
  return {
    thread_id,
    discord_message_id: message.id,
    prompt: message.content,
    attachments: (message.attachments ?? []).map((file) => file.filename),
  };
}
