/**
 * What our codes for a broken adapter mean, for each agent by one of its true streams: cut off before its result, with
 * its last line torn, without its session key. Each of them exits as if all were well.
 */
import { describe, expect, it } from "vitest";
import { claudeDriver } from "../../src/agents/claude/driver.ts";
import { codexDriver } from "../../src/agents/codex/driver.ts";
import { geminiDriver } from "../../src/agents/gemini/driver.ts";
import { all, only, openStage, say } from "./stage.ts";
import { linesOf } from "./streams.ts";

const agents = [
  { tool: "claude", stream: "new", stage: await openStage("claude", claudeDriver), read: "read prompt" },
  { tool: "codex", stream: "new-skipgit", stage: await openStage("codex", codexDriver), read: "cat > /dev/null" },
  { tool: "gemini", stream: "new", stage: await openStage("gemini", (options) => geminiDriver({ ...options, output: () => "stream-json" })), read: "cat > /dev/null" },
];

describe.each(agents)("$tool", ({ tool, stream, stage, read }) => {
  const lines = linesOf(tool, stream);
  const last = lines.at(-1) ?? "";

  async function endOf(script: string): Promise<unknown> {
    const { run } = await stage.play(`${read}; ${script}`);
    const updates = await all(run);
    await run.gone;
    expect(only(updates, "end")).toHaveLength(1);
    return updates.at(-1);
  }

  it("with its whole stream is done, words between the lines or not", async () => {
    const words = ["Loaded cached credentials.", "[notice] not a line", ""];
    expect(await endOf(say(...lines.flatMap((line) => [...words, line])))).toMatchObject({ outcome: "done", result: "hello" });
  });

  it("that ends before its result: E_ADAPTER_MISSING_RESULT", async () => {
    expect(await endOf(say(...lines.slice(0, -1)))).toMatchObject({ outcome: "failed", code: "E_ADAPTER_MISSING_RESULT", details: { exit_code: 0 } });
  });

  it("whose result is torn: E_ADAPTER_PARSE", async () => {
    const torn = last.slice(0, last.length / 2);
    expect(await endOf(say(...lines.slice(0, -1), torn))).toMatchObject({ outcome: "failed", code: "E_ADAPTER_PARSE", details: { exit_code: 0 } });
  });

  it("that never names its session: E_ADAPTER_SESSION_KEY_MISSING", async () => {
    const nameless = lines.filter((line) => !/"type":"(?:init|thread\.started)"/.test(line)).map((line) => line.replace(/"session_id":"[^"]*",?/, ""));
    expect(await endOf(say(...nameless))).toMatchObject({ outcome: "failed", code: "E_ADAPTER_SESSION_KEY_MISSING", details: { tool } });
  });
});
