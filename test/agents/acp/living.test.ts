/** An agent that lives between its prompts, as a real process: the scripted one. */
import { describe, expect, test } from "vitest";
import type { Turn } from "../../../src/agents/contract/driver.ts";
import type { Update } from "../../../src/agents/contract/updates.ts";
import { createFakeClock } from "../../fakes/fake-clock.ts";
import { all, only, silentLog, textOf } from "../stage.ts";
import { acpScene, scripted } from "./acp-scene.ts";

const endOf = (updates: readonly Update[]): Update | undefined => updates.at(-1);
const done = (result: string): object => ({ kind: "end", outcome: "done", result });

async function next(between: AsyncIterable<Turn>): Promise<Turn | undefined> {
  for await (const turn of between) return turn;
  return undefined;
}

test("one process and one session take prompt after prompt", async () => {
  const scene = await acpScene();
  const agent = await scene.open();
  expect(await agent.opened).toBeNull();
  const first = await all(scene.say(agent, "echo one"));
  const second = await all(scene.say(agent, "echo two"));
  expect([endOf(first), endOf(second)]).toMatchObject([done("one"), done("two")]);
  expect(only(second, "session_key")).toEqual([{ kind: "session_key", key: "session-1" }]);
  await agent.close();
  expect(scene.received().map(({ method }) => method)).toEqual([
    "initialize",
    "session/new",
    "session/prompt",
    "session/prompt",
    "session/close",
  ]);
  const [hello, created, prompted] = scene.received();
  expect(hello).toMatchObject({
    params: {
      protocolVersion: 1,
      clientInfo: { name: "bellhop", version: "1.2.3" },
      clientCapabilities: {
        fs: { readTextFile: false, writeTextFile: false },
        terminal: false,
        elicitation: { form: {} },
      },
    },
  });
  expect([created?.["params"], prompted?.["params"]]).toEqual([
    { cwd: scene.cwd, mcpServers: [] },
    { sessionId: "session-1", prompt: [{ type: "text", text: "echo one" }] },
  ]);
});

test("to look for it says nothing to it", async () => {
  const scene = await acpScene();
  expect(await scene.driver.probe()).toMatchObject({ found: true });
  expect(scene.received).toThrow("ENOENT");
});

test("a cancelled turn leaves the process alive, and the next prompt is answered", async () => {
  const scene = await acpScene();
  const agent = await scene.open();
  const turn = scene.say(agent, "withdraw");
  const updates: Update[] = [];
  for await (const update of turn.updates) {
    updates.push(update);
    if (update.kind === "withdrawn") void turn.cancel();
  }
  await turn.over;
  expect(endOf(updates)).toEqual({ kind: "end", outcome: "cancelled" });
  expect(endOf(await all(scene.say(agent, "echo on")))).toMatchObject(done("on"));
});

describe("one that can be spoken to in a turn", () => {
  const more = { text: "echo more", counters: null, log: silentLog };

  test("takes that up in its running answer, but not when it has ended", async () => {
    const scene = await acpScene(scripted("steers"));
    const agent = await scene.open();
    const turn = scene.say(agent, "listen");
    let steered: Promise<unknown> | undefined;
    const updates: Update[] = [];
    for await (const update of turn.updates) {
      updates.push(update);
      if (update.kind === "session_key") steered = turn.steer?.(more);
    }
    expect(await steered).toEqual({ kind: "taken", by: turn });
    expect(endOf(updates)).toMatchObject(done("You also said: echo more"));
    expect(await turn.steer?.(more)).toEqual({ kind: "refused" });
  });

  test("and says that it is at no turn is not given it", async () => {
    const scene = await acpScene(scripted("steers"));
    const agent = await scene.open();
    const turn = scene.say(agent, "quiet");
    for await (const update of turn.updates) {
      if (update.kind !== "session_key") continue;
      expect(await turn.steer?.(more)).toEqual({ kind: "refused" });
      void turn.cancel();
    }
  });

  test("and never says whether it has taken it is ended once its turn is over, and counts as not given it", async () => {
    const clock = createFakeClock();
    const scene = await acpScene({ ...scripted("steers"), clock });
    const agent = await scene.open();
    const turn = scene.say(agent, "ignore");
    let steered: Promise<unknown> | undefined;
    for await (const update of turn.updates) if (update.kind === "session_key") steered = turn.steer?.(more);
    while (clock.armed < 1) await clock.settle();
    await clock.advance(5_000);
    await agent.gone;
    expect(await steered).toEqual({ kind: "refused" });
  });

  test("is none that was never seen to be, whatever it says, nor one that does not say so", async () => {
    for (const start of ["stranger", "fine"]) {
      const scene = await acpScene(scripted(start));
      const turn = scene.say(await scene.open(), "echo hi");
      await all(turn);
      expect(turn.steer).toBeUndefined();
    }
  });
});

