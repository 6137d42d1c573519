/**
 * What the daemon's speed and memory claims rest on: the built daemon and the sandbox as real processes on loopback.
 * The agent is a shell script that notes when it woke and when its last byte left; the floor for its start is a
 * bare spawn of the same script in the same run.
 */
import { spawn, type ChildProcess } from "node:child_process";
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { subscribe } from "node:diagnostics_channel";
import type { IncomingMessage } from "node:http";
import { createInterface } from "node:readline";
import { startSandbox, type Sandbox } from "../src/sandbox/server.ts";
import type { Figure } from "./journal.ts";

const root = join(import.meta.dirname, "..");
const agent = join(root, "bench", "agent.sh");
const now = (): number => performance.timeOrigin + performance.now();

/** A home with a project, a sandbox that notes the time of every dispatch and request, and the daemon. */
class Bench {
  readonly home = mkdtempSync(join(tmpdir(), "bellhop-bench-"));
  readonly log = join(this.home, "agent.log");
  readonly dispatched = new Map<string, number>();
  /** When each of the daemon's new messages had reached Discord's door, before anything was done with it. */
  readonly arrived: number[] = [];
  sandbox!: Sandbox;
  child: ChildProcess | undefined;

  async open(): Promise<this> {
    subscribe("http.server.request.start", (message) => {
      const { method, url, headers } = (message as { request: IncomingMessage }).request;
      const ours = method === "POST" && url?.endsWith("/messages") && headers.authorization?.startsWith("Bot ");
      if (ours) this.arrived.push(now());
    });
    const buckets = Object.fromEntries(
      ["create_message", "update_message", "add_my_message_reaction", "delete_my_message_reaction"].map((id) => [id, { limit: 10_000, perMs: 1_000 }]),
    );
    this.sandbox = await startSandbox({
      buckets,
      observe: {
        dispatch: ({ t, d, to }) => {
          if (to !== "bot" || t !== "MESSAGE_CREATE") return;
          this.dispatched.set((d as { content: string }).content, now());
        },
      },
    });
    for (const name of ["state", "app", "bin"]) mkdirSync(join(this.home, name), { mode: 0o700 });
    symlinkSync(agent, join(this.home, "bin", "claude"));
    appendFileSync(this.log, "");
    const at = new Date(0).toISOString();
    const app = { name: "app", path: join(this.home, "app"), enabled_tools: ["claude"], default_tool: "claude", default_args: {}, created_at: at, updated_at: at };
    const config = { version: 1, owner_id: this.sandbox.owner.id, projects: { app }, limits: { max_queue_per_session: 500 } };
    writeFileSync(join(this.home, "state", "config.json"), JSON.stringify(config), { mode: 0o600 });
    writeFileSync(join(this.home, "token"), this.sandbox.botToken, { mode: 0o600 });
    return this;
  }

  environment(): Record<string, string> {
    return {
      PATH: `${join(this.home, "bin")}:/usr/bin:/bin`,
      HOME: this.home,
      LANG: "C.UTF-8",
      STATE_DIR: join(this.home, "state"),
      DISCORD_TOKEN_FILE: join(this.home, "token"),
      DISCORD_GUILD_ID: this.sandbox.guildId,
      BELLHOP_DISCORD_API: this.sandbox.api,
      CLAUDE_CODE_BENCH_LOG: this.log,
    };
  }

  /** Milliseconds from the spawn to the ready line. */
  async start(): Promise<number> {
    const from = now();
    const child = spawn(process.execPath, [join(root, "bin", "bellhop.cjs"), "start", "--json"], {
      cwd: this.home,
      env: this.environment(),
      stdio: ["ignore", "pipe", "ignore"],
    });
    this.child = child;
    await new Promise<void>((resolve, reject) => {
      createInterface({ input: child.stdout! }).once("line", () => resolve());
      child.once("exit", (code) => reject(new Error(`the daemon ended with ${code}`)));
    });
    return now() - from;
  }

  async stop(): Promise<void> {
    const { child } = this;
    if (!child || child.exitCode !== null) return;
    child.removeAllListeners("exit");
    const gone = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGTERM");
    await gone;
  }

  async kill(): Promise<void> {
    const { child } = this;
    child?.removeAllListeners("exit");
    const gone = new Promise((resolve) => child?.once("exit", resolve));
    child?.kill("SIGKILL");
    await gone;
  }

  async close(): Promise<void> {
    await this.stop();
    await this.sandbox.close();
    rmSync(this.home, { recursive: true, force: true });
  }

  async session(): Promise<string> {
    await this.sandbox.until(({ commands }) => commands().some(({ name }) => name === "start"));
    const owner = this.sandbox.channel(this.sandbox.channelId).user(this.sandbox.owner.id);
    const answer = await (await owner.slash("start", { project_name: "app" })).answer();
    return /\d{17,20}/.exec(answer.content)?.[0] ?? "";
  }

