/** What the owner writes where nobody takes it is answered with a button that opens a session. */
import { expect, test } from "vitest";
import type { MessagePayload } from "../../../src/discord/intake/authorize.ts";
import { openHints } from "../../../src/discord/intake/intake.ts";
import type { RestCall } from "../../../src/discord/api/rest.ts";
import { botContext } from "../../fakes/bot-context.ts";
import { CHANNEL, createApp, Scene, T1 } from "../../core/scene.ts";

const OWNER = "200000000000000001";
const GUILD = "300000000000000001";
const BOT = "4";
const message = (change: object = {}): MessagePayload =>
  ({
    id: "900000000000000001",
    channel_id: CHANNEL,
    guild_id: GUILD,
    type: 0,
    content: "hello",
    mentions: [],
    author: { id: OWNER, username: "o" },
    ...change,
  }) as never;

/** What is answered to a message. */
function answers(scene: Scene, payload: MessagePayload): RestCall[] {
  const sent: RestCall[] = [];
  const call = (request: RestCall): Promise<never> => (sent.push(request), Promise.reject(new Error("not here")));
  const { state } = scene;
  openHints(botContext({ engine: { state }, rest: { call }, ownerId: OWNER, guildId: GUILD, botId: BOT })).message(
    payload,
  );
  return sent;
}

test("in a channel where sessions were opened, and anywhere by the bot's name", () => {
  const scene = new Scene().withSessions(T1);
  const [answer] = answers(scene, message());
  expect(answer).toMatchObject({
    method: "POST",
    path: `/channels/${CHANNEL}/messages`,
    body: {
      nonce: "h900000000000000001",
      enforce_nonce: true,
      message_reference: { message_id: "900000000000000001" },
      allowed_mentions: { parse: [] },
    },
  });
  expect(JSON.stringify(answer?.body)).toContain(
    '"label":"Open a session here","custom_id":"s-on:900000000000000001:app"',
  );
  expect(answers(scene, message({ channel_id: "7" }))).toEqual([]);
  expect(answers(scene, message({ channel_id: "7", mentions: [{ id: BOT }] }))).toHaveLength(1);
});

test("without a project it says how to register one", () => {
  const [answer] = answers(new Scene(), message({ mentions: [{ id: BOT }] }));
  expect(JSON.stringify(answer?.body)).toContain("/project create name:");
});

test("a forward is told where to go, wherever no session is and the bot listens", () => {
  const scene = new Scene().withSessions(T1);
  scene.do({ type: "open_channel", channel_id: "7", guild_id: GUILD, bot_id: BOT, kind: "watched", since: "7" });
  const forward = (change: object = {}): MessagePayload =>
    message({ content: "", message_snapshots: [{ message: { content: "theirs" } }], ...change });
  for (const channel_id of [CHANNEL, "7"]) {
    const [answer, ...more] = answers(scene, forward({ channel_id }));
    expect(answer).toMatchObject({
      path: `/channels/${channel_id}/messages`,
      body: { message_reference: { message_id: "900000000000000001" }, allowed_mentions: { parse: [] } },
    });
    expect(JSON.stringify(answer?.body)).toContain("Forward it there; `/start` opens a session.");
    expect(more).toEqual([]);
  }
  for (const payload of [
    forward({ channel_id: T1 }),
    forward({ channel_id: "8" }),
    forward({ author: { id: "5", username: "m" } }),
    forward({ webhook_id: "6" }),
    forward({ guild_id: "8" }),
  ])
    expect(answers(scene, payload)).toEqual([]);
});

test("never where somebody takes it, and never to anybody else", () => {
  const scene = new Scene();
  scene.do(createApp);
  scene.withSessions(T1);
  scene.do({ type: "open_channel", channel_id: "7", guild_id: GUILD, bot_id: BOT, kind: "watched", since: "7" });
  const named = { mentions: [{ id: BOT }] };
  for (const payload of [
    message({ channel_id: T1, ...named }),
    message({ channel_id: "7", ...named }),
    message({ ...named, author: { id: "5", username: "m" } }),
    message({ ...named, author: { id: OWNER, username: "o", bot: true } }),
    message({ ...named, webhook_id: "6" }),
    message({ ...named, guild_id: "8" }),
    message({ ...named, type: 7 }),
    message({ ...named, id: undefined }),
    {} as MessagePayload,
  ])
    expect(answers(scene, payload)).toEqual([]);
});
