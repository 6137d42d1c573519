/** Interactions from a person's client to the app and back, and what each of them gets to see. */
import { beforeEach, describe, expect, test } from "vitest";
import { ClientError } from "../src/actors/client.ts";
import type { UserActor } from "../src/discord-sandbox.ts";
import { openBot, register, type Bot } from "./bot.ts";

let bot: Bot;
let owner: UserActor;
beforeEach(async () => {
  bot = await openBot();
  await register(bot);
  owner = bot.sandbox.channel(bot.sandbox.channelId).user(bot.sandbox.owner.id);
});

const buttons = {
  content: "Shall I?",
  components: [
    {
      type: 1,
      components: [
        { type: 2, style: 3, label: "Yes", custom_id: "yes" },
        { type: 2, style: 4, label: "No", custom_id: "no", disabled: true },
        { type: 2, style: 5, label: "Docs", url: "https://example.org" },
      ],
    },
    {
      type: 1,
      components: [
        {
          type: 3,
          custom_id: "pick",
          max_values: 2,
          options: [
            { label: "A", value: "a" },
            { label: "B", value: "b" },
          ],
        },
      ],
    },
  ],
};

async function asked(): Promise<string> {
  const { body } = await bot.rest("POST", `/channels/${bot.sandbox.channelId}/messages`, buttons);
  return String(body["id"]);
}

describe("a slash command", () => {
  test("reaches the app with its options, who used it and where", async () => {
    bot.onInteraction((one) => one.callback({ type: 4, data: { content: "planned" } }));
    const handle = await owner.slash("plan", { what: "a trip", days: 3, where: bot.sandbox.channelId });
    expect((await handle.answer()).content).toBe("planned");
    const { d } = await bot.gateway.event("INTERACTION_CREATE");
    expect(d).toMatchObject({
      type: 2,
      guild_id: bot.sandbox.guildId,
      channel_id: bot.sandbox.channelId,
      member: { user: { id: bot.sandbox.owner.id } },
      data: {
        name: "plan",
        options: [
          { name: "what", value: "a trip" },
          { name: "days", value: 3 },
          { name: "where", value: bot.sandbox.channelId },
        ],
        resolved: { channels: { [bot.sandbox.channelId]: { name: "general" } } },
      },
    });
    expect(BigInt(String(d["app_permissions"])) & 8n).toBe(0n);
  });

  test("of a subcommand carries its path", async () => {
    bot.onInteraction((one) => one.callback({ type: 4, data: { content: "ok" } }));
    await (await owner.slash("job start", { size: "s" })).answer();
    const { d } = await bot.gateway.event("INTERACTION_CREATE");
    expect(d["data"]).toMatchObject({
      name: "job",
      options: [{ type: 1, name: "start", options: [{ name: "size", value: "s" }] }],
    });
  });

  test.each([
    ["an option that is not there", "plan", { what: "x", who: "me" }],
    ["a subcommand that is not there", "job pause", {}],
    ["no subcommand where there are some", "job", {}],
    ["a command that is not there", "dance", {}],
  ])("with %s is not even sent", async (_what, path, options) => {
    await expect(owner.slash(path, options as Record<string, string>)).rejects.toThrow(/no|needs/);
    expect(bot.sandbox.interactions()).toEqual([]);
  });

  test.each([
    ["without a required option", {}],
    ["with a text that is too long", { what: "x".repeat(21) }],
    ["with a number out of range", { what: "x", days: 8 }],
    ["with a channel that is none", { what: "x", where: "1" }],
  ])("%s is refused before the app learns of it", async (_what, options) => {
    await expect(owner.slash("plan", options as unknown as Record<string, string>)).rejects.toThrow(ClientError);
    expect(bot.sandbox.interactions()).toEqual([]);
  });

  test("not answered within three seconds has failed, and the late answer is refused", async () => {
    const handle = await owner.slash("job stop");
    const { d } = await bot.gateway.event("INTERACTION_CREATE");
    bot.clock.advance(2900);
    // Asking moves the clock on, past the three seconds.
    await bot.rest("POST", `/interactions/${String(d["id"])}/${String(d["token"])}/callback`, {
      type: 4,
      data: { content: "x" },
    });
    await handle.failed();
    await expect(handle.acknowledged()).rejects.toThrow("three seconds");
    expect(bot.sandbox.violations.map(({ kind }) => kind)).toEqual(["missed_ack", "unknown_interaction"]);
  });

  test("answered just in time says how long it took", async () => {
    const handle = await owner.slash("job stop");
    const { d } = await bot.gateway.event("INTERACTION_CREATE");
    bot.clock.advance(1700);
    await bot.rest("POST", `/interactions/${String(d["id"])}/${String(d["token"])}/callback`, {
      type: 4,
      data: { content: "x" },
    });
    expect(await handle.acknowledged()).toBe(2900);
    bot.clock.advance(10_000);
    expect(bot.sandbox.violations).toEqual([]);
  });
});

