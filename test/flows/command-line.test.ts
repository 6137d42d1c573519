/** The command line beside a daemon that runs: what it says of it, and what a daemon that dies does to it. */
import { spawn, type ChildProcess } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { bellhop as inProcess } from "../../src/cli/bellhop.ts";
import { openSession, openWorld, type World } from "./world.ts";

const program = join(import.meta.dirname, "..", "..", "bin", "bellhop.cjs");

interface Shell {
  child: ChildProcess;
  out: string;
  err: string;
  /** Resolves when what was printed matches. */
  said(what: RegExp): Promise<void>;
  done: Promise<number | null>;
}

function bellhop(world: World, ...argv: string[]): Shell {
  const env = { PATH: "/usr/bin:/bin", HOME: world.home, LANG: "C.UTF-8", STATE_DIR: world.stateDir };
  const child = spawn(process.execPath, [program, ...argv], {
    cwd: world.home,
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const waiting = new Set<() => void>();
  const shell: Shell = {
    child,
    out: "",
    err: "",
    said: (what) =>
      new Promise((resolve, reject) => {
        const look = (): void => (what.test(shell.out + shell.err) ? resolve() : undefined);
        waiting.add(look);
        void shell.done.then((code) =>
          reject(new Error(`ended with ${code} before ${what}: ${shell.out}${shell.err}`)),
        );
        look();
      }),
    done: new Promise((resolve) => child.once("close", resolve)),
  };
  child.stdout
    .setEncoding("utf8")
    .on("data", (text: string) => ((shell.out += text), waiting.forEach((look) => look())));
  child.stderr
    .setEncoding("utf8")
    .on("data", (text: string) => ((shell.err += text), waiting.forEach((look) => look())));
  return shell;
}

/** The same in this process, for what is asked and answered at once. */
async function ask(world: World, ...argv: string[]): Promise<{ code: number; out: string; err: string }> {
  const said = { out: "", err: "" };
  const io = {
    stdout: { write: (text: string) => (said.out += text) },
    stderr: { write: (text: string) => (said.err += text) },
  };
  const code = await inProcess(argv, { ...io, env: { LANG: "C.UTF-8", STATE_DIR: world.stateDir } });
  return { code, ...said };
}

/** Opens a gate of the scripted agent's. */
function open(world: World, gate: string): void {
  writeFileSync(join(world.home, gate), "");
}

test("status, logs and tail tell of a job that runs and one that waits; the tail outlives the daemon and tells the end", async () => {
  const { world, daemon, thread } = await openSession({ config: { after_crash: "wait" } });
  const [running, waiting] = [
    await world.owner(thread).send("work:first"),
    await world.owner(thread).send("echo:second"),
  ];
  await Promise.all([world.started(running.id), world.marked(waiting.id, "⏳")]);
  const byThread = bellhop(world, "tail", thread);
  await byThread.said(/▸ Write/);
  const alone = bellhop(world, "tail", "--json");
  await alone.said(/"kind":"job"/);

  const status = bellhop(world, "status");
  expect(await status.done).toBe(0);
  expect(status.out).toMatch(new RegExp(`^Bellhop \\S+ is running \\(process ${daemon.pid}\\), since `));
  expect(status.out).toContain("Discord: connected, last heard ");
  expect(status.out).toContain("Jobs: 1 running (at most 2), 1 waiting.\n");
  expect(status.out).toMatch(
    new RegExp(`\\n {2}app {2}claude {2}${thread}\\n {4}running job_\\d{8}_0001 for \\d+ s\\n {4}1 waiting\\n`),
  );
  expect(status.out.split("\n").filter((line) => line.length > 80 && !line.includes("/"))).toEqual([]);
  expect(status.err).toBe("");

  await daemon.kill("SIGKILL");
  await byThread.said(/The daemon is gone/);
  const none = await ask(world, "status");
  expect(none.code).toBe(69);
  expect(none.out).toBe(`Bellhop is not running for ${world.stateDir}. Start it with \`bellhop start\`.\n`);

  await world.daemon().ready;
  expect(await byThread.done).toBe(1);
  expect(byThread.err).toBe(
    "The daemon is gone. Waiting for it to come back; Ctrl-C stops waiting.\nThe daemon is back.\n",
  );
  expect(byThread.out).toMatch(
    /^job_\d{8}_0001, claude, thread \d+: running\n[\s\S]*▸ Write[\s\S]*\njob_\d{8}_0001: interrupted by a crash\n$/,
  );
  expect(await alone.done).toBe(1);
  expect(JSON.parse(alone.out.trimEnd().split("\n").at(-1) ?? "")).toMatchObject({
    kind: "end",
    state: "unknown_after_crash",
  });

  const parked = await ask(world, "status", "--json");
  expect(parked.code).toBe(0);
  expect(JSON.parse(parked.out)).toMatchObject({
    daemon: true,
    running: 0,
    pending: 1,
    sessions: [{ state: "queued", parked: { kind: "crash" } }],
  });
  const log = await ask(world, "logs", "-n", "1000");
  expect(log.code).toBe(0);
  expect(log.out).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d (info|warn) /);
  const [job = ""] = /job_\d{8}_0001/.exec(byThread.out) ?? [];
  const jobLog = await ask(world, "logs", job);
  expect(jobLog.code).toBe(0);
  expect(jobLog.out).toContain('"type":"tool_use"');
  for (const { out } of [status, byThread, log, jobLog]) expect(out).not.toContain(world.sandbox.botToken);
});

test("a tail shows an agent's words as they come, without what a terminal would obey, and ends with the job", async () => {
  const { world, thread } = await openSession();
  const ahead = await world.owner(thread).send("work:gate");
  await world.started(ahead.id);
  const behind = await world.owner(thread).send("spell:a\u001b[31mred\u001b]0;title\u0007 \u001b[2Jb");
  await world.marked(behind.id, "⏳");
  const first = bellhop(world, "tail");
  await first.said(/▸ Write/);
  // Waited for in its queue, and then shown from its first word on.
  const job = first.out.slice(0, "job_20260226_0001".length).replace(/1$/, "2");
  const second = bellhop(world, "tail", job);
  await second.said(/waiting for its turn/);
  open(world, "gate");
  open(world, "gate-end");
  expect(await first.done).toBe(0);
  expect(first.out).toMatch(/✓ Write[\s\S]*_0001: success\n$/);
  expect(await second.done).toBe(0);
  expect(second.out).toContain("Here it comes: ared b was it");
  expect(second.out).toMatch(/_0002: success\n$/);
  expect(second.out).not.toContain("\u001b");
  // One that has ended is told of too.
  const late = await ask(world, "tail", job);
  expect(late.code).toBe(0);
  expect(late.out).toContain("was it");
});

test("a job that is not there, a session that is not there, and a reader who stops reading", async () => {
  const world = await openWorld();
  const none = await ask(world, "logs");
  expect(none.code).toBe(0);
  expect(none.err).toMatch(/^There is no log yet: /);
  await world.daemon().ready;
  for (const [argv, code, says] of [
    [["tail", "job_20260226_0001"], 66, /^E_JOB_NOT_FOUND: There is no job job_20260226_0001\./],
    [["tail", "123456789012345678"], 66, /^E_SESSION_NOT_FOUND: /],
    [["tail"], 66, /^No job is running\./],
    [["logs", "job_20260226_0001"], 66, /^E_JOB_NOT_FOUND: /],
    [["logs", "../app"], 66, /^E_JOB_NOT_FOUND: There is no job \.\.\/app\./],
    [["tail", "\u001b[2J\n__proto__"], 66, /^E_JOB_NOT_FOUND: There is no job ⟨U\+001B⟩\[2J __proto__\./],
  ] as const) {
    const told = await ask(world, ...argv);
    expect({ argv, code: told.code, out: told.out }).toEqual({ argv, code, out: "" });
    expect(told.err).toMatch(says);
  }
  mkdirSync(join(world.stateDir, "logs", "job"), { recursive: true });
  writeFileSync(
    join(world.stateDir, "logs", "job", "job_20260226_0007.log"),
    `${"long ".repeat(20)}\n`.repeat(100_000),
  );
  const cut = bellhop(world, "logs", "job_20260226_0007", "-n", "100000");
  await cut.said(/long/);
  cut.child.stdout?.destroy();
  expect(await cut.done).toBe(0);
  expect(cut.err).toBe("");
  expect(readFileSync(join(world.stateDir, "logs", "app.ndjson"), "utf8")).not.toContain("E_INTERNAL");
});

test("status of a daemon that hangs says so, and how it is ended", async () => {
  const world = await openWorld();
  const daemon = world.daemon();
  await daemon.ready;
  process.kill(daemon.pid, "SIGSTOP");
  const { code, out } = await ask(world, "status");
  expect(code).toBe(69);
  expect(out).toMatch(
    new RegExp(`^A Bellhop \\(process ${daemon.pid}\\) holds \\S+ but does not respond\\.[^]*kill -9 ${daemon.pid}`),
  );
});

test("a port that is given to a daemon with a bot is said once to have no effect", async () => {
  const world = await openWorld();
  const daemon = world.daemon({ args: ["--port", "4000"] });
  await daemon.ready;
  expect(daemon.stderr().match(/--port has no effect/g)).toHaveLength(1);
});
