/**
 * `/start`: opens a session in a new thread. The request is on disk before anything is created in Discord; the
 * reconciler of starts creates the thread, however often it is interrupted, and this command waits to report where it
 * is.
 */
import { ChannelType } from "discord-api-types/v10";
import { say, type Locale } from "../../../base/words/say.ts";
import type { State } from "../../../core/state.ts";
import { inert } from "../../views/body.ts";
import { sentence } from "../../views/error-details.ts";
import { TEXT_CHANNELS } from "../../api/rights.ts";
import { openHere } from "../open-session.ts";
import { plain, Refused } from "../reply.ts";
import { NAME_CHARS, type Command, type Typed } from "../command.ts";
import { projectChoices } from "../autocomplete.ts";

export const start: Command = {
  name: "start",
  options: [{ key: "opt_project_name", max: NAME_CHARS, suggested: true, required: false }],
  ephemeral: false,
  async run(typed, context) {
    const { interaction, locale, options } = typed;
    const elsewhere = notHere(typed);
    if (elsewhere) throw elsewhere;
    const { state } = context.engine;
    const project_name = options["project_name"]?.trim() || unnamedProject(state);
    if (project_name === null) throw whichProject(state, locale);
    return plain(await openHere(interaction, project_name, locale, context));
  },
  complete: ({ state, option, typed }) => (option === "project_name" ? projectChoices(state, typed) : []),
};

/** Why no session can be opened in this channel; null in a text channel. */
export function notHere({ interaction, locale }: Typed): Refused | null {
  const { channel } = interaction;
  if (TEXT_CHANNELS.has(channel.type)) return null;
  const parent = "parent_id" in channel && typeof channel.parent_id === "string" ? channel.parent_id : null;
  const isThread = channel.type === ChannelType.PublicThread || channel.type === ChannelType.PrivateThread;
  const lines = [sentence(locale, "E_NOT_IN_TEXT_CHANNEL", {})];
  if (isThread && parent) lines.push(say(locale, "start_in", { channel: `<#${parent}>` }));
  return new Refused("E_NOT_IN_TEXT_CHANNEL", lines.join(" "));
}

/** The active project, else the only one. */
export function unnamedProject(state: State): string | null {
  const { active_project: active } = state;
  if (active !== null && Object.hasOwn(state.projects, active)) return active;
  const names = Object.keys(state.projects);
  return names.length === 1 ? (names[0] ?? null) : null;
}

function whichProject(state: State, locale: Locale): Refused {
  const names = projectChoices(state, "")
    .slice(0, 25)
    .map(({ value }) => inert(value, 40));
  const words =
    names.length === 0 ? say(locale, "projects_none") : say(locale, "start_which", { projects: names.join(", ") });
  return new Refused("E_PROJECT_NOT_FOUND", words);
}
