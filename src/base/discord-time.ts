/**
 * Discord's clock, which sets the time of every message: what is limited in time for a person who writes there is
 * measured by it. It is known from the `Date` of Discord's answers and goes on with the monotonic clock, so that moving
 * this machine's clock neither lengthens nor shortens anything.
 */
import type { Clock } from "./clock.ts";

export interface DiscordTime {
  /** Milliseconds since the epoch. As this machine had it at the start, until Discord has answered. */
  now(): number;
  /** Whether Discord has answered. */
  readonly known: boolean;
  /** An answer whose header `Date` is this; when its request was sent, by the monotonic clock. */
  synchronize(date: string | null, sentAt: number): void;
  /** Calls this after each correction. Returns a function that stops it. */
  watch(corrected: () => void): () => void;
}

/** `Date` leaves out the milliseconds. */
const SECOND_MS = 1_000;

export function openDiscordTime(clock: Clock): DiscordTime {
  const watchers = new Set<() => void>();
  /**
   * What the monotonic clock is behind: as this machine says, and the least and the most that Discord's answers allow.
   */
  const own = clock.now() - clock.monotonic();
  let least = Number.NEGATIVE_INFINITY;
  let most = Number.POSITIVE_INFINITY;

  // Where this machine's clock agrees, it is more exact than the answers are.
  const behind = (): number => Math.min(Math.max(own, least), most);

  return {
    now: () => clock.monotonic() + behind(),
    get known() {
      return least !== Number.NEGATIVE_INFINITY;
    },
    synchronize(date, sentAt) {
      const at = Date.parse(date ?? "");
      if (Number.isNaN(at)) return;
      const before = behind();
      const wasKnown = least !== Number.NEGATIVE_INFINITY;
      // It was written after the request was sent, and before now.
      const [from, to] = [at - clock.monotonic(), at + SECOND_MS - sentAt];
      // An answer that agrees makes it more exact. One that does not is newer: the machine slept, or a clock was put
      // right.
      [least, most] = from > most || to < least ? [from, to] : [Math.max(least, from), Math.min(most, to)];
      if (behind() !== before || !wasKnown) for (const corrected of [...watchers]) corrected();
    },
    watch(corrected) {
      watchers.add(corrected);
      return () => watchers.delete(corrected);
    },
  };
}

/** Calls back once when it is this time, in milliseconds since the epoch; returns a function that cancels it. */
export function atTime({ time, clock }: { time: DiscordTime; clock: Clock }, at: number, call: () => void): () => void {
  let forget = (): void => undefined;
  const unwatch = time.watch(arm);
  const stop = (): void => {
    forget();
    unwatch();
  };
  arm();
  return stop;

  function arm(): void {
    forget();
    forget = clock.after(Math.max(0, at - time.now()), () => {
      // No system timer is as long as some limits, and the time may have been corrected.
      if (time.now() < at) return arm();
      stop();
      call();
    });
  }
}
