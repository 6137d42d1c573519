/**
 * What was written, edited and deleted while nobody heard it: all of it found, once, in its order, with no more
 * requests than it takes. The figures R16 and R17 of the sheet are the properties at the end.
 */
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { PAUSE_MS, READS_A_ROUND } from "../../../../src/discord/intake/catch-up.ts";
import { chance, ListenerScene, shuffled, type Spoken } from "../intake-scene.ts";

const LONG = process.env["BELLHOP_TEST_LONG"] !== undefined;

/** So many messages in the queue, and the daemon gone. */
async function sleeping(count: number, threads = 1): Promise<{ scene: ListenerScene; messages: Spoken[] }> {
  const scene = await ListenerScene.open({ threads });
  const messages = scene.threads.flatMap((thread) => Array.from({ length: count }, () => scene.write({}, thread)));
  scene.listener.catchUp();
  await scene.quiet();
  await scene.restart();
  scene.reads.length = 0;
  return { scene, messages };
}

async function back(scene: ListenerScene): Promise<void> {
  scene.listener.catchUp();
  await scene.quiet();
}

const stale = (scene: ListenerScene): boolean[] =>
  scene.threads.map((id) => scene.engine.state.threads[id]?.stale ?? false);

describe("a queue that slept", () => {
  test("is looked up before it continues, and edits and deletions made meanwhile count", async () => {
    const { scene, messages } = await sleeping(4);
    expect(stale(scene)).toEqual([true]);
    scene.edit(messages[1]!, "changed");
    scene.delete(messages[2]!);
    await back(scene);
    expect(stale(scene)).toEqual([false]);
    expect(scene.queue()).toEqual(scene.contents());
    expect(scene.queue()[1]).toBe("changed");
  });

  test("is looked up once more where the connection was lost again meanwhile", async () => {
    const { scene, messages } = await sleeping(150);
    // The first page is read at once, as it is now.
    scene.listener.catchUp();
    scene.edit(messages[0]!, "changed");
    scene.delete(messages[1]!);
    await back(scene);
    expect(scene.queue()).toEqual(scene.contents());
    expect(stale(scene)).toEqual([false]);
  });

  test("starts nothing before all of it has been looked up", async () => {
    const scene = await ListenerScene.open({ rules: { global_max_running: 1 } });
    const hold = scene.write();
    const next = scene.write({ content: "old" });
    await back(scene);
    const started: (string | undefined)[] = [];
    await scene.restart();
    scene.edit(next, "new");
    scene.engine.watch(["run"], () => {
      const running = scene.engine.state.sessions[scene.thread]?.running_job_id ?? "";
      const prompt = scene.engine.state.jobs[running]?.prompt;
      if (prompt !== undefined && started.at(-1) !== prompt) started.push(prompt);
    });
    // The job that ran is unknown now and holds the queue until the owner lets it go.
    const crashed = Object.values(scene.engine.state.jobs).find(
      ({ discord_message_id }) => discord_message_id === hold.id,
    );
    await scene.engine.submit({ type: "discard", job_id: crashed?.job_id ?? "" });
    expect(started).toEqual([]);
    await back(scene);
    expect(started).toEqual(["new"]);
  });

  test("costs one request for a hundred messages, and the same page serves what was written since", async () => {
    const { scene } = await sleeping(60);
    for (let count = 0; count < 30; count += 1) scene.write();
    await back(scene);
    expect(scene.reads).toHaveLength(1);
    expect(scene.queue()).toEqual(scene.contents());
  });

  test("all deleted: one request more makes sure that Discord does not merely hide them", async () => {
    const { scene, messages } = await sleeping(3);
    for (const message of messages) scene.delete(message);
    await back(scene);
    expect([scene.queue(), scene.ones.length]).toEqual([[], 1]);
  });

  test("with a history that we may not read is left as it is", async () => {
    const { scene } = await sleeping(3);
    const kept = [...(scene.written.get(scene.thread) ?? [])];
    // An empty page where the messages stand, as without the right to read the history.
    scene.written.set(scene.thread, []);
    scene.listener.catchUp();
    scene.written.set(scene.thread, kept);
    await scene.quiet();
    expect(scene.queue()).toHaveLength(3);
  });

  test("and a history that is hidden only for a moment lose nothing that was written meanwhile", async () => {
    const { scene } = await sleeping(2);
    scene.write({ content: "meanwhile" });
    const kept = scene.written.get(scene.thread) ?? [];
    scene.written.set(scene.thread, []);
    scene.listener.catchUp();
    scene.written.set(scene.thread, kept);
    await scene.quiet();
    expect(scene.queue()).toEqual(scene.contents());
  });

  test("hides nothing that was never accepted, wherever between the queued ones it stands", async () => {
    const scene = await ListenerScene.open();
    const messages = Array.from({ length: 260 }, () => scene.write());
    const heard = messages.filter((_, index) => index < 100 || index >= 130);
    for (const { id, content: prompt } of heard) {
      await scene.engine.submit({
        type: "hear",
        thread_id: scene.thread,
        discord_message_id: id,
        prompt,
        files: [],
        refused_files: [],
        reply_to: null,
      });
    }
    await scene.restart();
    await back(scene);
    expect(scene.queue().toSorted()).toEqual(scene.contents().toSorted());
    expect(scene.reads).toHaveLength(3);
  });

  test("in a thread that cannot be read stays whole and asleep, is named, and wakes when it can be", async () => {
    const { scene } = await sleeping(2, 2);
    const [gone = "", fine = ""] = scene.threads;
    scene.refused.set(gone, new Error("Missing Access"));
    await back(scene);
    expect(stale(scene)).toEqual([true, false]);
    expect(scene.queue(gone)).toHaveLength(2);
    expect(scene.listener.left.unreadable).toEqual([gone]);
    expect(scene.queue(fine)).toHaveLength(2);
    scene.refused.clear();
    scene.listener.onThreadVisible(gone, false);
    await scene.quiet();
    expect([stale(scene), scene.listener.left.unreadable]).toEqual([[false, false], []]);
  });
});

