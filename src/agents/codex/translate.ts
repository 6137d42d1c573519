/**
 * Translates the lines of `codex exec --json` into updates: pure, one line in, updates out. Known traps: an item of
 * type `error` is a warning, and so is an `error` line that says "Reconnecting"; the only failures are `turn.failed`
 * and an exit without a turn's end; usage counts from the conversation's start; resuming an unknown conversation
 * silently starts a new one.
 */
import type { ErrorDetails } from "../../base/errors.ts";
import type { Exit } from "../../host/processes/child.ts";
import { Answer } from "../process/answer-text.ts";
import { oneLine } from "../process/excerpts.ts";
import { count, type Fields, inner, text } from "../process/fields.ts";
import { SESSION_KEY, type Translated, type Translation, unreadable } from "../process/dialect.ts";
import { failed, why } from "../process/failed.ts";
import type { Outcome, TurnEnded, Update } from "../contract/updates.ts";
import { failureOf } from "./failure.ts";
import { Items } from "./items.ts";

export interface Conversation {
  /** The thread id to resume, or null. */
  resume: string | null;
  /** The conversation's usage before this turn, as Codex last reported it; null if unknown. */
  spent: Spent | null;
}

const none: Spent = { input: 0, cached: 0, output: 0 };

export class CodexTranslation implements Translation {
  readonly #resume: string | null;
  readonly #before: Spent | null;
  readonly #now: () => number;
  readonly #answer = new Answer();
  readonly #items = new Items();
  readonly #unknown = new Map<string, number>();
  #key: string | null = null;
  #started = false;
  /** Whether the turn has produced only warnings so far. */
  #untouched = true;
  #lastError = "";
  /** Part of the answer was not text. */
  #strange = false;

  constructor({ resume, spent }: Conversation, now: () => number) {
    this.#resume = resume;
    this.#before = resume === null ? none : spent;
    this.#now = now;
  }

  get started(): boolean {
    return this.#started;
  }

  get unknown(): ReadonlyMap<string, number> {
    return this.#unknown;
  }

  take(line: Fields): Translated {
    this.#started = true;
    switch (line["type"]) {
      case "thread.started":
        return this.#thread(text(line["thread_id"]));
      case "turn.started":
        return told([]);
      case "turn.completed":
        return this.#completed(inner(line, "usage"));
      case "turn.failed":
        return this.#failed(text(inner(line, "error")["message"]) || this.#lastError);
      case "error":
        return told(this.#warned(text(line["message"])));
      case "item.started":
        return told(this.#item("started", inner(line, "item")));
      case "item.updated":
        return told(this.#item("updated", inner(line, "item")));
      case "item.completed":
        return told(this.#item("completed", inner(line, "item")));
      default:
        return told(this.#leave(text(line["type"])));
    }
  }

  /** For a process that exited without a turn's end: its last message on stdout or stderr is the reason. */
  ending({ code, signal }: Exit, stderr: string): TurnEnded | null {
    const said = stderr.split("\n").findLast((line) => /^error\b/i.test(line)) ?? "";
    if (this.#resume !== null && !this.#started && /no rollout found/.test(said)) {
      return this.#forgotten(why(said));
    }
    if (signal !== null || code === 0) return null;
    if ((this.#lastError || said) === "") return null;
    const failure = failureOf(this.#lastError || said, this.#untouched && this.#started, this.#now());
    return failed(failure.code, { ...failure.details, exit_code: code ?? -1 });
  }

  #thread(id: string): Translated {
    if (!SESSION_KEY.test(id)) return told(this.#leave("an unexpected thread_id"));
    if (this.#resume !== null && id !== this.#resume) {
      const end = { ...this.#forgotten({ because: "why_other_conversation" }), aborted: false, abandon: true };
      return { updates: [], replies: [], end };
    }
    this.#key = id;
    return told([{ kind: "session_key", key: id }]);
  }

  #item(event: "started" | "updated" | "completed", item: Fields): Update[] {
    const type = text(item["type"]);
    const words = text(item["text"]);
    if (type === "error") return event === "completed" ? [{ kind: "notice", code: "told", text: oneLine(text(item["message"])) }] : [];
    this.#untouched = false;
    if (type === "agent_message") {
      if (event !== "completed") return [];
      if (typeof item["text"] !== "string") this.#strange = true;
      const delta = this.#answer.block(text(item["id"]), words);
      return delta === "" ? [] : [{ kind: "text", delta }];
    }
    if (type === "reasoning") return [];
    return this.#items.take(event, item) ?? this.#leave(`item/${type}`);
  }

  /** The turn may still succeed; its end tells. */
  #warned(message: string): Update[] {
    if (message.startsWith("Reconnecting")) return [{ kind: "notice", code: "model_retry", text: oneLine(message) }];
    this.#lastError = message;
    return [];
  }

  #completed(usage: Fields): Translated {
    const told: Outcome = this.#strange ? unreadable : { outcome: "done", result: this.#answer.whole };
    const done = this.#key === null ? keyless : told;
    return { updates: this.#used(usage), replies: [], end: { kind: "end", ...done, aborted: false } };
  }

  #failed(message: string): Translated {
    const outcome = failureOf(message, this.#untouched, this.#now());
    const aborted = /\b(interrupted|aborted)\b/i.test(message);
    return { updates: [], replies: [], end: { kind: "end", ...outcome, aborted } };
  }

  /** This turn's share of the conversation's usage; nothing if the earlier usage is unknown. */
  #used(usage: Fields): Update[] {
    const [input, cached, output] = [count(usage["input_tokens"]), count(usage["cached_input_tokens"]) ?? 0, count(usage["output_tokens"])];
    if (input === undefined || output === undefined) return [];
    const counters = countersOf({ input, cached, output });
    const before = this.#before;
    const told: Update = { kind: "usage", usage: { counters } };
    // Less than before: the count was reset, so a difference would mean nothing.
    if (before === null || input < before.input || cached < before.cached || output < before.output) return [told];
    const cacheRead = cached - before.cached;
    const own = { input: Math.max(0, input - before.input - cacheRead), cacheRead, output: output - before.output };
    return [{ kind: "usage", usage: { ...own, counters } }];
  }

  #forgotten(details: ErrorDetails): TurnEnded {
    return failed("E_RESUME_UNKNOWN", { resume: "unknown", session: this.#resume ?? "", ...details });
  }

  #leave(kind: string): Update[] {
    this.#unknown.set(kind, (this.#unknown.get(kind) ?? 0) + 1);
    return [];
  }
}

const keyless: Outcome = { outcome: "failed", code: "E_ADAPTER_SESSION_KEY_MISSING", details: { tool: "codex" } };

function told(updates: Update[]): Translated {
  return { updates, replies: [], end: null };
}

/** Tokens since the conversation's start; `input` includes the cached ones. */
export interface Spent {
  input: number;
  cached: number;
  output: number;
}

/**
 * What a conversation has used so far. Codex counts from the conversation's start, so its next turn needs what the last
 * one reported. The names are those in the journal.
 */
function countersOf({ input, cached, output }: Spent): Record<string, number> {
  return { conversation_input: input, conversation_cached: cached, conversation_output: output };
}

/** Null if a count is missing. */
export function spentIn(counters: Readonly<Record<string, number>> | null): Spent | null {
  const { conversation_input: input, conversation_cached: cached, conversation_output: output } = counters ?? {};
  return input === undefined || cached === undefined || output === undefined ? null : { input, cached, output };
}
