/**
 * The daemon is away for a while, again and again: whatever was written meanwhile, in however many threads and far
 * beyond what a queue holds or a page brings, is answered once and in its order. With BELLHOP_TEST_LONG, a thousand
 * messages.
 */
import { expect, test } from "vitest";
import { openWorld, type World } from "./world.ts";

const LONG = process.env["BELLHOP_TEST_LONG"] !== undefined;
const THREADS = LONG ? 10 : 3;
/** How many messages each time away; those of a time that is `alone` all in one thread. */
const AWAY = LONG
  ? [{ count: 1 }, { count: 9 }, { count: 150, alone: true }, { count: 40 }, { count: 800 }]
  : [{ count: 1 }, { count: 7, alone: true }, { count: 6 }];
const QUEUE = LONG ? 20 : 3;

interface Written {
  id: string;
  thread: string;
  prompt: string;
}

/** Written by the owner while nobody hears; in turn, but unevenly, over the threads. */
async function write(
  world: World,
  threads: readonly string[],
  { count, alone = false }: { count: number; alone?: boolean },
  from: number,
): Promise<Written[]> {
  const written: Written[] = [];
  for (let number = from; number < from + count; number += 1) {
    const thread = threads[alone ? 0 : (number * number + 1) % threads.length] ?? "";
    const { id } = await world.owner(thread).send(`count:${number}`);
    written.push({ id, thread, prompt: `count:${number}` });
  }
  return written;
}

test(
  "messages written during downtimes of every length are each answered once, in order",
  { timeout: LONG ? 3_600_000 : 60_000 },
  async () => {
    const world = await openWorld({ unlimited: true, config: { limits: { max_queue_per_session: QUEUE } } });
    let daemon = world.daemon();
    await daemon.ready;
    const threads: string[] = [];
    for (let count = 0; count < THREADS; count += 1) threads.push(await world.session());
    const all: Written[] = [];
    for (const [round, away] of AWAY.entries()) {
      await daemon.kill(round % 2 === 0 ? "SIGKILL" : "SIGTERM");
      const written = await write(world, threads, away, all.length);
      all.push(...written);
      daemon = world.daemon();
      // What ends well is on disk before its sign says so, and so nothing is cut off by the next time away.
      for (const { id } of written.toReversed()) await world.marked(id, "✅");
    }
    const starts = world.agentStarts().map(({ prompt }) => prompt);
    expect(starts).toHaveLength(all.length);
    for (const thread of threads) {
      const mine = all.filter((one) => one.thread === thread).map(({ prompt }) => prompt);
      expect(starts.filter((prompt) => mine.includes(prompt))).toEqual(mine);
      const answers = (): string[] =>
        world.said(thread).flatMap(({ content }) => /^did (\d+)$/.exec(content.trim())?.[1] ?? []);
      // A job's sign may stand before its answer does.
      await world.saying(thread, () => answers().length >= mine.length);
      expect(answers().map((number) => `count:${number}`)).toEqual(mine);
    }
  },
);
