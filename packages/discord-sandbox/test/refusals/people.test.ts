/** What a person's client cannot do here: use commands, buttons and menus otherwise than they are. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Answer } from "../wire.ts";
import { intents } from "../wire.ts";
import { expectRefusal, openScene, type Scene } from "./scene.ts";

let scene: Scene;
let session: string;
let command: { id: string; version: string };
beforeAll(async () => {
  scene = await openScene();
  const options = [
    { type: 3, name: "text", description: "d", required: true, min_length: 2, max_length: 3 },
    { type: 4, name: "count", description: "d", min_value: 1, max_value: 5 },
    { type: 6, name: "who", description: "d" },
    { type: 3, name: "pick", description: "d", choices: [{ name: "A", value: "a" }] },
  ];
  const { body } = await scene.bot(
    "POST",
    `/applications/${scene.sandbox.applicationId}/guilds/${scene.guild}/commands`,
    { name: "ask", description: "d", options },
  );
  command = { id: String(body["id"]), version: String(body["version"]) };
  const own = await scene.gateway();
  session = String((await own.identify(scene.sandbox.owner.token, intents)).d["session_id"]);
});
afterAll(() => scene.close());

function interact(type: number, data: unknown, more: Record<string, unknown> = {}): Promise<Answer> {
  const place = {
    application_id: scene.sandbox.applicationId,
    channel_id: scene.channel,
    guild_id: scene.guild,
    session_id: session,
  };
  return scene.person("POST", "/interactions", { type, ...place, data, ...more });
}

const use = (options: unknown[], more: Record<string, unknown> = {}) =>
  interact(2, { ...command, name: "ask", type: 1, options }, more);
const text = (value: unknown) => ({ type: 3, name: "text", value });

describe("a command is not used", () => {
  const wrong: [law: string, options: unknown[]][] = [
    ["without what it requires", []],
    ["with an option it does not have", [text("abc"), { type: 3, name: "other", value: "x" }]],
    ["with an option of another type", [{ type: 4, name: "text", value: 5 }]],
    ["with a text that is too short", [text("a")]],
    ["with a text that is too long", [text("abcd")]],
    ["with a number that is too great", [text("abc"), { type: 4, name: "count", value: 6 }]],
    ["with a number that is none", [text("abc"), { type: 4, name: "count", value: "many" }]],
    ["with a user that is not there", [text("abc"), { type: 6, name: "who", value: "1" }]],
    ["with a choice it does not offer", [text("abc"), { type: 3, name: "pick", value: "b" }]],
  ];

  test.each(wrong)("%s", async (_law, options) => {
    expectRefusal(await use(options), 400, 50035);
  });

  test("that was never registered", async () => {
    expectRefusal(await interact(2, { id: "1", name: "ask", type: 1 }), 404, 10063);
  });

  test("in a version that is no more", async () => {
    expectRefusal(
      await interact(2, { ...command, version: "1", name: "ask", type: 1, options: [text("abc")] }),
      400,
      50035,
      "data.version",
    );
  });

  test("without a gateway session of one's own", async () => {
    expectRefusal(await use([text("abc")], { session_id: "nobody's" }), 404, 10020);
  });

  test("of an application that is not here", async () => {
    expectRefusal(await use([text("abc")], { application_id: "1" }), 404, 10002);
  });

  test("in a channel that is not there", async () => {
    expectRefusal(await use([text("abc")], { channel_id: "1" }), 404, 10003);
  });
});

describe("a component is not used", () => {
  async function shown(): Promise<string> {
    const components = [
      {
        type: 1,
        components: [
          { type: 2, style: 1, label: "on", custom_id: "on" },
          { type: 2, style: 1, label: "off", custom_id: "off", disabled: true },
        ],
      },
      { type: 1, components: [{ type: 3, custom_id: "menu", options: [{ label: "A", value: "a" }] }] },
      { type: 1, components: [{ type: 5, custom_id: "people" }] },
    ];
    const { body } = await scene.bot("POST", `/channels/${scene.channel}/messages`, { content: "x", components });
    return String(body["id"]);
  }

  const press = async (data: unknown, more: Record<string, unknown> = {}) =>
    interact(3, data, { message_id: await shown(), message_flags: 0, ...more });

  test.each([
    ["that the message does not have", { component_type: 2, custom_id: "other" }, "data.custom_id"],
    ["as another kind than it is", { component_type: 3, custom_id: "on", values: [] }, "data.custom_id"],
    ["that is disabled", { component_type: 2, custom_id: "off" }, "data.custom_id"],
    ["with no choice made", { component_type: 3, custom_id: "menu", values: [] }, "data.values"],
    ["with a choice it does not offer", { component_type: 3, custom_id: "menu", values: ["b"] }, "data.values"],
    ["with more choices than it takes", { component_type: 3, custom_id: "menu", values: ["a", "a"] }, "data.values"],
    ["with a person who is not there", { component_type: 5, custom_id: "people", values: ["1"] }, "data.values"],
  ])("%s", async (_law, data, at) => {
    expectRefusal(await press(data), 400, 50035, at);
  });

  test("of a message that is not there", async () => {
    expectRefusal(await press({ component_type: 2, custom_id: "on" }, { message_id: "1" }), 404, 10008);
  });

  test("and a modal is not sent that was never opened", async () => {
    expectRefusal(await interact(5, { id: "1", custom_id: "m", components: [] }), 400, 50035, "data.custom_id");
  });
});

describe("a modal is not sent", () => {
  const fields = [
    { type: 18, label: "Why", component: { type: 4, custom_id: "why", style: 1, max_length: 5 } },
    {
      type: 18,
      label: "Which",
      component: { type: 3, custom_id: "which", required: false, options: [{ label: "A", value: "a" }] },
    },
    {
      type: 18,
      label: "Some",
      component: {
        type: 22,
        custom_id: "some",
        required: false,
        max_values: 1,
        options: [
          { label: "A", value: "a" },
          { label: "B", value: "b" },
        ],
      },
    },
    { type: 18, label: "Who", component: { type: 5, custom_id: "who", required: false } },
  ];

  /** Opens a modal before the person; its id. */
  async function opened(): Promise<string> {
    const bot = await scene.listener();
    const handle = await scene.sandbox
      .channel(scene.channel)
      .user(scene.sandbox.owner.id)
      .slash("ask", { text: "abc" });
    const { d } = await bot.event("INTERACTION_CREATE");
    await scene.open("POST", `/interactions/${String(d["id"])}/${String(d["token"])}/callback`, {
      type: 9,
      data: { custom_id: "m", title: "T", components: fields },
    });
    bot.cut();
    return (await handle.modal()).id;
  }

  const field = (type: number, custom_id: string, value: Record<string, unknown>) => ({
    type: 18,
    component: { type, custom_id, ...value },
  });
  const why = field(4, "why", { value: "so" });

  test.each([
    ["without what it requires", [field(3, "which", { values: ["a"] })]],
    ["with a text that is too long", [field(4, "why", { value: "because" })]],
    ["with a choice it does not offer", [why, field(3, "which", { values: ["b"] })]],
    ["with more choices than it takes", [why, field(22, "some", { values: ["a", "b"] })]],
    ["with a field it does not have", [why, field(4, "other", { value: "x" })]],
    ["with a person who is not there", [why, field(5, "who", { values: ["1"] })]],
  ])("%s", async (_law, components) => {
    expectRefusal(await interact(5, { id: await opened(), custom_id: "m", components }), 400, 50035, "data.components");
  });

  test("twice", async () => {
    const id = await opened();
    const bot = await scene.listener();
    const data = { id, custom_id: "m", components: [why, field(5, "who", { values: [scene.sandbox.owner.id] })] };
    expect((await interact(5, data)).status).toBe(204);
    const { d } = await bot.event("INTERACTION_CREATE");
    expect((d["data"] as Record<string, unknown>)["resolved"]).toMatchObject({
      users: { [scene.sandbox.owner.id]: { username: "owner" } },
    });
    expectRefusal(await interact(5, data), 400, 50035, "data.custom_id");
  });
});

describe("an actor stops the test that", () => {
  const person = () => scene.sandbox.channel(scene.channel).user(scene.sandbox.owner.id);

  test("presses what is not there or disabled", async () => {
    const { body } = await scene.bot("POST", `/channels/${scene.channel}/messages`, {
      content: "x",
      components: [{ type: 1, components: [{ type: 2, style: 1, label: "off", custom_id: "off", disabled: true }] }],
    });
    await expect(person().clickButton(String(body["id"]), "on")).rejects.toThrow(/no component "on"/);
    await expect(person().clickButton(String(body["id"]), "off")).rejects.toThrow(/disabled/);
  });

  test("uses an option the command does not have", async () => {
    await expect(person().slash("ask", { other: "x" })).rejects.toThrow(/no option "other"/);
  });
});
