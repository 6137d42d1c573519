/**
 * The house as it is laid out, held against its own rules; and each rule held against a small house that breaks
 * it, because a rule that never bites is no rule.
 */
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { errors } from "../src/base/errors.ts";
import { catalogues } from "../src/base/words/say.ts";
import * as rules from "./house/rules.ts";
import { parse, readSources, type Source } from "./house/source.ts";
import { specifiedCodes } from "./house/specified-codes.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const src = readSources(root, ["src"]);
const tools = readSources(root, ["bench", "docs", "bin", "setup.cjs", "build.mjs", "vitest.config.ts"]);
const tests = readSources(root, ["test"]).filter(({ path }) => !path.startsWith("test/agents/node_modules/"));
const sentences: Record<string, string> = catalogues.en;
const glossary = readGlossary(readFileSync(`${root}docs/glossary.md`, "utf8"));

describe("the house", () => {
  test("has something in it to look at", () => {
    expect(src.length).toBeGreaterThan(50);
    expect(src.flatMap(({ imports }) => imports).length).toBeGreaterThan(100);
  });

  test("imports point down, and neighbours never import each other", () => {
    expect(rules.floorBreaks(src)).toEqual([]);
  });

  test("no file leads back to itself", () => {
    expect(rules.cycles([...src, ...tests])).toEqual([]);
  });

  test("each foreign package is spoken to from its own room", () => {
    expect(rules.packageBreaks(src)).toEqual([]);
  });

  test("the core is pure", () => {
    expect(rules.impurities(src)).toEqual([]);
  });

  test("no file is over 400 lines and no function over 70", () => {
    expect(rules.tooLong([...src, ...tools, ...tests])).toEqual([]);
  });

  test("every file opens with what it is", () => {
    expect(rules.silentFiles([...src, ...tools])).toEqual([]);
  });

  test("files are named by what they hold, in the words of the glossary", () => {
    expect(rules.badNames([...src, ...tests], glossary.givenUp)).toEqual([]);
  });

  test("no module keeps state of its own", () => {
    expect(rules.moduleState(src)).toEqual([]);
  });

  test("tests wait on facts, and none is left out", () => {
    expect(rules.dishonestTests(tests)).toEqual([]);
  });
});

describe("the errors", () => {
  test("hold every code the specification names", ({ annotate }) => {
    expect(Object.keys(errors)).toEqual(expect.arrayContaining([...specifiedCodes]));
    const spec = new URL("../../shared/spec.md", import.meta.url);
    if (!existsSync(spec)) return void annotate("The specification is not beside this checkout; the frozen list alone was compared.");
    const section = /## 7\. Error codes\n([\s\S]*?)\n## /.exec(readFileSync(spec, "utf8"))?.[1] ?? "";
    const named = section.match(/E_[A-Z_]+/g) ?? [];
    expect(named.length).toBeGreaterThan(5);
    expect(specifiedCodes).toEqual(expect.arrayContaining(named));
  });

  test("that the code uses all stand in the table", () => {
    expect(rules.unknownCodes(src, Object.keys(errors))).toEqual([]);
  });

  test("are raised with all that their sentences say", () => {
    expect(rules.missingDetails(src, (code) => sentences[code])).toEqual([]);
  });
});

test("the glossary has every word of the specification", () => {
  const words = ["Project", "Session", "Tool", "Driver", "Job", "Decision", "Post", "Inbox message", "Event", "Command", "Signal", "Keeper", "Owner", "Stranger"];
  expect(glossary.words).toEqual(words);
  expect(glossary.givenUp).toEqual(expect.arrayContaining(["conversation", "task", "turn"]));
});

/** A small house: path → text. */
function house(files: Record<string, string>): Source[] {
  return Object.entries(files).map(([path, text]) => parse(path, text));
}

