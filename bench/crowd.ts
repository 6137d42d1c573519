/**
 * What holds with many at once: twenty agents that stream while their owner gives commands, a thousand messages into
 * fifty threads, and a burst of twenty into one. Discord's own rate limits are kept by the local one, so a daemon
 * that wrote more often than it may would be refused, and seen here.
 */
import { spawn } from "node:child_process";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Figure } from "./journal.ts";
import { Bench, ms, now, pause, percentile } from "./stage.ts";

interface Delay {
  p50: number;
  p99: number;
  max: number;
  cpu: number;
}

/**
 * So many sessions stream at once; meanwhile `/status` is asked in each of them in turn. `acp`: the agent's command.
 */
export async function streaming(sessions = 20, acp?: readonly string[]): Promise<Figure[]> {
  const bench = await new Bench().open({ strict: true, limits: { global_max_running: sessions }, ...(acp && { acp }) });
  const beside = new Loop(bench.home, "beside");
  const inside = new Loop(bench.home, "inside");
  const bare = spawn(process.execPath, [...beside.preload, "-e", "setInterval(() => {}, 60000)"], { stdio: "ignore" });
  try {
    await bench.start(inside.preload);
    const threads = await bench.sessions(sessions);
    const at = (thread = "") => bench.owner(thread);
    for (const thread of threads) await at(thread).send("stream");
    await bench.sandbox.until(() => bench.times("run").length >= sessions);
    for (const loop of [inside, beside]) await loop.read(loop === inside ? bench.child?.pid : bare.pid);
    const acknowledged: Promise<number>[] = [];
    for (let turn = 0; bench.times("last").length < sessions; turn += 1) {
      const asked = await at(threads[turn % sessions]).slash("status", {});
      acknowledged.push(asked.acknowledged());
      await pause(60);
    }
    const daemon = await inside.read(bench.child?.pid);
    const idle = await beside.read(bare.pid);
    const acks = await Promise.all(acknowledged);
    const limited = bench.sandbox.requests.filter(({ status }) => status === 429).length;
    const edits = bench.sandbox.requests.filter(({ operationId }) => operationId === "update_message").length;
    const worst = percentile(acks, 99);
    return [
      {
        name: `${sessions} ${acp ? "ACP " : ""}agents stream 50 pieces a second each: the daemon's event loop`,
        reached: `delay p50 ${ms(daemon.p50)}, p99 ${ms(daemon.p99)}, max ${ms(daemon.max)}, ${daemon.cpu.toFixed(0)} % of a core; an idle Node beside it p99 ${ms(idle.p99)}, max ${ms(idle.max)}`,
        value: daemon.p99,
        bar: "p99 < 20 ms",
        holds: daemon.p99 < 20,
      },
      {
        name: `${acks.length} commands meanwhile: pressed → acknowledged`,
        reached: `p50 ${ms(percentile(acks, 50))}, p99 ${ms(worst)}, max ${ms(Math.max(...acks))}`,
        value: worst,
        bar: "p99 < 1 s",
        holds: worst < 1000,
      },
      {
        name: "edits meanwhile, within Discord's buckets",
        reached: `${edits} edits, ${limited} times 429`,
        value: limited,
        bar: "no 429",
        holds: limited === 0,
      },
    ];
  } finally {
    bare.kill("SIGKILL");
    await bench.close();
  }
}

