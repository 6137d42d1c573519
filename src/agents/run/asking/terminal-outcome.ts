/**
 * What an event at the desk settles of what a Claude in a terminal asked: which decision it was, what became of it, and
 * what its owner said there.
 */
import { decisionsIn, isOpen, type Decision, type Question } from "../../../core/decisions/decision.ts";
import { runToEnd } from "../../../base/hidden-characters.ts";
import { allows } from "../../../core/decisions/may-answer.ts";
import { excessIn } from "../../../core/decisions/request-size.ts";
import type { TerminalOutcome } from "../../../core/decisions/voided.ts";
import type { AskingPayload, HookPayload } from "../../../protocol/hooks.ts";
import { askedBy } from "../../claude/requests.ts";
import type { RunContext } from "../run-context.ts";
import { digestFor } from "./decision-request.ts";

/** Of each answer, and of a reason, that was given in the terminal. */
const SAID_CHARS = 1_000;

/** Undefined: the event tells no outcome. */
export function outcomeOf({ hook_event_name: name, ...payload }: HookPayload): TerminalOutcome | undefined {
  if (name === "PermissionDenied") return "denied";
  if (name !== "PostToolUse" && name !== "PostToolUseFailure") return undefined;
  return "tool_name" in payload && payload.tool_name === "AskUserQuestion" ? "answered" : "allowed";
}

/** What its owner has answered there, question by question, or why he said no. */
export function saidIn(payload: HookPayload, questions: readonly Question[]): (string | null)[] {
  const cut = (said: unknown): string | null =>
    typeof said === "string" && said.trim() !== "" ? said.trim().slice(0, SAID_CHARS).toWellFormed() : null;
  if (payload.hook_event_name === "PermissionDenied") return [cut(payload.reason)];
  const answers = payload.hook_event_name === "PostToolUse" ? payload.tool_input["answers"] : undefined;
  return typeof answers === "object" && answers !== null
    ? questions.map(({ question }) => cut(Reflect.get(answers, question)))
    : [];
}

/** What this event says is settled: the tool has run or was refused there, or the turn that asked is over. */
export function settledBy(context: RunContext, payload: HookPayload, threadId: string): Decision[] {
  const all = decisionsIn(context.engine.state, threadId).filter(
    ({ asker }) => asker.by === "hook" && asker.claude_session === payload.session_id,
  );
  const open = all.filter(isOpen);
  const isOfPrompt = ({ asker }: Decision): boolean =>
    asker.by === "hook" &&
    (asker.prompt_id === undefined || payload.prompt_id === undefined || asker.prompt_id === payload.prompt_id);
  const ofPrompt = open.filter(isOfPrompt);
  switch (payload.hook_event_name) {
    case "PostToolUse":
    case "PostToolUseFailure":
    case "PermissionDenied": {
      const ofTool = all.filter((one) => isOfPrompt(one) && isOfTool(context, one, payload));
      const one = ofTool.find(isOpen) ?? ofTool.at(-1);
      return one !== undefined && (isOpen(one) || isOtherwise(one, payload)) ? [one] : [];
    }
    case "Stop":
    case "StopFailure":
      // What a subagent asks may go on when the turn it began in is over.
      return ofPrompt.filter(({ asker }) => asker.by === "hook" && asker.agent_id === undefined);
    case "UserPromptSubmit":
      return open.filter(
        ({ asker }) => asker.by === "hook" && asker.agent_id === undefined && asker.prompt_id !== payload.prompt_id,
      );
    case "SessionEnd":
      return open;
    default:
      return [];
  }
}

/**
 * Whether another answer than the one in Discord counted: what was denied has run, or what was allowed was refused.
 * What was said to be settled has its outcome now.
 */
function isOtherwise({ kind, state, answers: [first] }: Decision, { hook_event_name }: HookPayload): boolean {
  if (state !== "answered") return true;
  return kind !== "question" && first != null && allows({ kind }, first) === (hook_event_name === "PermissionDenied");
}

/** Whether the decision asked for this use of a tool: Claude gives it no id, so the bytes are compared. */
export function isOfTool(
  context: RunContext,
  { kind, subject }: Decision,
  { tool_name, tool_input }: Pick<AskingPayload, "tool_name" | "tool_input">,
): boolean {
  // A question comes back with its answers, and a plan without its text; there is one of them at a time.
  if (tool_name === "AskUserQuestion") return kind === "question";
  if (tool_name === "ExitPlanMode") return kind === "plan";
  if (kind !== "permission" || runToEnd(excessIn(tool_input)) !== null) return false;
  const request = askedBy("", tool_name, tool_input, {});
  return request?.kind === "permission" && digestFor(context, request) === subject?.sha256;
}
