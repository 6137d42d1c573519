/**
 * What a Claude in a terminal asks through its hooks, while its own dialog stands there: the first answer counts,
 * whichever it is. The request's exact bytes are on disk, then the decision, and a hook that calls again, also after a
 * restart of the daemon, finds its decision. Without an answer nothing is allowed: the terminal asks then. What was
 * asked before a tool goes on as the same decision in the dialog that follows.
 */
import { createHash } from "node:crypto";
import { BellhopError } from "../../../base/errors.ts";
import { withTimeout } from "../../../base/clock.ts";
import { newDecisionId } from "../../../base/ids.ts";
import {
  decisionsIn,
  isOpen,
  isTold,
  type AskCommand,
  type Decision,
  type DecisionKind,
} from "../../../core/decisions/decision.ts";
import type { Excess } from "../../../core/decisions/voided.ts";
import { sameAsked } from "../../../core/decisions/lifecycle.ts";
import { tooLong } from "../../../core/decisions/request-size.ts";
import { isUntold, leftToTerminal } from "../../../core/decisions/settlement.ts";
import { lockedSince } from "../../../core/jobs/lock.ts";
import type { HookAnswer, HookAsking, HookRequest } from "../../../engine/hook-channel.ts";
import { lapseSeconds } from "../../../config/session-settings.ts";
import type { AskingPayload, HookOrigin, HookPayload } from "../../../protocol/hooks.ts";
import { askedBy } from "../../claude/requests.ts";
import { reconcile } from "../../../engine/reconcile.ts";
import type { Reply } from "../../contract/driver.ts";
import type { RunContext } from "../run-context.ts";
import { AdoptedNotes, isGrantedRead } from "./adopted.ts";
import {
  askOwner,
  contextFor,
  isFor,
  kindOf,
  lapsesAt,
  no,
  replyTo,
  settledOf,
  shownOf,
  type Manner,
  type RequestView,
} from "./decision-request.ts";
import { isOfTool, outcomeOf, saidIn, settledBy } from "./terminal-outcome.ts";
import type { DecisionRequest } from "../../contract/updates.ts";

/** The tool by whose time limits it is asked. */
const TOOL = "tmux";

/** The calls that wait for a decision. */
interface PendingCalls {
  calls: number;
  /** The thread of the Claude that shows a dialog for it; null: it may show none. */
  dialogIn: string | null;
}

interface HookDecision {
  request: DecisionRequest;
  shown: RequestView;
  command: AskCommand;
}

export function openHookAsking(context: RunContext): HookAsking & { close(): Promise<void> } {
  const { engine, log } = context;
  const waiting = new Map<string, PendingCalls>();
  const before = new AskedBefore();
  const unheard = openUnheard(context, waiting);
  const notes = new AdoptedNotes(context);
  async function hear(payload: HookPayload, threadId: string): Promise<void> {
    const outcome = outcomeOf(payload);
    // Whoever ends Claude answers nothing by that.
    const why = payload.hook_event_name === "SessionEnd" ? "asker_gone" : "terminal";
    for (const { decision_id, questions } of settledBy(context, payload, threadId)) {
      const said = saidIn(payload, questions);
      await engine.submit({
        type: "void",
        decision_id,
        why,
        ...(outcome !== undefined && { outcome }),
        ...(said.some((one) => one !== null) && { said }),
      });
    }
  }
  async function answered(threadId: string, denied: readonly HookPayload[]): Promise<void> {
    for (const payload of denied) await hear(payload, threadId);
    const asked = [...waiting].flatMap(([decision_id, { dialogIn }]) => (dialogIn === threadId ? [decision_id] : []));
    for (const decision_id of [...asked, ...leftToTerminal(engine.state, threadId).map((one) => one.decision_id)]) {
      await engine.submit({ type: "void", decision_id, why: "terminal" });
    }
  }
  context.hooks.watchAnswered((thread_id, denied) => {
    answered(thread_id, denied).catch(
      (error: unknown) =>
        engine.over || log.failure("an answer in the terminal cannot be recorded", error, { thread_id }),
    );
  });
  return {
    async ask(call) {
      const none: HookAnswer = { told: unanswered(call.payload), delivered: () => undefined };
      if (lockedSince(engine.state) !== null) return none;
      if (await isGrantedRead(context.folders, call))
        return {
          told: hookReply(call.payload, { kind: "allow", input: call.payload.tool_input }),
          delivered: () => undefined,
        };
      const said = call.cut === undefined ? before.saidOf(call.payload) : undefined;
      if (said !== undefined) return { told: hookReply(call.payload, said), delivered: () => undefined };
      const asked = await askedOf(context, call);
      if (asked === null) return none;
      try {
        if (asked.command.excess !== undefined) return await refusedTo(context, call, asked, asked.command.excess);
        const earlier = askedEarlier(context, call, waiting);
        if (earlier !== undefined && asked.command.asker.by === "hook")
          await engine.submit({ type: "ask_there", decision_id: earlier.decision_id, asker: asked.command.asker });
        const { answer, reply } = await answerOf(context, call, asked, waiting);
        before.remember(call.payload, reply);
        return answer;
      } catch (error) {
        // A disk that refuses now may take it when the hook calls again; what a rule refuses stays refused.
        if (!(error instanceof BellhopError) || engine.over) throw error;
        log.failure("what Claude asks in its terminal cannot be shown to the owner", error, {
          thread_id: call.owner.thread_id,
        });
        return none;
      }
    },
    settleFromHook: (payload, { thread_id }) => hear(payload, thread_id),
    noteFor: (payload, { thread_id }) => notes.noteFor(payload, thread_id),
    close: () => unheard.close(),
  };
}

