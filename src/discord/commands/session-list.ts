/**
 * `/session list`: the sessions used last, at most twenty, each with its project, its state, when it was last used,
 * its id and a link to its thread (seed B 11.5). The link is a whole address, because a client draws an archived
 * thread's mention as unknown.
 */
import type { APIEmbed } from "discord-api-types/v10";
import { say, type Locale } from "../../base/words/say.ts";
import type { State } from "../../core/house.ts";
import { sessionState, type Session } from "../../core/session.ts";
import { code, colours, inert } from "../body.ts";
import { projectNamed } from "./project-named.ts";
import { plain } from "./reply.ts";
import type { Answer, Command } from "./room.ts";
import { lastUsedFirst, projectChoices } from "./suggestions.ts";

const MOST = 20;
/** Less than Discord's 4096 for one embed; two of them are less than its 6000 for a message. */
const EMBED_CHARS = 2900;

export const sessionList: Command = {
  name: "session list",
  ephemeral: true,
  run({ options, locale }, { engine }) {
    return Promise.resolve().then(() => listing(engine.state, options["project_name"], locale));
  },
  complete: ({ state, option, typed }) => (option === "project_name" ? projectChoices(state, typed) : []),
};

function listing(state: State, project: string | undefined, locale: Locale): Answer {
  const name = project?.trim() || undefined;
  const all = Object.values(state.sessions).filter(({ project_name }) => name === undefined || project_name === name);
  // A project that is gone may have left sessions behind; what never was one is said to be none.
  if (all.length === 0 && name !== undefined) {
    return plain(say(locale, "sessions_none_in", { project: inert(projectNamed(state, name).name, 40) }));
  }
  if (all.length === 0) return plain(say(locale, "sessions_none"));
  const entries = all.toSorted(lastUsedFirst).slice(0, MOST).map((session) => entry(state, session));
  return { content: "", embeds: embeds(entries, say(locale, "sessions_title")) };
}

function entry(state: State, session: Session): string {
  const { thread_id, project_name, last_activity_at } = session;
  const link = threadLink(state, thread_id);
  const used = `<t:${Math.floor(Date.parse(last_activity_at) / 1000)}:R>`;
  return `**[${inert(project_name, 40)}](${link})** · ${inert(sessionState(session, state.jobs), 40)} · ${used}\nsession_id: ${code(thread_id)}`;
}

export function threadLink(state: State, threadId: string): string {
  return `https://discord.com/channels/${state.threads[threadId]?.guild_id ?? "@me"}/${threadId}`;
}

function embeds(entries: readonly string[], title: string): APIEmbed[] {
  const texts: string[] = [];
  for (const text of entries) {
    const last = texts.at(-1);
    if (last !== undefined && last.length + text.length < EMBED_CHARS) texts[texts.length - 1] = `${last}\n\n${text}`;
    else texts.push(text);
  }
  return texts.map((description, index) => ({ color: colours.runs, ...(index === 0 ? { title } : {}), description }));
}
