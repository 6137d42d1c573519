/** A press that nobody has heard can be taken back; when it is handed over, or its ten seconds are over, it stands. */
import type { APIMessage } from "discord-api-types/v10";
import { expect, test } from "vitest";
import { controlsOf } from "../asked.ts";
import { descriptionOf, recorded } from "../workshop.ts";
import type { Daemon, World } from "../world.ts";
import { ask, events, openAsking, QUESTION } from "./asked.ts";
import { mirror } from "./asker.ts";
import { clientEnvironment, openClient } from "./clients.ts";

const OPTION = '"label":"B) Staging first"';
const BACK = '"label":"Take back"';
const prompt = (world: World, thread: string, holds: string): Promise<APIMessage> =>
  world.saying(thread, (said) => said.find((message) => controlsOf(message).includes(holds)));
const announced = (world: World, thread: string, holds: string): Promise<APIMessage> =>
  world.saying(world.sandbox.channelId, (said) =>
    said.find((message) => message.id === thread && controlsOf(message).includes(holds)),
  );

/** Asked by a client that is gone, and answered by a press. */
async function pressed(): Promise<{ world: World; daemon: Daemon; thread: string; id: string }> {
  const { world, client, daemon } = await openAsking();
  const { thread, answer } = await ask(world, client);
  answer.catch(() => undefined);
  const { id } = await prompt(world, thread, OPTION);
  process.kill(client.pid, "SIGKILL");
  await recorded(world, ({ type }) => type === "DecisionDisconnected");
  await (await world.owner(thread).clickButton(id, "A) Run it now")).acknowledged();
  return { world, daemon, thread, id };
}

test("taken back, the question is open again with its buttons, and the next session hears only the answer that stands", async () => {
  const { world, thread, id } = await pressed();
  await prompt(world, thread, BACK);
  await (await world.owner(thread).clickButton(id, "Take back")).acknowledged();
  const again = await prompt(world, thread, OPTION);
  expect([again.id, descriptionOf(again).includes("Answered")]).toEqual([id, false]);
  const [question_id] = events(world, "DecisionAsked").map(({ decision_id }) => String(decision_id));
  expect(await mirror(world, question_id ?? "", "disconnected")).toMatchObject({
    resolution: null,
    selected_option: null,
    resolved_at: null,
  });
  // From the announcement it works as well.
  await announced(world, thread, OPTION);
  await (await world.owner(world.sandbox.channelId).clickButton(thread, "A) Run it now")).acknowledged();
  await announced(world, thread, BACK);
  await (await world.owner(world.sandbox.channelId).clickButton(thread, "Take back")).acknowledged();
  await recorded(world, ({ type }) => type === "AnswerTakenBack" && events(world, "AnswerTakenBack").length === 2);
  await prompt(world, thread, OPTION);
  await (await world.owner(thread).clickButton(id, "B) Staging first")).acknowledged();
  const next = await openClient("2.x", clientEnvironment(world), world.home);
  expect((await next.call("discord_ask_decision", QUESTION)).structured).toMatchObject({
    success: true,
    selected_option: "B) Staging first",
    thread_id: thread,
  });
  await world.saying(thread, (said) =>
    said.some(
      (message) =>
        message.id === id && controlsOf(message) === "[]" && descriptionOf(message).includes("Staging first"),
    ),
  );
  expect(events(world, "DecisionAsked")).toHaveLength(1);
});

test("handed over to a caller that asks again, it is final at once, and there is nothing left to press", async () => {
  const { world, thread, id } = await pressed();
  const next = await openClient("2.x", clientEnvironment(world), world.home);
  expect((await next.call("discord_check_pending", {})).structured).toMatchObject({
    has_pending: false,
    resolved_questions: [{ answer: "A) Run it now" }],
  });
  await world.saying(thread, (said) => said.some((message) => message.id === id && controlsOf(message) === "[]"));
  await announced(world, thread, "[]");
  expect(events(world, "AnswerTakenBack")).toEqual([]);
});

test("after its time the button is gone, also where the daemon died meanwhile, and the answer is kept", async () => {
  const { world, daemon, thread, id } = await pressed();
  await recorded(world, ({ type }) => type === "DecisionAnswered");
  await daemon.kill("SIGKILL");
  await world.daemon().ready;
  await recorded(world, ({ type }) => type === "AnswerStands");
  await world.saying(thread, (said) => said.some((message) => message.id === id && controlsOf(message) === "[]"));
  const next = await openClient("2.x", clientEnvironment(world), world.home);
  expect((await next.call("discord_ask_decision", QUESTION)).structured).toMatchObject({
    success: true,
    selected_option: "A) Run it now",
  });
});

test("an answer that somebody waits for is handed over as it is pressed, and cannot be taken back", async () => {
  const { world, client } = await openAsking();
  const { thread, answer } = await ask(world, client);
  const { id } = await prompt(world, thread, OPTION);
  await (await world.owner(thread).clickButton(id, "B) Staging first")).acknowledged();
  expect((await answer).structured).toMatchObject({ success: true, selected_option: "B) Staging first" });
  const settled = await world.saying(thread, (said) =>
    said.find((message) => message.id === id && !controlsOf(message).includes(OPTION)),
  );
  expect(controlsOf(settled)).toBe("[]");
  expect(events(world, "DecisionAnswered").map(({ revocable }) => revocable)).toEqual([undefined]);
});
