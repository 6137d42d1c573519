/**
 * `/project list`: every project with its number, name, default tool, path and tools, in the order of registration.
 * A project whose directory is gone says so.
 */
import { say, type Locale } from "../../base/words/say.ts";
import type { Project } from "../../core/project.ts";
import { code, colours, inert } from "../body.ts";
import { plain } from "./reply.ts";
import type { Answer, Command } from "./room.ts";

/** Less than Discord's 4096 for an embed's description, with room for the last line. */
const MOST_CHARS = 3800;

export const projectList: Command = {
  name: "project list",
  ephemeral: false,
  async run({ locale }, room) {
    const projects = Object.values(room.engine.state.projects);
    const found = await Promise.all(
      projects.map(async ({ name, path }) => ((await room.checkDirectory(path)) === "ok" ? [name] : [])),
    );
    return listing(projects, new Set(found.flat()), locale);
  },
};

/** @param available names of the projects whose directory is there */
export function listing(projects: readonly Project[], available: ReadonlySet<string>, locale: Locale): Answer {
  if (projects.length === 0) return plain(say(locale, "projects_none"));
  const entries = projects
    .toSorted((a, b) => a.number - b.number)
    .map((project) => entry(project, available.has(project.name), locale));
  const shown: string[] = [];
  let length = 0;
  for (const text of entries) {
    if ((length += text.length + 1) > MOST_CHARS) break;
    shown.push(text);
  }
  const more = entries.length - shown.length;
  if (more > 0) shown.push(say(locale, "projects_more", { count: more }));
  return { content: "", embeds: [{ color: colours.runs, title: say(locale, "projects_title"), description: shown.join("\n") }] };
}

function entry(project: Project, available: boolean, locale: Locale): string {
  const { number, name, default_tool, path, enabled_tools } = project;
  const gone = available ? "" : ` ⚠️ ${say(locale, "project_unavailable")}`;
  return [
    `**#${number} ${inert(name, 40)}** · ${inert(default_tool, 40)}${gone}`,
    `${say(locale, "field_path")}: ${code(path, 300)}`,
    `${say(locale, "field_tools")}: ${enabled_tools.map((tool) => inert(tool, 40)).join(", ")}`,
  ].join("\n");
}
