/**
 * The typing indicator: shown in a session's thread while its agent works there, and sent again before Discord removes
 * it. One timer per thread; nothing here has to outlive the process.
 */
import type { Clock } from "../../base/clock.ts";
import { openOf } from "../../core/decisions/decision.ts";
import { workersIn } from "../../core/jobs/job-or-turn.ts";
import type { Engine } from "../../engine/engine.ts";
import type { Rest } from "../api/rest.ts";
import { isThreadOfBot, type ThreadsOfBot } from "../../core/sessions/thread.ts";

export interface TypingOptions extends ThreadsOfBot {
  engine: Pick<Engine, "state" | "watch">;
  rest: Pick<Rest, "call">;
  clock: Clock;
}

/** Discord shows "is typing" for ten seconds. */
const TYPING_EVERY_MS = 8000;

export function openTyping(options: TypingOptions): { close(): void } {
  const { engine, rest, clock } = options;
  const ending = new AbortController();
  /** What cancels the next one, by thread. */
  const timers = new Map<string, () => void>();
  /** One that waits for its owner's answer, perhaps for days, is not at work. */
  const isRunning = (threadId: string): boolean =>
    workersIn(engine.state, threadId).some((id) => openOf(engine.state, id).length === 0);
  const stop = (threadId: string): void => {
    timers.get(threadId)?.();
    timers.delete(threadId);
  };
  const type = (threadId: string): void => {
    if (timers.has(threadId)) return;
    const again = (): void => {
      timers.delete(threadId);
      if (isRunning(threadId)) type(threadId);
    };
    timers.set(threadId, clock.after(TYPING_EVERY_MS, again));
    if (engine.state.threads[threadId]?.place !== "thread") return;
    const path = `/channels/${threadId}/typing` as const;
    // Nothing waits for it, and it does not matter if it fails.
    rest.call({ method: "POST", path, priority: "cosmetic", key: path, signal: ending.signal }).catch(() => undefined);
  };
  const look = (threadId: string): void => {
    if (!engine.state.sessions[threadId] || !isThreadOfBot(engine.state, threadId, options)) return;
    if (isRunning(threadId)) type(threadId);
    else stop(threadId);
  };
  const unwatch = engine.watch((topics) => topics.forEach(look));
  Object.keys(engine.state.threads).forEach(look);
  return {
    close() {
      unwatch();
      ending.abort();
      for (const threadId of timers.keys()) stop(threadId);
    },
  };
}
