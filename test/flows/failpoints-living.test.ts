/**
 * The daemon is killed at steps of an agent's life: as it opens, is prompted, idles, reports by itself, sleeps, wakes and
 * is closed. Whatever step it was, nothing of the agent is left, no prompt is given twice, what it did by itself has an
 * end on record, and the session goes on.
 */
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { canTrace, placesOf, tracer } from "./tracer.ts";
import { open, recorded } from "./workshop.ts";
import { alive, openWorld, type Daemon, type World } from "./world.ts";

const long = process.env["BELLHOP_TEST_LONG"] !== undefined;
/** Syncs are where facts become true; the daemon writes to its agent over a socket pair. */
const STEPS = [
  ["fdatasync", /fdatasync\(\d+<.*events\.ndjson/],
  ["write", /write\(\d+<UNIX-STREAM/],
] as const;
type Step = (typeof STEPS)[number];
/** In the ordinary run, spread over the agent's life. */
const TRIED = 4;

/** A world with a session, and its daemon stopped in order. */
async function ready(): Promise<{ world: World; thread: string }> {
  const world = await openWorld({ unlimited: true, config: { after_crash: "go_on", limits: { idle_agent_sec: 1 } } });
  const daemon = world.daemon();
  await daemon.ready;
  const thread = await world.session();
  await daemon.kill("SIGTERM");
  return { world, thread };
}

/** One life of an agent, as far as its daemon comes with it. */
async function live(world: World, thread: string, daemon: Daemon): Promise<"killed" | "done"> {
  const killed = daemon.exited.then(() => true);
  const owner = world.owner(thread);
  const steps = [
    async () => world.marked((await owner.send("later:built:count:by itself")).id, "✅"),
    async () => {
      open(world, "built");
      await recorded(world, ({ type }) => type === "OutsideTurnEnded");
    },
    // It sleeps, and so the next one wakes it.
    () => daemon.told(/an agent is put to sleep/),
    async () => world.marked((await owner.send("count:woken")).id, "✅"),
    () => daemon.kill("SIGTERM"),
  ];
  for (const [number, step] of steps.entries()) {
    const isOver = await Promise.race([killed, step().then(() => false, () => true)]);
    if (isOver && number < steps.length - 1) return "killed";
  }
  return (await daemon.exited).signal === "SIGKILL" ? "killed" : "done";
}

async function places([call, pattern]: Step): Promise<number[]> {
  const { world, thread } = await ready();
  const log = join(world.home, "trace.log");
  const { prefix, env } = tracer(world, ["-o", log, "-yy", "-e", `trace=${call}`]);
  expect(await live(world, thread, world.daemon({ prefix, env }))).toBe("done");
  const all = placesOf(log, call, (line) => pattern.test(line));
  await world.close();
  return long ? all : all.filter((_, index) => index % Math.ceil(all.length / TRIED) === 0);
}

async function killAt(call: string, nth: number): Promise<"killed" | "done"> {
  const { world, thread } = await ready();
  const { prefix, env } = tracer(world, ["-o", "/dev/null", "-e", `trace=${call}`, "-e", `inject=${call}:signal=SIGKILL:when=${nth}`]);
  const end = await live(world, thread, world.daemon({ prefix, env }));
  const left = world.agentStarts().map(({ pid }) => pid);
  const next = world.daemon();
  await next.ready;
  const at = `${call} ${nth}`;
  expect(left.filter(alive), at).toEqual([]);
  await world.owner(thread).send("count:after");
  await world.saying(thread, (said) => said.some(({ content }) => content === "did after"));
  const prompts = world.agentStarts().map(({ prompt }) => /(?:later|count):\w+/.exec(prompt)?.[0]);
  for (const prompt of ["later:built", "count:woken", "count:after"]) expect(prompts.filter((one) => one === prompt).length, `${prompt} at ${at}`).toBeLessThanOrEqual(1);
  const did = readFileSync(join(world.project, "done.txt"), "utf8").trim().split("\n");
  expect(new Set(did).size, at).toBe(did.length);
  const journal = readFileSync(join(world.stateDir, "events.ndjson"), "utf8");
  const count = (type: string): number => journal.split(`"type":"${type}"`).length - 1;
  expect(count("OutsideTurnEnded"), at).toBe(count("OutsideTurnBegan"));
  await world.close();
  return end;
}

/** A step that waits for something which never comes fails by its name. */
async function tooLong(at: string): Promise<never> {
  await once(AbortSignal.timeout(60_000), "abort");
  throw new Error(`killed at ${at}, the daemon's next life did not get to the end`);
}

test.skipIf(!canTrace).each(STEPS)("killed at %s in an agent's life, nothing of it is left and the session goes on", { timeout: (long ? 60 : 10) * 60_000 }, async (...step) => {
  const left = await places(step);
  let killed = 0;
  const lane = async (): Promise<void> => {
    for (let nth = left.shift(); nth !== undefined; nth = left.shift()) {
      if ((await Promise.race([killAt(step[0], nth), tooLong(`${step[0]} ${nth}`)])) === "killed") killed += 1;
    }
  };
  await Promise.all([lane(), lane()]);
  expect(killed).toBeGreaterThan(0);
});
