/** Where the vendors' programs keep their conversations. What one program of a vendor began, another one goes on with. */
import type { Store } from "../contract/driver.ts";

export const stores = {
  claude: { name: "claude", attach: (key) => ["claude", "-r", key] },
  codex: { name: "codex", attach: (key) => ["codex", "resume", key] },
  gemini: { name: "gemini", attach: (key) => ["gemini", "--resume", key] },
  opencode: { name: "opencode", attach: (key) => ["opencode", "-s", key] },
} as const satisfies Record<string, Store>;
