/**
 * What Claude's `result` line means: how the run ended, what it used, and whether a retry may work soon. It is judged
 * by `is_error` (and an `error_…` subtype), never by `subtype: "success"`, which also appears on failures of the model.
 * Money and tokens of a resumed session count from the session's start; only those since the last result belong to this
 * run.
 */
import type { ErrorDetails } from "../../base/errors.ts";
import {
  oneLine,
  summary,
  count,
  type Fields,
  inner,
  definedEntries,
  records,
  text,
  fieldsOf,
} from "../process/fields.ts";
import { reasonDetails } from "../process/dialect.ts";
import { lastingFailure, PASSING, statusIn, statusOfKind } from "../process/failure-words.ts";
import type { FailedOutcome, Outcome, TurnUsage, Update } from "../contract/updates.ts";
import { instantOf, isTimeZone, shownAt } from "../../base/local-time.ts";
import { oneLine as lineOf } from "../../base/text.ts";
import { wordsOf } from "../../core/rules/commands.ts";

/** The command that logs in, for a terminal. */
export const LOGIN = "claude auth login";

/**
 * How the run failed, or null if it did not. `resume`: the session key it resumed; `limit`: the usage limit it ended
 * with; `kind`: what Claude calls the failure, where it has told that.
 */
export function failureOf(result: Fields, resume: string | null, limit: Limit | null, kind?: unknown): Outcome | null {
  const subtype = text(result["subtype"]);
  if (result["is_error"] !== true && !subtype.startsWith("error")) return null;
  const reason = reasonOf(result);
  if (resume !== null && /No conversation found|--resume requires/.test(reason)) {
    return {
      outcome: "failed",
      code: "E_RESUME_UNKNOWN",
      details: { resume: "unknown", session: resume, ...reasonDetails(reason) },
    };
  }
  const told = count(result["api_error_status"]) ?? statusIn(reason);
  const status = told ?? statusOfKind(kind);
  const ended = text(result["terminal_reason"]);
  const lasting = lastingFailure(reason, FULL_ENDS.has(ended) ? FULL_STATUS : status);
  if (lasting?.code === "E_AGENT_LOGIN") return loggedOut(lasting.details, reason, kind);
  const details: ErrorDetails = {
    ...reasonDetails(reason, { because: "why_nothing_said" }),
    kind: ended || subtype,
    ...(told !== null && { status: told }),
  };
  if (lasting !== null && limit?.resetsAt === undefined)
    return { outcome: "failed", code: lasting.code, details: { ...details, ...lasting.details, ...kindIn(ended) } };
  if (limit !== null) {
    if (limit.resetsAt !== undefined) details["resets_at"] = limit.resetsAt;
    return { outcome: "failed", code: "E_USAGE_LIMIT", details };
  }
  if ((status ?? 0) >= 500 || (["", "api_error"].includes(ended) && PASSING.test(reason)))
    return { outcome: "failed", code: "E_SERVICE_BUSY", details: { ...details, temporary: true } };
  // A throttle: to try again at once would be too soon.
  if (status === 429) return { outcome: "failed", code: "E_SERVICE_BUSY", details };
  return { outcome: "failed", code: "E_CLI_EXIT_NONZERO", details };
}

/** How a run ends that was sent more than the model takes; the last of them where Claude may not compact by itself. */
const FULL_ENDS: ReadonlySet<string> = new Set(["prompt_too_long", "image_error", "blocking_limit"]);
const FULL_STATUS = 413;

function kindIn(ended: string): ErrorDetails {
  return ended === "" ? {} : { kind: ended };
}

/**
 * Claude's own words name a command of its terminal, which would be another command in Discord; those about the
 * credentials of a cloud do not, and no command of Claude's mends these.
 */
function loggedOut(why: ErrorDetails, reason: string, kind: unknown): FailedOutcome {
  const how = kind === "cloud_credential_error" ? reasonDetails(reason) : { login: LOGIN };
  return { outcome: "failed", code: "E_AGENT_LOGIN", details: { tool: "claude", ...how, ...why } };
}

