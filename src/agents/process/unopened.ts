/** A conversation whose process could not be started: each of its turns ends at once, and says why. */
import type { Agent, Turn } from "../contract/agent.ts";
import type { TurnEnded, Update } from "../contract/updates.ts";

export function unopened(end: TurnEnded): Agent {
  const gone = Promise.resolve();
  const turn = (): Turn => ({
    process: Promise.resolve(null),
    updates: one(end),
    answer: async () => false,
    heardAt: () => 0,
    cancel: () => gone,
    over: gone,
  });
  return {
    process: null,
    opened: Promise.resolve(end),
    background: [],
    heardAt: () => 0,
    between: none(),
    gone,
    prompt: turn,
    close: () => gone,
  };
}

async function* one(update: Update): AsyncGenerator<Update, void> {
  yield update;
}

/** What a conversation without a process does between its turns. */
export async function* none(): AsyncGenerator<never, void> {}
