/**
 * Budgets: what agents tell counts once, in its own unit, for its session and for its day; what is used up parks, asks
 * once, and goes on exactly when its owner or the day lets it.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { amountsOf, budgetsIn, type Amounts, type BudgetRules } from "../../../src/core/jobs/budget.ts";
import { dayAt } from "../../../src/base/local-time.ts";
import type { Usage } from "../../../src/core/jobs/run.ts";
import type { BudgetWait } from "../../../src/core/projects/checkout.ts";
import type { RecordedEvent } from "../../../src/core/state.ts";
import { job, message, Scene, T1, T2 } from "../scene.ts";

const RUNS = process.env["BELLHOP_TEST_ALL"] ? 10_000 : 300;
const NONE: BudgetRules = { session: {}, day: {}, stops_now: false, dayAt: (at) => dayAt(at, "UTC") };
const inSeoul = (at: string): ReturnType<typeof dayAt> => dayAt(at, "Asia/Seoul");
const END = { result_excerpt: "said", result_sha256: null, model: null };

function scene(budget: Partial<BudgetRules>, ...threads: string[]): Scene {
  return new Scene({ budget: { ...NONE, ...budget } }).withSessions(T1, ...threads);
}

let number = 0;
/** The next message; its job, which runs or waits. */
function hear(one: Scene, thread = T1): string {
  const event = one.hear(thread, message(++number)).find(({ type }) => type === "JobEnqueued");
  return event?.type === "JobEnqueued" ? event.payload.job_id : "";
}

function dollars(amount: number): Usage {
  return { input_tokens: 10, output_tokens: 5, cost_usd: amount };
}

function end(one: Scene, job_id: string, usage: Usage | null): RecordedEvent[] {
  const events = one.do({ type: "complete", job_id, ...END, usage });
  return [...events, ...one.do({ type: "progress", job_id, progress: { kind: "gone" } })];
}

function waitOf(one: Scene, thread = T1): BudgetWait | null {
  const wait = one.state.threads[thread]?.wait ?? null;
  if (wait !== null && wait.kind !== "budget") throw new Error(`it waits for ${wait.kind}`);
  return wait;
}

function raise(one: Scene, to?: number, thread = T1): RecordedEvent[] {
  const { job_id = "", since = "" } = waitOf(one, thread) ?? {};
  return one.do({ type: "raise_budget", thread_id: thread, job_id, since, ...(to !== undefined && { to }) });
}

const running = (one: Scene, thread = T1): string | null => one.state.sessions[thread]?.running_job_id ?? null;

