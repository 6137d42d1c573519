/**
 * A project: a named directory, the tools allowed in it, and their arguments. The owner's config.json is the source of
 * truth; its content is recorded here as events, so that a replay needs no config. A project created by a command stays
 * `unsaved` until the file holds it, so that a write interrupted by a crash is finished at the next start.
 */
import { entryOf } from "../../base/entry.ts";
import { BellhopError } from "../../base/errors.ts";
import { isProjectName } from "../../config/project-name.ts";
import { decideSeen, forgetAllSeen, forgetSeen, type SeeCommand, type SeenEvent } from "./seen.ts";
import { each, type Slice } from "../slice.ts";
import type { State } from "../state.ts";

/** One project as config.json holds it. Times are ISO 8601. */
export interface ProjectConfig {
  name: string;
  path: string;
  enabled_tools: string[];
  default_tool: string;
  default_args: Record<string, string[]>;
  created_at: string;
  updated_at: string;
  /** Its channel. Absent: none. */
  channel_id?: string | undefined;
  /** Each message that the owner writes there opens a thread. Absent: the channel is a session of it. */
  channel?: "session" | "threads" | undefined;
}

/** The times are those of the command. */
export type NewProject = Omit<ProjectConfig, "created_at" | "updated_at">;

export interface Project extends ProjectConfig {
  /** Order of registration, from 1; the number `/projects` shows and `/agent start` takes. */
  number: number;
  /** True until config.json holds what a command set. */
  unsaved: boolean;
}

export type ProjectEvent =
  | { type: "ProjectCreated"; payload: { project: ProjectConfig; number: number; unsaved: boolean } }
  | { type: "ProjectUpdated"; payload: { project: ProjectConfig } }
  | { type: "ProjectRemoved"; payload: { name: string } }
  | { type: "ProjectSaved"; payload: { names: string[] } }
  | { type: "ProjectSwitched"; payload: { project_name: string } };

export type ProjectCommand =
  /** The current content of config.json: the whole catalogue, in its order. */
  | { type: "adopt_projects"; projects: ProjectConfig[] }
  | { type: "create_project"; project: NewProject }
  /** config.json holds these now. */
  | { type: "projects_saved"; names: string[] }
  /** The project for commands that name none. */
  | { type: "switch_project"; project_name: string }
  | SeeCommand;

export function decideProject(state: State, command: ProjectCommand, at: string): (ProjectEvent | SeenEvent)[] {
  const { projects, active_project } = state;
  switch (command.type) {
    case "adopt_projects":
      return adopt(state, command.projects);
    case "create_project":
      return [create(state, command.project, at)];
    case "see_project":
      return decideSeen(state, command);
    case "projects_saved": {
      const names = command.names.filter((name) => projects[name]?.unsaved);
      return names.length === 0 ? [] : [{ type: "ProjectSaved", payload: { names } }];
    }
    case "switch_project": {
      const { project_name } = command;
      if (!Object.hasOwn(projects, project_name))
        throw new BellhopError("E_PROJECT_NOT_FOUND", { project: project_name });
      return project_name === active_project ? [] : [{ type: "ProjectSwitched", payload: { project_name } }];
    }
  }
}

export function evolveProject(state: State, event: ProjectEvent): void {
  const { projects } = state;
  switch (event.type) {
    case "ProjectCreated": {
      const { project, number, unsaved } = event.payload;
      projects[project.name] = { ...copy(project), number, unsaved };
      return;
    }
    case "ProjectUpdated": {
      const before = projects[event.payload.project.name];
      if (!before) return;
      projects[before.name] = { ...copy(event.payload.project), number: before.number, unsaved: before.unsaved };
      // The owner set another directory: nothing in it has been seen.
      if (before.path !== event.payload.project.path) forgetSeen(state, before.name);
      return;
    }
    case "ProjectRemoved":
      state.last_project_number = Math.max(state.last_project_number, projects[event.payload.name]?.number ?? 0);
      delete projects[event.payload.name];
      forgetAllSeen(state, event.payload.name);
      if (state.active_project === event.payload.name) state.active_project = null;
      return;
    case "ProjectSaved":
      for (const name of event.payload.names) {
        const project = projects[name];
        if (project) project.unsaved = false;
      }
      return;
    case "ProjectSwitched":
      state.active_project = event.payload.project_name;
  }
}

