/** `/project add`, `list`, `status` and `switch`; `/project create` is in `project-create.ts`. */
import { say, type Locale } from "../../../base/words/say.ts";
import type { NewProject, Project } from "../../../core/projects/project.ts";
import { projectAt, registerProject } from "../../../engine/register-projects.ts";
import { code, colours, plainLine } from "../../views/message.ts";
import {
  readers,
  toolsHere,
  troubles,
  PATH_CHARS,
  directoryAt,
  pathRemarks,
  readPath,
  shortInput,
  projectNamed,
} from "../find.ts";
import { plainAnswer, Refused } from "../reply.ts";
import {
  NAME_CHARS,
  type InteractionAnswer,
  type SlashCommand,
  type CommandContext,
  type TypedCommand,
  TOOL_CHARS,
  type CompletionRequest,
  type AutocompleteChoice,
} from "../command.ts";
import type { State } from "../../../core/state.ts";
import type { Job } from "../../../core/jobs/job.ts";
import { sessionState } from "../../../core/sessions/session.ts";
import { projectChoices, toolChoices, toolListChoices } from "../autocomplete.ts";
import { BellhopError } from "../../../base/errors.ts";
import { isProjectName } from "../../../config/project-name.ts";

/**
 * `/project add`: makes a directory a project from its path alone. Its name comes from the path's last segment, its
 * tools are the installed agents; `/project create` takes other values.
 */
export const projectAdd: SlashCommand = {
  name: "project add",
  options: [{ key: "opt_path", max: PATH_CHARS }],
  ephemeral: false,
  async run({ options, locale }, context) {
    const typed = readPath(options["path"] ?? "", context.home);
    if ((await context.checkDirectory(typed)).is === "absent")
      throw new Refused("E_INVALID_PATH", say(locale, "path_absent"));
    const directory = await directoryAt(typed, context);
    const known = await projectAt(context.engine, directory.path, context.checkDirectory);
    if (known) throw before(known, locale);
    const { name, number, path, enabled_tools } = await registerProject(
      context.engine,
      directory.path,
      await toolsHere(context),
    );
    await context.recordConfigurationSeen(name, path);
    const lines = [
      say(locale, "project_added", { number, path: code(path, 300) }),
      say(locale, "project_added_as", { project: `**${plainLine(name, NAME_CHARS)}**` }),
      ...pathRemarks(typed, directory, locale),
      ...readers({ enabled_tools, default_args: {} }, locale, context),
      ...(await troubles(enabled_tools, locale, context)),
    ];
    return { content: "", embeds: [{ color: colours.good, description: lines.join("\n") }] };
  },
};

function before({ number, name, path }: Project, locale: Locale): Refused {
  return new Refused(
    "E_PROJECT_EXISTS",
    say(locale, "project_added_before", {
      path: code(path, 300),
      number,
      project: `**${plainLine(name, NAME_CHARS)}**`,
    }),
  );
}

/** Less than Discord's 4096 for an embed's description, with room for the last line. */
const MOST_CHARS = 3800;

/**
 * `/project list` and `/projects`: every project with its number, name, default tool, path and tools, in the order of
 * registration. A project whose directory is missing is marked.
 */
export const projectList: SlashCommand = { name: "project list", options: [], ephemeral: false, run };
/** An alias of `/project list`. */
export const projects: SlashCommand = { name: "projects", options: [], ephemeral: false, run };

async function run({ locale }: TypedCommand, { engine, checkDirectory }: CommandContext): Promise<InteractionAnswer> {
  const { projects: registered, active_project: active } = engine.state;
  const all = Object.values(registered);
  const found = await Promise.all(
    all.map(async ({ name, path }) => ((await checkDirectory(path)).is === "directory" ? [name] : [])),
  );
  return listing(all, { available: new Set(found.flat()), active }, locale);
}

interface ProjectListState {
  /** Names of the projects whose directory exists. */
  available: ReadonlySet<string>;
  /** The name of the active project. */
  active: string | null;
}

function listing(all: readonly Project[], standing: ProjectListState, locale: Locale): InteractionAnswer {
  if (all.length === 0) return plainAnswer(say(locale, "projects_none"));
  const entries = all.toSorted((a, b) => a.number - b.number).map((project) => entry(project, standing, locale));
  const shown: string[] = [];
  let length = 0;
  for (const text of entries) {
    if ((length += text.length + 2) > MOST_CHARS) break;
    shown.push(text);
  }
  const more = entries.length - shown.length;
  if (more > 0) shown.push(say(locale, "projects_more", { count: more }));
  return {
    content: "",
    embeds: [{ color: colours.runs, title: say(locale, "projects_title"), description: shown.join("\n\n") }],
  };
}

function entry(project: Project, { available, active }: ProjectListState, locale: Locale): string {
  const { number, name, default_tool, path, enabled_tools } = project;
  const gone = available.has(name) ? "" : ` ⚠️ ${say(locale, "project_unavailable")}`;
  const chosen = name === active ? ` ★ ${say(locale, "project_active")}` : "";
  return [
    `**#${number} ${plainLine(name, 40)}** · ${plainLine(default_tool, 40)}${chosen}${gone}`,
    `${say(locale, "field_path")}: ${code(path, 300)}`,
    `${say(locale, "field_tools")}: ${enabled_tools.map((tool) => plainLine(tool, 40)).join(", ")}`,
  ].join("\n");
}

const DAY_MS = 24 * 60 * 60_000;

/**
 * `/project status`: the state of a project's sessions and jobs, in a fixed wording and order. Never translated:
 * scripts and people compare it.
 */
