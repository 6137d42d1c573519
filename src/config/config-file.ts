/**
 * config.json, the owner's file: its one schema, and how its text becomes a `Config`. What is wrong stops the
 * reading with the place, what was found and what belongs there; what is unknown is kept and warned about.
 */
import { z } from "zod";
import { say, type Locale, type WordKey } from "../base/words/say.ts";
import { en } from "../base/words/en.ts";
import { invalid } from "./invalid.ts";
import { nearest } from "./nearest.ts";
import { placeOf } from "./json-text.ts";

/** A check's message is the key of the words for what belongs there. */
const want = (key: WordKey): WordKey => key;

const NAME = /^[a-z0-9-_]{1,40}$/;
/** A name that every JavaScript object has already: it would be found where no project is. */
const RESERVED = "constructor";

const text = z.string().max(4096);
const projectName = z.string().regex(NAME, want("config.want.project_name"));
const snowflake = z.string().regex(/^[1-9][0-9]{16,19}$/, want("config.want.snowflake"));
const argument = z.string().refine((value) => !value.includes("\0"), want("config.want.no_nul"));
const command = z.array(argument).min(1);

const count = (least: number, most: number, otherwise: number, sentence: string) =>
  z.int().min(least).max(most).default(otherwise).describe(sentence);

const limits = z.looseObject({
  cli_timeout_sec: count(1, 86_400, 900, "Seconds without a byte of output after which an agent is stopped."),
  max_queue_per_session: count(1, 1000, 20, "Jobs that may wait in one thread."),
  global_max_running: count(1, 1000, 2, "Jobs that may run at the same time, over all threads."),
  status_edit_min_interval_ms: count(0, 60_000, 1200, "Milliseconds between two edits of the same message."),
  snapshot_every_events: count(1, 1_000_000, 50, "Events after which a snapshot is due."),
  snapshot_every_seconds: count(5, 86_400, 5, "Seconds after which a snapshot is due; there is at most one in this time."),
  max_result_excerpt_chars: count(1, 4000, 400, "Characters of a result that the journal keeps beside the file of the whole."),
});

const project = z
  .looseObject({
    name: projectName.describe("The project's name, the same as its key."),
    path: z.string().regex(/^(\/|[A-Za-z]:[\\/])[^\0]*$/, want("config.want.absolute_path")).describe("The absolute path of its directory."),
    enabled_tools: z.array(text.min(1)).min(1).refine((tools) => new Set(tools).size === tools.length, want("config.want.unique")).describe("The tools allowed in it."),
    default_tool: text.describe("The tool of a new session; one of enabled_tools."),
    default_args: z.record(z.string(), z.array(argument)).default({}).describe("For each tool, the arguments it is always given."),
    created_at: text.describe("When it was made, ISO 8601."),
    updated_at: text.describe("When it was last changed, ISO 8601."),
    number: z.int().min(1).optional().describe("The number under which lists show it."),
    channel_id: snowflake.optional().describe("The channel that stands for this project."),
    startup: z.unknown().optional().describe("What runs when its channel starts."),
    thread: z.unknown().optional().describe("What holds for each of its threads."),
    threads: z.array(z.unknown()).optional().describe("What holds for single threads."),
  })
  .refine(({ enabled_tools, default_tool }) => enabled_tools.includes(default_tool), {
    message: want("config.want.enabled_tool"),
    path: ["default_tool"],
  });

export const schema = z
  .looseObject({
    $schema: text.optional().describe("Where the schema of this file is, for editors."),
    version: z.literal(1).describe("The version of this file's form."),
    owner_id: snowflake.optional().describe("The Discord user id of the one person who is obeyed."),
    projects: z.record(z.string(), project).default({}).describe("The projects by name."),
    limits: limits.prefault({}).describe("How much and how often."),
    pass_env: z.array(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*\*?$/, want("config.want.variable_name"))).default([]).describe("Variables that agents get beside the usual ones: names, or a beginning and `*`."),
    commands: z.record(z.string(), command).default({}).describe("For a tool such as `claude`, the command that starts it where PATH does not find it."),
    acp_agents: z
      .record(z.string().regex(NAME, want("config.want.project_name")), z.looseObject({ command, env: z.array(text).optional() }))
      .default({})
      .describe("Further ACP agents by name: the command of each, and names of variables it gets."),
    after_crash: z.enum(["wait", "go_on"]).default("wait").describe("Whether a thread whose job was cut off by a crash waits for its owner or goes on with its queue."),
    long_answers: z.enum(["file", "split"]).default("file").describe("Whether a very long answer becomes a file or many messages."),
    inbox_from: z.enum(["owner", "anyone"]).default("owner").describe("Whose messages the inbox takes."),
    servers: z.unknown().optional().describe("Settings by server."),
  })
  .superRefine(({ projects }, context) => {
    for (const [key, { name }] of Object.entries(projects)) {
      const wrong = !NAME.test(key) || key === RESERVED;
      if (wrong) context.addIssue({ code: "custom", message: want("config.want.project_name"), path: ["projects", key] });
      else if (name !== key) context.addIssue({ code: "custom", message: want("config.want.same_as_key"), path: ["projects", key, "name"] });
    }
  });

