/**
 * What the daemon's speed and memory claims rest on, for one message at a time: the built daemon and the sandbox as
 * real processes on loopback. The agent notes when it woke and when its last byte left; the floor for its start is a
 * bare spawn of the same script in the same run.
 */
import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Figure } from "./journal.ts";
import { agent, Bench, ms, now, pause, percentile, root } from "./stage.ts";

/** How far away Discord is in the measurements that say so. */
const FAR_MS = 150;

/**
 * From a message's dispatch to the agent's first instruction, from its last byte to the answer in Discord, and how much
 * later that is sent when each of Discord's answers takes a while.
 */
export async function latency(messages = 60): Promise<Figure[]> {
  const bench = await new Bench().open();
  try {
    await bench.start();
    const thread = await bench.session();
    const owner = bench.owner(thread);
    const bare: number[] = [];
    let sent = 0;
    const job = async (prompt: string): Promise<{ start: number; answer: number; whole: number }> => {
      const before = bench.times("first").length;
      const content = `${prompt} ${sent}`;
      await owner.send(content);
      await bench.sandbox.until(({ messages: inThread }) => answers(inThread(thread)) > sent);
      await bench.idle();
      const dispatched = bench.dispatched.get(content) ?? Number.NaN;
      const last = bench.times("last")[sent] ?? Number.NaN;
      const arrived = bench.arrived.find((at) => at > last) ?? Number.NaN;
      sent += 1;
      return {
        start: (bench.times("first")[before] ?? Number.NaN) - dispatched,
        answer: arrived - last,
        whole: arrived - dispatched,
      };
    };
    const all: Awaited<ReturnType<typeof job>>[] = [];
    while (all.length < messages) {
      bare.push(await bareSpawn(bench));
      all.push(await job("message"));
    }
    const near: typeof all = [];
    while (near.length < messages / 3) near.push(await job("quick"));
    const delay = bench.sandbox.faults.delay({ ms: FAR_MS });
    const far: typeof all = [];
    while (far.length < messages / 3) {
      far.push(await job("quick"));
      // What follows an answer, such as a reaction, is over too.
      await pause(3 * FAR_MS);
    }
    delay.lift();
    const at = (of: typeof all, what: keyof (typeof all)[number], place: number): number =>
      percentile(
        of.map((one) => one[what]),
        place,
      );
    const bareSpawned = percentile(bare, 50);
    const over = at(all, "start", 50) - bareSpawned;
    const late = at(all, "start", 95) - bareSpawned;
    const later = at(far, "whole", 50) - at(near, "whole", 50);
    return [
      {
        name: "message dispatched → agent's first instruction",
        reached: `p50 ${ms(at(all, "start", 50))}, p95 ${ms(at(all, "start", 95))}; bare spawn p50 ${ms(bareSpawned)}; over it p50 ${ms(over)}, p95 ${ms(late)}`,
        value: over,
        bar: "over a bare spawn: p50 ≤ 3 ms + one sync, p95 ≤ 10 ms",
        holds: over <= 3.5 && late <= 10,
      },
      {
        name: "agent's last byte → its answer sent",
        reached: `p50 ${ms(at(all, "answer", 50))}, p95 ${ms(at(all, "answer", 95))}`,
        value: at(all, "answer", 50),
        bar: "p50 ≤ 5 ms",
        holds: at(all, "answer", 50) <= 5,
      },
      {
        name: `message dispatched → the answer of an agent that takes no time sent, with Discord ${FAR_MS} ms away`,
        reached: `p50 ${ms(at(far, "whole", 50))}; next door p50 ${ms(at(near, "whole", 50))}; over it ${ms(later)}`,
        value: later,
        bar: "≤ 15 ms over Discord next door",
        holds: later <= 15,
      },
    ];
  } finally {
    await bench.close();
  }
}

