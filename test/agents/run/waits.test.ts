/**
 * A thread waits for its agent's limit, and for the right checkout; it goes on by itself or by its owner's word, and
 * others never wait.
 */
import { describe, expect, test } from "vitest";
import { openLimitWait } from "../../../src/agents/run/starts.ts";
import { isoTime, type Clock } from "../../../src/base/clock.ts";
import type { Rules } from "../../../src/core/jobs/job.ts";
import { changedWait, type Checkout } from "../../../src/core/projects/checkout.ts";
import { createFakeClock, type FakeClock } from "../../fakes/fake-clock.ts";
import { RunnerScene, T1, T2, today } from "./runner-scene.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** A wall clock that can be set. */
function settable(): { clock: FakeClock; set(byMs: number): void } {
  const clock = createFakeClock(Date.UTC(2026, 2, 1, 12));
  const { now } = clock;
  let shift = 0;
  clock.now = () => now() + shift;
  return { clock, set: (byMs) => void (shift += byMs) };
}

/** The first job of T1 met the limit, and another waits behind it. */
async function limited(
  resetsInMs: number | null = 3 * HOUR,
  { clock, rule = "go_on" }: { clock?: FakeClock; rule?: Rules["resume_after_limit"] } = {},
): Promise<RunnerScene> {
  const scene = new RunnerScene([], clock);
  scene.rules = { ...scene.rules, resume_after_limit: rule };
  await scene.withSessions(T1, T2);
  await scene.hear("one");
  await scene.hear("two");
  const run = await scene.run(1);
  const told = resetsInMs === null ? {} : { resets_at: scene.clock.now() + resetsInMs };
  run.fail(told, "E_USAGE_LIMIT");
  await scene.waits();
  await scene.free();
  return scene;
}

const until = (scene: RunnerScene, thread = T1): string | null => {
  const wait = scene.engine.state.threads[thread]?.wait;
  return wait?.kind === "limit" ? wait.until : null;
};

