/**
 * What a large repository costs between two jobs of a thread: the next one waits until it is known what the last one
 * changed. The floor is `git status` in the same repository. Each job changes a file, in the built daemon.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Figure } from "./journal.ts";
import { Bench, ms, now, pause, percentile } from "./stage.ts";

/** @param mostMs the bar, for the median; with `never` for each of them */
export async function repository(files = 50_000, mostMs = 150, never = false, jobs = 12): Promise<Figure> {
  const bench = await new Bench().open();
  const app = join(bench.home, "app");
  try {
    fill(app, files);
    await bench.start();
    const thread = await bench.session();
    const owner = bench.owner(thread);
    const ended = (): string[] => bench.ends(thread);
    // Eight seconds, in which every file is read for the first time.
    await owner.send("stream");
    await bench.sandbox.until(() => ended().length === 1);
    await bench.rest();
    const floor = Array.from({ length: 5 }, () => status(app));
    for (let job = 0; job < jobs; job += 1) await owner.send(`job ${job}`);
    for (let job = 0; job < jobs; job += 1) {
      while (bench.times("run").length < job + 2) await pause(5);
      writeFileSync(join(app, path(job)), `changed by ${job}\n`);
    }
    await bench.sandbox.until(() => ended().length === jobs + 1);
    const gaps = between(readFileSync(join(bench.home, "state", "events.ndjson"), "utf8"));
    const untold = ended().filter((text) => text.includes("⚠️")).length;
    const value = never ? Math.max(...gaps) : percentile(gaps, 50);
    return {
      name: `${files} files: from the end of a job to the start of the thread's next one`,
      reached: `p50 ${ms(percentile(gaps, 50))}, max ${ms(Math.max(...gaps))}; git status p50 ${ms(percentile(floor, 50))}, ratio ${(percentile(gaps, 50) / percentile(floor, 50)).toFixed(2)}; of ${jobs + 1} jobs ${untold} say that their changes are left out`,
      value,
      bar: never ? `never more than ${mostMs} ms and what starting a job takes (100 ms)` : `p50 ≤ ${mostMs} ms`,
      holds: value <= mostMs + (never ? 100 : 0),
    };
  } finally {
    await bench.close();
  }
}

function path(number: number): string {
  return join("src", `p${Math.floor(number / 1000)}`, `m${Math.floor(number / 20) % 50}`, `file-${number}.ts`);
}

function fill(app: string, files: number): void {
  for (let number = 0; number < files; number += 1) {
    if (number % 20 === 0) mkdirSync(join(app, path(number), ".."), { recursive: true });
    writeFileSync(join(app, path(number)), `export const value${number} = ${number};\n`);
  }
  git(app, "init", "-q", "-b", "main");
  git(app, "add", "--all");
  git(app, "commit", "-q", "-m", "all");
}

function git(app: string, ...args: string[]): string {
  const settings = ["-c", "user.name=A", "-c", "user.email=a@example.com", "-c", "core.fsync=none", "-c", "gc.auto=0"];
  return execFileSync("git", [...settings, ...args], {
    cwd: app,
    env: { PATH: process.env["PATH"], HOME: app },
    encoding: "utf8",
  });
}

function status(app: string): number {
  const from = now();
  git(app, "status", "--porcelain");
  return now() - from;
}

/** From each job's end to the next one's start, but for the first job. */
function between(events: string): number[] {
  const at = (type: string): number[] =>
    [...events.matchAll(new RegExp(`"ts":"([^"]+)","type":"${type}"`, "g"))].map(([, ts = ""]) => Date.parse(ts));
  const [starts, ends] = [at("JobStarted"), at("JobCompleted")];
  return starts.slice(2).map((start, index) => start - (ends[index + 1] ?? Number.NaN));
}
