/**
 * What a Claude in a window says for its status line, as facts that are kept with its session, and the line of kept
 * facts.
 */
import type { AgentFacts } from "../../core/sessions/told.ts";
import { WINDOW_TOOL } from "../../core/sessions/windows.ts";
import type { State } from "../../core/state.ts";
import type { HookChannel } from "../../engine/hook-channel.ts";
import type { StatusLine } from "../../protocol/status-line.ts";

export function factsOf({ model, tokens, cost, session, weekly }: StatusLine, pid: number): AgentFacts {
  return {
    pid,
    ...(model !== null && { model }),
    ...(tokens !== null && { context: tokens }),
    ...(cost !== null && { cost: { amount: cost, currency: "USD" } }),
    ...((session !== null || weekly !== null) && { limits: { session, weekly } }),
  };
}

/** What the Claude in this thread's window has said last, to this daemon or an earlier one; null: nothing. */
export function statusLine({ threads, windows }: State, hooks: HookChannel, threadId: string): StatusLine | null {
  const pid = windows[threadId]?.pid;
  return hooks.statusLine(threadId, pid) ?? lineOf(threads[threadId]?.told?.[WINDOW_TOOL], pid);
}

function lineOf(facts: AgentFacts | undefined, pid: number | undefined): StatusLine | null {
  if (facts?.pid === undefined || facts.pid !== pid) return null;
  const { model = null, context = null, cost, limits } = facts;
  const percent = context && Math.min(100, Math.round((100 * context.used) / context.size));
  return {
    model,
    context: percent,
    tokens: context,
    cost: cost?.amount ?? null,
    session: limits?.session ?? null,
    weekly: limits?.weekly ?? null,
  };
}