test("a replay is no part of any turn, and none begins with it", async () => {
  const scene = await acpScene(scripted("load"));
  const agent = await scene.open({ key: "session-1" });
  expect(await agent.opened).toBeNull();
  expect(textOf(await all(scene.say(agent, "echo on")))).toBe("on");
  await agent.close();
  expect(await next(agent.between)).toBeUndefined();
});

test("one that dies while it idles is gone", async () => {
  const scene = await acpScene();
  const agent = await scene.open();
  await all(scene.say(agent, "echo hi"));
  process.kill(agent.process?.pid ?? 0, "SIGKILL");
  await agent.gone;
  expect(endOf(await all(scene.say(agent, "echo on")))).toMatchObject({
    outcome: "failed",
    details: { signal: "SIGKILL", temporary: true },
  });
});

test("closed while it asks, it is refused, told to stop, and its session is closed before it ends", async () => {
  const scene = await acpScene();
  const agent = await scene.open();
  const turn = scene.say(agent, "permit");
  const updates: Update[] = [];
  for await (const update of turn.updates) {
    updates.push(update);
    if (update.kind === "permission") void agent.close();
  }
  await agent.gone;
  expect(endOf(updates)).toEqual({ kind: "end", outcome: "cancelled" });
  const told = scene.received().slice(3);
  expect(told.slice(0, -1)).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ method: "session/cancel" }),
      expect.objectContaining({ id: "ask-1", result: { outcome: { outcome: "cancelled" } } }),
    ]),
  );
  expect([told.length, told.at(-1)]).toMatchObject([3, { method: "session/close" }]);
});

test("a sign of life is an update of its session, and nothing else that it writes", async () => {
  const clock = createFakeClock();
  const scene = await acpScene({ clock });
  const agent = await scene.open();
  await all(scene.say(agent, "echo one"));
  const then = agent.heardAt();
  await clock.advance(60_000);
  await all(scene.say(agent, "echo two"));
  expect(agent.heardAt()).toBe(then + 60_000);
  await clock.advance(60_000);
  await all(scene.say(agent, "noise"));
  await clock.advance(60_000);
  // What it answers to this comes after all that.
  await agent.close();
  expect(agent.heardAt()).toBe(then + 120_000);
});

test("closed at once, it gets no word of the protocol", async () => {
  const scene = await acpScene();
  const agent = await scene.open();
  const turn = scene.say(agent, "deaf");
  for await (const update of turn.updates) if (update.kind === "text") void agent.close("now");
  await agent.gone;
  expect(scene.received().map(({ method }) => method)).toEqual(["initialize", "session/new", "session/prompt"]);
});

test("a tool that a turn leaves without an end is work in the background until it ends", async () => {
  const scene = await acpScene();
  const agent = await scene.open();
  await all(scene.say(agent, "leave"));
  expect(agent.background).toHaveLength(1);
  await all(scene.say(agent, "left"));
  expect(agent.background).toEqual([]);
});

