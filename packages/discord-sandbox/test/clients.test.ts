/** The real client libraries against the sandbox: what they expect of Discord, they get here. */
import { REST } from "@discordjs/rest";
import { CompressionMethod, WebSocketManager, WebSocketShardEvents as On } from "@discordjs/ws";
import {
  GatewayIntentBits as Intent,
  Routes,
  type APIMessage,
  type GatewayDispatchPayload,
} from "discord-api-types/v10";
import { expect, onTestFinished, test } from "vitest";
import { startSandbox, type Sandbox } from "../src/discord-sandbox.ts";

const intents = Intent.Guilds | Intent.GuildMessages | Intent.GuildMessageReactions | Intent.MessageContent;

async function open(options: Parameters<typeof startSandbox>[0] = {}): Promise<{ sandbox: Sandbox; rest: REST }> {
  const sandbox = await startSandbox(options);
  onTestFinished(() => sandbox.close());
  return { sandbox, rest: restFor(sandbox) };
}

function restFor(sandbox: Sandbox, retries = 3): REST {
  const rest = new REST({ version: "10", api: sandbox.api, retries }).setToken(sandbox.botToken);
  onTestFinished(() => {
    rest.clearHandlerSweeper();
    rest.clearHashSweeper();
  });
  return rest;
}

interface Bot {
  heard: GatewayDispatchPayload[];
  /** Resolves with the first event, heard or to come, that fits. */
  event(fits: (payload: GatewayDispatchPayload) => boolean): Promise<GatewayDispatchPayload>;
  contents(): string[];
  manager: WebSocketManager;
}

async function connect(
  sandbox: Sandbox,
  rest: REST,
  options: { shardCount?: number; compression?: CompressionMethod } = {},
): Promise<Bot> {
  const manager = new WebSocketManager({ token: sandbox.botToken, intents, rest, ...options });
  onTestFinished(() => manager.destroy());
  const heard: GatewayDispatchPayload[] = [];
  const waiting = new Set<() => void>();
  manager.on(On.Dispatch, (payload) => {
    heard.push(payload);
    for (const look of waiting) look();
  });
  const event: Bot["event"] = (fits) =>
    new Promise((resolve) => {
      const look = (): void => {
        const found = heard.find(fits);
        if (found === undefined) return;
        waiting.delete(look);
        resolve(found);
      };
      waiting.add(look);
      look();
    });
  await manager.connect();
  await event(({ t }) => t === "GUILD_CREATE");
  const contents = () => heard.flatMap((one) => (one.t === "MESSAGE_CREATE" ? [one.d.content] : []));
  return { heard, event, contents, manager };
}

const says = (text: string) => (payload: GatewayDispatchPayload) =>
  payload.t === "MESSAGE_CREATE" && payload.d.content === text;

test("the REST client sends, edits, uploads, reacts and deletes", async () => {
  const { sandbox, rest } = await open();
  const path = Routes.channelMessages(sandbox.channelId);
  const sent = (await rest.post(path, {
    body: { content: "hello" },
    files: [{ name: "notes.txt", data: Buffer.from("some notes") }],
  })) as APIMessage;
  expect(sent).toMatchObject({
    content: "hello",
    author: { id: sandbox.botId },
    attachments: [{ filename: "notes.txt", size: 10 }],
  });
  const file = await fetch(sent.attachments[0]?.url ?? "");
  expect(await file.text()).toBe("some notes");
  const edited = (await rest.patch(Routes.channelMessage(sandbox.channelId, sent.id), {
    body: { content: "bye" },
  })) as APIMessage;
  expect(edited).toMatchObject({ content: "bye", attachments: [{ filename: "notes.txt" }] });
  expect(edited.edited_timestamp).not.toBeNull();
  await rest.put(Routes.channelMessageOwnReaction(sandbox.channelId, sent.id, encodeURIComponent("👀")));
  expect(sandbox.reactions(sent.id)).toEqual({ "👀": [sandbox.botId] });
  await rest.delete(Routes.channelMessage(sandbox.channelId, sent.id));
  expect(sandbox.messages(sandbox.channelId)).toEqual([]);
  expect(sandbox.violations).toEqual([]);
});

test("an answer of 500 after storing, repeated with the same nonce, is one message", async () => {
  const { sandbox, rest } = await open();
  const fault = sandbox.faults.fail({ operationId: "create_message", status: 500, when: "after", times: 1 });
  const body = { content: "once", nonce: "job-1-final", enforce_nonce: true };
  const sent = (await rest.post(Routes.channelMessages(sandbox.channelId), { body })) as APIMessage;
  expect(fault.hits).toBe(1);
  expect(sandbox.messages(sandbox.channelId).map(({ id, content }) => ({ id, content }))).toEqual([
    { id: sent.id, content: "once" },
  ]);
});

