/**
 * What a window costs: from an owner's message to the hook that confirms it, beside tmux's own paste into the same
 * program; from the hook of a turn's end to its answer; and twenty at work at once, with fifty hooks a second. Claude
 * is scripted.
 */
import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Figure } from "./journal.ts";
import { Bench, ms, now, pause, percentile, root } from "./stage.ts";

const CLAUDE = join(root, "test", "fakes", "agents", "terminal.mjs");

export async function desk(prompts = 40): Promise<Figure[]> {
  if (!existsSync("/usr/bin/tmux")) return [];
  const bench = await openBench(1);
  const own = openOwn(bench);
  try {
    await bench.start();
    const thread = await bench.session();
    const owner = bench.owner(thread);
    const typed: number[] = [];
    const bare: number[] = [];
    const answered: number[] = [];
    const curls: number[] = [];
    // The first opens the window.
    for (let index = 0; index <= prompts; index += 1) {
      const content = `count:w${index}`;
      const { id } = await owner.send(content);
      await bench.sandbox.until(({ reactions }) => reactions(id)["✅"] !== undefined);
      await pause(150);
      const last = bench.times("last").at(-1) ?? Number.NaN;
      if (index > 0) {
        typed.push((bench.times("read").at(-1) ?? Number.NaN) - (bench.dispatched.get(content) ?? Number.NaN));
        answered.push((bench.arrived.find((at) => at > last) ?? Number.NaN) - last);
        bare.push(await own.paste());
        curls.push(await bareCurl(bench));
      }
    }
    const floor = percentile(bare, 50);
    const over = percentile(typed, 50) - floor;
    const curl = percentile(curls, 50);
    const after = percentile(answered, 50) - curl;
    return [
      {
        name: "message dispatched → Claude in its window has taken the prompt",
        reached: `p50 ${ms(percentile(typed, 50))}, p95 ${ms(percentile(typed, 95))}; tmux's own paste and Enter p50 ${ms(floor)}; over it p50 ${ms(over)}, ratio ${(percentile(typed, 50) / floor).toFixed(2)}`,
        value: over,
        bar: "p50 ≤ 60 ms over tmux's own paste",
        holds: over <= 60,
      },
      {
        name: "Claude's turn is over, its Stop hook begins → the answer's end is sent",
        reached: `p50 ${ms(percentile(answered, 50))}, p95 ${ms(percentile(answered, 95))}; bare curl p50 ${ms(curl)}; over it p50 ${ms(after)}, ratio ${(percentile(answered, 50) / curl).toFixed(2)}`,
        value: after,
        bar: "p50 ≤ 10 ms over a bare curl",
        holds: after <= 10,
      },
    ];
  } finally {
    own.close();
    await close(bench);
  }
}

/**
 * So many windows, open before, display a piece of text 2.5 times a second each, while their owner asks for `/status`.
 */
export async function desks(windows = 20, pieces = 40): Promise<Figure[]> {
  if (!existsSync("/usr/bin/tmux")) return [];
  const bench = await openBench(windows, true);
  try {
    await bench.start();
    const threads = await bench.sessions(windows);
    const at = (thread = "") => bench.owner(thread);
    // A program's start is not part of its work.
    await ended(bench, await Promise.all(threads.map((thread) => at(thread).send("count:open"))));
    const from = now();
    const sent: { id: string }[] = [];
    for (const thread of threads) {
      const { id } = await at(thread).send(`show:${pieces}:400`);
      sent.push({ id });
      while (bench.times("read").length < windows + sent.length) {
        if (bench.sandbox.reactions(id)["❌"] !== undefined) throw new Error("a window did not take its prompt");
        await pause(10);
      }
    }
    const curls: number[] = [];
    const acknowledged: Promise<number>[] = [];
    let isOver = false;
    const end = ended(bench, sent);
    const stop = (): void => void (isOver = true);
    end.then(stop, stop);
    for (let turn = 0; !isOver; turn += 1) {
      acknowledged.push((await at(threads[turn % windows]).slash("status", {})).acknowledged());
      curls.push(await bareCurl(bench));
      await pause(60);
    }
    await end;
    const took = readFileSync(bench.log, "utf8")
      .split("\n")
      .filter((line) => line.startsWith("hook "))
      .map((line) => Number(line.split(" ")[1]));
    const rate = (took.length * 1000) / (now() - from);
    const acks = await Promise.all(acknowledged);
    const [worst, slowest, floor] = [percentile(acks, 99), percentile(took, 99), percentile(curls, 99)];
    return [
      {
        name: `${windows} windows at work, ${rate.toFixed(0)} hooks a second, ${acks.length} commands: pressed → acknowledged`,
        reached: `p50 ${ms(percentile(acks, 50))}, p99 ${ms(worst)}, max ${ms(Math.max(...acks))}`,
        value: worst,
        bar: "p99 < 1 s",
        holds: worst < 1000,
      },
      {
        name: `${took.length} hooks meanwhile, whole process, of windows of Bellhop's`,
        reached: `p50 ${ms(percentile(took, 50))}, p99 ${ms(slowest)}, max ${ms(Math.max(...took))}; bare curl beside them p50 ${ms(percentile(curls, 50))}, p99 ${ms(floor)}, max ${ms(Math.max(...curls))}; ratio at p99 ${(slowest / floor).toFixed(2)}`,
        value: Math.max(...took),
        bar: "none over 50 ms",
        holds: Math.max(...took) <= 50,
      },
    ];
  } finally {
    await close(bench);
  }
}

