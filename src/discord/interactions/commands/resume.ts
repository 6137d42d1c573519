/**
 * `/resume`: opens a thread whose session continues a conversation that was begun elsewhere, such as in a terminal, and
 * that an agent of the project has kept. A conversation has one thread at most, because two agents must not write to
 * it.
 */
import { BellhopError } from "../../../base/errors.ts";
import { excerpt, oneLine } from "../../../base/text.ts";
import { say, type Locale } from "../../../base/words/say.ts";
import type { State } from "../../../core/state.ts";
import type { Project } from "../../../core/projects/project.ts";
import { placeOf, refuseTaken } from "../../../core/sessions/session.ts";
import type { Resumable } from "../../../engine/resumable.ts";
import { inert } from "../../views/body.ts";
import { choicesOf, projectChoices } from "../autocomplete.ts";
import { NAME_CHARS, type Asked, type Choice, type Command, type CommandContext } from "../command.ts";
import { projectNamed } from "../find.ts";
import { troubles } from "../installed-agents.ts";
import { openIn } from "../open-session.ts";
import { shown } from "../project-path.ts";
import { plain } from "../reply.ts";
import { minuteOf } from "../../threads/session-starts.ts";
import { notHere, unnamedProject } from "./start.ts";

/** Discord's limit for a choice. A tool's name, a colon and a key are shorter unless the name is very long. */
const CHARS = 100;
/** How much of what the agent said last is shown. */
const SAID_CHARS = 300;

export const resume: Command = {
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
    return plain(
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
    conversation: shown(id),
    project: projects.map(({ name }) => name).join(", "),
  });
}

/**
 * A Claude in its owner's terminal has a card with which he takes it into a thread as it is.
 * @throws BellhopError E_CONVERSATION_IN_USE, E_CONVERSATION_IN_WINDOW
 */
function refuseOpen({ adoptions = {}, ...state }: State, { key }: Resumable): void {
  refuseTaken(state, key);
  const offered = Object.hasOwn(adoptions, key) ? adoptions[key] : undefined;
  if (offered?.adopted === null)
    throw new BellhopError("E_CONVERSATION_IN_USE", { thread: `<#${offered.channel_id}>` });
}

function about({ about: words, said, at, branch }: Resumable, locale: Locale): string[] {
  return [
    say(locale, "resume_goes_on", { about: inert(words, CHARS) || "…", when: `<t:${Math.floor(at / 1000)}:R>` }),
    ...(branch === undefined ? [] : [say(locale, "resume_branch", { branch: inert(branch, CHARS) })]),
    ...(said === "" ? [] : [say(locale, "resume_said", { words: inert(said, SAID_CHARS) })]),
    say(locale, "resume_end_there"),
  ];
}

/** The conversations that have no thread yet; none of a project that does not exist. */
async function offers({ state, typed, options, conversations }: Asked): Promise<Choice[]> {
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
      const parts = [...(projects.length > 1 ? [project.name] : []), one.tool, minuteOf(new Date(one.at)), words];
      return {
        value: valueOf(one),
        by: `${parts.join("\n")}\n${one.key}`,
        label: () => excerpt(parts.join(" · "), CHARS),
      };
    }),
    typed,
  );
}

function valueOf({ tool, key }: Pick<Resumable, "tool" | "key">): string {
  return `${tool}:${key}`;
}
