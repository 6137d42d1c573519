/**
 * Where the bot may not, or what is closed: permissions, threads archived and locked, names, reactions, pins, pages.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { PermissionFlagsBits as Bit } from "discord-api-types/v10";
import { expectRefusal, openScene, sceneForTest, type Scene } from "./scene.ts";

let scene: Scene;
beforeAll(async () => {
  scene = await openScene();
});
afterAll(() => scene.close());

/** A channel of its own, in which the bot lacks these permissions. */
async function channelWithout(...bits: bigint[]): Promise<string> {
  const { body } = await scene.person("POST", `/guilds/${scene.guild}/channels`, { name: "closed", type: 0 });
  const id = String(body["id"]);
  const deny = String(bits.reduce((sum, bit) => sum | bit, 0n));
  const { status } = await scene.person("PUT", `/channels/${id}/permissions/${scene.sandbox.botId}`, {
    type: 1,
    allow: "0",
    deny,
  });
  expect(status).toBe(204);
  return id;
}

async function messageIn(channel: string): Promise<string> {
  const { body } = await scene.person("POST", `/channels/${channel}/messages`, { content: "a person's" });
  return String(body["id"]);
}

const file = { files: [{ name: "a.txt", bytes: "x" }] };
const emoji = encodeURIComponent("👍");

describe("without the permission is refused", () => {
  const missing: [
    what: string,
    bit: bigint,
    method: string,
    path: (channel: string, message: string) => string,
    body?: unknown,
  ][] = [
    ["sending", Bit.SendMessages, "POST", (channel) => `/channels/${channel}/messages`, { content: "x" }],
    ["an embed", Bit.EmbedLinks, "POST", (channel) => `/channels/${channel}/messages`, { embeds: [{ title: "t" }] }],
    [
      "a first reaction",
      Bit.AddReactions,
      "PUT",
      (channel, message) => `/channels/${channel}/messages/${message}/reactions/${emoji}/@me`,
    ],
    [
      "starting a thread",
      Bit.CreatePublicThreads,
      "POST",
      (channel) => `/channels/${channel}/threads`,
      { name: "t", type: 11 },
    ],
    [
      "starting a thread from a message",
      Bit.CreatePublicThreads,
      "POST",
      (channel, message) => `/channels/${channel}/messages/${message}/threads`,
      { name: "t" },
    ],
    ["typing", Bit.SendMessages, "POST", (channel) => `/channels/${channel}/typing`],
  ];

  test.each(missing)("%s", async (_what, bit, method, path, body) => {
    const channel = await channelWithout(bit);
    expectRefusal(await scene.bot(method, path(channel, await messageIn(channel)), body), 403, 50013);
  });

  test("a file", async () => {
    const channel = await channelWithout(Bit.AttachFiles);
    expectRefusal(await scene.bot("POST", `/channels/${channel}/messages`, { content: "x" }, file), 403, 50013);
  });

  test("writing in a thread", async () => {
    const channel = await channelWithout(Bit.SendMessagesInThreads);
    const { body } = await scene.person("POST", `/channels/${channel}/threads`, { name: "t", type: 11 });
    expectRefusal(await scene.bot("POST", `/channels/${String(body["id"])}/messages`, { content: "x" }), 403, 50013);
  });

  test("a private thread", async () => {
    expectRefusal(await scene.bot("POST", `/channels/${scene.channel}/threads`, { name: "t", type: 12 }), 403, 50013);
  });

  test("pinning, which managing messages no longer allows", async () => {
    const path = `/channels/${scene.channel}/messages/pins/${await scene.message()}`;
    expectRefusal(await scene.bot("PUT", path), 403, 50013);
  });

  test("making a channel", async () => {
    expectRefusal(await scene.bot("POST", `/guilds/${scene.guild}/channels`, { name: "mine", type: 0 }), 403, 50013);
  });

  test("renaming or deleting one", async () => {
    expectRefusal(await scene.bot("PATCH", `/channels/${scene.channel}`, { name: "mine" }), 403, 50013);
    expectRefusal(await scene.bot("DELETE", `/channels/${scene.channel}`), 403, 50013);
  });

  test("a reaction of another's taken off", async () => {
    const message = await messageIn(scene.channel);
    const path = `/channels/${scene.channel}/messages/${message}/reactions/${emoji}`;
    await scene.person("PUT", `${path}/@me`);
    expectRefusal(await scene.bot("DELETE", `${path}/${scene.sandbox.owner.id}`), 403, 50013);
  });
});

