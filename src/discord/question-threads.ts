/**
 * The keeper of places: finds each question of an agent a thread to stand in, the one it names or a new one in its
 * channel. A question is on disk before Discord hears of it, and its starter carries the question's own name, so
 * however often we are stopped in between there is exactly one thread. Where there is no place for it, it is void and
 * whoever asks is told so.
 */
import { ChannelType, type APIThreadChannel } from "discord-api-types/v10";
import { oneLine } from "../base/text.ts";
import { say, type Locale } from "../base/words/say.ts";
import { isOpen, type Asker, type Decision } from "../core/decision.ts";
import { PROMPT_PART } from "../core/post.ts";
import type { Engine } from "../engine/engine.ts";
import { inert, smallPrint } from "./body.ts";
import { snowflakeBefore } from "./lookup.ts";
import { nonceOf } from "./posting.ts";
import { isDecided, makeThread, type Making, type NewThread } from "./thread-maker.ts";

export interface QuestionThreadsOptions extends Making {
  engine: Pick<Engine, "state" | "submit" | "watch">;
  locale: Locale;
  /** Questions of this bot are ours to place. */
  botId: string;
  /** And only here: elsewhere no answer would be heard. */
  guildId: string;
}

export interface QuestionThreads {
  /** Takes up what an earlier run of the daemon left without a place, and whatever comes from then on. */
  start(): void;
  close(): void;
}

const THREADS: readonly ChannelType[] = [ChannelType.PublicThread, ChannelType.PrivateThread, ChannelType.AnnouncementThread];
const NAME_CHARS = 100;
const STARTER_CHARS = 300;

type Placed = { thread_id: string; channel_id: string; since: string };
type AgentAsker = Extract<Asker, { by: "mcp" }>;

export function openQuestionThreads(options: QuestionThreadsOptions): QuestionThreads {
  const { engine, log, botId, guildId } = options;
  const underWay = new Set<string>();
  let closed = false;

  function attend(inherited: boolean): void {
    if (closed) return;
    for (const decision of Object.values(engine.state.decisions)) {
      const { asker, decision_id, thread_id } = decision;
      if (asker.by !== "mcp" || asker.bot_id !== botId || thread_id !== null || !isOpen(decision) || underWay.has(decision_id)) continue;
      underWay.add(decision_id);
      void place(decision, asker, inherited).finally(() => underWay.delete(decision_id));
    }
  }

  async function place(decision: Decision, asker: AgentAsker, inherited: boolean): Promise<void> {
    const { decision_id } = decision;
    try {
      const placed = await placeFor(options, decision, asker, inherited);
      if (placed !== null) await engine.submit({ type: "place_decision", decision_id, ...placed, guild_id: guildId, bot_id: botId });
      else await engine.submit({ type: "void", decision_id, why: "no_place" });
    } catch (error) {
      if (closed) return;
      log.failure("a question has no thread", error, { error_code: "E_THREAD_ACCESS_FAILED", decision_id });
      if (isDecided(error)) await engine.submit({ type: "void", decision_id, why: "no_place" }).catch(() => undefined);
    }
  }

  let unwatch = (): unknown => undefined;
  return {
    start() {
      unwatch = engine.watch((topics) => {
        if (topics.has("decisions")) attend(false);
      });
      attend(true);
    },
    close() {
      closed = true;
      unwatch();
    },
  };
}

/** Null: there is no such place, or it is none of ours. */
async function placeFor(options: QuestionThreadsOptions, decision: Decision, asker: AgentAsker, inherited: boolean): Promise<Placed | null> {
  // Put somewhere by an earlier installation: there it stays, and what was written below it counts.
  const stands = options.engine.state.posts[decision.decision_id]?.[PROMPT_PART];
  if (stands) return findThread(options, stands.channel_id, stands.message_id);
  if (asker.wanted_thread !== null) return findThread(options, asker.wanted_thread);
  if (asker.channel_id === null || !(await isChannelOfOurs(options, asker.channel_id))) return null;
  const thread_id = await makeThread(options, threadFor(options, decision, asker.project, asker.channel_id), inherited);
  return { thread_id, channel_id: asker.channel_id, since: thread_id };
}

/** A thread that is there, opened again where it was archived. Nothing written there up to `since`, or up to now, can be an answer. */
async function findThread({ rest, guildId, log }: QuestionThreadsOptions, threadId: string, since: string | null = null): Promise<Placed | null> {
  const path = `/channels/${threadId}` as const;
  const thread = await rest.call<Partial<APIThreadChannel>>({ method: "GET", path, lane: "decision" });
  const { guild_id, type, parent_id, thread_metadata, last_message_id } = thread;
  if (guild_id !== guildId || type === undefined || !THREADS.includes(type) || !parent_id) return null;
  if (thread_metadata?.archived === true) await rest.call({ method: "PATCH", path, body: { archived: false }, lane: "decision" });
  // Of a thread we are not in we might not be told what is written there.
  rest.call({ method: "PUT", path: `${path}/thread-members/@me`, lane: "cosmetic" }).catch((error: unknown) => {
    log.debug("we could not join the thread", { thread_id: threadId, reason: String(error) });
  });
  return { thread_id: threadId, channel_id: parent_id, since: since ?? last_message_id ?? threadId };
}

async function isChannelOfOurs({ rest, guildId }: QuestionThreadsOptions, channelId: string): Promise<boolean> {
  const channel = await rest.call<{ guild_id?: string }>({ method: "GET", path: `/channels/${channelId}`, lane: "decision" });
  return channel.guild_id === guildId;
}

function threadFor({ locale, botId }: QuestionThreadsOptions, decision: Decision, project: string, channel_id: string): NewThread {
  const { decision_id, asked_at } = decision;
  const question = decision.questions[0]?.question ?? "";
  const mark = smallPrint(decision_id);
  const said = say(locale, "question_starter", { project: inert(project, NAME_CHARS), question: inert(question, STARTER_CHARS) });
  return {
    channel_id,
    name: oneLine(question, NAME_CHARS) || decision_id,
    content: `${said}\n${mark}`,
    nonce: nonceOf(botId, { subject: decision_id, part: "starter" }, channel_id, ""),
    after: snowflakeBefore(Date.parse(asked_at)),
    lane: "decision",
    isStarter: ({ author, content }) => author.id === botId && content.endsWith(`\n${mark}`),
  };
}
