/** Nonces, digests and bodies, purely. */
import fc from "fast-check";
import { expect, test } from "vitest";
import type { APIMessage } from "discord-api-types/v10";
import {
  type Body,
  withPlaceLine,
  hashOf,
  nonceOf,
  showsBody,
  withLineBelow,
} from "../../../src/discord/views/message.ts";

const said = (content: string, more: Partial<Body> = {}): Body => ({
  content,
  embeds: [],
  components: [],
  flags: 4,
  allowed_mentions: { parse: [] },
  ...more,
});

test("a nonce is at most 25 letters and digits, the same for the same post and another for any other", () => {
  const post = fc.record({ subject: fc.string(), part: fc.string() });
  fc.assert(
    fc.property(post, post, fc.string(), (a, b, channel) => {
      const nonce = nonceOf("bot", a, channel, "");
      expect(nonce).toMatch(/^[0-9A-Za-z]{10,25}$/);
      expect(nonceOf("bot", { ...a }, channel, "")).toBe(nonce);
      const same = a.subject === b.subject && a.part === b.part;
      expect(nonceOf("bot", b, channel, "") === nonce).toBe(same);
    }),
  );
  const post0 = { subject: "job_20260301_0001", part: "answer:0" };
  const others = [
    nonceOf("bot", post0, "1", ""),
    nonceOf("bot2", post0, "1", ""),
    nonceOf("bot", post0, "2", ""),
    nonceOf("bot", post0, "1", "9"),
  ];
  expect(new Set(others).size).toBe(4);
});

test("the nonce of a post is the same in every version of the program", () => {
  // Changing how it is made would double whatever was on its way when the program was replaced.
  expect(
    nonceOf("100000000000000001", { subject: "job_20260301_0001", part: "answer:0" }, "100000000000000002", ""),
  ).toMatchInlineSnapshot(`"YJkJi4sOo5ivWEb8Ef3r3ER"`);
});

test("a digest follows what is shown, files included, and not the order of fields", () => {
  const file = (text: string) => [{ name: "a.md", bytes: Buffer.from(text) }];
  expect(hashOf(said("a"))).toBe(
    hashOf({ allowed_mentions: { parse: [] }, components: [], flags: 4, embeds: [], content: "a" }),
  );
  const different = [
    said("a"),
    said("b"),
    said("a", { flags: 0 }),
    said("a", { embeds: [{ title: "t" }] }),
    said("a", { files: file("1") }),
    said("a", { files: file("2") }),
  ];
  expect(new Set(different.map(hashOf)).size).toBe(different.length);
});

test("a line below never makes a message too long, cuts no character, and closes open code", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", maxLength: 2000 }), fc.boolean(), (text, code) => {
      const content = withLineBelow((code ? `\`\`\`js\n${text}` : text).slice(0, 2000), "-# cut off");
      expect(content.length).toBeLessThanOrEqual(2000);
      expect(content.endsWith("\n-# cut off")).toBe(true);
      expect(content.isWellFormed() || !text.isWellFormed()).toBe(true);
      expect((content.match(/^```/gm) ?? []).length % 2).toBe(0);
    }),
  );
  expect(withLineBelow("all\n-# cut off", "-# cut off")).toBe("all\n-# cut off");
});

test("said elsewhere, a body stays whole and within the limit", () => {
  for (const content of ["", "short", "x".repeat(2000)]) {
    const body = withPlaceLine(said(content), "From <#1>:");
    expect(body.content.length).toBeLessThanOrEqual(2000);
    expect(body.content.endsWith(content)).toBe(true);
    expect(JSON.stringify(body)).toContain("From <#1>:");
  }
});

test("a message shows a body when its words, embeds, buttons and files do", () => {
  const body = said("hello ", {
    embeds: [{ description: "d", color: 1 }],
    files: [{ name: "a.md", bytes: Buffer.from("") }],
  });
  const message = {
    content: "hello",
    embeds: [{ type: "rich", description: "d", color: 1 }],
    components: [],
    attachments: [{ filename: "a.md" }],
  };
  expect(showsBody(message as unknown as APIMessage, body)).toBe(true);
  // Discord may have renamed the file.
  expect(
    showsBody(
      { ...message, attachments: [{ filename: "c953b519a8c28c42.md", title: "견적서" }] } as unknown as APIMessage,
      body,
    ),
  ).toBe(true);
  for (const other of [{ content: "bye" }, { embeds: [] }, { attachments: [] }]) {
    expect(showsBody({ ...message, ...other } as unknown as APIMessage, body)).toBe(false);
  }
});
