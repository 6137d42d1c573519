import { expect, test } from "vitest";
import { runToEnd } from "../../../src/base/hidden-characters.ts";
import { excessIn, MOST_BYTES } from "../../../src/core/decisions/request-size.ts";
import { PAGE_CHARS } from "../../../src/core/decisions/pages.ts";
import { bytesOf, layOut, MOST_PAGES, reviewText } from "../../../src/core/decisions/review-text.ts";
import { openFileLimit } from "../../../src/discord/api/file-limit.ts";

test.each([
  [
    "7.8 million characters that nobody can see",
    { command: "\x7f".repeat(7_800_000) },
    { of: "bytes", count: 7_800_007, most: 1_000_000 },
  ],
  [
    "a file of 3.9 MB before and after",
    { old_string: "\x01".repeat(3_900_000), new_string: "\x01".repeat(3_900_000) },
    { of: "bytes", count: 7_800_020, most: 1_000_000 },
  ],
  ["letters of three bytes", { content: "漢".repeat(400_000) }, { of: "bytes", count: 1_200_007, most: 1_000_000 }],
  [
    "characters whose marks fill too many pages",
    { command: "\x7f".repeat(950_000) },
    { of: "pages", count: 2534, most: 500 },
  ],
  ["too many values", { list: Array.from({ length: 5_000 }, () => 1) }, { of: "values", count: 5002, most: 3000 }],
])("%s: refused, and counted", (_what, input, excess) => {
  expect(runToEnd(excessIn(input))).toEqual(excess);
});

test.each([
  { command: "ls" },
  { content: "x".repeat(999_000) },
  { content: "a line\n".repeat(140_000) },
  { command: "\x7f".repeat(120_000) },
])("what fits is not refused", (input) => {
  expect(runToEnd(excessIn(input))).toBeNull();
  expect(reviewText(bytesOf({ tool: "Bash", input })).pages.length).toBeGreaterThan(0);
});

test("a request that takes more pages than were counted is given up at the first too many", () => {
  const input = { list: Array.from({ length: 20 }, (_, at) => `${at}${"\x7f".repeat(40_000)}`) };
  expect(runToEnd(excessIn(input))).toBeNull();
  const work = layOut(bytesOf({ tool: "Bash", input }));
  let step = work.next();
  while (step.done !== true) step = work.next();
  expect(step.value).toBeNull();
});

test("the file of as many pages as may be fits into the least that a server takes", () => {
  const least = openFileLimit({ guildId: "1", premiumTier: 0 }).bytes();
  // No character takes more than three bytes for each of its code units.
  expect(MOST_PAGES * (PAGE_CHARS + 1) * 3).toBeLessThan(least);
  expect(MOST_BYTES).toBeLessThan(least);
});
