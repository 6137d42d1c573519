/**
 * `/start`: opens a session in a new thread. That it is wanted is on disk before anything is made in Discord; the
 * keeper of starts makes the thread, however often we are interrupted, and this waits to say where it is.
 */
import { ChannelType } from "discord-api-types/v10";
import { BellhopError } from "../../base/errors.ts";
import { say, type Locale } from "../../base/words/say.ts";
import type { State } from "../../core/house.ts";
import type { Project } from "../../core/project.ts";
import { inert } from "../body.ts";
import { sentence } from "../sentence.ts";
import { projectNamed } from "./project-named.ts";
import { plain } from "./reply.ts";
import type { Answer, Command, CommandRoom, Typed } from "./room.ts";
import { projectChoices } from "./suggestions.ts";

const TEXT = new Set<number>([ChannelType.GuildText, ChannelType.GuildAnnouncement]);

export const start: Command = {
  name: "start",
  ephemeral: false,
  async run(typed, room) {
    const { interaction, locale, options } = typed;
    const elsewhere = notHere(typed);
    if (elsewhere) return elsewhere;
    const { state } = room.engine;
    const project_name = options["project_name"]?.trim() || unnamedProject(state);
    if (project_name === null) return whichProject(state, locale);
    await checkThere(projectNamed(state, project_name), room);
    await room.engine.submit({
      type: "start_session",
      request_id: interaction.id,
      project_name,
      channel_id: interaction.channel.id,
      guild_id: room.guildId,
      bot_id: room.botId,
    });
    const session = await room.starts.opened(interaction.id);
    return plain(say(locale, "start_opened", { thread: `<#${session}>`, session: `\`${session}\`` }));
  },
  complete: ({ state, option, typed }) => (option === "project_name" ? projectChoices(state, typed) : []),
};

/** The answer where no session can be opened; null in a text channel. */
function notHere({ interaction, locale }: Typed): Answer | null {
  const { channel } = interaction;
  if (TEXT.has(channel.type)) return null;
  const parent = "parent_id" in channel && typeof channel.parent_id === "string" ? channel.parent_id : null;
  const isThread = channel.type === ChannelType.PublicThread || channel.type === ChannelType.PrivateThread;
  const lines = [sentence(locale, "E_NOT_IN_TEXT_CHANNEL", {})];
  if (isThread && parent) lines.push(say(locale, "start_in", { channel: `<#${parent}>` }));
  return plain([...lines, "`E_NOT_IN_TEXT_CHANNEL`"].join(" "));
}

/** The active project, else the only one there is. */
function unnamedProject(state: State): string | null {
  const { active_project: active } = state;
  if (active !== null && Object.hasOwn(state.projects, active)) return active;
  const names = Object.keys(state.projects);
  return names.length === 1 ? (names[0] ?? null) : null;
}

/** A session in a directory that is gone could run nothing. */
async function checkThere({ path }: Project, { checkDirectory }: CommandRoom): Promise<void> {
  const { is } = await checkDirectory(path);
  if (is !== "directory") throw new BellhopError("E_INVALID_PATH", { path });
}

function whichProject(state: State, locale: Locale): Answer {
  const names = projectChoices(state, "").slice(0, 25).map(({ value }) => inert(value, 40));
  const words = names.length === 0 ? say(locale, "projects_none") : say(locale, "start_which", { projects: names.join(", ") });
  return plain(`${words} \`E_PROJECT_NOT_FOUND\``);
}
