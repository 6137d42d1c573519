/**
 * `/project add`: makes a directory a project from its path alone. Its name comes from the path's last segment, its
 * tools are the installed agents; `/project create` takes other values.
 */
import { BellhopError } from "../../../base/errors.ts";
import { say, type Locale } from "../../../base/words/say.ts";
import { projectName } from "../../../config/project-name.ts";
import type { Project } from "../../../core/projects/project.ts";
import { code, colours, inert } from "../../views/body.ts";
import { readers, toolsHere, troubles } from "../installed-agents.ts";
import { PATH_CHARS, directoryAt, pathRemarks, readPath } from "../project-path.ts";
import { plain } from "../reply.ts";
import { NAME_CHARS, type Answer, type Command, type CommandContext } from "../command.ts";

export const projectAdd: Command = {
  name: "project add",
  options: [{ key: "opt_path", max: PATH_CHARS }],
  ephemeral: false,
  async run({ options, locale }, context) {
    const typed = readPath(options["path"] ?? "", context.home);
    if ((await context.checkDirectory(typed)).is === "absent") return plain(`${say(locale, "path_absent")} \`E_INVALID_PATH\``);
    const directory = await directoryAt(typed, context);
    const known = await projectAt(directory.path, context);
    if (known) return before(known, locale);
    const { name, number, path, enabled_tools } = await register(directory.path, context);
    await context.see(name, path);
    const lines = [
      say(locale, "project_added", { number, path: code(path, 300) }),
      say(locale, "project_added_as", { project: `**${inert(name, NAME_CHARS)}**` }),
      ...pathRemarks(typed, directory, locale),
      ...readers({ enabled_tools, default_args: {} }, locale, context),
      ...(await troubles(enabled_tools, locale, context)),
    ];
    return { content: "", embeds: [{ color: colours.good, description: lines.join("\n") }] };
  },
};

/** Registers it under the first free name; a concurrent command may take one first. */
async function register(path: string, context: CommandContext): Promise<Project> {
  const enabled_tools = await toolsHere(context);
  const taken = new Set(Object.keys(context.engine.state.projects));
  for (;;) {
    const name = projectName(path, (candidate) => taken.has(candidate));
    const default_args = Object.fromEntries(enabled_tools.map((tool) => [tool, []]));
    try {
      await context.engine.submit({ type: "create_project", project: { name, path, enabled_tools, default_tool: enabled_tools[0] ?? "", default_args } });
    } catch (error) {
      if (!(error instanceof BellhopError) || error.code !== "E_PROJECT_EXISTS") throw error;
      taken.add(name);
      continue;
    }
    const project = context.engine.state.projects[name];
    if (project) return project;
  }
}

/** The project of this directory, however its path was written. */
async function projectAt(path: string, { engine, checkDirectory }: CommandContext): Promise<Project | undefined> {
  const projects = Object.values(engine.state.projects);
  const found = await Promise.all(projects.map(async (project) => [project, await checkDirectory(project.path)] as const));
  return found.find(([project, it]) => project.path === path || (it.is === "directory" && it.path === path))?.[0];
}

function before({ number, name, path }: Project, locale: Locale): Answer {
  const words = say(locale, "project_added_before", { path: code(path, 300), number, project: `**${inert(name, NAME_CHARS)}**` });
  return plain(`${words} \`E_PROJECT_EXISTS\``);
}