describe("a session's budget", () => {
  test("counts what is told at the end; nothing new starts once it is used up, and its owner is asked", () => {
    const one = scene({ session: { USD: 5 } }, T2);
    end(one, hear(one), dollars(4.9));
    expect(waitOf(one)).toBeNull();
    const last = hear(one);
    const types = end(one, last, dollars(0.1)).map(({ type }) => type);
    expect(types).toEqual(["JobCompleted", "BudgetNoted", "SessionParked", "JobProgress"]);
    expect(waitOf(one)).toMatchObject({
      job_id: last,
      of: "session",
      unit: "USD",
      used: 5,
      limit: 5,
      more: 5,
      asks: true,
    });
    hear(one);
    expect(running(one)).toBeNull();
    // Another session has its own.
    const other = hear(one, T2);
    expect(running(one, T2)).toBe(other);
    one.checkReplay();
  });

  test("goes on by as much again, from what is used; or to a limit above that; and asks again there", () => {
    const one = scene({ session: { USD: 5 } });
    end(one, hear(one), dollars(12));
    const next = hear(one);
    expect(() => raise(one, 12)).toThrow("E_BUDGET_USED");
    expect(raise(one).map(({ type }) => type)).toEqual(["BudgetRaised", "SessionUnparked", "JobStarted"]);
    expect(running(one)).toBe(next);
    end(one, next, dollars(4.99));
    expect(waitOf(one)).toBeNull();
    end(one, hear(one), dollars(0.01));
    expect(waitOf(one)).toMatchObject({ used: 17, limit: 17 });
    raise(one, 100);
    end(one, hear(one), dollars(70));
    expect(waitOf(one)).toBeNull();
    one.checkReplay();
  });

  test("a second press, and one for another wait, change nothing", () => {
    const one = scene({ session: { USD: 5 } });
    end(one, hear(one), dollars(5));
    const { job_id = "", since = "" } = waitOf(one) ?? {};
    const press = { type: "raise_budget", thread_id: T1, job_id, since } as const;
    expect(one.types({ ...press, since: "2026-02-26T13:00:00.000Z" })).toEqual([]);
    expect(one.types({ ...press, job_id: job(9999) })).toEqual([]);
    expect(one.types(press)).toEqual(["BudgetRaised", "SessionUnparked"]);
    expect(one.types(press)).toEqual([]);
    expect(one.types({ ...press, type: "stop_at_budget" })).toEqual([]);
  });

  test("stopped at it, all stays; the running turn is ended, and it can go on later", () => {
    const one = scene({ session: { tokens: 100 } });
    const busy = hear(one);
    const waits = hear(one);
    one.learn(busy, { kind: "used", amounts: { tokens: 120 } });
    const { job_id = "", since = "" } = waitOf(one) ?? {};
    const stop = { type: "stop_at_budget", thread_id: T1, job_id, since } as const;
    expect(one.types(stop)).toEqual(["BudgetStopped", "JobCancelRequested"]);
    expect(one.types(stop)).toEqual([]);
    one.do({ type: "cancelled", job_id: busy, usage: { input_tokens: 130 } });
    one.do({ type: "progress", job_id: busy, progress: { kind: "gone" } });
    expect([waitOf(one)?.stopped, one.state.sessions[T1]?.queue]).toEqual([true, [waits]]);
    raise(one);
    expect([running(one), one.state.threads[T1]?.spent]).toEqual([waits, { tokens: 130 }]);
    one.checkReplay();
  });

  test("stopped at a day's, what runs in other sessions goes on to its end", () => {
    const one = scene({ day: { tokens: 100 } }, T2);
    const here = hear(one);
    const there = hear(one, T2);
    one.learn(here, { kind: "used", amounts: { tokens: 120 } });
    const { job_id = "", since = "" } = waitOf(one) ?? {};
    const stop = { type: "stop_at_budget", thread_id: T1, job_id, since } as const;
    expect(one.types(stop)).toEqual(["BudgetStopped", "JobCancelRequested"]);
    expect([here, there].map((id) => one.state.runs[id]?.cancelling)).toEqual([true, false]);
  });

  test("stopped at a day's, it waits for its owner on the next day too", () => {
    const one = scene({ day: { USD: 5 } });
    end(one, hear(one), dollars(6));
    const waits = hear(one);
    const { job_id = "", since = "", until = "" } = waitOf(one) ?? {};
    one.do({ type: "stop_at_budget", thread_id: T1, job_id, since });
    one.now = Date.parse(until);
    expect(one.types({ type: "start_waiting" })).toEqual([]);
    expect(one.types({ type: "unpark", thread_id: T1, job_id, by: "time" })).toEqual([]);
    raise(one);
    expect(running(one)).toBe(waits);
    one.checkReplay();
  });

  test("what an agent tells may be absurd", () => {
    const one = scene({ session: { USD: 5 } });
    end(one, hear(one), dollars(Number.MAX_VALUE));
    expect(waitOf(one)).toMatchObject({ used: 1e15 });
    one.checkReplay();
  });

  test("its own stands for the default; none, or one that is lowered below what is used, counts from the next start", () => {
    const one = scene({ session: { USD: 5 } });
    end(one, hear(one), dollars(4));
    one.do({ type: "choose_budget", thread_id: T1, budget: { USD: 3 } });
    const waits = hear(one);
    expect(waitOf(one)).toMatchObject({ job_id: waits, used: 4, limit: 3 });
    expect(one.types({ type: "choose_budget", thread_id: T1, budget: {} })).toEqual([
      "BudgetChosen",
      "SessionUnparked",
      "JobStarted",
    ]);
    end(one, waits, dollars(9));
    expect(waitOf(one)).toBeNull();
    one.do({ type: "choose_budget", thread_id: T1, budget: null });
    hear(one);
    expect(waitOf(one)).toMatchObject({ used: 13, limit: 5 });
  });

  test("a default that is raised in config.json lets it go on with the next command", () => {
    const one = scene({ session: { USD: 5 } });
    end(one, hear(one), dollars(5));
    const waits = hear(one);
    one.rules = { ...one.rules, budget: { ...NONE, session: { USD: 6 } } };
    expect(one.types({ type: "adopt_projects", projects: [] }).slice(-2)).toEqual(["SessionUnparked", "JobStarted"]);
    expect(running(one)).toBe(waits);
  });

  test("dropping what waits leaves the one prompt; another tool has the same budget", () => {
    const one = scene({ session: { USD: 5 } });
    end(one, hear(one), dollars(5));
    const { since } = waitOf(one) ?? {};
    one.do({ type: "cancel_job", job_id: hear(one), by: "owner" });
    one.do({ type: "change_tool", thread_id: T1, tool: "codex" });
    hear(one);
    expect(waitOf(one)?.since).toBe(since);
  });

  test("what was told before a crash counts, and a restart changes nothing", () => {
    const one = scene({ session: { tokens: 100 } });
    const cut = hear(one);
    one.learn(cut, { kind: "used", amounts: { tokens: 60 } });
    one.do({ type: "restart" });
    expect(one.state.threads[T1]?.spent).toEqual({ tokens: 60 });
    one.do({ type: "discard", job_id: cut });
    end(one, hear(one), { input_tokens: 40 });
    const wait = waitOf(one);
    expect(one.types({ type: "restart" })).toEqual([]);
    expect(waitOf(one)).toEqual(wait);
    one.checkReplay();
  });

  test.each([1, 2, 3])("a crash that keeps %i of what its end wrote starts nothing, and asks all the same", (kept) => {
    const one = scene({ session: { USD: 5 } });
    const last = hear(one);
    one.do({ type: "complete", job_id: last, ...END, usage: dollars(5) });
    one.crash(kept);
    one.do({ type: "restart" });
    one.do({ type: "progress", job_id: last, progress: { kind: "gone" } });
    one.do({ type: "queue_checked", thread_id: T1 });
    hear(one);
    expect([running(one), waitOf(one)?.asks, one.state.threads[T1]?.spent]).toEqual([
      null,
      true,
      { USD: 5, tokens: 15 },
    ]);
  });

  test.each([1, 2])("a crash that keeps %i of what a press wrote lets it go on", (kept) => {
    const one = scene({ session: { USD: 5 } });
    end(one, hear(one), dollars(5));
    const waits = hear(one);
    raise(one);
    one.crash(kept);
    one.do({ type: "restart" });
    one.do({ type: "queue_checked", thread_id: T1 });
    expect(running(one)).toBe(waits);
  });

  test("a session that waits at it can be forgotten; the day keeps what it used", () => {
    const one = scene({ session: { USD: 5 }, day: { USD: 8 } }, T2);
    end(one, hear(one), dollars(5));
    one.do({ type: "forget_session", thread_id: T1 });
    expect(one.state.threads[T1]?.wait).toBeNull();
    end(one, hear(one, T2), dollars(3));
    expect(waitOf(one, T2)).toMatchObject({ of: "day", used: 8 });
  });
});

