/**
 * A program that outlives whoever started it: a session and a life of its own, no terminal, no input. What it says
 * when it cannot begin is kept for as long as its starter lives, and it holds its starter back in nothing.
 */
import { spawn } from "node:child_process";
import { Ring } from "./ring.ts";

export interface DetachedRequest {
  /** Absolute. */
  file: string;
  args: readonly string[];
  cwd: string;
  /** Its whole environment. */
  env: Readonly<Record<string, string>>;
}

export interface Detached {
  /** Null where it could not be started. */
  readonly pid: number | null;
  /** Resolves if it ends while we live; `code` null: by a signal, or it never began. */
  readonly exit: Promise<{ code: number | null; failure: string | null }>;
  /** The end of what it wrote on standard error. */
  said(): string;
}

const SAID_BYTES = 16 * 1024;

/** Never throws: a start that fails is the program's `exit`. */
export function startDetached({ file, args, cwd, env }: DetachedRequest): Detached {
  const stderr = new Ring(SAID_BYTES);
  const child = spawn(file, args, { cwd, env: { ...env }, detached: true, shell: false, stdio: ["ignore", "ignore", "pipe"] });
  const exit = new Promise<{ code: number | null; failure: string | null }>((resolve) => {
    // Not at its exit: what it wrote last may still be on its way then.
    child.once("close", (code) => resolve({ code, failure: null }));
    child.once("error", (error) => resolve({ code: null, failure: error.message }));
  });
  child.stderr.on("data", (chunk: Buffer) => stderr.push(chunk));
  child.stderr.on("error", () => undefined);
  child.unref();
  if ("unref" in child.stderr && typeof child.stderr.unref === "function") child.stderr.unref();
  return { pid: child.pid ?? null, exit, said: () => stderr.text() };
}
