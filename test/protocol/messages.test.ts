/** Frames as messages: what a caller and a daemon may say to each other, and that nothing else is taken for it. */
import { expect, test } from "vitest";
import { readAnswer, readClientMessage } from "../../src/protocol/messages.ts";

const HELLO = { version: 1, role: "cli", capability: "c" };

test("a caller greets, calls and cancels", () => {
  expect(readClientMessage({ hello: HELLO })).toEqual({ kind: "hello", hello: { ...HELLO, variables: {} } });
  expect(readClientMessage({ id: 1, method: "status" })).toEqual({ kind: "call", id: 1, method: "status" });
  expect(readClientMessage({ id: 1, method: "tail", params: null, later: true })).toEqual({
    kind: "call",
    id: 1,
    method: "tail",
    params: null,
  });
  expect(readClientMessage({ cancel: 1 })).toEqual({ kind: "cancel", id: 1 });
});

test.each([
  [{}],
  [{ hello: [] }],
  [{ hello: { ...HELLO, role: "owner" } }],
  [{ hello: { ...HELLO, variables: { A: 1 } } }],
  [{ hello: { ...HELLO, variables: Object.fromEntries(Array.from({ length: 101 }, (_, at) => [`V${at}`, ""])) } }],
  [{ id: -1, method: "status" }],
  [{ id: 1.5, method: "status" }],
  [{ id: 2 ** 53, method: "status" }],
  [{ id: 1, method: 5 }],
  [{ cancel: "1" }],
])("nothing else is a message of a caller (%j)", (frame) => {
  expect(readClientMessage(frame)).toBeUndefined();
});

test("a daemon's answers have a value, which may be null, and an error that this version does not know is an internal one", () => {
  expect(readAnswer({ id: 1, part: null })).toEqual({ kind: "part", id: 1, value: null });
  expect(readAnswer({ id: 1, result: [] })).toEqual({ kind: "result", id: 1, value: [] });
  expect(readAnswer({ id: 1, error: { code: "E_JOB_NOT_FOUND", details: { job: "j" } } })).toMatchObject({
    kind: "error",
    id: 1,
    error: { code: "E_JOB_NOT_FOUND", details: { job: "j" } },
  });
  expect(readAnswer({ id: 1, error: { code: "E_OF_TOMORROW", details: { at: [] } } })).toMatchObject({
    error: { code: "E_INTERNAL", details: {} },
  });
  expect(readAnswer({ bye: { again: true, code: "E_NO_DAEMON", details: { dir: "/d" } } })).toMatchObject({
    kind: "bye",
    again: true,
    error: { code: "E_NO_DAEMON" },
  });
  expect(readAnswer({ welcome: { version: 1, bellhop: "0.1.0", pid: 5 } })).toEqual({
    kind: "welcome",
    version: 1,
    bellhop: "0.1.0",
    pid: 5,
  });
  for (const frame of [{}, { id: 1 }, { result: 1 }, { id: "1", result: 1 }, { welcome: {} }])
    expect(readAnswer(frame)).toBeUndefined();
});
