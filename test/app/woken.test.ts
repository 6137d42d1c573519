/**
 * Who looks at the state again when something changes: a message that waits behind a running job is nothing to whoever
 * runs agents, and a token count is nothing to anybody. In the whole daemon, in this process.
 */
import { setImmediate } from "node:timers/promises";
import { expect, onTestFinished, test, vi } from "vitest";
import { openApp } from "../../src/app/main.ts";
import { loadSettings } from "../../src/config/settings.ts";
import type { Command } from "../../src/core/slices.ts";
import type * as engines from "../../src/engine/engine.ts";
import { learnt } from "../flows/workshop.ts";
import { openWorld } from "../flows/world.ts";

/** The watchers that were called, each with its file. */
const woken = new Map<symbol, string>();
let engine: engines.Engine;

vi.mock("../../src/engine/engine.ts", async (importOriginal) => {
  const original = await importOriginal<typeof engines>();
  return {
    ...original,
    async openJournaledEngine(options: engines.JournaledOptions) {
      const opened = await original.openJournaledEngine(options);
      engine = opened.engine;
      const { watch, until } = engine;
      Object.assign(engine, {
        watch(kinds: Parameters<typeof watch>[0], watcher: engines.Watcher) {
          const wake = waker();
          return watch(kinds, (topics) => (wake(), watcher(topics)));
        },
        until(fact: Parameters<typeof until>[0], kinds: Parameters<typeof until>[1]) {
          const wake = waker();
          let looks = 0;
          return until((state) => {
            if (looks > 0) wake();
            looks += 1;
            return fact(state);
          }, kinds);
        },
      });
      return opened;
    },
  };
});

/** Called where something begins to watch: whose file that is, stands in the stack. */
function waker(): () => void {
  const at = /\/src\/(?!engine\/(?:engine|reconcile))([^:]+)/.exec(new Error().stack ?? "");
  const id = Symbol();
  return () => void woken.set(id, at?.[1] ?? "");
}

vi.mock("../../src/app/ground.ts", async (importOriginal) => ({
  ...(await importOriginal<object>()),
  version: () => "0",
}));

test("only what a change concerns is looked at again", async () => {
  const world = await openWorld({ unlimited: true });
  const app = await openApp({
    settings: loadSettings(world.env, world.home),
    env: world.env,
    umask: 0o077,
    stderr: { write: () => true },
  });
  onTestFinished(() => app.close());
  await app.ready;
  const thread = await world.session();
  const first = await world.owner(thread).send("stall:gate");
  await world.marked(first.id, "⚙️");
  for (const kind of ["process", "checkout", "session_key"]) await learnt(world, kind);
  // What is in the journal is also in the state now.
  await engine.submit({ type: "start_waiting" });
  await setImmediate();

  const wakes = async (command: Command): Promise<string[]> => {
    woken.clear();
    await engine.submit(command);
    await Promise.resolve();
    return [...woken.values()].sort();
  };
  const written = { discord_message_id: `${BigInt(first.id) + 1n}`, prompt: "next", files: [], refused_files: [] };
  expect(await wakes({ type: "hear", thread_id: thread, reply_to: null, ...written })).toEqual([
    "agents/live/living-agents.ts",
    "discord/delivery/reactions.ts",
    "discord/delivery/sync-posts.ts",
    "discord/threads/thread-upkeep.ts",
  ]);
  const told = { context: { used: 5, size: 9 } };
  expect(await wakes({ type: "note_told", thread_id: thread, tool: "claude", told })).toEqual([
    "agents/live/living-agents.ts",
  ]);
  const job_id = engine.state.sessions[thread]?.running_job_id ?? "";
  const end = { result_excerpt: "", result_sha256: null, model: null, usage: null };
  expect(await wakes({ type: "complete", job_id, ...end })).toEqual([
    "agents/live/living-agents.ts",
    "agents/run/runner.ts",
    "agents/run/worktrees/put-away.ts",
    "app/windows.ts",
    "discord/bot-posts.ts",
    "discord/bot-posts.ts",
    "discord/delivery/live-stream.ts",
    "discord/delivery/reactions.ts",
    "discord/delivery/sync-posts.ts",
    "discord/intake/listener.ts",
    "ipc/tail.ts",
  ]);
});
