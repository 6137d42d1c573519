/**
 * What holds with agents that speak ACP: how long a piece of an answer takes from its agent into Discord, ten that
 * stream at once, and, only when it is asked for, what ten minutes of that leave in the daemon's memory.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { streaming } from "./crowd.ts";
import type { Figure } from "./journal.ts";
import { Bench, ms, now, pause, percentile, root } from "./stage.ts";

const acp = [process.execPath, join(root, "bench", "acp-agent.mjs")];

export async function acpStreams(): Promise<Figure[]> {
  return [await shown(), ...(await streaming(10, acp))];
}

/** The words come seldom enough that an edit may be made for each. */
async function shown(words = 40): Promise<Figure> {
  const bench = await new Bench().open({ acp });
  try {
    await bench.start();
    const thread = await bench.session();
    await bench.owner(thread).send(`words ${words}`);
    const seen: number[] = [];
    for (let word = 1; word <= words; word += 1) {
      await bench.sandbox.until(({ messages }) =>
        messages(thread).some(({ content }) => content.includes(`word-${word}.`)),
      );
      seen.push(now());
    }
    const said = bench.times("said");
    const took = seen.map((at, index) => at - (said[index] ?? Number.NaN)).slice(1);
    return {
      name: "a piece of an ACP agent's answer, with edits to spare: written → stands in Discord",
      reached: `p50 ${ms(percentile(took, 50))}, p95 ${ms(percentile(took, 95))}`,
      value: percentile(took, 95),
      bar: "p95 ≤ 50 ms",
      holds: percentile(took, 95) <= 50,
    };
  } finally {
    await bench.close();
  }
}

/**
 * Ten sessions stream, prompt after prompt. Every third is cancelled in the middle; at every seventh its agent is
 * killed there.
 */
export async function acpSoak(minutes = 10, sessions = 10): Promise<Figure[]> {
  const bench = await new Bench().open({
    strict: true,
    limits: { global_max_running: sessions, max_queue_per_session: 50 },
    acp,
  });
  try {
    await bench.start();
    const threads = await bench.sessions(sessions);
    let sent = 0;
    const talk = async (thread: string, end: number): Promise<void> => {
      const owner = bench.owner(thread);
      while (now() < end) {
        const number = (sent += 1);
        const { id } = await owner.send(number % 7 === 0 ? "stream, then die" : "stream");
        if (number % 3 === 0) await pause(2_000).then(() => owner.slash("cancel"));
        await bench.sandbox.until(({ reactions }) =>
          ["✅", "🚫", "❌"].some((mark) => reactions(id)[mark] !== undefined),
        );
      }
    };
    const busy: number[] = [];
    const after = async (ms: number): Promise<number> => {
      const end = now() + ms;
      await Promise.all(threads.map((thread) => talk(thread, end)));
      busy.push(bench.rss());
      await bench.settle();
      return bench.rss();
    };
    const first = await after(60_000);
    const last = await after((minutes - 1) * 60_000);
    const events = readFileSync(join(bench.home, "state", "events.ndjson"), "utf8");
    const ended = [...events.matchAll(/"type":"Job(?:Completed|Failed|Cancelled)"/g)].length;
    const ours = [
      ...`${events}${readFileSync(join(bench.home, "state", "logs", "app.ndjson"), "utf8")}`.matchAll(
        /"error_code":"E_INTERNAL"/g,
      ),
    ].length;
    return [
      {
        name: `${sessions} ACP sessions for ${minutes} minutes, ${sent} prompts, a third cancelled, a tenth with an agent that is killed: the daemon's memory`,
        reached: `${last.toFixed(0)} MB, after the first minute ${first.toFixed(0)} MB, ratio ${(last / first).toFixed(2)}, each after a minute of rest (before it ${busy.map((rss) => rss.toFixed(0)).join(" and ")} MB)`,
        value: last / first,
        bar: "≤ 1.05 times",
        holds: last / first <= 1.05,
      },
      {
        name: "their jobs",
        reached: `${ended} ended of ${sent}`,
        value: ended,
        bar: "all, once",
        holds: ended === sent,
      },
      {
        name: "their failures of Bellhop's own (`E_INTERNAL`)",
        reached: `${ours} of ${sent}`,
        value: ours,
        bar: "< 1 %",
        holds: ours < sent / 100,
      },
    ];
  } finally {
    await bench.close();
  }
}
