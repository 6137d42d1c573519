/** The engine's promises: nothing is believed before it is on disk, and a disk that fails ends all promises. */
import { describe, expect, test } from "vitest";
import { BellhopError } from "../../src/base/errors.ts";
import { systemClock } from "../../src/base/clock.ts";
import { emptyState, evolve, type Command, type Recorded } from "../../src/core/house.ts";
import { createEngine, type Engine } from "../../src/engine/engine.ts";

const rules = { max_queue_per_session: 20, global_max_running: 2, after_crash: "wait", max_prompt_chars: 1000 } as const;

const create = (name: string): Command => ({
  type: "create_project",
  project: { name, path: "/app", enabled_tools: ["claude"], default_tool: "claude", default_args: {} },
});

/** An engine whose disk answers when told to. */
function held(): { engine: Engine; written: Recorded[]; answer(error?: Error): void; broken: unknown[] } {
  const waiting: PromiseWithResolvers<void>[] = [];
  const written: Recorded[] = [];
  const broken: unknown[] = [];
  const engine = createEngine({
    state: emptyState(),
    clock: systemClock,
    rules: () => rules,
    keeperFailed: (error) => broken.push(error),
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
    engine.watch((topics) => told.push([...topics]));
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
    const bad = { ...create("app"), project: { name: "app", path: "/app", enabled_tools: ["claude"], default_tool: "claude", default_args: { claude: [undefined] } } };
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
  test("is told to whoever submitted, to the daemon, and to everybody after", async () => {
    const { engine, answer } = held();
    const submitted = engine.submit(create("app"));
    answer(new BellhopError("E_JOURNAL_WRITE", { error: "ENOSPC" }));
    await expect(submitted).rejects.toMatchObject({ code: "E_JOURNAL_WRITE" });
    expect(await engine.failed).toMatchObject({ code: "E_JOURNAL_WRITE" });
    await expect(engine.submit(create("other"))).rejects.toMatchObject({ code: "E_JOURNAL_WRITE" });
    expect(engine.state.projects).toEqual({});
  });
});

describe("a keeper", () => {
  test("that breaks does not take the others along", async () => {
    const { engine, answer, broken } = held();
    let told = 0;
    engine.watch(() => {
      throw new Error("a bug");
    });
    engine.watch(() => (told += 1));
    const submitted = engine.submit(create("app"));
    answer();
    await submitted;
    await Promise.resolve();
    expect([told, broken.length]).toEqual([1, 1]);
  });

  test("that has stopped watching is told nothing", async () => {
    const { engine, answer } = held();
    let told = 0;
    engine.watch(() => (told += 1))();
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
