/** What is printed: hidden characters are shown, nothing else changes, and JSON keeps its values. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { escapedJson, forTerminal, jsonForTerminal, programText, terminalLine } from "../../src/base/terminal-text.ts";

const RAW = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u200b\u200c\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]/;
const text = fc
  .array(
    fc.oneof(
      fc.string({ unit: "binary" }),
      fc.constantFrom(
        "\x1b]52;c;eA==\x07",
        "\x9b2J",
        "\r",
        "\u202e",
        "\u2066",
        "\u200f",
        "\u2028",
        "\u{e0041}",
        "한글",
        "👩‍👩‍👧",
      ),
    ),
    { maxLength: 8 },
  )
  .map((parts) => parts.join(""));

test.each([
  ["plain\ttext\nof two lines", "plain\ttext\nof two lines"],
  ["pay\u200bpal\u202egnp.exe", "pay⟨U+200B⟩pal⟨U+202E⟩gnp.exe"],
  ["done\rrm -rf", "done⟨U+000D⟩rm -rf"],
  ["\x1b]52;c;eA==\x07\x9b2J", "⟨U+001B⟩]52;c;eA==⟨U+0007⟩⟨U+009B⟩2J"],
  ["👩‍👩‍👧 ❤️ 1️⃣ 👍🏽 🏳️‍🌈", "👩‍👩‍👧 ❤️ 1️⃣ 👍🏽 🏳️‍🌈"],
  ["a\u200db\ufe0f\u{e0041}", "a⟨U+200D⟩b⟨U+FE0F⟩⟨U+E0041⟩"],
])("%j", (given, shown) => {
  expect(forTerminal(given)).toBe(shown);
});

test("nothing hidden is left in any text, twice is the same as once, and JSON means the same", () => {
  fc.assert(
    fc.property(text, (given) => {
      for (const shown of [
        forTerminal(given),
        programText(given),
        terminalLine(given, 80),
        jsonForTerminal({ [given]: given }),
        escapedJson(given),
      ])
        expect(shown).not.toMatch(RAW);
      expect(forTerminal(forTerminal(given))).toBe(forTerminal(given));
      expect(JSON.parse(jsonForTerminal([given]))).toEqual([given]);
      expect(forTerminal(jsonForTerminal([given]))).toBe(jsonForTerminal([given]));
    }),
  );
});
