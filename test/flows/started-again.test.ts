/**
 * The unit that `bellhop service` writes, obeyed: no user systemd runs where tests do, so its ExecStart is run with its
 * environment by a supervisor that does what systemd.service(5) says of Restart= and RestartPreventExitStatus=. Only
 * RestartSec= is not waited for.
 */
import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { canTrace, failing } from "./tracer.ts";
import { crashNotice, openWorld, type World } from "./world.ts";

const bellhop = path.join(import.meta.dirname, "..", "..", "bin", "bellhop.cjs");

interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

interface Supervised {
  /** The ends after which it was started again. */
  readonly restarted: Exit[];
  readonly child: ChildProcess;
  /** Each start, resolved when it accepts messages. */
  readonly ready: readonly PromiseWithResolvers<void>[];
  /** The end after which it was not. */
  readonly over: Promise<Exit>;
}

/** What `bellhop service print` says here, and the settings beside it. */
function unitOf(world: World): { of(key: string): string[]; unquoted(key: string): string[] } {
  const { sandbox, home, stateDir } = world;
  const env = {
    PATH: `${path.join(home, "bin")}:/usr/bin:/bin`,
    HOME: home,
    LANG: "C.UTF-8",
    DISCORD_BOT_TOKEN: sandbox.botToken,
    STATE_DIR: stateDir,
  };
  const { stdout, stderr, status } = spawnSync(process.execPath, [bellhop, "service", "print"], {
    cwd: home,
    env,
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(stderr);
  const of = (key: string): string[] =>
    stdout.split("\n").flatMap((line) => (line.startsWith(`${key}=`) ? [line.slice(key.length + 1)] : []));
  const unquoted = (key: string): string[] =>
    of(key)
      .flatMap((value) => value.match(/"[^"]*"|\S+/g) ?? [])
      .map((word) => word.replaceAll('"', ""));
  const [settings = ""] = of("EnvironmentFile").map((file) => file.replace(/^-/, ""));
  mkdirSync(path.dirname(settings), { recursive: true });
  const given = {
    DISCORD_BOT_TOKEN: sandbox.botToken,
    DISCORD_GUILD_ID: sandbox.guildId,
    DISCORD_OWNER_ID: sandbox.owner.id,
    BELLHOP_DISCORD_API: sandbox.api,
    STATE_DIR: stateDir,
    CLAUDE_CODE_FAKE_LOG: path.join(home, "starts.ndjson"),
  };
  writeFileSync(
    settings,
    Object.entries(given)
      .map(([name, value]) => `${name}=${value}\n`)
      .join(""),
    { mode: 0o600 },
  );
  return { of, unquoted };
}

function supervise(world: World): Supervised {
  const unit = unitOf(world);
  expect(unit.of("Restart")).toEqual(["on-failure"]);
  const [file = "", ...args] = unit.unquoted("ExecStart");
  const [settings = ""] = unit.of("EnvironmentFile").map((name) => name.replace(/^-/, ""));
  const given = [...unit.unquoted("Environment"), ...readFileSync(settings, "utf8").trim().split("\n")];
  const env = {
    HOME: world.home,
    LANG: "C.UTF-8",
    ...Object.fromEntries(given.map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)])),
  };
  const prevented = unit.unquoted("RestartPreventExitStatus").map(Number);
  // A clean end is exit code 0, or one of these signals.
  const clean = new Set(["SIGHUP", "SIGINT", "SIGTERM", "SIGPIPE"]);
  const isRestarted = ({ code, signal }: Exit): boolean =>
    code === null ? !clean.has(signal ?? "") : code !== 0 && !prevented.includes(code);
  const over = Promise.withResolvers<Exit>();
  const restarted: Exit[] = [];
  const ready: PromiseWithResolvers<void>[] = [];
  let isEnding = false;
  const start = (): ChildProcess => {
    const started = spawn(file, args, {
      cwd: unit.of("WorkingDirectory")[0],
      env,
      stdio: ["ignore", "pipe", "ignore"],
    });
    const accepts = Promise.withResolvers<void>();
    ready.push(accepts);
    started.stdout.setEncoding("utf8").on("data", (text: string) => void (text.includes("ready") && accepts.resolve()));
    return started.once("exit", (code, signal) => {
      if (isEnding || !isRestarted({ code, signal })) return over.resolve({ code, signal });
      restarted.push({ code, signal });
      child = start();
    });
  };
  let child = start();
  onTestFinished(() => {
    isEnding = true;
    child.kill("SIGKILL");
  });
  return {
    restarted,
    ready,
    over: over.promise,
    get child() {
      return child;
    },
  };
}

