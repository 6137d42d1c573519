/** Agents that live between messages: they go on, sleep, wake and die without a trace in their conversation. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { answer, press, prompted, ran, type Asked } from "./asked.ts";
import { journalOf } from "./journal.ts";
import { open, recorded } from "./workshop.ts";
import { ended } from "../ended.ts";
import { alive, crashNotice, openWorld, type AgentStart, type Daemon, type World, type WorldOptions } from "./world.ts";

interface Living extends Asked {
  /** Writes this, and resolves with the start of its agent once it was answered. */
  ask(prompt: string): Promise<AgentStart>;
}

async function living(limits: Record<string, unknown> = {}, options: WorldOptions = {}): Promise<Living> {
  const world = await openWorld({ unlimited: true, config: { limits }, ...options });
  const daemon = world.daemon();
  await daemon.ready;
  return inThread(world, daemon, await world.session());
}

function inThread(world: World, daemon: Daemon, thread: string): Living {
  const ask = async (prompt: string): Promise<AgentStart> => {
    const { id } = await world.owner(thread).send(prompt);
    await world.marked(id, "✅");
    return startOf(world, prompt);
  };
  return { world, daemon, thread, id: "", ask };
}

function startOf(world: World, prompt: string): AgentStart {
  const start = world.agentStarts().findLast((one) => one.prompt.endsWith(prompt));
  if (!start) throw new Error(`no agent was given ${prompt}`);
  return start;
}

const pidOf = ({ pid }: AgentStart): number => pid;

test("the next message needs no new process, and the conversation goes on", async () => {
  const session = await living();
  const first = await session.ask("echo:one");
  const second = await session.ask("hist:");
  expect(second.pid).toBe(first.pid);
  await answer(session, 'HISTORY ["echo:one"]');
});

test("with idle_agents 0 each job has its own process, which is gone with it", async () => {
  const session = await living({ idle_agents: 0 });
  const first = await session.ask("echo:one");
  await recorded(session.world, ({ type, payload }) => type === "JobProgress" && payload["kind"] === "gone");
  expect(alive(first.pid)).toBe(false);
  const second = await session.ask("hist:");
  expect(second.resumed).toBeDefined();
  await answer(session, 'HISTORY ["echo:one"]');
});

describe("an agent sleeps and wakes in its conversation", () => {
  test("after it has idled", async () => {
    const session = await living({ idle_agent_sec: 1 });
    const first = await session.ask("echo:one");
    await ended(first.pid);
    const second = await session.ask("hist:");
    expect(second.resumed).toBeDefined();
    await answer(session, 'HISTORY ["echo:one"]');
  });

  test("when more idle than may, the longest idle first", async () => {
    const session = await living({ idle_agents: 1 });
    const other = inThread(session.world, session.daemon, await session.world.session());
    const first = await session.ask("echo:one");
    const second = await other.ask("echo:two");
    await ended(first.pid);
    expect(alive(second.pid)).toBe(true);
    await session.ask("hist:");
    await answer(session, 'HISTORY ["echo:one"]');
    await ended(second.pid);
  });

  test("when it would be opened differently now", async () => {
    const session = await living();
    const first = await session.ask("echo:one");
    const file = join(session.world.stateDir, "config.json");
    const config = {
      version: 1,
      owner_id: session.world.sandbox.owner.id,
      pass_env: ["XYZ_*"],
      projects: {
        app: {
          name: "app",
          path: session.world.project,
          enabled_tools: ["claude"],
          default_tool: "claude",
          default_args: { claude: ["--model", "opus"] },
          created_at: "2026-02-26T14:00:00.000Z",
          updated_at: "2026-02-26T14:00:00.000Z",
        },
      },
    };
    writeFileSync(file, JSON.stringify(config), { mode: 0o600 });
    await recorded(session.world, ({ type }) => type === "ProjectUpdated");
    const second = await session.ask("hist:");
    expect(second.argv).toContain("opus");
    expect([second.resumed !== undefined, alive(first.pid)]).toEqual([true, false]);
    await answer(session, 'HISTORY ["echo:one"]');
  });

  test("though fifty sessions share four places", { timeout: 300_000 }, async () => {
    const session = await living({ idle_agents: 4, global_max_running: 4 });
    const { world, daemon } = session;
    const threads: Living[] = [];
    for (let number = 0; number < (process.env["BELLHOP_TEST_LONG"] ? 50 : 10); number += 1)
      threads.push(inThread(world, daemon, await world.session()));
    await Promise.all(threads.map((one, number) => one.ask(`echo:first ${number}`)));
    const pids = world.agentStarts().map(pidOf);
    // All but four end; it is not known beforehand which.
    const places = Promise.withResolvers<void>();
    for (const pid of pids) void ended(pid).then(() => (pids.filter(alive).length <= 4 ? places.resolve() : undefined));
    await places.promise;
    for (const [number, one] of threads.entries()) {
      await one.world.owner(one.thread).send("hist:");
      await answer(one, `HISTORY ["echo:first ${number}"]`);
    }
  });
});

