/**
 * What a day of work leaves in the daemon's memory: many short jobs over a few threads, and then nothing to do. V8 keeps
 * a young generation as large as it ever needed, and malloc an arena for every thread, unless they are told not to.
 */
import type { Figure } from "./journal.ts";
import { Bench } from "./stage.ts";

export async function memoryAfterWork(jobs = 600, sessions = 10): Promise<Figure[]> {
  const bench = await new Bench().open({ limits: { global_max_running: 10 } });
  try {
    await bench.start();
    const threads = await Promise.all(Array.from({ length: sessions }, () => bench.session()));
    await bench.rest();
    const before = bench.cpu();
    const each = jobs / sessions;
    for (const thread of threads) {
      const owner = bench.sandbox.channel(thread).user(bench.sandbox.owner.id);
      for (let number = 0; number < each; number += 1) await owner.send(`job ${number}`);
    }
    const ends = (thread: string): number => bench.sandbox.messages(thread).filter(({ embeds }) => embeds[0]?.description?.startsWith("✅")).length;
    await bench.sandbox.until(() => threads.every((thread) => ends(thread) === each));
    await bench.rest();
    const spent = (bench.cpu() - before) / jobs;
    const resident = bench.rss();
    return [
      { name: `daemon after ${jobs} short jobs over ${sessions} threads`, reached: `${resident.toFixed(0)} MB resident, ${(bench.peak() / 2 ** 20).toFixed(0)} MB at its highest`, value: resident, bar: "≤ 130 MB", holds: resident <= 130 },
      { name: "each of these jobs", reached: `${spent.toFixed(1)} ms of the daemon's processor time`, value: spent, bar: "≤ 12 ms", holds: spent <= 12 },
    ];
  } finally {
    await bench.close();
  }
}