describe("an agent's limit before anything was done", () => {
  test("puts the job back first in its queue and the thread continues with it by itself, not before its time", async () => {
    const scene = await limited();
    expect(scene.engine.state.sessions[T1]).toMatchObject({ queue: [today(1), today(2)], running_job_id: null });
    expect(until(scene)).toBe("2026-03-01T15:00:00.000Z");
    await scene.hear("three");
    await scene.clock.advance(3 * HOUR - 1);
    expect(scene.runs).toHaveLength(1);
    await scene.clock.advance(1);
    expect((await scene.run(2)).request).toMatchObject({ jobId: today(1), text: "one" });
    scene.runs[1]?.done();
    expect((await scene.run(3)).request.text).toBe("two");
  });

  test("holds up no other thread", async () => {
    const scene = await limited();
    await scene.hear("elsewhere", T2);
    expect((await scene.run(2)).request.text).toBe("elsewhere");
  });

  test("met again makes it wait again, and then for its owner", async () => {
    const scene = await limited();
    await scene.clock.advance(3 * HOUR);
    (await scene.run(2)).fail({ resets_at: scene.clock.now() + HOUR }, "E_USAGE_LIMIT");
    await scene.waits();
    await scene.free();
    await scene.clock.advance(HOUR);
    expect(scene.runs).toHaveLength(2);
    expect(scene.engine.state.threads[T1]?.wait).toMatchObject({ kind: "limit", again: true, lifted: true });
    await scene.do({ type: "unpark", thread_id: T1, job_id: today(1), by: "owner" });
    await scene.run(3);
    expect(scene.events.filter(({ type }) => type === "JobPutBack")).toHaveLength(2);
  });

  test("starts nothing by itself where the owner is asked, however often its time comes, also after a restart", async () => {
    const scene = await limited(3 * HOUR, { rule: "ask" });
    await scene.clock.advance(3 * HOUR);
    expect(scene.engine.state.threads[T1]?.wait).toMatchObject({ kind: "limit", lifted: true });
    await scene.clock.advance(9 * HOUR);
    const back = new RunnerScene(scene.events, createFakeClock(scene.clock.now()));
    await back.do({ type: "restart" });
    await back.do({ type: "queue_checked", thread_id: T1 });
    back.keep();
    await back.clock.advance(HOUR);
    expect([scene.runs.length, back.runs.length]).toEqual([1, 0]);
    expect(back.events.filter(({ type }) => type === "LimitLifted")).toHaveLength(1);
    await back.do({ type: "unpark", thread_id: T1, job_id: today(1), by: "owner" });
    expect((await back.run(1)).request.jobId).toBe(today(1));
  });

  test.each([
    ["is not told", null, 5 * MINUTE, true],
    ["has just passed", -1, 5 * MINUTE, true],
    ["passed long ago", -24 * HOUR, 5 * MINUTE, true],
    ["is now", 0, 5 * MINUTE, true],
    ["is a second away", 1000, MINUTE, undefined],
    ["is 31 days away", 31 * 24 * HOUR, 31 * 24 * HOUR, undefined],
    ["is a year away", 365 * 24 * HOUR, 5 * MINUTE, true],
    ["is no time at all", Number.NaN, 5 * MINUTE, true],
  ])("whose end %s is tried again in a bearable time", async (_what, resetsInMs, waitsMs, untimed) => {
    const scene = await limited(resetsInMs);
    expect(until(scene)).toBe(isoTime(scene.clock.now() + waitsMs));
    const { wait } = scene.engine.state.threads[T1] ?? {};
    expect(wait?.kind === "limit" && wait.untimed).toBe(untimed);
  });

  test.each([
    ["is not told", null],
    ["has passed", -HOUR],
    ["is a year away", 365 * 24 * HOUR],
  ])(
    "whose end %s is asked about at once where the owner is asked, and never tried by itself",
    async (_what, resetsInMs) => {
      const scene = await limited(resetsInMs, { rule: "ask" });
      expect(scene.engine.state.threads[T1]?.wait).toMatchObject({ kind: "limit", untimed: true, lifted: true });
      await scene.clock.advance(24 * HOUR);
      expect(scene.runs).toHaveLength(1);
      expect(scene.events.filter(({ type }) => type === "LimitLifted")).toHaveLength(1);
      await scene.do({ type: "unpark", thread_id: T1, job_id: today(1), by: "owner" });
      expect((await scene.run(2)).request.jobId).toBe(today(1));
    },
  );

  /** The last run meets the limit once more. */
  async function meets(scene: RunnerScene, run: number, resets_at?: number): Promise<void> {
    (await scene.run(run)).fail(resets_at === undefined ? {} : { resets_at }, "E_USAGE_LIMIT");
    await scene.waits();
    await scene.free();
  }

  test("without a usable time is tried after 5, 15 and 60 minutes, and then its owner is asked once", async () => {
    const scene = await limited(null);
    for (const [tried, minutes] of [5, 15, 60].entries()) {
      await scene.clock.advance(minutes * MINUTE - 1);
      expect(scene.runs).toHaveLength(tried + 1);
      await scene.clock.advance(1);
      // It may name its time again, always the same.
      await meets(scene, tried + 2, scene.clock.now() - HOUR);
    }
    expect(scene.engine.state.threads[T1]?.wait).toMatchObject({ untimed: true, lifted: true });
    await scene.clock.advance(24 * HOUR);
    expect(scene.runs).toHaveLength(4);
    expect(scene.events.filter(({ type }) => type === "LimitLifted")).toHaveLength(1);
    await scene.do({ type: "unpark", thread_id: T1, job_id: today(1), by: "owner" });
    // What its owner has it try is counted anew.
    await meets(scene, 5);
    expect(until(scene)).toBe(isoTime(scene.clock.now() + 5 * MINUTE));
  });

  test("is counted across a restart, and a time that is told meanwhile is waited for", async () => {
    const scene = await limited(null);
    await scene.clock.advance(5 * MINUTE);
    await meets(scene, 2);
    const back = new RunnerScene(scene.events, createFakeClock(scene.clock.now()));
    back.rules = scene.rules;
    await back.do({ type: "restart" });
    await back.do({ type: "queue_checked", thread_id: T1 });
    back.keep();
    expect(until(back)).toBe(isoTime(back.clock.now() + 15 * MINUTE));
    await back.clock.advance(15 * MINUTE);
    await meets(back, 1, back.clock.now() + 2 * HOUR);
    expect(back.engine.state.threads[T1]?.wait).not.toHaveProperty("untimed");
    expect(until(back)).toBe(isoTime(back.clock.now() + 2 * HOUR));
  });

  test("that is told twice, by the job that went on at its time, is asked about at once", async () => {
    const scene = await limited(3 * HOUR);
    const told = scene.clock.now() + 3 * HOUR;
    await scene.clock.advance(3 * HOUR);
    await meets(scene, 2, told);
    expect(scene.engine.state.threads[T1]?.wait).toMatchObject({ again: true, untimed: true, lifted: true });
    await scene.clock.advance(24 * HOUR);
    expect(scene.runs).toHaveLength(2);
  });

  test("ends by the owner's word at once, and by its time no second time", async () => {
    const scene = await limited();
    await scene.do({ type: "unpark", thread_id: T1, job_id: today(1), by: "owner" });
    (await scene.run(2)).done();
    await scene.run(3);
    await scene.clock.advance(4 * HOUR);
    expect(scene.events.filter(({ type }) => type === "SessionUnparked")).toHaveLength(1);
  });

  test("is over at the start when its time came while nobody was there, and else when it comes", async () => {
    for (const [downMs, leftMs] of [
      [5 * HOUR, 0],
      [HOUR, 2 * HOUR],
    ] as const) {
      const before = await limited();
      const back = new RunnerScene(before.events, createFakeClock(before.clock.now() + downMs));
      back.rules = before.rules;
      await back.do({ type: "restart" });
      await back.do({ type: "queue_checked", thread_id: T1 });
      back.keep();
      await back.clock.settle();
      expect(back.runs).toHaveLength(leftMs === 0 ? 1 : 0);
      await back.clock.advance(leftMs);
      expect((await back.run(1)).request.jobId).toBe(today(1));
    }
  });

  test("is over soon after a machine that slept past its time wakes", async () => {
    const { clock, set } = settable();
    const scene = await limited(3 * HOUR, { clock });
    // The wall clock went on, timers did not.
    set(8 * HOUR);
    await clock.advance(30_000);
    await scene.run(2);
  });

  test("makes nobody wait longer because the clock was set back", async () => {
    const { clock, set } = settable();
    const scene = await limited(3 * HOUR, { clock });
    set(-365 * 24 * HOUR);
    await clock.advance(3 * HOUR);
    await scene.run(2);
  });
});

