/**
 * `/agent start`, `stop`, `kill`, `status`, `model`, `mode`, `effort`, `commands` and `usage`, and the choice among
 * sessions where none is meant.
 */
import { entryOf } from "../../base/entry.ts";
import { sessionSettings, keepsChoices } from "../../config/session-settings.ts";
import { BellhopError } from "../../base/errors.ts";
import { type Locale, say } from "../../base/words/say.ts";
import { endedIn } from "../../core/jobs/job-or-turn.ts";
import type { Project } from "../../core/projects/project.ts";
import type { Session } from "../../core/sessions/session.ts";
import type { State } from "../../core/state.ts";
import { agentStatus, agentUsage } from "../views/agent-status.ts";
import { agentName, plainLine, code, colours } from "../views/message.ts";
import { choicesOf, toolChoices, lastUsedFirst } from "./autocomplete.ts";
import type { Choice, Offered } from "../../core/sessions/told.ts";
import type { Command } from "../../core/slices.ts";
import {
  TOOL_CHARS,
  type InteractionAnswer,
  type CompletionRequest,
  type AutocompleteChoice,
  type SlashCommand,
  type CommandContext,
  type SlashOption,
  type AgentOffers,
} from "./command.ts";
import { openIn } from "./find.ts";
import { plainAnswer, Refused, type Handlers } from "./reply.ts";
import { ComponentType, type APIMessageTopLevelComponent } from "discord-api-types/v10";
import { excerpt, oneLine } from "../../base/text.ts";
import { WINDOW_TOOL } from "../../core/sessions/windows.ts";
import { customId } from "../views/custom-id.ts";

/** More than any model's or mode's, and no more than a select can carry; see `session-meant.ts`. */
export const ID_CHARS = 150;

const command = (
  verb: Meaning["verb"],
  { ephemeral, options = [] }: { ephemeral: boolean; options?: readonly SlashOption[] },
): SlashCommand => ({
  name: `agent ${verb}`,
  options,
  ephemeral,
  async run({ interaction, locale, options: { model_id = "", mode_id = model_id, level: value = mode_id } }, context) {
    const meant = sessionMeant(interaction.channel.id, { verb, value }, context, locale);
    return "content" in meant ? meant : done(meant, { verb, value }, locale, context);
  },
  complete: ({ option, agent, typed }) =>
    offeredChoices(
      option === "model_id"
        ? agent.models
        : option === "mode_id"
          ? agent.modes
          : option === "level"
            ? agent.efforts
            : [],
      typed,
    ),
});

/** Those that Discord takes, the first 25. */
export const offeredChoices = (offered: readonly Offered[], typed: string): AutocompleteChoice[] =>
  choicesOf(
    offered.map(({ id, name }) => ({
      value: id,
      by: `${id}\n${name}`,
      label: () => (name === id ? id : `${name} · ${id}`),
    })),
    typed,
  );

/** More than anybody registers. */
const LARGEST_NUMBER = 1_000_000;

/**
 * `/agent start`: opens a session of a project by its number, with its agent, whose process runs before the thread is
 * made. An agent that cannot be started leaves neither a thread nor a session behind.
 */
const agentStart: SlashCommand = {
  name: "agent start",
  options: [
    { key: "opt_project_id", max: LARGEST_NUMBER, isNumber: true, suggested: true },
    { key: "opt_tool", max: TOOL_CHARS, suggested: true, required: false },
  ],
  ephemeral: false,
  async run({ interaction, locale, options }, context) {
    const id = options["project_id"] ?? "";
    const project = numbered(context.engine.state, id);
    if (!project) throw new Refused("E_PROJECT_NOT_FOUND", say(locale, "agent_no_project", { id: plainLine(id, 20) }));
    return plainAnswer(
      await openIn(
        interaction,
        { project, tool: options["tool"]?.trim() || agentOf(project, locale, context) },
        locale,
        context,
      ),
    );
  },
  complete: startOffers,
};

/**
 * The first of the project's tools that is an agent which speaks ACP. @throws BellhopError E_TOOL_NOT_ENABLED if there
 * is none
 */
function agentOf({ name, enabled_tools }: Project, locale: Locale, { tools }: CommandContext): string {
  const tool = enabled_tools.find((one) => tools.speaksAcp(one));
  if (tool === undefined)
    throw new BellhopError("E_TOOL_NOT_ENABLED", {
      tool: say(locale, "any_acp_agent"),
      project: name,
      tools: enabled_tools.join(", "),
    });
  return tool;
}

function numbered({ projects }: State, id: string): Project | undefined {
  return Object.values(projects).find(({ number }) => String(number) === id);
}

