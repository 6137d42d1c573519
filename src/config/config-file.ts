/**
 * Reads the text of config.json, the owner's file, into a `Config`. An error stops the reading and says where, what was
 * found and what is expected; keys without effect are kept, with a warning.
 */
import * as z from "zod";
import { homedir } from "node:os";
import { type Locale, type WordKey, say } from "../base/words/say.ts";
import { en } from "../base/words/en.ts";
import { schema, expectation } from "./config-schema.ts";
import { underHome } from "./homes.ts";
import { configPlace, invalidSetting } from "./invalid.ts";
import { placeOf } from "./json-text.ts";
import { entryOf } from "../base/entry.ts";
import { stat } from "node:fs/promises";
import { nodeDisk, readWhole } from "../base/disk.ts";
import { failedFinding, type Finding } from "../base/finding.ts";

export type Config = z.infer<typeof schema>;

/** The configuration without a file: every default. */
export function defaultConfig(): Config {
  return schema.parse({ version: 1 });
}

/**
 * Reads the text of config.json. Unknown keys stay in the result and each gets a warning.
 * @throws E_CONFIG_INVALID for the first error
 */
export function readConfig(source: string, locale: Locale = "en"): { config: Config; warnings: string[] } {
  const value = parsed(source.replace(/^\uFEFF/, ""), locale);
  const result = schema.safeParse(value);
  if (!result.success) throw refused(locale, value, result.error.issues[0]);
  if (hasHiddenProject(value))
    throw refused(locale, value, {
      code: "custom",
      message: expectation("config.want.project_name"),
      path: ["projects", "__proto__"],
      input: value,
    });
  return { config: atHome(result.data), warnings: unknownKeyWarnings(value, locale) };
}

/** Paths below `~` are made absolute: what is recorded must not depend on who reads it. */
function atHome(config: Config): Config {
  const home = homedir();
  const projects = Object.entries(config.projects).map(([key, project]) => {
    const threads = project.threads?.map((entry) =>
      entry.path === undefined ? entry : { ...entry, path: underHome(entry.path, home) },
    );
    return [key, { ...project, path: underHome(project.path, home), ...(threads && { threads }) }] as const;
  });
  const servers = Object.entries(config.servers).map(
    ([name, server]) =>
      [
        name,
        { ...server, ...(server.token_file !== undefined && { token_file: underHome(server.token_file, home) }) },
      ] as const,
  );
  return { ...config, projects: Object.fromEntries(projects), servers: Object.fromEntries(servers) };
}

/** The schema does not see this name and would drop it silently. */
function hasHiddenProject(value: unknown): boolean {
  const projects = at(value, ["projects"]);
  return typeof projects === "object" && projects !== null && Object.hasOwn(projects, "__proto__");
}

function parsed(source: string, locale: Locale): unknown {
  try {
    return JSON.parse(source);
  } catch (error) {
    const { line, column, near } = placeOf(source, error);
    throw invalidSetting(locale, {
      where: `config.json ${line}:${column}`,
      found: near,
      want: "config.want.json",
      mend: "config.mend.config",
    });
  }
}

type Issue = z.core.$ZodIssue;

/** Members whose keys are names that the owner gives. */
const NAMED: ReadonlySet<unknown> = new Set(["projects", "acp_agents", "servers"]);

function refused(locale: Locale, value: unknown, issue: Issue | undefined): Error {
  const path = issue?.path ?? [];
  const wanted = issue === undefined ? { want: "config.want.json" as const } : expected(issue);
  return invalidSetting(locale, {
    where: configPlace(path),
    // If the key of a project or an agent is wrong, the key was found, not what is under it.
    found: path.length === 2 && NAMED.has(path[0]) ? path[1] : at(value, path),
    mend: "config.mend.config",
    ...wanted,
  });
}

const forms: Record<string, WordKey> = {
  string: "config.want.text",
  int: "config.want.whole_number",
  number: "config.want.whole_number",
  array: "config.want.list",
  object: "config.want.object",
  record: "config.want.object",
};

function expected(issue: Issue): { want: WordKey; args?: Record<string, string | number> } {
  if (Object.hasOwn(en, issue.message))
    return { want: issue.message as WordKey, ...(issue.code === "custom" && issue.params && { args: issue.params }) };
  switch (issue.code) {
    case "invalid_type":
      return { want: forms[issue.expected] ?? "config.want.json" };
    case "invalid_value":
      return {
        want: "config.want.one_of",
        args: { names: issue.values.map((value) => JSON.stringify(value)).join(", ") },
      };
    case "too_small":
      return {
        want: issue.origin === "array" || issue.origin === "string" ? "config.want.not_empty" : "config.want.at_least",
        args: { min: String(issue.minimum) },
      };
    case "too_big":
      return { want: "config.want.at_most", args: { max: String(issue.maximum) } };
    default:
      return { want: "config.want.json" };
  }
}

function at(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (inner, key) => (typeof inner === "object" && inner !== null ? Reflect.get(inner, key) : undefined),
    value,
  );
}

/*
 * The keys of config.json without effect, each with its warning: unknown ones with the nearest known name, and those
 * not used yet.
 */

/** One for each key without effect. */
export function unknownKeyWarnings(value: unknown, locale: Locale): string[] {
  return idleKeys(schema, value, []).map((idle) => warning(locale, idle));
}

