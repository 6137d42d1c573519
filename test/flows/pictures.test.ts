/**
 * Pictures from a phone are larger than Codex and Gemini should be given. They are told of a smaller copy beside the
 * original, or the owner is told that there is none.
 */
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { png, readPng } from "../../packages/discord-sandbox/test/png.ts";
import { descriptionOf, learnt, open as gate } from "./workshop.ts";
import { answered, openSession, openWorld, type World } from "./world.ts";

const PHOTO = { name: "photo.png", bytes: png(4032, 3024, { type: 0 }) };
const SENT_WHOLE = /more than 2,000 pixels a side and no smaller copy, this was sent as it is: `([^`]*)`/;

const lastPrompt = (world: World): string => world.agentStarts().at(-1)?.prompt ?? "";

/** What is said of pictures at the end of the last job. */
function saidOf(world: World, thread: string): string | undefined {
  const last = world
    .said(thread)
    .map(descriptionOf)
    .findLast((text) => text.startsWith("✅"));
  return SENT_WHOLE.exec(last ?? "")?.[1];
}

test.each(["codex", "gemini"])("%s is told of both, and the copy is as large as it says", async (tool) => {
  const { world, thread } = await openSession({ unlimited: true, tools: [tool] });
  const { id } = await world.owner(thread).upload([PHOTO], "count:both");
  await world.marked(id, "✅");
  const folder = join(world.stateDir, "uploads", thread, id);
  const [whole, copy] = [join(folder, "1-photo.png"), join(folder, "1-2000px-photo.png")];
  expect(lastPrompt(world)).toContain(
    `\n- ${copy} (2000 × 1500 pixels: a copy to look at of ${whole}, which has 4032 × 3024)`,
  );
  const { width, height } = readPng(readFileSync(copy));
  expect([width, height, statSync(copy).mode & 0o777]).toEqual([2000, 1500, 0o600]);
  expect(readFileSync(whole)).toEqual(PHOTO.bytes);
  expect(saidOf(world, thread)).toBeUndefined();
});

test("Claude makes pictures smaller by itself: no copy is made, and none is missed", async () => {
  const { world, thread } = await openSession({ unlimited: true });
  const { id } = await world.owner(thread).upload([PHOTO], "count:claude");
  await world.marked(id, "✅");
  const folder = join(world.stateDir, "uploads", thread, id);
  expect(lastPrompt(world)).toMatch(/- \S+1-photo\.png$/);
  expect(existsSync(join(folder, "1-2000px-photo.png"))).toBe(false);
  expect(saidOf(world, thread)).toBeUndefined();
});

test("what cannot be made smaller is sent as it is, which the prompt and the card say; what is no picture is a file like others", async () => {
  const { world, thread } = await openSession({ unlimited: true, tools: ["codex"] });
  const gif = Buffer.concat([Buffer.from("474946383961b80b3408f70000", "hex"), Buffer.alloc(200)]);
  const { id } = await world.owner(thread).upload(
    [
      { name: "moving.gif", bytes: gif },
      { name: "drawing.svg", bytes: Buffer.from('<svg width="9000" height="9000"/>') },
      { name: "empty.png", bytes: Buffer.alloc(0) },
      { name: "liar.png", bytes: png(40, 30).fill(0x10, 18, 20) },
      { name: "small.png", bytes: png(20, 20) },
    ],
    "work:many",
  );
  await world.agents(1);
  const lines = lastPrompt(world).split("\n").slice(-5);
  expect(lines.map((line) => line.replace(/- \S+\//, ""))).toEqual([
    expect.stringMatching(/^1-moving\.gif \(3000 × 2100 pixels, and there is no smaller copy/),
    "2-drawing.svg",
    "3-empty.png",
    expect.stringMatching(/^4-liar\.png \(\d+ × 30 pixels, and there is no smaller copy/),
    "5-small.png",
  ]);
  await world.saying(thread, (said) =>
    said.some((message) => /🖼️ .*`moving\.gif`, `liar\.png`/.test(descriptionOf(message))),
  );
  gate(world, "many");
  gate(world, "many-end");
  await world.marked(id, "✅");
  expect(world.said(thread).map(descriptionOf).join("\n")).toMatch(/✅ [^]*🖼️ .*`moving\.gif`, `liar\.png`/);
});

test("while Discord makes no copies, the original is sent and that is said; the next picture has its copy again", async () => {
  const { world, thread } = await openSession({ unlimited: true, tools: ["codex"] });
  const { faults } = world.sandbox;
  const broken = faults.fail({ path: "/media/", auth: "any", status: 503 });
  const first = await world.owner(thread).upload([PHOTO], "count:first");
  await world.marked(first.id, "✅");
  expect(broken.hits).toBe(1);
  expect(saidOf(world, thread)).toBe("photo.png");
  broken.lift();
  const second = await world.owner(thread).upload([PHOTO], "count:second");
  await world.marked(second.id, "✅");
  expect(lastPrompt(world)).toContain("1-2000px-photo.png");
  expect(saidOf(world, thread)).toBeUndefined();
});

test("a picture that was sent while Bellhop was away, and one whose daemon died over it, have their copies", async () => {
  const { world, daemon, thread } = await openSession({ unlimited: true, tools: ["codex"] });
  const held = world.sandbox.faults.hold({ path: "/media/", auth: "any" });
  const first = await world.owner(thread).upload([PHOTO], "count:first");
  await held.hit(1);
  await daemon.kill("SIGKILL");
  held.lift();
  const second = await world.owner(thread).upload([PHOTO], "count:second");
  await world.daemon().ready;
  await answered(world, thread, ["did first", "did second"]);
  for (const [index, { id }] of [first, second].entries()) {
    const copy = join(world.stateDir, "uploads", thread, id, "1-2000px-photo.png");
    expect(world.agentStarts()[index]?.prompt).toContain(copy);
    expect(readPng(readFileSync(copy)).width).toBe(2000);
  }
});

test("a copy that was changed while its message waited is not given to an agent", async () => {
  const { world, thread } = await openSession({ unlimited: true, tools: ["codex"] });
  await world.owner(thread).send("work:busy");
  await learnt(world, "process");
  const { id } = await world.owner(thread).upload([PHOTO], "count:swapped");
  await world.sandbox.until(({ reactions }) => Object.keys(reactions(id)).length > 0);
  writeFileSync(join(world.stateDir, "uploads", thread, id, "1-2000px-photo.png"), png(1, 1));
  gate(world, "busy");
  gate(world, "busy-end");
  await world.marked(id, "❌");
  await world.saying(thread, (said) => said.some((one) => JSON.stringify(one).includes("E_ATTACHMENT_CHANGED")));
  expect(world.agentStarts()).toHaveLength(1);
});

test("a picture that came while Claude had the session, and another agent takes it over, is said to be sent whole", async () => {
  const world = await openWorld({ unlimited: true, tools: ["claude", "codex"] });
  await world.daemon().ready;
  const thread = await world.session();
  await world.owner(thread).send("work:busy");
  await learnt(world, "process");
  const { id } = await world.owner(thread).upload([PHOTO], "count:later");
  await world.sandbox.until(({ reactions }) => Object.keys(reactions(id)).length > 0);
  await (await world.owner(thread).slash("tool", { tool: "codex" })).answer();
  gate(world, "busy");
  gate(world, "busy-end");
  await world.marked(id, "✅");
  expect([world.agentStarts().at(-1)?.tool, saidOf(world, thread)]).toEqual(["codex", "photo.png"]);
  expect(lastPrompt(world)).toMatch(/1-photo\.png \(4032 × 3024 pixels, and there is no smaller copy/);
});
