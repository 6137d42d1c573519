/** What a real agent does in the background, after its answer: it asks its owner as before, through the built daemon and Discord. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { eventsOf } from "../flows/acceptance/stage.ts";
import { press, prompted, type Asked } from "../flows/asked.ts";
import { inJournal, recorded } from "../flows/workshop.ts";
import { inFolder } from "../flows/world.ts";
import { openReal } from "./real-world.ts";

async function asked(tool: string, prompt: string): Promise<Asked> {
  const real = await openReal([tool]);
  const daemon = await real.start();
  const thread = await real.world.session();
  const { id } = await real.world.owner(thread).send(prompt);
  return { world: real.world, daemon, thread, id };
}

const ended = ({ world }: Asked): Promise<void> => recorded(world, ({ type, payload }) => type === "OutsideTurnEnded" && payload["outcome"] === "done");

/** Resolves when the job is over and what was asked in an outside turn stands in Discord; a prompt of the job itself is then void. */
async function promptedAside({ world, id }: Asked): Promise<void> {
  await world.marked(id, "✅");
  await inJournal(world, (events) => {
    const asides = events.flatMap(({ type, payload }) => (type === "DecisionAsked" && (payload["asker"] as { by: string }).by === "turn" ? [payload["decision_id"]] : []));
    return events.some(({ type, payload }) => type === "PostRecorded" && payload["part"] === "prompt" && asides.includes(payload["subject"]));
  });
}

describe.each(["claude", "claude-agent-acp"])("%s in a thread", (tool) => {
  it("a command in the background asks before it starts, and its end is told after the answer", async () => {
    const scene = await asked(tool, `call:Bash:${JSON.stringify({ command: "sleep 1; touch later", description: "build", run_in_background: true })}`);
    const { world, daemon, id } = scene;
    const file = join(world.project, "later");
    await prompted(scene, "Allow once");
    expect(eventsOf(world).filter(({ type }) => type === "BackgroundNoted")).toEqual([]);
    await press(scene, "Allow once");
    await world.marked(id, "✅");
    await ended(scene);
    expect(existsSync(file)).toBe(true);
    await daemon.kill("SIGTERM");
  });

  // A turn waits for its subagent with claude-agent-acp. Claude's own ends before the owner answers, and what its subagent asks is asked in a turn of its own.
  it("a subagent in the background asks, and runs what was allowed", async () => {
    const scene = await asked(tool, `call:Agent:${JSON.stringify({ description: "look around", prompt: "tool:bash:touch later", subagent_type: "general-purpose", run_in_background: true })}`);
    const { world, daemon, id } = scene;
    const file = join(world.project, "later");
    if (tool === "claude") await promptedAside(scene);
    else await prompted(scene, "Allow once");
    expect(existsSync(file)).toBe(false);
    await press(scene, "Allow once");
    await inFolder(world.project, () => existsSync(file));
    await world.marked(id, "✅");
    await daemon.kill("SIGTERM");
  });
});
