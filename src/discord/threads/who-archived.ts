/**
 * Who has archived a thread, as the server's audit log tells it. A bot may read that only with the permission View Audit
 * Log, which Bellhop does not ask for; Discord's own archiving is not in it, and an entry may come after its event.
 */
import { AuditLogEvent, type APIAuditLogEntry } from "discord-api-types/v10";
import type { Clock } from "../../base/clock.ts";
import { compareSnowflakes, isSnowflake, firstSnowflake } from "../../base/ids.ts";
import { failureKind } from "../api/rest-failure.ts";
import type { Rest } from "../api/rest.ts";

export interface WhoArchivedOptions {
  rest: Pick<Rest, "call">;
  clock: Clock;
  guildId: string;
}

/** A person or bot; nobody of whom the log tells; or the log may not be read. */
export type Archiver = { by: string } | "nobody" | "unreadable";

/** After which an entry is looked for again. */
const AGAIN_MS = [1_000, 2_000, 4_000, 8_000];
/** So long ago, everything that will be in the log is in it. */
const SETTLED_MS = 60_000;
/** How far the two times of Discord's may be apart. */
const APART_MS = 5_000;
const TIRED_MS = 10_000;

/** @param at when it was archived, in milliseconds since the epoch. @throws RestFailure where nothing more is sent */
export async function whoArchived({ rest, clock, guildId }: WhoArchivedOptions, threadId: string, at: number): Promise<Archiver> {
  const after = firstSnowflake(at - APART_MS);
  const path = `/guilds/${guildId}/audit-logs?action_type=${AuditLogEvent.ThreadUpdate}&target_id=${threadId}&after=${after}&limit=100` as const;
  for (const [index, waitMs] of [0, ...AGAIN_MS].entries()) {
    if (index > 0 && clock.now() - at > SETTLED_MS) break;
    if (waitMs > 0) await new Promise<void>((resolve) => void clock.after(waitMs, resolve));
    try {
      const { audit_log_entries } = await rest.call<{ audit_log_entries?: unknown }>({ method: "GET", path, priority: "cosmetic", repeatMs: TIRED_MS });
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

/** Of whoever changed last whether it is archived: null if that was to open it. */
function archiverIn(entries: unknown, threadId: string, after: string): string | null {
  const all = (Array.isArray(entries) ? entries : []) as (Partial<APIAuditLogEntry> | null)[];
  const about = all.flatMap((entry) => {
    const { id, target_id, user_id, action_type, changes } = entry ?? {};
    const change = Array.isArray(changes) ? changes.find(({ key }) => key === "archived") : undefined;
    const isIts = isSnowflake(id) && compareSnowflakes(id, after) > 0 && target_id === threadId && action_type === AuditLogEvent.ThreadUpdate;
    return isIts && change ? [{ id, by: user_id, archived: change.new_value === true }] : [];
  });
  const last = about.toSorted((a, b) => compareSnowflakes(a.id, b.id)).at(-1);
  return last?.archived && isSnowflake(last.by) ? last.by : null;
}