describe("an agent's limit after something was done", () => {
  test.each([
    ["a tool had begun", [{ kind: "tool_started", id: "1", name: "Bash", title: "rm", input: {} }], {}],
    ["a tool had finished", [{ kind: "tool_finished", id: "1", ok: true, summary: "" }], {}],
    ["nobody knows which tools ran", [], { tools: "unknown" }],
  ] as const)("fails the job where %s, and only what waits continues by itself", async (_what, said, details) => {
    const scene = new RunnerScene();
    scene.rules = { ...scene.rules, resume_after_limit: "go_on" };
    await scene.withSessions(T1);
    await scene.hear("one");
    await scene.hear("two");
    const run = await scene.run(1);
    run.say(...said);
    run.fail({ ...details, resets_at: scene.clock.now() + HOUR }, "E_USAGE_LIMIT");
    await scene.waits();
    await scene.free();
    expect(scene.engine.state.jobs[today(1)]).toMatchObject({ state: "failed", error_code: "E_USAGE_LIMIT" });
    await scene.clock.advance(HOUR - 1);
    expect(scene.runs).toHaveLength(1);
    await scene.clock.advance(1);
    expect((await scene.run(2)).request.text).toBe("two");
  });
});

test("a closed limit wait lets nothing continue", async () => {
  const scene = await new RunnerScene().withSessions(T1);
  await scene.hear();
  const own = createFakeClock(scene.clock.now());
  const parking = openLimitWait({ ...scene.options, clock: own satisfies Clock });
  parking.start();
  (await scene.run(1)).fail({ resets_at: scene.clock.now() + HOUR }, "E_USAGE_LIMIT");
  await scene.waits();
  expect(own.armed).toBe(1);
  parking.close();
  expect(own.armed).toBe(0);
});

