/**
 * The line of requests that wait, in its three lanes. A request with a key takes the place of an older one with the
 * same key, so there is never more in line than there are different things to do.
 */
import type { Lane } from "./owed.ts";
import { RestFailure, type FailureKind } from "./rest-failure.ts";
import { routeOf, type Route } from "./route.ts";
import type { Sendable } from "./transport.ts";

export interface Errand extends Sendable {
  lane: Lane;
  /** A newer request with the same key replaces one that has not left, which rejects as `superseded`. */
  key?: string;
  /** Takes the request back (`superseded`) while it waits; one that is under way is let finish. */
  signal?: AbortSignal;
  /** How long after a try without an answer it may be tried again, in milliseconds; then it rejects as `unavailable`. */
  repeatMs: number;
  /** When such a try may have left before, by the monotonic clock. */
  doubtSince?: number;
  /** Called each time it leaves. */
  onLeave?: () => void;
  /** Counts toward the fifty a second; interactions do not. */
  counted: boolean;
}

/** An errand in line or under way. Times are the monotonic clock's. */
export interface Item {
  errand: Errand;
  route: Route;
  /** The route and what it is counted by, for people. */
  name: string;
  settle: PromiseWithResolvers<unknown>;
  /** Stops listening to its signal. */
  forget(): void;
  notBefore: number;
  /** When it was sent for the first time without learning whether it was done. */
  doubtSince: number | null;
  tries: number;
}

const order: readonly Lane[] = ["decision", "result", "cosmetic"];

export class Line {
  readonly #lanes: Record<Lane, Item[]> = { decision: [], result: [], cosmetic: [] };

  get length(): number {
    return order.reduce((sum, lane) => sum + this.#lanes[lane].length, 0);
  }

  /** All that wait, the most urgent first. */
  items(): Item[] {
    return order.flatMap((lane) => this.#lanes[lane]);
  }

  /** Lines it up, in the place of an older one with its key where there is one. */
  enter(item: Item): void {
    this.#listen(item);
    if (!this.#replace(item)) this.#lanes[item.errand.lane].push(item);
  }

  /** Takes one out; false when it was not in line. */
  take(item: Item): boolean {
    const lane = this.#lanes[item.errand.lane];
    const index = lane.indexOf(item);
    if (index >= 0) lane.splice(index, 1);
    return index >= 0;
  }

  /** Back in line: in front after a 429, behind the others after a trouble that may be this request's own. */
  comeBack(item: Item, inFront: boolean): void {
    const { key, lane, signal } = item.errand;
    const newer = key !== undefined && this.items().some((other) => other.errand.key === key);
    if (newer || signal?.aborted) return void refuse(item, "superseded");
    if (inFront) this.#lanes[lane].unshift(item);
    else this.#lanes[lane].push(item);
  }

  /** Sends everybody away. */
  clear(kind: FailureKind): void {
    for (const lane of order) for (const item of this.#lanes[lane].splice(0)) void refuse(item, kind);
  }

  #listen(item: Item): void {
    const { signal } = item.errand;
    if (!signal) return;
    const onAbort = (): void => void (this.take(item) && refuse(item, "superseded"));
    signal.addEventListener("abort", onAbort, { once: true });
    item.forget = () => signal.removeEventListener("abort", onAbort);
  }

  /** The newer one takes the older one's place, unless its own lane is the better one. */
  #replace(item: Item): boolean {
    const { key } = item.errand;
    const older = key === undefined ? undefined : this.items().find((other) => other.errand.key === key);
    if (!older) return false;
    const lane = this.#lanes[older.errand.lane];
    const better = order.indexOf(item.errand.lane) < order.indexOf(older.errand.lane);
    item.notBefore = older.notBefore;
    if (better) this.take(older);
    else {
      item.errand = { ...item.errand, lane: older.errand.lane };
      lane[lane.indexOf(older)] = item;
    }
    void refuse(older, "superseded");
    return !better;
  }
}

export function newItem(errand: Errand): Item {
  const route = routeOf(errand.method, errand.path);
  return {
    errand,
    route,
    name: `${route.name} ${route.major}`.trimEnd(),
    settle: Promise.withResolvers<unknown>(),
    forget: () => undefined,
    notBefore: 0,
    doubtSince: errand.doubtSince ?? null,
    tries: 0,
  };
}

/** Ends it with a failure of this kind; returns its promise. */
export function refuse(item: Item, kind: FailureKind): Promise<unknown> {
  item.forget();
  item.settle.reject(new RestFailure(kind, { route: item.name }));
  return item.settle.promise;
}
