/**
 * `/agent stop` and `/agent kill`: close a session. It is on disk before the agent is told or killed; the answer comes when
 * its process is gone.
 */
import { BellhopError } from "../../../base/errors.ts";
import { say, type Locale } from "../../../base/words/say.ts";
import type { Session } from "../../../core/sessions/session.ts";
import { plain } from "../reply.ts";
import type { Answer, CommandContext } from "../command.ts";
import { isActive } from "./session-meant.ts";

/** @throws BellhopError E_NO_ACTIVE_SESSION */
export async function stopped(session: Session, how: "stop" | "kill", locale: Locale, context: CommandContext): Promise<Answer> {
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