describe("what the bot cannot see is refused with 50001", () => {
  test.each([
    ["reading it", "GET", ""],
    ["its messages", "GET", "/messages"],
    ["writing in it", "POST", "/messages"],
    ["typing in it", "POST", "/typing"],
    ["a thread in it", "POST", "/threads"],
  ])("%s", async (_what, method, path) => {
    const channel = await channelWithout(Bit.ViewChannel);
    const body = method === "POST" && path !== "/typing" ? { content: "x", name: "x", type: 11 } : undefined;
    expectRefusal(await scene.bot(method, `/channels/${channel}${path}`, body), 403, 50001);
  });

  test("and its messages are not told on the gateway", async () => {
    const channel = await channelWithout(Bit.ViewChannel);
    const bot = await scene.listener();
    await messageIn(channel);
    await messageIn(scene.channel);
    const told = await bot.event("MESSAGE_CREATE");
    expect(told.d["channel_id"]).toBe(scene.channel);
  });
});

describe("an archived thread", () => {
  async function archived(): Promise<{ thread: string; message: string }> {
    const thread = await scene.thread();
    const { body } = await scene.bot("POST", `/channels/${thread}/messages`, { content: "x" });
    await scene.bot("PATCH", `/channels/${thread}`, { archived: true });
    return { thread, message: String(body["id"]) };
  }

  const closed: [what: string, method: string, path: (thread: string, message: string) => string, body?: unknown][] = [
    ["takes no edit", "PATCH", (thread, message) => `/channels/${thread}/messages/${message}`, { content: "y" }],
    ["loses no message", "DELETE", (thread, message) => `/channels/${thread}/messages/${message}`],
    ["takes no reaction", "PUT", (thread, message) => `/channels/${thread}/messages/${message}/reactions/${emoji}/@me`],
    ["takes no new name", "PATCH", (thread) => `/channels/${thread}`, { name: "y" }],
    ["takes no member", "PUT", (thread) => `/channels/${thread}/thread-members/@me`],
    ["loses no member", "DELETE", (thread) => `/channels/${thread}/thread-members/@me`],
  ];

  test.each(closed)("%s (50083)", async (_what, method, path, body) => {
    const { thread, message } = await archived();
    expectRefusal(await scene.bot(method, path(thread, message), body), 400, 50083);
  });

  test("takes a message, and is open again", async () => {
    const { thread } = await archived();
    expect((await scene.bot("POST", `/channels/${thread}/messages`, { content: "y" })).status).toBe(200);
    const { body } = await scene.bot("GET", `/channels/${thread}`);
    expect(body["thread_metadata"]).toMatchObject({ archived: false });
  });
});

describe("a thread", () => {
  test("that is locked takes no message but of who may manage it", async () => {
    const channel = await channelWithout(Bit.ManageThreads);
    const { body } = await scene.person("POST", `/channels/${channel}/threads`, { name: "t", type: 11 });
    const thread = String(body["id"]);
    await scene.person("PATCH", `/channels/${thread}`, { locked: true });
    expectRefusal(await scene.bot("POST", `/channels/${thread}/messages`, { content: "x" }), 403, 160005);
    expect((await scene.person("POST", `/channels/${thread}/messages`, { content: "x" })).status).toBe(200);
  });

  test("is locked only by who may manage it", async () => {
    const channel = await channelWithout(Bit.ManageThreads);
    const { body } = await scene.bot("POST", `/channels/${channel}/threads`, { name: "t", type: 11 });
    expectRefusal(await scene.bot("PATCH", `/channels/${String(body["id"])}`, { locked: true }), 403, 50013);
  });

  test("hangs once on a message, and has its id", async () => {
    const message = await scene.message();
    const path = `/channels/${scene.channel}/messages/${message}/threads`;
    const first = await scene.bot("POST", path, { name: "one" });
    expect(first.body["id"]).toBe(message);
    expectRefusal(await scene.bot("POST", path, { name: "two" }), 400, 160004);
  });

  const wrong: [law: string, body: Record<string, unknown>, at: string][] = [
    ["has a name", { type: 11 }, "name"],
    ["has a name that is not empty", { name: "", type: 11 }, "name"],
    ["has a name of at most 100", { name: "x".repeat(101), type: 11 }, "name"],
    [
      "is archived after 60, 1440, 4320 or 10080 minutes",
      { name: "x", type: 11, auto_archive_duration: 61 },
      "auto_archive_duration",
    ],
    ["is slowed by at most 21600 seconds", { name: "x", type: 11, rate_limit_per_user: 21601 }, "rate_limit_per_user"],
    ["is of a thread's type", { name: "x", type: 0 }, "type"],
  ];

  test.each(wrong)("%s", async (_law, body, at) => {
    expectRefusal(await scene.bot("POST", `/channels/${scene.channel}/threads`, body), 400, 50035, at);
  });

  test("keeps to 100 when it is renamed", async () => {
    expectRefusal(
      await scene.bot("PATCH", `/channels/${await scene.thread()}`, { name: "x".repeat(101) }),
      400,
      50035,
      "name",
    );
  });

  test("is in no thread", async () => {
    expectRefusal(
      await scene.bot("POST", `/channels/${await scene.thread()}/threads`, { name: "x", type: 11 }),
      400,
      50024,
    );
  });
});

