/**
 * Claude Code's stream-json lines, translated into our updates: pure, one line in, updates and replies out. Each
 * line is taken for what it says and no further: a kind that is not known here is counted, a field that is missing
 * is absent. Traps it knows: `type` is not the first key; a block comes in pieces and then whole; lines of
 * subagents carry `parent_tool_use_id`; a session key on an error result is not a session.
 */
import { Answer } from "../answer.ts";
import { oneLine } from "../excerpts.ts";
import { type Fields, inner, known, records, text } from "../fields.ts";
import type { Reply } from "../driver.ts";
import { SESSION_KEY, type Translated, type Translation } from "../process-run.ts";
import type { Outcome, Update } from "../updates.ts";
import { type Limit, limitOf, limitTold } from "./limit.ts";
import { type Asked, replyLine, Requests } from "./requests.ts";
import { contextOf, failureOf, isAborted, usageOf } from "./result.ts";
import { blocksOf, changeOf, inputOf, planOf, summaryOf, titleOf } from "./tools.ts";

/** Known to say nothing we tell. */
const silent = new Set([
  ..."keep_alive control_response tool_use_summary auth_status".split(" "),
  ..."stream_event/content_block_stop stream_event/message_stop stream_event/ping".split(" "),
  ..."prompt_suggestion system/status system/thinking_tokens system/compact_boundary".split(" "),
  ..."system/hook_started system/hook_progress system/hook_response system/session_state_changed".split(" "),
  ..."system/task_started system/task_progress system/task_updated system/task_notification".split(" "),
  ..."system/files_persisted system/commands_changed".split(" "),
]);

export class ClaudeTranslation implements Translation {
  readonly #resume: string | null;
  readonly #now: () => number;
  readonly #answer = new Answer();
  readonly #tools = new Map<string, { name: string; input: Fields }>();
  readonly #denied = new Set<string>();
  /** Messages whose thoughts were streamed already. */
  readonly #thought = new Set<string>();
  readonly #requests = new Requests();
  readonly #unknown = new Map<string, number>();
  /** To be told with the next line: a refusal is given between two of them. */
  #owed: Update[] = [];
  #key: string | null = null;
  #message = "";
  #context: Fields = {};
  /** The last that a line told of. */
  #limit: Limit | null = null;
  #limited = false;
  #started = false;

  /** @param resume the session key the run was to go on from, or null; @param now see `Dialect` */
  constructor(resume: string | null, now: () => number) {
    this.#resume = resume;
    this.#now = now;
  }

  /** Kinds of lines that were not understood, with how often. */
  get unknown(): ReadonlyMap<string, number> {
    return this.#unknown;
  }

  /** Whether any line of the protocol has come. */
  get started(): boolean {
    return this.#started;
  }

  take(line: Fields): Translated {
    this.#started = true;
    const owed = this.#owed;
    this.#owed = [];
    const taken = this.#take(line);
    return owed.length === 0 ? taken : { ...taken, updates: [...owed, ...taken.updates] };
  }

  answer(id: string, reply: Reply): Fields[] {
    const waiting = this.#requests.settle(id);
    if (waiting === null) return [];
    const { asked, tool, toolUseId } = waiting;
    if (reply.kind === "deny" || reply.kind === "reject") this.#refused(asked, tool, toolUseId);
    return [replyLine(waiting, reply)];
  }

  #take(line: Fields): Translated {
    if (line["type"] === "result") return this.#result(line);
    if (line["type"] === "control_request") return this.#asked(line);
    if (line["type"] === "control_cancel_request") return this.#withdrawn(text(line["request_id"]));
    return { updates: [...this.#learn(line), ...this.#tell(line), ...this.#warned(line)], replies: [], end: null };
  }

  #tell(line: Fields): Update[] {
    const own = typeof line["parent_tool_use_id"] !== "string";
    switch (line["type"]) {
      case "stream_event":
        return own ? this.#piece(inner(line, "event")) : [];
      case "assistant":
        return this.#spoken(line, own);
      case "user":
        return this.#toolResults(line);
      case "tool_progress":
        return [{ kind: "tool_progress", id: text(line["tool_use_id"]), text: "" }];
      case "rate_limit_event":
        return [];
      case "system":
        return this.#system(line);
      default:
        return this.#leave(text(line["type"]) || "(no type)");
    }
  }

