/** The post sync against the strict local Discord, with faults: one message for each post, whatever happens between. */
import { describe, expect, test } from "vitest";
import { KEPT_JOBS } from "../../../src/core/jobs/ending.ts";
import type { Body, DesiredPost } from "../../../src/discord/views/message.ts";
import { contents, openOutboxBench, posts } from "../../fakes/post-sync-bench.ts";
import { owes, words } from "../../fakes/post-bench.ts";

/** The card of a job that has ended, which may have been posted without being recorded. */
function sought(bench: Parameters<typeof owes>[0], job: string, body: Body, part = "card"): DesiredPost {
  return owes(bench, job, "", { part, is: "growing", want: { kind: "found", body, grown: true } });
}

describe("posts", () => {
  test("what is due is posted in its order and recorded", async () => {
    const { bench, process, job, owe } = await openOutboxBench();
    await owe(
      owes(bench, job, "first"),
      owes(bench, job, "second", { part: "answer:1" }),
      owes(bench, bench.threadId, "third", { part: "welcome" }),
    );
    expect(contents(bench)).toEqual(["first", "second", "third"]);
    const [first] = bench.said();
    expect(posts(process, job)["answer:0"]).toMatchObject({ channel_id: bench.threadId, message_id: first?.id });
  });

  test("what stands as it should is not touched again, nor after a restart", async () => {
    const { bench, view, process, job, owe } = await openOutboxBench();
    await owe(owes(bench, job, "once"));
    process.kill();
    const next = bench.start(view);
    await bench.run(next.postSync.idle());
    expect(contents(bench)).toEqual(["once"]);
    expect(bench.asked(/^(POST|PATCH) .*messages/)).toHaveLength(1);
  });

  test("another body is an edit of the same message", async () => {
    const { bench, job, owe } = await openOutboxBench();
    await owe(owes(bench, job, "before"));
    await owe(owes(bench, job, "after"));
    expect(contents(bench)).toEqual(["after"]);
  });

  test("files go with a post, and an edit without them takes them away", async () => {
    const { bench, job, owe } = await openOutboxBench();
    const files = [{ name: "answer.md", bytes: Buffer.from("# whole") }];
    await owe(owes(bench, job, "", { want: { kind: "show", body: { ...words("see the file"), files } } }));
    expect(bench.said()[0]?.attachments).toMatchObject([{ filename: "answer.md", size: 7 }]);
    await owe(owes(bench, job, "no file"));
    expect(bench.said()[0]?.attachments).toEqual([]);
  });

  test("what is to be removed is deleted once, and may be shown again", async () => {
    const { bench, process, job, owe } = await openOutboxBench();
    await owe(owes(bench, job, "going"));
    await owe(owes(bench, job, "", { want: { kind: "remove" } }));
    await owe(owes(bench, job, "", { want: { kind: "remove" } }));
    expect(contents(bench)).toEqual([]);
    expect(posts(process, job)["answer:0"]?.message_id).toBeNull();
    expect(bench.asked(/^DELETE/)).toHaveLength(1);
    await owe(owes(bench, job, "back"));
    expect(contents(bench)).toEqual(["back"]);
  });

  test("a cut-off message gets its line once, below what it said, outside its code", async () => {
    const { bench, view, desired, process, job, owe } = await openOutboxBench();
    await owe(owes(bench, job, "so far\n```js\nlet a", { live: true }));
    const cut = owes(bench, job, "", { want: { kind: "interrupted", line: "-# cut off" } });
    bench.killAt(
      () => process,
      (method) => method === "PATCH",
    );
    desired.splice(0, desired.length, cut);
    process.postSync.syncThread(bench.threadId);
    await bench.until(() => contents(bench)[0]?.includes("cut off") ?? false);
    const next = bench.start(view);
    await bench.run(next.postSync.idle());
    expect(contents(bench)).toEqual(["so far\n```js\nlet a\n```\n-# cut off"]);
    expect(bench.asked(/^PATCH/)).toHaveLength(1);
  });
});

