/**
 * `/agent mode`: chooses the mode of a session's agent. An agent that is open changes at once; else the choice is kept, and
 * the agent opens in it. Only modes that the agent offers and in which it may be are taken.
 */
import { BellhopError } from "../../../base/errors.ts";
import { say, type Locale } from "../../../base/words/say.ts";
import type { Session } from "../../../core/sessions/session.ts";
import { code } from "../../views/body.ts";
import { plain } from "../reply.ts";
import type { Answer, CommandContext } from "../command.ts";
import { offeredIn } from "./offers.ts";
import { isActive } from "./session-meant.ts";

/** @throws BellhopError E_MODE_UNAVAILABLE, E_NO_ACTIVE_SESSION */
export async function modeChosen(session: Session, typed: string, locale: Locale, context: CommandContext): Promise<Answer> {
  const { engine, sessionAgents, speaksAcp } = context;
  const { thread_id, tool } = session;
  const mode = typed.trim();
  if (!isActive(session, context)) throw new BellhopError("E_NO_ACTIVE_SESSION");
  const offered = speaksAcp(tool) ? offeredIn(session, "mode", context)?.find(({ id }) => id === mode) : undefined;
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
