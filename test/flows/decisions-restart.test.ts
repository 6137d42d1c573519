/**
 * Decisions across `kill -9` and a restart, with the whole app: buttons from before still work, what was pressed or
 * written while no daemon ran counts once or is asked for again, and no answer is lost between
 * the owner and the asker.
 */
import type { APIMessage } from "discord-api-types/v10";
import { expect, test } from "vitest";
import { eventsOf } from "./acceptance/stage.ts";
import { answer, asks, controlsOf, pointer, press, prompted, ran, settled, standing } from "./asked.ts";
import { openAsker, promptOf } from "./mcp/asker.ts";
import { recorded } from "./workshop.ts";
import { crashNotice, openWorld, type Daemon, type World } from "./world.ts";

const OPTIONS = ["Red", "Blue"];
const QUESTION = "Which colour shall the shed have?";

async function opened(): Promise<{ world: World; daemon: Daemon; agent: Awaited<ReturnType<typeof openAsker>> }> {
  const world = await openWorld({ agent: "none", unlimited: true });
  const daemon = world.daemon();
  await daemon.ready;
  return { world, daemon, agent: await openAsker(world) };
}

/** The prompt as it can be pressed, once the daemon knows where it stands. */
async function promptIn(world: World, thread: string): Promise<APIMessage> {
  await recorded(world, ({ type, payload }) => type === "PostRecorded" && payload["part"] === "prompt");
  return world.saying(thread, (said) => said.find((message) => controlsOf(message).includes("Blue")));
}

const typesOf = (world: World, ...wanted: string[]): string[] =>
  eventsOf(world)
    .map(({ type }) => type)
    .filter((type) => wanted.includes(type));

test("a button of before the kill still means what it says, and the answer reaches the agent that came back", async () => {
  const { world, daemon, agent } = await opened();
  const asked = agent.ask({ question: QUESTION, options: OPTIONS });
  const thread = await promptOf(world, QUESTION);
  const prompt = await promptIn(world, thread);
  await daemon.kill("SIGKILL");
  await world.daemon().ready;
  await (await world.owner(thread).clickButton(prompt.id, "B · Blue")).acknowledged();
  expect(await asked).toMatchObject({ success: true, selected_option: "Blue" });
  expect(typesOf(world, "DecisionAsked", "DecisionAnswered")).toEqual(["DecisionAsked", "DecisionAnswered"]);
});

test("a press that found nobody is lost and settles nothing; pressed again when the daemon is back it counts", async () => {
  const { world, daemon, agent } = await opened();
  const asked = agent.ask({ question: QUESTION, options: OPTIONS });
  const thread = await promptOf(world, QUESTION);
  const prompt = await promptIn(world, thread);
  await daemon.kill("SIGKILL");
  const lost = await world.owner(thread).clickButton(prompt.id, "A · Red");
  await expect(lost.acknowledged()).rejects.toThrow();
  await world.daemon().ready;
  await recorded(world, ({ type }) => type === "DecisionRefreshed");
  const again = await world.saying(thread, (said) => said.findLast((message) => controlsOf(message).includes("Blue")));
  expect(typesOf(world, "DecisionAnswered")).toEqual([]);
  await (await world.owner(thread).clickButton(again.id, "B · Blue")).acknowledged();
  expect(await asked).toMatchObject({ success: true, selected_option: "Blue" });
});

test("of two words written while nobody was there the first is the answer, and the second is none", async () => {
  const { world, daemon, agent } = await opened();
  const asked = agent.ask({ question: QUESTION, options: OPTIONS });
  const thread = await promptOf(world, QUESTION);
  await promptIn(world, thread);
  await daemon.kill("SIGKILL");
  await world.owner(thread).send("2");
  await world.owner(thread).send("1");
  await world.daemon().ready;
  expect(await asked).toMatchObject({ success: true, answer: "Blue", selected_option: "Blue" });
  await recorded(world, ({ type }) => type === "InboxReceived");
  expect(typesOf(world, "DecisionAnswered", "InboxReceived")).toEqual(["DecisionAnswered", "InboxReceived"]);
});

