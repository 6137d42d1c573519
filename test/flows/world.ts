/**
 * A whole world for one flow: the strict local Discord, a machine of its own (home, state, project, an agent in
 * PATH), and the built daemon as a real process that can be killed and started again. Every exchange with Discord
 * is held against Discord's own description; a flow fails on a single breach.
 */
import { spawn, type ChildProcess } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  watch,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import type { APIMessage } from "discord-api-types/v10";
import { onTestFinished } from "vitest";
import { startSandbox, type Sandbox, type SandboxOptions } from "discord-sandbox";
import { contract } from "../../packages/discord-sandbox/test/contract/contract.ts";
import { journalOf } from "./journal.ts";

/** Ordinary messages and replies; not Discord's own lines about threads. */
const SPOKEN = new Set<number>([0, 19]);
const root = join(import.meta.dirname, "..", "..");

/** One start of the scripted agent, as it wrote it down itself. */
export interface AgentStart {
  at: number;
  pid: number;
  tool: string;
  prompt: string;
  argv: string[];
  /** The permission mode in which Claude was then. */
  mode?: string;
  resumed?: string;
  env: string[];
}

export interface Daemon {
  readonly pid: number;
  /** What it printed when it accepted messages. */
  readonly ready: Promise<Record<string, unknown>>;
  readonly exited: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  stderr(): string;
  /** Resolves once this stands in what it wrote to stderr, from its start on. */
  told(words: RegExp): Promise<void>;
  kill(signal: NodeJS.Signals): Promise<void>;
}

export interface World {
  /**
   * At the end of the test by itself; earlier where a test has many worlds. Fails on a breach of Discord's contract.
   */
  close(): Promise<void>;
  readonly sandbox: Sandbox;
  readonly home: string;
  readonly stateDir: string;
  readonly project: string;
  /** The daemon's environment. */
  readonly env: Readonly<Record<string, string>>;
  /** The owner, writing in a channel. */
  owner(channelId: string): ReturnType<ReturnType<Sandbox["channel"]>["user"]>;
  /**
   * Starts the daemon; `ready` may be awaited. `prefix` is put before its command, such as a tracer; `files`: a copy of
   * what is built.
   */
  daemon(options?: {
    env?: Record<string, string | undefined>;
    prefix?: string[];
    args?: string[];
    files?: string;
  }): Daemon;
  /** `/start` by the owner in #general; resolves with the thread's id once the session is there. */
  session(): Promise<string>;
  agentStarts(): AgentStart[];
  /**
   * Resolves when so many agents have started. Their starts stand in a file, so nothing that Discord tells wakes it.
   */
  agents(count: number): Promise<void>;
  /** Resolves when the job of the owner's message is at work, which shows on the disk before it does in Discord. */
  started(messageId: string): Promise<void>;
  /**
   * Resolves when the owner's message bears this sign of ours and, if its job has succeeded, when the end of that is
   * posted. Either may come first.
   */
  marked(messageId: string, emoji: string): Promise<void>;
  /**
   * The daemon's messages in a channel, oldest first. What closes a job is the description of an embed, also where
   * Discord has it as small print below the answer.
   */
  said(channelId: string): APIMessage[];
  /** Resolves when the daemon's messages in the channel satisfy the fact. */
  saying<T>(channelId: string, fact: (said: ReturnType<World["said"]>) => T | undefined | false): Promise<T>;
}

export interface WorldOptions {
  config?: Record<string, unknown>;
  /** More of the project, such as its channel. */
  app?: Record<string, unknown>;
  /** The project's arguments for its default tool. */
  args?: string[];
  /** The project's tools, of which the first is its default; `test/fakes/agents` has a scripted agent for each. */
  tools?: readonly [string, ...string[]];
  /** Without it no agent is in PATH. */
  agent?: "scripted" | "none";
  /** Discord lets a bot do all it likes: for flows of many messages that are not about its limits. */
  unlimited?: boolean;
  /** Such as heartbeats in quick succession, or the page as it is built. */
  discord?: Pick<SandboxOptions, "heartbeatMs" | "identifyTotal" | "clock" | "pageDir" | "names">;
}

/** A world whose daemon is ready, with a session: most stories begin there. */
export async function openSession(
  options: WorldOptions = {},
): Promise<{ world: World; daemon: Daemon; thread: string }> {
  const world = await openWorld(options);
  const daemon = world.daemon();
  await daemon.ready;
  return { world, daemon, thread: await world.session() };
}

