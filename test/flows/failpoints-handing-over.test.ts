/**
 * The daemon is killed at the steps at which a subagent's request goes over from a turn that is over to the next one:
 * as it is asked, the turn ends, the next one begins, and the owner's press reaches it. Whatever step it was, what was
 * asked is settled and says so, what was allowed has run once at most, and the session goes on.
 */
import { expect, test } from "vitest";
import { press, ran, settled } from "./asked.ts";
import { asFarAs, eachOf, killedAt, long, STEPS, stopped, tried, watched, type Step } from "./failpoints.ts";
import { journalOf } from "./journal.ts";
import { canTrace } from "./tracer.ts";
import { learnt, recorded } from "./workshop.ts";
import type { Daemon, World } from "./world.ts";

const CONFIG = { after_crash: "go_on" } as const;

interface Handing {
  world: World;
  thread: string;
  /** Since when and until when it was on its way, in seconds since the epoch. */
  way: { from: number; to: number };
}

const ready = async (): Promise<Handing> => ({ ...(await stopped(CONFIG)), way: { from: 0, to: 0 } });

async function handOver({ world, thread, way }: Handing, daemon: Daemon): Promise<"killed" | "done"> {
  const asked = { world, thread, daemon, id: "" };
  return asFarAs(daemon, [
    async () => {
      const { id } = await world.owner(thread).send("leaves:ls");
      await learnt(world, "process");
      way.from = Date.now() / 1_000;
      await world.marked(id, "✅");
    },
    () => recorded(world, ({ type }) => type === "OutsideTurnBegan"),
    () => press(asked, "Allow once"),
    async () => {
      await recorded(world, ({ type, payload }) => type === "OutsideTurnEnded" && payload["outcome"] === "done");
      way.to = Date.now() / 1_000;
    },
    () => daemon.kill("SIGTERM"),
  ]);
}

async function places([call, pattern]: Step): Promise<number[]> {
  const handing = await ready();
  const trace = watched(handing.world, call, "-yy", "-ttt");
  expect(await handOver(handing, trace.daemon)).toBe("done");
  const all = trace.places((line) => pattern.test(line), handing.way);
  await handing.world.close();
  return tried(all);
}

async function killAt(call: string, nth: number): Promise<"killed" | "done"> {
  const handing = await ready();
  const { world, thread } = handing;
  const end = await handOver(handing, killedAt(world, call, nth));
  const at = `${call} ${nth}`;
  const daemon = world.daemon();
  await daemon.ready;
  const asked = { world, thread, daemon, id: "" };
  await world.owner(thread).send("count:after");
  const goesOn = world.saying(thread, (said) => said.some(({ content }) => content === "did after"));
  // Killed so early that its job had not begun, it is asked only now.
  await Promise.race([goesOn, press(asked, "Deny").catch(() => undefined)]);
  await goesOn;
  const decided = journalOf(world)
    .filter(({ type }) => /^Decision(Asked|Answered|Voided)$/.test(type))
    .map(({ type }) => type);
  if (decided.length > 0)
    expect(decided, at).toEqual(["DecisionAsked", expect.stringMatching(/^Decision(Answered|Voided)$/)]);
  expect(ran(asked).length, at).toBeLessThanOrEqual(decided.includes("DecisionAnswered") ? 1 : 0);
  for (const one of world.said(thread).filter(({ components }) => JSON.stringify(components).includes("Allow once")))
    await settled(asked, one);
  const count = (type: string): number => journalOf(world).filter((one) => one.type === type).length;
  expect(count("OutsideTurnEnded"), at).toBe(count("OutsideTurnBegan"));
  await world.close();
  return end;
}

test.skipIf(!canTrace).each(STEPS)(
  "killed at %s while a request goes over to the next turn, it is settled, and nothing runs twice",
  { timeout: (long ? 60 : 10) * 60_000 },
  async (...step) => {
    const left = await places(step);
    expect(left.length).toBeGreaterThan(0);
    // A run may come to its end in fewer steps than the one that was watched; then it is killed earlier.
    await eachOf(step[0], left, async (nth) =>
      (await killAt(step[0], nth)) === "done" ? Math.floor(nth * 0.9) : undefined,
    );
  },
);