describe("what it does without a prompt is a turn of its own", () => {
  test.each(["report", "report-idle"])("whose end it marks (%s)", async (prompt) => {
    const scene = await acpScene();
    const agent = await scene.open();
    expect(endOf(await all(scene.say(agent, prompt)))).toMatchObject(done(""));
    const own = await next(agent.between);
    expect(endOf(await all(own as Turn))).toMatchObject(done("the build is done"));
    expect(endOf(await all(scene.say(agent, "echo on")))).toMatchObject(done("on"));
  });

  test("which is over when it was quiet for a while, and not while it asks; the next prompt waits for that", async () => {
    const clock = createFakeClock();
    const scene = await acpScene({ clock });
    const agent = await scene.open();
    expect(endOf(await all(scene.say(agent, "late")))).toMatchObject(done("fine"));
    const own = (await next(agent.between)) as Turn;
    const prompt = scene.say(agent, "echo on");
    const updates: Update[] = [];
    for await (const update of own.updates) {
      updates.push(update);
      if (update.kind !== "permission") continue;
      await clock.advance(60_000);
      expect(await own.answer(update.id, { kind: "deny", message: "no" })).toBe(true);
      await clock.advance(20_000);
    }
    expect(endOf(updates)).toMatchObject(done(" and late"));
    expect(endOf(await all(prompt))).toMatchObject(done("on"));
  });

  test("which is over sooner once a prompt waits, where the agent never marks its end", async () => {
    const clock = createFakeClock();
    const scene = await acpScene({ clock });
    const agent = await scene.open();
    await all(scene.say(agent, "late"));
    const own = (await next(agent.between)) as Turn;
    own.hurry?.();
    const updates: Update[] = [];
    for await (const update of own.updates) {
      updates.push(update);
      if (update.kind !== "permission") continue;
      await clock.advance(60_000);
      expect(await own.answer(update.id, { kind: "deny", message: "no" })).toBe(true);
      await clock.advance(1_000);
    }
    expect(endOf(updates)).toMatchObject(done(" and late"));
  });

  test("which has one timer for its end, however often a prompt waits and although it is stopped", async () => {
    const clock = createFakeClock();
    const scene = await acpScene({ clock });
    const agent = await scene.open();
    await all(scene.say(agent, "late"));
    const own = (await next(agent.between)) as Turn;
    expect([own.hurry, clock.armed]).toEqual([expect.any(Function), 1]);
    own.hurry?.();
    own.hurry?.();
    expect(clock.armed).toBe(1);
    let over = false;
    void own.cancel().then(() => (over = true));
    // The second is how long the agent may take to end it.
    while (clock.armed < 2) await clock.settle();
    expect(clock.armed).toBe(2);
    await clock.until(() => over);
  });

  test("whose end its agent marks is not hurried", async () => {
    const scene = await acpScene(scripted("steers"));
    const agent = await scene.open();
    await all(scene.say(agent, "late-told"));
    const own = (await next(agent.between)) as Turn;
    expect(own.hurry).toBeUndefined();
    await agent.close();
  });

  test("which dies with its process", async () => {
    const scene = await acpScene();
    const agent = await scene.open();
    await all(scene.say(agent, "late"));
    const own = (await next(agent.between)) as Turn;
    process.kill(agent.process?.pid ?? 0, "SIGKILL");
    expect(endOf(await all(own))).toMatchObject({ outcome: "failed", code: "E_CLI_EXIT_NONZERO" });
  });

  test("which can be stopped", async () => {
    const clock = createFakeClock();
    const scene = await acpScene({ clock });
    const agent = await scene.open();
    await all(scene.say(agent, "late"));
    const own = (await next(agent.between)) as Turn;
    const updates = all(own);
    let over = false;
    void own.cancel().then(() => (over = true));
    // What it asked may come after the word to stop, and it is quiet only from then on.
    await clock.until(() => over);
    expect(endOf(await updates)).toEqual({ kind: "end", outcome: "cancelled" });
  });
});

describe("its models", () => {
  test("are told, and one is chosen for the turns that follow", async () => {
    const scene = await acpScene(scripted("models"));
    const agent = await scene.open();
    await agent.opened;
    expect(agent.facts?.()).toMatchObject({
      model: "small",
      models: [
        { id: "small", name: "Small" },
        { id: "large", name: "Large" },
        { id: "gone", name: "Gone" },
      ],
    });
    expect(await agent.choose?.("model", "large")).toBe("large");
    expect(textOf(await all(scene.say(agent, "model")))).toBe("I am large");
    expect(agent.facts?.()).toMatchObject({
      model: "large",
      context: { used: 30_000, size: 200_000 },
      cost: { amount: 0.5, currency: "USD" },
    });
  });

  test("the chosen one is set before the prompt where the agent has another", async () => {
    const scene = await acpScene(scripted("models"));
    const agent = await scene.open({ key: "session-1" });
    expect(textOf(await all(scene.say(agent, "model", "large")))).toBe("I am large");
    expect(scene.received().map(({ method }) => method)).toEqual([
      "initialize",
      "session/resume",
      "session/set_model",
      "session/prompt",
    ]);
  });

  test.each([
    ["that it does not offer", "models", "huge"],
    ["that it offers and refuses", "models", "gone"],
    ["of an agent that offers none", "fine", "large"],
  ])("one %s is unavailable, and no prompt is given", async (_what, start, model) => {
    const scene = await acpScene(scripted(start));
    const agent = await scene.open();
    await agent.opened;
    await expect(agent.choose?.("model", model)).rejects.toMatchObject({
      code: "E_MODEL_UNAVAILABLE",
      details: { model },
    });
    expect(endOf(await all(scene.say(agent, "model", model)))).toMatchObject({
      outcome: "failed",
      code: "E_MODEL_UNAVAILABLE",
      details: { model },
    });
    expect(scene.received().map(({ method }) => method)).not.toContain("session/prompt");
  });
});
