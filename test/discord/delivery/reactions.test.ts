/** The reactions against the strict local Discord: one sign a message, the true one, also after a restart. */
import { describe, expect, test } from "vitest";
import { silentLog } from "../../../src/base/log.ts";
import { KEPT_JOBS } from "../../../src/core/jobs/ending.ts";
import { REACTION_PART } from "../../../src/discord/delivery/reactions.ts";
import { openPostBench, type PostBench, type Process } from "../../fakes/post-bench.ts";

const silent = (): [] => [];
const puts = /^PUT .*reactions/;
const any = /^(PUT|DELETE) .*reactions/;
/** How long a job runs before its message says so. */
const LASTS_MS = 5_000;

function signs(bench: PostBench, messageId: string): string[] {
  const all = bench.sandbox.reactions(messageId);
  return Object.keys(all).filter((emoji) => all[emoji]?.includes(bench.sandbox.botId));
}

function messageOf(process: Process, jobId: string): string {
  return process.engine.state.jobs[jobId]?.discord_message_id ?? "";
}

function record(process: Process, jobId: string): unknown {
  return process.engine.state.posts[jobId]?.[REACTION_PART];
}

describe("one sign a message", () => {
  test("a running job's sign gives way to that of its end, which is written down", async () => {
    const bench = await openPostBench();
    const process = bench.start(silent, { keepers: true });
    const job = await bench.job(process);
    await bench.wait(LASTS_MS - 1);
    expect(signs(bench, messageOf(process, job))).toEqual([]);
    await bench.wait(1);
    await bench.run(process.reactions.idle());
    expect(signs(bench, messageOf(process, job))).toEqual(["⚙️"]);
    await bench.succeed(process, job);
    await bench.run(process.reactions.idle());
    expect(signs(bench, messageOf(process, job))).toEqual(["✅"]);
    expect(record(process, job)).toMatchObject({ message_id: messageOf(process, job), hash: "✅" });
  });

  test("a job that ends soon has one sign set, that of its end", async () => {
    const bench = await openPostBench();
    const process = bench.start(silent, { keepers: true });
    const job = await bench.job(process);
    await bench.wait(LASTS_MS - 1);
    await bench.succeed(process, job);
    await bench.run(process.reactions.idle());
    await bench.wait(LASTS_MS);
    expect(signs(bench, messageOf(process, job))).toEqual(["✅"]);
    expect(bench.asked(any)).toHaveLength(1);
  });

  test("a message that waited says at once that its job runs", async () => {
    const bench = await openPostBench();
    const process = bench.start(silent, { keepers: true });
    const first = await bench.job(process, "1");
    const second = await bench.job(process, "2");
    await bench.run(process.reactions.idle());
    expect(signs(bench, messageOf(process, second))).toEqual(["⏳"]);
    await bench.succeed(process, first);
    await bench.run(process.reactions.idle());
    expect(signs(bench, messageOf(process, second))).toEqual(["⚙️"]);
  });

  test.each([
    ["answer", "✅"],
    ["unclear", "❓"],
  ] as const)("a message that waited and was for the prompt above it: %s is %s", async (by, sign) => {
    const bench = await openPostBench();
    const process = bench.start(silent, { keepers: true });
    await bench.job(process, "1");
    const second = await bench.job(process, "2");
    await bench.run(process.engine.submit({ type: "cancel_job", job_id: second, by }));
    await bench.run(process.reactions.idle());
    expect(signs(bench, messageOf(process, second))).toEqual([sign]);
    expect(record(process, second)).toMatchObject({ hash: sign, is: by });
  });

  test("steps that pass faster than Discord lets us react are left out", async () => {
    const bench = await openPostBench();
    const process = bench.start(silent, { keepers: true });
    const jobs = [];
    for (const prompt of ["1", "2", "3", "4"]) jobs.push(await bench.job(process, prompt));
    for (const job of jobs) await bench.succeed(process, job);
    await bench.run(process.reactions.idle());
    for (const job of jobs) expect(signs(bench, messageOf(process, job))).toEqual(["✅"]);
    // Left to themselves they would be eleven: queued, running and done for three, running and done for one.
    expect(bench.asked(puts).length).toBeLessThanOrEqual(5);
    expect(bench.sandbox.invalidRequests).toBe(0);
  });

  test("a sign that was set although its answer was lost gives way too", async () => {
    const bench = await openPostBench();
    const process = bench.start(silent, { keepers: true });
    const lost = bench.sandbox.faults.fail({
      operationId: "add_my_message_reaction",
      status: 502,
      when: "after",
      times: 1,
    });
    const job = await bench.job(process);
    await bench.until(() => lost.hits === 1 && signs(bench, messageOf(process, job)).length === 1);
    await bench.succeed(process, job);
    await bench.run(process.reactions.idle());
    expect(signs(bench, messageOf(process, job))).toEqual(["✅"]);
  });

  test("a job that left the live state while its message waited for Discord is shown as done all the same", async () => {
    const bench = await openPostBench();
    const process = bench.start(silent, { keepers: true });
    const messages = [];
    for (let number = 0; number < KEPT_JOBS + 10; number += 1) {
      const job = await bench.job(process, `${number}`);
      messages.push(messageOf(process, job));
      await bench.succeed(process, job);
      await process.engine.submit({
        type: "record_post",
        subject: job,
        part: "end",
        channel_id: bench.threadId,
        message_id: null,
        hash: "",
        is: "success",
      });
    }
    expect(Object.keys(process.engine.state.jobs)).toHaveLength(KEPT_JOBS);
    await bench.run(process.reactions.idle());
    expect(messages.map((id) => signs(bench, id).join())).toEqual(messages.map(() => "✅"));
  });

  test("queued, failed and refused messages bear their own", async () => {
    const bench = await openPostBench();
    const process = bench.start(silent, { keepers: true });
    const failing = await bench.job(process, "fails");
    const waiting = await bench.job(process, "waits");
    const empty = await bench.owner.send("...");
    await process.engine.submit({
      type: "hear",
      thread_id: bench.threadId,
      discord_message_id: empty.id,
      prompt: " ",
      files: [],
      refused_files: [],
      reply_to: null,
    });
    const failure = { result_excerpt: null, result_sha256: null, model: null, usage: null };
    await process.engine.submit({ type: "fail", job_id: failing, code: "E_CLI_TIMEOUT", details: {}, ...failure });
    await bench.run(process.reactions.idle());
    expect(signs(bench, messageOf(process, failing))).toEqual(["❌"]);
    expect(signs(bench, messageOf(process, waiting))).toEqual(["⏳"]);
    expect(signs(bench, empty.id)).toEqual(["⚠️"]);
  });

  test("an edit that counted is marked beside the state, for as long as the message bears one", async () => {
    const bench = await openPostBench();
    const process = bench.start(silent, { keepers: true });
    const running = await bench.job(process);
    const waiting = await bench.job(process, "waits");
    const id = messageOf(process, waiting);
    await process.engine.submit({
      type: "edit_message",
      thread_id: bench.threadId,
      discord_message_id: id,
      prompt: "waits, better",
    });
    await bench.run(process.reactions.idle());
    expect(signs(bench, id)).toEqual(["⏳", "✏️"]);
    process.kill();
    const next = bench.start(silent, { keepers: true });
    await bench.succeed(next, running);
    await bench.succeed(next, waiting);
    await bench.run(next.reactions.idle());
    expect(signs(bench, id).toSorted()).toEqual(["✅", "✏️"].toSorted());
    expect(record(next, waiting)).toMatchObject({ hash: "✅✏️" });
  });

  test("a retried message bears the sign of its newest attempt", async () => {
    const bench = await openPostBench();
    const process = bench.start(silent, { keepers: true });
    const job = await bench.job(process);
    const failure = { result_excerpt: null, result_sha256: null, model: null, usage: null };
    await process.engine.submit({ type: "fail", job_id: job, code: "E_CLI_TIMEOUT", details: {}, ...failure });
    await bench.run(process.reactions.idle());
    await process.engine.submit({ type: "retry", job_id: job });
    await bench.run(process.reactions.idle());
    expect(signs(bench, messageOf(process, job))).toEqual(["⏳"]);
  });
});

