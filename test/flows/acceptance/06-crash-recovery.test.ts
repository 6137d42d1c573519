/** Acceptance test 6 of the sessions' design: after a crash, what ran is not known and is not run again by itself. */
import { expect, test } from "vitest";
import { alive, crashNotice, openSession } from "../world.ts";
import { eventsOf, says } from "./stage.ts";

test("6. A daemon that is killed and started again calls the job that ran unknown_after_crash", async () => {
  const { world, daemon, thread } = await openSession();
  const { id } = await world.owner(thread).send("hang:");
  await world.saying(thread, (said) => said.some(({ content }) => content.includes("I am thinking")));
  expect(await says(world, thread, "status")).toContain("\nstate: running\n");
  const agent = world.agentStarts()[0]?.pid ?? 0;
  expect(alive(agent)).toBe(true);

  await daemon.kill("SIGKILL");
  await world.daemon().ready;
  await world.saying(thread, crashNotice);
  await world.marked(id, "💥");
  const status = await says(world, thread, "status");
  const [, job = ""] = /\nretry_hint: \/retry (job_\d{8}_0001)$/m.exec(status) ?? [];
  expect(status).toMatch(
    /\nstate: unknown_after_crash\nqueue: pending=0, running=n\/a\nlast_job: unknown_after_crash, /,
  );
  expect(
    eventsOf(world)
      .filter(({ type }) => type === "JobMarkedUnknownAfterCrash")
      .map(({ payload }) => payload["job_id"]),
  ).toEqual([job]);
  // Its agent is gone, and nobody has run it again.
  expect(alive(agent)).toBe(false);
  expect(world.agentStarts()).toHaveLength(1);
});
