import { expect, test } from "vitest";
import type { Clock } from "../../src/base/clock.ts";
import { silentLog } from "../../src/base/log.ts";
import { openLapses } from "../../src/engine/timers.ts";
import { question } from "../link/mcp-scene.ts";
import { createFakeClock } from "../fakes/fake-clock.ts";
import { createMemoryJournal } from "../fakes/memory-journal.ts";

const YEAR_MS = 365 * 86_400_000;
const ID = "app_20260301_abc123";

/** A keeper of lapses on a clock whose wall somebody can put forward and back. */
async function scene(timeoutMs: number | null) {
  const clock = createFakeClock();
  let shift = 0;
  const wall: Clock = { now: () => clock.now() + shift, monotonic: () => clock.monotonic(), after: (ms, call) => clock.after(ms, call) };
  const { engine } = createMemoryJournal(wall).open();
  const lapses = openLapses({ engine, clock: wall, log: silentLog });
  await engine.submit(question(ID, { lapses_at: timeoutMs === null ? null : new Date(wall.now() + timeoutMs).toISOString() }));
  await clock.settle();
  return { clock, engine, lapses, move: (ms: number) => void (shift += ms), state: () => engine.state.decisions[ID]?.state };
}

test.each([0, YEAR_MS, -YEAR_MS])("a question lapses when its time has passed, not before, with the wall clock moved by %d ms", async (by) => {
  const { clock, move, state } = await scene(60_000);
  move(by);
  await clock.advance(59_999);
  expect(state()).toBe("open");
  move(-2 * by);
  await clock.advance(1);
  expect(state()).toBe("lapsed");
});

test("a time longer than any timer of the system is waited out", async () => {
  const { clock, state } = await scene(40 * 86_400_000);
  await clock.advance(40 * 86_400_000 - 1);
  expect(state()).toBe("open");
  await clock.advance(1);
  expect(state()).toBe("lapsed");
});

test("without a time it waits for ever, and no timer is armed for it", async () => {
  const { clock, state } = await scene(null);
  expect(clock.armed).toBe(0);
  await clock.advance(30 * 86_400_000);
  expect(state()).toBe("open");
});

test("nobody's time runs out: what is disconnected stays, and whoever asks again waits his whole time", async () => {
  const { clock, engine, state } = await scene(60_000);
  await clock.advance(50_000);
  await engine.submit({ type: "disconnect", decision_id: ID });
  await clock.advance(YEAR_MS);
  expect([state(), clock.armed]).toEqual(["disconnected", 0]);
  await engine.submit(question("app_20260301_def456", { lapses_at: new Date(clock.now() + 60_000).toISOString() }));
  await clock.advance(59_999);
  expect(state()).toBe("open");
  await clock.advance(1);
  expect(state()).toBe("lapsed");
});

test("what was answered does not lapse, and a keeper that is closed leaves no timer", async () => {
  const one = await scene(60_000);
  await one.engine.submit({ type: "answer", decision_id: ID, question: 0, answer: { places: [], words: "yes" }, sha256: null });
  await one.clock.advance(120_000);
  expect([one.state(), one.clock.armed]).toEqual(["answered", 0]);
  const other = await scene(60_000);
  other.lapses.close();
  expect(other.clock.armed).toBe(0);
});
