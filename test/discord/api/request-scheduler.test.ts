/** The priorities against a model of Discord's limits that keeps its own books, on a fake clock. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { silentLog } from "../../../src/base/log.ts";
import { createBuckets, opensAt, type Priority, type QueuedRequest } from "../../../src/discord/api/rate-limits.ts";
import { RequestScheduler } from "../../../src/discord/api/request-scheduler.ts";
import { failureKind, RestFailure, routeOf, type RequestOutcome } from "../../../src/discord/api/transport.ts";
import { createFakeClock, type FakeClock } from "../../fakes/fake-clock.ts";
import { LimitedDiscord, type LimitsModel } from "../../fakes/limited-discord.ts";

const MINUTES = 60_000;

interface Bench {
  clock: FakeClock;
  discord: LimitedDiscord;
  scheduler: RequestScheduler;
  unauthorized: number;
  /** How each request ended: `ok`, or its failure's kind. */
  ends: Map<string, string>;
  ask(name: string, queued?: Partial<QueuedRequest>): Promise<void>;
}

function bench(model: Partial<LimitsModel> & { random?: () => number } = {}): Bench {
  const clock = createFakeClock();
  const limitOf = (): { limit: number; windowMs: number } => ({ limit: 5, windowMs: 5000 });
  const discord = new LimitedDiscord({ clock, limitOf, latency: () => 0, ...model });
  const made: Bench = {
    clock,
    discord,
    unauthorized: 0,
    ends: new Map(),
    scheduler: new RequestScheduler({
      transport: discord,
      clock,
      log: silentLog,
      onUnauthorized: () => (made.unauthorized += 1),
      random: model.random ?? (() => 0.5),
    }),
    ask(name, queued = {}) {
      const whole: QueuedRequest = {
        method: "POST",
        path: `/channels/${CHANNEL}/messages`,
        body: name,
        priority: "result",
        auth: true,
        counted: true,
        repeatMs: Infinity,
        ...queued,
      };
      return made.scheduler.enqueue(whole).then(
        () => void made.ends.set(name, "ok"),
        (error) => void made.ends.set(name, String(failureKind(error))),
      );
    },
  };
  return made;
}

const CHANNEL = "100000000000000001";
const channel = (number: number): string => String(BigInt(CHANNEL) + BigInt(number));
const bodies = (discord: LimitedDiscord): unknown[] => discord.seen.map((seen) => seen.body);

function limitedFor(scope: "user" | "global" | "shared" | "address", retryAfterMs: number): RequestOutcome {
  return { kind: "limited", status: 429, scope, retryAfterMs, limits: null };
}

describe("order", () => {
  test("decisions leave before results, results before cosmetics, each in the order asked", async () => {
    const { ask, clock, discord } = bench({ limitOf: () => ({ limit: 1, windowMs: 1000 }) });
    void ask("first");
    for (const priority of ["cosmetic", "result", "decision"] as const)
      for (const n of [1, 2]) void ask(`${priority} ${n}`, { priority });
    await clock.advance(10_000);
    expect(bodies(discord)).toEqual([
      "first",
      "decision 1",
      "decision 2",
      "result 1",
      "result 2",
      "cosmetic 1",
      "cosmetic 2",
    ]);
  });

  test("cosmetics leave the last place of a window to a decision", async () => {
    const { ask, clock, discord } = bench();
    for (const n of [1, 2, 3, 4, 5, 6]) void ask(`cosmetic ${n}`, { priority: "cosmetic" });
    await clock.advance(100);
    expect(bodies(discord)).toHaveLength(4);
    void ask("decision", { priority: "decision" });
    await clock.advance(0);
    expect(bodies(discord).at(-1)).toBe("decision");
    await clock.advance(5000);
    expect(bodies(discord)).toHaveLength(7);
    expect(discord.ownMaking).toEqual([]);
  });

  test("a bucket nobody knows yet gets one request at a time", async () => {
    const { ask, clock, discord } = bench({ latency: () => 40 });
    for (const n of [1, 2, 3]) void ask(`${n}`);
    await clock.advance(79);
    expect(discord.seen).toHaveLength(1);
    await clock.advance(200);
    expect(discord.seen).toHaveLength(3);
  });
});