/** Null if the owner cannot be shown what it asks, or his time to answer is over. */
async function askedOf(
  context: RunContext,
  { payload, owner, origin, cut }: HookRequest,
): Promise<HookDecision | null> {
  const { session_id, prompt_id, agent_id, tool_name, tool_input } = payload;
  const request_id = requestId(payload, origin);
  const read = askedBy(request_id, tool_name, tool_input, {});
  if (read === null) return null;
  // Without the plan the owner cannot see what he would approve, but he must know that Claude waits for him.
  const request: DecisionRequest = {
    ...read,
    ...(read.kind === "permission" && tool_name === "Bash" && { cwd: agent_id === undefined ? payload.cwd : null }),
    ...(read.kind === "plan_approval" && typeof read.input["plan"] !== "string" && { noYes: true as const }),
    ...(cut !== undefined && { cut }),
  };
  const { locale, redactor } = context;
  const manner: Manner = { locale, agent: "Claude", redactor, thread_id: owner.thread_id };
  const shown = await shownOf(context, manner, request);
  const kind = kindOf(request);
  const lapses_at = isAskedThere(payload, kind) ? null : lapsesAt(context, kind, TOOL, origin.waited * 1000);
  if (lapses_at !== null && Date.parse(lapses_at) <= context.time.now()) return null;
  const asker = {
    by: "hook" as const,
    request_id,
    ...owner.work,
    claude_session: session_id,
    ...(prompt_id !== undefined && { prompt_id }),
    ...(agent_id !== undefined && { agent_id }),
    ...(hasDialog(payload) && { dialog: true as const }),
    ...(isBefore(payload) && { before: true as const }),
    pid: origin.pid,
  };
  const command: AskCommand = {
    type: "ask",
    decision_id: newDecisionId(context.clock.now()),
    thread_id: owner.thread_id,
    kind,
    asker,
    context: shown.excess === undefined ? contextFor(request, manner) : "",
    questions: shown.questions,
    subject: shown.subject,
    lapses_at,
    ...(shown.excess !== undefined && { excess: shown.excess }),
  };
  return { request, shown, command };
}

/** The thread is told that it cannot be shown, and Claude that it is refused. */
async function refusedTo(
  context: RunContext,
  { payload }: HookRequest,
  { request, command }: HookDecision,
  excess: Excess,
): Promise<HookAnswer> {
  await context.engine.submit(command);
  return {
    told: hookReply(payload, no(request, tooLong(kindOf(request), excess))),
    delivered: () => delivered(context, command.decision_id),
  };
}

function delivered({ engine, log }: RunContext, decision_id: string): void {
  engine
    .submit({ type: "answer_delivered", decision_id })
    .catch(
      (error: unknown) => engine.over || log.failure("an answer's delivery cannot be recorded", error, { decision_id }),
    );
}

interface HookReply {
  answer: HookAnswer;
  /** Null: nobody has answered in Discord. */
  reply: Reply | null;
}

