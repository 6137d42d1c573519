/** The post sync in a world that changes: messages deleted, threads closed, rights and tokens taken away. */
import { describe, expect, test } from "vitest";
import { contents, openOutboxBench, posts } from "../../fakes/post-sync-bench.ts";
import { owes } from "../../fakes/post-bench.ts";

describe("a world that changes", () => {
  test("a result somebody deleted is posted anew; a cosmetic is let go", async () => {
    const { bench, job, owe } = await openOutboxBench({ refusals: true });
    await owe(owes(bench, job, "result"), owes(bench, job, "card", { part: "card", priority: "cosmetic" }));
    for (const message of bench.said()) await bench.owner.delete(message.id);
    await owe(owes(bench, job, "result!"), owes(bench, job, "card!", { part: "card", priority: "cosmetic" }));
    await owe(owes(bench, job, "result!!"), owes(bench, job, "card!!", { part: "card", priority: "cosmetic" }));
    expect(contents(bench)).toEqual(["result!!"]);
  });

  test("a prompt somebody deleted is posted again while it waits for its answer, and another message is not", async () => {
    const { bench, process, job, owe } = await openOutboxBench({ refusals: true });
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
    await owe(owes(bench, job, "card", { part: "card" }), owes(bench, "d1", "A or B?", { part: "prompt" }));
    for (const message of bench.said()) {
      await bench.owner.delete(message.id);
      process.postSync.onMessagesDeleted([message.id]);
    }
    await bench.run(process.postSync.idle());
    expect(contents(bench)).toEqual(["A or B?"]);
    await process.engine.submit({
      type: "answer",
      decision_id: "d1",
      question: 0,
      answer: { places: [], words: "A" },
      sha256: null,
    });
    const [prompt] = bench.said();
    await bench.owner.delete(prompt?.id ?? "");
    process.postSync.onMessagesDeleted([prompt?.id ?? ""]);
    await bench.run(process.postSync.idle());
    expect(contents(bench)).toEqual([]);
  });

  test("a growing message somebody deleted is left alone, and its end is posted anew", async () => {
    const { bench, process, desired, job, owe } = await openOutboxBench({ refusals: true });
    await owe(owes(bench, job, "grow", { live: true }));
    await bench.owner.delete(bench.said()[0]?.id ?? "");
    for (const text of ["growi", "growin"]) {
      await bench.clock.advance(2000);
      desired.splice(0, 1, owes(bench, job, text, { live: true }));
      process.postSync.syncThread(bench.threadId);
      await bench.run(process.postSync.idle());
    }
    expect(bench.asked(/^PATCH/)).toHaveLength(1);
    await owe(owes(bench, job, "grown"));
    expect(contents(bench)).toEqual(["grown"]);
  });

  test("stored, its answer lost, and deleted before the repeat: posted anew", async () => {
    const { bench, process, desired, job } = await openOutboxBench({ refusals: true });
    const fault = bench.sandbox.faults.fail({ operationId: "create_message", status: 500, when: "after" });
    desired.push(owes(bench, job, "one"));
    process.postSync.syncThread(bench.threadId);
    await bench.until(() => fault.hits === 1 && bench.said().length === 1);
    await bench.owner.delete(bench.said()[0]?.id ?? "");
    fault.lift();
    await bench.run(process.postSync.idle());
    expect(contents(bench)).toEqual(["one"]);
  });

  test("an archived thread is opened for an edit", async () => {
    const { bench, job, owe } = await openOutboxBench({ refusals: true });
    await owe(owes(bench, job, "before"));
    await bench.owner.archive();
    await owe(owes(bench, job, "after"));
    expect(contents(bench)).toEqual(["after"]);
    expect(bench.sandbox.violations.filter(({ kind }) => kind === "rate_limited")).toEqual([]);
  });

  test("an archived thread that may not be opened keeps its place for an edit that says nothing new", async () => {
    const { bench, process, job, owe } = await openOutboxBench({ refusals: true });
    await owe(owes(bench, job, "before", { priority: "cosmetic" }));
    await bench.owner.archive();
    const refused = bench.sandbox.faults.fail({ operationId: "update_channel", status: 403, code: 50001 });
    await owe(owes(bench, job, "after", { priority: "cosmetic" }));
    expect(refused.hits).toBe(1);
    expect(process.engine.state.threads[bench.threadId]?.place).toBe("thread");
    expect(contents(bench, bench.sandbox.channelId)).toEqual([]);
  });

  test("a locked thread: what is new is said in its channel, under its name", async () => {
    const { bench, process, job, owe } = await openOutboxBench({ refusals: true });
    await bench.owner.lock();
    bench.sandbox.setBotPermissions(0x0000004000000000n | 0x400n | 0x800n | 0x10000n | 0x4000n);
    await owe(owes(bench, job, "the answer"));
    expect(contents(bench)).toEqual([]);
    expect(process.engine.state.threads[bench.threadId]?.place).toBe("parent");
    const [said] = contents(bench, bench.sandbox.channelId);
    expect(said).toContain(`<#${bench.threadId}>`);
    expect(said).toMatch(/\nthe answer$/);
  });

  test("a deleted thread is called by its name too, because its mention shows as unknown", async () => {
    const { bench, process, job, owe } = await openOutboxBench({ refusals: true });
    const { api, owner, channelId } = bench.sandbox;
    await process.engine.submit({ type: "name_session", thread_id: bench.threadId, name: "Mend the *door*" });
    await fetch(`${api}/v10/channels/${bench.threadId}`, { method: "DELETE", headers: { authorization: owner.token } });
    await owe(owes(bench, job, "the answer"));
    const [said] = contents(bench, channelId);
    expect(said).toContain(`<#${bench.threadId}> (Mend the \\*door\\*)`);
    expect(said).toMatch(/\nthe answer$/);
  });

  test("thread and channel gone: the owner is told directly, once, also after a restart", async () => {
    const { bench, view, process, job, owe } = await openOutboxBench({ refusals: true });
    bench.sandbox.setBotPermissions(0n);
    bench.sandbox.setEveryonePermissions(0n);
    await owe(owes(bench, job, "the answer"));
    expect(process.engine.state.threads[bench.threadId]?.place).toBe("owner");
    process.kill();
    const next = bench.start(view);
    await bench.run(next.postSync.idle());
    const direct = posts(next, job)["answer:0"]?.channel_id ?? "";
    expect(contents(bench, direct)).toHaveLength(1);
    expect(contents(bench, direct)[0]).toContain("the answer");
  });

  test("thread and channel gone while a question is open: direct messages are read from its prompt on, so an answer written there before counts", async () => {
    const { bench, process, job, owe } = await openOutboxBench({ refusals: true });
    const { engine, rest } = process;
    const question = { question: "A or B?", header: "", options: [], many: false, words: true };
    await engine.submit({
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
    await owe(owes(bench, "d1", "A or B?", { part: "prompt" }));
    const prompt = engine.state.posts["d1"]?.["prompt"]?.message_id;
    const { id } = await bench.run(
      rest.call<{ id: string }>({
        method: "POST",
        path: "/users/@me/channels",
        body: { recipient_id: bench.sandbox.ownerId },
        priority: "result",
      }),
    );
    await bench.sandbox.channel(id).user(bench.sandbox.ownerId).send("B");
    bench.sandbox.setBotPermissions(0n);
    bench.sandbox.setEveryonePermissions(0n);
    await owe(owes(bench, "d1", "A or B?", { part: "prompt" }), owes(bench, job, "the answer"));
    expect(contents(bench, id).at(-1)).toContain("the answer");
    expect(prompt).toMatch(/^\d+$/);
    expect(engine.state.watermarks[id]).toBe(prompt);
  });

  test("a post Discord will not have is replaced by a short one that names the file, once", async () => {
    const { bench, process, job, owe } = await openOutboxBench({ refusals: true });
    await bench.succeed(process, job);
    const tooLong = owes(bench, job, "x".repeat(2001));
    await owe(tooLong);
    await owe(tooLong);
    expect(contents(bench)).toEqual([expect.stringContaining(`results/${job}.md`)]);
    expect(bench.asked(/^POST .*messages/)).toHaveLength(2);
  });

  test("after a refused token nothing more is asked", async () => {
    const { bench, process, desired, job } = await openOutboxBench({ refusals: true });
    bench.sandbox.resetToken(bench.sandbox.botId);
    desired.push(owes(bench, job, "a"), owes(bench, job, "b", { part: "answer:1" }));
    process.postSync.syncThread(bench.threadId);
    await bench.run(process.postSync.idle());
    process.postSync.syncThread(bench.threadId);
    await bench.clock.advance(60_000);
    // The typing that left beside it, and no other.
    expect(bench.sandbox.requests.filter(({ status }) => status === 401).length).toBeLessThanOrEqual(2);
  });
});
