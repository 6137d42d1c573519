/**
 * How processes are ended: SIGINT, then SIGTERM, then SIGKILL, searching again until none is left. Each is signalled
 * only while it is still the same process (pid and start time), so a recycled pid is never hit.
 */
import { pause, type Clock } from "../../base/clock.ts";
import { isAlive, isDead, ticksOf, type ProcessIdentity, type ProcessRow, type ProcessTable } from "./process-table.ts";

export interface Graces {
  /** After SIGINT, for an agent to end its turn by itself. */
  interruptMs: number;
  /** After SIGTERM. */
  terminateMs: number;
  /** After the first SIGKILL; a process that still exists then (it hangs in the kernel) is reported and left. */
  killMs: number;
}

/** Together under 15 s, the longest a stop may take. */
export const standardGraces: Graces = { interruptMs: 5_000, terminateMs: 3_000, killMs: 5_000 };

/** What the kill ladder needs of this machine; tests replace it. */
export interface Machine {
  clock: Clock;
  table: ProcessTable;
  /** Signals a pid, or with a negative one a group; 0 only checks. Throws if there is none. */
  signal: (pid: number, signal: NodeJS.Signals | 0) => void;
}

/** Between two reads of the process table; there is no event for the end of a process that is not our child. */
const LOOK_MS = 20;

/** Entries of an environment (`NAME=value`) that must all be present, whole. */
export type Marker = readonly string[];

/**
 * The living processes of one child: its session (which contains its group), and those that left the session but carry
 * the marker. A process that left the session and dropped its environment is not found: that would need a cgroup.
 * Without an exact table only the group is known, and counts as one process.
 */
export function membersOf(machine: Machine, child: ProcessIdentity, marker: Marker): ProcessRow[] {
  const { table } = machine;
  if (!table.exact) return send(machine, -child.pid, 0) ? [wholeGroup(child)] : [];
  const leader = table.read(child.pid);
  const recycled = leader !== null && leader.startTime !== child.startTime;
  // Nobody enters a session from outside, and nothing that was there before the child has its marks.
  return table.list(ticksOf(child)).filter((row) => {
    if (row.pid === process.pid || isDead(row)) return false;
    if (row.session === child.pid) return !recycled;
    return marker.length > 0 && carries(table.environ(row.pid), marker);
  });
}

/** Whether the environment contains all the marks. */
export function carries(environ: string | null, marker: Marker): boolean {
  if (environ === null) return false;
  const whole = `\0${environ}\0`;
  return marker.every((mark) => whole.includes(`\0${asRead(mark)}\0`));
}

/** Text as it appears in an environment that was read byte for byte. */
export function asRead(text: string): string {
  return Buffer.from(text).toString("latin1");
}

/** Signals exactly this process. Returns whether it existed. */
export function signalOne(machine: Machine, target: ProcessIdentity, signal: NodeJS.Signals): boolean {
  return isAlive(machine.table, target) && send(machine, target.pid, signal);
}

/**
 * SIGTERM, a grace, then SIGKILL until the search finds none. The group of `leader` is signalled as a whole, so that a
 * fork cannot escape; all others one by one.
 * @returns those that even SIGKILL did not end in time
 */
export async function endAll(
  machine: Machine,
  find: () => ProcessRow[],
  graces: Pick<Graces, "terminateMs" | "killMs">,
): Promise<ProcessRow[]> {
  let left = find();
  if (left.length === 0) return left;
  tell(machine, left, "SIGTERM");
  left = await emptied(machine, find, graces.terminateMs, () => {});
  if (left.length === 0) return left;
  tell(machine, left, "SIGKILL");
  return await emptied(machine, find, graces.killMs, (rows) => tell(machine, rows, "SIGKILL"));
}

function wholeGroup(child: ProcessIdentity): ProcessRow {
  return { ...child, state: "?", parent: 0, session: child.pid };
}

function tell(machine: Machine, rows: readonly ProcessRow[], signal: NodeJS.Signals): void {
  if (!machine.table.exact) {
    for (const row of rows) send(machine, -row.pid, signal);
    return;
  }
  const leaders = rows.filter((row) => row.pid === row.session && isAlive(machine.table, row));
  for (const leader of leaders) send(machine, -leader.pid, signal);
  for (const row of rows) if (!leaders.includes(row)) signalOne(machine, row, signal);
}

async function emptied(
  machine: Machine,
  find: () => ProcessRow[],
  withinMs: number,
  again: (rows: ProcessRow[]) => void,
): Promise<ProcessRow[]> {
  const until = machine.clock.monotonic() + withinMs;
  // The clock's timers do not keep the process alive; without this, a daemon waiting here at its start would exit.
  const alive = setInterval(() => {}, 60_000);
  try {
    for (;;) {
      const left = find();
      if (left.length === 0 || machine.clock.monotonic() >= until) return left;
      again(left);
      await pause(machine.clock, LOOK_MS);
    }
  } finally {
    clearInterval(alive);
  }
}

function send(machine: Machine, pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    machine.signal(pid, signal);
    return true;
  } catch {
    return false;
  }
}