export const projectStatus: SlashCommand = {
  name: "project status",
  options: [{ key: "opt_project_which", max: NAME_CHARS, suggested: true }],
  ephemeral: true,
  run({ options }, { engine, clock }) {
    return Promise.resolve().then(() =>
      plainAnswer(projectStatusText(engine.state, options["project_name"] ?? "", clock.now())),
    );
  },
  complete: ({ state, option, typed }) => (option === "project_name" ? projectChoices(state, typed) : []),
};

/** The six lines. @param now milliseconds since the epoch @throws BellhopError `E_PROJECT_NOT_FOUND` */
function projectStatusText(state: State, typed: string, now: number): string {
  const { name } = projectNamed(state, typed);
  const sessions = Object.values(state.sessions).filter(({ project_name }) => project_name === name);
  const failed = sessions
    .flatMap(({ thread_id }) => state.threads[thread_id]?.ended ?? [])
    .flatMap((id) => state.jobs[id] ?? [])
    .filter((job) => job.state === "failed" && job.finished_at !== null)
    .toSorted((a, b) => endOf(b) - endOf(a));
  return [
    `Project Status: ${name}`,
    `session_total: ${sessions.length}`,
    `running_sessions: ${sessions.filter((session) => sessionState(session, state.jobs, state.threads[session.thread_id]) === "running").length}`,
    `queued_jobs: ${sessions.reduce((sum, { queue }) => sum + queue.length, 0)}`,
    `failed_jobs_24h: ${failed.filter((job) => now - endOf(job) < DAY_MS).length}`,
    `last_error: ${failed[0] ? `${failed[0].error_code} ${failed[0].job_id} ${failed[0].finished_at}` : "n/a"}`,
  ].join("\n");
}

function endOf(job: Job): number {
  return Date.parse(job.finished_at ?? "");
}

/**
 * `/project switch`: chooses the project that is used when a command names none. The choice is in the journal, so a
 * restart keeps it; removing the project ends it.
 */
export const projectSwitch: SlashCommand = {
  name: "project switch",
  options: [{ key: "opt_project_which", max: NAME_CHARS, suggested: true }],
  ephemeral: false,
  async run({ options, locale }, { engine }) {
    const { name } = projectNamed(engine.state, options["project_name"] ?? "");
    await engine.submit({ type: "switch_project", project_name: name });
    return plainAnswer(say(locale, "project_switched", { project: `**${plainLine(name, 40)}**` }));
  },
  complete: ({ state, option, typed }) => (option === "project_name" ? projectChoices(state, typed) : []),
};

/*
 * `/project create`: makes a directory a project. Everything typed is checked here, before it reaches the state, and
 * the directory is looked at; the core checks the name and the set of tools once more.
 */

/** Discord's limit for a choice. */
const CHOICE_CHARS = 100;

const limits = {
  name: NAME_CHARS,
  path: PATH_CHARS,
  tools_csv: 200,
  default_tool: TOOL_CHARS,
  args_json: 4000,
} as const;

export const projectCreate: SlashCommand = {
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
      if (argument !== null) throw new BellhopError("E_ARGUMENT_REFUSED", { tool, argument: shortInput(argument) });
    }
    const project = { ...typed, path: directory.path };
    await context.engine.submit({ type: "create_project", project });
    await context.recordConfigurationSeen(project.name, project.path);
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

function complete(asked: CompletionRequest): AutocompleteChoice[] {
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

interface Here {
  /** Every tool a project may name. */
  known: readonly string[];
  /** The tools it gets if none was typed. */
  here: readonly string[];
  /** The expansion of `~` in a path. */
  home: string;
}

/** Arguments with which agents that are read-only by default may write. */
function argsChoices({
  options,
  tools: { names, toolAccess: access },
  typed,
}: CompletionRequest): AutocompleteChoice[] {
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
function readProject(
  options: Readonly<Record<string, string>>,
  { known, here, home }: Here,
  locale: Locale,
): NewProject {
  const name = options["name"] ?? "";
  if (!isProjectName(name)) throw new BellhopError("E_INVALID_NAME", { name: shortInput(name) });
  const path = readPath(options["path"] ?? "", home);
  const listed = options["tools_csv"] ?? "";
  const typed = options["default_tool"];
  const wanted = isBlank(typed) ? undefined : typed?.trim();
  // A default tool that is not installed yet is allowed: the user means to install it.
  const all = wanted !== undefined && known.includes(wanted) && !here.includes(wanted) ? [...here, wanted] : [...here];
  const enabled_tools = isBlank(listed) ? all : readTools(listed, known);
  const default_tool = wanted ?? enabled_tools[0] ?? "";
  if (!enabled_tools.includes(default_tool)) {
    throw new BellhopError("E_INVALID_TOOLSET", { found: shortInput(default_tool), known: enabled_tools.join(", ") });
  }
  const default_args = readArgs(options["args_json"], enabled_tools, locale);
  return { name, path, enabled_tools, default_tool, default_args };
}

function readTools(csv: string, known: readonly string[]): string[] {
  const tools = splitTools(csv);
  const fit = csv.length <= limits.tools_csv && tools.length > 0 && tools.every((tool) => known.includes(tool));
  if (!fit || new Set(tools).size !== tools.length) {
    throw new BellhopError("E_INVALID_TOOLSET", { found: shortInput(csv), known: known.join(", ") });
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
    found: shortInput(json),
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
    say(locale, "project_created", { project: `**${plainLine(name, 40)}**` }),
    `${say(locale, "field_path")}: ${code(path, 300)}`,
    `${say(locale, "field_tools")}: ${enabled_tools.map((tool) => plainLine(tool, 40)).join(", ")}`,
    `${say(locale, "field_default_tool")}: ${plainLine(default_tool, 40)}`,
  ].join("\n");
}
