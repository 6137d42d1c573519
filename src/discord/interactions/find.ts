/** Finds what a command is about. A name that is not found is shown in the error as plain text. */
import { entryOf } from "../../base/entry.ts";
import { BellhopError } from "../../base/errors.ts";
import type { Project, ProjectConfig } from "../../core/projects/project.ts";
import { startOn, takingThread, type Session, type SessionCommand } from "../../core/sessions/session.ts";
import type { State } from "../../core/state.ts";
import { isAbsolute, normalize } from "node:path";
import { excerpt } from "../../base/text.ts";
import { say, type Locale } from "../../base/words/say.ts";
import { underHome } from "../../config/homes.ts";
import { code, plainLine } from "../views/message.ts";
import type { CommandContext } from "./command.ts";
import { agentTrouble } from "../views/welcome.ts";
import type { APIInteraction } from "discord-api-types/v10";
import type { Resumable } from "../../engine/live.ts";
import { THREAD_TYPES } from "../api/refused-place.ts";
import { missingOf, sessionRights, TEXT_CHANNELS } from "../api/rights.ts";
import { nameFrom } from "../threads/thread-upkeep.ts";
import { Refused, respondMeanwhile } from "./reply.ts";

/** @throws BellhopError `E_PROJECT_NOT_FOUND` */
export function projectNamed(state: State, typed: string): Project {
  const name = typed.trim();
  const project = entryOf(state.projects, name);
  if (!project) throw new BellhopError("E_PROJECT_NOT_FOUND", { project: shortInput(name) });
  return project;
}

/** The session of the thread in which the command was used. @throws BellhopError `E_NOT_IN_MANAGED_THREAD` */
export function sessionHere(state: State, channelId: string): Session {
  const session = entryOf(state.sessions, channelId);
  if (!session) throw new BellhopError("E_NOT_IN_MANAGED_THREAD");
  return session;
}

/*
 * Reads a directory as a person types it: an absolute path on one line to an existing, readable directory. The
 * project's path is the real path, so that a link changed later does not move the project.
 */

export const PATH_CHARS = 1000;

/** The path, normalized and without a trailing slash; `~` is `home`. @throws E_INVALID_PATH if it cannot be a path */
export function readPath(typed: string, home: string): string {
  const path = normalize(underHome(typed.trim(), home));
  if (typed.length > PATH_CHARS || /\p{Cc}/u.test(typed) || !isAbsolute(path)) throw invalidPath(typed);
  return path === "/" ? path : path.replace(/(?<!\/)\/+$/, "");
}

/** The directory at a path. @throws E_INVALID_PATH if it is a file, unreadable or missing; E_STATE_DIRECTORY */
export async function directoryAt(path: string, context: CommandContext): Promise<{ path: string; wide: boolean }> {
  const found = await context.checkDirectory(path);
  if (found.is === "ours") throw new BellhopError("E_STATE_DIRECTORY", { path: shortInput(path) });
  if (found.is !== "directory") throw invalidPath(path);
  return found;
}

/** Remarks on a directory, besides that it is registered. */
export function pathRemarks(typed: string, { path, wide }: { path: string; wide: boolean }, locale: Locale): string[] {
  const real = typed === path ? [] : [say(locale, "path_real", { typed: code(typed, 300), path: code(path, 300) })];
  return wide ? [...real, say(locale, "path_wide")] : real;
}

/** What was typed, shortened for a sentence; a dash if empty. */
export function shortInput(typed: string): string {
  return typed === "" ? "—" : excerpt(typed, 100);
}

function invalidPath(typed: string): BellhopError {
  return new BellhopError("E_INVALID_PATH", { path: shortInput(typed) });
}

/*
 * The agents of this machine, as far as a project or a session needs them: which are installed, and what keeps one from
 * working.
 */

/**
 * The tools whose agents are installed; if none is, all supported ones: the first job says how to install its agent.
 */
export async function toolsHere({ agents, tools: { names } }: CommandContext): Promise<string[]> {
  const all = await agents.probeAgain();
  const here = names.filter((tool) => all.some((agent) => agent.tool === tool && agent.found));
  return here.length > 0 ? here : names.filter((tool) => all.some((agent) => agent.tool === tool));
}

/** Which of a project's agents are read-only, and how to let them write. */
export function readers(
  { enabled_tools, default_args }: Pick<ProjectConfig, "enabled_tools" | "default_args">,
  locale: Locale,
  { tools: { toolAccess: access } }: CommandContext,
): string[] {
  const all = enabled_tools.flatMap((tool) => {
    const found = access(tool, default_args[tool] ?? []);
    return found.access === "reads" && found.writing !== null ? [[tool, found.writing] as const] : [];
  });
  if (all.length === 0) return [];
  const tools = all.map(([tool]) => `**${plainLine(tool, 40)}**`).join(", ");
  return [
    `🔒 ${say(locale, "access_reads", { tool: tools })} ${say(locale, "access_writing", { args: code(JSON.stringify(Object.fromEntries(all))) })}`,
  ];
}

