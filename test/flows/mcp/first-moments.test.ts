/**
 * The first moments of a session after the daemon was away: what was written meanwhile is in the first answer of the
 * tools that tell of it, however long Discord takes to tell it; and where it cannot be had in time, they say so.
 */
import { expect, test } from "vitest";
import { recorded } from "../workshop.ts";
import type { World } from "../world.ts";
import { ask, openAsking, QUESTION } from "./asked.ts";
import { clientEnvironment, openClient, type AgentsClient } from "./clients.ts";

const READING = { method: "GET", path: /^\/channels\/\d+\/messages\?|^\/channels\/\d+\/messages$/ } as const;

/**
 * Asked, then client and daemon died, then the owner wrote an answer and a note; a daemon and a client are there again,
 * and Discord keeps what it has.
 */
async function away(): Promise<{
  world: World;
  client: AgentsClient;
  thread: string;
  reading: ReturnType<World["sandbox"]["faults"]["hold"]>;
}> {
  const { world, client, daemon } = await openAsking();
  const { thread, answer } = await ask(world, client);
  answer.catch(() => undefined);
  // The channel is watched from the first question on.
  await recorded(
    world,
    ({ type, payload }) => type === "ChannelOpened" && payload["channel_id"] === world.sandbox.channelId,
  );
  await recorded(world, ({ type, payload }) => type === "PostRecorded" && payload["part"] === "prompt");
  process.kill(client.pid, "SIGKILL");
  await daemon.kill("SIGKILL");
  await world.owner(thread).send("B");
  await world.owner(world.sandbox.channelId).send("look at the logs first");
  const reading = world.sandbox.faults.hold(READING);
  await world.daemon().ready;
  return { world, client: await openClient("2.x", clientEnvironment(world), world.home), thread, reading };
}

test("the first check for open questions waits until what was answered meanwhile has been read", async () => {
  const { client, thread, reading } = await away();
  const checked = client.call("discord_check_pending", {});
  await reading.hit(2);
  reading.lift();
  const { structured, remark } = await checked;
  expect(structured).toMatchObject({
    has_pending: false,
    resolved_questions: [{ question: QUESTION.question, answer: "B) Staging first", thread_id: thread }],
    caught_up: true,
  });
  expect(remark).toBe("");
});

test("the first look into the inbox waits until what was written meanwhile has been read", async () => {
  const { client, reading } = await away();
  const looked = client.call("discord_read_inbox", {});
  await reading.hit(2);
  reading.lift();
  expect((await looked).structured).toMatchObject({
    messages: [{ content: "look at the logs first" }],
    unread_count: 1,
    caught_up: true,
  });
});

test("where Discord does not tell in time, both answer with what is known and say that something may be missing", async () => {
  const { client } = await away();
  const [checked, looked] = await Promise.all([
    client.call("discord_check_pending", {}),
    client.call("discord_read_inbox", {}),
  ]);
  expect(checked.structured).toMatchObject({
    has_pending: true,
    pending_questions: [{ question: QUESTION.question }],
    resolved_questions: [],
    caught_up: false,
  });
  expect(looked.structured).toMatchObject({ messages: [], caught_up: false });
  for (const { remark, isError } of [checked, looked]) {
    expect(isError).toBeFalsy();
    expect(remark).toMatch(/could not be read up to now/);
  }
});
