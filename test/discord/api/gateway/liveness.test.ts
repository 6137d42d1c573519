/** A connection that answers and brings nothing, against a quiet server, on a clock that stands still until told. */
import { describe, expect, test } from "vitest";
import { silentLog } from "../../../../src/base/log.ts";
import { openLiveness, type Liveness } from "../../../../src/discord/api/gateway/liveness.ts";
import { watchSleep } from "../../../../src/discord/api/gateway/handshake.ts";
import { createFakeClock, type FakeClock } from "../../../fakes/fake-clock.ts";

const BEAT_MS = 41_250;
const HOUR_MS = 60 * 60_000;
const THREAD = "100000000000000001";
const message = (number: number): string => String(200000000000000000n + BigInt(number));

interface Bench {
  clock: FakeClock;
  liveness: Liveness;
  /** What REST says was written last in the thread. */
  last: string | null;
  live: boolean;
  probes: number;
  cured: number[];
  /** Each probe's answer, in place of the usual one. */
  answer: (() => unknown) | null;
}

function bench(): Bench {
  const clock = createFakeClock();
  const made: Bench = {
    clock,
    last: message(1),
    live: true,
    probes: 0,
    cured: [],
    answer: null,
    liveness: openLiveness({
      clock,
      log: silentLog,
      beatMs: () => BEAT_MS,
      isLive: () => made.live,
      async threads() {
        made.probes += 1;
        return made.answer ? made.answer() : { threads: [{ id: THREAD, last_message_id: made.last }] };
      },
      onSilence: () => made.cured.push(clock.monotonic()),
    }),
  };
  made.liveness.onServerEvent("GUILD_CREATE", { threads: [{ id: THREAD, last_message_id: message(1) }] });
  return made;
}

describe("silence", () => {
  test("of a quiet server is asked about every few minutes and is no alarm, for a week", async () => {
    const made = bench();
    await made.clock.advance(7 * 24 * HOUR_MS);
    expect(made.cured).toEqual([]);
    expect(made.probes).toBeGreaterThan(1_000);
    expect(made.probes).toBeLessThanOrEqual(7 * 24 * 15);
  });

  test("is not asked about while events come", async () => {
    const made = bench();
    for (let n = 2; n < 200; n += 1) {
      made.liveness.onServerEvent("MESSAGE_CREATE", { channel_id: THREAD, id: message(n) });
      await made.clock.advance(60_000);
    }
    expect(made.probes).toBe(0);
  });

  test("in which a message stands that was never told is found out within nine minutes", async () => {
    const made = bench();
    made.last = message(2);
    await made.clock.advance(9 * 60_000);
    expect(made.cured).toHaveLength(1);
  });

  test("of a connection that is not live is nobody's alarm", async () => {
    const made = bench();
    made.live = false;
    made.last = message(2);
    await made.clock.advance(HOUR_MS);
    expect([made.probes, made.cured]).toEqual([0, []]);
  });
});

describe("no false alarm", () => {
  test("where the event comes while we look", async () => {
    const made = bench();
    made.answer = () => {
      made.answer = null;
      made.last = message(2);
      made.clock.after(1_000, () =>
        made.liveness.onServerEvent("MESSAGE_CREATE", { channel_id: THREAD, id: message(2) }),
      );
      return { threads: [{ id: THREAD, last_message_id: message(2) }] };
    };
    await made.clock.advance(HOUR_MS);
    expect(made.cured).toEqual([]);
  });

  test("for a thread we were never told of, and for a last message that is older than what we heard", async () => {
    const made = bench();
    made.liveness.onServerEvent("MESSAGE_CREATE", { channel_id: THREAD, id: message(9) });
    made.answer = () => ({
      threads: [
        { id: THREAD, last_message_id: message(8) },
        { id: "100000000000000002", last_message_id: message(5) },
      ],
    });
    await made.clock.advance(HOUR_MS);
    expect(made.cured).toEqual([]);
  });

  test.each([null, "x", { threads: "no" }, { threads: [null, 7, { id: 1 }, { id: THREAD, last_message_id: 12 }] }])(
    "from nonsense: %j",
    async (answer) => {
      const made = bench();
      made.answer = () => answer;
      await made.clock.advance(HOUR_MS);
      expect(made.cured).toEqual([]);
    },
  );

  test("from a request that fails, which is tried again", async () => {
    const made = bench();
    made.answer = () => {
      throw new Error("no answer");
    };
    await made.clock.advance(HOUR_MS);
    expect(made.cured).toEqual([]);
    expect(made.probes).toBeGreaterThan(5);
  });
});

test("a cure that does not help is not repeated within half an hour, because each costs an IDENTIFY", async () => {
  const made = bench();
  made.last = message(2);
  await made.clock.advance(5 * HOUR_MS);
  expect(made.cured.length).toBeLessThanOrEqual(10);
  const gaps = made.cured.slice(1).map((at, index) => at - (made.cured[index] ?? 0));
  expect(Math.min(...gaps)).toBeGreaterThanOrEqual(30 * 60_000);
});

describe("sleep", () => {
  function watching(): { clock: FakeClock; sleep(ms: number): void; slept: number[] } {
    const clock = createFakeClock();
    const slept: number[] = [];
    let asleep = 0;
    watchSleep({ clock, sinceBoot: () => clock.monotonic() + asleep, slept: (ms) => slept.push(ms) });
    return { clock, sleep: (ms) => (asleep += ms), slept };
  }

  test("of the machine is noticed within five seconds of waking, with its length", async () => {
    const { clock, sleep, slept } = watching();
    await clock.advance(60_000);
    sleep(8 * HOUR_MS);
    await clock.advance(5_000);
    expect(slept).toEqual([8 * HOUR_MS]);
  });

  test("is not seen in a day on which nobody slept", async () => {
    const { clock, slept } = watching();
    await clock.advance(24 * HOUR_MS);
    expect(slept).toEqual([]);
  });
});
