/** Which agents live: who sleeps when, what keeps one awake, and what its thread is told of what ended with it. */
import { describe, expect, test } from "vitest";
import type { Agent, Driver } from "../../../src/agents/contract/driver.ts";
import {
  openLivingAgents,
  type LiveDependencies,
  type LivingAgents,
  type OutsidePlace,
} from "../../../src/agents/live/living-agents.ts";
import { noUpdates, unopenedAgent } from "../../../src/agents/process/dialect.ts";
import { recordLost } from "../../../src/agents/run/outside-turn.ts";
import { RunnerScene, T1, T2 } from "../run/runner-scene.ts";

const MINUTE = 60_000;
const LIMITS = { agents: 4, idleMs: 15 * MINUTE, backgroundMs: 240 * MINUTE };

/** An agent that does nothing but live. */
class Sitting {
  readonly #gone = Promise.withResolvers<void>();
  background: string[] = [];
  heard = 0;
  closed = false;
  /** It outlives the daemon. */
  detach?: () => Promise<void>;

  get agent(): Agent {
    const facts = () => ({ commands: [{ name: "echo", description: "Says it again", hint: "" }] });
    const still = {
      facts,
      process: { pid: 1, startTime: "1" },
      between: noUpdates(),
      gone: this.#gone.promise,
      heardAt: () => this.heard,
      close: () => this.end(),
      ...(this.detach && { detach: this.detach }),
    };
    const agent = { ...unopenedAgent({ kind: "end", outcome: "cancelled" }), ...still };
    return Object.defineProperty(agent, "background", { get: () => this.background });
  }

  /** Its process ends. */
  end(): Promise<void> {
    this.closed = true;
    return this.leave();
  }

  leave(): Promise<void> {
    this.#gone.resolve();
    return this.#gone.promise;
  }
}

interface House {
  scene: RunnerScene;
  agents: LivingAgents;
  /** Opens the session's agent, and lets it rest. */
  sit(thread: string, sitting?: Sitting): Promise<Sitting>;
  told: { place: OutsidePlace; what: readonly string[]; silent: boolean }[];
}

async function house(limits: Partial<typeof LIMITS> = {}, threads = [T1, T2]): Promise<House> {
  const scene = await new RunnerScene().withSessions(...threads);
  const told: House["told"] = [];
  const lost: LiveDependencies["reportLostWork"] = async (place, what, silent) => {
    told.push({ place, what, silent });
    await recordLost(scene.options, place, what, silent);
  };
  const agents = openLivingAgents({
    ...scene.live,
    reportLostWork: lost,
    idleLimits: () => ({ ...LIMITS, ...limits }),
  });
  const sit = async (thread_id: string, sitting = new Sitting()): Promise<Sitting> => {
    sitting.heard = scene.clock.monotonic();
    const driver = { tool: "claude", lives: true, open: async () => sitting.agent } as unknown as Driver;
    await agents.open(driver, {
      job_id: "j",
      thread_id,
      cwd: "/srv/app",
      args: [],
      folders: [],
      key: null,
      configuration: null,
    });
    await agents.afterTurn(thread_id, null);
    return sitting;
  };
  return { scene, agents, sit, told };
}

const turns = ({ engine: { state } }: RunnerScene) => Object.values(state.turns ?? {});

test.each([0, 4])(
  "what an agent can do is known after it has rested, also while it sleeps, with %s that may idle",
  async (agents) => {
    const place = await house({ agents });
    const sitting = await place.sit(T1);
    await sitting.end();
    expect(place.agents.commands(T1, "claude").map(({ name }) => name)).toEqual(["echo"]);
    expect(place.agents.commands(T2, "claude").map(({ name }) => name)).toEqual(["echo"]);
  },
);

