/**
 * What an agent has asked in a turn that is over, and still waits for in its next one, goes on as the same decision.
 * The two turns are recorded beside each other, so their order does not matter: the one that ends keeps the decision
 * from becoming void, the one that follows becomes its asker. One that nobody takes over is void when the turn after it
 * ends.
 */
import { isRunning, workOf, type HandOverCommand } from "./asker.ts";
import { decisionsIn, isOpen, isTold, refOf, type Decision, type DecisionEvent } from "./decision.ts";
import type { State } from "../state.ts";

export function decideHandOver(state: State, command: HandOverCommand): DecisionEvent[] {
  if (command.type === "leave_decision") {
    const decision = state.decisions[command.decision_id];
    // Its next asker may have come first.
    return decision && isOpen(decision) && workOf(decision.asker) === command.work
      ? [{ type: "DecisionHandedOver", payload: refOf(decision) }]
      : [];
  }
  if (command.type === "ask_there") {
    const decision = state.decisions[command.decision_id];
    const isAskedBefore =
      decision?.asker.by === "hook" &&
      decision.asker.before === true &&
      (isOpen(decision) || (decision.state === "answered" && !decision.delivered));
    return isAskedBefore ? [{ type: "DecisionHandedOver", payload: { ...refOf(decision), asker: command.asker } }] : [];
  }
  const { asker, thread_id } = command;
  const work = workOf(asker) ?? "";
  return decisionsIn(state, thread_id).flatMap((one): DecisionEvent[] => {
    if (!isAsked(one, asker.request_id) || workOf(one.asker) === work) return [];
    if (isRunning(state, work) && !state.runs[work]?.cancelling)
      return [{ type: "DecisionHandedOver", payload: { ...refOf(one), asker } }];
    return voided(one);
  });
}

/** Asked by an agent under this id, and not answered to it. */
function isAsked(decision: Decision, requestId: string): boolean {
  const { asker } = decision;
  return (
    (asker.by === "job" || asker.by === "turn") &&
    asker.request_id === requestId &&
    decision.state !== "void" &&
    !isTold(decision)
  );
}

/** What earlier turns have left in a thread, and the turn that is over now has not taken over. */
export function leftBefore(state: State, threadId: string, work: string): DecisionEvent[] {
  return decisionsIn(state, threadId)
    .filter((one) => isOpen(one) && one.between === true && workOf(one.asker) !== work)
    .flatMap(voided);
}

function voided(decision: Decision): DecisionEvent[] {
  return isOpen(decision) ? [{ type: "DecisionVoided", payload: { ...refOf(decision), why: "asker_gone" } }] : [];
}

export function handedOver(
  decision: Decision,
  { asker }: Extract<DecisionEvent, { type: "DecisionHandedOver" }>["payload"],
): void {
  if (asker !== undefined) decision.asker = structuredClone(asker);
  if (!isOpen(decision)) return;
  if (asker === undefined) decision.between = true;
  else delete decision.between;
}
