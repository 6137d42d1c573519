/**
 * At its start the daemon ends everything left by the previous one, before any new job begins: whatever carries the
 * mark of this state directory, and whatever was recorded with pid and start time. Processes of another state
 * directory, recycled pids, and this process's own ancestors are never touched.
 *
 * Without /proc (macOS) there is neither mark nor start time to identify them: nothing is ended then, and those whose
 * recorded pid is in use are returned as `left`, to be reported.
 */
import { asRead, endAll, type Graces, type Machine } from "./kill-ladder.ts";
import { isDead, type ProcessIdentity, type ProcessRow, type ProcessTable } from "./process-table.ts";

export interface SweepRequest {
  /** The parent of every job's `BELLHOP_OUTPUTS` in this state directory, spelt as it is given to agents. */
  outputsRoot: string;
  /** The recorded processes of jobs that had not ended. */
  recorded: readonly ProcessIdentity[];
  graces: Pick<Graces, "terminateMs" | "killMs">;
}

export interface Swept {
  /** How many processes were found and have ended. */
  ended: number;
  /** Those still running. */
  left: ProcessIdentity[];
}

/** Ends all leftovers; resolves when none is left, or when even SIGKILL did not end them in time. */
export async function sweep(machine: Machine, request: SweepRequest): Promise<Swept> {
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
