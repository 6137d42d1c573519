/** The engine's promises: nothing is believed before it is on disk, and a disk that fails ends all promises. */
import { describe, expect, test } from "vitest";
import { BellhopError } from "../../src/base/errors.ts";
import { systemClock } from "../../src/base/clock.ts";
import type { Command } from "../../src/core/slices.ts";
import { emptyState, type RecordedEvent } from "../../src/core/state.ts";
import { evolve } from "../../src/core/evolve.ts";
import { createEngine, type Engine } from "../../src/engine/engine.ts";
import { asItIs } from "../fakes/no-secrets.ts";

const rules = {
  max_queue_per_session: 20,
  global_max_running: 2,
  after_crash: "wait",
  resume_after_limit: "ask",
  max_prompt_chars: 1000,
} as const;

const create = (name: string): Command => ({
  type: "create_project",
  project: { name, path: "/app", enabled_tools: ["claude"], default_tool: "claude", default_args: {} },
});

/** An engine whose disk answers when told to. */
function held(): { engine: Engine; written: RecordedEvent[]; answer(error?: Error): void; broken: unknown[] } {
  const waiting: PromiseWithResolvers<void>[] = [];
  const written: RecordedEvent[] = [];
  const broken: unknown[] = [];
  const engine = createEngine({
    redact: asItIs,
    state: emptyState(),
    clock: systemClock,
    rules: () => rules,
    reconcilerFailed: (error) => broken.push(error),
    append(events) {
      const done = Promise.withResolvers<void>();
      waiting.push(done);
      return done.promise.then(() => void written.push(...events));
    },
  });
  const answer = (error?: Error): void => {
    const done = waiting.shift();
    if (error) done?.reject(error);
    else done?.resolve();
  };
  return { engine, written, answer, broken };
}

describe("a change", () => {
  test("is seen by nobody before it is durable, and by keepers after", async () => {
    const { engine, answer } = held();
    const told: string[][] = [];
    engine.watch(["project"], (topics) => told.push([...topics]));
    const submitted = engine.submit(create("app"));
    expect(engine.state.projects).toEqual({});
    answer();
    await submitted;
    expect(Object.keys(engine.state.projects)).toEqual(["app"]);
    await Promise.resolve();
    expect(told).toEqual([["projects"]]);
  });

  test("is decided on what is in flight, so the same name is not given twice", async () => {
    const { engine, answer } = held();
    const first = engine.submit(create("app"));
    await expect(engine.submit(create("app"))).rejects.toMatchObject({ code: "E_PROJECT_EXISTS" });
    answer();
    await first;
  });

  test("that finds nothing left to do waits until what was done before it is seen", async () => {
    const { engine, answer } = held();
    const open: Command = {
      type: "open_channel",
      channel_id: "300000000000000001",
      guild_id: null,
      bot_id: "4",
      kind: "direct",
      since: "1",
    };
    const first = engine.submit(open);
    const second = engine.submit(open).then((events) => [events.length, Object.keys(engine.state.channels)]);
    answer();
    expect(await second).toEqual([0, ["300000000000000001"]]);
    await first;
  });

  test("that was refused changed nothing", async () => {
    const { engine, answer, written } = held();
    await expect(engine.submit(create("Not A Name"))).rejects.toMatchObject({ code: "E_INVALID_NAME" });
    const after = engine.submit(create("fine"));
    answer();
    await after;
    expect(written.map(({ type }) => type)).toEqual(["ProjectCreated"]);
    const replayed = emptyState();
    written.forEach((event) => evolve(replayed, event));
    expect(replayed).toEqual(engine.state);
  });
});

describe("a bug of ours", () => {
  test("that makes an event no journal could hold is refused as one, and nothing happened", async () => {
    const { engine, answer, written } = held();
    const bad = {
      ...create("app"),
      project: {
        name: "app",
        path: "/app",
        enabled_tools: ["claude"],
        default_tool: "claude",
        default_args: { claude: [undefined] },
      },
    };
    const refused = engine.submit(bad as unknown as Command);
    await expect(refused).rejects.toThrow(TypeError);
    const after = engine.submit(create("app"));
    answer();
    await after;
    expect(written.map(({ type }) => type)).toEqual(["ProjectCreated"]);
    expect(engine.state.projects["app"]?.number).toBe(1);
  });

  test("in the writing ends all promises as well, and is not told as the disk's failure", async () => {
    const { engine, answer } = held();
    const submitted = engine.submit(create("app"));
    answer(new TypeError("a bug"));
    await expect(submitted).rejects.toMatchObject({ code: "E_INTERNAL" });
    expect(await engine.failed).toMatchObject({ code: "E_INTERNAL", details: { reason: "TypeError: a bug" } });
    await expect(engine.submit(create("other"))).rejects.toMatchObject({ code: "E_INTERNAL" });
  });
});

