/**
 * The log: `app.ndjson` for programs, and short lines on standard error for the person who watches. Every finished line
 * passes the redactor before it is written, and a failure cannot be logged without its code.
 */
import { join } from "node:path";
import { pino, type Logger } from "pino";
import { isoTime, type Clock } from "./clock.ts";
import { BellhopError, codeOf, errors, type ErrorCode } from "./errors.ts";
import type { Redactor } from "./redact.ts";
import { openRotatingFile, type RotatingFile } from "./rotating-file.ts";
import { terminalLine } from "./terminal-text.ts";

export type Level = "debug" | "info" | "warn" | "error";
export type LogFields = Record<string, unknown>;

export interface Log {
  debug(text: string, fields?: LogFields): void;
  info(text: string, fields?: LogFields): void;
  /** Something refused or lost; `error_code` names the failure that caused it, if any. */
  warn(text: string, fields?: LogFields & { error_code?: ErrorCode }): void;
  /** A failure: its code, details and stack are logged with the text. */
  failure(text: string, error: unknown, fields?: LogFields): void;
  /** The same log with the module's name on every line. */
  module(name: string): Log;
  /** When it returns, everything logged so far is in the file. */
  close(): void;
}

export interface LogRequest {
  /** LOG_DIR; created with mode 0700 if missing. Without it no file is written. */
  directory?: string;
  /** Receives short lines for a person, from level `shown` up. */
  stderr?: { write(text: string): unknown };
  /** The lowest level written to the file; `info` by default. */
  kept?: Level;
  /** The lowest level shown on `stderr`; `info` by default. */
  shown?: Level;
  redactor: Redactor;
  clock: Clock;
  /** Called with each logged failure, after redaction. */
  onFailure?(failure: LoggedFailure): void;
  /** The size at which `app.ndjson` is rotated. */
  capBytes?: number;
}

export interface LoggedFailure {
  /** ISO 8601. */
  ts: string;
  module: string | null;
  error_code: ErrorCode;
  text: string;
}

export const LOG_FILE = "app.ndjson";
export const LOG_CAP_BYTES = 10 * 1024 * 1024;
/** Number of full files kept beside the one being written. */
export const LOGS_KEPT = 4;

const order: Record<Level, number> = { debug: 0, info: 1, warn: 2, error: 3 };

/**
 * Opens the log. @throws what the system throws when the directory or the file cannot be created.
 * A disk that fails later does not throw: the daemon depends on its journal; the lines then go to standard error only.
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
      hooks: { streamWrite: (line) => redactor.redactText(line) },
    },
    file ?? { write: () => undefined },
  );
  return facade(logger, request, file);
}

/** A log that writes and shows nothing. */
export const silentLog: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  failure: () => undefined,
  module: () => silentLog,
  close: () => undefined,
};

function openFile(directory: string, { stderr, capBytes = LOG_CAP_BYTES }: LogRequest): RotatingFile {
  return openRotatingFile({
    path: join(directory, LOG_FILE),
    capBytes,
    kept: LOGS_KEPT,
    onFailure: (error) => stderr?.write(`The log cannot be written: ${terminalLine(error.message, 200)}\n`),
  });
}

function facade(logger: Logger, request: LogRequest, file: RotatingFile | undefined, module?: string): Log {
  const write = (level: Level, text: string, fields: LogFields): void => {
    logger[level](fields, text);
    if (order[level] >= order[request.shown ?? "info"])
      request.stderr?.write(shortLine(request, { level, module, text, fields }));
  };
  return {
    debug: (text, fields = {}) => write("debug", text, fields),
    info: (text, fields = {}) => write("info", text, fields),
    warn: (text, fields = {}) => write("warn", text, fields),
    failure(text, error, fields = {}) {
      const error_code = namedIn(fields) ?? codeOf(error);
      write("error", text, { ...fields, ...described(error), error_code });
      request.onFailure?.({
        ts: isoTime(request.clock.now()),
        module: module ?? null,
        error_code,
        text: request.redactor.redactText(text),
      });
    },
    module: (name) => facade(logger.child({ module: name }), request, file, name),
    close: () => file?.close(),
  };
}

/** The code given by the caller, if it is in the table: the caller knows more about the failure than the error does. */
function namedIn({ error_code }: LogFields): ErrorCode | undefined {
  return typeof error_code === "string" && Object.hasOwn(errors, error_code) ? (error_code as ErrorCode) : undefined;
}

/** What the log says about an error: our code and details, and the stacks of the error and its causes. */
function described(error: unknown): LogFields & { error_code: ErrorCode } {
  if (!(error instanceof Error)) return { error_code: codeOf(error), thrown: textOf(error) };
  const details = error instanceof BellhopError ? { details: error.details } : {};
  const cause =
    error.cause === undefined ? {} : { cause: error.cause instanceof Error ? error.cause.stack : textOf(error.cause) };
  return { error_code: codeOf(error), ...details, stack: error.stack, ...cause };
}

const NOT_SHOWN = new Set(["stack", "cause", "details"]);

interface LogLine {
  level: Level;
  module: string | undefined;
  text: string;
  fields: LogFields;
}

/** `14:21:00 warn discord: text key=value`: one line, safe for a terminal, in local time. */
function shortLine(request: LogRequest, { level, module, text, fields }: LogLine): string {
  const time = new Date(request.clock.now()).toTimeString().slice(0, 8);
  const shown = Object.entries(fields)
    .filter(([key]) => !NOT_SHOWN.has(key))
    .map(([key, value]) => `${key}=${typeof value === "string" ? value : jsonOf(value)}`);
  const line = [time, level, module === undefined ? text : `${module}: ${text}`, ...shown].join(" ");
  return `${terminalLine(request.redactor.redactText(line), 400)}\n`;
}

/** Any value can be thrown, even one that cannot be converted to text; logging it must not throw again. */
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
