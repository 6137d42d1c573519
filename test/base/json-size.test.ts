/** What is refused before it is parsed: nests without end, more values than anything we are told. */
import { expect, test } from "vitest";
import { isModest, withShortStrings } from "../../src/base/json-size.ts";
import { parseLine } from "../../src/agents/process/fields.ts";
import { FrameReader } from "../../src/protocol/frame.ts";

const nested = (depth: number): string => `{"a":${"[".repeat(depth)}${"]".repeat(depth)}}`;

test("what real agents write passes, whatever is in their strings", () => {
  expect(isModest(nested(150))).toBe(true);
  expect(isModest(JSON.stringify({ text: "[".repeat(1_000_000) }))).toBe(true);
  expect(isModest(JSON.stringify({ text: '"\\[{,'.repeat(200_000), more: ["\\"] }))).toBe(true);
  expect(isModest(JSON.stringify(Array.from({ length: 100_000 }, (_, n) => n)))).toBe(true);
});

test("a line nested without end, and one of millions of values, are none", () => {
  expect(isModest(nested(201))).toBe(false);
  expect(parseLine(nested(4_000_000))).toBeNull();
  expect(parseLine(`{"a":[${"[],".repeat(1_000_000)}[]]}`)).toBeNull();
  expect(parseLine(nested(100))).not.toBeNull();
});

test("what is behind a string with quotes and backslashes is counted", () => {
  expect(isModest(`{"a":"\\\\","b":${"[".repeat(300)}`)).toBe(false);
  expect(isModest(`{"a":"\\"${"[".repeat(300)}"}`)).toBe(true);
});

test("the socket refuses it too", () => {
  expect(() => new FrameReader().push(Buffer.from(`${nested(5_000)}\n`))).toThrow();
});

test("long strings are cut, whatever is in them, and everything else stays", () => {
  const value = {
    id: "r1",
    deep: [
      { long: "x".repeat(9_000), escaped: '\\"\n'.repeat(3_000), wide: "漢".repeat(3_000), short: 'a "quoted" \\ one' },
    ],
    n: [1, null, true],
  };
  const short = withShortStrings(Buffer.from(JSON.stringify(value)));
  const read = JSON.parse(short?.toString() ?? "") as typeof value;
  expect(short?.length).toBeLessThan(1_500);
  expect({ ...read, deep: 0 }).toEqual({ ...value, deep: 0 });
  const [one] = read.deep;
  expect([one?.short, one?.escaped]).toEqual([value.deep[0]?.short, "…"]);
  expect(one?.long).toMatch(/^x{300,400}…$/);
  expect(one?.wide).toMatch(/^漢{100,140}…$/);
});

test("what is no JSON, or has too many strings, does no harm", () => {
  for (const text of ['{"a":"' + "x".repeat(500), '"', "", '{"a":"\\'])
    expect(() => withShortStrings(Buffer.from(text))).not.toThrow();
  expect(withShortStrings(Buffer.from(JSON.stringify(Array.from({ length: 20_001 }, () => ""))))).toBeNull();
});
