/** What the gateway says becomes what the page knows: given events, the state that follows. */
import { describe, expect, test } from "vitest";
import type { Message, User } from "../../src/page/state/model.ts";
import type { State } from "../../src/page/state/state.ts";
import { createStore, localId, newestIn, type Store } from "../../src/page/state/store.ts";

const me: User = { id: "100000000000000001", username: "ada" };
const bot: User = { id: "100000000000000002", username: "bellhop", bot: true };
const G = "200000000000000001";
const C = "300000000000000001";

function id(n: number): string {
  return String(400_000_000_000_000_000n + BigInt(n));
}

function message(n: number, more: Partial<Message> = {}): Message {
  return {
    id: id(n),
    channel_id: C,
    type: 0,
    author: bot,
    content: `m${n}`,
    timestamp: new Date(n * 1000).toISOString(),
    ...more,
  };
}

function live(): { store: Store; hear: (event: string, data: unknown, now?: number) => State } {
  const store = createStore();
  const hear = (event: string, data: unknown, now = 0): State => {
    store.act({ type: "dispatch", event, data, now });
    return store.get();
  };
  hear("READY", { session_id: "s1", user: me, guilds: [{ id: G, unavailable: true }] });
  hear("GUILD_CREATE", {
    id: G,
    name: "Guild",
    channels: [{ id: C, type: 0, name: "general" }],
    threads: [],
    members: [],
    roles: [],
  });
  store.act({ type: "page", channelId: C, messages: [message(2), message(1)], limit: 50, older: false });
  return { store, hear };
}

function contents(state: State): string[] {
  return (state.history[C]?.messages ?? []).map((m) => m.content);
}

test("an event of an unknown kind or shape changes nothing", () => {
  const { store, hear } = live();
  const before = store.get();
  expect(hear("SOMETHING_NEW", { x: 1 })).toBe(before);
  expect(hear("MESSAGE_CREATE", null)).toBe(before);
});

describe("messages", () => {
  test("a new message is at the end, an update changes only what it carries, a deleted one is gone", () => {
    const { hear } = live();
    expect(contents(hear("MESSAGE_CREATE", message(3)))).toEqual(["m1", "m2", "m3"]);
    const edited = hear("MESSAGE_UPDATE", { id: id(3), channel_id: C, content: "changed" });
    expect(edited.history[C]?.messages.at(-1)).toMatchObject({ content: "changed", author: bot });
    expect(contents(hear("MESSAGE_DELETE", { id: id(1), channel_id: C }))).toEqual(["m2", "changed"]);
  });

  test("an edit leaves every other message the same object, so that only one is drawn again", () => {
    const { store, hear } = live();
    const first = store.get().history[C]?.messages[0];
    expect(hear("MESSAGE_UPDATE", { id: id(2), channel_id: C, content: "x" }).history[C]?.messages[0]).toBe(first);
  });

  test("the same message received twice is one message", () => {
    const { hear } = live();
    hear("MESSAGE_CREATE", message(3));
    expect(contents(hear("MESSAGE_CREATE", message(3)))).toEqual(["m1", "m2", "m3"]);
  });

  test("what was received of one's own message before the answer to its sending came is kept", () => {
    const { store, hear } = live();
    const own = message(9, { author: me, content: "hi", nonce: "77" });
    store.act({ type: "sending", message: { ...own, id: localId("77"), local: { state: "sending" } } });
    hear("MESSAGE_CREATE", own);
    hear("MESSAGE_REACTION_ADD", {
      message_id: own.id,
      channel_id: C,
      user_id: bot.id,
      emoji: { id: null, name: "⚙️" },
    });
    store.act({ type: "sent", message: own });
    expect(store.get().history[C]?.messages.filter(({ content }) => content === "hi")).toMatchObject([
      { id: own.id, reactions: [{ emoji: { name: "⚙️" }, count: 1 }] },
    ]);
  });

  test("a message being sent that a fetched page already holds becomes that one", () => {
    const { store } = live();
    const own = message(9, { author: me, content: "hi", nonce: "77" });
    const { nonce: _nonce, ...stored } = own;
    store.act({ type: "sending", message: { ...own, id: localId("77"), local: { state: "sending" } } });
    store.act({ type: "page", channelId: C, messages: [stored, message(2), message(1)], limit: 50, older: false });
    store.act({ type: "sent", message: own });
    expect(contents(store.get())).toEqual(["m1", "m2", "hi"]);
  });

  test("a message being sent becomes the real one, whichever of answer and event comes first", () => {
    for (const order of ["event first", "answer first"]) {
      const { store, hear } = live();
      const own = message(9, { author: me, content: "hi", nonce: "77" });
      store.act({ type: "sending", message: { ...own, id: localId("77"), local: { state: "sending" } } });
      expect(store.get().history[C]?.messages.at(-1)?.local).toEqual({ state: "sending" });
      if (order === "event first") hear("MESSAGE_CREATE", own);
      store.act({ type: "sent", message: own });
      const after = hear("MESSAGE_CREATE", own);
      expect(contents(after)).toEqual(["m1", "m2", "hi"]);
      expect(after.history[C]?.messages.at(-1)?.local).toBeUndefined();
    }
  });

  test("one that could not be sent says why and stays last", () => {
    const { store, hear } = live();
    store.act({
      type: "sending",
      message: message(0, { id: localId("5"), nonce: "5", content: "lost", local: { state: "sending" } }),
    });
    store.act({ type: "unsent", channelId: C, nonce: "5", reason: "too long" });
    expect(hear("MESSAGE_CREATE", message(3)).history[C]?.messages.at(-1)).toMatchObject({
      content: "lost",
      local: { state: "failed", reason: "too long" },
    });
  });

  test("an ephemeral message is shown but never makes the channel unread", () => {
    const { hear } = live();
    const before = hear("MESSAGE_CREATE", message(3));
    const after = hear("MESSAGE_CREATE", message(4, { flags: 64, content: "psst" }));
    expect(contents(after)).toContain("psst");
    expect(after.channels[C]?.last_message_id).toBe(before.channels[C]?.last_message_id);
  });
});

