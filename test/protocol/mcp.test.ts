import fc from "fast-check";
import { expect, test } from "vitest";
import { BellhopError } from "../../src/base/errors.ts";
import {
  readAsk,
  readDelivered,
  readInboxClearing,
  readInboxQuery,
  readNotify,
  readReport,
  readVariables,
} from "../../src/protocol/mcp.ts";

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
  [() => readAsk([]), /^the parameters are \[\]; they must be an object/],
  [() => readAsk({ ...ASK, question: " " }), /^question is empty/],
  [() => readAsk({ ...ASK, question: 5 }), /^question is 5; it must be a string/],
  [
    () => readAsk({ ...ASK, question: "q".repeat(10_001) }),
    /^question has 10001 characters; at most 10000 are allowed/,
  ],
  [() => readAsk({ ...ASK, context: undefined }), /^context is not given/],
  [() => readAsk({ ...ASK, options: "yes" }), /^options is "yes"; it must be a list/],
  [() => readAsk({ ...ASK, options: ["yes", 1] }), /^options\[1\] is 1; it must be a string/],
  [() => readAsk({ ...ASK, options: ["yes", " "] }), /^options\[1\] is empty/],
  [() => readAsk({ ...ASK, options: ["yes", "no", "yes "] }), /^options\[2\] is there twice/],
  [
    () => readAsk({ ...ASK, options: Array.from({ length: 101 }, (_, at) => `o${at}`) }),
    /^options has 101 entries; at most 100 are allowed/,
  ],
  [() => readAsk({ ...ASK, timeout_seconds: 0 }), /^timeout_seconds is 0; it must be a number over 0/],
  [() => readAsk({ ...ASK, timeout_seconds: "60" }), /^timeout_seconds is "60"/],
  [() => readAsk({ ...ASK, timeout_seconds: Number.POSITIVE_INFINITY }), /^timeout_seconds is null/],
  [() => readAsk({ ...ASK, thread_id: "general" }), /^thread_id is "general"; a Discord id is 17 to 20 digits/],
  [() => readAsk({ ...ASK, thread_id: 123456789012345680 }), /^thread_id is 123456789012345680; it must be a string/],
  [
    () => readNotify({ ...NOTIFY, level: "fatal" }),
    /^level is "fatal"; it must be one of info, warning, success, error/,
  ],
  [() => readNotify({ ...NOTIFY, request_id: "short" }), /^request_id is "short"; it is 8 to 100/],
  [() => readReport({ ...NOTIFY, title: "", summary: "", details: [] }), /^title is empty/],
  [() => readDelivered({}), /^question_id is not given/],
  [() => readInboxQuery({ unread_only: "yes", mark_read: false }), /^unread_only is "yes"; it must be true or false/],
  [() => readInboxClearing({}), /^read_only is not given/],
  [() => readVariables({ PENDING_DIR: "pending" }), /^PENDING_DIR is "pending"; it must be an absolute path/],
  [() => readVariables({ DISCORD_CHANNEL_ID: "#general" }), /^DISCORD_CHANNEL_ID is "#general"/],
])("what is wrong is said, with what belongs there (%#)", (read, sentence) => {
  expect(why(read)).toMatch(sentence);
});

test("a list that is too long is counted, and none of its entries is looked at", () => {
  const endless = new Proxy([], {
    get: (list, key) => {
      if (key === "length") return 400_000;
      if (typeof key === "string" && /^\d+$/.test(key)) throw new Error(`entry ${key} was read`);
      return Reflect.get(list, key) as unknown;
    },
  });
  expect(why(() => readAsk({ ...ASK, options: endless }))).toBe("options has 400000 entries; at most 100 are allowed");
});

test("a text that is no token is refused, and the error shows nothing of it", () => {
  const said = why(() => readVariables({ DISCORD_BOT_TOKEN: "secret token with blanks" }));
  expect(said).toContain("DISCORD_BOT_TOKEN");
  expect(said).not.toMatch(/secret|blanks/);
});

test("variables are read as `.mcp.json` files give them", () => {
  expect(
    readVariables({
      DISCORD_BOT_TOKEN: "Bot abcdefgh",
      DISCORD_CHANNEL_ID: "200000000000000002",
      PROJECT_NAME: "",
      PENDING_DIR: "/p",
    }),
  ).toEqual({
    token: "abcdefgh",
    channelId: "200000000000000002",
    project: "project",
    pendingDir: "/p",
  });
  expect(readVariables({})).toEqual({ token: null, channelId: null, project: "project", pendingDir: null });
  expect(readAsk({ ...ASK, thread_id: "" }).thread_id).toBeNull();
  const { options: _options, ...without } = ASK;
  expect(readAsk(without).options).toEqual([]);
});

test("whatever is said, it is read or refused with a reason, and nothing else happens", () => {
  const readers = [readAsk, readDelivered, readNotify, readReport, readInboxQuery, readInboxClearing];
  fc.assert(
    fc.property(fc.anything(), fc.constantFrom(...readers), (params, read) => {
      expect(why(() => read(params)).length).toBeGreaterThan(0);
    }),
  );
});
