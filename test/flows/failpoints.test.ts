/**
 * The daemon is killed at every step of a message's way: before each sync, each rename and each write to the outside,
 * counted by the kernel's own tracer, so that no step is left out because nobody thought of it. Whatever step it was,
 * the message is answered once, or its job is unknown and says so; nothing is lost and nothing is done twice.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { eachOf, killedAt, long, stopped, watched } from "./failpoints.ts";
import { canTrace } from "./tracer.ts";
import { crashNotice } from "./world.ts";

const calls = ["fdatasync", "fsync", "rename", "write", "writev"] as const;
type Call = (typeof calls)[number];
/** With a snapshot on the way, because that is where files are renamed. */
const CONFIG = { limits: { snapshot_every_events: 1 } } as const;
if (!canTrace)
  process.stderr.write("No failpoint is tried: there is no /usr/bin/strace (Debian: apt-get install strace).\n");

/**
 * When to kill: the places of a call among all calls of its kind by its thread, on the way of one message. A thread
 * that wakes another one by a write changes nothing that lasts, so those places are left to the long run.
 */
async function places(call: Call): Promise<number[]> {
  const { world, thread } = await stopped(CONFIG);
  const { daemon, places: placesWhere } = watched(world, call, "-y");
  const { id } = await world.owner(thread).send("count:once");
  await world.saying(thread, (said) => said.some(({ content }) => content === "did once"));
  await world.marked(id, "✅");
  await daemon.kill("SIGTERM");
  const all = placesWhere((line) => long || !line.includes("<anon_inode:[eventfd]>"));
  await world.close();
  return all;
}

/** Kills the daemon as it makes the call for the n-th time, starts it again, and sees that all is well. */
async function killAt(call: Call, nth: number): Promise<"killed" | "done"> {
  const { world, thread } = await stopped(CONFIG);
  const daemon = killedAt(world, call, nth);
  const { id } = await world.owner(thread).send("count:once");
  const end = await Promise.race([
    daemon.exited.then(() => "killed" as const),
    world.marked(id, "✅").then(() => "done" as const),
  ]);
  if (end === "done") await daemon.kill("SIGKILL");
  await world.daemon().ready;
  // Not by what the thread shows: words that were streamed before the end may stand there as if they were the answer.
  const fate = await Promise.race([
    world.marked(id, "✅").then(() => "answered" as const),
    world.marked(id, "💥").then(() => "unknown" as const),
  ]);
  if (fate === "unknown")
    await world.owner(thread).clickButton(await world.saying(thread, (said) => crashNotice(said)?.id), "Discard");
  await world.owner(thread).send("count:after");
  await world.saying(thread, (said) => said.some(({ content }) => content === "did after"));
  const at = `${call} ${nth}`;
  const prompts = world.agentStarts().map(({ prompt }) => /count:\w+/.exec(prompt)?.[0]);
  const did = readFileSync(join(world.project, "done.txt"), "utf8").split("\n");
  const contents = world.said(thread).map(({ content }) => content);
  expect(prompts.filter((prompt) => prompt === "count:once").length, at).toBeLessThanOrEqual(1);
  expect(
    prompts.filter((prompt) => prompt === "count:after"),
    at,
  ).toHaveLength(1);
  expect(did.filter((line) => line === "once").length, at).toBeLessThanOrEqual(1);
  expect(
    contents.filter((content) => content === "did after"),
    at,
  ).toHaveLength(1);
  if (fate === "answered")
    expect(
      contents.filter((content) => content === "did once"),
      at,
    ).toHaveLength(1);
  // An older post may be brought up to date after a newer one is there.
  await world.saying(thread, (said) => crashNotice(said) === undefined);
  await world.close();
  return end;
}

/** One run has a few steps more than another; when so many were through before the step came, the way has ended. */
const PAST_THE_END = long ? 40 : 3;

test.skipIf(!canTrace).each(calls)(
  "killed at every %s, nothing is lost and nothing is done twice",
  async (call) => {
    const at = await places(call);
    let killed = 0;
    for (let round = 0; round < (long ? 5 : 1); round += 1) {
      let through = 0;
      const kill = async (nth: number): Promise<undefined> => {
        if ((await killAt(call, nth)) === "killed") killed += 1;
        else through += 1;
      };
      await eachOf(call, at, kill, () => through >= PAST_THE_END);
    }
    // The tracer did its work: there were such steps, and the daemon died at them.
    expect(killed).toBeGreaterThan(0);
  },
  (long ? 60 : 15) * 60_000,
);