/**
 * Eight hours pass at once, for what a process takes for the time and for how long the machine has run, when this file
 * is there.
 */
const night = (file: string): string => `
import { existsSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import os from "node:os";
const { now } = Date, { uptime } = os;
const slept = () => (existsSync(${JSON.stringify(file)}) ? 8 * 3_600 : 0);
Date.now = () => now() + slept() * 1000;
os.uptime = () => uptime() + slept();
syncBuiltinESMExports();
`;

test("a night in which the machine sleeps: what asked still asks, what was written is read once, and agents go on", async () => {
  const world = await openWorld({ unlimited: true, discord: { heartbeatMs: 400 } });
  const [preload, morning] = [join(world.home, "night.mjs"), join(world.home, "morning")];
  writeFileSync(preload, night(morning));
  const daemon = world.daemon({ env: { NODE_OPTIONS: `--import=${preload}` } });
  await daemon.ready;
  const idle = inThread(world, daemon, await world.session());
  const first = await idle.ask("echo:one");
  const asking = inThread(world, daemon, await world.session());
  const { id } = await world.owner(asking.thread).send("may:ls");
  const prompt = await prompted(asking, "Allow once");
  process.kill(daemon.pid, "SIGSTOP");
  await world.sandbox.until(({ violations }) =>
    violations.some(({ kind, code }) => kind === "gateway_close" && code === 4009),
  );
  await world.owner(idle.thread).send("hist:");
  writeFileSync(morning, "");
  process.kill(daemon.pid, "SIGCONT");
  await answer(idle, 'HISTORY ["echo:one"]');
  expect(startOf(world, "hist:").pid).toBe(first.pid);
  await (await world.owner(asking.thread).clickButton(prompt.id, "Allow once")).acknowledged();
  await world.marked(id, "✅");
  expect(ran(asking)).toHaveLength(1);
  expect(world.agentStarts().map((one) => one.prompt)).toEqual(["echo:one", "may:ls", "hist:"]);
  const times = journalOf(world).map(({ ts }) => Date.parse(ts));
  expect(Math.max(...times) - Math.min(...times)).toBeGreaterThan(8 * 3_600_000);
});

describe("an agent that dies", () => {
  test("while it idles is opened anew by the next message", async () => {
    const session = await living();
    const first = await session.ask("echo:one");
    process.kill(first.pid, "SIGKILL");
    await ended(first.pid);
    const second = await session.ask("hist:");
    expect(second.pid).not.toBe(first.pid);
    await answer(session, 'HISTORY ["echo:one"]');
  });

  test("while it asks leaves nothing to press, and the next message is answered", async () => {
    const session = await living();
    await session.ask("echo:one");
    const { id } = await session.world.owner(session.thread).send("may:ls");
    const prompt = await prompted(session, "Allow once");
    const { pid } = startOf(session.world, "may:ls");
    process.kill(pid, "SIGKILL");
    await session.world.marked(id, "❌");
    await session.world.saying(session.thread, (said) =>
      said.some(
        (message) => message.id === prompt.id && !JSON.stringify(message.components ?? []).includes("Allow once"),
      ),
    );
    await session.ask("echo:two");
    await answer(session, "two");
  });

  test("with the prompt in its hands, before it has said a word, is opened anew for the same prompt, once", async () => {
    const session = await living();
    const first = await session.ask("echo:one");
    const second = await session.ask("vanish:");
    expect([second.pid === first.pid, second.resumed !== undefined]).toEqual([false, true]);
  });

  test("as it wakes says so, and the next message wakes it", async () => {
    const session = await living({ idle_agent_sec: 1 });
    const { world, thread } = session;
    const first = await session.ask("echo:one");
    await ended(first.pid);
    const { id } = await world.owner(thread).send("vanish:");
    await world.marked(id, "❌");
    await world.saying(thread, (said) => JSON.stringify(said).includes("E_CLI_EXIT_NONZERO"));
    await session.ask("hist:");
    await answer(session, 'HISTORY ["echo:one"]');
  });

  test("in a resumed conversation that is unknown says so, and the next message begins anew", async () => {
    const session = await living({ idle_agent_sec: 1 });
    const first = await session.ask("echo:one");
    await ended(first.pid);
    const { id } = await session.world.owner(session.thread).send("forget:");
    await session.world.marked(id, "❌");
    await session.world.saying(session.thread, (said) => JSON.stringify(said).includes("E_RESUME_UNKNOWN"));
    expect((await session.ask("echo:two")).resumed).toBeUndefined();
  });
});

