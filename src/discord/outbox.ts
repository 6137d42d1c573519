/**
 * The outbox: makes Discord show what the state says it should. For each thread that changed it asks the view what
 * is owed and mends the difference, one post after the other within a thread, all threads at once. It holds nothing
 * of its own that a restart would miss.
 */
import type { Clock } from "../base/clock.ts";
import { BellhopError } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import type { Locale } from "../base/words/say.ts";
import type { Engine } from "../engine/engine.ts";
import { isBusy, keyOf, newDesk, tidy, type Desk } from "./desk.ts";
import type { Lane, Owed } from "./owed.ts";
import { failureKind } from "./rest-failure.ts";
import type { Rest } from "./rest.ts";
import { createWriter } from "./writer.ts";

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
  const { engine, clock, log } = options;
  const desks = new Map<string, Desk>();
  const waiters = new Set<() => void>();
  const writer = createWriter({ ...options, lookLater });
  let closed = false;

  const stop = engine.watch((topics) => {
    for (const topic of topics) if (engine.state.threads[topic] || desks.has(topic)) lookAt(topic, true);
    if (options.channelId && topics.has("projects")) look(options.channelId);
  });
  for (const thread_id of Object.keys(engine.state.threads)) lookAt(thread_id, false);
  if (options.channelId) look(options.channelId);

  /** What is no session's thread is a channel we are asked to look after too. */
  function look(thread_id: string): void {
    lookAt(thread_id, thread_id in engine.state.threads);
  }

  function lookAt(thread_id: string, fresh: boolean): void {
    const bot = engine.state.threads[thread_id]?.bot_id ?? options.botId;
    if (closed || bot !== options.botId) return;
    let desk = desks.get(thread_id);
    if (!desk) desks.set(thread_id, (desk = newDesk(thread_id, fresh)));
    desk.dirty = true;
    desk.withdraw.abort();
    if (!desk.running) void work(desk);
  }

  async function work(desk: Desk): Promise<void> {
    desk.running = true;
    try {
      while (desk.dirty && !closed) {
        desk.dirty = false;
        desk.withdraw = new AbortController();
        await pass(desk);
      }
    } catch (error) {
      stopped(desk, error);
    } finally {
      desk.running = false;
      tellWaiters();
    }
  }

  async function pass(desk: Desk): Promise<void> {
    const all = await options.owed(desk.thread_id);
    desk.inherited ??= new Set(all.filter(({ subject, part }) => !engine.state.posts[subject]?.[part]).map(keyOf));
    tidy(desk, all);
    for (const [index, owed] of all.entries()) {
      if (closed || desk.dirty) return;
      await writer.mend(owed, desk, mostUrgent(all.slice(index)));
    }
  }

  function stopped(desk: Desk, error: unknown): void {
    desk.dirty = false;
    const kind = failureKind(error);
    const over = kind === "closed" || kind === "unauthorized" || (error instanceof BellhopError && error.code === "E_JOURNAL_WRITE");
    if (over) closed = true;
    else log.failure("the posts of a thread could not be put right", error, { thread_id: desk.thread_id });
  }

  function lookLater(desk: Desk, ms: number): void {
    if (ms <= 0) return lookAt(desk.thread_id, true);
    const at = clock.monotonic() + ms;
    if (closed || (desk.timer !== null && desk.timer.at <= at)) return;
    desk.timer?.forget();
    const forget = clock.after(Math.ceil(ms), () => {
      desk.timer = null;
      lookAt(desk.thread_id, true);
    });
    desk.timer = { at, forget };
  }

  function tellWaiters(): void {
    for (const ask of waiters) ask();
  }

  function when(fact: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const ask = (): void => {
        if (!closed && !fact()) return;
        waiters.delete(ask);
        resolve();
      };
      waiters.add(ask);
      ask();
    });
  }

  async function close(): Promise<void> {
    closed = true;
    stop();
    for (const desk of desks.values()) {
      desk.timer?.forget();
      desk.timer = null;
      desk.withdraw.abort();
    }
    tellWaiters();
    await new Promise<void>((resolve) => {
      const ask = (): void => {
        if (![...desks.values()].some(({ running }) => running)) resolve();
      };
      waiters.add(ask);
      ask();
    });
  }

  return {
    look,
    settled: (thread_id) => when(() => !isBusy(desks.get(thread_id) ?? newDesk(thread_id, true))),
    idle: () => when(() => ![...desks.values()].some(isBusy)),
    close,
  };
}

function mostUrgent(owed: readonly Owed[]): Lane {
  return order.find((lane) => owed.some((one) => one.lane === lane)) ?? "cosmetic";
}
