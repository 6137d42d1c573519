/** The rules seldom met: system messages, direct messages, what is not there, wrong types, and the great numbers. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { PermissionFlagsBits as Bit } from "discord-api-types/v10";
import type { Answer } from "../wire.ts";
import { expectRefusal, openScene, sceneForTest, type Scene } from "./scene.ts";

let scene: Scene;
beforeAll(async () => {
  scene = await openScene();
});
afterAll(() => scene.close());

const messages = (channel = scene.channel) => `/channels/${channel}/messages`;

describe("a field of the wrong type is named:", () => {
  test.each([
    ["a word for yes or no", { content: "x", tts: "yes" }, "tts"],
    ["an object for a list", { content: "x", embeds: {} }, "embeds"],
    ["a list for a text", { content: ["x"] }, "content"],
    ["a word for a number", { content: "x", flags: "many" }, "flags"],
    ["a word for an id", { content: "x", message_reference: { message_id: "last" } }, "message_reference.message_id"],
    [
      "a null where there must be a value",
      { embeds: [{ fields: [{ name: null, value: "v" }] }] },
      "embeds.0.fields.0.name",
    ],
  ])("%s", async (_law, body, at) => {
    expectRefusal(await scene.bot("POST", messages(), body), 400, 50035, at);
  });

  test("all wrong fields at once", async () => {
    const answer = await scene.bot("POST", messages(), {
      content: "x".repeat(2001),
      tts: "yes",
      embeds: [{ title: "x".repeat(257) }],
    });
    for (const at of ["content", "tts", "embeds.0.title"]) expectRefusal(answer, 400, 50035, at);
  });

  test("a set of permissions that is no number", async () => {
    const path = `/applications/${scene.sandbox.applicationId}/guilds/${scene.guild}/commands`;
    expectRefusal(
      await scene.bot("POST", path, { name: "a", description: "d", default_member_permissions: "admin" }),
      400,
      50035,
      "default_member_permissions",
    );
    expectRefusal(await scene.bot("PUT", path, { name: "a" }), 400, 50035);
  });

  test("two places at once for a page to begin", async () => {
    expectRefusal(await scene.bot("GET", `${messages()}?before=1&after=1`), 400, 50035);
  });
});

test("words that the server's filters block are refused to bots, in a message or an edit, and read by nobody in a file", async () => {
  const mine = await sceneForTest();
  const { id } = (await mine.bot("POST", `/channels/${mine.channel}/messages`, { content: "fine" })).body;
  for (const code of [200000, 240000] as const) {
    mine.sandbox.setBlocked({ words: /bad/, code });
    expectRefusal(await mine.bot("POST", `/channels/${mine.channel}/messages`, { content: "a bad word" }), 400, code);
    expectRefusal(
      await mine.bot("PATCH", `/channels/${mine.channel}/messages/${String(id)}`, { content: "a bad word" }),
      400,
      code,
    );
  }
  await mine.sandbox.channel(mine.channel).user(mine.sandbox.owner.id).send("a bad word");
  mine.sandbox.setBlocked(null);
  expect((await mine.bot("POST", `/channels/${mine.channel}/messages`, { content: "a bad word" })).status).toBe(200);
});

describe("a system message", () => {
  /** The line in the parent that says a thread was started. */
  async function systemMessage(): Promise<string> {
    const thread = await scene.thread();
    const found = scene.sandbox
      .messages(scene.channel)
      .find(({ type, message_reference: at }) => type === 18 && at?.channel_id === thread);
    return found?.id ?? "";
  }

  test("is not edited", async () => {
    expectRefusal(await scene.bot("PATCH", `${messages()}/${await systemMessage()}`, { content: "x" }), 403, 50021);
  });

  test("is not answered", async () => {
    expectRefusal(
      await scene.bot("POST", messages(), { content: "x", message_reference: { message_id: await systemMessage() } }),
      400,
      50035,
      "message_reference",
    );
  });

  test("starts no thread", async () => {
    expectRefusal(await scene.bot("POST", `${messages()}/${await systemMessage()}/threads`, { name: "x" }), 403, 50021);
  });

  test("that begins a thread is not deleted", async () => {
    const from = await scene.message();
    const { body } = await scene.bot("POST", `${messages()}/${from}/threads`, { name: "x" });
    const first = scene.sandbox.messages(String(body["id"])).find(({ type }) => type === 21);
    expectRefusal(await scene.bot("DELETE", `${messages(from)}/${first?.id ?? ""}`), 403, 50021);
  });
});

describe("a direct message", () => {
  const open = (recipient: string) => scene.bot("POST", "/users/@me/channels", { recipient_id: recipient });

  test("goes to nobody who is not there", async () => {
    expectRefusal(await open("1"), 404, 10013);
  });

  test("goes not to oneself", async () => {
    expectRefusal(await open(scene.sandbox.botId), 400, 50033);
  });

  test("goes not to another bot", async () => {
    expectRefusal(await open(scene.sandbox.addUser("other", { bot: true }).id), 403, 50007);
  });

  test("is not renamed", async () => {
    const { body } = await open(scene.sandbox.owner.id);
    expectRefusal(await scene.bot("PATCH", `/channels/${String(body["id"])}`, { name: "x" }), 403, 50003);
  });

  test("is read by nobody else", async () => {
    const { body } = await open(scene.sandbox.owner.id);
    const other = scene.sandbox.addUser("curious");
    expectRefusal(
      await scene.open("GET", `/channels/${String(body["id"])}/messages`, undefined, { token: other.token }),
      403,
      50001,
    );
  });
});

