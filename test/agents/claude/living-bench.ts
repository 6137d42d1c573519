/**
 * A bench for the real Claude Code as it lives: opened, prompted again and again, and closed at the end of its test.
 */
import { claudeDriver } from "../../../src/agents/claude/driver.ts";
import type { Agent, Turn } from "../../../src/agents/contract/driver.ts";
import type { Update } from "../../../src/agents/contract/updates.ts";
import { type Bench, openBench } from "../bench.ts";
import { only, silentLog } from "../stage.ts";

/** @param login how it has logged in */
export async function openLivingBench(
  login: Record<string, string> = { ANTHROPIC_API_KEY: "test-key" },
): Promise<Bench> {
  return openBench({
    driver: claudeDriver,
    env: ({ url }) => ({
      ANTHROPIC_BASE_URL: url,
      ...login,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      CLAUDE_CODE_MAX_RETRIES: "1",
      DISABLE_AUTOUPDATER: "1",
    }),
    passEnv: ["DISABLE_AUTOUPDATER"],
  });
}

export const say = (agent: Agent, text: string): Turn => agent.prompt({ text, counters: null, log: silentLog });

export const keyOf = (updates: readonly Update[]): string => only(updates, "session_key").at(-1)?.key ?? "";
