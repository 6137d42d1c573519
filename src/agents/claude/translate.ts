/**
 * Translates Claude Code's stream-json lines into updates: pure, one line in, updates and replies out. Each line is
 * read literally: an unknown kind is counted, a missing field is absent. Known traps: `type` is not the first key; a
 * block comes in pieces and then whole; lines of subagents carry `parent_tool_use_id`; a session key on an error result
 * is not a session.
 */
import { AnswerCollector } from "../process/reading.ts";
import { count, oneLine, type Fields, inner, definedEntries, records, text } from "../process/fields.ts";
import type { Reply } from "../contract/driver.ts";
import { reasonDetails, SESSION_KEY, type Translated, type Translation, unreadable } from "../process/dialect.ts";
import type { Outcome, TurnUsage, Update, DecisionRequest } from "../contract/updates.ts";
import {
  type Limit,
  limitOf,
  limitTold,
  contextOf,
  failureOf,
  addExchange,
  usageOf,
  blocksOf,
  inputOf,
  planOf,
  summaryOf,
  titleOf,
  Shell,
  Subagents,
} from "./messages.ts";
import { replyLine, ClaudeRequests, type PendingClaudeRequest } from "./requests.ts";

/** Known kinds that need no update. */
const silent = new Set([
  ..."keep_alive tool_use_summary tool_progress auth_status".split(" "),
  ..."stream_event/content_block_stop stream_event/message_stop stream_event/ping".split(" "),
  ..."prompt_suggestion system/thinking_tokens".split(" "),
  ..."system/hook_started system/hook_progress system/hook_response system/session_state_changed".split(" "),
  ..."system/task_progress system/task_updated system/task_notification".split(" "),
  ..."system/elicitation_complete system/files_persisted system/commands_changed system/background_tasks_changed".split(
    " ",
  ),
]);

const UNHEARD = "Not allowed: nobody can be asked any more. Go on without it.";

export class ClaudeTranslation implements Translation {
  readonly #resume: string | null;
  readonly #now: () => number;
  readonly #answer = new AnswerCollector();
  /** `cut`: the bytes of a call whose input was not read. */
  readonly #tools = new Map<string, { name: string; input: Fields; cut?: number }>();
  readonly #denied = new Set<string>();
  readonly #requests = new ClaudeRequests();
  readonly #subagents: Subagents;
  readonly #shell: Shell;
  readonly #unknown = new Map<string, number>();
  /** Reported with the next line, because a refusal comes between two lines. */
  #owed: Update[] = [];
  #key: string | null = null;
  #message = "";
  #context: Fields = {};
  /** Part of the answer was not text. */
  #strange = false;
  /** The last limit that a line reported. */
  #limit: Limit | null = null;
  /** What Claude calls the failure that its last message is, if it is one. */
  #failure: unknown;
  /** What the turn's exchanges with the model have used so far; its end tells all, also of subagents. */
  #used: TurnUsage = {};
  #started = false;
  /** Why the conversation could not be made shorter; null: it was not tried, or it could. */
  #notCompacted: string | null = null;

  /**
   * @param resume the session key to resume, or null
   * @param now see `Dialect`
   * @param subagents those of its conversation: one may ask in a later turn than it was started in
   * @param shell that of its process
   */
  constructor(resume: string | null, now: () => number, subagents = new Subagents(), shell = new Shell()) {
    this.#resume = resume;
    this.#now = now;
    this.#subagents = subagents;
    this.#shell = shell;
  }

  /** Kinds of lines that were not understood, with their counts. */
  get unknown(): ReadonlyMap<string, number> {
    return this.#unknown;
  }

  /** Whether any line of the protocol has arrived. */
  get started(): boolean {
    return this.#started;
  }

  translate(line: Fields, cut?: number): Translated {
    this.#started = true;
    const owed = this.#owed;
    this.#owed = [];
    const taken = this.#translateLine(line, cut);
    return owed.length === 0 ? taken : { ...taken, updates: [...owed, ...taken.updates] };
  }

  answer(id: string, reply: Reply): Fields[] {
    const waiting = this.#requests.removeRequest(id);
    if (waiting === null) return [];
    const { asked, about } = waiting;
    if ("tool" in about && (reply.kind === "deny" || reply.kind === "reject"))
      this.#recordRefusal(asked, about.tool, about.toolUseId);
    return [replyLine(waiting, reply)];
  }

  /** What an owner wants to fill in anew; null: it does not wait any more. */
  askAgain(id: string): DecisionRequest | null {
    return this.#requests.askAgain(id);
  }

  /** Whether a request waits for its answer. */
  get asks(): boolean {
    return this.#requests.waiting.length > 0;
  }

  /** The requests of subagents and servers, for the turn that comes next. */
  handOver(): PendingClaudeRequest[] {
    return this.#requests.handOver();
  }

