/**
 * The real agents that speak ACP, living: prompt after prompt in one process, cancelled, woken, and what they do by
 * themselves.
 */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Agent, Turn } from "../../../src/agents/contract/driver.ts";
import {
  type BenchOptions,
  claudeEnvironment,
  codexConfig,
  geminiSettings,
  openBench,
  opencodeConfig,
} from "../bench.ts";
import { all, only, silentLog, textOf } from "../stage.ts";
import { driverOf } from "./acp-bench.ts";

const write =
  (
    folder: string,
    name: string,
    config: (model: Parameters<NonNullable<BenchOptions["prepare"]>>[0]) => string,
  ): NonNullable<BenchOptions["prepare"]> =>
  async (model, home) => {
    await mkdir(join(home, folder), { recursive: true });
    await writeFile(join(home, folder, name), config(model));
  };

const AGENTS: Record<string, BenchOptions> = {
  "claude-agent-acp": {
    driver: driverOf(["claude-agent-acp"]),
    env: claudeEnvironment,
    passEnv: [],
  },
  "codex-acp": {
    driver: driverOf(["codex-acp"]),
    env: () => ({ CODEX_MOCK_KEY: "test-key" }),
    passEnv: [],
    prepare: write(".codex", "config.toml", (model) => codexConfig(model, "CODEX_MOCK_KEY")),
  },
  "gemini --acp": {
    driver: driverOf(["gemini", "--acp"]),
    env: ({ url }, home) => ({
      GEMINI_API_KEY: "test-key",
      GOOGLE_GEMINI_BASE_URL: url,
      GEMINI_CLI_NO_RELAUNCH: "true",
      NODE_COMPILE_CACHE: join(home, "compiled"),
    }),
    passEnv: ["NODE_COMPILE_CACHE"],
    prepare: write(".gemini", "settings.json", () => geminiSettings),
  },
  opencode: {
    driver: driverOf(["opencode", "acp"]),
    env: () => ({ OPENCODE_DISABLE_AUTOUPDATE: "1", OPENCODE_DISABLE_MODELS_FETCH: "1" }),
    passEnv: ["OPENCODE_DISABLE_*"],
    prepare: write(".config/opencode", "opencode.json", opencodeConfig),
  },
};

describe.each(Object.keys(AGENTS))("%s", async (name) => {
  const { open } = await openBench(AGENTS[name]!);
  const say = (agent: Agent, text: string, model?: string): Turn =>
    agent.prompt({ text, counters: null, log: silentLog, ...(model !== undefined && { model }) });

  it("when it is cancelled, its process lives on and takes the next prompt; put to sleep, it wakes in its conversation, with the model that was chosen", async () => {
    const agent = await open();
    const first = await all(say(agent, "echo:one"));
    const slow = say(agent, "slow:200:50");
    const heard = [];
    for await (const update of slow.updates) {
      heard.push(update);
      if (update.kind === "text") void slow.cancel();
    }
    expect(only(heard, "end")).toMatchObject([{ outcome: "cancelled" }]);
    expect(textOf(await all(say(agent, "echo:two")))).toBe("two");
    const { model: own, models = [] } = agent.facts?.() ?? {};
    const other = models.findLast(({ id }) => id !== own)?.id ?? "";
    expect(await agent.choose?.("model", other)).toBe(other);
    await agent.close();
    const woken = await open(only(first, "session_key").at(-1)?.key ?? "");
    const said = textOf(await all(say(woken, "hist:", other)));
    expect(woken.facts?.().model).toBe(other);
    expect(said).toContain("echo:one");
    expect(said).toContain("echo:two");
  });

  it("offers its models, and one that is chosen is confirmed", async () => {
    const agent = await open();
    expect(await agent.opened).toBeNull();
    const { model, models = [] } = agent.facts?.() ?? {};
    expect(models.map(({ id }) => id)).toContain(model);
    const other = models.findLast(({ id }) => id !== model)?.id ?? "";
    expect(await agent.choose?.("model", other)).toBe(other);
    await expect(agent.choose?.("model", "no-such-model")).rejects.toMatchObject({ code: "E_MODEL_UNAVAILABLE" });
  });

  if (name === "claude-agent-acp")
    it(
      "a command that ends after the answer is reported in an outside turn, and until then it counts as background work",
      { timeout: 60_000 },
      async () => {
        const agent = await open();
        const turn = say(
          agent,
          'call:Bash:{"command":"sleep 2; echo background-finished","run_in_background":true,"description":"bg"}',
        );
        for await (const update of turn.updates)
          if (update.kind === "permission") void turn.answer(update.id, { kind: "allow", input: update.input });
        expect(agent.background).toEqual(["sleep 2; echo background-finished"]);
        for await (const own of agent.between) {
          expect((await all(own)).at(-1)).toMatchObject({ outcome: "done" });
          break;
        }
        expect(agent.background).toEqual([]);
        expect(textOf(await all(say(agent, "echo:after")))).toBe("after");
      },
    );
});