describe("after a break", () => {
  test("the newest page repairs edits, deletions and the gap", () => {
    const { store, hear } = live();
    hear("READY", { session_id: "s2", user: me, guilds: [] });
    expect(store.get().history[C]?.stale).toBe(true);
    store.act({
      type: "page",
      channelId: C,
      messages: [message(5), message(4), message(1, { content: "edited" })],
      limit: 50,
      older: false,
    });
    expect(contents(store.get())).toEqual(["edited", "m4", "m5"]);
    expect(store.get().history[C]).toMatchObject({ stale: false, complete: true });
  });

  test("a message deleted at the end while away is gone, one that arrives while the page is fetched is kept", () => {
    const { store, hear } = live();
    hear("READY", { session_id: "s2", user: me, guilds: [] });
    store.act({ type: "here", channelId: C });
    hear("MESSAGE_CREATE", message(7));
    store.act({ type: "page", channelId: C, messages: [message(1)], limit: 50, older: false });
    expect(contents(store.get())).toEqual(["m1", "m7"]);
  });

  test("a page that does not reach back to what is known drops the older part instead of hiding a hole", () => {
    const { store, hear } = live();
    hear("READY", { session_id: "s2", user: me, guilds: [] });
    store.act({ type: "page", channelId: C, messages: [message(22), message(21)], limit: 2, older: false });
    expect(contents(store.get())).toEqual(["m21", "m22"]);
    expect(store.get().history[C]?.complete).toBe(false);
    store.act({ type: "page", channelId: C, messages: [message(2), message(1)], limit: 2, older: true });
    expect(contents(store.get())).toEqual(["m1", "m2", "m21", "m22"]);
  });

  test("what only this browser has, ephemeral and unsent, survives the repair", () => {
    const { store, hear } = live();
    hear("MESSAGE_CREATE", message(3, { flags: 64, content: "psst" }));
    store.act({
      type: "sending",
      message: message(0, { id: localId("5"), nonce: "5", content: "waiting", local: { state: "sending" } }),
    });
    hear("READY", { session_id: "s2", user: me, guilds: [] });
    store.act({ type: "page", channelId: C, messages: [message(4), message(2), message(1)], limit: 50, older: false });
    expect(contents(store.get())).toEqual(["m1", "m2", "psst", "m4", "waiting"]);
  });

  test("a channel deleted while away is gone, an archived thread that was known stays", () => {
    const { store, hear } = live();
    store.act({
      type: "channels",
      channels: [
        {
          id: "500000000000000001",
          type: 11,
          guild_id: G,
          parent_id: C,
          name: "old",
          thread_metadata: { archived: true },
        },
      ],
    });
    const after = hear("GUILD_CREATE", {
      id: G,
      name: "Guild",
      channels: [{ id: "300000000000000009", type: 0, name: "other" }],
      threads: [],
    });
    expect(Object.keys(after.channels).sort()).toEqual(["300000000000000009", "500000000000000001"]);
  });
});