describe("one key, one message", () => {
  test("the newer of two waiting requests with one key takes the older one's place", async () => {
    const { ask, clock, discord, ends } = bench({ limitOf: () => ({ limit: 1, windowMs: 1000 }) });
    void ask("first");
    for (const n of [1, 2, 3]) void ask(`edit ${n}`, { key: "message", priority: "cosmetic" });
    void ask("other", { priority: "cosmetic" });
    await clock.advance(5000);
    expect(bodies(discord)).toEqual(["first", "edit 3", "other"]);
    expect([ends.get("edit 1"), ends.get("edit 2"), ends.get("edit 3")]).toEqual(["superseded", "superseded", "ok"]);
  });

  test("two requests with one key are never under way together", async () => {
    const { ask, clock, discord } = bench({ latency: () => 100 });
    void ask("warm");
    await clock.advance(300);
    void ask("edit 1", { key: "message" });
    void ask("edit 2", { key: "message" });
    await clock.advance(150);
    expect(bodies(discord)).toEqual(["warm", "edit 1"]);
    await clock.advance(300);
    expect(bodies(discord)).toEqual(["warm", "edit 1", "edit 2"]);
  });

  test("a request taken back while it waits never leaves; one under way is let finish", async () => {
    const { ask, clock, discord, ends } = bench({ latency: () => 100 });
    const [leaving, staying] = [new AbortController(), new AbortController()];
    void ask("under way", { signal: staying.signal });
    void ask("waits", { signal: leaving.signal });
    await clock.advance(50);
    leaving.abort();
    staying.abort();
    await clock.advance(1000);
    expect(bodies(discord)).toEqual(["under way"]);
    expect([ends.get("under way"), ends.get("waits")]).toEqual(["ok", "superseded"]);
  });
});

test("a request taken back while it is under way does not go again after a 429", async () => {
  const { ask, clock, discord, ends } = bench({ latency: () => 100 });
  const leaving = new AbortController();
  discord.storm = () => limitedFor("user", 1000);
  void ask("limited", { signal: leaving.signal });
  await clock.advance(150);
  leaving.abort();
  discord.storm = null;
  await clock.advance(10_000);
  expect([discord.seen.length, ends.get("limited")]).toEqual([1, "superseded"]);
});

test("a bucket's count never rises within a window, however its answers overtake each other", () => {
  const buckets = createBuckets();
  const route = routeOf("POST", `/channels/${CHANNEL}/messages`);
  const limits = { bucket: "b", limit: 5, resetAfterMs: 5000, reset: 1_000_000 };
  const bucket = buckets.applyLimits(route, { ...limits, remaining: 0 }, 0);
  buckets.applyLimits(route, { ...limits, remaining: 3, reset: 1_000_002 }, 10);
  expect(opensAt(bucket, "decision", 20)).toBeGreaterThanOrEqual(5000);
  buckets.applyLimits(route, { ...limits, remaining: 4, reset: 1_005_000 }, 5020);
  expect(opensAt(bucket, "decision", 5030)).toBe(5030);
});

