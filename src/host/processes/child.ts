/**
 * One running child: its lines, its end, and how it is stopped. Its job ends with its exit and a short drain, not when
 * its pipes close, which a grandchild can keep open forever; `gone` resolves when its whole process session has ended,
 * stray children included.
 */
import type { ChildProcess, ChildProcessWithoutNullStreams } from "node:child_process";
import type { Readable } from "node:stream";
import { pause, type Clock } from "../../base/clock.ts";
import { ChildInput, LineSplitter, LineQueue, Ring, type OutputLine } from "./pipes.ts";
import { type ProcessIdentity, isAlive, isDead, ticksOf, type ProcessRow, type ProcessTable } from "./process-table.ts";

export interface SpawnRequest {
  /** Absolute: `which.ts` resolves names, not a PATH lookup at the spawn. */
  file: string;
  args: readonly string[];
  cwd: string;
  env: Readonly<Record<string, string>>;
  /** The raw output, before it is split into lines; for the job's log. */
  onStdout?: (chunk: Buffer) => void;
  onStderr?: (chunk: Buffer) => void;
  lineCapBytes?: number;
}

export interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
  /** Why it could not be started; else null. */
  failure: string | null;
}

export interface Child {
  /** Null if it could not be started. */
  readonly identity: ProcessIdentity | null;
  /** stdout by line, for one reader; while nothing reads, the child waits. Ends after the exit and the drain. */
  readonly lines: AsyncIterableIterator<OutputLine>;
  /** Null if it could not be started. */
  readonly input: ChildInput | null;
  /** Never rejects. */
  readonly exit: Promise<Exit>;
  /** After the exit: pipes closed, no process of its session left (see `membersOf`). Never rejects. */
  readonly gone: Promise<void>;
  /** Monotonic milliseconds of its last byte on stdout or stderr, or of its start. */
  heardAt(): number;
  /** The end of its stderr, at most 16 KiB, unredacted. */
  stderrTail(): string;
  /** No more output is needed: closes stdin, discards the rest of its output, and stops it if it lingers. */
  finishOutput(lingerMs: number): void;
  /** SIGINT to the child, then SIGTERM, then SIGKILL to all of its session and its strays. Resolves with `gone`. */
  stop(): Promise<void>;
  /**
   * The same to end one thing that it is at: once that is over, no signal follows SIGINT. Resolves when the child has
   * outlived it for a while, or with `gone`.
   */
  interrupt(over: Promise<unknown>): Promise<void>;
  /** SIGKILL at once. */
  kill(): Promise<void>;
}

interface ChildSetting {
  machine: KillDeps;
  graces: Graces;
  drainMs: number;
}

/** A child that SIGINT ends has ended this soon after what it was at. */
const OUTLIVED_MS = 2_000;
const STDERR_KEPT_BYTES = 16 * 1024;
/** Bytes that may wait for their reader while the child runs, and once it has exited. */
const WAITING_BYTES = 1024 * 1024;
const LAST_WAITING_BYTES = 16 * 1024 * 1024;

/**
 * Spawns and watches a child. A spawn that throws (a NUL in an argument, no memory) or has no pipes (no more file
 * descriptors) is a child that could not be started, like any other.
 */
export function startChild(
  open: () => ChildProcessWithoutNullStreams,
  request: SpawnRequest,
  setting: ChildSetting,
): Child {
  try {
    const child = open();
    if (child.stdin && child.stdout && child.stderr) return new RunningChild(child, request, setting);
    // Its error event is emitted in the next tick and needs a listener.
    child.on("error", () => {});
    return unstarted("no pipes: too many open files");
  } catch (error) {
    return unstarted(error instanceof Error ? error.message : String(error));
  }
}

function unstarted(failure: string): Child {
  const lines = new LineQueue({ limitBytes: 0, onFull: () => {}, onRoom: () => {} });
  lines.close();
  const gone = Promise.resolve();
  return {
    identity: null,
    lines,
    input: null,
    exit: Promise.resolve({ code: null, signal: null, failure }),
    gone,
    heardAt: () => 0,
    stderrTail: () => "",
    finishOutput: () => {},
    stop: () => gone,
    interrupt: () => gone,
    kill: () => gone,
  };
}

class RunningChild implements Child {
  readonly identity: ProcessIdentity | null;
  readonly lines: LineQueue;
  readonly input: ChildInput;
  readonly exit: Promise<Exit>;
  readonly gone: Promise<void>;
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #setting: ChildSetting;
  readonly #marker: Marker;
  readonly #stderr = new Ring(STDERR_KEPT_BYTES);
  #heardAt: number;
  #exited = false;
  #stopping: Promise<void> | null = null;

