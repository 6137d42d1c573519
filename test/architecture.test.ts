/**
 * The sources, checked against the rules of docs/architecture.md; and each rule checked against a few files that break
 * it, because a rule that catches nothing is no rule.
 */
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { errors } from "../src/base/errors.ts";
import { catalogues } from "../src/base/words/say.ts";
import * as rules from "./architecture/rules.ts";
import { parse, readSources, type Source } from "./architecture/source.ts";
import { specifiedCodes } from "./architecture/specified-codes.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const src = readSources(root, ["src", "packages/discord-sandbox/src", "packages/demo-agent/src"]);
const tools = readSources(root, [
  "bench",
  "docs",
  "bin",
  "setup.cjs",
  "dev.cjs",
  "build.mjs",
  "vitest.config.ts",
  "packages/discord-sandbox/bin",
  "packages/discord-sandbox/build.mjs",
  "packages/demo-agent/bin",
  "packages/demo-agent/build.mjs",
]);
const tests = readSources(root, ["test", "packages/discord-sandbox/test", "packages/demo-agent/test"]).filter(
  ({ path }) => !path.startsWith("test/agents/node_modules/"),
);
const sentences: Record<string, string> = catalogues.en;
const glossary = readGlossary(readFileSync(`${root}docs/glossary.md`, "utf8"));

describe("the sources", () => {
  test("are there to look at", () => {
    expect(src.length).toBeGreaterThan(50);
    expect(src.flatMap(({ imports }) => imports).length).toBeGreaterThan(100);
  });

  test("have imports that point down, and neighbours that never import each other", () => {
    expect(rules.layerBreaks(src)).toEqual([]);
  });

  test("no file leads back to itself, but by types inside a folder", () => {
    expect(rules.cycles([...src, ...tests])).toEqual([]);
  });

  test("the folders of the core use each other's values in one direction", () => {
    expect(rules.coreBreaks(src)).toEqual([]);
  });

  test("each foreign package is imported in its own folder only", () => {
    expect(rules.packageBreaks(src)).toEqual([]);
  });

  test("modules are imported by their faces, which docs/architecture.md lists", () => {
    const page = readFileSync(`${root}docs/architecture.md`, "utf8");
    const list = /modules with a face[^]*?\n((?:- .*\n)+)/.exec(page)?.[1] ?? "";
    const faces = new Map(
      list.split("\n").flatMap((row) => {
        const [folder, ...files] = [...row.matchAll(/`([\w/-]+)`/g)].map(([, name = ""]) => name);
        return folder === undefined ? [] : [[folder, files] as const];
      }),
    );
    expect(faces.size).toBeGreaterThan(10);
    expect(rules.faceBreaks(src, faces)).toEqual([]);
  });

  test("a file with one importer is part of it, or it is listed here with its reason", () => {
    const reasons: Record<string, string> = {
      "src/app/lifecycle.ts": "start and end of the process, without what runs in it",
      "src/cli/backup.ts": "a verb",
      "src/cli/forget.ts": "a verb",
      "src/cli/hook.ts": "a verb",
      "src/cli/init.ts": "a verb",
      "src/cli/journal.ts": "a verb",
      "src/cli/lock.ts": "two verbs",
      "src/cli/logs.ts": "a verb",
      "src/cli/mcp.ts": "a verb",
      "src/cli/tail.ts": "a verb",
      "src/cli/watch.ts": "a verb",
      "src/core/decisions/answers/pattern.ts": "a search in linear time, whoever asks for it",
      "src/core/restart.ts": "what a restart means, beside what happens in between",
    };
    expect(rules.lonelyFiles(src.filter(({ path }) => path.startsWith("src/"))).sort()).toEqual(Object.keys(reasons));
  });

  test("core is pure", () => {
    expect(rules.impurities(src)).toEqual([]);
  });

  test("no file is over 500 lines and no function over 80, and no file of tests over 600", () => {
    expect(rules.tooLong([...src, ...tools, ...tests])).toEqual([]);
  });

  test("every file opens with what it is", () => {
    expect(rules.silentFiles([...src, ...tools])).toEqual([]);
  });

  test("files are named by what they hold, in the words of the glossary", () => {
    expect(rules.badNames([...src, ...tests], glossary.givenUp)).toEqual([]);
  });

  test("functions and methods have names that one would search for", () => {
    expect(src.flatMap(({ exported }) => exported).length).toBeGreaterThan(500);
    expect(src.flatMap(({ members }) => members).length).toBeGreaterThan(500);
    expect(rules.givenUpNames(src)).toEqual([]);
  });

  test("a method's name is on at most three contracts", () => {
    expect(rules.crowdedNames(src)).toEqual([]);
  });

  test("no module keeps state of its own", () => {
    expect(rules.moduleState(src)).toEqual([]);
  });

  test("a type name is defined in one file, but for a short list with reasons", () => {
    expect(rules.repeatedTypes(src)).toEqual([]);
    expect(Object.keys(rules.repeatableTypes).length).toBeLessThanOrEqual(15);
    expect(Object.values(rules.repeatableTypes)).not.toContain("");
  });

  test("tests wait on facts, and none is left out", () => {
    expect(rules.dishonestTests(tests)).toEqual([]);
  });
});

