/** The real Claude Code that its owner has put into a thread: it sends files, reads his, and knows that it can. */
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { withButton } from "../../flows/workshop.ts";
import { adopted, openOwn, posted } from "./own-terminal.ts";

const ADVICE = "use the AskUserQuestion tool with two to four options";

test("an adopted Claude is told once how to send files and to ask, its files arrive, and what it was sent is read without a question", async (context) => {
  const scene = await openOwn(context);
  const { desk } = scene;
  const { world, model } = desk;
  const thread = await adopted(scene);
  const outputs = join(world.stateDir, "outputs", thread);
  const uploads = join(world.stateDir, "uploads", thread);
  const asked = (): string => JSON.stringify(model.asked.at(-1)?.body);
  expect(JSON.stringify(model.asked)).not.toContain(ADVICE);

  const { id } = await world
    .owner(thread)
    .send("echo:seen", { files: [{ name: "notes.txt", bytes: Buffer.from("the words of the file\n") }] });
  await world.marked(id, "✅");
  expect(asked()).toContain(`put it into ${outputs} and`);
  const [message = ""] = readdirSync(uploads);
  const file = join(uploads, message, readdirSync(join(uploads, message))[0] ?? "");

  const reading = await world.owner(thread).send(`call:Read:${JSON.stringify({ file_path: file })}`);
  await world.marked(reading.id, "✅");
  expect(asked()).toContain("the words of the file");
  expect(asked().split(ADVICE)).toHaveLength(2);
  expect(desk.all("DecisionAsked")).toEqual([]);

  writeFileSync(join(outputs, "chart.txt"), "one two three\n");
  await world.owner(thread).send("echo:see [DISCORD_ATTACH: chart.txt] here");
  await world.saying(thread, (said) =>
    said.some(({ attachments = [] }) => attachments.some(({ filename }) => filename === "chart.txt")),
  );

  const other = join(world.home, "other.txt");
  writeFileSync(other, "not his\n");
  await world.owner(thread).send(`call:Read:${JSON.stringify({ file_path: other })}`);
  const prompt = await world.saying(thread, (said) => withButton(said, "do"));
  await world.owner(thread).clickButton(prompt.id, "Deny");
  await posted(world, thread, "did not allow");
});
