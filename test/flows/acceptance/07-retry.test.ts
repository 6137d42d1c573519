/** Acceptance test 7 of the sessions' design: a failed job runs again as a new one. */
import { expect, test } from "vitest";
import { open } from "../workshop.ts";
import { answered, openSession } from "../world.ts";
import { says, snapshotOf } from "./stage.ts";

test("7. /retry makes a new job of a failed one, and that succeeds", async () => {
  const { world, daemon, thread } = await openSession({ config: { limits: { cli_timeout_sec: 10 } } });
  // It says nothing until the gate is opened, which is too late the first time. (On a busy machine an agent may need
  // some seconds for its first line.)
  const { id } = await world.owner(thread).send("until:late");
  await world.marked(id, "❌");
  const [, failed = ""] = /\nretry_hint: \/retry (job_\d{8}_0001)$/m.exec(await says(world, thread, "status")) ?? [];
  open(world, "late");

  const [offered] = await world.owner(thread).autocomplete("retry", "job_id", "");
  expect(offered?.value).toBe(failed);
  const [, again = ""] = /`(job_\d{8}_0002)`/.exec(await says(world, thread, "retry", { job_id: failed })) ?? [];
  await answered(world, thread, ["late is over"]);
  await world.marked(id, "✅");
  for (const job_id of [failed, again, "job_20260101_9999"])
    expect(await says(world, thread, "retry", { job_id })).toContain("`E_JOB_NOT_RETRYABLE`");

  await daemon.kill("SIGTERM");
  const { jobs } = snapshotOf(world);
  expect(jobs[failed]).toMatchObject({
    state: "failed",
    error_code: "E_CLI_TIMEOUT",
    attempt: 1,
    prompt: "until:late",
  });
  expect(jobs[again]).toMatchObject({
    state: "success",
    error_code: null,
    attempt: 2,
    prompt: "until:late",
    discord_message_id: id,
  });
});