  /** Asks again what an earlier turn has handed over. */
  carryOver(left: readonly PendingClaudeRequest[]): Update[] {
    this.#requests.carryOver(left);
    return left.map(({ asked }) => ({ ...asked, handedOver: true }));
  }

  /** The lines that refuse what nobody has answered: the turn is over, and nobody will. */
  refuseAll(): Fields[] {
    return this.#requests.waiting.flatMap((id) => this.answer(id, { kind: "deny", message: UNHEARD }));
  }

  #translateLine(line: Fields, cut: number | undefined): Translated {
    if (line["type"] === "result") return this.#result(line);
    if (line["type"] === "control_request") return this.#translateRequest(line, cut);
    if (line["type"] === "control_cancel_request") return this.#withdrawn(text(line["request_id"]));
    this.#limit = limitTold(line) ?? this.#limit;
    return { updates: [...this.#sessionUpdates(line), ...this.#translateMessage(line, cut)], replies: [], end: null };
  }

  #translateMessage(line: Fields, cut: number | undefined): Update[] {
    const own = typeof line["parent_tool_use_id"] !== "string";
    switch (line["type"]) {
      case "stream_event":
        return own ? this.#piece(inner(line, "event")) : [];
      case "assistant":
        return this.#translateAnswer(line, own, cut);
      case "user":
        return this.#toolResults(line);
      case "rate_limit_event":
        return [];
      case "conversation_reset":
        return [{ kind: "renewed" }];
      case "system":
        return this.#system(line);
      default:
        return this.#leave(text(line["type"]) || "(no type)");
    }
  }

  #system(line: Fields): Update[] {
    switch (line["subtype"]) {
      case "init":
        this.#shell.began(text(line["cwd"]));
        return text(line["model"]) ? [{ kind: "usage", usage: { model: text(line["model"]) } }] : [];
      case "api_retry": {
        const [status, of] = [line["error_status"] ?? "-", line["max_retries"] ?? "?"];
        return [
          {
            kind: "notice",
            code: "model_retry",
            text: oneLine(`${status} ${text(line["error"])} (${line["attempt"]}/${of})`),
          },
        ];
      }
      case "status":
        if (line["compact_result"] !== undefined)
          this.#notCompacted = line["compact_result"] === "success" ? null : oneLine(text(line["compact_error"]));
        return [];
      case "compact_boundary": {
        const { pre_tokens, post_tokens } = inner(line, "compact_metadata");
        return [{ kind: "compacted", before: count(pre_tokens) ?? null, after: count(post_tokens) ?? null }];
      }
      case "task_started":
        this.#subagents.started(line);
        return [];
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
        if (inner(event, "content_block")["type"] === "text") this.#answer.beginBlock(this.#message);
        return [];
      case "content_block_delta":
        return delta["type"] === "text_delta" ? this.#text(this.#answer.piece(text(delta["text"]))) : [];
      case "message_delta":
        // Only the output count: the input counts are in message_start and may be missing or zero here.
        this.#context = { ...this.#context, output_tokens: inner(event, "usage")["output_tokens"] };
        this.#used = addExchange(this.#used, this.#context);
        return [{ kind: "usage", usage: { ...this.#used, contextUsed: contextOf(this.#context) } }];
      default:
        return this.#leave(`stream_event/${text(event["type"])}`);
    }
  }

  #translateAnswer(line: Fields, own: boolean, cut: number | undefined): Update[] {
    const id = text(inner(line, "message")["id"]);
    // The text of a model failure is the reason of the run's end, not part of the answer.
    const failure = line["is_api_error_message"] === true || typeof line["error"] === "string";
    if (own) this.#failure = line["error"];
    return blocksOf(line).flatMap((block) => {
      switch (block["type"]) {
        case "text":
          if (typeof block["text"] !== "string") this.#strange = true;
          return own && !failure ? this.#text(this.#answer.block(id, text(block["text"]))) : [];
        case "tool_use":
          return this.#toolUse(block, cut);
        default:
          return ["thinking", "redacted_thinking"].includes(text(block["type"]))
            ? []
            : this.#leave(`assistant/${text(block["type"])}`);
      }
    });
  }

  #toolUse(block: Fields, cut: number | undefined): Update[] {
    const [id, name, input] = [text(block["id"]), text(block["name"]) || "?", inputOf(block)];
    if (this.#tools.has(id)) return [];
    this.#shell.used(name, cut === undefined ? input : null);
    this.#tools.set(id, cut === undefined ? { name, input } : { name, input: {}, cut });
    return [{ kind: "tool_started", id, name, title: titleOf(name, input), input }, ...planOf(name, input)];
  }

  #toolResults(line: Fields): Update[] {
    return blocksOf(line).flatMap((block): Update[] => {
      if (block["type"] !== "tool_result") return [];
      const id = text(block["tool_use_id"]);
      const ok = block["is_error"] !== true;
      return [{ kind: "tool_finished", id, ok, summary: summaryOf(block["content"]) }];
    });
  }

