/**
 * What config.json says about one session, its layers merged: what is set for the thread, else for the project's
 * threads, else for the project. The only place that merges them.
 */
import { entryOf } from "../base/entry.ts";
import type { Locale } from "../base/words/say.ts";
import type { Config } from "./config-file.ts";
import { configPlace, invalidSetting } from "./invalid.ts";
import type { ChosenForThread } from "./edit-config.ts";
import type { BellhopError } from "../base/errors.ts";
import type { GuildId } from "../base/ids.ts";
import { agreedOwner, type Settings } from "./settings.ts";
import { readTokenFile, tokenMissing } from "./token.ts";

type ProjectSettings = Config["projects"][string];

export interface SessionSettings {
  /** Absolute. */
  path: string;
  /** Of its first job. */
  tool: string;
  /** A model of `tool`; other tools know other names. */
  model: string | undefined;
  permission: ProjectSettings["permission"];
  isolation: "none" | "worktree";
  /** Whether its window is opened at the start. */
  startup: boolean;
}

/** @param id the thread's; the project's channel has only what is set for the project */
export function sessionSettings(project: ProjectSettings, id: string): SessionSettings {
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
function layerOf(
  { threads = [], thread, channel_id }: ProjectSettings,
  id: string,
  key: "permission",
): (string | number)[] {
  const place = threads.findIndex(({ thread_id }) => thread_id === id);
  if (threads[place]?.[key] !== undefined) return ["threads", place, key];
  return id !== channel_id && thread?.[key] !== undefined ? ["thread", key] : [key];
}

/** The directory that is set for this very thread. */
export function ownPath(
  { projects }: Config,
  { project_name, thread_id }: { project_name: string; thread_id: string },
): string | undefined {
  const project = entryOf(projects, project_name);
  return project?.threads?.find((one) => one.thread_id === thread_id)?.path;
}

/** Whether the session, if it is new, works in a worktree of its own. */
export function isolates(
  { projects }: Config,
  { project_name, thread_id }: { project_name: string; thread_id: string },
): boolean {
  const project = entryOf(projects, project_name);
  return project !== undefined && sessionSettings(project, thread_id).isolation === "worktree";
}

/** Tools that are Claude Code, and so have its permission modes. */
const CLAUDE: ReadonlySet<string> = new Set(["claude", "tmux"]);

interface SettingsContext {
  locale: Locale;
  /** Whether Bellhop runs as root. */
  isRoot: boolean;
}

/**
 * What a session's agent is started with.
 * @throws E_CONFIG_INVALID for a mode that Claude Code refuses to root
 */
export function agentSettings(
  { projects }: Config,
  session: { project_name: string; thread_id: string },
  tool: string,
  { locale, isRoot }: SettingsContext,
): { model?: string | undefined; permission?: string | undefined } {
  const project = entryOf(projects, session.project_name);
  if (!project) return {};
  const { model, permission, tool: itsTool } = sessionSettings(project, session.thread_id);
  const isClaude = CLAUDE.has(tool);
  if (isClaude && isRoot && permission === "bypassPermissions") {
    throw invalidSetting(locale, {
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
export function keepsChoices({ channel_id, threads }: ProjectSettings): boolean {
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
  { decision_lapse_s: { by_tool, ...all } }: Config,
  kind: "question" | "permission" | "plan",
  tool: string,
): number | undefined {
  return by_tool?.[tool]?.[kind] ?? (tool === "tmux" ? IN_TMUX[kind] : undefined) ?? all[kind];
}

/*
 * The servers of config.json and their tokens. One server may be the main bot's, whose token the environment names, or
 * else the first that can be read. A server that is wrong by itself is returned with its error and does not stop the
 * others.
 */

const FILE = "config.json";

export interface Server {
  name: string;
  guildId: GuildId;
  ownerId: string | undefined;
  /** Where the control panel stands. */
  panelId: string | undefined;
}

/** A server with a bot of its own, or why it has none. */
export type OtherServer = Server & ({ token: string; error?: undefined } | { error: BellhopError });

export interface Servers {
  /** The main bot's server, if config.json has it. */
  main: Server | undefined;
  others: OtherServer[];
}

/**
 * @param token the main bot's; null: there is no bot, and so no servers
 * @throws E_CONFIG_INVALID for another owner, and for another server of the main bot than the environment names
 */
export function readServers(config: Config, settings: Settings, token: string | null): Servers {
  if (token === null) return { main: undefined, others: [] };
  const owner = agreedOwner(settings, config.owner_id);
  const { locale } = settings;
  const servers: Servers = { main: undefined, others: [] };
  const taken = new Set<string>();
  const ownToken = settings.token?.from.startsWith(FILE) ? (tokenMissing(locale) as BellhopError) : token;
  for (const [name, { token_file, guild_id, owner_id, general_channel_id }] of Object.entries(config.servers)) {
    const where = (key: string): string => `${FILE} servers.${name}.${key}`;
    const server = { name, guildId: guild_id as GuildId, ownerId: owner_id, panelId: general_channel_id };
    const wrong = otherOwner(server, owner, locale);
    if (wrong) throw wrong;
    const found = token_file === undefined ? ownToken : tokenOf(settings, where("token_file"), token_file);
    if (typeof found !== "string") servers.others.push({ ...server, error: found });
    else if (taken.has(found))
      servers.others.push({
        ...server,
        error: invalidSetting(locale, {
          where: where("token_file"),
          found: token_file,
          want: "config.want.other_token",
          mend: "config.mend.restart",
        }),
      });
    else if (found !== token) servers.others.push({ ...server, token: found });
    else servers.main = server;
    if (typeof found === "string") taken.add(found);
  }
  const { main } = servers;
  if (main && settings.guildId !== undefined && settings.guildId !== main.guildId) {
    throw invalidSetting(locale, {
      where: `${FILE} servers.${main.name}.guild_id`,
      found: main.guildId,
      want: "config.want.same_guild",
      mend: "config.mend.restart",
      args: { id: settings.guildId },
    });
  }
  return servers;
}

/** The error for a server that names another owner than the one who is obeyed. */
export function otherOwner({ name, ownerId }: Server, owner: string | undefined, locale: Locale): BellhopError | null {
  if (ownerId === undefined || owner === undefined || ownerId === owner) return null;
  return invalidSetting(locale, {
    where: `${FILE} servers.${name}.owner_id`,
    found: ownerId,
    want: "config.want.same_owner",
    mend: "config.mend.same_owner",
    args: { other: "owner_id", id: owner },
  });
}

/** The token of the first server that has a good one; for a daemon whose environment names none. */
export function firstToken({ servers }: Config, settings: Settings): Settings["token"] {
  for (const [name, { token_file }] of Object.entries(servers)) {
    if (token_file === undefined) continue;
    const from = `${FILE} servers.${name}.token_file`;
    const value = tokenOf(settings, from, token_file);
    if (typeof value === "string") return { value, from };
  }
  return undefined;
}

function tokenOf({ locale, realDiscord }: Settings, from: string, path: string): string | BellhopError {
  try {
    return readTokenFile(locale, { from, path }, !realDiscord);
  } catch (error) {
    return error as BellhopError;
  }
}