describe("limits", () => {
  test("whatever is asked and however the network delays, no 429 is of our own making", async () => {
    const request = fc.record({
      channel: fc.nat(7),
      priority: fc.constantFrom<Priority>("decision", "result", "cosmetic"),
      gap: fc.nat(400),
    });
    const network = fc.array(fc.nat(300), { minLength: 1, maxLength: 40 });
    const shape = fc.record({ limit: fc.integer({ min: 1, max: 10 }), windowMs: fc.constantFrom(250, 1000, 5000) });
    await fc.assert(
      fc.asyncProperty(
        fc.array(request, { minLength: 1, maxLength: 80, size: "max" }),
        network,
        shape,
        async (requests, delays, limits) => {
          let n = 0;
          const { ask, clock, discord, ends } = bench({
            limitOf: () => limits,
            latency: () => delays[n++ % delays.length] ?? 0,
          });
          for (const [index, { channel: to, priority, gap }] of requests.entries()) {
            void ask(`${index}`, { path: `/channels/${channel(to)}/messages`, priority });
            if (gap > 200) await clock.advance(gap);
          }
          await clock.until(() => ends.size === requests.length);
          expect(discord.ownMaking).toEqual([]);
          expect([...ends.values()].every((end) => end === "ok")).toBe(true);
          expect(discord.stored).toHaveLength(requests.length);
        },
      ),
      { numRuns: 60 },
    );
  });

  test("what left before its bucket had a name is counted in it when another channel's answer has told the name", async () => {
    // There and back, in the order of leaving: the first channel is answered at once, the second one late.
    const delays = [0, 200, 0, 200];
    let n = 0;
    const { ask, clock, discord, ends } = bench({
      limitOf: () => ({ limit: 1, windowMs: 250 }),
      latency: () => delays[n++] ?? 0,
    });
    for (const [index, to] of [1, 2, 2].entries()) void ask(`${index}`, { path: `/channels/${channel(to)}/messages` });
    await clock.until(() => ends.size === 3);
    expect(discord.ownMaking).toEqual([]);
  });

  test("answers that overtake each other do not free a place twice", async () => {
    // There and back: the second of two sent together is answered first, and has seen fewer places left.
    const delays = [0, 0, 10, 500, 20, 40, 20, 40, 20, 40];
    let n = 0;
    const { ask, clock, discord, ends } = bench({ latency: () => delays[n++] ?? 0 });
    for (let index = 0; index < 9; index += 1) void ask(`${index}`, { priority: "decision" });
    await clock.until(() => ends.size === 9);
    expect(discord.ownMaking).toEqual([]);
  });

  test("no second holds more than fifty requests, over all buckets", async () => {
    const delays = [0, 180, 20, 90];
    let n = 0;
    const { ask, clock, discord, ends } = bench({ latency: () => delays[n++ % delays.length] ?? 0 });
    for (let index = 0; index < 400; index += 1)
      void ask(`${index}`, { path: `/channels/${channel(index)}/messages`, priority: "decision" });
    await clock.until(() => ends.size === 400, 30_000);
    expect(discord.ownMaking).toEqual([]);
  });

  test("a 429 is obeyed to the millisecond, its bucket's or everybody's", async () => {
    for (const scope of ["user", "shared", "global"] as const) {
      const { ask, clock, discord } = bench();
      discord.storm = () => limitedFor(scope, 64_570);
      void ask("limited");
      await clock.settle();
      discord.storm = null;
      void ask("elsewhere", { path: `/channels/${channel(9)}/messages` });
      await clock.advance(64_569);
      expect(bodies(discord)).toEqual(scope === "global" ? ["limited"] : ["limited", "elsewhere"]);
      await clock.advance(1);
      expect(bodies(discord).filter((body) => body === "limited")).toHaveLength(2);
      expect(discord.stored).toHaveLength(2);
    }
  });

  test("a caller that waits is told after so many 429s; a post that is due keeps waiting", async () => {
    const { ask, clock, discord, ends } = bench();
    discord.storm = () => limitedFor("shared", 1000);
    void ask("impatient", { limitTries: 5 });
    void ask("owed", { path: `/channels/${channel(9)}/messages` });
    await clock.advance(3_999);
    expect([...ends]).toEqual([]);
    await clock.advance(1);
    expect([...ends]).toEqual([["impatient", "limited"]]);
    // The fifth pause is as long as the first: Discord's own figure, and no more than that.
    expect(bodies(discord).filter((body) => body === "owed")).toHaveLength(5);
    discord.storm = null;
    await clock.until(() => ends.size === 2);
    expect(ends.get("owed")).toBe("ok");
  });

  test("the global limit does not hold up what answers an interaction; a ban of our address holds up everything", async () => {
    for (const scope of ["global", "address"] as const) {
      const { ask, clock, discord } = bench();
      discord.storm = () => limitedFor(scope, 64_570);
      void ask("limited");
      await clock.settle();
      discord.storm = null;
      void ask("answer", {
        path: `/webhooks/${CHANNEL}/token/messages/@original`,
        method: "PATCH",
        counted: false,
        priority: "decision",
      });
      await clock.advance(64_569);
      expect(bodies(discord)).toEqual(scope === "global" ? ["limited", "answer"] : ["limited"]);
    }
  });

  test("ten minutes of nothing but 429s: none sent early, none lost, none doubled", async () => {
    const scopes = fc.array(
      fc.record({ scope: fc.constantFrom("user", "global", "shared"), ms: fc.integer({ min: 300, max: 1_337_000 }) }),
      {
        minLength: 1,
        maxLength: 20,
      },
    );
    await fc.assert(
      fc.asyncProperty(scopes, fc.integer({ min: 1, max: 200 }), async (waits, threads) => {
        let n = 0;
        const { ask, clock, discord, ends } = bench({ latency: () => 30 });
        discord.storm = () => {
          const wait = waits[n++ % waits.length];
          return limitedFor(wait?.scope as "user", wait?.ms ?? 300);
        };
        for (let index = 0; index < threads; index += 1) {
          const priority = (["cosmetic", "result", "decision"] as const)[index % 3] ?? "result";
          void ask(`${index}`, { path: `/channels/${channel(index)}/messages`, priority });
        }
        await clock.advance(10 * MINUTES);
        expect(discord.refusedIn(10 * MINUTES)).toBeLessThan(200);
        discord.storm = null;
        await clock.until(() => ends.size === threads);
        expect(discord.early).toEqual([]);
        expect(discord.stored.map(({ body }) => body).toSorted()).toEqual([...ends.keys()].toSorted());
      }),
      { numRuns: 25 },
    );
  });

  test("after a storm the decisions go first", async () => {
    const { ask, clock, discord, ends } = bench();
    discord.storm = () => limitedFor("user", 2000);
    for (const priority of ["cosmetic", "result", "decision"] as const)
      for (const n of [1, 2, 3]) void ask(`${priority} ${n}`, { priority });
    await clock.advance(MINUTES);
    discord.storm = null;
    await clock.until(() => ends.size === 9);
    expect(discord.stored.map(({ body }) => String(body).split(" ")[0])).toEqual(
      ["decision", "result", "cosmetic"].flatMap((priority) => [priority, priority, priority]),
    );
  });

  test("two hundred refusals pause the route that earns them and no other", async () => {
    const { ask, clock, discord, scheduler } = bench({ limitOf: () => ({ limit: 1000, windowMs: 1000 }) });
    for (let index = 0; index < 200; index += 1) {
      await Promise.all([
        ask(`no ${index}`, { path: `/channels/${CHANNEL}/forbidden` }),
        ask(`yes ${index}`),
        clock.advance(100),
      ]);
    }
    expect(scheduler.status).toMatchObject({
      invalidRequests: 200,
      pausedRoutes: [`POST /channels/:id/forbidden ${CHANNEL}`],
    });
    void ask("paused", { path: `/channels/${CHANNEL}/forbidden` });
    await ask("free");
    expect(bodies(discord).at(-1)).toBe("free");
    await clock.advance(10 * MINUTES);
    expect(bodies(discord).at(-1)).toBe("paused");
  });
});

