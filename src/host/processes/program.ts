/**
 * Runs one short system program and returns its answer: no shell, a time limit. It gets only the given environment, and
 * every failure is an answer, not an exception.
 */
import { execFile } from "node:child_process";

export interface ProgramRequest {
  /** Absolute: from `which`. */
  file: string;
  args: readonly string[];
  env: Readonly<Record<string, string | undefined>>;
  /** For its standard input, which is closed after it. Absent: nothing. */
  input?: string;
  /** Milliseconds after which it is killed; default 30 seconds. */
  withinMs?: number;
}

export interface ProgramAnswer {
  /** Null: it could not be started, or was killed. */
  code: number | null;
  stdout: string;
  stderr: string;
}

const MOST_BYTES = 1024 * 1024;

/** Never rejects. */
export function runProgram({ file, args, env, input, withinMs = 30_000 }: ProgramRequest): Promise<ProgramAnswer> {
  return new Promise((resolve) => {
    const options = {
      env: { ...env },
      timeout: withinMs,
      killSignal: "SIGKILL",
      maxBuffer: MOST_BYTES,
      encoding: "utf8",
      shell: false,
      windowsHide: true,
    } as const;
    const child = execFile(file, args, options, (error, stdout, stderr) => {
      if (error === null) return resolve({ code: 0, stdout, stderr });
      resolve({ code: typeof error.code === "number" ? error.code : null, stdout, stderr: stderr || error.message });
    });
    // A program that does not read it to its end breaks the pipe; its exit code tells more.
    child.stdin?.on("error", () => undefined);
    child.stdin?.end(input);
  });
}