const LIMITED = [
  "create_message",
  "update_message",
  "delete_message",
  "list_messages",
  "add_my_message_reaction",
  "trigger_typing_indicator",
  "create_thread",
];

export async function openWorld(options: WorldOptions = {}): Promise<World> {
  const judge = contract();
  const sandbox = await startSandbox({
    observe: judge.observe,
    ...(options.unlimited ? { buckets: unlimited() } : {}),
    ...options.discord,
  });
  const home = mkdtempSync(join(tmpdir(), "bellhop-flow-"));
  const daemons: ChildProcess[] = [];
  let closed = false;
  const close = async (): Promise<void> => {
    if (closed) return;
    closed = true;
    for (const child of daemons) child.kill("SIGKILL");
    // A daemon that an agent's client began at the last moment has nobody else who knows of it.
    for (const pid of started(stateDir)) process.kill(pid, "SIGKILL");
    await sandbox.close();
    rmSync(home, { recursive: true, force: true, maxRetries: 5 });
    judge.assertClean();
  };
  onTestFinished(close);
  const stateDir = join(home, "state");
  const project = join(home, "app");
  for (const directory of [stateDir, project, join(home, "bin")]) mkdirSync(directory, { mode: 0o700 });
  if (options.agent !== "none") for (const tool of options.tools ?? ["claude"]) installAgent(join(home, "bin"), tool);
  writeConfig(stateDir, project, sandbox.owner.id, options);
  const agentLog = join(home, "starts.ndjson");
  const ownEnv = daemonEnvironment(sandbox, home, stateDir, agentLog);

  const world: World = {
    close,
    sandbox,
    home,
    stateDir,
    project,
    env: ownEnv,
    owner: (channelId) => sandbox.channel(channelId).user(sandbox.owner.id),
    daemon({ env = {}, prefix = [], args = [], files = root } = {}) {
      const command = [...prefix, process.execPath, join(files, "bin", "bellhop.cjs"), "start", "--json", ...args];
      const child = spawn(command[0] ?? "", command.slice(1), {
        cwd: home,
        stdio: ["ignore", "pipe", "pipe"],
        env: { ...ownEnv, ...env },
      });
      daemons.push(child);
      return watchDaemon(child);
    },
    async session() {
      await sandbox.until(({ commands }) => commands().some(({ name }) => name === "start"));
      const invoked = await world.owner(sandbox.channelId).slash("start", { project_name: "app" });
      const answer = await invoked.answer();
      const [thread] = /\d{17,20}/.exec(answer.content) ?? [];
      if (thread === undefined) throw new Error(`/start answered ${JSON.stringify(answer)}`);
      await world.saying(thread, (said) => said.length > 0);
      return thread;
    },
    agentStarts: () => readStarts(agentLog),
    agents: (count) => inFolder(home, () => readStarts(agentLog).length === count),
    started: (messageId) => inFolder(stateDir, () => jobOf(world, messageId, "JobStarted") !== undefined),
    async marked(messageId, emoji) {
      await sandbox.until(({ reactions }) => reactions(messageId)[emoji]?.includes(sandbox.botId));
      const done = emoji === "✅" ? jobOf(world, messageId, "JobCompleted") : undefined;
      if (done === undefined) return;
      await inFolder(stateDir, () =>
        journalOf(world).some(
          ({ type, payload: { subject, part } }) => type === "PostRecorded" && subject === done && part === "end",
        ),
      );
    },
    said: (channelId) =>
      sandbox
        .messages(channelId)
        .filter(({ author, type }) => author.id === sandbox.botId && SPOKEN.has(type))
        .map(unlinked)
        .map(inTwo),
    saying: (channelId, fact) => sandbox.until(() => fact(world.said(channelId))),
  };
  return world;
}

function unlimited(): Record<string, { limit: number; perMs: number }> {
  return Object.fromEntries(LIMITED.map((route) => [route, { limit: 10_000, perMs: 1_000 }]));
}

