/**
 * Opens a session in a text channel: for `/start`, `/agent start`, `/resume`, and the button under an unhandled
 * message.
 */
import type { APIInteraction } from "discord-api-types/v10";
import { BellhopError } from "../../base/errors.ts";
import { say, type Locale } from "../../base/words/say.ts";
import type { Project } from "../../core/projects/project.ts";
import type { SessionCommand } from "../../core/sessions/session.ts";
import type { Resumable } from "../../engine/resumable.ts";
import { missingOf, sessionRights, TEXT_CHANNELS } from "../api/rights.ts";
import { troubles } from "./installed-agents.ts";
import { projectNamed } from "./find.ts";
import { directoryAt } from "./project-path.ts";
import { nameFrom } from "../threads/rename-threads.ts";
import type { CommandContext } from "./command.ts";
import { Refused } from "./reply.ts";

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
interface Wanted {
  project: Project;
  tool?: string;
  conversation?: Resumable;
}

/** @throws BellhopError */
export async function openIn(
  interaction: APIInteraction,
  { project, tool, conversation }: Wanted,
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
  });
  if (tool !== undefined) await context.ready(id);
  const session = await context.starts.opened(id);
  if (conversation)
    await context.engine.submit({ type: "name_session", thread_id: session, name: nameFrom(conversation.about) });
  return say(locale, "start_opened", { thread: `<#${session}>`, session: `\`${session}\`` });
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
