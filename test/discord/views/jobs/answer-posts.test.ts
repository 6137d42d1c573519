/**
 * A thread reads in the order in which things happened: what an agent says after something was posted below its answer
 * stands below that.
 */
import { deepEqual, equal, ok } from "node:assert/strict";
import fc from "fast-check";
import type { APIMessage } from "discord-api-types/v10";
import { describe, expect, test } from "vitest";
import { compareSnowflakes } from "../../../../src/base/ids.ts";
import { cutOf, segmentOf, uptoOf } from "../../../../src/discord/views/jobs/answer-posts.ts";
import { viewThread } from "../../../../src/discord/views/thread.ts";
import { openPostBench, type PostBench, type Process, type View } from "../../../fakes/post-bench.ts";
import { markdown } from "../../seen.ts";

/** The product's own view of a thread whose job answers this in the end. */
function view(answer: () => string): View {
  return (engine, thread, stream) =>
    viewThread(engine.state, thread, {
      locale: "en",
      liveText: (id) => stream.liveText(id),
      below: (id) => stream.below(id),
      result: answer,
      config: { long_answers: "file", max_file_bytes: 1_000_000 },
      markdown,
    });
}

/** `answer`: of the agent in the end, where that is not what it said. */
async function speaking(answer?: string) {
  const said = { text: "" };
  const bench = await openPostBench();
  const process = bench.start(
    view(() => answer ?? said.text),
    { keepers: true },
  );
  const job = await bench.job(process);
  // Nothing is posted of it before.
  await bench.wait(1_500);
  const at = { job_id: job, thread_id: bench.threadId };
  const say = async (delta: string): Promise<void> => {
    said.text += delta;
    process.liveEvents.send({ kind: "text", ...at, delta });
    await settled(bench, process);
  };
  return { bench, process, job, at, said, say };
}

/** Long enough for the next edit, and everything of it. */
async function settled(bench: PostBench, process: Process): Promise<void> {
  await bench.wait(1300);
  await bench.run(process.postSync.idle());
}

/** The owner writes in the thread while the job runs. */
async function write(bench: PostBench, { stream }: Process, words: string): Promise<string> {
  const { id } = await bench.owner.send(words);
  stream.onMessagePosted(bench.threadId, id);
  return id;
}

async function end(bench: PostBench, process: Process, job: string): Promise<void> {
  await bench.succeed(process, job);
  await bench.run(process.postSync.idle());
}

