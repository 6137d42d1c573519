/**
 * `/new` and `/compact`: what becomes of a session's conversation. A new one begins with the next prompt; making one
 * shorter is a job like any other where the agent has a command for it. In a window that its owner opened himself he is
 * asked first, because the conversation is also the one at his desk.
 */
import { BellhopError } from "../../../base/errors.ts";
import { say, type Locale } from "../../../base/words/say.ts";
import { sessionKey, type Session } from "../../../core/sessions/session.ts";
import { WINDOW_TOOL } from "../../../core/sessions/windows.ts";
import type { State } from "../../../core/state.ts";
import { customId } from "../../views/custom-id.ts";
import { agentName, button, buttonRows, code } from "../../views/message.ts";
import type { CommandContext, InteractionAnswer, MessageRef, SlashCommand } from "../command.ts";
import { sessionHere } from "../find.ts";
import { hearPosted } from "./jobs.ts";
import { plainAnswer, Refused, type Handlers } from "../reply.ts";

const COMPACT = "/compact";
const FOCUS_CHARS = 500;

export const newConversation: SlashCommand = {
  name: "new",
  options: [],
  ephemeral: false,
  async run({ interaction, locale }, context) {
    const session = openSession(context.engine.state, interaction.channel.id);
    return isAtDesk(context.engine.state, session)
      ? sure(session, { how: "new", command: "/clear" }, locale)
      : plainAnswer(await begin(session, locale, context));
  },
};

export const compact: SlashCommand = {
  name: "compact",
  options: [{ key: "opt_focus", max: FOCUS_CHARS, required: false }],
  ephemeral: false,
  async run({ interaction, locale, options }, context) {
    const session = openSession(context.engine.state, interaction.channel.id);
    const command = commandOf(options["focus"]);
    if (isAtDesk(context.engine.state, session) && hasConversation(context.engine.state, session))
      return sure(session, { how: "compact", command }, locale);
    return plainAnswer(await shorten(session, command, locale, context));
  },
  async onPosted(message, answer, { options }, context) {
    const command = commandOf(options["focus"]);
    if (answer.content === asked(command)) await queue(message, command, context);
  },
};

