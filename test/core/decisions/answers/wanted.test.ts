/** What an answer has to be, and patterns that somebody else wrote. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { hasMatch } from "../../../../src/core/decisions/answers/pattern.ts";
import { readAnswer } from "../../../../src/core/decisions/answers/read-answer.ts";
import { fitsConstraint, type TextFormat } from "../../../../src/core/decisions/answers/wanted.ts";

const words = (text: string) => ({ places: [], words: text });

describe("an answer", () => {
  test.each<[TextFormat, string[], string[]]>([
    ["email", ["me@example.org", "a.b+c@x"], ["me", "me@", "a b@x", "a@b@c"]],
    ["uri", ["https://x.example/a?b", "mailto:me@x", "urn:isbn:1"], ["x.example", "https://a b", "://x", ":"]],
    [
      "date",
      ["2026-03-31", "2028-02-29", "2000-02-29"],
      ["2026-02-29", "1900-02-29", "2026-13-01", "2026-04-31", "2026-1-1", "2026-01-00", "today"],
    ],
    [
      "date-time",
      ["2026-03-31T09:30:00Z", "2026-03-31T09:30:60.25+09:00"],
      ["2026-03-31", "2026-03-31T24:00:00Z", "2026-03-31T09:30:00", "2026-02-30T09:30:00Z"],
    ],
  ])("is of the format %s, or is not", (format, good, bad) => {
    for (const text of good) expect([text, fitsConstraint({ is: "text", format }, words(text))]).toEqual([text, true]);
    for (const text of bad) expect([text, fitsConstraint({ is: "text", format }, words(text))]).toEqual([text, false]);
  });

  test("is as long as it may be, in characters as people count them", () => {
    const wanted = { is: "text", minimum: 2, maximum: 3 } as const;
    expect(
      ["a", "ab", "\u{1f600}\u{1f600}\u{1f600}", "abcd"].map((text) => fitsConstraint(wanted, words(text))),
    ).toEqual([false, true, true, false]);
  });

  test("has as many options as may be chosen; none skips the question", () => {
    const wanted = { is: "choice", minimum: 2, maximum: 3 } as const;
    expect(
      [0, 1, 2, 3, 4].map((count) =>
        fitsConstraint(wanted, { places: Array.from({ length: count }, (_, at) => at), words: null }),
      ),
    ).toEqual([true, false, true, true, false]);
  });

  test("is read as one that does not fit, and not as something else", () => {
    const options = ["Tests", "Docs", "Types"];
    expect(
      readAnswer("A, B and C", { options, many: true, words: false, wanted: { is: "choice", maximum: 2 } }),
    ).toEqual({ kind: "unclear", why: "unfit" });
    expect(readAnswer("A, B", { options, many: true, words: false, wanted: { is: "choice", maximum: 2 } })).toEqual({
      kind: "options",
      places: [0, 1],
    });
    expect(readAnswer(" ab ", { options: [], words: true, wanted: { is: "text", maximum: 2 } })).toEqual({
      kind: "words",
    });
    expect(readAnswer("later", { options: [], words: true, wanted: { is: "text", maximum: 2 } })).toEqual({
      kind: "unclear",
      why: "later",
    });
  });
});

/** Expressions that JavaScript takes only polynomial time for on texts this short, with all that we read. */
const leaf = fc.constantFrom(
  "a",
  "b",
  ".",
  "[ab]",
  "[^a]",
  "\\d",
  "\\w",
  "\\b",
  "^",
  "$",
  "\\.",
  "(?=a)",
  "(?!b)",
  "é",
  "\\u00e9",
  "[\\d-]",
);
const { pattern } = fc.letrec<{ pattern: string }>((tie) => ({
  pattern: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    leaf,
    fc.tuple(tie("pattern"), tie("pattern")).map(([one, other]) => one + other),
    fc.tuple(tie("pattern"), tie("pattern")).map(([one, other]) => `(${one}|${other})`),
    fc
      .tuple(tie("pattern"), fc.constantFrom("*", "+", "?", "{2}", "{1,3}", "{0,}", "*?"))
      .map(([one, many]) => `(?:${one})${many}`),
  ),
}));

describe("a pattern", () => {
  test("has a match where JavaScript finds one", () => {
    fc.assert(
      fc.property(
        pattern,
        fc.string({ unit: fc.constantFrom("a", "b", "c", "1", ".", "é", "\n"), maxLength: 8 }),
        (source, text) => {
          const found = hasMatch(source, text);
          if (found !== null) expect(found).toBe(new RegExp(source, "u").test(text));
        },
      ),
      { numRuns: 3_000 },
    );
  });

  test.each([
    ["^[a-z]+(-[a-z]+)*$", "my-app", "My-App"],
    ["^(?:foo|bar)\\d{2,}$", "bar123", "baz123"],
    ["\\p{Lu}", "aÉ", "aé"],
    ["^[\\w-.]+$", "a-b.c", "a b"],
    ["^(?<year>\\d{4})-(?!00)\\d\\d$", "2026-03", "2026-00"],
    ["^\\u{1f600}$", "\u{1f600}", "x"],
    ["x]y}", "x]y}", "xy"],
    ["", "anything", null],
  ])("%s is met and not met", (source, good, bad) => {
    expect(hasMatch(source, good)).toBe(true);
    if (bad !== null) expect(hasMatch(source, bad)).toBe(false);
  });

  test("that JavaScript tries for years takes a limited number of steps", () => {
    const long = `${"a".repeat(4_000)}!`;
    expect(hasMatch("^(a+)+$", "a".repeat(200) + "!")).toBe(false);
    for (const source of ["^(a+)+$", "^((a*)*)*$", "(a|a)*(a|a)*b", "^(a?){4000}a{4000}$"])
      expect(hasMatch(source, long)).not.toBe(true);
  });

  test.each([
    "(a)\\1",
    "(?<=a)b",
    "(",
    "a)",
    "[",
    "*",
    "a**",
    "\\k<x>(?<x>a)",
    "\\",
    "a{",
    `${"(".repeat(600)}${")".repeat(600)}`,
  ])("that is not understood is said to be so: %s", (source) => {
    expect(hasMatch(source, "a")).toBeNull();
    expect(fitsConstraint({ is: "text", pattern: source }, words("a"))).toBe(true);
  });
});
