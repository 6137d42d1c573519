/**
 * Whether a thread is archived, and whether its owner surely did that. Where the audit log may be read, only his entry
 * counts. Elsewhere time tells: Discord itself archives threads without activity, also earlier than their own setting says
 * where a server has many; but never within the shortest time that it offers.
 */
import { isSnowflake, snowflakeTime } from "../../base/ids.ts";
import type { Log } from "../../base/log.ts";
import type { Engine } from "../../engine/engine.ts";
import { hasLeft } from "../../core/sessions/archives.ts";
import { failureKind } from "../api/rest-failure.ts";
import { whoArchived, type WhoArchivedOptions } from "../threads/who-archived.ts";
import { isThreadOfBot, type ThreadsOfBot } from "../views/threads-of-bot.ts";

/** The fields of a thread that tell it; any may be missing. */
export interface ThreadFacts {
  id?: unknown;
  last_message_id?: unknown;
  thread_metadata?: { archived?: unknown; archive_timestamp?: unknown; auto_archive_duration?: unknown; locked?: unknown } | null;
}

const SHORTEST_MS = 60 * 60_000;

export interface ArchivedThreadsOptions extends ThreadsOfBot, WhoArchivedOptions {
  engine: Pick<Engine, "state" | "submit">;
  log: Log;
  ownerId: string;
  /** The thread as Discord has it now. */
  thread(threadId: string): Promise<ThreadFacts>;
}

export interface ArchivedThreads {
  /** Discord tells of this thread. */
  note(thread: ThreadFacts): void;
  /** These are active. Another one may have been archived while nobody listened: it is asked for. */
  among(active: readonly ThreadFacts[]): void;
}

export function openArchivedThreads(options: ArchivedThreadsOptions): ArchivedThreads {
  const { engine, log, ownerId } = options;
  /** Of whose archiving it is being asked who did it: when that was. */
  const asked = new Map<string, string>();

  function note(thread: ThreadFacts): void {
    const { id } = thread;
    if (typeof id !== "string" || !isThreadOfBot(engine.state, id, options)) return;
    const archived = archivedBy(thread);
    if (archived) return void noteArchived(id, archived).catch(failed);
    asked.delete(id);
    if (engine.state.archives?.[id] !== undefined && thread.thread_metadata?.archived === false) engine.submit({ type: "reopen_thread", thread_id: id }).catch(failed);
  }

  async function noteArchived(thread_id: string, { at, surely }: { at: string; surely: boolean }): Promise<void> {
    if (asked.get(thread_id) === at || engine.state.archives?.[thread_id]?.at === at || !hasLeft(engine.state, thread_id)) return;
    asked.set(thread_id, at);
    const who = await whoArchived(options, thread_id, Date.parse(at)).catch((error: unknown) => {
      if (asked.get(thread_id) === at) asked.delete(thread_id);
      throw error;
    });
    // It was opened again meanwhile.
    if (asked.get(thread_id) !== at) return;
    asked.delete(thread_id);
    const isOwner = typeof who === "object" && who.by === ownerId;
    const by = typeof who === "object" && !isOwner ? { by: who.by } : {};
    await engine.submit({ type: "archive_thread", thread_id, at, surely: who === "unreadable" ? surely : isOwner, ...by });
  }

  function failed(error: unknown): void {
    const kind = failureKind(error);
    if (kind !== "closed" && kind !== "unauthorized") log.failure("a change of a thread could not be recorded", error);
  }

  function among(active: readonly ThreadFacts[]): void {
    active.forEach(note);
    const { windows = {}, worktrees = {} } = engine.state;
    const there = new Set(active.map(({ id }) => id));
    for (const id of new Set([...Object.keys(windows), ...Object.keys(worktrees)])) {
      if (!isThreadOfBot(engine.state, id, options) || there.has(id) || (!windows[id] && worktrees[id]?.is !== "there")) continue;
      options.thread(id).then(note).catch((error: unknown) => log.info("whether a thread is archived could not be asked", { thread_id: id, reason: String(error) }));
    }
  }

  return { note, among };
}

/** Null: it is not archived, or does not say when. */
function archivedBy({ id, last_message_id, thread_metadata }: ThreadFacts): { at: string; surely: boolean } | null {
  const { archived, archive_timestamp, auto_archive_duration } = thread_metadata ?? {};
  const at = Date.parse(String(archive_timestamp));
  if (archived !== true || Number.isNaN(at)) return null;
  const active = [id, last_message_id].filter(isSnowflake).map(snowflakeTime);
  const least = Math.min(SHORTEST_MS, Number(auto_archive_duration) * 60_000);
  return { at: new Date(at).toISOString(), surely: active.length > 0 && at < Math.max(...active) + least };
}
