/**
 * What an agent reports with `session/update`, as updates in our own terms: pure, in order, one instance per turn. The
 * protocol puts nothing between two messages, so a new message id, a tool or a thought in between begins a paragraph.
 */
import { lastingFailure } from "../process/failure-words.ts";
import { AnswerCollector } from "../process/reading.ts";
import { costIn, costKey, isCurrency, type Cost } from "../../core/jobs/cost.ts";
import {
  oneLine,
  summary,
  count,
  type Fields,
  fieldsOf,
  inner,
  definedEntries,
  records,
  text,
} from "../process/fields.ts";
import type { FailedOutcome, TurnUsage, Update } from "../contract/updates.ts";

interface AcpToolCall {
  name: string;
  title: string;
  input: Fields;
  /** Whether its start was reported. */
  started: boolean;
  ended: boolean;
}

/**
 * What a call is going to do: `rawInput` and `content`. `cut`: the bytes of an update whose long texts were not read;
 * absent: all was.
 */
interface What {
  what: Fields;
  cut?: number;
}

/** What calls are going to do is kept of the last ones only: it may be megabytes long, and a call need never end. */
const MOST_OPEN = 32;

/** Claude's adapter tells a failure of the model twice: as a message, and as the error with which the prompt ends. */
const FAILURE = /^API Error: /;

/** Updates before which what was held back is said. */
const FOLLOWS: ReadonlySet<unknown> = new Set([
  "agent_message_chunk",
  "agent_thought_chunk",
  "tool_call",
  "tool_call_update",
  "plan",
]);

