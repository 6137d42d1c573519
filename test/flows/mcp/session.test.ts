/** An agent inside a session asks in that session's own thread: it needs no token, no channel and no path. */
import { join } from "node:path";
import { expect, test } from "vitest";
import { openWorld } from "../world.ts";
import { ask, events } from "./asked.ts";
import { faceEnvironment, openClient } from "./clients.ts";

test("a face with what agents get and nothing else asks in the thread of its session, and is answered there", async () => {
  const world = await openWorld();
  await world.daemon().ready;
  const session = await world.session();
  const { PATH = "", HOME = "", LANG = "", XDG_CACHE_HOME = "" } = faceEnvironment(world);
  const env = { PATH, HOME, LANG, XDG_CACHE_HOME, BELLHOP_SESSION: session, BELLHOP_OUTPUTS: join(world.stateDir, "outputs", session), BELLHOP_JOB: "job_20260101_0001" };
  const client = await openClient("2.x", env, world.project);
  const { thread, answer } = await ask(world, client);
  expect(thread).toBe(session);
  await world.saying(session, (said) => JSON.stringify(said).includes("Run the migration?"));
  await world.owner(session).send("A");
  expect((await answer).structured).toMatchObject({ success: true, selected_option: "A) Run it now", thread_id: session });
  expect(events(world, "JobEnqueued")).toEqual([]);
});
