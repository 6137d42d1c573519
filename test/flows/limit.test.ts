/**
 * A thread waits for its agent's limit and says so, and nobody else waits. At the reset the owner is asked, and his
 * press or his next message goes on; where he set it so, one job goes on by itself.
 */
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { APIMessage } from "discord-api-types/v10";
import { expect, test } from "vitest";
import { descriptionOf, withButton } from "./workshop.ts";
import { answered, openSession, openWorld, type Daemon, type World } from "./world.ts";

/** The bot's message with this button, and the button's own id. */
async function withIdOf(
  world: World,
  thread: string,
  button: string,
  after?: APIMessage,
): Promise<{ id: string; customId: string }> {
  const notice = await world.saying(thread, (said) =>
    withButton(
      said.filter(({ id }) => after === undefined || BigInt(id) > BigInt(after.id)),
      button,
    ),
  );
  const [, customId = ""] = new RegExp(`"(${button}:\\w+)"`).exec(JSON.stringify(notice.components)) ?? [];
  return { id: notice.id, customId };
}

async function press(world: World, thread: string, button: string): Promise<void> {
  const { id, customId } = await withIdOf(world, thread, button);
  await (await world.owner(thread).clickButton(id, customId)).acknowledged();
}

/** The daemon, some hours later as its process sees it. */
async function later(world: World, hours: number): Promise<Daemon> {
  const file = join(world.home, `later-${hours}.mjs`);
  writeFileSync(file, `const { now } = Date; Date.now = () => now() + ${hours * 3_600_000};\n`);
  const daemon = world.daemon({ env: { NODE_OPTIONS: `--import=${file}` } });
  await daemon.ready;
  return daemon;
}

const prompts = (world: World): string[] => world.agentStarts().map(({ prompt }) => prompt);

/** A thread whose first message met a limit of an hour, with one waiting behind it; the daemon is dead. */
async function limited(
  first = "limit:3600",
  config?: Record<string, unknown>,
): Promise<{ world: World; thread: string; ids: [string, string]; notice: APIMessage }> {
  const { world, daemon, thread } = await openSession({ unlimited: true, ...(config && { config }) });
  const ids = [(await world.owner(thread).send(first)).id, (await world.owner(thread).send("echo:behind")).id] as [
    string,
    string,
  ];
  const notice = await world.saying(thread, (said) => withButton(said, "unpark"));
  await daemon.kill("SIGKILL");
  return { world, thread, ids, notice };
}

/** Resolves with the message that asks at the reset. */
const asked = (world: World, thread: string, notice: APIMessage): Promise<APIMessage> =>
  world.saying(thread, (said) =>
    withButton(
      said.filter(({ id }) => id !== notice.id),
      "unpark",
    ),
  );

const GO_ON = { limits: { resume_after_limit: "go_on" } };

test("a usage limit parks one thread until its owner lets it continue; others continue meanwhile", async () => {
  const world = await openWorld({ unlimited: true });
  await world.daemon().ready;
  const [thread, other] = [await world.session(), await world.session()];
  const { id } = await world.owner(thread).send("limit:3600");
  const notice = await world.saying(thread, (said) => withButton(said, "unpark"));
  const [, until = "0"] = /<t:(\d+):R>/.exec(descriptionOf(notice)) ?? [];
  expect(Math.abs(Number(until) - Date.now() / 1000 - 3600)).toBeLessThan(120);
  await world.marked(id, "⏳");
  await world.owner(other).send("echo:nobody waits here");
  await answered(world, other, ["nobody waits here"]);
  await press(world, thread, "unpark");
  await world.marked(id, "✅");
  await world.saying(thread, (said) =>
    said.find((message) => message.id === notice.id && message.components?.length === 0),
  );
  expect(prompts(world)).toEqual(["limit:3600", "echo:nobody waits here", "limit:3600"]);
});

