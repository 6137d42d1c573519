/**
 * The buttons about a session as a whole: opens one, takes a Claude in or gives it back, reopens, and removes what is
 * left.
 */
import { BellhopError } from "../../../base/errors.ts";
import { say, type WordKey, type Locale } from "../../../base/words/say.ts";
import type { Reopened } from "../../intake/accept-message.ts";
import { openHere, openWith, projectNamed, directoryAt } from "../find.ts";
import { plainAnswer, type Handlers, type Press } from "../reply.ts";
import type { Wait } from "../../../core/projects/checkout.ts";
import type { Command } from "../../../core/slices.ts";
import { jobOrTurn, workersIn } from "../../../core/jobs/job-or-turn.ts";
import { changesOf } from "../../../core/jobs/run.ts";
import type { RecordedEvent, State } from "../../../core/state.ts";
import { patchMessage } from "../../views/jobs/job-end.ts";
import { changedMark } from "../../views/changed-notice.ts";
import { draftMark } from "../../views/wait-notice.ts";
import type { InteractionAnswer, CommandContext } from "../command.ts";
import { ranAgain, retryJob } from "../autocomplete.ts";
import { startUnderWay, type Session } from "../../../core/sessions/session.ts";
import { WINDOW_TOOL } from "../../../core/sessions/windows.ts";
import { readCustomId } from "../../views/custom-id.ts";
import { windowsOf } from "../../views/panel.ts";
import { plainLine } from "../../views/message.ts";
import { stopMark } from "../../views/stop-offer.ts";
import { openedBody, projectSelects } from "../../views/session-offer.ts";

const SAYS: Record<Reopened, WordKey> = {
  both: "session_reopened",
  sent: "session_sent",
  opened: "session_reopened_only",
  neither: "session_is_open",
};

/** An agent that was heard so lately has gone on. */
const STILL_MS = 3_000;

interface Tap {
  at: number;
  opened: Promise<string>;
}

/** The buttons under which sessions were just opened, by their messages and projects. */
const opening = new WeakMap<CommandContext, Map<string, Tap>>();
const DOUBLE_TAP_MS = 3_000;

export const sessionButtons: Handlers<
  | "open_session"
  | "open_on_message"
  | "more_projects"
  | "pick_project"
  | "reopen_session"
  | "send_held"
  | "send_forward"
  | "drop_forward"
  | "adopt_claude"
  | "ignore_claude"
  | "release_claude"
  | "remove_worktree"
> = {
  /** Under a message that nothing takes. A second tap means the session that the first one opens. */
  async open_session({ project }, { interaction, reply, locale, context }) {
    const button = `${interaction.message.id} ${project}`;
    const taps = opening.get(context) ?? new Map<string, Tap>();
    opening.set(context, taps);
    for (const [one, { at }] of taps) if (context.clock.now() - at > DOUBLE_TAP_MS) taps.delete(one);
    const first = taps.get(button)?.opened ?? openHere(interaction, project, locale, context);
    if (!taps.has(button)) taps.set(button, { at: context.clock.now(), opened: first });
    await reply.ephemeral(await first);
  },
  /** Under a message that no agent gets otherwise: it is the first prompt of a session. */
  open_on_message: (fields, press) => openOffered(fields, press),
  more_projects: async ({ message }, { reply, locale, context }) =>
    void (await reply.ephemeral({
      ...plainAnswer(say(locale, "offer_pick")),
      components: projectSelects(context.engine.state, message, locale),
    })),
  async pick_project(_page, press) {
    const wanted = readCustomId(press.values[0] ?? "");
    if (wanted?.action !== "open_on_message") throw new BellhopError("E_DECISION_CLOSED");
    await openOffered(wanted.fields, press);
  },
  /** Under a message that a closed session refused: reopens the session, and the message becomes a job. */
  async reopen_session({ thread, message }, { reply, locale, context }) {
    const did = await context.listener.reopen(thread, message);
    await reply.respond({ ...plainAnswer(say(locale, SAYS[did])), components: [] });
  },
  /** Under the pointer to what was open when it was written. */
  async send_held({ thread, message }, { context }) {
    if (!(await context.listener.sendHeld(thread, message))) throw new BellhopError("E_DECISION_CLOSED");
  },
  /** Under a message that its owner has forwarded: it goes to the agent as quoted data. */
  send_forward: (forward, { context }) => settleForward(context, "send_forward", forward),
  /** It goes nowhere. */
  drop_forward: (forward, { context }) => settleForward(context, "drop_forward", forward),
  /** About a Claude that the owner has started himself: takes it into a thread. */
  async adopt_claude({ claude }, { interaction, reply, locale, context }) {
    const request = await context.takeClaude(claude, interaction.id);
    const thread =
      request === null ? context.engine.state.adoptions[claude]?.thread_id : await context.starts.opened(request);
    await reply.ephemeral(say(locale, "adoption_opened", { thread: `<#${thread ?? ""}>` }));
  },
  /** Leaves it alone. */
  async ignore_claude({ claude }, { context }) {
    const settled = await context.engine.submit({ type: "adopt", claude_session: claude, adopted: false });
    if (settled.length === 0) throw new BellhopError("E_ADOPTION_CLOSED");
  },
  /** Gives it back. */
  async release_claude({ thread }, { context }) {
    const released = await context.engine.submit({ type: "release", thread_id: thread });
    if (released.length === 0) throw new BellhopError("E_NO_ACTIVE_SESSION");
  },
  /**
   * Under what an archived thread still has: the owner's yes to ending and removing what he was shown, and nothing
   * else.
   */
  async remove_worktree({ thread, mark }, { context }) {
    const { engine } = context;
    await engine.submit({ type: "remove_worktree", thread_id: thread, mark });
    const is = engine.state.archives[thread]?.is;
    if (is !== "agreed" && is !== "done") throw new BellhopError("E_DECISION_CLOSED");
  },
};

