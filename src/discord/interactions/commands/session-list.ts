/**
 * `/session list`: the sessions used last, at most twenty, each with its project, its state, when it was last used, its
 * id and a link to its thread. The link is a full URL, because a client shows an archived thread's mention as unknown.
 */
import type { APIEmbed } from "discord-api-types/v10";
import { say, type Locale } from "../../../base/words/say.ts";
import type { State } from "../../../core/state.ts";
import { sessionState, type Session } from "../../../core/sessions/session.ts";
import { code, colours, inert, urlOf } from "../../views/body.ts";
import { projectNamed } from "../find.ts";
import { plain } from "../reply.ts";
import { NAME_CHARS, type Answer, type Command } from "../command.ts";
import { lastUsedFirst, projectChoices } from "../autocomplete.ts";

const MOST = 20;
/** Less than Discord's 4096 for one embed; two of them are less than its 6000 for a message. */
const EMBED_CHARS = 2900;
/** How much of a session's name is shown; and how much where the list would be too long with that. */
const TITLE_CHARS = 60;
const SHORT_TITLE_CHARS = 20;

export const sessionList: Command = {
  name: "session list",
  options: [{ key: "opt_project_only", max: NAME_CHARS, suggested: true, required: false }],
  ephemeral: true,
  run({ options, locale }, { engine }) {
    return Promise.resolve().then(() => listing(engine.state, options["project_name"], locale));
  },
  complete: ({ state, option, typed }) => (option === "project_name" ? projectChoices(state, typed) : []),
};

function listing(state: State, project: string | undefined, locale: Locale): Answer {
  const name = project?.trim() || undefined;
  const all = Object.values(state.sessions).filter(({ project_name }) => name === undefined || project_name === name);
  // A removed project may have left sessions; a name that was never a project is an error.
  if (all.length === 0 && name !== undefined) {
    return plain(say(locale, "sessions_none_in", { project: inert(projectNamed(state, name).name, 40) }));
  }
  if (all.length === 0) return plain(say(locale, "sessions_none"));
  const last = all.toSorted(lastUsedFirst).slice(0, MOST);
  const entries = (nameChars: number): string[] => last.map((session) => entry(state, session, nameChars, locale));
  const whole = entries(TITLE_CHARS);
  const fit = whole.join("\n\n").length <= 2 * EMBED_CHARS ? whole : entries(SHORT_TITLE_CHARS);
  return { content: "", embeds: embeds(fit, say(locale, "sessions_title")) };
}

function entry(state: State, session: Session, nameChars: number, locale: Locale): string {
  const { thread_id, project_name, last_activity_at } = session;
  const link = urlOf(state, thread_id);
  const used = `<t:${Math.floor(Date.parse(last_activity_at) / 1000)}:R>`;
  const name = state.threads[thread_id]?.name;
  const title =
    name === undefined
      ? [`**[${inert(project_name, 40)}](${link})**`]
      : [`**[${inert(name, nameChars)}](${link})**`, inert(project_name, 40)];
  const is = isThere(state, thread_id) ? stateIn(state, session, locale) : `🗑️ ${say(locale, "sessions_thread_gone")}`;
  return `${[...title, is, used].join(" · ")}
session_id: ${code(thread_id)}`;
}

function stateIn({ jobs, threads }: State, session: Session, locale: Locale): string {
  const thread = threads[session.thread_id];
  return thread?.closed === undefined
    ? inert(sessionState(session, jobs, thread), 40)
    : say(locale, "agent_state_closed");
}

/** False once Discord has said that its thread is gone or inaccessible. */
function isThere({ threads }: State, threadId: string): boolean {
  return threads[threadId]?.place === "thread";
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
