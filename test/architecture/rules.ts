/**
 * The rules of docs/architecture.md, each a function from the sources to what breaks it: one line a break, with file
 * and line. An empty list means the rule is kept.
 */
import path from "node:path";
import type { Source } from "./source.ts";

/** A layer imports only from layers with a lower number; those with the same number are neighbours. */
export const layers: Record<string, number> = {
  base: 0,
  config: 1,
  core: 2,
  protocol: 2,
  journal: 3,
  host: 3,
  engine: 4,
  agents: 5,
  discord: 5,
  ipc: 5,
  client: 6,
  app: 6,
  cli: 7,
};

/**
 * The same inside two of them, by folder; "" is for the files beside the folders, "*" for every folder without a line.
 */
export const innerLayers: Record<string, Record<string, number>> = {
  discord: { api: 0, text: 1, views: 2, delivery: 3, threads: 4, intake: 5, interactions: 6, "": 7 },
  agents: { contract: 0, process: 1, "*": 2, tmux: 3, live: 4, run: 5, "": 6 },
};

/** The folders of the core. */
const coreOrder: Readonly<Record<string, number>> = {
  inbox: 0,
  posts: 0,
  projects: 0,
  sessions: 1,
  decisions: 2,
  rules: 3,
  jobs: 4,
};