function daemonEnvironment(sandbox: Sandbox, home: string, stateDir: string, agentLog: string): Record<string, string> {
  return {
    PATH: `${join(home, "bin")}:/usr/bin:/bin`,
    HOME: home,
    LANG: "C.UTF-8",
    BELLHOP_LOCALE: "en",
    STATE_DIR: stateDir,
    DISCORD_BOT_TOKEN: sandbox.botToken,
    DISCORD_GUILD_ID: sandbox.guildId,
    DISCORD_OWNER_ID: sandbox.owner.id,
    BELLHOP_DISCORD_API: sandbox.api,
    CLAUDE_CODE_FAKE_LOG: agentLog,
    CODEX_FAKE_LOG: agentLog,
    GEMINI_FAKE_LOG: agentLog,
  };
}

function installAgent(bin: string, tool: string): void {
  const script = join(root, "test", "fakes", "agents", `${tool}.mjs`);
  const file = join(bin, tool);
  writeFileSync(file, `#!/bin/sh\nexec '${process.execPath}' '${script}' "$@"\n`);
  chmodSync(file, 0o755);
}

function writeConfig(
  stateDir: string,
  path: string,
  owner_id: string,
  { config: more = {}, app: moreOfApp = {}, args = [], tools = ["claude"] }: WorldOptions,
): void {
  const at = "2026-02-26T14:00:00.000Z";
  const app = {
    name: "app",
    path,
    enabled_tools: tools,
    default_tool: tools[0],
    default_args: { [tools[0]]: args },
    created_at: at,
    updated_at: at,
    ...moreOfApp,
  };
  const config = { version: 1, owner_id, projects: { app }, ...more };
  writeFileSync(join(stateDir, "config.json"), JSON.stringify(config, null, 2), { mode: 0o600 });
}

function readStarts(file: string): AgentStart[] {
  if (!existsSync(file)) return [];
  const whole = readFileSync(file, "utf8").split("\n").slice(0, -1);
  return whole.map((line) => JSON.parse(line) as AgentStart);
}

/** Resolves when the fact, which hangs on the files in this folder, is true. Rejects if it throws. */
export function inFolder(folder: string, fact: () => boolean): Promise<void> {
  return new Promise((resolve, reject) => {
    const watcher = watch(folder, look);
    look();
    function look(): void {
      try {
        if (!fact()) return;
        resolve();
      } catch (error) {
        reject(error as Error);
      }
      watcher.close();
    }
  });
}

/** Resolves when there is something at this path; the folders above it may be missing as well. */
export async function appears(path: string): Promise<void> {
  if (existsSync(path)) return;
  await appears(dirname(path));
  await inFolder(dirname(path), () => existsSync(path));
}

function watchDaemon(child: ChildProcess): Daemon {
  let stderr = "";
  const waiters = new Set<() => void>();
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
    for (const look of waiters) look();
  });
  const exited = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) => {
    // Not at its exit: what it wrote last may still be on its way then.
    child.once("close", (code, signal) => resolve({ code, signal }));
  });
  const ready = new Promise<Record<string, unknown>>((resolve, reject) => {
    const lines = createInterface({ input: child.stdout! });
    lines.on("line", (line) => {
      const said = JSON.parse(line) as Record<string, unknown>;
      if (said["event"] === "ready") resolve(said);
    });
    void exited.then(({ code, signal }) =>
      reject(new Error(`the daemon ended (${code ?? signal}) before it was ready:\n${stderr}`)),
    );
  });
  ready.catch(() => undefined);
  return {
    pid: child.pid ?? 0,
    ready,
    exited,
    stderr: () => stderr,
    told: (words) =>
      new Promise((resolve, reject) => {
        const look = (): void => (words.test(stderr) ? resolve() : undefined);
        waiters.add(look);
        look();
        void exited.then(({ code, signal }) =>
          reject(new Error(`the daemon ended (${code ?? signal}) without saying ${String(words)}:\n${stderr}`)),
        );
      }),
    async kill(signal) {
      child.kill(signal);
      await exited;
    },
  };
}

/** The whole environment of the agent that was started last, while it runs. */
export function agentEnvironment(world: World): Record<string, string> {
  const pid = world.agentStarts().at(-1)?.pid ?? 0;
  const pairs = readFileSync(`/proc/${pid}/environ`, "utf8").split("\0").filter(Boolean);
  return Object.fromEntries(pairs.map((pair) => [pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1)]));
}

/** Resolves when these answers, and no others, stand in the thread in this order. */
export function answered(world: World, thread: string, answers: string[]): Promise<true> {
  return world.saying(thread, (said) => {
    const contents = said.map(({ content }) => content.trim()).filter((content) => content !== "");
    return JSON.stringify(contents) === JSON.stringify(answers) ? true : undefined;
  });
}