test("what becomes urgent goes before what waits already", async () => {
  const { bench, process, desired, job, owe } = await openOutboxBench();
  await owe(...[0, 1, 2, 3, 4].map((n) => owes(bench, job, `${n}`, { part: `answer:${n}` })));
  const card = owes(bench, job, "card", { part: "card", priority: "cosmetic" });
  desired.push(card);
  process.postSync.syncThread(bench.threadId);
  await bench.clock.settle();
  await owe(owes(bench, job, "decision", { part: "ask", priority: "decision" }), ...desired);
  expect(contents(bench).slice(-2)).toEqual(["decision", "card"]);
});

describe("what is not owed yet", () => {
  test("is posted when it is due, nothing waits for it, and what was posted is kept up to date before", async () => {
    const { bench, process, desired, job, owe } = await openOutboxBench();
    const notBefore = bench.clock.now() + 1_500;
    await owe(owes(bench, job, "later", { part: "card", notBefore }), owes(bench, job, "now"));
    await bench.run(process.postSync.idle());
    expect(contents(bench)).toEqual(["now"]);
    await bench.wait(1_499);
    expect(contents(bench)).toEqual(["now"]);
    await bench.wait(1);
    await bench.run(process.postSync.idle());
    expect(contents(bench)).toEqual(["now", "later"]);
    desired[0] = owes(bench, job, "changed", { part: "card", is: "changed", notBefore: Infinity });
    process.postSync.syncThread(bench.threadId);
    await bench.run(process.postSync.idle());
    expect(contents(bench)).toEqual(["now", "changed"]);
  });

  test("is never sent when it is not owed any more before it is due, and nothing is looked for", async () => {
    const { bench, process, desired, job, owe } = await openOutboxBench();
    await owe(owes(bench, job, "running", { part: "card", live: true, notBefore: bench.clock.now() + 1_500 }));
    desired[0] = sought(bench, job, words("running"));
    process.postSync.syncThread(bench.threadId);
    await bench.wait(10_000);
    expect(bench.asked(/messages/)).toEqual([]);
  });

  test("is posted all the same when the clock was set back below the moment since which it is owed", async () => {
    const { bench, job, owe } = await openOutboxBench();
    const later = bench.clock.now() + 3_600_000;
    await owe(owes(bench, job, "due", { part: "card", since: later, notBefore: later + 1_500 }));
    expect(contents(bench)).toEqual(["due"]);
  });
});