describe("what is told meanwhile", () => {
  test("counts once, and not again at the end; the running turn goes on", () => {
    const one = scene({ session: { tokens: 100 } });
    const busy = hear(one);
    const used = (tokens: number): string[] =>
      one.types({ type: "progress", job_id: busy, progress: { kind: "used", amounts: { tokens } } });
    expect(used(60)).toEqual(["JobProgress"]);
    expect(used(60)).toEqual([]);
    expect(used(110)).toEqual(["JobProgress", "SessionParked"]);
    expect(used(120)).toEqual(["JobProgress"]);
    expect(running(one)).toBe(busy);
    end(one, busy, { input_tokens: 100, output_tokens: 25 });
    expect(one.state.threads[T1]?.spent).toEqual({ tokens: 125 });
    one.checkReplay();
  });

  test.each([
    [true, ["JobProgress", "SessionParked", "JobCancelRequested"]],
    [false, ["JobProgress", "SessionParked"]],
  ])("stops it where that is the rule: %s", (stops_now, types) => {
    const one = scene({ session: { tokens: 100 }, stops_now }, T2);
    const busy = hear(one);
    const beside = hear(one, T2);
    const progress = { kind: "used", amounts: { tokens: 100 } } as const;
    expect(one.types({ type: "progress", job_id: busy, progress })).toEqual(types);
    expect([one.state.runs[busy]?.cancelling, one.state.runs[beside]?.cancelling]).toEqual([stops_now, false]);
  });

  test("is no line in the journal where no budget counts it", () => {
    const one = scene({ session: { USD: 5 } });
    const progress = { kind: "used", amounts: { tokens: 100 } } as const;
    expect(one.types({ type: "progress", job_id: hear(one), progress })).toEqual([]);
  });

  test("stops all that runs where it is the day's", () => {
    const one = scene({ day: { tokens: 100 }, stops_now: true }, T2);
    const [busy, beside] = [hear(one), hear(one, T2)];
    one.learn(busy, { kind: "used", amounts: { tokens: 100 } });
    expect([one.state.runs[busy]?.cancelling, one.state.runs[beside]?.cancelling]).toEqual([true, true]);
  });
});

