/** How an outside turn begins and ends: one at a time in a thread, each once, the last ones kept in the live state. */
import { voidedWith, type DecisionEvent } from "../decisions/decision.ts";
import { leftBefore } from "../decisions/handing-over.ts";
import { remove } from "../indexed.ts";
import { forgetPosts } from "../posts/post.ts";
import { backgroundTold } from "../sessions/background.ts";
import { closedBySilence, type ClosingEvent } from "./closing.ts";
import { outsideThreads, type Thread } from "../sessions/thread.ts";
import { isRunOfWindow } from "../sessions/windows.ts";
import type { EndEvent } from "./job.ts";
import type { OutsideTurn, OutsideTurnCommand, OutsideTurnEnd, OutsideTurnEvent } from "./outside-turn.ts";
import { newBegun, newRun, runProcess } from "./run.ts";
import { unsentInto, type SendEvent } from "./sending.ts";
import { each, type Slice } from "../slice.ts";
import type { State } from "../state.ts";

/** Ended outside turns per thread kept in the live state. Changing it changes replay. */
export const KEPT_TURNS = 50;

export function decideOutsideTurn(
  state: State,
  command: OutsideTurnCommand,
): (OutsideTurnEvent | SendEvent | EndEvent | DecisionEvent | ClosingEvent)[] {
  if (command.type === "begin_outside_turn") {
    const { type: _type, ...payload } = command;
    const thread = state.threads[payload.thread_id];
    if (!thread || !state.sessions[payload.thread_id] || thread.outside !== undefined || state.turns[payload.turn_id])
      return [];
    return [{ type: "OutsideTurnBegan", payload }];
  }
  const { type: _type, turn_id, goes_on = false, ...end } = command;
  const turn = state.turns[turn_id];
  if (turn?.state !== "running") return [];
  return [...(goes_on ? [] : unsentInto(state, turn)), ...ended(state, turn, end)];
}

/**
 * Turns that the last daemon left running, and what they asked is void by now; `kept`: what was saved of them. Those in
 * a window that stands go on.
 * @param alive threads whose windows stand
 */
export function interruptedTurns(
  state: State,
  kept: readonly ({ turn_id: string } & OutsideTurnEnd)[],
  alive: readonly string[],
): OutsideTurnEvent[] {
  return outsideThreads(state).flatMap(({ outside, thread_id }) => {
    const { turn_id: _turn, ...end } = kept.find(({ turn_id }) => turn_id === outside) ?? {
      turn_id: "",
      outcome: "unknown",
    };
    const turn = state.turns[outside ?? ""];
    if (
      end.outcome === "unknown" &&
      alive.includes(thread_id) &&
      isRunOfWindow(state.windows[thread_id], runProcess(state.runs[outside ?? ""]))
    )
      return [];
    // The owner had cancelled it, and it has stopped.
    const outcome = end.outcome === "unknown" && state.runs[outside ?? ""]?.cancelling ? "cancelled" : end.outcome;
    return turn
      ? [{ type: "OutsideTurnEnded", payload: { turn_id: turn.turn_id, thread_id: turn.thread_id, ...end, outcome } }]
      : [];
  });
}

function ended(
  state: State,
  { turn_id, thread_id }: OutsideTurn,
  end: OutsideTurnEnd,
): (OutsideTurnEvent | DecisionEvent | ClosingEvent)[] {
  return [
    ...voidedWith(state, turn_id),
    ...leftBefore(state, thread_id, turn_id),
    { type: "OutsideTurnEnded", payload: { turn_id, thread_id, ...end } },
    ...closedBySilence(state, thread_id, end.error_code),
  ];
}

export function evolveOutsideTurn(state: State, event: OutsideTurnEvent, ts: string): void {
  const { turn_id, thread_id } = event.payload;
  const thread = state.threads[thread_id];
  const session = state.sessions[thread_id];
  if (!thread || !session) return;
  session.updated_at = ts;
  session.last_activity_at = ts;
  if (event.type === "OutsideTurnBegan") {
    const { tool, origin, prompt = null, began_at = ts } = event.payload;
    state.turns[turn_id] = {
      turn_id,
      thread_id,
      tool,
      origin,
      prompt,
      state: "running",
      error_code: null,
      result_excerpt: null,
      began_at,
      ended_at: null,
    };
    state.runs[turn_id] = { ...newRun(), begun: newBegun() };
    thread.outside = turn_id;
    return;
  }
  const turn = state.turns[turn_id];
  if (!turn) return;
  conclude(state, turn, event.payload, ts);
  if (thread.outside === turn_id) delete thread.outside;
  backgroundTold(thread, event.payload.error_code);
  (thread.turns ??= []).push(turn_id);
  while (thread.turns.length > KEPT_TURNS) forget(state, thread);
}

function conclude({ runs }: State, turn: OutsideTurn, end: OutsideTurnEnd, ts: string): void {
  turn.state = end.outcome;
  turn.ended_at = ts;
  turn.error_code = end.error_code ?? null;
  turn.result_excerpt = end.result_excerpt ?? null;
  const run = runs[turn.turn_id];
  if (!run) return;
  run.result_sha256 = end.result_sha256 ?? null;
  run.concluded = {
    model: end.model ?? null,
    usage: end.usage ? { ...end.usage } : null,
    error_details: { ...end.error_details },
  };
}

/** Drops the oldest from the live state, except one that its thread waits because of. */
function forget(state: State, thread: Thread): void {
  const { turns = [], wait } = thread;
  const [id = ""] = turns.splice(
    turns.findIndex((one) => one !== wait?.job_id),
    1,
  );
  delete state.turns[id];
  remove(state.runs, id);
  forgetPosts(state.posts, id, thread);
}

export const outsideTurnSlice: Slice<OutsideTurnCommand, OutsideTurnEvent> = {
  decide: each(decideOutsideTurn, "begin_outside_turn", "end_outside_turn"),
  evolve: each(evolveOutsideTurn, "OutsideTurnBegan", "OutsideTurnEnded"),
  kinds: { OutsideTurnBegan: "run", OutsideTurnEnded: "end" },
};
