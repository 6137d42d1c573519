/**
 * A wish for time and a question back keep a question open, through the built daemon and Discord, and over its death.
 */
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { APIMessage } from "discord-api-types/v10";
import { expect, test } from "vitest";
import { seal } from "../../../src/journal/format.ts";
import { controlsOf } from "../asked.ts";
import { descriptionOf, recorded } from "../workshop.ts";
import { ask, events, openAsking, type Asking } from "./asked.ts";

const stays = (message: APIMessage): boolean => message.embeds[0]?.title === "The question stays open";

/** Asked, and the owner has written this; resolves with what he is told. */
async function told(
  words: string,
): Promise<Asking & { thread: string; note: APIMessage; answer: Awaited<ReturnType<typeof ask>>["answer"] }> {
  const asking = await openAsking();
  const { thread, answer } = await ask(asking.world, asking.client);
  await asking.world.owner(thread).send(words);
  const note = await asking.world.saying(thread, (said) => said.find(stays));
  return { ...asking, thread, note, answer };
}

test('"let me think" can be put off, which a new daemon still knows, and the answer counts all the same', async () => {
  const { world, daemon, thread, note, answer } = await told("let me think");
  const pressed = await world.owner(thread).clickButton(note.id, "Tomorrow at 9:00");
  const [said] = await pressed.followUps(1);
  expect(said?.content).toMatch(/^💤 You will be asked again on <t:\d+:f>\.$/);
  await daemon.kill("SIGKILL");
  await world.daemon().ready;
  const [snoozed] = events(world, "DecisionSnoozed");
  const at = new Date(String(snoozed?.["until"]));
  expect([at.getHours(), at.getMinutes()]).toEqual([9, 0]);
  await world.saying(thread, (said) =>
    said.some(
      (message) =>
        controlsOf(message).includes("B) Staging first") && descriptionOf(message).includes("💤 Put off until"),
    ),
  );
  await world.owner(thread).send("B");
  expect((await answer).structured).toMatchObject({ success: true, selected_option: "B) Staging first" });
  await world.sandbox.until(({ messages }) => !messages(thread).some(stays));
  expect([events(world, "DecisionReasked"), events(world, "DecisionAborted"), events(world, "InboxReceived")]).toEqual([
    [],
    [],
    [],
  ]);
});

/** The journal of a daemon that is gone says that the question was put off so long before. */
function putOffEarlier(stateDir: string, ms: number): void {
  const earlier = (time: string): string => new Date(Date.parse(time) - ms).toISOString();
  const file = join(stateDir, "events.ndjson");
  const lines = readFileSync(file, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => {
      if (!line.includes('"type":"DecisionSnoozed"')) return line;
      return seal(
        `${line.slice(0, line.lastIndexOf(',"crc":'))}}`.replace(
          /"(ts|until)":"([^"]+)"/g,
          (_, name: string, time: string) => `"${name}":"${earlier(time)}"`,
        ),
      ).text;
    });
  writeFileSync(file, `${lines.join("\n")}\n`);
  if (existsSync(join(stateDir, "snapshot.json"))) rmSync(join(stateDir, "snapshot.json"));
}

test("when its time has come, also while no daemon ran, a new message calls its owner, and its button is the answer", async () => {
  const { world, daemon, thread, note, answer } = await told("나중에");
  await (await world.owner(thread).clickButton(note.id, "In 1 hour")).followUps(1);
  await daemon.kill("SIGKILL");
  putOffEarlier(world.stateDir, 2 * 3_600_000);
  await world.daemon().ready;
  const call = await world.saying(thread, (said) =>
    said.find((message) => descriptionOf(message).includes("You wanted to be asked again now")),
  );
  expect(call.mentions.map(({ id }) => id)).toEqual([world.sandbox.owner.id]);
  await (await world.owner(thread).clickButton(call.id, "B) Staging first")).acknowledged();
  expect((await answer).structured).toMatchObject({ success: true, selected_option: "B) Staging first" });
  await world.saying(thread, (said) => said.find(({ id, components }) => id === call.id && components?.length === 0));
});

test("a question back is kept from the agent until its writer sends it as the answer", async () => {
  const { world, thread, note, answer } = await told("B가 뭐야?");
  const there = world.owner(thread);
  const opened = await there.clickButton(note.id, "Send as the answer…");
  const modal = await opened.modal();
  expect(JSON.stringify(modal)).toContain("B가 뭐야?");
  expect(events(world, "DecisionAnswered")).toEqual([]);
  await (await there.submitModal(opened, { words: "B가 뭐야?" })).acknowledged();
  expect((await answer).structured).toMatchObject({ success: true, answer: "B가 뭐야?", selected_option: null });
});

test("the prompt's own button asks for how long, and a stranger is asked nothing", async () => {
  const { world, client } = await openAsking();
  const { thread, answer } = await ask(world, client);
  const prompt = await world.saying(thread, (said) => said.find((message) => controlsOf(message).includes("Later…")));
  const { id } = world.sandbox.addUser("mallory", { admin: true });
  const refused = await world.sandbox.channel(thread).user(id).clickButton(prompt.id, "Later…");
  expect([await refused.ephemeral(), (await refused.answer()).content]).toEqual([
    true,
    expect.stringContaining("E_OWNER_ONLY"),
  ]);
  const [choice] = await (await world.owner(thread).clickButton(prompt.id, "Later…")).followUps(1);
  await (await world.owner(thread).clickButton(choice?.id ?? "", "In 15 minutes")).acknowledged();
  await recorded(world, ({ type }) => type === "DecisionSnoozed");
  await world.owner(thread).send("A");
  expect((await answer).structured).toMatchObject({ selected_option: "A) Run it now" });
});