  /** Resident memory of the daemon in MB. */
  rss(): number {
    const status = readFileSync(`/proc/${this.child?.pid}/status`, "utf8");
    return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
  }

  /** Nothing of the last job is under way any more: its agent has ended, and the daemon has had time to tidy up. */
  async idle(): Promise<void> {
    const pids = readFileSync(this.log, "utf8").match(/(?<=^pid )\d+/gm) ?? [];
    while (pids.some((pid) => existsSync(`/proc/${pid}`))) await pause(5);
    await pause(60);
  }

  /** Times the agent noted, in milliseconds, from line `from` on. */
  times(kind: "first" | "last"): number[] {
    return readFileSync(this.log, "utf8")
      .split("\n")
      .filter((line) => line.startsWith(kind))
      .map((line) => Number(line.split(" ")[1]) * 1000);
  }
}

/** From a message's dispatch to the agent's first instruction, and from its last byte to the answer in Discord. */
export async function latency(messages = 60): Promise<Figure[]> {
  const bench = await new Bench().open();
  try {
    await bench.start();
    const thread = await bench.session();
    const owner = bench.sandbox.channel(thread).user(bench.sandbox.owner.id);
    const bare: number[] = [];
    const start: number[] = [];
    const answer: number[] = [];
    for (let index = 0; index < messages; index += 1) {
      bare.push(await bareSpawn(bench));
      const before = bench.times("first").length;
      const content = `message ${index}`;
      await owner.send(content);
      await bench.sandbox.until(({ messages: all }) => answers(all(thread)) > index);
      await bench.idle();
      start.push((bench.times("first")[before] ?? Number.NaN) - (bench.dispatched.get(content) ?? Number.NaN));
      const last = bench.times("last")[index] ?? Number.NaN;
      answer.push((bench.arrived.find((at) => at > last) ?? Number.NaN) - last);
    }
    const over = percentile(start, 50) - percentile(bare, 50);
    const late = percentile(start, 95) - percentile(bare, 50);
    return [
      {
        name: "message dispatched → agent's first instruction",
        reached: `p50 ${ms(percentile(start, 50))}, p95 ${ms(percentile(start, 95))}; bare spawn p50 ${ms(percentile(bare, 50))}; over it p50 ${ms(over)}, p95 ${ms(late)}`,
        value: over,
        bar: "over a bare spawn: p50 ≤ 3 ms + one sync, p95 ≤ 10 ms",
        holds: over <= 3.5 && late <= 10,
      },
      {
        name: "agent's last byte → its answer sent",
        reached: `p50 ${ms(percentile(answer, 50))}, p95 ${ms(percentile(answer, 95))}`,
        value: percentile(answer, 50),
        bar: "p50 ≤ 5 ms",
        holds: percentile(answer, 50) <= 5,
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
    for (let count = 0; count < sessions; count += 1) await bench.session();
    const each = (bench.rss() - idle) / sessions;
    const ready = percentile(times, 50);
    return [
      { name: "daemon, idle", reached: `${idle.toFixed(0)} MB resident`, value: idle, bar: "≤ 110 MB", holds: idle <= 110 },
      { name: `each of ${sessions} sessions`, reached: `${each.toFixed(2)} MB`, value: each, bar: "≤ 1 MB", holds: each <= 1 },
      { name: "start → ready", reached: `p50 ${ms(ready)}, handshake over loopback included`, value: ready, bar: "≤ 250 ms", holds: ready <= 250 },
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
    const owner = bench.sandbox.channel(thread).user(bench.sandbox.owner.id);
    const told: number[] = [];
    const ready: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const awake = bench.times("first").length;
      const { id } = await owner.send(`hang ${round}`);
      await bench.sandbox.until(() => bench.times("first").length > awake);
      await bench.kill();
      const from = now();
      const accepts = bench.start();
      await bench.sandbox.until(({ messages }) => messages(thread).some((one) => BigInt(one.id) > BigInt(id) && JSON.stringify(one.components).includes("discard:")));
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

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function answers(messages: readonly { content: string }[]): number {
  return messages.filter(({ content }) => content === "done").length;
}

/** From the spawn call to the script's first line, with nothing of ours between. */
async function bareSpawn(bench: Bench): Promise<number> {
  const log = join(bench.home, "bare.log");
  writeFileSync(log, "");
  const from = now();
  const child = spawn(agent, ["-p"], { env: { CLAUDE_CODE_BENCH_LOG: log, PATH: "/usr/bin:/bin" }, stdio: ["pipe", "pipe", "ignore"] });
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

function percentile(values: readonly number[], at: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * at) / 100))] ?? Number.NaN;
}

function ms(value: number): string {
  return `${value.toFixed(1)} ms`;
}
