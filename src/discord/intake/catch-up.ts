/**
 * Reads back what was written while the daemon was not listening: one page per thread in turn, the most active first, a
 * few at a time; after a number of requests it pauses and reports what is left. A thread whose queue is full waits;
 * queued messages are rechecked before anything else of their thread.
 */
import type { APIMessage } from "discord-api-types/v10";
import { compareSnowflakes } from "../../base/ids.ts";
import { authorize, speakerOf } from "./authorize.ts";
import type { BotContext } from "../api/bot-context.ts";
import type { MessageAcceptor } from "./accept-message.ts";
import type { State } from "../../core/state.ts";

export interface CatchUpOptions {
  /** The next messages of a channel after an id, at most 100, in any order. */
  read(channelId: string, after: string): Promise<APIMessage[]>;
  /** One message; null if Discord says that there is none. */
  one(channelId: string, messageId: string): Promise<APIMessage | null>;
  /** The channel cannot be read; `gone`: not until Discord shows it again. */
  unreadable(error: unknown): "gone" | "try_again";
  /** The list of what is left, or of what cannot be read, has changed. */
  leftChanged?(): void;
}

/** What is still to be read back, for display. */
export interface UnreadThreads {
  /** Threads that wait for the next round, in order; empty while a round is running. */
  waiting: string[];
  /** Threads that Discord does not let us read although something waits in them. */
  unreadable: string[];
}

const READ_AGAIN_MS = 30_000;
/** Pages read before a pause, and its length: catching up with a hundred threads must not delay an answer. */
export const READS_A_ROUND = 100;
export const PAUSE_MS = 5_000;
const AT_ONCE = 4;

export class CatchUp {
  readonly #context: BotContext;
  readonly #options: CatchUpOptions;
  readonly #acceptor: MessageAcceptor;
  readonly #waiting: ChannelCatchUp[] = [];
  readonly #failed = new Set<ChannelCatchUp>();
  readonly #waiters = new Set<() => void>();
  #reading = 0;
  #reads = 0;
  #pause: (() => void) | null = null;
  #closed = false;

  constructor(context: BotContext, options: CatchUpOptions, acceptor: MessageAcceptor) {
    this.#context = context;
    this.#options = options;
    this.#acceptor = acceptor;
  }

  get left(): UnreadThreads {
    const { state } = this.#context.engine;
    const holding = [...this.#failed].map(({ id }) => id).filter((id) => (state.sessions[id]?.queue.length ?? 0) > 0);
    return { waiting: this.#pause === null ? [] : this.#waiting.map(({ id }) => id), unreadable: holding };
  }

  /** Queues a channel that is not caught up for reading. `first`: somebody is writing there right now. */
  enqueue(channel: ChannelCatchUp, first = false): void {
    if (this.#closed || channel.is === "being read" || !this.#hasToDo(channel)) return;
    if (channel.is === "waiting" && first) this.#waiting.splice(this.#waiting.indexOf(channel), 1);
    else if (channel.is === "waiting") return;
    channel.is = "waiting";
    if (first) this.#waiting.unshift(channel);
    else this.#waiting.push(channel);
    this.#pump();
  }

  /** Resolves when nothing is being read or waits to be read. */
  whenAllRead(): Promise<void> {
    return this.until(() => this.#reading === 0 && this.#waiting.length === 0);
  }

  /** Resolves when the condition holds; it is checked after each page. */
  async until(fact: () => boolean): Promise<void> {
    while (!this.#closed && !fact()) await new Promise<void>((resolve) => this.#waiters.add(resolve));
  }

  close(): void {
    this.#closed = true;
    this.#pause?.();
    this.#tellWaiters();
  }

  #hasToDo(channel: ChannelCatchUp): boolean {
    return this.#hasToCheck(channel) || (!channel.caughtUp && !this.#isFull(channel));
  }

  #hasToCheck(channel: ChannelCatchUp): boolean {
    return (
      channel.recheck || channel.unchecked !== null || this.#context.engine.state.threads[channel.id]?.stale === true
    );
  }

  #isFull({ id }: ChannelCatchUp): boolean {
    return this.#room(id) <= 0;
  }

  #room(id: string): number {
    return (
      this.#context.config().limits.max_queue_per_session - (this.#context.engine.state.sessions[id]?.queue.length ?? 0)
    );
  }

  #pump(): void {
    while (!this.#closed && this.#pause === null && this.#reading < AT_ONCE && this.#waiting.length > 0) {
      if (this.#reads >= READS_A_ROUND) return this.#pauseReading();
      const channel = this.#waiting.shift();
      if (channel) void this.#visit(channel);
    }
    if (this.#reading > 0 || this.#waiting.length > 0) return;
    this.#reads = 0;
    this.#tellWaiters();
  }

  #pauseReading(): void {
    const { clock, log } = this.#context;
    const { leftChanged } = this.#options;
    log.info("catching up is paused", { threads_left: this.#waiting.length, goes_on_in_ms: PAUSE_MS });
    this.#pause = clock.after(PAUSE_MS, () => {
      this.#pause = null;
      this.#reads = 0;
      leftChanged?.();
      this.#pump();
    });
    leftChanged?.();
  }

  /** Reads one page of one channel; then the others have their turn. */
  async #visit(channel: ChannelCatchUp): Promise<void> {
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
    if (channel.is === "idle") this.enqueue(channel);
    this.#pump();
    this.#tellWaiters();
  }