interface Idle {
  path: string[];
  /** For an unknown key, the nearest known one; undefined if none is near. */
  near: string | undefined;
  notYet?: true;
}

/** Keys of the value without effect: those the schema does not have, and those not used yet. */
function idleKeys(of: z.core.$ZodType, value: unknown, path: string[]): Idle[] {
  const type = bare(of);
  if (typeof value !== "object" || value === null) return [];
  if (type instanceof z.ZodArray)
    return Object.values(value).flatMap((inner, index) => idleKeys(type.element, inner, [...path, String(index)]));
  if (type instanceof z.ZodRecord)
    return Object.entries(value).flatMap(([key, inner]) => idleKeys(type.valueType, inner, [...path, key]));
  if (!(type instanceof z.ZodObject)) return [];
  const shape: Record<string, z.core.$ZodType> = type.shape;
  return Object.entries(value).flatMap(([key, inner]) => {
    const known = entryOf(shape, key);
    const here = [...path, key];
    if (!known) return [{ path: here, near: nearest(key, Object.keys(shape)) }];
    return z.globalRegistry.get(known)?.["x-not-yet"] === true
      ? [{ path: here, near: undefined, notYet: true }]
      : idleKeys(known, inner, here);
  });
}

function bare(type: z.core.$ZodType): z.core.$ZodType {
  const wrapped = type instanceof z.ZodOptional || type instanceof z.ZodDefault || type instanceof z.ZodPrefault;
  return wrapped ? bare(type.unwrap()) : type;
}

function warning(locale: Locale, { path, near, notYet: unused }: Idle): string {
  const where = configPlace(path);
  if (unused) return say(locale, "config.not_yet", { where });
  return near === undefined
    ? say(locale, "config.unknown", { where })
    : say(locale, "config.unknown_near", { where, near });
}

/*
 * The known name nearest to an unknown one, for a helpful warning. Distance counts single-letter edits and swapped
 * neighbours; a name too far from all of them gets no suggestion.
 */

/** Unrelated names may share a beginning shorter than this. */
const SHORTEST_BEGINNING = 5;

/** The nearest of `known`; undefined if all differ in more than a third of the letters and none begins alike. */
export function nearest(name: string, known: Iterable<string>): string | undefined {
  let best: string | undefined;
  let least = Math.max(1, Math.floor(name.length / 3)) + 1;
  for (const candidate of known) {
    const edits = cost(name.toLowerCase(), candidate.toLowerCase());
    if (edits < least) [best, least] = [candidate, edits];
  }
  return best;
}

function cost(a: string, b: string): number {
  const [shorter, longer] = a.length < b.length ? [a, b] : [b, a];
  // Half a name is more often a shortened name than another one.
  return shorter.length >= SHORTEST_BEGINNING && longer.startsWith(shorter) ? 1 : distance(a, b);
}

/** How many letters to insert, delete, replace, or swap with a neighbour to get from `a` to `b`. */
function distance(a: string, b: string): number {
  let twoBack: number[] = [];
  let back = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row += 1) {
    const here = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const same = a[row - 1] === b[column - 1];
      let edits = Math.min(
        (back[column] ?? 0) + 1,
        (here[column - 1] ?? 0) + 1,
        (back[column - 1] ?? 0) + (same ? 0 : 1),
      );
      const swapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      if (swapped) edits = Math.min(edits, (twoBack[column - 2] ?? 0) + 1);
      here.push(edits);
    }
    [twoBack, back] = [back, here];
  }
  return back[b.length] ?? 0;
}

/*
 * Which projects can be used now. A missing directory or an unmounted disk makes its project unavailable; it does not
 * stop the others from starting.
 */

/** The projects whose path is currently not a directory, in their order. */
export async function unavailable<Project extends { path: string }>(projects: readonly Project[]): Promise<Project[]> {
  const there = await Promise.all(projects.map(({ path }) => isDirectory(path)));
  return projects.filter((_, index) => there[index] === false);
}

async function isDirectory(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch {
    return false;
  }
}

/* config.json as it is now: whether it can be read, what in it has no effect, and projects whose directory is gone. */

/** `config`: the content, or the defaults if it cannot be read. */
export async function checkConfig(path: string, locale: Locale): Promise<{ findings: Finding[]; config: Config }> {
  try {
    const bytes = await readWhole(nodeDisk, path);
    if (bytes === undefined)
      return { findings: [{ check: "config", verdict: "warn", says: "cli.init.no_project" }], config: defaultConfig() };
    const { config, warnings } = readConfig(bytes.toString(), locale);
    const gone = await unavailable(Object.values(config.projects));
    const projects = gone.map(({ name, path: directory }): Finding => ({
      check: `project ${name}`,
      verdict: "warn",
      says: "config.project_unavailable",
      args: { project: name, path: directory },
      mend: { says: "doctor.project.mend", args: { path } },
    }));
    const unknown = warnings.map((text): Finding => ({
      check: "config",
      verdict: "warn",
      says: "doctor.as_it_is",
      args: { text },
      mend: { says: "doctor.config.mend", args: { path } },
    }));
    const good: Finding = {
      check: "config",
      verdict: "good",
      says: "doctor.config",
      args: { path, projects: Object.keys(config.projects).length },
    };
    return { findings: [...(unknown.length === 0 ? [good] : unknown), ...projects], config };
  } catch (error) {
    return { findings: [failedFinding("config", error)], config: defaultConfig() };
  }
}
