/** An agent inside a session asks in that session's own thread: it needs no token and no channel. */
import { join } from "node:path";
import { expect, test } from "vitest";
import { open } from "../workshop.ts";
import { agentEnvironment, openWorld } from "../world.ts";
import { ask, events } from "./asked.ts";
import { clientEnvironment, openClient } from "./clients.ts";

test("a client with only what agents get asks in the thread of its session, and is answered there", async () => {
  const world = await openWorld();
  await world.daemon().ready;
  const session = await world.session();
  await world.owner(session).send("until:gate");
  await world.agents(1);
  const { BELLHOP_CAPABILITY = "" } = agentEnvironment(world);
  const { PATH = "", HOME = "", LANG = "" } = clientEnvironment(world);
  const env = { PATH, HOME, LANG, BELLHOP_CAPABILITY, BELLHOP_OUTPUTS: join(world.stateDir, "outputs", session) };
  const client = await openClient("2.x", env, world.project);
  const { thread, answer } = await ask(world, client);
  expect(thread).toBe(session);
  await world.saying(session, (said) => JSON.stringify(said).includes("Run the migration?"));
  await world.owner(session).send("A");
  expect((await answer).structured).toMatchObject({
    success: true,
    selected_option: "A) Run it now",
    thread_id: session,
  });
  // Written before the daemon knew that its question stands there, it was queued first; it is no job all the same.
  const cancelled = new Set(events(world, "JobCancelled").map(({ job_id }) => job_id));
  expect(events(world, "JobEnqueued").filter(({ job_id }) => !cancelled.has(job_id))).toHaveLength(1);
  open(world, "gate");
});
