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
import {
  type Child,
  type SpawnRequest,
  startChild,
  type Graces,
  type KillDeps,
  standardGraces,
  asRead,
  endAll,
  type EndingGraces,
} from "./child.ts";
import {
  systemProcessTable,
  isDead,
  type ProcessIdentity,
  type ProcessRow,
  type ProcessTable,
} from "./process-table.ts";

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

const DRAIN_MS = 2_000;

export function openProcesses(options: ProcessesOptions = {}): Processes {
  const machine: KillDeps = {
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

/*
 * At its start the daemon ends everything left by the previous one, before any new job begins: whatever carries the
 * mark of this state directory, and whatever was recorded with pid and start time. Processes of another state
 * directory, recycled pids, and this process's own ancestors are never touched.
 *
 * Without /proc (macOS) there is neither mark nor start time to identify them: nothing is ended then, and those whose
 * recorded pid is in use are returned as `left`, to be reported.
 */

interface SweepRequest {
  /** The parent of every job's `BELLHOP_OUTPUTS` in this state directory, spelt as it is given to agents. */
  outputsRoot: string;
  /** The recorded processes of jobs that had not ended. */
  recorded: readonly ProcessIdentity[];
  graces: EndingGraces;
}

interface Swept {
  /** How many processes were found and have ended. */
  ended: number;
  /** Those still running. */
  left: ProcessIdentity[];
}

/** Ends all leftovers; resolves when none is left, or when even SIGKILL did not end them in time. */
export async function sweep(machine: KillDeps, request: SweepRequest): Promise<Swept> {
  if (!machine.table.exact) return { ended: 0, left: request.recorded.filter(({ pid }) => machine.table.read(pid)) };
  const found = new Set<string>();
  const find = (): ProcessRow[] => {
    const rows = leftovers(machine.table, request);
    for (const row of rows) found.add(`${row.pid} ${row.startTime}`);
    return rows;
  };
  const left = await endAll(machine, find, request.graces);
  return { ended: found.size - left.length, left: left.map(({ pid, startTime }) => ({ pid, startTime })) };
}

function leftovers(table: ProcessTable, { outputsRoot, recorded }: SweepRequest): ProcessRow[] {
  const rows = table.list().filter((row) => !isDead(row));
  const spared = ourselves(table);
  const root = asRead(`BELLHOP_OUTPUTS=${outputsRoot}/`);
  // A session is identified by its recorded leader only while that leader lives: later its number may be reused.
  const leaders = new Set(
    recorded
      .filter((known) => rows.some((row) => row.pid === known.pid && row.startTime === known.startTime))
      .map(({ pid }) => pid),
  );
  return rows.filter((row) => {
    if (spared.has(row.pid)) return false;
    return leaders.has(row.pid) || leaders.has(row.session) || isMarked(table.environ(row.pid), root);
  });
}

function isMarked(environ: string | null, root: string): boolean {
  if (environ === null || !environ.includes("BELLHOP_JOB=")) return false;
  return environ.startsWith(root) || environ.includes(`\0${root}`);
}

/** This process and its ancestors: a daemon started from within an agent must not end its own terminal. */
function ourselves(table: ProcessTable): Set<number> {
  const pids = new Set<number>();
  for (let pid = process.pid; pid > 1 && !pids.has(pid); pid = table.read(pid)?.parent ?? 0) pids.add(pid);
  return pids;
}
