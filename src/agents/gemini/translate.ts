/**
 * Translates Gemini CLI's output into updates: pure, one line in, updates out. It reads both formats: lines of
 * `stream-json`, and the single multi-line object of `json`, whose error object is on stderr. Known traps: a turn that
 * was cut off exits successfully and without a result, its exit code is the API's status modulo 256, and a failed
 * command is reported as a success.
 */
import type { Exit } from "../../host/processes/child.ts";
import { AnswerCollector } from "../process/reading.ts";
import {
  oneLine,
  summary,
  count,
  type Fields,
  fieldsOf,
  inner,
  definedEntries,
  parseLine,
  text,
  records,
} from "../process/fields.ts";
import { reasonDetails, SESSION_KEY, type Translated, type Translation, unreadable } from "../process/dialect.ts";
import { lastingFailure, PASSING, statusIn, wordsIn } from "../process/failure-words.ts";
import type { Outcome, TurnEnded, Update, TurnUsage, FailedOutcome } from "../contract/updates.ts";
import type { GeminiOutput } from "./driver.ts";
import type { ErrorDetails } from "../../base/errors.ts";

/** A multi-line object longer than this is not an agent's answer. */
const OBJECT_CHARS = 16 * 1024 * 1024;

export class GeminiTranslation implements Translation {
  readonly #resume: string | null;
  readonly #saved: (key: string) => void;
  readonly #output: GeminiOutput;
  readonly #now: () => number;
  readonly #answer = new AnswerCollector();
  readonly #tools = new Map<string, string>();
  readonly #unknown = new Map<string, number>();
  readonly #stdout = new Assembly();
  readonly #stderr = new Assembly();
  #key: string | null = null;
  #keyTold = false;
  #started = false;
  #speaking = false;
  /** Part of the answer was not text. */
  #strange = false;
  #status: number | undefined;
  /** Its last remark of severity `error`: the reason if the result has none. */
  #remark = "";
  #failed: Fields | null = null;

  /**
   * @param resume the session key to resume, or null
   * @param now see `Dialect`
   * @param saved called with the session's id once it is saved
   */
  constructor(
    resume: string | null,
    output: GeminiOutput,
    now: () => number,
    saved: (key: string) => void = () => undefined,
  ) {
    this.#resume = resume;
    this.#saved = saved;
    this.#now = now;
    this.#output = output;
  }

  get unknown(): ReadonlyMap<string, number> {
    return this.#unknown;
  }

  get started(): boolean {
    return this.#started;
  }

