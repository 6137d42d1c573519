/**
 * The one loop: one step at a time of each thing, again when it fails, not for ever, and never with a journal that has
 * failed.
 */
import { describe, expect, test } from "vitest";
import type { Log } from "../../src/base/log.ts";
import { silentLog } from "../../src/base/log.ts";
import { emptyState } from "../../src/core/state.ts";
import type { Thread } from "../../src/core/sessions/thread.ts";
import type { Watcher, Engine } from "../../src/engine/engine.ts";
import { reconcile, type Reconciling } from "../../src/engine/reconcile.ts";
import { Scene, T1, T2 } from "../core/scene.ts";
import type { Kind } from "../../src/core/slice.ts";
import { createFakeClock } from "../fakes/fake-clock.ts";
import { part } from "../fakes/part.ts";

const MINUTE = 60_000;

function scene(
  all: readonly string[] = [],
  line?: (key: string) => string,
  follows: Reconciling["follows"] = { kinds: ["run"], all: () => all, about: (topic) => [topic] },
) {
  const clock = createFakeClock();
  const keepers = new Set<Watcher>();
  const ends = new Set<() => void>();
  const begun: string[] = [];
  const said: string[] = [];
  const open = new Map<string, PromiseWithResolvers<unknown>>();
  const wanted = new Set(all);
  const broken = new Set<string>();
  const due = new Map<string, number>();
  const looked: string[] = [];
  const signals = new Map<string, AbortSignal>();
  const members = {
    state: emptyState(),
    over: false,
    watch: (_kinds: readonly Kind[], keeper: Watcher) => (keepers.add(keeper), () => keepers.delete(keeper)),
    atEnd: (stop: () => void) => (ends.add(stop), () => ends.delete(stop)),
  };
  const engine = part<Engine>(members);
  const log: Log = { ...silentLog, failure: (text) => void said.push(text) };
  const reconciler = reconcile({
    engine,
    clock,
    log,
    failure: "it failed",
    details: (key) => ({ key }),
    follows,
    ...(line && { line }),
    step(key, again, changed) {
      looked.push(key);
      signals.set(key, changed);
      if (broken.has(key)) throw new Error("a bug");
      if (due.has(key)) return due.get(key) ?? null;
      if (!wanted.has(key)) return null;
      begun.push(again ? `${key} again` : key);
      const step = Promise.withResolvers<unknown>();
      open.set(key, step);
      return step.promise;
    },
  });
  return {
    clock,
    engine,
    begun,
    said,
    wanted,
    broken,
    due,
    looked,
    signals,
    reconciler,
    change: (...topics: string[]) => keepers.forEach((keeper) => keeper(new Set(topics))),
    async end(key: string, result?: Error | number) {
      if (result instanceof Error) open.get(key)?.reject(result);
      else open.get(key)?.resolve(result);
      await clock.settle();
    },
    failEngine() {
      members.over = true;
      ends.forEach((stop) => stop());
    },
  };
}

test("at the start everything is looked at as what may have been begun before, and then what changes", () => {
  const { reconciler, change, wanted, begun } = scene(["a", "b"]);
  wanted.delete("b");
  reconciler.start();
  expect(begun).toEqual(["a again"]);
  wanted.add("b").add("c");
  change("b", "c", "d");
  expect(begun).toEqual(["a again", "b", "c"]);
});

test("one step at a time of each thing, and another where it changed meanwhile", async () => {
  const { reconciler, change, wanted, begun, end } = scene();
  reconciler.start();
  wanted.add("a");
  change("a");
  change("a");
  reconciler.markChanged("a");
  expect(begun).toEqual(["a"]);
  await end("a");
  expect(begun).toEqual(["a", "a"]);
  await end("a");
  expect(begun).toEqual(["a", "a"]);
});

test("a step that fails is taken again, later each time; it is said once, and when it is given up", async () => {
  const { reconciler, change, wanted, begun, said, end, clock } = scene();
  reconciler.start();
  wanted.add("a");
  change("a");
  for (const [after, pause] of [1_000, 2_000, 4_000, 8_000].entries()) {
    await end("a", new Error("no"));
    change("a");
    await clock.advance(pause - 1);
    expect(begun).toHaveLength(after + 1);
    await clock.advance(1);
    expect(begun).toHaveLength(after + 2);
  }
  expect(said).toEqual(["it failed"]);
  await end("a", new Error("no"));
  expect(said).toEqual(["it failed", "it failed; it is given up"]);
  await clock.advance(10 * MINUTE);
  expect(begun).toEqual(["a", "a again", "a again", "a again", "a again"]);
  change("a");
  expect(begun).toHaveLength(6);
});