test("a limit that lifts while the daemon is down is asked about in one new message when it is back, and a press lets the queue continue", async () => {
  const { world, thread, ids, notice } = await limited();
  const daemon = await later(world, 2);
  const asks = await asked(world, thread, notice);
  expect([asks.content, asks.embeds[0]?.title]).toEqual([
    `<@${world.sandbox.owner.id}>`,
    "The usage limit has been reset",
  ]);
  await world.saying(thread, (said) => said.find(({ id, components }) => id === notice.id && components?.length === 0));
  expect(prompts(world)).toEqual(["limit:3600"]);
  // The button works after a further restart, and there is still only one.
  await daemon.kill("SIGKILL");
  await later(world, 3);
  await press(world, thread, "unpark");
  await world.marked(ids[1], "✅");
  expect(prompts(world)).toEqual(["limit:3600", "limit:3600", "echo:behind"]);
  // Its reactions do not wait for the thread's messages.
  await world.saying(thread, (said) => !said.some(({ embeds }) => embeds[0]?.title === asks.embeds[0]?.title));
});

test("a daemon that restarts before the reset continues waiting, and what is written then answers nothing", async () => {
  const { world, thread, notice } = await limited();
  await world.daemon().ready;
  const { id } = await world.owner(thread).send("echo:third");
  await world.marked(id, "⏳");
  expect(withButton(world.said(thread), "unpark")?.id).toBe(notice.id);
  expect(prompts(world)).toEqual(["limit:3600"]);
});

test("the next message answers too, and the queue continues in order; one written before the question does not", async () => {
  const { world, thread, notice } = await limited();
  const early = await world.owner(thread).send("echo:written while nobody was there");
  await later(world, 2);
  await asked(world, thread, notice);
  await world.marked(early.id, "⏳");
  expect(prompts(world)).toEqual(["limit:3600"]);
  const { id } = await world.owner(thread).send("echo:go on");
  await world.marked(id, "✅");
  expect(prompts(world)).toEqual([
    "limit:3600",
    "limit:3600",
    "echo:behind",
    "echo:written while nobody was there",
    "echo:go on",
  ]);
});

test("a stranger's press goes nowhere, whatever their rights", async () => {
  const { world, thread, notice } = await limited();
  await later(world, 2);
  const asks = await asked(world, thread, notice);
  const { customId } = await withIdOf(world, thread, "unpark", notice);
  const mallory = world.sandbox.addUser("mallory", { admin: true });
  const pressed = await world.sandbox.channel(thread).user(mallory.id).clickButton(asks.id, customId);
  expect([await pressed.ephemeral(), (await pressed.answer()).content]).toEqual([
    true,
    expect.stringContaining("E_OWNER_ONLY"),
  ]);
  expect(prompts(world)).toEqual(["limit:3600"]);
  await press(world, thread, "unpark");
  await world.agents(2);
});

test("/queue says that the limit has been reset; when the last job is cancelled nothing asks any more", async () => {
  const { world, thread, notice } = await limited();
  await later(world, 2);
  const asks = await asked(world, thread, notice);
  const { id: card } = await (await world.owner(thread).slash("queue")).answer();
  const shown = await world.sandbox.until(() => withButton([world.sandbox.message(card) as APIMessage], "q-clear"));
  expect(descriptionOf(shown)).toContain("On hold: the usage limit has been reset.");
  await (await world.owner(thread).clickButton(card, `q-clear:${thread}`)).acknowledged();
  await world.saying(thread, (said) => said.find(({ id, components }) => id === asks.id && components?.length === 0));
  const { id } = await world.owner(thread).send("echo:something else");
  await world.marked(id, "✅");
  expect(prompts(world)).toEqual(["limit:3600", "echo:something else"]);
});

test("where it continues by itself, the reset starts the queue without a question", async () => {
  const { world, thread, ids } = await limited("limit:3600", GO_ON);
  await later(world, 2);
  await world.marked(ids[1], "✅");
  expect(prompts(world)).toEqual(["limit:3600", "limit:3600", "echo:behind"]);
  expect(world.said(thread).filter(({ embeds }) => embeds[0]?.title === "The usage limit has been reset")).toEqual([]);
});

