/** The real Gemini CLI over ACP, at the driver. */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type BenchOptions, geminiSettings, onFirst, openBench, programOf } from "../bench.ts";
import { only } from "../stage.ts";
import { actsIn, asksAnyway, driverOf, keepsTheContract } from "./acp-bench.ts";

const options = (...more: string[]): BenchOptions => ({
  driver: driverOf(["gemini", "--acp", ...more]),
  env: ({ url }, home) => ({
    GEMINI_API_KEY: "test-key",
    GOOGLE_GEMINI_BASE_URL: url,
    GEMINI_CLI_NO_RELAUNCH: "true",
    NODE_COMPILE_CACHE: join(home, "compiled"),
  }),
  passEnv: ["NODE_COMPILE_CACHE"],
  prepare: (_, home) => furnish(home),
});

/** `own`: what its owner has set. */
async function furnish(home: string, own: { general?: object } = {}): Promise<void> {
  const settings = JSON.parse(geminiSettings) as { general: object };
  await mkdir(join(home, ".gemini"));
  await writeFile(
    join(home, ".gemini", "settings.json"),
    JSON.stringify({ ...settings, general: { ...settings.general, ...own.general } }),
  );
}

const bench = await openBench(options());

describe("gemini --acp", () => {
  it("is found, in the version that is pinned", async () => {
    expect(await bench.driver.probe()).toMatchObject({
      found: true,
      path: programOf("gemini"),
      version: "0.61.0",
      tried: true,
    });
  });

  keepsTheContract(bench, { cut: { outcome: "failed" } });

  it("edits a file only once exactly that was shown and allowed", async () => {
    const { updates } = await bench.ask(
      `call:write_file:${JSON.stringify({ file_path: join(bench.project, "made.txt"), content: "the whole text" })}`,
      { on: onFirst("permission", (run) => void run.answer("acp-1", { kind: "allow", input: {} })) },
    );
    expect(JSON.stringify(only(updates, "permission")[0]?.input)).toContain("the whole text");
    expect(actsIn(updates, bench.project)).toEqual([{ verb: "create", object: "made.txt" }]);
    expect(await readFile(join(bench.project, "made.txt"), "utf8")).toBe("the whole text");
  });

  it("goes on where its session was, also within the minute", async () => {
    const { key } = await bench.ask("echo:remember this");
    const { end } = await bench.ask("hist:", { key: key! });
    expect(end).toMatchObject({ outcome: "done", result: expect.stringContaining("echo:remember this") as string });
  });
});

describe("gemini --acp that is told not to ask", async () => {
  asksAnyway(await openBench(options("--approval-mode=yolo")), "tool:bash:touch by-settings", { reopened: 1 });
});

describe("gemini --acp whose owner prefers that it edits", async () => {
  const own = await openBench({
    ...options(),
    prepare: (_, home) => furnish(home, { general: { defaultApprovalMode: "auto_edit" } }),
  });
  asksAnyway(own, `call:write_file:${JSON.stringify({ file_path: join(own.project, "by-settings"), content: "x" })}`, {
    reopened: 0,
  });
});

describe("gemini --acp that is not logged in", async () => {
  const nobody = await openBench({ ...options(), env: () => ({ GEMINI_CLI_NO_RELAUNCH: "true" }) });

  it("says how to log in", async () => {
    expect((await nobody.ask("echo:x")).end).toMatchObject({
      outcome: "failed",
      code: "E_AGENT_LOGIN",
      details: { login: "gemini" },
    });
  });
});
