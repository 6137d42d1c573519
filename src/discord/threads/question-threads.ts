/**
 * The reconciler that finds each agent's question a thread: the one it names or a new one in its channel. A question is
 * on disk before anything is posted, and its starter carries the question's id, so however often this is interrupted
 * there is exactly one thread. If no thread is possible, the question is void and the asker is told.
 */
import type { APIThreadChannel } from "discord-api-types/v10";
import { BellhopError } from "../../base/errors.ts";
import { oneLine } from "../../base/text.ts";
import type { ClientAsker } from "../../core/decisions/asker.ts";
import { decisionsIn, isOpen, type Decision } from "../../core/decisions/decision.ts";
import type { VoidedBecause } from "../../core/decisions/voided.ts";
import type { State } from "../../core/state.ts";
import { singleTopic, reconcile } from "../../engine/reconcile.ts";
import { announcementBody, announcementName, ANNOUNCEMENT_PART } from "../views/decisions/reminders.ts";
import { smallPrint, type Body, hashOf, nonceOf } from "../views/message.ts";
import type { BotContext } from "../api/bot-context.ts";
import { refusedPlace, THREAD_TYPES } from "../api/refused-place.ts";
import { failureKind } from "../api/transport.ts";
import { snowflakeBefore } from "../delivery/send-once.ts";
import { isDecided, makeThread, type NewThread } from "./thread-upkeep.ts";

export interface QuestionThreads {
  /** Handles questions that an earlier run left without a thread, and new ones. */
  start(): void;
  close(): void;
}

const NAME_CHARS = 100;

type Placed = { thread_id: string; channel_id: string; since: string };

/** Handles the questions of this bot, in its guild only: answers elsewhere would not be received. */
export function openQuestionThreads(context: BotContext): QuestionThreads {
  const { engine, log, botId, guildId } = context;

  function step(decision_id: string, again: boolean): Promise<unknown> | null {
    const decision = engine.state.decisions[decision_id];
    if (!decision || decision.thread_id !== null || !isOpen(decision)) return null;
    const { asker } = decision;
    return asker.by === "mcp" && asker.bot_id === botId ? place(decision, asker, again) : null;
  }

  async function place(decision: Decision, asker: ClientAsker, again: boolean): Promise<void> {
    const { decision_id } = decision;
    try {
      const placed = await placeFor(context, decision, asker, again);
      if (placed !== null)
        await engine.submit({ type: "place_decision", decision_id, ...placed, guild_id: guildId, bot_id: botId });
      else await engine.submit({ type: "void", decision_id, why: "no_place" });
    } catch (error) {
      if (!(error instanceof BellhopError) && !isDecided(error)) throw error;
      const refused = await refusalOf(context, asker, error);
      log.warn("Discord has no place for a question", {
        error_code: refused?.code ?? "E_THREAD_ACCESS_FAILED",
        decision_id,
        reason: String(error),
      });
      await engine.submit({ type: "void", decision_id, why: "no_place", ...(refused && { refused }) });
    }
  }

  return reconcile({
    ...context,
    failure: "a question has no thread",
    details: (decision_id) => ({ error_code: "E_THREAD_ACCESS_FAILED", decision_id }),
    follows: singleTopic("decisions", ["decision"], unplaced),
    step,
  });
}

function unplaced(state: State): string[] {
  return decisionsIn(state, null).map(({ decision_id }) => decision_id);
}

/** Why the asker gets no place; null: its channel does not exist. */
async function refusalOf(
  context: BotContext,
  { wanted_thread, channel_id }: ClientAsker,
  error: unknown,
): Promise<VoidedBecause["refused"] | null> {
  const place = wanted_thread ?? channel_id;
  if (error instanceof BellhopError) return { code: error.code, details: error.details };
  if (place === null || (failureKind(error) === "channel_gone" && wanted_thread === null)) return null;
  if (failureKind(error) === "channel_gone")
    return { code: "E_THREAD_ACCESS_FAILED", details: { thread: `<#${place}>` } };
  const { code, details } = await refusedPlace(context, place, error);
  return { code, details };
}

/** Null: its channel is not in our guild. @throws RestFailure, E_THREAD_FOREIGN {thread} */
async function placeFor(
  context: BotContext,
  decision: Decision,
  asker: ClientAsker,
  inherited: boolean,
): Promise<Placed | null> {
  if (asker.wanted_thread !== null) {
    const found = await findThread(context, asker.wanted_thread, asker.channel_id);
    if (found === null) throw new BellhopError("E_THREAD_FOREIGN", { thread: asker.wanted_thread });
    return found;
  }
  if (asker.channel_id === null || !(await isChannelOfOurs(context, asker.channel_id))) return null;
  const body = announcementBody(decision, context.locale);
  const thread_id = await makeThread(context, threadFor(context, decision, body, asker.channel_id), inherited);
  // The thread has the id of its starter message.
  await context.engine.submit({
    type: "record_post",
    subject: decision.decision_id,
    part: ANNOUNCEMENT_PART,
    channel_id: asker.channel_id,
    message_id: thread_id,
    hash: hashOf(body),
    is: announcementName(decision),
  });
  return { thread_id, channel_id: asker.channel_id, since: thread_id };
}

/**
 * An existing thread, in the channel `within` if one is given, unarchived if needed. Nothing written there up to now
 * can be an answer.
 */
async function findThread(
  { rest, guildId, log }: BotContext,
  threadId: string,
  within: string | null,
): Promise<Placed | null> {
  const path = `/channels/${threadId}` as const;
  const thread = await rest.call<Partial<APIThreadChannel>>({ method: "GET", path, priority: "decision" });
  const { guild_id, type, parent_id, thread_metadata, last_message_id } = thread;
  if (guild_id !== guildId || type === undefined || !THREAD_TYPES.has(type) || !parent_id) return null;
  if (within !== null && parent_id !== within) return null;
  if (thread_metadata?.archived === true)
    await rest.call({ method: "PATCH", path, body: { archived: false }, priority: "decision" });
  // Discord might not send events of a thread the bot has not joined.
  rest.call({ method: "PUT", path: `${path}/thread-members/@me`, priority: "cosmetic" }).catch((error: unknown) => {
    log.debug("a thread could not be joined", { thread_id: threadId, reason: String(error) });
  });
  return { thread_id: threadId, channel_id: parent_id, since: last_message_id ?? threadId };
}

async function isChannelOfOurs({ rest, guildId }: BotContext, channelId: string): Promise<boolean> {
  const channel = await rest.call<{ guild_id?: string }>({
    method: "GET",
    path: `/channels/${channelId}`,
    priority: "decision",
  });
  return channel.guild_id === guildId;
}

function threadFor(
  { botId }: BotContext,
  decision: Decision,
  { content, components }: Body,
  channel_id: string,
): NewThread {
  const { decision_id, asked_at } = decision;
  const question = decision.questions[0]?.question ?? "";
  const mark = smallPrint(decision_id);
  return {
    channel_id,
    name: oneLine(question, NAME_CHARS) || decision_id,
    priority: "decision",
    starter: {
      content,
      components,
      nonce: nonceOf(botId, { subject: decision_id, part: "starter" }, channel_id, ""),
      after: snowflakeBefore(Date.parse(asked_at)),
      isStarter: ({ author, content }) => author.id === botId && content.endsWith(`\n${mark}`),
    },
  };
}