test("where it continues by itself, a second limit in a row waits for the owner", async () => {
  const { world, daemon, thread } = await openSession({ unlimited: true, config: GO_ON });
  // The first fails, because a tool had run; the second is the one that goes on.
  await world.owner(thread).send("late:3600");
  const { id } = await world.owner(thread).send("limit:18000");
  await world.saying(thread, (said) => withButton(said, "unpark"));
  await daemon.kill("SIGKILL");
  const second = await later(world, 2);
  const notice = await world.saying(thread, (said) =>
    said.find(
      (message) =>
        withButton([message], "unpark") && descriptionOf(message).includes("again after this thread had continued"),
    ),
  );
  await second.kill("SIGKILL");
  await later(world, 20);
  await asked(world, thread, notice);
  expect(prompts(world)).toEqual(["late:3600", "limit:18000"]);
  await press(world, thread, "unpark");
  await world.marked(id, "✅");
  expect(prompts(world)).toEqual(["late:3600", "limit:18000", "limit:18000"]);
});

const REACHED = "The agent has reached its usage limit";

/** The message that asks about a limit without a usable time. */
const untimed = (world: World, thread: string): Promise<APIMessage> =>
  world.saying(thread, (said) =>
    said.find(({ embeds }) => embeds[0]?.description?.includes("did not say a usable time when it resets")),
  );

test("a limit whose time is past is asked about at once, with one message that rings and shows no time", async () => {
  const { world, thread } = await openSession({ unlimited: true });
  const { id } = await world.owner(thread).send("limit:-60");
  const asks = await untimed(world, thread);
  expect([asks.content, asks.embeds[0]?.title]).toEqual([`<@${world.sandbox.owner.id}>`, REACHED]);
  expect(JSON.stringify(asks)).not.toContain("<t:");
  await world.marked(id, "⏳");
  const { id: card } = await (await world.owner(thread).slash("queue")).answer();
  await world.sandbox.until(() =>
    descriptionOf(world.sandbox.message(card) as APIMessage).includes("did not say a usable time when it resets"),
  );
  expect(world.said(thread).filter((message) => withButton([message], "unpark"))).toHaveLength(1);
  await press(world, thread, "unpark");
  await world.marked(id, "✅");
  expect(prompts(world)).toEqual(["limit:-60", "limit:-60"]);
});

test("where it continues by itself, a limit without a time is tried after 5, 15 and 60 minutes, and then asked about", async () => {
  const { world, daemon, thread } = await openSession({ unlimited: true, config: GO_ON });
  const fails = join(world.project, "fails.json");
  writeFileSync(fails, JSON.stringify({ status: 429, words: "You've hit your session limit" }));
  const { id } = await world.owner(thread).send("echo:after all");
  let running = daemon;
  for (const [tried, { minutes, at }] of [
    { minutes: 5, at: 0 },
    { minutes: 15, at: 1 },
    { minutes: 60, at: 2 },
  ].entries()) {
    const notice = await world.saying(thread, (said) => {
      const found = withButton(said, "unpark");
      const [, until = "0"] = /<t:(\d+):R>/.exec((found && descriptionOf(found)) ?? "") ?? [];
      return Math.abs(Number(until) - Date.now() / 1000 - at * 3600 - minutes * 60) < 150 && found;
    });
    expect(descriptionOf(notice)).toContain("did not say a usable time when its limit resets. This thread tries again");
    expect(prompts(world)).toHaveLength(tried + 1);
    await running.kill("SIGKILL");
    running = await later(world, at + (tried === 2 ? 2 : 1));
  }
  const asks = await untimed(world, thread);
  expect([asks.content, asks.embeds[0]?.title]).toEqual([`<@${world.sandbox.owner.id}>`, REACHED]);
  expect(prompts(world)).toHaveLength(4);
  rmSync(fails);
  await press(world, thread, "unpark");
  await world.marked(id, "✅");
  await world.saying(thread, (said) => said.some(({ content }) => content === "after all"));
});
