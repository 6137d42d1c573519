import fc from "fast-check";
import stringWidth from "string-width";
import { expect, test } from "vitest";
import { cellsOf } from "../../src/page/text/cells.ts";

const pieces = [
  "code ",
  "한국어",
  "日本語の表",
  "中文，",
  "（）「」",
  "ｶﾅ",
  "naïve",
  "e\u0301",
  "✅",
  "⚠️",
  "👩‍👩‍👧‍👦",
  "🇰🇷",
  "👍🏽",
  "1️⃣",
  "→",
  "─",
  "−",
  "\t",
  "\n",
  "שלום",
  "क्षि",
  "𠮷",
];
const texts = fc
  .array(fc.oneof(fc.constantFrom(...pieces), fc.string({ unit: "grapheme", maxLength: 5 })), { maxLength: 20 })
  .map((parts) => parts.join(""));

test("cells joined are the text again, and what is wide is one character", () => {
  fc.assert(
    fc.property(texts, (text) => {
      const cells = cellsOf(text);
      expect(cells.map((cell) => cell.text).join("")).toBe(text);
      for (const cell of cells) if (cell.wide) expect([...new Intl.Segmenter("en").segment(cell.text)]).toHaveLength(1);
    }),
  );
});

test.each(pieces)("what takes two columns in a terminal takes two here: %j", (piece) => {
  const columns = cellsOf(piece).reduce((sum, { text, wide }) => sum + (wide ? 2 : stringWidth(text)), 0);
  expect(columns).toBe(stringWidth(piece));
  for (const { text, wide } of cellsOf(piece)) if (wide) expect(stringWidth(text)).toBe(2);
});