describe("a day's budget", () => {
  const DAY = 86_400_000;

  test("adds up all sessions, parks every queue, and asks in one thread", () => {
    const one = scene({ day: { USD: 5 } }, T2);
    end(one, hear(one), dollars(3));
    end(one, hear(one, T2), dollars(2));
    expect(waitOf(one, T2)).toMatchObject({ of: "day", used: 5, asks: true, until: "2026-02-27T00:00:00.000Z" });
    const [first, second] = [hear(one), hear(one, T2)];
    expect([running(one), running(one, T2), waitOf(one)?.asks]).toEqual([null, null, undefined]);
    const types = raise(one).map(({ type }) => type);
    expect(types.filter((type) => type === "SessionUnparked")).toHaveLength(2);
    expect([running(one), running(one, T2)]).toEqual([first, second]);
    one.checkReplay();
  });

  test("begins anew at midnight where its owner is; what was raised was for its day", () => {
    const one = scene({ day: { USD: 5 }, dayAt: inSeoul });
    end(one, hear(one), dollars(5));
    const { until = "", job_id = "" } = waitOf(one) ?? {};
    expect(until).toBe("2026-02-26T15:00:00.000Z");
    raise(one, 6);
    end(one, hear(one), dollars(1));
    const waits = hear(one);
    one.do({ type: "unpark", thread_id: T1, job_id, by: "owner" });
    expect(running(one)).toBeNull();
    one.now = Date.parse(until);
    expect(one.types({ type: "start_waiting" })).toEqual(["SessionUnparked", "JobStarted"]);
    end(one, waits, dollars(5));
    expect(waitOf(one)).toMatchObject({ used: 5, limit: 5, until: "2026-02-27T15:00:00.000Z" });
  });

  test("what a job that spans midnight tells counts when it is told", () => {
    const one = scene({ day: { tokens: 100 } });
    const long = hear(one);
    one.now = Date.parse("2026-02-26T23:59:00.000Z");
    one.learn(long, { kind: "used", amounts: { tokens: 90 } });
    one.now = Date.parse("2026-02-27T00:01:00.000Z");
    end(one, long, { input_tokens: 150 });
    expect([waitOf(one), budgetsIn(one.state, T1, one.rules, new Date(one.now).toISOString())[0]?.used]).toEqual([
      null,
      60,
    ]);
  });

  test("a clock that is set back within the day, or to the day before, neither loses nor doubles it", () => {
    const one = scene({ day: { USD: 5 } });
    one.now = Date.parse("2026-02-26T22:00:00.000Z");
    end(one, hear(one), dollars(3));
    one.now = Date.parse("2026-02-26T04:00:00.000Z");
    end(one, hear(one), dollars(2));
    expect(waitOf(one)).toMatchObject({ used: 5 });
    const waits = hear(one);
    one.now -= DAY;
    // It is another day now, of which nothing is used.
    expect(one.types({ type: "start_waiting" })).toEqual(["SessionUnparked", "JobStarted"]);
    one.now += DAY;
    end(one, waits, dollars(0.5));
    expect(waitOf(one)).toMatchObject({ used: 5.5 });
  });

  test("leaves alone what waits behind a job that runs, until that ends", () => {
    const one = scene({ day: { USD: 5 } }, T2);
    const [busy, last] = [hear(one), hear(one, T2)];
    const waits = hear(one);
    end(one, last, dollars(5));
    expect(one.state.threads[T1]?.wait).toBeNull();
    end(one, busy, dollars(1));
    expect([running(one), one.state.sessions[T1]?.queue, waitOf(one)?.asks]).toEqual([null, [waits], undefined]);
  });

  test("with another time zone it is another day", () => {
    const one = scene({ day: { USD: 5 } });
    one.now = Date.parse("2026-02-26T14:59:00.000Z");
    end(one, hear(one), dollars(5));
    const waits = hear(one);
    one.now = Date.parse("2026-02-26T15:30:00.000Z");
    one.rules = { ...one.rules, budget: { ...NONE, day: { USD: 5 }, dayAt: inSeoul } };
    one.do({ type: "start_waiting" });
    expect(running(one)).toBe(waits);
  });

  test("is asked about once more where its time has come and it is still used up", () => {
    const one = scene({ day: { USD: 5 } });
    end(one, hear(one), dollars(5));
    hear(one);
    const { job_id = "" } = waitOf(one) ?? {};
    expect(one.types({ type: "unpark", thread_id: T1, job_id, by: "time" })).toEqual([
      "SessionUnparked",
      "SessionParked",
    ]);
  });

  test("nothing is let go or parked while it is locked", () => {
    const one = scene({ day: { USD: 5 } });
    end(one, hear(one), dollars(5));
    hear(one);
    one.do({ type: "lock", by: "machine" });
    one.now += DAY;
    expect(one.types({ type: "start_waiting" })).toEqual([]);
    expect(() => raise(one)).toThrow("E_LOCKED");
    one.do({ type: "unlock", by: "shown", interaction_id: message(++number) });
    // What waits from before goes on when its owner says so.
    expect(one.state.threads[T1]?.wait).toMatchObject({ kind: "stuck", cause: "locked" });
  });
});

