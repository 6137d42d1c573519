/** While the gateway is away everything is read, as often as the owner has set; while it is there, never. */
import { expect, test } from "vitest";
import { LONGEST_WAIT_MS, openPolling } from "../../../../src/discord/intake/intake.ts";
import { botContext } from "../../../fakes/bot-context.ts";
import { createFakeClock } from "../../../fakes/fake-clock.ts";

const EVERY_MS = 5_000;

function polling(read: () => Promise<boolean> = async () => true) {
  const clock = createFakeClock();
  const at: number[] = [];
  const state = { live: true };
  const context = botContext({ clock, pollIntervalMs: EVERY_MS });
  const open = openPolling(
    context,
    () => state.live,
    () => {
      at.push(clock.monotonic());
      return read();
    },
  );
  return { clock, at, state, close: () => open.close() };
}

test("nothing is read while the gateway is there, nor when it is away for less than a look", async () => {
  const { clock, at, state } = polling();
  await clock.advance(60 * 60_000);
  state.live = false;
  await clock.advance(EVERY_MS);
  state.live = true;
  await clock.advance(60 * 60_000);
  expect(at).toEqual([]);
});

test("while it is away everything is read at the owner's interval, and no more once it is back", async () => {
  const { clock, at, state } = polling();
  state.live = false;
  await clock.advance(5 * EVERY_MS);
  expect(at).toEqual([2, 3, 4, 5].map((times) => times * EVERY_MS));
  state.live = true;
  await clock.advance(60 * 60_000);
  expect(at).toHaveLength(4);
});

test("where nothing can be read either, each wait is twice the one before up to a minute, and short again after a success", async () => {
  const answers = { ok: false };
  const { clock, at, state } = polling(async () => answers.ok);
  state.live = false;
  await clock.advance(10 * 60_000);
  const waits = at.slice(1).map((time, index) => time - (at[index] ?? 0));
  expect(waits.slice(0, 5)).toEqual([10_000, 20_000, 40_000, LONGEST_WAIT_MS, LONGEST_WAIT_MS]);
  answers.ok = true;
  await clock.advance(LONGEST_WAIT_MS);
  const count = at.length;
  await clock.advance(EVERY_MS);
  expect(at.length).toBe(count + 1);
});

test("a reading that breaks is waited out like one that is refused, and the next begins only when one is over", async () => {
  const held = Promise.withResolvers<boolean>();
  const reads = [async () => Promise.reject(new Error("no")), () => held.promise];
  const { clock, at, state } = polling(() => reads.shift()?.() ?? Promise.resolve(true));
  state.live = false;
  await clock.advance(4 * EVERY_MS);
  expect(at).toHaveLength(2);
  await clock.advance(60 * 60_000);
  expect(at).toHaveLength(2);
  held.resolve(true);
  await clock.settle();
  await clock.advance(EVERY_MS);
  expect(at).toHaveLength(3);
});

test("closed, it never reads again, also out of the middle of a reading", async () => {
  const held = Promise.withResolvers<boolean>();
  const { clock, at, state, close } = polling(() => held.promise);
  state.live = false;
  await clock.advance(2 * EVERY_MS);
  close();
  held.resolve(true);
  await clock.advance(60 * 60_000);
  expect([at.length, clock.armed]).toEqual([1, 0]);
});
