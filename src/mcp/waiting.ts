/**
 * Keeps a client told that its call is alive while the owner is waited for: many of them give up on a call that is
 * silent for a minute. What is told last always stands apart from the result that follows it, because older clients
 * forget a call with its result and stumble over news of it in the same breath.
 */
import type { Clock } from "../base/clock.ts";

/** Under the minute after which clients take silence for death. */
export const TOLD_EVERY_MS = 15_000;
/** So long after the last news a result comes at the earliest. */
export const APART_MS = 25;

/**
 * Runs the work; `note` changes what is told from then on and tells it at once.
 * @param tell `seconds` since the beginning, growing with each call; never rejects
 */
export async function toldWhile<T>(clock: Clock, tell: (seconds: number, text: string) => void, work: (note: (text: string) => void) => Promise<T>): Promise<T> {
  const began = clock.monotonic();
  let told = { at: Number.NEGATIVE_INFINITY, seconds: 0 };
  let text = "Asking the owner on Discord.";
  let forget = (): void => undefined;
  const say = (): void => {
    const seconds = Math.max(told.seconds + 0.001, (clock.monotonic() - began) / 1000);
    told = { at: clock.monotonic(), seconds };
    tell(seconds, text);
  };
  const again = (): void => {
    forget = clock.after(TOLD_EVERY_MS, () => {
      say();
      again();
    });
  };
  again();
  try {
    return await work((next) => {
      if (next === text) return;
      text = next;
      say();
    });
  } finally {
    forget();
    const wait = told.at + APART_MS - clock.monotonic();
    if (wait > 0) await new Promise<void>((resolve) => clock.after(wait, resolve));
  }
}