describe("an answer", () => {
  test("that is deferred waits, and its edit is the answer", async () => {
    bot.onInteraction((one) => one.callback({ type: 5 }));
    const handle = await owner.slash("job stop");
    await handle.acknowledged();
    const [waiting] = bot.sandbox.messages(bot.sandbox.channelId);
    expect(waiting).toMatchObject({ content: "", flags: 128, type: 20 });
    const path = `/webhooks/${bot.sandbox.applicationId}/${handle.interaction.token}/messages/@original`;
    await bot.rest("PATCH", path, { content: "stopped" });
    expect(await handle.answer()).toMatchObject({ id: waiting?.id, content: "stopped", flags: 0 });
  });

  test("that is deferred is filled in by the first follow-up, and only by that", async () => {
    bot.onInteraction((one) => one.callback({ type: 5 }));
    const handle = await owner.slash("job stop");
    await handle.acknowledged();
    const hook = `/webhooks/${bot.sandbox.applicationId}/${handle.interaction.token}`;
    await bot.rest("POST", hook, { content: "first" });
    await bot.rest("POST", hook, { content: "second" });
    expect((await handle.answer()).content).toBe("first");
    expect((await handle.followUps(1)).map(({ content }) => content)).toEqual(["second"]);
    expect(bot.sandbox.messages(bot.sandbox.channelId)).toHaveLength(2);
  });

  test("that is ephemeral is seen by one person, and by nobody else, nowhere", async () => {
    const { id: other, token } = bot.sandbox.addUser("bystander");
    bot.onInteraction((one) => one.callback({ type: 4, data: { content: "between us", flags: 64 } }));
    const handle = await owner.slash("job stop");
    const answer = await handle.answer();
    expect(answer).toMatchObject({ content: "between us", flags: 64 });
    expect(await handle.ephemeral()).toBe(true);
    expect(bot.sandbox.ephemerals(bot.sandbox.owner.id).map(({ id }) => id)).toEqual([answer.id]);
    expect(bot.sandbox.ephemerals(other)).toEqual([]);
    expect(bot.sandbox.messages(bot.sandbox.channelId)).toEqual([]);
    const { status } = await bot.rest("GET", `/channels/${bot.sandbox.channelId}/messages/${answer.id}`, undefined, {
      token,
    });
    expect(status).toBe(404);
    await owner.send("after it");
    await bot.gateway.event("MESSAGE_CREATE");
    expect(bot.gateway.heard.filter(({ t }) => t === "MESSAGE_CREATE").map(({ d }) => d["content"])).toEqual([
      "after it",
    ]);
  });

  test("that is ephemeral can be edited and taken back by the app alone", async () => {
    bot.onInteraction((one) => one.callback({ type: 5, data: { flags: 64 } }));
    const handle = await owner.slash("job stop");
    await handle.acknowledged();
    const original = `/webhooks/${bot.sandbox.applicationId}/${handle.interaction.token}/messages/@original`;
    expect((await bot.rest("PATCH", original, { content: "done" })).body).toMatchObject({ content: "done", flags: 64 });
    expect((await bot.rest("GET", original)).body).toMatchObject({ content: "done" });
    expect((await bot.rest("DELETE", original)).status).toBe(204);
    expect(bot.sandbox.ephemerals(bot.sandbox.owner.id)).toEqual([]);
  });

  test("asked for with_response says which message it made", async () => {
    const handle = await owner.slash("job stop");
    const { id, token } = handle.interaction;
    const { status, body } = await bot.rest("POST", `/interactions/${id}/${token}/callback?with_response=true`, {
      type: 4,
      data: { content: "here" },
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      interaction: { id, type: 2, response_message_ephemeral: false },
      resource: { type: 4, message: { content: "here" } },
    });
  });

  test("can carry a file", async () => {
    bot.onInteraction((one) =>
      one.callback({ type: 4, data: { content: "the log" } }, [{ name: "job.log", bytes: "line" }]),
    );
    const answer = await (await owner.slash("job stop")).answer();
    expect(answer.attachments).toMatchObject([{ filename: "job.log", size: 4 }]);
  });
});

