/**
 * `bellhop logs`: the end of the log, or of what one job's agent wrote, for a person. It reads files and needs no
 * daemon; terminal control sequences in them are never printed.
 */
import { closeSync, existsSync, fstatSync, openSync, readSync } from "node:fs";
import { join } from "node:path";
import { errnoOf } from "../base/disk.ts";
import { BellhopError } from "../base/errors.ts";
import { LOG_FILE, LOGS_KEPT } from "../base/log.ts";
import { rotatedNames } from "../base/rotating-file.ts";
import { escapedJson, programText, terminalLine } from "../base/terminal-text.ts";
import { say } from "../base/words/say.ts";
import { places, type DaemonFolders } from "./start/daemons.ts";
import { localeOf, print, type Io } from "./io.ts";
import { readOptions, wholeNumber } from "./options.ts";
import { localTime, zoneOf } from "./terminal/time.ts";

const USUAL_LINES = 100;
const MOST_LINES = 1_000_000;
/** Limit for display; the file has the whole line. */
const LONGEST_LINE = 2_000;
const CHUNK_BYTES = 64 * 1024;
/** Limits the memory used for a line without an end. */
const MOST_BYTES = 64 * 1024 * 1024;
/** The pattern of a job id; nothing else becomes part of a path. */
const JOB = /^job_\d{8}_\d{4,}$/;

/**
 * @param argv `[job] [-n N] [--sandbox] [--json]`
 * @throws E_JOB_NOT_FOUND {job} if there is no log of that job
 */
export async function logs(argv: readonly string[], io: Io): Promise<number> {
  const { values, words } = readOptions(
    argv,
    { lines: { type: "string", short: "n" }, sandbox: { type: "boolean" }, json: { type: "boolean" } },
    1,
  );
  const count = values.lines === undefined ? USUAL_LINES : wholeNumber("-n", values.lines, 0, MOST_LINES);
  const at = places(io, values.sandbox ?? false);
  const [job] = words;
  if (job !== undefined) print(io, jobLines(at, job, count));
  else printLog(at, count, values.json ?? false, io);
  return 0;
}

function jobLines(at: readonly DaemonFolders[], job: string, count: number): string[] {
  const files = JOB.test(job) ? at.map(({ logDir }) => join(logDir, "job", `${job}.log`)) : [];
  const found = files.find((file) => existsSync(file));
  const lines = found === undefined ? undefined : lastLines(found, count);
  if (lines === undefined) throw new BellhopError("E_JOB_NOT_FOUND", { job: terminalLine(job, 80) });
  return lines.map(programText);
}

function printLog(at: readonly DaemonFolders[], count: number, json: boolean, io: Io): void {
  const files = at.map(({ logDir }) => join(logDir, LOG_FILE));
  const file = files.find((path) => existsSync(path));
  if (file === undefined)
    return void io.stderr.write(`${say(localeOf(io.env), "cli.logs.none", { file: files[0] ?? "" })}\n`);
  const lines: string[] = [];
  for (const path of rotatedNames(file, LOGS_KEPT)) {
    if (lines.length >= count) break;
    lines.unshift(...(lastLines(path, count - lines.length) ?? []));
  }
  const zone = zoneOf(at[files.indexOf(file)]?.stateDir ?? "");
  print(io, json ? lines.map(escapedJson) : lines.map((line) => logLine(line, zone)));
}

/** Shown elsewhere in the line, or useless to a person without the file. */
const NOT_SHOWN = new Set(["level", "ts", "pid", "module", "msg", "stack", "cause", "error_code", "details"]);

/** `2026-02-26 14:21:00 error discord: text E_CODE key=value`; a line not in the log's format is returned unchanged. */
export function logLine(line: string, zone?: string): string {
  const record = parsed(line);
  if (record === undefined) return terminalLine(line, LONGEST_LINE);
  const { level, ts, module, msg, error_code, details } = record;
  const more = Object.entries({ ...record, ...(isObject(details) ? details : {}) }).filter(
    ([key]) => !NOT_SHOWN.has(key),
  );
  const words = [
    typeof ts === "string" ? localTime(ts, zone) : "-",
    String(level ?? "-"),
    module === undefined ? String(msg ?? "") : `${String(module)}: ${String(msg ?? "")}`,
    ...(typeof error_code === "string" ? [error_code] : []),
    ...more.map(([key, value]) => `${key}=${typeof value === "string" ? value : JSON.stringify(value)}`),
  ];
  return terminalLine(words.join(" "), LONGEST_LINE);
}

function parsed(line: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * At most `count` lines from the end of a file, without newlines, oldest first; undefined if there is no such file. It
 * is read backwards, so a log of many megabytes costs no more than its shown end.
 * @throws what the system throws for a file that exists but cannot be read
 */
export function lastLines(path: string, count: number): string[] | undefined {
  const file = openOrNothing(path);
  if (file === undefined) return undefined;
  try {
    return linesAtEnd(file, count);
  } finally {
    closeSync(file);
  }
}

function linesAtEnd(file: number, count: number): string[] {
  const parts: Buffer[] = [];
  let at = fstatSync(file).size;
  let newlines = 0;
  let taken = 0;
  // One newline more than lines: the one before the first of them.
  while (at > 0 && newlines <= count && taken < MOST_BYTES) {
    const part = Buffer.alloc(Math.min(CHUNK_BYTES, at));
    at -= part.length;
    const read = readSync(file, part, 0, part.length, at);
    parts.unshift(part.subarray(0, read));
    taken += read;
    newlines += part.subarray(0, read).filter((byte) => byte === 10).length;
  }
  const lines = Buffer.concat(parts).toString("utf8").split("\n");
  if (lines.at(-1) === "") lines.pop();
  return count === 0 ? [] : lines.slice(-count);
}

function openOrNothing(path: string): number | undefined {
  try {
    return openSync(path, "r");
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return undefined;
    throw error;
  }
}