describe("lost answers", () => {
  test("500 after storing: exactly one message", async () => {
    const { bench, job, owe } = await openOutboxBench();
    bench.sandbox.faults.fail({ operationId: "create_message", status: 500, when: "after", times: 3 });
    await owe(owes(bench, job, "one"));
    expect(contents(bench)).toEqual(["one"]);
    expect(bench.asked(/^POST .*messages/)).toHaveLength(4);
  });

  test("the connection cut after storing: exactly one message", async () => {
    const { bench, job, owe } = await openOutboxBench();
    bench.sandbox.faults.reset({ operationId: "create_message", when: "after", times: 2 });
    await owe(owes(bench, job, "one"));
    expect(contents(bench)).toEqual(["one"]);
  });

  test("503 for a minute when the answer is due: delivered once, afterwards", async () => {
    const { bench, process, desired, job, owe } = await openOutboxBench();
    const fault = bench.sandbox.faults.fail({ status: 503 });
    const start = bench.clock.monotonic();
    desired.push(owes(bench, job, "late"));
    process.postSync.syncThread(bench.threadId);
    await bench.until(() => bench.clock.monotonic() > start + 60_000);
    expect(contents(bench)).toEqual([]);
    fault.lift();
    await owe(...desired);
    expect(contents(bench)).toEqual(["late"]);
  });

  test("killed between storing and writing down: one message after the restart", async () => {
    const { bench, view, desired, process, job } = await openOutboxBench();
    bench.killAt(
      () => process,
      (method, path) => method === "POST" && path.endsWith("/messages"),
    );
    desired.push(owes(bench, job, "one"));
    process.postSync.syncThread(bench.threadId);
    await bench.until(() => contents(bench).length === 1);
    const next = bench.start(view);
    await bench.run(next.postSync.idle());
    expect(contents(bench)).toEqual(["one"]);
    expect(posts(next, job)["answer:0"]?.message_id).toBe(bench.said()[0]?.id);
  });

  test("killed between storing and writing down a card whose job ends: it is found after the restart, and nothing else is", async () => {
    const { bench, view, desired, process, job, owe } = await openOutboxBench();
    await owe(owes(bench, job, "running", { part: "answer:1" }));
    await bench.owner.send("running");
    bench.killAt(
      () => process,
      (method, path) => method === "POST" && path.endsWith("/messages"),
    );
    desired.push(owes(bench, job, "running", { part: "card", live: true }));
    process.postSync.syncThread(bench.threadId);
    await bench.until(() => contents(bench).length === 2);
    desired.splice(1, 1, sought(bench, job, words("running")));
    for (let starts = 0; starts < 2; starts += 1) {
      const next = bench.start(view);
      await bench.run(next.postSync.idle());
      const of = posts(next, job);
      expect(bench.said().map(({ id }) => id)).toEqual([of["answer:1"]?.message_id, of["card"]?.message_id]);
    }
    expect(bench.asked(/^DELETE/)).toEqual([]);
  });

  test("a card that had more lines when its record was lost is found by its first ones, and no other message is", async () => {
    const { bench, view, desired, process, job } = await openOutboxBench();
    const card = (description: string): Body => ({ ...words(""), embeds: [{ description }] });
    await process.rest.call({
      method: "POST",
      path: `/channels/${bench.threadId}/messages`,
      body: { embeds: [{ description: "runs no more" }] },
      priority: "result",
    });
    bench.killAt(
      () => process,
      (method, path) => method === "POST" && path.endsWith("/messages"),
    );
    const { news: _, ...owed } = owes(bench, job, "", { part: "card", live: true });
    desired.push({ ...owed, want: { kind: "show", body: card("runs\n✓ ls") } });
    process.postSync.syncThread(bench.threadId);
    await bench.until(() => bench.said().length === 2);
    desired[0] = sought(bench, job, card("runs"));
    const next = bench.start(view);
    await bench.run(next.postSync.idle());
    expect(posts(next, job)["card"]?.message_id).toBe(bench.said()[1]?.id);
  });

  test("a card that is stored, its answer lost, is found when its job ends; what was never sent is not looked for", async () => {
    const { bench, job, owe, desired, process } = await openOutboxBench();
    const gone = sought(bench, job, words("running"));
    await owe(gone);
    expect(bench.asked(/messages/)).toEqual([]);
    const lost = bench.sandbox.faults.reset({ operationId: "create_message", times: 1 });
    desired.splice(0, 1, owes(bench, job, "running", { part: "card", live: true }));
    process.postSync.syncThread(bench.threadId);
    await bench.until(() => lost.hits === 1 && contents(bench).length === 1);
    await owe(gone);
    expect(posts(process, job)["card"]?.message_id).toBe(bench.said()[0]?.id);
    expect(contents(bench)).toEqual(["running"]);
  });

  test.each([false, true])(
    "an answer of which a first message may stand unrecorded is that message once it is whole (after a restart: %s)",
    async (restarts) => {
      const { bench, view, desired, process, job } = await openOutboxBench();
      const lost = bench.sandbox.faults.reset({
        operationId: "create_message",
        when: "after",
        times: restarts ? 0 : 1,
      });
      if (restarts)
        bench.killAt(
          () => process,
          (method, path) => method === "POST" && path.endsWith("/messages"),
        );
      desired.push(owes(bench, job, "It is", { live: true }));
      process.postSync.syncThread(bench.threadId);
      await bench.until(() => contents(bench).length === 1 && (restarts || lost.hits === 1));
      const { id } = await bench.owner.send("another");
      desired[0] = owes(bench, job, "It is done. ✅", { part: "end", sentAs: "answer:0", reply_to: id });
      const next = restarts ? bench.start(view) : process;
      next.postSync.syncThread(bench.threadId);
      await bench.run(next.postSync.idle());
      expect(contents(bench)).toEqual(["It is done. ✅"]);
      expect(posts(next, job)["end"]).toMatchObject({ message_id: bench.said()[0]?.id });
    },
  );

  test("the text changed between the two tries: one message, with the newer text", async () => {
    const { bench, view, desired, process, job } = await openOutboxBench();
    bench.killAt(
      () => process,
      (method, path) => method === "POST" && path.endsWith("/messages"),
    );
    desired.push(owes(bench, job, "growing", { live: true }));
    process.postSync.syncThread(bench.threadId);
    await bench.until(() => contents(bench).length === 1);
    desired.splice(0, 1, owes(bench, job, "grown"));
    const next = bench.start(view);
    await bench.run(next.postSync.idle());
    expect(contents(bench)).toEqual(["grown"]);
  });

  test("the nonce has run out since: it is found, by its words or as the only stray of its kind, and not sent again", async () => {
    for (const words of ["the same", "other words"]) {
      const { bench, view, desired, process, job } = await openOutboxBench();
      bench.killAt(
        () => process,
        (method, path) => method === "POST" && path.endsWith("/messages"),
      );
      desired.push(owes(bench, job, "the same"));
      process.postSync.syncThread(bench.threadId);
      await bench.until(() => contents(bench).length === 1);
      await bench.clock.advance(30 * 60_000);
      // Owed anew since the restart, as the end of a job that was cut off; it may have been tried since the job began.
      desired.splice(0, 1, owes(bench, job, words));
      const next = bench.start(view);
      await bench.run(next.postSync.idle());
      expect(contents(bench)).toEqual([words]);
      expect(bench.asked(/^POST .*messages/)).toHaveLength(1);
    }
  });

  test("a message of a job that is known no more is not taken for the answer of a later one, whatever that says", async () => {
    const { bench, desired, view, process, job, owe } = await openOutboxBench();
    const jobs = [job];
    await bench.succeed(process, job);
    while (jobs.length < KEPT_JOBS + 5) {
      const next = await bench.job(process);
      await bench.succeed(process, next);
      jobs.push(next);
    }
    const said = (at: number): string => (at % 2 === 0 ? "ok" : `answer ${at}`);
    const ends = (id: string, at: number): DesiredPost[] => [
      owes(bench, id, said(at)),
      owes(bench, id, "end", { part: "end" }),
    ];
    await owe(...jobs.slice(0, -2).flatMap(ends));
    // One more ends, and the first few are forgotten with their posts.
    await bench.succeed(process, await bench.job(process));
    expect(process.engine.state.jobs[job]).toBeUndefined();
    process.kill();
    await bench.clock.advance(30 * 60_000);
    // Their answers may have been tried before the restart, since these jobs began.
    const since = bench.clock.now() - 60 * 60_000;
    desired.splice(
      0,
      desired.length,
      ...jobs.slice(-2).map((id, at) => ({ ...owes(bench, id, said(jobs.length - 2 + at)), since })),
    );
    const next = bench.start(view);
    await bench.run(next.postSync.idle());
    expect(contents(bench).filter((text) => text !== "end")).toEqual(jobs.map((_, at) => said(at)));
  });

  test("whatever is in doubt after a restart, its channel is read once, back to the oldest of it", async () => {
    const { bench, view, desired, process, job } = await openOutboxBench();
    const parts = Array.from({ length: 9 }, (_, part) => owes(bench, job, `${part}`, { part: `answer:${part}` }));
    let posted = 0;
    bench.killAt(
      () => process,
      (method, path) => method === "POST" && path.endsWith("/messages") && ++posted === 3,
    );
    desired.push(...parts);
    process.postSync.syncThread(bench.threadId);
    await bench.until(() => contents(bench).length === 3);
    for (let more = 0; more < 120; more += 1) await bench.owner.send(`more ${more}`);
    await bench.clock.advance(30 * 60_000);
    const gone = Array.from({ length: 3 }, (_, card) => sought(bench, job, words(`running ${card}`), `card:${card}`));
    desired.unshift(...gone);
    const next = bench.start(view);
    await bench.run(next.postSync.idle());
    expect(contents(bench)).toEqual(parts.map((_, part) => `${part}`));
    expect(gone.map(({ part }) => posts(next, job)[part]?.message_id)).toEqual(gone.map(() => null));
    // 123 messages are two pages.
    expect(bench.asked(/^GET .*messages$/)).toHaveLength(2);
  });

  test("what is only looked for holds nothing up, and is not taken for another post that stands", async () => {
    const { bench, view, desired, process, job } = await openOutboxBench();
    bench.killAt(
      () => process,
      (method, path) => method === "POST" && path.endsWith("/messages"),
    );
    desired.push(owes(bench, job, "running", { part: "card", live: true }));
    process.postSync.syncThread(bench.threadId);
    await bench.until(() => contents(bench).length === 1);
    const gone = sought(bench, job, words("running"));
    desired.splice(0, 1, gone, owes(bench, job, "answer"));
    const young = bench.start(view);
    bench.killAt(
      () => young,
      (method, path) => method === "GET" && path.endsWith("/messages"),
    );
    await bench.until(() => contents(bench).length === 2);
    expect(contents(bench)).toEqual(["running", "answer"]);
    young.kill();
    // Now both are in doubt, and too old to be sent under their nonces.
    await bench.clock.advance(30 * 60_000);
    desired.splice(1, 1, { ...owes(bench, job, "end", { part: "end" }), since: bench.clock.now() - 20 * 60_000 });
    const next = bench.start(view);
    await bench.run(next.postSync.idle());
    expect(contents(bench)).toEqual(["running", "answer", "end"]);
    expect(posts(next, job)["card"]?.message_id).toBe(bench.said()[0]?.id);
  });

  test("two posts with the same words are two messages, also when they are looked up", async () => {
    const { bench, view, desired, process, job, owe } = await openOutboxBench();
    await owe(owes(bench, job, "ok"));
    process.kill();
    await bench.clock.advance(30 * 60_000);
    desired.push({ ...owes(bench, job, "ok", { part: "answer:1" }), since: bench.clock.now() - 20 * 60_000 });
    const next = bench.start(view);
    await bench.run(next.postSync.idle());
    expect(contents(bench)).toEqual(["ok", "ok"]);
  });

  test("stored before the restart, and limited until its nonce had run out: found, not sent again", async () => {
    const { bench, view, desired, process, job } = await openOutboxBench();
    bench.killAt(
      () => process,
      (method, path) => method === "POST" && path.endsWith("/messages"),
    );
    desired.push(owes(bench, job, "one"));
    process.postSync.syncThread(bench.threadId);
    await bench.until(() => contents(bench).length === 1);
    bench.sandbox.faults.rateLimit({ operationId: "create_message", retryAfter: 400, times: 1 });
    const next = bench.start(view);
    await bench.run(next.postSync.idle());
    expect(contents(bench)).toEqual(["one"]);
  });

  test("creating fails for long: the whole answer stands when it works again, and nothing less", async () => {
    for (const minutes of [7, 60]) {
      const { bench, process, desired, job } = await openOutboxBench();
      await bench.succeed(process, job);
      const fault = bench.sandbox.faults.fail({ operationId: "create_message", status: 503, when: "before" });
      desired.push(owes(bench, job, "the whole answer"));
      process.postSync.syncThread(bench.threadId);
      const start = bench.clock.monotonic();
      await bench.until(() => bench.clock.monotonic() > start + minutes * 60_000);
      fault.lift();
      await bench.run(process.postSync.idle());
      expect(contents(bench)).toEqual(["the whole answer"]);
    }
  });

  test("no answer for longer than a nonce lives: looked up before it is sent again", async () => {
    const { bench, process, desired, job, owe } = await openOutboxBench();
    const fault = bench.sandbox.faults.fail({ operationId: "create_message", status: 500, when: "after" });
    desired.push(owes(bench, job, "one"));
    process.postSync.syncThread(bench.threadId);
    const start = bench.clock.monotonic();
    await bench.until(() => bench.clock.monotonic() > start + 10 * 60_000);
    fault.lift();
    await owe(...desired);
    expect(contents(bench)).toEqual(["one"]);
  });
});

