/**
 * What the designs ask for: each requirement has a test that shows it, and each of these tests is there by that name.
 * (That the page says the same is a page's own test.)
 */
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { designs } from "../docs/designs.ts";
import { placeOf } from "./designs/design.ts";
import { titlesIn } from "./designs/titles.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const rows = designs.flatMap(({ letter, chapters }) =>
  Object.entries(chapters).flatMap(([chapter, all]) =>
    all.map((row) => ({ ...row, where: `${letter} ${row.at ?? chapter}` })),
  ),
);
const known = new Map<string, ReadonlySet<string>>();

function namesIn(file: string): ReadonlySet<string> {
  const names =
    known.get(file) ?? new Set(existsSync(root + file) ? titlesIn(file, readFileSync(root + file, "utf8")) : []);
  known.set(file, names);
  return names;
}

describe("each requirement of a design", () => {
  test("is shown by a test", () => {
    expect(rows.length).toBeGreaterThan(400);
    expect(rows.filter(({ shown }) => shown.length === 0).map(({ where, needs }) => `${where}: ${needs}`)).toEqual([]);
  });

  test("names tests that are there", () => {
    const gone = rows.flatMap(({ where, shown }) =>
      shown
        .filter((one) => !namesIn(placeOf(one).file).has(placeOf(one).name))
        .map((one) => `${where} names a test that is not there: ${one}`),
    );
    expect(gone).toEqual([]);
  });

  test("stands once, and names no test twice", () => {
    const keys = rows.map(({ where, needs }) => `${where}: ${needs}`);
    expect(keys.filter((key, at) => keys.indexOf(key) !== at)).toEqual([]);
    expect(
      rows.filter(({ shown }) => new Set(shown).size < shown.length).map(({ where, needs }) => `${where}: ${needs}`),
    ).toEqual([]);
  });
});

describe("the tests of a file are known by name", () => {
  const names = (text: string): string[] => titlesIn("a.test.ts", text);

  test("with the describes around them, however they are made", () => {
    expect(
      names(
        'describe("a", () => { test("b", () => {}); describe.each([1])("%s", () => { it.each([2])("c %s", () => {}); }); });',
      ),
    ).toEqual(["a > b", "a > %s > c %s"]);
    expect(
      names(
        'test.skipIf(x)("a", () => {}); test.concurrent("b", () => {}); test.for([1])("c", () => {}); test.each`x`("d", () => {});',
      ),
    ).toEqual(["a", "b", "c", "d"]);
    expect(names("test(`a ${b} c`, () => {}); test(d, () => {});")).toEqual(["a … c", "…"]);
    expect(names('const inTerminal = test.skipIf(x); describe("a", () => { inTerminal("b", () => {}); });')).toEqual([
      "a > b",
    ]);
  });

  test("and nothing else is taken for one", () => {
    expect(
      names(
        'test.each([1]); pattern.test("a"); const test = 1; // test("b")\n/* it("c") */ "test(d)"; onTestFinished("e");',
      ),
    ).toEqual([]);
  });
});