const inOrder = (bench: PostBench): string[] =>
  bench.sandbox
    .messages(bench.threadId)
    .map(({ content }) => content.replace(/(^|\n)-# (✅ done)[^]*$/, (_, above: string) => `${above && " "}✅ done`));

describe("the answer continues below", () => {
  test("what was written below it while it grew, and below that what closes it", async () => {
    const { bench, process, job, say } = await speaking();
    await say("I will look.");
    await write(bench, process, "and mind the tests");
    await say("\n\nI have looked.");
    await say(" All is well.");
    await end(bench, process, job);
    expect(inOrder(bench).slice(-4)).toEqual([
      "I will look.",
      "and mind the tests",
      "I have looked. All is well.",
      "✅ done",
    ]);
  });

  test("a question that was put to the owner, also where all the rest comes at once with the end", async () => {
    const { bench, process, job, at, said, say } = await speaking();
    await say("I have to ask.");
    await write(bench, process, "(a prompt)");
    said.text += "\n\nIt is done.";
    process.liveEvents.send({ kind: "text", ...at, delta: "\n\nIt is done." });
    await end(bench, process, job);
    expect(inOrder(bench).slice(-3)).toEqual(["I have to ask.", "(a prompt)", "It is done. ✅ done"]);
  });

  test("as long as nothing is below it, it is one message", async () => {
    const { bench, process, job, say } = await speaking();
    await write(bench, process, "before");
    for (const delta of ["One.", "\n\nTwo.", "\n\nThree."]) await say(delta);
    await end(bench, process, job);
    expect(inOrder(bench).slice(-2)).toEqual(["One.\n\nTwo.\n\nThree.", "✅ done"]);
  });

  test("with the whole sentence that was being written, and the block of code", async () => {
    for (const [before, after, above, below] of [
      ["Done so far.\nNow I ", "go on.", "Done so far.", "Now I go on."],
      ["Look:\n```js\nlet a", " = 1;\n```\nSo.", "Look:", "```js\nlet a = 1;\n```\nSo."],
    ] as const) {
      const { bench, process, job, say } = await speaking();
      await say(before);
      await write(bench, process, "hm");
      await say(after);
      await end(bench, process, job);
      expect(inOrder(bench).slice(-4)).toEqual([above, "hm", below, "✅ done"]);
    }
  });

  test("after a restart in the moment before its end is posted, and nothing is said twice", async () => {
    const { bench, process, job, said, say } = await speaking();
    await say("First.");
    await write(bench, process, "hm");
    await say("\n\nSecond.");
    said.text += " Third.";
    bench.killAt(
      () => process,
      (method, path) => method === "PATCH" && path.includes("/messages/"),
    );
    await bench.succeed(process, job);
    await bench.until(() => inOrder(bench).includes("Second. Third."));
    const next = bench.start(view(() => said.text));
    await bench.run(next.postSync.idle());
    expect(inOrder(bench).slice(-4)).toEqual(["First.", "hm", "Second. Third.", "✅ done"]);
  });

  test("whole, where it is another answer in the end than what was shown", async () => {
    const { bench, process, job, say } = await speaking("Something else altogether.");
    await say("First.");
    await write(bench, process, "hm");
    await say("\n\nSecond.");
    await end(bench, process, job);
    expect(inOrder(bench).slice(-4)).toEqual(["First.", "hm", "Something else altogether.", "✅ done"]);
  });
});

test("whatever is said and written when, nothing is lost or doubled, and nothing said later is above", async () => {
  const word = fc.constantFrom("word ", "a b. ", "line\n", "block.\n\n", "x".repeat(700), "end.\n");
  const step = fc.oneof(
    { weight: 4, arbitrary: fc.array(word, { minLength: 1, maxLength: 4 }).map((words) => words.join("")) },
    { weight: 1, arbitrary: fc.constant(null) },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 14 }), async (steps) => {
      const { bench, process, job, said, say } = await speaking();
      const written: { id: string; at: number }[] = [];
      for (const one of steps) {
        if (one === null) written.push({ id: await write(bench, process, "hm"), at: said.text.length });
        else await say(one);
      }
      await end(bench, process, job);
      const isSpoken = ({ content, attachments }: APIMessage): boolean =>
        content !== "" && !content.startsWith("-# ") && attachments.length === 0;
      const spoken = bench.said().filter(isSpoken);
      if (bench.said().some(({ attachments }) => attachments.length > 0)) return;
      const solid = (text: string): string => text.replace(/\s+/g, "");
      const none = said.text.trim() === "";
      if (!none) equal(solid(spoken.map(({ content }) => content).join("")), solid(said.text));
      for (const { id, at } of written) {
        const above = spoken
          .filter((message) => compareSnowflakes(message.id, id) < 0)
          .map(({ content }) => content)
          .join("");
        if (!none) ok(solid(above).length <= solid(said.text.slice(0, at)).length);
      }
    }),
    { numRuns: 12 },
  );
});

test("a segment is where the messages end that go up to somewhere, and begins anew for another text", () => {
  const text = "one two three";
  const post = (message_id: string, chars?: number) => ({
    channel_id: "1",
    message_id,
    hash: "h",
    is: "whole",
    ...(chars && { upto: uptoOf(text, chars) }),
  });
  const posts = {
    card: post("1"),
    "answer:0": post("2", 4),
    "answer:1": post("3"),
    "answer:2": post("4", 8),
    "answer:10": post("5"),
  };
  deepEqual(segmentOf(posts, text), { from: 8, first: 3 });
  deepEqual(segmentOf(posts, null), { from: 8, first: 3 });
  deepEqual(segmentOf(posts, "eins zwei drei"), { from: 0, first: 3 });
  equal(cutOf(posts, { from: 8, first: 3 }, [{ id: "4", at: 9 }], { text, paused: true }), null);
  equal(
    cutOf(
      posts,
      { from: 8, first: 3 },
      [
        { id: "6", at: 10 },
        { id: "7", at: 12 },
      ],
      { text, paused: true },
    ),
    10,
  );
});
