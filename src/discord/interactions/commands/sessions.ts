/**
 * `/start`: opens a session in a new thread. The request is on disk before anything is created in Discord; the
 * reconciler of starts creates the thread, however often it is interrupted, and this command waits to report where it
 * is.
 */
import { ChannelType, type APIEmbed, type APIThreadChannel } from "discord-api-types/v10";
import { say, type Locale } from "../../../base/words/say.ts";
import type { State } from "../../../core/state.ts";
import { plainLine, code, colours, urlOf, sentence } from "../../views/message.ts";
import { TEXT_CHANNELS } from "../../api/rights.ts";
import { openHere, openIn, projectNamed, shortInput, troubles } from "../find.ts";
import { plainAnswer, Refused } from "../reply.ts";
import {
  NAME_CHARS,
  type SlashCommand,
  type TypedCommand,
  type InteractionAnswer,
  type CommandContext,
  type CompletionRequest,
  type AutocompleteChoice,
} from "../command.ts";
import { projectChoices, lastUsedFirst, sessionChoices, choicesOf } from "../autocomplete.ts";
import { sessionState, type Session, placeOf, refuseTaken } from "../../../core/sessions/session.ts";
import { entryOf } from "../../../base/entry.ts";
import { BellhopError } from "../../../base/errors.ts";
import { failureKind } from "../../api/transport.ts";
import { excerpt, oneLine } from "../../../base/text.ts";
import { unnamedProject, type Project } from "../../../core/projects/project.ts";
import type { Resumable } from "../../../engine/live.ts";
import { minuteOf } from "../../threads/session-starts.ts";

export const start: SlashCommand = {
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
    return plainAnswer(await openHere(interaction, project_name, locale, context));
  },
  complete: ({ state, option, typed }) => (option === "project_name" ? projectChoices(state, typed) : []),
};

/** Why no session can be opened in this channel; null in a text channel. */
function notHere({ interaction, locale }: TypedCommand): Refused | null {
  const { channel } = interaction;
  if (TEXT_CHANNELS.has(channel.type)) return null;
  const parent = "parent_id" in channel && typeof channel.parent_id === "string" ? channel.parent_id : null;
  const isThread = channel.type === ChannelType.PublicThread || channel.type === ChannelType.PrivateThread;
  const lines = [sentence(locale, "E_NOT_IN_TEXT_CHANNEL", {})];
  if (isThread && parent) lines.push(say(locale, "start_in", { channel: `<#${parent}>` }));
  return new Refused("E_NOT_IN_TEXT_CHANNEL", lines.join(" "));
}

function whichProject(state: State, locale: Locale): Refused {
  const names = projectChoices(state, "")
    .slice(0, 25)
    .map(({ value }) => plainLine(value, 40));
  const words =
    names.length === 0 ? say(locale, "projects_none") : say(locale, "start_which", { projects: names.join(", ") });
  return new Refused("E_PROJECT_NOT_FOUND", words);
}

/*
 * `/session list`: the sessions used last, at most twenty, each with its project, its state, when it was last used, its
 * id and a link to its thread. The link is a full URL, because a client shows an archived thread's mention as unknown.
 */

const MOST = 20;
/** Less than Discord's 4096 for one embed; two of them are less than its 6000 for a message. */
const EMBED_CHARS = 2900;
/** How much of a session's name is shown; and how much where the list would be too long with that. */
const TITLE_CHARS = 60;
const SHORT_TITLE_CHARS = 20;

export const sessionList: SlashCommand = {
  name: "session list",
  options: [{ key: "opt_project_only", max: NAME_CHARS, suggested: true, required: false }],
  ephemeral: true,
  run({ options, locale }, { engine }) {
    return Promise.resolve().then(() => listing(engine.state, options["project_name"], locale));
  },
  complete: ({ state, option, typed }) => (option === "project_name" ? projectChoices(state, typed) : []),
};