/** Idle memory, memory per session, and time to ready beside the gateway's handshake. */
export async function footprint(sessions = 40, starts = 9): Promise<Figure[]> {
  const bench = await new Bench().open();
  try {
    const times: number[] = [];
    for (let count = 0; count < starts; count += 1) {
      times.push(await bench.start());
      if (count < starts - 1) await bench.stop();
    }
    await bench.sandbox.until(({ commands }) => commands().length > 0);
    const idle = bench.rss();
    await bench.sessions(sessions);
    const each = (bench.rss() - idle) / sessions;
    const ready = percentile(times, 50);
    return [
      {
        name: "daemon, idle",
        reached: `${idle.toFixed(0)} MB resident`,
        value: idle,
        bar: "≤ 100 MB",
        holds: idle <= 100,
      },
      {
        name: `each of ${sessions} sessions`,
        reached: `${each.toFixed(2)} MB`,
        value: each,
        bar: "≤ 1 MB",
        holds: each <= 1,
      },
      {
        name: "start → ready",
        reached: `p50 ${ms(ready)}, handshake over loopback included`,
        value: ready,
        bar: "≤ 250 ms",
        holds: ready <= 250,
      },
    ];
  } finally {
    await bench.close();
  }
}

/** From the start after a `kill -9` in mid-job until the thread is told of it, and until messages are accepted. */
export async function recovery(rounds = 9): Promise<Figure> {
  const bench = await new Bench().open();
  try {
    await bench.start();
    const thread = await bench.session();
    const owner = bench.owner(thread);
    const told: number[] = [];
    const ready: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const awake = bench.times("run").length;
      const { id } = await owner.send(`hang ${round}`);
      while (bench.times("run").length <= awake) await pause(5);
      await bench.kill();
      const from = now();
      const accepts = bench.start();
      await bench.sandbox.until(({ messages }) =>
        messages(thread).some(
          (one) => BigInt(one.id) > BigInt(id) && JSON.stringify(one.components).includes("discard:"),
        ),
      );
      told.push(now() - from);
      ready.push(await accepts);
    }
    const worst = Math.max(...told, ...ready);
    return {
      name: "killed in mid-job, started again → the thread is told",
      reached: `p50 ${ms(percentile(told, 50))}, accepting messages p50 ${ms(percentile(ready, 50))}, worst ${ms(worst)}`,
      value: worst,
      bar: "< 2 s",
      holds: worst < 2_000,
    };
  } finally {
    await bench.close();
  }
}

/** `bellhop --version` against a Node that does nothing. */
export async function version(rounds = 41): Promise<Figure> {
  const ours: number[] = [];
  const bare: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    bare.push(await timed([process.execPath, "-e", "0"]));
    ours.push(await timed([process.execPath, join(root, "bin", "bellhop.cjs"), "--version"]));
  }
  const ratio = percentile(ours, 50) / percentile(bare, 50);
  return {
    name: "bellhop --version",
    reached: `${ms(percentile(ours, 50))}, node -e 0 ${ms(percentile(bare, 50))}, ratio ${ratio.toFixed(2)}`,
    value: ratio,
    bar: "≤ 1.5 × node -e 0",
    holds: ratio <= 1.5,
  };
}

function answers(messages: readonly { content: string }[]): number {
  return messages.filter(({ content }) => content.startsWith("done")).length;
}

/** From the spawn call to the script's first line, with nothing of ours between. */
async function bareSpawn(bench: Bench): Promise<number> {
  const log = join(bench.home, "bare.log");
  writeFileSync(log, "");
  const from = now();
  const child = spawn(agent, ["-p"], {
    env: { CLAUDE_CODE_BENCH_LOG: log, PATH: "/usr/bin:/bin" },
    stdio: ["pipe", "pipe", "ignore"],
  });
  child.stdout.resume();
  child.stdin.end("{}\n");
  await new Promise((resolve) => child.once("exit", resolve));
  return Number(readFileSync(log, "utf8").split("\n")[0]?.split(" ")[1]) * 1000 - from;
}

async function timed([file = "", ...args]: string[]): Promise<number> {
  const from = now();
  const child = spawn(file, args, { stdio: "ignore" });
  await new Promise((resolve) => child.once("exit", resolve));
  return now() - from;
}
