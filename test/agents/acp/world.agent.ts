/** The real agents that speak ACP ask their owner through the built daemon and Discord. */
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { eventsOf } from "../../flows/acceptance/stage.ts";
import { press } from "../../flows/asked.ts";
import { openReal } from "../real-world.ts";

describe.each(["claude-agent-acp", "opencode"])("%s in a thread", (tool) => {
  it("allowed for the session is not asked for again", async () => {
    const real = await openReal([tool]);
    const { world } = real;
    const daemon = await real.start();
    const thread = await world.session();
    const file = join(world.project, "granted");
    const prompt = "tool:bash:touch granted";
    const { id } = await world.owner(thread).send(prompt);
    await press({ world, daemon, thread, id }, "Allow for this session");
    await world.marked(id, "✅");
    expect(existsSync(file)).toBe(true);
    rmSync(file);
    const again = await world.owner(thread).send(prompt);
    await world.marked(again.id, "✅");
    expect(existsSync(file)).toBe(true);
    expect(eventsOf(world).filter(({ type }) => type === "DecisionAnswered").map(({ payload }) => payload["by"])).toEqual(["press", "grant"]);
    await daemon.kill("SIGTERM");
  });
});