describe("a body whose values have another type than Discord describes:", () => {
  const wrong: [what: string, body: object, at: string][] = [
    ["a number as content", { content: 5 }, "content"],
    [
      "true as a message's id",
      { content: "x", message_reference: { message_id: true } },
      "message_reference.message_id",
    ],
    ["text as flags", { content: "x", flags: "4" }, "flags"],
  ];

  test.each(wrong)("%s", async (_what, body, at) => {
    expectRefusal(await scene.bot("POST", messages(), body), 400, 50035, at);
  });

  test("a text that is no number as an attachment's id", async () => {
    const files = [{ name: "a.txt", bytes: "abc" }];
    expectRefusal(
      await scene.bot("POST", messages(), { attachments: [{ id: "first", filename: "a.txt" }] }, { files }),
      400,
      50035,
      "attachments.0.id",
    );
  });
});

describe("without the right to polls and webhooks", () => {
  const poll = {
    question: { text: "Which?" },
    answers: [{ poll_media: { text: "this" } }, { poll_media: { text: "that" } }],
  };

  test("a poll is not sent, and what has none is not ended", async () => {
    expectRefusal(await scene.bot("POST", messages(), { poll }), 403, 50013);
    const id = await scene.message();
    expectRefusal(await scene.bot("POST", `/channels/${scene.channel}/polls/${id}/expire`), 400, 520006);
    expectRefusal(await scene.bot("GET", `/channels/${scene.channel}/polls/${id}/answers/1`), 404, 10008);
    expectRefusal(await scene.bot("POST", `/channels/${scene.channel}/polls/1/expire`), 404, 10008);
  });

  test("webhooks are neither made nor listed, and none is there", async () => {
    expectRefusal(await scene.bot("POST", `/channels/${scene.channel}/webhooks`, { name: "hook" }), 403, 50013);
    expectRefusal(await scene.bot("GET", `/channels/${scene.channel}/webhooks`), 403, 50013);
    expectRefusal(await scene.bot("GET", `/guilds/${scene.guild}/webhooks`), 403, 50013);
    expectRefusal(await scene.bot("GET", "/guilds/1/webhooks"), 404, 10004);
    for (const method of ["GET", "PATCH", "DELETE"])
      expectRefusal(await scene.bot(method, "/webhooks/1", method === "PATCH" ? { name: "x" } : undefined), 404, 10015);
    for (const kind of ["slack", "github"])
      expectRefusal(await scene.open("POST", `/webhooks/1/token/${kind}`, {}), 404, 10015);
    expectRefusal(await scene.open("GET", "/webhooks/1/token"), 404, 10015);
  });
});

describe("what is not there:", () => {
  const missing: [what: string, method: string, path: () => string, code: number][] = [
    ["a guild", "GET", () => "/guilds/1", 10004],
    ["its threads", "GET", () => "/guilds/1/threads/active", 10004],
    ["a member", "GET", () => `/guilds/${scene.guild}/members/1`, 10007],
    ["a user", "GET", () => "/users/1", 10013],
    ["a message", "GET", () => `${messages()}/1`, 10008],
    ["a channel", "GET", () => "/channels/1", 10003],
  ];

  test.each(missing)("%s", async (_what, method, path, code) => {
    expectRefusal(await scene.bot(method, path()), 404, code);
  });

  test("a thread's member", async () => {
    expectRefusal(
      await scene.bot("GET", `/channels/${await scene.thread()}/thread-members/${scene.sandbox.owner.id}`),
      404,
      10007,
    );
  });

  test("an overwrite", async () => {
    expectRefusal(await scene.person("DELETE", `/channels/${scene.channel}/permissions/1`), 404, 10009);
  });
});

describe("without reading the history", () => {
  test("nothing is answered, and nothing is read", async () => {
    const own = await sceneForTest();
    const message = await own.message();
    const deny = String(Bit.ReadMessageHistory);
    await own.person("PUT", `/channels/${own.channel}/permissions/${own.sandbox.botId}`, { type: 1, allow: "0", deny });
    const reply = { content: "x", message_reference: { message_id: message } };
    expectRefusal(await own.bot("POST", `/channels/${own.channel}/messages`, reply), 400, 160002);
    const { status, body } = await own.bot("GET", `/channels/${own.channel}/messages`);
    expect({ status, body }).toEqual({ status: 200, body: [] });
  });
});

describe("the great numbers:", () => {
  /** Sends many requests as a person, who has no bucket, a few at once. */
  async function many(times: number, ask: (index: number) => Promise<Answer>): Promise<void> {
    for (let from = 0; from < times; from += 50) {
      const answers = await Promise.all(Array.from({ length: Math.min(50, times - from) }, (_, n) => ask(from + n)));
      for (const { status, body } of answers) expect(status, JSON.stringify(body)).toBeLessThan(300);
    }
  }

  test("1000 active threads, and no more", async () => {
    const own = await sceneForTest();
    const start = (n: number) => own.person("POST", `/channels/${own.channel}/threads`, { name: `t${n}`, type: 11 });
    await many(1000, start);
    expectRefusal(await start(1000), 400, 160006);
    await own.person("PATCH", `/channels/${own.sandbox.threads()[0]?.id ?? ""}`, { archived: true });
    expect((await start(1001)).status).toBe(201);
  });

  test("1000 members of a thread, and no more", async () => {
    const own = await sceneForTest();
    const thread = await own.thread();
    const users = Array.from({ length: 1000 }, (_, n) => own.sandbox.addUser(`u${n}`).id);
    const join = (n: number) => own.person("PUT", `/channels/${thread}/thread-members/${users[n] ?? ""}`);
    await many(999, join);
    expectRefusal(await join(999), 400, 30033);
  });
});