test("the same without a nonce is two messages: the retry is the library's, the doubling is real", async () => {
  const { sandbox, rest } = await open();
  sandbox.faults.fail({ operationId: "create_message", status: 500, when: "after", times: 1 });
  await rest.post(Routes.channelMessages(sandbox.channelId), { body: { content: "twice" } });
  expect(sandbox.messages(sandbox.channelId)).toHaveLength(2);
});

test("the REST client reads the bucket from the headers and never runs into it", async () => {
  const { sandbox, rest } = await open({ buckets: { create_message: { limit: 2, perMs: 50 } } });
  const path = Routes.channelMessages(sandbox.channelId);
  await Promise.all(Array.from({ length: 7 }, (_, n) => rest.post(path, { body: { content: String(n) } })));
  expect(sandbox.messages(sandbox.channelId).map(({ content }) => content)).toEqual([
    "0",
    "1",
    "2",
    "3",
    "4",
    "5",
    "6",
  ]);
  expect(sandbox.violations).toEqual([]);
});

test("a wrong body comes back as the library's own error, with Discord's code", async () => {
  const { sandbox, rest } = await open();
  const wrong = rest.post(Routes.channelMessages(sandbox.channelId), { body: { content: "x".repeat(2001) } });
  await expect(wrong).rejects.toMatchObject({
    status: 400,
    code: 50035,
    rawError: { errors: { content: { _errors: [{ code: "BASE_TYPE_MAX_LENGTH" }] } } },
  });
  expect(sandbox.violations).toMatchObject([{ kind: "bad_request", code: 50035 }]);
});

test("the gateway client receives what is written, from the person who wrote it", async () => {
  const { sandbox, rest } = await open();
  const bot = await connect(sandbox, rest);
  await sandbox.channel(sandbox.channelId).user(sandbox.owner.id).send("good morning");
  const { d } = await bot.event(says("good morning"));
  expect(d).toMatchObject({
    channel_id: sandbox.channelId,
    guild_id: sandbox.guildId,
    author: { id: sandbox.owner.id },
    member: { roles: [] },
  });
});

test("a cut connection is resumed, and everything missed is received once, in order", async () => {
  const { sandbox, rest } = await open();
  const bot = await connect(sandbox, rest);
  const owner = sandbox.channel(sandbox.channelId).user(sandbox.owner.id);
  await owner.send("0");
  await bot.event(says("0"));
  sandbox.faults.gateway({ kind: "cut" });
  for (const text of ["1", "2", "3"]) await owner.send(text);
  await bot.event(({ t }) => t === "RESUMED");
  await owner.send("4");
  await bot.event(says("4"));
  expect(bot.contents()).toEqual(["0", "1", "2", "3", "4"]);
  expect(bot.heard.filter(({ t }) => t === "READY")).toHaveLength(1);
});

test("op 7 makes the client come back and resume", async () => {
  const { sandbox, rest } = await open();
  const bot = await connect(sandbox, rest);
  sandbox.faults.gateway({ kind: "reconnect" });
  await bot.event(({ t }) => t === "RESUMED");
  await sandbox.channel(sandbox.channelId).user(sandbox.owner.id).send("still here");
  await bot.event(says("still here"));
});

test("a session that cannot be resumed is begun anew", async () => {
  const { sandbox, rest } = await open();
  const bot = await connect(sandbox, rest);
  sandbox.faults.gateway({ kind: "invalidate", resumable: false });
  await bot.event(() => bot.heard.filter(({ t }) => t === "GUILD_CREATE").length === 2);
  expect(bot.heard.map(({ t }) => t)).toEqual(["READY", "GUILD_CREATE", "READY", "GUILD_CREATE"]);
});

test("each of two shards receives only what is its own", async () => {
  const { sandbox, rest } = await open();
  const bot = await connect(sandbox, rest, { shardCount: 2 });
  await sandbox.until(({ connections }) => connections().length === 2);
  await sandbox.channel(sandbox.channelId).user(sandbox.owner.id).send("to one of us");
  await bot.event(says("to one of us"));
  expect(bot.heard.filter(({ t }) => t === "GUILD_CREATE")).toHaveLength(1);
  expect(bot.contents()).toEqual(["to one of us"]);
});

test("a client that asks for zlib-stream gets it", async () => {
  const { sandbox, rest } = await open();
  const bot = await connect(sandbox, rest, { compression: CompressionMethod.ZlibNative });
  await sandbox.channel(sandbox.channelId).user(sandbox.owner.id).send("ü".repeat(1500));
  await bot.event(says("ü".repeat(1500)));
});

test("a wrong token ends the client for good (4004)", async () => {
  const { sandbox, rest } = await open();
  const manager = new WebSocketManager({ token: "wrong", intents, rest, shardIds: [0], shardCount: 1 });
  const failed = new Promise<unknown>((resolve) => manager.on(On.Error, resolve));
  manager.connect().catch(() => undefined);
  expect(await failed).toMatchObject({ message: "Authentication failed" });
  expect(sandbox.violations).toMatchObject([{ kind: "gateway_close", code: 4004 }]);
});
