import fc from "fast-check";
import { expect, test } from "vitest";
import { parseLine } from "../../../src/agents/process/fields.ts";

const sequence = fc.oneof(
  fc.constantFrom("\u001b[?25h", "\u001b[2K", "\u001b[38;5;12m", "\u001bM", "\u001b(B", "\u0007", "\r", "\u007f"),
  fc
    .stringMatching(/^[\w ;:/.-]{0,30}$/)
    .chain((title) => fc.constantFrom(`\u001b]0;${title}\u0007`, `\u001b]2;${title}\u001b\\`)),
);

test("a line is read behind whatever is for a terminal, and not behind words", () => {
  fc.assert(
    fc.property(fc.array(sequence, { maxLength: 5 }), fc.dictionary(fc.string(), fc.jsonValue()), (before, fields) => {
      const line = JSON.stringify(fields);
      expect(parseLine(before.join("") + line)).toEqual(JSON.parse(line));
      expect(parseLine(`${before.join("")}x${line}`)).toBeNull();
    }),
  );
});

test("no line of JSON is read differently for it", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const line = JSON.stringify(value);
      const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
      expect(parseLine(line)).toEqual(isObject ? JSON.parse(line) : null);
    }),
  );
});
