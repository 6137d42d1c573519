/**
 * The log: `app.ndjson` for programs, and short lines on standard error for the person who watches. Nothing
 * leaves here before the redactor has seen the finished line, and a failure cannot be logged without its code.
 */
import { join } from "node:path";
import { pino, type Logger } from "pino";
import { isoTime, type Clock } from "./clock.ts";
import { BellhopError, codeOf, type ErrorCode } from "./errors.ts";
import type { Redactor } from "./redact.ts";
import { openRotatingFile, type RotatingFile } from "./rotating-file.ts";
import { oneLine } from "./text.ts";

export type Level = "debug" | "info" | "warn" | "error";
export type Fields = Record<string, unknown>;

export interface Log {
  debug(text: string, fields?: Fields): void;
  info(text: string, fields?: Fields): void;
  /** Something refused or lost on the way; a failure among its causes is named by `error_code`. */
  warn(text: string, fields?: Fields & { error_code?: ErrorCode }): void;
  /** A failure: its code, details and stack go with the text. */
  failure(text: string, error: unknown, fields?: Fields): void;
  /** The same log, with the room's name on every line. */
  room(name: string): Log;
  /** Everything logged until now is in the file. */
  close(): void;
}

export interface LogRequest {
  /** LOG_DIR; made with mode 0700 where it is missing. Without it nothing is kept. */
  directory?: string;
  /** Where short lines for a person go, from `shown` up. */
  stderr?: { write(text: string): unknown };
  /** The least level written to the file; `info` when not given. */
  kept?: Level;
  /** The least level shown on `stderr`; `info` when not given. */
  shown?: Level;
  redactor: Redactor;
  clock: Clock;
  /** Told of every failure that is logged, after the redactor has seen it. */
  onFailure?(failure: LoggedFailure): void;
  /** What `app.ndjson` may hold before it is rotated. */
  capBytes?: number;
}

export interface LoggedFailure {
  /** ISO 8601. */
  ts: string;
  room: string | null;
  error_code: ErrorCode;
  text: string;
}

export const LOG_FILE = "app.ndjson";
export const LOG_CAP_BYTES = 10 * 1024 * 1024;
/** So many full files are kept beside the one being written. */
export const LOGS_KEPT = 4;

const order: Record<Level, number> = { debug: 0, info: 1, warn: 2, error: 3 };

/**
 * Opens the log. @throws what the system throws when the directory or the file cannot be made.
 * A disk that fails later does not: the daemon lives by its journal, and the lines go to standard error alone.
 */
export function openLog(request: LogRequest): Log {
  const { directory, redactor, clock } = request;
  const file = directory === undefined ? undefined : openFile(directory, request);
  const logger = pino(
    {
      level: request.kept ?? "info",
      base: { pid: process.pid },
      timestamp: () => `,"ts":${JSON.stringify(isoTime(clock.now()))}`,
      formatters: { level: (label) => ({ level: label }) },
      hooks: { streamWrite: (line) => redactor.text(line) },
    },
    file ?? { write: () => undefined },
  );
  return facade(logger, request, file);
}

/** A log that keeps and shows nothing. */
export const silentLog: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  failure: () => undefined,
  room: () => silentLog,
  close: () => undefined,
};

function openFile(directory: string, { stderr, capBytes = LOG_CAP_BYTES }: LogRequest): RotatingFile {
  return openRotatingFile({
    path: join(directory, LOG_FILE),
    capBytes,
    kept: LOGS_KEPT,
    onFailure: (error) => stderr?.write(`The log cannot be written: ${oneLine(error.message, 200)}\n`),
  });
}

function facade(logger: Logger, request: LogRequest, file: RotatingFile | undefined, room?: string): Log {
  const write = (level: Level, text: string, fields: Fields): void => {
    logger[level](fields, text);
    if (order[level] >= order[request.shown ?? "info"]) request.stderr?.write(shortLine(request, level, room, text, fields));
  };
  return {
    debug: (text, fields = {}) => write("debug", text, fields),
    info: (text, fields = {}) => write("info", text, fields),
    warn: (text, fields = {}) => write("warn", text, fields),
    failure(text, error, fields = {}) {
      write("error", text, { ...fields, ...described(error) });
      request.onFailure?.({ ts: isoTime(request.clock.now()), room: room ?? null, error_code: codeOf(error), text: request.redactor.text(text) });
    },
    room: (name) => facade(logger.child({ room: name }), request, file, name),
    close: () => file?.close(),
  };
}

/** What of an error goes into the log: our code and details, and the stack of it and of what caused it. */
function described(error: unknown): Fields & { error_code: ErrorCode } {
  if (!(error instanceof Error)) return { error_code: codeOf(error), thrown: textOf(error) };
  const details = error instanceof BellhopError ? { details: error.details } : {};
  const cause = error.cause === undefined ? {} : { cause: error.cause instanceof Error ? error.cause.stack : textOf(error.cause) };
  return { error_code: codeOf(error), ...details, stack: error.stack, ...cause };
}

const NOT_SHOWN = new Set(["stack", "cause", "details"]);

/** `14:21:00 warn discord: text key=value`: one line, safe for a terminal, in the machine's own time. */
function shortLine(request: LogRequest, level: Level, room: string | undefined, text: string, fields: Fields): string {
  const time = new Date(request.clock.now()).toTimeString().slice(0, 8);
  const shown = Object.entries(fields)
    .filter(([key]) => !NOT_SHOWN.has(key))
    .map(([key, value]) => `${key}=${typeof value === "string" ? value : jsonOf(value)}`);
  const line = [time, level, room === undefined ? text : `${room}: ${text}`, ...shown].join(" ");
  return `${oneLine(request.redactor.text(line), 400)}\n`;
}

/** Anything can be thrown, also what refuses to be a text; to log it must not throw again. */
function textOf(value: unknown): string {
  try {
    return String(value);
  } catch {
    return Object.prototype.toString.call(value);
  }
}

function jsonOf(value: unknown): string {
  try {
    return JSON.stringify(value) ?? textOf(value);
  } catch {
    return textOf(value);
  }
}
