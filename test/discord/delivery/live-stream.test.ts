/**
 * The stream: what agents say reaches the thread as edits no oftener than may be, and a running job is seen to type.
 */
import { describe, expect, test } from "vitest";
import type { Stream } from "../../../src/discord/delivery/live-stream.ts";
import type { Engine } from "../../../src/engine/engine.ts";
import { openPostBench, owes, type PostBench, type View } from "../../fakes/post-bench.ts";

/** The answer as it grows, and as it is in the end. */
function answers(bench: () => PostBench): View {
  return (engine: Engine, threadId: string, stream: Stream) =>
    Object.values(engine.state.jobs)
      .filter((job) => job.thread_id === threadId && job.state !== "queued")
      .flatMap((job) => {
        const text = job.state === "running" ? stream.liveText(job.job_id)?.text : "the end";
        return text ? [owes(bench(), job.job_id, text.slice(-1900), { live: job.state === "running" })] : [];
      });
}

async function running() {
  const bench = await openPostBench();
  const process = bench.start(
    answers(() => bench),
    { keepers: true },
  );
  const job = await bench.job(process);
  const at = { job_id: job, thread_id: bench.threadId };
  return { bench, process, job, at, wait: (ms: number) => bench.wait(ms) };
}

describe("streaming", () => {
  test("a thousand tokens in ten seconds are a few edits, and the last words stand", async () => {
    const { bench, process, job, at, wait } = await running();
    for (let n = 0; n < 1000; n += 1) {
      process.liveEvents.send({ kind: "text", ...at, delta: `${n} ` });
      if (n % 10 === 9) await wait(100);
    }
    await bench.succeed(process, job);
    await bench.run(process.postSync.idle());
    expect(bench.said().map(({ content }) => content)).toEqual(["the end"]);
    const edits = bench.sent.filter(({ method }) => method === "PATCH");
    expect(edits.length).toBeGreaterThan(4);
    expect(edits.length).toBeLessThan(11);
    expect(bench.sandbox.invalidRequests).toBe(0);
  });

  test("what is written to its end is shown without gathering more, but not sooner than an edit may follow", async () => {
    const { bench, process, at, wait } = await running();
    await bench.run(process.reactions.idle());
    const armed = bench.clock.armed;
    process.liveEvents.send({ kind: "written", ...at });
    expect(bench.clock.armed).toBe(armed);
    process.liveEvents.send({ kind: "text", ...at, delta: "all" });
    process.liveEvents.send({ kind: "written", ...at });
    await bench.run(process.postSync.idle());
    expect(bench.said().map(({ content }) => content)).toEqual(["all"]);
    process.liveEvents.send({ kind: "text", ...at, delta: " of it" });
    process.liveEvents.send({ kind: "written", ...at });
    await bench.run(process.postSync.idle());
    expect(bench.said().map(({ content }) => content)).toEqual(["all"]);
    await wait(2_000);
    expect(bench.said().map(({ content }) => content)).toEqual(["all of it"]);
  });

  test("a token arms no timer of its own", async () => {
    const { bench, process, at } = await running();
    await bench.run(process.reactions.idle());
    const before = bench.clock.armed;
    for (let n = 0; n < 500; n += 1) process.liveEvents.send({ kind: "text", ...at, delta: "word " });
    expect(bench.clock.armed).toBe(before + 1);
  });

  test("what it thinks is kept until it says or does something", async () => {
    const { process, job, at } = await running();
    for (const delta of ["Hm, ", "let me see."]) process.liveEvents.send({ kind: "thought", ...at, delta });
    expect(process.stream.liveText(job)?.thought).toBe("Hm, let me see.");
    process.liveEvents.send({ kind: "thought", ...at, delta: "x".repeat(5_000) });
    expect(process.stream.liveText(job)?.thought).toHaveLength(2_000);
    process.liveEvents.send({ kind: "text", ...at, delta: "Yes." });
    expect(process.stream.liveText(job)?.thought).toBeUndefined();
  });

  test("what was said is kept in order, with tools as they start, end and are denied", async () => {
    const { process, job, at } = await running();
    process.liveEvents.send({ kind: "text", ...at, delta: "Let me " });
    process.liveEvents.send({ kind: "tool_started", ...at, id: "1", name: "Bash", title: "ls" });
    process.liveEvents.send({ kind: "tool_started", ...at, id: "2", name: "Write", title: "a.txt" });
    process.liveEvents.send({ kind: "tool_ended", ...at, id: "1", ok: true });
    process.liveEvents.send({ kind: "tool_ended", ...at, id: "2", ok: false });
    process.liveEvents.send({ kind: "denied", ...at, tool: "Write", reason: "no" });
    process.liveEvents.send({ kind: "text", ...at, delta: "look." });
    expect(process.stream.liveText(job)).toEqual({
      text: "Let me look.",
      tools: [
        { id: "1", name: "Bash", title: "ls", state: "ok" },
        { id: "2", name: "Write", title: "a.txt", state: "denied", reason: "no" },
      ],
      toolAt: 7,
    });
  });

  test("of an ended job its plan stays, and what it wrote after its last tool, until the next one runs", async () => {
    const { bench, process, job, at } = await running();
    const send = (event: object): void => process.liveEvents.send({ ...at, ...event } as never);
    send({ kind: "text", delta: "I will look." });
    send({ kind: "tool_started", id: "1", name: "Bash", title: "ls" });
    send({ kind: "tool_ended", id: "1", ok: true });
    send({ kind: "plan", entries: [{ text: "Look", state: "done" }] });
    send({ kind: "text", delta: `\n\nIt is ${"so ".repeat(300)}` });
    await bench.succeed(process, job);
    expect(process.stream.liveText(job)).toEqual({
      text: "",
      tools: [],
      plan: [{ text: "Look", state: "done" }],
      lastWords: `\n\nIt is ${"so ".repeat(300)}`.slice(0, 400),
    });
  });

  test("however many tools are denied, the last ones are kept and the others counted", async () => {
    const { process, job, at } = await running();
    for (let place = 0; place < 200; place += 1)
      process.liveEvents.send({ kind: "denied", ...at, tool: `T${place}`, reason: "no" });
    const { tools = [], toolsBefore } = process.stream.liveText(job) ?? {};
    expect([tools.length, toolsBefore, tools.at(-1)?.name]).toEqual([50, 150, "T199"]);
  });

  test("a tool that ended well leaves the card after five seconds, counted; one that failed or was denied stays", async () => {
    const { bench, process, job, at, wait } = await running();
    const tools = (): unknown[] => process.stream.liveText(job)?.tools.map(({ id, state }) => `${id} ${state}`) ?? [];
    for (const id of ["1", "2", "3", "4"])
      process.liveEvents.send({ kind: "tool_started", ...at, id, name: `T${id}`, title: "" });
    process.liveEvents.send({ kind: "tool_ended", ...at, id: "1", ok: true });
    process.liveEvents.send({ kind: "tool_ended", ...at, id: "2", ok: false });
    process.liveEvents.send({ kind: "denied", ...at, tool: "T3", reason: "no" });
    await wait(2_000);
    process.liveEvents.send({ kind: "tool_ended", ...at, id: "4", ok: true });
    await wait(2_900);
    expect(tools()).toEqual(["1 ok", "2 failed", "3 denied", "4 ok"]);
    const { armed } = bench.clock;
    await wait(200);
    expect(tools()).toEqual(["2 failed", "3 denied", "4 ok"]);
    expect(process.stream.liveText(job)?.toolsBefore).toBe(1);
    await wait(2_000);
    expect(tools()).toEqual(["2 failed", "3 denied"]);
    expect(process.stream.liveText(job)?.toolsBefore).toBe(2);
    expect(bench.clock.armed).toBeLessThanOrEqual(armed);
  });

  test("what holds an agent up is shown until it continues, and what only the log needs is not", async () => {
    const { process, job, at } = await running();
    const notice = (): unknown => process.stream.liveText(job)?.notice;
    process.liveEvents.send({ kind: "notice", ...at, code: "left_out", text: "3 lines" });
    expect(notice()).toBeUndefined();
    process.liveEvents.send({ kind: "notice", ...at, code: "model_retry", text: "overloaded" });
    expect(notice()).toEqual({ code: "model_retry", text: "overloaded" });
    process.liveEvents.send({ kind: "text", ...at, delta: "" });
    expect(notice()).toBeUndefined();
  });

  test("the last plan stands, and tools that are kept no more are counted", async () => {
    const { process, job, at } = await running();
    for (const state of ["active", "done"] as const)
      process.liveEvents.send({ kind: "plan", ...at, entries: [{ text: "one", state }] });
    for (let n = 0; n < 60; n += 1)
      process.liveEvents.send({ kind: "tool_started", ...at, id: `${n}`, name: "Read", title: "" });
    const { plan, tools, toolsBefore } = process.stream.liveText(job) ?? {};
    expect([plan, tools?.length, toolsBefore]).toEqual([[{ text: "one", state: "done" }], 50, 10]);
  });

  test("nothing is kept of a job that is over, nor of one we do not know", async () => {
    const { bench, process, job, at } = await running();
    process.liveEvents.send({ kind: "text", ...at, delta: "words" });
    process.liveEvents.send({ kind: "text", job_id: "job_20200101_0001", thread_id: bench.threadId, delta: "ghost" });
    await bench.succeed(process, job);
    await bench.run(process.postSync.idle());
    process.liveEvents.send({ kind: "text", ...at, delta: "late" });
    expect([process.stream.liveText(job), process.stream.liveText("job_20200101_0001")]).toEqual([
      undefined,
      undefined,
    ]);
  });
});

