/**
 * The reconciler that archives threads of questions: a thread that Bellhop made is archived when everything asked in it
 * is settled, delivered to whoever asked, and shown correctly. This happens once for each last question, so a thread
 * the owner opens again stays open.
 */
import type { APIThreadChannel } from "discord-api-types/v10";
import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import { decisionsIn, isOpen, type Decision } from "../../core/decisions/decision.ts";
import type { State } from "../../core/state.ts";
import type { Engine } from "../../engine/engine.ts";
import { reconcile, type Reconciling } from "../../engine/reconcile.ts";
import type { DesiredPost } from "../views/desired-posts.ts";
import type { PostSync } from "../delivery/sync-posts.ts";
import type { Reactions } from "../delivery/reactions.ts";
import type { Rest } from "../api/rest.ts";
import { failureKind } from "../api/rest-failure.ts";

export interface ArchivesOptions {
  engine: Reconciling["engine"] & Pick<Engine, "submit">;
  rest: Pick<Rest, "call">;
  clock: Clock;
  postSync: Pick<PostSync, "settled">;
  reactions: Pick<Reactions, "idle">;
  log: Log;
  botId: string;
}

/** The post part that records that a question's thread was archived. */
const ARCHIVED_PART = "archived";

/**
 * Opened after the post sync, so that what is still to be posted into a thread is known before the thread is checked.
 */
export function openArchives(options: ArchivesOptions): { close(): void } {
  const { engine, botId } = options;
  let closed = false;

  async function putAway(threadId: string): Promise<void> {
    await options.postSync.settled(threadId);
    await options.reactions.idle();
    const last = doneWith(engine.state, threadId, botId);
    if (closed || last === null) return;
    await archive(options, threadId);
    const { decision_id: subject } = last;
    await engine.submit({
      type: "record_post",
      subject,
      part: ARCHIVED_PART,
      channel_id: threadId,
      message_id: null,
      hash: ARCHIVED_PART,
      is: ARCHIVED_PART,
    });
  }

  const archives = reconcile({
    ...options,
    failure: "a thread could not be archived",
    details: (thread_id) => ({ thread_id }),
    follows: "threads",
    step: (threadId) => (doneWith(engine.state, threadId, botId) === null ? null : putAway(threadId)),
  });
  archives.start();
  return {
    close() {
      closed = true;
      archives.close();
    },
  };
}

/**
 * A thread's posts that must still be kept up to date: editing a question in an archived thread would reopen the
 * thread.
 */
export function stillDesired(state: State, threadId: string, desired: readonly DesiredPost[]): DesiredPost[] {
  const last = decisionsIn(state, threadId).at(-1);
  if (!last || !state.posts[last.decision_id]?.[ARCHIVED_PART]) return [...desired];
  return desired.filter(({ subject }) => !state.decisions[subject]);
}

/** The last question of a thread in which nothing is left to do but archive it; else null. */
function doneWith(state: State, threadId: string, botId: string): Decision | null {
  if (state.threads[threadId]?.bot_id !== botId || state.sessions[threadId]) return null;
  const all = decisionsIn(state, threadId);
  const last = all.at(-1);
  if (!last || all.some((one) => isOpen(one) || (one.state !== "void" && !one.delivered))) return null;
  return state.posts[last.decision_id]?.[ARCHIVED_PART] ? null : last;
}

/** Archives a thread of ours; other threads and missing ones are left alone. */
async function archive({ rest, botId, log }: ArchivesOptions, threadId: string): Promise<void> {
  const path = `/channels/${threadId}` as const;
  try {
    const { owner_id, thread_metadata } = await rest.call<Partial<APIThreadChannel>>({
      method: "GET",
      path,
      priority: "cosmetic",
    });
    if (owner_id !== botId || thread_metadata?.archived === true) return;
    await rest.call({ method: "PATCH", path, body: { archived: true }, priority: "cosmetic" });
  } catch (error) {
    const kind = failureKind(error);
    if (kind === null || kind === "closed" || kind === "unauthorized") throw error;
    log.info("a thread is left as it is", { thread_id: threadId, reason: String(error) });
  }
}
