/**
 * The ear: takes what the owner writes in a thread of ours, in a watched channel or in direct messages, live or read
 * back after we were away, through one door and in the order written. A channel is either caught up, and then what the gateway brings is heard as it
 * comes, or it is being read from its watermark, and then the gateway only says that there is more to read.
 */
import type { APIMessage, GatewayMessageCreateDispatchData } from "discord-api-types/v10";
import { compareSnowflakes } from "../base/ids.ts";
import { authorize, speakerOf } from "./authorize.ts";
import { CatchUp, type CatchUpOptions, type Left } from "./catch-up.ts";
import { Door, hasFiles, type DoorOptions } from "./door.ts";
import { newChannel, type Channel } from "./ear-channel.ts";
import { listensAt, placesToRead, type Listener } from "./hearing-places.ts";
import type { Uploads } from "./uploads.ts";

export interface InboxOptions extends Omit<CatchUpOptions, "door">, Pick<DoorOptions, "inboxFrom" | "heard" | "whyNoFiles">, Listener {
  uploads: Pick<Uploads, "take">;
}

/** A message that was edited, as the gateway tells of it: possibly no more than its id and its new words. */
export type Edit = Pick<APIMessage, "id" | "channel_id"> & Partial<APIMessage> & { guild_id?: string };

/** Ids kept above the watermark, wider than Discord ever reorders events; and when to bring the watermark up to them. */
const KEPT_ABOVE = 64;
const TOO_MANY_ABOVE = 96;
const READ_ANEW_MS = 1_000;

export class Inbox {
  readonly #options: InboxOptions;
  readonly #door: Door;
  readonly #catchUp: CatchUp;
  readonly #channels = new Map<string, Channel>();
  readonly #unwatch: () => void;
  /** Before the gateway has told for the first time that it hears, a queue looked up could change unseen. */
  #begun = false;
  #closed = false;

  constructor(options: InboxOptions) {
    this.#options = options;
    const { engine } = options;
    this.#door = new Door(options);
    this.#catchUp = new CatchUp({ ...options, door: this.#door });
    this.#unwatch = engine.watch((topics) => {
      for (const topic of this.#begun ? topics : []) {
        const channel = this.#known(topic);
        if (channel && channel.is !== "failed") this.#catchUp.attend(channel);
      }
    });
  }

  get left(): Left {
    return this.#catchUp.left;
  }

  /** Whether a message's files are being taken right now. */
  isUnderWay(messageId: string): boolean {
    return this.#door.isUnderWay(messageId);
  }

  /** A message from the gateway. */
  message(message: GatewayMessageCreateDispatchData): void {
    const channel = this.#known(message.channel_id);
    if (!channel) return;
    if (!channel.caughtUp) {
      channel.more = true;
      return this.#catchUp.attend(channel, true);
    }
    const speaker = speakerOf(this.#options.wall, { kind: "message", message, direct: this.#isDirect(channel.id) });
    channel.order.run(() => {
      // One before it was not heard, or the connection was lost: it is read back in its turn.
      if (!channel.caughtUp || this.#closed) return void (channel.more = true);
      const slow = this.#door.isSlow(channel.id, message);
      const heard = this.#door.hear(channel.id, message, speaker).then(() => this.#raise(channel, message.id));
      const over = heard.catch((error: unknown) => this.#missed(channel, message.id, error));
      return slow ? over : undefined;
    });
  }

  /** An edit from the gateway; also Discord's own, when it has found out what a link shows. */
  edited(edit: Edit): void {
    const channel = this.#known(edit.channel_id);
    const { content } = edit;
    if (!channel || typeof content !== "string") return;
    // Whose it is has to be told: what does not say is looked up where it stands.
    if (edit.author === undefined) return this.#readAnew(channel, true);
    if (!authorize(this.#options.wall, { kind: "edit", edit, direct: this.#isDirect(channel.id) })) return;
    if (!channel.caughtUp) channel.changed.set(edit.id, content);
    this.#change(channel, edit.id, () => this.#door.edit(channel.id, edit.id, content, hasFiles({ attachments: edit.attachments ?? [] })));
  }

  /** Messages that are gone, one or many at once; who took them away Discord does not say. */
  deleted(channelId: string, ids: readonly string[], gone: { guild_id?: string } = {}): void {
    const channel = this.#known(channelId);
    if (!channel || !Array.isArray(ids)) return;
    if (!authorize(this.#options.wall, { kind: "deletion", gone, direct: this.#isDirect(channel.id) })) return;
    for (const id of ids) {
      if (!channel.caughtUp) channel.changed.set(id, null);
      this.#change(channel, id, () => this.#door.delete(channel.id, id));
    }
  }

  /** The gateway has a connection again: what was written meanwhile is read back; `missed`: edits may have been, too. */
  catchUp({ missed = true }: { missed?: boolean } = {}): void {
    const { engine } = this.#options;
    this.#begun = true;
    for (const id of placesToRead(engine.state, this.#options)) {
      this.#readAnew(this.#channel(id), missed && (engine.state.sessions[id]?.queue.length ?? 0) > 0);
    }
  }

  /** Discord shows a thread that it may have kept from us. */
  found(threadId: string): void {
    const channel = this.#known(threadId);
    if (channel?.is === "failed") this.#readAnew(channel, true);
  }

  /** Resolves when every channel is caught up (or waits for room in its queue), and all that came is on disk. */
  async settled(): Promise<void> {
    await this.#catchUp.settled();
    const busy = [...this.#channels.values()].flatMap(({ order }) => order.busy ?? []);
    if (busy.length === 0) return;
    await Promise.all(busy);
    return this.settled();
  }

  close(): void {
    this.#closed = true;
    this.#unwatch();
    this.#catchUp.close();
  }

  #known(id: string): Channel | undefined {
    return listensAt(this.#options.engine.state, id, this.#options) ? this.#channel(id) : undefined;
  }

  #isDirect(id: string): boolean {
    return this.#options.engine.state.channels[id]?.kind === "direct";
  }

  #channel(id: string): Channel {
    let channel = this.#channels.get(id);
    if (!channel) this.#channels.set(id, (channel = newChannel(id)));
    return channel;
  }

  #readAnew(channel: Channel, recheck: boolean): void {
    channel.caughtUp = false;
    channel.more = true;
    channel.ahead = [];
    channel.recheck ||= recheck;
    this.#catchUp.attend(channel);
  }

  /** After whatever of the channel is still on its way in: a message goes before its own edit. */
  #change(channel: Channel, messageId: string, submit: () => Promise<void>): void {
    channel.order.run(() => {
      submit().catch((error: unknown) => this.#options.log.failure("a change of a message could not be heard", error, { message_id: messageId }));
      return undefined;
    });
  }

  /** It was not written down, so nothing may count as read from there on: all since the watermark is read again. */
  #missed(channel: Channel, messageId: string, error: unknown): void {
    const { log, clock } = this.#options;
    if (this.#closed) return;
    log.failure("a message could not be heard", error, { message_id: messageId });
    channel.caughtUp = false;
    channel.more = true;
    clock.after(READ_ANEW_MS, () => this.#catchUp.attend(channel));
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
