/**
 * Starts agents, and asks programs about themselves. Each gets an argv and never a shell, a complete environment, its
 * own session, and, on Linux, an order to the kernel to end it when this daemon dies; it is watched until it and its
 * stray children are gone.
 *
 * What only Linux gives: the order to the kernel (`setpriv --pdeathsig`; it covers the child itself, is tied to the
 * spawning thread, and is lost when the child runs a setuid program), start times, and the search for children that
 * left the session. Elsewhere only the process group can be ended, and only while we live.
 */
import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from "node:child_process";
import { type Clock, systemClock } from "../../base/clock.ts";
import { type Child, type SpawnRequest, startChild } from "./child.ts";
import { type Graces, type Machine, standardGraces } from "./kill-ladder.ts";
import { systemProcessTable } from "./process-table.ts";
import { sweep, type Swept, type SweepRequest } from "./sweep.ts";

export interface ProcessesOptions {
  clock?: Clock;
  graces?: Partial<Graces>;
  /** How long after a child's exit its pipes may stay open before we close them. */
  drainMs?: number;
  /**
   * The umask of its files. The daemon's own is strict (077); an agent's work is the owner's, so it gets the one the
   * daemon was started with. Absent: the daemon's.
   */
  umask?: number;
}

export interface Processes {
  /** Starts a child. Never throws: a failed start is reported by the child's `exit`. */
  spawn(request: SpawnRequest): Child;
  /** See `sweep.ts`; called once, before the first spawn. */
  sweep(request: Omit<SweepRequest, "graces">): Promise<Swept>;
}

export const DRAIN_MS = 2_000;

export function openProcesses(options: ProcessesOptions = {}): Processes {
  const machine: Machine = {
    clock: options.clock ?? systemClock,
    table: systemProcessTable(),
    signal: (pid, signal) => void process.kill(pid, signal),
  };
  const graces = { ...standardGraces, ...options.graces };
  // With the first child, because a start of the daemon would wait for it.
  let prefix: string[] | undefined;
  return {
    spawn(request) {
      prefix ??= deathSignalPrefix();
      const [file = request.file, ...args] = [...prefix, request.file, ...request.args];
      const open = (): ChildProcessWithoutNullStreams =>
        withUmask(options.umask, () =>
          spawn(file, args, { cwd: request.cwd, env: { ...request.env }, detached: true, shell: false }),
        );
      return startChild(open, request, { machine, graces, drainMs: options.drainMs ?? DRAIN_MS });
    },
    sweep: (request) => sweep(machine, { ...request, graces }),
  };
}

/** A `setpriv` that supports `--pdeathsig` (busybox's does not), tried once; empty if there is none. */
function deathSignalPrefix(): string[] {
  if (process.platform !== "linux") return [];
  for (const file of ["/usr/bin/setpriv", "/bin/setpriv"]) {
    const prefix = [file, "--pdeathsig", "KILL", "--"];
    const [program = file, ...args] = [...prefix, file, "--version"];
    if (spawnSync(program, args, { stdio: "ignore", env: {}, shell: false }).status === 0) return prefix;
  }
  return [];
}

/** The umask is the process's and is inherited at the fork, so it is changed only around the spawn, within one tick. */
function withUmask<T>(mask: number | undefined, act: () => T): T {
  if (mask === undefined) return act();
  const before = process.umask(mask);
  try {
    return act();
  } finally {
    process.umask(before);
  }
}
