/**
 * How processes are ended: first asked, then told, then killed, and looked for again until none is left. Each is
 * signalled only while it is still the same process (pid and start time), so a recycled pid is never hit.
 */
import type { Clock } from "../base/clock.ts";
import { isAlive, isDead, ticksOf, type ProcessIdentity, type ProcessRow, type ProcessTable } from "./process-table.ts";

export interface Graces {
  /** After SIGINT, for an agent to end its turn by itself. */
  interruptMs: number;
  /** After SIGTERM. */
  terminateMs: number;
  /** After the first SIGKILL, until a process that still stands is reported and left (it hangs in the kernel). */
  killMs: number;
}

/** Together under 15 s, the longest a stop may take. */
export const standardGraces: Graces = { interruptMs: 5_000, terminateMs: 3_000, killMs: 5_000 };

/** What the ladder needs of this machine; tests put their own in. */
export interface Machine {
  clock: Clock;
  table: ProcessTable;
  /** Sends to a pid, or with a negative one to a group; 0 only asks. Throws where there is none. */
  signal: (pid: number, signal: NodeJS.Signals | 0) => void;
}

/** Between two looks at the process table; there is no event for the end of a process that is not our child. */
const LOOK_MS = 20;

/** Marks in an environment (`NAME=value`) that all stand there, whole. */
export type Marker = readonly string[];

/**
 * The living processes of one child: its session (which holds its group), and those that left the session but
 * carry the marker. One that left the session and dropped its environment too is not found: a cgroup would be
 * needed for that. Without an exact table only the group is known, and answers as one.
 */
export function membersOf(machine: Machine, child: ProcessIdentity, marker: Marker): ProcessRow[] {
  const { table } = machine;
  if (!table.exact) return send(machine, -child.pid, 0) ? [wholeGroup(child)] : [];
  const leader = table.read(child.pid);
  const recycled = leader !== null && leader.startTime !== child.startTime;
  const since = ticksOf(child);
  return table.list().filter((row) => {
    if (row.pid === process.pid || isDead(row)) return false;
    if (row.session === child.pid) return !recycled;
    return marker.length > 0 && ticksOf(row) >= since && carries(table.environ(row.pid), marker);
  });
}

/** Whether the environment holds all the marks. */
export function carries(environ: string | null, marker: Marker): boolean {
  if (environ === null) return false;
  const whole = `\0${environ}\0`;
  return marker.every((mark) => whole.includes(`\0${asRead(mark)}\0`));
}

/** Text as it looks in an environment that was read byte for byte. */
export function asRead(text: string): string {
  return Buffer.from(text).toString("latin1");
}

/** Signals exactly this process. Returns whether it was there. */
export function signalOne(machine: Machine, target: ProcessIdentity, signal: NodeJS.Signals): boolean {
  return isAlive(machine.table, target) && send(machine, target.pid, signal);
}

/**
 * SIGTERM, a grace, then SIGKILL until the search finds nobody. The group of `leader` is signalled as a whole,
 * which leaves no gap for a fork; all others one by one.
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

/** Resolves after the time on the monotonic clock. */
export function pause(clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve) => void clock.after(ms, resolve));
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
  // The clock's timers keep nothing alive; without this, a daemon that waits here at its start would simply end.
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