describe("reading back", () => {
  test("what was changed in another gap, after it had been read and before it was queued, is as it is now", async () => {
    const scene = await ListenerScene.open();
    const [first, second] = [scene.write(), scene.write()];
    // Read at once, as they are now.
    scene.listener.catchUp();
    scene.edit(first, "changed");
    scene.delete(second);
    await back(scene);
    expect(scene.queue()).toEqual(["changed"]);
  });

  test("goes round: no thread waits for another's thousand messages", async () => {
    const scene = await ListenerScene.open({ threads: 6 });
    for (let count = 0; count < 1000; count += 1) scene.write({}, scene.thread);
    for (const thread of scene.threads.slice(1)) scene.write({}, thread);
    await back(scene);
    const last = Math.max(
      ...scene.threads.slice(1).map((thread) => scene.reads.findIndex((read) => read.startsWith(thread))),
    );
    expect(last).toBeLessThan(10);
    for (const thread of scene.threads) expect(scene.queue(thread)).toEqual(scene.contents(thread));
  });

  test("pauses after so many requests, names what is left, and continues by itself", async () => {
    const scene = await ListenerScene.open({ threads: READS_A_ROUND + 30 });
    for (const thread of scene.threads) scene.write({}, thread);
    scene.listener.catchUp();
    while (scene.listener.left.waiting.length === 0) await scene.clock.settle();
    expect(scene.reads).toHaveLength(READS_A_ROUND);
    expect(scene.listener.left.waiting).toHaveLength(30);
    const before = scene.clock.monotonic();
    await scene.quiet();
    expect(scene.clock.monotonic() - before).toBe(PAUSE_MS);
    expect(scene.listener.left.waiting).toEqual([]);
    for (const thread of scene.threads) expect(scene.queue(thread)).toHaveLength(1);
  });

  test("a refusal that may pass is tried again by itself", async () => {
    const scene = await ListenerScene.open({ unreadable: () => "try_again" });
    scene.write();
    scene.refused.set(scene.thread, new Error("strange"));
    scene.listener.catchUp();
    while (scene.clock.armed === 0) await scene.clock.settle();
    scene.refused.clear();
    await scene.clock.step();
    await scene.quiet();
    expect(scene.queue()).toHaveLength(1);
  });
});

/** One stretch of a history. */
const stretch = fc.record({
  how: fc.constantFrom("live", "gap", "down") as fc.Arbitrary<"live" | "gap" | "down">,
  messages: fc.integer({ min: 0, max: 150 }),
  edits: fc.integer({ min: 0, max: 8 }),
  deletions: fc.integer({ min: 0, max: 8 }),
  copies: fc.integer({ min: 1, max: 5 }),
  disordered: fc.boolean(),
  /** The connection is lost in the middle of what comes live. */
  cut: fc.boolean(),
  /** The connection is lost once more while what was missed is being read. */
  again: fc.boolean(),
  seed: fc.integer(),
});
type Stretch = typeof stretch extends fc.Arbitrary<infer T> ? T : never;

