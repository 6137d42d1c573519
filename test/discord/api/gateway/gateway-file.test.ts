/** How often a daemon may identify, over days of restarts and of sessions that do not last, on a clock of its own. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, onTestFinished, test } from "vitest";
import { nodeDisk, type Disk } from "../../../../src/base/disk.ts";
import { silentLog } from "../../../../src/base/log.ts";
import {
  identifyWait,
  openGatewayFile,
  type GatewayFile,
  type Identify,
} from "../../../../src/discord/api/gateway/gateway-file.ts";
import { createFakeClock, type FakeClock } from "../../../fakes/fake-clock.ts";

const DAY_MS = 24 * 60 * 60_000;
const plenty = { total: 1000, remaining: 1000, reset_after: 0, max_concurrency: 16 };
const SESSION = { id: "abc", resumeUrl: "wss://resume.test", sequence: 7 };

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "bellhop-memory-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return join(path, "gateway.json");
}

/** One run of the daemon: its monotonic clock starts anew, the wall clock goes on. */
async function life(
  path: string,
  policy: number,
  disk: Disk = nodeDisk,
): Promise<{ memory: GatewayFile; clock: FakeClock }> {
  const clock = createFakeClock(policy);
  return { memory: await openGatewayFile({ disk, path, clock, log: silentLog }), clock };
}

/** The IDENTIFYs of a day in which the daemon dies so long after each, and starts again at once. */
function crashLoop(aliveMs: number): number[] {
  const sent: number[] = [];
  for (let now = 0; now < DAY_MS;) {
    const past: Identify[] = sent.map((at) => ({ at, lasted: false, earlier: true }));
    now += identifyWait(past, plenty, now)?.ms ?? 0;
    if (now >= DAY_MS) break;
    sent.push(now);
    now += aliveMs;
  }
  return sent;
}

describe("a daemon that dies again and again", () => {
  test.each([10, 1_000, 59_000])(
    "%i ms after each IDENTIFY sends no more than twenty a day, the first ten at once",
    (aliveMs) => {
      const sent = crashLoop(aliveMs);
      expect(sent.length).toBeLessThanOrEqual(20);
      expect(sent.slice(0, 10)).toEqual(Array.from({ length: 10 }, (_, n) => n * aliveMs));
    },
  );

  test("is forgiven by one session that lasted", () => {
    const young = Array.from({ length: 30 }, (_, n): Identify => ({ at: n, lasted: false, earlier: true }));
    expect(identifyWait(young, plenty, 31)).toMatchObject({ why: "restarts" });
    expect(identifyWait([...young, { at: 31, lasted: true, earlier: true }], plenty, 32)).toBeNull();
  });
});

describe("a daemon whose sessions do not last", () => {
  test("never waits longer than a quarter of an hour, because an outage of Discord's ends by itself", () => {
    const past: Identify[] = [];
    const waits: number[] = [];
    let now = 0;
    while (now < DAY_MS) {
      const wait = identifyWait(past, plenty, now)?.ms ?? 0;
      waits.push(wait);
      now += wait;
      past.push({ at: now, lasted: false, earlier: false });
      now += 1_000;
    }
    expect(Math.max(...waits)).toBeLessThanOrEqual(15 * 60_000);
    expect(past.length).toBeLessThan(150);
  });
});

test("below fifty left today it waits for Discord's new count, however few it sent itself", () => {
  const few = { ...plenty, remaining: 49, reset_after: 3_600_000 };
  expect(identifyWait([], few, 0)).toEqual({ ms: 3_600_000, why: "day" });
  expect(identifyWait([], { ...few, remaining: 50 }, 0)).toBeNull();
});

test("where Discord allows one at a time, five seconds lie between two", () => {
  const slow = { ...plenty, max_concurrency: 1 };
  const past: Identify[] = [{ at: 1_000, lasted: true, earlier: false }];
  expect(identifyWait(past, slow, 2_000)).toEqual({ ms: 4_000, why: "pace" });
  expect(identifyWait(past, slow, 6_000)).toBeNull();
});

test("whatever is behind it, a wait ends: after it, the IDENTIFY may go", () => {
  const identify = fc.record({ at: fc.integer({ min: -DAY_MS, max: 0 }), lasted: fc.boolean(), earlier: fc.boolean() });
  fc.assert(
    fc.property(fc.array(identify, { maxLength: 40 }), fc.boolean(), (sent, alone) => {
      const past = sent.toSorted((a, b) => a.at - b.at);
      const limit = { ...plenty, max_concurrency: alone ? 1 : 16 };
      let now = 0;
      for (let tries = 0; tries < 3; tries += 1) now += identifyWait(past, limit, now)?.ms ?? 0;
      expect(identifyWait(past, limit, now)).toBeNull();
      expect(now).toBeLessThanOrEqual(8 * 60 * 60_000 + 5_000);
    }),
  );
});

describe("what is kept", () => {
  test("is there for the next life: the session, and that an IDENTIFY was sent", async () => {
    const path = folder();
    const first = await life(path, 1_000_000);
    await first.memory.spend();
    first.memory.saveSession(SESSION);
    await first.memory.close();
    const second = await life(path, 1_060_000);
    expect(second.memory.session).toEqual(SESSION);
    expect(second.memory.wait({ ...plenty, max_concurrency: 1 })).toBeNull();
    expect(JSON.parse(readFileSync(path, "utf8"))).toMatchObject({
      identifies: [{ at: "1970-01-01T00:16:40.000Z", lasted: false }],
    });
  });

  test("of a session ends with the IDENTIFY of another", async () => {
    const path = folder();
    const first = await life(path, 1_000_000);
    first.memory.saveSession(SESSION);
    await first.memory.spend();
    expect((await life(path, 1_000_000)).memory.session).toBeNull();
  });

  test("keeps counting when the wall clock is moved back or forward, and no wait gets longer", async () => {
    for (const shift of [-365 * DAY_MS, -3_600_000, 0, 3_600_000]) {
      const path = folder();
      const policy = 2_000_000_000_000;
      for (let n = 0; n < 12; n += 1) await (await life(path, policy)).memory.spend();
      const { memory } = await life(path, policy + shift);
      const wait = memory.wait(plenty);
      expect(wait?.ms ?? 0).toBeLessThanOrEqual(8 * 60_000);
      expect(wait === null).toBe(shift > 0);
    }
  });

  test.each(["", "{", "null", "[]", '{"identifies":[null,{"at":"x"},7],"session":{"id":1}}', "\0\0\0"])(
    "and is damaged (%j) is done without",
    async (text) => {
      const path = folder();
      writeFileSync(path, text);
      const { memory } = await life(path, 1_000_000);
      expect([memory.session, memory.wait(plenty)]).toEqual([null, null]);
      await memory.spend();
      expect(JSON.parse(readFileSync(path, "utf8"))).toMatchObject({ identifies: [{ lasted: false }] });
    },
  );

  test("and cannot be written stops nothing, and counts on in this life", async () => {
    const full: Disk = {
      ...nodeDisk,
      open: (path, flags) =>
        flags === "wx"
          ? Promise.reject(Object.assign(new Error("full"), { code: "ENOSPC" }))
          : nodeDisk.open(path, flags),
    };
    const { memory } = await life(folder(), 1_000_000, full);
    for (let n = 0; n < 11; n += 1) await memory.spend();
    expect(memory.wait(plenty)).toMatchObject({ why: "short_sessions" });
    await memory.close();
  });
});
