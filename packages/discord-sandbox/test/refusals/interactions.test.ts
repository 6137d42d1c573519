/** What Discord does not take as an answer to an interaction, and what it does not take as a command. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { sized, wrongChoices, wrongCommandLists, wrongCommands, wrongModals } from "./command-bodies.ts";
import { wrongComponents, wrongEmbeds, wrongLayouts, wrongTexts } from "./message-bodies.ts";
import { expectRefusal, openScene, sceneForTest, type Scene } from "./scene.ts";
import type { Answer } from "../wire.ts";

let scene: Scene;
let commandPath: string;
beforeAll(async () => {
  scene = await openScene();
  commandPath = `/applications/${scene.sandbox.applicationId}/guilds/${scene.guild}/commands`;
  const options = [{ type: 3, name: "what", description: "d", autocomplete: true }];
  const { status } = await scene.bot("PUT", commandPath, [{ name: "ask", description: "d", type: 1, options }]);
  expect(status).toBe(200);
  await scene.listener();
});
afterAll(() => scene.close());

interface Asked {
  id: string;
  token: string;
  answer(body: unknown, query?: string): Promise<Answer>;
  webhook: string;
}

/** A person uses the command; what the bot is told of it. */
async function asked(kind: "slash" | "autocomplete" = "slash"): Promise<Asked> {
  const bot = await scene.listener();
  const person = scene.sandbox.channel(scene.channel).user(scene.sandbox.owner.id);
  if (kind === "slash") await person.slash("ask", { what: "x" });
  else void person.autocomplete("ask", "what", "x").catch(() => undefined);
  const { d } = await bot.event("INTERACTION_CREATE");
  const [id, token] = [String(d["id"]), String(d["token"])];
  bot.cut();
  return {
    id,
    token,
    answer: (body, query = "") => scene.open("POST", `/interactions/${id}/${token}/callback${query}`, body),
    webhook: `/webhooks/${scene.sandbox.applicationId}/${token}`,
  };
}

const hello = { type: 4, data: { content: "hello" } };

describe("an answer to an interaction is refused where", () => {
  test.each(
    [...wrongTexts, ...wrongEmbeds, ...wrongComponents, ...wrongLayouts]
      .filter(({ body }) => !("nonce" in body))
      .map((row) => [row.law, row] as const),
  )("%s", async (_law, { body, at, code = 50035 }) => {
    const interaction = await asked();
    expectRefusal(await interaction.answer({ type: 4, data: body }), 400, code, at === "" ? at : `data.${at}`);
  });

  test.each(wrongModals.map((row) => [row.law, row] as const))("%s", async (_law, { body, at }) => {
    expectRefusal(await (await asked()).answer(body), 400, 50035, at);
  });

  test.each(wrongChoices.map((row) => [row.law, row] as const))("%s", async (_law, { body, at }) => {
    expectRefusal(await (await asked("autocomplete")).answer(body), 400, 50035, at);
  });

  test.each([
    ["its type is unknown", { type: 99 }],
    ["it has no type", { data: { content: "x" } }],
    ["it updates a message, and there is none", { type: 7, data: { content: "x" } }],
    ["it offers choices to a command", { type: 8, data: { choices: [] } }],
  ])("%s", async (_law, body) => {
    expectRefusal(await (await asked()).answer(body), 400, 50035, "type");
  });

  test("it answers autocomplete with a message", async () => {
    expectRefusal(await (await asked("autocomplete")).answer(hello), 400, 50035, "type");
  });

  test("it says nothing", async () => {
    expectRefusal(await (await asked()).answer({ type: 4, data: {} }), 400, 50006);
  });

  test("it is the second (40060)", async () => {
    const interaction = await asked();
    expect((await interaction.answer(hello)).status).toBe(204);
    expectRefusal(await interaction.answer(hello), 400, 40060);
    expectRefusal(await interaction.answer({ type: 5 }), 400, 40060);
  });

  test("a wrong first one does not use the interaction up", async () => {
    const interaction = await asked();
    expectRefusal(await interaction.answer({ type: 4, data: { content: "x".repeat(2001) } }), 400, 50035);
    expect((await interaction.answer(hello)).status).toBe(204);
  });

  test("its interaction is not there (10062)", async () => {
    const { token } = await asked();
    expectRefusal(await scene.open("POST", `/interactions/1/${token}/callback`, hello), 404, 10062);
  });

  test("its token is another's (10062)", async () => {
    const { id } = await asked();
    expectRefusal(await scene.open("POST", `/interactions/${id}/wrong/callback`, hello), 404, 10062);
  });

  test("it comes after 3 seconds (10062)", async () => {
    const interaction = await asked();
    scene.clock.advance(3001);
    expectRefusal(await interaction.answer(hello), 404, 10062);
  });
});

