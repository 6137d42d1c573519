/** Whatever an agent writes and however it comes in pieces, a terminal is only shown text. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { withoutControls } from "../../../src/base/text.ts";
import { TerminalText } from "../../../src/cli/terminal/terminal-text.ts";

const OBEYED = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/;
const SEQUENCES = ["\x1b[31m", "\x1b[2J", "\x1b]0;title\x07", "\x1b]8;;http://x\x1b\\", "\x1bP1$r\x1b\\", "\x9b5n", "\x9d2;t\x9c", "\x1b(B", "\x1bc", "\r\n", "\r", "\x07", "\u202e", "👩‍👩‍👧", "한"];
const text = fc.array(fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom(...SEQUENCES), fc.constantFrom("\x1b", "\x1b[", "\x1b]", "0;", "m", "\x9b")), { maxLength: 12 }).map((parts) => parts.join(""));

function through(whole: string, cuts: readonly number[]): string {
  const filter = new TerminalText();
  const at = [...new Set([0, ...cuts.map((cut) => cut % (whole.length + 1)), whole.length])].sort((a, b) => a - b);
  const pieces = at.slice(1).map((end, index) => filter.push(whole.slice(at[index], end)));
  return pieces.join("") + filter.end();
}

test("nothing a terminal obeys comes through, and the cut makes no difference", () => {
  fc.assert(
    fc.property(text, fc.array(fc.nat(), { maxLength: 8 }), (whole, cuts) => {
      const shown = through(whole, cuts);
      expect(shown).not.toMatch(OBEYED);
      expect(shown).toBe(withoutControls(whole));
    }),
    { numRuns: 2_000 },
  );
});

test("text comes at once, and half a sequence waits for its other half", () => {
  const filter = new TerminalText();
  expect(filter.push("plain")).toBe("plain");
  expect(filter.push("a\x1b[3")).toBe("a");
  expect(filter.push("1mred")).toBe("red");
  expect(filter.push("\x1b]0;no end")).toBe("");
  expect(filter.push("x".repeat(2_000))).toContain("x");
});