test("reactions count up and down and know one's own", () => {
  const { hear } = live();
  const event = (user_id: string): object => ({
    message_id: id(1),
    channel_id: C,
    user_id,
    emoji: { id: null, name: "👍" },
  });
  hear("MESSAGE_REACTION_ADD", event(bot.id));
  expect(hear("MESSAGE_REACTION_ADD", event(me.id)).history[C]?.messages[0]?.reactions).toMatchObject([
    { count: 2, me: true },
  ]);
  expect(hear("MESSAGE_REACTION_REMOVE", event(me.id)).history[C]?.messages[0]?.reactions).toMatchObject([
    { count: 1, me: false },
  ]);
  expect(hear("MESSAGE_REACTION_REMOVE", event(bot.id)).history[C]?.messages[0]?.reactions).toEqual([]);
});

test("typing ends after ten seconds or with the message, and one's own is not shown", () => {
  const { store, hear } = live();
  expect(hear("TYPING_START", { channel_id: C, user_id: me.id }, 0).typing[C]).toBeUndefined();
  hear("TYPING_START", { channel_id: C, user_id: bot.id }, 1000);
  store.act({ type: "tick", now: 10_999 });
  expect(store.get().typing[C]).toEqual({ [bot.id]: 11_000 });
  store.act({ type: "tick", now: 11_000 });
  expect(store.get().typing[C]).toBeUndefined();
  hear("TYPING_START", { channel_id: C, user_id: bot.id }, 1000);
  expect(hear("MESSAGE_CREATE", message(3)).typing[C]).toBeUndefined();
});

test("a thread counts its messages, the same one once, and not the one that opened it", () => {
  const { hear } = live();
  const T = "500000000000000001";
  hear("THREAD_CREATE", { id: T, type: 11, guild_id: G, parent_id: C, name: "t", message_count: 0 });
  hear("MESSAGE_CREATE", message(3, { channel_id: T, type: 21 }));
  hear("MESSAGE_CREATE", message(4, { channel_id: T }));
  expect(hear("MESSAGE_CREATE", message(4, { channel_id: T })).channels[T]?.message_count).toBe(1);
});

describe("interactions", () => {
  const pending = {
    nonce: "9",
    channelId: C,
    kind: "component" as const,
    applicationId: bot.id,
    messageId: id(1),
    customId: "b",
    failed: false,
  };

  test("acknowledged is settled; refused, or unanswered in time, is failed", () => {
    for (const [how, expected] of [
      ["INTERACTION_SUCCESS", undefined],
      ["INTERACTION_FAILURE", true],
    ] as const) {
      const { store, hear } = live();
      store.act({ type: "asked", pending });
      expect(hear(how, { id: "1", nonce: "9" }).pending["9"]?.failed).toBe(expected);
    }
    const { store } = live();
    store.act({ type: "asked", pending });
    store.act({ type: "unanswered", nonce: "9" });
    expect(store.get().pending["9"]?.failed).toBe(true);
  });

  test("a late timer does not fail what was settled", () => {
    const { store, hear } = live();
    store.act({ type: "asked", pending });
    hear("INTERACTION_SUCCESS", { id: "1", nonce: "9" });
    store.act({ type: "unanswered", nonce: "9" });
    expect(store.get().pending).toEqual({});
  });

  test("a modal opens only for who asked for it", () => {
    const { store, hear } = live();
    const modal = {
      id: "1",
      nonce: "9",
      channel_id: C,
      custom_id: "m",
      title: "T",
      components: [],
      application: { id: bot.id, name: "Bellhop" },
    };
    expect(hear("INTERACTION_MODAL_CREATE", modal).modal).toBeUndefined();
    store.act({ type: "asked", pending });
    expect(hear("INTERACTION_MODAL_CREATE", modal)).toMatchObject({
      modal: { customId: "m", title: "T" },
      pending: {},
    });
  });
});

test("a deleted channel takes its threads and the open view with it", () => {
  const { store, hear } = live();
  hear("THREAD_CREATE", { id: "500000000000000001", type: 11, guild_id: G, parent_id: C, name: "t" });
  store.act({ type: "here", channelId: "500000000000000001" });
  const after = hear("CHANNEL_DELETE", { id: C, guild_id: G });
  expect(after.channels).toEqual({});
  expect(after.here).toBeUndefined();
});

test("the newest id comes from the messages where they are known, else from the channel", () => {
  const { store, hear } = live();
  expect(newestIn(store.get(), C)).toBe(id(2));
  hear("THREAD_CREATE", {
    id: "500000000000000001",
    type: 11,
    guild_id: G,
    parent_id: C,
    name: "t",
    last_message_id: id(8),
  });
  expect(newestIn(store.get(), "500000000000000001")).toBe(id(8));
});