describe("the end of a job says", () => {
  const notes = (one: Scene, job_id: string): unknown => one.state.runs[job_id]?.budget;

  test.each([
    [3.99, undefined],
    [4, [{ kind: "used", of: "session", unit: "USD", used: 4, limit: 5 }]],
  ])("how much is used, from 80 %% on: %s", (amount, says) => {
    const one = scene({ session: { USD: 5 } });
    const done = hear(one);
    end(one, done, dollars(amount));
    expect(notes(one, done)).toEqual(says);
  });

  test.each<[string, Usage | null, Amounts, unknown]>([
    ["another currency, which is not compared", { cost_eur: 9 }, { USD: 5 }, "EUR"],
    ["no costs", { input_tokens: 7, output_tokens: 1 }, { USD: 5 }, null],
    ["nothing, as in a window", null, { USD: 5 }, null],
    ["no tokens", { cost_usd: 1 }, { tokens: 5 }, null],
    ["only how full its context is", { context_used: 9, context_size: 100 }, { tokens: 5 }, null],
  ])("once that a budget does not count it: its agent tells %s", (_what, usage, session, tells) => {
    const one = scene({ session });
    const done = hear(one);
    end(one, done, usage);
    expect(notes(one, done)).toEqual([{ kind: "uncounted", unit: Object.keys(session)[0], tells }]);
    const next = hear(one);
    end(one, next, usage);
    expect([notes(one, next), waitOf(one)]).toEqual([undefined, null]);
  });

  test("nothing of a command that used nothing", () => {
    const one = scene({ session: { USD: 5 } });
    const done = hear(one);
    end(one, done, { input_tokens: 0, output_tokens: 0 });
    expect(notes(one, done)).toBeUndefined();
  });
});

test("two units are two budgets: neither is added to or compared with the other", () => {
  const one = scene({ session: { USD: 5, EUR: 5, tokens: 100 } });
  end(one, hear(one), { input_tokens: 99, cost_usd: 4.9 });
  end(one, hear(one), { cost_eur: 4.9 });
  expect(waitOf(one)).toBeNull();
  end(one, hear(one), { input_tokens: 1, cost_eur: 0.1 });
  expect(waitOf(one)).toMatchObject({ unit: "EUR" });
  raise(one);
  hear(one);
  expect(waitOf(one)).toMatchObject({ unit: "tokens" });
});

test("an outside turn counts as well, and asks", () => {
  const one = scene({ session: { USD: 5 } });
  const turn_id = `turn_20260226_${"0".repeat(32)}`;
  one.do({ type: "begin_outside_turn", turn_id, thread_id: T1, tool: "claude", origin: "background" });
  one.do({ type: "end_outside_turn", turn_id, outcome: "done", usage: dollars(6) });
  expect(waitOf(one)).toMatchObject({ job_id: turn_id, used: 6 });
  one.checkReplay();
});

