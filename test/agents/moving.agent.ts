/** A conversation moves between the real programs of one vendor, in one thread. */
import { describe, expect, it, test } from "vitest";
import { eventsOf, says } from "../flows/acceptance/stage.ts";
import type { World } from "../flows/world.ts";
import { openReal } from "./real-world.ts";
import { openDesk } from "./tmux/desk.ts";

/** Resolves when the model was given this conversation, as it says itself. */
async function remembers(world: World, thread: string, conversation: readonly string[]): Promise<void> {
  await world.marked((await world.owner(thread).send("hist:")).id, "✅");
  const words = JSON.stringify(conversation).slice(1, -1);
  await world.saying(thread, (said) => said.some(({ content }) => content.includes(words)));
}

async function moves(world: World, [from, to]: readonly [string, string]): Promise<void> {
  const thread = await world.session();
  await world.marked((await world.owner(thread).send(`echo:with ${from}`)).id, "✅");
  expect(await says(world, thread, "tool", { tool: to })).toContain("The conversation goes along");
  await world.marked((await world.owner(thread).send(`echo:with ${to}`)).id, "✅");
  await remembers(world, thread, [`user:echo:with ${from}`, `assistant:with ${from}`, `user:echo:with ${to}`]);
  expect(await says(world, thread, "tool", { tool: from })).toContain("The conversation goes along");
  await remembers(world, thread, [`user:echo:with ${from}`, `assistant:with ${from}`, `user:echo:with ${to}`, `assistant:with ${to}`]);
  expect(eventsOf(world).filter(({ type }) => type === "ToolChanged").map(({ payload }) => typeof payload["carried"])).toEqual(["object", "object"]);
}

describe("a conversation moves and comes back", () => {
  it.each([["claude", "claude-agent-acp"], ["claude-agent-acp", "claude"], ["codex", "codex-acp"], ["codex-acp", "codex"], ["gemini", "gemini-acp"], ["gemini-acp", "gemini"]] as const)("%s → %s", async (from, to) => {
    const { world, start } = await openReal([from, to]);
    const daemon = await start();
    await moves(world, [from, to]);
    await daemon.kill("SIGTERM");
  });

  test.for([["tmux", "claude"], ["claude", "tmux"]] as const)("%s → %s", async ([from, to], context) => {
    const desk = await openDesk(context, {}, [], [from, to]);
    const daemon = await desk.start();
    await moves(desk.world, [from, to]);
    await daemon.kill("SIGTERM");
  });
});
