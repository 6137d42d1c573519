/**
 * An agent's request for permission. What the owner is shown and allows is the whole tool call as the agent sent it,
 * but for its id, which is new each time and would make two equal requests differ. A request that says nothing of what
 * the call does (Codex tells an edit's diff only before it, and Claude its plan) is shown with what was told of the
 * call before: a yes to less would be a yes to any edit. The answer names one of the agent's options by its kind: the
 * one that allows once or the one that rejects once, never one that holds longer, because Bellhop itself remembers what
 * its owner allowed for a session.
 */
import type { PermissionAsked, PlanApprovalAsked } from "../contract/updates.ts";
import { oneLine } from "../process/excerpts.ts";
import { type Fields, fieldsOf, inner, records, text } from "../process/fields.ts";

/** The outcome of `session/request_permission` as the protocol spells it. */
export type PermissionOutcome = { outcome: "cancelled" } | { outcome: "selected"; optionId: string };

export interface PermissionRequest {
  /** The tool call's id. */
  call: string;
  tool: string;
  asked: PermissionAsked | PlanApprovalAsked;
  /** Null where the agent offers no option that allows once. */
  allow: PermissionOutcome | null;
  reject: PermissionOutcome;
}

export const CANCELLED: PermissionOutcome = { outcome: "cancelled" };

/**
 * @param id names the request in the owner's answer
 * @param earlier the tool call as far as earlier updates told it; its name and title are for people, never part of what
 * is allowed
 */
export function permissionOf(
  params: Fields,
  id: string,
  earlier: { name: string; title: string; what: Fields; cut?: number },
): PermissionRequest {
  const { toolCallId, ...told } = inner(params, "toolCall");
  const isToldBefore = isEmpty(told["rawInput"]) && isEmpty(told["content"]);
  const input = isToldBefore ? { ...told, ...earlier.what } : told;
  const options = records(params["options"]).filter((option) => text(option["optionId"]) !== "");
  const tool = oneLine(text(input["name"]) || earlier.name || text(input["kind"]) || "tool");
  const title = oneLine(text(input["title"]) || earlier.title || tool);
  const plan = planIn(input);
  const allow = chosen(options, "allow_once");
  const more = {
    ...(allow === null && { noYes: true as const }),
    ...(isToldBefore && earlier.cut !== undefined && { cut: earlier.cut }),
  };
  const asked: PermissionRequest["asked"] =
    plan === null
      ? { kind: "permission", id, tool, title, input, shown: "call", options: options.flatMap(optionOf), ...more }
      : { kind: "plan_approval", id, input: plan, shown: "call", ...more };
  return { call: text(toolCallId), tool, asked, allow, reject: chosen(options, "reject_once") ?? CANCELLED };
}

function chosen(options: readonly Fields[], kind: string): PermissionOutcome | null {
  const ofKind = options.filter((option) => option["kind"] === kind);
  // After a plan Claude offers to go on in several modes; the default one asks.
  const one = ofKind.find((option) => text(option["optionId"]).endsWith("default")) ?? ofKind[0];
  return one === undefined ? null : { outcome: "selected", optionId: text(one["optionId"]) };
}

function optionOf(option: Fields): PermissionAsked["options"] {
  const kind = option["kind"];
  if (kind !== "allow_once" && kind !== "allow_always" && kind !== "reject_once" && kind !== "reject_always") return [];
  return [{ id: text(option["optionId"]), label: text(option["name"]), kind }];
}

/**
 * The plan of a request to leave the mode in which an agent only plans, with all else that it says but what it is
 * called and what repeats the plan; null if it is none.
 */
function planIn({
  name: _name,
  title: _title,
  status: _status,
  kind,
  rawInput,
  content,
  ...rest
}: Fields): Fields | null {
  const { plan, ...more } = fieldsOf(rawInput) ?? {};
  if (kind !== "switch_mode" || typeof plan !== "string" || plan === "") return null;
  const repeats = records(content).every((one) => text(inner(one, "content")["text"]).trim() === plan.trim());
  return { plan, ...(repeats ? {} : { content }), ...(Object.keys(more).length > 0 && { rawInput: more }), ...rest };
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === "object" && Object.keys(value).length === 0);
}
