/** In which mode a session may be: never one that asks for less than its owner last chose. */
import { describe, expect, test } from "vitest";
import type { Opening } from "../../../src/agents/contract/driver.ts";
import { SessionMode } from "../../../src/agents/acp/session-mode.ts";
import type { KeptMode, Mode } from "../../../src/core/sessions/modes.ts";
import type { Update } from "../../../src/agents/contract/updates.ts";
import { all, only, textOf } from "../stage.ts";
import { createFakeClock } from "../../fakes/fake-clock.ts";
import { acpScene, scripted, type AcpSceneOptions } from "./acp-scene.ts";

async function play(
  prompt: string,
  start: AcpSceneOptions,
  opening: Partial<Opening> = {},
): Promise<{ updates: Update[]; set: unknown[] }> {
  const scene = await acpScene(start);
  const updates = await all(await scene.prompt(prompt, opening));
  await scene.close();
  return {
    updates,
    set: scene
      .received()
      .filter(({ method }) => method === "session/set_mode")
      .map(({ params }) => (params as { modeId: string }).modeId),
  };
}

const told = (updates: readonly Update[]): string[] => only(updates, "mode").map(({ mode, by }) => `${mode} ${by}`);
const notices = (updates: readonly Update[]): string[] =>
  only(updates, "notice").map(({ code, text }) => `${code} ${text}`);

describe("an agent that is known", () => {
  test("is set to a mode that asks", async () => {
    const { updates, set } = await play("echo hi", scripted("auto"));
    expect([told(updates), set]).toEqual([["default bellhop"], ["default"]]);
  });

  test("is set to the mode that its arguments name, and may be in it", async () => {
    const { updates, set } = await play("echo hi", scripted("auto"), { args: ["--permission-mode", "acceptEdits"] });
    expect([told(updates), set]).toEqual([["acceptEdits config"], ["acceptEdits"]]);
    const left = await play("loosen", scripted("auto"), { args: ["--permission-mode", "acceptEdits"] });
    expect([notices(left.updates), textOf(left.updates)]).toEqual([["mode_set_back auto"], "acceptEdits"]);
  });

  test.each(["bypassPermissions", "yolo", "agent-full-access"])(
    "is not started with a mode in which it may do everything: %s",
    async (mode) => {
      const scene = await acpScene();
      for (const args of [["--permission-mode", mode], [`--approval-mode=${mode}`]])
        expect(scene.driver.refuses(args)).toBe(mode);
      expect(only(await all(await scene.prompt("echo hi", { args: ["--mode", mode] })), "end")).toMatchObject([
        { outcome: "failed", code: "E_ARGUMENT_REFUSED" },
      ]);
    },
  );

  test("that begins to plan says so, and plans on when it wakes", async () => {
    const { updates } = await play("plan", scripted("auto"));
    expect([told(updates), notices(updates)]).toEqual([["default bellhop", "plan agent"], ["mode_changed plan"]]);
    const woken = await play("echo hi", scripted("auto"), { key: "session-1", mode: { mode: "plan", by: "agent" } });
    expect([told(woken.updates), woken.set]).toEqual([["plan agent"], ["plan"]]);
  });

  test("wakes in no mode that was named once, and is not any more", async () => {
    const { updates, set } = await play("echo hi", scripted("auto"), {
      key: "session-1",
      mode: { mode: "acceptEdits", by: "config" },
    });
    expect([told(updates), set]).toEqual([["default bellhop"], ["default"]]);
  });
});

describe.each([
  ["that nobody knows", "stranger", false],
  ["that cannot be set to ask, and is used as it is", "stuck", true],
] as const)("an agent %s", (_what, start, asIs) => {
  test("stays in the first mode that it was in", async () => {
    const first = start === "stuck" ? "auto" : "default";
    const { updates } = await play("echo hi", { ...scripted(start), asIs });
    expect(told(updates)).toEqual([`${first} agent`]);
    const left = await play("plan", { ...scripted(start), asIs });
    expect(notices(left.updates)).toContain("mode_set_back plan");
  });
});

test("an agent that wakes in a looser mode than it first was in, and cannot be set back, is not used", async () => {
  const { updates } = await play(
    "echo hi",
    { ...scripted("stuck"), asIs: true },
    { key: "session-1", mode: { mode: "default", by: "agent" } },
  );
  expect(only(updates, "end")).toMatchObject([{ outcome: "failed", code: "E_AGENT_START_FAILED" }]);
});

