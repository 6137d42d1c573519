/**
 * `/project create`: a directory becomes a project. Everything typed is checked here, before it reaches the state,
 * and the directory is looked at; the name and the set of tools are refused by the core once more.
 */
import { BellhopError } from "../../base/errors.ts";
import { say, type Locale } from "../../base/words/say.ts";
import { isProjectName, type ProjectConfig } from "../../core/project.ts";
import { code, colours, inert } from "../body.ts";
import { directoryAt, PATH_CHARS, pathRemarks, readPath, shown } from "./project-path.ts";
import type { Asked, Choice, Command } from "./room.ts";
import { toolChoices, toolListChoices } from "./suggestions.ts";

export type NewProject = Omit<ProjectConfig, "created_at" | "updated_at">;

export const limits = { name: 40, path: PATH_CHARS, tools_csv: 200, default_tool: 40, args_json: 4000 } as const;

export const projectCreate: Command = {
  name: "project create",
  ephemeral: false,
  async run({ options, locale }, room) {
    const typed = readProject(options, room.tools, locale);
    const directory = await directoryAt(typed.path, room);
    for (const [tool, args] of Object.entries(typed.default_args)) {
      const argument = room.refusesArgument(tool, args);
      if (argument !== null) throw new BellhopError("E_ARGUMENT_REFUSED", { tool, argument: shown(argument) });
    }
    const project = { ...typed, path: directory.path };
    await room.engine.submit({ type: "create_project", project });
    const description = [summary(project, locale), ...pathRemarks(typed.path, directory, locale)].join("\n");
    return { content: "", embeds: [{ color: colours.good, description }] };
  },
  complete,
};

function complete({ option, typed, options, tools }: Asked): Choice[] {
  if (option === "tools_csv") return toolListChoices(tools, typed);
  if (option !== "default_tool") return [];
  const listed = splitTools(options["tools_csv"] ?? "").filter((tool) => tools.includes(tool));
  return toolChoices(listed.length > 0 ? listed : tools, typed);
}

/** What was typed, as a project. @throws BellhopError for what is missing, malformed or too long */
export function readProject(
  options: Readonly<Record<string, string>>,
  known: readonly string[],
  locale: Locale,
): NewProject {
  const name = options["name"] ?? "";
  if (!isProjectName(name)) throw new BellhopError("E_INVALID_NAME", { name: shown(name) });
  const path = readPath(options["path"] ?? "");
  const enabled_tools = readTools(options["tools_csv"] ?? "", known);
  const default_tool = (options["default_tool"] ?? "").trim();
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

function splitTools(csv: string): string[] {
  return csv.split(",").map((tool) => tool.trim()).filter((tool) => tool !== "");
}

/** `args_json`: for each tool a list of arguments. They go to `spawn` as they are, so a NUL is refused here. */
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
