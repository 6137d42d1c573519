/**
 * The models and modes that a session's owner may choose among, and his choice with `/agent model` and `/agent mode`.
 */
import { BellhopError } from "../../../base/errors.ts";
import { say, type Locale } from "../../../base/words/say.ts";
import { keepsChoices } from "../../../config/session-settings.ts";
import type { Session } from "../../../core/sessions/session.ts";
import { WINDOW_TOOL } from "../../../core/sessions/windows.ts";
import { code, inert } from "../../views/body.ts";
import { plain, Refused } from "../reply.ts";
import type { AgentOffers, Answer, CommandContext } from "../command.ts";
import { isActive, onlyRunning, openSessions } from "./session-meant.ts";
import { entryOf } from "../../../base/entry.ts";
import type { Offered } from "../../../core/sessions/told.ts";

/**
 * `/agent model`: chooses the model of a session. An agent that idles is asked at once, and the id that it confirms
 * counts; else the choice is kept, and proved before the next prompt.
 * @throws BellhopError E_MODEL_UNAVAILABLE, E_NO_ACTIVE_SESSION
 */
export async function modelChosen(
  session: Session,
  typed: string,
  locale: Locale,
  context: CommandContext,
): Promise<Answer> {
  const { engine, sessionAgents, tools } = context;
  const { thread_id, tool } = session;
  const wanted = typed.trim();
  if (!isActive(session, context)) throw new BellhopError("E_NO_ACTIVE_SESSION");
  // An agent of another kind could not be told, and would go on with its own.
  if (!tools.speaksAcp(tool))
    throw new Refused(
      "E_MODEL_UNAVAILABLE",
      say(locale, tool === WINDOW_TOOL ? "agent_model_window" : "agent_model_fixed", {
        tool: `**${inert(tool, 40)}**`,
      }),
    );
  const known = offeredIn(session, "model", context);
  if (wanted === "" || (known !== null && !known.some(({ id }) => id === wanted)))
    throw new BellhopError("E_MODEL_UNAVAILABLE", { model: wanted });
  const confirmed = await sessionAgents.choose(thread_id, "model", wanted);
  const model = confirmed ?? wanted;
  await engine.submit({ type: "choose_model", thread_id, tool, model });
  await keepChoice(session, context);
  const said = say(locale, "agent_model_set", { model: code(model) });
  return plain(confirmed === null ? `${said}\n${say(locale, "agent_model_later")}` : said);
}

/**
 * `/agent mode`: chooses the mode of a session's agent. An agent that is open changes at once; else the choice is kept,
 * and the agent opens in it. Only modes that the agent offers and in which it may be are taken.
 * @throws BellhopError E_MODE_UNAVAILABLE, E_NO_ACTIVE_SESSION
 */
export async function modeChosen(
  session: Session,
  typed: string,
  locale: Locale,
  context: CommandContext,
): Promise<Answer> {
  const { engine, sessionAgents, tools } = context;
  const { thread_id, tool } = session;
  const mode = typed.trim();
  if (!isActive(session, context)) throw new BellhopError("E_NO_ACTIVE_SESSION");
  if (!tools.speaksAcp(tool))
    throw new Refused("E_MODE_UNAVAILABLE", say(locale, "agent_mode_fixed", { tool: `**${inert(tool, 40)}**` }));
  const offered = offeredIn(session, "mode", context)?.find(({ id }) => id === mode);
  if (offered === undefined) throw new BellhopError("E_MODE_UNAVAILABLE", { mode });
  const choose = (): Promise<string | null> => sessionAgents.choose(thread_id, "mode", mode);
  const confirmed = await choose();
  await engine.submit({ type: "set_mode", thread_id, tool, mode, by: "owner" });
  // One that was opened meanwhile may have read the mode before.
  const isSet = confirmed !== null || (await choose()) !== null;
  const lines = [
    say(locale, "agent_mode_set", { mode: code(mode) }),
    ...(isSet ? [] : [say(locale, "agent_mode_later")]),
    ...(offered.unsure ? [`⚠️ ${say(locale, "agent_mode_unsure")}`] : []),
  ];
  return plain(lines.join("\n"));
}

/**
 * What the owner has chosen for a session, a tool too, goes into config.json where that names places of its project.
 */
export async function keepChoice(
  { thread_id, project_name }: Pick<Session, "thread_id" | "project_name">,
  { engine, config }: Pick<CommandContext, "engine" | "config">,
): Promise<void> {
  const { projects } = config();
  const project = entryOf(projects, project_name);
  if (project?.channel_id === thread_id || !project || !keepsChoices(project)) return;
  await engine.submit({ type: "choose_settings", thread_id });
}

/** What its agent offers, or offered last, else what the tool's agents offered last; null if nobody knows. */
function offeredIn(
  { thread_id, tool }: Session,
  what: "model" | "mode",
  { engine, sessionAgents }: Pick<CommandContext, "engine" | "sessionAgents">,
): readonly Offered[] | null {
  const facts = sessionAgents.facts(thread_id) ?? engine.state.threads[thread_id]?.told?.[tool];
  return (what === "model" ? facts?.models : facts?.modes) ?? sessionAgents.offered(what, tool);
}

/** What may be chosen where a command is being typed. Commands go to the session of that thread only. */
export function offersFor(channelId: string, context: Pick<CommandContext, "engine" | "sessionAgents">): AgentOffers {
  const here = entryOf(context.engine.state.sessions, channelId);
  const session = here ?? onlyRunning(context, openSessions(context));
  return {
    models: (session && offeredIn(session, "model", context)) ?? [],
    modes: (session && offeredIn(session, "mode", context)) ?? [],
    commands: here ? context.sessionAgents.commands(here.thread_id, here.tool) : [],
  };
}
