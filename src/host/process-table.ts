/**
 * The machine's processes as they are now. A process is its pid together with its start time, because a pid
 * alone is given to somebody else sooner or later; nothing in the house signals a process on its pid alone.
 *
 * Only Linux tells all of this (/proc). Elsewhere `exact` is false: there are no start times, no other process's
 * environment and no list, so after a crash of the daemon nobody can say which processes were its own.
 */
import { readdirSync, readFileSync } from "node:fs";

export interface ProcessIdentity {
  pid: number;
  /**
   * `<ticks>@<boot id>`: field 22 of /proc/PID/stat and the boot it counts from, so that it names one process
   * for ever. Empty where the machine does not tell.
   */
  startTime: string;
}

export interface ProcessRow extends ProcessIdentity {
  /** One letter; `Z` and `X` are dead, whatever `kill(pid, 0)` says. */
  state: string;
  parent: number;
  session: number;
}

export interface ProcessTable {
  /** Whether start times, environments and the list are told here. */
  readonly exact: boolean;
  /** The living or dead process under that pid, or null. */
  read(pid: number): ProcessRow | null;
  /** Every process there is; a scan of the whole machine. */
  list(): ProcessRow[];
  /** The environment it was started with, as the kernel keeps it: `A=b` and NUL between; null where it is not ours to read. */
  environ(pid: number): string | null;
}

/** The table this machine can give. */
export function systemProcessTable(): ProcessTable {
  return process.platform === "linux" ? linuxProcessTable() : bareProcessTable;
}

/** True while exactly this process lives: not its zombie, and nobody who was given its pid later. */
export function isAlive(table: ProcessTable, identity: ProcessIdentity): boolean {
  const row = table.read(identity.pid);
  return row !== null && row.startTime === identity.startTime && !isDead(row);
}

export function isDead(row: ProcessRow): boolean {
  return row.state === "Z" || row.state === "X";
}

/** When it started, to order processes of one boot by; 0 where unknown. */
export function ticksOf(identity: ProcessIdentity): number {
  return Number.parseInt(identity.startTime, 10) || 0;
}

function linuxProcessTable(): ProcessTable {
  const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").slice(0, 8);
  const read = (pid: number): ProcessRow | null => parseStat(slurp(`/proc/${pid}/stat`), boot);
  return {
    exact: true,
    read,
    list: () =>
      readdirSync("/proc")
        .filter((name) => name.charCodeAt(0) <= 57)
        .flatMap((name) => read(Number(name)) ?? []),
    environ: (pid) => slurp(`/proc/${pid}/environ`),
  };
}

/** Without /proc: a pid is there or not, and nothing more is known. */
const bareProcessTable: ProcessTable = {
  exact: false,
  read(pid) {
    try {
      process.kill(pid, 0);
      return { pid, startTime: "", state: "?", parent: 0, session: pid };
    } catch {
      return null;
    }
  },
  list: () => [],
  environ: () => null,
};

/** The name in the second field may hold blanks and brackets, so the fields are counted from its last bracket. */
function parseStat(stat: string | null, boot: string): ProcessRow | null {
  if (stat === null) return null;
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [state, parent, , session] = fields;
  const ticks = fields[19];
  if (state === undefined || ticks === undefined) return null;
  return {
    pid: Number(stat.slice(0, stat.indexOf(" "))),
    startTime: `${ticks}@${boot}`,
    state,
    parent: Number(parent),
    session: Number(session),
  };
}

/** Processes end while we look at them, and others' environments are closed to us: both are "not there". */
function slurp(path: string): string | null {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return null;
  }
}
