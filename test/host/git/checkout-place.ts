/**
 * A directory that may be a git repository, one that git looks at for us, and a git of the owner's that works in it.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, readdirSync, realpathSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { systemClock } from "../../../src/base/clock.ts";
import type { Checkout } from "../../../src/core/projects/checkout.ts";
import type { Difference } from "../../../src/host/git/git-process.ts";
import { openGit, type Git } from "../../../src/host/git/git.ts";
import { folder } from "../scene.ts";

export interface Place {
  git: Git;
  stateDir: string;
  repo: string;
  run(...args: string[]): string;
  write(name: string, text: string | Buffer): void;
}

export async function place({
  init = true,
  at = "repo",
  ...options
}: { init?: boolean; at?: string; withinMs?: number; ignoreFile?: string } = {}): Promise<Place> {
  const home = realpathSync(await folder());
  const stateDir = join(home, "state");
  const repo = join(home, at);
  mkdirSync(stateDir);
  mkdirSync(repo, { recursive: true });
  const git = openGit({ stateDir, clock: systemClock, path: process.env["PATH"], ...options });
  const run = (...args: string[]): string => gitIn(repo, ...args);
  if (init) run("init", "-q", "-b", "main");
  return { git, stateDir, repo, run, write: (name, text) => writeFileSync(join(repo, name), text) };
}

export function gitIn(cwd: string, ...args: string[]): string {
  const person = ["-c", "user.name=A", "-c", "user.email=a@example.com", "-c", "protocol.file.allow=always"];
  const env = { PATH: process.env["PATH"], HOME: cwd, GIT_CONFIG_NOSYSTEM: "1", GIT_CONFIG_GLOBAL: "/dev/null" };
  return execFileSync("git", [...person, ...args], {
    cwd,
    env,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  }).trim();
}

/** Every file with its content and time of change, except what git itself may touch when it reads an object. */
export function everything(root: string): string[] {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map(
      (path) => `${path} ${path.includes("/objects/") ? "" : statSync(path).mtimeMs} ${readFileSync(path, "base64")}`,
    )
    .toSorted();
}

export async function difference(
  { git, repo }: Place,
  change: () => void,
  cwd = repo,
): Promise<{ from: Checkout; to: Checkout; difference: Difference | null }> {
  const from = await git.recordCheckout("job_20260101_0001", cwd);
  change();
  const found = await git.changes("job_20260101_0001", from);
  return { from, to: git.readCheckout(cwd), difference: found === "late" ? null : found };
}