test("what is given up stays alone for a minute, whatever changes; other things continue", async () => {
  const { reconciler, change, wanted, begun, end, clock } = scene();
  reconciler.start();
  wanted.add("a").add("b");
  change("a");
  for (const pause of [1_000, 2_000, 4_000, 8_000]) {
    await end("a", new Error("no"));
    await clock.advance(pause);
  }
  await end("a", new Error("no"));
  await clock.advance(MINUTE - 1);
  change("a", "b");
  expect(begun.slice(5)).toEqual(["b"]);
});

test.each([
  ["while it was given up", true],
  ["since", false],
])("what is given up and has changed %s is looked at when its minute is over", async (_name, during) => {
  const { reconciler, change, wanted, begun, end, clock } = scene();
  reconciler.start();
  wanted.add("a");
  change("a");
  for (const pause of [1_000, 2_000, 4_000, 8_000]) {
    await end("a", new Error("no"));
    await clock.advance(pause);
  }
  if (during) change("a");
  await end("a", new Error("no"));
  if (!during) change("a");
  change("a");
  await clock.advance(MINUTE - 1);
  expect(begun).toHaveLength(5);
  await clock.advance(1);
  expect(begun.slice(5)).toEqual(["a again"]);
  await end("a");
  expect(clock.armed).toBe(0);
});

test("a bug that throws where a step is chosen is a failed step of that thing alone", async () => {
  const { reconciler, change, wanted, broken, begun, said, clock } = scene();
  reconciler.start();
  broken.add("a");
  wanted.add("b");
  change("a", "b");
  await clock.settle();
  expect([begun, said]).toEqual([["b"], ["it failed"]]);
  broken.delete("a");
  wanted.add("a");
  await clock.advance(1_000);
  expect(begun).toEqual(["b", "a again"]);
});

describe("what is due later", () => {
  test("is looked at then, and at each change before", async () => {
    const { reconciler, change, due, wanted, looked, clock, end } = scene();
    due.set("a", 5_000);
    reconciler.start();
    change("a");
    await clock.advance(2_000);
    due.set("a", 10_000);
    change("a");
    expect(clock.armed).toBe(1);
    await clock.advance(9_999);
    expect(looked).toEqual(["a", "a"]);
    due.delete("a");
    wanted.add("a");
    await clock.advance(1);
    await end("a");
    expect([looked, clock.armed]).toEqual([["a", "a", "a"], 0]);
  });

  test("may be what a step ends with; a change during the step is looked at before", async () => {
    const { reconciler, change, wanted, looked, end, clock } = scene();
    reconciler.start();
    wanted.add("a");
    change("a");
    await end("a", 5_000);
    await clock.advance(4_999);
    expect(looked).toHaveLength(1);
    await clock.advance(1);
    expect(looked).toHaveLength(2);
    change("a");
    await end("a", 5_000);
    expect(looked).toHaveLength(3);
    await end("a");
    expect(clock.armed).toBe(0);
    change("a");
    const closed = reconciler.close();
    await end("a", 5_000);
    await closed;
    expect(clock.armed).toBe(0);
  });

  test("leaves no timer where nothing is wanted any more, or at the end", async () => {
    const { reconciler, change, due, clock } = scene();
    due.set("a", 5_000).set("b", 5_000);
    reconciler.start();
    change("a", "b");
    due.delete("a");
    change("a");
    expect(clock.armed).toBe(1);
    await reconciler.close();
    expect(clock.armed).toBe(0);
  });
});

test("a step is told when its thing changes, and when the reconciler closes, which waits for it", async () => {
  const { reconciler, change, wanted, signals, end, clock } = scene();
  reconciler.start();
  wanted.add("a").add("b");
  change("a", "b");
  change("a");
  expect([signals.get("a")?.aborted, signals.get("b")?.aborted]).toEqual([true, false]);
  await end("a");
  expect(signals.get("a")?.aborted).toBe(false);
  let isClosed = false;
  const closed = reconciler.close().then(() => (isClosed = true));
  await clock.settle();
  expect([signals.get("a")?.aborted, signals.get("b")?.aborted, isClosed]).toEqual([true, true, false]);
  await end("a");
  await end("b");
  await closed;
});