  #system(line: Fields): Update[] {
    switch (line["subtype"]) {
      case "init":
        return text(line["model"]) ? [{ kind: "usage", usage: { model: text(line["model"]) } }] : [];
      case "api_retry": {
        const [status, of] = [line["error_status"] ?? "-", line["max_retries"] ?? "?"];
        return [{ kind: "notice", code: "model_retry", text: oneLine(`${status} ${text(line["error"])} (${line["attempt"]}/${of})`) }];
      }
      case "permission_denied":
        return this.#deny(text(line["tool_name"]), text(line["tool_use_id"]), oneLine(text(line["message"])));
      default:
        return this.#leave(`system/${text(line["subtype"])}`);
    }
  }

  #piece(event: Fields): Update[] {
    const delta = inner(event, "delta");
    switch (event["type"]) {
      case "message_start": {
        const message = inner(event, "message");
        this.#message = text(message["id"]);
        this.#context = inner(message, "usage");
        return [];
      }
      case "content_block_start":
        if (inner(event, "content_block")["type"] === "text") this.#answer.begin(this.#message);
        return [];
      case "content_block_delta":
        if (delta["type"] === "text_delta") return this.#text(this.#answer.piece(text(delta["text"])));
        if (delta["type"] !== "thinking_delta" || text(delta["thinking"]) === "") return [];
        this.#thought.add(this.#message);
        return [{ kind: "thought", delta: text(delta["thinking"]) }];
      case "message_delta":
        // Only what it adds: the sizes of what was sent stand in message_start, and may be missing or zero here.
        this.#context = { ...this.#context, output_tokens: inner(event, "usage")["output_tokens"] };
        return [{ kind: "usage", usage: { contextUsed: contextOf(this.#context) } }];
      default:
        return this.#leave(`stream_event/${text(event["type"])}`);
    }
  }

  #spoken(line: Fields, own: boolean): Update[] {
    const id = text(inner(line, "message")["id"]);
    // The words of a failure of the model are the end's reason, not the answer.
    const failure = line["is_api_error_message"] === true || typeof line["error"] === "string";
    return blocksOf(line).flatMap((block) => {
      switch (block["type"]) {
        case "text":
          return own && !failure ? this.#text(this.#answer.block(id, text(block["text"]))) : [];
        case "thinking":
          return own && !this.#thought.has(id) && text(block["thinking"]) !== ""
            ? [{ kind: "thought" as const, delta: text(block["thinking"]) }]
            : [];
        case "tool_use":
          return this.#toolUse(block);
        default:
          return block["type"] === "redacted_thinking" ? [] : this.#leave(`assistant/${text(block["type"])}`);
      }
    });
  }

  #toolUse(block: Fields): Update[] {
    const [id, name, input] = [text(block["id"]), text(block["name"]) || "?", inputOf(block)];
    if (this.#tools.has(id)) return [];
    this.#tools.set(id, { name, input });
    return [{ kind: "tool_started", id, name, title: titleOf(name, input), input }, ...planOf(name, input)];
  }

  #toolResults(line: Fields): Update[] {
    return blocksOf(line).flatMap((block): Update[] => {
      if (block["type"] !== "tool_result") return [];
      const id = text(block["tool_use_id"]);
      const ok = block["is_error"] !== true;
      const tool = this.#tools.get(id);
      const changes = ok && tool ? changeOf(tool.name, tool.input, line["tool_use_result"]) : [];
      return [{ kind: "tool_finished", id, ok, summary: summaryOf(block["content"]) }, ...changes];
    });
  }

  #asked(line: Fields): Translated {
    const request = inner(line, "request");
    if (request["subtype"] !== "can_use_tool") {
      const error = `not supported here: ${text(request["subtype"])}`;
      this.#leave(`control_request/${text(request["subtype"])}`);
      const response = { subtype: "error", error, request_id: text(line["request_id"]) };
      return { updates: [], replies: [{ type: "control_response", response }], end: null };
    }
    const asked = this.#requests.take(line, (id) => this.#tools.get(id)?.input ?? {});
    if (isUpdate(asked)) return { updates: [asked], replies: [], end: null };
    const tool = text(request["tool_name"]) || "?";
    const updates = this.#deny(tool, text(request["tool_use_id"]), titleOf(tool, inputOf(request)));
    return { updates, replies: [asked], end: null };
  }

  /** A tool that the owner refused is told as denied; a question or a plan is no tool that would have run. */
  #refused(asked: Asked, tool: string, toolUseId: string): void {
    if (asked.kind === "permission") this.#owed.push(...this.#deny(tool, toolUseId, asked.title));
    else this.#denied.add(toolUseId);
  }

  #withdrawn(id: string): Translated {
    const updates: Update[] = this.#requests.settle(id) === null ? [] : [{ kind: "withdrawn", id }];
    return { updates, replies: [], end: null };
  }

  #result(line: Fields): Translated {
    this.#limit = limitTold(line) ?? this.#limit;
    const limit = limitOf(line, this.#limit, this.#now());
    const failure = failureOf(line, this.#resume, limit);
    const denials = records(line["permission_denials"]).flatMap((denial) => {
      const tool = text(denial["tool_name"]);
      return this.#deny(tool, text(denial["tool_use_id"]), titleOf(tool, inner(denial, "tool_input")));
    });
    const updates: Update[] = [
      ...(failure ? [] : this.#learnt(text(line["session_id"]))),
      ...denials,
      ...(failure?.outcome === "failed" && failure.code === "E_USAGE_LIMIT" ? this.#tellLimit(limit) : []),
      ...(failure ? [] : this.#text(this.#answer.conclude(text(line["result"])))),
      { kind: "usage", usage: usageOf(line) },
    ];
    const done: Outcome = this.#key === null ? keyless : { outcome: "done", result: this.#answer.whole };
    return { updates, replies: [], end: { kind: "end", ...(failure ?? done), aborted: isAborted(line) } };
  }

  /** Every line names the session; only those of a session that really runs are believed. */
  #learn(line: Fields): Update[] {
    const real = ["assistant", "user", "stream_event"].includes(text(line["type"])) || line["subtype"] === "init";
    return real ? this.#learnt(text(line["session_id"])) : [];
  }

  #learnt(key: string): Update[] {
    if (key === this.#key || key === "") return [];
    if (!SESSION_KEY.test(key)) return this.#leave("session_id of an odd form");
    this.#key = key;
    return [{ kind: "session_key", key }];
  }

  #text(delta: string): Update[] {
    return delta === "" ? [] : [{ kind: "text", delta }];
  }

  #deny(tool: string, id: string, reason: string): Update[] {
    if (id !== "" && this.#denied.has(id)) return [];
    this.#denied.add(id);
    return [{ kind: "denied", tool, reason, ...known<{ id: string }>({ id: id || undefined }) }];
  }

  #warned(line: Fields): Update[] {
    const told = limitTold(line);
    this.#limit = told ?? this.#limit;
    return this.#tellLimit(told);
  }

  #tellLimit(limit: Limit | null): Update[] {
    if (limit === null || this.#limited) return [];
    this.#limited = true;
    return [{ kind: "limit", ...limit }];
  }

  #leave(kind: string): Update[] {
    if (!silent.has(kind)) this.#unknown.set(kind, (this.#unknown.get(kind) ?? 0) + 1);
    return [];
  }
}

function isUpdate(asked: Asked | Fields): asked is Asked {
  return "kind" in asked;
}

const keyless: Outcome = { outcome: "failed", code: "E_ADAPTER_SESSION_KEY_MISSING", details: { tool: "claude" } };
