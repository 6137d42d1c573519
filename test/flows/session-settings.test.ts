/** What config.json sets for one session, for the threads of a project and for the project reaches the agent. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { answered, inFolder, openWorld } from "./world.ts";

test("an agent starts with the model and the mode of its session, anew when they change, and not as the file forbids", { timeout: 60_000 }, async () => {
  const world = await openWorld({ app: { model: "opus", thread: { model: "sonnet", permission: "plan" } } });
  await world.daemon().ready;
  const thread = await world.session();
  await world.owner(thread).send("count:1");
  await answered(world, thread, ["did 1"]);
  expect(world.agentStarts()[0]?.argv).toEqual(expect.arrayContaining(["--model=sonnet", "--permission-mode", "plan"]));

  const file = join(world.stateDir, "config.json");
  const configure = async (entry: object, updated_at: string): Promise<void> => {
    const config = JSON.parse(readFileSync(file, "utf8")) as { projects: { app: Record<string, unknown> } };
    Object.assign(config.projects.app, { threads: [{ thread_id: thread, ...entry }], updated_at });
    writeFileSync(file, JSON.stringify(config, null, 2), { mode: 0o600 });
    await inFolder(world.stateDir, () => readFileSync(join(world.stateDir, "events.ndjson"), "utf8").includes(`"updated_at":"${updated_at}"`));
  };
  await configure({ model: "haiku" }, "2026-03-01T00:00:00.000Z");
  await world.owner(thread).send("count:2");
  await answered(world, thread, ["did 1", "did 2"]);
  const { argv = [], resumed } = world.agentStarts()[1] ?? {};
  expect(argv).toEqual(expect.arrayContaining(["--model=haiku", "--permission-mode", "plan"]));
  expect(resumed).toBeDefined();

  await configure({ permission: "bypassPermissions" }, "2026-03-02T00:00:00.000Z");
  await world.owner(thread).send("count:3");
  if (process.getuid?.() === 0) {
    const told = await world.saying(thread, (said) => said.find(({ embeds, content }) => JSON.stringify([embeds, content]).includes("E_CONFIG_INVALID")));
    expect(JSON.stringify(told.embeds)).toContain("runs as root");
    expect(world.agentStarts()).toHaveLength(2);
  } else {
    await answered(world, thread, ["did 1", "did 2", "did 3"]);
    expect(world.agentStarts()[2]?.argv).toContain("--dangerously-skip-permissions");
  }
});