describe("after an answer", () => {
  test("a followup before any is refused", async () => {
    const { webhook } = await asked();
    expectRefusal(await scene.open("POST", webhook, { content: "x" }), 404, 10015);
  });

  test("a token is taken for 15 minutes and then no more (50027)", async () => {
    const interaction = await asked();
    await interaction.answer({ type: 5 });
    scene.clock.advance(14 * 60_000);
    expect((await scene.open("PATCH", `${interaction.webhook}/messages/@original`, { content: "late" })).status).toBe(
      200,
    );
    scene.clock.advance(60_001);
    expectRefusal(
      await scene.open("PATCH", `${interaction.webhook}/messages/@original`, { content: "too late" }),
      401,
      50027,
    );
    expectRefusal(await scene.open("POST", interaction.webhook, { content: "too late" }), 401, 50027);
  });

  test("a token that never was is refused (10015)", async () => {
    expectRefusal(
      await scene.open("POST", `/webhooks/${scene.sandbox.applicationId}/never`, { content: "x" }),
      404,
      10015,
    );
  });

  test("what was deleted is not edited (10008)", async () => {
    const interaction = await asked();
    await interaction.answer(hello);
    const original = `${interaction.webhook}/messages/@original`;
    expect((await scene.open("DELETE", original)).status).toBe(204);
    expectRefusal(await scene.open("PATCH", original, { content: "x" }), 404, 10008);
  });

  test("a followup keeps to the limits of a message", async () => {
    const interaction = await asked();
    await interaction.answer({ type: 5 });
    expectRefusal(await scene.open("POST", interaction.webhook, { content: "x".repeat(2001) }), 400, 50035, "content");
    expectRefusal(await scene.open("POST", interaction.webhook, {}), 400, 50006);
  });
});

describe("a command is refused where", () => {
  beforeEach(() => scene.clock.advance(60_000));

  test.each(wrongCommands.map((row) => [row.law, row] as const))("%s", async (_law, { body, at, code = 50035 }) => {
    expectRefusal(await scene.bot("POST", commandPath, body), 400, code, at);
  });

  test.each(wrongCommandLists.map((row) => [row.law, row] as const))(
    "in a list: %s",
    async (_law, { body, at, code = 50035 }) => {
      expectRefusal(await scene.bot("PUT", commandPath, body), 400, code, at);
    },
  );

  test("and one of exactly 8000 characters is taken", async () => {
    expect((await scene.bot("POST", commandPath, sized(8000))).status).toBe(201);
  });

  test("its list has a wrong one at its place", async () => {
    const list = [
      { name: "right", description: "d" },
      { name: "Wrong", description: "d" },
    ];
    expectRefusal(await scene.bot("PUT", commandPath, list), 400, 50035, "1.name");
  });

  test("it is not there (10063)", async () => {
    expectRefusal(await scene.bot("GET", `${commandPath}/1`), 404, 10063);
    expectRefusal(await scene.bot("PATCH", `${commandPath}/1`, { description: "d" }), 404, 10063);
    expectRefusal(await scene.bot("DELETE", `${commandPath}/1`), 404, 10063);
  });

  test("its application is another's", async () => {
    const other = scene.sandbox.addUser("other", { bot: true });
    expectRefusal(await scene.bot("PUT", `/applications/${other.id}/guilds/${scene.guild}/commands`, []), 403, 20012);
    expectRefusal(await scene.bot("PUT", `/applications/1/guilds/${scene.guild}/commands`, []), 404, 10002);
  });

  test("more than 200 new ones are made in a day (30034)", async () => {
    const own = await sceneForTest();
    const path = `/applications/${own.sandbox.applicationId}/guilds/${own.guild}/commands`;
    const list = (turn: number) => Array.from({ length: 100 }, (_, n) => ({ name: `t${turn}n${n}`, description: "d" }));
    for (const turn of [1, 2]) expect((await own.bot("PUT", path, list(turn))).status).toBe(200);
    const over = await own.bot("POST", path, { name: "One more", type: 3 });
    expectRefusal(over, 429, 30034);
    expect(Number(over.body["retry_after"])).toBeGreaterThan(23 * 60 * 60);
    expect(over.headers.get("retry-after")).toBe(String(over.body["retry_after"]));
    own.clock.advance(24 * 60 * 60_000);
    expect((await own.bot("PUT", path, [{ name: "one-more", description: "d" }])).status).toBe(200);
  });
});
