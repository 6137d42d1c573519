/**
 * What Claude asks and the line that answers each request: of `can_use_tool` a permission, a question (AskUserQuestion)
 * or a plan (ExitPlanMode), of `elicitation` what a server of its tools wants to know. A request waits until it is
 * answered or withdrawn, once; an unreadable one is refused at once, because nobody could approve it. The wider
 * permissions that Claude suggests are never granted.
 */
import { type Fields, fieldsOf, inner, oneLine, records, text } from "../process/fields.ts";
import { elicitationOf, type Elicitation } from "../process/elicitation.ts";
import type { Reply } from "../contract/driver.ts";
import type { DecisionRequest, QuestionAsked } from "../contract/updates.ts";
import { titleOf } from "./messages.ts";

/** A request that waits for its answer. */
export interface PendingClaudeRequest {
  asked: DecisionRequest;
  /** Claude's own id of the request. */
  wire: string;
  about: ToolCall | Elicitation;
}

/** The call of a tool that a request is about. */
export interface ToolCall {
  tool: string;
  toolUseId: string;
  input: Fields;
}

/** What is known of a request beside its line. */
interface RequestContext {
  /** The input of the tool call as the model wrote it; empty if it is not known. */
  called: Fields;
  /** Which subagent asks; undefined: Claude itself. */
  subagent: string | undefined;
  /** Where a command of Claude itself starts now; null: that is not known. */
  cwd: string | null;
  /** The bytes of the request, or of its call, whose long texts were not read; undefined: all of both was. */
  cut: number | undefined;
}

/** The maximum length of a request's id; the id goes into the journal. */
const ID_CHARS = 200;

const UNREADABLE =
  "Not allowed: the owner cannot be shown what this asks for, because it could not be read. Ask in another form.";

export class ClaudeRequests {
  readonly #waiting = new Map<string, PendingClaudeRequest>();
  #again = 0;

  /** Takes a `can_use_tool` request. Returns it, or the line that refuses it. */
  addRequest(line: Fields, { called, subagent, cwd, cut }: RequestContext): DecisionRequest | Fields {
    const request = inner(line, "request");
    const [id, tool, toolUseId] = [text(line["request_id"]), text(request["tool_name"]), text(request["tool_use_id"])];
    const input = fieldsOf(request["input"]);
    const asked =
      input === null || tool === "" || id === "" || id.length > ID_CHARS ? null : askedBy(id, tool, input, called);
    if (asked === null || input === null) return answerLine(id, { behavior: "deny", message: UNREADABLE });
    const named: DecisionRequest = {
      ...asked,
      ...(subagent !== undefined && { subagent }),
      // Its subagents have shells of their own.
      ...(asked.kind === "permission" && asked.tool === "Bash" && { cwd: subagent === undefined ? cwd : null }),
      ...(cut !== undefined && { cut }),
    };
    this.#waiting.set(id, { asked: named, wire: id, about: { tool, toolUseId, input } });
    return named;
  }

  /** Takes an `elicitation` request. Returns it, or the line that declines it. */
  addElicitation(line: Fields, cut: number | undefined): QuestionAsked | Fields {
    const { message, mode = "form", requested_schema, property_order, url, ...more } = inner(line, "request");
    const [id, server] = [text(line["request_id"]), oneLine(text(more["mcp_server_name"]))];
    const elicitation = elicitationOf({
      mode,
      message: [more["title"], message, more["description"]].map(text).join("\n\n"),
      requestedSchema: requested_schema,
      propertyOrder: property_order,
      url,
    });
    if (elicitation === null || id === "" || id.length > ID_CHARS) return answerLine(id, { action: "decline" });
    const asked: QuestionAsked = {
      ...elicitation.asked,
      id,
      // What a server asks goes on when the turn it began in is over, as with a subagent.
      subagent: server === "" ? "MCP" : `MCP ${server}`,
      ...(cut !== undefined && { cut }),
    };
    this.#waiting.set(id, { asked, wire: id, about: elicitation });
    return asked;
  }

  /** What an owner wants to fill in anew is asked under a new id. Null: none waits under this one. */
  askAgain(id: string): DecisionRequest | null {
    const waiting = this.removeRequest(id);
    if (waiting === null) return null;
    this.#again += 1;
    const asked = { ...waiting.asked, id: `${waiting.wire}:${this.#again}` };
    this.#waiting.set(asked.id, { ...waiting, asked });
    return asked;
  }