/** Which folders may import a package. What is not here, nobody imports. */
export const packages: [RegExp, string[]][] = [
  [/^(?:mdast|micromark)-|^string-width$/, ["discord/text"]],
  [/^discord-api-types\//, ["discord", "discord-sandbox"]],
  [/^@modelcontextprotocol\//, ["client/mcp"]],
  [/^@agentclientprotocol\/sdk$/, ["agents/acp", "demo-agent"]],
  [/^node:child_process$/, ["host"]],
  [/^jsonc-parser$/, ["config"]],
  [/^diff$/, ["core"]],
  [/^modern-tar$/, ["cli"]],
  [/^@clack\/prompts$|^uqr$/, ["cli"]],
  [/^pino$/, ["base"]],
  [/^discord-sandbox$/, ["cli"]],
  [/^preact(\/|$)/, ["discord-sandbox"]],
  [/^ws$/, ["discord/api", "discord-sandbox"]],
  [/^zod$/, ["config", "agents", "protocol"]],
  [
    /^node:/,
    [
      "base",
      "config",
      "protocol",
      "journal",
      "host",
      "engine",
      "agents",
      "discord",
      "ipc",
      "client",
      "app",
      "cli",
      "discord-sandbox",
      "demo-agent",
    ],
  ],
];

const layerOf = (file: string): string => file.split("/")[1]?.replace(/\.tsx?$/, "") ?? "";
const folderOf = (file: string): string => file.split("/").slice(2, -1)[0] ?? "";
const isSource = ({ path: file }: Source): boolean => /^(?:packages\/[^/]+\/)?src\//.test(file);

/** The file an import leads to, relative to the repository; undefined for a package. */
function target(source: Source, from: string): string | undefined {
  return from.startsWith(".") ? path.posix.join(path.posix.dirname(source.path), from) : undefined;
}

/** Imports point down, inner layers included, and nothing leads into a package or out of it by a path. Types count. */
export function layerBreaks(sources: readonly Source[]): string[] {
  return sources.filter(isSource).flatMap((source) =>
    source.imports.flatMap(({ from, line }) => {
      const to = target(source, from);
      if (to === undefined || isAllowed(source.path, to)) return [];
      return [`${source.path}:${line} imports ${to}`];
    }),
  );
}

function isAllowed(file: string, to: string): boolean {
  const [layer, other] = [layerOf(file), layerOf(to)];
  if (layer === other) return isAllowedInside(innerLayers[layer], folderOf(file), folderOf(to));
  return isBelow(layers[other], layers[layer]);
}

function isAllowedInside(inner: Record<string, number> | undefined, folder: string, other: string): boolean {
  return inner === undefined || folder === other || isBelow(inner[other] ?? inner["*"], inner[folder] ?? inner["*"]);
}

function isBelow(there: number | undefined, here: number | undefined): boolean {
  return here !== undefined && there !== undefined && there < here;
}

/** A foreign package is imported in its own folders only. */
export function packageBreaks(sources: readonly Source[]): string[] {
  return sources.filter(isSource).flatMap((source) =>
    source.imports.flatMap(({ from, line }) => {
      if (from.startsWith(".")) return [];
      const folders = packages.find(([name]) => name.test(from))?.[1] ?? [];
      return folders.some(
        (folder) => source.path.startsWith(`src/${folder}/`) || source.path.startsWith(`packages/${folder}/src/`),
      )
        ? []
        : [`${source.path}:${line} imports ${from}`];
    }),
  );
}

/** No file leads back to itself, but by types inside one folder, or inside the core. Each cycle is told once. */
export function cycles(sources: readonly Source[]): string[] {
  const leadsTo = (source: Source): string[] =>
    source.imports.flatMap(({ from, typeOnly }) => {
      const to = target(source, from);
      const isInside = to !== undefined && moduleOf(to) === moduleOf(source.path);
      return to === undefined || (typeOnly && isInside) ? [] : [to];
    });
  const next = new Map(sources.map((source) => [source.path, leadsTo(source)]));
  const done = new Set<string>();
  const found = new Set<string>();
  const visit = (file: string, trail: string[]): void => {
    const back = trail.indexOf(file);
    if (back !== -1) {
      const cycle = trail.slice(back);
      const least = cycle.indexOf([...cycle].sort()[0] ?? "");
      found.add([...cycle.slice(least), ...cycle.slice(0, least), cycle[least]].join(" → "));
    } else if (!done.has(file)) {
      for (const other of next.get(file) ?? []) visit(other, [...trail, file]);
      done.add(file);
    }
  };
  for (const source of sources) visit(source.path, []);
  return [...found];
}

/** The folders of the core are parts of one state, whose type all of them know. */
function moduleOf(file: string): string {
  return file.startsWith("src/core/") ? "src/core" : path.posix.dirname(file);
}

/** The folders of the core use each other's values in one direction only. */
export function coreBreaks(sources: readonly Source[]): string[] {
  return sources.flatMap((source) =>
    source.imports.flatMap(({ from, line, typeOnly }) => {
      const to = target(source, from) ?? "";
      const [here, there] = [source.path, to].map((file) => coreOrder[/^src\/core\/(\w+)\//.exec(file)?.[1] ?? ""]);
      const isOwn = path.posix.dirname(to).startsWith(source.path.split("/").slice(0, 3).join("/"));
      return typeOnly || isOwn || here === undefined || there === undefined || there < here
        ? []
        : [`${source.path}:${line} imports ${to}`];
    }),
  );
}

/** Of a file below `src`: its folder, and its name without the ending. */
function placeOf(file: string): { folder: string; name: string } {
  const { dir, name } = path.posix.parse(file);
  return { folder: dir.replace(/^src\/?/, ""), name };
}

const isWithin = (folder: string, module: string): boolean => folder === module || folder.startsWith(`${module}/`);

/**
 * From outside a module, only its face is imported, and a face has somebody outside who imports it.
 * @param faces the files of each module's face, by folder
 */
export function faceBreaks(sources: readonly Source[], faces: ReadonlyMap<string, readonly string[]>): string[] {
  const used = new Set<string>();
  const broken = sources.filter(isSource).flatMap((source) =>
    source.imports.flatMap(({ from, line }) => {
      const to = target(source, from);
      if (to === undefined) return [];
      const { folder, name } = placeOf(to);
      const face = faces.get(folder);
      if (face === undefined || isWithin(placeOf(source.path).folder, folder)) return [];
      used.add(`${folder}/${name}`);
      return face.includes(name) ? [] : [`${source.path}:${line} imports ${to}, which is not of its folder's face`];
    }),
  );
  const unused = [...faces].flatMap(([folder, face]) =>
    face.map((name) => `${folder}/${name}`).filter((file) => !used.has(file)),
  );
  return [...broken, ...unused.map((file) => `${file} is a face that nobody outside imports`)];
}

/** Together they would be too long to be one file. */
const LONGEST_MERGED = 400;

/** Files that only one other file of their folder imports, and that would fit into it. */
export function lonelyFiles(sources: readonly Source[]): string[] {
  const importers = new Map<string, Set<string>>();
  for (const source of sources.filter(isSource)) {
    for (const { from } of source.imports) {
      const to = target(source, from);
      if (to === undefined) continue;
      importers.set(to, (importers.get(to) ?? new Set()).add(source.path));
    }
  }
  const lines = new Map(sources.map((source) => [source.path, source.lines]));
  return [...importers].flatMap(([file, by]) => {
    const [only = "", ...others] = by;
    const isAlone = others.length === 0 && path.posix.dirname(only) === path.posix.dirname(file);
    const together = (lines.get(file) ?? 0) + (lines.get(only) ?? 0);
    return isAlone && together <= LONGEST_MERGED ? [file] : [];
  });
}

const IMPURE = new Set([
  "Date",
  "performance",
  "process",
  "globalThis",
  "console",
  "fetch",
  "crypto",
  "Math.random",
  "setTimeout",
  "setInterval",
  "setImmediate",
  "queueMicrotask",
  "Intl.DateTimeFormat",
]);
/** Their answers depend on nothing but what they are given. */
const PURE_PACKAGES = new Set(["diff"]);
const PURE_BASE =
  /^src\/(base\/(digest|entry|errors|hidden-characters|ids|moment|text|unseen)\.ts|base\/words\/\w+|config\/)/;

/** The core knows no clock, no chance, no process and no I/O, and imports nothing that does. */
export function impurities(sources: readonly Source[]): string[] {
  const core = sources.filter(({ path: file }) => file.startsWith("src/core/"));
  return core.flatMap((source) => [
    ...source.globals
      .filter(({ name }) => IMPURE.has(name))
      .map(({ name, line }) => `${source.path}:${line} uses ${name}`),
    ...source.imports.flatMap(({ from, line, typeOnly }) => {
      const to = target(source, from);
      const pure =
        PURE_PACKAGES.has(from) ||
        (to !== undefined && (layerOf(to) === "core" || PURE_BASE.test(to) || (typeOnly && layerOf(to) === "base")));
      return pure ? [] : [`${source.path}:${line} imports ${from}`];
    }),
  ]);
}

/** Beyond these sizes something has two jobs. Tests are read one by one, and tables of data row by row. */
export const LONGEST = { file: 500, function: 80, testFile: 600 } as const;
const DATA = /^test\/(designs|fixtures)\//;

export function tooLong(sources: readonly Source[]): string[] {
  return sources.flatMap(({ path: file, lines, functions }) => {
    if (DATA.test(file)) return [];
    const isTest = /(^|\/)test\//.test(file);
    const tooMany = lines > (isTest ? LONGEST.testFile : LONGEST.file) ? [`${file} has ${lines} lines`] : [];
    const long = isTest ? [] : functions.filter((one) => one.lines > LONGEST.function);
    return [...tooMany, ...long.map(({ name, line, lines: its }) => `${file}:${line} ${name} has ${its} lines`)];
  });
}

/** Every file opens with what it is and what it promises. */
export function silentFiles(sources: readonly Source[]): string[] {
  return sources.filter(({ opensWithDoc }) => !opensWithDoc).map(({ path: file }) => file);
}

const DRAWERS = /^(utils?|helpers?|managers?|services?|types|index|common|misc|shared)$/;

/** Files are kebab-case nouns; none is a drawer for whatever; none is named by a word the glossary gave up. */
export function badNames(sources: readonly Source[], givenUp: readonly string[]): string[] {
  return sources.flatMap(({ path: file }) => {
    const name = path.posix.basename(file).replace(/(\.(test|agent))?\.\w+$/, "");
    const words = name.split("-");
    const bad = words.find((word) => DRAWERS.test(word) || givenUp.includes(word));
    if (bad !== undefined) return [`${file} is named ${bad}`];
    return /^[a-z0-9]+(-[a-z0-9]+)*$/.test(name) ? [] : [`${file} is not in kebab-case`];
  });
}

/** Names given up: nobody would search for them, and each of them has meant several things. */
export const GIVEN_UP_NAMES: ReadonlySet<string> = new Set(
  `
    take hear heard tell told look note noted asked answered said says spoken left late given shown
    known knows kept found taken meant seen see gone came again anew another away back elsewhere
    outside soon lost held hold keep learn learnt stand stands waits works settled failed refused
    added moved named why none nobody untold forgotten attend rest reached
  `
    .trim()
    .split(/\s+/),
);

/** Names that any number of contracts may share. */
const FREE_NAMES = new Set("open close start stop read write send add get has delete cancel watch".split(" "));
/** The words of a language are data, and the packages are programs of their own. */
const isNamedByUs = ({ path: file }: Source): boolean => file.startsWith("src/") && !file.startsWith("src/base/words/");

/** Nothing that is exported and no method, private ones included, has a name that was given up. */
export function givenUpNames(sources: readonly Source[]): string[] {
  return sources
    .filter(isNamedByUs)
    .flatMap(({ path: file, exported, members }) => [
      ...exported
        .filter(({ name }) => GIVEN_UP_NAMES.has(name))
        .map(({ name, line }) => `${file}:${line} exports ${name}`),
      ...members
        .filter(({ name }) => GIVEN_UP_NAMES.has(name))
        .map(({ owner, name, line }) => `${file}:${line} ${owner} has ${name}`),
    ]);
}

/** At most so many interfaces and classes have a method of one name; what a type has from another does not count. */
export const MOST_CONTRACTS = 3;

export function crowdedNames(sources: readonly Source[]): string[] {
  const ours = sources.filter(isNamedByUs);
  const membersOf = Map.groupBy(
    ours.flatMap(({ members }) => members),
    ({ owner }) => owner,
  );
  const isInherited = (name: string, types: readonly string[]): boolean =>
    types.some((type) =>
      membersOf.get(type)?.some((member) => member.name === name || isInherited(name, member.inherits)),
    );
  const contracts = ours.flatMap(({ path: file, members }) =>
    members
      .filter(({ owner, name, isPrivate }) => owner !== "" && !isPrivate && !FREE_NAMES.has(name))
      .filter(({ name, inherits }) => !isInherited(name, inherits))
      .map(({ owner, name }) => ({ name, contract: `${file} ${owner}` })),
  );
  return [...Map.groupBy(contracts, ({ name }) => name)].flatMap(([name, all]) => {
    const places = [...new Set(all.map(({ contract }) => contract))];
    return places.length <= MOST_CONTRACTS ? [] : [`${name} is on ${places.join(", ")}`];
  });
}

/** What lives as long as the module lives belongs to nobody: a second bot or a second test would share it. */
export function moduleState(sources: readonly Source[]): string[] {
  return sources
    .filter(isSource)
    .flatMap((source) =>
      source.moduleVariables.map(({ name, line }) => `${source.path}:${line} keeps ${name} for the whole module`),
    );
}

/** The type names that may be defined in several files, each with its reason. */
export const repeatableTypes: Record<string, string> = {};

/**
 * A type name means one thing in all of `src`. The word catalogues are left out, because each language has the same
 * ones. A name in the list that is no longer repeated is reported too.
 */
export function repeatedTypes(
  sources: readonly Source[],
  repeatable: Readonly<Record<string, string>> = repeatableTypes,
): string[] {
  const places = new Map<string, Map<string, number>>();
  for (const { path: file, types } of sources) {
    if (!file.startsWith("src/") || file.startsWith("src/base/words/")) continue;
    for (const { name, line } of types) places.set(name, (places.get(name) ?? new Map()).set(file, line));
  }
  const repeated = [...places].filter(([, files]) => files.size > 1);
  const names = new Set(repeated.map(([name]) => name));
  return [
    ...repeated
      .filter(([name]) => repeatable[name] === undefined)
      .map(([name, files]) => `${name} is defined in ${[...files].map((place) => place.join(":")).join(" and ")}`),
    ...Object.keys(repeatable)
      .filter((name) => !names.has(name))
      .map((name) => `${name} is listed but not repeated`),
  ];
}

/** A code that is used stands in the table. */
export function unknownCodes(sources: readonly Source[], known: readonly string[]): string[] {
  return sources
    .filter(isSource)
    .flatMap((source) =>
      source.errorCodes
        .filter(({ code }) => !known.includes(code))
        .map(({ code, line }) => `${source.path}:${line} uses ${code}`),
    );
}

/**
 * An error is raised with all that its sentence wants to say. Details that are not a literal are their maker's care.
 */
export function missingDetails(sources: readonly Source[], sentenceOf: (code: string) => string | undefined): string[] {
  return sources.filter(isSource).flatMap((source) =>
    source.thrown.flatMap(({ code, details, line }) => {
      const wanted = [...(sentenceOf(code) ?? "").matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? "");
      const missing =
        details === undefined
          ? []
          : wanted.filter((name) => !details.includes(name) && !(name === "reason" && details.includes("because")));
      return missing.length === 0 ? [] : [`${source.path}:${line} raises ${code} without ${missing.join(", ")}`];
    }),
  );
}

/** Words of ours are in the catalogues, and never quoted as somebody else's; a code of the system's is its own. */
export function ownQuotations(sources: readonly Source[]): string[] {
  const isOurs = (words: string): boolean => /\p{L}{2}/u.test(words) && !/^E[A-Z0-9]+$/.test(words);
  return sources
    .filter(isSource)
    .flatMap((source) =>
      source.quotations
        .filter(({ words }) => isOurs(words))
        .map(({ words, line }) => `${source.path}:${line} quotes ${JSON.stringify(words)}`),
    );
}

const SLEEPS = new Set(["setTimeout", "setInterval"]);

/** Tests wait on facts, and none is left out or tried again. */
export function dishonestTests(sources: readonly Source[]): string[] {
  const tests = sources.filter(({ path: file }) => /\.(test|agent)\.ts$/.test(file));
  return tests.flatMap((source) => [
    ...source.globals
      .filter(({ name }) => SLEEPS.has(name))
      .map(({ name, line }) => `${source.path}:${line} uses ${name}`),
    ...source.testModifiers
      .filter(({ name }) => ["only", "skip", "todo", "fails"].includes(name))
      .map(({ name, line }) => `${source.path}:${line} uses .${name}`),
  ]);
}
