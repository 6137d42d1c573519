/** The models and modes that a session's owner may choose among. */
import { entryOf } from "../../../base/entry.ts";
import type { Offered } from "../../../engine/live-agent.ts";
import type { Session } from "../../../core/sessions/session.ts";
import type { CommandContext } from "../command.ts";
import { onlyRunning, openSessions } from "./session-meant.ts";

/** What its agent offers, else what the tool's agents offered last; null if nobody knows. */
export function offeredIn({ thread_id, tool }: Session, what: "model" | "mode", { sessionAgents }: Pick<CommandContext, "sessionAgents">): readonly Offered[] | null {
  const facts = sessionAgents.facts(thread_id);
  return (what === "model" ? facts?.models : facts?.modes) ?? sessionAgents.offered(what, tool);
}

/** What may be chosen where a command is being typed. */
export function offersFor(channelId: string, context: Pick<CommandContext, "engine" | "sessionAgents">): { models: readonly Offered[]; modes: readonly Offered[] } {
  const { sessions } = context.engine.state;
  const session = entryOf(sessions, channelId) ?? onlyRunning(context, openSessions(context));
  return { models: (session && offeredIn(session, "model", context)) ?? [], modes: (session && offeredIn(session, "mode", context)) ?? [] };
}
