/**
 * The stage of the daemon's measurements: a home with a project, the local Discord in this process, and the built
 * daemon as a process of its own. The agent is a shell script for one job, so that hardly any of the time is its own.
 */
import { spawn, type ChildProcess } from "node:child_process";
import { subscribe } from "node:diagnostics_channel";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import type { IncomingMessage } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { startSandbox, type Sandbox, type UserActor } from "discord-sandbox";

export const root = join(import.meta.dirname, "..");
export const agent = join(root, "bench", "agent.sh");
export const now = (): number => performance.timeOrigin + performance.now();

/** A home with a project, a sandbox that notes the time of every dispatch and request, and the daemon. */
export class Bench {
  readonly home = mkdtempSync(join(tmpdir(), "bellhop-bench-"));
  readonly log = join(this.home, "agent.log");
  readonly dispatched = new Map<string, number>();
  /** When the daemon was last handed something that was pressed. */
  pressed = Number.NaN;
  /** When each of the daemon's new messages had reached Discord, before anything was done with it. */
  readonly arrived: number[] = [];
  sandbox!: Sandbox;
  child: ChildProcess | undefined;

  /**
   * `strict`: with Discord's own rate limits; without, nothing but the daemon takes time. `acp`: the project's agent is
   * this one. `tool`: `claude`, or `tmux`.
   */
  async open({
    strict = false,
    limits = {},
    agent: program = agent,
    acp,
    tool = acp ? "acp" : "claude",
  }: {
    strict?: boolean;
    limits?: Record<string, number>;
    agent?: string;
    acp?: readonly string[];
    tool?: string;
  } = {}): Promise<this> {
    subscribe("http.server.request.start", (message) => {
      const { method, url, headers } = (message as { request: IncomingMessage }).request;
      const ours = method === "POST" && url?.endsWith("/messages") && headers.authorization?.startsWith("Bot ");
      if (ours) this.arrived.push(now());
    });
    const buckets = Object.fromEntries(
      ["create_message", "update_message", "add_my_message_reaction", "delete_my_message_reaction"].map((id) => [
        id,
        { limit: 10_000, perMs: 1_000 },
      ]),
    );
    this.sandbox = await startSandbox({
      ...(strict ? {} : { buckets }),
      observe: {
        dispatch: ({ t, d, to }) => {
          if (to === "bot" && t === "INTERACTION_CREATE") this.pressed = now();
          if (to !== "bot" || t !== "MESSAGE_CREATE") return;
          this.dispatched.set((d as { content: string }).content, now());
        },
      },
    });
    for (const name of ["state", "app", "bin"]) mkdirSync(join(this.home, name), { mode: 0o700 });
    symlinkSync(program, join(this.home, "bin", "claude"));
    appendFileSync(this.log, "");
    const at = new Date(0).toISOString();
    const app = {
      name: "app",
      path: join(this.home, "app"),
      enabled_tools: [tool],
      default_tool: tool,
      default_args: {},
      created_at: at,
      updated_at: at,
    };
    const config = {
      version: 1,
      owner_id: this.sandbox.owner.id,
      projects: { app },
      ...(acp && { commands: { acp } }),
      limits: { max_queue_per_session: 500, idle_agents: 0, ...limits },
    };
    writeFileSync(join(this.home, "state", "config.json"), JSON.stringify(config), { mode: 0o600 });
    writeFileSync(join(this.home, "token"), this.sandbox.botToken, { mode: 0o600 });
    return this;
  }

  environment(): Record<string, string> {
    return {
      PATH: `${join(this.home, "bin")}:/usr/bin:/bin`,
      HOME: this.home,
      LANG: "C.UTF-8",
      STATE_DIR: join(this.home, "state"),
      DISCORD_TOKEN_FILE: join(this.home, "token"),
      DISCORD_GUILD_ID: this.sandbox.guildId,
      BELLHOP_DISCORD_API: this.sandbox.api,
      CLAUDE_CODE_BENCH_LOG: this.log,
    };
  }

  /** Milliseconds from the spawn to the ready line. */
  async start(execArgv: readonly string[] = []): Promise<number> {
    const from = now();
    await this.#run([...execArgv, join(root, "bin", "bellhop.cjs"), "start", "--json"], this.environment());
    return now() - from;
  }

