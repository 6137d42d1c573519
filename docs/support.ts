/** The page of what was seen with the real agents, made from what the tests with them wrote down. */
import { readFileSync } from "node:fs";
import { designCounts } from "./designs.ts";
import { agents, features, seenBefore } from "../test/agents/support.ts";

export function supportPage(made: string): string {
  const seen = seenBefore();
  const seenWith = (feature: string): string => {
    const those = agents.filter(({ name }) => seen[name]?.includes(feature)).map(({ name }) => `\`${name}\``);
    const others = agents.filter(({ name }) => !seen[name]?.includes(feature)).map(({ name }) => `\`${name}\``);
    if (others.length === 0) return "all";
    return others.length < 3 ? `all but ${others.join(" and ")}` : those.join(", ");
  };
  return [
    "# What was seen with which agent",
    "",
    made,
    "",
    "```sh",
    "npm run test:agents   # the first time installs 1.9 GB below test/agents/",
    "```",
    "",
    "makes this list of what the real programs do, with only their models replaced. What an agent is not named for it does not do,",
    "or nobody has tried. Other versions may behave differently.",
    "",
    `Versions: ${agents.map(({ name, package: of }) => `\`${name}\` ${versionOf(of)}`).join(", ")}.`,
    "",
    ...Object.keys(features).map((feature) => `- ${feature}: ${seenWith(feature)}`),
    "",
    "## What differs",
    "",
    "- `codex` and `gemini` without ACP never ask: they work within the limits you set ([operations](operations.md#how-each-agent-may-write)).",
    "- `codex-acp` runs commands in its read-only sandbox unasked, and asks before one runs outside it.",
    "- `/tool` and `/resume` took conversations along between all agents that [operations](operations.md#sessions-from-discord) names.",
    "- `gemini --acp` and `opencode acp` are granted only the project's folder. A text of up to 200 KB that you send goes with your",
    "  message; before Gemini opens any other file of yours, except a picture, it asks you.",
    "- Agents that speak ACP get the reason of a no with your next message.",
    "- `gemini --acp` tells no context and no costs.",
    "- `opencode acp` asks only because Bellhop sets its permissions. When its service does not answer, it tries six times more,",
    "  for over a minute, before it says so. It may offer more models than the 25 that Discord shows at once: type a part of the",
    "  name, or the whole id.",
    '- This says nothing of an agent used with `"asks": "as_is"`.',
    "",
    "## What no test can show",
    "",
    "The tests reach no network. So these were not seen: real costs and limits, logins, the vendors' own models, what Codex itself",
    "approves or has reviewed, a plan (`plan` update) over ACP, and `claude-code-acp`.",
    "",
    "## What the designs ask for",
    "",
    "[designs.md](designs.md) names the tests that show each requirement of Bellhop's four designs, and where it does something",
    "else, as ruled; `npm test` fails when one of them is missing. The requirements:",
    "",
    ...designCounts(),
    "",
  ].join("\n");
}

function versionOf(name: string): string {
  const { dependencies, optionalDependencies } = JSON.parse(
    readFileSync(new URL("../test/agents/package.json", import.meta.url), "utf8"),
  ) as Record<"dependencies" | "optionalDependencies", Record<string, string>>;
  return { ...dependencies, ...optionalDependencies }[name] ?? "";
}
