/** The real claude-agent-acp, living: prompt after prompt in one process, cancelled, woken, and what it does by itself. */
import { expect, it, onTestFinished } from "vitest";
import type { Agent, Turn } from "../../../src/agents/contract/agent.ts";
import { openBench } from "../bench.ts";
import { all, only, silentLog, textOf } from "../stage.ts";
import { driverOf } from "./acp-bench.ts";

const { driver, environment, project } = await openBench({
  driver: driverOf(["claude-agent-acp"]),
  env: ({ url }) => ({ ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: "test-key", CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1", CLAUDE_CODE_MAX_RETRIES: "1" }),
  passEnv: [],
});
let openings = 0;

async function open(key: string | null = null): Promise<Agent> {
  openings += 1;
  const agent = await driver.open({ cwd: project, args: [], folders: [], key, env: environment(`agent_${openings}`), log: silentLog });
  onTestFinished(() => agent.close());
  return agent;
}

const say = (agent: Agent, text: string, model?: string): Turn => agent.prompt({ text, counters: null, log: silentLog, ...(model !== undefined && { model }) });

it("takes the next prompt in the same process, also after one was cancelled, and wakes in its conversation", async () => {
  const agent = await open();
  const first = await all(say(agent, "echo:one"));
  const slow = say(agent, "slow:200:50");
  for await (const update of slow.updates) if (update.kind === "text") void slow.cancel();
  expect(textOf(await all(say(agent, "echo:two")))).toBe("two");
  await agent.close();
  const woken = await open(only(first, "session_key").at(-1)?.key ?? "");
  expect(textOf(await all(say(woken, "hist:")))).toContain("echo:one");
});

it("offers its models, and one that is chosen is confirmed", async () => {
  const agent = await open();
  expect(await agent.opened).toBeNull();
  const { model, models = [] } = agent.facts?.() ?? {};
  const other = models.find(({ id }) => id !== model)?.id ?? "";
  expect(models.map(({ id }) => id)).toContain(model);
  expect(await agent.choose?.(other)).toBe(other);
  await expect(agent.choose?.("no-such-model")).rejects.toMatchObject({ code: "E_MODEL_UNAVAILABLE" });
});

it("what it left in the background ends later as a turn of its own", { timeout: 60_000 }, async () => {
  const agent = await open();
  const turn = say(agent, 'call:Bash:{"command":"sleep 2; echo background-finished","run_in_background":true,"description":"bg"}');
  for await (const update of turn.updates) if (update.kind === "permission") void turn.answer(update.id, { kind: "allow", input: update.input });
  for await (const own of agent.between) {
    expect((await all(own)).at(-1)).toMatchObject({ outcome: "done" });
    break;
  }
  expect(textOf(await all(say(agent, "echo:after")))).toBe("after");
});
