/**
 * One daemon per state directory. The lock is a file `lock.<n>` that names its holder; the highest number counts. A
 * lock whose holder is gone is never removed to take its place: the next number is taken, which only one process can
 * do, and nobody can remove a valid lock by mistaking it for a stale one.
 */
import { randomBytes } from "node:crypto";
import {
  closeSync,
  linkSync,
  openSync,
  readFileSync,
  readdirSync,
  renameSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { errnoOf } from "../base/disk.ts";
import { BellhopError } from "../base/errors.ts";
import { diskFailed } from "./writer.ts";
import { prepareStateDirectory } from "./state-directory.ts";

export interface Lock {
  /** Lets the next process take the lock; so does the end of this process. */
  release(): void;
}

interface Numbered {
  number: number;
  name: string;
  released: boolean;
}

/**
 * Creates the state directory if missing, checks it, and locks it for this process.
 * @throws BellhopError E_CONFIG_INVALID {where, found, expected, mend}, E_DAEMON_RUNNING {pid, path}, E_JOURNAL_WRITE
 */
export async function openStateDirectory(dir: string): Promise<{ release(): Promise<void> }> {
  await prepareStateDirectory(dir);
  const lock = takeLock(dir);
  return { release: async () => lock.release() };
}

const NAME = /^lock\.([0-9]{1,15})(\.released)?$/;

/**
 * Takes the lock of the directory, which must exist.
 * @throws BellhopError E_DAEMON_RUNNING {pid, path}; E_JOURNAL_WRITE if the directory cannot be written
 */
export function takeLock(dir: string): Lock {
  try {
    for (;;) {
      const lock = tryToTake(dir);
      if (lock !== undefined) return lock;
    }
  } catch (error) {
    throw diskFailed(dir, "lock", error);
  }
}

/** The living process that holds the directory's lock. */
export function lockHolder(dir: string): LockHolder | undefined {
  const newest = newestLock(dir);
  if (newest === undefined || newest.released) return undefined;
  const holder = readHolder(dir, newest);
  return typeof holder === "object" && isAlive(holder) ? holder : undefined;
}

/** Undefined if another process changed the locks in between: look again. */
function tryToTake(dir: string): Lock | undefined {
  const newest = newestLock(dir);
  if (newest !== undefined && !newest.released) {
    const holder = readHolder(dir, newest);
    if (holder === "gone") return undefined;
    if (holder !== "blank" && isAlive(holder))
      throw new BellhopError("E_DAEMON_RUNNING", { pid: holder.pid, path: dir });
  }
  const number = (newest?.number ?? 0) + 1;
  const path = join(dir, `lock.${number}`);
  if (!appear(dir, path, JSON.stringify(currentHolder()))) return undefined;
  // This process may be so slow that its number has come and gone meanwhile; there is always a higher one then.
  if (newestLock(dir)?.number !== number) {
    remove(path);
    return undefined;
  }
  for (const older of listLocks(dir)) if (older.number < number) remove(join(dir, older.name));
  let held = true;
  return {
    release() {
      if (!held) return;
      held = false;
      // Renamed, not removed: the number must not be used again while a process still relies on the one before.
      try {
        renameSync(path, `${path}.released`);
      } catch (error) {
        // The directory was removed: nothing is held any more.
        if (errnoOf(error) !== "ENOENT") throw error;
      }
    },
  };
}

/** Creates the file with all its content; if the name is taken, does nothing and returns false. */
function appear(dir: string, path: string, content: string): boolean {
  const temporary = join(dir, `.lock.${randomBytes(8).toString("hex")}.tmp`);
  const fd = openSync(temporary, "wx", 0o600);
  try {
    writeFileSync(fd, content);
  } finally {
    closeSync(fd);
  }
  try {
    linkSync(temporary, path);
    return true;
  } catch (error) {
    // ENOENT: the holder removed our temporary file.
    if (["EEXIST", "ENOENT"].includes(errnoOf(error))) return false;
    throw error;
  } finally {
    remove(temporary);
  }
}

function listLocks(dir: string): Numbered[] {
  return readdirSync(dir).flatMap((name) => {
    const match = NAME.exec(name);
    return match === null ? [] : [{ number: Number(match[1]), name, released: match[2] !== undefined }];
  });
}

function newestLock(dir: string): Numbered | undefined {
  return listLocks(dir).reduce<Numbered | undefined>(
    (best, lock) => (best !== undefined && best.number >= lock.number ? best : lock),
    undefined,
  );
}

/**
 * `gone` if the file has disappeared meanwhile; `blank` if a power cut removed its content, and with it its holder.
 * @throws BellhopError E_DAEMON_RUNNING for any other content: a later Bellhop may have written it
 */
function readHolder(dir: string, { name }: Numbered): LockHolder | "gone" | "blank" {
  let text: string;
  try {
    text = readFileSync(join(dir, name), "utf8");
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return "gone";
    throw error;
  }
  if (/^\0*$/.test(text)) return "blank";
  const holder = parseHolder(text);
  if (holder === undefined) throw new BellhopError("E_DAEMON_RUNNING", { pid: `? (${name})`, path: dir });
  return holder;
}

function remove(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if (errnoOf(error) !== "ENOENT") throw error;
  }
}

/**
 * Identifies a lock's holder so that no later process is mistaken for it: a process id is reused, but not with the same
 * start time, and a start time is only valid within its boot. Without /proc (macOS, Windows) there is only the process
 * id, and a process that reuses it is taken for the holder.
 */
interface LockHolder {
  pid: number;
  /** Linux's boot id; empty if there is none. */
  boot_id: string;
  /** Field 22 of /proc/PID/stat, in clock ticks since the boot; empty if there is none. */
  start_time: string;
}

/** This process. */
export function currentHolder(): LockHolder {
  return { pid: process.pid, boot_id: bootId(), start_time: processStat(process.pid)?.startTime ?? "" };
}

/** Whether exactly that process is still running; a zombie is not. */
function isAlive(holder: LockHolder): boolean {
  if (holder.boot_id !== bootId()) return false;
  if (holder.start_time === "") return answersSignals(holder.pid);
  const stat = processStat(holder.pid);
  return stat !== undefined && stat.startTime === holder.start_time && stat.state !== "Z" && stat.state !== "X";
}

/** The holder in a lock's text; undefined if the text is not one. */
function parseHolder(text: string): LockHolder | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isHolder(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isHolder(value: unknown): value is LockHolder {
  if (typeof value !== "object" || value === null) return false;
  if (!("pid" in value && "boot_id" in value && "start_time" in value)) return false;
  return (
    Number.isSafeInteger(value.pid) &&
    Number(value.pid) > 0 &&
    typeof value.boot_id === "string" &&
    typeof value.start_time === "string"
  );
}

function bootId(): string {
  return read("/proc/sys/kernel/random/boot_id")?.trim() ?? "";
}

function processStat(pid: number): { state: string; startTime: string } | undefined {
  const text = read(`/proc/${pid}/stat`);
  // The name in field 2 may contain blanks and parentheses; field 3 begins after the last of them.
  const fields = text?.slice(text.lastIndexOf(")") + 2).split(" ");
  const state = fields?.[0];
  const startTime = fields?.[19];
  return state === undefined || startTime === undefined ? undefined : { state, startTime };
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

function answersSignals(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
