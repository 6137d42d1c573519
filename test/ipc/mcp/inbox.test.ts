/**
 * Agents read and clear the inbox: their own channel's, nothing marked that was not shown, nothing lost that was not
 * asked for.
 */
import { expect, test } from "vitest";
import { silentLog } from "../../../src/base/log.ts";
import type { McpContext } from "../../../src/ipc/mcp/scope.ts";
import { inboxMethods } from "../../../src/ipc/mcp/methods.ts";
import type { InboxResult } from "../../../src/protocol/mcp.ts";
import { id, made, ONE, openInboxScene, TWO, type InboxScene } from "./inbox-scene.ts";
import { discordTime } from "../../fakes/discord-time.ts";
import { asItIs } from "../../fakes/no-secrets.ts";
import { part } from "../../fakes/part.ts";
import type { Settings } from "../../../src/config/settings.ts";

const BOT = { bot_id: "3", guild_id: "2", says: {} as never, isCaughtUp: async () => true, release: () => undefined };

function mcp({ engine, clock }: InboxScene, hold: McpContext["acquireBot"] = async () => BOT): McpContext {
  return {
    engine,
    clock,
    time: discordTime(clock),
    log: silentLog,
    settings: part<Settings>({ locale: "en", pendingDir: "/p" }),
    withoutSecrets: asItIs,
    lapseSeconds: () => undefined,
    acquireBot: hold,
  };
}

async function read(
  scene: InboxScene,
  query: { unread_only?: boolean; mark_read?: boolean } = {},
  channel = ONE,
): Promise<InboxResult> {
  const { call } = made({ unread_only: true, mark_read: false, ...query }, { DISCORD_CHANNEL_ID: channel });
  return (await inboxMethods(mcp(scene)).mcp_read_inbox(call)) as InboxResult;
}

async function clear(scene: InboxScene, read_only: boolean, channel = ONE): Promise<unknown> {
  return inboxMethods(mcp(scene)).mcp_clear_inbox(made({ read_only }, { DISCORD_CHANNEL_ID: channel }).call);
}

const ids = ({ messages }: InboxResult): string[] => messages.map(({ message_id }) => message_id);

test("a client sees the messages of its own channel, oldest first; one without a channel is told which variable is missing", async () => {
  const scene = await openInboxScene();
  await scene.receive(ONE, id(1));
  await scene.receive(TWO, id(2));
  await scene.receive(ONE, id(3));
  expect([ids(await read(scene, {}, ONE)), ids(await read(scene, {}, TWO))]).toEqual([[id(1), id(3)], [id(2)]]);
  const methods = inboxMethods(mcp(scene));
  const nowhere = { code: "E_CONFIG_INVALID", details: { where: "DISCORD_CHANNEL_ID" } };
  await expect(methods.mcp_read_inbox(made({ unread_only: true, mark_read: true }).call)).rejects.toMatchObject(
    nowhere,
  );
  await expect(methods.mcp_clear_inbox(made({ read_only: false }).call)).rejects.toMatchObject(nowhere);
  expect((await read(scene, {}, ONE)).messages[0]).toEqual({
    message_id: id(1),
    channel_id: ONE,
    thread_id: null,
    author: "ada",
    author_id: "100000000000000001",
    content: `says ${id(1)}`,
    timestamp: "2026-03-01T00:00:00Z",
    read: false,
  });
});

test("what was read is not handed out again, unless it is asked for, and marks nothing of another channel", async () => {
  const scene = await openInboxScene();
  await scene.receive(ONE, id(1));
  await scene.receive(TWO, id(2));
  expect(await read(scene, { mark_read: true }, ONE)).toMatchObject({ unread_count: 1, messages: [{ read: false }] });
  expect(await read(scene, {}, ONE)).toEqual({ unread_count: 0, messages: [], caught_up: true });
  expect(await read(scene, { unread_only: false }, ONE)).toMatchObject({
    messages: [{ message_id: id(1), read: true }],
  });
  expect(ids(await read(scene, {}, TWO))).toEqual([id(2)]);
});

