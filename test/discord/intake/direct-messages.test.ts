/**
 * Direct messages and watched channels are opened by what Discord says of them, once, and read from the right place on.
 */
import type { APIMessage } from "discord-api-types/v10";
import { describe, expect, test } from "vitest";
import { openDirect, type Direct } from "../../../src/discord/intake/direct-messages.ts";
import { directNotices, pointerPosts } from "../../../src/discord/views/decisions/settled.ts";
import { RestFailure } from "../../../src/discord/api/transport.ts";
import type { Rest } from "../../../src/discord/api/rest.ts";
import { watchChannel } from "../../../src/discord/intake/channels.ts";
import { botContext } from "../../fakes/bot-context.ts";
import { ASKED, BOT, DIRECT, ListenerScene, GUILD, OWNER, WATCHED } from "./intake-scene.ts";

const own = { ownerId: OWNER, guildId: GUILD, botId: BOT };

interface Open {
  scene: ListenerScene;
  direct: Direct;
  /** Every request, by method and path. */
  asked: string[];
  refuse(error: Error | null): void;
}

async function open({ ask = false, last = null }: { ask?: boolean; last?: string | null } = {}): Promise<Open> {
  const scene = await ListenerScene.open();
  scene.written.set(ASKED, []);
  if (ask) await scene.ask("q1");
  const asked: string[] = [];
  let refusal: Error | null = null;
  const rest: Pick<Rest, "call"> = {
    async call<T>({ method, path }: Parameters<Rest["call"]>[0]) {
      asked.push(`${method} ${path}`);
      if (refusal) throw refusal;
      return { id: DIRECT, type: 1, last_message_id: last } as T;
    },
  };
  const direct = openDirect(botContext({ engine: scene.engine, rest, clock: scene.clock, ...own }));
  await scene.clock.settle();
  return { scene, direct, asked, refuse: (error) => (refusal = error) };
}

const since = ({ scene }: Open): string | undefined => scene.engine.state.watermarks[DIRECT];

function written(over: Partial<APIMessage> & { guild_id?: string } = {}): Partial<APIMessage> {
  return {
    id: "900000000000000500",
    channel_id: DIRECT,
    type: 0,
    content: "B",
    author: { id: OWNER } as APIMessage["author"],
    ...over,
  };
}

describe("the owner's direct messages", () => {
  test("are left alone while nothing is open, and opened once when something is", async () => {
    const made = await open();
    expect(made.asked).toEqual([]);
    await made.scene.ask("q1");
    await made.scene.ask("q2");
    await made.scene.clock.settle();
    expect(made.asked).toEqual(["POST /users/@me/channels"]);
    expect(made.scene.engine.state.channels[DIRECT]).toEqual({
      channel_id: DIRECT,
      guild_id: null,
      bot_id: BOT,
      kind: "direct",
    });
  });

  test("are accepted from the first open prompt on, which may be long before we listened, and never before it", async () => {
    const made = await open();
    made.refuse(new Error("not yet"));
    for (const [id, prompt] of [
      ["q1", "900000000000000300"],
      ["q2", "900000000000000100"],
    ] as const) {
      await made.scene.ask(id);
      await made.scene.engine.submit({
        type: "record_post",
        subject: id,
        part: "prompt",
        channel_id: ASKED,
        message_id: prompt,
        hash: "h",
        is: "said",
      });
    }
    made.refuse(null);
    await made.direct.open();
    expect(since(made)).toBe("900000000000000100");
  });

  test("are accepted from where the question's thread is read, while its prompt is not known to stand: it may stand already", async () => {
    const made = await open({ ask: true, last: "900000000000000200" });
    expect(since(made)).toBe(made.scene.engine.state.watermarks[ASKED]);
  });

  test("where nothing is open, are accepted from their newest message on, or from their beginning", async () => {
    const made = await open({ last: "900000000000000200" });
    await made.direct.open();
    expect(since(made)).toBe("900000000000000200");
    const fresh = await open();
    await fresh.direct.open();
    expect(since(fresh)).toBe(DIRECT);
  });

  test("are opened by the owner's first message there, and that message is accepted", async () => {
    const made = await open();
    made.direct.message(written());
    await made.scene.clock.settle();
    expect([made.asked, since(made)]).toEqual([["POST /users/@me/channels"], "900000000000000499"]);
  });

  test.each<[string, object]>([
    ["a stranger's message", { author: { id: "100000000000000009" } }],
    ["a message in a server", { guild_id: GUILD }],
    ["a forward", { message_snapshots: [{}] }],
    ["a webhook in the owner's name", { webhook_id: "1" }],
    ["a message without an author", { author: undefined }],
    ["a message without an id", { id: 5 }],
  ])("are not opened by %s", async (_, over) => {
    const made = await open();
    made.direct.message(written(over));
    await made.scene.clock.settle();
    expect(made.asked).toEqual([]);
  });

  test("are where Discord says, whatever channel a message names", async () => {
    const made = await open();
    made.direct.message(written({ channel_id: "310000000000000099" }));
    await made.scene.clock.settle();
    expect(Object.keys(made.scene.engine.state.channels)).toEqual([DIRECT]);
  });

  test("that cannot be opened are tried again, and not with every event", async () => {
    const made = await open();
    made.refuse(new RestFailure("rejected", { route: "", status: 400, code: 50007, says: "" }));
    for (const id of ["q1", "q2", "q3"]) await made.scene.ask(id);
    await made.scene.clock.settle();
    expect(made.asked).toHaveLength(1);
    made.refuse(null);
    await made.scene.clock.advance(60_000);
    expect([made.asked.length, made.scene.engine.state.channels[DIRECT]?.kind]).toEqual([2, "direct"]);
  });
});

