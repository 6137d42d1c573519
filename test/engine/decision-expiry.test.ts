import { expect, test } from "vitest";
import type { Clock } from "../../src/base/clock.ts";
import { silentLog } from "../../src/base/log.ts";
import { openDiscordTime } from "../../src/base/discord-time.ts";
import type { AskCommand } from "../../src/core/decisions/decision.ts";
import { GRACE_MS, openExpiry, TOLD_MS, type ExpiryOptions } from "../../src/engine/decision-expiry.ts";
import { question } from "../ipc/mcp/mcp-scene.ts";
import { discordTime } from "../fakes/discord-time.ts";
import { createFakeClock } from "../fakes/fake-clock.ts";
import { createMemoryJournal } from "../fakes/memory-journal.ts";

const YEAR_MS = 365 * 86_400_000;
const ID = "app_20260301_abc123";

interface Options {
  /** Whether what was written by then has been heard; by default everything is at once. */
  hasHeard?: ExpiryOptions["hasHeard"];
  asker?: Partial<AskCommand>;
  /** How far Discord's clock is ahead. */
  aheadMs?: number;
}

/** The expiry reconciler with a wall clock that can be moved forward and back. */
async function scene(timeoutMs: number | null, { hasHeard = async () => true, asker = {}, aheadMs = 0 }: Options = {}) {
  const clock = createFakeClock();
  let shift = 0;
  const wall: Clock = {
    now: () => clock.now() + shift,
    monotonic: () => clock.monotonic(),
    after: (ms, call) => clock.after(ms, call),
  };
  const { engine } = createMemoryJournal(wall).open();
  const time = discordTime(wall, aheadMs);
  const expiry = openExpiry({ engine, clock: wall, time, log: silentLog, hasHeard });
  await engine.submit({
    ...question(ID, { lapses_at: timeoutMs === null ? null : new Date(time.now() + timeoutMs).toISOString() }),
    ...asker,
  });
  await clock.settle();
  return {
    clock,
    engine,
    expiry,
    time,
    move: (ms: number) => void (shift += ms),
    state: () => engine.state.decisions[ID]?.state,
  };
}

test.each([0, YEAR_MS, -YEAR_MS])(
  "a question expires two seconds after its time, not before, where messages arrive, with the wall clock moved by %d ms",
  async (by) => {
    const { clock, move, state } = await scene(60_000);
    move(by);
    await clock.advance(61_999);
    expect(state()).toBe("open");
    move(-2 * by);
    await clock.advance(1);
    expect(state()).toBe("lapsed");
  },
);

test("a time longer than any timer of the system is waited out", async () => {
  const { clock, state } = await scene(40 * 86_400_000);
  await clock.advance(40 * 86_400_000 + GRACE_MS - 1);
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
  await clock.advance(61_999);
  expect(state()).toBe("disconnected");
  await clock.advance(1);
  expect([state(), clock.armed]).toEqual(["lapsed", 0]);
});

test("a caller that asks again waits its whole time", async () => {
  const { clock, engine, state } = await scene(60_000);
  await clock.advance(50_000);
  await engine.submit({ type: "disconnect", decision_id: ID });
  await engine.submit(question("app_20260301_def456", { lapses_at: new Date(clock.now() + 60_000).toISOString() }));
  await clock.advance(61_999);
  expect(state()).toBe("open");
  await clock.advance(1);
  expect(state()).toBe("lapsed");
});

test.each([0, YEAR_MS, -YEAR_MS])(
  "a press that no caller received becomes final after ten seconds, with the wall clock moved by %d ms",
  async (by) => {
    const { clock, engine, move } = await scene(null);
    await engine.submit({ type: "disconnect", decision_id: ID });
    await engine.submit({
      type: "answer",
      decision_id: ID,
      question: 0,
      answer: { places: [], words: "yes" },
      sha256: null,
    });
    await clock.settle();
    move(by);
    await clock.advance(9_999);
    expect(engine.state.decisions[ID]).toHaveProperty("revocable");
    await clock.advance(1);
    expect(engine.state.decisions[ID]).not.toHaveProperty("revocable");
    expect(clock.armed).toBe(0);
  },
);