  #translateRequest(line: Fields, cut: number | undefined): Translated {
    const request = inner(line, "request");
    if (request["subtype"] === "elicitation") {
      const asked = this.#requests.addElicitation(line, cut);
      if (isUpdate(asked)) return { updates: [asked], replies: [], end: null };
      const declined: Update = { kind: "notice", code: "form_declined", text: oneLine(text(request["message"])) };
      return { updates: [declined], replies: [asked], end: null };
    }
    if (request["subtype"] !== "can_use_tool") {
      const error = `not supported here: ${text(request["subtype"])}`;
      this.#leave(`control_request/${text(request["subtype"])}`);
      const response = { subtype: "error", error, request_id: text(line["request_id"]) };
      return { updates: [], replies: [{ type: "control_response", response }], end: null };
    }
    const call = this.#tools.get(text(request["tool_use_id"]));
    const asked = this.#requests.addRequest(line, {
      called: call?.input ?? {},
      subagent: this.#subagents.nameOf(request),
      cwd: this.#shell.cwd,
      cut: cut ?? call?.cut,
    });
    if (isUpdate(asked)) return { updates: [asked], replies: [], end: null };
    const tool = text(request["tool_name"]) || "?";
    const updates = this.#deny(tool, text(request["tool_use_id"]), titleOf(tool, inputOf(request)));
    return { updates, replies: [asked], end: null };
  }

  /** A tool that the owner refused is reported as denied; a question or a plan is not a tool that would have run. */
  #recordRefusal(asked: DecisionRequest, tool: string, toolUseId: string): void {
    if (asked.kind === "permission") this.#owed.push(...this.#deny(tool, toolUseId, asked.title));
    else this.#denied.add(toolUseId);
  }

  #withdrawn(wire: string): Translated {
    const id = this.#requests.idOf(wire) ?? "";
    const updates: Update[] = this.#requests.removeRequest(id) === null ? [] : [{ kind: "withdrawn", id }];
    return { updates, replies: [], end: null };
  }

  #result(line: Fields): Translated {
    this.#limit = limitTold(line) ?? this.#limit;
    const limit = limitOf(line, this.#limit, this.#now());
    const failure = failureOf(line, this.#resume, limit, this.#failure) ?? this.#compactFailure(line);
    const denials = records(line["permission_denials"]).flatMap((denial) => {
      const tool = text(denial["tool_name"]);
      return this.#deny(tool, text(denial["tool_use_id"]), titleOf(tool, inner(denial, "tool_input")));
    });
    const updates: Update[] = [
      ...(failure ? [] : this.#reportKey(text(line["session_id"]))),
      ...denials,
      ...(failure ? [] : this.#text(this.#answer.conclude(text(line["result"])))),
      { kind: "usage", usage: usageOf(line) },
    ];
    if (!isTextOrNone(line["result"])) this.#strange = true;
    const told: Outcome = this.#strange ? unreadable : { outcome: "done", result: this.#answer.whole };
    const done = this.#key === null ? keyless : told;
    return { updates, replies: [], end: { kind: "end", ...(failure ?? done) } };
  }

  /** Claude ends its own command well, whatever came of it. Before a prompt, it goes on without. */
  #compactFailure({ num_turns }: Fields): Outcome | null {
    return this.#notCompacted === null || num_turns !== 0
      ? null
      : {
          outcome: "failed",
          code: "E_NOT_COMPACTED",
          details: reasonDetails(this.#notCompacted, { because: "why_nothing_said" }),
        };
  }

  /** Every line names a session; only lines of a session that really runs are trusted. */
  #sessionUpdates(line: Fields): Update[] {
    const real = ["assistant", "user", "stream_event"].includes(text(line["type"])) || line["subtype"] === "init";
    return real ? this.#reportKey(text(line["session_id"])) : [];
  }

  #reportKey(key: string): Update[] {
    if (key === this.#key || key === "") return [];
    if (!SESSION_KEY.test(key)) return this.#leave("an unexpected session_id");
    this.#key = key;
    return [{ kind: "session_key", key }];
  }

  #text(delta: string): Update[] {
    return delta === "" ? [] : [{ kind: "text", delta }];
  }

  #deny(tool: string, id: string, reason: string): Update[] {
    if (id !== "" && this.#denied.has(id)) return [];
    this.#denied.add(id);
    return [{ kind: "denied", tool, reason, ...definedEntries<{ id: string }>({ id: id || undefined }) }];
  }

  #leave(kind: string): Update[] {
    if (!silent.has(kind)) this.#unknown.set(kind, (this.#unknown.get(kind) ?? 0) + 1);
    return [];
  }
}

function isTextOrNone(value: unknown): boolean {
  return value === undefined || value === null || typeof value === "string";
}

function isUpdate(asked: DecisionRequest | Fields): asked is DecisionRequest {
  return "kind" in asked;
}

const keyless: Outcome = { outcome: "failed", code: "E_ADAPTER_SESSION_KEY_MISSING", details: { tool: "claude" } };