/** What agents say of themselves in the middle of an answer; it is not part of it. */
const ASIDES =
  /^(?:Warning: Model metadata for .*|\*\*Warning:\*\* We're changing auto mode.*|Config warning: .*|\[MODE_UPDATE\].*)\s*$/s;

export class AcpTranslation {
  /** Kinds of updates that were not understood, with their counts. */
  readonly unknown = new Map<string, number>();
  readonly #answer = new AnswerCollector();
  readonly #tools = new Map<string, AcpToolCall>();
  /** What calls that have not ended are going to do, as far as it was told: `rawInput` and `content`. */
  readonly #what = new Map<string, What>();
  readonly #refused = new Set<string>();
  #message: string | null = null;
  #broken = true;
  #costBefore: Cost | null;
  #failure: string | null = null;
  /** A message that may be the turn's failure: held back until more follows, or the end. */
  #held: { message: string; words: string } | null = null;

  /** @param costBefore what the conversation had cost before this turn; null if nobody knows */
  constructor(costBefore: Cost | null = NOTHING_YET) {
    this.#costBefore = costBefore;
  }

  /** The whole answer, or the beginning of one that is too long. */
  get answer(): string {
    return this.#answer.whole;
  }

  /** What the agent said after it reported that its turn failed, for one that ends such a turn normally; else null. */
  get failure(): string | null {
    return this.#failure;
  }

  /** Tool calls that were reported as started, and neither ended nor refused. */
  get openTools(): ReadonlyMap<string, string> {
    return new Map(
      [...this.#tools].flatMap(([call, { name, title, started, ended }]) =>
        started && !ended && !this.#refused.has(call) ? [[call, title || name || call] as const] : [],
      ),
    );
  }

  /** @param cut the bytes of an update whose long texts were not read; absent: all was */
  translate(update: Fields, cut?: number): Update[] {
    const kind = text(update["sessionUpdate"]);
    return FOLLOWS.has(kind)
      ? [...this.flushHeld(), ...this.#translateKind(kind, update, cut)]
      : this.#translateKind(kind, update, cut);
  }

  /** Says what was held back, unless the failure of the turn says the same. */
  flushHeld(failure?: FailedOutcome): Update[] {
    const held = this.#held;
    this.#held = null;
    if (held === null) return [];
    const { code, details } = failure ?? {};
    if (repeats(oneLine(held.words), details?.reason ?? "")) return [];
    if (code !== undefined && lastingFailure(held.words, null)?.code === code) return [];
    return this.#textUpdates(held.message, held.words);
  }

  #translateKind(kind: string, update: Fields, cut: number | undefined): Update[] {
    switch (kind) {
      case "agent_message_chunk":
        return this.#chunk(update);
      case "agent_thought_chunk":
        this.#broken = true;
        return thought(update);
      case "tool_call":
      case "tool_call_update":
        return this.#tool(update, cut);
      case "plan":
        return [planOf(update)];
      case "usage_update":
        return [{ kind: "usage", usage: this.#usage(update) }];
      case "session_info_update":
        return this.#info(update);
      case "notice":
        return [
          {
            kind: "notice",
            code: "told",
            text: oneLine([text(update["title"]), text(update["description"])].filter(Boolean).join(": ")),
          },
        ];
      case "user_message_chunk":
      case "available_commands_update":
      case "current_mode_update":
      case "config_option_update":
        return [];
      default:
        this.unknown.set(kind, (this.unknown.get(kind) ?? 0) + 1);
        return [];
    }
  }

  /** What is known of a tool call, for the request that asks about it. */
  toolOf(call: string): Pick<AcpToolCall, "name" | "title"> & What {
    return { ...(this.#tools.get(call) ?? { name: "", title: "" }), ...(this.#what.get(call) ?? { what: {} }) };
  }

  /** The owner did not allow the call, so its failure is not reported as a tool's. */
  markRefused(call: string): void {
    this.#refused.add(call);
  }

  /** Usage in the prompt's response. */
  conclude(response: Fields): TurnUsage {
    const told = inner(response, "usage");
    const quota = inner(inner(response, "_meta"), "quota");
    const tokens = inner(quota, "token_count");
    return definedEntries<TurnUsage>({
      input: count(told["inputTokens"]) ?? count(tokens["input_tokens"]),
      output: count(told["outputTokens"]) ?? count(tokens["output_tokens"]),
      cacheRead: count(told["cachedReadTokens"]),
      cacheWritten: count(told["cachedWriteTokens"]),
      model: text(records(quota["model_usage"])[0]?.["model"]) || undefined,
    });
  }

  #chunk(update: Fields): Update[] {
    const content = inner(update, "content");
    const words = content["type"] === "text" ? text(content["text"]) : unshown(content);
    if (words === "") return [];
    if (ASIDES.test(words)) return [{ kind: "notice", code: "told", text: oneLine(words) }];
    if (this.#failure !== null) {
      this.#failure += words;
      return [];
    }
    const message = text(update["messageId"]);
    if ((this.#broken || message !== this.#message) && (FAILURE.test(words) || lastingFailure(words, null) !== null)) {
      this.#held = { message, words };
      return [];
    }
    return this.#textUpdates(message, words);
  }

  #textUpdates(message: string, words: string): Update[] {
    if (this.#broken || message !== this.#message) this.#answer.beginBlock(message);
    this.#broken = false;
    this.#message = message;
    return [{ kind: "text", delta: this.#answer.piece(words) }];
  }

  #tool(update: Fields, cut: number | undefined): Update[] {
    const call = text(update["toolCallId"]);
    if (call === "") return [];
    this.#broken = true;
    const tool: AcpToolCall = this.#tools.get(call) ?? { name: "", title: "", input: {}, started: false, ended: false };
    // What it has saved is told once it is done.
    if (tool.ended) return compactedBy(update);
    this.#tools.set(call, tool);
    tool.name = oneLine(text(update["name"])) || tool.name || text(update["kind"]);
    tool.title = oneLine(text(update["title"])) || tool.title;
    if (update["rawInput"] !== undefined && update["rawInput"] !== null && !tool.started)
      tool.input = fieldsOf(update["rawInput"]) ?? { value: update["rawInput"] };
    const status = text(update["status"]);
    if (status === "completed" || status === "failed")
      return this.#end(call, tool, { ok: status === "completed", update });
    this.#keepWhat(call, update, cut);
    // A call may be announced before its input is known.
    return status === "in_progress" || Object.keys(tool.input).length > 0 ? this.#start(call, tool) : [];
  }

  #keepWhat(call: string, { rawInput, content }: Fields, cut: number | undefined): void {
    const told = { ...(rawInput != null && { rawInput }), ...(content != null && { content }) };
    if (Object.keys(told).length === 0) return;
    const before = this.#what.get(call);
    const long = cut ?? before?.cut;
    this.#what.set(call, { what: { ...before?.what, ...told }, ...(long !== undefined && { cut: long }) });
    const [first = ""] = this.#what.keys();
    if (this.#what.size > MOST_OPEN) this.#what.delete(first);
  }

  #start(call: string, tool: AcpToolCall): Update[] {
    if (tool.started) return [];
    const { input } = tool;
    Object.assign(tool, { started: true, input: {} });
    return [{ kind: "tool_started", id: call, name: tool.name || "tool", title: tool.title || tool.name, input }];
  }

  #end(call: string, tool: AcpToolCall, { ok, update }: { ok: boolean; update: Fields }): Update[] {
    tool.ended = true;
    this.#what.delete(call);
    const said = summary(outputOf(update));
    if (this.#refused.has(call) && !ok) return [];
    return [...this.#start(call, tool), { kind: "tool_finished", id: call, ok, summary: said }];
  }

  #usage(update: Fields): TurnUsage {
    const cost = costOf(update);
    return definedEntries<TurnUsage>({
      counters: cost === undefined ? undefined : countersOf(cost),
      contextUsed: count(update["used"]),
      contextSize: count(update["size"]),
      cost: cost === undefined ? undefined : this.#share(cost),
      model: text(inner(update, "_meta")["_claude/model"]) || undefined,
    });
  }

  /** Agents count from the conversation's start; one that has forgotten what came before counts from its own. */
  #share({ amount, currency }: Cost): Cost | undefined {
    const before = this.#costBefore;
    if (before === null || (before.currency !== currency && before.amount > 0)) return undefined;
    return { amount: amount < before.amount ? amount : amount - before.amount, currency };
  }

  /** Codex reports here that the model failed and that it tries again; a turn that failed ends like any other. */
  #info(update: Fields): Update[] {
    const codex = inner(inner(update, "_meta"), "codex");
    if (inner(codex, "threadStatus")["type"] === "systemError") this.#failure ??= "";
    const error = inner(codex, "error");
    return error["willRetry"] === true
      ? [
          {
            kind: "notice",
            code: "model_retry",
            text: oneLine(text(error["additionalDetails"]) || text(error["message"])),
          },
        ]
      : [];
  }
}

/** Either may have been cut short. */
function repeats(words: string, failure: string): boolean {
  return failure !== "" && (failure.includes(words) || words.includes(failure));
}

/** What is no text, in signs that are read in every language: what it is, and how it is called. */
function unshown(content: Fields): string {
  const { type, uri, name, mimeType } = { ...content, ...inner(content, "resource") };
  const sign =
    new Map<unknown, string>([
      ["image", "🖼️"],
      ["audio", "🔊"],
    ]).get(content["type"]) ?? "📎";
  return `${sign} \`${oneLine(text(name) || text(uri) || text(mimeType) || text(type) || "?").replaceAll("`", "'")}\``;
}

function thought(update: Fields): Update[] {
  const delta = text(inner(update, "content")["text"]);
  return delta === "" ? [] : [{ kind: "thought", delta }];
}

function planOf(update: Fields): Update {
  const states: Record<string, "active" | "done"> = { in_progress: "active", completed: "done" };
  return {
    kind: "plan",
    entries: records(update["entries"]).map((entry) => ({
      text: oneLine(text(entry["content"])),
      state: states[text(entry["status"])] ?? "pending",
    })),
  };
}

/** A conversation that begins. */
export const NOTHING_YET: Cost = { amount: 0, currency: "" };

/** Undefined if it is not told. */
export function costOf(update: Fields): Cost | undefined {
  const told = inner(update, "cost");
  const [amount, currency] = [count(told["amount"]), text(told["currency"]).toUpperCase()];
  return amount !== undefined && isCurrency(currency) ? { amount, currency } : undefined;
}

/** The name is that in the journal. */
function countersOf({ amount, currency }: Cost): Record<string, number> {
  return { [`${CONVERSATION}${costKey(currency)}`]: amount };
}

const CONVERSATION = "conversation_";

/** What the conversation had cost after its last turn; null if that was not told. */
export function costBeforeIn(counters: Readonly<Record<string, number>> | null): Cost | null {
  const own = Object.entries(counters ?? {}).filter(([name]) => name.startsWith(CONVERSATION));
  return costIn(Object.fromEntries(own.map(([name, amount]) => [name.slice(CONVERSATION.length), amount])));
}

/** Claude says with a call that it has made its conversation shorter. */
function compactedBy(update: Fields): Update[] {
  const { trigger, preTokens, postTokens } = inner(update, "rawOutput");
  const [before, after] = [count(preTokens), count(postTokens)];
  return text(trigger) === "" || before === undefined ? [] : [{ kind: "compacted", before, after: after ?? null }];
}

function outputOf(update: Fields): string {
  const blocks = records(update["content"]).map(
    (one) => text(inner(one, "content")["text"]) || (one["type"] === "diff" ? text(one["path"]) : ""),
  );
  const raw = update["rawOutput"];
  return (
    blocks.filter(Boolean).join("\n") || text(raw) || (raw === undefined || raw === null ? "" : JSON.stringify(raw))
  );
}
