/**
 * What Discord may leave out of a message, and may send as null instead: both say the same. The owner stays the owner,
 * and nobody else becomes him.
 */
import { describe, expect, test } from "vitest";
import type { APIMessage } from "discord-api-types/v10";
import { authorize, speakerOf } from "../../../src/discord/intake/authorize.ts";
import {
  forwardOf,
  incomingMessage,
  isPaste,
  quoteOf,
  repliesTo,
  wordlessOf,
} from "../../../src/discord/intake/incoming.ts";

const POLICY = { ownerId: "300000000000000001", guildId: "200000000000000001" };
const GUILD = { guild_id: POLICY.guildId };
/** With every field that Discord always sends. */
const WHOLE = {
  id: "400000000000000001",
  channel_id: "500000000000000001",
  author: { id: POLICY.ownerId, username: "owner", discriminator: "0", avatar: null, global_name: null },
  content: "do it",
  timestamp: "2026-02-26T14:00:00.000000+00:00",
  edited_timestamp: null,
  tts: false,
  mention_everyone: false,
  mentions: [],
  mention_roles: [],
  attachments: [],
  embeds: [],
  pinned: false,
  type: 0,
} as unknown as APIMessage;

/** Every field of MESSAGE_CREATE that may be absent. */
const OPTIONAL = [
  "mention_channels",
  "reactions",
  "nonce",
  "webhook_id",
  "activity",
  "application",
  "application_id",
  "flags",
  "message_reference",
  "message_snapshots",
  "referenced_message",
  "interaction_metadata",
  "interaction",
  "thread",
  "components",
  "sticker_items",
  "stickers",
  "position",
  "role_subscription_data",
  "resolved",
  "poll",
  "call",
  "member",
  "channel_type",
  "shared_client_theme",
] as const;

describe("a field that may be absent", () => {
  test.for(OPTIONAL)("%s: null says the same", (field) => {
    const absent = incomingMessage({ ...WHOLE, ...GUILD });
    const isNull = incomingMessage({ ...WHOLE, ...GUILD, [field]: null });
    expect([authorize(POLICY, { kind: "message", message: isNull, direct: false }), wordlessOf(isNull)]).toEqual([
      authorize(POLICY, { kind: "message", message: absent, direct: false }),
      wordlessOf(absent),
    ]);
    expect(authorize(POLICY, { kind: "message", message: isNull, direct: false })).toBe(true);
    expect(Object.hasOwn(isNull, field)).toBe(field === "referenced_message");
  });

  test.for([...OPTIONAL, "author", "content", "attachments", "embeds", "mentions", "type"])(
    "%s: null makes nobody the owner",
    (field) => {
      const stranger = { ...WHOLE, ...GUILD, author: { ...WHOLE.author, id: "300000000000000009" } };
      const message = incomingMessage({ ...stranger, [field]: null } as typeof stranger);
      expect(authorize(POLICY, { kind: "message", message, direct: false })).toBe(false);
      expect(speakerOf(POLICY, { kind: "message", message, direct: false })).not.toBe("owner");
    },
  );

  test("a guild of null is no server", () => {
    const message = incomingMessage({ ...WHOLE, guild_id: null } as unknown as APIMessage & { guild_id?: string });
    expect(authorize(POLICY, { kind: "message", message, direct: false })).toBe(false);
    expect(authorize(POLICY, { kind: "message", message, direct: true })).toBe(true);
  });
});

test.for([
  ["a sticker", { content: "", sticker_items: [{ id: "1", name: "wave", format_type: 1 }] }, "sticker"],
  ["a poll", { content: "", poll: { question: { text: "When?" } } }, "poll"],
  ["blanks", { content: " \n" }, "blank"],
  ["nothing at all", { content: "" }, undefined],
  ["no sticker", { content: "", sticker_items: [] }, undefined],
  ["a poll of null", { content: "", poll: null }, undefined],
  ["a content of null", { content: null }, undefined],
] as const)("%s is told apart", ([, over, expected]) => {
  expect(wordlessOf(incomingMessage({ ...WHOLE, ...over } as unknown as APIMessage))).toBe(expected);
});

const PEOPLE = { ownerId: POLICY.ownerId, botId: "600000000000000001" };
const AT = "2026-02-26T14:00:00.000Z";

function message(over: object): APIMessage {
  return { ...WHOLE, ...over } as unknown as APIMessage;
}

