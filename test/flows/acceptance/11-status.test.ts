/** Acceptance test 11 of the sessions' design: every field of `/status`, as the snapshot has it. */
import { expect, test } from "vitest";
import { openWorld, type World } from "../world.ts";
import { says, snapshotOf } from "./stage.ts";

/** The design's nine lines (11.7), from the snapshot alone. */
function expected(world: World, thread: string): string {
  const { sessions, jobs } = snapshotOf(world);
  const session = sessions[thread];
  const last = jobs[session?.last_job_id ?? ""];
  if (!session) throw new Error("The snapshot has no such session");
  const states = {
    running: session.running_job_id !== null,
    queued: session.queue.length > 0,
    [last?.state ?? ""]: last?.state === "failed" || last?.state === "unknown_after_crash",
  };
  const [state = "idle"] = Object.entries(states).flatMap(([name, is]) => (is ? [name] : []));
  const seconds = Math.round((Date.parse(last?.finished_at ?? "") - Date.parse(last?.started_at ?? "")) / 1000);
  const key = session.adapter_state["session_id"];
  return [
    "Session Status",
    `project: ${session.project_name}`,
    `tool: ${session.tool}`,
    `session_key: ${key ?? "n/a"}`,
    `state: ${state}`,
    `queue: pending=${session.queue.length}, running=${session.running_job_id ?? "n/a"}`,
    `last_job: ${last ? `${last.state}, ${seconds}s, ${last.finished_at}` : "n/a"}`,
    `resume_ready: ${key === undefined ? "no" : "yes"}`,
    `retry_hint: ${last?.state === "failed" || last?.state === "unknown_after_crash" ? `/retry ${last.job_id}` : "n/a"}`,
  ].join("\n");
}

test("11. /status has every field, each as the snapshot has it: before the first job, after a good one, after a failed one, and after a crash with jobs waiting", async () => {
  const world = await openWorld({ unlimited: true });
  let daemon = world.daemon();
  await daemon.ready;
  const thread = await world.session();
  const seen: string[] = [];
  /** What was said stands in the snapshot that the daemon leaves when it ends. */
  const compare = async (): Promise<void> => {
    const said = await says(world, thread, "status");
    await daemon.kill("SIGTERM");
    // Below them stands which agents are open, which no snapshot has.
    expect(said.split("\n").slice(0, 9).join("\n")).toBe(expected(world, thread));
    seen.push(/\nstate: (\w+)\n/.exec(said)?.[1] ?? "");
    daemon = world.daemon();
    await daemon.ready;
  };
  await compare();
  const { id: good } = await world.owner(thread).send("count:one");
  await world.marked(good, "✅");
  await compare();
  const { id: bad } = await world.owner(thread).send("fail:400");
  await world.marked(bad, "❌");
  await compare();
  await world.owner(thread).send("hang:");
  await world.agents(3);
  const { id: behind } = await world.owner(thread).send("count:behind");
  await world.marked(behind, "⏳");
  expect(await says(world, thread, "status")).toMatch(
    /\nstate: running\nqueue: pending=1, running=job_\d{8}_0003\nlast_job: failed, \d+s, \S+Z\nresume_ready: yes\n/,
  );
  await daemon.kill("SIGKILL");
  daemon = world.daemon();
  await daemon.ready;
  await compare();
  expect(seen).toEqual(["idle", "idle", "failed", "queued"]);
});
