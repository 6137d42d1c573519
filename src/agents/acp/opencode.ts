/**
 * What makes OpenCode ask. Its modes do not: in `build` and in `plan` it runs commands without asking, unless its
 * permissions say otherwise. Of its rules the last one that matches counts, and those of a mode come after all others.
 * A name in the owner's or the project's files keeps its place when another value is merged into it, so the names here
 * have a star, which makes them new and last. It is set for every agent, because only a running one tells who it is.
 */

/** Whatever acts or asks the network. A tool with `_` in its name is one of an MCP server, or reaches outside the project. */
const ASK = Object.fromEntries(["bash*", "edit*", "webfetch*", "websearch*", "codesearch*", "task*", "*_*"].map((tool) => [tool, "ask"]));
const MODES = { build: { permission: ASK }, plan: { permission: { ...ASK, "edit*": "deny" } } };

/** The environment in which OpenCode asks before it acts. */
export function askingEnvironment(env: Readonly<Record<string, string>>): Record<string, string> {
  return { ...env, OPENCODE_PERMISSION: JSON.stringify(ASK), OPENCODE_CONFIG_CONTENT: JSON.stringify({ agent: MODES }) };
}
