/** Acceptance test 1 of the sessions' design: everybody but the owner is refused, whatever they send. */
import type { APIMessage } from "discord-api-types/v10";
import { expect, test } from "vitest";
import { usedCommands } from "../../../docs/commands.ts";

import { answered, openSession, type World } from "../world.ts";
import { eventsOf } from "./stage.ts";

/** What only the owner may bring about. */
const DEEDS = /^(Project|Session|Tool|Job(Enqueued|Started|Edited|Moved|Cancel)|Queue)/;

test("1. Owner gating: every command and every message of anybody but the owner is refused", async () => {
  const { world, thread } = await openSession({ unlimited: true });
  await world.owner(thread).send("fail:400");
  const failed = await world.saying(thread, (said) => said.find(({ components }) => (components?.length ?? 0) > 0));
  const deeds = (): number => eventsOf(world).filter(({ type }) => DEEDS.test(type)).length;
  const before = deeds();

  const mallory = world.sandbox.addUser("mallory", { admin: true });
  const there = world.sandbox.channel(thread).user(mallory.id);
  await there.send("count:evil");
  for (const [command, options] of everyCommand(world, thread)) {
    const handle = await there.slash(command, options);
    expect(await handle.ephemeral(), command).toBe(true);
    expect((await handle.answer()).content, command).toMatch(/`E_OWNER_ONLY`$/);
  }
  const pressed = await there.clickButton(failed.id, "Retry");
  expect((await pressed.answer()).content).toMatch(/`E_OWNER_ONLY`$/);
  expect(await there.autocomplete("start", "project_name", "a")).toEqual([]);

  // What the owner says after all that is heard after all that.
  await world.owner(thread).send("count:mine");
  await answered(world, thread, [...spoken(failed), "did mine"]);
  expect(world.agentStarts().map(({ prompt }) => prompt)).toEqual(["fail:400", "count:mine"]);
  expect(deeds() - before).toBe(
    eventsOf(world).filter(({ type, payload }) => DEEDS.test(type) && String(payload["job_id"]).endsWith("_0002"))
      .length,
  );
});

/** Each as its stranger would use it; none is left out. */
function everyCommand(world: World, thread: string): [string, Record<string, string | number>][] {
  const options: Record<string, string | number> = {
    name: "evil",
    path: world.home,
    tools_csv: "claude",
    default_tool: "claude",
    project_name: "app",
    session_id: thread,
    tool: "claude",
    job_id: "job_20260101_0001",
    project_id: 1,
    model_id: "best",
    mode_id: "plan",
    level: "high",
    prompt: "/evil",
    conversation: "claude:1",
  };
  return usedCommands().map(({ usage }) => {
    const [command = "", ...words] = usage.slice(1).split(" ");
    const given = words.filter((word) => word in options).map((word) => [word, options[word] ?? ""] as const);
    const path = words.filter((word) => !(word in options) && !word.startsWith("["));
    return [[command, ...path].join(" "), Object.fromEntries(given)];
  });
}

const spoken = ({ content }: APIMessage): string[] => (content.trim() === "" ? [] : [content.trim()]);