/** The job of an owner's message that has come so far; undefined: none has. */
function jobOf(world: World, messageId: string, type: "JobStarted" | "JobCompleted"): unknown {
  const events = journalOf(world);
  const ids = events.flatMap((one) => (one.payload["discord_message_id"] === messageId ? one.payload["job_id"] : []));
  return ids.find((id) => events.some((one) => one.type === type && one.payload["job_id"] === id));
}

/** With the commands that it mentions by their names. */
export function unlinked<T extends object>(message: T): T {
  return JSON.parse(JSON.stringify(message).replace(/<(\/[a-z]+(?: [a-z]+)?):\d+>/g, "`$1`")) as T;
}

/** An agent's answer as the text, and all words of Bellhop's own, but for prompts, as the embed, wherever they stand. */
export function inTwo(message: APIMessage): APIMessage {
  const { content: whole, embeds } = message;
  const [mention = ""] = / ?<@\d+>$/.exec(whole) ?? [];
  const content = whole.slice(0, whole.length - mention.length);
  const [closing, figures = ""] = /(?:^|\n)-# ((?:✅|❌|🚫|💥) [^]*)$/.exec(content) ?? [""];
  const head = content.slice(0, content.length - closing.length);
  const lines = figures.replace(/^-# /gm, "");
  const [embed = {}] = embeds;
  const [, origin = "", rest] = /^((?:🌙|⌨️).*)?\n?([^]*)$/u.exec(embed.description ?? "") ?? [];
  const own = (text: string, words: readonly (string | undefined)[], title = embed.title): APIMessage => ({
    ...message,
    content: text,
    embeds: [{ ...embed, ...(title !== undefined && { title }), description: words.filter(Boolean).join("\n") }],
  });
  if (closing !== "")
    return lines.startsWith("✅") && embeds.length === 0 && !lines.includes("[answer](")
      ? own(`${head}${mention}`, [lines])
      : own(mention.trim(), [origin, lines, head, rest]);
  const [signature, code = ""] = /\n-# (?:Bellhop|(`E_\w+`))$/.exec(content) ?? [""];
  if (content === "" || (embeds.length === 0 && signature === "") || /^(?:🔐|📋|❓|🖥️)/u.test(content)) return message;
  const said = `${content.slice(0, content.length - signature.length)}${code && ` ${code}`}`;
  return embeds.length === 0 ? own(mention.trim(), [said]) : own(mention.trim(), [embed.description], said);
}

/** What tells that a job was cut off and its queue waits: the only posts of ours with buttons after a crash. */
export function crashNotice(said: readonly APIMessage[]): APIMessage | undefined {
  return said.find(({ components }) => JSON.stringify(components ?? []).includes("discard:"));
}

export function alive(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}

/** The processes that were started as a daemon of this state directory, by whomever. */
function started(stateDir: string): number[] {
  return readdirSync("/proc")
    .filter((entry) => /^\d+$/.test(entry))
    .map(Number)
    .filter((pid) => {
      try {
        const daemon = readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("bellhop.cjs\0start\0");
        return (
          daemon &&
          readFileSync(`/proc/${pid}/environ`, "utf8").split("\0").includes(`STATE_DIR=${stateDir}`) &&
          alive(pid)
        );
      } catch {
        return false;
      }
    });
}

/** The most memory that a process ever had resident. */
export function peakBytes(pid: number): number {
  return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) * 1024;
}

/** The process and all that descend from it. */
export function tree(root: number): number[] {
  const parents = new Map<number, number>();
  for (const name of readdirSync("/proc").filter((entry) => /^\d+$/.test(entry))) {
    try {
      const [, parent = "0"] = /\) \w (\d+)/.exec(readFileSync(`/proc/${name}/stat`, "utf8")) ?? [];
      parents.set(Number(name), Number(parent));
    } catch {
      // It ended between the two looks.
    }
  }
  const descends = (pid: number): boolean => pid === root || (pid > 1 && descends(parents.get(pid) ?? 0));
  return [...parents.keys()].filter(descends);
}

/** The processes below this one whose command line holds the text; one that has just ended is none. */
export function descendants(root: number, text: RegExp): number[] {
  return tree(root).filter((pid) => {
    if (pid === root) return false;
    try {
      return text.test(readFileSync(`/proc/${pid}/cmdline`, "utf8"));
    } catch {
      return false;
    }
  });
}
