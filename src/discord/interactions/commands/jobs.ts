/**
 * `/ask`: a prompt for the session's agent, with the agent's own commands completed. It becomes a job like a message,
 * and the answer to the command is that message: it gets the job's reaction.
 */
import { BellhopError } from "../../../base/errors.ts";
import { say, type Locale } from "../../../base/words/say.ts";
import { code, plainLine } from "../../views/message.ts";
import {
  choicesOf,
  retryChoices,
  toolChoices,
  ranAgain,
  refusedRetry,
  retryJob,
  isRetryable,
} from "../autocomplete.ts";
import { sessionHere, shortInput } from "../find.ts";
import { plainAnswer, Refused } from "../reply.ts";
import {
  type SlashCommand,
  type InteractionAnswer,
  TOOL_CHARS,
  type CompletionRequest,
  type AutocompleteChoice,
  type CommandContext,
  type MessageRef,
} from "../command.ts";
import { type Session, sessionKey, sessionState } from "../../../core/sessions/session.ts";
import { isTurn, jobOrTurn, workersIn } from "../../../core/jobs/job-or-turn.ts";
import { jobsBeingSent } from "../../../core/jobs/sending.ts";
import { oneLine } from "../../../base/text.ts";
import type { RecordedEvent, State } from "../../../core/state.ts";
import type { Job } from "../../../core/jobs/job.ts";
import { liveAgents } from "../../views/agent-status.ts";
import { keepChoice } from "../agents.ts";

/** It fits into a message whole. */
const PROMPT_CHARS = 1_500;
/** It would log the owner's agent out on the machine, where nobody can log it in again from Discord. */
const LOGOUT = "logout";
const LOGS_OUT = /^\/?logout(?![\w-])/i;

export const ask: SlashCommand = {
  name: "ask",
  options: [{ key: "opt_prompt", max: PROMPT_CHARS, suggested: true }],
  ephemeral: false,
  run({ interaction, options, locale }, { engine }) {
    sessionHere(engine.state, interaction.channel.id);
    const prompt = (options["prompt"] ?? "").trim();
    if (prompt === "") throw new BellhopError("E_EMPTY_PROMPT");
    if (LOGS_OUT.test(prompt)) throw new Refused("E_ARGUMENT_REFUSED", say(locale, "ask_logout"));
    return Promise.resolve(plainAnswer(`💬 ${code(prompt, PROMPT_CHARS)}`));
  },
  async onPosted(message, _answer, { options }, context) {
    const prompt = (options["prompt"] ?? "").trim();
    if (!LOGS_OUT.test(prompt)) await hearPosted(message, prompt, context);
  },
  complete: ({ option, typed, agent }) =>
    option !== "prompt"
      ? []
      : choicesOf(
          agent.commands
            .filter(({ name }) => name !== LOGOUT)
            .map(({ name, description, hint }) => ({
              value: `/${name}`,
              by: `/${name}\n${description}`,
              label: () =>
                [`/${name}`, ...(hint === "" ? [] : [hint]), ...(description === "" ? [] : [`· ${description}`])].join(
                  " ",
                ),
            })),
          typed,
        ),
};

/** A message of Bellhop's own that stands for the owner's prompt becomes its job's message. */
export function hearPosted(
  { id, channel_id }: MessageRef,
  prompt: string,
  { engine }: CommandContext,
): Promise<readonly RecordedEvent[]> {
  return engine.submit({
    type: "hear",
    thread_id: channel_id,
    discord_message_id: id,
    prompt,
    files: [],
    refused_files: [],
    reply_to: null,
    is_prompt: true,
  });
}

/*
 * `/cancel`: stops the job that runs in this thread, or what its agent does by itself, and keeps the session. The
 * request is on disk before the agent is touched; the message that closes the job shows when it has ended. Queued jobs
 * continue.
 */

export const cancel: SlashCommand = {
  name: "cancel",
  options: [],
  // The thread keeps only the message that closes the job.
  ephemeral: true,
  async run({ interaction, locale }, { engine }) {
    const { state } = engine;
    const session = sessionHere(state, interaction.channel.id);
    const job_id = workersIn(state, session.thread_id).at(-1) ?? "";
    const running = jobOrTurn(state, job_id);
    if (!running) return nothing(session, locale);
    const isOutside = isTurn(running);
    const events = await engine.submit({ type: "cancel_job", job_id, by: "owner" });
    const sending = jobsBeingSent(state, session.thread_id).length;
    const also = sending === 0 ? [] : [say(locale, "cancel_sending", { count: sending })];
    if (events.length > 0)
      return plainAnswer(
        [
          isOutside
            ? say(locale, "cancel_outside")
            : say(locale, "cancel_asked", { job: code(job_id), prompt: plainLine(running.prompt, 200) }),
          ...also,
        ].join("\n"),
      );
    // Cancelled before and not ended yet; or it ended just now.
    if (jobOrTurn(state, job_id)?.state !== "running") return nothing(session, locale);
    return plainAnswer(
      isOutside ? say(locale, "cancel_outside_again") : say(locale, "cancel_again", { job: code(job_id) }),
    );
  },
};

function nothing({ queue }: Session, locale: Locale): InteractionAnswer {
  const waiting = queue.length === 0 ? [] : [say(locale, "cancel_waiting", { count: queue.length })];
  return plainAnswer([say(locale, "cancel_none"), ...waiting].join(" "));
}

/*
 * `/retry`: runs a job that failed or was cut off by a crash again as a new one, in its own thread, wherever the
 * command is used. A job no longer in the live state cannot be run again.
 */

/** The id alone, or with the rest of a suggestion's label, which the user may have copied. */
const JOB_ID = /^(job_\d{8}_\d{4,12})(?: · .*)?$/;

