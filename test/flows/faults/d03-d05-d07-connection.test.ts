/**
 * The gateway's faults, through the built daemon: what becomes of its one connection, and that nothing written
 * meanwhile is lost, doubled or paid for with an IDENTIFY that was not needed.
 */
import { existsSync, readFileSync, watch, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { errors } from "../../../src/base/errors.ts";
import { answered, openSession, openWorld, type World } from "../world.ts";

/** The id of the bot's gateway session while it has a socket. */
const session = ({ sandbox }: World): string | undefined => sandbox.connections().find(({ isBot }) => isBot)?.sessionId;
const connected = (world: World): Promise<string> => world.sandbox.until(() => session(world));
const probes = ({ sandbox }: World): number =>
  sandbox.requests.filter(({ operationId }) => operationId === "get_active_guild_threads").length;

/** IDENTIFYs left today, as Discord tells it. */
async function identifiesLeft({ sandbox }: World): Promise<number> {
  const response = await fetch(`${sandbox.api}/v10/gateway/bot`, {
    headers: { authorization: `Bot ${sandbox.botToken}` },
  });
  const { session_start_limit } = (await response.json()) as { session_start_limit: { remaining: number } };
  return session_start_limit.remaining;
}

test("D3: a connection that is open and dead is detected, whether asleep, unanswered or one-way, and a quiet one is left alone", async () => {
  const { world, daemon, thread } = await openSession({ discord: { heartbeatMs: 400 }, unlimited: true });
  // Nothing happens here, and Discord is asked whether that is so.
  const asked = probes(world);
  await world.sandbox.until(() => probes(world) > asked);
  expect(daemon.stderr()).not.toContain("sends no events");
  // Half-open: no answer to a heartbeat.
  const silence = world.sandbox.faults.gateway({ kind: "silence" });
  await world.owner(thread).send("echo:silent");
  await answered(world, thread, ["silent"]);
  silence.lift();
  // The machine sleeps until Discord has given the connection up.
  process.kill(daemon.pid, "SIGSTOP");
  await world.sandbox.until(({ violations }) =>
    violations.some(({ kind, code }) => kind === "gateway_close" && code === 4009),
  );
  await world.owner(thread).send("echo:asleep");
  process.kill(daemon.pid, "SIGCONT");
  await answered(world, thread, ["silent", "asleep"]);
  // Heartbeats are answered, and no event comes: only what stands in the thread tells.
  const second = await connected(world);
  const deaf = world.sandbox.faults.gateway({ kind: "withhold" });
  await world.owner(thread).send("echo:deaf");
  await answered(world, thread, ["silent", "asleep", "deaf"]);
  // Also where the machine was so slow that the message was read while the old session was resumed.
  await world.sandbox.until(() => ![undefined, second].includes(session(world)));
  deaf.lift();
  await daemon.told(/sends no events/);
});

/** Resolves once this stands in the file. */
function written(file: string, words: string): Promise<void> {
  return new Promise((resolve) => {
    const look = (): void => {
      if (!existsSync(file) || !readFileSync(file, "utf8").includes(words)) return;
      watcher.close();
      resolve();
    };
    const watcher = watch(dirname(file), look);
    look();
  });
}

test("D4: IDENTIFYs are counted on disk: a killed daemon resumes, one that restarts for ever waits, and the day's last fifty are left", async () => {
  const world = await openWorld({ agent: "none", discord: { identifyTotal: 51 } });
  const left = (): Promise<number> => identifiesLeft(world);
  const file = join(world.stateDir, `gateway-${world.sandbox.botId}.json`);
  let daemon = world.daemon();
  await daemon.ready;
  const first = await connected(world);
  await written(file, `"id": "${first}"`);
  await daemon.kill("SIGKILL");
  daemon = world.daemon();
  await daemon.ready;
  expect([session(world), await left()]).toEqual([first, 50]);
  await daemon.kill("SIGKILL");
  // A history of a crash loop: no session to resume, and none that lasted.
  const kept = JSON.parse(readFileSync(file, "utf8")) as { identifies: unknown[] };
  expect(kept.identifies).toHaveLength(1);
  writeFileSync(
    file,
    JSON.stringify({ ...kept, identifies: Array<unknown>(12).fill(kept.identifies[0]), session: null }),
  );
  daemon = world.daemon();
  await daemon.told(/started again and again without lasting.*until/);
  expect([session(world), await left()]).toEqual([undefined, 50]);
  await daemon.kill("SIGTERM");
  writeFileSync(file, JSON.stringify({ ...kept, session: null }));
  // The fiftieth from the end may go, and after it none.
  daemon = world.daemon();
  await daemon.ready;
  world.sandbox.faults.gateway({ kind: "invalidate", resumable: false });
  await daemon.told(/too few IDENTIFYs are left today.*until/);
  expect([session(world), await left()]).toEqual([undefined, 49]);
  expect(world.sandbox.violations.filter(({ kind }) => kind === "identify_budget")).toEqual([]);
});

test("D5: after a close code that is final the daemon ends at once, with a code no supervisor restarts and one line that says why", async () => {
  const finals = { 4004: "E_TOKEN_REFUSED", 4012: "E_GATEWAY_REFUSED", 4013: "E_INTENT_REFUSED" } as const;
  const world = await openWorld({ agent: "none" });
  for (const [close, code] of Object.entries(finals)) {
    const daemon = world.daemon();
    await daemon.ready;
    const before = await identifiesLeft(world);
    world.sandbox.faults.gateway({ kind: "close", code: Number(close) });
    expect(await daemon.exited).toEqual({ code: errors[code].exit, signal: null });
    expect(daemon.stderr().match(new RegExp(`^\\S+ error .*${code}`, "gm"))).toHaveLength(1);
    expect([errors[code].restart, await identifiesLeft(world)]).toEqual([false, before]);
  }
  expect(new Set(Object.values(finals).map((code) => errors[code].exit)).size).toBe(3);
});

test("D7: whatever Discord asks for, no more than 120 frames a minute are sent, and none over 4096 bytes", async () => {
  const { world, thread } = await openSession();
  const first = await connected(world);
  for (let n = 0; n < 200; n += 1) world.sandbox.faults.gateway({ kind: "ask_heartbeat" });
  await world.owner(thread).send("echo:still here");
  await answered(world, thread, ["still here"]);
  expect([session(world), world.sandbox.violations.filter(({ kind }) => kind === "gateway_close")]).toEqual([
    first,
    [],
  ]);
});