/** For each of these tools that cannot work now, the reason, with the command to type on the machine. */
export async function troubles(
  wanted: readonly string[],
  locale: Locale,
  { agents }: CommandContext,
): Promise<string[]> {
  const all = await agents.probeAgain();
  return wanted.flatMap((tool) => {
    const agent = all.find((one) => one.tool === tool);
    return (agent && agentTrouble(agent, locale)) ?? [];
  });
}

/*
 * Opens a session in a text channel: for `/start`, `/agent start`, `/resume`, and the button under an unhandled
 * message.
 */

/** The text to show when it is open. @throws BellhopError */
export async function openHere(
  interaction: APIInteraction,
  project_name: string,
  locale: Locale,
  context: CommandContext,
): Promise<string> {
  const project = projectNamed(context.engine.state, project_name);
  const opened = await openIn(interaction, { project }, locale, context);
  return [opened, ...(await troubles([project.default_tool], locale, context))].join("\n");
}

/**
 * What is to be opened. With a tool, its agent is opened before the thread is made; with a conversation, with the first
 * job.
 */
interface ThreadRequest {
  project: Project;
  tool?: string;
  conversation?: Resumable;
  /** The owner's message in this channel on which the thread is made, and which is the first prompt. */
  onMessage?: string;
}

/** @throws BellhopError */
export async function openIn(
  interaction: APIInteraction,
  wanted: ThreadRequest,
  locale: Locale,
  context: CommandContext,
): Promise<string> {
  const session = await startIn(interaction, wanted, locale, context);
  const { conversation } = wanted;
  if (conversation)
    await context.engine.submit({ type: "name_session", thread_id: session, name: nameFrom(conversation.about) });
  return say(locale, "start_opened", { thread: `<#${session}>`, session: `\`${session}\`` });
}

/**
 * Opens a session with a message that the owner has written here: on that message, or in the thread of his in which it
 * stands. Resolves with the session's id; it is there already if the button was pressed before. @throws BellhopError
 */
export async function openWith(
  interaction: APIInteraction,
  { message, project: name }: { message: string; project: string },
  locale: Locale,
  context: CommandContext,
): Promise<string> {
  const { engine, guildId: guild_id, botId: bot_id } = context;
  const project = projectNamed(engine.state, name);
  const { channel } = interaction;
  const isThread = channel !== undefined && THREAD_TYPES.has(channel.type);
  const known = isThread ? channel.id : message;
  if (engine.state.sessions[known]) return known;
  if (!isThread) return startIn(interaction, { project, onMessage: message }, locale, context);
  await directoryAt(project.path, context);
  const parent = "parent_id" in channel ? (channel.parent_id ?? "") : "";
  const place = { thread_id: channel.id, channel_id: parent, guild_id, bot_id, project_name: project.name };
  await engine.submit(takingThread(place, message));
  return channel.id;
}

/** Resolves with the new session's id. @throws BellhopError */
async function startIn(
  interaction: APIInteraction,
  { project, tool, conversation, onMessage }: ThreadRequest,
  locale: Locale,
  context: CommandContext,
): Promise<string> {
  await directoryAt(project.path, context);
  const { id, channel, app_permissions } = interaction;
  if (!channel || !TEXT_CHANNELS.has(channel.type)) throw new BellhopError("E_NOT_IN_TEXT_CHANNEL");
  const missing = missingRights(app_permissions, locale);
  if (missing.length > 0)
    throw new Refused(
      "E_THREAD_ACCESS_FAILED",
      say(locale, "start_rights", { channel: `<#${channel.id}>`, rights: missing.join(", ") }),
    );
  const agent = tool === undefined ? {} : ({ tool, agent: true } as const);
  const goesOn = conversation ? continuing(conversation) : {};
  await context.engine.submit({
    type: "start_session",
    request_id: id,
    project_name: project.name,
    channel_id: channel.id,
    guild_id: context.guildId,
    bot_id: context.botId,
    ...agent,
    ...goesOn,
    ...(onMessage !== undefined && { on_message: onMessage }),
  });
  if (tool !== undefined) await context.ready(id);
  const { state } = context.engine;
  if (onMessage !== undefined && state.sessions[onMessage]) return onMessage;
  return context.starts.opened(startOn(state, onMessage ?? "")?.request_id ?? id, (until) => {
    const time = `<t:${Math.ceil(until / 1000)}:R>`;
    void respondMeanwhile(interaction, say(locale, "start_delayed", { time }), context);
  });
}

function continuing({
  tool,
  key_name,
  key,
  cwd,
  branch,
}: Resumable): Pick<Extract<SessionCommand, { type: "start_session" }>, "tool" | "adapter_state" | "checkout"> {
  return {
    tool,
    adapter_state: { [key_name]: key },
    ...(branch !== undefined && { checkout: { cwd, branch, head: null, tree: null } }),
  };
}

/** The names of the permissions that the bot lacks in this channel, as Discord's settings call them. */
function missingRights(permissions: string, locale: Locale): string[] {
  if (!/^\d{1,30}$/.test(permissions)) return [];
  return missingOf(BigInt(permissions), sessionRights).map((key) => `**${say(locale, key)}**`);
}
