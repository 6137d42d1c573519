/**
 * `bellhop doctor --round-trip` with the real agents: each answers through its own program, whose model is on loopback.
 */
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openModel } from "../fakes/model/model.ts";
import { openFreshMachine } from "../flows/fresh-machine.ts";
import { agentsEnvironment, codexConfig, geminiSettings, programOf } from "./bench.ts";

test("each real agent is asked for one word, and answers it", async () => {
  const model = await openModel();
  onTestFinished(() => model.close());
  const machine = await openFreshMachine({ agent: false });
  const { home, sandbox } = machine;
  symlinkSync(process.execPath, join(home, "bin", "node"));
  for (const tool of ["claude", "codex", "gemini", "claude-agent-acp"])
    symlinkSync(programOf(tool), join(home, "bin", tool));
  for (const folder of [".codex", ".gemini"]) mkdirSync(join(home, folder));
  writeFileSync(join(home, ".codex", "config.toml"), codexConfig(model, "CODEX_MOCK_KEY"));
  writeFileSync(join(home, ".gemini", "settings.json"), geminiSettings);
  const env = { TMPDIR: home, ...agentsEnvironment(model) };
  expect(
    (await machine.run(["init", "--yes", "--run", "later"], { env: { ...env, DISCORD_BOT_TOKEN: sandbox.botToken } }))
      .code,
  ).toBe(0);
  const { out } = await machine.run(["doctor", "--json", "--round-trip"], { env });
  const { findings } = JSON.parse(out) as { findings: { check: string; verdict: string; says: string }[] };
  const trips = findings
    .filter(({ check }) => check.startsWith("round trip"))
    .map(({ says }) => says.replace(/ in [\d.]+ s/, ""));
  expect(trips).toEqual(["claude answered: ok", "codex answered: ok", "gemini answered: ok", "acp answered: ok"]);
  // Codex says that it is not logged in; with a provider of its own it need not be.
  expect(findings.filter(({ check, verdict }) => check.startsWith("agent ") && verdict !== "good")).toEqual([]);
});