test.for([
  ["the owner's", {}, { whose: "owner", author: "owner", text: "do it", named: [] }],
  ["ours", { author: { id: PEOPLE.botId, username: "bellhop" } }, { whose: "bellhop", author: "bellhop" }],
  ["somebody else's", { author: { id: "7", username: "ci" } }, { whose: "other", author: "ci" }],
  ["a webhook's in the owner's name", { webhook_id: "1" }, { whose: "other" }],
  ["an application's in the owner's name", { application_id: "1" }, { whose: "other" }],
  ["one without an author", { author: undefined }, { whose: "other", author: null }],
  ["one without a time", { timestamp: undefined }, { at: null }],
  ["one with a time that is none", { timestamp: "today" }, { at: null }],
  [
    "a card",
    { content: "", embeds: [{ title: "Build", description: "failed", fields: [{ name: "Branch", value: "main" }] }] },
    { text: "Build\nfailed\nBranch: main" },
  ],
  ["a sticker", { content: "", sticker_items: [{ name: "wave" }] }, { text: "[sticker: wave]" }],
  ["a long one", { content: "x".repeat(4_000) }, { text: "x".repeat(1_500), left_out: 2_500 }],
  ["one with the owner's files", { attachments: [{ filename: "a.png" }] }, { named: [] }],
  [
    "one with somebody else's files",
    { author: { id: "7", username: "ci" }, attachments: [{ filename: "a.png" }, { filename: "b.zip" }] },
    { named: ["a.png", "b.zip"] },
  ],
  ["one with embeds that are none", { embeds: "none" }, { text: "do it" }],
  ["one with odd embeds", { embeds: [null, 7, { fields: [null, 7] }], sticker_items: [null] }, { text: "do it" }],
  ["one whose attachments are none", { attachments: "none", author: { id: "7", username: "ci" } }, { named: [] }],
] as const)("%s is quoted as what it is", ([, over, expected]) => {
  const quote = quoteOf(message(over), { id: "1", how: "reply", ...PEOPLE });
  expect(quote).toMatchObject({ how: "reply", message_id: "1", left_out: 0, at: AT, ...expected });
  expect(quote.mark).toMatch(/^quoted_[0-9a-f]{12}$/);
});

test("what is missing is said to be deleted, or not to be readable", () => {
  const of = (quoted: APIMessage | null | undefined): unknown =>
    quoteOf(quoted, { id: "1", how: "reply", ...PEOPLE }).missing;
  expect([of(null), of(undefined), of(WHOLE)]).toEqual(["deleted", "unread", undefined]);
});

test.for([
  ["a forward", { message_snapshots: [{ message: { ...WHOLE, content: "theirs" } }] }, { text: "theirs", at: AT }],
  [
    "a forward of files",
    { message_snapshots: [{ message: { content: "", attachments: [{ filename: "a.png" }] } }] },
    { text: "", at: null, named: ["a.png"] },
  ],
  ["a forward that shows nothing", { message_snapshots: [{}] }, { missing: "unread", text: "" }],
  ["a forward of nothing", { message_snapshots: [] }, { missing: "unread" }],
] as const)("%s has nobody's name, and is quoted so where it is replied to", ([, over, expected]) => {
  const forwarded = message({ content: "", ...over });
  const common = { message_id: WHOLE.id, whose: "unknown", author: null };
  expect(forwardOf(forwarded)).toMatchObject({ how: "forward", ...common, ...expected });
  expect(quoteOf(forwarded, { id: WHOLE.id, how: "reply", ...PEOPLE })).toMatchObject({
    how: "reply",
    ...common,
    ...expected,
  });
});

test.for([
  ["a reply", { type: 19, message_reference: { message_id: "9" } }, "9"],
  ["a forward", { type: 0, message_reference: { type: 1, message_id: "9" } }, null],
  ["a pin's notice", { type: 6, message_reference: { message_id: "9" } }, null],
  ["a reply to nothing", { type: 19 }, null],
  ["a reply without an id", { type: 19, message_reference: {} }, null],
] as const)("%s replies to what it says", ([, over, expected]) => {
  expect(repliesTo(message(over))).toBe(expected);
});

const FILE = { filename: "message.txt", content_type: "text/plain; charset=utf-8", size: 5_000 };

test.for([
  ["what Discord makes of a paste", { content: "", attachments: [FILE] }, true],
  ["the same with words", { content: "look", attachments: [FILE] }, false],
  ["two of them", { content: "", attachments: [FILE, FILE] }, false],
  ["another name", { content: "", attachments: [{ ...FILE, filename: "notes.txt" }] }, false],
  ["another type", { content: "", attachments: [{ ...FILE, content_type: "text/plainer" }] }, false],
  ["no type", { content: "", attachments: [{ ...FILE, content_type: undefined }] }, false],
  ["one that is too long", { content: "", attachments: [{ ...FILE, size: 204_801 }] }, false],
  ["the longest", { content: "", attachments: [{ ...FILE, size: 204_800 }] }, true],
  ["one that is forwarded", { content: "", attachments: [FILE], message_snapshots: [{}] }, false],
  ["no file", { content: "" }, false],
  ["attachments that are none", { content: "", attachments: undefined }, false],
] as const)("%s is a paste, or is not", ([, over, expected]) => {
  expect(isPaste(message(over))).toBe(expected);
});
