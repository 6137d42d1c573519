import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { type AnswerRules, readAnswer } from "../../../../src/core/decisions/answers/read-answer.ts";
import { chinese } from "../../answers/chinese.ts";
import { english } from "../../answers/english.ts";
import { emoji } from "../../answers/families/emoji.ts";
import { later } from "../../answers/families/later.ts";
import { markers } from "../../answers/families/markers.ts";
import { ownTexts } from "../../answers/families/own-texts.ts";
import { yesAndNo } from "../../answers/families/yes-and-no.ts";
import { japanese } from "../../answers/japanese.ts";
import { korean } from "../../answers/korean.ts";
import { type Group, labelled, plain } from "../../answers/table.ts";

const tables = { english, korean, japanese, chinese };
/** Each in all four languages. */
const families = {
  "options of numbers and letters": ownTexts,
  "yes and no": yesAndNo,
  markers,
  emoji,
  "what is no answer yet": later,
};
const rows = (groups: readonly Group[]): [text: string, expected: string, asked: AnswerRules][] =>
  groups.flatMap(({ asked, texts }) =>
    Object.entries(texts).flatMap(([expected, all]) =>
      all.map((text): [string, string, AnswerRules] => [text, expected, asked]),
    ),
  );

/** A reading as the tables write it. */
function read(text: string, asked: AnswerRules): string {
  const reading = readAnswer(text, asked);
  if (reading.kind === "options") return reading.places.map((place) => String.fromCharCode(65 + place)).join("");
  return reading.kind === "unclear" ? reading.why : reading.kind;
}

describe.each(Object.entries(tables))("what typed answers mean in %s", (_language, groups) => {
  test.each(rows(groups))("%j is read as %s", (text, expected, asked) => {
    expect(read(text, asked)).toBe(expected);
  });
});

describe.each(Object.entries(families))("what typed answers mean where there are %s", (_family, groups) => {
  test.each(rows(groups).map(([text, expected, asked]) => [text, asked.options.join(" | "), expected, asked] as const))(
    "%j to %s is read as %s",
    (text, _options, expected, asked) => {
      expect(read(text, asked)).toBe(expected);
    },
  );
});

test.each([
  ["try DuckDB now", "unknown"],
  ["try DuckDB soon", "words"],
  ["로그", "unknown"],
  ["로그만", "words"],
  ["ログ", "unknown"],
  ["ログを", "words"],
  ["日誌", "unknown"],
  ["看日誌", "words"],
])(
  "words of one's own begin at 15 characters, or at three letters of Hangul, Kana or Han: %j is read as %s",
  (text, expected) => {
    expect(read(text, plain)).toBe(expected);
  },
);