describe("an agent", () => {
  test("that does something in the background has it on record, as long as it does", async () => {
    const { scene, sit } = await house();
    const one = await sit(T1);
    one.background = ["npm run watch", "SECRET build"];
    await scene.hear("anything", T2);
    expect(await scene.engine.until(({ threads }) => threads[T1]?.background)).toEqual({
      tool: "claude",
      what: "npm run watch, *** build",
    });
    one.background = [];
    await scene.hear("more", T2);
    await scene.engine.until(({ threads }) => threads[T1]?.background === undefined);
    one.background = ["npm run watch"];
    await scene.hear("again", T2);
    await scene.engine.until(({ threads }) => threads[T1]?.background);
    one.background = [];
    await one.end();
    await scene.engine.until(({ threads }) => threads[T1]?.background === undefined);
  });

  test("is ended by the lock, and so is one that is opened in the same moment; a Claude in a window stays", async () => {
    const { scene, sit } = await house();
    const one = await sit(T1);
    const window = new Sitting();
    window.detach = () => Promise.resolve();
    await sit(T2, window);
    await scene.engine.submit({ type: "lock", by: "machine" });
    await scene.clock.settle();
    expect([one.closed, window.closed]).toEqual([true, false]);
    expect((await sit(T1)).closed).toBe(true);
  });

  test("sleeps when it has idled for long, by the clock that nobody can set, and leaves no trace of it", async () => {
    const { scene, sit } = await house();
    const one = await sit(T1);
    const before = scene.events.length;
    scene.clock.move(12 * 60 * MINUTE);
    await scene.clock.advance(14 * MINUTE);
    expect(one.closed).toBe(false);
    await scene.clock.advance(MINUTE);
    expect([one.closed, scene.events.length]).toEqual([true, before]);
  });

  test("that works in the background stays awake as long as it gives signs of life, and then idles like any other", async () => {
    const { scene, sit, told } = await house();
    const one = await sit(T1);
    one.background = ["npm run watch"];
    for (let hour = 0; hour < 10; hour += 1) {
      await scene.clock.advance(60 * MINUTE);
      one.heard = scene.clock.monotonic();
    }
    expect(one.closed).toBe(false);
    one.background = [];
    await scene.clock.advance(30 * MINUTE);
    expect([one.closed, told]).toEqual([true, []]);
  });

  test("that is silent in the background for too long sleeps, and its thread is told what ended", async () => {
    const { scene, sit } = await house();
    const one = await sit(T1);
    one.background = ["npm run watch", "SECRET build"];
    await scene.clock.advance(239 * MINUTE);
    expect(one.closed).toBe(false);
    await scene.clock.advance(2 * MINUTE);
    await scene.engine.until((state) => Object.values(state.turns ?? {}).some(({ state: is }) => is === "failed"));
    expect(one.closed).toBe(true);
    expect(turns(scene)).toMatchObject([
      { thread_id: T1, state: "failed", error_code: "E_BACKGROUND_SILENT", origin: "background" },
    ]);
    expect(scene.engine.state.runs[turns(scene)[0]?.turn_id ?? ""]?.concluded?.error_details).toEqual({
      what: "npm run watch, *** build",
    });
  });

  test.each([
    ["because it dies", async (one: Sitting, _house: House) => one.end()],
    ["because it failed", async (_one: Sitting, { agents }: House) => agents.endAgent(T1)],
    [
      "because it would be opened differently now",
      async (_one: Sitting, { agents }: House) =>
        agents.open({ tool: "codex", open: async () => new Sitting().agent } as unknown as Driver, {
          job_id: "j",
          thread_id: T1,
          cwd: "/",
          args: [],
          folders: [],
          key: null,
          configuration: null,
        }),
    ],
    ["because the daemon stops", async (_one: Sitting, { agents }: House) => agents.close()],
  ])("that ends with work in the background %s tells its thread what ended, once", async (_why, ends) => {
    const all = await house();
    const one = await all.sit(T1);
    one.background = Array.from({ length: 7 }, (_, number) => `task ${number}`);
    await ends(one, all);
    await all.scene.engine.until((state) => Object.values(state.turns ?? {}).some(({ state: is }) => is === "failed"));
    expect(turns(all.scene)).toMatchObject([{ error_code: "E_BACKGROUND_ENDED" }]);
    expect(all.told.map(({ what, silent }) => [what.length, silent])).toEqual([[7, false]]);
    expect(Object.values(all.scene.engine.state.runs)[0]?.concluded?.error_details).toEqual({
      what: "task 0, task 1, task 2, task 3, task 4, …",
    });
  });
});

