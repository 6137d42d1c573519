/**
 * A question is answered where it was announced or posted anew, and with files; the announcement shows what became of
 * it.
 */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { recorded } from "../workshop.ts";
import type { World } from "../world.ts";
import { ask, openAsking, QUESTION } from "./asked.ts";
import { mirror } from "./asker.ts";

const ANSWER = { success: true, answer: "B) Staging first", selected_option: "B) Staging first" };

async function deleteThread({ sandbox }: World, thread: string): Promise<void> {
  await fetch(`${sandbox.api}/v10/channels/${thread}`, {
    method: "DELETE",
    headers: { authorization: sandbox.owner.token },
  });
}

test("the announcement carries the buttons; pressed there, the question is answered, and it says so with nothing left to press", async () => {
  const { world, client } = await openAsking();
  const { thread, answer } = await ask(world, client);
  const { channelId } = world.sandbox;
  const announced = world.said(channelId).find(({ id }) => id === thread);
  expect(announced?.content).toContain("in the thread below");
  await (await world.owner(channelId).clickButton(thread, "B) Staging first")).acknowledged();
  expect((await answer).structured).toMatchObject({ ...ANSWER, thread_id: thread });
  await world.saying(channelId, (said) =>
    said.some(
      ({ id, content, components }) =>
        id === thread && /Answered.*B\\?\) Staging first/.test(content) && components?.length === 0,
    ),
  );
});

test("a reply to the announcement is an answer; another message in the channel is none", async () => {
  const { world, client } = await openAsking();
  const { thread, answer } = await ask(world, client);
  const owner = world.owner(world.sandbox.channelId);
  const { id } = await owner.send("B");
  await world.marked(id, "📥");
  await owner.send("b", { replyTo: thread });
  expect((await answer).structured).toMatchObject(ANSWER);
});

test("a thread that is deleted under its question: the question stands anew in the channel, and is answered there", async () => {
  const { world, client } = await openAsking();
  const { thread, answer } = await ask(world, client, { ...QUESTION, question: "Still there?" });
  await deleteThread(world, thread);
  const { channelId } = world.sandbox;
  const anew = await world.saying(channelId, (said) =>
    said.find(({ id, embeds }) => id !== thread && JSON.stringify(embeds).includes("Still there?")),
  );
  // The announcement does not send him to a thread that is gone.
  await world.saying(channelId, (said) =>
    said.some(
      ({ id, content }) =>
        id === thread && content.includes("or by replying to this message.") && !content.includes("thread below"),
    ),
  );
  await world.owner(channelId).send("B", { replyTo: anew.id });
  expect((await answer).structured).toMatchObject(ANSWER);
});

test("a reply that comes before Discord has told us where the question stands is its answer all the same", async () => {
  const { world, client } = await openAsking();
  const { thread, answer } = await ask(world, client, { ...QUESTION, question: "Still there?" });
  const { channelId } = world.sandbox;
  const slow = world.sandbox.faults.hold({
    method: "POST",
    path: `/channels/${channelId}/messages`,
    when: "after",
    times: 1,
  });
  await deleteThread(world, thread);
  const anew = await world.saying(channelId, (said) =>
    said.find(({ id, embeds }) => id !== thread && JSON.stringify(embeds).includes("Still there?")),
  );
  const { id } = await world.owner(channelId).send("B", { replyTo: anew.id });
  // Nobody can know yet what it means.
  await recorded(world, ({ type, payload }) => type === "InboxReceived" && payload["message_id"] === id);
  slow.lift();
  expect((await answer).structured).toMatchObject(ANSWER);
  await recorded(world, ({ type, payload }) => type === "InboxCleared" && JSON.stringify(payload).includes(id));
});

test("the same with a reply to the announcement before it has its thread", async () => {
  const { world, client } = await openAsking();
  const { channelId } = world.sandbox;
  await client.call("discord_check_pending", {});
  await recorded(world, ({ type, payload }) => type === "ChannelOpened" && payload["channel_id"] === channelId);
  const slow = world.sandbox.faults.hold({
    method: "POST",
    path: `/channels/${channelId}/messages`,
    when: "after",
    times: 1,
  });
  const answer = client.call("discord_ask_decision", QUESTION);
  const announced = await world.saying(channelId, (said) =>
    said.find(({ content }) => content.includes(QUESTION.question)),
  );
  const { id } = await world.owner(channelId).send("B", { replyTo: announced.id });
  await recorded(world, ({ type, payload }) => type === "InboxReceived" && payload["message_id"] === id);
  slow.lift();
  expect((await answer).structured).toMatchObject({ ...ANSWER, thread_id: announced.id });
});

test("a thread that is deleted where neither the channel nor direct messages take the question: it ends as aborted, in words", async () => {
  const { world, client } = await openAsking();
  const { thread, answer } = await ask(world, client);
  world.sandbox.faults.fail({ method: "POST", path: /^\/channels\/\d+\/messages$/, status: 403, code: 50013 });
  await deleteThread(world, thread);
  const { structured, remark, isError } = await answer;
  expect(isError).toBeFalsy();
  expect(structured).toEqual({
    success: false,
    answer: null,
    selected_option: null,
    question_id: expect.stringMatching(/^app_/) as string,
    timed_out: false,
    aborted: true,
    thread_id: thread,
  });
  expect(remark).toMatch(
    /could be posted neither in the channel nor in the owner's direct messages.*Nothing was decided/,
  );
  expect(await mirror(world, String(structured["question_id"]), "aborted")).toMatchObject({
    resolution: null,
    selected_option: null,
  });
  await world.saying(world.sandbox.channelId, (said) =>
    said.some(
      ({ id, content, components }) => id === thread && content.includes("No longer open") && components?.length === 0,
    ),
  );
  world.sandbox.faults.lift();
  // Asked again it is a new question, not the dead one.
  const again = await ask(world, client);
  expect(again.thread).not.toBe(thread);
  await world.owner(again.thread).send("B");
  expect((await again.answer).structured).toMatchObject(ANSWER);
});

test("files that come with an answer, or alone, reach the agent as paths that it can read", async () => {
  const { world, client } = await openAsking();
  for (const content of ["here is the log", ""]) {
    const { thread, answer } = await ask(world, client, { question: `Where is the log? ${content}`, context: "" });
    await world.owner(thread).send(content, { files: [{ name: "build.log", bytes: Buffer.from("line one") }] });
    const { structured } = await answer;
    const words = String(structured["answer"]);
    expect(words.startsWith(content)).toBe(true);
    expect(readFileSync(words.split("\n").at(-1) ?? "", "utf8")).toBe("line one");
  }
});