test("what was taken back expires when its time is over, as if it had never been answered", async () => {
  const { clock, engine, state } = await scene(60_000);
  await engine.submit({ type: "disconnect", decision_id: ID });
  await engine.submit({
    type: "answer",
    decision_id: ID,
    question: 0,
    answer: { places: [], words: "yes" },
    sha256: null,
  });
  await clock.advance(5_000);
  await engine.submit({ type: "take_back", decision_id: ID });
  await clock.advance(56_999);
  expect(state()).toBe("disconnected");
  await clock.advance(1);
  expect(state()).toBe("lapsed");
});

test("what was answered does not expire, and a closed reconciler leaves no timer", async () => {
  const one = await scene(60_000);
  await one.engine.submit({
    type: "answer",
    decision_id: ID,
    question: 0,
    answer: { places: [], words: "yes" },
    sha256: null,
  });
  await one.clock.advance(120_000);
  expect([one.state(), one.clock.armed]).toEqual(["answered", 0]);
  const other = await scene(60_000);
  other.expiry.close();
  expect(other.clock.armed).toBe(0);
});

test.each([-3_600_000, 3_600_000])("its time is Discord's, with Discord's clock %d ms ahead", async (aheadMs) => {
  const { clock, state } = await scene(60_000, { aheadMs });
  await clock.advance(61_999);
  expect(state()).toBe("open");
  // The answer that told the time bears no milliseconds.
  await clock.advance(1_001);
  expect(state()).toBe("lapsed");
});

test.each([["permission"], ["plan"]] as const)(
  "a %s, which no reading back could allow, expires at its time",
  async (kind) => {
    const { clock, state } = await scene(60_000, { asker: { kind }, hasHeard: () => new Promise(() => undefined) });
    await clock.advance(59_999);
    expect(state()).toBe("open");
    await clock.advance(1);
    expect(state()).toBe("lapsed");
  },
);

test("what cannot be read yet keeps it open, until it is read", async () => {
  let isRead = false;
  const { clock, state } = await scene(60_000, { hasHeard: async () => isRead });
  await clock.advance(5 * 60_000);
  expect(state()).toBe("open");
  isRead = true;
  await clock.advance(2_000);
  expect(state()).toBe("lapsed");
});

test.each([
  ["does not answer", () => new Promise<boolean>(() => undefined)],
  ["fails at once", async () => false],
])("what cannot be read keeps it open for ten minutes and no longer, where reading %s", async (_how, hasHeard) => {
  const { clock, state } = await scene(60_000, { hasHeard });
  await clock.advance(60_000 + GRACE_MS + 599_999);
  expect(state()).toBe("open");
  await clock.advance(2_000);
  expect([state(), clock.armed]).toEqual(["lapsed", 0]);
});

test("an asker that cannot come back is told 15 seconds after its time at the latest", async () => {
  const { clock, engine, time } = await scene(null, { hasHeard: async () => false });
  await engine.submit({
    ...question("other", { lapses_at: new Date(time.now() + 60_000).toISOString() }),
    thread_id: "200000000000000020",
    asker: { by: "hook", pid: 4711, request_id: "r" },
  });
  await clock.advance(60_000 + TOLD_MS - 1);
  expect(engine.state.decisions["other"]?.state).toBe("open");
  await clock.advance(2_000);
  expect(engine.state.decisions["other"]?.state).toBe("lapsed");
});

test("nothing is over before Discord has told the time, and a correction is enough to look again", async () => {
  const clock = createFakeClock();
  const { engine } = createMemoryJournal(clock).open();
  await engine.submit(question(ID, { lapses_at: new Date(clock.now() + 60_000).toISOString() }));
  clock.move(86_400_000);
  const time = openDiscordTime(clock);
  openExpiry({ engine, clock, time, log: silentLog, hasHeard: async () => true });
  await clock.advance(10_000);
  expect(engine.state.decisions[ID]?.state).toBe("open");
  time.synchronize(new Date(clock.now() - 86_400_000).toUTCString(), clock.monotonic());
  await clock.advance(50_000);
  expect(engine.state.decisions[ID]?.state).toBe("open");
  time.synchronize(new Date(clock.now() - 86_400_000 + 3_000).toUTCString(), clock.monotonic());
  await clock.settle();
  expect(engine.state.decisions[ID]?.state).toBe("lapsed");
});
