/**
 * The built `bellhop` in a real pseudo-terminal, which `script` (Debian: bsdutils) opens: a test reads what a person
 * would see and presses the keys a person would press.
 */
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";

const root = join(import.meta.dirname, "..", "..");
const CONTROL = /\x1b\[[0-9;?]*[ -/]*[@-~]|\r/g;

export const hasTerminal = process.platform === "linux" && existsSync("/usr/bin/script");

export const keys = { enter: "\r", down: "\x1b[B", space: " ", stop: "\x03" };

export interface Terminal {
  /** Everything that was shown, without what only moves the cursor or colours. */
  readonly shown: string;
  /** Exactly what was written to the terminal. */
  readonly raw: string;
  /** Resolves when this is shown, after what was typed last. */
  sees(words: RegExp): Promise<void>;
  type(text: string): void;
  /** The exit code. */
  readonly done: Promise<number | null>;
  /** Ends `bellhop` without a warning. */
  kill(): Promise<void>;
}

export function openTerminal(
  argv: readonly string[],
  at: { cwd: string; env: Readonly<Record<string, string | undefined>> },
): Terminal {
  return openShell(
    `exec ${[process.execPath, join(root, "bin", "bellhop.cjs"), ...argv].map((word) => `'${word}'`).join(" ")}`,
    at,
  );
}

/** The same for a line as somebody types it. */
export function openShell(
  line: string,
  { cwd, env }: { cwd: string; env: Readonly<Record<string, string | undefined>> },
): Terminal {
  const command = `stty cols 200 rows 60; echo pid=$$; ${line}`;
  const child = spawn("script", ["--quiet", "--flush", "--return", "--command", command, "/dev/null"], {
    cwd,
    env: { TERM: "xterm-256color", SHELL: "/bin/sh", ...env },
    stdio: ["pipe", "pipe", "inherit"],
  });
  let raw = "";
  let from = 0;
  let ended = false;
  const waiters = new Set<() => void>();
  const shown = (): string => raw.replace(CONTROL, "");
  const done = new Promise<number | null>((resolve) => child.once("close", (code) => resolve(code)));
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    raw += text;
    for (const look of waiters) look();
  });
  void done.then(() => {
    ended = true;
    for (const look of waiters) look();
  });
  child.stdin.on("error", () => undefined);
  const kill = async (): Promise<void> => {
    const pid = Number(/pid=(\d+)/.exec(raw)?.[1] ?? Number.NaN);
    if (!ended && pid > 0) process.kill(pid, "SIGKILL");
    if (!(pid > 0)) child.kill("SIGKILL");
    await done;
  };
  onTestFinished(kill);
  return {
    get shown() {
      return shown();
    },
    get raw() {
      return raw;
    },
    sees: (wanted) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          const there = wanted.test(shown().slice(from));
          if (!there && !ended) return;
          waiters.delete(look);
          if (there) resolve();
          else reject(new Error(`it ended without ${String(wanted)}; it showed:\n${shown()}`));
        };
        waiters.add(look);
        look();
      }),
    type(text) {
      from = shown().length;
      child.stdin.write(text);
    },
    done,
    kill,
  };
}
