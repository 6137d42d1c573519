/** The control API as a test in another language uses it: people who press and choose, and what the bot did wrong. */
import { beforeEach, expect, test } from "vitest";
import { openBot, register, type Bot } from "./bot.ts";

let bot: Bot;
beforeEach(async () => {
  bot = await openBot();
  await register(bot);
});

async function control(
  method: string,
  path: string,
  body?: unknown,
): Promise<{ status: number; body: Record<string, unknown> }> {
  const headers = { "x-sandbox-control": bot.sandbox.controlToken, "content-type": "application/json" };
  const answer = await fetch(`${bot.sandbox.url}/control${path}`, {
    method,
    headers,
    body: body === undefined ? null : typeof body === "string" ? body : JSON.stringify(body),
  });
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
}

const row = { type: 1, components: [{ type: 2, style: 1, custom_id: "yes", label: "Yes" }] };
const choice = {
  type: 1,
  components: [
    {
      type: 3,
      custom_id: "size",
      options: [
        { label: "Small", value: "s" },
        { label: "Large", value: "l" },
      ],
    },
  ],
};
const modal = {
  custom_id: "note",
  title: "A note",
  components: [{ type: 18, label: "Text", component: { type: 4, custom_id: "text", style: 1 } }],
};

test("a command is used, its button pressed and its modal sent, each answered with what the bot made of it", async () => {
  bot.onInteraction((interaction) => {
    if (interaction.type === 2)
      return interaction.callback({ type: 4, data: { content: "Sure?", flags: 64, components: [row] } });
    if (interaction.type === 3) return interaction.callback({ type: 9, data: modal });
    return interaction.callback({ type: 4, data: { content: "Noted." } });
  });
  const used = await control("POST", "/people/owner/slash", { path: "job stop" });
  expect(used).toMatchObject({ status: 200, body: { failed: false, ephemeral: true, message: { content: "Sure?" } } });
  const { id: messageId } = used.body["message"] as { id: string };
  const pressed = await control("POST", "/people/owner/click", { messageId, button: "Yes" });
  expect(pressed.body).toMatchObject({ failed: false, modal: { title: "A note" } });
  const { interactionId } = pressed.body;
  expect(await control("POST", "/people/owner/submit", { interactionId, values: { other: "x" } })).toMatchObject({
    status: 400,
    body: { message: 'The modal has no field "other"' },
  });
  const sent = await control("POST", "/people/owner/submit", { interactionId, values: { text: "no sugar" } });
  expect(sent.body).toMatchObject({ failed: false, ephemeral: false, message: { content: "Noted." } });
  expect(await control("POST", "/people/owner/submit", { interactionId, values: { text: "again" } })).toMatchObject({
    status: 400,
  });
});

test("a person who was added chooses in a select, and is offered choices", async () => {
  bot.onInteraction((interaction) => {
    if (interaction.type === 4)
      return interaction.callback({ type: 8, data: { choices: [{ name: "A plan", value: "plan" }] } });
    return interaction.callback({ type: 7, data: { content: "Large it is.", components: [] } });
  });
  const { status, body: person } = await control("POST", "/people", { name: "guest" });
  expect(status).toBe(201);
  const { body: message } = await bot.rest("POST", `/channels/${bot.sandbox.channelId}/messages`, {
    content: "Which?",
    components: [choice],
  });
  const chosen = await control("POST", `/people/${String(person["id"])}/select`, {
    messageId: message["id"],
    customId: "size",
    values: ["l"],
  });
  expect(chosen.body).toMatchObject({ failed: false, message: { content: "Large it is." } });
  expect(bot.sandbox.interactions().at(-1)?.userId).toBe(person["id"]);
  const offered = await control("POST", `/people/${String(person["id"])}/autocomplete`, {
    path: "plan",
    option: "what",
    typed: "p",
  });
  expect(offered.body).toEqual({ choices: [{ name: "A plan", value: "plan" }] });
});

test("an answer that never comes is said to have failed, and is on the list of violations", async () => {
  const used = control("POST", "/people/owner/slash", { path: "job stop" });
  await bot.sandbox.until(({ interactions }) => interactions().length > 0);
  bot.clock.advance(3001);
  expect(await used).toMatchObject({ status: 200, body: { failed: true } });
  expect((await control("GET", "/violations")).body).toMatchObject([{ kind: "missed_ack" }]);
});

test("what cannot be done is refused with a reason, and nothing happens", async () => {
  const refused: [path: string, body: unknown, status: number, message: RegExp][] = [
    ["/people", {}, 400, /Invalid Form Body/],
    ["/people", "{", 400, /invalid JSON/],
    ["/people/owner/slash", {}, 400, /Invalid Form Body/],
    ["/people/owner/slash", { path: "unknown" }, 400, /unknown/],
    ["/people/owner/slash", { path: "plan", options: 1 }, 400, /Invalid Form Body/],
    ["/people/owner/click", { messageId: "1", button: "Yes" }, 400, /sees no message/],
    ["/people/1/slash", { path: "job stop" }, 400, /no person/],
    ["/people/owner/dance", {}, 404, /Not Found/],
  ];
  for (const [path, body, status, message] of refused) {
    expect(await control("POST", path, body), path).toMatchObject({
      status,
      body: { message: expect.stringMatching(message) as string },
    });
  }
  expect(bot.sandbox.interactions()).toEqual([]);
  expect(bot.sandbox.violations).toEqual([]);
});