test("a daemon that was killed is started again, and does what was written meanwhile; one that was asked to end is not", async () => {
  const world = await openWorld({ unlimited: true });
  const supervised = supervise(world);
  await supervised.ready[0]?.promise;
  const thread = await world.session();
  for (const [signal, words] of [
    ["SIGKILL", "one"],
    ["SIGABRT", "two"],
    ["SIGSEGV", "three"],
  ] as const) {
    const { child } = supervised;
    child.kill(signal);
    const { id } = await world.owner(thread).send(`echo:${words}`);
    await world.marked(id, "✅");
    await world.saying(thread, (said) => said.some(({ content }) => content.trim() === words));
    expect(supervised.child.pid).not.toBe(child.pid);
  }
  expect(
    world
      .said(thread)
      .map(({ content }) => content.trim())
      .filter((content) => /^(one|two|three)$/.test(content)),
  ).toEqual(["one", "two", "three"]);
  expect(supervised.restarted.map(({ signal }) => signal)).toEqual(["SIGKILL", "SIGABRT", "SIGSEGV"]);
  supervised.child.kill("SIGTERM");
  expect(await supervised.over).toEqual({ code: 0, signal: null });
});

test.skipIf(!canTrace)("a daemon whose disk failed ends with 74, is started again, and goes on", async () => {
  const world = await openWorld({ unlimited: true });
  const supervised = supervise(world);
  await supervised.ready[0]?.promise;
  const thread = await world.session();
  const tracer = await failing(supervised.child.pid ?? 0, "fdatasync", "EIO");
  const { child } = supervised;
  const ended = new Promise((resolve) => child.once("exit", resolve));
  await world.owner(thread).send("echo:kept");
  await ended;
  tracer.kill("SIGKILL");
  expect(supervised.restarted).toEqual([{ code: 74, signal: null }]);
  await supervised.ready[1]?.promise;
  // A line whose sync failed may have reached the disk all the same: then the job counts as begun, and the owner
  // decides.
  const isAnswered = (said: { content: string }[]): boolean => said.some(({ content }) => content.trim() === "kept");
  const notice = await world.saying(
    thread,
    (said) => crashNotice(said)?.id ?? (isAnswered(said) ? "answered" : undefined),
  );
  if (notice !== "answered") await world.owner(thread).clickButton(notice, "Retry");
  await world.saying(thread, isAnswered);
});

test.each([
  [
    "its configuration is wrong",
    78,
    ({ stateDir }: World) =>
      writeFileSync(path.join(stateDir, "config.json"), '{"version":1,"projects":7}', { mode: 0o600 }),
  ],
  [
    "its journal is damaged",
    65,
    ({ stateDir }: World) =>
      writeFileSync(path.join(stateDir, "events.ndjson"), '{"seq":1,"ts":"x"}\n{"seq":7}\n', { mode: 0o600 }),
  ],
])("a daemon that ends because %s (%i) is not started again", async (_, code, spoil) => {
  const world = await openWorld({ agent: "none" });
  spoil(world);
  const supervised = supervise(world);
  expect(await supervised.over).toEqual({ code, signal: null });
  expect(supervised.restarted).toEqual([]);
});

test("a second one beside a daemon that runs (75) is not started again", async () => {
  const world = await openWorld({ agent: "none" });
  await world.daemon().ready;
  const supervised = supervise(world);
  expect(await supervised.over).toEqual({ code: 75, signal: null });
  expect(supervised.restarted).toEqual([]);
});

test("one that is asked to end while it opens ends in order, too", async () => {
  const world = await openWorld({ agent: "none" });
  const daemon = world.daemon();
  daemon.ready.catch(() => undefined);
  await daemon.told(/Bellhop begins/);
  await daemon.kill("SIGTERM");
  expect(await daemon.exited).toEqual({ code: 0, signal: null });
});
