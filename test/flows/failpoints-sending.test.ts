/**
 * The daemon is killed at the steps of a message that is sent into a running turn: before and after the request is on
 * disk, the text leaves, and the agent has taken it up. Whatever step it was, the agent is given the message at most
 * once, and its writer sees what became of it: it was answered, it was taken up, or nobody knows and Retry is offered.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { controlsOf } from "./asked.ts";
import { asFarAs, eachOf, killedAt, long, STEPS, stopped, tried, watched, type Step } from "./failpoints.ts";
import { canTrace } from "./tracer.ts";
import { descriptionOf, learnt, open } from "./workshop.ts";
import { inFolder, type Daemon, type World } from "./world.ts";

interface Sending {
  world: World;
  thread: string;
  /** Since when and until when the message was on its way, in seconds since the epoch. */
  way: { from: number; to: number };
  /** Once it is written. */
  sent: string | null;
}

async function ready(): Promise<Sending> {
  return { ...(await stopped({ after_crash: "go_on" })), way: { from: 0, to: 0 }, sent: null };
}

/** A message is sent into a running turn, as far as the daemon comes with it. */
async function send(sending: Sending, daemon: Daemon): Promise<"killed" | "done"> {
  const { world, thread, way } = sending;
  const owner = world.owner(thread);
  return asFarAs(daemon, [
    async () => {
      await owner.send("work:build");
      await learnt(world, "process");
    },
    async () => {
      sending.sent = (await owner.send("count:sent")).id;
      const card = await world.saying(thread, (said) => said.find((one) => controlsOf(one).includes('"q-send:')));
      way.from = Date.now() / 1_000;
      await owner.clickButton(card.id, "Send now");
      await inFolder(world.home, () => existsSync(join(world.home, "heard")));
    },
    async () => {
      open(world, "build");
      await world.marked(sending.sent ?? "", "📨");
      way.to = Date.now() / 1_000;
    },
    () => daemon.kill("SIGTERM"),
  ]);
}

async function places([call, pattern]: Step): Promise<number[]> {
  const sending = await ready();
  const { world, way } = sending;
  const trace = watched(world, call, "-yy", "-ttt");
  expect(await send(sending, trace.daemon)).toBe("done");
  const all = trace.places((line) => pattern.test(line), way);
  await world.close();
  return tried(all);
}

async function killAt(call: string, nth: number): Promise<"killed" | "done"> {
  const sending = await ready();
  const { world, thread } = sending;
  const end = await send(sending, killedAt(world, call, nth));
  await world.daemon().ready;
  open(world, "build");
  open(world, "build-end");
  await world.owner(thread).send("count:after");
  await world.saying(thread, (said) => said.some(({ content }) => content === "did after"));
  if (sending.sent !== null) await wellKept(sending, sending.sent, `${call} ${nth}`);
  await world.close();
  return end;
}

/** What was sent had one fate, which is told. */
async function wellKept({ world, thread }: Sending, sent: string, at: string): Promise<void> {
  const fate = await Promise.race(["✅", "📨", "💥"].map(async (mark) => world.marked(sent, mark).then(() => mark)));
  // What follows a crash repeats it as a note, which says so.
  const given = world
    .agentStarts()
    .filter(({ prompt }) => prompt.includes("count:sent") && !prompt.includes("You may have it already.")).length;
  const did = existsSync(join(world.project, "done.txt")) ? readFileSync(join(world.project, "done.txt"), "utf8") : "";
  expect(given, `given at ${at}, then ${fate}`).toBeLessThanOrEqual(1);
  expect(did.split("sent\n").length - 1, at).toBe(fate === "✅" ? 1 : 0);
  if (fate === "📨") expect(given, at).toBe(1);
  if (fate === "💥")
    await world.saying(thread, (said) =>
      said.some(
        (one) =>
          one.message_reference?.message_id === sent &&
          descriptionOf(one).includes("while this message was being sent into a running answer") &&
          controlsOf(one).includes("Retry"),
      ),
    );
}

test.skipIf(!canTrace).each(STEPS)(
  "killed at %s while a message is sent into a turn, it is given once at most, and its fate is told",
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