export function usageOf(result: Fields): TurnUsage {
  const since = Object.entries(inner(result, "model_usage_since_last_result"));
  const models = since.map(([, used]) => used).flatMap((used) => records([used]));
  const total = inner(result, "usage");
  const sum = (key: string): number | undefined =>
    models.length === 0 ? undefined : models.reduce((all, used) => all + (count(used[key]) ?? 0), 0);
  const dollars = sum("costUSD");
  const main = mainModel(inner(result, "modelUsage"));
  return definedEntries<TurnUsage>({
    input: sum("inputTokens") ?? count(total["input_tokens"]),
    output: sum("outputTokens") ?? count(total["output_tokens"]),
    cacheRead: sum("cacheReadInputTokens") ?? count(total["cache_read_input_tokens"]),
    cacheWritten: sum("cacheCreationInputTokens") ?? count(total["cache_creation_input_tokens"]),
    cost: dollars === undefined ? undefined : { amount: dollars, currency: "USD" },
    durationMs: count(result["duration_ms"]),
    contextSize: count(main?.["contextWindow"]),
  });
}

/** With the tokens of one more exchange. @param exchange as the model's API tells it */
export function addExchange(used: TurnUsage, exchange: Fields): TurnUsage {
  const plus = (before: number | undefined, key: string): number => (before ?? 0) + (count(exchange[key]) ?? 0);
  return {
    input: plus(used.input, "input_tokens"),
    output: plus(used.output, "output_tokens"),
    cacheRead: plus(used.cacheRead, "cache_read_input_tokens"),
    cacheWritten: plus(used.cacheWritten, "cache_creation_input_tokens"),
  };
}

/** Tokens in the context after one exchange: everything sent and everything returned. */
export function contextOf(usage: Fields): number {
  const parts = ["input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens", "output_tokens"];
  return parts.reduce((all, key) => all + (count(usage[key]) ?? 0), 0);
}

function reasonOf(result: Fields): string {
  const errors = Array.isArray(result["errors"]) ? result["errors"].filter((one) => typeof one === "string") : [];
  return oneLine(text(result["result"]) || errors.join("; ") || text(result["subtype"]));
}

/** The model with the most output; small models do side work. */
function mainModel(models: Fields): Fields | undefined {
  return records(Object.values(models)).sort(
    (a, b) => (count(b["outputTokens"]) ?? 0) - (count(a["outputTokens"]) ?? 0),
  )[0];
}

/*
 * Tools as people see them: one line that says what a tool is about to do, the start of its output, and what it means
 * for plans; and the names of subagents. Titles are for reading only; permissions are decided on the whole input.
 */

/** The input field that describes the call best, for known tools. */
const telling: Record<string, string> = {
  Bash: "command",
  Edit: "file_path",
  ExitPlanMode: "plan",
  Glob: "pattern",
  Grep: "pattern",
  NotebookEdit: "notebook_path",
  Read: "file_path",
  Skill: "skill",
  Task: "description",
  ToolSearch: "query",
  WebFetch: "url",
  WebSearch: "query",
  Write: "file_path",
};

/** One line, at most 200 characters; the tool's name if its input has no text. */
export function titleOf(name: string, input: Fields): string {
  const question = text(records(input["questions"])[0]?.["question"]);
  const best = text(input[telling[name] ?? ""]) || question;
  const any = Object.values(input).find((value) => typeof value === "string" && value !== "");
  return oneLine(best || text(any) || name);
}

/** The start of a tool result's content, which is a text or a list of blocks, some of them text. */
export function summaryOf(content: unknown): string {
  const whole =
    typeof content === "string"
      ? content
      : records(content)
          .map((block) => text(block["text"]) || `[${text(block["type"]) || "?"}]`)
          .join("\n");
  return summary(whole);
}

