/** In which mode a session may be: never one that asks for less than its owner last chose. */
import { describe, expect, test } from "vitest";
import type { Opening } from "../../../src/agents/contract/driver.ts";
import type { Update } from "../../../src/agents/contract/updates.ts";
import { all, only, textOf } from "../stage.ts";
import { acpScene, scripted, type AcpSceneOptions } from "./acp-scene.ts";

async function play(prompt: string, start: AcpSceneOptions, opening: Partial<Opening> = {}): Promise<{ updates: Update[]; set: unknown[] }> {
  const scene = await acpScene(start);
  const updates = await all(await scene.prompt(prompt, opening));
  await scene.close();
  return { updates, set: scene.received().filter(({ method }) => method === "session/set_mode").map(({ params }) => (params as { modeId: string }).modeId) };
}

const told = (updates: readonly Update[]): string[] => only(updates, "mode").map(({ mode, by }) => `${mode} ${by}`);
const notices = (updates: readonly Update[]): string[] => only(updates, "notice").map(({ code, text }) => `${code} ${text}`);

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

  test.each(["bypassPermissions", "yolo", "agent-full-access"])("is not started with a mode in which it may do everything: %s", async (mode) => {
    const scene = await acpScene();
    for (const args of [["--permission-mode", mode], [`--approval-mode=${mode}`]]) expect(scene.driver.refuses(args)).toBe(mode);
    expect(only(await all(await scene.prompt("echo hi", { args: ["--mode", mode] })), "end")).toMatchObject([{ outcome: "failed", code: "E_ARGUMENT_REFUSED" }]);
  });

  test("that begins to plan says so, and plans on when it wakes", async () => {
    const { updates } = await play("plan", scripted("auto"));
    expect([told(updates), notices(updates)]).toEqual([["default bellhop", "plan agent"], ["mode_changed plan"]]);
    const woken = await play("echo hi", scripted("auto"), { key: "session-1", mode: { mode: "plan", by: "agent" } });
    expect([told(woken.updates), woken.set]).toEqual([["plan agent"], ["plan"]]);
  });

  test("wakes in no mode that was named once, and is not any more", async () => {
    const { updates, set } = await play("echo hi", scripted("auto"), { key: "session-1", mode: { mode: "acceptEdits", by: "config" } });
    expect([told(updates), set]).toEqual([["default bellhop"], ["default"]]);
  });
});

describe.each([["that nobody knows", "stranger", false], ["that cannot be set to ask, and is used as it is", "stuck", true]] as const)("an agent %s", (_what, start, asIs) => {
  test("stays in the first mode that it was in", async () => {
    const first = start === "stuck" ? "auto" : "default";
    const { updates } = await play("echo hi", { ...scripted(start), asIs });
    expect(told(updates)).toEqual([`${first} agent`]);
    const left = await play("plan", { ...scripted(start), asIs });
    expect(notices(left.updates)).toContain("mode_set_back plan");
  });
});

test("an agent that wakes in a looser mode than it first was in, and cannot be set back, is not used", async () => {
  const { updates } = await play("echo hi", { ...scripted("stuck"), asIs: true }, { key: "session-1", mode: { mode: "default", by: "agent" } });
  expect(only(updates, "end")).toMatchObject([{ outcome: "failed", code: "E_AGENT_START_FAILED" }]);
});