test("an agent that never answers an interrupt is ended, and the session goes on", async () => {
  const session = await living({}, { args: ["--deaf"] });
  const { world, thread } = session;
  await session.ask("echo:one");
  const { id } = await world.owner(thread).send("hang:");
  await answer(session, "I am thinking");
  await (await world.owner(thread).slash("cancel")).answer();
  await world.marked(id, "🚫");
  expect(alive(startOf(world, "hang:").pid)).toBe(false);
  const next = await session.ask("hist:");
  expect(next.resumed).toBeDefined();
});

describe("when the daemon ends", () => {
  test("in order, its idle agents end before it", async () => {
    const session = await living();
    const { pid } = await session.ask("echo:one");
    void session.daemon.kill("SIGTERM");
    await session.daemon.exited;
    expect(alive(pid)).toBe(false);
  });

  test.each([
    ["idles", "echo:one"],
    ["works", "hang:"],
    ["asks", "may:ls"],
  ])(
    "by SIGKILL while an agent %s, none of it is left, and the conversation goes on after the start",
    async (_what, prompt) => {
      const session = await living();
      const { world, thread } = session;
      await session.ask("echo:first");
      if (prompt === "echo:one") await session.ask(prompt);
      else await world.owner(thread).send(prompt);
      await world.agents(2);
      if (prompt === "may:ls") await prompted(session, "Allow once");
      const { pid } = startOf(world, prompt);
      await session.daemon.kill("SIGKILL");
      const daemon = world.daemon();
      await daemon.ready;
      expect(alive(pid)).toBe(false);
      // Only what is written below the notice lets the queue go on.
      if (prompt !== "echo:one") await world.saying(thread, crashNotice);
      const { id } = await world.owner(thread).send("hist:");
      await world.marked(id, "✅");
      await answer(session, "HISTORY");
      expect(startOf(world, "hist:").resumed).toBeDefined();
    },
  );
});

describe("an agent that begins in a mode in which it does not ask", () => {
  test("is set back, which is said, and asks", async () => {
    const session = await living({}, { args: ["--loose", "auto"] });
    const { world, thread } = session;
    const { id } = await world.owner(thread).send("until:told");
    await world.saying(thread, (said) => JSON.stringify(said).includes("The agent switched to its mode `auto`"));
    open(world, "told");
    await world.marked(id, "✅");
    const { id: next } = await world.owner(thread).send("may:ls");
    await press(session, "Allow once");
    await world.marked(next, "✅");
  });

  test("and cannot be set back is stopped, and its thread says why", async () => {
    const session = await living({}, { args: ["--loose", "bypassPermissions", "--stubborn"] });
    const { id } = await session.world.owner(session.thread).send("hang:");
    await session.world.marked(id, "❌");
    await session.world.saying(session.thread, (said) =>
      /mode bypassPermissions.*could not be set back.*E_AGENT_UNGUARDED/.test(JSON.stringify(said)),
    );
    await ended(startOf(session.world, "hang:").pid);
  });
});

test("/status shows that none is open, and the one that is", async () => {
  const session = await living();
  const { world, thread } = session;
  const embed = async (): Promise<string> =>
    (await (await world.owner(thread).slash("status")).answer()).embeds[0]?.description ?? "";
  expect(await embed()).toMatch(/^No agent is open in this thread\./);
  await session.ask("echo:one");
  expect(await embed()).toMatch(
    new RegExp(`^💤 \\*\\*claude\\*\\* <#${thread}> · idle · opened <t:\\d+:R> · \\d+ MB$`),
  );
});

test("a permission is asked and answered in the second job of one process as in the first", async () => {
  const session = await living();
  for (const command of ["ls one", "ls two"]) {
    const { id } = await session.world.owner(session.thread).send(`may:${command}`);
    await press(session, "Allow once");
    await session.world.marked(id, "✅");
  }
  expect(new Set(session.world.agentStarts().map(pidOf)).size).toBe(1);
});
