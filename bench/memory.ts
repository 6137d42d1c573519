/**
 * What a day of work leaves in the daemon's memory: many short jobs over a few threads, and then nothing to do. V8
 * keeps a young generation as large as it ever needed, and malloc an arena for every thread, unless they are told not
 * to.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Figure } from "./journal.ts";
import { Bench, pause } from "./stage.ts";

export async function memoryAfterWork(jobs = 600, sessions = 10): Promise<Figure[]> {
  const control = await controlBot(jobs, sessions);
  const bench = await new Bench().open({ limits: { global_max_running: 10 } });
  try {
    await bench.start();
    const threads = await Promise.all(Array.from({ length: sessions }, () => bench.session()));
    await bench.rest();
    const spent = await spentOnEach(bench, jobs, threads, (thread) => bench.ends(thread).length);
    const resident = bench.rss();
    return [
      {
        name: `daemon after ${jobs} short jobs over ${sessions} threads`,
        reached: `${resident.toFixed(0)} MB resident, ${(bench.peak() / 2 ** 20).toFixed(0)} MB at its highest`,
        value: resident,
        bar: "≤ 130 MB",
        holds: resident <= 130,
      },
      {
        name: "each of these jobs",
        reached: `${spent.toFixed(1)} ms of the daemon's processor time; control bot ${control.toFixed(1)} ms, ratio ${(spent / control).toFixed(1)}`,
        value: spent,
        bar: "≤ 12 ms",
        holds: spent <= 12,
      },
    ];
  } finally {
    await bench.close();
  }
}

/** What the least that a bot can do for the same jobs costs it each, in milliseconds of its processor time. */
async function controlBot(jobs: number, sessions: number): Promise<number> {
  const bench = await new Bench().open();
  try {
    await bench.control();
    const threads = await Promise.all(
      Array.from({ length: sessions }, (_, number) => bench.thread(`control ${number}`)),
    );
    await bench.rest();
    const ended = (thread: string): number =>
      bench.sandbox.messages(thread).filter(({ content }) => content === "done").length;
    return await spentOnEach(bench, jobs, threads, ended);
  } finally {
    await bench.close();
  }
}

/** Writes so many messages, evenly to the threads; the processor time for each until all of them have their end. */
async function spentOnEach(
  bench: Bench,
  jobs: number,
  threads: readonly string[],
  ended: (thread: string) => number,
): Promise<number> {
  const before = bench.cpu();
  const each = jobs / threads.length;
  for (const thread of threads) {
    const owner = bench.owner(thread);
    for (let number = 0; number < each; number += 1) await owner.send(`job ${number}`);
  }
  const died = new Promise<never>((_, reject) =>
    bench.child?.once("exit", (code) => reject(new Error(`it ended with ${code}`))),
  );
  await Promise.race([died, bench.sandbox.until(() => threads.every((thread) => ended(thread) === each))]);
  await bench.rest();
  return (bench.cpu() - before) / jobs;
}

/**
 * A day of many jobs, as fast as they go: what is resident when the first of its 24 hours' are done, and at its end.
 */
export async function day(jobs = 5_000, sessions = 10): Promise<Figure> {
  const bench = await new Bench().open({ limits: { global_max_running: sessions } });
  try {
    await bench.start();
    const threads = await Promise.all(Array.from({ length: sessions }, () => bench.session()));
    const hour = Math.ceil(jobs / 24 / sessions);
    const busy: number[] = [];
    const settled: number[] = [];
    const ids: string[] = [];
    for (let done = 0; done < jobs;) {
      for (const thread of threads) {
        const owner = bench.owner(thread);
        for (let number = 0; number < hour; number += 1) ids.push((await owner.send(`job ${number}`)).id);
      }
      done += hour * sessions;
      while (completed(bench) < done) await pause(500);
      if (settled.length > 0 && done < jobs) continue;
      await drained(bench, ids);
      busy.push(bench.rss());
      await bench.settle();
      settled.push(bench.rss());
    }
    const [first = Number.NaN, last = Number.NaN] = settled;
    return {
      name: `a day of ${completed(bench)} jobs, compressed: the daemon's memory`,
      reached: `${last.toFixed(0)} MB, after its first hour's ${first.toFixed(0)} MB, ratio ${(last / first).toFixed(2)}, each after a minute of rest (before it ${busy.map((rss) => rss.toFixed(0)).join(" and ")} MB); at its highest ${(bench.peak() / 2 ** 20).toFixed(0)} MB`,
      value: last / first,
      bar: "≤ 1.1 times its first hour's",
      holds: last / first <= 1.1,
    };
  } finally {
    await bench.close();
  }
}

/**
 * So many jobs in so short a time owe more reactions than Discord takes in it, and a day does not. A message that has
 * its last one is not looked at again: to look at thousands at each event held up the local Discord for minutes.
 */
async function drained(bench: Bench, ids: string[]): Promise<void> {
  await bench.sandbox.until(({ reactions }) => {
    while (ids.length > 0 && Object.keys(reactions(ids.at(-1) ?? "")).join() === "✅") ids.pop();
    return ids.length === 0;
  });
  await bench.rest();
}

function completed(bench: Bench): number {
  return readFileSync(join(bench.home, "state", "events.ndjson"), "utf8").split('"type":"JobCompleted"').length - 1;
}
