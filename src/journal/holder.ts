/**
 * Identifies a lock's holder so that no later process is mistaken for it: a process id is reused, but not with the same
 * start time, and a start time is only valid within its boot. Without /proc (macOS, Windows) there is only the process
 * id, and a process that reuses it is taken for the holder.
 */
import { readFileSync } from "node:fs";

export interface Holder {
  pid: number;
  /** Linux's boot id; empty if there is none. */
  boot_id: string;
  /** Field 22 of /proc/PID/stat, in clock ticks since the boot; empty if there is none. */
  start_time: string;
}

/** This process. */
export function ourselves(): Holder {
  return { pid: process.pid, boot_id: bootId(), start_time: processStat(process.pid)?.startTime ?? "" };
}

/** Whether exactly that process is still running; a zombie is not. */
export function isAlive(holder: Holder): boolean {
  if (holder.boot_id !== bootId()) return false;
  if (holder.start_time === "") return answersSignals(holder.pid);
  const stat = processStat(holder.pid);
  return stat !== undefined && stat.startTime === holder.start_time && stat.state !== "Z" && stat.state !== "X";
}

/** The holder in a lock's text; undefined if the text is not one. */
export function parseHolder(text: string): Holder | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isHolder(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isHolder(value: unknown): value is Holder {
  if (typeof value !== "object" || value === null) return false;
  if (!("pid" in value && "boot_id" in value && "start_time" in value)) return false;
  return Number.isSafeInteger(value.pid) && Number(value.pid) > 0 && typeof value.boot_id === "string" && typeof value.start_time === "string";
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
