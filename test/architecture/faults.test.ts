/**
 * The faults of Discord that Bellhop has to survive, D1 to D24, have one home each: a test whose title begins with
 * the fault's number. A fault without a test is one that nobody would notice coming back.
 */
import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));
const FAULTS = Array.from({ length: 24 }, (_, index) => index + 1);

/** The faults that titles in this text begin with, as `D7: …`. */
function named(text: string): number[] {
  return [...text.matchAll(/^\s*test\(\s*["'`]D(\d+): /gm)].map(([, number]) => Number(number));
}

test("each fault of D1 to D24 is named by exactly one test", () => {
  const files = globSync("**/*.test.ts", { cwd: root, exclude: (name) => name.includes("node_modules") });
  const found = files.flatMap((file) => named(readFileSync(`${root}${file}`, "utf8")));
  expect(files.length).toBeGreaterThan(50);
  expect(found.toSorted((a, b) => a - b)).toEqual(FAULTS);
});

test("a title names a fault only where it begins with it", () => {
  expect(
    named('test("D3: a", async () => {\n  test("D12: b", () => {\n// test(D4: no\ntest("about D5: no", () => {'),
  ).toEqual([3, 12]);
});
