/** The audit log: who has changed which thread, for who may see it, and nothing that happened by itself. */
import { beforeEach, expect, test } from "vitest";
import { Bit } from "../src/state/permissions.ts";
import { botRolePermissions } from "../src/state/grants.ts";
import { openBot, type Bot } from "./bot.ts";
import type { Answer } from "./wire.ts";

const FORBIDDEN = 403;
let bot: Bot;
let thread: string;
let other: string;
beforeEach(async () => {
  bot = await openBot();
  bot.sandbox.setBotPermissions(botRolePermissions | Bit.ViewAuditLog);
  [thread, other] = [await start("one"), await start("two")];
});

async function start(name: string): Promise<string> {
  return String(
    (
      await bot.rest("POST", `/channels/${bot.sandbox.channelId}/threads`, {
        name,
        type: 11,
        auto_archive_duration: 60,
      })
    ).body["id"],
  );
}

const log = (query = ""): Promise<Answer> => bot.rest("GET", `/guilds/${bot.sandbox.guildId}/audit-logs${query}`);
const owner = (id: string) => bot.sandbox.channel(id).user(bot.sandbox.owner.id);

async function entries(query = ""): Promise<Record<string, unknown>[]> {
  const { status, body } = await log(query);
  expect(status).toBe(200);
  return body["audit_log_entries"] as Record<string, unknown>[];
}

test("it tells who archived a thread, with the thread and the person, the newest first", async () => {
  await owner(thread).archive();
  await bot.rest("PATCH", `/channels/${other}`, { archived: true });
  const { body } = await log();
  expect(body["audit_log_entries"]).toMatchObject([
    {
      action_type: 111,
      user_id: bot.sandbox.botId,
      target_id: other,
      changes: [{ key: "archived", new_value: true, old_value: false }],
    },
    { action_type: 111, user_id: bot.sandbox.owner.id, target_id: thread },
  ]);
  expect((body["users"] as { id: string }[]).map(({ id }) => id).toSorted()).toEqual(
    [bot.sandbox.owner.id, bot.sandbox.botId].toSorted(),
  );
  expect((body["threads"] as { id: string }[]).map(({ id }) => id)).toEqual([other, thread]);
});

test("a thread that is archived for inactivity, or opened again by a message, is not in it", async () => {
  bot.clock.advance(61 * 60_000);
  await owner(thread).send("again");
  expect(await entries()).toEqual([]);
});

test("it is asked by person, target, kind, place and number", async () => {
  const member = bot.sandbox.addUser("mallory", { admin: true });
  await owner(thread).archive();
  bot.clock.advance(1000);
  await bot.sandbox.channel(other).user(member.id).archive();
  const [second, first] = await entries();
  const ids = async (query: string): Promise<unknown[]> => (await entries(query)).map(({ id }) => id);
  expect(await ids(`?user_id=${member.id}`)).toEqual([second?.["id"]]);
  expect(await ids(`?target_id=${thread}`)).toEqual([first?.["id"]]);
  expect(await ids("?action_type=110")).toEqual([]);
  expect(await ids(`?before=${String(second?.["id"])}`)).toEqual([first?.["id"]]);
  expect(await ids("?limit=1")).toEqual([second?.["id"]]);
  // From a place on, the oldest first.
  expect(await ids("?after=1")).toEqual([first?.["id"], second?.["id"]]);
});

test.each(["?limit=0", "?limit=101", "?action_type=2", "?action_type=x", "?user_id=me", "?before=yesterday"])(
  "%s is refused",
  async (query) => {
    expect(await log(query)).toMatchObject({ status: 400, code: 50035 });
  },
);

test("who may not see it is refused, and another server is not there", async () => {
  bot.sandbox.setBotPermissions(botRolePermissions);
  expect(await log()).toMatchObject({ status: FORBIDDEN, code: 50013 });
  expect(await bot.rest("GET", "/guilds/100000000000000000/audit-logs")).toMatchObject({ status: 404, code: 10004 });
});

test("an entry may come late", async () => {
  bot.sandbox.setAuditLogLate(true);
  await owner(thread).archive();
  expect(await entries()).toEqual([]);
  bot.sandbox.setAuditLogLate(false);
  expect(await entries()).toHaveLength(1);
});

test("it is kept for 45 days", async () => {
  await owner(thread).archive();
  bot.clock.advance(46 * 24 * 60 * 60_000);
  await owner(thread).unarchive();
  expect(await entries()).toMatchObject([{ changes: [{ key: "archived", new_value: false }] }]);
});
