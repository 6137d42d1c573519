/**
 * What an agent has asked and still waits for. Each request is answered once: by the owner, or with a no when the agent
 * withdraws it, when the turn ends, or when it cannot be asked.
 */
import type { Reply } from "../contract/agent.ts";
import type { Update } from "../contract/updates.ts";
import { oneLine } from "../process/excerpts.ts";
import { type Fields, text } from "../process/fields.ts";
import { formOf, type Form } from "./elicitation.ts";
import { CANCELLED, permissionOf, type PermissionOutcome } from "./permission.ts";
import type { Translation } from "./translate.ts";

interface Waiting {
  /** The agent's own id of the request. */
  wire: string;
  /** The result for a reply; null if it was asked once more. */
  resultFor(reply: Reply): Fields | null;
  settle(result: Fields): void;
  /** The result that says no. */
  none: Fields;
}

/** `cut`: the bytes of a request whose long texts were not read; absent: all was. */
interface Taken extends Pick<Waiting, "wire" | "settle"> {
  cut?: number;
}

export class Requests {
  readonly #translation: Translation;
  readonly #tell: (update: Update) => void;
  readonly #waiting = new Map<string, Waiting>();
  #count = 0;
  #refusedAny = false;
  #closed = false;

  constructor(translation: Translation, tell: (update: Update) => void) {
    this.#translation = translation;
    this.#tell = tell;
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
  take(
    kind: "permission" | "elicitation",
    params: Fields,
    about: { wire: string; withdrawn: AbortSignal; isOurs: boolean; cut?: number },
  ): Promise<Fields> {
    const result = Promise.withResolvers<Fields>();
    const none = kind === "permission" ? outcome(CANCELLED) : { action: "cancel" };
    if (!about.isOurs || this.#closed) return Promise.resolve(kind === "permission" ? none : { action: "decline" });
    const one = { ...about, settle: result.resolve };
    if (kind === "permission") this.#permission(params, one);
    else this.#form(params, one);
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

  #permission(params: Fields, { wire, settle, cut }: Taken): void {
    const id = this.#newId();
    const call = callOf(params);
    const { asked, allow, reject, tool } = permissionOf(params, id, this.#translation.toolOf(call));
    const refuse = (): Fields => {
      this.#refusedAny = true;
      this.#translation.refused(call);
      this.#tell({ kind: "denied", tool, reason: "", ...(call !== "" && { id: call }) });
      return outcome(reject);
    };
    const resultFor = (reply: Reply): Fields =>
      allow !== null && (reply.kind === "allow" || reply.kind === "approve") ? outcome(allow) : refuse();
    this.#waiting.set(id, { wire, settle, none: outcome(CANCELLED), resultFor });
    this.#tell(cut === undefined ? asked : { ...asked, cut });
  }

  #form(params: Fields, one: Taken): void {
    const form = formOf(params);
    if (form !== null) return this.#show(form, one);
    const { settle } = one;
    this.#tell({ kind: "notice", code: "form_declined", text: oneLine(text(params["message"])) });
    settle({ action: "decline" });
  }

  #show(form: Form, one: Taken): void {
    const { wire, settle, cut } = one;
    const id = this.#newId();
    const resultFor = (reply: Reply): Fields | null => {
      if (reply.kind === "declined") return { action: reply.how };
      if (reply.kind === "again") {
        this.#show(form, one);
        return null;
      }
      const content = reply.kind === "answers" ? form.read(reply.answers) : null;
      return content === null ? { action: "cancel" } : { action: "accept", content };
    };
    this.#waiting.set(id, { wire, settle, none: { action: "cancel" }, resultFor });
    const { message, questions } = form;
    this.#tell({
      kind: "question",
      id,
      questions,
      form: true,
      ...(message !== "" && { more: { message } }),
      ...(cut !== undefined && { cut }),
    });
  }

  #withdraw(wire: string): void {
    for (const [id, one] of this.#waiting) {
      if (one.wire !== wire) continue;
      this.#waiting.delete(id);
      this.#tell({ kind: "withdrawn", id });
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