async function answerOf(
  context: RunContext,
  { payload, origin, gone }: HookRequest,
  asked: HookDecision,
  waiting: Map<string, PendingCalls>,
): Promise<HookReply> {
  const { engine, decisionFiles } = context;
  const { request, shown, command } = asked;
  const known = sameAsked(engine.state, command);
  if (known === undefined && shown.shown !== null) await decisionFiles.write(command.decision_id, shown.shown);
  // It keeps the time by which it expires: the owner was told it.
  if (known === undefined) await askOwner(context, command, shown.shown);
  else await engine.submit({ ...command, lapses_at: known.lapses_at });
  const decision_id = (
    engine.state.decisions[command.decision_id] ??
    sameAsked(engine.state, command) ??
    known ??
    command
  ).decision_id;
  const entry = waiting.get(decision_id) ?? { calls: 0, dialogIn: hasDialog(payload) ? command.thread_id : null };
  entry.calls += 1;
  waiting.set(decision_id, entry);
  const end = Promise.race([engine.until((state) => settledOf(state, decision_id), ["decision"]), aborted(gone)]);
  const leftMs = leftBefore(context, payload, command.kind, origin.waited);
  const settled = leftMs === null ? await end : await withTimeout(context.clock, leftMs, end);
  entry.calls -= 1;
  if (entry.calls === 0) waiting.delete(decision_id);
  const nobody: HookReply = { answer: { told: unanswered(payload), delivered: () => undefined }, reply: null };
  // The terminal asks now too, by the hook of its dialog.
  if (settled === undefined) return nobody;
  if (settled === null) {
    if (entry.calls === 0) await letGo(context, decision_id, origin);
    return nobody;
  }
  if (settled.state !== "answered" || !isFor(settled, shown.shown)) return nobody;
  if (entry.dialogIn !== null && (await context.hooks.isAnswered(entry.dialogIn))) {
    // Its owner was faster there: Claude does not hear this answer any more.
    await engine.submit({ type: "void", decision_id, why: "terminal" });
    return nobody;
  }
  const reply = replyTo(request, shown.bytes, settled);
  return { answer: { told: hookReply(payload, reply), delivered: () => delivered(context, decision_id) }, reply };
}

/**
 * What was said before a tool, for the dialog of the same use of it that Claude may still open: the owner is not asked
 * twice. Kept in memory only, because the dialog follows at once.
 */
class AskedBefore {
  readonly #said = new Map<string, Reply>();

  remember(payload: AskingPayload, reply: Reply | null): void {
    if (!isBefore(payload) || reply === null) return;
    this.#said.set(useOf(payload), reply);
    const [oldest] = this.#said.keys();
    if (this.#said.size > MOST_REMEMBERED && oldest !== undefined) this.#said.delete(oldest);
  }

  /** Undefined: it was not asked about before, or nobody has answered. */
  saidOf(payload: AskingPayload): Reply | undefined {
    if (payload.hook_event_name !== "PermissionRequest") return undefined;
    const use = useOf(payload);
    const said = this.#said.get(use);
    this.#said.delete(use);
    return said;
  }
}

const MOST_REMEMBERED = 200;

function useOf({ session_id, prompt_id, agent_id, tool_name, tool_input }: AskingPayload): string {
  return createHash("sha256")
    .update(JSON.stringify([session_id, prompt_id, agent_id, tool_name, tool_input]))
    .digest("hex");
}

/** What was asked before this tool and was not answered then: its dialog asks the same. */
function askedEarlier(
  context: RunContext,
  { payload, owner }: HookRequest,
  waiting: ReadonlyMap<string, PendingCalls>,
): Decision | undefined {
  if (isBefore(payload)) return undefined;
  const isIts = (one: Decision): boolean => {
    const { asker } = one;
    return (
      asker.by === "hook" &&
      asker.before === true &&
      !isTold(one) &&
      (one.state === "answered" || isOpen(one)) &&
      !waiting.has(one.decision_id) &&
      asker.claude_session === payload.session_id &&
      asker.prompt_id === payload.prompt_id &&
      asker.agent_id === payload.agent_id
    );
  };
  return decisionsIn(context.engine.state, owner.thread_id).find(
    (one) => isIts(one) && isOfTool(context, one, payload),
  );
}

/**
 * How long a hook that asks before a tool waits until the terminal asks too; null: for ever, or until its decision
 * expires.
 */
function leftBefore({ config }: RunContext, payload: AskingPayload, kind: DecisionKind, waited: number): number | null {
  const seconds = lapseSeconds(config(), kind, TOOL);
  return isBefore(payload) && isAskedThere(payload, kind) && seconds !== undefined
    ? Math.max(0, (seconds - waited) * 1000)
    : null;
}

/** Whether the terminal asks as well, now or after a while, so that it never expires. */
function isAskedThere(payload: AskingPayload, kind: DecisionKind): boolean {
  return kind !== "question" && (!isBefore(payload) || ASKING_MODES.has(payload.permission_mode));
}

/** How long what its owner may have answered in the terminal, which ends the hook too, takes to be seen there. */
const SEEN_MS = 10_000;
const LOOK_MS = 5_000;

/**
 * A hook that does not wait any more may call again as long as its process lives. When that is gone, nobody hears an
 * answer, and the decision says so; one that was given meanwhile allows nothing.
 */
function openUnheard(context: RunContext, waiting: ReadonlyMap<string, PendingCalls>): { close(): Promise<void> } {
  const { engine, clock, log, isAlive } = context;
  const gone = new Map<string, number>();
  const unheard = reconcile({
    engine,
    clock,
    log,
    failure: "that nobody hears an answer any more could not be written down",
    details: (decision_id) => ({ decision_id }),
    follows: "decisions",
    step(decision_id) {
      const one = engine.state.decisions[decision_id];
      const mayCall =
        one?.asker.by === "hook" && !waiting.has(decision_id) && (one.state === "disconnected" || isUntold(one));
      if (!mayCall || one.asker.by !== "hook" || isAlive(one.asker.pid)) {
        gone.delete(decision_id);
        return mayCall ? LOOK_MS : null;
      }
      const since = gone.get(decision_id) ?? clock.monotonic();
      gone.set(decision_id, since);
      const left = since + SEEN_MS - clock.monotonic();
      return left > 0 ? left : engine.submit({ type: "void", decision_id, why: "untold" });
    },
  });
  unheard.start();
  return unheard;
}

/** A hook whose Claude lives calls again, or is answered in the terminal; a dead one never. */
async function letGo({ engine, isAlive }: RunContext, decision_id: string, { claudePid }: HookOrigin): Promise<void> {
  if (engine.over) return;
  await engine.submit(
    isAlive(claudePid) ? { type: "disconnect", decision_id } : { type: "void", decision_id, why: "asker_gone" },
  );
}

/** The same for each call of the same process with the same request. */
function requestId(payload: AskingPayload, { pid }: HookOrigin): string {
  return createHash("sha256")
    .update(JSON.stringify([payload.hook_event_name, useOf(payload), pid]))
    .digest("hex");
}

function isBefore({ hook_event_name }: AskingPayload): boolean {
  return hook_event_name === "PreToolUse";
}

/** What a subagent asks may have none. */
function hasDialog({ hook_event_name, agent_id }: AskingPayload): boolean {
  return hook_event_name === "PermissionRequest" && agent_id === undefined;
}

function aborted(signal: AbortSignal): Promise<null> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(null);
    else signal.addEventListener("abort", () => resolve(null), { once: true });
  });
}