test("four of a line have a step in progress; the next begins when one ends, in its turn and only if it is still wanted", async () => {
  const { reconciler, change, wanted, begun, due, end } = scene(["a1"], (key) => key.charAt(0));
  reconciler.start();
  const names = ["a2", "a3", "a4", "a5", "a6", "a7", "a8", "b1"];
  names.forEach((name) => wanted.add(name));
  change(...names);
  expect(begun).toEqual(["a1 again", "a2", "a3", "a4", "b1"]);
  wanted.delete("a5");
  due.set("a6", MINUTE);
  // One that changed during its step goes to the end.
  change("a2", "a7");
  await end("a2");
  expect(begun.slice(5)).toEqual(["a7"]);
  await end("a3", new Error("no"));
  await end("a4");
  expect(begun.slice(6)).toEqual(["a8", "a2"]);
  for (const name of ["a1", "a2", "a7", "a8", "b1"]) await end(name);
  await reconciler.whenIdle();
  expect(begun).toHaveLength(8);
});

test("what waits in a line is settled only when it is done, is tried as what may have been begun, and not after the end", async () => {
  const names = ["a1", "a2", "a3", "a4", "a5", "a6"];
  const { reconciler, begun, end, clock } = scene(names, () => "a");
  reconciler.start();
  let isSettled = false;
  const settled = reconciler.whenIdle().then(() => (isSettled = true));
  for (const name of names.slice(0, 4)) await end(name);
  await clock.settle();
  expect([isSettled, begun.slice(4)]).toEqual([false, ["a5 again", "a6 again"]]);
  await end("a5");
  await end("a6");
  await settled;

  const other = scene(names, () => "a");
  other.reconciler.start();
  const closed = other.reconciler.close();
  for (const name of names.slice(0, 4)) await other.end(name);
  await closed;
  expect(other.begun).toHaveLength(4);
});

test("a step that succeeds forgets what failed before", async () => {
  const { reconciler, change, wanted, begun, said, end, clock } = scene();
  reconciler.start();
  wanted.add("a");
  for (let round = 0; round < 10; round += 1) {
    change("a");
    await end("a", new Error("no"));
    await clock.advance(1_000);
    await end("a");
  }
  expect(begun).toHaveLength(20);
  expect(said.every((one) => one === "it failed")).toBe(true);
});

test.each<[string, (one: ReturnType<typeof scene>) => void]>([
  ["a journal that has failed", (one) => one.failEngine()],
  ["its end", (one) => void one.reconciler.close()],
])("with %s nothing is begun, retried or reported any more", async (_name, stop) => {
  const one = scene();
  one.reconciler.start();
  one.wanted.add("a").add("b").add("c");
  one.change("a", "b");
  await one.end("a", new Error("no"));
  stop(one);
  await one.end("b", new Error("no"));
  one.change("a", "b", "c");
  one.reconciler.markChanged("c");
  await one.clock.advance(10 * MINUTE);
  expect(one.begun).toEqual(["a", "b"]);
  expect(one.said).toEqual(["it failed"]);
  expect(one.clock.armed).toBe(0);
});

describe("a reconciler that follows a part of the state", () => {
  const following = () => {
    const { threads } = new Scene().withSessions(T1, T2).state;
    const one = scene([], undefined, "waiting");
    Object.assign(one.engine.state, { threads });
    one.reconciler.start();
    return { ...one, park: (id: string, wait: Thread["wait"]) => void Object.assign(threads[id] ?? {}, { wait }) };
  };
  const wait: Thread["wait"] = { kind: "terminal", job_id: "j1", why: "busy" } as never;

  test("is called for nothing else", () => {
    const one = following();
    one.change(T1, T2, "projects", "starts");
    expect(one.looked).toEqual([]);
    one.park(T2, wait);
    one.change(T1, T2);
    expect(one.looked).toEqual([T2]);
  });

  test("is called once more for what leaves it while there is something to be done", () => {
    const one = following();
    one.due.set(T2, MINUTE);
    one.park(T2, wait);
    one.change(T2);
    one.park(T2, null);
    one.due.delete(T2);
    one.change(T2);
    one.change(T2);
    expect(one.looked).toEqual([T2, T2]);
  });
});