test("of more than may idle the longest idle sleeps; what works in the background does not count until it is over", async () => {
  const { scene, sit } = await house({ agents: 1 });
  const first = await sit(T1);
  first.background = ["build"];
  const second = await sit(T2);
  expect([first.closed, second.closed]).toEqual([false, false]);
  first.background = [];
  await scene.hear("anything", T2);
  expect([first.closed, second.closed]).toEqual([true, false]);
});

test("an agent that works by itself is shown as working, and does not sleep meanwhile", async () => {
  const { scene, agents, sit } = await house();
  const one = await sit(T1);
  expect(agents.living()).toMatchObject([{ thread_id: T1, state: "idle", background: 0 }]);
  await scene.do({
    type: "begin_outside_turn",
    turn_id: "turn_1",
    thread_id: T1,
    tool: "claude",
    origin: "background",
  });
  expect(agents.living()).toMatchObject([{ thread_id: T1, state: "working" }]);
  await scene.clock.advance(60 * MINUTE);
  expect(one.closed).toBe(false);
});

test("an agent whose project is no more ends, whatever it does in the background", async () => {
  const { scene, sit } = await house();
  const one = await sit(T1);
  one.background = ["build"];
  await scene.do({ type: "projects_saved", names: ["app"] });
  await scene.do({ type: "adopt_projects", projects: [] });
  expect(one.closed).toBe(true);
});

test.each([
  { what: "one that its owner had started", more: { isAdopted: true }, kept: true },
  { what: "one in a window, at a turn at the terminal", more: {}, begins: true, kept: true },
  { what: "one in a window", more: {}, kept: false },
])(
  "an agent that would be opened differently by now is opened anew or goes on: $what",
  async ({ more, begins = false, kept }) => {
    const { scene, agents } = await house();
    const sittings: Sitting[] = [];
    const open = async (): Promise<Agent> => {
      const sitting = new Sitting();
      sittings.push(sitting);
      return Object.assign(sitting.agent, { detach: () => sitting.leave(), ...more });
    };
    const driver = { tool: "claude", lives: true, open } as unknown as Driver;
    const wanted = {
      job_id: "j",
      thread_id: T1,
      cwd: "/srv/app",
      args: [],
      folders: [],
      key: null,
      configuration: null,
    };
    const first = await agents.open(driver, wanted);
    await agents.afterTurn(T1, null);
    if (begins)
      await scene.do({
        type: "begin_outside_turn",
        turn_id: "t",
        thread_id: T1,
        tool: "claude",
        origin: "terminal",
        prompt: "p",
      });
    expect((await agents.open(driver, { ...wanted, configuration: "seen" })) === first).toBe(kept);
    expect(sittings.map(({ closed }) => closed)).toEqual(kept ? [false] : [true, false]);
    await agents.close();
  },
);

test.each([true, false])(
  "an agent that is still being opened when the daemon ends is left alone if it outlives it (%s), and else ended",
  async (outlives) => {
    const { agents } = await house();
    const sitting = new Sitting();
    const opened = Promise.withResolvers<Agent>();
    const driver = { tool: "claude", lives: true, open: () => opened.promise } as unknown as Driver;
    const begun = agents.open(driver, {
      job_id: "j",
      thread_id: T1,
      cwd: "/srv/app",
      args: [],
      folders: [],
      key: null,
      configuration: null,
    });
    await agents.close();
    opened.resolve(outlives ? Object.assign(sitting.agent, { detach: () => sitting.leave() }) : sitting.agent);
    await begun;
    expect(sitting.closed).toBe(!outlives);
  },
);