describe("a conversation", () => {
  const main: Checkout = { cwd: "/srv/app", branch: "main", head: "a".repeat(40), tree: "1".repeat(40) };
  const b = "b".repeat(40);

  /** Left in `was`; the next prompt finds `is`. */
  async function found(was: Partial<Checkout>, is: Partial<Checkout>, onTop: string[] = []): Promise<RunnerScene> {
    const scene = await new RunnerScene().withSessions(T1, T2);
    scene.checkout = { ...main, ...was };
    await scene.answered();
    scene.checkout = { ...main, ...is };
    scene.onTop = new Set(onTop);
    await scene.hear("go on");
    return scene;
  }

  test.each([
    ["nothing has moved", {}, {}, []],
    ["only files have changed", {}, { tree: "2".repeat(40) }, []],
    ["commits were added on its branch", {}, { head: b }, [b]],
    [
      "there is no version control",
      { branch: null, head: null, tree: null },
      { branch: null, head: null, tree: null },
      [],
    ],
    ["there was no version control yet", { branch: null, head: null, tree: null }, {}, []],
    ["its branch had no commit yet", { head: null }, { head: b }, []],
    ["its head is detached, as it was", { branch: null }, { branch: null }, []],
  ] as const)("continues unasked where %s", async (_what, was, is, onTop) => {
    const scene = await found(was, is, [...onTop]);
    expect((await scene.run(2)).request).toMatchObject({ text: "go on", key: "s1" });
    expect(scene.engine.state.threads[T1]?.wait).toBeNull();
  });

  test.each([
    ["its directory is another", {}, { cwd: "/srv/worktree" }],
    ["another branch is checked out", {}, { branch: "other" }],
    ["another branch of the same commit is checked out", {}, { branch: "other", head: b }],
    ["its branch was rewritten", {}, { head: b }],
    ["its branch has no commit any more", {}, { head: null }],
    ["its head is detached", {}, { branch: null }],
    ["another commit is checked out without a branch", { branch: null }, { branch: null, head: b }],
    ["the repository is gone", {}, { branch: null, head: null, tree: null }],
  ] as const)("is not gone on with unasked where %s", async (_what, was, is) => {
    const scene = await found(was, is);
    await scene.waits();
    await scene.free();
    const wait = scene.engine.state.threads[T1]?.wait;
    expect(wait).toEqual(
      changedWait(today(2), {
        checkout: { was: { ...main, ...was, tree: null }, is: { ...main, ...is, tree: null } },
      }),
    );
    expect(scene.engine.state.jobs[today(2)]?.state).toBe("queued");
    await scene.hear("elsewhere", T2);
    expect((await scene.run(2)).request.text).toBe("elsewhere");
  });

  test("may continue in what its own job left: other commits, another branch", async () => {
    const scene = await new RunnerScene().withSessions(T1);
    await scene.hear("commit it elsewhere");
    const run = await scene.run(1);
    run.say({ kind: "session_key", key: "s1" });
    await scene.engine.until(({ runs }) => runs[today(1)]?.begun?.checkout != null);
    scene.checkout = { ...main, branch: "feature", head: b, tree: "2".repeat(40) };
    run.done();
    await scene.hear("go on");
    expect((await scene.run(2)).request.key).toBe("s1");
  });

  test("is left where its agent ended, whatever is checked out right after that", async () => {
    const scene = await new RunnerScene().withSessions(T1);
    await scene.hear();
    const run = await scene.run(1);
    run.say({ kind: "session_key", key: "s1" });
    scene.finishing = () => void (scene.checkout = { ...main, branch: "other", head: b });
    run.done();
    await scene.free();
    expect(scene.engine.state.threads[T1]?.checkout).toEqual({ ...main, tree: null });
    await scene.hear("go on");
    await scene.waits();
  });

  test("is each tool's own, left in its own checkout, also by a job that was running when the tool was changed", async () => {
    for (const whileItRuns of [false, true]) {
      const scene = await new RunnerScene().withSessions(T1);
      await scene.hear();
      const run = await scene.run(1);
      run.say({ kind: "session_key", key: "s1" });
      if (whileItRuns) await scene.do({ type: "change_tool", thread_id: T1, tool: "codex" });
      run.done();
      await scene.free();
      if (!whileItRuns) await scene.do({ type: "change_tool", thread_id: T1, tool: "codex" });
      scene.checkout = { ...main, branch: "other" };
      await scene.hear();
      (await scene.run(2)).done();
      await scene.free();
      await scene.do({ type: "change_tool", thread_id: T1, tool: "claude" });
      await scene.hear();
      await scene.waits();
      expect(scene.engine.state.threads[T1]?.wait).toMatchObject({
        checkout: { was: { branch: "main" }, is: { branch: "other" } },
      });
    }
  });

  test("that there is none of yet asks nothing", async () => {
    const scene = await new RunnerScene().withSessions(T1);
    await scene.hear();
    (await scene.run(1)).done();
    await scene.free();
    scene.checkout = { ...main, branch: "other" };
    await scene.hear();
    expect((await scene.run(2)).request.key).toBeNull();
  });

  describe("that waits for an answer", () => {
    const asked = async (): Promise<RunnerScene> => {
      const scene = await found({}, { branch: "other", head: b });
      await scene.waits();
      await scene.free();
      await scene.hear("after that");
      return scene;
    };
    const answer = (scene: RunnerScene, by: "seen" | "fresh"): Promise<string[]> => scene.accept(today(2), by);

    test("continues here, and from here on is not asked for it again", async () => {
      const scene = await asked();
      await answer(scene, "seen");
      expect((await scene.run(2)).request).toMatchObject({ text: "go on", key: "s1" });
      scene.runs[1]?.done();
      expect((await scene.run(3)).request).toMatchObject({ text: "after that", key: "s1" });
    });

    test("is asked for again where the checkout has become a third one meanwhile", async () => {
      const scene = await asked();
      scene.checkout = { ...main, branch: "third" };
      await answer(scene, "seen");
      await scene.engine.until(
        ({ threads }) => threads[T1]?.wait?.kind === "changed" && threads[T1].wait.checkout?.is.branch === "third",
      );
      expect(scene.runs).toHaveLength(1);
    });

    test("begins anew here", async () => {
      const scene = await asked();
      await answer(scene, "fresh");
      expect((await scene.run(2)).request).toMatchObject({ text: "go on", key: null });
    });

    test("continues without the job, and asks for the next one", async () => {
      const scene = await asked();
      await scene.do({ type: "cancel_job", job_id: today(2), by: "owner" });
      await scene.engine.until(({ threads }) => threads[T1]?.wait?.job_id === today(3));
      expect(scene.engine.state.jobs[today(2)]?.state).toBe("cancelled");
      expect(scene.runs).toHaveLength(1);
    });

    test("waits no more when the session goes on with another tool, whose conversation no late answer ends", async () => {
      const scene = await asked();
      await scene.do({ type: "change_tool", thread_id: T1, tool: "codex" });
      const run = await scene.run(2);
      run.say({ kind: "session_key", key: "codex-1" });
      expect([await answer(scene, "fresh"), await answer(scene, "seen")]).toEqual([[], []]);
      run.done();
      expect((await scene.run(3)).request.key).toBe("codex-1");
      await scene.do({ type: "change_tool", thread_id: T1, tool: "claude" });
      scene.runs[2]?.done();
      await scene.free();
      await scene.hear("back again");
      await scene.waits();
      expect(scene.engine.state.threads[T1]?.wait).toMatchObject({ checkout: { is: { branch: "other" } } });
    });

    test("still waits after a restart", async () => {
      const before = await asked();
      const back = new RunnerScene(before.events, createFakeClock(before.clock.now()));
      await back.do({ type: "restart" });
      await back.do({ type: "queue_checked", thread_id: T1 });
      back.checkout = before.checkout;
      back.keep();
      await back.clock.settle();
      expect(back.runs).toHaveLength(0);
      await answer(back, "seen");
      expect((await back.run(1)).request.text).toBe("go on");
    });
  });
});

