/**
 * What config.json says about one session, its layers merged: what is set for the thread, else for the project's
 * threads, else for the project. The only place that merges them.
 */
import { entryOf } from "../base/entry.ts";
import type { Locale } from "../base/words/say.ts";
import type { Config } from "./config-file.ts";
import { configPlace, invalid } from "./invalid.ts";
import type { ChosenForThread } from "./edit-config.ts";

type Project = Config["projects"][string];

export interface SessionSettings {
  /** Absolute. */
  path: string;
  /** Of its first job. */
  tool: string;
  /** A model of `tool`; other tools know other names. */
  model: string | undefined;
  permission: Project["permission"];
  isolation: "none" | "worktree";
  /** Whether its window is opened at the start. */
  startup: boolean;
}

/** @param id the thread's; the project's channel has only what is set for the project */
export function sessionSettings(project: Project, id: string): SessionSettings {
  const own = project.threads?.find(({ thread_id }) => thread_id === id);
  const isChannel = id === project.channel_id;
  const each = isChannel ? undefined : project.thread;
  return {
    path: own?.path ?? project.path,
    tool: own?.tool ?? project.default_tool,
    // The project and its threads name a model of the project's own tool.
    model:
      own?.model ??
      ((own?.tool ?? project.default_tool) === project.default_tool ? (each?.model ?? project.model) : undefined),
    permission: own?.permission ?? each?.permission ?? project.permission,
    // The channel is where the owner looks at what its threads have changed.
    isolation: isChannel ? "none" : (own?.isolation ?? each?.isolation ?? project.isolation ?? "none"),
    // `project.startup` is about the channel: it does not open a window for each thread.
    startup: (isChannel ? project.startup : (own?.startup ?? each?.startup)) ?? false,
  };
}

/** Where in the project's entry the thread's setting stands. */
function layerOf({ threads = [], thread, channel_id }: Project, id: string, key: "permission"): (string | number)[] {
  const place = threads.findIndex(({ thread_id }) => thread_id === id);
  if (threads[place]?.[key] !== undefined) return ["threads", place, key];
  return id !== channel_id && thread?.[key] !== undefined ? ["thread", key] : [key];
}

/** The directory that is set for this very thread. */
export function ownPath(
  { projects }: Pick<Config, "projects">,
  { project_name, thread_id }: { project_name: string; thread_id: string },
): string | undefined {
  const project = entryOf(projects, project_name);
  return project?.threads?.find((one) => one.thread_id === thread_id)?.path;
}

/** Whether the session, if it is new, works in a worktree of its own. */
export function isolates(
  { projects }: Pick<Config, "projects">,
  { project_name, thread_id }: { project_name: string; thread_id: string },
): boolean {
  const project = entryOf(projects, project_name);
  return project !== undefined && sessionSettings(project, thread_id).isolation === "worktree";
}

/** Tools that are Claude Code, and so have its permission modes. */
const CLAUDE: ReadonlySet<string> = new Set(["claude", "tmux"]);

export interface Reader {
  locale: Locale;
  /** Whether Bellhop runs as root. */
  isRoot: boolean;
}

/**
 * What a session's agent is started with.
 * @throws E_CONFIG_INVALID for a mode that Claude Code refuses to root
 */
export function agentSettings(
  { projects }: Pick<Config, "projects">,
  session: { project_name: string; thread_id: string },
  tool: string,
  { locale, isRoot }: Reader,
): { model?: string | undefined; permission?: string | undefined } {
  const project = entryOf(projects, session.project_name);
  if (!project) return {};
  const { model, permission, tool: itsTool } = sessionSettings(project, session.thread_id);
  const isClaude = CLAUDE.has(tool);
  if (isClaude && isRoot && permission === "bypassPermissions") {
    throw invalid(locale, {
      where: configPlace(["projects", project.name, ...layerOf(project, session.thread_id, "permission")]),
      found: permission,
      want: "config.want.not_as_root",
      mend: "config.mend.config",
    });
  }
  return {
    ...(tool === itsTool && model !== undefined && { model }),
    ...(isClaude && permission !== undefined && { permission }),
  };
}

/** Whether what its owner chooses in a thread of the project is kept in the file: it names places of the project. */
export function keepsChoices({ channel_id, threads }: Pick<Project, "channel_id" | "threads">): boolean {
  return channel_id !== undefined || threads !== undefined;
}

export interface FileChoice {
  chosen: ChosenForThread;
  /** What its entry says about another tool; it is replaced. */
  parked?: { tool: string; model: string };
}

/** What is to stand in the thread's entry; null: the file has no place for it. */
export function fileChoice(projects: Config["projects"], chosen: ChosenForThread): FileChoice | null {
  const { project_name, thread_id } = chosen;
  const project = entryOf(projects, project_name);
  const isElsewhere = Object.values(projects).some(
    (one) =>
      one.channel_id === thread_id || (one !== project && one.threads?.some((entry) => entry.thread_id === thread_id)),
  );
  if (!project || !keepsChoices(project) || isElsewhere) return null;
  const entry = project.threads?.find((one) => one.thread_id === thread_id);
  const tool = entry?.tool ?? project.default_tool;
  return {
    chosen,
    ...(tool !== chosen.tool && entry?.model !== undefined && { parked: { tool, model: entry.model } }),
  };
}

/** In a window of tmux the terminal asks as well, and asks alone when the time is over. */
const IN_TMUX = { question: undefined, permission: 120, plan: 120 };

/** After how many seconds a decision that nobody made expires; undefined: it never expires. */
export function lapseSeconds(
  { decision_lapse_s: { by_tool, ...all } }: Pick<Config, "decision_lapse_s">,
  kind: "question" | "permission" | "plan",
  tool: string,
): number | undefined {
  return by_tool?.[tool]?.[kind] ?? (tool === "tmux" ? IN_TMUX[kind] : undefined) ?? all[kind];
}
