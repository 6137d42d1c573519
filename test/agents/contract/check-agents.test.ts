/** A trial prompt allows nothing, ends by itself, and leaves nothing behind, whatever the agent does. */
import { theirWords } from "../../../src/base/errors.ts";
import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import type { Agent, Reply, Turn, Driver } from "../../../src/agents/contract/driver.ts";
import { tryPrompt } from "../../../src/agents/contract/found-agents.ts";
import type { Update } from "../../../src/agents/contract/updates.ts";
import { createFakeClock } from "../../fakes/fake-clock.ts";

/** An agent that says these updates and then, if none of them is the end, nothing more until it is cancelled. */
function agentThat(updates: readonly Update[]) {
  const seen = { replies: [] as Reply[], folders: [] as string[], closed: 0 };
  const cancelled = Promise.withResolvers<void>();
  async function* said(): AsyncGenerator<Update> {
    yield* updates;
    if (updates.at(-1)?.kind === "end") return;
    await cancelled.promise;
    yield { kind: "end", outcome: "cancelled" };
  }
  const turn: Turn = {
    process: Promise.resolve(null),
    updates: said(),
    answer: async (_id, reply) => (seen.replies.push(reply), true),
    heardAt: () => 0,
    cancel: async () => cancelled.resolve(),
    over: cancelled.promise,
  };
  const prompted = Promise.withResolvers<void>();
  const agent = {
    prompt: () => (prompted.resolve(), turn),
    close: async () => void (seen.closed += 1),
  } as unknown as Agent;
  const driver = { tool: "claude", open: async ({ cwd }) => (seen.folders.push(cwd), agent) } as Pick<
    Driver,
    "tool" | "open"
  > as Driver;
  return { driver, seen, prompted: prompted.promise };
}

const permission: Update = {
  kind: "permission",
  id: "1",
  tool: "Bash",
  title: "rm",
  input: { command: "rm -rf ." },
  options: [],
};

test("what it asks is denied, and what it says is shown on one line", async () => {
  const { driver, seen } = agentThat([
    permission,
    { kind: "end", outcome: "done", result: "ready\nand more\u001b[2J" },
  ]);
  expect(await tryPrompt(driver, {}, createFakeClock())).toMatchObject({
    verdict: "good",
    says: "doctor.trip",
    args: { tool: "claude", seconds: 0.1 },
  });
  expect(seen.replies).toMatchObject([{ kind: "deny" }]);
  expect(seen.closed).toBe(1);
  expect(seen.folders.filter((folder) => existsSync(folder))).toEqual([]);
});

test("one that says nothing is cancelled after a minute and a half, and closed", async () => {
  const clock = createFakeClock();
  const { driver, seen, prompted } = agentThat([]);
  const found = tryPrompt(driver, {}, clock);
  await prompted;
  await clock.until(() => seen.closed === 1, 90_000);
  expect(await found).toMatchObject({ verdict: "bad", says: "doctor.trip.silent", args: { seconds: 90 } });
});

test("one that asks a question instead is cancelled", async () => {
  const { driver } = agentThat([{ kind: "question", id: "1", questions: [] }]);
  expect(await tryPrompt(driver, {}, createFakeClock())).toMatchObject({ verdict: "bad", says: "doctor.trip.silent" });
});

test("a failure has its own sentence", async () => {
  const { driver } = agentThat([
    { kind: "end", outcome: "failed", code: "E_AGENT_LOGIN", details: { reason: theirWords("no credit") } },
  ]);
  expect(await tryPrompt(driver, {}, createFakeClock())).toMatchObject({
    verdict: "bad",
    says: "E_AGENT_LOGIN",
    args: { tool: "claude", reason: theirWords("no credit") },
  });
});
