/**
 * What stands in the state directory after a few jobs, held against the examples of the design: every key of a session
 * and of a job, what says that a message was heard, the types of events, and how much of an answer is kept where.
 */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { eventTypes } from "../../src/core/evolve.ts";
import { eventsOf, says, snapshotOf } from "./acceptance/stage.ts";
import { answered, openSession } from "./world.ts";

const SESSION = [
  "thread_id",
  "project_name",
  "tool",
  "adapter_state",
  "queue",
  "running_job_id",
  "last_job_id",
  "created_at",
  "updated_at",
  "last_activity_at",
];
const JOB = [
  "job_id",
  "thread_id",
  "discord_message_id",
  "state",
  "prompt",
  "attempt",
  "tool",
  "error_code",
  "error_message",
  "started_at",
  "finished_at",
  "result_excerpt",
];
const TYPES = [
  "ProjectCreated",
  "ProjectUpdated",
  "SessionCreated",
  "ToolChanged",
  "JobEnqueued",
  "JobStarted",
  "JobProgress",
  "JobCompleted",
  "JobFailed",
  "JobMarkedUnknownAfterCrash",
];

test("the snapshot has every key of a session and of a job, and knows each message that was heard", async () => {
  const { world, daemon, thread } = await openSession();
  const { id } = await world.owner(thread).send("echo:one");
  await answered(world, thread, ["one"]);
  await world.marked(id, "✅");
  await daemon.kill("SIGTERM");
  const snapshot = snapshotOf(world);
  const session = snapshot.sessions[thread];
  const [job] = Object.values(snapshot.jobs);
  expect(Object.keys(session ?? {})).toEqual(expect.arrayContaining(SESSION));
  expect(Object.keys(job ?? {})).toEqual(expect.arrayContaining(JOB));
  expect(job).toMatchObject({
    job_id: expect.stringMatching(/^job_\d{8}_0001$/),
    thread_id: thread,
    discord_message_id: id,
    state: "success",
    prompt: "echo:one",
    attempt: 1,
    tool: "claude",
    error_code: null,
    error_message: null,
    result_excerpt: "one",
  });
  expect(session).toMatchObject({
    thread_id: thread,
    project_name: "app",
    tool: "claude",
    adapter_state: { session_id: expect.any(String) },
    queue: [],
    running_job_id: null,
    last_job_id: job?.job_id,
  });
  // Above the thread's watermark each message is known by its own number; below it all are.
  const watermark = (snapshot["watermarks"] as Record<string, string>)[thread] ?? "0";
  expect(BigInt(watermark) >= BigInt(id) || snapshot.dedupe[`${thread}:${id}`] === job?.job_id).toBe(true);
});

test("each agent's key is kept under its own name for it: session_id, thread_id, session_id", async () => {
  const { world, thread } = await openSession({ tools: ["claude", "codex", "gemini"], unlimited: true });
  for (const tool of ["claude", "codex", "gemini"]) {
    await says(world, thread, "tool", { tool });
    await world.marked((await world.owner(thread).send("echo:one")).id, "✅");
  }
  const keys = eventsOf(world).filter(
    ({ type, payload }) => type === "JobProgress" && payload["kind"] === "session_key",
  );
  expect(keys.map(({ payload }) => Object.keys(payload["adapter_state"] as object))).toEqual([
    ["session_id"],
    ["thread_id"],
    ["session_id"],
  ]);
});

test("the events have the design's envelope and types, each with the next number", async () => {
  const { world, daemon, thread } = await openSession();
  for (const [prompt, sign] of [
    ["echo:one", "✅"],
    ["fail:400", "❌"],
  ] as const)
    await world.marked((await world.owner(thread).send(prompt)).id, sign);
  await daemon.kill("SIGTERM");
  const events = eventsOf(world);
  for (const event of events) expect(Object.keys(event).slice(0, 4)).toEqual(["seq", "ts", "type", "payload"]);
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, at) => at + 1));
  expect([...eventTypes]).toEqual(expect.arrayContaining(TYPES));
  const seen = new Set(events.map(({ type }) => type));
  for (const type of [
    "ProjectCreated",
    "SessionCreated",
    "JobEnqueued",
    "JobStarted",
    "JobProgress",
    "JobCompleted",
    "JobFailed",
  ])
    expect(seen).toContain(type);
});

test("an answer of a thousand characters is whole in its file, and begins with its first 400 in the journal", async () => {
  const { world, daemon, thread } = await openSession();
  const words = "x".repeat(1_000);
  await world.marked((await world.owner(thread).send(`echo:${words}`)).id, "✅");
  await daemon.kill("SIGTERM");
  const payload = eventsOf(world).find(({ type }) => type === "JobCompleted")?.payload ?? {};
  const excerpt = String(payload["result_excerpt"]);
  expect(excerpt.length).toBeLessThanOrEqual(400);
  expect(excerpt).toMatch(/^x{399}/);
  const whole = readFileSync(join(world.stateDir, "results", `${String(payload["job_id"])}.md`), "utf8");
  expect(whole.trim()).toBe(words);
  expect(payload["result_sha256"]).toBe(createHash("sha256").update(whole).digest("hex"));
});
