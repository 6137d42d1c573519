/**
 * Whether a thread is archived, and whether its owner surely did that. Where the audit log may be read, only his entry
 * counts. Elsewhere the time decides: Discord itself archives inactive threads, in a server with many of them even
 * earlier than their own setting says, but never within the shortest time that it offers.
 */
import { isSnowflake, snowflakeTime, compareSnowflakes, firstSnowflake } from "../../base/ids.ts";
import type { Log } from "../../base/log.ts";
import type { Engine } from "../../engine/engine.ts";
import { hasLeft } from "../../core/sessions/archives.ts";
import { failureKind } from "../api/rest-failure.ts";
import { isThreadOfBot, type ThreadsOfBot } from "../../core/sessions/thread.ts";
import { AuditLogEvent, type APIAuditLogEntry } from "discord-api-types/v10";
import { pause, type Clock } from "../../base/clock.ts";
import type { Rest } from "../api/rest.ts";

/** The fields of a thread that tell it; any may be missing. */
export interface ThreadFacts {
  id?: unknown;
  last_message_id?: unknown;
  thread_metadata?: {
    archived?: unknown;
    archive_timestamp?: unknown;
    auto_archive_duration?: unknown;
    locked?: unknown;
  } | null;
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
  /** The threads whose archiver the audit log is being asked for, and when they were archived. */
  const asked = new Map<string, string>();

  function note(thread: ThreadFacts): void {
    const { id } = thread;
    if (typeof id !== "string" || !isThreadOfBot(engine.state, id, options)) return;
    const archived = archivedBy(thread);
    if (archived) return void noteArchived(id, archived).catch(failed);
    asked.delete(id);
    if (engine.state.archives?.[id] !== undefined && thread.thread_metadata?.archived === false)
      engine.submit({ type: "reopen_thread", thread_id: id }).catch(failed);
  }

  async function noteArchived(thread_id: string, { at, surely }: { at: string; surely: boolean }): Promise<void> {
    if (
      asked.get(thread_id) === at ||
      engine.state.archives?.[thread_id]?.at === at ||
      !hasLeft(engine.state, thread_id)
    )
      return;
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
    await engine.submit({
      type: "archive_thread",
      thread_id,
      at,
      surely: who === "unreadable" ? surely : isOwner,
      ...by,
    });
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
      if (!isThreadOfBot(engine.state, id, options) || there.has(id) || (!windows[id] && worktrees[id]?.is !== "there"))
        continue;
      options
        .thread(id)
        .then(note)
        .catch((error: unknown) =>
          log.info("whether a thread is archived could not be asked", { thread_id: id, reason: String(error) }),
        );
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

interface WhoArchivedOptions {
  rest: Pick<Rest, "call">;
  clock: Clock;
  guildId: string;
}

/** The person or bot that did it; nobody, by the log; or the log may not be read. */
export type Archiver = { by: string } | "nobody" | "unreadable";

/** The waits before an entry is looked for again. */
const AGAIN_MS = [1_000, 2_000, 4_000, 8_000];
/** After this long, everything that will be in the log is in it. */
const SETTLED_MS = 60_000;
/** How far apart Discord's two times may be. */
const APART_MS = 5_000;
const TIRED_MS = 10_000;

/**
 * Who has archived a thread, as the server's audit log tells it. A bot may read that only with the permission View
 * Audit Log, which Bellhop does not ask for; Discord's own archiving is not in it, and an entry may come after its
 * event.
 * @param at when it was archived, in milliseconds since the epoch. @throws RestFailure where nothing more is sent
 */
export async function whoArchived(
  { rest, clock, guildId }: WhoArchivedOptions,
  threadId: string,
  at: number,
): Promise<Archiver> {
  const after = firstSnowflake(at - APART_MS);
  const path =
    `/guilds/${guildId}/audit-logs?action_type=${AuditLogEvent.ThreadUpdate}&target_id=${threadId}&after=${after}&limit=100` as const;
  for (const [index, waitMs] of [0, ...AGAIN_MS].entries()) {
    if (index > 0 && clock.now() - at > SETTLED_MS) break;
    if (waitMs > 0) await pause(clock, waitMs);
    try {
      const { audit_log_entries } = await rest.call<{ audit_log_entries?: unknown }>({
        method: "GET",
        path,
        priority: "cosmetic",
        repeatMs: TIRED_MS,
      });
      const found = archiverIn(audit_log_entries, threadId, after);
      if (found !== null) return { by: found };
    } catch (error) {
      const kind = failureKind(error);
      if (kind === "no_access") return "unreadable";
      if (kind !== "unavailable" && kind !== "rejected") throw error;
    }
  }
  return "nobody";
}

/** Who archived it, by the newest entry about that; null if that entry is about opening it, or there is none. */
function archiverIn(entries: unknown, threadId: string, after: string): string | null {
  const all = (Array.isArray(entries) ? entries : []) as (Partial<APIAuditLogEntry> | null)[];
  const about = all.flatMap((entry) => {
    const { id, target_id, user_id, action_type, changes } = entry ?? {};
    const change = Array.isArray(changes) ? changes.find(({ key }) => key === "archived") : undefined;
    const isIts =
      isSnowflake(id) &&
      compareSnowflakes(id, after) > 0 &&
      target_id === threadId &&
      action_type === AuditLogEvent.ThreadUpdate;
    return isIts && change ? [{ id, by: user_id, archived: change.new_value === true }] : [];
  });
  const last = about.toSorted((a, b) => compareSnowflakes(a.id, b.id)).at(-1);
  return last?.archived && isSnowflake(last.by) ? last.by : null;
}
