/** What a hook that asks tells Claude, in Claude's terms. It never says more than the owner did. */
import type { AskingPayload } from "../../../protocol/hooks.ts";
import type { Reply } from "../../contract/agent.ts";

/** Modes in which Claude asks at the terminal where a hook tells it to; in the others it might act by itself. */
const ASKING_MODES: ReadonlySet<string | undefined> = new Set(["default", "acceptEdits", "plan"]);

/** For `PermissionRequest` silence is enough: its dialog stands at the terminal. */
export function unanswered({ hook_event_name, permission_mode }: AskingPayload): object | null {
  if (hook_event_name === "PermissionRequest") return null;
  return before(ASKING_MODES.has(permission_mode) ? "ask" : "deny", "The owner did not answer in Discord.");
}

export function hookReply(payload: AskingPayload, reply: Reply): object | null {
  const { hook_event_name, tool_input } = payload;
  const asked = hook_event_name === "PermissionRequest";
  switch (reply.kind) {
    case "allow":
    case "approve":
      return asked ? decided({ behavior: "allow", updatedInput: reply.input }) : before("allow", "The owner allowed it in Discord.", reply.input);
    case "answers": {
      const input = { ...tool_input, answers: reply.answers };
      return asked ? decided({ behavior: "allow", updatedInput: input }) : before("allow", "The owner answered in Discord.", input);
    }
    case "deny":
    case "reject":
      return asked ? decided({ behavior: "deny", message: reply.message }) : before("deny", reply.message);
    // Only a form can be declined or reviewed, and Claude's questions are none.
    case "declined":
    case "again":
      return unanswered(payload);
  }
}

function decided(decision: object): object {
  return { hookSpecificOutput: { hookEventName: "PermissionRequest", decision } };
}

function before(permissionDecision: string, permissionDecisionReason: string, updatedInput?: object): object {
  return { hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision, permissionDecisionReason, ...(updatedInput && { updatedInput }) } };
}