function startOffers({ state, option, typed, options }: CompletionRequest): AutocompleteChoice[] {
  if (option === "tool") return toolChoices(numbered(state, options["project_id"] ?? "")?.enabled_tools ?? [], typed);
  const projects = Object.values(state.projects).toSorted((a, b) => a.number - b.number);
  return choicesOf(
    projects.map(({ number, name, path }) => ({
      value: String(number),
      by: `${number}\n${name}\n${path}`,
      label: () => `#${number} ${name} · ${path}`,
    })),
    typed,
  );
}

export const agentCommands: readonly SlashCommand[] = [
  agentStart,
  command("stop", { ephemeral: false }),
  command("kill", { ephemeral: false }),
  command("status", { ephemeral: true }),
  command("model", { ephemeral: false, options: [{ key: "opt_model_id", max: ID_CHARS, suggested: true }] }),
  command("mode", { ephemeral: false, options: [{ key: "opt_mode_id", max: ID_CHARS, suggested: true }] }),
  command("effort", { ephemeral: false, options: [{ key: "opt_effort", max: ID_CHARS, suggested: true }] }),
  command("commands", { ephemeral: true }),
  command("usage", { ephemeral: true }),
];

export const agentButtons: Handlers<"pick_agent_setting"> = {
  async pick_agent_setting({ verb, chosen }, { values: [option = ""], reply, locale, context }) {
    const { threadId, value } = chosenIn(option, chosen);
    const session = entryOf(context.engine.state.sessions, threadId);
    if (!session) throw new BellhopError("E_NO_ACTIVE_SESSION");
    const answer = await done(session, { verb: verb as Meaning["verb"], value }, locale, context);
    await reply.respond({ ...answer, components: [] });
  },
};

async function done(
  session: Session,
  { verb, value }: Meaning,
  locale: Locale,
  context: CommandContext,
): Promise<InteractionAnswer> {
  const { engine, sessionAgents, clock } = context;
  const facts = sessionAgents.agentFacts(session.thread_id);
  switch (verb) {
    case "stop":
    case "kill":
      return stopped(session, verb, locale, context);
    case "model":
    case "mode":
    case "effort":
      return choiceMade(session, { what: verb, id: value.trim() }, locale, context);
    case "commands":
      return ownCommands(session, locale, context);
    case "status":
      return {
        content: "",
        embeds: [
          agentStatus(engine.state, session, {
            facts,
            model: facts?.model ?? modelOf(session, context),
            attach: context.attachCommand(session),
            now: clock.now(),
            locale,
          }),
        ],
      };
    case "usage":
      return { content: "", embeds: [agentUsage(engine.state, session, facts, locale)] };
  }
}

/**
 * The chosen model, else the one that config.json names, else the one that its agent last reported or that its last turn
 * reported.
 */
function modelOf(
  { thread_id, tool, project_name }: Session,
  { engine: { state }, config }: CommandContext,
): string | null {
  const project = config().projects[project_name];
  const settings = project && sessionSettings(project, thread_id);
  const thread = state.threads[thread_id];
  const last = thread && endedIn(state, thread).findLast((id) => state.runs[id]?.concluded?.model != null);
  return (
    thread?.models?.[tool] ??
    (settings?.tool === tool ? settings.model : undefined) ??
    thread?.told?.[tool]?.model ??
    state.runs[last ?? ""]?.concluded?.model ??
    null
  );
}

/**
 * `/agent stop` and `/agent kill`: close a session. It is on disk before the agent is told or killed; the answer comes
 * when its process is gone.
 * @throws BellhopError E_NO_ACTIVE_SESSION
 */
async function stopped(
  session: Session,
  how: "stop" | "kill",
  locale: Locale,
  context: CommandContext,
): Promise<InteractionAnswer> {
  const { engine, sessionAgents } = context;
  const { thread_id } = session;
  if (!isActive(session, context)) throw new BellhopError("E_NO_ACTIVE_SESSION");
  await engine.submit({ type: "close_session", thread_id, by: how === "kill" ? "killed" : "owner" });
  await sessionAgents.endAgent(thread_id, how === "kill" ? "now" : undefined);
  const queued = engine.state.sessions[thread_id]?.queue.length ?? 0;
  const lines = [
    say(locale, how === "kill" ? "agent_killed" : "agent_stopped"),
    ...(queued === 0 ? [] : [say(locale, "agent_queued", { count: queued })]),
    say(locale, "agent_reopen", { thread: `<#${thread_id}>` }),
  ];
  return plainAnswer(lines.join("\n"));
}

/** More of them fit into one embed only without their descriptions. */
const COMMANDS_SHOWN = 40;
const DESCRIPTION_CHARS = 80;

