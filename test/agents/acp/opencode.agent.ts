/** The real OpenCode over ACP, at the driver. */
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type BenchOptions, onFirst, opencodeConfig, openBench, programOf } from "../bench.ts";
import { only } from "../stage.ts";
import { actsIn, asksAnyway, driverOf, goesOn, keepsTheContract, tellsCosts } from "./acp-bench.ts";

/** `own`: what its owner has set. */
const options = (own: object = {}): BenchOptions => ({
  driver: driverOf(["opencode", "acp"]),
  env: () => ({ OPENCODE_DISABLE_AUTOUPDATE: "1", OPENCODE_DISABLE_MODELS_FETCH: "1" }),
  passEnv: [],
  async prepare(model, home) {
    await mkdir(join(home, ".config", "opencode"), { recursive: true });
    await writeFile(join(home, ".config", "opencode", "opencode.json"), opencodeConfig(model, own));
  },
});

const bench = await openBench(options());

describe("opencode acp", () => {
  it("is found, in the version that is pinned", async () => {
    expect(await bench.driver.probe()).toMatchObject({
      found: true,
      path: programOf("opencode"),
      version: "1.18.33",
      tried: true,
    });
  });

  keepsTheContract(bench, { cut: null });
  goesOn(bench);
  tellsCosts(bench);

  it("edits a file only once exactly that was shown and allowed", async () => {
    const { updates } = await bench.ask(
      `call:write:${JSON.stringify({ filePath: join(bench.project, "made.txt"), content: "the whole text" })}`,
      { on: onFirst("permission", (run) => void run.answer("acp-1", { kind: "allow", input: {} })) },
    );
    expect(JSON.stringify(only(updates, "permission")[0]?.input)).toContain("the whole text");
    expect(actsIn(updates, bench.project)).toEqual([{ verb: "write", object: "made.txt" }]);
    expect(await readdir(bench.project)).toContain("made.txt");
  });
});

describe("opencode acp that is told not to ask, by its own mode, its permissions and those of a mode", async () => {
  const own = {
    default_agent: "mine",
    permission: { bash: "ask", "*": "allow" },
    agent: {
      mine: { mode: "primary", permission: { "*": "allow" } },
      build: { permission: { bash: { "*": "allow" }, "*": "allow" } },
    },
  };
  asksAnyway(await openBench(options(own)), "tool:bash:touch by-settings");
});
