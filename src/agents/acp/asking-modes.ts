/**
 * When an agent asks before it acts: in some of its modes, by the name it gives itself, or because of its environment.
 */

/**
 * Modes that ask, the preferred one first, by the name an agent gives itself; any other mode counts as not asking. An
 * agent without modes always asks. OpenCode asks because of its environment (`askingEnvironment`).
 */
const ASKING: ReadonlyMap<string, readonly string[]> = new Map([
  ["@agentclientprotocol/claude-agent-acp", ["default", "plan"]],
  ["@zed-industries/claude-code-acp", ["default", "plan"]],
  ["@agentclientprotocol/codex-acp", ["read-only"]],
  ["gemini-cli", ["default", "plan"]],
  ["OpenCode", ["build", "plan"]],
  ["acp-demo-agent", []],
]);

/** Null for an agent that is not known: nobody can say in which of its modes it asks. */
export function askingModes(agentName: string): readonly string[] | null {
  return ASKING.get(agentName) ?? null;
}

/**
 * Whatever acts or asks the network. A tool with `_` in its name is one of an MCP server, or reaches outside the
 * project.
 */
const OPENCODE_ASKS = Object.fromEntries(
  ["bash*", "edit*", "webfetch*", "websearch*", "codesearch*", "task*", "*_*"].map((tool) => [tool, "ask"]),
);
const OPENCODE_MODES = {
  build: { permission: OPENCODE_ASKS },
  plan: { permission: { ...OPENCODE_ASKS, "edit*": "deny" } },
};

/**
 * The environment in which OpenCode asks before it acts. Its modes do not make it ask: in `build` and in `plan` it runs
 * commands without asking, unless its permissions say otherwise. Of its rules the last one that matches counts, and
 * those of a mode come after all others. A name in the owner's or the project's files keeps its place when another
 * value is merged into it, so the names here have a star, which makes them new and last. It is set for every agent,
 * because only a running one tells who it is.
 */
export function askingEnvironment(env: Readonly<Record<string, string>>): Record<string, string> {
  return {
    ...env,
    OPENCODE_PERMISSION: JSON.stringify(OPENCODE_ASKS),
    OPENCODE_CONFIG_CONTENT: JSON.stringify({ agent: OPENCODE_MODES }),
  };
}