describe("a disk that fails", () => {
  test("is reported to the caller who submitted, to the daemon, and to every later caller", async () => {
    const { engine, answer } = held();
    const submitted = engine.submit(create("app"));
    answer(new BellhopError("E_JOURNAL_WRITE", { error: "ENOSPC" }));
    await expect(submitted).rejects.toMatchObject({ code: "E_JOURNAL_WRITE" });
    expect(await engine.failed).toMatchObject({ code: "E_JOURNAL_WRITE" });
    await expect(engine.submit(create("other"))).rejects.toMatchObject({ code: "E_JOURNAL_WRITE" });
    expect(engine.state.projects).toEqual({});
  });

  test("stops, in that very moment and once each, all that act on the world, and those at once that come later", async () => {
    const { engine, answer, broken } = held();
    const stopped: string[] = [];
    engine.atEnd(() => {
      throw new Error("a bug");
    });
    engine.atEnd(() => stopped.push("first"));
    engine.atEnd(() => stopped.push("forgotten"))();
    const both = [engine.submit(create("app")), engine.submit(create("other"))];
    for (const one of both) one.catch(() => stopped.push("told"));
    expect([engine.over, stopped]).toEqual([false, []]);
    answer(new BellhopError("E_JOURNAL_WRITE", {}));
    answer(new BellhopError("E_JOURNAL_WRITE", {}));
    await Promise.allSettled(both);
    engine.atEnd(() => stopped.push("late"));
    expect([engine.over, stopped, broken.length]).toEqual([true, ["first", "told", "told", "late"], 1]);
  });

  test("is told to those who watch its kind", async () => {
    const { engine, answer } = held();
    const told: string[] = [];
    engine.watch(["queue", "project"], () => told.push("project"));
    engine.watch(["queue", "run"], () => told.push("work"));
    const submitted = engine.submit(create("app"));
    answer();
    await submitted;
    await Promise.resolve();
    expect(told).toEqual(["project"]);
  });

  test("leaves keepers and those who wait untold of what became durable before it", async () => {
    const { engine, answer } = held();
    const told: string[] = [];
    engine.watch(["project"], () => told.push("keeper"));
    void engine.until((state) => state.projects["app"]).then(() => told.push("waiter"));
    const [first, second] = [engine.submit(create("app")), engine.submit(create("other"))];
    answer();
    answer(new BellhopError("E_JOURNAL_WRITE", {}));
    await Promise.allSettled([first, second]);
    await new Promise(setImmediate);
    expect(Object.keys(engine.state.projects)).toEqual(["app"]);
    expect(told).toEqual([]);
  });
});

describe("a reconciler", () => {
  test("that breaks does not take the others along", async () => {
    const { engine, answer, broken } = held();
    let told = 0;
    engine.watch(["project"], () => {
      throw new Error("a bug");
    });
    engine.watch(["project"], () => (told += 1));
    const submitted = engine.submit(create("app"));
    answer();
    await submitted;
    await Promise.resolve();
    expect([told, broken.length]).toEqual([1, 1]);
  });

  test("that has stopped watching is told nothing", async () => {
    const { engine, answer } = held();
    let told = 0;
    engine.watch(["project"], () => (told += 1))();
    const submitted = engine.submit(create("app"));
    answer();
    await submitted;
    await Promise.resolve();
    expect(told).toBe(0);
  });
});

test("until resolves at once with what is already so, and later with what becomes so", async () => {
  const { engine, answer } = held();
  expect(await engine.until((state) => state.version)).toBe(1);
  const later = engine.until((state) => state.projects["app"]?.number);
  const submitted = engine.submit(create("app"));
  answer();
  await submitted;
  expect(await later).toBe(1);
});