describe("what its owner chose", () => {
  const chosen = (mode: string, by: "owner" | "agent" | "bellhop" = "owner", last = mode): Partial<Opening> => ({
    key: "session-1",
    mode: { mode: last, by, chosen: mode },
  });
  const edits = ["--permission-mode", "acceptEdits"];

  test("is offered, set at once, and told by name", async () => {
    const scene = await acpScene(scripted("auto"));
    const agent = await scene.open();
    await agent.opened;
    expect(agent.facts?.()).toMatchObject({ mode: "default", modes: [{ id: "default" }, { id: "plan" }] });
    expect(await agent.choose?.("mode", "plan")).toBe("plan");
    expect(agent.facts?.()).toMatchObject({ mode: "plan" });
    expect(textOf(await all(scene.say(agent, "mode")))).toBe("plan");
  });

  test.each([
    ["looser than any it may be in", "auto", "auto"],
    ["it does not offer", "auto", "swift"],
    ["of an agent that refuses it", "mute", "plan"],
    ["of an agent without modes", "fine", "plan"],
  ])("one %s is refused, and nothing changes", async (_what, start, mode) => {
    const scene = await acpScene(scripted(start));
    const agent = await scene.open();
    await agent.opened;
    const before = agent.facts?.().mode;
    await expect(agent.choose?.("mode", mode)).rejects.toMatchObject({ code: "E_MODE_UNAVAILABLE", details: { mode } });
    expect(agent.facts?.().mode).toBe(before);
  });

  test("holds when it wakes, also where the arguments name a looser one", async () => {
    const { updates, set } = await play("echo hi", scripted("auto"), { ...chosen("plan"), args: edits });
    expect([told(updates), set]).toEqual([["plan owner"], ["plan"]]);
  });

  test("is the loosest it may be in, also for an agent that changed its mode since", async () => {
    const loosened = await play("edits", scripted("auto"), { ...chosen("default", "agent", "plan"), args: edits });
    expect([told(loosened.updates), notices(loosened.updates)]).toEqual([
      ["plan agent"],
      ["mode_set_back acceptEdits"],
    ]);
    const named = await play("edits", scripted("auto"), { ...chosen("acceptEdits", "agent", "plan"), args: edits });
    expect([told(named.updates), notices(named.updates)]).toEqual([
      ["plan agent", "acceptEdits agent"],
      ["mode_changed acceptEdits"],
    ]);
  });

  test("that the arguments name no more, or that it does not offer any more, gives way to one that asks, and this is said", async () => {
    for (const mode of ["acceptEdits", "swift"]) {
      const { updates, set } = await play("echo hi", scripted("auto"), chosen(mode));
      expect([told(updates), notices(updates), set]).toEqual([
        ["default bellhop"],
        ["mode_changed default"],
        ["default"],
      ]);
    }
  });

  test("of an agent that nobody knows is any but one in which it may do everything, and the only one it may be in", async () => {
    const scene = await acpScene(scripted("stranger"));
    const agent = await scene.open();
    await agent.opened;
    expect(agent.facts?.().modes?.map(({ id, unsure }) => [id, unsure])).toEqual([
      ["default", true],
      ["auto", true],
      ["plan", true],
      ["acceptEdits", true],
    ]);
    await agent.choose?.("mode", "plan");
    expect(notices(await all(scene.say(agent, "loosen")))).toContain("mode_set_back auto");
    await scene.close();
    const woken = await play("echo hi", scripted("stranger"), chosen("plan"));
    expect([told(woken.updates), woken.set]).toEqual([["plan owner"], ["plan"]]);
  });

  test("is not undone by what the agent did before", async () => {
    const scene = await acpScene(scripted("auto"));
    const agent = await scene.open();
    await all(scene.say(agent, "flit"));
    expect(await agent.choose?.("mode", "plan")).toBe("plan");
    const updates = await all(scene.say(agent, "mode"));
    expect([told(updates), textOf(updates)]).toEqual([[], "plan"]);
  });
});

test("an agent that leaves for a mode in which it would not ask, and never says that it is back, is ended", async () => {
  const clock = createFakeClock();
  const scene = await acpScene({ ...scripted("mum"), clock });
  const agent = await scene.open();
  await agent.opened;
  const updates = all(scene.say(agent, "loosen"));
  while (clock.armed < 1) await clock.settle();
  await clock.advance(10_000);
  await agent.gone;
  expect(notices(await updates)).toEqual(["mode_set_back auto"]);
});

test.each(["mode", "model"] as const)("a %s that its agent never confirms is not waited for", async (what) => {
  const clock = createFakeClock();
  const scene = await acpScene({ ...scripted("mum"), clock });
  const agent = await scene.open();
  await agent.opened;
  let refusal: unknown;
  agent.choose?.(what, what === "mode" ? "plan" : "large").catch((error: unknown) => (refusal = error));
  await clock.until(() => refusal !== undefined);
  expect(refusal).toMatchObject({ code: what === "mode" ? "E_MODE_UNAVAILABLE" : "E_MODEL_UNAVAILABLE" });
  await agent.close("now");
});

