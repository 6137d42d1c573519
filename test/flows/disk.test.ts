/** The disk refuses while the daemon runs: it says so, ends with its own code, and what it had acknowledged is there. */
import { spawn, type ChildProcess } from "node:child_process";
import { existsSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import { answered, crashNotice, openWorld } from "./world.ts";

const canTrace = existsSync("/usr/bin/strace");
if (!canTrace) process.stderr.write("No disk is made to fail: there is no /usr/bin/strace (Debian: apt-get install strace).\n");

/** From now on every such call of the running daemon fails with this error; resolves when that is so. */
async function failing(pid: number, call: string, error: string): Promise<ChildProcess> {
  const child = spawn("/usr/bin/strace", ["-f", "-p", String(pid), "-e", `trace=${call}`, "-e", `inject=${call}:error=${error}`], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  await new Promise<void>((resolve) => {
    child.stderr?.setEncoding("utf8").on("data", (text: string) => void (text.includes("attached") && resolve()));
  });
  return child;
}

function isAnswered(said: { content: string }[]): boolean {
  return said.some(({ content }) => content === "did kept");
}

test.skipIf(!canTrace).each([
  ["fdatasync", "EIO"],
  ["fdatasync", "ENOSPC"],
])("%s failing with %s ends the daemon loudly, and the message it could not keep is not lost by the next", async (call, error) => {
  const world = await openWorld();
  const daemon = world.daemon();
  await daemon.ready;
  const thread = await world.session();
  await world.owner(thread).send("count:before");
  await answered(world, thread, ["did before"]);
  const tracer = await failing(daemon.pid, call, error);
  await world.owner(thread).send("count:kept");
  expect(await daemon.exited).toEqual({ code: 74, signal: null });
  tracer.kill("SIGKILL");
  expect(daemon.stderr()).toContain("E_JOURNAL_WRITE");
  expect(world.agentStarts().map(({ prompt }) => prompt)).toEqual(["count:before"]);
  await world.daemon().ready;
  // A line whose sync failed may have reached the disk all the same: then the job counts as begun, and the owner decides.
  const notice = await world.saying(thread, (said) => crashNotice(said)?.id ?? (isAnswered(said) ? "answered" : undefined));
  if (notice !== "answered") await world.owner(thread).clickButton(notice, "Retry");
  await world.saying(thread, isAnswered);
  expect(world.agentStarts().map(({ prompt }) => /count:\w+/.exec(prompt)?.[0])).toEqual(["count:before", "count:kept"]);
  expect(world.said(thread).filter(({ content }) => content.includes("E_JOURNAL_WRITE"))).toHaveLength(1);
});

test.skipIf(!canTrace)("a failing disk is said in the thread whose job it stops, and that job is unknown afterwards", async () => {
  const world = await openWorld();
  const daemon = world.daemon();
  await daemon.ready;
  const thread = await world.session();
  await world.owner(thread).send("hang:");
  await world.agents(1);
  const tracer = await failing(daemon.pid, "fdatasync", "EIO");
  await world.owner(thread).send("count:next");
  await world.saying(thread, (said) => said.some(({ content }) => content.includes("E_JOURNAL_WRITE")));
  expect((await daemon.exited).code).toBe(74);
  tracer.kill("SIGKILL");
  await world.daemon().ready;
  await world.saying(thread, (said) => said.some(({ components }) => JSON.stringify(components).includes("discard:")));
});