describe("a reaction is refused where", () => {
  const react = async (name: string, message?: string) =>
    scene.bot("PUT", `/channels/${scene.channel}/messages/${message ?? (await scene.message())}/reactions/${name}/@me`);

  test("it is no emoji", async () => {
    expectRefusal(await react("yes"), 400, 10014);
  });

  test("it is one of another guild's", async () => {
    expectRefusal(await react("bell%3A900000000000000001"), 400, 10014);
  });

  test("its message is not there", async () => {
    expectRefusal(await react(emoji, "1"), 404, 10008);
  });

  test("it is the 21st kind on a message", async () => {
    const message = await scene.message();
    const kinds = [
      "😀",
      "😁",
      "😂",
      "😃",
      "😄",
      "😅",
      "😆",
      "😇",
      "😈",
      "😉",
      "😊",
      "😋",
      "😌",
      "😍",
      "😎",
      "😏",
      "😐",
      "😑",
      "😒",
      "😓",
      "😔",
    ].map(encodeURIComponent);
    for (const kind of kinds.slice(0, 20)) {
      const { status } = await scene.person(
        "PUT",
        `/channels/${scene.channel}/messages/${message}/reactions/${kind}/@me`,
      );
      expect(status).toBe(204);
    }
    expectRefusal(await react(kinds[20] ?? "", message), 400, 30010);
  });
});

describe("a page of messages is refused where", () => {
  test.each([
    ["it is longer than 100", "limit=101", "limit"],
    ["it is empty", "limit=0", "limit"],
    ["its length is no number", "limit=all", "limit"],
    ["it begins at no id", "before=yesterday", "before"],
  ])("%s", async (_law, query, at) => {
    expectRefusal(await scene.bot("GET", `/channels/${scene.channel}/messages?${query}`), 400, 50035, at);
  });
});

describe("the owner's own rules", () => {
  const remove = (messages: unknown) =>
    scene.bot("POST", `/channels/${scene.channel}/messages/bulk-delete`, { messages });

  async function mayManage(): Promise<void> {
    const allow = String(Bit.ManageMessages | Bit.PinMessages);
    await scene.person("PUT", `/channels/${scene.channel}/permissions/${scene.sandbox.botId}`, {
      type: 1,
      allow,
      deny: "0",
    });
  }

  test("many are deleted 2 to 100 at once, each named once, none older than 14 days", async () => {
    await mayManage();
    const message = await scene.message();
    expectRefusal(await remove([message]), 400, 50016);
    expectRefusal(await remove(Array.from({ length: 101 }, (_, n) => String(n + 1))), 400, 50016);
    expectRefusal(await remove([message, message]), 400, 50035);
    expectRefusal(await remove([message, "175928847299117063"]), 400, 50034);
  });

  test("a channel has at most 250 pins", async () => {
    const own = await sceneForTest();
    const paths: string[] = [];
    for (let count = 0; count < 251; count += 1) {
      const { body } = await own.person("POST", `/channels/${own.channel}/messages`, { content: String(count) });
      paths.push(`/channels/${own.channel}/messages/pins/${String(body["id"])}`);
    }
    for (const path of paths.slice(0, 250)) expect((await own.person("PUT", path)).status).toBe(204);
    expectRefusal(await own.person("PUT", paths[250] ?? ""), 400, 30003);
  });
});
