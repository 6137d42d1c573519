/**
 * Rules with the real agents: what is allowed always runs without a prompt, also in a new daemon; what differs is asked,
 * and so is all once the rule is gone.
 */
import { existsSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { eventsOf } from "../flows/acceptance/stage.ts";
import { always, type Asked, changed, controlsOf, press, prompted, settled } from "../flows/asked.ts";
import { descriptionOf } from "../flows/workshop.ts";
import { openReal } from "./real-world.ts";

const byRule = ({ world }: Asked): number =>
  eventsOf(world).filter(({ type, payload }) => type === "DecisionAnswered" && payload["by"] === "rule").length;

it.each(["claude", "claude-agent-acp"])(
  "%s runs what is always allowed, and asks for all else",
  async (tool) => {
    const real = await openReal([tool]);
    const { world } = real;
    const daemon = await real.start();
    const thread = await world.session();
    const file = join(world.project, "ruled");
    const prompt = "tool:bash:touch ruled";
    const { id } = await world.owner(thread).send(prompt);
    const asked: Asked = { world, daemon, thread, id };
    await always(asked, "1 · in app");
    await world.marked(id, "✅");
    expect(existsSync(file)).toBe(true);

    rmSync(file);
    await world.marked((await world.owner(thread).send(prompt)).id, "✅");
    expect(existsSync(file)).toBe(true);
    expect(byRule(asked)).toBe(1);
    await world.saying(thread, (said) => said.find((one) => JSON.stringify(one).includes("1 allowed by rules")));

    const other = await world.owner(thread).send("tool:bash:touch other");
    await settled(asked, await press(asked, "Deny"));
    await world.marked(other.id, "✅");
    expect(existsSync(join(world.project, "other"))).toBe(false);

    await daemon.kill("SIGKILL");
    const again = await real.start();
    rmSync(file);
    await world.marked((await world.owner(thread).send(prompt)).id, "✅");
    expect(existsSync(file)).toBe(true);
    expect(byRule(asked)).toBe(2);

    const listed = await (await world.owner(thread).slash("rules", {})).answer();
    const rule = eventsOf(world).find(({ type }) => type === "RuleAdded");
    await world.owner(thread).select(listed.id, "r-back:1", [String(rule?.payload["rule_id"])]);
    await changed(world, listed.id, "You will be asked again");
    rmSync(file);
    const last = await world.owner(thread).send(prompt);
    await settled(asked, await press(asked, "Deny"));
    await world.marked(last.id, "✅");
    expect(existsSync(file)).toBe(false);
    await again.kill("SIGTERM");
  },
  120_000,
);

it("after a command that leads elsewhere, Claude is asked again and no rule is offered for its commands", async () => {
  const real = await openReal(["claude"]);
  const { world } = real;
  const daemon = await real.start();
  const thread = await world.session();
  mkdirSync(join(world.project, "deep"));
  const { id } = await world.owner(thread).send("tool:bash:touch ruled");
  const asked: Asked = { world, daemon, thread, id };
  await always(asked, "1 · in this thread");
  await world.marked(id, "✅");
  const away = await world.owner(thread).send("tool:bash:cd deep && touch here");
  await settled(asked, await press(asked, "Allow once"));
  await world.marked(away.id, "✅");
  expect(existsSync(join(world.project, "deep", "here"))).toBe(true);
  const last = await world.owner(thread).send("tool:bash:touch ruled");
  const prompt = await prompted(asked, "Allow once");
  expect(descriptionOf(prompt)).toContain("touch ruled");
  expect(controlsOf(prompt)).not.toContain("Always allow…");
  await settled(asked, await press(asked, "Allow once"));
  await world.marked(last.id, "✅");
  // This is why.
  expect(existsSync(join(world.project, "deep", "ruled"))).toBe(true);
  expect(byRule(asked)).toBe(0);
  await daemon.kill("SIGTERM");
}, 120_000);