export const conversationButtons: Handlers<"confirm_conversation"> = {
  /** Under the question of whether a Claude at the owner's desk is to be typed this. */
  async confirm_conversation({ thread, how }, { interaction, reply, locale, context }) {
    const session = openSession(context.engine.state, thread);
    if (how === "new")
      return void (await reply.respond({ ...plainAnswer(await begin(session, locale, context)), components: [] }));
    // The whole command stands in the question.
    const command = /`(\/compact[^`]*)`/.exec(interaction.message.content)?.[1] ?? COMPACT;
    const words = await shorten(session, command, locale, context);
    await reply.respond({ ...plainAnswer(words), components: [] });
    if (words === asked(command)) await queue({ id: interaction.message.id, channel_id: thread }, command, context);
  },
};

/** @throws BellhopError E_NOT_IN_MANAGED_THREAD, E_NO_ACTIVE_SESSION for a closed one */
function openSession(state: State, channelId: string): Session {
  const session = sessionHere(state, channelId);
  if (state.threads[session.thread_id]?.closed !== undefined) throw new BellhopError("E_NO_ACTIVE_SESSION");
  return session;
}

function isAtDesk({ windows }: State, { thread_id, tool }: Session): boolean {
  return tool === WINDOW_TOOL && windows[thread_id]?.adopted === true;
}

function hasConversation({ threads }: State, session: Session): boolean {
  return sessionKey(session) !== null || threads[session.thread_id]?.busy_job != null;
}

function sure(
  { thread_id }: Session,
  { how, command }: { how: "new" | "compact"; command: string },
  locale: Locale,
): InteractionAnswer {
  return {
    ...plainAnswer(say(locale, "window_sure", { command: code(command, FOCUS_CHARS) })),
    components: buttonRows([
      button(customId("confirm_conversation", { thread: thread_id, how }), say(locale, `window_sure_${how}`)),
    ]),
  };
}

/** Under what says that its conversation is full; that post is then the message of the job. */
export async function compactFull(
  session: Session,
  notice: MessageRef,
  locale: Locale,
  context: CommandContext,
): Promise<InteractionAnswer> {
  if (isAtDesk(context.engine.state, session)) return sure(session, { how: "compact", command: COMPACT }, locale);
  const words = await shorten(session, COMPACT, locale, context);
  if (words === asked(COMPACT)) await queue(notice, COMPACT, context);
  return plainAnswer(words);
}

/** The next prompt begins a new conversation. Returns what is said of it. */
async function begin(session: Session, locale: Locale, { engine, tools }: CommandContext): Promise<string> {
  const { thread_id, tool, running_job_id, queue: waiting } = session;
  if (!hasConversation(engine.state, session)) return say(locale, "new_none");
  await engine.submit({ type: "want_conversation", thread_id, how: "new" });
  return [
    `🆕 ${say(locale, "new_next", { tool: agentName(engine.state, session, locale) })}`,
    ...(running_job_id === null ? [] : [say(locale, "new_running", { job: code(running_job_id) })]),
    ...(waiting.length === 0 ? [] : [say(locale, "new_queued", { count: waiting.length })]),
    ...(tools.keepsConversations(tool) ? [say(locale, "new_resume")] : []),
  ].join(" ");
}

/**
 * Returns what is said of it: `asked` if the command is to become a job.
 * @throws Refused E_NOT_COMPACTED
 */
async function shorten(session: Session, command: string, locale: Locale, context: CommandContext): Promise<string> {
  const { engine, tools, sessionAgents } = context;
  const { thread_id, tool } = session;
  const named = { tool: agentName(engine.state, session, locale) };
  const how = tools.compacts(tool);
  const isOffered = (): boolean => sessionAgents.commands(thread_id, tool).some(({ name }) => `/${name}` === COMPACT);
  if (how === undefined || (how === "offered" && !isOffered()))
    throw new Refused("E_NOT_COMPACTED", say(locale, "compact_cannot", named));
  if (!hasConversation(engine.state, session)) return say(locale, "compact_none");
  if (how === "next") {
    await engine.submit({ type: "want_conversation", thread_id, how: "compacted" });
    await goOn(thread_id, context);
    return `🗜️ ${say(locale, "compact_next", named)}`;
  }
  const waits = session.queue.find((id) => engine.state.jobs[id]?.prompt.startsWith(COMPACT));
  return waits === undefined ? asked(command) : say(locale, "compact_waits", { job: code(waits) });
}

function commandOf(focus = ""): string {
  return `${COMPACT} ${focus}`.trim();
}

function asked(command: string): string {
  return `🗜️ ${code(command, FOCUS_CHARS + COMPACT.length + 1)}`;
}

/** The message that answers the command is its job's. In a full conversation it comes before what waits. */
async function queue(message: MessageRef, prompt: string, context: CommandContext): Promise<void> {
  const { engine } = context;
  const { channel_id } = message;
  const events = await hearPosted(message, prompt, context);
  const job_id = events.find((event) => event.type === "JobEnqueued")?.payload.job_id;
  if (job_id === undefined || waitsFull(engine.state, channel_id) === null) return;
  await engine.submit({ type: "move_first", job_id });
  await goOn(channel_id, context);
}

/** The job that a full conversation keeps waiting. */
function waitsFull({ threads }: State, threadId: string): string | null {
  const wait = threads[threadId]?.wait;
  return wait?.kind === "stuck" && wait.cause === "full" ? wait.job_id : null;
}

async function goOn(thread_id: string, { engine }: CommandContext): Promise<void> {
  const job_id = waitsFull(engine.state, thread_id);
  if (job_id !== null) await engine.submit({ type: "unpark", thread_id, job_id, by: "owner" });
}