describe("the errors", () => {
  test("hold every code the specification names", ({ annotate }) => {
    expect(Object.keys(errors)).toEqual(expect.arrayContaining([...specifiedCodes]));
    const spec = new URL("../../shared/spec.md", import.meta.url);
    if (!existsSync(spec))
      return void annotate("The specification is not beside this checkout; the frozen list alone was compared.");
    const section = /## 7\. Error codes\n([\s\S]*?)\n## /.exec(readFileSync(spec, "utf8"))?.[1] ?? "";
    const named = section.match(/E_[A-Z_]+/g) ?? [];
    expect(named.length).toBeGreaterThan(5);
    expect(specifiedCodes).toEqual(expect.arrayContaining(named));
  });

  test("that the code uses all stand in the table", () => {
    expect(rules.unknownCodes(src, Object.keys(errors))).toEqual([]);
  });

  test("say truly which of them nothing raises yet", () => {
    const used = src
      .filter(({ path }) => path !== "src/base/errors.ts")
      .flatMap(({ errorCodes }) => errorCodes.map(({ code }) => code));
    const unraised = Object.keys(errors).filter((code) => !used.includes(code));
    expect(
      Object.entries(errors)
        .filter(([, { raised }]) => raised === "")
        .map(([one]) => one),
    ).toEqual(unraised);
  });

  test("name places that are there", () => {
    const places = Object.values(errors)
      .flatMap(({ raised }) => raised.split(", "))
      .filter((place) => place !== "" && place !== "anywhere");
    expect(
      places.filter((place) => !existsSync(`${root}src/${place}`) && !existsSync(`${root}src/${place}.ts`)),
    ).toEqual([]);
  });

  test("are raised with all that their sentences say", () => {
    expect(rules.missingDetails(src, (code) => sentences[code])).toEqual([]);
  });

  test("never quote words of ours as somebody else's", () => {
    expect(src.flatMap(({ quotations }) => quotations).length).toBeGreaterThan(1);
    expect(rules.ownQuotations(src)).toEqual([]);
  });
});

test("the files that docs/architecture.md names are there", () => {
  const page = readFileSync(`${root}docs/architecture.md`, "utf8");
  const named = [...page.matchAll(/`((?:[\w-]+\/)+[\w-]+\.ts)`/g)].map(([, file = ""]) => file);
  expect(named.length).toBeGreaterThan(30);
  expect(
    named.filter(
      (file) => !existsSync(`${root}src/${file}`) && !src.some(({ path }) => `/${path}`.endsWith(`/${file}`)),
    ),
  ).toEqual([]);
});

