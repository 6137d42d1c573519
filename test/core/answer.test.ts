import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { catalogues, say, type Locale, type WordKey } from "../../src/base/words/say.ts";
import { type Asked, readAnswer } from "../../src/core/answer.ts";
import { PERMISSION, PLAN } from "../../src/core/decision.ts";
import { chinese } from "./answers/chinese.ts";
import { english } from "./answers/english.ts";
import { japanese } from "./answers/japanese.ts";
import { korean } from "./answers/korean.ts";
import { permissions } from "./answers/permissions.ts";
import { type Group, labelled } from "./answers/table.ts";

const tables = { english, korean, japanese, chinese };
const rows = (groups: readonly Group[]): [text: string, expected: string, asked: Asked][] =>
  groups.flatMap(({ asked, texts }) => Object.entries(texts).flatMap(([expected, all]) => all.map((text): [string, string, Asked] => [text, expected, asked])));

/** A reading as the tables write it. */
function read(text: string, asked: Asked): string {
  const reading = readAnswer(text, asked);
  if (reading.kind === "options") return reading.places.map((place) => String.fromCharCode(65 + place)).join("");
  return reading.kind === "words" ? "words" : reading.why;
}

describe.each(Object.entries(tables))("what typed answers mean in %s", (_language, groups) => {
  test.each(rows(groups))("%j is read as %s", (text, expected, asked) => {
    expect(read(text, asked)).toBe(expected);
  });
});

describe.each(Object.keys(catalogues) as Locale[])("what is typed under a prompt whose buttons are in %s", (locale) => {
  const labels = (...keys: WordKey[]): string[] => keys.map((key) => say(locale, key));
  const permission: Asked = { options: labels("decision_allow_once", "decision_allow_session", "decision_deny"), yes: PERMISSION.once, no: PERMISSION.deny, words: false };
  const plan: Asked = { options: labels("decision_approve", "decision_reject"), yes: PLAN.approve, no: PLAN.reject, words: false };
  const meant = Object.entries(permissions).flatMap(([means, texts]) => texts.map((text) => [text, means] as const));

  test.each(meant)("%j means %s, to a permission and to a plan", (text, means) => {
    const expected = { yes: ["A", "A"], no: ["C", "B"], neither: [null, null] }[means as keyof typeof permissions];
    const letters = [read(text, permission), read(text, plan)];
    expect(letters.map((letter) => (/^[A-C]$/.test(letter) ? letter : null))).toEqual(expected);
  });

  test("each option is meant by its own words, which are no yes to anything else", () => {
    for (const asked of [permission, plan]) for (const [place, label] of asked.options.entries()) expect(read(label, asked)).toBe("ABC"[place]);
  });
});

describe("any typed answer", () => {
  const all = Object.values(tables).flatMap(rows);

  test("the tables hold more than three hundred", () => expect(all.length).toBeGreaterThan(300));

  test("case, width and white space do not change what it means", () => {
    const wide = (text: string): string => text.replace(/[!-~]/g, (sign) => String.fromCharCode(sign.charCodeAt(0) + 0xfee0)).replaceAll(" ", "\u3000");
    fc.assert(
      fc.property(fc.constantFrom(...all), fc.constantFrom("", " ", "\n", "\u3000\t"), ([text, expected, asked], space) => {
        for (const changed of [text.toUpperCase(), text.toLowerCase(), wide(text), `${space}${text}${space}`, text.replaceAll(" ", " \u00a0 ")]) expect(read(changed, asked)).toBe(expected);
      }),
      { numRuns: 2000 },
    );
  });

  test("an option is never read from a text that says not to take it", () => {
    const negations = ["not %", "not % please", "don't do %", "anything but %", "% 말고", "% 하지 마", "%는 안 돼요", "% 빼고", "%以外", "%はやめて", "%じゃない", "%しないで", "不要%", "別選%", "%不行", "除了%"];
    const named = fc.constantFrom("A", "b", "1", "２", "Execute now", "cancel it", "first", "C) Cancel it");
    fc.assert(
      fc.property(fc.constantFrom(...negations), named, fc.boolean(), (negation, option, words) => {
        expect(readAnswer(negation.replace("%", option), { ...labelled, words }).kind).not.toBe("options");
      }),
    );
  });

  test("no text throws, and what is read is an option that there is", () => {
    const asked = fc.record({ options: fc.array(fc.string({ unit: "grapheme" }), { maxLength: 30 }), many: fc.boolean(), words: fc.boolean() });
    const typed = fc.oneof(fc.string({ unit: "binary", maxLength: 80 }), fc.string({ unit: "grapheme", maxLength: 40 }), fc.constantFrom(...all).map(([text]) => text));
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