/** The plan that a tool call writes, if it writes one. */
export function planOf(name: string, input: Fields): Update[] {
  if (name !== "TodoWrite") return [];
  const states: Record<string, "active" | "done"> = { in_progress: "active", completed: "done" };
  const entries = records(input["todos"]).map((todo) => ({
    text: oneLine(text(todo["content"])),
    state: states[text(todo["status"])] ?? ("pending" as const),
  }));
  return [{ kind: "plan", entries }];
}

/** The whole input of a tool call. An input that is not an object is kept under `value`, so that all of it is shown. */
export function inputOf(call: Fields): Fields {
  return fieldsOf(call["input"]) ?? (call["input"] === undefined ? {} : { value: call["input"] });
}

/** The content blocks of a message in either format. */
export function blocksOf(message: Fields): Fields[] {
  const content = inner(message, "message")["content"];
  return typeof content === "string" ? [{ type: "text", text: content }] : records(content);
}

/** A name is read by people and kept in the journal. */
const NAME_CHARS = 100;

/** The subagents that a Claude has started, by the id that their requests carry, so that people are told which asks. */
export class Subagents {
  readonly #names = new Map<string, string>();

  /** Takes a `task_started` line. */
  started(line: Fields): void {
    const id = text(line["task_id"]);
    const name = [text(line["subagent_type"]), text(line["description"])].filter((part) => part !== "").join(": ");
    if (id !== "" && name !== "") this.#names.set(id, lineOf(name, NAME_CHARS));
  }

  /** What people call the subagent of a request; undefined if Claude itself asks. */
  nameOf(request: Fields): string | undefined {
    const id = text(request["agent_id"]);
    return id === "" ? undefined : (this.#names.get(id) ?? "subagent");
  }
}

/**
 * Where the shell of a Claude starts its next command. Claude says so when its process begins, and its requests do not;
 * a command that may lead elsewhere makes it unknown until that process ends.
 */
export class Shell {
  #cwd: string | null = null;
  #isLost = false;

  /** Null: that is not known. */
  get cwd(): string | null {
    return this.#isLost ? null : this.#cwd;
  }

  began(cwd: string): void {
    if (cwd.startsWith("/")) this.#cwd ??= cwd;
  }