describe("a component", () => {
  test("that is pressed can change its message", async () => {
    const id = await asked();
    bot.onInteraction((one) => one.callback({ type: 7, data: { content: "Yes!", components: [] } }));
    const handle = await owner.clickButton(id, "Yes");
    expect(await handle.answer()).toMatchObject({ id, content: "Yes!", components: [] });
    expect((await bot.gateway.event("INTERACTION_CREATE")).d).toMatchObject({
      type: 3,
      message: { id },
      data: { custom_id: "yes", component_type: 2 },
    });
  });

  test("that is pressed can be acknowledged without a word and followed up", async () => {
    const id = await asked();
    bot.onInteraction((one) => one.callback({ type: 6 }));
    const handle = await owner.clickButton(id, "yes");
    await handle.acknowledged();
    await bot.rest("POST", `/webhooks/${bot.sandbox.applicationId}/${handle.interaction.token}`, {
      content: "noted",
      flags: 64,
    });
    expect((await handle.followUps(1))[0]).toMatchObject({ content: "noted", flags: 64 });
    expect(bot.sandbox.message(id)?.content).toBe("Shall I?");
  });

  test.each([
    ["disabled", "No", "disabled"],
    ["not there", "Maybe", "no component"],
    ["a link", "Docs", "is a link"],
  ])("that is %s cannot be pressed", async (_what, label, reason) => {
    const id = await asked();
    await expect(owner.clickButton(id, label)).rejects.toThrow(reason);
    expect(bot.sandbox.interactions()).toEqual([]);
  });

  test("that selects gives the values, and only those it offers", async () => {
    const id = await asked();
    bot.onInteraction((one) => one.callback({ type: 6 }));
    await (await owner.select(id, "pick", ["b", "a"])).acknowledged();
    expect((await bot.gateway.event("INTERACTION_CREATE")).d["data"]).toMatchObject({
      component_type: 3,
      custom_id: "pick",
      values: ["b", "a"],
    });
    await expect(owner.select(id, "pick", ["c"])).rejects.toThrow("not one of the options");
    await expect(owner.select(id, "pick", [])).rejects.toThrow("Between 1 and 2");
  });
});

describe("a modal", () => {
  const modal = {
    type: 9,
    data: {
      custom_id: "details",
      title: "Details",
      components: [
        { type: 18, label: "Why", component: { type: 4, custom_id: "why", style: 1, max_length: 10 } },
        {
          type: 18,
          label: "Kind",
          component: { type: 3, custom_id: "kind", options: [{ label: "Bug", value: "bug" }], required: false },
        },
      ],
    },
  };

  test("is shown, filled in, and comes back as an interaction of its own", async () => {
    bot.onInteraction((one) => one.callback(one.type === 5 ? { type: 4, data: { content: "thanks" } } : modal));
    const opened = await owner.slash("job stop");
    expect(await opened.modal()).toMatchObject({ customId: "details", title: "Details" });
    const sent = await owner.submitModal(opened, { why: "because", kind: ["bug"] });
    expect((await sent.answer()).content).toBe("thanks");
    const { d } = await bot.gateway.hear(({ d: one }) => one?.["type"] === 5);
    expect(d["data"]).toMatchObject({
      custom_id: "details",
      components: [
        { component: { custom_id: "why", value: "because" } },
        { component: { custom_id: "kind", values: ["bug"] } },
      ],
    });
  });

  test.each([
    ["an empty field that must be filled", { kind: ["bug"] }, "must be filled in"],
    ["a text that is too long", { why: "x".repeat(11) }, "longer than 10"],
    ["a field that is not there", { why: "x", who: "me" }, "no field"],
    ["an option that is not there", { why: "x", kind: ["feature"] }, "no option"],
  ])("with %s is not sent", async (_what, values, reason) => {
    bot.onInteraction((one) => one.callback(modal));
    const opened = await owner.slash("job stop");
    await expect(owner.submitModal(opened, values as Record<string, string>)).rejects.toThrow(reason);
  });

  test("is sent once", async () => {
    bot.onInteraction((one) => one.callback(one.type === 5 ? { type: 5 } : modal));
    const opened = await owner.slash("job stop");
    const { id } = await opened.modal();
    await owner.submitModal(opened, { why: "x" });
    const body = {
      type: 5,
      application_id: bot.sandbox.applicationId,
      channel_id: bot.sandbox.channelId,
      session_id: bot.sandbox.connections().find((one) => !one.isBot)?.sessionId,
      data: { id, custom_id: "details", components: [] },
    };
    const { status } = await bot.rest("POST", "/interactions", body, { token: bot.sandbox.owner.token });
    expect(status).toBe(400);
  });
});

test("autocomplete gives what the app offers for what is being typed", async () => {
  bot.onInteraction((one) => one.callback({ type: 8, data: { choices: [{ name: "A trip", value: "trip" }] } }));
  expect(await owner.autocomplete("plan", "what", "tr")).toEqual([{ name: "A trip", value: "trip" }]);
  const { d } = await bot.gateway.event("INTERACTION_CREATE");
  expect(d).toMatchObject({ type: 4, data: { options: [{ name: "what", value: "tr", focused: true }] } });
});

test("two people who press at once each get their own answer", async () => {
  const id = await asked();
  const { id: other } = bot.sandbox.addUser("second");
  bot.onInteraction(async (one) => {
    const member = one.d["member"] as { user: { username: string } };
    await one.callback({ type: 4, data: { content: `for ${member.user.username}`, flags: 64 } });
  });
  const [first, second] = await Promise.all([
    owner.clickButton(id, "yes"),
    bot.sandbox.channel(bot.sandbox.channelId).user(other).clickButton(id, "yes"),
  ]);
  expect((await first.answer()).content).toBe("for owner");
  expect((await second.answer()).content).toBe("for second");
});
