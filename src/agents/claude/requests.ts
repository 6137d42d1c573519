/**
 * What Claude asks of its owner in `can_use_tool` requests, and the line that answers each: a permission, a question
 * (AskUserQuestion) or a plan (ExitPlanMode). A request waits until it is answered or withdrawn, once; one that cannot
 * be read is refused at once, for nobody could say yes to it. The wider permissions Claude suggests are never taken up.
 */
import { type Fields, fieldsOf, inner, records, text } from "../fields.ts";
import type { Reply } from "../driver.ts";
import type { PermissionAsked, PlanApprovalAsked, QuestionAsked } from "../updates.ts";
import { titleOf } from "./tools.ts";

export type Asked = PermissionAsked | QuestionAsked | PlanApprovalAsked;

/** One that waits for its answer. */
export interface Waiting {
  asked: Asked;
  tool: string;
  toolUseId: string;
  input: Fields;
}

/** A name of its own for each request; it goes into the journal. */
const ID_CHARS = 200;

const UNREADABLE = "Not allowed: the owner cannot be shown what this asks for, because it could not be read. Ask in another form.";

export class Requests {
  readonly #waiting = new Map<string, Waiting>();

  /**
   * Takes a `can_use_tool` request.
   * @param inputOf the input of the tool's call as the model made it, by the id of that call
   * @returns what is asked, or the line that refuses it
   */
  take(line: Fields, inputOf: (toolUseId: string) => Fields): Asked | Fields {
    const request = inner(line, "request");
    const [id, tool, toolUseId] = [text(line["request_id"]), text(request["tool_name"]), text(request["tool_use_id"])];
    const input = fieldsOf(request["input"]);
    const asked = input === null || tool === "" || id === "" || id.length > ID_CHARS ? null : askedBy(id, tool, input, inputOf(toolUseId));
    if (asked === null || input === null) return answerLine(id, { behavior: "deny", message: UNREADABLE });
    this.#waiting.set(id, { asked, tool, toolUseId, input });
    return asked;
  }

  /** The request is settled or withdrawn; null where it does not wait. */
  settle(id: string): Waiting | null {
    const waiting = this.#waiting.get(id) ?? null;
    this.#waiting.delete(id);
    return waiting;
  }
}

/** The line that gives Claude the owner's word. */
export function replyLine({ asked, input }: Waiting, reply: Reply): Fields {
  switch (reply.kind) {
    case "allow":
      return answerLine(asked.id, { behavior: "allow", updatedInput: reply.input });
    case "approve":
      // Without its own input again the plan would not count as approved.
      return answerLine(asked.id, { behavior: "allow", updatedInput: input });
    case "answers":
      return answerLine(asked.id, { behavior: "allow", updatedInput: { ...input, answers: reply.answers } });
    case "deny":
    case "reject":
      return answerLine(asked.id, { behavior: "deny", message: reply.message });
  }
}

function answerLine(request_id: string, response: Fields): Fields {
  return { type: "control_response", response: { subtype: "success", request_id, response } };
}

function askedBy(id: string, tool: string, input: Fields, called: Fields): Asked | null {
  if (tool === "AskUserQuestion") return question(id, input);
  // Before its file is written the request does not hold the plan; the model's own call does.
  if (tool === "ExitPlanMode") return { kind: "plan_approval", id, plan: text(input["plan"]) || text(called["plan"]) };
  return { kind: "permission", id, tool, title: titleOf(tool, input), input, options: [] };
}

/** Null where its answers could not be told apart, or there is nothing to answer. */
function question(id: string, input: Fields): QuestionAsked | null {
  const questions = records(input["questions"]).map((one) => ({
    question: text(one["question"]),
    header: text(one["header"]),
    multiple: one["multiSelect"] === true,
    words: true,
    options: records(one["options"]).map((option) => ({ label: text(option["label"]), description: text(option["description"]) })),
  }));
  const texts = new Set(questions.map((one) => one.question));
  return questions.length === 0 || texts.has("") || texts.size < questions.length ? null : { kind: "question", id, questions };
}