  /** The ids of those that wait. */
  get waiting(): string[] {
    return [...this.#waiting.keys()];
  }

  /** Removes and returns those of subagents, which go on when the turn they began in is over. */
  handOver(): PendingClaudeRequest[] {
    const left = [...this.#waiting.values()].filter(({ asked }) => asked.subagent !== undefined);
    for (const { asked } of left) this.#waiting.delete(asked.id);
    return left;
  }

  /** Takes requests that an earlier turn has handed over. */
  carryOver(left: readonly PendingClaudeRequest[]): void {
    for (const one of left) this.#waiting.set(one.asked.id, one);
  }

  /** The id under which Claude's own request waits; undefined: it does not. */
  idOf(wire: string): string | undefined {
    return [...this.#waiting.values()].find((one) => one.wire === wire)?.asked.id;
  }

  /** Removes a request that was answered or withdrawn; null if none is waiting. */
  removeRequest(id: string): PendingClaudeRequest | null {
    const waiting = this.#waiting.get(id) ?? null;
    this.#waiting.delete(id);
    return waiting;
  }
}

/** The line that gives Claude the owner's answer. */
export function replyLine({ wire, about }: PendingClaudeRequest, reply: Reply): Fields {
  return answerLine(wire, "resultFor" in about ? (about.resultFor(reply) ?? {}) : permissionFor(about, reply));
}

function permissionFor({ input }: ToolCall, reply: Reply): Fields {
  switch (reply.kind) {
    case "allow":
    case "approve":
      // Without an input, Claude does not count a plan as approved.
      return { behavior: "allow", updatedInput: reply.input };
    case "answers":
      return { behavior: "allow", updatedInput: { ...input, answers: reply.answers } };
    // Only a form can be.
    case "declined":
    case "again":
      return { behavior: "deny", message: "" };
    case "deny":
    case "reject":
      return { behavior: "deny", message: reply.message };
  }
}

function answerLine(request_id: string, response: Fields): Fields {
  return { type: "control_response", response: { subtype: "success", request_id, response } };
}

/**
 * The request to use this tool, or null if the owner cannot be shown what it asks.
 * @param called the tool's input as the model wrote it; empty if it is not known
 */
export function askedBy(id: string, tool: string, input: Fields, called: Fields): DecisionRequest | null {
  if (tool === "AskUserQuestion") return question(id, input);
  if (tool === "ExitPlanMode") return { kind: "plan_approval", id, input: planIn(input, called) };
  return { kind: "permission", id, tool, title: titleOf(tool, input), input, options: [] };
}

/** Until the plan's file is written, only the model's own call contains the plan. */
function planIn(input: Fields, called: Fields): Fields {
  return input["plan"] === undefined && text(called["plan"]) !== "" ? { plan: called["plan"], ...input } : input;
}

const QUESTION: ReadonlySet<string> = new Set(["question", "header", "multiSelect", "options"]);
const OPTION: ReadonlySet<string> = new Set(["label", "description"]);

/** Null if it cannot be shown as it is, if its answers would be ambiguous, or if there is nothing to answer. */
function question(id: string, input: Fields): QuestionAsked | null {
  const all = records(input["questions"]);
  const isWhole =
    Array.isArray(input["questions"]) && all.length === input["questions"].length && all.every(isReadable);
  const questions = all.map((one) => ({
    question: text(one["question"]),
    header: text(one["header"]),
    multiple: one["multiSelect"] === true,
    words: true,
    options: records(one["options"]).map((option) => ({
      label: text(option["label"]),
      description: text(option["description"]),
    })),
  }));
  const texts = new Set(questions.map((one) => one.question));
  if (!isWhole || questions.length === 0 || texts.has("") || texts.size < questions.length) return null;
  const more = othersIn(input, all);
  return { kind: "question", id, questions, ...(Object.keys(more).length > 0 && { more }) };
}

/** Whether every field that is shown has the expected type. */
function isReadable(question: Fields): boolean {
  const { header = "", multiSelect = false, options = [] } = question;
  const isOption = (option: Fields): boolean =>
    typeof option["label"] === "string" && typeof (option["description"] ?? "") === "string";
  return (
    typeof header === "string" &&
    typeof multiSelect === "boolean" &&
    Array.isArray(options) &&
    records(options).length === options.length &&
    records(options).every(isOption)
  );
}

/** The other fields of the request, keyed by their position in it. */
function othersIn({ questions: _shown, ...rest }: Fields, questions: readonly Fields[]): Fields {
  const others = (fields: Fields, shown: ReadonlySet<string>, place: string): [string, unknown][] =>
    Object.entries(fields).flatMap(([name, value]) =>
      shown.has(name) ? [] : [[`${place}${name}`, value] as [string, unknown]],
    );
  const within = questions.flatMap((one, at) => [
    ...others(one, QUESTION, `question_${at + 1}_`),
    ...records(one["options"]).flatMap((option, place) =>
      others(option, OPTION, `question_${at + 1}_option_${place + 1}_`),
    ),
  ]);
  return Object.fromEntries([...Object.entries(rest), ...within]);
}
