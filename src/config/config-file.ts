/**
 * Reads the text of config.json, the owner's file, into a `Config`. An error stops the reading and says where, what was
 * found and what is expected; keys without effect are kept, with a warning.
 */
import { homedir } from "node:os";
import type * as z from "zod";
import type { Locale, WordKey } from "../base/words/say.ts";
import { en } from "../base/words/en.ts";
import { schema, want } from "./config-schema.ts";
import { underHome } from "./homes.ts";
import { configPlace, invalid } from "./invalid.ts";
import { placeOf } from "./json-text.ts";
import { unknownKeyWarnings } from "./unknown-keys.ts";

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
      message: want("config.want.project_name"),
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
    throw invalid(locale, {
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
  return invalid(locale, {
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
