/**
 * What an agent has asked and still waits for. Each request is answered once: by the owner, or with a no when the agent
 * withdraws it, when the turn ends, or when it cannot be asked.
 */
import type { Reply } from "../contract/driver.ts";
import type { Update, PermissionAsked, PlanApprovalAsked } from "../contract/updates.ts";
import { oneLine, type Fields, text, fieldsOf, inner, records } from "../process/fields.ts";
import { elicitationOf, type Elicitation } from "../process/elicitation.ts";
import type { AcpTranslation } from "./translate.ts";

interface PendingAcpRequest {
  /** The agent's own id of the request. */
  wire: string;
  /** The result for a reply; null if it was asked once more. */
  resultFor(reply: Reply): Fields | null;
  settle(result: Fields): void;
  /** The result that says no. */
  none: Fields;
}

/** `cut`: the bytes of a request whose long texts were not read; absent: all was. */
interface IncomingRequest extends Pick<PendingAcpRequest, "wire" | "settle"> {
  cut?: number;
}

export class AcpRequests {
  readonly #translation: AcpTranslation;
  readonly #emit: (update: Update) => void;
  readonly #waiting = new Map<string, PendingAcpRequest>();
  #count = 0;
  #refusedAny = false;
  #closed = false;

  constructor(translation: AcpTranslation, tell: (update: Update) => void) {
    this.#translation = translation;
    this.#emit = tell;
  }

  /** Whether the agent was refused anything in this turn. */
  get refusedAny(): boolean {
    return this.#refusedAny;
  }

  /** Whether the agent waits for an answer. */
  get waits(): boolean {
    return this.#waiting.size > 0;
  }

  /** Shows a request to the owner; resolves with the result for the agent. Never rejects. */
  showRequest(
    kind: "permission" | "elicitation",
    params: Fields,
    about: { wire: string; withdrawn: AbortSignal; isOurs: boolean; cut?: number },
  ): Promise<Fields> {
    const result = Promise.withResolvers<Fields>();
    const none = kind === "permission" ? outcome(CANCELLED) : { action: "cancel" };
    if (!about.isOurs || this.#closed) return Promise.resolve(kind === "permission" ? none : { action: "decline" });
    const one = { ...about, settle: result.resolve };
    if (kind === "permission") this.#permission(params, one);
    else this.#elicit(params, one);
    about.withdrawn.addEventListener("abort", () => this.#withdraw(about.wire), { once: true });
    return result.promise;
  }

  /** Returns the agent's id of the request that this answers; null if none waits for it, or it was asked again. */
  answer(id: string, reply: Reply): string | null {
    const one = this.#waiting.get(id);
    if (one === undefined) return null;
    this.#waiting.delete(id);
    const result = one.resultFor(reply);
    if (result === null) return null;
    one.settle(result);
    return one.wire;
  }

  /** Says no to everything that waits, and to everything that comes. */
  close(): void {
    this.#closed = true;
    for (const { settle, none } of this.#waiting.values()) settle(none);
    this.#waiting.clear();
  }

  #permission(params: Fields, { wire, settle, cut }: IncomingRequest): void {
    const id = this.#newId();
    const call = callOf(params);
    const { asked, allow, reject, tool } = permissionOf(params, id, this.#translation.toolOf(call));
    const refuse = (): Fields => {
      this.#refusedAny = true;
      this.#translation.markRefused(call);
      this.#emit({ kind: "denied", tool, reason: "", ...(call !== "" && { id: call }) });
      return outcome(reject);
    };
    const resultFor = (reply: Reply): Fields =>
      allow !== null && (reply.kind === "allow" || reply.kind === "approve") ? outcome(allow) : refuse();
    this.#waiting.set(id, { wire, settle, none: outcome(CANCELLED), resultFor });
    this.#emit(cut === undefined ? asked : { ...asked, cut });
  }

  #elicit(params: Fields, one: IncomingRequest): void {
    const elicitation = elicitationOf(params);
    if (elicitation !== null) return this.#show(elicitation, one);
    const { settle } = one;
    this.#emit({ kind: "notice", code: "form_declined", text: oneLine(text(params["message"])) });
    settle({ action: "decline" });
  }

  #show(elicitation: Elicitation, one: IncomingRequest): void {
    const { wire, settle, cut } = one;
    const id = this.#newId();
    const resultFor = (reply: Reply): Fields | null => {
      const result = elicitation.resultFor(reply);
      if (result === null) this.#show(elicitation, one);
      return result;
    };
    this.#waiting.set(id, { wire, settle, none: { action: "cancel" }, resultFor });
    this.#emit({ ...elicitation.asked, id, ...(cut !== undefined && { cut }) });
  }

  #withdraw(wire: string): void {
    for (const [id, one] of this.#waiting) {
      if (one.wire !== wire) continue;
      this.#waiting.delete(id);
      this.#emit({ kind: "withdrawn", id });
      one.settle(one.none);
    }
  }

  #newId(): string {
    this.#count += 1;
    return `acp-${this.#count}`;
  }
}

function outcome(result: PermissionOutcome): Fields {
  return { outcome: result };
}

function callOf(params: Fields): string {
  const { toolCallId } = (params["toolCall"] ?? {}) as { toolCallId?: unknown };
  return typeof toolCallId === "string" ? toolCallId : "";
}

/*
 * An agent's request for permission. What the owner is shown and allows is the whole tool call as the agent sent it,
 * but for its id, which is new each time and would make two equal requests differ. A request that says nothing of what
 * the call does (Codex tells an edit's diff only before it, and Claude its plan) is shown with what was told of the
 * call before: a yes to less would be a yes to any edit. The answer names one of the agent's options by its kind: the
 * one that allows once or the one that rejects once, never one that holds longer, because Bellhop itself remembers what
 * its owner allowed for a session.
 */

/** The outcome of `session/request_permission` as the protocol spells it. */
type PermissionOutcome = { outcome: "cancelled" } | { outcome: "selected"; optionId: string };

interface PermissionRequest {
  /** The tool call's id. */
  call: string;
  tool: string;
  asked: PermissionAsked | PlanApprovalAsked;
  /** Null where the agent offers no option that allows once. */
  allow: PermissionOutcome | null;
  reject: PermissionOutcome;
}

const CANCELLED: PermissionOutcome = { outcome: "cancelled" };

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
