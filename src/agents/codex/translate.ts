/**
 * The lines of `codex exec --json`, translated into our updates: pure, one line in, updates out. Traps it knows:
 * an item of type `error` is a warning, and so is an `error` line that says "Reconnecting"; the only failures are
 * `turn.failed` and an end without a turn's; the usage counts from the conversation's beginning; a conversation
 * asked for by a name that is not known is a new one, without a word.
 */
import type { Exit } from "../../host/child.ts";
import { Answer } from "../answer.ts";
import { oneLine } from "../excerpts.ts";
import { count, type Fields, inner, text } from "../fields.ts";
import { failed, SESSION_KEY, type Translated, type Translation } from "../process-run.ts";
import type { ConversationUsage, Outcome, RunEnded, Update } from "../updates.ts";
import { failureOf } from "./failure.ts";
import { Items } from "./items.ts";

export interface Conversation {
  /** The thread id the run was to go on from, or null. */
  resume: string | null;
  /** What the conversation had used before this run, as Codex told it last; null where that is not known. */
  spent: ConversationUsage | null;
}

const none: ConversationUsage = { input: 0, cached: 0, output: 0 };

export class CodexTranslation implements Translation {
  readonly #resume: string | null;
  readonly #before: ConversationUsage | null;
  readonly #now: () => number;
  readonly #answer = new Answer();
  readonly #items = new Items();
  readonly #unknown = new Map<string, number>();
  #key: string | null = null;
  #started = false;
  /** Whether nothing of the turn came yet but warnings. */
  #untouched = true;
  #thought = false;
  #lastError = "";

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

  /** A process that ended without its turn's end: what it said last, on stdout or stderr, is why. */
  ending({ code, signal }: Exit, stderr: string): RunEnded | null {
    const said = stderr.split("\n").findLast((line) => /^error\b/i.test(line)) ?? "";
    if (this.#resume !== null && !this.#started && /no rollout found/.test(said)) {
      return this.#forgotten(oneLine(said));
    }
    if (signal !== null || code === 0) return null;
    const { outcome } = failureOf(this.#lastError || said, this.#untouched && this.#started, this.#now());
    if (outcome.outcome !== "failed" || (this.#lastError || said) === "") return null;
    return failed(outcome.code, { ...outcome.details, exit_code: code ?? -1 });
  }

  #thread(id: string): Translated {
    if (!SESSION_KEY.test(id)) return told(this.#leave("thread_id of an odd form"));
    if (this.#resume !== null && id !== this.#resume) {
      const end = { ...this.#forgotten("it began another conversation"), aborted: false, abandon: true };
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
      const delta = this.#answer.block(text(item["id"]), words);
      return delta === "" ? [] : [{ kind: "text", delta }];
    }
    if (type === "reasoning") {
      if (event !== "completed" || words === "") return [];
      const delta = this.#thought ? `\n\n${words}` : words;
      this.#thought = true;
      return [{ kind: "thought", delta }];
    }
    return this.#items.take(event, item) ?? this.#leave(`item/${type}`);
  }

  /** It may still go on; whether it does, the turn's end says. */
  #warned(message: string): Update[] {
    if (message.startsWith("Reconnecting")) return [{ kind: "notice", code: "model_retry", text: oneLine(message) }];
    this.#lastError = message;
    return [];
  }

  #completed(usage: Fields): Translated {
    const done: Outcome = this.#key === null ? keyless : { outcome: "done", result: this.#answer.whole };
    return { updates: this.#used(usage), replies: [], end: { kind: "end", ...done, aborted: false } };
  }

  #failed(message: string): Translated {
    const { updates, outcome } = failureOf(message, this.#untouched, this.#now());
    const aborted = /\b(interrupted|aborted)\b/i.test(message);
    return { updates, replies: [], end: { kind: "end", ...outcome, aborted } };
  }

  /** This run's own share of the conversation's usage; nothing at all where what came before is not known. */
  #used(usage: Fields): Update[] {
    const [input, cached, output] = [count(usage["input_tokens"]), count(usage["cached_input_tokens"]) ?? 0, count(usage["output_tokens"])];
    if (input === undefined || output === undefined) return [];
    const conversation = { input, cached, output };
    const before = this.#before;
    const told: Update = { kind: "usage", usage: { conversation } };
    // Less than before: the count began anew, so the difference would mean nothing.
    if (before === null || input < before.input || cached < before.cached || output < before.output) return [told];
    const cacheRead = cached - before.cached;
    const own = { input: Math.max(0, input - before.input - cacheRead), cacheRead, output: output - before.output };
    return [{ kind: "usage", usage: { ...own, conversation } }];
  }

  #forgotten(reason: string): RunEnded {
    return failed("E_RESUME_UNKNOWN", { resume: "unknown", session: this.#resume ?? "", reason });
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