describe("what Claude may always do", () => {
  test("is told of the job before which it was found, and keeps it from nothing", async () => {
    const scene = new RunnerScene();
    scene.allowed = ["Bash(ls)"];
    await scene.withSessions(T1);
    await scene.hear("one");
    (await scene.run(1)).done();
    await scene.free();
    scene.allowed = ["Bash(ls)", "Edit"];
    await scene.hear("two");
    (await scene.run(2)).done();
    await scene.free();
    expect([1, 2].map((number) => scene.engine.state.runs[today(number)]?.allowed)).toEqual([["Bash(ls)"], ["Edit"]]);
    await scene.hear("three");
    (await scene.run(3)).done();
    await scene.free();
    expect(scene.events.filter(({ type }) => type === "RulesAllowed")).toHaveLength(2);
  });
});

test("`.env` is looked at where one of the project's agents reads it", async () => {
  const scene = new RunnerScene();
  await scene.withSessions(T1);
  await scene.hear("one");
  (await scene.run(1)).done();
  await scene.free();
  scene.readsDotenv = "codex";
  await scene.hear("two");
  await scene.waits();
  expect(scene.engine.state.threads[T1]?.wait).toMatchObject({ configuration: { project_name: "app" } });
  expect(scene.differences[0]).toMatch(/\n=== \.env \(new\)\n\+ read$/);
});
