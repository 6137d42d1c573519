/** The control panel's buttons: opens or ends the windows of a project's sessions in this server. */
import { BellhopError } from "../../../base/errors.ts";
import { say } from "../../../base/words/say.ts";
import type { State } from "../../../core/state.ts";
import { workersIn } from "../../../core/jobs/job-or-turn.ts";
import { startUnderWay, type Session } from "../../../core/sessions/session.ts";
import { WINDOW_TOOL } from "../../../core/sessions/windows.ts";
import { readCustomId } from "../../views/custom-id.ts";
import { windowsOf } from "../../views/panel.ts";
import { inert } from "../../views/body.ts";
import type { CommandContext } from "../command.ts";
import { projectNamed } from "../find.ts";
import type { Handlers, Press } from "../reply.ts";
import { directoryAt } from "../project-path.ts";

export const panelButtons: Handlers<"w-start" | "w-stop" | "w-pick"> = {
  "w-start": ({ project }, press) => start(project, press),
  "w-stop": ({ project }, press) => stop(project, press),
  async "w-pick"(_page, press) {
    const wanted = readCustomId(press.values[0] ?? "");
    if (wanted?.action === "w-start") await start(wanted.fields.project, press);
    else if (wanted?.action === "w-stop") await stop(wanted.fields.project, press);
    else throw new BellhopError("E_DECISION_CLOSED");
  },
};

async function start(name: string, press: Press): Promise<void> {
  const { context, locale, reply } = press;
  requirePanel(press);
  const project = projectNamed(context.engine.state, name);
  await directoryAt(project.path, context);
  const thread = (await askedOf(name, context)) ?? (await newSession(name, press));
  const stands = await isOpened(thread, context);
  const link = { project: inert(name, 40), thread: `<#${thread}>` };
  await reply.ephemeral(say(locale, stands ? "panel_started" : "panel_asks", link));
}

async function stop(name: string, press: Press): Promise<void> {
  const { context, locale, reply } = press;
  const { engine, sessionAgents, botId } = context;
  requirePanel(press);
  const own = windowsOf(engine.state, name, botId).filter(({ adopted }) => !adopted);
  if (own.length === 0) throw new BellhopError("E_DECISION_CLOSED");
  const waiting = own.reduce((sum, { thread_id }) => sum + (engine.state.sessions[thread_id]?.queue.length ?? 0), 0);
  for (const { thread_id } of own) {
    for (const job_id of workersIn(engine.state, thread_id))
      await engine.submit({ type: "cancel_job", job_id, by: "owner" });
    await sessionAgents.end(thread_id, "now");
  }
  const ended = say(locale, "panel_ended", { project: inert(name, 40), count: own.length });
  await reply.ephemeral([ended, ...(waiting > 0 ? [say(locale, "panel_waits", { count: waiting })] : [])].join(" "));
}

/**
 * Only in the panel's channel: each server has its own. A panel that is just being moved below other messages counts.
 */
function requirePanel({ interaction, context: { panelId } }: Press): void {
  if (interaction.channel.id !== panelId) throw new BellhopError("E_DECISION_CLOSED");
}

/** The channel's own session, else the one used last. */
function sessionOf({ sessions, threads }: State, project: string, botId: string): Session | undefined {
  const rank = ({ thread_id }: Session): number => (threads[thread_id]?.channel_id === thread_id ? 0 : 1);
  return Object.values(sessions)
    .filter(
      ({ thread_id, project_name, tool }) =>
        project_name === project &&
        tool === WINDOW_TOOL &&
        threads[thread_id]?.bot_id === botId &&
        threads[thread_id].closed === undefined,
    )
    .sort((a, b) => rank(a) - rank(b) || (a.last_activity_at < b.last_activity_at ? 1 : -1))[0];
}

/** The thread of the project's session, whose window is asked for; null: it has none. */
async function askedOf(project: string, { engine, botId }: CommandContext): Promise<string | null> {
  const { thread_id } = sessionOf(engine.state, project, botId) ?? {};
  if (thread_id === undefined) return null;
  await engine.submit({ type: "request_window", thread_id });
  return thread_id;
}

/**
 * Resolves when the window that was asked for is open, or surely will not be. False: its owner is asked in its thread
 * first, or a job is to open it.
 * @throws BellhopError for why it could not be opened
 */
async function isOpened(threadId: string, { engine }: CommandContext): Promise<boolean> {
  const { stands, unopened } = await engine.until(
    ({ windows, threads }) =>
      threads[threadId]?.window_wanted !== true && {
        stands: windows?.[threadId] !== undefined,
        unopened: threads[threadId]?.unopened,
      },
  );
  if (!stands && unopened && unopened.code !== "E_PROJECT_CHANGED")
    throw new BellhopError(unopened.code, unopened.details);
  return stands;
}

/** Of several presses at once, one makes the session. */
async function newSession(project_name: string, { interaction, context }: Press): Promise<string> {
  const { engine, starts, guildId: guild_id, botId: bot_id }: CommandContext = context;
  const wanted = { project_name, tool: WINDOW_TOOL, bot_id };
  await engine.submit({
    type: "start_session",
    request_id: interaction.id,
    ...wanted,
    channel_id: context.panelId ?? "",
    guild_id,
    window: true,
  });
  // It may have been made meanwhile by a start that wanted no window.
  return (
    (await askedOf(project_name, context)) ??
    starts.opened(startUnderWay(engine.state, wanted)?.request_id ?? interaction.id)
  );
}
