/**
 * What config.json says about one session, its layers merged: what is set for the thread, else for the project's threads,
 * else for the project. The only place that merges them.
 */
import type { Locale } from "../base/words/say.ts";
import type { Config } from "./config-file.ts";
import { invalid } from "./invalid.ts";

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
    model: own?.model ?? each?.model ?? project.model,
    permission: own?.permission ?? each?.permission ?? project.permission,
    // The channel is where the owner looks at what its threads have changed.
    isolation: isChannel ? "none" : (own?.isolation ?? each?.isolation ?? project.isolation ?? "none"),
    // `project.startup` is about the channel: it does not open a window for each thread.
    startup: (isChannel ? project.startup : (own?.startup ?? each?.startup)) ?? false,
  };
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
export function agentSettings({ projects }: Pick<Config, "projects">, session: { project_name: string; thread_id: string }, tool: string, { locale, isRoot }: Reader): { model?: string | undefined; permission?: string | undefined } {
  const project = Object.hasOwn(projects, session.project_name) ? projects[session.project_name] : undefined;
  if (!project) return {};
  const { model, permission, tool: itsTool } = sessionSettings(project, session.thread_id);
  const isClaude = CLAUDE.has(tool);
  if (isClaude && isRoot && permission === "bypassPermissions") {
    throw invalid(locale, { where: `config.json projects.${project.name} permission`, found: permission, want: "config.want.not_as_root", mend: "config.mend.config" });
  }
  return { ...(tool === itsTool && model !== undefined && { model }), ...(isClaude && permission !== undefined && { permission }) };
}