async function openOffered(fields: { message: string; project: string }, press: Press): Promise<void> {
  const { interaction, reply, locale, context } = press;
  const session = await openWith(interaction, fields, locale, context);
  const { content, embeds, components } = openedBody(context.engine.state, session, context.locale);
  await reply.respond({ content, embeds, components });
}

/*
 * The buttons under a job and under what its thread waits for. A button names its job and the action; the state decides
 * at the press whether the action is still possible. So it works days later and after a restart, a second press changes
 * nothing, and a late one is refused with a message.
 */

export const jobButtons: Handlers<
  | "stop_job"
  | "finish_job"
  | "stop_for"
  | "retry"
  | "continue"
  | "discard"
  | "show_diff"
  | "resume_thread"
  | "accept_changes"
  | "start_fresh"
  | "new_conversation"
  | "drop_job"
  | "clear_draft"
> = {
  stop_job: ({ job }, press) => done(changes({ type: "cancel_job", job_id: job, by: "owner" }, press.context)),
  finish_job: ({ job }, press) => done(finish(job, press.context)),
  stop_for: ({ job, mark }, press) => done(stopFor(job, mark, press.context)),
  retry: ({ job }, press) => again(retryJob(job, press.context), press),
  continue: ({ job }, press) => again(press.context.engine.submit({ type: "continue", job_id: job }), press),
  discard: ({ job }, press) => done(changes({ type: "discard", job_id: job }, press.context)),
  resume_thread: ({ job }, press) => done(goOn(job, press.context)),
  // The mark of what was shown follows the job.
  accept_changes: ({ job, mark }, press) => done(accept(job, { mark, by: "seen" }, press.context)),
  start_fresh: ({ job, mark }, press) => done(accept(job, { mark, by: "fresh" }, press.context)),
  new_conversation: ({ job }, press) => done(goOn(job, press.context, "fresh")),
  drop_job: ({ job }, press) => done(drop(job, press.context)),
  clear_draft: ({ job, mark }, press) => done(clear(job, mark, press.context)),
  show_diff: async ({ job }, { interaction, reply, locale, context }) =>
    void (await reply.ephemeral(await patchOf(job, interaction.attachment_size_limit, locale, context))),
};

/** What was done shows in the thread; only a press without effect is reported. */
async function done(changed: Promise<boolean>): Promise<void> {
  if (!(await changed)) throw new BellhopError("E_DECISION_CLOSED");
}

/** Whether it changed anything, like all of these. */
async function changes(command: Command, { engine }: CommandContext): Promise<boolean> {
  return (await engine.submit(command)).length > 0;
}

/** A job that was already run again, or no longer exists, means that the choice was made. */
async function again(chosen: Promise<readonly RecordedEvent[]>, { interaction, reply, locale }: Press): Promise<void> {
  const events = await chosen.catch((error: unknown) => {
    if (error instanceof BellhopError && error.code === "E_JOB_NOT_RETRYABLE") return [];
    throw error;
  });
  await done(Promise.resolve(events.length > 0));
  const said = events.some(({ type }) => type === "SessionReopened")
    ? ranAgain(events, locale, interaction.channel.id)
    : null;
  if (said !== null) await reply.ephemeral(said);
}

/** It may have gone on since the button was shown. */
async function finish(job_id: string, context: CommandContext): Promise<boolean> {
  const { thread_id = "" } = context.engine.state.jobs[job_id] ?? {};
  const { state, heardMs = 0 } = context.sessionAgents.agentFacts(thread_id) ?? {};
  if (state === "working" && heardMs < STILL_MS) return false;
  return changes({ type: "finish_job", job_id }, context);
}

