/**
 * The owner is reminded of what waits, through the built daemon and Discord. Nobody waits for the ladder here: the
 * daemon is killed, its journal is made to say that the question was asked three hours ago, and it is started again.
 */
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { APIMessage } from "discord-api-types/v10";
import { expect, test } from "vitest";
import { seal } from "../../src/journal/format.ts";
import { eventsOf } from "./acceptance/stage.ts";
import { controlsOf } from "./asked.ts";
import { openAsker, promptOf } from "./mcp/asker.ts";
import { descriptionOf, recorded } from "./workshop.ts";
import { openWorld, type Daemon, type World } from "./world.ts";

const QUESTION = "Which colour shall the shed have?";
const HOURS_MS = 3 * 3_600_000;

/**
 * A question that has stood open for three hours, in a daemon that has just begun again; `answer`: what its agent is
 * told.
 */
async function waited(
  by: "mention" | "direct",
): Promise<{ world: World; daemon: Daemon; thread: string; answer: Promise<unknown> }> {
  const world = await openWorld({ agent: "none", unlimited: true, config: { reminders: [{ after_minutes: 60, by }] } });
  const first = world.daemon();
  await first.ready;
  const agent = await openAsker(world);
  const answer = agent.ask({ question: QUESTION, options: ["Red", "Blue"] });
  const thread = await promptOf(world, QUESTION);
  await recorded(world, ({ type, payload }) => type === "PostRecorded" && payload["part"] === "prompt");
  await first.kill("SIGKILL");
  age(world.stateDir);
  const daemon = world.daemon();
  await daemon.ready;
  return { world, daemon, thread, answer };
}

function age(stateDir: string): void {
  const file = join(stateDir, "events.ndjson");
  const lines = readFileSync(file, "utf8").trimEnd().split("\n");
  const older = lines.map((line) => {
    const bare = `${line.slice(0, line.lastIndexOf(',"crc":'))}}`;
    return line.includes('"type":"DecisionAsked"')
      ? seal(
          bare.replace(
            /"ts":"([^"]+)"/,
            (_, ts: string) => `"ts":"${new Date(Date.parse(ts) - HOURS_MS).toISOString()}"`,
          ),
        ).text
      : line;
  });
  writeFileSync(file, `${older.join("\n")}\n`);
  const snapshot = join(stateDir, "snapshot.json");
  if (existsSync(snapshot)) rmSync(snapshot);
}

test("by name below the prompt, once, also after another restart; the call goes when it is answered", async () => {
  const { world, daemon, thread, answer } = await waited("mention");
  const { owner } = world.sandbox;
  const calls = (said: readonly APIMessage[]): APIMessage[] =>
    said.filter((message) => descriptionOf(message).includes("Waiting for your answer since"));
  const call = await world.saying(thread, (said) => calls(said)[0]);
  await recorded(world, ({ type, payload }) => type === "PostRecorded" && payload["part"] === "reminder:1");
  await daemon.kill("SIGKILL");
  await world.daemon().ready;
  expect(call.mentions.map(({ id }) => id)).toEqual([owner.id]);
  const prompt = world.said(thread).find((message) => controlsOf(message).includes("Blue"));
  await (await world.owner(thread).clickButton(prompt?.id ?? "", "B · Blue")).acknowledged();
  expect(await answer).toMatchObject({ success: true, selected_option: "Blue" });
  await world.sandbox.until(({ messages }) => calls(messages(thread)).length === 0);
  expect(eventsOf(world).filter(({ type }) => type === "DecisionReminded")).toHaveLength(1);
});

test("in direct messages, where a reply is the answer", async () => {
  const { world, thread, answer } = await waited("direct");
  const posted = await recorded(
    world,
    ({ type, payload }) => type === "PostRecorded" && payload["part"] === "reminder:1",
  ).then(() =>
    eventsOf(world).findLast(({ type, payload }) => type === "PostRecorded" && payload["part"] === "reminder:1"),
  );
  const direct = String(posted?.payload["channel_id"]);
  expect(direct).not.toBe(thread);
  const reminder = world.said(direct).find(({ id }) => id === posted?.payload["message_id"]);
  expect(descriptionOf(reminder ?? expect.fail("it stands nowhere"))).toContain(QUESTION);
  await world.owner(direct).send("2", { replyTo: reminder?.id ?? "" });
  expect(await answer).toMatchObject({ success: true, selected_option: "Blue" });
  await world.sandbox.until(({ messages }) =>
    messages(direct).some((message) => descriptionOf(message).startsWith("Settled")),
  );
});
