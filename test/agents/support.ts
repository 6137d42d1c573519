/**
 * What was seen with the real agents: which tests show which feature of which agent. A run of the agents' tests writes
 * `seen.json`; `docs/support.md` is made from it. With BELLHOP_TEST_ALL=1 nothing is written: what
 * differs is said, and a feature on the page that was not seen fails the run.
 */
import { readFileSync, writeFileSync } from "node:fs";
import type { Reporter, TestModule } from "vitest/node";

export interface RealAgent {
  name: string;
  /** The npm package that is pinned. */
  package: string;
  /** Its tests, below this folder. */
  files: readonly string[];
}

/** Files with tests of several agents; their names begin with the agent's program, or with its name as a tool. */
const SHARED = ["acp/world", "acp/living", "acp/commands", "acp/sending", "background"];

export const agents: readonly RealAgent[] = [
  {
    name: "claude",
    package: "@anthropic-ai/claude-code",
    files: ["claude/claude", "claude/decisions", "claude/living", "claude/sending", "acp/world", "background"],
  },
  { name: "codex", package: "@openai/codex", files: ["codex/codex", "acp/world"] },
  { name: "gemini", package: "@google/gemini-cli", files: ["gemini/gemini", "acp/world"] },
  {
    name: "claude-agent-acp",
    package: "@agentclientprotocol/claude-agent-acp",
    files: ["acp/claude", "acp/world", "acp/living", "acp/commands", "acp/sending", "background"],
  },
  {
    name: "codex-acp",
    package: "@agentclientprotocol/codex-acp",
    files: ["acp/codex", "acp/world", "acp/living", "acp/commands", "acp/sending"],
  },
  {
    name: "gemini --acp",
    package: "@google/gemini-cli",
    files: ["acp/gemini", "acp/world", "acp/living", "acp/commands"],
  },
  {
    name: "opencode acp",
    package: "opencode-linux-x64",
    files: ["acp/opencode", "acp/world", "acp/living", "acp/commands"],
  },
];

/** A feature in words → the names of the tests that show it. */
export const features: Readonly<Record<string, RegExp>> = {
  "Its answer streams, and is kept as it was streamed": /answers (?:what the model said|a new prompt)/,
  "A conversation goes on in a new process": /goes on where its session was|continues where (?:a|that) session was/,
  "It asks before it acts; allowed, that runs once": /runs what is allowed, once|a permission > allowed once/,
  "Refused, it does not run": /does not run what is refused|a permission > denied/,
  "Cancelled while it asks, it does not run": /when it is cancelled|while it asks, it is cancelled/,
  "It asks although its owner's settings say otherwise":
    /by its own settings asks|though the user's own settings would let it act unasked/,
  "An edit is shown whole before it is made": /edits a file only once exactly that was shown/,
  "Allowed for the session, the same is not asked again": /allowed for the session is not asked for again/,
  "It asks questions": /asks, and is told what its owner chose|^a question/,
  "It shows a plan and waits for approval": /^a plan > is shown as it is, and approved/,
  "A failed model is told once": /once of each failure of the model|fails when the model does|tells? .*model fail/,
  "A usage limit is told as one": /usage limit|quota is used up|once of each failure of the model/,
  "It may edit unasked where its owner says so": /may edit unasked/,
  "What each job has cost or used": /tells what each turn has cost|(?:and its|its own) usage/,
  "The daemon killed, nothing of it is left, and its conversation goes on": /its daemon is killed/,
  "Started before its thread; the model and the mode that are chosen hold over a restart":
    /is started before its thread/,
  "Cancelled, the process stays and takes the next message": /it is cancelled, its process lives on/,
  "Killed, its job has failed": /(?:killed \(|a SIGKILL).* has failed/,
  "Killed, it leaves no process": /leaves no process/,
  "A message is sent into its running answer, once, also if the daemon is killed then": /it belongs to that answer/,
  "What it does in the background is told later": /that ends after the answer is reported in an outside turn/,
  "What it does in the background asks as well": /in the background asks/,
  "A conversation it has lost is told": /a conversation nobody knows says so|a session it does not know/,
  "Not logged in, it says how to": /says how to log in/,
};

/** By the agent's name, the features that were seen, in their order. */
export type Seen = Record<string, string[]>;

const file = new URL("seen.json", import.meta.url);

export function seenBefore(): Seen {
  return JSON.parse(readFileSync(file, "utf8")) as Seen;
}

/** The features that these tests show; null if the agent's tests did not all run, and pass. */
export function seenIn(
  agent: RealAgent,
  tests: readonly { file: string; name: string; passed: boolean }[],
): string[] | null {
  const names = [agent.name, agent.name.replace(" --", "-"), agent.name.replace(" acp", "")];
  const isIn = (test: { file: string; name: string }, name: string): boolean =>
    test.file.endsWith(`agents/${name}.agent.ts`) &&
    (!SHARED.includes(name) || names.some((one) => test.name.startsWith(`${one} `)));
  const own = tests.filter((test) => agent.files.some((name) => isIn(test, name)));
  const isWhole = agent.files.every((name) => own.some((test) => isIn(test, name)));
  if (!isWhole || own.some(({ passed }) => !passed)) return null;
  return Object.keys(features).filter((feature) => own.some(({ name }) => features[feature]?.test(name)));
}

export class Support implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const tests = modules.flatMap((module) =>
      [...module.children.allTests()].map((test) => ({
        file: module.relativeModuleId,
        name: test.fullName,
        passed: test.result().state === "passed",
      })),
    );
    const before = seenBefore();
    const now = Object.fromEntries(
      agents.map((agent) => [agent.name, seenIn(agent, tests) ?? before[agent.name] ?? []]),
    );
    const differs = agents
      .map(({ name }) => name)
      .filter((name) => JSON.stringify(now[name]) !== JSON.stringify(before[name] ?? []));
    if (differs.length === 0) return;
    if (process.env["BELLHOP_TEST_ALL"] === "1") {
      process.stdout.write(
        `test/agents/seen.json says something else than was seen of ${differs.join(", ")}: run npm run test:agents, then npm run docs.\n`,
      );
      if (differs.some((name) => before[name]?.some((feature) => !now[name]?.includes(feature)))) process.exitCode = 1;
      return;
    }
    writeFileSync(file, `${JSON.stringify(now, null, 2)}\n`);
    process.stdout.write(`test/agents/seen.json is new for ${differs.join(", ")}: run npm run docs.\n`);
  }
}