describe("restarts and a changing world", () => {
  test("after a crash the running sign becomes the unknown one, and is asked for once", async () => {
    const bench = await openPostBench();
    const process = bench.start(silent, { keepers: true });
    const job = await bench.job(process);
    await bench.run(process.reactions.idle());
    process.kill();
    const next = bench.start(silent, { keepers: true });
    await next.engine.submit({ type: "restart" });
    await bench.run(next.reactions.idle());
    expect(signs(bench, messageOf(next, job))).toEqual(["💥"]);
    next.kill();
    const asked = bench.asked(any).length;
    const last = bench.start(silent, { keepers: true });
    await bench.run(last.reactions.idle());
    expect(bench.asked(any)).toHaveLength(asked);
  });

  test("killed between the sign and its record: the sign stands once after the restart", async () => {
    const bench = await openPostBench();
    const process = bench.start(silent, { keepers: true });
    const job = await bench.job(process);
    await bench.run(process.reactions.idle());
    bench.killAt(
      () => process,
      (method) => method === "PUT",
    );
    await bench.succeed(process, job);
    await bench.until(() => signs(bench, messageOf(process, job)).includes("✅"));
    const next = bench.start(silent, { keepers: true });
    await bench.run(next.reactions.idle());
    expect(signs(bench, messageOf(next, job))).toEqual(["✅"]);
    expect(record(next, job)).toBeDefined();
  });

  test("a message that was deleted is let go, and not tried again after a restart", async () => {
    const bench = await openPostBench({ refusals: true });
    const process = bench.start(silent, { keepers: true });
    const job = await bench.job(process);
    await bench.run(process.reactions.idle());
    await bench.owner.delete(messageOf(process, job));
    await bench.succeed(process, job);
    await bench.run(process.reactions.idle());
    expect(record(process, job)).toMatchObject({ message_id: null });
    process.kill();
    const asked = bench.asked(/reactions|GET/).length;
    const next = bench.start(silent, { keepers: true });
    await bench.run(next.reactions.idle());
    expect(bench.asked(/reactions|GET/)).toHaveLength(asked);
  });

  test("one whose thread was archived meanwhile gets its sign once the thread is open again, and that is no failure", async () => {
    const bench = await openPostBench({ refusals: true });
    const failures: string[] = [];
    const process = bench.start(silent, {
      keepers: true,
      log: { ...silentLog, failure: (text) => void failures.push(text) },
    });
    const job = await bench.job(process);
    await bench.wait(LASTS_MS);
    await bench.run(process.reactions.idle());
    await bench.owner.archive();
    await bench.succeed(process, job);
    await bench.run(process.reactions.idle());
    expect(signs(bench, messageOf(process, job))).toEqual(["⚙️"]);
    await bench.owner.unarchive();
    await bench.clock.advance(5_000);
    await bench.run(process.reactions.idle());
    expect(signs(bench, messageOf(process, job))).toEqual(["✅"]);
    expect(failures).toEqual([]);
  });

  test("where the bot may not react, jobs continue without signs", async () => {
    const bench = await openPostBench({ refusals: true });
    bench.sandbox.setBotPermissions(0x400n | 0x800n | 0x4000000000n);
    bench.sandbox.setEveryonePermissions(0x400n);
    const process = bench.start(silent, { keepers: true });
    const job = await bench.job(process);
    await bench.succeed(process, job);
    await bench.run(process.reactions.idle());
    expect(signs(bench, messageOf(process, job))).toEqual([]);
    expect(process.engine.state.jobs[job]?.state).toBe("success");
  });
});
