/** A world whose agents are the real ones, which reach nothing but a model on loopback. */
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { type FakeModel, openModel } from "../fakes/model/model.ts";
import { Script, type Reply } from "../fakes/model/script.ts";
import type { Asked } from "../flows/asked.ts";
import { type Daemon, openWorld, type World } from "../flows/world.ts";
import { agentsEnvironment, codexConfig, geminiSettings, opencodeConfig, programOf } from "./bench.ts";

type Tools = [string, ...string[]];

/** The commands of the agents that speak ACP and are tools by their own name. */
const ACP: Readonly<Record<string, string[]>> = {
  "claude-agent-acp": ["claude-agent-acp"],
  "codex-acp": ["codex-acp"],
  "gemini-acp": ["gemini", "--acp"],
  opencode: ["opencode", "acp"],
};

export interface Real {
  world: World;
  model: FakeModel;
  /** `env`: what else the daemon's environment has, or has not. */
  start(env?: Record<string, string | undefined>): Promise<Daemon>;
  /** The model answers everything with this status and these words, or as the prompt says again. */
  fail(status: number | null, words?: string): void;
}

/** The configuration in which those of these tools that speak ACP are named. */
export function acpAgents(tools: readonly string[]): { acp_agents: Record<string, { command: string[] }> } {
  return {
    acp_agents: Object.fromEntries(tools.flatMap((tool) => (ACP[tool] ? [[tool, { command: ACP[tool] }]] : []))),
  };
}

/** Puts the programs of these tools where the world's agents are looked for. */
export function install({ home }: World, tools: readonly string[]): void {
  const bin = join(home, "bin");
  symlinkSync(process.execPath, join(bin, "node"));
  for (const program of new Set(tools.map((tool) => ACP[tool]?.[0] ?? tool)))
    symlinkSync(programOf(program), join(bin, program));
}

/**
 * A machine with these agents on it, none of which can reach more than the model on loopback. `args`: the project's,
 * for the first.
 */
export async function openReal(tools: Tools, args: string[] = [], limits: Record<string, number> = {}): Promise<Real> {
  const script = new Script();
  let failing: Reply | null = null;
  const model = await openModel({ reply: (asked) => failing ?? script.reply(asked) });
  onTestFinished(() => model.close());
  const world = await openWorld({
    tools,
    args,
    agent: "none",
    unlimited: true,
    config: { ...acpAgents(tools), limits },
  });
  install(world, tools);
  for (const folder of [".codex", ".gemini", ".config/opencode"])
    mkdirSync(join(world.home, folder), { recursive: true });
  writeFileSync(join(world.home, ".codex", "config.toml"), codexConfig(model, "CODEX_MOCK_KEY"));
  writeFileSync(join(world.home, ".gemini", "settings.json"), geminiSettings);
  writeFileSync(join(world.home, ".config", "opencode", "opencode.json"), opencodeConfig(model));
  const env = {
    TMPDIR: world.home,
    ...agentsEnvironment(model),
    OPENCODE_DISABLE_AUTOUPDATE: "1",
    OPENCODE_DISABLE_MODELS_FETCH: "1",
  };
  return {
    world,
    model,
    fail: (status, words) =>
      void (failing = status === null ? null : { status, ...(words !== undefined && { words }) }),
    async start(more = {}) {
      const daemon = world.daemon({ env: { ...env, ...more } });
      await daemon.ready;
      return daemon;
    },
  };
}

/** A session whose real agent was given this to do. */
export async function askReal(
  tool: string,
  prompt: string,
  { env, limits }: { env?: Record<string, string | undefined>; limits?: Record<string, number> } = {},
): Promise<Asked & { real: Real }> {
  const real = await openReal([tool], [], limits);
  const daemon = await real.start(env);
  const thread = await real.world.session();
  const { id } = await real.world.owner(thread).send(prompt);
  return { real, world: real.world, daemon, thread, id };
}
