/**
 * A machine on which nobody has set Bellhop up: a home, a repository in it, perhaps an agent, and a local Discord with
 * a bot that is not connected. What is run is the built command, with this machine's environment alone.
 */
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { startSandbox, type Sandbox } from "discord-sandbox";
import { contract } from "../../packages/discord-sandbox/test/contract/contract.ts";
import { openTerminal, type Terminal } from "./terminal.ts";

const root = join(import.meta.dirname, "..", "..");

export interface FreshMachine {
  readonly sandbox: Sandbox;
  readonly home: string;
  /** A git repository, where commands are run. */
  readonly repository: string;
  /** The paths of the settings, the token and the state. */
  readonly paths: { env: string; token: string; state: string };
  readonly env: Record<string, string>;
  terminal(argv: readonly string[], env?: Record<string, string>): Terminal;
  /** Without a terminal, to its end. */
  run(
    argv: readonly string[],
    more?: { env?: Record<string, string>; input?: string },
  ): Promise<{ code: number | null; out: string; err: string }>;
  /** `bellhop start`, without any setting in its environment. */
  start(): Promise<{ pid: number; stop(): Promise<void> }>;
  /** Every file in the home directory with mode, time and content. */
  files(): Record<string, string>;
  /** What the bot has posted in the first channel. */
  posted(): string[];
}

/** `after` is given what ends and removes everything again. */
export async function openFreshMachine({
  agent = true,
  after = onTestFinished,
}: { agent?: boolean; after?: (end: () => Promise<void>) => void } = {}): Promise<FreshMachine> {
  const judge = contract();
  const sandbox = await startSandbox({ observe: judge.observe });
  const home = mkdtempSync(join(tmpdir(), "bellhop-fresh-"));
  const repository = join(home, "code", "shop");
  mkdirSync(join(repository, ".git"), { recursive: true });
  mkdirSync(join(home, "bin"));
  if (agent)
    writeFileSync(
      join(home, "bin", "claude"),
      `#!/bin/sh\nexec '${process.execPath}' '${join(root, "test", "fakes", "agents", "claude.mjs")}' "$@"\n`,
      { mode: 0o755 },
    );
  const env = {
    PATH: `${join(home, "bin")}:/usr/bin:/bin`,
    HOME: home,
    LANG: "C.UTF-8",
    BELLHOP_DISCORD_API: sandbox.api,
  };
  const started: (() => void)[] = [];
  after(async () => {
    for (const end of started) end();
    await sandbox.close();
    rmSync(home, { recursive: true, force: true, maxRetries: 5 });
    judge.assertClean();
  });
  const bellhop = (argv: readonly string[], more: Record<string, string> = {}) =>
    spawn(process.execPath, [join(root, "bin", "bellhop.cjs"), ...argv], { cwd: repository, env: { ...env, ...more } });
  return {
    sandbox,
    home,
    repository,
    env,
    paths: {
      env: join(home, ".config/bellhop/.env"),
      token: join(home, ".config/bellhop/token"),
      state: join(home, ".local/state/bellhop"),
    },
    terminal: (argv, more = {}) => openTerminal(argv, { cwd: repository, env: { ...env, ...more } }),
    run: (argv, { env: more = {}, input = "" } = {}) =>
      new Promise((resolve) => {
        const child = bellhop(argv, more);
        let [out, err] = ["", ""];
        child.stdout.setEncoding("utf8").on("data", (text: string) => (out += text));
        child.stderr.setEncoding("utf8").on("data", (text: string) => (err += text));
        child.stdin.on("error", () => undefined);
        child.stdin.end(input);
        child.once("close", (code) => resolve({ code, out, err }));
      }),
    start: () =>
      new Promise((resolve, reject) => {
        const child = bellhop(["start", "--json"]);
        let err = "";
        const closed = new Promise<void>((end) => child.once("close", () => end()));
        started.push(() => child.kill("SIGKILL"));
        child.stderr.setEncoding("utf8").on("data", (text: string) => (err += text));
        child.stdout.setEncoding("utf8").on("data", (text: string) => {
          if (!text.includes('"ready"')) return;
          resolve({
            pid: child.pid ?? 0,
            async stop() {
              child.kill("SIGTERM");
              await closed;
            },
          });
        });
        void closed.then(() => reject(new Error(`the daemon ended:\n${err}`)));
      }),
    files: () => Object.fromEntries(filesIn(home)),
    posted: () =>
      sandbox
        .messages(sandbox.channelId)
        .filter(({ author }) => author.id === sandbox.botId)
        .map(({ content }) => content),
  };
}

function filesIn(folder: string): [string, string][] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry): [string, string][] => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return filesIn(path);
    const { mode, mtimeMs } = statSync(path);
    return [[path, `${(mode & 0o777).toString(8)} ${mtimeMs} ${readFileSync(path, "utf8")}`]];
  });
}