  /** Must be called in the tick of the spawn: output before a listener exists is lost. */
  constructor(child: ChildProcessWithoutNullStreams, request: SpawnRequest, setting: ChildSetting) {
    const { clock, table } = setting.machine;
    const { stdin, stdout, stderr } = child;
    this.#child = child;
    this.#setting = setting;
    this.#marker = markerOf(request.env);
    this.#heardAt = clock.monotonic();
    this.lines = new LineQueue({
      limitBytes: WAITING_BYTES,
      onFull: () => stdout.pause(),
      onRoom: () => stdout.resume(),
    });
    this.input = new ChildInput(stdin);
    this.exit = exitOf(child).finally(() => (this.#exited = true));
    const closed = Promise.all([this.#collectStdout(stdout, request), this.#overhear(stderr, request)]);
    const pid = child.pid;
    this.identity = pid === undefined ? null : { pid, startTime: table.read(pid)?.startTime ?? "" };
    this.gone = this.#end(closed.then(() => {}));
  }

  heardAt(): number {
    return this.#heardAt;
  }

  stderrTail(): string {
    return this.#stderr.text();
  }

  finishOutput(lingerMs: number): void {
    this.input.close();
    this.lines.discard();
    const forget = this.#setting.machine.clock.after(lingerMs, () => void this.stop());
    void this.exit.then(forget);
  }

  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  async interrupt(over: Promise<unknown>): Promise<void> {
    const { machine, graces } = this.#setting;
    const ended = this.exit.then(() => false);
    if (this.identity && !this.#exited && this.#stopping === null) {
      signalOne(machine, this.identity, "SIGINT");
      const isOver = await Promise.race([
        over.then(() => true),
        ended,
        pause(machine.clock, graces.interruptMs).then(() => false),
      ]);
      if (isOver) await Promise.race([ended, pause(machine.clock, OUTLIVED_MS)]);
      if (isOver && !this.#exited && this.#stopping === null) return;
      this.#stopping ??= this.#clear(graces.terminateMs);
    }
    await this.stop();
    await this.gone;
  }

  async kill(): Promise<void> {
    const { machine } = this.#setting;
    // The child goes first, so that it cannot fork between the search and the kill.
    if (this.identity && !this.#exited) signalOne(machine, this.identity, "SIGKILL");
    await this.#clear(0);
    await this.gone;
  }

  /** Collects lines and bytes of stdout; resolves when it is closed. */
  #collectStdout(stdout: Readable, request: SpawnRequest): Promise<void> {
    const splitter = new LineSplitter(request.lineCapBytes);
    stdout.on("data", (chunk: Buffer) => {
      this.#heardAt = this.#setting.machine.clock.monotonic();
      request.onStdout?.(chunk);
      for (const line of splitter.push(chunk)) this.lines.push(line);
    });
    return closeOf(stdout).then(() => {
      for (const line of splitter.lastLine()) this.lines.push(line);
      this.lines.close();
    });
  }

  #overhear(stderr: Readable, request: SpawnRequest): Promise<void> {
    stderr.on("data", (chunk: Buffer) => {
      this.#heardAt = this.#setting.machine.clock.monotonic();
      this.#stderr.add(chunk);
      request.onStderr?.(chunk);
    });
    return closeOf(stderr);
  }

  async #end(closed: Promise<void>): Promise<void> {
    const { machine, drainMs } = this.#setting;
    await this.exit;
    // At the exit Node resumes the pipes, so that nothing in them is lost; a grandchild that continues to write must
    // not fill the memory with that.
    this.lines.limit(LAST_WAITING_BYTES);
    if (this.identity) await Promise.race([closed, pause(machine.clock, drainMs)]);
    for (const pipe of [this.#child.stdin, this.#child.stdout, this.#child.stderr]) pipe.destroy();
    await closed;
    await this.#clear(this.#setting.graces.terminateMs);
  }

  async #stop(): Promise<void> {
    const { machine, graces } = this.#setting;
    if (this.identity && !this.#exited) {
      signalOne(machine, this.identity, "SIGINT");
      await Promise.race([this.exit, pause(machine.clock, graces.interruptMs)]);
      await this.#clear(graces.terminateMs);
    }
    await this.gone;
  }

  async #clear(terminateMs: number): Promise<void> {
    const { machine, graces } = this.#setting;
    const { identity } = this;
    if (!identity) return;
    await endAll(machine, () => membersOf(machine, identity, this.#marker), { terminateMs, killMs: graces.killMs });
  }
}

/**
 * The environment that every process of a job has, and no other job's: both variables, because two state directories
 * number jobs alike.
 */
function markerOf(env: Readonly<Record<string, string>>): Marker {
  const { BELLHOP_JOB: job, BELLHOP_OUTPUTS: outputs } = env;
  return job && outputs ? [`BELLHOP_JOB=${job}`, `BELLHOP_OUTPUTS=${outputs}`] : [];
}

function exitOf(child: ChildProcess): Promise<Exit> {
  return new Promise((resolve) => {
    child.once("exit", (code, signal) => resolve({ code, signal, failure: null }));
    // A failed start has no exit event. Later errors (a signal that could not be sent) come after the exit is settled
    // or do not affect it.
    child.on("error", (error) => {
      if (child.pid === undefined) resolve({ code: null, signal: null, failure: error.message });
    });
  });
}

/** A broken pipe ends a stream like a closed one; what was read until then counts. */
function closeOf(stream: Readable): Promise<void> {
  return new Promise((resolve) => {
    stream.once("error", () => stream.destroy());
    stream.once("close", resolve);
  });
}

/*
 * How processes are ended: SIGINT, then SIGTERM, then SIGKILL, searching again until none is left. Each is signalled
 * only while it is still the same process (pid and start time), so a recycled pid is never hit.
 */

export interface EndingGraces {
  /** After SIGTERM. */
  terminateMs: number;
  /** After the first SIGKILL; a process that still exists then (it hangs in the kernel) is reported and left. */
  killMs: number;
}

export interface Graces extends EndingGraces {
  /** After SIGINT, for an agent to end its turn by itself. */
  interruptMs: number;
}

/** Together under 15 s, the longest a stop may take. */
export const standardGraces: Graces = { interruptMs: 5_000, terminateMs: 3_000, killMs: 5_000 };

/** What the kill ladder needs of this machine; tests replace it. */
export interface KillDeps {
  clock: Clock;
  table: ProcessTable;
  /** Signals a pid, or with a negative one a group; 0 only checks. Throws if there is none. */
  signal: (pid: number, signal: NodeJS.Signals | 0) => void;
}

/** Between two reads of the process table; there is no event for the end of a process that is not our child. */
const LOOK_MS = 20;

/** Entries of an environment (`NAME=value`) that must all be present, whole. */
type Marker = readonly string[];

/**
 * The living processes of one child: its session (which contains its group), and those that left the session but carry
 * the marker. A process that left the session and dropped its environment is not found: that would need a cgroup.
 * Without an exact table only the group is known, and counts as one process.
 */
export function membersOf(machine: KillDeps, child: ProcessIdentity, marker: Marker): ProcessRow[] {
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
function carries(environ: string | null, marker: Marker): boolean {
  if (environ === null) return false;
  const whole = `\0${environ}\0`;
  return marker.every((mark) => whole.includes(`\0${asRead(mark)}\0`));
}

/** Text as it appears in an environment that was read byte for byte. */
export function asRead(text: string): string {
  return Buffer.from(text).toString("latin1");
}

/** Signals exactly this process. Returns whether it existed. */
function signalOne(machine: KillDeps, target: ProcessIdentity, signal: NodeJS.Signals): boolean {
  return isAlive(machine.table, target) && send(machine, target.pid, signal);
}

/**
 * SIGTERM, a grace, then SIGKILL until the search finds none. The group of `leader` is signalled as a whole, so that a
 * fork cannot escape; all others one by one.
 * @returns those that even SIGKILL did not end in time
 */
export async function endAll(machine: KillDeps, find: () => ProcessRow[], graces: EndingGraces): Promise<ProcessRow[]> {
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

function tell(machine: KillDeps, rows: readonly ProcessRow[], signal: NodeJS.Signals): void {
  if (!machine.table.exact) {
    for (const row of rows) send(machine, -row.pid, signal);
    return;
  }
  const leaders = rows.filter((row) => row.pid === row.session && isAlive(machine.table, row));
  for (const leader of leaders) send(machine, -leader.pid, signal);
  for (const row of rows) if (!leaders.includes(row)) signalOne(machine, row, signal);
}

async function emptied(
  machine: KillDeps,
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

function send(machine: KillDeps, pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    machine.signal(pid, signal);
    return true;
  } catch {
    return false;
  }
}
