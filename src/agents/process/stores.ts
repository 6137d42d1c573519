/**
 * Where the vendors' programs keep their conversations. What one program of a vendor began, another one goes on with.
 */
import type { Store } from "../contract/driver.ts";
import { claudeConversations } from "./stored/claude.ts";
import { lookAtCodex } from "./stored/codex.ts";
import { geminiConversations } from "./stored/gemini.ts";

export const stores = {
  claude: {
    name: "claude",
    attach: (key) => ["claude", "-r", key],
    openLook: (env) => (cwd) => claudeConversations(env, cwd),
  },
  codex: { name: "codex", attach: (key) => ["codex", "resume", key], openLook: lookAtCodex },
  gemini: {
    name: "gemini",
    dotenv: true,
    attach: (key) => ["gemini", "--resume", key],
    openLook: (env) => (cwd) => geminiConversations(env, cwd),
  },
  opencode: { name: "opencode", attach: (key) => ["opencode", "-s", key] },
} as const satisfies Record<string, Store>;
