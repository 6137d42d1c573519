/**
 * What a real agent does in the background, after its answer: it asks its owner as before, through the built daemon and
 * Discord.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { eventsOf } from "../flows/acceptance/stage.ts";
import { press, prompted, type Asked } from "../flows/asked.ts";
import { recorded } from "../flows/workshop.ts";
import { inFolder } from "../flows/world.ts";
import { askReal } from "./real-world.ts";

const ended = ({ world }: Asked): Promise<void> =>
  recorded(world, ({ type, payload }) => type === "OutsideTurnEnded" && payload["outcome"] === "done");

describe.each(["claude", "claude-agent-acp"])("%s in a thread", (tool) => {
  it("a command in the background asks before it starts, and its end is told after the answer", async () => {
    const scene = await askReal(
      tool,
      `call:Bash:${JSON.stringify({ command: "sleep 1; touch later", description: "build", run_in_background: true })}`,
    );
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

  // A turn waits for its subagent with claude-agent-acp. Claude's own may end before the owner answers.
  it.each([
    ["at once", false],
    ["after the answer", true],
  ])("a subagent in the background asks once, and runs what was allowed %s", async (_when, afterwards) => {
    const scene = await askReal(
      tool,
      `call:Agent:${JSON.stringify({ description: "look around", prompt: "tool:bash:touch later", subagent_type: "general-purpose", run_in_background: true })}`,
    );
    const { world, daemon, id } = scene;
    const file = join(world.project, "later");
    await prompted(scene, "Allow once");
    if (afterwards && tool === "claude") await world.marked(id, "✅");
    expect(existsSync(file)).toBe(false);
    await press(scene, "Allow once");
    await inFolder(world.project, () => existsSync(file));
    await world.marked(id, "✅");
    await recorded(world, ({ type }) => type === "AnswerDelivered");
    expect(
      eventsOf(world).flatMap(({ type }) =>
        /^(DecisionAsked|DecisionVoided|DecisionAnswered|AnswerDelivered)$/.test(type) ? type : [],
      ),
    ).toEqual(["DecisionAsked", "DecisionAnswered", "AnswerDelivered"]);
    await daemon.kill("SIGTERM");
  });
});
