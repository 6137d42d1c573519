/**
 * What the owner stops is stopped: its whole process tree, and with a word in the thread; the session and its
 * conversation stay.
 */
import { readdirSync, readFileSync, watch } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { asks, prompted, settled } from "./asked.ts";
import { recorded } from "./workshop.ts";
import { alive, openSession, tree, type Daemon, type World } from "./world.ts";

test.each([[0], [4]])(
  "/cancel stops the agent, says so, and the session continues in the same conversation, where %i agents may idle",
  async (idle_agents) => {
    const { world, thread } = await openSession({ unlimited: true, config: { limits: { idle_agents } } });
    const owner = world.owner(thread);
    const { id } = await owner.send("hang:");
    await world.saying(thread, (said) => said.some(({ content }) => content.includes("I am thinking")));
    const pids = tree(world.agentStarts()[0]?.pid ?? 0);
    expect(pids.length).toBeGreaterThan(0);
    expect((await (await owner.slash("cancel")).answer()).content).toContain("Stopping ");
    await world.marked(id, "🚫");
    // One that may idle was only interrupted.
    if (idle_agents === 0) {
      await recorded(world, ({ type, payload }) => type === "JobProgress" && payload["kind"] === "gone");
      expect(pids.filter(alive)).toEqual([]);
    }
    if (idle_agents > 0) expect(pids.every(alive)).toBe(true);
    await world.saying(thread, (said) => said.some(({ embeds }) => embeds[0]?.description?.startsWith("🚫 cancelled")));
    const next = await owner.send("echo:and on");
    await world.marked(next.id, "✅");
    // What the command was answered stands below what had been said by then, so the rest of it may stand below that.
    await world.saying(thread, (said) =>
      said
        .map(({ content }) => content)
        .join(" ")
        .replace(/\s+/g, " ")
        .trim()
        .match(/^I am thinking (?:-# This is as far as it got\. )?and on$/),
    );
    const [first, second] = world.agentStarts();
    if (idle_agents === 0) expect(second?.resumed).toBeDefined();
    else expect(second?.pid).toBe(first?.pid);
    expect((await (await owner.slash("cancel")).answer()).content).toMatch(/[Nn]othing/);
  },
);

test.each([[0], [4]])(
  "/cancel while the agent asks says of its prompt that the turn is over, not that the agent is gone, where %i agents may idle",
  async (idle_agents) => {
    const session = await asks("may:ls", { config: { limits: { idle_agents } } });
    const prompt = await prompted(session, "Allow once");
    await (await session.world.owner(session.thread).slash("cancel")).answer();
    await session.world.marked(session.id, "🚫");
    expect(await settled(session, prompt)).toContain(
      "The turn in which this was asked is over, so the agent no longer waits for an answer.",
    );
  },
);

/**
 * Everything that the agent wrote stands in the thread and in its file, in order, once the thread says how it ended.
 */
async function kept(world: World, thread: string, end: RegExp): Promise<number> {
  const all = await world.saying(
    thread,
    (said) =>
      said.some(({ embeds }) => end.test(`${embeds[0]?.title} ${embeds[0]?.description}`)) &&
      said.map(({ content }) => content).join(" "),
  );
  const shown = [...all.matchAll(/chunk(\d+)/g)].map(([, number]) => Number(number));
  const [file = ""] = readdirSync(join(world.stateDir, "results")).filter((name) => name.endsWith(".md"));
  const written = readFileSync(join(world.stateDir, "results", file), "utf8").match(/chunk\d+/g) ?? [];
  expect(shown).toEqual(shown.map((_, at) => at + 1));
  expect(written).toEqual(shown.map((number) => `chunk${number}`));
  return shown.length;
}

/** An agent that has said at least so much when it is stopped, and goes on saying more until it is. */
async function speaking(): Promise<{
  world: World;
  thread: string;
  daemon: Daemon;
  isWritten: (count: number) => Promise<void>;
}> {
  const { world, daemon, thread } = await openSession({ unlimited: true });
  await world.owner(thread).send("slow:4000:5");
  const part = join(world.stateDir, "results");
  const isWritten = (count: number): Promise<void> =>
    new Promise((resolve) => {
      const watcher = watch(part, look);
      look();
      function look(): void {
        const [file] = readdirSync(part).filter((name) => name.endsWith(".md.part"));
        if (file === undefined || !readFileSync(join(part, file), "utf8").includes(`chunk${count} `)) return;
        watcher.close();
        resolve();
      }
    });
  return { world, thread, daemon, isWritten };
}

test("what an agent said until /cancel is kept and shown to its last word", async () => {
  const { world, thread, isWritten } = await speaking();
  await isWritten(50);
  await (await world.owner(thread).slash("cancel")).answer();
  expect(await kept(world, thread, /🚫 cancelled/)).toBeGreaterThanOrEqual(50);
});

test.each(["SIGTERM", "SIGKILL"] as const)(
  "what an agent said until the daemon was ended by %s is kept and shown by the next",
  async (signal) => {
    const { world, thread, daemon, isWritten } = await speaking();
    await isWritten(50);
    await daemon.kill(signal);
    await world.daemon().ready;
    expect(await kept(world, thread, /interrupted/i)).toBeGreaterThanOrEqual(50);
  },
);