/** `/agent commands`: what the session's agent can be sent with `/ask`, as it last told. */
function ownCommands(session: Session, locale: Locale, context: CommandContext): InteractionAnswer {
  const commands = context.sessionAgents.commands(session.thread_id, session.tool);
  const name = agentName(context.engine.state, session, locale);
  if (commands.length === 0) return plainAnswer(say(locale, "agent_commands_none", { tool: name }));
  const lines = commands
    .slice(0, COMMANDS_SHOWN)
    .map(({ name: one, hint, description }) =>
      [code([`/${one}`, ...(hint === "" ? [] : [hint])].join(" "), 60), plainLine(description, DESCRIPTION_CHARS)]
        .filter((part) => part !== "")
        .join(" "),
    );
  const left = commands.length - lines.length;
  const more = left > 0 ? [say(locale, "agent_commands_more", { count: left })] : [];
  return {
    content: "",
    embeds: [
      {
        color: colours.runs,
        title: say(locale, "agent_commands_title", { tool: name }),
        description: [...lines, ...more, say(locale, "agent_commands_how")].join("\n"),
      },
    ],
  };
}

/*
 * What a session's owner may choose for its agent, and his choice with `/agent model`, `/agent mode` and `/agent effort`.
 */

const UNAVAILABLE = {
  model: (id: string) => new BellhopError("E_MODEL_UNAVAILABLE", { model: id }),
  mode: (id: string) => new BellhopError("E_MODE_UNAVAILABLE", { mode: id }),
  effort: (id: string) => new BellhopError("E_EFFORT_UNAVAILABLE", { effort: id }),
} as const satisfies Record<Choice, unknown>;

/**
 * An agent that is open is asked at once, as far as it can be, and the id that it confirms counts; else the choice is
 * kept, and proved before the next prompt. Only modes in which the agent may be are taken.
 * @throws BellhopError E_MODEL_UNAVAILABLE, E_MODE_UNAVAILABLE, E_EFFORT_UNAVAILABLE, E_NO_ACTIVE_SESSION
 */
export async function choiceMade(
  session: Session,
  { what, id }: { what: Choice; id: string },
  locale: Locale,
  context: CommandContext,
): Promise<InteractionAnswer> {
  const { engine, sessionAgents } = context;
  const { thread_id, tool } = session;
  if (!isActive(session, context)) throw new BellhopError("E_NO_ACTIVE_SESSION");
  if (tool === WINDOW_TOOL) throw new Refused(UNAVAILABLE[what](id).code, say(locale, "agent_model_window"));
  const known = offeredIn(session, what, context);
  const unavailable = UNAVAILABLE[what](id);
  if (known?.length === 0)
    throw new Refused(
      unavailable.code,
      say(locale, "agent_choice_none", { tool: agentName(engine.state, session, locale) }),
    );
  const offered = known?.find((one) => one.id === id);
  // A model that nobody knows is proved by the next prompt; nothing proves another mode or effort.
  if (id === "" || (offered === undefined && (known !== null || what !== "model"))) throw unavailable;
  const choose = (): Promise<string | null> => sessionAgents.choose(thread_id, what, id);
  const confirmed = await choose();
  await engine.submit(chosen(what, session, confirmed ?? id));
  if (what === "model") await keepChoice(session, context);
  // One that was opened meanwhile may have read the mode before.
  const isSet = confirmed !== null || (what === "mode" && (await choose()) !== null);
  const lines = [
    say(locale, `agent_${what}_set`, { [what]: code(confirmed ?? id) }),
    ...(isSet ? [] : [say(locale, `agent_${what}_later`)]),
    ...(offered?.unsure ? [`⚠️ ${say(locale, "agent_mode_unsure")}`] : []),
  ];
  return plainAnswer(lines.join("\n"));
}

function chosen(what: Choice, { thread_id, tool }: Session, id: string): Command {
  if (what === "model") return { type: "choose_model", thread_id, tool, model: id };
  if (what === "effort") return { type: "choose_effort", thread_id, tool, effort: id };
  return { type: "set_mode", thread_id, tool, mode: id, by: "owner" };
}

/**
 * What the owner has chosen for a session, a tool too, goes into config.json where that names places of its project.
 */
export async function keepChoice(
  { thread_id, project_name }: Session,
  { engine, config }: CommandContext,
): Promise<void> {
  const { projects } = config();
  const project = entryOf(projects, project_name);
  if (project?.channel_id === thread_id || !project || !keepsChoices(project)) return;
  await engine.submit({ type: "choose_settings", thread_id });
}

/**
 * What its agent offers, or offered last, else what the tool's agents offered last; null if nobody knows. In which modes
 * an agent may be is said by its driver, where that knows.
 */
