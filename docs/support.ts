/** The page of what was seen with the real agents, made from what the tests with them wrote down. */
import { readFileSync } from "node:fs";
import { designCounts } from "./designs.ts";
import { agents, features, seenBefore } from "../test/agents/support.ts";

export function supportPage(made: string): string {
  const seen = seenBefore();
  const row = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  return [
    "# What was seen with which agent",
    "",
    made,
    "",
    "Each **yes** was seen by a test (`npm run test:agents`) with the real program in the version named, installed from npm, and",
    "only its model replaced. A dash: no test has shown it, because the agent does not do it or because nobody has tried.",
    "Other versions may behave differently. The programs are installed below `test/agents/` when these tests run for",
    "the first time: 1.9 GB, which took two minutes on a machine with two cores.",
    "",
    row(["", ...agents.map(({ name }) => `\`${name}\``)]),
    row(["---", ...agents.map(() => "---")]),
    row(["Version", ...agents.map(({ package: name }) => versionOf(name))]),
    ...Object.keys(features).map((feature) =>
      row([feature, ...agents.map(({ name }) => (seen[name]?.includes(feature) ? "yes" : "–"))]),
    ),
    "",
    "## What differs",
    "",
    "- `codex` and `gemini` without ACP never ask: they work within the limits you set ([operations](operations.md#how-each-agent-may-write)).",
    "- `codex-acp` runs commands in its read-only sandbox without asking, and asks before one runs outside it.",
    "- With `/tool` a conversation was moved there and back between `claude`, `claude-agent-acp` and `tmux`, between `codex` and",
    "  `codex-acp`, and between `gemini` and `gemini --acp`.",
    "- With `/resume` a conversation that was begun without Bellhop was taken into a thread: of Claude Code by `claude` and",
    "  `claude-agent-acp`, of Codex by `codex`, of Gemini CLI by `gemini`.",
    "- `gemini --acp` and `opencode acp` are granted no folder beside the project's. A text that you send to them, of up to 200 KB,",
    "  goes with your message; before Gemini opens any other file of yours, except a picture, it asks you.",
    "- Agents that speak ACP hear no reason beside a no: what you write there goes with your next message.",
    "- `gemini --acp` tells no context and no costs, and loses a conversation that is opened twice within a minute of the clock; Bellhop waits for that minute to end.",
    "- `opencode acp` asks only because Bellhop sets its permissions: in none of its modes does it ask by itself. When its service",
    "  does not answer, it tries six times more before it says so, which takes over a minute.",
    "- `opencode acp` may offer more models than the 25 that Discord shows at once: type a part of the name to find one, or its whole id.",
    '- An agent that is used with `"asks": "as_is"` is none of this table\'s.',
    "",
    "## What no test can show",
    "",
    "The tests reach no network. So nobody has seen here: real costs and limits, logins, the vendors' own models, what",
    "Codex itself approves or has reviewed, a plan (`plan` update) from an agent that speaks ACP, and `claude-code-acp`.",
    "",
    "## What the designs ask for",
    "",
    "Bellhop follows four designs. [A page of its own](designs.md) names, for each of their requirements, the tests that show it;",
    "`npm test` fails when one of these is not there. How many there are, and how many of them are done in another way, as was ruled:",
    "",
    ...designCounts(),
  ].join("\n");
}

function versionOf(name: string): string {
  const { dependencies, optionalDependencies } = JSON.parse(
    readFileSync(new URL("../test/agents/package.json", import.meta.url), "utf8"),
  ) as Record<"dependencies" | "optionalDependencies", Record<string, string>>;
  return { ...dependencies, ...optionalDependencies }[name] ?? "";
}