export type Config = z.infer<typeof schema>;
export type ProjectConfig = z.infer<typeof project>;
export type Limits = z.infer<typeof limits>;

/** The file of somebody who has none: every default. */
export function defaultConfig(): Config {
  return schema.parse({ version: 1 });
}

/**
 * Reads the text of config.json. Unknown keys stay in the result and each gets a warning.
 * @throws E_CONFIG_INVALID for the first thing that is wrong
 */
export function readConfig(source: string, locale: Locale = "en"): { config: Config; warnings: string[] } {
  const value = parsed(source.replace(/^\uFEFF/, ""), locale);
  const result = schema.safeParse(value);
  if (!result.success) throw refused(locale, value, result.error.issues[0]);
  if (hasHiddenProject(value)) throw refused(locale, value, { code: "custom", message: want("config.want.project_name"), path: ["projects", "__proto__"], input: value });
  return { config: result.data, warnings: unknownKeys(schema, value, []).map((unknown) => warning(locale, unknown)) };
}

/** The schema never sees this name, and what it does not see would be lost without a word. */
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

function refused(locale: Locale, value: unknown, issue: Issue | undefined): Error {
  const path = issue?.path ?? [];
  const wanted = issue === undefined ? { want: "config.want.json" as const } : expected(issue);
  return invalid(locale, {
    where: placeName(path),
    // Where a project's key is wrong, the key is what was found, not the project under it.
    found: path.length === 2 && path[0] === "projects" ? path[1] : at(value, path),
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
  if (Object.hasOwn(en, issue.message)) return { want: issue.message as WordKey };
  switch (issue.code) {
    case "invalid_type":
      return { want: forms[issue.expected] ?? "config.want.json" };
    case "invalid_value":
      return { want: "config.want.one_of", args: { names: issue.values.map((value) => JSON.stringify(value)).join(", ") } };
    case "too_small":
      return { want: issue.origin === "array" || issue.origin === "string" ? "config.want.not_empty" : "config.want.at_least", args: { min: String(issue.minimum) } };
    case "too_big":
      return { want: "config.want.at_most", args: { max: String(issue.maximum) } };
    default:
      return { want: "config.want.json" };
  }
}

function placeName(path: readonly PropertyKey[]): string {
  return ["config.json", path.map(String).join(".")].filter((part) => part !== "").join(" ");
}

function at(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((inner, key) => (typeof inner === "object" && inner !== null ? Reflect.get(inner, key) : undefined), value);
}

interface Unknown {
  path: string[];
  near: string | undefined;
}

/** Keys of the value that the schema has no name for, each with the nearest name it has. */
function unknownKeys(of: z.core.$ZodType, value: unknown, path: string[]): Unknown[] {
  const type = bare(of);
  if (typeof value !== "object" || value === null) return [];
  if (type instanceof z.ZodArray) return Object.values(value).flatMap((inner, index) => unknownKeys(type.element, inner, [...path, String(index)]));
  if (type instanceof z.ZodRecord) return Object.entries(value).flatMap(([key, inner]) => unknownKeys(type.valueType, inner, [...path, key]));
  if (!(type instanceof z.ZodObject)) return [];
  const shape: Record<string, z.core.$ZodType> = type.shape;
  return Object.entries(value).flatMap(([key, inner]) => {
    const known = Object.hasOwn(shape, key) ? shape[key] : undefined;
    return known ? unknownKeys(known, inner, [...path, key]) : [{ path: [...path, key], near: nearest(key, Object.keys(shape)) }];
  });
}

function bare(type: z.core.$ZodType): z.core.$ZodType {
  const wrapped = type instanceof z.ZodOptional || type instanceof z.ZodDefault || type instanceof z.ZodPrefault;
  return wrapped ? bare(type.unwrap()) : type;
}

function warning(locale: Locale, { path, near }: Unknown): string {
  const where = placeName(path);
  return near === undefined ? say(locale, "config.unknown", { where }) : say(locale, "config.unknown_near", { where, near });
}
