/**
 * The outbox: makes Discord show what the state says it should. For each thread that changed it asks the view what
 * is owed and mends the difference, one post after the other within a thread, all threads at once. It holds nothing
 * of its own that a restart would miss.
 */
import type { Clock } from "../base/clock.ts";
import { BellhopError } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import type { Locale } from "../base/words/say.ts";
import type { State } from "../core/house.ts";
import type { Engine } from "../engine/engine.ts";
import { isBusy, keyOf, newDesk, tidy, type Desk } from "./desk.ts";
import type { Lane, Owed } from "./owed.ts";
import { failureKind } from "./rest-failure.ts";
import type { Rest } from "./rest.ts";
import { Writer } from "./writer.ts";

export interface OutboxOptions {
  engine: Engine;
  rest: Rest;
  /** What should stand for a thread, in the order in which it should be posted. */
  owed(thread_id: string): Promise<Owed[]> | Owed[];
  clock: Clock;
  log: Log;
  /** The threads of this bot are ours; those of another are another outbox's. */
  botId: string;
  /** Whose direct messages take what fits nowhere else. */
  ownerId: string;
  /** The owner's channel, where the greeting stands, if there is one; looked at again when the projects change. */
  channelId?: string | undefined;
  locale: Locale;
  /** `status_edit_min_interval_ms`. */
  editIntervalMs(): number;
}

export interface Outbox {
  /** Something that is not in the state has changed for this thread (streamed text), or there is a channel to look after. */
  look(thread_id: string): void;
  /** Resolves when everything owed to this thread is in Discord, or given up. */
  settled(thread_id: string): Promise<void>;
  /** The same for all threads. */
  idle(): Promise<void>;
  /** Takes back what waits, and lets what is under way be written down. Close the rest beside it, not after. */
  close(): Promise<void>;
}

const order: readonly Lane[] = ["decision", "result", "cosmetic"];

export function openOutbox(options: OutboxOptions): Outbox {
  return new Desks(options);
}

class Desks implements Outbox {
  readonly #options: OutboxOptions;
  readonly #writer: Writer;
  readonly #desks = new Map<string, Desk>();
  readonly #waiters = new Set<() => void>();
  readonly #stop: () => void;
  #closed = false;

  constructor(options: OutboxOptions) {
    const { engine, channelId } = options;
    this.#options = options;
    this.#writer = new Writer({ ...options, lookLater: (desk, ms) => this.#lookLater(desk, ms) });
    this.#stop = engine.watch((topics) => {
      for (const topic of topics) if (engine.state.threads[topic] || isDirect(engine.state, topic) || this.#desks.has(topic)) this.#lookAt(topic, true);
      if (channelId && topics.has("projects")) this.look(channelId);
    });
    for (const thread_id of Object.keys(engine.state.threads)) this.#lookAt(thread_id, false);
    for (const id of Object.keys(engine.state.channels)) if (isDirect(engine.state, id)) this.#lookAt(id, false);
    if (channelId) this.look(channelId);
  }

  /** What is no session's thread is a channel we are asked to look after too. */
  look(thread_id: string): void {
    this.#lookAt(thread_id, thread_id in this.#options.engine.state.threads);
  }

  settled(thread_id: string): Promise<void> {
    return this.#when(() => !isBusy(this.#desks.get(thread_id) ?? newDesk(thread_id, true)));
  }

  idle(): Promise<void> {
    return this.#when(() => ![...this.#desks.values()].some(isBusy));
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#stop();
    for (const desk of this.#desks.values()) {
      desk.timer?.forget();
      desk.timer = null;
      desk.withdraw.abort();
    }
    this.#tellWaiters();
    await this.#until(() => ![...this.#desks.values()].some(({ running }) => running));
  }

  #lookAt(thread_id: string, fresh: boolean): void {
    const { threads, channels } = this.#options.engine.state;
    const bot = threads[thread_id]?.bot_id ?? channels[thread_id]?.bot_id ?? this.#options.botId;
    if (this.#closed || bot !== this.#options.botId) return;
    let desk = this.#desks.get(thread_id);
    if (!desk) this.#desks.set(thread_id, (desk = newDesk(thread_id, fresh)));
    desk.dirty = true;
    desk.withdraw.abort();
    if (!desk.running) void this.#work(desk);
  }

  async #work(desk: Desk): Promise<void> {
    desk.running = true;
    try {
      while (desk.dirty && !this.#closed) {
        desk.dirty = false;
        desk.withdraw = new AbortController();
        await this.#pass(desk);
      }
    } catch (error) {
      this.#stopped(desk, error);
    } finally {
      desk.running = false;
      this.#tellWaiters();
    }
  }

  async #pass(desk: Desk): Promise<void> {
    const { engine } = this.#options;
    const all = await this.#options.owed(desk.thread_id);
    desk.inherited ??= new Set(all.filter(({ subject, part }) => !engine.state.posts[subject]?.[part]).map(keyOf));
    tidy(desk, all);
    for (const [index, owed] of all.entries()) {
      if (this.#closed || desk.dirty) return;
      await this.#writer.mend(owed, desk, mostUrgent(all.slice(index)));
    }
  }

  #stopped(desk: Desk, error: unknown): void {
    desk.dirty = false;
    const kind = failureKind(error);
    const failed = error instanceof BellhopError && error.code === "E_JOURNAL_WRITE";
    if (failed || kind === "closed" || kind === "unauthorized") this.#closed = true;
    else this.#options.log.failure("the posts of a thread could not be put right", error, { thread_id: desk.thread_id });
  }

  #lookLater(desk: Desk, ms: number): void {
    const { clock } = this.#options;
    if (ms <= 0) return this.#lookAt(desk.thread_id, true);
    const at = clock.monotonic() + ms;
    if (this.#closed || (desk.timer !== null && desk.timer.at <= at)) return;
    desk.timer?.forget();
    const forget = clock.after(Math.ceil(ms), () => {
      desk.timer = null;
      this.#lookAt(desk.thread_id, true);
    });
    desk.timer = { at, forget };
  }

  #tellWaiters(): void {
    for (const ask of this.#waiters) ask();
  }

  /** Resolves with the fact, or with the end of all work. */
  #when(fact: () => boolean): Promise<void> {
    return this.#until(() => this.#closed || fact());
  }

  #until(fact: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const ask = (): void => {
        if (!fact()) return;
        this.#waiters.delete(ask);
        resolve();
      };
      this.#waiters.add(ask);
      ask();
    });
  }
}

function isDirect(state: State, id: string): boolean {
  return state.channels[id]?.kind === "direct";
}

function mostUrgent(owed: readonly Owed[]): Lane {
  return order.find((lane) => owed.some((one) => one.lane === lane)) ?? "cosmetic";
}
