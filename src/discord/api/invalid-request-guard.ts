/**
 * Counts the requests that Discord refused. At 10,000 answers of 401, 403 or 429 in ten minutes it bans the machine's
 * address, for every bot behind it; so at 200, routes that keep being refused are paused, at 1,000 everything but one
 * probe a minute, and when only refusals come back we slow down long before either.
 */
export interface InvalidRequestGuard {
  /** Counts an answer. Refused: 401, 403, or a 429 that is not shared with others. */
  note(route: string, refused: boolean, now: number): void;
  /**
   * When a request of this route may be sent; `inFlight` is the number in flight; Infinity: when one of those is back.
   */
  opensAt(route: string, inFlight: number, now: number): number;
  /** Refusals in the last ten minutes. */
  count(now: number): number;
  /** Routes waiting for the count to fall. */
  paused(now: number): string[];
}

const WINDOW_MS = 10 * 60_000;
const PAUSE_AT = 200;
const PROBE_AT = 1000;
const PROBE_EVERY_MS = 60_000;
/** This many refusals in a row, with nothing else between, are not the fault of one route. */
const STORM = 10;

export function createInvalidRequestGuard(): InvalidRequestGuard {
  let refusals: number[] = [];
  let inARow = 0;
  const suspects = new Set<string>();

  function count(now: number): number {
    if (refusals.length === 0) return 0;
    const first = refusals.findIndex((at) => at > now - WINDOW_MS);
    if (first !== 0) refusals = first === -1 ? [] : refusals.slice(first);
    return refusals.length;
  }

  function note(route: string, refused: boolean, now: number): void {
    if (refused) {
      refusals.push(now);
      inARow += 1;
      suspects.add(route);
    } else {
      inARow = 0;
      suspects.delete(route);
    }
  }

  function opensAt(route: string, inFlight: number, now: number): number {
    const counted = count(now);
    const last = refusals.at(-1) ?? 0;
    const pause = inARow < STORM ? 0 : Math.min(PROBE_EVERY_MS, 1000 * 2 ** (inARow - STORM));
    const probe = counted >= PROBE_AT ? PROBE_EVERY_MS : pause;
    if (probe > 0) return inFlight > 0 ? Number.POSITIVE_INFINITY : last + probe;
    if (counted < PAUSE_AT || !suspects.has(route)) return now;
    return (refusals[counted - PAUSE_AT] ?? now) + WINDOW_MS;
  }

  return { note, opensAt, count, paused: (now) => (count(now) >= PAUSE_AT ? [...suspects] : []) };
}
