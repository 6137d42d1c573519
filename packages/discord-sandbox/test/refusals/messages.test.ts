/** What Discord does not take as a message: each documented limit is broken once, on every way a message is made. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { long, wrongComponents, wrongEmbeds, wrongLayouts, wrongTexts } from "./message-bodies.ts";
import { expectRefusal, openScene, type Scene } from "./scene.ts";

let scene: Scene;
beforeAll(async () => {
  scene = await openScene();
});
afterAll(() => scene.close());

const rows = [...wrongTexts, ...wrongEmbeds, ...wrongComponents, ...wrongLayouts].map((row) => [row.law, row] as const);

describe("a new message is refused where", () => {
  test.each(rows)("%s", async (_law, { body, at, code = 50035 }) => {
    expectRefusal(await scene.bot("POST", `/channels/${scene.channel}/messages`, body), 400, code, at);
  });
});

describe("an edit is refused where", () => {
  const edits = rows.filter(([, { body }]) => !("nonce" in body));
  test.each(edits)("%s", async (_law, { body, at, code = 50035 }) => {
    const id = await scene.message();
    expectRefusal(await scene.bot("PATCH", `/channels/${scene.channel}/messages/${id}`, body), 400, code, at);
  });

  test("it would leave nothing to show", async () => {
    const id = await scene.message();
    expectRefusal(await scene.bot("PATCH", `/channels/${scene.channel}/messages/${id}`, { content: "" }), 400, 50006);
  });

  test("the message is another's", async () => {
    const { body } = await scene.person("POST", `/channels/${scene.channel}/messages`, { content: "mine" });
    expectRefusal(
      await scene.bot("PATCH", `/channels/${scene.channel}/messages/${String(body["id"])}`, { content: "yours" }),
      403,
      50005,
    );
  });

  test("the flag of components v2 would be taken off", async () => {
    const { body } = await scene.bot("POST", `/channels/${scene.channel}/messages`, {
      flags: 1 << 15,
      components: [{ type: 10, content: "x" }],
    });
    expectRefusal(
      await scene.bot("PATCH", `/channels/${scene.channel}/messages/${String(body["id"])}`, { flags: 0 }),
      400,
      50035,
      "flags",
    );
  });
});

describe("a message is refused where", () => {
  const post = (body: unknown, channel = scene.channel) => scene.bot("POST", `/channels/${channel}/messages`, body);

  test.each([
    ["it says nothing", {}],
    ["it says nothing but white space", { content: " \n\t " }],
    ["its lists are empty", { embeds: [], components: [] }],
  ])("%s", async (_law, body) => {
    expectRefusal(await post(body), 400, 50006);
  });

  test("it is no JSON", async () => {
    expectRefusal(await post("{ content: yes"), 400, 50109);
  });

  test("it is no object", async () => {
    expectRefusal(await post([1]), 400, 50035);
  });

  test("it is a word where an object belongs", async () => {
    expectRefusal(await post({ embeds: ["hello"] }), 400, 50035, "embeds.0");
  });

  test.each([
    ["EPHEMERAL", 1 << 6],
    ["LOADING", 1 << 7],
    ["CROSSPOSTED", 1],
  ])("it sets the flag %s", async (_name, flags) => {
    expectRefusal(await post({ content: "x", flags }), 400, 50035, "flags");
  });

  test("it answers a message that is not there", async () => {
    expectRefusal(
      await post({ content: "x", message_reference: { message_id: "1" } }),
      400,
      50035,
      "message_reference",
    );
  });

  test("it is a voice message without the permission", async () => {
    expectRefusal(await post({ flags: 1 << 13, content: "x" }), 400, 50173);
  });

  test("its channel is not there", async () => {
    expectRefusal(await post({ content: "x" }, "1"), 404, 10003);
  });

  test("its channel's id is none", async () => {
    expectRefusal(await post({ content: "x" }, "general"), 400, 50035);
  });

  test("a deleted message is repeated with its nonce", async () => {
    const body = { content: "x", nonce: "gone", enforce_nonce: true };
    const first = await post(body);
    await scene.bot("DELETE", `/channels/${scene.channel}/messages/${String(first.body["id"])}`);
    expectRefusal(await post(body), 404, 10008);
  });
});

describe("what is exactly at a limit is taken", () => {
  test.each([
    ["2000 characters", { content: long(2000) }],
    ["2000 characters of two units each", { content: "🔔".repeat(2000) }],
    ["a nonce of 25", { content: "x", nonce: long(25), enforce_nonce: true }],
    ["6000 characters in embeds", { embeds: [{ description: long(4096) }, { description: long(1904) }] }],
    [
      "5 rows of 5 buttons",
      {
        content: "x",
        components: [0, 1, 2, 3, 4].map((row) => ({
          type: 1,
          components: [0, 1, 2, 3, 4].map((n) => ({ type: 2, style: 1, label: "x", custom_id: `${row}.${n}` })),
        })),
      },
    ],
    ["a row alone", { components: [{ type: 1, components: [{ type: 2, style: 1, label: "x", custom_id: "b" }] }] }],
    ["40 components", { flags: 1 << 15, components: Array.from({ length: 40 }, () => ({ type: 10, content: "x" })) }],
    ["4000 characters of display", { flags: 1 << 15, components: [{ type: 10, content: long(4000) }] }],
  ])("%s", async (_law, body) => {
    const answer = await scene.bot("POST", `/channels/${scene.channel}/messages`, body);
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  });
});

describe("deleting is refused where", () => {
  const remove = (messages: unknown) =>
    scene.bot("POST", `/channels/${scene.channel}/messages/bulk-delete`, { messages });

  test("the message is not there", async () => {
    expectRefusal(await scene.bot("DELETE", `/channels/${scene.channel}/messages/1`), 404, 10008);
  });

  test("the message is another's and the permission is missing", async () => {
    const { body } = await scene.person("POST", `/channels/${scene.channel}/messages`, { content: "mine" });
    expectRefusal(await scene.bot("DELETE", `/channels/${scene.channel}/messages/${String(body["id"])}`), 403, 50013);
  });

  test("many are deleted without the permission", async () => {
    expectRefusal(await remove([await scene.message(), await scene.message()]), 403, 50013);
  });
});
