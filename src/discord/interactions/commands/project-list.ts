/**
 * `/project list` and `/projects`: every project with its number, name, default tool, path and tools, in the order of
 * registration. A project whose directory is missing is marked.
 */
import { say, type Locale } from "../../../base/words/say.ts";
import type { Project } from "../../../core/projects/project.ts";
import { code, colours, inert } from "../../views/body.ts";
import { plain } from "../reply.ts";
import type { Answer, Command, CommandContext, Typed } from "../command.ts";

/** Less than Discord's 4096 for an embed's description, with room for the last line. */
const MOST_CHARS = 3800;

export const projectList: Command = { name: "project list", options: [], ephemeral: false, run };
/** An alias of `/project list`. */
export const projects: Command = { name: "projects", options: [], ephemeral: false, run };

async function run({ locale }: Typed, { engine, checkDirectory }: CommandContext): Promise<Answer> {
  const { projects: registered, active_project: active } = engine.state;
  const all = Object.values(registered);
  const found = await Promise.all(all.map(async ({ name, path }) => ((await checkDirectory(path)).is === "directory" ? [name] : [])));
  return listing(all, { available: new Set(found.flat()), active }, locale);
}

interface Standing {
  /** Names of the projects whose directory exists. */
  available: ReadonlySet<string>;
  /** The name of the active project. */
  active: string | null;
}

function listing(all: readonly Project[], standing: Standing, locale: Locale): Answer {
  if (all.length === 0) return plain(say(locale, "projects_none"));
  const entries = all.toSorted((a, b) => a.number - b.number).map((project) => entry(project, standing, locale));
  const shown: string[] = [];
  let length = 0;
  for (const text of entries) {
    if ((length += text.length + 2) > MOST_CHARS) break;
    shown.push(text);
  }
  const more = entries.length - shown.length;
  if (more > 0) shown.push(say(locale, "projects_more", { count: more }));
  return { content: "", embeds: [{ color: colours.runs, title: say(locale, "projects_title"), description: shown.join("\n\n") }] };
}

function entry(project: Project, { available, active }: Standing, locale: Locale): string {
  const { number, name, default_tool, path, enabled_tools } = project;
  const gone = available.has(name) ? "" : ` ⚠️ ${say(locale, "project_unavailable")}`;
  const chosen = name === active ? ` ★ ${say(locale, "project_active")}` : "";
  return [
    `**#${number} ${inert(name, 40)}** · ${inert(default_tool, 40)}${chosen}${gone}`,
    `${say(locale, "field_path")}: ${code(path, 300)}`,
    `${say(locale, "field_tools")}: ${enabled_tools.map((tool) => inert(tool, 40)).join(", ")}`,
  ].join("\n");
}