test("an answer that the daemon did not live to hand over is handed over by the next one, and asked for once", async () => {
  const { world, daemon, agent } = await opened();
  const first = agent.ask({ question: QUESTION, options: OPTIONS });
  first.catch(() => undefined);
  const thread = await promptOf(world, QUESTION);
  const prompt = await promptIn(world, thread);
  agent.close();
  await recorded(world, ({ type }) => type === "DecisionDisconnected");
  await (await world.owner(thread).clickButton(prompt.id, "A · Red")).acknowledged();
  await recorded(world, ({ type }) => type === "DecisionAnswered");
  await daemon.kill("SIGKILL");
  await world.daemon().ready;
  const back = await openAsker(world);
  const result = await back.ask({ question: QUESTION, options: OPTIONS });
  expect(result).toMatchObject({ success: true, selected_option: "Red", thread_id: thread });
  await back.delivered(result.question_id);
  expect(typesOf(world, "DecisionAsked", "DecisionAnswered", "AnswerDelivered")).toEqual([
    "DecisionAsked",
    "DecisionAnswered",
    "AnswerDelivered",
  ]);
});

test("what was allowed for the session is allowed after a kill too, for these bytes and no others", async () => {
  const asked = await asks("may:ls build");
  await press(asked, "Allow for this session");
  await answer(asked, "It has run.");
  await asked.world.marked(asked.id, "✅");
  await asked.daemon.kill("SIGKILL");
  await asked.world.daemon().ready;
  const again = await asked.world.owner(asked.thread).send("may:ls build");
  await asked.world.marked(again.id, "✅");
  expect(ran(asked)).toEqual([{ command: "ls build" }, { command: "ls build" }]);
  await asked.world.owner(asked.thread).send("may:ls build; rm -rf /");
  await press(asked, "Deny");
  await answer(asked, "I may not: ");
  expect(ran(asked)).toHaveLength(2);
});

test("a yes that was written while nobody was there lets nothing be done for an agent that is dead, nor for the next one", async () => {
  const asked = await asks("may:rm -rf build");
  const { world, thread, daemon } = asked;
  const prompt = await prompted(asked, "Allow once");
  await standing(asked);
  await daemon.kill("SIGKILL");
  await world.owner(thread).send("yes");
  await world.daemon().ready;
  expect(await settled(asked, prompt)).toContain("No longer open");
  await recorded(world, ({ type }) => type === "DecisionVoided");
  await pointer(asked, "This was already settled, so `yes` answered nothing");
  expect(typesOf(world, "DecisionAnswered")).toEqual([]);
  expect(ran(asked)).toEqual([]);
  expect(world.agentStarts().map(({ prompt: told }) => told)).toEqual(["may:rm -rf build"]);
});

test("what an agent of Bellhop's own has asked ends with it, and retried it asks again; what another has asked stays open", async () => {
  const asked = await asks("ask:");
  const { world, thread, daemon } = asked;
  const prompt = await prompted(asked, "B · Blue");
  const elsewhere = (await openAsker(world)).ask({ question: QUESTION, options: OPTIONS });
  const there = await promptOf(world, QUESTION);
  await recorded(
    world,
    ({ type, payload }) => type === "PostRecorded" && payload["part"] === "prompt" && payload["channel_id"] === there,
  );
  await daemon.kill("SIGKILL");
  await world.daemon().ready;
  expect(await settled(asked, prompt)).toContain("No longer open");
  const notice = await world.saying(thread, crashNotice);
  await world.owner(thread).clickButton(notice.id, "Retry");
  await world.saying(thread, (said) =>
    said.find(({ id, components }) => id !== prompt.id && JSON.stringify(components ?? []).includes("Blue")),
  );
  const open = await world.saying(there, (said) => said.findLast((message) => controlsOf(message).includes("Blue")));
  await (await world.owner(there).clickButton(open.id, "B · Blue")).acknowledged();
  expect(await elsewhere).toMatchObject({ success: true, selected_option: "Blue" });
});
