/**
 * What agents that live between messages cost and save: the way of a message into one that is open, the daemon's memory
 * for each that idles, and after many messages.
 */
import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Figure } from "./journal.ts";
import { Bench, ms, now, pause, percentile, root } from "./stage.ts";

const agent = join(root, "bench", "living-agent.sh");

/**
 * From a message's dispatch until the agent that is open for its session has read it; the floor is a write to a pipe.
 */
export async function living(messages = 60): Promise<Figure> {
  const bench = await new Bench().open({ agent, limits: { idle_agents: 4 } });
  try {
    await bench.start();
    const ask = await asker(bench);
    await ask("wake up");
    const read: number[] = [];
    for (let index = 0; index < messages; index += 1) {
      const content = `message ${index}`;
      await ask(content);
      read.push((bench.times("read").at(-1) ?? Number.NaN) - (bench.dispatched.get(content) ?? Number.NaN));
    }
    const bare = percentile(await bareWrites(bench, messages), 50);
    const over = percentile(read, 50) - bare;
    return {
      name: "message dispatched → a living agent has read it",
      reached: `p50 ${ms(percentile(read, 50))}, p95 ${ms(percentile(read, 95))}; bare pipe write p50 ${ms(bare)}; over it p50 ${ms(over)}`,
      value: over,
      bar: "over a bare write: p50 ≤ 2 ms + one sync",
      holds: over <= 2.5,
    };
  } finally {
    await bench.close();
  }
}

/** The daemon's memory for agents that idle, beside the same sessions whose agents have ended. */
export async function idleAgents(sessions = 20): Promise<Figure> {
  const resident = async (idle_agents: number): Promise<number> => {
    const bench = await new Bench().open({ agent, limits: { idle_agents, global_max_running: 4 } });
    try {
      await bench.start();
      for (let count = 0; count < sessions; count += 1) await (await asker(bench))("hello");
      await bench.rest();
      return bench.rss();
    } finally {
      await bench.close();
    }
  };
  const each = ((await resident(sessions)) - (await resident(0))) / sessions;
  return {
    name: `our side of each of ${sessions} idle agents`,
    reached: `${each.toFixed(2)} MB`,
    value: each,
    bar: "≤ 1 MB",
    holds: each <= 1,
  };
}

/** Many messages to agents that live, one after another in each of some sessions. */
export async function soak(seconds = 60, sessions = 10): Promise<Figure> {
  const bench = await new Bench().open({ agent, limits: { idle_agents: sessions, global_max_running: sessions } });
  try {
    await bench.start();
    const asks = await Promise.all(Array.from({ length: sessions }, () => asker(bench)));
    const from = now();
    let sent = 0;
    let early = Number.NaN;
    const lanes = asks.map(async (ask, lane) => {
      while (now() - from < seconds * 1000) {
        await ask(`soak ${lane} ${(sent += 1)}`);
        await pause(250);
      }
    });
    const looks = pause(Math.min(seconds * 100, 60_000)).then(() => (early = bench.rss()));
    await Promise.all([...lanes, looks]);
    await bench.rest();
    const ratio = bench.rss() / early;
    return {
      name: `${sent} messages to ${sessions} living agents in ${seconds} s: memory`,
      reached: `${bench.rss().toFixed(0)} MB, ${ratio.toFixed(2)} × after the first tenth`,
      value: ratio,
      bar: "≤ 1.05 ×",
      holds: ratio <= 1.05,
    };
  } finally {
    await bench.close();
  }
}

/** Writes in a new session, and resolves when it was answered and the agent can take the next. */
async function asker(bench: Bench): Promise<(content: string) => Promise<void>> {
  const thread = await bench.session();
  const owner = bench.owner(thread);
  let asked = 0;
  return async (content) => {
    asked += 1;
    const { id } = await owner.send(content);
    await bench.sandbox.until(({ reactions }) => reactions(id)["✅"] !== undefined);
    await bench.sandbox.until(() => bench.ends(thread).length >= asked);
  };
}

async function bareWrites(bench: Bench, rounds: number): Promise<number[]> {
  const log = join(bench.home, "bare.log");
  writeFileSync(log, "");
  const child = spawn(agent, ["-p"], {
    env: { CLAUDE_CODE_BENCH_LOG: log, PATH: "/usr/bin:/bin" },
    stdio: ["pipe", "pipe", "ignore"],
  });
  child.stdout.setEncoding("utf8");
  const taken: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const answered = new Promise<void>((resolve) => {
      const hear = (text: string): void => {
        if (!text.includes('"result"')) return;
        child.stdout.off("data", hear);
        resolve();
      };
      child.stdout.on("data", hear);
    });
    const from = now();
    child.stdin.write('{"type":"user"}\n');
    await answered;
    const reads = readFileSync(log, "utf8").match(/(?<=^read )[\d.]+/gm) ?? [];
    taken.push(Number(reads.at(-1)) * 1000 - from);
    await pause(5);
  }
  child.stdin.end();
  await new Promise((resolve) => child.once("exit", resolve));
  return taken;
}
