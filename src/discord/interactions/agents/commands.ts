/**
 * `/agent start`, `stop`, `kill`, `status`, `model`, `mode` and `usage`, and the choice among sessions where none is
 * meant.
 */
import { entryOf } from "../../../base/entry.ts";
import { sessionSettings } from "../../../config/session-settings.ts";
import { BellhopError } from "../../../base/errors.ts";
import { type Locale, say } from "../../../base/words/say.ts";
import { endedIn } from "../../../core/jobs/job-or-turn.ts";
import type { Project } from "../../../core/projects/project.ts";
import type { Session } from "../../../core/sessions/session.ts";
import type { State } from "../../../core/state.ts";
import { agentStatus, agentUsage } from "../../views/agent-status.ts";
import { inert } from "../../views/body.ts";
import { choicesOf, toolChoices } from "../autocomplete.ts";
import type { Offered } from "../../../core/sessions/told.ts";
import {
  TOOL_CHARS,
  type Answer,
  type Asked,
  type Choice,
  type Command,
  type CommandContext,
  type Option,
} from "../command.ts";
import { openIn } from "../open-session.ts";
import { modelChosen, modeChosen } from "./model-and-mode.ts";
import { chosenIn, sessionMeant, type Meaning, isActive } from "./session-meant.ts";
import { plain, Refused, type Handlers } from "../reply.ts";

/** More than any model's or mode's, and no more than a select can carry; see `session-meant.ts`. */
const ID_CHARS = 150;

const command = (
  verb: Meaning["verb"],
  { ephemeral, options = [] }: { ephemeral: boolean; options?: readonly Option[] },
): Command => ({
  name: `agent ${verb}`,
  options,
  ephemeral,
  async run({ interaction, locale, options: { model_id = "", mode_id: value = model_id } }, context) {
    const meant = sessionMeant(interaction.channel.id, { verb, value }, context, locale);
    return "content" in meant ? meant : done(meant, { verb, value }, locale, context);
  },
  complete: ({ option, agent, typed }) =>
    offers(option === "model_id" ? agent.models : option === "mode_id" ? agent.modes : [], typed),
});

const offers = (offered: readonly Offered[], typed: string): Choice[] =>
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
const agentStart: Command = {
  name: "agent start",
  options: [
    { key: "opt_project_id", max: LARGEST_NUMBER, isNumber: true, suggested: true },
    { key: "opt_tool", max: TOOL_CHARS, suggested: true, required: false },
  ],
  ephemeral: false,
  async run({ interaction, locale, options }, context) {
    const id = options["project_id"] ?? "";
    const project = numbered(context.engine.state, id);
    if (!project) throw new Refused("E_PROJECT_NOT_FOUND", say(locale, "agent_no_project", { id: inert(id, 20) }));
    return plain(
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

function startOffers({ state, option, typed, options }: Asked): Choice[] {
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

export const agentCommands: readonly Command[] = [
  agentStart,
  command("stop", { ephemeral: false }),
  command("kill", { ephemeral: false }),
  command("status", { ephemeral: true }),
  command("model", { ephemeral: false, options: [{ key: "opt_model_id", max: ID_CHARS, suggested: true }] }),
  command("mode", { ephemeral: false, options: [{ key: "opt_mode_id", max: ID_CHARS, suggested: true }] }),
  command("usage", { ephemeral: true }),
];

export const agentButtons: Handlers<"a-pick"> = {
  async "a-pick"({ verb, chosen }, { values: [option = ""], reply, locale, context }) {
    const { threadId, value } = chosenIn(option, chosen);
    const session = entryOf(context.engine.state.sessions, threadId);
    if (!session) throw new BellhopError("E_NO_ACTIVE_SESSION");
    const answer = await done(session, { verb: verb as Meaning["verb"], value }, locale, context);
    await reply.answer({ ...answer, components: [] });
  },
};

async function done(
  session: Session,
  { verb, value }: Meaning,
  locale: Locale,
  context: CommandContext,
): Promise<Answer> {
  const { engine, sessionAgents, now } = context;
  const facts = sessionAgents.facts(session.thread_id);
  switch (verb) {
    case "stop":
    case "kill":
      return stopped(session, verb, locale, context);
    case "model":
      return modelChosen(session, value, locale, context);
    case "mode":
      return modeChosen(session, value, locale, context);
    case "status":
      return {
        content: "",
        embeds: [
          agentStatus(engine.state, session, {
            facts,
            model: facts?.model ?? modelOf(session, context),
            attach: context.attachCommand(session),
            now: now(),
            locale,
          }),
        ],
      };
    case "usage":
      return { content: "", embeds: [agentUsage(engine.state, session, facts, locale)] };
  }
}

/**
 * The chosen model, else the one that config.json names, else the one that its agent told last or that its last turn
 * reported.
 */
function modelOf(
  { thread_id, tool, project_name }: Session,
  { engine: { state }, config }: CommandContext,
): string | null {
  const project = config().projects[project_name];
  const settings = project && sessionSettings(project, thread_id);
  const thread = state.threads[thread_id];
  const last = thread && endedIn(state, thread).findLast((id) => state.runs[id]?.model != null);
  return (
    thread?.models?.[tool] ??
    (settings?.tool === tool ? settings.model : undefined) ??
    thread?.told?.[tool]?.model ??
    state.runs[last ?? ""]?.model ??
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
): Promise<Answer> {
  const { engine, sessionAgents } = context;
  const { thread_id } = session;
  if (!isActive(session, context)) throw new BellhopError("E_NO_ACTIVE_SESSION");
  await engine.submit({ type: "close_session", thread_id, by: how === "kill" ? "killed" : "owner" });
  await sessionAgents.end(thread_id, how === "kill" ? "now" : undefined);
  const queued = engine.state.sessions[thread_id]?.queue.length ?? 0;
  const lines = [
    say(locale, how === "kill" ? "agent_killed" : "agent_stopped"),
    ...(queued === 0 ? [] : [say(locale, "agent_queued", { count: queued })]),
    say(locale, "agent_reopen", { thread: `<#${thread_id}>` }),
  ];
  return plain(lines.join("\n"));
}
