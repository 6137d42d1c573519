/**
 * The machine's current processes. A process is identified by its pid and its start time, because a pid alone is reused
 * sooner or later; nothing in Bellhop signals a process by its pid alone.
 *
 * Only Linux provides all of this (/proc). Elsewhere `exact` is false: there are no start times, no environments of
 * other processes and no list, so after a crash of the daemon its processes cannot be recognized.
 */
import { closeSync, lstatSync, openSync, readdirSync, readFileSync, readSync } from "node:fs";
import { errnoOf } from "../../base/disk.ts";

export interface ProcessIdentity {
  pid: number;
  /**
   * `<ticks>@<boot id>`: field 22 of /proc/PID/stat and the boot it counts from, so that it identifies one process
   * permanently. Empty if the machine does not provide it.
   */
  startTime: string;
}

export interface ProcessRow extends ProcessIdentity {
  /** One letter; `Z` and `X` are dead, whatever `kill(pid, 0)` says. */
  state: string;
  parent: number;
  session: number;
  /** Its terminal as a device number; 0: none. Absent: not known. */
  terminal?: number;
  /** What is typed there goes to its process group. Absent: not known. */
  foreground?: boolean;
}

export interface ProcessTable {
  /** Whether start times, environments and the list are available. */
  readonly exact: boolean;
  /** The living or dead process with that pid, or null. */
  read(pid: number): ProcessRow | null;
  /** Every process, or those that began at `since` or later, in ticks (see `ticksOf`); scans the whole machine. */
  list(since?: number): ProcessRow[];
  /**
   * The environment it was started with, as the kernel keeps it: `A=b` separated by NUL; null if it is not readable.
   */
  environ(pid: number): string | null;
}

/** The best table this machine provides. */
export function systemProcessTable(): ProcessTable {
  return process.platform === "linux" ? linuxProcessTable() : bareProcessTable;
}

/** True while exactly this process lives: not as a zombie, and not another process with the same pid. */
export function isAlive(table: ProcessTable, identity: ProcessIdentity): boolean {
  const row = table.read(identity.pid);
  return row !== null && row.startTime === identity.startTime && !isDead(row);
}

export function isDead(row: ProcessRow): boolean {
  return row.state === "Z" || row.state === "X";
}

/** Whether it uses the processor, or waits for it or for a disk; false where that is not known. */
export function computes(table: ProcessTable, pid: number): boolean {
  return ["R", "D"].includes(table.read(pid)?.state ?? "");
}

/** Its start time, to order processes of one boot; 0 if unknown. */
export function ticksOf(identity: ProcessIdentity): number {
  return Number.parseInt(identity.startTime, 10) || 0;
}

/** The memory of a process that is in RAM; null if the machine does not tell. */
export function residentBytes(pid: number): number | null {
  const kilobytes = /^VmRSS:\s+(\d+)/m.exec(slurp(`/proc/${pid}/status`) ?? "")?.[1];
  return kilobytes === undefined ? null : Number(kilobytes) * 1024;
}

function linuxProcessTable(): ProcessTable {
  const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").slice(0, 8);
  // One buffer for all of them: a whole machine is read each time an agent ends. The line is at most some 400 bytes.
  const line = Buffer.alloc(4096);
  const read = (pid: number): ProcessRow | null => parseStat(readLine(`/proc/${pid}/stat`, line), boot);
  return {
    exact: true,
    read,
    list: lister(read),
    environ: (pid) => slurp(`/proc/${pid}/environ`),
  };
}

/**
 * Lists what `read` tells about each process. Most of a machine's processes are older than the one that has just ended,
 * and need not be read again to know that: as long as a pid's folder is the same, by its number and the time it was
 * made, it belongs to the same process, whose beginning does not change.
 */
function lister(read: ProcessTable["read"]): ProcessTable["list"] {
  const known = new Map<string, { path: string; ino: number; mtimeMs: number; ticks: number; look: number }>();
  let look = 0;
  return (since = 0) => {
    look += 1;
    const rows: ProcessRow[] = [];
    for (const name of withSpare(() => readdirSync("/proc"))) {
      if (name.charCodeAt(0) > 57) continue;
      const before = known.get(name);
      const path = before?.path ?? `/proc/${name}`;
      const folder = lstatSync(path, { throwIfNoEntry: false });
      if (before && before.ino === folder?.ino && before.mtimeMs === folder.mtimeMs && before.ticks < since) {
        before.look = look;
        continue;
      }
      const row = read(Number(name));
      if (row === null) continue;
      const ticks = ticksOf(row);
      if (folder) known.set(name, { path, ino: folder.ino, mtimeMs: folder.mtimeMs, ticks, look });
      if (ticks >= since) rows.push(row);
    }
    for (const [name, one] of known) if (one.look !== look) known.delete(name);
    return rows;
  };
}

/** Without /proc only the existence of a pid is known. */
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

/** The name in the second field may contain spaces and brackets, so the fields are counted from its last bracket. */
function parseStat(stat: string | null, boot: string): ProcessRow | null {
  if (stat === null) return null;
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [state, parent, group, session, terminal, foreground] = fields;
  const ticks = fields[19];
  if (state === undefined || ticks === undefined) return null;
  return {
    pid: Number(stat.slice(0, stat.indexOf(" "))),
    startTime: `${ticks}@${boot}`,
    state,
    parent: Number(parent),
    session: Number(session),
    terminal: Number(terminal),
    foreground: foreground === group,
  };
}

/**
 * The beginning of a file, as much as the buffer holds; null if it cannot be read, for instance because its process has
 * ended.
 */
function readLine(path: string, buffer: Buffer): string | null {
  return opened(path, (file) => buffer.toString("latin1", 0, readSync(file, buffer)));
}

/**
 * What `slurp` reads into. `readFileSync` makes a new buffer of 64 KiB for each file whose size it does not know, and
 * the environments of a whole machine are read each time an agent ends.
 */
const page = Buffer.alloc(64 * 1024);

/** A whole file of /proc; null if it cannot be read: processes end meanwhile, and others' environments are private. */
function slurp(path: string): string | null {
  return opened(path, (file) => {
    let text = "";
    for (let got = readSync(file, page); got > 0; got = readSync(file, page)) text += page.toString("latin1", 0, got);
    return text;
  });
}

/** The limit on open files is the process's, so one spare file serves all tables. */
const withSpare = spareFile();

/**
 * Holds a file open, to be closed when no more can be opened: a process that cannot be looked at would count as ended,
 * and nobody would end it.
 */
function spareFile(): <Result>(look: () => Result) => Result {
  let spare: number | null = null;
  return (look) => {
    try {
      spare ??= openSync("/dev/null", "r");
      return look();
    } catch (error) {
      if (errnoOf(error) !== "EMFILE" || spare === null) throw error;
      closeSync(spare);
      spare = null;
      return look();
    }
  };
}

function opened<Result>(path: string, use: (file: number) => Result): Result | null {
  let file: number | undefined;
  try {
    file = withSpare(() => openSync(path, "r"));
    return use(file);
  } catch {
    return null;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}
