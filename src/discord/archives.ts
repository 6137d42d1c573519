/**
 * The keeper that puts away the threads of questions: one that we made is archived when all that was asked in it is
 * settled, has reached whoever asked, and stands there as it should. That is done once for each last question, so a
 * thread the owner opens again stays open.
 */
import type { APIThreadChannel } from "discord-api-types/v10";
import type { Log } from "../base/log.ts";
import { isOpen, type Decision } from "../core/decision.ts";
import type { State } from "../core/house.ts";
import type { Engine } from "../engine/engine.ts";
import type { Owed } from "./owed.ts";
import type { Outbox } from "./outbox.ts";
import type { Reactions } from "./reactions.ts";
import type { Rest } from "./rest.ts";
import { failureKind } from "./rest-failure.ts";

export interface ArchivesOptions {
  engine: Pick<Engine, "state" | "submit" | "watch">;
  rest: Pick<Rest, "call">;
  outbox: Pick<Outbox, "settled">;
  reactions: Pick<Reactions, "idle">;
  log: Log;
  botId: string;
}

/** The part under which it is written down that the thread of a question was put away. */
const ARCHIVED_PART = "archived";

/** Opened after the outbox: what is still to be posted into a thread is known before the thread is looked at. */
export function openArchives(options: ArchivesOptions): { close(): void } {
  const { engine, log } = options;
  const underWay = new Set<string>();
  let closed = false;

  function attend(threadId: string): void {
    if (closed || underWay.has(threadId) || doneWith(engine.state, threadId, options.botId) === null) return;
    underWay.add(threadId);
    void putAway(threadId).finally(() => underWay.delete(threadId));
  }

  async function putAway(threadId: string): Promise<void> {
    try {
      await options.outbox.settled(threadId);
      await options.reactions.idle();
      const last = doneWith(engine.state, threadId, options.botId);
      if (closed || last === null) return;
      await archive(options, threadId);
      const { decision_id: subject } = last;
      await engine.submit({ type: "record_post", subject, part: ARCHIVED_PART, channel_id: threadId, message_id: null, hash: ARCHIVED_PART });
    } catch (error) {
      if (!closed) log.failure("a thread could not be archived", error, { thread_id: threadId });
    }
  }

  const unwatch = engine.watch((topics) => {
    for (const topic of topics) attend(topic);
  });
  for (const threadId of Object.keys(engine.state.threads)) attend(threadId);
  return {
    close() {
      closed = true;
      unwatch();
    },
  };
}

/** Of what is owed to a thread, what is still to be looked after: to mend a question that was put away would open its thread again. */
export function stillOwed(state: State, threadId: string, owed: readonly Owed[]): Owed[] {
  const last = Object.values(state.decisions).findLast((one) => one.thread_id === threadId);
  if (!last || !state.posts[last.decision_id]?.[ARCHIVED_PART]) return [...owed];
  return owed.filter(({ subject }) => !state.decisions[subject]);
}

/** The last question of a thread in which nothing is to be done any more but to put it away; else null. */
function doneWith(state: State, threadId: string, botId: string): Decision | null {
  if (state.threads[threadId]?.bot_id !== botId || state.sessions[threadId]) return null;
  const all = Object.values(state.decisions).filter((one) => one.thread_id === threadId);
  const last = all.at(-1);
  if (!last || all.some((one) => isOpen(one) || (one.state !== "void" && !one.delivered))) return null;
  return state.posts[last.decision_id]?.[ARCHIVED_PART] ? null : last;
}

/** Somebody else's thread is left as it is, and so is one that is gone. */
async function archive({ rest, botId, log }: ArchivesOptions, threadId: string): Promise<void> {
  const path = `/channels/${threadId}` as const;
  try {
    const { owner_id, thread_metadata } = await rest.call<Partial<APIThreadChannel>>({ method: "GET", path, lane: "cosmetic" });
    if (owner_id !== botId || thread_metadata?.archived === true) return;
    await rest.call({ method: "PATCH", path, body: { archived: true }, lane: "cosmetic" });
  } catch (error) {
    const kind = failureKind(error);
    if (kind === null || kind === "closed" || kind === "unauthorized") throw error;
    log.info("a thread is left as it is", { thread_id: threadId, reason: String(error) });
  }
}