describe("typing", () => {
  test("not while the agent waits for its owner's answer, and again after it", async () => {
    const bench = await openPostBench();
    const process = bench.start(() => [], { keepers: true });
    const job = await bench.job(process);
    await bench.wait(9_000);
    const question = { question: "A or B?", header: "", options: [], many: false, words: true };
    await process.engine.submit({
      type: "ask",
      decision_id: "d1",
      kind: "question",
      thread_id: bench.threadId,
      asker: { by: "job", job_id: job, request_id: "r1" },
      context: "",
      questions: [question],
      subject: null,
      lapses_at: null,
    });
    const before = bench.asked(/typing/).length;
    await bench.wait(60_000);
    expect(bench.asked(/typing/)).toHaveLength(before);
    await process.engine.submit({
      type: "answer",
      decision_id: "d1",
      question: 0,
      answer: { places: [], words: "A" },
      sha256: null,
    });
    await bench.wait(1_000);
    expect(bench.asked(/typing/)).toHaveLength(before + 1);
  });

  test("a running job types every eight seconds, and stops with it", async () => {
    const { bench, process, job, wait } = await running();
    await wait(30_000);
    expect(bench.asked(/typing/)).toHaveLength(4);
    await bench.succeed(process, job);
    await wait(30_000);
    expect(bench.asked(/typing/)).toHaveLength(4);
  });
});
