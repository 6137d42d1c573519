/**
 * The queue of waiting requests, in three priorities. A request with a key takes the place of an older one with the
 * same key, so the queue never holds more requests than there are different things to do.
 */
import { RestFailure, type FailureKind } from "./rest-failure.ts";
import { routeOf, type Route } from "./route.ts";
import type { Sendable } from "./transport.ts";

/** Which requests go first when Discord allows only so many; the most urgent first. */
export const priorities = ["decision", "result", "cosmetic"] as const;
export type Priority = (typeof priorities)[number];

export interface QueuedRequest extends Sendable {
  priority: Priority;
  /** A newer request with the same key replaces one that has not been sent, which rejects as `superseded`. */
  key?: string;
  /** Withdraws the request (`superseded`) while it waits; one in flight may finish. */
  signal?: AbortSignal;
  /**
   * How long after a try without an answer it may be tried again, in milliseconds; then it rejects as `unavailable`.
   */
  repeatMs: number;
  /**
   * After this many 429s it rejects (`limited`, or `unavailable` if it may have been done), because somebody waits;
   * without it, each is waited out.
   */
  limitTries?: number;
  /** When such a try may have been sent before, by the monotonic clock: by its turn it may be too late to repeat it. */
  doubtSince?: number;
  /** Called each time it is sent. */
  onSend?: () => void;
  /** Counts toward the fifty a second; interactions do not. */
  counted: boolean;
}

/** A request in the queue or in flight. Times are by the monotonic clock. */
export interface Item {
  queued: QueuedRequest;
  route: Route;
  /** The route and the id it is counted by, for people. */
  name: string;
  settle: PromiseWithResolvers<unknown>;
  /** Stops listening to its signal. */
  forget(): void;
  notBefore: number;
  /** When it was sent for the first time without learning whether it was done. */
  doubtSince: number | null;
  tries: number;
  /** How often Discord asked to wait. */
  limited: number;
}

export class RequestQueue {
  readonly #waiting: Record<Priority, Item[]> = { decision: [], result: [], cosmetic: [] };

  get length(): number {
    return priorities.reduce((sum, priority) => sum + this.#waiting[priority].length, 0);
  }

  /** All waiting requests, the most urgent first. */
  items(): Item[] {
    const { decision, result, cosmetic } = this.#waiting;
    return [...decision, ...result, ...cosmetic];
  }

  /** Queues it, in the place of an older one with its key if there is one. */
  enter(item: Item): void {
    this.#listen(item);
    if (!this.#replace(item)) this.#waiting[item.queued.priority].push(item);
  }

  /** Removes one; false if it was not in the queue. */
  take(item: Item): boolean {
    const waiting = this.#waiting[item.queued.priority];
    const index = waiting.indexOf(item);
    if (index >= 0) waiting.splice(index, 1);
    return index >= 0;
  }

  /** Back into the queue: in front after a 429, behind the others after a failure that this request may have caused. */
  comeBack(item: Item, inFront: boolean): void {
    const { key, priority, signal } = item.queued;
    const newer = key !== undefined && this.items().some((other) => other.queued.key === key);
    if (newer || signal?.aborted) return void refuse(item, "superseded");
    if (inFront) this.#waiting[priority].unshift(item);
    else this.#waiting[priority].push(item);
  }

  /** Rejects all waiting requests that match. */
  clear(kind: FailureKind, leaves: (item: Item) => boolean = () => true): void {
    for (const item of this.items().filter(leaves)) if (this.take(item)) void refuse(item, kind);
  }

  #listen(item: Item): void {
    const { signal } = item.queued;
    if (!signal) return;
    const onAbort = (): void => void (this.take(item) && refuse(item, "superseded"));
    signal.addEventListener("abort", onAbort, { once: true });
    item.forget = () => signal.removeEventListener("abort", onAbort);
  }

  /** The newer one takes the older one's place, unless its own priority is higher. */
  #replace(item: Item): boolean {
    const { key } = item.queued;
    const older = key === undefined ? undefined : this.items().find((other) => other.queued.key === key);
    if (!older) return false;
    const waiting = this.#waiting[older.queued.priority];
    const better = priorities.indexOf(item.queued.priority) < priorities.indexOf(older.queued.priority);
    item.notBefore = older.notBefore;
    if (better) this.take(older);
    else {
      item.queued = { ...item.queued, priority: older.queued.priority };
      waiting[waiting.indexOf(older)] = item;
    }
    void refuse(older, "superseded");
    return !better;
  }
}

export function newItem(queued: QueuedRequest): Item {
  const route = routeOf(queued.method, queued.path);
  return {
    queued,
    route,
    name: `${route.name} ${route.major}`.trimEnd(),
    settle: Promise.withResolvers<unknown>(),
    forget: () => undefined,
    notBefore: 0,
    doubtSince: queued.doubtSince ?? null,
    tries: 0,
    limited: 0,
  };
}

/** Rejects it with a failure of this kind; returns its promise. */
export function refuse(item: Item, kind: FailureKind): Promise<unknown> {
  item.forget();
  item.settle.reject(new RestFailure(kind, { route: item.name }));
  return item.settle.promise;
}
