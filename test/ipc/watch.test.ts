/** A watcher is told how its channels stand and of each message once; it may come and go, and nothing hangs on it. */
import { expect, test } from "vitest";
import { watchMethod, type WatchContext } from "../../src/ipc/clients.ts";
import type { WatchPart } from "../../src/protocol/watch.ts";
import { id, made, ONE, openInboxScene, TWO, type InboxScene, type MadeCall } from "./mcp/inbox-scene.ts";

interface Watching extends MadeCall {
  ended: Promise<unknown>;
  told: WatchPart[];
}

const asked: unknown[] = [];

function watch(
  { engine, clock }: InboxScene,
  params: object,
  { phase = "live", own = [ONE] }: { phase?: string; own?: string[] } = {},
  variables: Record<string, string> = {},
): Watching {
  const opens: WatchContext["watch"] = async (token, channels) => {
    asked.push([token, channels]);
    return {
      channels: channels.length > 0 ? channels : own,
      knownChannel: (id) => (id === TWO ? { name: "two" } : undefined),
      phase: () => phase,
      stop: () => asked.push("released"),
    };
  };
  const call = made({ channels: [], interval_seconds: 10, ...params }, variables);
  return { ...call, told: call.parts as WatchPart[], ended: watchMethod({ engine, clock, watch: opens })(call.call) };
}

test("first how each channel stands, then each message once, as it comes in", async () => {
  const scene = await openInboxScene();
  await scene.receive(ONE, id(1));
  const { told, cancel, ended } = watch(scene, { channels: [ONE, TWO] });
  await scene.clock.settle();
  expect(told).toEqual([
    {
      phase: "live",
      channels: [
        { channel_id: ONE, name: null, watched: true, messages: 1, unread: 1 },
        { channel_id: TWO, name: "two", watched: true, messages: 0, unread: 0 },
      ],
      fresh: [],
      last_message_id: id(1),
    },
  ]);
  await scene.receive(TWO, id(2), "hello");
  await scene.clock.settle();
  expect(told[1]).toMatchObject({
    channels: [{ unread: 1 }, { unread: 1 }],
    fresh: [{ message_id: id(2), content: "hello", channel_id: TWO }],
  });
  await scene.engine.submit({ type: "read_inbox", message_ids: [id(1)] });
  await scene.clock.settle();
  expect(told[2]).toMatchObject({ channels: [{ unread: 0 }, { unread: 1 }], fresh: [] });
  cancel();
  await ended;
});

test("asked anew of a daemon that was restarted, it tells what came after what was shown, and nothing twice", async () => {
  const scene = await openInboxScene();
  for (const number of [1, 2, 3]) await scene.receive(ONE, id(number));
  const { told, cancel, ended } = watch(scene, { after: id(1) });
  await scene.clock.settle();
  expect(told.map(({ fresh }) => fresh.map(({ message_id }) => message_id))).toEqual([[id(2), id(3)]]);
  cancel();
  await ended;
});

test("as often as it wants it is told how things stand, also when nothing happens", async () => {
  const scene = await openInboxScene();
  const { told, cancel, ended } = watch(scene, { interval_seconds: 30 }, { phase: "down" });
  await scene.clock.settle();
  await scene.clock.advance(29_999);
  expect(told).toHaveLength(1);
  await scene.clock.advance(1);
  expect(told.map(({ phase }) => phase)).toEqual(["down", "down"]);
  cancel();
  await ended;
});

test("the channel of its own variables is meant where it names none, under its own bot", async () => {
  const scene = await openInboxScene();
  asked.length = 0;
  const { told, cancel, ended } = watch(
    scene,
    {},
    {},
    { DISCORD_CHANNEL_ID: TWO, DISCORD_BOT_TOKEN: "token-of-another" },
  );
  await scene.clock.settle();
  expect(told[0]?.channels).toMatchObject([{ channel_id: TWO }]);
  cancel();
  await ended;
  expect(asked).toEqual([["token-of-another", [TWO]], "released"]);
});

test("when it is gone nothing is left of it, and messages are kept without it", async () => {
  const scene = await openInboxScene();
  const before = scene.clock.armed;
  const { told, cancel, ended } = watch(scene, {});
  await scene.clock.settle();
  cancel();
  await ended;
  await scene.receive(ONE, id(1));
  await scene.clock.settle();
  expect([told.length, scene.clock.armed, Object.keys(scene.engine.state.inbox)]).toEqual([1, before, [id(1)]]);
});

test.each([
  { interval_seconds: 0 },
  { interval_seconds: "10" },
  { interval_seconds: 3_601 },
  { channels: "310000000000000001" },
  { channels: ["31"] },
  { channels: [31] },
  { after: "yesterday" },
  { channels: Array.from({ length: 51 }, (_, index) => id(index)) },
])("wrong parameters are refused with a sentence (%j)", async (params) => {
  const scene = await openInboxScene();
  await expect(watch(scene, params).ended).rejects.toMatchObject({ code: "E_LINK_REFUSED" });
});

test("where there is no channel at all it is told which setting is missing", async () => {
  const scene = await openInboxScene();
  await expect(watch(scene, {}, { own: [] }).ended).rejects.toMatchObject({
    code: "E_LINK_REFUSED",
    details: { why: expect.stringContaining("DISCORD_CHANNEL_ID") },
  });
});
