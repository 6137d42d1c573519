/**
 * Reads back what was written while nobody heard it: a page of each thread in turn, the liveliest first, a few at a
 * time, and after so many requests a pause in which it is said what is left. A thread whose queue has no room waits
 * where it is; a queue that slept is looked up again before anything else of its thread.
 */
import type { APIMessage } from "discord-api-types/v10";
import type { Clock } from "../base/clock.ts";
import { compareSnowflakes } from "../base/ids.ts";
import type { Log } from "../base/log.ts";
import type { Engine } from "../engine/engine.ts";
import { authorize, speakerOf, type Wall } from "./authorize.ts";
import { hasFiles, type Door } from "./door.ts";
import type { Channel } from "./ear-channel.ts";
import { queuedMessages, reachOf, readPage, recheck, type Lookup, type Page } from "./recheck.ts";

export interface CatchUpOptions extends Lookup {
  engine: Engine;
  wall: Wall;
  door: Door;
  clock: Clock;
  log: Log;
  /** Messages a thread may have waiting before reading back pauses. */
  maxQueue(): number;
  /** The thread cannot be read; `gone` until Discord shows it again. */
  unreadable(channelId: string, error: unknown): "gone" | "try_again";
  /** What is left, or what cannot be read, has changed. */
  leftChanged?(): void;
}

/** What the reading back still has to do, for people. */
export interface Left {
  /** Threads that wait for the next round, the next one first; none while a round is going on. */
  waiting: string[];
  /** Threads that Discord does not let us read although something waits in them. */
  unreadable: string[];
}

const READ_AGAIN_MS = 30_000;
/** Pages read before a pause, and how long it is: a hundred threads that slept must not keep an answer waiting. */
export const READS_A_ROUND = 100;
export const PAUSE_MS = 5_000;
const AT_ONCE = 4;

export class CatchUp {
  readonly #options: CatchUpOptions;
  readonly #line: Channel[] = [];
  readonly #failed = new Set<Channel>();
  readonly #waiters = new Set<() => void>();
  #reading = 0;
  #reads = 0;
  #pause: (() => void) | null = null;
  #closed = false;

  constructor(options: CatchUpOptions) {
    this.#options = options;
  }

  get left(): Left {
    const { state } = this.#options.engine;
    const holding = [...this.#failed].map(({ id }) => id).filter((id) => (state.sessions[id]?.queue.length ?? 0) > 0);
    return { waiting: this.#pause === null ? [] : this.#line.map(({ id }) => id), unreadable: holding };
  }

  /** Sees to it that a channel that is not caught up is being read. `first`: somebody is writing there right now. */
  attend(channel: Channel, first = false): void {
    if (this.#closed || channel.is === "being read" || !this.#hasToDo(channel)) return;
    if (channel.is === "in line" && first) this.#line.splice(this.#line.indexOf(channel), 1);
    else if (channel.is === "in line") return;
    channel.is = "in line";
    if (first) this.#line.unshift(channel);
    else this.#line.push(channel);
    this.#pump();
  }

  /** Resolves when nothing is being read or waits to be. */
  async settled(): Promise<void> {
    if (this.#closed || (this.#reading === 0 && this.#line.length === 0)) return;
    await new Promise<void>((resolve) => this.#waiters.add(resolve));
    return this.settled();
  }

  close(): void {
    this.#closed = true;
    this.#pause?.();
    this.#tellWaiters();
  }

  #hasToDo(channel: Channel): boolean {
    return this.#hasToCheck(channel) || (!channel.caughtUp && !this.#isFull(channel));
  }

  #hasToCheck(channel: Channel): boolean {
    return channel.recheck || this.#options.engine.state.threads[channel.id]?.stale === true;
  }

  #isFull({ id }: Channel): boolean {
    return this.#room(id) <= 0;
  }

  #room(id: string): number {
    return this.#options.maxQueue() - (this.#options.engine.state.sessions[id]?.queue.length ?? 0);
  }

  #pump(): void {
    while (!this.#closed && this.#pause === null && this.#reading < AT_ONCE && this.#line.length > 0) {
      if (this.#reads >= READS_A_ROUND) return this.#rest();
      const channel = this.#line.shift();
      if (channel) void this.#visit(channel);
    }
    if (this.#reading > 0 || this.#line.length > 0) return;
    this.#reads = 0;
    this.#tellWaiters();
  }

  #rest(): void {
    const { clock, log, leftChanged } = this.#options;
    log.info("reading back pauses", { threads_left: this.#line.length, goes_on_in_ms: PAUSE_MS });
    this.#pause = clock.after(PAUSE_MS, () => {
      this.#pause = null;
      this.#reads = 0;
      leftChanged?.();
      this.#pump();
    });
    leftChanged?.();
  }

  /** One page of one channel; then the others have their turn. */
  async #visit(channel: Channel): Promise<void> {
    channel.is = "being read";
    this.#reading += 1;
    try {
      if (this.#hasToCheck(channel)) await this.#check(channel);
      else await this.#read(channel);
      channel.is = "idle";
      if (this.#failed.delete(channel)) this.#options.leftChanged?.();
    } catch (error) {
      this.#fail(channel, error);
    }
    this.#reading -= 1;
    if (channel.is === "idle") this.attend(channel);
    this.#pump();
  }

  /**
   * The channel stays unread, and so nothing of it is passed over: the next connection reads it again, and so does
   * the next message the gateway brings from it, which shows that it can be read after all.
   */
  #fail(channel: Channel, error: unknown): void {
    const { log, clock, unreadable, leftChanged } = this.#options;
    channel.is = "failed";
    if (this.#closed) return;
    const verdict = unreadable(channel.id, error);
    log.failure("a thread could not be read back", error, { channel_id: channel.id, verdict });
    if (verdict === "try_again") clock.after(READ_AGAIN_MS, () => this.attend(channel));
    this.#failed.add(channel);
    leftChanged?.();
  }

  /** Nothing of a queue that slept starts before all of it has been looked up. */
  async #check(channel: Channel): Promise<void> {
    const { engine } = this.#options;
    channel.unchecked ??= queuedMessages(engine.state, channel.id);
    if (channel.unchecked.length > 0) await this.#checkSome(channel, channel.unchecked);
    if (channel.unchecked.length > 0) return;
    channel.unchecked = null;
    channel.recheck = false;
    await engine.submit({ type: "queue_checked", thread_id: channel.id });
  }

  async #checkSome(channel: Channel, ids: string[]): Promise<void> {
    channel.more = false;
    this.#reads += 1;
    const { found, page } = await recheck(this.#options, channel.id, ids, this.#reach(channel));
    channel.ahead.push(page);
    // What the gateway told meanwhile is the newer word.
    const changes = [...found].filter(([id]) => !channel.changed.has(id)).map(([id, message]) => this.#change(channel.id, id, message));
    await Promise.all(changes);
    channel.unchecked = ids.filter((id) => !found.has(id));
  }

  async #change(channelId: string, id: string, message: APIMessage | null): Promise<void> {
    const { door, wall } = this.#options;
    if (message === null) await door.delete(channelId, id);
    else if (authorize(wall, { kind: "read_back", message })) await door.edit(channelId, id, message.content, hasFiles(message));
  }

  /** Up to here the channel is read, or a page is there that reaches so far. */
  #reach(channel: Channel): string {
    const read = this.#watermark(channel);
    const ahead = channel.ahead.at(-1)?.messages.at(-1)?.id ?? "0";
    return compareSnowflakes(ahead, read) > 0 ? ahead : read;
  }

