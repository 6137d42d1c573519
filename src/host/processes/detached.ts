/**
 * Starts a program that outlives this process: its own session, no terminal, no input. What it prints if it fails to
 * start is kept while this process lives, and it does not keep this process from exiting.
 */
import { spawn } from "node:child_process";
import { Ring } from "./pipes.ts";

export interface DetachedRequest {
  /** Absolute. */
  file: string;
  args: readonly string[];
  cwd: string;
  /** Its whole environment. */
  env: Readonly<Record<string, string>>;
}

export interface Detached {
  /** Null if it could not be started. */
  readonly pid: number | null;
  /** Resolves if it ends while we live; `code` null: ended by a signal, or not started. */
  readonly exit: Promise<{ code: number | null; failure: string | null }>;
  /** The end of its standard error. */
  stderr(): string;
}

const SAID_BYTES = 16 * 1024;

/** Never throws: a failed start is reported by `exit`. */
export function startDetached({ file, args, cwd, env }: DetachedRequest): Detached {
  const stderr = new Ring(SAID_BYTES);
  const child = spawn(file, args, {
    cwd,
    env: { ...env },
    detached: true,
    shell: false,
    stdio: ["ignore", "ignore", "pipe"],
  });
  const exit = new Promise<{ code: number | null; failure: string | null }>((resolve) => {
    // Not at its exit: its last output may still be in the pipe then.
    child.once("close", (code) => resolve({ code, failure: null }));
    child.once("error", (error) => resolve({ code: null, failure: error.message }));
  });
  child.stderr.on("data", (chunk: Buffer) => stderr.add(chunk));
  child.stderr.on("error", () => undefined);
  child.unref();
  if ("unref" in child.stderr && typeof child.stderr.unref === "function") child.stderr.unref();
  return { pid: child.pid ?? null, exit, stderr: () => stderr.text() };
}
