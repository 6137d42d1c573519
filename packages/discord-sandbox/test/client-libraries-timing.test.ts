/**
 * What a stand-in for Discord must do that the public one does not: the very clients bots are made of, unchanged
 * and with their own timing, resume here, upload here, wait here, and are refused here.
 */
import { DiscordAPIError, REST } from "@discordjs/rest";
import { WebSocketManager, WebSocketShardEvents } from "@discordjs/ws";
import {
  GatewayDispatchEvents,
  PermissionFlagsBits,
  Routes,
  type APIMessage,
  type GatewayMessageCreateDispatchData,
} from "discord-api-types/v10";
import { describe, expect, onTestFinished, test } from "vitest";
import { startSandbox, type Sandbox } from "../src/discord-sandbox.ts";
import { contract } from "./contract/contract.ts";
import { BareGateway, intents } from "./wire.ts";

interface Stage {
  sandbox: Sandbox;
  rest: REST;
  post(body: unknown, files?: { name: string; data: Buffer }[]): Promise<APIMessage>;
}

async function open(options: Parameters<typeof startSandbox>[0] = {}): Promise<Stage> {
  const judge = contract({ refusals: true });
  const sandbox = await startSandbox({ ...options, observe: judge.observe });
  const rest = new REST({ api: sandbox.api, version: "10" }).setToken(sandbox.botToken);
  onTestFinished(async () => {
    rest.clearHandlerSweeper();
    rest.clearHashSweeper();
    await sandbox.close();
    judge.assertClean();
  });
  const post: Stage["post"] = async (body, files = []) =>
    (await rest.post(Routes.channelMessages(sandbox.channelId), { body, files })) as APIMessage;
  return { sandbox, rest, post };
}

/** A bot on the real client library: what it has heard, and when it is there. */
async function connect({ sandbox, rest }: Stage) {
  const manager = new WebSocketManager({ token: sandbox.botToken, intents, rest });
  const heard: string[] = [];
  const readies: number[] = [];
  manager.on(WebSocketShardEvents.Ready, () => void readies.push(readies.length));
  manager.on(WebSocketShardEvents.Dispatch, ({ t, d }: { t: string; d: unknown }) => {
    if (t === GatewayDispatchEvents.MessageCreate) heard.push((d as GatewayMessageCreateDispatchData).content);
  });
  onTestFinished(() => manager.destroy());
  await manager.connect();
  await sandbox.until(({ connections }) => connections().some(({ isBot }) => isBot));
  const resumed = () => new Promise<void>((resolve) => manager.once(WebSocketShardEvents.Resumed, () => resolve()));
  const hearing = (content: string) =>
    new Promise<void>((resolve) => {
      if (heard.includes(content)) return resolve();
      manager.on(WebSocketShardEvents.Dispatch, () => heard.includes(content) && resolve());
    });
  return { manager, heard, readies, resumed, hearing };
}

const owner = ({ sandbox }: Stage) => sandbox.channel(sandbox.channelId).user(sandbox.owner.id);

describe("a bot on @discordjs/ws", () => {
  test("whose socket is dropped resumes, and receives once and in order what it missed", async () => {
    const stage = await open();
    const bot = await connect(stage);
    await owner(stage).send("before");
    await bot.hearing("before");
    const resumed = bot.resumed();
    stage.sandbox.faults.gateway({ kind: "cut" });
    for (const content of ["one", "two", "three"]) await owner(stage).send(content);
    await resumed;
    await owner(stage).send("after");
    await bot.hearing("after");
    expect(bot.heard).toEqual(["before", "one", "two", "three", "after"]);
    expect(bot.readies).toHaveLength(1);
  });

  test("that is told to reconnect resumes", async () => {
    const stage = await open();
    const bot = await connect(stage);
    const resumed = bot.resumed();
    stage.sandbox.faults.gateway({ kind: "reconnect" });
    await resumed;
    await owner(stage).send("after");
    await bot.hearing("after");
    expect(bot.readies).toHaveLength(1);
  });

  test("whose event died with the socket receives it when it resumes", async () => {
    const stage = await open();
    const bot = await connect(stage);
    const resumed = bot.resumed();
    stage.sandbox.faults.gateway({ kind: "cut_after", t: "MESSAGE_CREATE", times: 1 });
    await owner(stage).send("last words");
    await resumed;
    await bot.hearing("last words");
  });
});

