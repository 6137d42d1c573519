/** `/new`, `/compact` and `/agent effort` with the real agents that speak the protocol, through the real daemon. */
import { describe, expect, it } from "vitest";
import { openReal } from "../real-world.ts";
import type { World } from "../../flows/world.ts";

async function slash(world: World, place: string, name: string, options: object = {}): Promise<string> {
  const { content } = await (await world.owner(place).slash(name, options as Record<string, string>)).answer();
  return content;
}

describe.each([
  ["claude-agent-acp", "low", /The conversation was made shorter: [\d.]+k? → [\d.]+k? tokens\./],
  ["codex-acp", null, /The agent ran `\/compact` and said nothing of it\./],
  ["gemini-acp", null, null],
  ["opencode", null, /./],
] as const)("%s", (tool, effort, compacted) => {
  it("begins anew, makes its conversation shorter and thinks as it is told, or says that it cannot", async () => {
    const real = await openReal([tool]);
    const { world, start } = real;
    const daemon = await start();
    const thread = await world.session();
    const say = async (prompt: string): Promise<string> => {
      const before = world.said(thread).length;
      await world.marked((await world.owner(thread).send(prompt)).id, "✅");
      return JSON.stringify(world.said(thread).slice(before));
    };
    await say("echo:one");

    const chosen = await slash(world, thread, "agent effort", { level: effort ?? "low" });
    if (effort === null) expect(chosen).toContain("E_EFFORT_UNAVAILABLE");
    else expect(chosen).toBe(`The effort was changed to \`${effort}\``);
    await say("echo:two");

    const before = world.said(thread).length;
    const answer = await slash(world, thread, "compact");
    if (compacted === null) expect(answer).toContain("E_NOT_COMPACTED");
    else {
      await world.saying(thread, (said) => said.slice(before).some((one) => JSON.stringify(one).includes("✅")));
      const says = JSON.stringify(world.said(thread).slice(before));
      expect(says).toMatch(compacted);
    }
    expect(await say("hist:")).toMatch(/HISTORY/);

    expect(await slash(world, thread, "new")).toContain("begins a new conversation");
    const fresh = await say("hist:");
    expect(fresh).toContain("HISTORY");
    expect(fresh).not.toContain("echo:one");
    await daemon.kill("SIGTERM");
  }, 240_000);
});