test("an agent that changes its mode again and again while nobody listens is told of once", async () => {
  const available = ["default", "plan"].map((id) => ({ id, name: id }));
  const mode = new SessionMode({
    sessionId: "s",
    agentName: "gemini-cli",
    modes: { current: "default", available, option: null },
    named: null,
    request: async () => ({}),
  });
  await mode.setInitialMode(undefined, false);
  for (let turn = 0; turn < 100; turn += 1) for (const next of ["plan", "default"]) mode.onModeReported(next);
  const updates = mode.takeUpdates();
  expect([updates.length, told(updates), notices(updates), mode.takeUpdates()]).toEqual([
    2,
    ["default agent"],
    ["mode_changed default"],
    [],
  ]);
});

describe("the mode that config.json names", () => {
  const KNOWN = "@agentclientprotocol/claude-agent-acp";
  const ids = ["auto", "acceptEdits", "default", "plan"];

  /** A session of an agent that is in this mode, once its first mode is set. */
  async function opened(
    named: string | null,
    last?: KeptMode,
    more: { agentName?: string; current?: string; asIs?: boolean; sets?: readonly string[] } = {},
  ): Promise<SessionMode> {
    const { agentName = KNOWN, current = "default", asIs = false, sets = ids } = more;
    const mode = new SessionMode({
      sessionId: "s",
      agentName,
      modes: { current, available: ids.map((id) => ({ id, name: id })), option: null },
      named,
      request: async (_method, { modeId }) => {
        if (!sets.includes(String(modeId))) throw new Error("not here");
        return {};
      },
    });
    await mode.setInitialMode(last, asIs);
    return mode;
  }
  const chose = (mode: string, now: Mode = { mode, by: "owner" }): KeptMode => ({ ...now, chosen: mode });

  test.each([
    [null, ["default", "plan"]],
    ["plan", ["plan"]],
    ["default", ["default", "plan"]],
    ["acceptEdits", ["acceptEdits", "default", "plan"]],
  ] as const)("%s is the loosest that may be chosen", async (named, offered) => {
    const mode = await opened(named);
    expect(mode.offered.map(({ id }) => id)).toEqual(offered);
    for (const id of ids)
      await (offered.some((one) => one === id)
        ? expect(mode.choose(id)).resolves.toBe(id)
        : expect(mode.choose(id)).rejects.toMatchObject({ code: "E_MODE_UNAVAILABLE" }));
  });

  test.each<[string, string | null, KeptMode, string]>([
    ["chosen under a looser file", null, chose("acceptEdits"), "default"],
    [
      "chosen under a looser file, and left for a stricter one since",
      null,
      chose("acceptEdits", { mode: "plan", by: "agent" }),
      "plan",
    ],
    ["chosen while the file named none", "plan", chose("default"), "plan"],
    ["chosen as the file named it", "default", chose("acceptEdits"), "default"],
    ["gone into by the agent while the file named none", "plan", { mode: "default", by: "agent" }, "plan"],
    [
      "gone into by the agent under a looser file",
      "default",
      chose("acceptEdits", { mode: "acceptEdits", by: "agent" }),
      "default",
    ],
    ["chosen, and as strict as the file", "acceptEdits", chose("default"), "default"],
    ["chosen, and the file's own", "acceptEdits", chose("acceptEdits"), "acceptEdits"],
  ])("is what an agent wakes in with one %s, where the file is stricter now", async (_what, named, last, expected) => {
    expect((await opened(named, last)).current).toBe(expected);
    expect((await opened(named, last, { current: "auto" })).current).toBe(expected);
  });

  test("does not keep an agent from going on with a plan that was approved", async () => {
    const mode = await opened("plan");
    expect([mode.onModeReported("default"), mode.current]).toEqual([true, "default"]);
    expect(mode.onModeReported("acceptEdits")).toBe(false);
  });

  test("is the only one of an agent that nobody knows: no other can be compared with it", async () => {
    const stranger = { agentName: "nobody-knows-me" };
    expect((await opened("plan", undefined, stranger)).offered.map(({ id }) => id)).toEqual(["plan"]);
    expect((await opened(null, chose("acceptEdits"), stranger)).current).toBe("acceptEdits");
    expect((await opened("plan", chose("acceptEdits"), stranger)).current).toBe("plan");
    expect((await opened("plan", chose("acceptEdits"), { ...stranger, sets: [] })).current).toBe("default");
  });

  test("of an agent that is used as it is gives it back no mode that was chosen under a looser file", async () => {
    const stuck = { current: "auto", asIs: true, sets: ["acceptEdits", "auto"] };
    const mode = await opened(null, chose("acceptEdits"), stuck);
    expect(mode.current).toBe("auto");
    expect((await opened(null, { mode: "acceptEdits", by: "config" }, stuck)).current).toBe("auto");
    expect((await opened(null, { mode: "acceptEdits", by: "agent" }, stuck)).current).toBe("acceptEdits");
  });
});
