/**
 * The real agents in a thread of the built daemon: what they ask there, and what is left of them when the daemon is
 * killed.
 */
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { eventsOf } from "../../flows/acceptance/stage.ts";
import { press } from "../../flows/asked.ts";
import { isAlive, systemProcessTable } from "../../../src/host/processes/process-table.ts";
import { openReal } from "../real-world.ts";
import { crashNotice, tree } from "../../flows/world.ts";

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
    expect(
      eventsOf(world)
        .filter(({ type }) => type === "DecisionAnswered")
        .map(({ payload }) => payload["by"]),
    ).toEqual(["press", "grant"]);
    await daemon.kill("SIGTERM");
  });
});

describe.each(["claude", "codex", "gemini", "claude-agent-acp", "codex-acp", "gemini-acp", "opencode"])(
  "%s in a thread",
  (tool) => {
    it("when its daemon is killed, leaves nothing running, repeats nothing, tells its owner, and goes on with its conversation", async () => {
      const { world, model, start } = await openReal([tool]);
      const daemon = await start();
      const thread = await world.session();
      await world.marked((await world.owner(thread).send("echo:remember this")).id, "✅");
      const { id } = await world.owner(thread).send("slow:2000:50");
      // Codex without ACP says nothing of an answer before its end.
      await (tool === "codex"
        ? model.until(2)
        : world.saying(thread, (said) => said.some(({ content }) => content.includes("chunk5 "))));
      const table = systemProcessTable();
      const below = new Set(tree(daemon.pid).filter((pid) => pid !== daemon.pid));
      const agents = table.list().filter(({ pid }) => below.has(pid));
      expect(agents.length).toBeGreaterThan(0);
      await daemon.kill("SIGKILL");
      const again = await start();
      await world.saying(thread, crashNotice);
      await world.marked(id, "💥");
      expect(agents.filter((agent) => isAlive(table, agent))).toEqual([]);
      expect(eventsOf(world).filter(({ type }) => type === "JobStarted")).toHaveLength(2);
      await world.owner(thread).send("hist:");
      await world.saying(thread, (said) =>
        said.some(({ content }) => content.includes("HISTORY") && content.includes("echo:remember this")),
      );
      await again.kill("SIGTERM");
      // Gemini waits for the end of the minute in which its session was opened.
    }, 180_000);
  },
);
