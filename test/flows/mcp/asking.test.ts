/**
 * A question from an agent's MCP client to the owner and back, through the built client, the daemon and Discord, with
 * the MCP clients that are out there. Whatever dies on the way, the question is asked once and answered once.
 */
import { describe, expect, test } from "vitest";
import { recorded, textOf } from "../workshop.ts";
import { ask, endDaemon, events, openAsking, QUESTION } from "./asked.ts";
import { clientEnvironment, kinds, openClient } from "./clients.ts";

const LONG = process.env["BELLHOP_TEST_LONG"] !== undefined;
/** Longer than clients wait for a call that is silent, and than a daemon that died is left to others. */
const PATIENCE_S = 200;

const ANSWERED = {
  success: true,
  answer: "B) Staging first",
  selected_option: "B) Staging first",
  timed_out: false,
  aborted: false,
};

describe.each(kinds)("with a client of the SDK %s", (kind) => {
  test("a question is asked in a thread of its own and answered by what the owner writes there", async () => {
    const { world, client } = await openAsking(kind);
    const { thread, answer } = await ask(world, client);
    await world.owner(thread).send("b");
    const { structured, text, isError } = await answer;
    expect(isError).toBeFalsy();
    expect(structured).toEqual({
      ...ANSWERED,
      question_id: expect.stringMatching(/^app_\d{8}_/) as string,
      thread_id: thread,
    });
    expect(JSON.parse(text)).toEqual(structured);
    await recorded(world, ({ type }) => type === "AnswerDelivered");
  });

  test("a client that gives up leaves the question open; asked again it is the same one, and the answer comes", async () => {
    const { world, client } = await openAsking(kind);
    const giveUp = new AbortController();
    const { thread, answer } = await ask(world, client, QUESTION, { signal: giveUp.signal });
    answer.catch(() => undefined);
    giveUp.abort();
    await expect(answer).rejects.toThrow();
    await recorded(world, ({ type }) => type === "DecisionDisconnected");
    const again = await ask(world, client);
    expect(again.thread).toBe(thread);
    await recorded(world, ({ type }) => type === "DecisionReconnected");
    await world.owner(thread).send("B");
    expect((await again.answer).structured).toMatchObject(ANSWERED);
    expect(events(world, "DecisionAsked")).toHaveLength(1);
  });

  test("the daemon is killed and started again under a question: the same call is answered", async () => {
    const { world, daemon, client } = await openAsking(kind);
    const { thread, answer } = await ask(world, client);
    await daemon.kill("SIGKILL");
    await client.told(/is gone/);
    // While nobody is there to hear it.
    await world.owner(thread).send("B로 해줘");
    const next = world.daemon();
    await next.ready;
    await client.told(/is back/);
    expect((await answer).structured).toMatchObject({ ...ANSWERED, thread_id: thread });
    await recorded(world, ({ type }) => type === "AnswerDelivered");
    expect(events(world, "DecisionAsked")).toHaveLength(1);
  });
});

describe("a client that ends while it waits leaves its question open", () => {
  test.each(["SIGKILL", "SIGHUP", "SIGTERM", "its input closed"] as const)(
    "by %s; answered meanwhile, the next one that asks has the answer at once",
    async (end) => {
      const { world, client } = await openAsking();
      const { thread, answer } = await ask(world, client);
      answer.catch(() => undefined);
      if (end === "its input closed") await client.close();
      else process.kill(client.pid, end);
      await recorded(world, ({ type }) => type === "DecisionDisconnected");
      await world.owner(thread).send("b번");
      await recorded(world, ({ type }) => type === "DecisionAnswered");
      const next = await openClient("2.x", clientEnvironment(world), world.home);
      expect((await next.call("discord_ask_decision", QUESTION)).structured).toMatchObject({
        ...ANSWERED,
        thread_id: thread,
      });
      await recorded(world, ({ type }) => type === "AnswerDelivered");
      expect(events(world, "DecisionAsked")).toHaveLength(1);
    },
  );
});

test("what was answered while nobody listened is told once by the check for open questions, what was not stays pending", async () => {
  const { world, client } = await openAsking();
  const first = await ask(world, client);
  const second = await ask(world, client, { ...QUESTION, question: "And the second?" });
  for (const { answer } of [first, second]) answer.catch(() => undefined);
  process.kill(client.pid, "SIGKILL");
  await recorded(
    world,
    ({ type, payload }) => type === "DecisionDisconnected" && payload["thread_id"] === first.thread,
  );
  await recorded(
    world,
    ({ type, payload }) => type === "DecisionDisconnected" && payload["thread_id"] === second.thread,
  );
  await world.owner(first.thread).send("A");
  await recorded(world, ({ type }) => type === "DecisionAnswered");
  const next = await openClient("1.x", clientEnvironment(world), world.home);
  const { structured } = await next.call("discord_check_pending", {});
  expect(structured).toMatchObject({
    has_pending: true,
    pending_questions: [
      {
        question: "And the second?",
        thread_id: second.thread,
        status: "disconnected",
        asked_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/) as string,
      },
    ],
    resolved_questions: [
      {
        question: QUESTION.question,
        answer: "A) Run it now",
        selected_option: "A) Run it now",
        thread_id: first.thread,
      },
    ],
  });
  expect((await next.call("discord_check_pending", {})).structured["resolved_questions"]).toEqual([]);
});

