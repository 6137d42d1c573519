/** A conversation that opens for nothing: each prompt starts a process, and between two there is none. */
import type { Agent, Prompt, Turn } from "../contract/agent.ts";
import { none } from "./unopened.ts";

export function oneShot(start: (prompt: Prompt) => Turn): Agent {
  let turn: Turn | null = null;
  const { promise: gone, resolve } = Promise.withResolvers<void>();
  return {
    process: null,
    background: [],
    heardAt: () => turn?.heardAt() ?? 0,
    between: none(),
    gone,
    prompt: (prompt) => (turn = start(prompt)),
    async close() {
      await turn?.cancel();
      resolve();
    },
  };
}
