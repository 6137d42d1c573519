/** What the real Claude Code in a window asks: its dialog stands at the terminal, and its owner answers there or in Discord. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test, type TestContext } from "vitest";
import { type Asked, press, prompted, settled } from "../../flows/asked.ts";
import { type Desk, openDesk } from "./desk.ts";

async function asking(context: TestContext, prompt: string, config: Record<string, unknown> = {}, allow: string[] = []): Promise<{ desk: Desk; asked: Asked }> {
  const desk = await openDesk(context, config, allow);
  const { world } = desk;
  const daemon = await desk.start();
  const thread = await world.session();
  const { id } = await world.owner(thread).send(prompt);
  return { desk, asked: { world, daemon, thread, id } };
}

const made = ({ world }: Desk): boolean => existsSync(join(world.project, "made"));

test("a tool of permission_tools is asked about although Claude's own rules allow it", async (context) => {
  const { desk, asked } = await asking(context, "tool:bash:touch made", { permission_tools: ["Bash"] }, ["Bash"]);
  await prompted(asked, "Allow");
  expect(made(desk)).toBe(false);
  await press(asked, "Allow");
  await desk.world.marked(asked.id, "✅");
  expect(made(desk)).toBe(true);
  expect(desk.all("DecisionAsked")).toHaveLength(1);
});

test("a permission that is answered at the keyboard says so in Discord, and its buttons go", async (context) => {
  const { desk, asked } = await asking(context, "tool:bash:touch made");
  const prompt = await prompted(asked, "Allow");
  await desk.agrees("Do you want to proceed?");
  await desk.world.marked(asked.id, "✅");
  expect(made(desk)).toBe(true);
  expect((await desk.came("DecisionVoided"))[0]).toMatchObject({ why: "terminal", outcome: "allowed" });
  expect(await settled(asked, prompt)).toContain("terminal");
});

test("a permission that nobody answers in time is left to the terminal, whose answer counts", async (context) => {
  const { desk, asked } = await asking(context, "tool:bash:touch made", { decision_lapse_s: { by_tool: { tmux: { permission: 2 } } } });
  const prompt = await prompted(asked, "Allow");
  await desk.came("DecisionLapsed");
  expect(await settled(asked, prompt)).toContain("terminal");
  expect(made(desk)).toBe(false);
  await desk.agrees("Do you want to proceed?");
  await desk.world.marked(asked.id, "✅");
  expect(made(desk)).toBe(true);
});

test("what Claude says before it asks stands above what it asks", async (context) => {
  const desk = await openDesk(context);
  const { world } = desk;
  const daemon = await desk.start();
  const thread = await world.session();
  for (const [prompt, yes] of [["ask:", "B · Blue"], ["tool:bash:touch made", "Allow"], ["ask:", "B · Blue"], ["tool:bash:touch more", "Allow"]] as const) {
    const { id } = await world.owner(thread).send(prompt);
    const asked = { world, daemon, thread, id };
    await prompted(asked, yes);
    await press(asked, yes);
    await world.marked(id, "✅");
  }
  const said = world.said(thread).flatMap(({ content, embeds: [embed] }) => /^(I need to ask|Running a command)/.exec(content)?.[1] ?? /^.+(asks you|May Claude use Bash)/.exec(embed?.title ?? "")?.[1] ?? []);
  const question = ["I need to ask", "asks you"];
  const permission = ["Running a command", "May Claude use Bash"];
  expect(said).toEqual([...question, ...permission, ...question, ...permission]);
});
