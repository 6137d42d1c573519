/** `/project add`, `list`, `status` and `switch`; `/project create` is in `project-create.ts`. */
import { say, type Locale } from "../../../base/words/say.ts";
import type { Project } from "../../../core/projects/project.ts";
import { projectAt, registerProject } from "../../../engine/register-projects.ts";
import { code, colours, inert } from "../../views/body.ts";
import { readers, toolsHere, troubles } from "../installed-agents.ts";
import { PATH_CHARS, directoryAt, pathRemarks, readPath } from "../project-path.ts";
import { plain, Refused } from "../reply.ts";
import { NAME_CHARS, type Answer, type Command, type CommandContext, type Typed } from "../command.ts";
import type { State } from "../../../core/state.ts";
import type { Job } from "../../../core/jobs/job.ts";
import { sessionState } from "../../../core/sessions/session.ts";
import { projectNamed } from "../find.ts";
import { projectChoices } from "../autocomplete.ts";

/**
 * `/project add`: makes a directory a project from its path alone. Its name comes from the path's last segment, its
 * tools are the installed agents; `/project create` takes other values.
 */
export const projectAdd: Command = {
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

function before({ number, name, path }: Project, locale: Locale): Refused {
  return new Refused(
    "E_PROJECT_EXISTS",
    say(locale, "project_added_before", { path: code(path, 300), number, project: `**${inert(name, NAME_CHARS)}**` }),
  );
}

/** Less than Discord's 4096 for an embed's description, with room for the last line. */
const MOST_CHARS = 3800;

/**
 * `/project list` and `/projects`: every project with its number, name, default tool, path and tools, in the order of
 * registration. A project whose directory is missing is marked.
 */
export const projectList: Command = { name: "project list", options: [], ephemeral: false, run };
/** An alias of `/project list`. */
export const projects: Command = { name: "projects", options: [], ephemeral: false, run };

async function run({ locale }: Typed, { engine, checkDirectory }: CommandContext): Promise<Answer> {
  const { projects: registered, active_project: active } = engine.state;
  const all = Object.values(registered);
  const found = await Promise.all(
    all.map(async ({ name, path }) => ((await checkDirectory(path)).is === "directory" ? [name] : [])),
  );
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
  return {
    content: "",
    embeds: [{ color: colours.runs, title: say(locale, "projects_title"), description: shown.join("\n\n") }],
  };
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

const DAY_MS = 24 * 60 * 60_000;

/**
 * `/project status`: the state of a project's sessions and jobs, in a fixed wording and order. Never translated:
 * scripts and people compare it.
 */
export const projectStatus: Command = {
  name: "project status",
  options: [{ key: "opt_project_which", max: NAME_CHARS, suggested: true }],
  ephemeral: true,
  run({ options }, { engine, now }) {
    return Promise.resolve().then(() => plain(projectStatusText(engine.state, options["project_name"] ?? "", now())));
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
export const projectSwitch: Command = {
  name: "project switch",
  options: [{ key: "opt_project_which", max: NAME_CHARS, suggested: true }],
  ephemeral: false,
  async run({ options, locale }, { engine }) {
    const { name } = projectNamed(engine.state, options["project_name"] ?? "");
    await engine.submit({ type: "switch_project", project_name: name });
    return plain(say(locale, "project_switched", { project: `**${inert(name, 40)}**` }));
  },
  complete: ({ state, option, typed }) => (option === "project_name" ? projectChoices(state, typed) : []),
};