/** Modes in which Claude asks at the terminal where a hook tells it to; in the others it might act by itself. */
const ASKING_MODES: ReadonlySet<string | undefined> = new Set(["default", "acceptEdits", "plan"]);

/** For `PermissionRequest` silence is enough: its dialog stands at the terminal. */
function unanswered({ hook_event_name, permission_mode }: AskingPayload): object | null {
  if (hook_event_name === "PermissionRequest") return null;
  return toldBefore(ASKING_MODES.has(permission_mode) ? "ask" : "deny", "The owner did not answer in Discord.");
}

/** What the hook tells Claude, in Claude's terms: never more than the owner said. */
function hookReply(payload: AskingPayload, reply: Reply): object | null {
  const { hook_event_name, tool_input } = payload;
  const asked = hook_event_name === "PermissionRequest";
  switch (reply.kind) {
    case "allow":
    case "approve":
      return asked
        ? toldInDialog({ behavior: "allow", updatedInput: reply.input })
        : toldBefore("allow", "The owner allowed it in Discord.", reply.input);
    case "answers": {
      const input = { ...tool_input, answers: reply.answers };
      return asked
        ? toldInDialog({ behavior: "allow", updatedInput: input })
        : toldBefore("allow", "The owner answered in Discord.", input);
    }
    case "deny":
    case "reject":
      return asked ? toldInDialog({ behavior: "deny", message: reply.message }) : toldBefore("deny", reply.message);
    // Only a form can be declined or reviewed, and Claude's questions are none.
    case "declined":
    case "again":
      return unanswered(payload);
  }
}

function toldInDialog(decision: object): object {
  return { hookSpecificOutput: { hookEventName: "PermissionRequest", decision } };
}

function toldBefore(permissionDecision: string, permissionDecisionReason: string, updatedInput?: object): object {
  return {
    hookSpecificOutput: {
      hookEventName: "PreToolUse",
      permissionDecision,
      permissionDecisionReason,
      ...(updatedInput && { updatedInput }),
    },
  };
}
