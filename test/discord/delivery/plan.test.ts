/** What is owed to a thread is read from files as seldom as it can be, and never mistaken for something else. */
import { expect, test } from "vitest";
import type { FileLimit } from "../../../src/discord/api/file-limit.ts";
import type { Stream } from "../../../src/discord/delivery/live-stream.ts";
import { openPlan } from "../../../src/discord/delivery/plan.ts";
import { job, T1 } from "../../core/scene.ts";
import { botContext } from "../../fakes/bot-context.ts";
import { part } from "../../fakes/part.ts";
import { content, of, running } from "../seen.ts";

function reading(answers: (string | Error)[]) {
  const scene = running();
  scene.finish(job(1));
  const reads: string[] = [];
  const unreadable: string[] = [];
  const context = botContext({
    engine: {
      get state() {
        return scene.state;
      },
      diskFull: false,
    },
    results: {
      async read(id) {
        const answer = answers[Math.min(reads.push(id), answers.length) - 1] ?? "";
        if (answer instanceof Error) throw answer;
        return { text: answer, left: 0 };
      },
      readPatch: async () => undefined,
      readAttached: async () => undefined,
    },
    decisionFiles: { read: async () => null },
    ownerId: "1",
    statusLine: () => null,
    log: { failure: (_text, _error, details) => void unreadable.push(String(details?.["subject"])) },
    readDifference: async () => null,
    tools: { toolAccess: () => ({ access: null, writing: null }) },
  });
  const stream = part<Stream>({ liveText: () => undefined, below: () => [] });
  const desired = openPlan(context, stream, part<FileLimit>({ bytes: () => 1e7 }));
  return { desired, reads, unreadable, scene };
}

test("an answer is read once while it is posted, and not after its job is closed", async () => {
  const { desired, reads, scene } = reading(["said", "other words"]);
  for (let look = 0; look < 3; look += 1) expect(content(of(await desired(T1), "end"))).toMatch(/^said\n-# ✅ /);
  expect(reads).toEqual([job(1)]);
  scene.do({
    type: "record_post",
    subject: job(1),
    part: "end",
    channel_id: T1,
    message_id: "1500000000000000001",
    hash: "a",
    is: "success",
  });
  await desired(T1);
  expect(reads).toEqual([job(1)]);
});

test("an answer that is long, or could not be read, is read again at the next look", async () => {
  const long = reading(["word ".repeat(4_000)]);
  for (let look = 0; look < 2; look += 1) await long.desired(T1);
  expect(long.reads).toHaveLength(2);
  const late = reading([new Error("EIO"), "said"]);
  await late.desired(T1);
  expect(late.unreadable).toEqual([job(1)]);
  expect(content(of(await late.desired(T1), "end"))).toMatch(/^said\n-# ✅ /);
});
