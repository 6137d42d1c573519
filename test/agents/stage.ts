/**
 * A stage for drivers of agents that are one process: the agent is a shell script that says and does what a test
 * wants, and the driver is the real one.
 */
import fc from "fast-check";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import type { Agent, Turn, Driver, Opening } from "../../src/agents/contract/driver.ts";
import type { ProcessDriverOptions } from "../../src/agents/process/process-driver.ts";
import type { Update } from "../../src/agents/contract/updates.ts";
import { systemClock } from "../../src/base/clock.ts";
import type { JobLog } from "../../src/host/files/job-log.ts";
import { openProcesses } from "../../src/host/processes/processes.ts";

/** What a conversation is opened with and then told. */
export interface Given extends Opening {
  prompt: string;
}

export interface Played {
  agent: Agent;
  run: Turn;
  noted: string[];
  folder: string;
}

export interface Stage {
  /** A turn of an agent that is a shell script; it may use $HERE, a folder of its own. */
  play(script: string, more?: Partial<Given>): Promise<Played>;
  /** The driver that finds its agent in this PATH. */
  driverIn(path: string, more?: Partial<ProcessDriverOptions>): Driver;
}

export const silentLog: JobLog = {
  stdout: () => {},
  stderr: () => {},
  writeNote: () => {},
  close: () => Promise.resolve(),
};

/** For one test file; what it made is removed at its end. */
export async function openStage(tool: string, driver: (options: ProcessDriverOptions) => Driver): Promise<Stage> {
  const processes = openProcesses({ graces: { interruptMs: 300, terminateMs: 300 }, drainMs: 300 });
  const folders: string[] = [];
  afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))));
  return {
    async play(script, more = {}) {
      const folder = await mkdtemp(join(tmpdir(), `bellhop-${tool}-`));
      folders.push(folder);
      const command = join(folder, tool);
      // Claude's first lines are the permission mode that it is held to, and who it is; the prompt comes after them.
      const before = tool === "claude" ? "read mode\nread hello\n" : "";
      await writeFile(command, `#!/bin/sh\n${before}${script}\n`, { mode: 0o755 });
      const noted: string[] = [];
      const log: JobLog = { ...silentLog, writeNote: (text) => noted.push(text) };
      const marks = { BELLHOP_JOB: "job_20260101_0001", BELLHOP_OUTPUTS: join(folder, "outputs") };
      const env = { PATH: "/bin:/usr/bin", HERE: folder, ...marks };
      const made = driver({ processes, clock: systemClock, command: [command], env, lingerMs: 200, controlMs: 300 });
      const { prompt = "hi", ...opening } = more;
      const agent = await made.open({ cwd: folder, args: [], folders: [], key: null, env, log, ...opening });
      return { agent, run: agent.prompt({ text: prompt, counters: null, log }), noted, folder };
    },
    driverIn: (path, more = {}) => driver({ processes, clock: systemClock, env: { PATH: path }, ...more }),
  };
}

/** Every update of a turn, to its end. */
export async function all(run: Turn): Promise<Update[]> {
  const updates: Update[] = [];
  for await (const update of run.updates) updates.push(update);
  return updates;
}

/** Shell: these lines on stdout. */
export function say(...lines: string[]): string {
  return `cat <<'EOF'\n${lines.join("\n")}\nEOF`;
}

/** Shell: a text on stdout, cut into chunks at some bytes. */
export function sayInChunks(text: string, cuts: readonly number[]): string {
  const bytes = Buffer.from(text);
  const ends = [...cuts.toSorted((a, b) => a - b), bytes.length];
  const parts = ends.map((end, i) => bytes.subarray(i === 0 ? 0 : ends[i - 1], end));
  const octal = (part: Buffer): string => [...part].map((byte) => `\\${byte.toString(8).padStart(3, "0")}`).join("");
  return parts.map((part) => `printf '${octal(part)}'; sleep 0.01`).join("; ");
}

/** Prompts made of what has broken argument and line readers before; 500 of them in long mode. */
export function hostilePrompts(): string[] {
  const count = process.env["BELLHOP_TEST_LONG"] ? 500 : 10;
  const pieces = fc.constantFrom(
    "-",
    "--settings=",
    ";",
    "$(",
    ")",
    "\0",
    "\u001b[201~",
    "\u001b]52;",
    "\r",
    "\n",
    "\u202e",
    "\u2028",
    "'",
    '"',
    "\\",
  );
  const prompts = fc.sample(fc.array(fc.oneof(pieces, fc.string({ unit: "binary" }))), { numRuns: count, seed: 11 });
  return prompts.map((parts) => parts.join(""));
}

export function only<K extends Update["kind"]>(updates: readonly Update[], kind: K): Extract<Update, { kind: K }>[] {
  return updates.filter((update): update is Extract<Update, { kind: K }> => update.kind === kind);
}

export function textOf(updates: readonly Update[]): string {
  return only(updates, "text")
    .map(({ delta }) => delta)
    .join("");
}
