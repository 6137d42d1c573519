/** Files between the owner and the real agents: both ways, without a permission for what is the session's own. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { controlsOf } from "../flows/asked.ts";
import { events } from "../flows/mcp/asked.ts";
import { textOf } from "../flows/workshop.ts";
import { inFolder } from "../flows/world.ts";
import { openReal } from "./real-world.ts";

const MARKER = "see [DISCORD_ATTACH: chart.txt] here";
const shell = `tool:bash:echo "one two three" > "$BELLHOP_OUTPUTS/chart.txt" && echo "${MARKER}"`;
/** Gemini CLI runs no command unasked that writes into a file. */
const tools = (outputs: string): string =>
  `calls:${JSON.stringify([
    { name: "write_file", input: { file_path: join(outputs, "chart.txt"), content: "one two three\n" } },
    { name: "run_shell_command", input: { command: `echo "${MARKER}"` } },
  ])}`;

it.each([
  ["claude", ["--allowedTools", "Bash"], () => shell],
  ["codex", ["-s", "workspace-write"], () => shell],
  ["gemini", ["--approval-mode", "auto_edit", "--allowed-tools", "run_shell_command"], tools],
])("%s puts a file into its folder and sends it", async (tool, args, prompt) => {
  const real = await openReal([tool], args);
  const { world, model } = real;
  const daemon = await real.start();
  const thread = await world.session();
  const outputs = join(world.stateDir, "outputs", thread);
  const { id } = await world.owner(thread).send(prompt(outputs));
  await world.marked(id, "✅");
  const message = await world.saying(thread, (said) => said.find(({ attachments }) => attachments.length > 0));
  expect(message.attachments.map(({ filename }) => filename)).toEqual(["chart.txt"]);
  expect(await textOf(message)).toBe("one two three\n");
  const words = world
    .said(thread)
    .map(({ content }) => content)
    .join("\n");
  expect(words).toMatch(/see +here/);
  expect(words).not.toContain("DISCORD");
  // It was told of the folder, and what is in Discord is kept nowhere else of ours.
  expect(JSON.stringify(model.asked)).toContain(`put it into ${outputs} and`);
  const results = join(world.stateDir, "results");
  await inFolder(results, () => !readdirSync(results).some((name) => name.includes(".file-")));
  await daemon.kill("SIGTERM");
});

// The others are granted its folder, and open it themselves.
it.each(["gemini-acp", "opencode"])(
  "%s has the text of a file that is sent with a message, and does not ask for it",
  async (tool) => {
    const { world, model, start } = await openReal([tool]);
    const daemon = await start();
    const thread = await world.session();
    const { id } = await world
      .owner(thread)
      .send("echo:seen", { files: [{ name: "notes.txt", bytes: Buffer.from("the disk was full\n") }] });
    await world.marked(id, "✅");
    expect(JSON.stringify(model.asked)).toContain("the disk was full");
    expect(events(world, "DecisionAsked")).toEqual([]);
    await daemon.kill("SIGTERM");
  },
);

const PICTURE = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

it.each([
  ["claude-agent-acp", PICTURE],
  ["codex-acp", PICTURE],
  ["gemini-acp", PICTURE],
  // It takes pictures, but the model that it has here does not: that is what it makes of one.
  ["opencode", "this model does not support image input"],
])("%s is given a picture that is sent with a message", async (tool, shown) => {
  const { world, model, start } = await openReal([tool]);
  const daemon = await start();
  const thread = await world.session();
  const { id } = await world
    .owner(thread)
    .send("echo:seen", { files: [{ name: "dot.png", bytes: Buffer.from(PICTURE, "base64") }] });
  await world.marked(id, "✅");
  expect(JSON.stringify(model.asked)).toContain(shown);
  expect(events(world, "DecisionAsked")).toEqual([]);
  await daemon.kill("SIGTERM");
});

it.each(["claude-agent-acp", "codex-acp"])(
  "%s is told where a file stands that is sent with a message",
  async (tool) => {
    const { world, model, start } = await openReal([tool]);
    const daemon = await start();
    const thread = await world.session();
    const { id } = await world
      .owner(thread)
      .send("echo:seen", { files: [{ name: "notes.txt", bytes: Buffer.from("the disk was full\n") }] });
    await world.marked(id, "✅");
    expect(JSON.stringify(model.asked)).toMatch(new RegExp(`uploads/${thread}/${id}/[^"]*notes\\.txt`));
    expect(events(world, "DecisionAsked")).toEqual([]);
    await daemon.kill("SIGTERM");
  },
);

it("claude reads a file that is sent as an answer while it runs, and needs no permission for it", async () => {
  const real = await openReal(["claude"]);
  const { world } = real;
  const daemon = await real.start();
  const thread = await world.session();
  const which = {
    question: "Which log?",
    header: "Log",
    multiSelect: false,
    options: [
      { label: "The last one", description: "" },
      { label: "All of them", description: "" },
    ],
  };
  const { id } = await world.owner(thread).send(`fetch:${JSON.stringify({ questions: [which] })}`);
  await world.saying(thread, (said) => said.some((message) => controlsOf(message).includes("The last one")));
  await world
    .owner(thread)
    .upload([{ name: "error.log", bytes: Buffer.from("the disk was full\n") }], "it is this one, which I have here");
  await world.saying(thread, (said) => said.some(({ content }) => content.includes("the disk was full")));
  await world.marked(id, "✅");
  expect(events(world, "DecisionAsked").map(({ kind }) => kind)).toEqual(["question"]);
  await daemon.kill("SIGTERM");
});
