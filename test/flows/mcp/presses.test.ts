/**
 * What stands in Discord goes on working when the daemon has died and is back: buttons, selects and windows, each
 * counted once.
 */
import type { APIMessage } from "discord-api-types/v10";
import { expect, test } from "vitest";
import { controlsOf } from "../asked.ts";
import { descriptionOf } from "../workshop.ts";
import { openWorld, type World } from "../world.ts";
import { openAsker, promptOf } from "./asker.ts";

/** The prompt in the thread, once it shows this. */
function prompt(world: World, thread: string, shows: (message: APIMessage) => boolean): Promise<APIMessage> {
  return world.saying(thread, (said) =>
    said.find((message) => controlsOf(message).includes('"custom_id":"d') && shows(message)),
  );
}

const isRefreshed = (message: APIMessage): boolean => descriptionOf(message).includes("please press again");

async function asked(
  question: string,
  options: string[],
): Promise<{
  world: World;
  thread: string;
  answer: ReturnType<Awaited<ReturnType<typeof openAsker>>["ask"]>;
  kill(): Promise<void>;
}> {
  const world = await openWorld({ agent: "none", unlimited: true });
  const daemon = world.daemon();
  await daemon.ready;
  const agent = await openAsker(world);
  const answer = agent.ask({ question, options });
  const thread = await promptOf(world, question);
  return { world, thread, answer, kill: () => daemon.kill("SIGKILL") };
}

test.each(["the prompt before the restart", "the refreshed one"])("a button of %s answers", async (which) => {
  const { world, thread, answer, kill } = await asked("Which shed?", ["Green", "Red"]);
  const before = await prompt(world, thread, () => true);
  await kill();
  await world.daemon().ready;
  const pressed = which === "the refreshed one" ? await prompt(world, thread, isRefreshed) : before;
  expect(pressed.id).toBe(before.id);
  await (await world.owner(thread).clickButton(pressed.id, "B · Red")).acknowledged();
  expect(await answer).toMatchObject({ success: true, selected_option: "Red" });
  const settled = await world.saying(thread, (said) =>
    said.find((message) => message.id === before.id && controlsOf(message) === "[]"),
  );
  expect(descriptionOf(settled)).toContain(`By <@${world.sandbox.owner.id}>`);
});

test("a window that was open when the daemon died is taken by the next one", async () => {
  const { world, thread, answer, kill } = await asked("Which name?", []);
  const { id } = await prompt(world, thread, () => true);
  const opened = await world.owner(thread).clickButton(id, "Answer…");
  await opened.acknowledged();
  await kill();
  await world.daemon().ready;
  await (await world.owner(thread).submitModal(opened, { words: "Hütte" })).acknowledged();
  expect(await answer).toMatchObject({ success: true, answer: "Hütte", selected_option: null });
});

test("one of sixty options is found on its page and is the answer, across a restart", async () => {
  const options = Array.from({ length: 60 }, (_, at) => `Region ${at + 1}`);
  const { world, thread, answer, kill } = await asked("Where?", options);
  const { id } = await prompt(world, thread, () => true);
  const [first] = await (await world.owner(thread).clickButton(id, "All 60 options")).followUps(1);
  await kill();
  await world.daemon().ready;
  await (await world.owner(thread).clickButton(first?.id ?? "", "Next page")).acknowledged();
  const page = await world.sandbox.until(({ ephemerals }) =>
    ephemerals(world.sandbox.owner.id).find((message) => descriptionOf(message).includes("Options 26 to 50")),
  );
  const [, customId = ""] = /"custom_id":"(ds:[^"]+)"/.exec(controlsOf(page)) ?? [];
  await (await world.owner(thread).select(page.id, customId, ["41"])).acknowledged();
  expect(await answer).toMatchObject({ success: true, selected_option: "Region 42" });
});
