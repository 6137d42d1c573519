/**
 * Translates the lines of `codex exec --json` into updates: pure, one line in, updates out. Known traps: an item of
 * type `error` is a warning, and so is an `error` line that says "Reconnecting"; the only failures are `turn.failed`
 * and an exit without a turn's end; usage counts from the conversation's start; resuming an unknown conversation
 * silently starts a new one.
 */
import type { ErrorDetails } from "../../base/errors.ts";
import type { Exit } from "../../host/processes/child.ts";
import { AnswerCollector } from "../process/reading.ts";
import { oneLine, summary, count, type Fields, fieldsOf, inner, records, text } from "../process/fields.ts";
import {
  SESSION_KEY,
  type Translated,
  type Translation,
  unreadable,
  failedTurn,
  reasonDetails,
} from "../process/dialect.ts";
import { lastingFailure, PASSING, statusIn, wordsIn } from "../process/failure-words.ts";
import type { Outcome, TurnEnded, Update, FailedOutcome } from "../contract/updates.ts";

export interface CodexConversation {
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
  readonly #answer = new AnswerCollector();
  readonly #startedTools = new Set<string>();
  readonly #unknown = new Map<string, number>();
  #key: string | null = null;
  #started = false;
  /** Whether the turn has produced only warnings so far. */
  #untouched = true;
  #lastError = "";
  /** Part of the answer was not text. */
  #strange = false;