describe("no connection", () => {
  const nothing = (where: "network" | "route"): RequestOutcome => ({
    kind: "lost",
    status: where === "route" ? 503 : 0,
    where,
    reason: "no answer",
    limits: null,
  });

  test("what got no answer goes again until it gets one, with growing pauses", async () => {
    for (const where of ["network", "route"] as const) {
      const { ask, clock, discord, ends, scheduler } = bench({ random: () => 1 });
      discord.storm = () => nothing(where);
      void ask("1");
      await clock.advance(5 * MINUTES);
      expect(discord.seen.map(({ at }) => at)).toEqual([
        0, 1000, 3000, 7000, 15_000, 31_000, 63_000, 123_000, 183_000, 243_000,
      ]);
      expect(scheduler.status.connected).toBe(where === "route");
      discord.storm = null;
      await clock.until(() => ends.size === 1);
      expect(ends.get("1")).toBe("ok");
      expect(scheduler.status.connected).toBe(true);
    }
  });

  test("while nothing gets through, one request at a time finds out", async () => {
    const { ask, clock, discord } = bench({ latency: () => 10 });
    // All thirty are under way when the line is cut: that is one sign, not thirty.
    discord.storm = () => nothing("network");
    for (let index = 0; index < 30; index += 1) void ask(`${index}`, { path: `/channels/${channel(index)}/messages` });
    await clock.advance(30_000);
    const later = discord.seen.map(({ at }) => at).filter((at) => at > 50);
    expect(later.length).toBeGreaterThan(3);
    expect(new Set(later).size).toBe(later.length);
  });

  test("one request that always fails does not hold up the others of its channel", async () => {
    const { ask, clock, discord, ends } = bench();
    discord.storm = () => nothing("route");
    void ask("poison");
    await clock.settle();
    void ask("good");
    discord.storm = null;
    const send = discord.send.bind(discord);
    discord.send = (request, signal) =>
      request.body === "poison" ? Promise.resolve(nothing("route")) : send(request, signal);
    await clock.advance(3000);
    expect(ends.get("good")).toBe("ok");
  });

  test("a create is not repeated after its nonce has expired: its sender is asked to look first", async () => {
    const { ask, clock, discord, ends } = bench({ random: () => 1 });
    discord.storm = () => nothing("route");
    void ask("create", { repeatMs: 100_000 });
    void ask("post", { repeatMs: 0 });
    await clock.advance(5 * MINUTES);
    expect([ends.get("create"), ends.get("post")]).toEqual(["unavailable", "unavailable"]);
    expect(discord.seen.filter(({ body }) => body === "post")).toHaveLength(1);
    expect(discord.seen.at(-1)?.at).toBeLessThanOrEqual(100_000);
  });
});

