import fc from "fast-check";
import { expect, test } from "vitest";
import { atTime, openDiscordTime } from "../../src/base/discord-time.ts";
import { createFakeClock } from "../fakes/fake-clock.ts";

const HOUR_MS = 3_600_000;

/** `Date` as Discord's answers bear it. */
const dated = (ms: number): string => new Date(ms).toUTCString();

test("before Discord has answered it is this machine's time, and moving that changes nothing any more", () => {
  const clock = createFakeClock();
  const time = openDiscordTime(clock);
  const began = time.now();
  expect([began, time.known]).toEqual([clock.now(), false]);
  clock.move(HOUR_MS);
  expect(time.now()).toBe(began);
});

test("where this machine's clock agrees with the answers to the second, its time is taken to the millisecond", async () => {
  const clock = createFakeClock();
  const time = openDiscordTime(clock);
  await clock.advance(456);
  time.synchronize(dated(clock.now()), clock.monotonic());
  expect([time.now(), time.known]).toEqual([clock.now(), true]);
});

test("however far apart the clocks are and however slow the answers, it is right to the second and a round trip", async () => {
  const answers = fc.array(
    fc.record({
      afterMs: fc.integer({ min: 0, max: 5_000 }),
      thereMs: fc.integer({ min: 0, max: 400 }),
      backMs: fc.integer({ min: 0, max: 400 }),
    }),
    { minLength: 1, maxLength: 8 },
  );
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: -2 * HOUR_MS, max: 2 * HOUR_MS }), answers, async (apart, all) => {
      const clock = createFakeClock();
      const time = openDiscordTime(clock);
      const theirs = (): number => clock.now() + apart;
      for (const { afterMs, thereMs, backMs } of all) {
        await clock.advance(afterMs);
        const sentAt = clock.monotonic();
        await clock.advance(thereMs);
        const date = dated(theirs());
        await clock.advance(backMs);
        time.synchronize(date, sentAt);
        expect(Math.abs(time.now() - theirs())).toBeLessThanOrEqual(1_000 + thereMs + backMs);
      }
    }),
    { numRuns: 50 },
  );
});

test("an answer that contradicts the earlier ones is believed: the machine slept", async () => {
  const clock = createFakeClock();
  const time = openDiscordTime(clock);
  time.synchronize(dated(clock.now()), clock.monotonic());
  time.synchronize(dated(clock.now() + 8 * HOUR_MS), clock.monotonic());
  expect(time.now()).toBe(clock.now() + 8 * HOUR_MS);
});

test("what is no date says nothing", () => {
  const clock = createFakeClock();
  const time = openDiscordTime(clock);
  for (const date of [null, "", "soon"]) time.synchronize(date, clock.monotonic());
  expect([time.known, time.now()]).toEqual([false, clock.now()]);
});

test("a call at a time comes then, by the corrected clock, once, and not if it is cancelled", async () => {
  const clock = createFakeClock();
  const time = openDiscordTime(clock);
  const calls: string[] = [];
  atTime({ time, clock }, time.now() + HOUR_MS, () => calls.push("first"));
  atTime({ time, clock }, time.now() + HOUR_MS, () => calls.push("cancelled"))();
  time.synchronize(dated(clock.now() + HOUR_MS - 10_000), clock.monotonic());
  await clock.advance(8_000);
  expect(calls).toEqual([]);
  await clock.advance(2_000);
  expect([calls, clock.armed]).toEqual([["first"], 0]);
});
