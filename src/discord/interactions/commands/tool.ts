/**
 * `/tool`: sets the agent for this session's jobs, from the next one on. The queue stays, a running job keeps its
 * agent, and each tool keeps its own conversation here, so switching back continues it. Between tools of one vendor,
 * which find each other's conversations, the conversation goes along.
 */
import { say, type Locale } from "../../../base/words/say.ts";
import type { State } from "../../../core/state.ts";
import { sessionKey, type Session } from "../../../core/sessions/session.ts";
import { code, inert } from "../../views/body.ts";
import { keepChoice } from "../agents/model-and-mode.ts";
import { shown } from "../project-path.ts";
import { plain } from "../reply.ts";
import { TOOL_CHARS, type Asked, type Choice, type Command } from "../command.ts";
import { sessionHere } from "../find.ts";
import { toolChoices } from "../autocomplete.ts";

export const tool: Command = {
  name: "tool",
  options: [{ key: "opt_tool", max: TOOL_CHARS, suggested: true }],
  ephemeral: false,
  async run({ interaction, options, locale }, context) {
    const { engine, tools } = context;
    const session = sessionHere(engine.state, interaction.channel.id);
    const { thread_id, tool: before } = session;
    const wanted = shown((options["tool"] ?? "").trim());
    const key_name = tools.keyNameIn(wanted, before);
    const events = await engine.submit({
      type: "change_tool",
      thread_id,
      tool: wanted,
      ...(key_name !== null && { key_name }),
    });
    if (events.length === 0) return plain(say(locale, "tool_same", { tool: inert(wanted, 40) }));
    await keepChoice(session, context);
    const carried = events.some((event) => event.type === "ToolChanged" && event.payload.carried !== undefined);
    return plain(
      chosen(engine.state, sessionHere(engine.state, thread_id), { before: carried ? before : null, locale }),
    );
  },
  complete,
};

/** @param before the tool whose conversation goes along; null: none does */
function chosen(state: State, session: Session, { before, locale }: { before: string | null; locale: Locale }): string {
  const now = inert(session.tool, 40);
  const running = state.jobs[session.running_job_id ?? ""];
  const lines = [say(locale, "tool_chosen", { tool: `**${now}**` })];
  if (running) lines.push(say(locale, "tool_keeps", { job: code(running.job_id), tool: inert(running.tool, 40) }));
  // In a session without a job there is no conversation yet to continue or lose.
  if (before !== null) lines.push(say(locale, "tool_carried", { tool: now, before: inert(before, 40) }));
  else if (sessionKey(session) !== null) lines.push(say(locale, "tool_goes_on", { tool: now }));
  else if (running || session.last_job_id !== null) lines.push(say(locale, "tool_begins", { tool: now }));
  return lines.join(" ");
}

/** The project's own tools; none outside a session's thread. */
function complete({ state, option, typed, channelId }: Asked): Choice[] {
  const session = state.sessions[channelId];
  if (option !== "tool" || !session) return [];
  return toolChoices(state.projects[session.project_name]?.enabled_tools ?? [], typed);
}
