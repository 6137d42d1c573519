/**
 * The guild's audit log: who has changed which thread. Discord writes down what people and apps do; what happens by
 * itself, such as archiving for inactivity, is not in it.
 */
import type { Json } from "../rest/form.ts";
import type { Context } from "../context.ts";
import type { ThreadChannel } from "./channels.ts";
import { compareSnowflakes } from "./snowflake-order.ts";
import { snowflakeTime } from "./snowflakes.ts";
import type { AuditEntry } from "./world.ts";

/** THREAD_UPDATE. */
const THREAD_UPDATE = 111;
const KEPT_MS = 45 * 24 * 60 * 60_000;

/** By Discord's names. */
export function threadFacts({ name, slowmodeSeconds, thread }: ThreadChannel): Json {
  return {
    name,
    archived: thread.archived,
    locked: thread.locked,
    invitable: thread.invitable,
    auto_archive_duration: thread.autoArchiveMinutes,
    rate_limit_per_user: slowmodeSeconds,
    applied_tags: thread.tags,
  };
}

/** Notes what somebody has changed of a thread. @param before its facts before the change */
export function noteThreadChange(context: Context, thread: ThreadChannel, userId: string, before: Json): void {
  const { world, ids, clock } = context;
  const changes = Object.entries(threadFacts(thread)).flatMap(([key, value]) =>
    before[key] === value ? [] : [{ key, new_value: value, old_value: before[key] }],
  );
  if (changes.length === 0) return;
  const since = clock.now() - KEPT_MS;
  world.auditLog = [
    ...(world.auditLog ?? []).filter(({ id }) => snowflakeTime(id) > since),
    { id: ids.next(), actionType: THREAD_UPDATE, userId, targetId: thread.id, changes },
  ];
}

export interface AuditQuery {
  userId: string | null;
  targetId: string | null;
  actionType: number | null;
  before: string | null;
  after: string | null;
  limit: number;
}

/** The oldest first where they are asked for from an entry on, else the newest. */
export function auditEntries({ world, auditHeldFrom }: Context, query: AuditQuery): AuditEntry[] {
  const fits = ({ id, userId, targetId, actionType }: AuditEntry): boolean =>
    (auditHeldFrom === null || compareSnowflakes(id, auditHeldFrom) < 0) &&
    (query.userId === null || userId === query.userId) &&
    (query.targetId === null || targetId === query.targetId) &&
    (query.actionType === null || actionType === query.actionType) &&
    (query.before === null || compareSnowflakes(id, query.before) < 0) &&
    (query.after === null || compareSnowflakes(id, query.after) > 0);
  const found = (world.auditLog ?? []).filter(fits);
  return (query.after === null ? found.toReversed() : found).slice(0, query.limit);
}

export function auditEntryView({ id, actionType, userId, targetId, changes }: AuditEntry): Json {
  return { id, action_type: actionType, user_id: userId, target_id: targetId, changes };
}