  constructor({ resume, spent }: CodexConversation, now: () => number) {
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

  translate(line: Fields): Translated {
    this.#started = true;
    switch (line["type"]) {
      case "thread.started":
        return this.#thread(text(line["thread_id"]));
      case "turn.started":
        return told([]);
      case "turn.completed":
        return this.#completed(inner(line, "usage"));
      case "turn.failed":
        return this.#translateFailure(text(inner(line, "error")["message"]) || this.#lastError);
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

  /** Of a patch that its sandbox refuses there is no item, only this. */
  overhear(line: string): Update[] {
    const [, reason] = /\berror=(patch rejected: writing is blocked by read-only sandbox\b.*)/.exec(line) ?? [];
    return reason === undefined ? [] : [{ kind: "denied", tool: "apply_patch", reason: oneLine(reason) }];
  }

  /** For a process that exited without a turn's end: its last message on stdout or stderr is the reason. */
  ending({ code, signal }: Exit, stderr: string): TurnEnded | null {
    const said = stderr.split("\n").findLast((line) => /^error\b/i.test(line)) ?? "";
    if (this.#resume !== null && !this.#started && /no rollout found/.test(said)) {
      return this.#unknownSession(reasonDetails(said));
    }
    if (signal !== null || code === 0) return null;
    if ((this.#lastError || said) === "") return null;
    const failure = failureOf(this.#lastError || said, this.#untouched && this.#started, this.#now());
    return failedTurn(failure.code, { ...failure.details, exit_code: code ?? -1 });
  }

  #thread(id: string): Translated {
    if (!SESSION_KEY.test(id)) return told(this.#leave("an unexpected thread_id"));
    if (this.#resume !== null && id !== this.#resume) {
      const end = { ...this.#unknownSession({ because: "why_other_conversation" }), abandon: true };
      return { updates: [], replies: [], end };
    }
    this.#key = id;
    return told([{ kind: "session_key", key: id }]);
  }

  #item(event: ItemEvent, item: Fields): Update[] {
    const type = text(item["type"]);
    const words = text(item["text"]);
    if (type === "error")
      return event === "completed" ? [{ kind: "notice", code: "told", text: oneLine(text(item["message"])) }] : [];
    this.#untouched = false;
    if (type === "agent_message") {
      if (event !== "completed") return [];
      if (typeof item["text"] !== "string") this.#strange = true;
      const delta = this.#answer.block(text(item["id"]), words);
      return delta === "" ? [] : [{ kind: "text", delta }];
    }
    if (type === "reasoning") return [];
    if (type === "todo_list") return [planOf(item)];
    const tool = toolOf(item);
    return tool === null ? this.#leave(`item/${type}`) : this.#tool(event, item, tool);
  }

  /** A tool that is only reported as finished also gets a start. */
  #tool(event: ItemEvent, item: Fields, tool: CodexToolCall): Update[] {
    const id = text(item["id"]);
    const start: Update[] = this.#startedTools.has(id) ? [] : [{ kind: "tool_started", id, ...tool }];
    this.#startedTools.add(id);
    return event === "completed" ? [...start, ...finished(item, id, tool)] : start;
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
    return { updates: this.#used(usage), replies: [], end: { kind: "end", ...done } };
  }

  #translateFailure(message: string): Translated {
    return { updates: [], replies: [], end: { kind: "end", ...failureOf(message, this.#untouched, this.#now()) } };
  }

  /** This turn's share of the conversation's usage; nothing if the earlier usage is unknown. */
  #used(usage: Fields): Update[] {
    const [input, cached, output] = [
      count(usage["input_tokens"]),
      count(usage["cached_input_tokens"]) ?? 0,
      count(usage["output_tokens"]),
    ];
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

  #unknownSession(details: ErrorDetails): TurnEnded {
    return failedTurn("E_RESUME_UNKNOWN", { resume: "unknown", session: this.#resume ?? "", ...details });
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

type ItemEvent = "started" | "updated" | "completed";

/** A command, a file change, an MCP tool, a search or a helper, as its item describes it. */
interface CodexToolCall {
  name: string;
  title: string;
  input: Fields;
}

/** Null if the item is not a tool. */
function toolOf(item: Fields): CodexToolCall | null {
  switch (item["type"]) {
    case "command_execution": {
      const command = text(item["command"]);
      return { name: "shell", title: oneLine(scriptOf(command)) || "shell", input: { command } };
    }
    case "file_change": {
      const changes = records(item["changes"]);
      const paths = changes.map((change) => text(change["path"])).join(", ");
      return { name: "apply_patch", title: oneLine(paths) || "apply_patch", input: { changes } };
    }
    case "mcp_tool_call": {
      const name = [item["server"], item["tool"]].map(text).filter(Boolean).join("/") || "mcp";
      const given = fieldsOf(item["arguments"]) ?? (item["arguments"] == null ? {} : { value: item["arguments"] });
      return { name, title: firstWords(given) || name, input: given };
    }
    case "collab_tool_call": {
      const name = text(item["tool"]) || "collab";
      return { name, title: oneLine(text(item["prompt"])) || name, input: { prompt: text(item["prompt"]) } };
    }
    case "web_search":
      return {
        name: "web_search",
        title: oneLine(text(item["query"])) || "web_search",
        input: { query: text(item["query"]) },
      };
    default:
      return null;
  }
}

function finished(item: Fields, id: string, { name, title }: CodexToolCall): Update[] {
  const status = text(item["status"]);
  const ok = !["failed", "declined"].includes(status) && (count(item["exit_code"]) ?? 0) === 0;
  const output = outputOf(item);
  const updates: Update[] = [{ kind: "tool_finished", id, ok, summary: summary(output) }];
  if (status === "declined" || (name === "shell" && !ok && READ_ONLY.test(output)))
    updates.push({ kind: "denied", tool: name, id, reason: title });
  return updates;
}

/** How a command ends that its sandbox keeps from writing; of one that ends so at once there is no item. */
const READ_ONLY = /: Read-only file system\s*$/;

function outputOf(item: Fields): string {
  const content = records(inner(item, "result")["content"]).map(
    (block) => text(block["text"]) || `[${text(block["type"]) || "?"}]`,
  );
  return text(item["aggregated_output"]) || text(inner(item, "error")["message"]) || content.join("\n");
}

/** Codex says of an entry only whether it is done. */
function planOf(item: Fields): Update {
  const entries = records(item["items"]).map((entry) => ({
    text: oneLine(text(entry["text"])),
    state: entry["completed"] === true ? ("done" as const) : ("pending" as const),
  }));
  return { kind: "plan", entries };
}

/** The command without the shell that runs it: `/bin/bash -lc 'ls'` becomes `ls`. For reading only. */
function scriptOf(command: string): string {
  const [, script] = /^\S*\/?(?:bash|zsh|sh) -l?c ([\s\S]+)$/.exec(command) ?? [];
  if (script === undefined) return command;
  if (/^'[\s\S]*'$/.test(script)) return script.slice(1, -1).replaceAll(`'\\''`, "'").replaceAll(`'"'"'`, "'");
  if (/^"[\s\S]*"$/.test(script)) return script.slice(1, -1).replace(/\\(["\\$`])/g, "$1");
  return script;
}

function firstWords(input: Fields): string {
  return oneLine(text(Object.values(input).find((value) => typeof value === "string" && value !== "")));
}

/*
 * What the message of a failed turn means. Codex has no error codes, only sentences (those of 0.169 are known here), so
 * only what is certain is read from each: a usage limit with the time it lifts, a temporary error, the status of the
 * model's API, and otherwise just the text.
 */

/** The command that logs in, for a terminal. */
export const LOGIN = "codex login";

/**
 * @param message the agent's sentence
 * @param untouched whether the turn had produced nothing before it
 * @param now milliseconds since the epoch: a limit that lifts today is given as a time of day only
 */
function failureOf(message: string, untouched: boolean, now: number): FailedOutcome {
  const said = reasonDetails(wordsIn(message), { because: "why_nothing_said" });
  const resetsAt = resetsAtOf(message, now);
  const status = statusIn(message);
  const details: ErrorDetails = { ...said, ...(status !== null && { status }) };
  const lasting = resetsAt === null ? lastingFailure(message, status) : null;
  if (lasting?.code === "E_AGENT_LOGIN")
    return { outcome: "failed", code: lasting.code, details: { login: LOGIN, ...lasting.details } };
  if (lasting !== null) return { outcome: "failed", code: lasting.code, details: { ...details, ...lasting.details } };
  if (LIMIT.test(message)) {
    const until: ErrorDetails = resetsAt === null ? said : { ...said, resets_at: resetsAt };
    return { outcome: "failed", code: "E_USAGE_LIMIT", details: until };
  }
  // After any output, tools may have run too: Codex does not report a command that the sandbox stopped half-way.
  const how: ErrorDetails = untouched ? { temporary: true } : { tools: "unknown" };
  // A throttle: to try again at once would be too soon.
  if (status === 429)
    return { outcome: "failed", code: "E_SERVICE_BUSY", details: { ...details, ...(untouched ? {} : how) } };
  if (PASSING.test(message) || (status ?? 0) >= 500)
    return { outcome: "failed", code: "E_SERVICE_BUSY", details: { ...details, ...how } };
  return { outcome: "failed", code: "E_CLI_EXIT_NONZERO", details };
}

/** A plan's limit, and used-up credits or spending caps that name a time. Codex writes a typographic apostrophe. */
const LIMIT = /You['’]ve hit your usage limit|out of credits|You hit your spend cap/;

/**
 * When the limit lifts, or null if unknown. Codex gives the agent's local time, which is ours: only the time of day if
 * it is today, else with the date; without seconds in both cases, so the end of that minute is used.
 */
function resetsAtOf(message: string, now: number): number | null {
  const found = /try again at (?:([A-Z][a-z]{2}) (\d{1,2})(?:st|nd|rd|th), (\d{4}) )?(\d{1,2}):(\d{2}) ([AP]M)/.exec(
    message,
  );
  if (!found) return null;
  const [, monthName, day, year, hour, minute, half] = found;
  const hours = (Number(hour) % 12) + (half === "PM" ? 12 : 0);
  const today = new Date(now);
  if (monthName === undefined)
    return new Date(today.getFullYear(), today.getMonth(), today.getDate(), hours, Number(minute) + 1).getTime();
  const month = MONTHS.indexOf(monthName);
  return month < 0 ? null : new Date(Number(year), month, Number(day), hours, Number(minute) + 1).getTime();
}

const MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");
