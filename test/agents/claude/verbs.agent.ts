/** The real Claude Code, told to change: its conversation made shorter or left, its model, its effort and its mode. */
import { expect, it } from "vitest";
import type { Agent } from "../../../src/agents/contract/driver.ts";
import { all, only } from "../stage.ts";
import { keyOf, openLivingBench, say } from "./living-bench.ts";

const { open } = await openLivingBench();

it("tells its models, their efforts, its commands, and the model and mode that it is in", async () => {
  const agent = await open();
  await all(say(agent, "echo:one"));
  const { model, models = [], efforts = [], commands = [], mode } = agent.facts?.() ?? {};
  expect(models.map(({ id }) => id)).toEqual(expect.arrayContaining(["default", "opus", "sonnet", "haiku"]));
  expect(efforts.map(({ id }) => id)).toEqual(expect.arrayContaining(["low", "medium", "high"]));
  expect(commands.map(({ name }) => name)).toEqual(expect.arrayContaining(["compact", "clear"]));
  expect(model).toMatch(/^claude-/);
  expect(mode).toBe("default");
});

it("/compact is its own command, and says what it has saved, or why it could not", async () => {
  const agent = await open();
  await all(say(agent, "echo:one"));
  const updates = await all(say(agent, "/compact keep the first word"));
  expect(updates.at(-1)).toMatchObject({ outcome: "done", result: "" });
  const [compacted] = only(updates, "compacted");
  expect(compacted?.before).toBeGreaterThan(0);
  expect(compacted?.after).toBeGreaterThan(0);
  expect((await all(say(agent, "echo:after"))).at(-1)).toMatchObject({ outcome: "done", result: "after" });
  // What answers the last prompt answers the request for a summary of it too.
  await all(say(agent, "error:400"));
  const failed = (await all(say(agent, "/compact"))).at(-1);
  expect(failed).toMatchObject({ outcome: "failed", code: "E_NOT_COMPACTED" });
  expect(JSON.stringify(failed)).toContain("Error during compaction");
});

it("/clear begins another conversation, whose key is the one that can be gone on with", async () => {
  const agent = await open();
  const old = keyOf(await all(say(agent, "echo:one")));
  const updates = await all(say(agent, "/clear"));
  expect(only(updates, "renewed")).toHaveLength(1);
  const key = keyOf(updates);
  expect(key).not.toBe(old);
  await all(say(agent, "echo:two"));
  await agent.close();
  const seen = async (of: string | null): Promise<string> => {
    const again = await open(of);
    const end = (await all(say(again, "hist:"))).at(-1);
    await again.close();
    return JSON.stringify(end);
  };
  expect(await seen(key)).not.toContain("echo:one");
  expect(await seen(key)).toContain("echo:two");
  expect(await seen(old)).toContain("echo:one");
});

it("takes another model, effort and mode in the same process, and reads back what it does not have", async () => {
  const agent: Agent = await open();
  await all(say(agent, "echo:one"));
  expect(await agent.choose?.("model", "haiku")).toBe("haiku");
  expect(agent.facts?.().model).toMatch(/haiku/);
  expect(await agent.choose?.("model", "opus")).toBe("opus");
  expect(await agent.choose?.("effort", "low")).toBe("low");
  await expect(agent.choose?.("effort", "nonsense")).rejects.toMatchObject({ code: "E_EFFORT_UNAVAILABLE" });
  expect(await agent.choose?.("mode", "plan")).toBe("plan");
  expect((await all(say(agent, "echo:two"))).at(-1)).toMatchObject({ outcome: "done", result: "two" });
  expect(agent.facts?.()).toMatchObject({ effort: "low", mode: "plan" });
  await expect(agent.choose?.("mode", "bypassPermissions")).rejects.toMatchObject({ code: "E_MODE_UNAVAILABLE" });
});

it("goes back to the mode that the file names, and nothing says that it was set back", async () => {
  const agent = await open(null, ["--permission-mode", "acceptEdits"]);
  await all(say(agent, "echo:one"));
  expect(await agent.choose?.("mode", "plan")).toBe("plan");
  await all(say(agent, "echo:two"));
  expect(await agent.choose?.("mode", "acceptEdits")).toBe("acceptEdits");
  const updates = await all(say(agent, "echo:three"));
  expect(updates.at(-1)).toMatchObject({ outcome: "done", result: "three" });
  expect(only(updates, "notice")).toEqual([]);
  expect(agent.facts?.().mode).toBe("acceptEdits");
});