describe("growing messages", () => {
  test("no message is edited oftener than the interval, and the last body stands", async () => {
    const { bench, process, desired, job, owe } = await openOutboxBench();
    await owe(owes(bench, job, "0", { live: true }));
    for (let n = 1; n <= 50; n += 1) {
      desired.splice(0, 1, owes(bench, job, `${n}`, { live: true }));
      process.postSync.syncThread(bench.threadId);
      await bench.wait(100);
    }
    const edits = bench.sent.filter(({ method }) => method === "PATCH").map(({ at }) => at);
    const gaps = edits.slice(1).map((at, index) => at - (edits[index] ?? 0));
    expect(edits).toHaveLength(4);
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(1200);
    await owe(owes(bench, job, "the end"));
    expect(contents(bench)).toEqual(["the end"]);
    expect(bench.sandbox.invalidRequests).toBe(0);
  });

  test("the end is shown at once, not at the next interval", async () => {
    const { bench, process, desired, job, owe } = await openOutboxBench();
    await owe(owes(bench, job, "a", { live: true }));
    desired.splice(0, 1, owes(bench, job, "ab", { live: true }));
    process.postSync.syncThread(bench.threadId);
    const before = bench.clock.monotonic();
    await owe(owes(bench, job, "abc"));
    expect(bench.clock.monotonic() - before).toBeLessThan(100);
    expect(contents(bench)).toEqual(["abc"]);
  });

  test("however much grows, the end of one message finds a place", async () => {
    const { bench, process, desired, job, owe } = await openOutboxBench();
    const grow = (n: number): DesiredPost[] =>
      ["card", "answer:0", "answer:1"].map((part) => owes(bench, job, `${part} ${n}`, { part, live: true }));
    await owe(...grow(0));
    for (let n = 1; n <= 60; n += 1) {
      desired.splice(0, 3, ...grow(n));
      process.postSync.syncThread(bench.threadId);
      await bench.wait(100);
    }
    const before = bench.clock.monotonic();
    const last = owes(bench, job, "the end");
    desired.splice(0, 3, last);
    process.postSync.syncThread(bench.threadId);
    await bench.until(() => contents(bench).includes("the end"));
    expect(bench.clock.monotonic() - before).toBeLessThan(100);
    expect(bench.sandbox.invalidRequests).toBe(0);
  });

  test("an edit still waiting does not come on top of the end", async () => {
    const { bench, process, desired, job, owe } = await openOutboxBench();
    await owe(owes(bench, job, "a", { live: true }));
    await bench.clock.advance(2000);
    const fault = bench.sandbox.faults.rateLimit({ operationId: "update_message", retryAfter: 3, times: 1 });
    desired.splice(0, 1, owes(bench, job, "ab", { live: true }));
    process.postSync.syncThread(bench.threadId);
    await bench.until(() => fault.hits === 1);
    await owe(owes(bench, job, "a"));
    expect(contents(bench)).toEqual(["a"]);
    // The refused one, and the end in its place.
    expect(bench.asked(/^PATCH/)).toHaveLength(2);
  });

  test("an edit whose answer was lost is not taken for undone", async () => {
    const { bench, process, desired, job, owe } = await openOutboxBench();
    await owe(owes(bench, job, "a", { live: true }));
    await bench.clock.advance(2000);
    const fault = bench.sandbox.faults.fail({ operationId: "update_message", status: 500, when: "after", times: 1 });
    desired.splice(0, 1, owes(bench, job, "ab", { live: true }));
    process.postSync.syncThread(bench.threadId);
    await bench.until(() => fault.hits === 1);
    await owe(owes(bench, job, "a"));
    expect(contents(bench)).toEqual(["a"]);
  });

  test("a body that stands already is only written down, not sent again", async () => {
    const { bench, process, job, owe } = await openOutboxBench();
    await owe(owes(bench, job, "pong", { live: true }));
    await owe(owes(bench, job, "pong"));
    expect(bench.asked(/^PATCH/)).toEqual([]);
    expect(posts(process, job)["answer:0"]?.hash).not.toContain("live");
  });
});
