/**
 * `/agent model`: chooses the model of a session. An agent that idles is asked at once, and the id that it confirms counts;
 * else the choice is kept, and proved before the next prompt.
 */
import { entryOf } from "../../../base/entry.ts";
import { BellhopError } from "../../../base/errors.ts";
import { say, type Locale } from "../../../base/words/say.ts";
import type { ModelOffered } from "../../../engine/live-agent.ts";
import type { Session } from "../../../core/sessions/session.ts";
import { code } from "../../views/body.ts";
import { plain } from "../reply.ts";
import type { Answer, CommandContext } from "../command.ts";
import { keepChoice } from "../keep-choice.ts";
import { isActive, onlyRunning, openSessions } from "./session-meant.ts";

/** @throws BellhopError E_MODEL_UNAVAILABLE, E_NO_ACTIVE_SESSION */
export async function modelChosen(session: Session, typed: string, locale: Locale, context: CommandContext): Promise<Answer> {
  const { engine, sessionAgents, speaksAcp } = context;
  const { thread_id, tool } = session;
  const wanted = typed.trim();
  if (!isActive(session, context)) throw new BellhopError("E_NO_ACTIVE_SESSION");
  const known = offeredIn(session, context);
  // An agent of another kind could not be told, and would go on with its own.
  if (wanted === "" || !speaksAcp(tool) || (known !== null && !known.some(({ id }) => id === wanted))) throw new BellhopError("E_MODEL_UNAVAILABLE", { model: wanted });
  const confirmed = await sessionAgents.choose(thread_id, wanted);
  const model = confirmed ?? wanted;
  await engine.submit({ type: "choose_model", thread_id, tool, model });
  await keepChoice(session, context);
  const said = say(locale, "agent_model_set", { model: code(model) });
  return plain(confirmed === null ? `${said}\n${say(locale, "agent_model_later")}` : said);
}

/** What may be chosen where a command is being typed. */
export function modelsFor(channelId: string, context: Pick<CommandContext, "engine" | "sessionAgents">): readonly ModelOffered[] {
  const { sessions } = context.engine.state;
  const session = entryOf(sessions, channelId) ?? onlyRunning(context, openSessions(context));
  return session ? (offeredIn(session, context) ?? []) : [];
}

/** What its agent offers, else what the tool's agents offered last; null if nobody knows. */
function offeredIn({ thread_id, tool }: Session, { sessionAgents }: Pick<CommandContext, "sessionAgents">): readonly ModelOffered[] | null {
  return sessionAgents.facts(thread_id)?.models ?? sessionAgents.offered(tool);
}
