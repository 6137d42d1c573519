/**
 * What our codes for a broken adapter mean, for each agent by one of its true streams: cut off before its result, with
 * its last line torn, without its session key. Each of them exits as if all were well.
 */
import { describe, expect, it } from "vitest";
import { claudeDriver } from "../../../src/agents/claude/driver.ts";
import { codexDriver } from "../../../src/agents/codex/driver.ts";
import { geminiDriver } from "../../../src/agents/gemini/driver.ts";
import { all, only, openStage, say } from "../stage.ts";
import { linesOf } from "../streams.ts";

const agents = [
  { tool: "claude", stream: "new", stage: await openStage("claude", claudeDriver), read: "read prompt" },
  { tool: "codex", stream: "new-skipgit", stage: await openStage("codex", codexDriver), read: "cat > /dev/null" },
  {
    tool: "gemini",
    stream: "new",
    stage: await openStage("gemini", (options) => geminiDriver({ ...options, output: () => "stream-json" })),
    read: "cat > /dev/null",
  },
];

describe.each(agents)("$tool", ({ tool, stream, stage, read }) => {
  const lines = linesOf(tool, stream);
  const last = lines.at(-1) ?? "";

  async function endOf(script: string): Promise<unknown> {
    const { run } = await stage.play(`${read}; ${script}`);
    const updates = await all(run);
    await run.over;
    expect(only(updates, "end")).toHaveLength(1);
    return updates.at(-1);
  }

  it("with its whole stream is done, words between the lines or not", async () => {
    const words = ["Loaded cached credentials.", "[notice] not a line", ""];
    expect(await endOf(say(...lines.flatMap((line) => [...words, line])))).toMatchObject({
      outcome: "done",
      result: "hello",
    });
  });

  it("that ends before its result: E_ADAPTER_MISSING_RESULT", async () => {
    expect(await endOf(say(...lines.slice(0, -1)))).toMatchObject({
      outcome: "failed",
      code: "E_ADAPTER_MISSING_RESULT",
      details: { exit_code: 0 },
    });
  });

  it("whose result is torn: E_ADAPTER_PARSE", async () => {
    const torn = last.slice(0, last.length / 2);
    expect(await endOf(say(...lines.slice(0, -1), torn))).toMatchObject({
      outcome: "failed",
      code: "E_ADAPTER_PARSE",
      details: { exit_code: 0 },
    });
  });

  it.each([
    [
      "too long",
      "long",
      (whole: string) => `printf '%s' '${whole.slice(0, -1)},"x":"'; head -c 9000000 /dev/zero | tr '\\0' x; echo '"}'`,
    ],
    [
      "nested too deeply",
      "deep",
      (whole: string) =>
        `printf '%s' '${whole.slice(0, -1)},"x":'; head -c 500 /dev/zero | tr '\\0' '['; head -c 500 /dev/zero | tr '\\0' ']'; echo '}'`,
    ],
  ])("whose result is %s: E_LINE_REFUSED, told once before it", async (_how, why, script) => {
    const { run } = await stage.play(`${read}; ${say(...lines.slice(0, -1))}\n${script(last)}`);
    const updates = await all(run);
    await run.over;
    const [left] = only(updates, "left_out");
    expect([left?.why, only(updates, "left_out").length]).toEqual([why, 1]);
    expect(updates.at(-1)).toMatchObject({
      outcome: "failed",
      code: "E_LINE_REFUSED",
      details: { bytes: left?.bytes, exit_code: 0 },
    });
  });

  it("that never names its session: E_ADAPTER_SESSION_KEY_MISSING", async () => {
    const nameless = lines
      .filter((line) => !/"type":"(?:init|thread\.started)"/.test(line))
      .map((line) => line.replace(/"session_id":"[^"]*",?/, ""));
    expect(await endOf(say(...nameless))).toMatchObject({
      outcome: "failed",
      code: "E_ADAPTER_SESSION_KEY_MISSING",
      details: { tool },
    });
  });
});