test("a question with a time is given back unanswered when that is over", async () => {
  const { world, client } = await openAsking();
  const { structured, isError } = await client.call("discord_ask_decision", { ...QUESTION, timeout_seconds: 0.2 });
  expect(isError).toBeFalsy();
  expect(structured).toMatchObject({
    success: false,
    answer: null,
    selected_option: null,
    timed_out: true,
    aborted: false,
  });
  await recorded(world, ({ type }) => type === "DecisionLapsed");
});

test("an answer in the owner's own words is handed over as it is, with no option", async () => {
  const { world, client } = await openAsking();
  const { thread, answer } = await ask(world, client);
  await world.owner(thread).send("first take a backup of the table, then we talk about it again");
  expect((await answer).structured).toMatchObject({
    success: true,
    answer: "first take a backup of the table, then we talk about it again",
    selected_option: null,
  });
});

test("the longest question there may be is asked within Discord's limits, can be read whole, and its answer is the option's full text", async () => {
  const { world, client } = await openAsking();
  const options = Array.from({ length: 100 }, (_, place) => `${place + 1}. ${"한".repeat(1_990)}`);
  const args = { question: "왜?".repeat(5_000), context: "```\n@everyone\n".repeat(6_250), options };
  const { thread, answer } = await ask(world, client, args);
  const prompt = await world.saying(thread, (said) => said.find(({ attachments }) => attachments.length > 0));
  const whole = await textOf(prompt);
  for (const part of [args.context, args.question, ...options]) expect(whole).toContain(part);
  await world.owner(thread).send("100번");
  expect((await answer).structured).toMatchObject({ success: true, answer: options[99], selected_option: options[99] });
});

test("a long question and its Markdown context are seen in whole paragraphs above the buttons, and nothing of them is in a file", async () => {
  const { world, client } = await openAsking();
  const paragraphs = Array.from(
    { length: 40 },
    (_, at) => `**Finding ${at + 1}:** ${"the order service says so. ".repeat(8)}end${at + 1}`,
  );
  const question =
    `Which of these shall I mend first? ${"They hang together, and one after the other takes a day. ".repeat(30)}`.trim();
  const { thread, answer } = await ask(world, client, {
    question,
    context: `${paragraphs.join("\n\n")}\n\n| file | lines |\n|---|---|\n| cart.mjs | 12 |`,
    options: ["The first", "The last"],
  });
  const prompt = await world.saying(thread, (said) =>
    said.find(({ components }) => JSON.stringify(components ?? []).includes("The first")),
  );
  const above = world
    .said(thread)
    .filter(({ id }) => BigInt(id) < BigInt(prompt.id))
    .map((message) => message.embeds[0]?.description ?? "");
  expect(above.join("\n").match(/end\d+/g)).toEqual(paragraphs.map((_, at) => `end${at + 1}`));
  expect(above.join("\n")).toContain("> **Finding 40:** the order service");
  for (const one of above.slice(0, -1)) expect(one).toMatch(/end\d+$/);
  // A table is laid out, as in every text of an agent's.
  expect(above.at(-1)).toContain("> file      lines\n");
  expect(prompt.embeds[0]?.description).toContain("takes a day");
  expect(prompt.attachments).toEqual([]);
  await world.owner(thread).send("the last");
  expect((await answer).structured).toMatchObject({ success: true, selected_option: "The last" });
});

if (LONG) {
  describe.each(kinds)(`with a client of the SDK %s and an owner who takes ${PATIENCE_S} seconds`, (kind) => {
    test(
      "the call is answered, and was told all the while that it is waited",
      { timeout: 2 * PATIENCE_S * 1000 },
      async () => {
        const { world, client } = await openAsking(kind);
        const told: number[] = [];
        const enough = Promise.withResolvers<void>();
        const waited = (seconds: number): void => {
          told.push(seconds);
          if (seconds >= PATIENCE_S) enough.resolve();
        };
        const { thread, answer } = await ask(world, client, QUESTION, { waited });
        await enough.promise;
        await world.owner(thread).send("B");
        expect((await answer).structured).toMatchObject({ ...ANSWERED, thread_id: thread });
        expect(told.length).toBeGreaterThanOrEqual(PATIENCE_S / 15);
      },
    );
  });

  test(
    "a daemon that died and that nobody starts again is started by the waiting client",
    { timeout: 120_000 },
    async () => {
      const { world, daemon, client } = await openAsking();
      endDaemon(world);
      const { thread, answer } = await ask(world, client);
      await daemon.kill("SIGKILL");
      await client.told(/one was started/);
      await client.told(/is back/);
      await world.owner(thread).send("B");
      expect((await answer).structured).toMatchObject({ ...ANSWERED, thread_id: thread });
      expect(events(world, "DecisionAsked")).toHaveLength(1);
    },
  );
}
