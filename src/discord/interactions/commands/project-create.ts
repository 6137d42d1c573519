/**
 * `/project create`: makes a directory a project. Everything typed is checked here, before it reaches the state, and
 * the directory is looked at; the core checks the name and the set of tools once more.
 */
import { BellhopError } from "../../../base/errors.ts";
import { say, type Locale } from "../../../base/words/say.ts";
import { isProjectName } from "../../../config/project-name.ts";
import type { ProjectConfig } from "../../../core/projects/project.ts";
import { code, colours, inert } from "../../views/body.ts";
import { readers, toolsHere, troubles } from "../installed-agents.ts";
import { directoryAt, PATH_CHARS, pathRemarks, readPath, shown } from "../project-path.ts";
import { NAME_CHARS, TOOL_CHARS, type Asked, type Choice, type Command } from "../command.ts";
import { toolChoices, toolListChoices } from "../autocomplete.ts";

/** Discord's limit for a choice. */
const CHOICE_CHARS = 100;

export type NewProject = Omit<ProjectConfig, "created_at" | "updated_at">;

const limits = {
  name: NAME_CHARS,
  path: PATH_CHARS,
  tools_csv: 200,
  default_tool: TOOL_CHARS,
  args_json: 4000,
} as const;

export const projectCreate: Command = {
  name: "project create",
  options: [
    { key: "opt_name", max: limits.name },
    { key: "opt_path", max: limits.path },
    { key: "opt_tools_csv", max: limits.tools_csv, suggested: true, required: false },
    { key: "opt_default_tool", max: limits.default_tool, suggested: true, required: false },
    { key: "opt_args_json", max: limits.args_json, suggested: true, required: false },
  ],
  ephemeral: false,
  async run({ options, locale }, context) {
    const here = isBlank(options["tools_csv"]) ? await toolsHere(context) : [];
    const typed = readProject(options, { known: context.tools.names, here, home: context.home }, locale);
    const directory = await directoryAt(typed.path, context);
    for (const [tool, args] of Object.entries(typed.default_args)) {
      const argument = context.tools.refusesArgument(tool, args);
      if (argument !== null) throw new BellhopError("E_ARGUMENT_REFUSED", { tool, argument: shown(argument) });
    }
    const project = { ...typed, path: directory.path };
    await context.engine.submit({ type: "create_project", project });
    await context.see(project.name, project.path);
    const description = [
      summary(project, locale),
      ...pathRemarks(typed.path, directory, locale),
      ...readers(project, locale, context),
      ...(await troubles(project.enabled_tools, locale, context)),
    ].join("\n");
    return { content: "", embeds: [{ color: colours.good, description }] };
  },
  complete,
};

function complete(asked: Asked): Choice[] {
  const {
    option,
    typed,
    options,
    tools: { names },
  } = asked;
  if (option === "tools_csv") return toolListChoices(names, typed);
  if (option === "args_json") return argsChoices(asked);
  if (option !== "default_tool") return [];
  const listed = splitTools(options["tools_csv"] ?? "").filter((tool) => names.includes(tool));
  return toolChoices(listed.length > 0 ? listed : names, typed);
}

export interface Here {
  /** Every tool a project may name. */
  known: readonly string[];
  /** The tools it gets if none was typed. */
  here: readonly string[];
  /** The expansion of `~` in a path. */
  home: string;
}

/** Arguments with which agents that are read-only by default may write. */
function argsChoices({ options, tools: { names, access }, typed }: Asked): Choice[] {
  const listed = splitTools(options["tools_csv"] ?? "");
  const tools = names.flatMap((tool) => {
    const { writing } = access(tool, []);
    return writing !== null && (listed.length === 0 || listed.includes(tool)) ? [[tool, writing] as const] : [];
  });
  const sets = tools.length > 1 ? [tools, ...tools.map((one) => [one])] : [tools];
  const values = sets.filter((set) => set.length > 0).map((set) => JSON.stringify(Object.fromEntries(set)));
  return values
    .filter((value) => value.length <= CHOICE_CHARS && value.includes(typed.trim()))
    .map((value) => ({ name: value, value }));
}

/** The project from what was typed. @throws BellhopError for what is missing, malformed or too long */
export function readProject(
  options: Readonly<Record<string, string>>,
  { known, here, home }: Here,
  locale: Locale,
): NewProject {
  const name = options["name"] ?? "";
  if (!isProjectName(name)) throw new BellhopError("E_INVALID_NAME", { name: shown(name) });
  const path = readPath(options["path"] ?? "", home);
  const listed = options["tools_csv"] ?? "";
  const typed = options["default_tool"];
  const wanted = isBlank(typed) ? undefined : typed?.trim();
  // A default tool that is not installed yet is allowed: the user means to install it.
  const all = wanted !== undefined && known.includes(wanted) && !here.includes(wanted) ? [...here, wanted] : [...here];
  const enabled_tools = isBlank(listed) ? all : readTools(listed, known);
  const default_tool = wanted ?? enabled_tools[0] ?? "";
  if (!enabled_tools.includes(default_tool)) {
    throw new BellhopError("E_INVALID_TOOLSET", { found: shown(default_tool), known: enabled_tools.join(", ") });
  }
  const default_args = readArgs(options["args_json"], enabled_tools, locale);
  return { name, path, enabled_tools, default_tool, default_args };
}

function readTools(csv: string, known: readonly string[]): string[] {
  const tools = splitTools(csv);
  const fit = csv.length <= limits.tools_csv && tools.length > 0 && tools.every((tool) => known.includes(tool));
  if (!fit || new Set(tools).size !== tools.length) {
    throw new BellhopError("E_INVALID_TOOLSET", { found: shown(csv), known: known.join(", ") });
  }
  return tools;
}

function isBlank(typed: string | undefined): boolean {
  return typed === undefined || typed.trim() === "";
}

function splitTools(csv: string): string[] {
  return csv
    .split(",")
    .map((tool) => tool.trim())
    .filter((tool) => tool !== "");
}

/** `args_json`: a list of arguments per tool. They are passed to `spawn` unchanged, so a NUL is refused here. */
function readArgs(json: string | undefined, tools: readonly string[], locale: Locale): Record<string, string[]> {
  const none = Object.fromEntries(tools.map((tool) => [tool, []]));
  if (json === undefined || json.trim() === "") return none;
  const refusal = new BellhopError("E_CONFIG_INVALID", {
    where: "args_json",
    found: shown(json),
    expected: `{"${tools[0]}": ["--model", "…"]}`,
    mend: say(locale, "mend_args_json"),
  });
  if (json.length > limits.args_json) throw refusal;
  const parsed = parse(json);
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed)) throw refusal;
  const given = Object.entries(parsed).map(([tool, args]: [string, unknown]) => {
    if (!tools.includes(tool) || !isArgs(args)) throw refusal;
    return [tool, args] as const;
  });
  return { ...none, ...Object.fromEntries(given) };
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return null;
  }
}

function isArgs(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((arg) => typeof arg === "string" && !arg.includes("\0"));
}

function summary(project: NewProject, locale: Locale): string {
  const { name, path, enabled_tools, default_tool } = project;
  return [
    say(locale, "project_created", { project: `**${inert(name, 40)}**` }),
    `${say(locale, "field_path")}: ${code(path, 300)}`,
    `${say(locale, "field_tools")}: ${enabled_tools.map((tool) => inert(tool, 40)).join(", ")}`,
    `${say(locale, "field_default_tool")}: ${inert(default_tool, 40)}`,
  ].join("\n");
}
