/**
 * The order in which the test files begin: those that take longest first, because one that begins last keeps the run
 * waiting while the other workers have nothing left to do. Vitest sorts the others by their size.
 */
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Each takes more than forty seconds; those with Gemini wait for the clock's next minute most of that time. */
const LONG = [
  "test/agents/moving.agent.ts",
  "test/flows/failpoints.test.ts",
  "test/agents/acp/gemini.agent.ts",
  "test/agents/acp/world.agent.ts",
  "test/agents/acp/opencode.agent.ts",
  "test/agents/tmux/window.agent.ts",
  "test/agents/acp/commands.agent.ts",
  "test/agents/acp/living.agent.ts",
  "test/agents/acp/codex.agent.ts",
  "test/agents/tmux/interrupted.agent.ts",
];

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).toSorted((a, b) => place(a) - place(b));
  }
}

function place({ moduleId }: TestSpecification): number {
  const index = LONG.findIndex((file) => moduleId.endsWith(`/${file}`));
  return index === -1 ? LONG.length : index;
}