function listing(state: State, project: string | undefined, locale: Locale): InteractionAnswer {
  const name = project?.trim() || undefined;
  const all = Object.values(state.sessions).filter(({ project_name }) => name === undefined || project_name === name);
  // A removed project may have left sessions; a name that was never a project is an error.
  if (all.length === 0 && name !== undefined) {
    return plainAnswer(say(locale, "sessions_none_in", { project: plainLine(projectNamed(state, name).name, 40) }));
  }
  if (all.length === 0) return plainAnswer(say(locale, "sessions_none"));
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
      ? [`**[${plainLine(project_name, 40)}](${link})**`]
      : [`**[${plainLine(name, nameChars)}](${link})**`, plainLine(project_name, 40)];
  const is = isThere(state, thread_id) ? stateIn(state, session, locale) : `🗑️ ${say(locale, "sessions_thread_gone")}`;
  return `${[...title, is, used].join(" · ")}
session_id: ${code(thread_id)}`;
}

function stateIn({ jobs, threads }: State, session: Session, locale: Locale): string {
  const thread = threads[session.thread_id];
  return thread?.closed === undefined
    ? plainLine(sessionState(session, jobs, thread), 40)
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

/*
 * `/session open`: leads to a session's thread, unarchives it if needed, and reopens a session that is closed. A
 * session never moves to another thread; the reason why its thread cannot be opened is shown.
 */

/** How long, in milliseconds, requests to Discord are repeated; then the person may try again. */
const PATIENCE_MS = 10_000;

export const sessionOpen: SlashCommand = {
  name: "session open",
  options: [{ key: "opt_session_id", max: 100, suggested: true }],
  ephemeral: true,
  async run({ options, locale }, context) {
    const { thread_id } = sessionNamed(context.engine.state, options["session_id"] ?? "");
    try {
      return plainAnswer(await open(thread_id, locale, context));
    } catch (error) {
      throw refused(error, thread_id, locale);
    }
  },
  complete: ({ state, option, typed, zone }) => (option === "session_id" ? sessionChoices(state, typed, zone) : []),
};

/** By its id, also from a mention or a link. @throws BellhopError `E_SESSION_NOT_FOUND` */
export function sessionNamed(state: State, typed: string): Session {
  const [, id = ""] =
    /^(?:<#|https:\/\/discord\.com\/channels\/\d{17,20}\/)?(\d{17,20})(?:>|\/\d{17,20})?$/.exec(typed.trim()) ?? [];
  const session = entryOf(state.sessions, id);
  if (!session) throw new BellhopError("E_SESSION_NOT_FOUND", { session: shortInput(typed.trim()) });
  return session;
}

async function open(id: string, locale: Locale, { engine, rest, ownerId, log }: CommandContext): Promise<string> {
  const path = `/channels/${id}` as const;
  const how = { priority: "result", repeatMs: PATIENCE_MS } as const;
  const { thread_metadata: { archived = false, locked = false } = {} } = await rest.call<Partial<APIThreadChannel>>({
    method: "GET",
    path,
    ...how,
  });
  if (archived) await rest.call({ method: "PATCH", path, body: { archived: false }, ...how });
  // Posts that could not be made in it went elsewhere.
  if (!locked && engine.state.threads[id]?.place !== "thread")
    await engine.submit({ type: "find_thread", thread_id: id });
  if (!locked) await engine.submit({ type: "reopen_session", thread_id: id });
  // Shows the thread in the owner's list again.
  rest
    .call({ method: "PUT", path: `${path}/thread-members/${ownerId}`, priority: "cosmetic" })
    .catch((error: unknown) => {
      log.debug("the owner was not added to the thread", { thread_id: id, reason: String(error) });
    });
  const thread = `<#${id}> (${urlOf(engine.state, id)})`;
  return say(locale, locked ? "session_locked" : archived ? "session_unarchived" : "session_opened", { thread });
}

function refused(error: unknown, id: string, locale: Locale): Error {
  const kind = failureKind(error);
  if (kind === null || kind === "closed" || kind === "unauthorized") return error as Error;
  if (kind === "channel_gone") return new Refused("E_THREAD_ACCESS_FAILED", say(locale, "session_thread_gone"));
  return new BellhopError("E_THREAD_ACCESS_FAILED", { thread: `<#${id}>` }, { cause: error });
}

/*
 * `/resume`: opens a thread whose session continues a conversation that was begun elsewhere, such as in a terminal, and
 * that an agent of the project has kept. A conversation has one thread at most, because two agents must not write to
 * it.
 */

/** Discord's limit for a choice. A tool's name, a colon and a key are shorter unless the name is very long. */
const CHARS = 100;
/** How much of what the agent said last is shown. */
const SAID_CHARS = 300;

export const resume: SlashCommand = {
  name: "resume",
  options: [
    { key: "opt_conversation", max: CHARS, suggested: true },
    { key: "opt_project_name", max: NAME_CHARS, suggested: true, required: false },
  ],
  // What was said in a terminal was not meant for everybody who reads the channel.
  ephemeral: true,
  async run(typed, context) {
    const { interaction, locale, options } = typed;
    const elsewhere = notHere(typed);
    if (elsewhere) throw elsewhere;
    const id = options["conversation"]?.trim() ?? "";
    const projects = projectsMeant(context.engine.state, options["project_name"]);
    const { project, conversation } = await conversationNamed(projects, id, context);
    refuseOpen(context.engine.state, conversation);
    const opened = await openIn(interaction, { project, conversation }, locale, context);
    return plainAnswer(
      [opened, ...about(conversation, locale), ...(await troubles([conversation.tool], locale, context))].join("\n"),
    );
  },
  complete: (asked) =>
    asked.option === "conversation"
      ? offers(asked)
      : asked.option === "project_name"
        ? projectChoices(asked.state, asked.typed)
        : [],
};

/** The named one, else the active or only one, else all. @throws BellhopError E_PROJECT_NOT_FOUND */
function projectsMeant(state: State, name: string | undefined): Project[] {
  const meant = name?.trim() || unnamedProject(state);
  return meant === null ? Object.values(state.projects) : [projectNamed(state, meant)];
}

/** By what stands in the choice, or by the key alone. @throws BellhopError E_CONVERSATION_NOT_FOUND */
async function conversationNamed(
  projects: readonly Project[],
  id: string,
  { conversations }: CommandContext,
): Promise<{ project: Project; conversation: Resumable }> {
  for (const project of projects) {
    const conversation = (await conversations(project)).find((one) => valueOf(one) === id || one.key === id);
    if (conversation) return { project, conversation };
  }
  throw new BellhopError("E_CONVERSATION_NOT_FOUND", {
    conversation: shortInput(id),
    project: projects.map(({ name }) => name).join(", "),
  });
}

/**
 * A Claude in its owner's terminal has a card with which he takes it into a thread as it is.
 * @throws BellhopError E_CONVERSATION_IN_USE, E_CONVERSATION_IN_WINDOW
 */
function refuseOpen(state: State, { key }: Resumable): void {
  refuseTaken(state, key);
  const { adoptions } = state;
  const offered = Object.hasOwn(adoptions, key) ? adoptions[key] : undefined;
  if (offered?.adopted === null)
    throw new BellhopError("E_CONVERSATION_IN_USE", { thread: `<#${offered.channel_id}>` });
}

function about({ about: words, said, at, branch }: Resumable, locale: Locale): string[] {
  return [
    say(locale, "resume_goes_on", { about: plainLine(words, CHARS) || "…", when: `<t:${Math.floor(at / 1000)}:R>` }),
    ...(branch === undefined ? [] : [say(locale, "resume_branch", { branch: plainLine(branch, CHARS) })]),
    ...(said === "" ? [] : [say(locale, "resume_said", { words: plainLine(said, SAID_CHARS) })]),
    say(locale, "resume_end_there"),
  ];
}

/** The conversations that have no thread yet; none of a project that does not exist. */
async function offers({
  state,
  typed,
  options,
  conversations,
  zone,
}: CompletionRequest): Promise<AutocompleteChoice[]> {
  const meant = options["project_name"]?.trim() || unnamedProject(state);
  const projects = Object.values(state.projects).filter(({ name }) => meant === null || name === meant);
  const kept = (
    await Promise.all(
      projects.map(async (project) => (await conversations(project, "lately")).map((one) => ({ project, one }))),
    )
  ).flat();
  const free = kept.filter(({ one }) => placeOf(state, one.key) === undefined).toSorted((a, b) => b.one.at - a.one.at);
  return choicesOf(
    free.map(({ project, one }) => {
      const words = oneLine(one.about, CHARS) || one.key;
      const parts = [...(projects.length > 1 ? [project.name] : []), one.tool, minuteOf(one.at, zone), words];
      return {
        value: valueOf(one),
        by: `${parts.join("\n")}\n${one.key}`,
        label: () => excerpt(parts.join(" · "), CHARS),
      };
    }),
    typed,
  );
}

function valueOf({ tool, key }: Resumable): string {
  return `${tool}:${key}`;
}