export const retry: SlashCommand = {
  name: "retry",
  options: [{ key: "opt_job_id", max: 40, suggested: true }],
  ephemeral: false,
  async run({ interaction, options, locale }, context) {
    const typed = (options["job_id"] ?? "").trim();
    // Only a valid id is looked up in the state.
    const job_id = JOB_ID.exec(typed)?.[1];
    if (job_id === undefined) throw new BellhopError("E_JOB_NOT_RETRYABLE", { job: shortInput(typed) });
    const why = refusedRetry(context.engine.state, job_id);
    if (why !== null) throw new Refused("E_JOB_NOT_RETRYABLE", say(locale, why.key, why.args));
    const events = await retryJob(job_id, context);
    return plainAnswer(ranAgain(events, locale, interaction.channel.id) ?? say(locale, "discarded_before"));
  },
  complete: ({ state, option, typed, channelId }) => (option === "job_id" ? retryChoices(state, typed, channelId) : []),
};

/*
 * `/status`: the state of this thread's session, in a fixed wording and order that is never translated, because scripts
 * and people compare it; and below it, in the person's own language, the agents that are open now.
 */

const NONE = "n/a";

export const status: SlashCommand = {
  name: "status",
  options: [],
  ephemeral: true,
  run({ interaction, locale }, { engine, sessionAgents }) {
    const { id } = interaction.channel;
    return Promise.resolve().then(() => ({
      content: statusText(engine.state, id),
      isFixed: true,
      embeds: [liveAgents(engine.state, sessionAgents.living(), id, locale)],
    }));
  },
};

/** The nine lines. @throws BellhopError `E_NOT_IN_MANAGED_THREAD` if the channel is no session's thread */
function statusText(state: State, threadId: string): string {
  const session = sessionHere(state, threadId);
  const key = sessionKey(session);
  const last = session.last_job_id === null ? undefined : state.jobs[session.last_job_id];
  return [
    "Session Status",
    `project: ${session.project_name}`,
    `tool: ${session.tool}`,
    `session_key: ${key === null ? NONE : oneLine(key, 200)}`,
    `state: ${sessionState(session, state.jobs, state.threads[threadId])}`,
    `queue: pending=${session.queue.length}, running=${workersIn(state, threadId).at(-1) ?? NONE}`,
    `last_job: ${last ? lastJob(last) : NONE}`,
    `resume_ready: ${key === null ? "no" : "yes"}`,
    `retry_hint: ${last && isRetryable(state, last) ? `/retry ${last.job_id}` : NONE}`,
  ].join("\n");
}

function lastJob({ state, started_at, finished_at }: Job): string {
  const seconds =
    started_at && finished_at
      ? `${Math.max(0, Math.round((Date.parse(finished_at) - Date.parse(started_at)) / 1000))}s`
      : NONE;
  return `${state}, ${seconds}, ${finished_at ?? NONE}`;
}

/*
 * `/tool`: sets the agent for this session's jobs, from the next one on. The queue stays, a running job keeps its
 * agent, and each tool keeps its own conversation here, so switching back continues it. Between tools of one vendor,
 * which find each other's conversations, the conversation goes along.
 */

export const tool: SlashCommand = {
  name: "tool",
  options: [{ key: "opt_tool", max: TOOL_CHARS, suggested: true }],
  ephemeral: false,
  async run({ interaction, options, locale }, context) {
    const session = sessionHere(context.engine.state, interaction.channel.id);
    return changeTool(session, shortInput((options["tool"] ?? "").trim()), locale, context);
  },
  complete,
};

/** @throws BellhopError E_TOOL_NOT_ENABLED */
export async function changeTool(
  session: Session,
  wanted: string,
  locale: Locale,
  context: CommandContext,
): Promise<InteractionAnswer> {
  const { engine, tools } = context;
  const { thread_id, tool: before } = session;
  const key_name = tools.keyNameIn(wanted, before);
  const events = await engine.submit({
    type: "change_tool",
    thread_id,
    tool: wanted,
    ...(key_name !== null && { key_name }),
  });
  if (events.length === 0) return plainAnswer(say(locale, "tool_same", { tool: plainLine(wanted, 40) }));
  await keepChoice(session, context);
  const carried = events.some((event) => event.type === "ToolChanged" && event.payload.carried !== undefined);
  return plainAnswer(
    chosen(engine.state, sessionHere(engine.state, thread_id), { before: carried ? before : null, locale }),
  );
}

/** @param before the tool whose conversation goes along; null: none does */
function chosen(state: State, session: Session, { before, locale }: { before: string | null; locale: Locale }): string {
  const now = plainLine(session.tool, 40);
  const running = state.jobs[session.running_job_id ?? ""];
  const lines = [say(locale, "tool_chosen", { tool: `**${now}**` })];
  if (running) lines.push(say(locale, "tool_keeps", { job: code(running.job_id), tool: plainLine(running.tool, 40) }));
  // In a session without a job there is no conversation yet to continue or lose.
  if (before !== null) lines.push(say(locale, "tool_carried", { tool: now, before: plainLine(before, 40) }));
  else if (sessionKey(session) !== null) lines.push(say(locale, "tool_goes_on", { tool: now }));
  else if (running || session.last_job_id !== null) lines.push(say(locale, "tool_begins", { tool: now }));
  return lines.join(" ");
}

/** The project's own tools; none outside a session's thread. */
function complete({ state, option, typed, channelId }: CompletionRequest): AutocompleteChoice[] {
  const session = state.sessions[channelId];
  if (option !== "tool" || !session) return [];
  return toolChoices(state.projects[session.project_name]?.enabled_tools ?? [], typed);
}