describe("a bot on @discordjs/rest", () => {
  test("uploads a file, and the bytes come back", async () => {
    const stage = await open();
    const data = Buffer.from([0, 1, 2, 253, 254, 255]);
    const message = await stage.post({ content: "here", attachments: [{ id: "0", description: "six bytes" }] }, [
      { name: "six.bin", data },
    ]);
    const [attachment] = message.attachments;
    expect(attachment).toMatchObject({ filename: "six.bin", size: 6, description: "six bytes" });
    const served = await fetch(attachment?.url ?? "");
    expect(Buffer.from(await served.arrayBuffer())).toEqual(data);
  });

  test.each(["user", "shared", "global"] as const)("waits out a 429 (%s) and sends once", async (scope) => {
    const stage = await open();
    const fault = stage.sandbox.faults.rateLimit({ operationId: "create_message", times: 1, retryAfter: 0.05, scope });
    await stage.post({ content: "patient" });
    expect(fault.hits).toBe(1);
    expect(stage.sandbox.messages(stage.sandbox.channelId).map(({ content }) => content)).toEqual(["patient"]);
  });

  test("keeps by itself to a bucket's headers", async () => {
    const stage = await open({ buckets: { create_message: { limit: 2, perMs: 100 } } });
    const contents = ["1", "2", "3", "4", "5"];
    await Promise.all(contents.map((content) => stage.post({ content })));
    expect(stage.sandbox.messages(stage.sandbox.channelId).map(({ content }) => content)).toEqual(contents);
    expect(stage.sandbox.requests.filter(({ status }) => status === 429)).toEqual([]);
  });

  test("is refused what it may not do", async () => {
    const stage = await open();
    stage.sandbox.setEveryonePermissions(PermissionFlagsBits.ViewChannel);
    stage.sandbox.setBotPermissions(PermissionFlagsBits.ViewChannel);
    const refusal = await stage.post({ content: "x" }).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(DiscordAPIError);
    expect(refusal).toMatchObject({ status: 403, code: 50013 });
  });

  test("repeats a message with its nonce and gets the first one", async () => {
    const stage = await open();
    const body = { content: "once", nonce: "n-1", enforce_nonce: true };
    const [first, second] = [await stage.post(body), await stage.post({ ...body, content: "twice" })];
    expect(second.id).toBe(first.id);
    expect(second.content).toBe("once");
    expect(stage.sandbox.messages(stage.sandbox.channelId)).toHaveLength(1);
  });

  test("repeats one whose answer was lost after it was stored, and there is one", async () => {
    const stage = await open();
    stage.sandbox.faults.fail({ operationId: "create_message", status: 502, when: "after", times: 1 });
    await stage.post({ content: "once", nonce: "n-2", enforce_nonce: true });
    expect(stage.sandbox.requests.filter(({ operationId }) => operationId === "create_message")).toHaveLength(2);
    expect(stage.sandbox.messages(stage.sandbox.channelId)).toHaveLength(1);
  });

  test("without that nonce there are two", async () => {
    const stage = await open();
    stage.sandbox.faults.fail({ operationId: "create_message", status: 502, when: "after", times: 1 });
    await stage.post({ content: "twice" });
    expect(stage.sandbox.messages(stage.sandbox.channelId)).toHaveLength(2);
  });
});

describe("an ephemeral answer", () => {
  async function answered() {
    const stage = await open();
    const { sandbox, rest } = stage;
    const commands = Routes.applicationGuildCommands(sandbox.applicationId, sandbox.guildId);
    await rest.put(commands, { body: [{ name: "secret", description: "d" }] });
    const [bot, other, self] = await Promise.all([
      listen(stage, sandbox.botToken),
      listen(stage, sandbox.addUser("other").token),
      listen(stage, sandbox.owner.token),
    ]);
    const asked = await owner(stage).slash("secret");
    const { d } = await bot.event("INTERACTION_CREATE");
    const callback = Routes.interactionCallback(String(d["id"]), String(d["token"]));
    await rest.post(callback, { body: { type: 4, data: { content: "for your eyes", flags: 64 } }, auth: false });
    return { stage, bot, other, self, shown: await asked.answer() };
  }

  async function listen(stage: Stage, token: string): Promise<BareGateway> {
    const { url } = (await stage.rest.get(Routes.gatewayBot())) as { url: string };
    const socket = new BareGateway(`${url}/?v=10&encoding=json`);
    onTestFinished(() => socket.cut());
    await socket.identify(token, intents);
    return socket;
  }

  const saw = (socket: BareGateway) =>
    socket.heard.filter(({ t, d }) => t === "MESSAGE_CREATE" && d["content"] === "for your eyes").length;

  test("is received by the one who asked, and by nobody else", async () => {
    const { stage, bot, other, self, shown } = await answered();
    expect(shown).toMatchObject({ content: "for your eyes", flags: 64 });
    await owner(stage).send("for all");
    for (const socket of [bot, other, self]) await socket.hear(({ d }) => d?.["content"] === "for all");
    expect({ bot: saw(bot), other: saw(other), self: saw(self) }).toEqual({ bot: 0, other: 0, self: 1 });
  });

  test("is in no list, and nobody else can get it", async () => {
    const { stage, shown } = await answered();
    const path = Routes.channelMessages(stage.sandbox.channelId);
    expect(await stage.rest.get(path)).toEqual([]);
    const got = await stage.rest
      .get(Routes.channelMessage(stage.sandbox.channelId, shown.id))
      .catch((error: unknown) => error);
    expect(got).toMatchObject({ status: 404, code: 10008 });
  });
});