test("a caller that has hung up has read nothing", async () => {
  const scene = await openInboxScene();
  await scene.receive(ONE, id(1));
  const { call, cancel } = made({ unread_only: true, mark_read: true }, { DISCORD_CHANNEL_ID: ONE });
  cancel();
  await inboxMethods(mcp(scene)).mcp_read_inbox(call);
  expect((await read(scene)).unread_count).toBe(1);
});

test("clearing takes away what was read, and unread messages only when that is asked for", async () => {
  const scene = await openInboxScene();
  for (const [channel, number] of [
    [ONE, 1],
    [ONE, 2],
    [TWO, 3],
  ] as const)
    await scene.receive(channel, id(number));
  await scene.engine.submit({ type: "read_inbox", message_ids: [id(1)] });
  expect(await clear(scene, true)).toEqual({ success: true, cleared_count: 1 });
  expect(await clear(scene, true)).toEqual({ success: true, cleared_count: 0 });
  expect(await clear(scene, false, ONE)).toEqual({ success: true, cleared_count: 1 });
  expect(ids(await read(scene, {}, TWO))).toEqual([id(3)]);
});

test("more than an answer can hold comes with the next calls, and none is marked before it was shown", async () => {
  const scene = await openInboxScene();
  for (let number = 1; number <= 400; number += 1) await scene.receive(ONE, id(number), "字".repeat(2_000));
  const seen: string[] = [];
  for (let calls = 0; calls < 20; calls += 1) {
    const result = await read(scene, { mark_read: true });
    expect(Buffer.byteLength(JSON.stringify(result))).toBeLessThan(1024 * 1024);
    expect(result.unread_count).toBe(400 - seen.length);
    if (result.messages.length === 0) break;
    seen.push(...ids(result));
  }
  expect(seen).toEqual(Array.from({ length: 400 }, (_, index) => id(index + 1)));
});

test("a channel that is not watched yet is, from the first look on; and a bot that Discord refuses is said", async () => {
  const scene = await openInboxScene();
  const other = "310000000000000009";
  const held: (string | null)[] = [];
  const there = inboxMethods(
    mcp(scene, async (_token, channel) => {
      held.push(channel);
      return { ...BOT, release: () => void held.push("released") };
    }),
  );
  const { call } = made({ unread_only: true, mark_read: false }, { DISCORD_CHANNEL_ID: other });
  expect(await there.mcp_read_inbox(call)).toEqual({ messages: [], unread_count: 0, caught_up: true });
  expect(held).toEqual([other, "released"]);
  const refused = mcp(scene, () => Promise.reject(new Error("refused by Discord")));
  await expect(inboxMethods(refused).mcp_read_inbox(call)).rejects.toThrow("refused by Discord");
});

test.each([{}, { unread_only: 1, mark_read: false }, { unread_only: true }, null])(
  "wrong parameters are refused (%j)",
  async (params) => {
    const scene = await openInboxScene();
    await expect(
      inboxMethods(mcp(scene)).mcp_read_inbox(made(params, { DISCORD_CHANNEL_ID: ONE }).call),
    ).rejects.toMatchObject({ code: "E_LINK_REFUSED" });
  },
);

test("what could not be read up to now is said, and what is there is told all the same; so is a bot that cannot be had in time", async () => {
  const scene = await openInboxScene();
  await scene.receive(ONE, id(1));
  const { call } = made({ unread_only: true, mark_read: false }, { DISCORD_CHANNEL_ID: ONE });
  const asked: string[] = [];
  const stopListening = mcp(scene, async () => ({ ...BOT, isCaughtUp: async (ids) => (asked.push(...ids), false) }));
  expect(await inboxMethods(stopListening).mcp_read_inbox(call)).toMatchObject({ unread_count: 1, caught_up: false });
  expect(asked).toEqual([ONE]);
  const away = inboxMethods(mcp(scene, () => new Promise(() => undefined))).mcp_read_inbox(call);
  await scene.clock.advance(10_000);
  expect(await away).toMatchObject({ unread_count: 1, caught_up: false });
});
