/**
 * Every character of Unicode, by its properties: what nobody can see has a mark, and the letters of all scripts have
 * none.
 */
import { expect, test } from "vitest";
import { charsToShow } from "../../src/base/unseen.ts";
import { shownLine } from "../../src/base/hidden-characters.ts";

const ALL = Array.from({ length: 0x110000 }, (_, code) => String.fromCodePoint(code));
const markOf = (character: string): string =>
  `⟨U+${character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, "0")}`;
const wrong = (characters: readonly string[], isRight: (character: string) => boolean): string[] =>
  characters
    .filter((one) => !isRight(one))
    .map(markOf)
    .slice(0, 10);

test("each that is a control, a format, a surrogate, private, unassigned, ignorable, a separator or a blank has a mark", () => {
  const hidden = ALL.filter((one) =>
    /[[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Zs}\p{Default_Ignorable_Code_Point}\p{Variation_Selector}]--[ \n\t]]/v.test(
      one,
    ),
  );
  expect(hidden.length).toBeGreaterThan(900_000);
  expect(wrong(hidden, (one) => shownLine(`a${one}b`).startsWith(`a${markOf(one)}`))).toEqual([]);
});

test.each([
  "\ufffc",
  ...Array.from({ length: 0x16 }, (_, at) => String.fromCodePoint(0x13440 + at)),
  "\u2800",
  "\u3164",
  "\u115f",
  "\u1160",
  "\uffa0",
  "\u2d7f",
  "\u{16fe4}",
  "\u{1d159}",
  "\u{e0041}",
  "\u{e0100}",
  "\u034f",
  "\u17b4",
])("%j, which shows nothing, has a mark", (one) => {
  expect(shownLine(`a${one}b`)).toBe(`a${markOf(one)}⟩b`);
});

test("a mark of another script hides on no Latin letter", () => {
  for (const one of ["\u1039", "\u17d2", "\u1a60", "\u05b0"]) expect(shownLine(`a${one}b`)).toBe(`a${markOf(one)}⟩b`);
  for (const one of ["a\u0301", "क्षि", "한국어", "ไทย"]) expect(shownLine(one)).toBe(one);
});

test("each letter, digit and emoji that can be seen stays as it is", () => {
  const visible = ALL.filter((one) =>
    /[[\p{L}\p{N}\p{Extended_Pictographic}]--[\p{Default_Ignorable_Code_Point}\p{Cn}\u{13440}-\u{13455}]]/v.test(one),
  );
  expect(visible.length).toBeGreaterThan(130_000);
  expect(wrong(visible, (one) => shownLine(one).replace(/[\u2068\u2069]/g, "") === one)).toEqual([]);
});

test("a long line is shown as its pieces would be anywhere in it", () => {
  const parts = [
    "a\u0301",
    "\u0301\u0301\u0301\u0301\u0301",
    `${" ".repeat(45)}.`,
    "``.",
    "```.",
    "⚠\ufe0f",
    "\u200b",
    "x",
    "  .",
    "👩\u200d👩",
    "한",
    "é",
  ];
  for (let seed = 1; seed < 40; seed += 1) {
    const some = Array.from({ length: 30 }, (_, at) => parts[(at * seed + ((at * at) % 7)) % parts.length]).join("");
    // Each between two letters, so that nothing leans on what stands before it.
    expect(shownLine(`x${some}y`.repeat(300))).toBe(shownLine(`x${some}y`).repeat(300));
  }
});

test("it never takes fewer characters to show a text than were counted before", () => {
  const some = ALL.filter((_, code) => code % 7 === 0);
  expect(wrong(some, (one) => shownLine(`${one}x`).length >= charsToShow(`${one}x`))).toEqual([]);
});

test("of equal characters in a row each is shown for what it is there", () => {
  expect([shownLine("👍\ufe0f\ufe0f\ufe0f \ufe0f")]).toEqual(["👍\ufe0f⟨U+FE0F⟩⟨U+FE0F⟩ ⟨U+FE0F⟩"]);
  expect([shownLine("\x7f\x7f a\x7f```\x7f````")]).toEqual([
    "⟨U+007F DEL⟩⟨U+007F DEL⟩ a⟨U+007F DEL⟩⟨U+0060 BACKTICK×3⟩⟨U+007F DEL⟩⟨U+0060 BACKTICK×4⟩",
  ]);
});
