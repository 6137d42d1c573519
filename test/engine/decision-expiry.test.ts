import { expect, test } from "vitest";
import type { Clock } from "../../src/base/clock.ts";
import { silentLog } from "../../src/base/log.ts";
import { openExpiry } from "../../src/engine/decision-expiry.ts";
import { question } from "../ipc/mcp/mcp-scene.ts";
import { createFakeClock } from "../fakes/fake-clock.ts";
import { createMemoryJournal } from "../fakes/memory-journal.ts";

const YEAR_MS = 365 * 86_400_000;
const ID = "app_20260301_abc123";

/** The expiry reconciler with a wall clock that can be moved forward and back. */
async function scene(timeoutMs: number | null) {
  const clock = createFakeClock();
  let shift = 0;
  const wall: Clock = { now: () => clock.now() + shift, monotonic: () => clock.monotonic(), after: (ms, call) => clock.after(ms, call) };
  const { engine } = createMemoryJournal(wall).open();
  const expiry = openExpiry({ engine, clock: wall, log: silentLog });
  await engine.submit(question(ID, { lapses_at: timeoutMs === null ? null : new Date(wall.now() + timeoutMs).toISOString() }));
  await clock.settle();
  return { clock, engine, expiry, move: (ms: number) => void (shift += ms), state: () => engine.state.decisions[ID]?.state };
}

test.each([0, YEAR_MS, -YEAR_MS])("a question expires when its time has passed, not before, with the wall clock moved by %d ms", async (by) => {
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

test("what no caller waits for any more expires all the same, at the time its owner was told", async () => {
  const { clock, engine, state } = await scene(60_000);
  await engine.submit({ type: "disconnect", decision_id: ID });
  await clock.advance(59_999);
  expect(state()).toBe("disconnected");
  await clock.advance(1);
  expect([state(), clock.armed]).toEqual(["lapsed", 0]);
});

test("a caller that asks again waits its whole time", async () => {
  const { clock, engine, state } = await scene(60_000);
  await clock.advance(50_000);
  await engine.submit({ type: "disconnect", decision_id: ID });
  await engine.submit(question("app_20260301_def456", { lapses_at: new Date(clock.now() + 60_000).toISOString() }));
  await clock.advance(59_999);
  expect(state()).toBe("open");
  await clock.advance(1);
  expect(state()).toBe("lapsed");
});

test.each([0, YEAR_MS, -YEAR_MS])("a press that no caller received becomes final after ten seconds, with the wall clock moved by %d ms", async (by) => {
  const { clock, engine, move } = await scene(null);
  await engine.submit({ type: "disconnect", decision_id: ID });
  await engine.submit({ type: "answer", decision_id: ID, question: 0, answer: { places: [], words: "yes" }, sha256: null });
  await clock.settle();
  move(by);
  await clock.advance(9_999);
  expect(engine.state.decisions[ID]?.revocable).toBe(true);
  await clock.advance(1);
  expect([engine.state.decisions[ID]?.revocable, clock.armed]).toEqual([undefined, 0]);
});

test("what was taken back expires when its time is over, as if it had never been answered", async () => {
  const { clock, engine, state } = await scene(60_000);
  await engine.submit({ type: "disconnect", decision_id: ID });
  await engine.submit({ type: "answer", decision_id: ID, question: 0, answer: { places: [], words: "yes" }, sha256: null });
  await clock.advance(5_000);
  await engine.submit({ type: "take_back", decision_id: ID });
  await clock.advance(54_999);
  expect(state()).toBe("disconnected");
  await clock.advance(1);
  expect(state()).toBe("lapsed");
});

test("what was answered does not expire, and a closed reconciler leaves no timer", async () => {
  const one = await scene(60_000);
  await one.engine.submit({ type: "answer", decision_id: ID, question: 0, answer: { places: [], words: "yes" }, sha256: null });
  await one.clock.advance(120_000);
  expect([one.state(), one.clock.armed]).toEqual(["answered", 0]);
  const other = await scene(60_000);
  other.expiry.close();
  expect(other.clock.armed).toBe(0);
});
