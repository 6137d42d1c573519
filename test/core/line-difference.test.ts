/**
 * The difference between two texts: whole, as short as it can be in texts that people write, and bounded in all others.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { lineDifference, type DiffLine } from "../../src/core/line-difference.ts";

const numbered = (count: number, name = ""): string[] => Array.from({ length: count }, (_, at) => `${name}${at}`);
const linesOf = (lines: readonly DiffLine[], ...signs: DiffLine["sign"][]): string[] =>
  lines.flatMap(({ sign, line }) => (signs.includes(sign) ? [line] : []));
const drawn = (before: string, after: string): string[] =>
  lineDifference(before.split("\n"), after.split("\n")).map(({ sign, line }) => `${sign}${line}`);

test("what was is the kept and the removed lines, what is the kept and the added ones", () => {
  const text = fc.array(fc.constantFrom("", "a", "b", "c", " a"), { maxLength: 40 });
  fc.assert(
    fc.property(text, text, (before, after) => {
      const lines = lineDifference(before, after);
      expect(linesOf(lines, " ", "-")).toEqual(before);
      expect(linesOf(lines, " ", "+")).toEqual(after);
    }),
  );
});

test("removed lines stand above those in their place, and what stays is kept", () => {
  expect(drawn("one\ntwo\nthree", "one\n2\nthree")).toEqual([" one", "-two", "+2", " three"]);
  expect(drawn("a\nb\nc\nd", "b\nc\nd\ne")).toEqual(["-a", " b", " c", " d", "+e"]);
  expect(drawn("", "")).toEqual([" "]);
});

test("few changes are found however long the texts are", () => {
  const before = numbered(100_000);
  const after = before.map((line, at) => (at % 5_000 === 7 ? "changed" : line));
  const lines = lineDifference(before, after);
  expect(linesOf(lines, "+")).toHaveLength(20);
  expect(linesOf(lines, "-")).toHaveLength(20);
});

describe("a text made to be costly is not searched for its shortest difference", () => {
  const reversed = numbered(20_000).toReversed();
  test.each<[string, string[], string[]]>([
    ["nothing in common", numbered(100_000, "a"), numbered(100_000, "b")],
    ["the other way round", numbered(20_000), reversed],
    [
      "two lines in disorder",
      numbered(50_000).map((_, at) => String((at * at * 7) % 11 > 4)),
      numbered(50_000).map((_, at) => String((at * at * 3) % 13 > 5)),
    ],
  ])("%s: all of the old, then all of the new", (_, before, after) => {
    const lines = lineDifference(before, after).filter(({ sign }) => sign !== " ");
    const firstNew = lines.findIndex(({ sign }) => sign === "+");
    expect(lines.slice(firstNew).every(({ sign }) => sign === "+")).toBe(true);
    expect(lines.slice(0, firstNew).every(({ sign }) => sign === "-")).toBe(true);
  });
});
