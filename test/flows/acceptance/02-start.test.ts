/** Acceptance test 2 of the sessions' design: a session is opened, and can be used. */
import { expect, test } from "vitest";
import { answered, openSession, openWorld } from "../world.ts";
import { eventsOf, says } from "./stage.ts";

test("2. /start makes a thread and a session that can be used", async () => {
  const world = await openWorld();
  await world.daemon().ready;
  const { channelId } = world.sandbox;
  await world.sandbox.until(({ commands }) => commands().some(({ name }) => name === "start"));

  const answer = await says(world, channelId, "start", { project_name: "app" });
  const [, mentioned = "", id = ""] = /<#(\d{17,20})>.*`(\d{17,20})`/.exec(answer) ?? [];
  expect(mentioned).toBe(id);
  expect(world.sandbox.threads(channelId).map((thread) => thread.id)).toEqual([id]);
  expect(world.sandbox.threadMembers(id)).toContain(world.sandbox.owner.id);
  const created = eventsOf(world).filter(({ type }) => type === "SessionCreated");
  expect(created.map(({ payload }) => payload)).toMatchObject([
    {
      thread_id: id,
      project_name: "app",
      tool: "claude",
      guild_id: world.sandbox.guildId,
      bot_id: world.sandbox.botId,
    },
  ]);

  await world.owner(id).send("count:one");
  await answered(world, id, ["did one"]);
  expect(await says(world, id, "status")).toMatch(/^Session Status\nproject: app\ntool: claude\n/);
});

test("2. /start is refused inside a thread, and for a project that there is not", async () => {
  const { world, thread } = await openSession();
  const before = world.sandbox.threads().length;
  expect(await says(world, thread, "start", { project_name: "app" })).toContain("`E_NOT_IN_TEXT_CHANNEL`");
  expect(await says(world, world.sandbox.channelId, "start", { project_name: "none" })).toContain(
    "`E_PROJECT_NOT_FOUND`",
  );
  expect(world.sandbox.threads()).toHaveLength(before);
});
