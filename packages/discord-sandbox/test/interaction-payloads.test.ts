/** What an interaction tells the app, and what its answer tells the readers, to the field. */
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import type { UserActor } from "../src/discord-sandbox.ts";
import { contract } from "./contract/contract.ts";
import { openBot, register, type Bot } from "./bot.ts";
import { BareGateway, intents } from "./wire.ts";

const judge = contract();
let bot: Bot;
let owner: UserActor;
beforeEach(async () => {
  bot = await openBot({ observe: judge.observe });
  await register(bot);
  owner = bot.sandbox.channel(bot.sandbox.channelId).user(bot.sandbox.owner.id);
  return () => judge.assertClean();
});

/** A person's client that says in IDENTIFY which language it is in. */
async function client(system_locale?: unknown): Promise<string> {
  const gateway = new BareGateway(`${bot.sandbox.url.replace("http", "ws")}/?v=10&encoding=json`);
  onTestFinished(() => gateway.cut());
  const ready = await gateway.identify(bot.sandbox.owner.token, intents, {
    properties: { os: "browser", browser: "test", system_locale },
  });
  return String(ready.d["session_id"]);
}

async function use(session_id: string, more: object = {}): Promise<{ status: number; locale: unknown }> {
  const [command] = bot.sandbox.commands().filter(({ name }) => name === "job");
  const data = { id: command?.id, name: "job", type: 1, options: [{ type: 1, name: "stop" }] };
  const place = {
    application_id: bot.sandbox.applicationId,
    channel_id: bot.sandbox.channelId,
    guild_id: bot.sandbox.guildId,
  };
  const { status } = await bot.rest(
    "POST",
    "/interactions",
    { type: 2, ...place, session_id, data, ...more },
    { token: bot.sandbox.owner.token },
  );
  if (status !== 204) return { status, locale: undefined };
  const { d } = await bot.gateway.event("INTERACTION_CREATE");
  expect(d["guild_locale"]).toBe("en-US");
  return { status, locale: d["locale"] };
}

describe("the language of an interaction", () => {
  test("is what the request names", async () => {
    expect(await use(await client("ja"), { locale: "ko" })).toMatchObject({ locale: "ko" });
  });

  test("is otherwise that of the client it was begun in", async () => {
    expect(await use(await client("zh-TW"))).toMatchObject({ locale: "zh-TW" });
  });

  test.each([["tlh"], ["EN-us"], [undefined], [7]])(
    "is American English for a client in %s, which Discord does not know",
    async (name) => {
      expect(await use(await client(name))).toMatchObject({ locale: "en-US" });
    },
  );

  test("that Discord does not know is refused in a request, and the app receives nothing", async () => {
    expect(await use(await client(), { locale: "tlh" })).toMatchObject({ status: 400 });
    expect(bot.sandbox.interactions()).toEqual([]);
  });
});

describe("an answer names the command that was used", () => {
  test("with its subcommand", async () => {
    bot.onInteraction((one) => one.callback({ type: 4, data: { content: "ok" } }));
    expect(await (await owner.slash("job start", { size: "s" })).answer()).toMatchObject({
      interaction: { type: 2, name: "job start" },
    });
  });

  test("and not its options", async () => {
    bot.onInteraction((one) => one.callback({ type: 4, data: { content: "ok" } }));
    expect(await (await owner.slash("plan", { what: "a trip" })).answer()).toMatchObject({
      interaction: { name: "plan" },
    });
  });
});

describe("an answer that was waited for", () => {
  test.each(["edit", "follow-up"])(
    "is no edited message when the first %s fills it, and is one from the next on",
    async (how) => {
      bot.onInteraction((one) => one.callback({ type: 5 }));
      const handle = await owner.slash("job stop");
      await handle.acknowledged();
      const hook = `/webhooks/${bot.sandbox.applicationId}/${handle.interaction.token}`;
      const original = `${hook}/messages/@original`;
      const { body } =
        how === "edit"
          ? await bot.rest("PATCH", original, { content: "stopped" })
          : await bot.rest("POST", hook, { content: "stopped" });
      expect(body).toMatchObject({ content: "stopped", edited_timestamp: null });
      expect((await bot.rest("PATCH", original, { content: "stopped twice" })).body["edited_timestamp"]).toEqual(
        expect.any(String),
      );
    },
  );
});

test("a thread counts what was written in it, answers too, and not what was deleted or what opened it", async () => {
  const start = await owner.send("let us talk");
  await owner.createThread("talk", { messageId: start.id });
  const there = bot.sandbox.channel(start.id).user(bot.sandbox.owner.id);
  bot.onInteraction((one) =>
    one.callback({ type: 4, data: { content: "ok", flags: one.d["channel_id"] === start.id ? 0 : 64 } }),
  );
  const { id } = await there.send("one");
  await bot.rest("POST", `/channels/${start.id}/messages`, { content: "two" });
  await (await there.slash("job stop")).answer();
  expect(bot.sandbox.threads()).toMatchObject([{ message_count: 3, total_message_sent: 3 }]);
  await there.delete(id);
  expect((await bot.rest("GET", `/channels/${start.id}`)).body).toMatchObject({
    message_count: 2,
    total_message_sent: 3,
  });
});

const chooser = (type: number) => ({ type: 1, components: [{ type, custom_id: `pick ${type}`, min_values: 0 }] });

describe("what was pressed or chosen is told as the published types have it", () => {
  test("of a button nothing but its id and kind", async () => {
    const { body } = await bot.rest("POST", `/channels/${bot.sandbox.channelId}/messages`, {
      content: "?",
      components: [{ type: 1, components: [{ type: 2, style: 1, label: "Yes", custom_id: "yes", id: 7 }] }],
    });
    bot.onInteraction((one) => one.callback({ type: 6 }));
    await (await owner.clickButton(String(body["id"]), "yes")).acknowledged();
    expect((await bot.gateway.event("INTERACTION_CREATE")).d["data"]).toEqual({ custom_id: "yes", component_type: 2 });
  });

  test.each([
    [5, { users: {} }],
    [6, { roles: {} }],
    [7, {}],
    [8, { channels: {} }],
  ])("of a menu of kind %i with nothing chosen, what would be resolved", async (type, resolved) => {
    const { body } = await bot.rest("POST", `/channels/${bot.sandbox.channelId}/messages`, {
      content: "?",
      components: [chooser(type)],
    });
    bot.onInteraction((one) => one.callback({ type: 6 }));
    await (await owner.select(String(body["id"]), `pick ${type}`, [])).acknowledged();
    expect((await bot.gateway.event("INTERACTION_CREATE")).d["data"]).toEqual({
      custom_id: `pick ${type}`,
      component_type: type,
      values: [],
      resolved,
    });
  });
});
