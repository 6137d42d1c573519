/**
 * A machine of its own for one test: a home, a shell's environment, and a systemd or launchd that writes down what it
 * is asked and answers as the test says.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import { BellhopError } from "../../../src/base/errors.ts";
import { service } from "../../../src/cli/unit.ts";
import type { Machine } from "../../../src/cli/unit/machine.ts";
import type { ProgramAnswer } from "../../../src/host/processes/program.ts";

/** Of the form Discord gives them; good for nothing. */
export const TOKEN = `${"a".repeat(26)}.${"b".repeat(6)}.${"c".repeat(38)}`;

export interface Scene {
  home: string;
  machine: Machine;
  /** What the system's programs were asked, in order. */
  asked: string[];
  /** Answers by the beginning of what is asked; anything else succeeds. */
  answers: Record<string, Partial<ProgramAnswer>>;
  /** `bellhop service <verb>`; a refusal is its code and details. */
  run(verb: string): Promise<{ code: number | string; out: string; why?: unknown }>;
  write(path: string, text: string, mode?: number): void;
  read(path: string): string;
  mode(path: string): string;
}

export function openScene(more: Partial<Machine> = {}): Scene {
  const home = mkdtempSync(join(tmpdir(), "bellhop-service-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const asked: string[] = [];
  const answers: Scene["answers"] = {
    "systemctl --version": { stdout: "systemd 252 (252.39)\n" },
    "systemctl --user is-active": { code: 3, stdout: "inactive\n" },
    "launchctl print": { code: 113 },
  };
  const cwd = join(home, "shell");
  mkdirSync(cwd);
  const { uid } = statSync(home);
  const machine: Machine = {
    platform: "linux",
    systemd: true,
    uid,
    home,
    cwd,
    env: { HOME: home, PATH: "/home/me/bin:/usr/bin", DISCORD_BOT_TOKEN: TOKEN },
    locale: "en",
    node: process.execPath,
    program: join(import.meta.dirname, "..", "..", "..", "bin", "bellhop.cjs"),
    lingers: false,
    async run(command) {
      const text = command.join(" ");
      asked.push(text);
      const key = Object.keys(answers).find((beginning) => text.startsWith(beginning));
      return { code: 0, stdout: "", stderr: "", ...(key === undefined ? {} : answers[key]) };
    },
    ...more,
  };
  const at = (path: string): string => join(home, path);
  return {
    home,
    machine,
    asked,
    answers,
    async run(verb) {
      let out = "";
      const io = {
        stdout: { write: (text: string) => (out += text) },
        stderr: { write: () => undefined },
        env: machine.env,
      };
      try {
        return { code: await service([verb], io, machine), out };
      } catch (error) {
        if (!(error instanceof BellhopError)) throw error;
        return { code: error.code, out, why: error.details["why"] ?? error.details["path"] ?? error.details };
      }
    },
    write(path, text, mode = 0o600) {
      mkdirSync(dirname(at(path)), { recursive: true });
      writeFileSync(at(path), text, { mode });
    },
    read: (path) => readFileSync(at(path), "utf8"),
    mode: (path) => (statSync(at(path)).mode & 0o777).toString(8),
  };
}