  /**
   * The channel stays unread, so nothing is skipped: the next connection reads it again, and so does the next message
   * from the gateway, which shows that the channel can be read after all.
   */
  #fail(channel: ChannelCatchUp, error: unknown): void {
    const { log, clock } = this.#context;
    const { unreadable, leftChanged } = this.#options;
    channel.is = "failed";
    if (this.#closed) return;
    const verdict = unreadable(error);
    if (verdict === "gone")
      log.warn("Discord does not let Bellhop read a channel", {
        error_code: "E_THREAD_ACCESS_FAILED",
        channel_id: channel.id,
        reason: String(error),
      });
    else log.failure("the messages of a thread could not be read", error, { channel_id: channel.id, verdict });
    if (verdict === "try_again") clock.after(READ_AGAIN_MS, () => this.enqueue(channel));
    this.#failed.add(channel);
    leftChanged?.();
  }

  /**
   * Queued messages start after all of them have been rechecked: from the beginning, if the connection was lost again
   * meanwhile.
   */
  async #check(channel: ChannelCatchUp): Promise<void> {
    const { engine } = this.#context;
    if (channel.recheck || channel.unchecked === null) {
      channel.recheck = false;
      channel.unchecked = queuedMessages(engine.state, channel.id);
      // What is read from here on is newer.
      channel.changed.clear();
    }
    if (channel.unchecked.length > 0) await this.#checkSome(channel, channel.unchecked);
    if (channel.recheck || channel.unchecked.length > 0) return;
    channel.unchecked = null;
    await engine.submit({ type: "queue_checked", thread_id: channel.id });
  }

  async #checkSome(channel: ChannelCatchUp, ids: string[]): Promise<void> {
    channel.more = false;
    this.#reads += 1;
    const { found, page } = await recheck(this.#options, channel.id, ids, this.#reach(channel));
    if (channel.recheck) return;
    channel.ahead.push(page);
    // What the gateway sent meanwhile is newer.
    const changes = [...found]
      .filter(([id]) => !channel.changed.has(id))
      .map(([id, message]) => this.#change(channel.id, id, message));
    await Promise.all(changes);
    channel.unchecked = ids.filter((id) => !found.has(id));
  }

  async #change(channelId: string, id: string, message: APIMessage | null): Promise<void> {
    const acceptor = this.#acceptor;
    if (message === null) await acceptor.delete(channelId, id);
    else if (authorize(this.#context, { kind: "read_back", message })) await acceptor.edit(channelId, message);
  }

  /** The id up to which the channel is read, or up to which pages are already fetched. */
  #reach(channel: ChannelCatchUp): string {
    const read = this.#watermark(channel);
    const ahead = channel.ahead.at(-1)?.messages.at(-1)?.id ?? "0";
    return compareSnowflakes(ahead, read) > 0 ? ahead : read;
  }

  #watermark({ id }: ChannelCatchUp): string {
    return this.#context.engine.state.watermarks[id] ?? id;
  }

  async #read(channel: ChannelCatchUp): Promise<void> {
    const page = await this.#nextPage(channel);
    const accepted = await this.#processPage(channel, page.messages);
    if (!accepted) channel.ahead = [];
    if (!accepted || reachOf(page) !== undefined || channel.ahead.length > 0 || channel.more) return;
    channel.caughtUp = true;
    channel.above.clear();
    channel.changed.clear();
  }

  async #nextPage(channel: ChannelCatchUp): Promise<MessagePage> {
    const known = channel.ahead.shift();
    if (known) return known;
    channel.more = false;
    this.#reads += 1;
    return readPage(this.#options, channel.id, this.#watermark(channel));
  }

  /**
   * Processes a page in order while the queue has room and advances the watermark; returns whether all was processed.
   */
  async #processPage(channel: ChannelCatchUp, page: APIMessage[]): Promise<boolean> {
    let accepted = 0;
    while (accepted < page.length && !this.#closed) {
      const batch = page.slice(accepted, accepted + Math.max(0, this.#room(channel.id)));
      if (batch.length === 0) return false;
      await this.#hearAll(channel, batch);
      accepted += batch.length;
      const through = batch.at(-1)?.id ?? "0";
      await this.#context.engine.submit({ type: "channel_read", channel_id: channel.id, through });
    }
    return accepted >= page.length;
  }

  /** Messages are written together; those behind a message with files wait for it. */
  async #hearAll(channel: ChannelCatchUp, batch: APIMessage[]): Promise<void> {
    const acceptor = this.#acceptor;
    // Some of them may have arrived live before the connection was lost, and their files may still be downloading.
    await channel.order.busy;
    const written: Promise<void>[] = [];
    for (const message of batch) {
      const latest = (): string | null =>
        channel.changed.has(message.id) ? (channel.changed.get(message.id) ?? null) : message.content;
      const slow = acceptor.isSlow(channel.id, message);
      const accepted = acceptor.accept(
        channel.id,
        message,
        speakerOf(this.#context, { kind: "read_back", message }),
        latest,
      );
      if (slow) await accepted;
      else written.push(accepted);
    }
    await Promise.all(written);
  }

  #tellWaiters(): void {
    for (const resolve of this.#waiters) resolve();
    this.#waiters.clear();
  }
}

