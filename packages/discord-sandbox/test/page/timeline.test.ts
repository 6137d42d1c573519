/** How a chat reads: groups, days, what is new, and which channels hold something unread. */
import { expect, test } from "vitest";
import { sectionsOf } from "../../src/page/state/directory.ts";
import { isJumbo, withEmoji } from "../../src/page/text/emoji.ts";
import type { Channel, Message } from "../../src/page/state/model.ts";
import { isUnread, rowsOf } from "../../src/page/state/timeline.ts";
import { newNonce, sizeText, timeOf, timeText } from "../../src/page/state/times.ts";

const ME = "100000000000000001";
const noon = new Date(2026, 2, 3, 12, 0, 0).getTime();

function message(n: number, author: string, minutes: number, more: Partial<Message> = {}): Message {
  return {
    id: String(400_000_000_000_000_000n + BigInt(n)),
    channel_id: "3",
    type: 0,
    author: { id: author, username: author },
    content: "",
    timestamp: new Date(noon + minutes * 60_000).toISOString(),
    ...more,
  };
}

function shape(messages: Message[], readUpTo?: string): string {
  return rowsOf(messages, readUpTo, ME)
    .map((r) => (r.kind === "message" ? (r.opens ? "A" : "a") : r.kind))
    .join(" ");
}

test.each<[string, Message[], string]>([
  ["one author within minutes is one group", [message(1, "x", 0), message(2, "x", 1)], "day A a"],
  ["another author opens a group", [message(1, "x", 0), message(2, "y", 1)], "day A A"],
  ["a long pause opens a group", [message(1, "x", 0), message(2, "x", 8)], "day A A"],
  ["a reply opens a group", [message(1, "x", 0), message(2, "x", 1, { type: 19 })], "day A A"],
  [
    "what only you can see does not join what all can see",
    [message(1, "x", 0), message(2, "x", 1, { flags: 64 })],
    "day A A",
  ],
  ["a new day has its line", [message(1, "x", 0), message(2, "x", 24 * 60)], "day A day A"],
])("%s", (_law, messages, expected) => {
  expect(shape(messages)).toBe(expected);
});

test("the line above what is new stands once, above the first message of somebody else", () => {
  const messages = [message(1, "x", 0), message(2, ME, 1), message(3, "x", 2), message(4, "x", 3)];
  expect(shape(messages, messages[0]?.id)).toBe("day A A new A a");
});

test("unread is what is newer than the newest read, by age and not by text", () => {
  const channel: Channel = { id: "3", type: 0, last_message_id: "1000000000000000000" };
  expect(isUnread(channel, "999999999999999999")).toBe(true);
  expect(isUnread(channel, "1000000000000000000")).toBe(false);
  expect(isUnread({ id: "3", type: 0 }, undefined)).toBe(false);
  // A forum's newest message is its newest post, which is read there.
  expect(isUnread({ ...channel, type: 15 }, "999999999999999999")).toBe(false);
});

test("threads stand under their channel, archived ones only while open, categories in order", () => {
  const channels: Record<string, Channel> = Object.fromEntries(
    [
      { id: "1", type: 4, name: "Work", position: 1, guild_id: "g" },
      { id: "2", type: 0, name: "code", position: 2, parent_id: "1", guild_id: "g" },
      { id: "3", type: 0, name: "general", position: 0, guild_id: "g" },
      { id: "4", type: 11, name: "t", parent_id: "3", guild_id: "g" },
      { id: "5", type: 11, name: "old", parent_id: "3", guild_id: "g", thread_metadata: { archived: true } },
      { id: "6", type: 0, name: "else", guild_id: "h" },
    ].map((c) => [c.id, c]),
  );
  const shown = (here?: string): unknown =>
    sectionsOf(channels, "g", here).map((s) => [
      s.category?.name,
      s.channels.map((c) => [c.channel.name, ...c.threads.map((t) => t.name)]),
    ]);
  expect(shown()).toEqual([
    [undefined, [["general", "t"]]],
    ["Work", [["code"]]],
  ]);
  expect(shown("5")).toEqual([
    [undefined, [["general", "t", "old"]]],
    ["Work", [["code"]]],
  ]);
});

test("times are written for the reader's locale", () => {
  expect(timeText(noon, "D", noon, "en-GB")).toBe("3 March 2026");
  expect(timeText(noon, "D", noon, "ko")).toBe("2026년 3월 3일");
  expect(timeText(noon - 7_200_000, "R", noon, "en")).toBe("2 hours ago");
  expect(timeText(noon + 30_000, "R", noon, "en")).toBe("in 30 seconds");
  expect(sizeText(1536, "en")).toBe("1.5 kB");
  expect(sizeText(5, "en")).toBe("5 bytes");
});

test("a nonce is a snowflake of its moment and fits Discord's 25 characters", () => {
  expect(timeOf(newNonce(noon, 0.999))).toBe(noon);
  expect(newNonce(noon, 0.5).length).toBeLessThanOrEqual(25);
});

test("short names become characters, but not inside code", () => {
  expect(withEmoji("ok :tada: `:tada:` :nope:")).toBe("ok 🎉 `:tada:` :nope:");
});

test.each([
  ["🎉", true],
  ["🎉 👍🏽", true],
  ["❤️", true],
  ["🎉 hi", false],
  ["12", false],
  ["", false],
])("%j alone is shown large: %s", (text, large) => {
  expect(isJumbo(text)).toBe(large);
});