export function offeredIn(session: Session, what: Choice, context: CommandContext): readonly Offered[] | null {
  const { engine, sessionAgents, tools } = context;
  const { thread_id, tool, project_name } = session;
  const args = engine.state.projects[project_name]?.default_args[tool] ?? [];
  const known = tools.offers(what, tool, args, session);
  if (known !== null && (what === "mode" || known.length === 0)) return known;
  const facts = sessionAgents.agentFacts(thread_id) ?? engine.state.threads[thread_id]?.told?.[tool];
  return facts?.[`${what}s`] ?? sessionAgents.offered(what, tool) ?? known;
}

/** What may be chosen where a command is being typed. Commands go to the session of that thread only. */
export function offersFor(channelId: string, context: CommandContext): AgentOffers {
  const here = entryOf(context.engine.state.sessions, channelId);
  const session = here ?? onlyRunning(context, openSessions(context));
  return {
    models: (session && offeredIn(session, "model", context)) ?? [],
    modes: (session && offeredIn(session, "mode", context)) ?? [],
    efforts: (session && offeredIn(session, "effort", context)) ?? [],
    commands: here ? context.sessionAgents.commands(here.thread_id, here.tool) : [],
  };
}

/*
 * Which session a command about an agent acts on: in a session's thread, that one; elsewhere the only one whose agent
 * has a process; else the person is asked.
 */

/** What is done to the session that is meant. @param value what belongs to the verb, such as a model; else empty */
interface Meaning {
  verb: "stop" | "kill" | "status" | Choice | "commands" | "usage";
  value: string;
}

/** Discord's limit for the options of a select. */
const MOST = 25;
const LABEL_CHARS = 100;
/**
 * How much of the value fits into the select's custom id beside the rest of it; what is longer goes on in each of its
 * options.
 */
const MODEL_CHARS = 80;

/** @throws BellhopError E_NO_ACTIVE_SESSION if none is open */
function sessionMeant(
  channelId: string,
  meaning: Meaning,
  context: CommandContext,
  locale: Locale,
): Session | InteractionAnswer {
  const { sessions } = context.engine.state;
  const here = entryOf(sessions, channelId);
  if (here) return here;
  const open = openSessions(context);
  const only = onlyRunning(context, open);
  if (only) return only;
  if (open.length === 0) throw new BellhopError("E_NO_ACTIVE_SESSION");
  return { ...plainAnswer(say(locale, "agent_which")), components: [choice(open, meaning, context, locale)] };
}

/** Whether the session is open, or its agent still runs. */
function isActive({ thread_id }: Session, { engine, sessionAgents }: CommandContext): boolean {
  return engine.state.threads[thread_id]?.closed === undefined || sessionAgents.agentFacts(thread_id) !== null;
}

/** The one whose agent has a process, if there is just one. */
function onlyRunning({ sessionAgents }: CommandContext, open: readonly Session[]): Session | null {
  const running = open.filter(({ thread_id }) => sessionAgents.agentFacts(thread_id) !== null);
  return running.length === 1 ? (running[0] ?? null) : null;
}

/** Those with a process first, then the last used. */
function openSessions(context: CommandContext): Session[] {
  const runs = ({ thread_id }: Session): number => Number(context.sessionAgents.agentFacts(thread_id) !== null);
  return Object.values(context.engine.state.sessions)
    .filter((session) => isActive(session, context))
    .toSorted((a, b) => runs(b) - runs(a) || lastUsedFirst(a, b));
}

/** What was chosen in that select: the session's thread, and the whole value. */
function chosenIn(option: string, inCustomId: string): { threadId: string; value: string } {
  const [threadId = "", ...rest] = option.split(":");
  return { threadId, value: inCustomId + rest.join(":") };
}

function choice(
  open: readonly Session[],
  { verb, value }: Meaning,
  { engine }: CommandContext,
  locale: Locale,
): APIMessageTopLevelComponent {
  const characters = [...value];
  const [chosen, rest] = [characters.slice(0, MODEL_CHARS).join(""), characters.slice(MODEL_CHARS).join("")];
  const options = open.slice(0, MOST).map(({ thread_id, project_name, tool }) => {
    const name = engine.state.threads[thread_id]?.name;
    return {
      value: rest === "" ? thread_id : `${thread_id}:${rest}`,
      label: excerpt(
        oneLine([name, project_name, tool].filter((part) => part !== undefined).join(" · "), LABEL_CHARS),
        LABEL_CHARS,
      ),
    };
  });
  return {
    type: ComponentType.ActionRow,
    components: [
      {
        type: ComponentType.StringSelect,
        custom_id: customId("pick_agent_setting", { verb, chosen: chosen || "-" }),
        placeholder: say(locale, "agent_which_place"),
        options,
      },
    ],
  };
}