/** The message said stop, so it is no job; what ran in its thread when that was offered is stopped. */
async function stopFor(job_id: string, mark: string, context: CommandContext): Promise<boolean> {
  const { thread_id = "", state } = context.engine.state.jobs[job_id] ?? {};
  if (state !== "queued" || stopMark(context.engine.state, thread_id) !== mark) return false;
  await changes({ type: "cancel_job", job_id, by: "owner" }, context);
  const stopped = workersIn(context.engine.state, thread_id).map((id) =>
    changes({ type: "cancel_job", job_id: id, by: "owner" }, context),
  );
  return (await Promise.all(stopped)).includes(true);
}

/** One job may wait for several things in turn: a button answers only the wait it was posted for. */
async function goOn(job_id: string, context: CommandContext, by: "owner" | "fresh" = "owner"): Promise<boolean> {
  const found =
    waitOf(job_id, "stuck", context) ?? waitOf(job_id, "limit", context) ?? waitOf(job_id, "terminal", context);
  return found !== null && changes({ type: "unpark", thread_id: found.job.thread_id, job_id, by }, context);
}

/** Only the draft that was shown above the button may be cleared. */
async function clear(job_id: string, mark: string, context: CommandContext): Promise<boolean> {
  const found = waitOf(job_id, "terminal", context);
  if (found === null || draftMark(found.wait) !== mark) return false;
  return changes({ type: "unpark", thread_id: found.job.thread_id, job_id, by: "cleared" }, context);
}

/** An answer counts only for exactly what was shown above the button. */
async function accept(
  job_id: string,
  { mark, by }: { mark: string; by: "seen" | "fresh" },
  context: CommandContext,
): Promise<boolean> {
  const found = waitOf(job_id, "changed", context);
  if (found === null || changedMark(found.wait) !== mark) return false;
  const { digest } = found.wait;
  return changes({ type: "accept_changed", thread_id: found.job.thread_id, job_id, digest, by }, context);
}

async function drop(job_id: string, context: CommandContext): Promise<boolean> {
  const found =
    waitOf(job_id, "changed", context) ?? waitOf(job_id, "terminal", context) ?? waitOf(job_id, "stuck", context);
  return found !== null && changes({ type: "cancel_job", job_id, by: "owner" }, context);
}

export function waitOf<K extends Wait["kind"]>(
  jobId: string,
  kind: K,
  { engine: { state } }: CommandContext,
): { job: { thread_id: string }; wait: Extract<Wait, { kind: K }> } | null {
  const job = jobOrTurn(state, jobId);
  const wait = state.threads[job?.thread_id ?? ""]?.wait;
  const isMeant = (one: Wait | null | undefined): one is Extract<Wait, { kind: K }> =>
    one?.job_id === jobId && one.kind === kind;
  return job && isMeant(wait) ? { job, wait } : null;
}

/** The patch of what the job changed. It is kept longer than the job's state. */
async function patchOf(
  jobId: string,
  maxBytes: number,
  locale: Locale,
  { results, engine }: CommandContext,
): Promise<InteractionAnswer> {
  const bytes = await results.readPatch(jobId);
  if (!bytes) return plainAnswer(say(locale, "diff_none"));
  const { beside } = changesOf(engine.state.runs[jobId]) ?? {};
  return { ...plainAnswer(""), ...patchMessage({ job_id: jobId, beside }, bytes, maxBytes, locale) };
}

/* The control panel's buttons: opens or ends the windows of a project's sessions in this server. */

export const panelButtons: Handlers<"start_windows" | "stop_windows" | "pick_window_project"> = {
  start_windows: ({ project }, press) => start(project, press),
  stop_windows: ({ project }, press) => stop(project, press),
  async pick_window_project(_page, press) {
    const wanted = readCustomId(press.values[0] ?? "");
    if (wanted?.action === "start_windows") await start(wanted.fields.project, press);
    else if (wanted?.action === "stop_windows") await stop(wanted.fields.project, press);
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
  const link = { project: plainLine(name, 40), thread: `<#${thread}>` };
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
    await sessionAgents.endAgent(thread_id, "now");
  }
  const ended = say(locale, "panel_ended", { project: plainLine(name, 40), count: own.length });
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
  const { stands, failure } = await engine.until(
    ({ windows, threads }) => {
      const { window } = threads[threadId] ?? {};
      return window !== "wanted" && { stands: windows[threadId] !== undefined, failure: window };
    },
    ["window", "session"],
  );
  if (!stands && failure && failure.code !== "E_PROJECT_CHANGED") throw new BellhopError(failure.code, failure.details);
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

/** @throws E_DECISION_CLOSED it has been sent or dropped before */
async function settleForward(
  { engine }: CommandContext,
  type: "send_forward" | "drop_forward",
  { thread, message }: { thread: string; message: string },
): Promise<void> {
  const events = await engine.submit({ type, thread_id: thread, discord_message_id: message });
  if (events.length === 0) throw new BellhopError("E_DECISION_CLOSED");
}
