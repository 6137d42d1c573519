/**
 * Long synchronous work in slices, between which the event loop serves everything else. The work is a generator that
 * yields where it may pause, at least once a millisecond or so.
 */
import { setImmediate } from "node:timers/promises";

/** Far below what anybody notices, and many times what a pause costs. */
const SLICE_MS = 5;

/** What is done within one slice is done before this returns. @throws what the work throws */
export async function inSlices<T>(work: Generator<unknown, T>): Promise<T> {
  for (let from = performance.now(); ;) {
    const { done, value } = work.next();
    if (done === true) return value;
    if (performance.now() - from < SLICE_MS) continue;
    await setImmediate();
    from = performance.now();
  }
}
