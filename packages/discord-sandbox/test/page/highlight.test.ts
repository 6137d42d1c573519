/** Colouring code must never change it. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { highlight } from "../../src/page/text/highlight.ts";

const languages = ["ts", "py", "rust", "bash", "sql", "json", "yaml", "css", "diff", "", "unknown"];

test("the tokens of any code are that code again", () => {
  const piece = fc.oneof(
    fc.string({ maxLength: 6 }),
    fc.constantFrom("//", "/*", "*/", "#", '"', "'", "`", "\\", "\n", "const", "0x1f", "+", "-", "@@"),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), fc.constantFrom(...languages), (pieces, language) => {
      const code = pieces.join("");
      expect(
        highlight(code, language)
          .map((t) => t.text)
          .join(""),
      ).toBe(code);
    }),
    { numRuns: 1500 },
  );
});

test.each([
  ["ts", "const a = 'x'; // y", ["keyword:const", "string:'x'", "comment:// y"]],
  ["py", "def f(): # c", ["keyword:def", "name:f", "comment:# c"]],
  ["diff", "+new\n-old\n same", ["added:+new\n", "removed:-old\n"]],
  ["json", '{"a": true, "n": 12}', ['string:"a"', "keyword:true", 'string:"n"', "number:12"]],
])("%s: %s", (language, code, coloured) => {
  expect(
    highlight(code, language)
      .filter((t) => t.kind !== "plain")
      .map((t) => `${t.kind}:${t.text}`),
  ).toEqual(coloured);
});
