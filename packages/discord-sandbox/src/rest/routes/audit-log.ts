/**
 * The audit log over REST, for who may see it.
 */
import { AuditLogEvent } from "discord-api-types/v10";
import { auditEntries, auditEntryView } from "../../state/audit-log.ts";
import { isThread, threadView } from "../../state/channels.ts";
import { Bit, guildPermissions } from "../../state/permissions.ts";
import { userView } from "../../state/users.ts";
import { Form } from "../form.ts";
import { readLimit, readSnowflake } from "../query.ts";
import { Code, refuse } from "../refusals.ts";
import { ok, type Answer, type Call, type Route } from "../router.ts";
import { inside } from "./people.ts";

export const auditLogRoutes: Route[] = [
  {
    method: "GET",
    path: "/guilds/{guild_id}/audit-logs",
    operationId: "list_guild_audit_log_entries",
    who: "any",
    run: list,
  },
];

const TYPES = Object.values(AuditLogEvent).filter((one) => typeof one === "number");

function list(call: Call): Answer {
  const { context, caller, query } = inside(call);
  const { world } = context;
  if ((guildPermissions(world, caller.id) & Bit.ViewAuditLog) === 0n) throw refuse(Code.MissingPermissions);
  const entries = auditEntries(context, {
    userId: readSnowflake(query, "user_id"),
    targetId: readSnowflake(query, "target_id"),
    actionType: readType(query),
    before: readSnowflake(query, "before"),
    after: readSnowflake(query, "after"),
    limit: readLimit(query, 50, 100),
  });
  const users = [...new Set(entries.map(({ userId }) => userId))].flatMap((id) => world.users[id] ?? []);
  const threads = [...new Set(entries.map(({ targetId }) => targetId))]
    .flatMap((id) => world.channels[id] ?? [])
    .filter(isThread);
  return ok({
    audit_log_entries: entries.map(auditEntryView),
    users: users.map(userView),
    threads: threads.map((one) => threadView(one, caller.id)),
    integrations: [],
    webhooks: [],
    guild_scheduled_events: [],
    application_commands: [],
    auto_moderation_rules: [],
  });
}

function readType(query: URLSearchParams): number | null {
  const text = query.get("action_type");
  const form = new Form(text === null ? {} : { action_type: /^\d+$/.test(text) ? Number(text) : text });
  const type = form.choice("action_type", TYPES);
  form.done();
  return type ?? null;
}
