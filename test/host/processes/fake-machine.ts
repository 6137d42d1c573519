/**
 * A machine with processes of our making, for what no real one can be made to do on purpose: recycled pids, zombies.
 */
import type { KillDeps } from "../../../src/host/processes/child.ts";
import { ticksOf, type ProcessRow } from "../../../src/host/processes/process-table.ts";

export const mark = (outputs: string): string => `PATH=/bin\0BELLHOP_JOB=job_1\0BELLHOP_OUTPUTS=${outputs}\0`;
export const row = (pid: number, more: Partial<ProcessRow> = {}): ProcessRow => ({
  pid,
  startTime: `${pid}@boot`,
  state: "S",
  parent: 1,
  session: pid,
  ...more,
});

/** A machine of our own: rows and environments as given; a signal ends what it is sent to, unless it is stubborn. */
export function machine(
  rows: ProcessRow[],
  environs: Record<number, string> = {},
  stubborn: number[] = [],
): { made: KillDeps; sent: [number, string][]; dead: Set<number> } {
  const sent: [number, string][] = [];
  const dead = new Set<number>();
  const left = (): ProcessRow[] => rows.filter(({ pid }) => !dead.has(pid));
  let now = 0;
  const made: KillDeps = {
    clock: {
      now: () => now,
      monotonic: () => now,
      after(ms, call) {
        now += ms;
        queueMicrotask(call);
        return () => {};
      },
    },
    table: {
      exact: true,
      read: (pid) => left().find((one) => one.pid === pid) ?? null,
      list: (since = 0) => left().filter((one) => ticksOf(one) >= since),
      environ: (pid) => environs[pid] ?? null,
    },
    signal(pid, signal) {
      sent.push([pid, String(signal)]);
      const hit = left().filter((one) => (pid < 0 ? one.session === -pid : one.pid === pid));
      for (const one of hit) if (signal === "SIGKILL" || !stubborn.includes(one.pid)) dead.add(one.pid);
    },
  };
  return { made, sent, dead };
}