test("the glossary has every word of the specification, and at most 25 in all", () => {
  const words = [
    "Project",
    "Session",
    "Tool",
    "Driver",
    "Job",
    "Turn",
    "Decision",
    "Post",
    "Inbox message",
    "Event",
    "Command",
    "Live event",
    "Reconciler",
    "Owner",
    "Stranger",
  ];
  expect(glossary.words).toEqual(words);
  const besides =
    /^Words about the code itself: [^]*/m.exec(readFileSync(`${root}docs/glossary.md`, "utf8"))?.[0] ?? "";
  expect(words.length + (besides.match(/\*\*/g)?.length ?? 0) / 2).toBeLessThanOrEqual(25);
  expect(glossary.givenUp).toEqual(expect.arrayContaining(["conversation", "task"]));
});

/** A few files: path → text. */
function sources(files: Record<string, string>): Source[] {
  return Object.entries(files).map(([path, text]) => parse(path, text));
}

describe("what breaks a rule is caught", () => {
  test("an import that points up, sideways, into a package, out of it, only at a type, or up inside a layer", () => {
    const bad = sources({
      "src/core/jobs/job.ts": 'import { open } from "../../journal/writer.ts";',
      "src/agents/run/runner.ts": 'import type { PostSync } from "../../discord/delivery/sync-posts.ts";',
      "src/host/git/git.ts": 'export { verify } from "../../journal/reader.ts";',
      "packages/discord-sandbox/src/guild.ts": 'type Clock = import("../../../src/base/clock.ts").Clock;',
      "src/engine/engine.ts": 'await import("../cli/start.ts");',
      "src/base/ids.ts": 'import "../config/settings.ts";',
      "src/discord/views/thread.ts": 'import { Server } from "../../../packages/discord-sandbox/src/server.ts";',
      "src/discord/text/split.ts": 'import type { Body } from "../views/body.ts";',
      "src/agents/codex/driver.ts": 'import "../claude/driver.ts";',
      "src/attic/box.ts": 'import "../base/ids.ts";',
    });
    expect(rules.layerBreaks(bad)).toHaveLength(Object.keys(bad).length);
    const good = sources({
      "src/cli/sandbox.ts": 'import "discord-sandbox"; import { main } from "../app/main.ts"; import "./io.ts";',
      "src/app/main.ts": 'import "../discord/bot.ts"; import "../journal/writer.ts";',
      "src/discord/views/queue-card.ts": 'import "../text/split.ts"; import "../api/request-queue.ts";',
      "src/config/settings.ts": 'import "../base/ids.ts";',
      "packages/discord-sandbox/src/page/main.tsx": 'import "../state/snowflakes.ts"; import { h } from "preact";',
    });
    expect(rules.layerBreaks(good)).toEqual([]);
  });

  test("a cycle, told once, through the types of another folder too, but not through those of its own or of the core", () => {
    const bad = (folder: string) =>
      sources({
        "src/host/a.ts": `import type { B } from "./${folder}b.ts";`,
        [`src/host/${folder}b.ts`]: 'import { c } from "./c.ts";',
        [`src/host/${folder}c.ts`]: `export * from "${folder === "" ? "./" : "../"}a.ts";`,
        "src/host/d.ts": 'import "./a.ts";',
      });
    expect(rules.cycles(bad("git/"))).toEqual([
      "src/host/a.ts → src/host/git/b.ts → src/host/git/c.ts → src/host/a.ts",
    ]);
    expect(rules.cycles(bad(""))).toEqual([]);
    const core = {
      "src/core/a.ts": 'import type { B } from "./jobs/b.ts";',
      "src/core/jobs/b.ts": 'import { a } from "../a.ts";',
    };
    expect(rules.cycles(sources(core))).toEqual([]);
    const values = { "src/core/a.ts": 'import { b } from "./b.ts";', "src/core/b.ts": 'import "./a.ts";' };
    expect(rules.cycles(sources(values))).toEqual(["src/core/a.ts → src/core/b.ts → src/core/a.ts"]);
  });

  test("a value from a folder of the core that is above, or beside", () => {
    const bad = sources({
      "src/core/posts/a.ts": 'import { b } from "../inbox/b.ts";\nimport type { C } from "../jobs/c.ts";\n',
      "src/core/jobs/c.ts": 'import { a } from "../posts/a.ts";\nimport { d } from "./d.ts";\n',
      "src/core/decisions/e.ts": 'import { c } from "../jobs/c.ts";\n',
    });
    expect(rules.coreBreaks(bad)).toEqual([
      "src/core/posts/a.ts:1 imports src/core/inbox/b.ts",
      "src/core/decisions/e.ts:1 imports src/core/jobs/c.ts",
    ]);
  });

  test("an import past a module's face, and a face that nobody outside imports", () => {
    const bad = sources({
      "src/agents/claude/driver.ts": 'import "./turn.ts";\n',
      "src/agents/claude/turn.ts": "",
      "src/agents/claude/asking/hook.ts": 'import "../turn.ts";\n',
      "src/agents/run/runner.ts": 'import "../claude/turn.ts";\nimport "../claude/driver.ts";\n',
    });
    expect(rules.faceBreaks(bad, new Map([["agents/claude", ["driver"]]]))).toEqual([
      "src/agents/run/runner.ts:1 imports src/agents/claude/turn.ts, which is not of its folder's face",
    ]);
    expect(rules.faceBreaks(bad, new Map([["agents/run", ["runner"]]]))).toEqual([
      "agents/run/runner is a face that nobody outside imports",
    ]);
  });

  test("a file with one importer in its folder, unless the two are too long for one", () => {
    const bad = sources({
      "src/engine/engine.ts": 'import "./queue.ts";\nimport "./long.ts";\nimport "../journal/writer.ts";\n',
      "src/engine/queue.ts": "",
      "src/engine/long.ts": "\n".repeat(400),
      "src/journal/writer.ts": "",
    });
    expect(rules.lonelyFiles(bad)).toEqual(["src/engine/queue.ts"]);
  });

  test("a package in a folder that is not its own, and one that has none", () => {
    const bad = sources({
      "src/agents/run/runner.ts":
        'import { spawn } from "node:child_process"; import { REST } from "@discordjs/rest"; import lodash from "lodash";',
    });
    expect(rules.packageBreaks(bad)).toEqual([
      "src/agents/run/runner.ts:1 imports node:child_process",
      "src/agents/run/runner.ts:1 imports @discordjs/rest",
      "src/agents/run/runner.ts:1 imports lodash",
    ]);
  });

  test("a clock, chance, a timer, the process or I/O in the core", () => {
    const bad = sources({
      "src/core/jobs/job.ts": [
        "const at = Date.now();",
        "const id = () => Math.random();",
        "setTimeout(() => undefined, 1);",
        "export const home = process.env.HOME;",
        'import fs from "node:fs";',
        'import { nodeDisk } from "../../base/disk.ts";',
        "const { now } = performance;",
        "f({ at: new Date(0) });",
      ].join("\n"),
    });
    expect(new Set(rules.impurities(bad).map((line) => line.split(" ")[0]))).toEqual(
      new Set(Array.from({ length: 8 }, (_, line) => `src/core/jobs/job.ts:${line + 1}`)),
    );
    const good = sources({
      "src/core/jobs/job.ts":
        '/** Date.now() */ import { isSnowflake } from "../../base/ids.ts"; import type { Clock } from "../../base/clock.ts"; const x = { Date: "a" }; x.Date; Math.max(1, 2);',
    });
    expect(rules.impurities(good)).toEqual([]);
  });

  test("a file or a function that is too long, without the functions inside it", () => {
    const lines = (count: number): string => "\n".repeat(count - 1);
    expect(rules.tooLong(sources({ "src/base/a.ts": `const a = 1;${lines(501)}const b = 2;` }))).toEqual([
      "src/base/a.ts has 501 lines",
    ]);
    expect(rules.tooLong(sources({ "src/base/a.ts": `export function long() {${lines(80)}}` }))).toEqual([]);
    expect(rules.tooLong(sources({ "src/base/a.ts": `\nexport function long() {${lines(81)}}` }))).toEqual([
      "src/base/a.ts:2 long has 81 lines",
    ]);
    expect(rules.tooLong(sources({ "src/base/a.ts": `class A { #go() {${lines(81)}} }` }))).toHaveLength(1);
    expect(
      rules.tooLong(
        sources({ "src/base/a.ts": `function open() {${lines(50)}return { go() {${lines(50)}} };${lines(30)}}` }),
      ),
    ).toEqual([]);
    expect(rules.tooLong(sources({ "test/a.test.ts": `test("x", () => {${lines(600)}});` }))).toEqual([]);
    expect(rules.tooLong(sources({ "test/a.test.ts": `const a = 1;${lines(601)}const b = 2;` }))).toHaveLength(1);
  });

  test("a file without a word about itself", () => {
    const promise = "/** What this is, and the promise it keeps to the others. */";
    const bad = sources({
      "src/base/a.ts": "export const a = 1;",
      "src/base/b.ts": `import "./a.ts";\n${promise}`,
      "src/base/c.ts": "/** Short. */",
    });
    expect(rules.silentFiles(bad)).toHaveLength(3);
    expect(
      rules.silentFiles(sources({ "bin/a.cjs": `#!/usr/bin/env node\n${promise}\nf();`, "src/base/a.ts": promise })),
    ).toEqual([]);
  });

  test("a drawer, a word given up, capitals", () => {
    const bad = sources({
      "src/base/utils.ts": "",
      "src/core/session-manager.ts": "",
      "src/core/task.ts": "",
      "src/core/Job.ts": "",
      "src/core/index.ts": "",
    });
    expect(rules.badNames(bad, ["task"])).toHaveLength(5);
    expect(rules.badNames(sources({ "src/core/jobs/job.ts": "", "test/core/job-end.test.ts": "" }), ["task"])).toEqual(
      [],
    );
  });

  test("a name that was given up: exported, of a method, of a function that a type has, or private", () => {
    const bad = sources({
      "src/base/a.ts": "export function told() {}\nexport const [late, take] = [1, () => 2];\nexport const hear = 1;",
      "src/base/b.ts":
        "export class A { note() {} constructor() {} get told() { return 1; }\n#look() {}\ntaken = () => 1;\nsaid!: () => void; }",
      "src/base/c.ts": "interface B { hear(): void;\nkept: () => void }\nfunction f(by: { tell(): void }) {}",
    });
    expect(rules.givenUpNames(bad)).toEqual([
      "src/base/a.ts:1 exports told",
      "src/base/a.ts:3 exports hear",
      "src/base/b.ts:1 A has note",
      "src/base/b.ts:2 A has look",
      "src/base/b.ts:3 A has taken",
      "src/base/b.ts:4 A has said",
      "src/base/c.ts:1 B has hear",
      "src/base/c.ts:2 B has kept",
      "src/base/c.ts:3  has tell",
    ]);
    const good = sources({
      "src/base/a.ts": "function told() {} export interface told { kept: boolean; late: string } export type hear = 1;",
      "src/base/words/en.ts": "export const told = 1;",
      "packages/demo-agent/src/a.ts": "export function take() {}",
    });
    expect(rules.givenUpNames(good)).toEqual([]);
  });

  test("a method's name on a fourth contract, unless a type has it from another, or it is free", () => {
    const three = "interface A { sort(): void } interface B { sort: () => void } class C { sort() {} #wait() {} }";
    const crowded = sources({ "src/base/a.ts": three, "src/core/d.ts": "interface D { sort(): void }" });
    expect(rules.crowdedNames(crowded)).toEqual([
      "sort is on src/base/a.ts A, src/base/a.ts B, src/base/a.ts C, src/core/d.ts D",
    ]);
    const good = sources({
      "src/base/a.ts": three,
      "src/core/d.ts":
        'class D implements A { sort() {} } class E extends D { sort() {} } interface F extends Pick<B, "sort"> { sort(): void } interface G { sort: A["sort"] }',
      "src/core/e.ts": "class H { open() {} #wait() {} } class I { open() {} #wait() {} } interface J { open(): void }",
      "src/core/f.ts": "interface K { open(): void } class L { #wait() {} } function f(by: { sort(): void }) {}",
    });
    expect(rules.crowdedNames(good)).toEqual([]);
  });

  test("a variable of a module", () => {
    const bad = sources({
      "src/base/a.ts":
        "let count = 0;\nexport let last;\nfunction f() { let inner = 1; for (let i = 0; ;) {} }\nfor (let j = 0; ;) {}",
    });
    expect(rules.moduleState(bad)).toEqual([
      "src/base/a.ts:1 keeps count for the whole module",
      "src/base/a.ts:2 keeps last for the whole module",
    ]);
  });

  test("a type name that two files define, and a listed one that is not repeated", () => {
    const repeated = sources({
      "src/core/a.ts": "export interface Asked {}\ntype Local = 1;\ninterface Once {}\ninterface Once {}",
      "src/discord/b.ts": "\nexport abstract class Asked {}\nfunction f() { type Local = 2; }",
      "src/base/words/en.ts": "type Words = 1;",
      "src/base/words/de.ts": "type Words = 2;",
      "packages/demo-agent/src/a.ts": "type Local = 1;",
      "test/a.test.ts": "interface Once {}",
    });
    const line = "Asked is defined in src/core/a.ts:1 and src/discord/b.ts:2";
    expect(rules.repeatedTypes(repeated, {})).toEqual([line]);
    expect(rules.repeatedTypes(repeated, { Asked: "reason" })).toEqual([]);
    expect(rules.repeatedTypes(repeated, { Asked: "reason", Once: "reason" })).toEqual([
      "Once is listed but not repeated",
    ]);
  });

  test("a code that is not in the table, and an error that lacks what its sentence says", () => {
    const bad = sources({
      "src/core/a.ts":
        'throw new BellhopError("E_FULL", { a: 1 });\nnew BellhopError("E_FULL");\nnew BellhopError("E_FULL", details);\nnew BellhopError("E_FULL", { ...b });',
    });
    expect(rules.unknownCodes(bad, ["E_OTHER"])).toHaveLength(4);
    expect(rules.missingDetails(bad, () => "{a} of {limit}")).toEqual([
      "src/core/a.ts:1 raises E_FULL without limit",
      "src/core/a.ts:2 raises E_FULL without a, limit",
    ]);
  });

  test("words of ours that are quoted as somebody else's", () => {
    const bad = sources({
      "src/agents/a.ts":
        'theirWords("it is gone");\nreasonDetails(`ended by ${signal}`);\nreasonDetails(said || "no reason given", {});',
    });
    expect(rules.ownQuotations(bad)).toEqual([
      'src/agents/a.ts:1 quotes "it is gone"',
      'src/agents/a.ts:2 quotes "ended by "',
      'src/agents/a.ts:3 quotes "no reason given"',
    ]);
    expect(
      rules.ownQuotations(
        sources({
          "src/agents/a.ts":
            'theirWords("EACCES");\nreasonDetails(stderr, { because: "why_link" });\ntheirWords(`${what} ${file}: ${errno}`);',
        }),
      ),
    ).toEqual([]);
  });

  test("a test that sleeps or is left out", () => {
    const bad = sources({
      "test/a.test.ts":
        'test.only("a", () => {});\ndescribe.skip("b", () => {});\ntest("c", () => new Promise((done) => setTimeout(done, 5)));\nit.todo("d");',
    });
    expect(rules.dishonestTests(bad)).toHaveLength(4);
  });
});

/** The words of the table, and those of its last column. */
function readGlossary(text: string): { words: string[]; givenUp: string[] } {
  const rows = text
    .split("\n")
    .filter((line) => /^\| [A-Z]/.test(line))
    .slice(1);
  const cells = rows.map((row) => row.split("|").map((cell) => cell.trim()));
  return { words: cells.map((row) => row[1] ?? ""), givenUp: cells.flatMap((row) => (row[3] ?? "").split(", ")) };
}
