/**
 * Real agents that share four places to idle in: with the fifth, the one that idled longest sleeps, and each wakes in
 * its conversation.
 */
import { expect, it } from "vitest";
import { eventsOf, says } from "../flows/acceptance/stage.ts";
import { ended } from "../ended.ts";
import { alive } from "../flows/world.ts";
import { openReal } from "./real-world.ts";

/** Gemini is the last, and is not woken: it may be opened again only in another minute. */
const TOOLS = ["claude", "claude-agent-acp", "codex-acp", "opencode", "gemini-acp"] as const;

it("of five threads with an agent each four live, and the one that idled longest sleeps, and wakes with its history", async () => {
  const { world, start } = await openReal([...TOOLS]);
  const daemon = await start();
  /** The process that works on this: that of the last turn so far. */
  const ask = async (thread: string, prompt: string): Promise<number> => {
    await world.marked((await world.owner(thread).send(prompt)).id, "✅");
    const pids = eventsOf(world).flatMap(({ type, payload }) =>
      type === "JobProgress" && payload["kind"] === "process" ? [Number(payload["pid"])] : [],
    );
    return pids.at(-1) ?? 0;
  };
  const seats: { thread: string; tool: string; pid: number }[] = [];
  for (const tool of TOOLS) {
    const thread = await world.session();
    if (tool !== TOOLS[0]) await says(world, thread, "tool", { tool });
    const pid = await ask(thread, `echo:with ${tool}`);
    expect(await ask(thread, "echo:again")).toBe(pid);
    seats.push({ thread, tool, pid });
  }
  for (const [place, { thread, tool, pid }] of seats.entries()) {
    await ended(pid);
    if (place === TOOLS.length - 1) break;
    const others = seats.filter((_, other) => other !== place);
    expect(others.filter((other) => !alive(other.pid)).map((other) => other.tool)).toEqual([]);
    const woken = await ask(thread, "hist:");
    expect(woken).not.toBe(pid);
    await world.saying(thread, (said) =>
      said.some(({ content }) => content.includes("HISTORY") && content.includes(`echo:with ${tool}`)),
    );
    Object.assign(seats[place] ?? {}, { pid: woken });
  }
  await daemon.kill("SIGTERM");
}, 240_000);