/** A thousand messages into fifty threads, each thread's in order; then a burst of twenty into a thread of its own. */
export async function queueing(messages = 1_000, sessions = 50): Promise<Figure[]> {
  const bench = await new Bench().open({ strict: true, limits: { max_queue_per_session: 50 } });
  try {
    await bench.start();
    const threads = await bench.sessions(sessions);
    const each = messages / sessions;
    const from = now();
    const cpu = bench.cpu();
    await Promise.all(
      threads.map(async (thread) => {
        const owner = bench.owner(thread);
        for (let number = 0; number < each; number += 1) await owner.send(`hang ${thread} ${number}`);
      }),
    );
    const sent = Math.max(...bench.dispatched.values());
    while (enqueued(bench).length < messages) await pause(20);
    const spent = bench.cpu() - cpu;
    const accepted = enqueued(bench);
    const took = Math.max(...accepted.map(({ at }) => at)) - from;
    const rate = (messages * 1000) / took;
    const exact = threads.every((thread) => {
      const prompts = accepted.filter(({ thread_id }) => thread_id === thread).map(({ prompt }) => prompt);
      return (
        JSON.stringify(prompts) ===
        JSON.stringify(Array.from({ length: each }, (_, number) => `hang ${thread} ${number}`))
      );
    });
    const starts = bench.times("run").length;
    const limited = bench.sandbox.requests.filter(({ status }) => status === 429).length;
    return [
      {
        name: `${messages} messages into ${sessions} threads, accepted on disk`,
        reached: `${rate.toFixed(0)} a second; the local Discord let in ${((messages * 1000) / (sent - from)).toFixed(0)} a second; ${spent} ms of the daemon's processor time; ${limited} times 429`,
        value: rate,
        bar: "≥ 300 a second, no 429",
        holds: rate >= 300 && limited === 0,
      },
      {
        name: "their order and count",
        reached: `${accepted.length} jobs, ${exact ? "each thread's in the order written" : "OUT OF ORDER"}, ${starts} agents (the limit is 2)`,
        value: accepted.length,
        bar: "exact",
        holds: exact && accepted.length === messages && starts === 2,
      },
    ];
  } finally {
    await bench.close();
  }
}

/** Twenty messages at once into one thread. */
export async function burst(messages = 20): Promise<Figure> {
  const bench = await new Bench().open({ strict: true, limits: { max_queue_per_session: 50, global_max_running: 10 } });
  try {
    await bench.start();
    const owner = bench.owner(await bench.session());
    await Promise.all(Array.from({ length: messages }, (_, number) => owner.send(`hang ${number}`)));
    while (enqueued(bench).length < messages || bench.times("run").length === 0) await pause(20);
    await pause(500);
    const starts = bench.times("run").length;
    return {
      name: `${messages} messages in one burst`,
      reached: `${starts} agent, ${enqueued(bench).length} jobs`,
      value: starts,
      bar: "exactly one agent",
      holds: starts === 1,
    };
  } finally {
    await bench.close();
  }
}

/** A process whose event loop is measured from within: at each SIGUSR2 it writes down the delays since the last one. */
class Loop {
  readonly preload: string[];
  readonly #out: string;

  constructor(home: string, name: string) {
    const file = join(home, `${name}.mjs`);
    this.#out = join(home, `${name}.json`);
    this.preload = ["--import", file];
    // The histogram's values are the times between two looks, so the time it means to leave between them goes off.
    writeFileSync(
      file,
      `import { monitorEventLoopDelay } from "node:perf_hooks";
      import { renameSync, writeFileSync } from "node:fs";
      const every = 5, loop = monitorEventLoopDelay({ resolution: every });
      const ms = (ns) => Math.max(0, ns / 1e6 - every);
      let cpu = process.cpuUsage(), since = performance.now();
      loop.enable();
      process.on("SIGUSR2", () => {
        const { user, system } = process.cpuUsage(cpu), passed = performance.now() - since;
        const seen = { p50: ms(loop.percentile(50)), p99: ms(loop.percentile(99)), max: ms(loop.max), cpu: (user + system) / passed / 10 };
        writeFileSync(${JSON.stringify(`${this.#out}.tmp`)}, JSON.stringify(seen));
        renameSync(${JSON.stringify(`${this.#out}.tmp`)}, ${JSON.stringify(this.#out)});
        loop.reset(), (cpu = process.cpuUsage()), (since = performance.now());
      });`,
    );
  }

  /** The delays since the last reading, in milliseconds. */
  async read(pid: number | undefined): Promise<Delay> {
    rmSync(this.#out, { force: true });
    if (pid !== undefined) process.kill(pid, "SIGUSR2");
    while (!existsSync(this.#out)) await pause(5);
    return JSON.parse(readFileSync(this.#out, "utf8")) as Delay;
  }
}

interface Enqueued {
  at: number;
  thread_id: string;
  prompt: string;
}

/** What the journal says was accepted, in its order. */
function enqueued(bench: Bench): Enqueued[] {
  const lines = readFileSync(join(bench.home, "state", "events.ndjson"), "utf8").split("\n");
  return lines
    .filter((line) => line.includes('"type":"JobEnqueued"') && line.endsWith("}"))
    .map((line) => {
      const { ts, payload } = JSON.parse(line) as { ts: string; payload: Omit<Enqueued, "at"> };
      return { at: Date.parse(ts), thread_id: payload.thread_id, prompt: payload.prompt };
    });
}
