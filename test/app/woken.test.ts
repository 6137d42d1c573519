/**
 * Who looks at the state again when something changes: a message that waits behind a running job concerns few, and a
 * token count hardly anybody. In the whole daemon, in this process.
 */
import { setImmediate } from "node:timers/promises";
import { expect, onTestFinished, test, vi } from "vitest";
import { openApp } from "../../src/app/main.ts";
import { loadSettings } from "../../src/config/settings.ts";
import { emptyState, type State } from "../../src/core/state.ts";
import { changeOf, evolve } from "../../src/core/evolve.ts";
import type { Kind } from "../../src/core/slice.ts";
import { openOf } from "../../src/core/decisions/decision.ts";
import { jobsBeingSent } from "../../src/core/jobs/sending.ts";
import { workersIn } from "../../src/core/jobs/job-or-turn.ts";
import { isTakenBack } from "../../src/core/jobs/run.ts";
import { wantedIn } from "../../src/discord/delivery/reactions.ts";
import { view } from "../discord/seen.ts";
import { decisionHistory, history, recorded, sendingHistory, THREADS } from "../core/history.ts";
import type { Command } from "../../src/core/slices.ts";
import type * as engines from "../../src/engine/engine.ts";
import { wantedTag } from "../../src/discord/threads/post-tags.ts";
import { learnt } from "../flows/workshop.ts";
import type { Scene } from "../core/scene.ts";
import { openWorld } from "../flows/world.ts";

/** The watchers that were called, each with its file. */
const woken = new Map<symbol, string>();
/** What the watchers of each file name. */
const named = new Map<string, ReadonlySet<Kind>>();
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
          const wake = waker(kinds);
          return watch(kinds, (topics) => (wake(), watcher(topics)));
        },
        until(fact: Parameters<typeof until>[0], kinds: Parameters<typeof until>[1]) {
          const wake = waker(kinds);
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
function waker(kinds: readonly Kind[] = []): () => void {
  const [, file = ""] = /\/src\/(?!engine\/(?:engine|reconcile))([^:]+)/.exec(new Error().stack ?? "") ?? [];
  const id = Symbol();
  named.set(file, new Set([...(named.get(file) ?? []), ...kinds]));
  return () => void woken.set(id, file);
}

vi.mock("../../src/host/installed.ts", async (importOriginal) => ({
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
    "discord/threads/post-tags.ts",
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
    "agents/run/windows.ts",
    "agents/run/worktrees/put-away.ts",
    "discord/bot-posts.ts",
    "discord/bot-posts.ts",
    "discord/delivery/live-stream.ts",
    "discord/delivery/reactions.ts",
    "discord/delivery/sync-posts.ts",
    "discord/intake/listener.ts",
    "discord/threads/post-tags.ts",
    "ipc/tail.ts",
  ]);
});

/** What whoever watches would do otherwise than before, by the file that does it. */
const facts: Readonly<Record<string, (state: State, threadId: string) => unknown>> = {
  "discord/delivery/sync-posts.ts": (state, threadId) => view({ state } as Scene, {}, threadId),
  "discord/delivery/reactions.ts": (state, threadId) => [...wantedIn(state, threadId)],
  "discord/delivery/live-stream.ts": (state, threadId) => workersIn(state, threadId),
  "discord/bot-posts.ts": (state, threadId) =>
    workersIn(state, threadId).filter((id) => openOf(state, id).length === 0),
  "agents/run/runner.ts": (state, threadId) => {
    const { threads, jobs, runs } = state;
    const busy = threads[threadId]?.busy_job ?? "";
    const sent = jobsBeingSent(state, threadId).map((id) => [id, isTakenBack(runs[id])]);
    return [busy, jobs[busy]?.state === "running", runs[busy]?.cancelling, sent];
  },
  "agents/run/starts.ts": ({ threads, sessions }, threadId) => {
    const { window, closed } = threads[threadId] ?? {};
    return [window, closed, sessions[threadId]?.tool];
  },
  // It starts what ends a wait for a limit.
  "app/main.ts": ({ threads }, threadId) => threads[threadId]?.wait,
  "agents/run/windows.ts": ({ windows, threads }, threadId) => [windows[threadId], threads[threadId]?.busy_job != null],
  "engine/decision-expiry.ts": ({ decisions }, threadId) =>
    Object.values(decisions)
      .filter(({ thread_id }) => thread_id === threadId)
      .map((one) => [one.state, one.lapses_at, one.state === "answered" && one.revocable]),
  "discord/intake/listener.ts": ({ threads }, threadId) => threads[threadId]?.stale,
  "discord/threads/post-tags.ts": wantedTag,
};

test.each([
  ["in every history", history],
  ["where much is sent into what runs", sendingHistory],
  ["where much is asked", decisionHistory],
])("nothing that a watcher acts on changes by another kind than it names: %s", (_where, over) => {
  expect(Object.keys(facts).filter((file) => !named.has(file))).toEqual([]);
  recorded((events) => {
    const state = emptyState();
    const seen = (): [string, string][] =>
      Object.entries(facts).flatMap(([file, fact]) =>
        THREADS.map((threadId): [string, string] => [`${file} ${threadId}`, JSON.stringify(fact(state, threadId))]),
      );
    let before = new Map(seen());
    for (const event of events) {
      evolve(state, event);
      const { kind } = changeOf(state, event);
      const after = seen();
      for (const [name, is] of after)
        if (before.get(name) !== is)
          expect([name, event.type, named.get(name.split(" ")[0] ?? "")?.has(kind)]).toEqual([name, event.type, true]);
      before = new Map(after);
    }
  }, over);
});