describe("any typed answer", () => {
  const all = [...Object.values(tables), ...Object.values(families)].flatMap(rows);
  /** Not of options that only case or width tells apart. */
  const alike = all.filter(
    ([, , { options }]) =>
      new Set(options.map((option) => option.normalize("NFKC").toLowerCase())).size === options.length,
  );

  test("the tables hold more than three hundred", () => expect(all.length).toBeGreaterThan(300));

  test("case, width and white space do not change what it means", () => {
    const wide = (text: string): string =>
      text.replace(/[!-~]/g, (sign) => String.fromCharCode(sign.charCodeAt(0) + 0xfee0)).replaceAll(" ", "\u3000");
    fc.assert(
      fc.property(
        fc.constantFrom(...alike),
        fc.constantFrom("", " ", "\n", "\u3000\t"),
        ([text, expected, asked], space) => {
          for (const changed of [
            text.toUpperCase(),
            text.toLowerCase(),
            wide(text),
            `${space}${text}${space}`,
            text.replaceAll(" ", " \u00a0 "),
          ])
            expect(read(changed, asked)).toBe(expected);
        },
      ),
      { numRuns: 2000 },
    );
  });

  test("an option is never read from a text that says not to take it", () => {
    const negations = [
      "not %",
      "not % please",
      "don't do %",
      "anything but %",
      "% 말고",
      "% 하지 마",
      "%는 안 돼요",
      "% 빼고",
      "%以外",
      "%はやめて",
      "%じゃない",
      "%しないで",
      "不要%",
      "別選%",
      "%不行",
      "除了%",
    ];
    const named = fc.constantFrom("A", "b", "1", "２", "Execute now", "cancel it", "first", "C) Cancel it");
    fc.assert(
      fc.property(fc.constantFrom(...negations), named, fc.boolean(), (negation, option, words) => {
        expect(readAnswer(negation.replace("%", option), { ...labelled, words }).kind).not.toBe("options");
      }),
    );
  });

  const texts = [
    "A",
    "B",
    "b",
    "C",
    "1",
    "2",
    "3",
    "10",
    "0",
    "-1",
    "yes",
    "no",
    "Yes",
    "네",
    "아니요",
    "はい",
    "好",
    "나",
    "다",
    "가",
    "전부",
    "first",
    "last",
    "one",
    "later",
    "why?",
    "A) B",
    "B) A",
    "1) 2",
    "2. 1",
    "1 replica",
    "3 replicas",
    "v2",
    "2.0",
    "👍",
    "🚀 Ship it",
    "Ship it",
    "①",
    "第1",
    "1번",
    "not A",
    "A or B",
    "A, B",
    "option A",
    "a",
  ];
  const ownText = fc
    .oneof(
      fc.constantFrom(...texts),
      fc.nat({ max: 40 }).map(String),
      fc.string({ unit: "grapheme", maxLength: 6 }),
      fc.constantFrom(...all).map(([text]) => text),
    )
    .filter((text) => /[^\s\p{C}]/u.test(text));
  const ownTexts = fc.uniqueArray(ownText, { minLength: 1, maxLength: 8, selector: (text) => text.trim() });
  const runs = process.env["BELLHOP_TEST_LONG"] === "1" ? 50_000 : 1500;

  test("a complete option text chooses that option, whatever it looks like and whatever the others are", () => {
    fc.assert(
      fc.property(ownTexts, fc.boolean(), fc.nat(), (options, many, nat) => {
        const place = nat % options.length;
        expect(readAnswer(options[place] ?? "", { options, many, words: true })).toEqual({
          kind: "options",
          places: [place],
        });
      }),
      { numRuns: runs },
    );
  });

  test("what differs from a complete option text in case, width or space alone never chooses another option", () => {
    const even = (text: string): string => text.normalize("NFKC").toLowerCase().replace(/\s+/g, " ").trim();
    const changes = [
      (text: string) => text.toUpperCase(),
      (text: string) => text.toLowerCase(),
      (text: string) => ` ${text}\n`,
      (text: string) => text.replaceAll(" ", "\u3000"),
    ];
    fc.assert(
      fc.property(ownTexts, fc.nat(), fc.constantFrom(...changes), (options, nat, change) => {
        const typed = change(options[nat % options.length] ?? "");
        const reading = readAnswer(typed, { options, words: true });
        if (reading.kind !== "options") return;
        for (const place of reading.places) expect(even(options[place] ?? "")).toBe(even(typed));
      }),
      { numRuns: runs },
    );
  });

  const hostile = [
    "?",
    "!",
    ".",
    ",",
    " , ",
    "~",
    "-",
    "네",
    "와",
    "나",
    "か",
    "不",
    "🚀",
    "👎",
    "*",
    "a",
    "1",
    "\u200b",
    "？！",
    "or ",
    "not ",
    "please ",
    " \t",
    "((",
    "a) ",
    "것이",
    "を実行",
    "ですか",
    "let me ",
  ];
  test.each(hostile)("fifty thousand characters of %j are read, as a text and as an option", (piece) => {
    const text = `A${piece.repeat(Math.ceil(50_000 / piece.length))}x`;
    for (const options of [["A) one", "B) two"], [], [text, "B"]]) readAnswer(text, { options, words: true });
    readAnswer(text.slice(0, 150), { options: [text, "B"], words: true });
  });

  test.each([
    ["letters", "C", "A, B, C, D, E, F, G, H, I, J, K, L"],
    ["numbers", "3", "1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12"],
  ])("the options are read once, however many of them it names by %s", (_names, one, many) => {
    const asked = {
      options: Array.from({ length: 12 }, (_, place) => `Variant of type ${"x".repeat(place)}`),
      many: true,
      words: true,
    };
    const timesRead = (text: string): number => {
      const spies = [
        vi.spyOn(String.prototype, "normalize"),
        vi.spyOn(String.prototype, "match"),
        vi.spyOn(String.prototype, "matchAll"),
      ];
      expect(readAnswer(text, asked).kind).toBe("options");
      const times = spies.flatMap(({ mock }) =>
        mock.contexts.filter(
          (read) => asked.options.includes(String(read)) || String(read).startsWith("variant of type "),
        ),
      ).length;
      for (const spy of spies) spy.mockRestore();
      return times;
    };
    expect(timesRead(many)).toBe(timesRead(one));
  });

  test("no text throws, and what is read is an option that there is", () => {
    const asked = fc.record({
      options: fc.array(fc.string({ unit: "grapheme" }), { maxLength: 30 }),
      many: fc.boolean(),
      words: fc.boolean(),
    });
    const typed = fc.oneof(
      fc.string({ unit: "binary", maxLength: 80 }),
      fc.string({ unit: "grapheme", maxLength: 40 }),
      fc.constantFrom(...all).map(([text]) => text),
    );
    fc.assert(
      fc.property(typed, asked, (text, one) => {
        const reading = readAnswer(text, one);
        if (reading.kind !== "options") return;
        expect(reading.places.length).toBeGreaterThan(0);
        for (const place of reading.places) expect(one.options[place]).toBeDefined();
        if (!one.many) expect(reading.places).toHaveLength(1);
      }),
      { numRuns: process.env["BELLHOP_TEST_LONG"] === "1" ? 100_000 : 3000 },
    );
  });
});