/** What is heard of it as it happens; nothing where nobody hears. */
function happen(
  scene: ListenerScene,
  { messages, edits, deletions, seed }: Stretch,
): { created: Spoken[]; edited: Spoken[]; deleted: Spoken[] } {
  const random = chance(seed);
  const pick = <T>(all: readonly T[]): T | undefined => all[Math.floor(random() * all.length)];
  const created = Array.from({ length: messages }, () => scene.write({}, pick(scene.threads)));
  const as = structuredClone(created);
  const standing = (): Spoken | undefined => pick(scene.written.get(pick(scene.threads) ?? "") ?? []);
  const edited = Array.from({ length: edits }, standing).flatMap((one) =>
    one ? [structuredClone(scene.edit(one, `${one.content}, edited`))] : [],
  );
  const deleted = Array.from({ length: deletions }, standing).flatMap((one) => (one ? (scene.delete(one), [one]) : []));
  return { created: as, edited, deleted };
}

async function live(scene: ListenerScene, part: Stretch): Promise<void> {
  const { created, edited, deleted } = happen(scene, part);
  const brought = part.disordered
    ? shuffled(created, part.copies, part.seed)
    : created.flatMap((one) => Array.from({ length: part.copies }, () => one));
  for (const [index, message] of brought.entries()) {
    scene.listener.message(message);
    if (part.cut && index === Math.floor(brought.length / 2)) scene.listener.catchUp({ missed: false });
    if (index % 7 === 0) await scene.clock.settle();
  }
  for (const message of edited) scene.listener.edited(message);
  for (const { channel_id, id } of deleted) scene.listener.deleted(channel_id, [id]);
  await scene.quiet();
}

/** The most pages this catching up may take: one for each thread, and one more for each hundred messages in the way. */
function allowed(scene: ListenerScene): number {
  const pages = scene.threads.map((thread) => {
    const waiting =
      scene.engine.state.sessions[thread]?.queue.map((id) => scene.engine.state.jobs[id]?.discord_message_id ?? "0") ??
      [];
    const from = [scene.engine.state.watermarks[thread] ?? "0", ...waiting]
      .map(BigInt)
      .reduce((a, b) => (a < b ? a : b));
    const there = (scene.written.get(thread) ?? []).filter(({ id }) => BigInt(id) >= from).length;
    return 1 + Math.ceil(there / 100);
  });
  return pages.reduce((a, b) => a + b, 0);
}

test(
  "R16, R17: through any downtimes, losses and copies, each message that stands is one job, as it is now, in order",
  { timeout: LONG ? 3_600_000 : 60_000 },
  async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(stretch, { minLength: 1, maxLength: 5 }),
        fc.integer({ min: 1, max: 6 }),
        async (parts, threads) => {
          const scene = await ListenerScene.open({ threads });
          await back(scene);
          for (const part of parts) {
            if (part.how === "live") await live(scene, part);
            else {
              if (part.how === "down") await scene.restart();
              happen(scene, part);
              const most = allowed(scene);
              scene.reads.length = 0;
              if (part.again) {
                scene.listener.catchUp();
                happen(scene, part);
              }
              await back(scene);
              if (!part.again) expect(scene.reads.length).toBeLessThanOrEqual(most);
            }
          }
          await scene.restart();
          await back(scene);
          const inOrder = !parts.some(({ how, disordered }) => how === "live" && disordered);
          for (const thread of scene.threads) {
            const [queue, contents] = [scene.queue(thread), scene.contents(thread)];
            expect(inOrder ? queue : queue.toSorted()).toEqual(inOrder ? contents : contents.toSorted());
          }
          const heard = Object.values(scene.engine.state.jobs).map(({ discord_message_id }) => discord_message_id);
          expect(new Set(heard).size).toBe(heard.length);
        },
      ),
      { numRuns: LONG ? 10_000 : 150 },
    );
  },
);

test(
  "R17: 1 to 1,000 messages in 1 to 50 threads while away: all found, in order, one request per hundred and one per thread",
  { timeout: LONG ? 3_600_000 : 60_000 },
  async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 1000 }),
        fc.integer({ min: 1, max: 50 }),
        fc.integer(),
        async (messages, threads, seed) => {
          const scene = await ListenerScene.open({ threads });
          await back(scene);
          await scene.restart();
          scene.reads.length = 0;
          const random = chance(seed);
          for (let count = 0; count < messages; count += 1)
            scene.write({}, scene.threads[Math.floor(random() * threads)]);
          await back(scene);
          for (const thread of scene.threads) expect(scene.queue(thread)).toEqual(scene.contents(thread));
          const hundreds = scene.threads
            .map((thread) => Math.floor(scene.contents(thread).length / 100))
            .reduce((a, b) => a + b, 0);
          expect(scene.reads.length).toBeLessThanOrEqual(threads + hundreds);
        },
      ),
      { numRuns: LONG ? 1_000 : 40 },
    );
  },
);
