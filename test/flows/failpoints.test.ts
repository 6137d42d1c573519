/**
 * The daemon is killed at every step of a message's way: before each sync, each rename and each write to the outside,
 * counted by the kernel's own tracer, so that no step is left out because nobody thought of it. Whatever step it was,
 * the message is answered once, or its job is unknown and says so; nothing is lost and nothing is done twice.
 */
import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { crashNotice, openWorld, type World } from "./world.ts";

const calls = ["fdatasync", "fsync", "rename", "write", "writev"] as const;
type Call = (typeof calls)[number];
const long = process.env["BELLHOP_TEST_LONG"] !== undefined;
const canTrace = existsSync("/usr/bin/strace");
if (!canTrace) process.stderr.write("No failpoint is tried: there is no /usr/bin/strace (Debian: apt-get install strace).\n");

/** A tracer around the daemon itself, not its children; one thread does all the file work, so that steps can be counted. */
function tracer(world: World, options: string[]): { prefix: string[]; env: Record<string, string> } {
  const token = join(world.home, "token");
  writeFileSync(token, world.sandbox.botToken, { mode: 0o600 });
  return {
    // The tracer is the daemon's grandchild (-D), so that what is killed and watched is the daemon itself.
    prefix: ["/usr/bin/strace", "-D", "-f", "-b", "execve", ...options],
    // With the token in a file the daemon has no reason to replace its image, which would end the tracing.
    env: { UV_THREADPOOL_SIZE: "1", DISCORD_BOT_TOKEN: "", DISCORD_TOKEN_FILE: token },
  };
}

/** A world with a session, and its daemon stopped in order. */
async function ready(): Promise<{ world: World; thread: string }> {
  // A snapshot on the way, because that is where files are renamed.
  const world = await openWorld({ config: { limits: { snapshot_every_events: 1 } } });
  const first = world.daemon();
  await first.ready;
  const thread = await world.session();
  await first.kill("SIGTERM");
  return { world, thread };
}

/** A step that waits for something which never comes fails by its name, and not as a test that is still running. */
async function tooLong(call: Call, nth: number): Promise<never> {
  await once(AbortSignal.timeout(60_000), "abort");
  throw new Error(`killed at ${call} ${nth}, the daemon's next life did not get to the end`);
}

/** How often at the most one thread of the daemon makes each call on the way of one message. */
async function count(): Promise<Record<Call, number>> {
  const { world, thread } = await ready();
  const log = join(world.home, "trace.log");
  const { prefix, env } = tracer(world, ["-o", log, "-e", `trace=${calls.join(",")}`]);
  const daemon = world.daemon({ prefix, env });
  const { id } = await world.owner(thread).send("count:once");
  await world.saying(thread, (said) => said.some(({ content }) => content === "did once"));
  await world.marked(id, "✅");
  await daemon.kill("SIGTERM");
  const lines = readFileSync(log, "utf8").split("\n");
  await world.close();
  const most = (call: Call): number => {
    const threads = new Map<string, number>();
    for (const line of lines) {
      const [, tid = "", name] = /^(\d+) +(\w+)\(/.exec(line) ?? [];
      if (name === call) threads.set(tid, (threads.get(tid) ?? 0) + 1);
    }
    return Math.max(0, ...threads.values());
  };
  return Object.fromEntries(calls.map((call) => [call, most(call)])) as Record<Call, number>;
}

/** Kills the daemon as it makes the call for the n-th time, starts it again, and sees that all is well. */
async function killAt(call: Call, nth: number): Promise<"killed" | "done"> {
  const { world, thread } = await ready();
  const { prefix, env } = tracer(world, ["-o", "/dev/null", "-e", `trace=${call}`, "-e", `inject=${call}:signal=SIGKILL:when=${nth}`]);
  const daemon = world.daemon({ prefix, env });
  const { id } = await world.owner(thread).send("count:once");
  const end = await Promise.race([daemon.exited.then(() => "killed" as const), world.marked(id, "✅").then(() => "done" as const)]);
  if (end === "done") await daemon.kill("SIGKILL");
  await world.daemon().ready;
  // Not by what the thread shows: words that were streamed before the end may stand there as if they were the answer.
  const fate = await Promise.race([world.marked(id, "✅").then(() => "answered" as const), world.marked(id, "❓").then(() => "unknown" as const)]);
  if (fate === "unknown") await world.owner(thread).clickButton(await world.saying(thread, (said) => crashNotice(said)?.id), "Discard");
  await world.owner(thread).send("count:after");
  await world.saying(thread, (said) => said.some(({ content }) => content === "did after"));
  const at = `${call} ${nth}`;
  const prompts = world.agentStarts().map(({ prompt }) => /count:\w+/.exec(prompt)?.[0]);
  const did = readFileSync(join(world.project, "done.txt"), "utf8").split("\n");
  const contents = world.said(thread).map(({ content }) => content);
  expect(prompts.filter((prompt) => prompt === "count:once").length, at).toBeLessThanOrEqual(1);
  expect(prompts.filter((prompt) => prompt === "count:after"), at).toHaveLength(1);
  expect(did.filter((line) => line === "once").length, at).toBeLessThanOrEqual(1);
  expect(contents.filter((content) => content === "did after"), at).toHaveLength(1);
  if (fate === "answered") expect(contents.filter((content) => content === "did once"), at).toHaveLength(1);
  expect(world.said(thread).filter((said) => crashNotice([said])), at).toHaveLength(0);
  await world.close();
  return end;
}

/** One run has a few steps more than another; when so many were through before the step came, the way has ended. */
const PAST_THE_END = long ? 40 : 3;

test.skipIf(!canTrace).each(calls)(
  "killed at every %s, nothing is lost and nothing is done twice",
  async (call) => {
    const most = (await count())[call];
    let killed = 0;
    for (let round = 0; round < (long ? 5 : 1); round += 1) {
      let through = 0;
      for (let nth = 1; nth <= most && through < PAST_THE_END; nth += 1) {
        const end = await Promise.race([killAt(call, nth), tooLong(call, nth)]);
        if (end === "killed") killed += 1;
        else through += 1;
      }
    }
    // The tracer did its work: there were such steps, and the daemon died at them.
    expect(killed).toBeGreaterThan(0);
  },
  (long ? 60 : 15) * 60_000,
);
