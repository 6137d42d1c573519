/** The progress notifications by which a client knows that a call of a tool still waits for its answer. */
import { pause, type Clock } from "../../base/clock.ts";

/** Less than the minute after which clients take silence for a dead call. */
export const TOLD_EVERY_MS = 15_000;
/** The minimum time between the last progress message and the result. */
export const APART_MS = 25;

/**
 * Runs the work and tells the client meanwhile that its call is alive: many clients give up on a call that is silent
 * for a minute. The last progress message precedes the result by some time, because older clients forget a call with
 * its result and fail on progress that arrives with it. `note` changes the progress text and sends it at once.
 * @param tell `seconds` since the start, increasing with each call; never rejects
 */
export async function withKeepAlive<T>(
  clock: Clock,
  tell: (seconds: number, text: string) => void,
  work: (note: (text: string) => void) => Promise<T>,
): Promise<T> {
  const began = clock.monotonic();
  let told = { at: Number.NEGATIVE_INFINITY, seconds: 0 };
  let text = "Asking the owner on Discord.";
  let forget = (): void => undefined;
  const report = (): void => {
    const seconds = Math.max(told.seconds + 0.001, (clock.monotonic() - began) / 1000);
    told = { at: clock.monotonic(), seconds };
    tell(seconds, text);
  };
  const again = (): void => {
    forget = clock.after(TOLD_EVERY_MS, () => {
      report();
      again();
    });
  };
  again();
  try {
    return await work((next) => {
      if (next === text) return;
      text = next;
      report();
    });
  } finally {
    forget();
    const wait = told.at + APART_MS - clock.monotonic();
    if (wait > 0) await pause(clock, wait);
  }
}
