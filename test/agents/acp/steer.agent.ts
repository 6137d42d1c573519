/**
 * The real agents that can be spoken to while they are at a turn: they take that up in it, once, and end both as one.
 */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Prompt, Steered, Turn } from "../../../src/agents/contract/driver.ts";
import type { Update } from "../../../src/agents/contract/updates.ts";
import { type BenchOptions, claudeEnvironment, codexConfig, openBench } from "../bench.ts";
import { all, only, silentLog } from "../stage.ts";
import { driverOf } from "./acp-bench.ts";

const agents: Record<string, BenchOptions> = {
  "claude-agent-acp": {
    driver: driverOf(["claude-agent-acp"]),
    env: claudeEnvironment,
    passEnv: [],
  },
  "codex-acp": {
    driver: driverOf(["codex-acp"]),
    env: () => ({ CODEX_MOCK_KEY: "test-key" }),
    passEnv: [],
    async prepare(model, home) {
      await mkdir(join(home, ".codex"));
      await writeFile(join(home, ".codex", "config.toml"), codexConfig(model, "CODEX_MOCK_KEY"));
    },
  },
};

const prompt = (text: string): Prompt => ({ text, counters: null, log: silentLog });

describe.each(Object.keys(agents))("%s, spoken to at a turn", async (name) => {
  const { left, model, open } = await openBench(agents[name]!);
  /** How often these words are in what the model was last asked. */
  const timesAsked = (words: string): number => JSON.stringify(model.asked.at(-1)?.body).split(words).length - 1;

  /** Says these words once the turn speaks. */
  async function speaking(
    turn: Turn,
    words: string,
    then: () => void = () => undefined,
  ): Promise<{ updates: Update[]; steered: Steered }> {
    const updates: Update[] = [];
    let steered: Promise<Steered> | null = null;
    for await (const update of turn.updates) {
      updates.push(update);
      if (update.kind !== "text" || steered !== null) continue;
      steered = turn.steer!(prompt(words));
      void steered.then(then);
    }
    return { updates, steered: await steered! };
  }

  it("takes it up in its running answer, once, and then takes the next prompt", async () => {
    const agent = await open();
    const turn = agent.prompt(prompt("slow:40:50"));
    const { updates, steered } = await speaking(turn, "echo:mind the quinces");
    expect(steered).toEqual({ kind: "taken", by: turn });
    expect(updates.at(-1)).toMatchObject({
      kind: "end",
      outcome: "done",
      result: expect.stringContaining("mind the quinces") as string,
    });
    expect(timesAsked("echo:mind the quinces")).toBe(1);
    const next = (await all(agent.prompt(prompt("hist:")))).at(-1);
    expect(next).toMatchObject({ outcome: "done", result: expect.stringContaining("echo:mind the quinces") as string });
  });

  it("never has it twice when it was killed after that and is resumed", async () => {
    const agent = await open();
    const { updates } = await speaking(agent.prompt(prompt("slow:200:50")), "echo:mind the medlars", () =>
      process.kill(agent.process!.pid, "SIGKILL"),
    );
    await agent.gone;
    const again = await open(only(updates, "session_key").at(-1)?.key ?? "");
    expect((await all(again.prompt(prompt("echo:again")))).at(-1)).toMatchObject({ outcome: "done", result: "again" });
    expect(timesAsked("echo:mind the medlars")).toBeLessThanOrEqual(1);
  });

  it("is given nothing more when the turn is over or was stopped", async () => {
    const agent = await open();
    const over = agent.prompt(prompt("echo:one"));
    await all(over);
    expect(await over.steer?.(prompt("echo:too late"))).toEqual({ kind: "refused" });
    const stopped = agent.prompt(prompt("slow:200:50"));
    let steered: Promise<Steered> | undefined;
    for await (const update of stopped.updates) {
      if (update.kind !== "text" || steered) continue;
      void stopped.cancel();
      steered = stopped.steer?.(prompt("echo:too late"));
    }
    expect(await steered).toEqual({ kind: "refused" });
    expect(JSON.stringify(model.asked)).not.toContain("too late");
  });

  it("has left nothing running", () => expect(left()).toEqual([]));
});
