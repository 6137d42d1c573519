/** Acceptance test 10 of the sessions' design: an archived thread is opened, and the conversation goes on in it. */
import { expect, test } from "vitest";
import { answered, openWorld } from "../world.ts";
import { says } from "./stage.ts";

test("10. /session open opens an archived thread again, and its conversation continues there", async () => {
  const world = await openWorld();
  await world.daemon().ready;
  const { channelId } = world.sandbox;
  const thread = await world.session();
  const { id } = await world.owner(thread).send("echo:one");
  await answered(world, thread, ["one"]);
  await world.marked(id, "✅");
  await world.owner(thread).archive();
  expect(world.sandbox.channelObject(thread)).toMatchObject({ thread_metadata: { archived: true } });

  expect(await says(world, channelId, "session list", { project_name: "app" })).toMatch(
    new RegExp(`/channels/${world.sandbox.guildId}/${thread}\\).*idle.*\\nsession_id: \`${thread}\``),
  );
  const [offered] = await world.owner(channelId).autocomplete("session open", "session_id", "");
  expect(offered?.value).toBe(thread);
  expect(await says(world, channelId, "session open", { session_id: thread })).toContain(
    `<#${thread}> (https://discord.com/channels/${world.sandbox.guildId}/${thread})`,
  );
  expect(world.sandbox.channelObject(thread)).toMatchObject({ thread_metadata: { archived: false } });

  await world.owner(thread).send("hist:");
  await answered(world, thread, ["one", 'HISTORY ["echo:one"]']);
  expect(world.sandbox.threads()).toHaveLength(1);
  expect(await says(world, channelId, "session open", { session_id: channelId })).toContain("`E_SESSION_NOT_FOUND`");
});