/** Resolves when all of these are answered. @throws Error if one is not */
async function ended({ sandbox }: Bench, sent: readonly { id: string }[]): Promise<void> {
  await sandbox.until(({ reactions }) => sent.every(({ id }) => reactions(id)["✅"] ?? reactions(id)["❌"]));
  if (sent.some(({ id }) => sandbox.reactions(id)["❌"] !== undefined)) throw new Error("a prompt was not answered");
}

async function openBench(windows: number, strict = false): Promise<Bench> {
  const bench = await new Bench().open({
    tool: "tmux",
    strict,
    limits: { global_max_running: windows, idle_agents: windows },
  });
  const claude = join(bench.home, "bin", "claude");
  rmSync(claude);
  writeFileSync(claude, `#!/bin/sh\nexec '${process.execPath}' '${CLAUDE}' "$@"\n`, { mode: 0o755 });
  return bench;
}

async function close(bench: Bench): Promise<void> {
  await bench.stop();
  kill(join(bench.home, "state", "bellhop.tmux"));
  await bench.close();
}

function kill(socket: string): void {
  try {
    execFileSync("tmux", ["-S", socket, "kill-server"], { stdio: "ignore" });
  } catch {
    // It may be gone already.
  }
}

/** The same program in a tmux of its own, without hooks and without us. */
function openOwn(bench: Bench): { paste(): Promise<number>; close(): void } {
  const home = join(bench.home, "own");
  const log = join(home, "log");
  const socket = join(home, "socket");
  mkdirSync(home);
  writeFileSync(log, "");
  writeFileSync(join(home, "settings.json"), JSON.stringify({ hooks: {}, statusLine: { command: "true" } }));
  const env = { PATH: "/usr/bin:/bin", HOME: home, LANG: "C.UTF-8", CLAUDE_CODE_BENCH_LOG: log };
  const tmux = (args: readonly string[], input = ""): string =>
    execFileSync("tmux", ["-u", "-S", socket, ...args], { env, input, encoding: "utf8" });
  tmux([
    "-f",
    "/dev/null",
    "new-session",
    "-d",
    "-x",
    "200",
    "-y",
    "50",
    "-c",
    home,
    process.execPath,
    CLAUDE,
    "--settings",
    join(home, "settings.json"),
  ]);
  const isReady = (): boolean => tmux(["capture-pane", "-p"]).includes("? for shortcuts");
  let count = 0;
  return {
    async paste() {
      while (!isReady()) await pause(10);
      count += 1;
      const from = now();
      const child = spawn(
        "tmux",
        ["-u", "-S", socket, "load-buffer", "-", ";", "paste-buffer", "-p", "-d", "-r", ";", "send-keys", "Enter"],
        { env, stdio: ["pipe", "ignore", "inherit"] },
      );
      child.stdin.end(`count:b${count}`);
      const reads = (): number[] =>
        readFileSync(log, "utf8")
          .split("\n")
          .filter((line) => line.startsWith("read "))
          .map((line) => Number(line.split(" ")[1]) * 1000);
      while (reads().length < count) await promisify(setImmediate)();
      return (reads().at(-1) ?? Number.NaN) - from;
    },
    close: () => kill(socket),
  };
}

/** What no hook that is curl can do without: the same request, refused for want of the key. */
async function bareCurl(bench: Bench): Promise<number> {
  const from = now();
  const child = spawn(
    "curl",
    ["-q", "-s", "--unix-socket", join(bench.home, "state", "hooks", "hook.sock"), "-d", "{}", "http://localhost/"],
    { stdio: "ignore" },
  );
  await new Promise((resolve) => child.once("exit", resolve));
  return now() - from;
}