describe("a house that breaks a rule is caught", () => {
  test("an import that points up, sideways, out of the sandbox, or only at a type", () => {
    const bad = house({
      "src/core/job.ts": 'import { open } from "../journal/writer.ts";',
      "src/agents/runner.ts": 'import type { Outbox } from "../discord/outbox.ts";',
      "src/host/git.ts": 'export { verify } from "../journal/reader.ts";',
      "src/sandbox/guild.ts": 'type Clock = import("../config/settings.ts").Settings;',
      "src/engine/engine.ts": 'await import("../cli/start.ts");',
      "src/base/ids.ts": 'import "../config/settings.ts";',
      "src/discord/view.ts": 'import { Server } from "../sandbox/server.ts";',
      "src/attic/box.ts": 'import "../base/ids.ts";',
    });
    expect(rules.floorBreaks(bad)).toHaveLength(Object.keys(bad).length);
    const good = house({
      "src/cli/sandbox.ts": 'import "../sandbox/server.ts"; import { main } from "../main.ts"; import "./io.ts";',
      "src/main.ts": 'import "./discord/view.ts"; import "./journal/writer.ts";',
      "src/config/settings.ts": 'import "../base/ids.ts";',
      "src/sandbox/page/main.tsx": 'import "../form.ts"; import "../../base/words/page/words.ts"; import { h } from "preact";',
    });
    expect(rules.floorBreaks(good)).toEqual([]);
  });

  test("a cycle, told once, through types too", () => {
    const bad = house({
      "src/core/a.ts": 'import type { B } from "./b.ts";',
      "src/core/b.ts": 'import { c } from "./c.ts";',
      "src/core/c.ts": 'export * from "./a.ts";',
      "src/core/d.ts": 'import "./a.ts";',
    });
    expect(rules.cycles(bad)).toEqual(["src/core/a.ts → src/core/b.ts → src/core/c.ts → src/core/a.ts"]);
  });

  test("a package in a foreign room, and one that no room keeps", () => {
    const bad = house({ "src/agents/runner.ts": 'import { spawn } from "node:child_process"; import { REST } from "@discordjs/rest"; import lodash from "lodash";' });
    expect(rules.packageBreaks(bad)).toEqual(["src/agents/runner.ts:1 speaks to node:child_process", "src/agents/runner.ts:1 speaks to @discordjs/rest", "src/agents/runner.ts:1 speaks to lodash"]);
  });

  test("a clock, chance, a timer, the process or I/O in the core", () => {
    const bad = house({
      "src/core/job.ts": [
        "const at = Date.now();",
        "const id = () => Math.random();",
        "setTimeout(() => undefined, 1);",
        "export const home = process.env.HOME;",
        'import fs from "node:fs";',
        'import { nodeDisk } from "../base/disk.ts";',
        "const { now } = performance;",
        "f({ at: new Date(0) });",
      ].join("\n"),
    });
    expect(new Set(rules.impurities(bad).map((line) => line.split(" ")[0]))).toEqual(new Set(Array.from({ length: 8 }, (_, line) => `src/core/job.ts:${line + 1}`)));
    const good = house({ "src/core/job.ts": '/** Date.now() */ import { isSnowflake } from "../base/ids.ts"; import type { Clock } from "../base/clock.ts"; const x = { Date: "a" }; x.Date; Math.max(1, 2);' });
    expect(rules.impurities(good)).toEqual([]);
  });

  test("a file or a function that is too long, but not a chapter of tests", () => {
    const lines = (count: number): string => "\n".repeat(count - 1);
    expect(rules.tooLong(house({ "src/base/a.ts": `const a = 1;${lines(401)}const b = 2;` }))).toEqual(["src/base/a.ts has 401 lines"]);
    expect(rules.tooLong(house({ "src/base/a.ts": `export function long() {${lines(70)}}` }))).toEqual([]);
    expect(rules.tooLong(house({ "src/base/a.ts": `\nexport function long() {${lines(71)}}` }))).toEqual(["src/base/a.ts:2 long has 71 lines"]);
    expect(rules.tooLong(house({ "src/base/a.ts": `class A { #go() {${lines(71)}} }` }))).toHaveLength(1);
    expect(rules.tooLong(house({ "test/a.test.ts": `describe.each([1])("x", () => {${lines(90)}});` }))).toEqual([]);
  });

  test("a file without a word about itself", () => {
    const promise = "/** What this is, and the promise it keeps to the others. */";
    const bad = house({ "src/base/a.ts": "export const a = 1;", "src/base/b.ts": `import "./a.ts";\n${promise}`, "src/base/c.ts": "/** Short. */" });
    expect(rules.silentFiles(bad)).toHaveLength(3);
    expect(rules.silentFiles(house({ "bin/a.cjs": `#!/usr/bin/env node\n${promise}\nf();`, "src/base/a.ts": promise }))).toEqual([]);
  });

  test("a drawer, a word given up, capitals", () => {
    const bad = house({ "src/base/utils.ts": "", "src/core/session-manager.ts": "", "src/core/task.ts": "", "src/core/Job.ts": "", "src/core/index.ts": "" });
    expect(rules.badNames(bad, ["task"])).toHaveLength(5);
    expect(rules.badNames(house({ "src/core/job.ts": "", "test/core/job-end.test.ts": "" }), ["task"])).toEqual([]);
  });

  test("a variable of a module", () => {
    const bad = house({ "src/base/a.ts": "let count = 0;\nexport let last;\nfunction f() { let inner = 1; for (let i = 0; ;) {} }\nfor (let j = 0; ;) {}" });
    expect(rules.moduleState(bad)).toEqual(["src/base/a.ts:1 keeps count for the whole module", "src/base/a.ts:2 keeps last for the whole module"]);
  });

  test("a code that is not in the table, and an error that lacks what its sentence says", () => {
    const bad = house({ "src/core/a.ts": 'throw new BellhopError("E_FULL", { a: 1 });\nnew BellhopError("E_FULL");\nnew BellhopError("E_FULL", details);\nnew BellhopError("E_FULL", { ...b });' });
    expect(rules.unknownCodes(bad, ["E_OTHER"])).toHaveLength(4);
    expect(rules.missingDetails(bad, () => "{a} of {limit}")).toEqual(["src/core/a.ts:1 raises E_FULL without limit", "src/core/a.ts:2 raises E_FULL without a, limit"]);
  });

  test("a test that sleeps or is left out", () => {
    const bad = house({ "test/a.test.ts": 'test.only("a", () => {});\ndescribe.skip("b", () => {});\ntest("c", () => new Promise((done) => setTimeout(done, 5)));\nit.todo("d");' });
    expect(rules.dishonestTests(bad)).toHaveLength(4);
  });
});

/** The words of the table, and those of its last column. */
function readGlossary(text: string): { words: string[]; givenUp: string[] } {
  const rows = text.split("\n").filter((line) => /^\| [A-Z]/.test(line)).slice(1);
  const cells = rows.map((row) => row.split("|").map((cell) => cell.trim()));
  return { words: cells.map((row) => row[1] ?? ""), givenUp: cells.flatMap((row) => (row[3] ?? "").split(", ")) };
}
