/**
 * `/tool`: the agent for this session's jobs, from the next one on. The queue stays, a running job keeps its own
 * (seed B 11.8), and each tool keeps its own conversation here, so going back goes on with it.
 */
import { say, type Locale } from "../../base/words/say.ts";
import type { State } from "../../core/house.ts";
import { sessionKey, type Session } from "../../core/session.ts";
import { code, inert } from "../body.ts";
import { shown } from "./project-path.ts";
import { plain } from "./reply.ts";
import type { Asked, Choice, Command } from "./room.ts";
import { sessionHere } from "./session-here.ts";
import { toolChoices } from "./suggestions.ts";

export const tool: Command = {
  name: "tool",
  ephemeral: false,
  async run({ interaction, options, locale }, { engine }) {
    const { thread_id } = sessionHere(engine.state, interaction.channel.id);
    const wanted = shown((options["tool"] ?? "").trim());
    const events = await engine.submit({ type: "change_tool", thread_id, tool: wanted });
    if (events.length === 0) return plain(say(locale, "tool_same", { tool: inert(wanted, 40) }));
    return plain(chosen(engine.state, sessionHere(engine.state, thread_id), locale));
  },
  complete,
};

function chosen(state: State, session: Session, locale: Locale): string {
  const now = inert(session.tool, 40);
  const running = state.jobs[session.running_job_id ?? ""];
  const lines = [say(locale, "tool_chosen", { tool: `**${now}**` })];
  if (running) lines.push(say(locale, "tool_keeps", { job: code(running.job_id), tool: inert(running.tool, 40) }));
  // In a session without a job there is nothing yet that a tool could know or not know.
  if (sessionKey(session) !== null) lines.push(say(locale, "tool_goes_on", { tool: now }));
  else if (running || session.last_job_id !== null) lines.push(say(locale, "tool_begins", { tool: now }));
  return lines.join(" ");
}

/** The project's own tools; none outside a session's thread. */
function complete({ state, option, typed, channelId }: Asked): Choice[] {
  const session = state.sessions[channelId];
  if (option !== "tool" || !session) return [];
  return toolChoices(state.projects[session.project_name]?.enabled_tools ?? [], typed);
}
