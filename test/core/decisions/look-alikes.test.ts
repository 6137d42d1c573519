import { expect, test } from "vitest";
import { mixedWords, namingTexts } from "../../../src/core/decisions/look-alikes.ts";

const found = (text: string): string[] =>
  mixedWords([text]).map(
    ({ word, scripts, letters }) =>
      `${word} ${scripts.join("+")} ${letters.map(({ at, code }) => `${at}:${code.toString(16)}`).join(" ")}`,
  );

test.each([
  ["c\u0430t /etc/passwd", "c\u0430t Latn+Cyrl 2:430"],
  ["cat /etc/p\u0430ssw\u043erd", "p\u0430ssw\u043erd Latn+Cyrl 2:430 6:43e"],
  ["curl https://g\u03bfogle.com", "g\u03bfogle Latn+Grek 2:3bf"],
  ["прoверка", "прoверка Cyrl+Latn 3:6f"],
  ["\uff43at x", "\uff43at Latn+Zyyy 1:ff43"],
  ["\uff43\uff41\uff54 x", "\uff43\uff41\uff54 Latn+Zyyy 1:ff43 2:ff41 3:ff54"],
  ["ls \u{1d41a}b", "\u{1d41a}b Latn+Zyyy 1:1d41a"],
  ["ls к한", "к한 Cyrl+Hang 2:d55c"],
])("%j mixes scripts: %s", (text, said) => {
  expect(found(text)).toEqual([said]);
});

test.each([
  "git commit -m 'Привет мир' docs/привет-README.md foo_бар",
  "cat 資料v2.txt ひらがなカタカナ漢字ABC",
  "ls 資料Ａ１.txt",
  "보고서v2 한국漢字A",
  "注音ㄅA中",
  "naïve café Ångström Đà e\u0301",
  "שלום عالم नमस्ते ไทย",
  "x² µm 10Ω",
])("%j mixes none that are not written together", (text) => {
  expect(found(text)).toEqual([]);
});

test("only what names something is looked at, and at most three words are named", () => {
  expect(
    namingTexts({ command: "a", description: "b", edits: [{ path: "c", old_string: "d" }], rawInput: { cmd: "e" } }),
  ).toEqual(["a", "c", "e"]);
  expect(mixedWords(["c\u0430t c\u0430t d\u0430t e\u0430t f\u0430t"]).map(({ word }) => word)).toEqual([
    "c\u0430t",
    "d\u0430t",
    "e\u0430t",
  ]);
});
