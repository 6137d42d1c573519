/**
 * The real Claude Code asks its owner through the built daemon and Discord, and the daemon is killed while it waits:
 * what was asked is void and says so, and Retry asks it anew.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { type Asked, controlsOf, press, prompted, settled } from "../flows/asked.ts";
import { crashNotice } from "../flows/world.ts";
import { openReal } from "./real-world.ts";

const colour = {
  question: "Which colour?",
  header: "Colour",
  multiSelect: false,
  options: [
    { label: "Red", description: "warm" },
    { label: "Blue", description: "cold" },
  ],
};

it.each([
  ["a permission", "tool:bash:touch made-by-claude", "Allow once", "AFTER_TOOL"],
  [
    "a question",
    `call:AskUserQuestion:${JSON.stringify({ questions: [colour] })}`,
    "B · Blue",
    '"Which colour?"="Blue"',
  ],
  ["a plan", 'call:ExitPlanMode:{"plan":"# Plan\\n1. Do A"}', "Approve", "AFTER_TOOL User has approved"],
])("%s", async (_, prompt, yes, expected) => {
  const real = await openReal(["claude"], yes === "Approve" ? ["--permission-mode", "plan"] : []);
  const { world } = real;
  const daemon = await real.start();
  const thread = await world.session();
  const { id } = await world.owner(thread).send(prompt);
  const asked: Asked = { world, daemon, thread, id };
  const first = await prompted(asked, yes);
  await daemon.kill("SIGKILL");
  const again = await real.start();
  expect(await settled(asked, first)).toContain("No longer open");
  expect(existsSync(join(world.project, "made-by-claude"))).toBe(false);
  const notice = await world.saying(thread, crashNotice);
  await world.owner(thread).clickButton(notice.id, "Retry");
  const fresh = await world.saying(thread, (said) =>
    said.find((message) => message.id !== first.id && controlsOf(message).includes(`"label":"${yes}"`)),
  );
  expect(fresh.id).not.toBe(first.id);
  await press(asked, yes);
  await world.saying(thread, (said) => said.some(({ content }) => content.replaceAll("\\", "").includes(expected)));
  await world.marked(id, "✅");
  expect(existsSync(join(world.project, "made-by-claude"))).toBe(prompt.startsWith("tool:"));
  await again.kill("SIGTERM");
});
