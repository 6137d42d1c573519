/**
 * `/project add`: a directory becomes a project by its path alone. Its name is made from the path's last segment,
 * its tools are the agents that are there; whoever wants it otherwise uses `/project create`.
 */
import { basename } from "node:path";
import { BellhopError } from "../../base/errors.ts";
import { say, type Locale } from "../../base/words/say.ts";
import { isProjectName, type Project } from "../../core/project.ts";
import { code, colours, inert } from "../body.ts";
import { directoryAt, pathRemarks, readPath } from "./project-path.ts";
import { plain } from "./reply.ts";
import type { Answer, Command, CommandRoom } from "./room.ts";

const NAME_CHARS = 40;

export const projectAdd: Command = {
  name: "project add",
  ephemeral: false,
  async run({ options, locale }, room) {
    const typed = readPath(options["path"] ?? "");
    if ((await room.checkDirectory(typed)).is === "absent") return plain(`${say(locale, "path_absent")} \`E_INVALID_PATH\``);
    const directory = await directoryAt(typed, room);
    const known = await projectAt(directory.path, room);
    if (known) return before(known, locale);
    const { name, number, path } = await register(directory.path, room);
    const lines = [
      say(locale, "project_added", { number, path: code(path, 300) }),
      say(locale, "project_added_as", { project: `**${inert(name, NAME_CHARS)}**` }),
      ...pathRemarks(typed, directory, locale),
    ];
    return { content: "", embeds: [{ color: colours.good, description: lines.join("\n") }] };
  },
};

/** Such as `my-app` for `/home/me/My App`; another number behind it where that is taken. */
export function projectName(path: string, isTaken: (name: string) => boolean): string {
  const words = basename(path).normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  const fitted = words.replace(/[^a-z0-9_]+/g, "-").replace(/^-+|-+$/g, "").slice(0, NAME_CHARS);
  const name = isProjectName(fitted) ? fitted : "project";
  for (let number = 1; ; number += 1) {
    const ending = number === 1 ? "" : `-${number}`;
    const candidate = `${name.slice(0, NAME_CHARS - ending.length)}${ending}`;
    if (!isTaken(candidate)) return candidate;
  }
}

/** Registers it under the first free name; a command that runs beside this one may take one first. */
async function register(path: string, room: CommandRoom): Promise<Project> {
  const enabled_tools = await toolsHere(room);
  const taken = new Set(Object.keys(room.engine.state.projects));
  for (;;) {
    const name = projectName(path, (candidate) => taken.has(candidate));
    const default_args = Object.fromEntries(enabled_tools.map((tool) => [tool, []]));
    try {
      await room.engine.submit({ type: "create_project", project: { name, path, enabled_tools, default_tool: enabled_tools[0] ?? "", default_args } });
    } catch (error) {
      if (!(error instanceof BellhopError) || error.code !== "E_PROJECT_EXISTS") throw error;
      taken.add(name);
      continue;
    }
    const project = room.engine.state.projects[name];
    if (project) return project;
  }
}

/** The agents that are there; where none is, all that could be: the first job says how to install its own. */
async function toolsHere({ agents, tools }: CommandRoom): Promise<string[]> {
  const found = (await agents()).filter((agent) => agent.found).map(({ tool }) => tool);
  const here = tools.filter((tool) => found.includes(tool));
  return here.length > 0 ? here : [...tools];
}

/** The project whose directory this is, whichever way its path was written. */
async function projectAt(path: string, { engine, checkDirectory }: CommandRoom): Promise<Project | undefined> {
  const projects = Object.values(engine.state.projects);
  const found = await Promise.all(projects.map(async (project) => [project, await checkDirectory(project.path)] as const));
  return found.find(([project, it]) => project.path === path || (it.is === "directory" && it.path === path))?.[0];
}

function before({ number, name, path }: Project, locale: Locale): Answer {
  const words = say(locale, "project_added_before", { path: code(path, 300), number, project: `**${inert(name, NAME_CHARS)}**` });
  return plain(`${words} \`E_PROJECT_EXISTS\``);
}