  #watermark({ id }: Channel): string {
    return this.#options.engine.state.watermarks[id] ?? id;
  }

  async #read(channel: Channel): Promise<void> {
    const page = await this.#nextPage(channel);
    const heard = await this.#hear(channel, page.messages);
    if (!heard) channel.ahead = [];
    if (!heard || reachOf(page) !== undefined || channel.ahead.length > 0 || channel.more) return;
    channel.caughtUp = true;
    channel.above.clear();
    channel.changed.clear();
  }

  async #nextPage(channel: Channel): Promise<Page> {
    const known = channel.ahead.shift();
    if (known) return known;
    channel.more = false;
    this.#reads += 1;
    return readPage(this.#options, channel.id, this.#watermark(channel));
  }

  /** Hears a page in order for as long as the queue has room; returns whether that was all of it. The watermark moves as far. */
  async #hear(channel: Channel, page: APIMessage[]): Promise<boolean> {
    let heard = 0;
    while (heard < page.length && !this.#closed) {
      const batch = page.slice(heard, heard + Math.max(0, this.#room(channel.id)));
      if (batch.length === 0) return false;
      await this.#hearAll(channel, batch);
      heard += batch.length;
      const through = batch.at(-1)?.id ?? "0";
      await this.#options.engine.submit({ type: "channel_read", channel_id: channel.id, through });
    }
    return heard >= page.length;
  }

  /** Written down together; what comes behind a message with files waits for them. */
  async #hearAll(channel: Channel, batch: APIMessage[]): Promise<void> {
    const { door, wall } = this.#options;
    // Some of it may have come live before the connection was lost, and its files may still be on their way.
    await channel.order.busy;
    const written: Promise<void>[] = [];
    for (const message of batch) {
      const latest = (): string | null => (channel.changed.has(message.id) ? (channel.changed.get(message.id) ?? null) : message.content);
      const slow = door.isSlow(channel.id, message);
      const heard = door.hear(channel.id, message, speakerOf(wall, { kind: "read_back", message }), latest);
      if (slow) await heard;
      else written.push(heard);
    }
    await Promise.all(written);
  }

  #tellWaiters(): void {
    for (const resolve of this.#waiters) resolve();
    this.#waiters.clear();
  }
}
