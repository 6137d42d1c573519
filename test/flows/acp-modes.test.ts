/** The mode of an agent that speaks ACP: its owner sees it, chooses another, and no agent is ever in a looser one. */
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { eventsOf } from "./acceptance/stage.ts";
import { answer, asks, type Asked } from "./asked.ts";
import { recorded } from "./workshop.ts";
import type { WorldOptions } from "./world.ts";

const root = path.join(import.meta.dirname, "..", "..");
const scripted = (start: string, more: WorldOptions = {}): WorldOptions => ({
  agent: "none",
  tools: ["acp"],
  unlimited: true,
  config: { commands: { acp: [process.execPath, path.join(root, "test", "fakes", "agents", "acp.mjs"), start] } },
  ...more,
});

async function slash(
  { world, thread }: Asked,
  name: string,
  options: Record<string, string> = {},
): Promise<{ content: string; embeds: { fields?: { name: string; value: string }[] }[] }> {
  return (await (await world.owner(thread).slash(name, options)).answer()) as never;
}

const modeShown = async (asked: Asked): Promise<string | undefined> =>
  (await slash(asked, "agent status")).embeds[0]?.fields?.find(({ name }) => name === "Mode")?.value;

async function job({ world, thread }: Asked, prompt: string): Promise<void> {
  await world.marked((await world.owner(thread).send(prompt)).id, "✅");
}

test("is shown, chosen among those that ask, and holds after the daemon is killed; none looser is taken from anybody", async () => {
  const asked = await asks("mode", scripted("auto"));
  const { world, thread, daemon } = asked;
  expect(await answer(asked, "default")).toBe("default");
  await world.marked(asked.id, "✅");
  expect(await modeShown(asked)).toBe("`default`");
  expect(await world.owner(thread).autocomplete("agent mode", "mode_id", "")).toEqual(
    ["default", "plan"].map((value) => ({ name: value, value })),
  );
  for (const mode_id of ["auto", "acceptEdits", "no such mode"])
    expect((await slash(asked, "agent mode", { mode_id })).content).toContain("`E_MODE_UNAVAILABLE`");
  expect((await slash(asked, "agent mode", { mode_id: "plan" })).content).toBe("The mode was changed to `plan`");
  expect(await modeShown(asked)).toBe("`plan`");
  await job(asked, "mode");
  expect(await answer(asked, "plan")).toBe("plan");
  const stranger = world.sandbox.channel(thread).user(world.sandbox.addUser("mallory", { admin: true }).id);
  expect(await stranger.autocomplete("agent mode", "mode_id", "")).toEqual([]);
  expect((await (await stranger.slash("agent mode", { mode_id: "default" })).answer()).content).toContain(
    "E_OWNER_ONLY",
  );
  await daemon.kill("SIGKILL");
  await world.daemon().ready;
  expect(await modeShown(asked)).toBe("`plan`");
  // Its new process starts in a mode in which it does not ask.
  await job(asked, "loosen");
  await world.saying(thread, (said) => said.filter(({ content }) => content === "plan").length === 2);
  expect(
    eventsOf(world)
      .filter(({ type }) => type === "ModeSet")
      .map(({ payload }) => [payload["mode"], payload["by"]]),
  ).toEqual([
    ["default", "bellhop"],
    ["plan", "owner"],
  ]);
});

test("in the middle of a turn it holds at once", async () => {
  const asked = await asks("linger", scripted("auto"));
  await answer(asked, "still here");
  expect((await slash(asked, "agent mode", { mode_id: "plan" })).content).toBe("The mode was changed to `plan`");
  expect(await answer(asked, "plan, so I stop")).toBe("plan, so I stop");
  await asked.world.marked(asked.id, "✅");
});

test("in place of the one that the project's arguments name, a stricter one holds from then on", async () => {
  const asked = await asks("mode", scripted("auto", { args: ["--permission-mode", "acceptEdits"] }));
  expect(await answer(asked, "acceptEdits")).toBe("acceptEdits");
  await asked.world.marked(asked.id, "✅");
  expect((await slash(asked, "agent mode", { mode_id: "default" })).content).toBe("The mode was changed to `default`");
  await asked.daemon.kill("SIGKILL");
  await asked.world.daemon().ready;
  // By itself it leaves for the mode that it may not be in any more.
  await job(asked, "edits");
  expect(await modeShown(asked)).toBe("`default`");
  expect(
    eventsOf(asked.world)
      .filter(({ type }) => type === "ModeSet")
      .map(({ payload }) => [payload["mode"], payload["by"]]),
  ).toEqual([
    ["acceptEdits", "config"],
    ["default", "owner"],
  ]);
});

test("that config.json named when it was chosen does not hold once the file is stricter, and can be chosen no more", async () => {
  const asked = await asks("mode", scripted("auto", { args: ["--permission-mode", "acceptEdits"] }));
  const { world, thread } = asked;
  expect(await answer(asked, "acceptEdits")).toBe("acceptEdits");
  await world.marked(asked.id, "✅");
  const choose = async (mode_id: string): Promise<string> => (await slash(asked, "agent mode", { mode_id })).content;
  for (const mode of ["default", "acceptEdits"]) expect(await choose(mode)).toBe(`The mode was changed to \`${mode}\``);
  const file = path.join(world.stateDir, "config.json");
  const stricter = async (args: string[]): Promise<void> => {
    const config = JSON.parse(readFileSync(file, "utf8")) as { projects: Record<string, { default_args: unknown }> };
    for (const project of Object.values(config.projects)) project.default_args = { acp: args };
    writeFileSync(file, JSON.stringify(config));
    await recorded(
      world,
      ({ type, payload }) =>
        type === "ProjectUpdated" && JSON.stringify(payload).includes(`{"acp":${JSON.stringify(args)}}`),
    );
  };
  await stricter([]);
  await job(asked, "mode");
  await world.saying(thread, (said) => said.some(({ content }) => content === "default"));
  expect(await choose("acceptEdits")).toContain("`E_MODE_UNAVAILABLE`");
  expect(await choose("default")).toBe("The mode was changed to `default`");
  await stricter(["--permission-mode", "plan"]);
  await job(asked, "mode");
  await world.saying(thread, (said) => said.some(({ content }) => content === "plan"));
  expect(await choose("default")).toContain("`E_MODE_UNAVAILABLE`");
});
