/** Discord's clock, known from an answer that agrees with the clock of the test to the second. */
import type { Clock } from "../../src/base/clock.ts";
import { openDiscordTime, type DiscordTime } from "../../src/base/discord-time.ts";

/** @param aheadMs how far Discord's clock is ahead, in whole seconds */
export function discordTime(clock: Clock, aheadMs = 0): DiscordTime {
  const time = openDiscordTime(clock);
  time.synchronize(new Date(clock.now() + aheadMs).toUTCString(), clock.monotonic());
  return time;
}