describe("the end", () => {
  test("after the first 401 nothing more is sent and everybody waiting is told", async () => {
    const made = bench({ latency: () => 10 });
    const { ask, clock, discord, ends } = made;
    discord.storm = () => ({
      kind: "refused",
      status: 401,
      limits: null,
      failure: new RestFailure("unauthorized", { route: "", status: 401 }),
    });
    for (let index = 0; index < 20; index += 1) void ask(`${index}`);
    await clock.advance(1000);
    void ask("later");
    await clock.advance(MINUTES);
    expect(discord.seen).toHaveLength(1);
    expect([...ends.values()]).toEqual(Array<string>(21).fill("unauthorized"));
    expect(made.unauthorized).toBe(1);
  });

  test("fallen silent, only what follows an interaction leaves: nothing that waited, nothing new, no second try", async () => {
    const { clock, discord, scheduler, ask, ends } = bench({ limitOf: () => ({ limit: 1, windowMs: 1000 }) });
    discord.storm = () => limitedFor("user", 10);
    void ask("tried");
    await clock.settle();
    discord.storm = null;
    void ask("waits");
    const webhook = { path: "/webhooks/1/x/messages/@original", auth: false, counted: false } as const;
    void ask("answer", { ...webhook, method: "PATCH" });
    scheduler.fallSilent();
    void ask("new");
    void ask("follow-up", { ...webhook, path: "/webhooks/2/y/messages/@original", method: "PATCH" });
    await clock.advance(5000);
    expect(Object.fromEntries(ends)).toEqual({
      tried: "closed",
      waits: "closed",
      new: "closed",
      answer: "ok",
      "follow-up": "ok",
    });
    expect(bodies(discord)).toEqual(["tried", "answer", "follow-up"]);
  });

  test("closing drops what waits and lets what is under way finish", async () => {
    const { ask, clock, discord, ends, scheduler } = bench({ latency: () => 100 });
    void ask("under way");
    void ask("waits");
    const closing = scheduler.close();
    await clock.advance(1000);
    await closing;
    void ask("late");
    await clock.settle();
    expect([ends.get("under way"), ends.get("waits"), ends.get("late")]).toEqual(["ok", "closed", "closed"]);
    expect(discord.seen).toHaveLength(1);
    expect(clock.armed).toBe(0);
  });
});