  translate(line: Fields): Translated {
    this.#started = true;
    if (line["type"] === "result") return this.#result(line);
    if (line["type"] === undefined && "session_id" in line) return this.#whole(line);
    return { updates: this.#translateMessage(line), replies: [], end: null };
  }

  piece(line: string): Translated | null {
    if (this.#output !== "json") return null;
    const taken = this.#stdout.addLine(line);
    if (taken === null) return null;
    if (taken === "broken") this.#leave("output that is not a JSON object");
    return typeof taken === "string" ? nothing : this.translate(taken);
  }

  overhear(line: string): Update[] {
    const retry = /^Attempt \d+ failed(?: with status (\d{3}))?.*?Retrying (?:with backoff|after \d+ ?ms)/.exec(line);
    if (retry) {
      this.#status = Number(retry[1]) || this.#status;
      // Gemini would now sleep until the quota resets, possibly for hours, and block our thread and slot.
      const end = this.#fail({ words: retry[0], status: this.#status ?? 429, at: this.#now() });
      if (Number(end.details["resets_at"] ?? 0) - this.#now() > LONGEST_THROTTLE_MS) return [end];
      return [{ kind: "notice", code: "model_retry", text: oneLine(retry[0]) }];
    }
    const taken = this.#stderr.addLine(line.replace(/^\[ERROR\] /, ""));
    if (taken === null || typeof taken === "string" || !("session_id" in taken)) return [];
    this.#failed = fieldsOf(taken["error"]);
    return this.#reportKey(taken);
  }

  ending({ code }: Exit, stderr: string): TurnEnded | null {
    const reason = tellingLine(stderr);
    if (this.#resume !== null && !this.#started && /Error resuming session|Invalid session identifier/.test(stderr)) {
      return {
        kind: "end",
        outcome: "failed",
        code: "E_RESUME_UNKNOWN",
        details: { resume: "unknown", session: this.#resume, ...reasonDetails(reason) },
      };
    }
    if (this.#stdout.open && code === 0) {
      return {
        kind: "end",
        outcome: "failed",
        code: "E_ADAPTER_PARSE",
        details: { because: "why_answer_cut", exit_code: 0 },
      };
    }
    if (code === 0 || code === null || (reason === "" && this.#failed === null)) return null;
    const told = count(this.#failed?.["code"]) ?? this.#status;
    const status = told !== undefined && told % 256 === code ? told : undefined;
    return this.#fail({ words: text(this.#failed?.["message"]) || reason, status, exitCode: code });
  }

  #translateMessage(line: Fields): Update[] {
    switch (line["type"]) {
      case "init":
        return [
          ...this.#reportKey(line),
          ...(["", "auto"].includes(text(line["model"])) ? [] : [usage({ model: text(line["model"]) })]),
        ];
      case "message":
        return line["role"] === "assistant" ? this.#textUpdates(line) : [];
      case "tool_use":
        return this.#toolUse(line);
      case "tool_result":
        return this.#toolResult(line);
      case "error":
        if (line["severity"] === "error") this.#remark = text(line["message"]);
        return [{ kind: "notice", code: "told", text: oneLine(text(line["message"])) }];
      default:
        return this.#leave(text(line["type"]) || "(no type)");
    }
  }

  #textUpdates(line: Fields): Update[] {
    if (!this.#speaking) this.#answer.beginBlock("");
    this.#speaking = true;
    if (typeof line["content"] !== "string") this.#strange = true;
    return [...this.#proved(), ...spoken(this.#answer.piece(text(line["content"])))];
  }

  #toolUse(line: Fields): Update[] {
    this.#speaking = false;
    const [id, name] = [text(line["tool_id"]), text(line["tool_name"]) || "?"];
    if (this.#tools.has(id)) return [];
    const input =
      fieldsOf(line["parameters"]) ?? (line["parameters"] === undefined ? {} : { value: line["parameters"] });
    this.#tools.set(id, name);
    return [
      ...this.#proved(),
      { kind: "tool_started", id, name, title: titleOf(name, input), input },
      ...planOf(name, input),
    ];
  }

  #toolResult(line: Fields): Update[] {
    this.#speaking = false;
    const id = text(line["tool_id"]);
    const name = this.#tools.get(id) ?? "?";
    const ok = wentWell(name, line);
    const said = text(line["output"]) || text(inner(line, "error")["message"]);
    const denied: Update[] = wasDenied(name, line) ? [{ kind: "denied", tool: name, id, reason: oneLine(said) }] : [];
    return [...denied, { kind: "tool_finished", id, ok, summary: summary(said) }];
  }

  #result(line: Fields): Translated {
    const used = usage(usageOf(inner(line, "stats")));
    if (line["status"] === "success")
      return { updates: [...this.#proved(), used], replies: [], end: { kind: "end", ...this.#done() } };
    const words = text(inner(line, "error")["message"]) || this.#remark;
    const at = Date.parse(text(line["timestamp"]));
    const end = this.#fail({ words, status: this.#status, at: Number.isNaN(at) ? undefined : at });
    return { updates: [used], replies: [], end };
  }

  /** The single object of `json`. */
  #whole(line: Fields): Translated {
    const error = fieldsOf(line["error"]);
    if (line["response"] != null && typeof line["response"] !== "string") this.#strange = true;
    const warnings = Array.isArray(line["warnings"]) ? line["warnings"].map((one) => oneLine(text(one))) : [];
    const updates: Update[] = [
      ...this.#reportKey(line),
      ...(error === null ? this.#proved() : []),
      ...warnings.map((said): Update => ({ kind: "notice", code: "told", text: said })),
      ...spoken(this.#answer.block("", text(line["response"]))),
      usage(usageOf(inner(line, "stats"))),
    ];
    if (error === null) return { updates, replies: [], end: { kind: "end", ...this.#done() } };
    const end = this.#fail({ words: text(error["message"]), status: count(error["code"]) ?? this.#status });
    return { updates, replies: [], end };
  }

  #done(): Outcome {
    if (this.#strange) return unreadable;
    if (this.#key !== null) return { outcome: "done", result: this.#answer.whole };
    return { outcome: "failed", code: "E_ADAPTER_SESSION_KEY_MISSING", details: { tool: "gemini" } };
  }

  /** The object of `json` does not say which tools ran. */
  #fail(failure: Omit<Failure, "toolsSeen">): ReturnType<typeof failureOf> {
    return failureOf({ ...failure, toolsSeen: this.#output === "stream-json" });
  }

  /**
   * The first key counts, which is that of `init`. A resumed conversation already exists, so its key is reported at
   * once.
   */
  #reportKey(line: Fields): Update[] {
    const key = text(line["session_id"]);
    if (this.#key !== null || key === "") return [];
    if (!SESSION_KEY.test(key)) return this.#leave("an unexpected session_id");
    this.#key = key;
    return this.#resume === null ? [] : this.#proved();
  }

  /** Gemini saves a conversation from the model's first words on: one that failed before them can never be resumed. */
  #proved(): Update[] {
    if (this.#keyTold || this.#key === null) return [];
    this.#keyTold = true;
    this.#saved(this.#key);
    return [{ kind: "session_key", key: this.#key }];
  }

  #leave(kind: string): Update[] {
    this.#unknown.set(kind, (this.#unknown.get(kind) ?? 0) + 1);
    return [];
  }
}

const nothing: Translated = { updates: [], replies: [], end: null };

/** Assembles an object printed over many lines, as the agent prints it: each outer brace is alone on its line. */
class Assembly {
  #lines: string[] = [];
  #chars = 0;

  get open(): boolean {
    return this.#lines.length > 0;
  }

  /**
   * The object that this line completes, `open` if it is one of its lines, `broken` if they are not an object; null for
   * other text.
   */
  addLine(line: string): Fields | "open" | "broken" | null {
    const end = line.trimEnd();
    if (!this.open && end !== "{") return null;
    this.#lines.push(line);
    this.#chars += line.length;
    if (end !== "}" && this.#chars <= OBJECT_CHARS) return "open";
    const whole = this.#lines.splice(0).join("\n");
    this.#chars = 0;
    return parseLine(whole) ?? "broken";
  }
}

function spoken(delta: string): Update[] {
  return delta === "" ? [] : [{ kind: "text", delta }];
}

function usage(used: TurnUsage): Update {
  return { kind: "usage", usage: used };
}

/** The line of stderr that best explains the exit; empty if there is none. */
function tellingLine(stderr: string): string {
  const lines = stderr.split("\n").filter((line) => !/^(?:\s|Warning:|\[STARTUP\]|YOLO mode|Ripgrep is|$)/.test(line));
  return oneLine(lines.find((line) => /error|invalid|unknown|please|cannot|failed|not /i.test(line)) ?? "");
}

/**
 * What this run alone has used, also in a resumed conversation. `stream-json` tells totals and a table of models,
 * `json` only the table, with other field names.
 */
function usageOf(stats: Fields): TurnUsage {
  const models = Object.entries(inner(stats, "models")).map(([name, used]) => ({
    name,
    used: tokensOf(fieldsOf(used) ?? {}),
  }));
  const sum = (key: keyof Tokens): number | undefined =>
    models.length === 0 ? undefined : models.reduce((all, { used }) => all + (used[key] ?? 0), 0);
  // Small models do side work such as routing; the model with the most output wrote the answer.
  const main = models.sort((a, b) => (b.used.output ?? 0) - (a.used.output ?? 0))[0];
  return definedEntries<TurnUsage>({
    input: count(stats["input"]) ?? sum("input"),
    output: count(stats["output_tokens"]) ?? sum("output"),
    cacheRead: count(stats["cached"]) ?? sum("cached"),
    durationMs: count(stats["duration_ms"]) || undefined,
    model: main && (main.used.output ?? 0) > 0 ? main.name : undefined,
  });
}

interface Tokens {
  input: number | undefined;
  output: number | undefined;
  cached: number | undefined;
}

function tokensOf(used: Fields): Tokens {
  const tokens = fieldsOf(used["tokens"]) ?? used;
  const thoughts = count(tokens["thoughts"]) ?? 0;
  const candidates = count(tokens["candidates"]);
  return {
    input: count(tokens["input"]),
    output: count(tokens["output_tokens"]) ?? (candidates === undefined ? undefined : candidates + thoughts),
    cached: count(tokens["cached"]),
  };
}

/*
 * Gemini's tools as people see them, and what their calls mean for plans. Its status of a command is unreliable: a
 * failed command is reported as a success, and only the text beside it tells.
 */

/** The parameter that describes the call best; for other tools, the first text parameter. */
const telling: Record<string, string> = {
  run_shell_command: "command",
  write_file: "file_path",
  replace: "file_path",
  read_file: "file_path",
  list_directory: "dir_path",
  glob: "pattern",
  grep_search: "pattern",
  search_file_content: "pattern",
  web_fetch: "prompt",
  google_web_search: "query",
  save_memory: "fact",
};

/** One line, at most 200 characters. */
function titleOf(name: string, input: Fields): string {
  const named = text(input[telling[name] ?? ""]);
  return oneLine(named || text(Object.values(input).find((value) => text(value) !== "")) || name);
}

/** The text that replaces the output of a command that failed without output. */
const FAILED_COMMAND =
  /^Command (?:exited with code: (?!0\s*$)|terminated by signal|failed|was automatically cancelled|cancelled by user)/;

function wentWell(name: string, result: Fields): boolean {
  if (result["status"] !== "success") return false;
  return name !== "run_shell_command" || !FAILED_COMMAND.test(text(result["output"]));
}

/** Whether one of the owner's rules, or the mode, refused it, and not the tool. */
function wasDenied(name: string, result: Fields): boolean {
  const type = inner(result, "error")["type"];
  return type === "policy_violation" || (type === "tool_not_registered" && WRITING_TOOLS.has(name));
}

/** They are not there while it may only read. */
const WRITING_TOOLS = new Set(["write_file", "replace"]);

/** The plan that a tool call writes, if it writes one; cancelled entries are left out. */
function planOf(name: string, input: Fields): Update[] {
  if (name !== "write_todos") return [];
  const states: Record<string, "active" | "done"> = { in_progress: "active", completed: "done" };
  const todos = records(input["todos"]).filter((todo) => todo["status"] !== "cancelled");
  const entries = todos.map((todo) => ({
    text: oneLine(text(todo["description"])),
    state: states[text(todo["status"])] ?? ("pending" as const),
  }));
  return [{ kind: "plan", entries }];
}

/*
 * What Gemini's failure messages mean: the status of the model's API, whether the account's quota is used up and when
 * it resets, and whether a retry may work soon. Nothing is guessed: an unknown message is just a failure.
 */

/** The command that logs in, for a terminal. */
export const LOGIN = "gemini";

interface Failure {
  words: string;
  /** The status of the model's API, if reported elsewhere. */
  status?: number | undefined;
  /** When the message was written, milliseconds since the epoch; the text contains only a duration. */
  at?: number | undefined;
  /** Whether all tools that ran were seen; otherwise the prompt must not be retried automatically. */
  toolsSeen: boolean;
  exitCode?: number | undefined;
}

/** The agent itself waits no longer than this and treats a longer wait as a used-up quota. */
const LONGEST_THROTTLE_MS = 300_000;

const USED_UP =
  /exhausted your (?:daily quota|capacity)|quota will reset after|usage limit reached|(?:requests|tokens) per day|limit:\s*0(?![.\d])/i;

function failureOf(failure: Failure): FailedOutcome & { kind: "end" } {
  const { words, at, toolsSeen, exitCode } = failure;
  const status = statusOf(words) ?? failure.status;
  const delay = delayOf(words);
  const limited = (USED_UP.test(words) && delay !== 0) || (delay ?? 0) > LONGEST_THROTTLE_MS;
  const lasting = limited ? null : lastingFailure(words, status ?? null);
  const details: ErrorDetails = {
    ...reasonDetails(wordsIn(words), { because: "why_nothing_said" }),
    ...(status !== undefined && { status }),
    ...(exitCode !== undefined && { exit_code: exitCode }),
  };
  if (lasting?.code === "E_AGENT_LOGIN")
    return { kind: "end", outcome: "failed", code: lasting.code, details: { login: LOGIN, ...lasting.details } };
  if (!toolsSeen) details["tools"] = "unknown";
  if (lasting !== null)
    return { kind: "end", outcome: "failed", code: lasting.code, details: { ...details, ...lasting.details } };
  if (!limited) return { kind: "end", outcome: "failed", ...passing(words, details, toolsSeen) };
  const resetsAt = at !== undefined && delay !== undefined ? at + delay : undefined;
  if (resetsAt !== undefined) details["resets_at"] = resetsAt;
  return { kind: "end", outcome: "failed", code: "E_USAGE_LIMIT", details };
}

function passing(words: string, details: ErrorDetails, toolsSeen: boolean): Pick<FailedOutcome, "code" | "details"> {
  const { status } = details;
  const isPassing = status === 429 || Number(status) >= 500 || PASSING.test(words);
  if (!isPassing) return { code: "E_CLI_EXIT_NONZERO", details };
  return { code: "E_SERVICE_BUSY", details: { ...details, ...(toolsSeen && { temporary: true }) } };
}

function statusOf(words: string): number | undefined {
  const status = Number(/"code"\s*:\s*(\d{3})\b/.exec(words)?.[1] ?? statusIn(words) ?? Number.NaN);
  if (count(status) !== undefined) return status;
  // Gemini adds this text to every 429, whatever the API itself said.
  return /RESOURCE_EXHAUSTED|request a quota increase/.test(words) ? 429 : undefined;
}

/** `reset after 2h29m39s`, `retry in 12.5s`, `retry after 60s`: milliseconds. */
function delayOf(words: string): number | undefined {
  const found = /(?:reset|retry) (?:after|in) ((?:\d+(?:\.\d+)?(?:ms|[dhms]))+)/i.exec(words);
  if (!found) return undefined;
  const units: Record<string, number> = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1000, ms: 1 };
  const parts = [...found[1]!.matchAll(/(?<![\d.])(\d+(?:\.\d+)?)(ms|[dhms])/gi)];
  return Math.round(parts.reduce((all, [, count, unit]) => all + Number(count) * (units[unit!.toLowerCase()] ?? 0), 0));
}
