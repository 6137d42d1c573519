import fc from "fast-check";
import { expect, test } from "vitest";
import { BellhopError } from "../../src/base/errors.ts";
import { readAsk, readDelivered, readInboxClearing, readInboxQuery, readNotify, readReport, readVariables } from "../../src/link/mcp-protocol.ts";

const ASK = { question: "Deploy?", context: "", options: [], timeout_seconds: null, thread_id: null };
const NOTIFY = { message: "m", level: "info", thread_id: null, request_id: "request-0001" };

function why(read: () => unknown): string {
  try {
    read();
  } catch (error) {
    if (error instanceof BellhopError && error.code === "E_LINK_REFUSED") return String(error.details["why"]);
    throw error;
  }
  return "nothing was refused";
}

test.each<[() => unknown, RegExp]>([
  [() => readAsk([]), /^the parameters are \[\]; they are an object/],
  [() => readAsk({ ...ASK, question: " " }), /^question is empty/],
  [() => readAsk({ ...ASK, question: 5 }), /^question is 5; it is a text/],
  [() => readAsk({ ...ASK, question: "q".repeat(10_001) }), /^question has 10001 characters; 10000 are the most/],
  [() => readAsk({ ...ASK, context: undefined }), /^context is not given/],
  [() => readAsk({ ...ASK, options: "yes" }), /^options is "yes"; it is a list/],
  [() => readAsk({ ...ASK, options: ["yes", 1] }), /^options\[1\] is 1; it is a text/],
  [() => readAsk({ ...ASK, options: ["yes", " "] }), /^options\[1\] is empty/],
  [() => readAsk({ ...ASK, options: ["yes", "no", "yes "] }), /^options\[2\] stands there twice/],
  [() => readAsk({ ...ASK, options: Array.from({ length: 100 }, (_, at) => `o${at}`) }), /^options has 100 entries; 99 are the most/],
  [() => readAsk({ ...ASK, timeout_seconds: 0 }), /^timeout_seconds is 0; it is a number over 0/],
  [() => readAsk({ ...ASK, timeout_seconds: "60" }), /^timeout_seconds is "60"/],
  [() => readAsk({ ...ASK, timeout_seconds: Number.POSITIVE_INFINITY }), /^timeout_seconds is null/],
  [() => readAsk({ ...ASK, thread_id: "general" }), /^thread_id is "general"; a Discord id is 17 to 20 digits/],
  [() => readAsk({ ...ASK, thread_id: 123456789012345680 }), /^thread_id is 123456789012345680; it is a text/],
  [() => readNotify({ ...NOTIFY, level: "fatal" }), /^level is "fatal"; it is one of info, warning, success, error/],
  [() => readNotify({ ...NOTIFY, request_id: "short" }), /^request_id is "short"; it is 8 to 100/],
  [() => readReport({ ...NOTIFY, title: "", summary: "", details: [] }), /^title is empty/],
  [() => readDelivered({}), /^question_id is not given/],
  [() => readInboxQuery({ unread_only: "yes", mark_read: false }), /^unread_only is "yes"; it is true or false/],
  [() => readInboxClearing({}), /^read_only is not given/],
  [() => readVariables({ PENDING_DIR: "pending" }), /^PENDING_DIR is "pending"; it is an absolute path/],
  [() => readVariables({ DISCORD_CHANNEL_ID: "#general" }), /^DISCORD_CHANNEL_ID is "#general"/],
])("what is wrong is said, with what belongs there (%#)", (read, sentence) => {
  expect(why(read)).toMatch(sentence);
});

test("a token that is none is refused without a letter of it", () => {
  const said = why(() => readVariables({ DISCORD_BOT_TOKEN: "secret token with blanks" }));
  expect(said).toContain("DISCORD_BOT_TOKEN");
  expect(said).not.toMatch(/secret|blanks/);
});

test("variables are read as `.mcp.json` files give them", () => {
  expect(readVariables({ DISCORD_BOT_TOKEN: "Bot abcdefgh", DISCORD_CHANNEL_ID: "200000000000000002", PROJECT_NAME: "", PENDING_DIR: "/p" })).toEqual({
    token: "abcdefgh",
    channelId: "200000000000000002",
    project: "project",
    pendingDir: "/p",
    session: null,
  });
  expect(readVariables({})).toEqual({ token: null, channelId: null, project: "project", pendingDir: null, session: null });
  expect(readAsk({ ...ASK, thread_id: "" }).thread_id).toBeNull();
});

test("whatever is said, it is read or refused with a reason, and nothing else happens", () => {
  const readers = [readAsk, readDelivered, readNotify, readReport, readInboxQuery, readInboxClearing];
  fc.assert(
    fc.property(fc.anything(), fc.constantFrom(...readers), (params, read) => {
      expect(why(() => read(params)).length).toBeGreaterThan(0);
    }),
  );
});
