/**
 * A dialog of a Claude in a window that no hook tells of: what its screen shows is shown to the owner as text, marked
 * so. Here he can only say no, which presses Escape there if the same dialog still stands; a yes is never given by
 * keys. It is a decision like any other, so that it is listed, reminded of, and kept from being taken for a prompt.
 */
import { newDecisionId } from "../../../base/ids.ts";
import { isOnScreen, type HookAsker } from "../../../core/decisions/asker.ts";
import { decisionsIn, isOpen, type Decision } from "../../../core/decisions/decision.ts";
import { isUntold } from "../../../core/decisions/settlement.ts";
import { toolKey } from "../../../core/sessions/session.ts";
import { WINDOW_TOOL } from "../../../core/sessions/windows.ts";
import type { HookOwner } from "../../../engine/hook-channel.ts";
import { reconcile } from "../../../engine/reconcile.ts";
import { digestOf } from "../../../host/files/kept-files.ts";
import type { PermissionAsked } from "../../contract/updates.ts";
import { oneLine } from "../../process/fields.ts";
import type { RunContext } from "../run-context.ts";
import { contextFor, shownOf, type Manner } from "./decision-request.ts";

export function openScreenAsking(context: RunContext): { close(): Promise<void> } {
  const { engine, log, hooks } = context;
  const steps = new Map<string, Promise<void>>();
  hooks.watchStanding((owner, dialog) => {
    const { thread_id } = owner;
    // It is told again and again while it stands.
    if (steps.has(thread_id)) return;
    const step = stands(context, owner, dialog)
      .catch(
        (error: unknown) =>
          engine.over ||
          log.failure("what the screen of a Claude asks cannot be shown to the owner", error, { thread_id }),
      )
      .finally(() => steps.delete(thread_id));
    steps.set(
      thread_id,
      step.then(() => undefined),
    );
  });
  return refusing(context);
}

async function stands(context: RunContext, owner: HookOwner, dialog: string | null): Promise<void> {
  const { engine } = context;
  const asked = decisionsIn(engine.state, owner.thread_id).filter(({ asker }) => asker.by === "hook");
  const known = asked.find((one) => isOpen(one) && isOnScreen(one.asker));
  if (dialog === null)
    return known && void (await engine.submit({ type: "void", decision_id: known.decision_id, why: "terminal" }));
  if (known?.state === "disconnected")
    return void (await engine.submit({ type: "reconnect", decision_id: known.decision_id }));
  // Its hook asks, or calls again.
  if (known || asked.some((one) => isOpen(one) || isUntold(one) || (one.state === "answered" && !one.delivered)))
    return;
  await ask(context, owner, dialog);
}

async function ask(context: RunContext, { thread_id, work }: HookOwner, dialog: string): Promise<void> {
  const { engine, clock, decisionFiles, locale, redactor } = context;
  const window = engine.state.windows[thread_id];
  if (!window) return;
  const [title = ""] = dialog.split("\n").filter((line) => /\p{L}/u.test(line));
  const request: PermissionAsked = {
    kind: "permission",
    id: "screen",
    tool: "screen",
    title: oneLine(title),
    input: { screen: dialog },
    options: [],
    noYes: true,
  };
  const manner: Manner = { locale, agent: "Claude", redactor, thread_id };
  const { shown, questions, subject } = await shownOf(context, manner, request);
  if (shown === null) return;
  const decision_id = newDecisionId(clock.now());
  const claude_session = toolKey(engine.state, thread_id, WINDOW_TOOL);
  const asker: HookAsker = {
    by: "hook",
    request_id: digestOf(dialog),
    ...work,
    ...(claude_session !== null && { claude_session }),
    dialog: true,
    screen: true,
    pid: window.pid,
  };
  await decisionFiles.write(decision_id, shown);
  await engine.submit({
    type: "ask",
    decision_id,
    thread_id,
    kind: "permission",
    asker,
    context: contextFor(request, manner),
    questions,
    subject,
    lapses_at: null,
  });
}

/** Passes on each no, once: a dialog that is another one by now is left alone. */
function refusing({ engine, clock, log, hooks }: RunContext): { close(): Promise<void> } {
  const refuse = async ({ decision_id, thread_id, asker }: Decision): Promise<void> => {
    const isRefused = asker.by === "hook" && thread_id !== null && (await hooks.refuse(thread_id, asker.request_id));
    await engine.submit(
      isRefused ? { type: "answer_delivered", decision_id } : { type: "void", decision_id, why: "terminal" },
    );
  };
  const refusals = reconcile({
    engine,
    clock,
    log,
    failure: "a dialog in a terminal cannot be refused",
    details: (decision_id) => ({ decision_id }),
    follows: "decisions",
    step(decision_id) {
      const one = engine.state.decisions[decision_id];
      return one?.state === "answered" && !one.delivered && isOnScreen(one.asker) ? refuse(one) : null;
    },
  });
  refusals.start();
  return refusals;
}