/*
 * Rechecks the queued messages of a thread: which ones were edited or deleted while the daemon was not listening. One
 * request fetches up to a hundred messages and settles all queued ones among them; uncertain ones are left unchanged.
 */

const PAGE = 100;

/** The messages after an id, oldest first; fewer than `PAGE`: there are no more. */
interface MessagePage {
  after: string;
  messages: APIMessage[];
}

interface Rechecked {
  /** By id, for each that was settled: the current message, or null if it was deleted. */
  found: Map<string, APIMessage | null>;
  page: MessagePage;
}

/** The ids of the messages a thread's queued jobs came from, oldest first, without duplicates. */
function queuedMessages(state: State, threadId: string): string[] {
  const ids = (state.sessions[threadId]?.queue ?? []).flatMap((job) => state.jobs[job]?.discord_message_id ?? []);
  return [...new Set(ids)].sort(compareSnowflakes);
}

/**
 * Settles those of these ids (oldest first, at least one) that the next request covers. `known`: the channel is read,
 * or about to be, up to this id; nothing after it is skipped, so that the page can be used for reading back as well.
 */
async function recheck(
  lookup: CatchUpOptions,
  channelId: string,
  ids: readonly string[],
  known: string,
): Promise<Rechecked> {
  const [first = "0"] = ids;
  const before = String(BigInt(first) - 1n);
  const page = await readPage(lookup, channelId, compareSnowflakes(before, known) < 0 ? before : known);
  const reach = reachOf(page);
  const there = new Map(page.messages.map((message) => [message.id, message]));
  const covered = ids.filter((id) => reach === undefined || compareSnowflakes(id, reach) <= 0);
  if (covered.length > 0 && !covered.some((id) => there.has(id))) {
    // Without the right to read the history Discord returns an empty page, but an error for a single message.
    const one = await lookup.one(channelId, first);
    if (one) return { found: new Map([[first, one]]), page };
  }
  return { found: new Map(covered.map((id) => [id, there.get(id) ?? null])), page };
}

async function readPage(lookup: CatchUpOptions, channelId: string, after: string): Promise<MessagePage> {
  return { after, messages: (await lookup.read(channelId, after)).sort((a, b) => compareSnowflakes(a.id, b.id)) };
}

/** The page's last id if there may be more; undefined if it is all there is. */
function reachOf({ messages }: MessagePage): string | undefined {
  return messages.length < PAGE ? undefined : messages.at(-1)?.id;
}

/*
 * One channel as the listener knows it: how far it is caught up, what arrived in between, and in which order its
 * messages are processed. Losing all of it costs a read, never a message.
 */

/**
 * Runs steps one after the other: each starts when the one before is over, or at once if none is running. A failed step
 * does not stop the next one.
 */
class InOrder {
  #last: Promise<unknown> | null = null;

  /** The last step while one is running, else null. */
  get busy(): Promise<unknown> | null {
    return this.#last;
  }

  /** A step that returns nothing is over when it returns; otherwise the next one waits for its promise. */
  run(step: () => Promise<unknown> | undefined): void {
    const taken = this.#last === null ? step() : this.#last.then(step);
    if (taken === undefined) return;
    const over = taken.then(
      () => undefined,
      () => undefined,
    );
    this.#last = over;
    void over.then(() => {
      if (this.#last === over) this.#last = null;
    });
  }
}

export interface ChannelCatchUp {
  readonly id: string;
  /** Messages from the gateway are processed as they arrive. */
  caughtUp: boolean;
  /** The gateway sent something while the channel was being read: read once more before it counts as caught up. */
  more: boolean;
  /** `failed`: Discord refused the read; the next connection or message tries again. */
  is: "idle" | "waiting" | "being read" | "failed";
  /** The connection was lost for a while: queued messages are rechecked. */
  recheck: boolean;
  /** Queued messages still to be rechecked, oldest first; null: not started. */
  unchecked: string[] | null;
  /** Pages fetched for the recheck that are used for reading back too; each begins where the one before ends. */
  ahead: MessagePage[];
  /** Changes the gateway sent during reading: the current content of messages, null if deleted. */
  readonly changed: Map<string, string | null>;
  /** Ids processed since the watermark last advanced, while caught up. */
  above: Set<string>;
  readonly order: InOrder;
}

export function newChannel(id: string): ChannelCatchUp {
  return {
    id,
    caughtUp: false,
    more: false,
    is: "idle",
    recheck: false,
    unchecked: null,
    ahead: [],
    changed: new Map(),
    above: new Set(),
    order: new InOrder(),
  };
}