  /** @param input null: it was too long to be read */
  used(tool: string, input: Fields | null): void {
    this.#isLost ||= /worktree/i.test(tool) || (tool === "Bash" && (input === null || leads(text(input["command"]))));
  }
}

/** What cannot change the directory of the shell that runs it: programs, and a few of its own commands. */
const PROGRAMS: ReadonlySet<string> = new Set(
  (
    "git ls cat head tail wc grep rg find sed awk sort uniq cut tr diff tree stat file du df date which mkdir touch rm cp mv " +
    "chmod ln node npm npx yarn pnpm bun deno tsc python python3 pip pip3 pytest ruby bundle php composer java mvn gradle " +
    "echo printf pwd true false go cargo rustc make cmake docker kubectl terraform gh jq curl wget tar zip unzip sleep"
  ).split(" "),
);
/** What stands between commands, and where their output goes. */
const BETWEEN = /&&|\|\||[|;]/;
const REDIRECTED = / (?:[12]?>>? ?[\w./-]+|2>&1)/g;

/** Whether a command may change the directory of the shell that runs it. */
function leads(command: string): boolean {
  return command
    .replace(REDIRECTED, "")
    .split(BETWEEN)
    .some((part) => !PROGRAMS.has(wordsOf(part)?.[0] ?? ""));
}

/*
 * Claude's usage limits: whether a failure is one, and when it lifts. Newer versions report limits in fields with an
 * exact time. All versions report them in text, where the time is local to some time zone and has no seconds. A plain
 * 429 is a throttle, not a limit.
 */

/** `resetsAt` is in milliseconds since the epoch, if known. */
export interface Limit {
  resetsAt?: number;
}

/** The limit in a line's fields, or null. A limit that the account's credits cover does not count. */
export function limitTold(line: Fields): Limit | null {
  const own = inner(line, "rate_limit_info");
  const info = own["status"] === undefined ? inner(inner(line, "api_error_params"), "rate_limit_info") : own;
  if (info["status"] !== "rejected" || info["isUsingOverage"] === true) return null;
  return limit((count(info["resetsAt"]) ?? Number.NaN) * 1000);
}

/**
 * The limit that a failed result ended with, or null. `told`: from an earlier line; `now`: milliseconds since the
 * epoch.
 */
export function limitOf(result: Fields, told: Limit | null, now: number): Limit | null {
  const words = text(result["result"]);
  const isOne =
    result["api_error"] === "usage_limit_reached" ||
    LIMIT.test(words) ||
    BUDGET.test(words) ||
    (told !== null && result["api_error_status"] === 429);
  if (!isOne) return null;
  return told?.resetsAt === undefined ? limit(resetsAtOf(words, now) ?? Number.NaN) : told;
}

/** The wording from 1.0 to 2.1.329, including used-up credits and spending caps. */
const LIMIT =
  /^(?:You['’]ve (?:hit|reached) your |You['’]re out of (?:usage credits|extra usage)|Your org is out of usage|Claude (?:AI )?usage limit reached|(?:(?:Opus|Sonnet|Fable)(?: weekly)?|Weekly|Session|5-hour|Usage) limit reached)/;

/** A budget that an organization shares names a day, in the words of its API. */
const BUDGET = /API usage limits\b.{0,40}\bregain access on (\d{4}-\d{2}-\d{2}) at (\d{2}:\d{2}) UTC/;

/** When a limit lifts, according to its text: seconds since the epoch, or a local time with its zone. */
export function resetsAtOf(words: string, now: number): number | null {
  const seconds = /limit reached\|(\d{10})\b/.exec(words)?.[1];
  if (seconds !== undefined) return Number(seconds) * 1000;
  const regained = BUDGET.exec(words);
  if (regained) return Date.parse(`${regained[1]}T${regained[2]}:00Z`);
  const found = CLOCK.exec(words);
  if (!found) return null;
  const [, monthName = "", day, year, hour, minute = "0", half, zone] = found;
  const time = (Number(hour) % 12) * 60 + (half?.toLowerCase() === "pm" ? 720 : 0) + Number(minute) + 1;
  if (zone !== undefined && !isTimeZone(zone)) return null;
  // Without a date it is the next time the clock shows this time; without a year, the next such day. What has just been
  // is told as it is: past.
  const date = new Date(shownAt(now, zone));
  const month = monthName === "" ? date.getUTCMonth() : MONTHS.indexOf(monthName.toLowerCase());
  const on = (years: number, days: number): number =>
    instantOf(
      Date.UTC(Number(year ?? date.getUTCFullYear() + years), month, Number(day ?? date.getUTCDate()) + days, 0, time),
      zone,
    );
  const first = on(0, 0);
  if (year !== undefined) return first;
  if (monthName !== "") return first > now - DAY_MS ? first : on(1, 0);
  // What the clock has shown within the last hour is past: nobody waits a day for it.
  const next = first > now ? first : on(0, 1);
  const last = first > now ? on(0, -1) : first;
  return now - last < HOUR_MS ? last : next;
}

/**
 * `resets 3pm`, `resets 3:22am (America/New_York)`, `resets Nov 23, 8:35pm (…)`, `resets Jan 18, 2027, 1:25pm (…)`,
 * `will reset at 7pm (…)`.
 */
const CLOCK =
  /\breset(?:s|s at| at) (?:([A-Z][a-z]{2}) (\d{1,2})(?:, (\d{4}))?(?:,| at) )?(\d{1,2})(?::(\d{2}))?\s?([ap]m)\b(?: \(([\w+/-]+)\))?/i;

const MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split(" ");
const HOUR_MS = 60 * 60_000;
const DAY_MS = 24 * HOUR_MS;

function limit(resetsAt: number): Limit {
  return Number.isFinite(resetsAt) && resetsAt > 0 ? { resetsAt } : {};
}