/** All projects: the active one, then by number. */
export function activeFirst({ projects, active_project }: State): Project[] {
  return Object.values(projects).toSorted(
    (a, b) => Number(b.name === active_project) - Number(a.name === active_project) || a.number - b.number,
  );
}

/** The project of what names none: the active one, else the only one; null: it has to be named. */
export function unnamedProject(state: State): string | null {
  const [first, ...more] = activeFirst(state);
  return first && (first.name === state.active_project || more.length === 0) ? first.name : null;
}

/** The project whose channel it is. */
export function projectOfChannel({ projects }: State, channelId: string): Project | undefined {
  return Object.values(projects).find(({ channel_id }) => channel_id === channelId);
}

/** Whether its channel holds sessions and is none itself: a forum, or as config.json says. */
export function holdsSessions({ channels }: State, { channel, channel_id = "" }: Project): boolean {
  return channel === "threads" || channels[channel_id]?.forum === true;
}

/**
 * The project in whose channel each message of the owner's opens a thread, or each of his posts is one, if it is such a
 * channel.
 */
export function opensThreads(state: State, channelId: string): Project | undefined {
  const project = projectOfChannel(state, channelId);
  return project && holdsSessions(state, project) && state.channels[channelId]?.kind === "project"
    ? project
    : undefined;
}

/** The file wins over the state, except for what a command set and the file does not hold yet. */
function adopt(state: State, wanted: ProjectConfig[]): ProjectEvent[] {
  const { projects } = state;
  const events: ProjectEvent[] = [];
  const names = new Set(wanted.map((project) => project.name));
  for (const project of Object.values(projects)) {
    if (!names.has(project.name) && !project.unsaved) {
      events.push({ type: "ProjectRemoved", payload: { name: project.name } });
    }
  }
  let number = lastNumber(state);
  for (const project of wanted) {
    const known = entryOf(projects, project.name);
    if (!known)
      events.push({ type: "ProjectCreated", payload: { project: copy(project), number: ++number, unsaved: false } });
    else if (!same(known, project)) events.push({ type: "ProjectUpdated", payload: { project: copy(project) } });
  }
  return events;
}

function create(state: State, project: NewProject, at: string): ProjectEvent {
  if (!isProjectName(project.name)) {
    throw new BellhopError("E_INVALID_NAME", { name: project.name });
  }
  if (Object.hasOwn(state.projects, project.name))
    throw new BellhopError("E_PROJECT_EXISTS", { project: project.name });
  if (!project.path.startsWith("/")) throw new BellhopError("E_INVALID_PATH", { path: project.path });
  const { enabled_tools: tools, default_tool: first } = project;
  if (tools.length === 0 || new Set(tools).size !== tools.length || !tools.includes(first)) {
    throw new BellhopError("E_INVALID_TOOLSET", { found: first, known: tools.join(", ") });
  }
  return {
    type: "ProjectCreated",
    payload: {
      project: { ...project, created_at: at, updated_at: at },
      number: lastNumber(state) + 1,
      unsaved: true,
    },
  };
}

function lastNumber({ projects, last_project_number }: State): number {
  return Math.max(last_project_number, ...Object.values(projects).map((project) => project.number));
}

/** Only the known fields: whatever else the owner keeps in the file stays in the file. */
function copy(project: ProjectConfig): ProjectConfig {
  return {
    name: project.name,
    path: project.path,
    enabled_tools: [...project.enabled_tools],
    default_tool: project.default_tool,
    default_args: Object.fromEntries(Object.entries(project.default_args).map(([tool, args]) => [tool, [...args]])),
    created_at: project.created_at,
    updated_at: project.updated_at,
    ...(project.channel_id !== undefined && { channel_id: project.channel_id }),
    ...(project.channel === "threads" && { channel: project.channel }),
  };
}

function same(a: ProjectConfig, b: ProjectConfig): boolean {
  return JSON.stringify(copy(a)) === JSON.stringify(copy(b));
}

export const projectSlice: Slice<ProjectCommand, ProjectEvent> = {
  decide: each(decideProject, "adopt_projects", "create_project", "projects_saved", "switch_project", "see_project"),
  evolve: each(evolveProject, "ProjectCreated", "ProjectUpdated", "ProjectRemoved", "ProjectSaved", "ProjectSwitched"),
  kinds: "project",
  topic: () => "projects",
};
