import fc from "fast-check";
import { execFileSync } from "node:child_process";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import {
  longestBeginning,
  excerpt,
  groupDigits,
  lastLines,
  oneLine,
  shellWord,
  withoutControls,
} from "../../src/base/text.ts";

const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" });
const graphemesOf = (text: string): string[] => [...segmenter.segment(text)].map(({ segment }) => segment);

describe("a cut", () => {
  test("leaves a short text as it is", () => {
    expect(excerpt("four", 4)).toBe("four");
  });

  test("is marked, and the mark counts", () => {
    expect(excerpt("abcdef", 4)).toBe("abc…");
  });

  test("never falls inside what a person sees as one character", () => {
    const family = "👨‍👩‍👧‍👦";
    expect(longestBeginning(`ab${family}c`, 2 + family.length - 1)).toBe("ab");
    expect(longestBeginning("e\u0301x", 1)).toBe("");
    expect(longestBeginning("ab🇰🇷", 4)).toBe("ab");
  });

  test("is the longest run of whole graphemes that fits, for any text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 60 }), fc.nat(70), (text, max) => {
        let whole = "";
        for (const grapheme of graphemesOf(text)) {
          if (whole.length + grapheme.length > max) break;
          whole += grapheme;
        }
        expect(longestBeginning(text, max)).toBe(whole);
      }),
    );
  });

  test("far into a long text keeps emoji whole too", () => {
    const text = "한글과 👩‍💻 ".repeat(10_000);
    for (let max = 50_000; max < 50_020; max += 1) {
      const cut = longestBeginning(text, max);
      expect(
        graphemesOf(text.slice(0, max + 20))
          .join("")
          .startsWith(cut),
      ).toBe(true);
      expect(cut.endsWith("\u200d")).toBe(false);
      expect(max - cut.length).toBeLessThan(5);
    }
  });

  test("goes through a character without end, but not through a surrogate pair", () => {
    const endless = `a${"\u0301".repeat(5000)}`;
    expect(longestBeginning(endless, 400).length).toBe(400);
    expect(longestBeginning(`${"👩‍".repeat(300)}👩`, 401).isWellFormed()).toBe(true);
  });
});

describe("a text for a terminal", () => {
  test("holds nothing a terminal obeys", () => {
    const hostile = "a\x1b[31mred\x1b[0m\x1b]0;title\x07b\x1b]8;;http://x\x1b\\link\x9b2Jc\x00\x7f\u202egnp.exe";
    expect(withoutControls(hostile)).toBe("aredblinkcgnp.exe");
  });

  test("keeps lines and tabs, and a carriage return cannot overwrite a line", () => {
    expect(withoutControls("one\r\ntwo\rthree\tend")).toBe("one\ntwo\nthree\tend");
  });

  test("loses nothing behind a sequence that never ends", () => {
    expect(withoutControls("before\x1b]0;after")).toBe("before0;after");
  });

  test("is free of controls, whatever comes in", () => {
    const unit = fc.constantFrom("\x1b", "[", "]", "3", "m", "\x07", "\\", "\x9d", "\x9b", "\x9c", "P", "a", "\r", " ");
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 40 }), (text) => {
        expect(withoutControls(text)).not.toMatch(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/);
      }),
    );
  });

  test("on one line has no line ends", () => {
    expect(oneLine("  a\n\n b\tc ", 20)).toBe("a b c");
  });

  test("on one line is the same however long the text is and whatever it has where it is cut", () => {
    const unit = fc.constantFrom(
      "word ",
      "x".repeat(150),
      " ".repeat(300),
      "\r",
      "\n",
      "é",
      "👨‍👩‍👧‍👦",
      "\ud83d",
      "\x1b[31m",
      "\x1b]0;",
      "\x07",
      "\x9b",
      "\x00",
    );
    fc.assert(
      fc.property(fc.array(unit, { maxLength: 60 }), fc.array(unit, { maxLength: 8 }), fc.nat(60), (long, end, max) => {
        const text = [...long.filter((piece) => !/[\x1b\x9b]/.test(piece)), ...end].join("");
        const whole = withoutControls(text).toWellFormed().replace(/\s+/g, " ").trim();
        expect(oneLine(text, max)).toBe(excerpt(whole, max));
      }),
      { numRuns: 500 },
    );
  });

  test("on one line is read only as far as it can be seen", () => {
    const replace = vi.spyOn(String.prototype, "replace");
    onTestFinished(() => replace.mockRestore());
    oneLine("word ".repeat(1_000_000), 200);
    expect(Math.max(...replace.mock.contexts.map((text) => String(text).length))).toBeLessThan(5_000);
  });
});

describe("last lines", () => {
  test.each([
    ["one\ntwo\nthree", 20, "one\ntwo\nthree"],
    ["one\ntwo\nthree", 10, "two\nthree"],
    ["one\ntwo\nthree", 9, "two\nthree"],
    ["one\ntwo\nthree", 8, "three"],
    ["one\nendless", 4, "ess"],
    ["one\n", 2, "\n"],
    ["a😀😀", 3, "😀"],
    ["a😀b", 2, "b"],
  ])("of %j within %i are %j", (text, max, end) => {
    expect(lastLines(text, max)).toBe(end);
  });
});

test.each(["en", "ko", "ja", "zh-TW"])("a whole number is written as in %s", (locale) => {
  fc.assert(
    fc.property(fc.nat(2 ** 31 - 1), (count) => void expect(groupDigits(count)).toBe(count.toLocaleString(locale))),
  );
});

test.each(["plain", "", "two words", "it's; rm -rf ~", '$(id) `id` \\ "', "a\nb"])(
  "%j is one word for a shell",
  (text) => {
    expect(execFileSync("/bin/sh", ["-c", `printf '[%s]' ${shellWord(text)}`]).toString()).toBe(`[${text}]`);
  },
);
