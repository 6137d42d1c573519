/**
 * `/agent model`: chooses the model of a session. An agent that idles is asked at once, and the id that it confirms counts;
 * else the choice is kept, and proved before the next prompt.
 */
import { BellhopError } from "../../../base/errors.ts";
import { say, type Locale } from "../../../base/words/say.ts";
import type { Session } from "../../../core/sessions/session.ts";
import { code } from "../../views/body.ts";
import { plain } from "../reply.ts";
import type { Answer, CommandContext } from "../command.ts";
import { keepChoice } from "../keep-choice.ts";
import { offeredIn } from "./offers.ts";
import { isActive } from "./session-meant.ts";

/** @throws BellhopError E_MODEL_UNAVAILABLE, E_NO_ACTIVE_SESSION */
export async function modelChosen(session: Session, typed: string, locale: Locale, context: CommandContext): Promise<Answer> {
  const { engine, sessionAgents, speaksAcp } = context;
  const { thread_id, tool } = session;
  const wanted = typed.trim();
  if (!isActive(session, context)) throw new BellhopError("E_NO_ACTIVE_SESSION");
  const known = offeredIn(session, "model", context);
  // An agent of another kind could not be told, and would go on with its own.
  if (wanted === "" || !speaksAcp(tool) || (known !== null && !known.some(({ id }) => id === wanted))) throw new BellhopError("E_MODEL_UNAVAILABLE", { model: wanted });
  const confirmed = await sessionAgents.choose(thread_id, "model", wanted);
  const model = confirmed ?? wanted;
  await engine.submit({ type: "choose_model", thread_id, tool, model });
  await keepChoice(session, context);
  const said = say(locale, "agent_model_set", { model: code(model) });
  return plain(confirmed === null ? `${said}\n${say(locale, "agent_model_later")}` : said);
}
