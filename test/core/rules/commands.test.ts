/** Each line of `commands.txt`: what a rule can cover of a command. */
import { expect, test } from "vitest";
import { readCommand, ROWS } from "../../../src/core/rules/commands.ts";
import { offersFor, type RuleOffer } from "../../../src/core/rules/judge.ts";
import { bash, facts, placed } from "./asked.ts";
import { commandTable } from "./table.ts";

/** What the widest rule would be, in the letters of the table. */
function widest(command: string): string {
  const asked = bash(command, { description: "as its agent says" });
  const offers = offersFor(asked, placed(asked));
  const [exact, ...wider] = offers.map(({ cover }) => cover);
  if (exact === undefined) return "never";
  const last = wider.at(-1);
  if (last === undefined) return "exact";
  if (last.family !== "command") return last.family;
  return last.words.map(({ open = "fixed" }) => open[0]).join("");
}

test("there is a table", () => {
  expect(commandTable.length).toBeGreaterThan(600);
  expect(new Set(commandTable.map(({ of }) => of)).size).toBe(commandTable.length);
  expect(commandTable.filter(({ why }) => why === "")).toEqual([]);
});

test.each(commandTable)("$of is $is: $why", ({ is, of: command }) => {
  expect(widest(command)).toBe(is);
});

test("each row of the table is read in it, and each has options that it lacks", () => {
  const known = new Set(commandTable.map(({ of }) => readCommand(of)?.program));
  for (const { programs } of ROWS) {
    for (const program of programs) expect([...known], program).toContain(program);
    const [first = ""] = programs;
    const left = commandTable.filter(({ is, of }) => is === "exact" && of.startsWith(`${first} -`));
    expect(left.length, first).toBeGreaterThan(1);
  }
});

test("what is offered becomes wider and wider", () => {
  const asked = bash("grep -n -A 3 needle src/a.ts docs/b.md");
  const offers: RuleOffer[] = offersFor(asked, placed(asked));
  const opened = offers.map(({ cover }) =>
    cover.family === "command" ? cover.words.filter(({ open }) => open).length : -1,
  );
  expect(opened).toEqual([-1, 0, 1, 4]);
  expect(offers.map(({ never }) => never.length > 0)).toEqual([true, true, true, true]);
});

test("a command is read where it starts only", () => {
  const asked = bash("cat a");
  for (const cwd of [null, "/home/me", "/home/me/application", "/"])
    expect(offersFor(asked, placed(asked, { ...facts, cwd })).map(({ cover }) => cover.family)).toEqual(["exact"]);
});