const amounts = fc.record({ USD: fc.integer({ min: 1, max: 400 }), tokens: fc.integer({ min: 1, max: 400 }) });
const step = fc.oneof(
  fc.record({
    kind: fc.constant("job" as const),
    thread: fc.constantFrom(T1, T2),
    told: fc.array(amounts, { maxLength: 3 }),
  }),
  fc.record({ kind: fc.constant("go on" as const), thread: fc.constantFrom(T1, T2) }),
  fc.record({ kind: fc.constant("later" as const), hours: fc.integer({ min: 1, max: 30 }) }),
  fc.record({ kind: fc.constant("restart" as const) }),
);

test("in every history: each thing told is counted once, for its session and its day; nothing starts at a budget that is used up; what is told never makes it less", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 25 }), (steps) => {
      const one = scene({ session: { USD: 500, tokens: 700 }, day: { USD: 800 } }, T2);
      one.rules = { ...one.rules, after_crash: "go_on", max_queue_per_session: 99 };
      const told: { thread: string; at: string; amounts: Amounts }[] = [];
      for (const what of steps) {
        const before = one.events.length;
        if (what.kind === "later") one.now += what.hours * 3_600_000;
        if (what.kind === "restart") one.do({ type: "restart" });
        if (what.kind === "later") one.do({ type: "start_waiting" });
        if (what.kind === "go on" && waitOf(one, what.thread)) raise(one, undefined, what.thread);
        if (what.kind === "job") {
          hear(one, what.thread);
          const busy = running(one, what.thread);
          let sum = { USD: 0, tokens: 0 };
          if (busy !== null) {
            for (const more of what.told) {
              sum = { USD: sum.USD + more.USD, tokens: sum.tokens + more.tokens };
              one.learn(busy, { kind: "used", amounts: sum });
              told.push({ thread: what.thread, at: new Date(one.now).toISOString(), amounts: more });
            }
            end(one, busy, what.told.length === 0 ? null : { input_tokens: sum.tokens, cost_usd: sum.USD });
          }
        }
        for (const event of one.events.slice(before)) {
          if (event.type !== "JobStarted") continue;
          // At the time of the start: what was told later in the same step is not in it.
          const until = told.filter(({ at }) => at <= event.ts);
          const used = (all: typeof told, unit: string): number =>
            all.reduce((sum, { amounts: { [unit]: n = 0 } }) => sum + n, 0);
          const mine = until.filter(({ thread }) => thread === event.payload.thread_id);
          const raisedTo = (of: string, unit: string): number =>
            Math.max(
              0,
              ...one.events.flatMap((e) =>
                e.type === "BudgetRaised" &&
                e.ts <= event.ts &&
                e.payload.of === of &&
                e.payload.unit === unit &&
                (of === "day"
                  ? e.ts.slice(0, 10) === event.ts.slice(0, 10)
                  : e.payload.thread_id === event.payload.thread_id)
                  ? [e.payload.to]
                  : [],
              ),
            );
          expect(used(mine, "USD")).toBeLessThan(Math.max(500, raisedTo("session", "USD")));
          expect(used(mine, "tokens")).toBeLessThan(Math.max(700, raisedTo("session", "tokens")));
          const today = until.filter(({ at }) => at.slice(0, 10) === event.ts.slice(0, 10));
          expect(used(today, "USD")).toBeLessThan(Math.max(800, raisedTo("day", "USD")));
        }
      }
      for (const thread of [T1, T2]) {
        const all = told.filter((one_) => one_.thread === thread);
        for (const unit of ["USD", "tokens"])
          expect(one.state.threads[thread]?.spent?.[unit] ?? 0).toBe(
            all.reduce((sum, { amounts: { [unit]: n = 0 } }) => sum + n, 0),
          );
      }
      one.checkReplay();
    }),
    { numRuns: RUNS },
  );
});

test.each<[Usage | null, Amounts]>([
  [null, {}],
  [{ duration_ms: 7, context_used: 9 }, {}],
  [
    { input_tokens: 1, output_tokens: 2, cost_usd: 0.5 },
    { tokens: 3, USD: 0.5 },
  ],
  [{ output_tokens: 2 }, { tokens: 2 }],
  [{ conversation_cost_eur: 4 }, {}],
])("what counts of %j", (usage, counts) => {
  expect(amountsOf(usage)).toEqual(counts);
});
