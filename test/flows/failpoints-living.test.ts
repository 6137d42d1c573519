/**
 * The daemon is killed at steps of an agent's life: as it opens, is prompted, idles, reports by itself, sleeps, wakes
 * and is closed. Whatever step it was, nothing of the agent is left, no prompt is given twice, what it did by itself
 * has an end on record, and the session goes on.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { asFarAs, eachOf, killedAt, long, STEPS, stopped, tried, watched, type Step } from "./failpoints.ts";
import { canTrace } from "./tracer.ts";
import { open, recorded } from "./workshop.ts";
import { alive, type Daemon, type World } from "./world.ts";

const CONFIG = { after_crash: "go_on", limits: { idle_agent_sec: 1 } } as const;

/** One life of an agent, as far as its daemon comes with it. */
async function live(world: World, thread: string, daemon: Daemon): Promise<"killed" | "done"> {
  const owner = world.owner(thread);
  return asFarAs(daemon, [
    async () => world.marked((await owner.send("later:built:count:by itself")).id, "✅"),
    async () => {
      open(world, "built");
      await recorded(world, ({ type }) => type === "OutsideTurnEnded");
    },
    // It sleeps, and so the next one wakes it.
    () => daemon.told(/an agent is put to sleep/),
    async () => world.marked((await owner.send("count:woken")).id, "✅"),
    () => daemon.kill("SIGTERM"),
  ]);
}

async function places([call, pattern]: Step): Promise<number[]> {
  const { world, thread } = await stopped(CONFIG);
  const trace = watched(world, call, "-yy");
  expect(await live(world, thread, trace.daemon)).toBe("done");
  const all = trace.places((line) => pattern.test(line));
  await world.close();
  return tried(all);
}

async function killAt(call: string, nth: number): Promise<"killed" | "done"> {
  const { world, thread } = await stopped(CONFIG);
  const end = await live(world, thread, killedAt(world, call, nth));
  const left = world.agentStarts().map(({ pid }) => pid);
  const next = world.daemon();
  await next.ready;
  const at = `${call} ${nth}`;
  expect(left.filter(alive), at).toEqual([]);
  await world.owner(thread).send("count:after");
  await world.saying(thread, (said) => said.some(({ content }) => content === "did after"));
  const prompts = world.agentStarts().map(({ prompt }) => /(?:later|count):\w+/.exec(prompt)?.[0]);
  for (const prompt of ["later:built", "count:woken", "count:after"])
    expect(prompts.filter((one) => one === prompt).length, `${prompt} at ${at}`).toBeLessThanOrEqual(1);
  const did = readFileSync(join(world.project, "done.txt"), "utf8").trim().split("\n");
  expect(new Set(did).size, at).toBe(did.length);
  const journal = readFileSync(join(world.stateDir, "events.ndjson"), "utf8");
  const count = (type: string): number => journal.split(`"type":"${type}"`).length - 1;
  expect(count("OutsideTurnEnded"), at).toBe(count("OutsideTurnBegan"));
  await world.close();
  return end;
}

test.skipIf(!canTrace).each(STEPS)(
  "killed at %s in an agent's life, nothing of it is left and the session goes on",
  { timeout: (long ? 60 : 10) * 60_000 },
  async (...step) => {
    let killed = 0;
    await eachOf(step[0], await places(step), async (nth) => {
      if ((await killAt(step[0], nth)) === "killed") killed += 1;
      return undefined;
    });
    expect(killed).toBeGreaterThan(0);
  },
);