test("what settled nothing in direct messages is said there in four languages, with where it is asked", async () => {
  const scene = await ListenerScene.open();
  await scene.openPlaces({ questions: 2 });
  await scene.engine.submit({
    type: "record_post",
    subject: "q1",
    part: "prompt",
    channel_id: ASKED,
    message_id: "900000000000000100",
    hash: "h",
    is: "said",
  });
  await scene.engine.submit({
    type: "hear",
    thread_id: DIRECT,
    discord_message_id: "900000000000000500",
    prompt: "A",
    files: [],
    refused_files: [],
    reply_to: null,
  });
  const { state } = scene.engine;
  for (const locale of ["en", "ko", "ja", "zh-TW"] as const) {
    const [desired] = Object.values(state.decisions).flatMap((one) => pointerPosts(state, one, locale));
    expect(desired).toMatchObject({
      thread_id: ASKED,
      to: "owner",
      reply_to: "900000000000000500",
      priority: "decision",
    });
    expect(JSON.stringify(desired?.want)).toContain(
      `https://discord.com/channels/${GUILD}/${ASKED}/900000000000000100`,
    );
    expect(JSON.stringify(desired?.want)).not.toMatch(/\{\w+\}/);
  }
  expect(directNotices(state, ASKED, "en")).toEqual([]);
});

describe("a watched channel", () => {
  async function watch(channel: object | Error): Promise<{ scene: ListenerScene; ok: boolean }> {
    const scene = await ListenerScene.open();
    const rest: Pick<Rest, "call"> = {
      async call<T>() {
        if (channel instanceof Error) throw channel;
        return channel as T;
      },
    };
    return {
      scene,
      ok: await watchChannel(botContext({ engine: scene.engine, rest, ...own }), WATCHED),
    };
  }

  test("is watched from its newest message on: nothing old is replayed", async () => {
    const { scene, ok } = await watch({ id: WATCHED, type: 0, guild_id: GUILD, last_message_id: "900000000000000200" });
    expect([ok, scene.engine.state.channels[WATCHED]?.kind, scene.engine.state.watermarks[WATCHED]]).toEqual([
      true,
      "watched",
      "900000000000000200",
    ]);
  });

  test("that was never written in is watched from its beginning", async () => {
    const { scene } = await watch({ id: WATCHED, type: 0, guild_id: GUILD, last_message_id: null });
    expect(scene.engine.state.watermarks[WATCHED]).toBe(WATCHED);
  });

  test.each([
    ["of another server", { id: WATCHED, type: 0, guild_id: "200000000000000009", last_message_id: null }],
    ["that is somebody's direct messages", { id: WATCHED, type: 1, last_message_id: null }],
    ["that Discord keeps from us", new RestFailure("no_access", { route: "", status: 403, code: 50001, says: "" })],
  ])("%s is not watched", async (_, channel) => {
    const { scene, ok } = await watch(channel);
    expect([ok, scene.engine.state.channels]).toEqual([false, {}]);
  });

  test("that is known is asked of Discord no more, and in another server it is not this bot's to watch", async () => {
    const { scene } = await watch({ id: WATCHED, type: 0, guild_id: GUILD, last_message_id: null });
    const rest = { call: () => Promise.reject(new Error("nobody may ask")) };
    const again = (guildId: string): Promise<boolean> =>
      watchChannel(botContext({ engine: scene.engine, rest, ...own, guildId, botId: "4" }), WATCHED);
    expect([await again(GUILD), await again("200000000000000009")]).toEqual([true, false]);
  });

  test("a session's thread is never one, whoever asks for it", async () => {
    const scene = await ListenerScene.open();
    const rest = { call: () => Promise.reject(new Error("nobody may ask")) };
    expect(await watchChannel(botContext({ engine: scene.engine, rest, ...own }), scene.thread)).toBe(false);
  });
});