  /** The least a bot can do for a job, in the daemon's place. */
  control(): Promise<void> {
    const { owner, botToken } = this.sandbox;
    return this.#run([join(root, "bench", "control-bot.mjs")], {
      ...this.environment(),
      CONTROL_TOKEN: botToken,
      CONTROL_OWNER: owner.id,
      CONTROL_JOURNAL: join(this.home, "control.ndjson"),
    });
  }

  /** Until its first line. */
  async #run(args: readonly string[], env: Record<string, string>): Promise<void> {
    const child = spawn(process.execPath, args, { cwd: this.home, env, stdio: ["ignore", "pipe", "ignore"] });
    this.child = child;
    await new Promise<void>((resolve, reject) => {
      createInterface({ input: child.stdout }).once("line", () => resolve());
      child.once("exit", (code) => reject(new Error(`${args.at(-1)} ended with ${code}`)));
    });
  }

  async stop(): Promise<void> {
    const { child } = this;
    if (!child || child.exitCode !== null) return;
    child.removeAllListeners("exit");
    const gone = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGTERM");
    await gone;
  }

  async kill(): Promise<void> {
    const { child } = this;
    child?.removeAllListeners("exit");
    const gone = new Promise((resolve) => child?.once("exit", resolve));
    child?.kill("SIGKILL");
    await gone;
  }

  async close(): Promise<void> {
    await this.stop();
    await this.sandbox.close();
    rmSync(this.home, { recursive: true, force: true });
  }

  /** A new session's thread. */
  async session(): Promise<string> {
    await this.sandbox.until(({ commands }) => commands().some(({ name }) => name === "start"));
    const answer = await (await this.owner(this.sandbox.channelId).slash("start", { project_name: "app" })).answer();
    return /\d{17,20}/.exec(answer.content)?.[0] ?? "";
  }

  /** A new thread without a session. */
  async thread(name: string): Promise<string> {
    const { api, botToken, channelId } = this.sandbox;
    const response = await fetch(`${api}/v10/channels/${channelId}/threads`, {
      method: "POST",
      headers: {
        Authorization: `Bot ${botToken}`,
        "Content-Type": "application/json",
        "User-Agent": "DiscordBot (bellhop-bench, 1)",
      },
      body: JSON.stringify({ name, type: 11 }),
    });
    return ((await response.json()) as { id: string }).id;
  }

  /** The threads of so many new sessions, one opened after the other. */
  async sessions(count: number): Promise<string[]> {
    const threads: string[] = [];
    while (threads.length < count) threads.push(await this.session());
    return threads;
  }

  /** The owner in a channel or thread. */
  owner(channelId: string): UserActor {
    return this.sandbox.channel(channelId).user(this.sandbox.owner.id);
  }

  /** Resident memory in MB, of the daemon unless told otherwise. */
  rss(pid = this.child?.pid): number {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
  }

  /** The most memory the daemon ever had resident, in bytes. */
  peak(): number {
    return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${this.child?.pid}/status`, "utf8"))?.[1]) * 1024;
  }

  /** What the daemon's processor time has come to, in milliseconds. */
  cpu(): number {
    const [user = "0", system = "0"] = readFileSync(`/proc/${this.child?.pid}/stat`, "utf8")
      .replace(/^.*\) /, "")
      .split(" ")
      .slice(11);
    return (Number(user) + Number(system)) * 10;
  }

  /** What tells of each job that is done in a thread how it ended: a message of its own, or a line below its answer. */
  ends(thread: string): string[] {
    return this.sandbox.messages(thread).flatMap(({ content, embeds }) => {
      const lines = [embeds[0]?.description ?? "", ...content.split("\n-# ")];
      return lines.find((line) => line.startsWith("✅")) ?? [];
    });
  }

  /** Nothing of the last job is under way any more: its agent has ended, and the daemon has had time to tidy up. */
  async idle(): Promise<void> {
    const pids = readFileSync(this.log, "utf8").match(/(?<=^pid )\d+/gm) ?? [];
    while (pids.some((pid) => existsSync(`/proc/${pid}`))) await pause(5);
    await pause(60);
  }

  /** The daemon has come to rest: it uses less than a twentieth of a core, or has had ten looks' time for that. */
  async rest(everyMs = 400): Promise<void> {
    let before = this.cpu();
    for (let look = 0; look < 10; look += 1) {
      await pause(everyMs);
      if (this.cpu() - before <= everyMs / 20) return;
      before = this.cpu();
    }
  }

  /** It has rested for a minute: only then has V8 given back what it keeps ready for more of the same work. */
  async settle(): Promise<void> {
    await this.rest();
    await pause(60_000);
  }

  /**
   * Times the agents noted, in milliseconds: `first` also when one was only asked for its version, `run` when it was
   * not.
   */
  times(kind: "first" | "run" | "last" | "answered" | "read" | "said"): number[] {
    return readFileSync(this.log, "utf8")
      .split("\n")
      .filter((line) => line.startsWith(kind))
      .map((line) => Number(line.split(" ")[1]) * 1000);
  }
}

export function percentile(values: readonly number[], at: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * at) / 100))] ?? Number.NaN;
}

export function ms(value: number): string {
  return `${value.toFixed(1)} ms`;
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
