import fc from "fast-check";
import { expect, test } from "vitest";
import { crc32 } from "node:zlib";

import { decode, encode } from "../../src/journal/format.ts";
import { TS } from "./sample-state.ts";

/** JSON as JSON.parse gives it; minus zero is none, JSON has only one. */
const payload = fc
  .dictionary(fc.string({ unit: "binary" }), fc.jsonValue({ noUnicodeString: false }))
  .map((value) => JSON.parse(JSON.stringify(value)) as object);

function body(line: Buffer): Buffer {
  return line.subarray(0, -1);
}

test("any JSON payload comes back as it was, lone surrogates included", () => {
  fc.assert(
    fc.property(payload, fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }), (value, seq) => {
      const { line, crc } = encode({ type: "JobProgress", payload: value }, seq, TS);
      expect(decode(body(line))).toEqual({ event: { seq, ts: TS, type: "JobProgress", payload: value }, crc });
    }),
  );
  const lone = { text: "\ud800", "\udc00": 1 };
  expect(decode(body(encode({ type: "A", payload: lone }, 1, TS).line))).toMatchObject({ event: { payload: lone } });
});

test("a line is the envelope of the specification, its crc over what is before it", () => {
  const { line } = encode({ type: "JobStarted", payload: { job_id: "job_20260226_0001" } }, 1024, TS);
  const bare = `{"seq":1024,"ts":"${TS}","type":"JobStarted","payload":{"job_id":"job_20260226_0001"}}`;
  expect(line.toString()).toBe(`${bare.slice(0, -1)},"crc":"${crc32(bare).toString(16).padStart(8, "0")}"}\n`);
  expect(Object.keys(JSON.parse(line.toString()) as object)).toEqual(["seq", "ts", "type", "payload", "crc"]);
});

test.for([
  ["undefined", { a: undefined }],
  ["NaN", { a: Number.NaN }],
  ["infinity", { a: [1, Number.POSITIVE_INFINITY] }],
  ["a date", { a: new Date(0) }],
  ["a function", { a: () => 1 }],
  ["a big integer", { a: 1n }],
  ["a map", { a: new Map() }],
  ["a hole", { a: [1, , 2] }], // oxlint-disable-line no-sparse-arrays -- the hole is the point
  ["a list", [1]],
  ["its own way to JSON", { a: { toJSON: () => 1 } }],
])("%s in a payload is refused, for it would come back as something else", ([, value]) => {
  expect(() => encode({ type: "A", payload: value as object }, 1, TS)).toThrow(TypeError);
});

test.for([
  ["a type with a quote", 1, TS, 'A"'],
  ["a small type", 1, TS, "a"],
  ["seq 0", 0, TS, "A"],
  ["half a seq", 1.5, TS, "A"],
  ["a seq beyond exact numbers", 2 ** 53, TS, "A"],
  ["a time without milliseconds", 1, "2026-02-26T14:21:00Z", "A"],
] as const)("%s is refused", ([, seq, ts, type]) => {
  expect(() => encode({ type, payload: {} }, seq, ts)).toThrow(TypeError);
});

/** A line with a right crc, whatever it says. */
function sealed(object: string): Buffer {
  const crc = crc32(Buffer.from(object, "latin1")).toString(16).padStart(8, "0");
  return Buffer.from(`${object.slice(0, -1)},"crc":"${crc}"}`, "latin1");
}

test.for([
  ["bytes that are no UTF-8", `{"seq":1,"ts":"${TS}","type":"A","payload":{"a":"\xff"}}`],
  ["keys in another order", `{"ts":"${TS}","seq":1,"type":"A","payload":{}}`],
  ["a missing key", `{"seq":1,"type":"A","payload":{}}`],
  ["a key too many", `{"seq":1,"ts":"${TS}","type":"A","payload":{},"more":1}`],
  ["a payload twice", `{"seq":1,"ts":"${TS}","type":"A","payload":{},"payload":{}}`],
  ["a payload that is a list", `{"seq":1,"ts":"${TS}","type":"A","payload":[]}`],
  ["a payload that is null", `{"seq":1,"ts":"${TS}","type":"A","payload":null}`],
  ["blanks between", `{"seq": 1,"ts":"${TS}","type":"A","payload":{}}`],
  ["a blank after the payload", `{"seq":1,"ts":"${TS}","type":"A","payload":{} }`],
  ["a seq with a leading zero", `{"seq":01,"ts":"${TS}","type":"A","payload":{}}`],
  ["a seq beyond exact numbers", `{"seq":9007199254740993,"ts":"${TS}","type":"A","payload":{}}`],
  ["a payload that does not parse", `{"seq":1,"ts":"${TS}","type":"A","payload":{a}}`],
  ["nothing", `{}`],
])("%s is refused, however right its crc", ([, object]) => {
  expect(decode(sealed(object ?? ""))).toHaveProperty("wrong");
});

test("a crc in capitals is another crc", () => {
  for (let seq = 1; ; seq += 1) {
    const text = encode({ type: "A", payload: {} }, seq, TS).line.toString().trimEnd();
    const capitals = text.replace(/[0-9a-f]{8}"\}$/, (end) => end.toUpperCase());
    if (capitals === text) continue;
    expect(decode(Buffer.from(text))).toHaveProperty("event");
    expect(decode(Buffer.from(capitals))).toEqual({ wrong: "crc" });
    return;
  }
});

test("an event of more than 16 MiB is refused before it is written", () => {
  expect(() => encode({ type: "A", payload: { text: "x".repeat(16 * 1024 * 1024) } }, 1, TS)).toThrow(RangeError);
});
