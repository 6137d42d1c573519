/** Pictures that are larger than an agent should be given, as the real agents' models get them. */
import { expect, it } from "vitest";
import { png, readPng } from "../../packages/discord-sandbox/test/png.ts";
import { events } from "../flows/mcp/asked.ts";
import { openReal } from "./real-world.ts";

const PHOTO = { name: "photo.png", bytes: png(3000, 2500, { type: 0 }) };

/** The sizes of the PNG files in what a model was sent, as text, each once. */
function sizesIn(asked: unknown): string[] {
  const found = JSON.stringify(asked).match(/iVBORw0KGgo[A-Za-z0-9+/]+=*/g) ?? [];
  const sizes = found.map((one) => {
    const { width, height } = readPng(Buffer.from(one, "base64"));
    return `${width}x${height}`;
  });
  return [...new Set(sizes)];
}

// Codex makes what it opens a little smaller still: of the original that would be 1727 × 1440.
it.each([
  ["codex", "1727x1439"],
  ["gemini", "2000x1667"],
])("%s opens the copy that its prompt names, and its model gets that", async (tool, size) => {
  const { world, model, start } = await openReal([tool]);
  const daemon = await start();
  const thread = await world.session();
  const { id } = await world.owner(thread).upload([PHOTO], "view:");
  await world.marked(id, "✅");
  expect(JSON.stringify(model.asked)).toContain("2000 × 1667 pixels: a copy to look at of");
  expect(sizesIn(model.asked)).toEqual([size]);
  await daemon.kill("SIGTERM");
});

it("gemini over ACP is given the copy with the prompt", async () => {
  const { world, model, start } = await openReal(["gemini-acp"]);
  const daemon = await start();
  const thread = await world.session();
  const { id } = await world.owner(thread).upload([PHOTO], "echo:seen");
  await world.marked(id, "✅");
  expect(sizesIn(model.asked)).toEqual(["2000x1667"]);
  expect(events(world, "DecisionAsked")).toEqual([]);
  await daemon.kill("SIGTERM");
});

it.each(["claude-agent-acp", "codex-acp"])("%s makes the original smaller by itself", async (tool) => {
  const { world, model, start } = await openReal([tool]);
  const daemon = await start();
  const thread = await world.session();
  const { id } = await world.owner(thread).upload([PHOTO], "echo:seen");
  await world.marked(id, "✅");
  expect(JSON.stringify(model.asked)).not.toContain(PHOTO.bytes.toString("base64"));
  expect(JSON.stringify(model.asked)).not.toContain("a copy to look at");
  await daemon.kill("SIGTERM");
});
