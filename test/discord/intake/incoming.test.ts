/**
 * What Discord may leave out of a message, and may send as null instead: both say the same. The owner stays the owner,
 * and nobody else becomes him.
 */
import { describe, expect, test } from "vitest";
import type { APIMessage } from "discord-api-types/v10";
import { authorize, speakerOf } from "../../../src/discord/intake/authorize.ts";
import { incomingMessage, wordlessOf } from "../../../src/discord/intake/incoming.ts";

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
