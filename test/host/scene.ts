/** What the tests of host share: real children of the scripted agent, and facts about processes to wait for. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll } from "vitest";
import type { Child, SpawnRequest } from "../../src/host/processes/child.ts";
import { openProcesses, type Processes, type ProcessesOptions } from "../../src/host/processes/processes.ts";
import { isAlive, type ProcessIdentity, systemProcessTable } from "../../src/host/processes/process-table.ts";

export const table = systemProcessTable();
export const scripted = fileURLToPath(new URL("../fakes/agents/scripted.ts", import.meta.url));

/** Graces short enough for a test, long enough for a busy machine to deliver a signal. */
export const hasty: ProcessesOptions = { graces: { interruptMs: 300, terminateMs: 300 }, drainMs: 300 };

/** Marks all that these tests start, so that what a failed test leaves is ended at the end. */
const outputsRoot = `/tmp/bellhop-scene-${process.pid}/outputs`;
let jobs = 0;

export function marks(): Record<string, string> {
  jobs += 1;
  return { PATH: process.env["PATH"] ?? "", BELLHOP_JOB: `job_20260101_${jobs}`, BELLHOP_OUTPUTS: `${outputsRoot}/1` };
}

export async function clearAway(processes: Processes): Promise<void> {
  await processes.sweep({ outputsRoot, recorded: [] });
}

export function quick(): Processes {
  return openProcesses(hasty);
}

const folders: string[] = [];
afterAll(() => Promise.all(folders.map((made) => rm(made, { recursive: true, force: true }))));

/** A folder of the test's own, removed with the others at the end. */
export async function folder(): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), "bellhop-host-"));
  folders.push(made);
  return made;
}

export function play(processes: Processes, steps: string[], more: Partial<SpawnRequest> = {}): Child {
  return processes.spawn({
    file: process.execPath,
    args: [scripted, ...steps],
    cwd: "/",
    env: marks(),
    ...more,
  });
}

export function textOf(line: Awaited<ReturnType<Child["lines"]["next"]>>["value"]): string {
  return "bytes" in line ? line.bytes.toString() : `<${line.dropped} dropped>`;
}

/** The next lines of a child, as text. */
export async function read(child: Child, count: number): Promise<string[]> {
  const lines: string[] = [];
  while (lines.length < count) {
    const next = await child.lines.next();
    if (next.done) throw new Error(`only ${lines.length} of ${count} lines: ${child.stderrTail()}`);
    lines.push(textOf(next.value));
  }
  return lines;
}

/** Its further lines, as text, until it ends. */
export async function rest(child: Child): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of child.lines) lines.push(textOf(line));
  return lines;
}

/** The processes a scripted agent named in these lines. */
export function named(lines: readonly string[]): ProcessIdentity[] {
  return lines.flatMap((line) => (/^pid \d+$/.test(line) ? (table.read(Number(line.slice(4))) ?? []) : []));
}

export function living(identities: readonly ProcessIdentity[]): ProcessIdentity[] {
  return identities.filter((identity) => isAlive(table, identity));
}
