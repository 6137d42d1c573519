/** What Claude asks, from its true streams and from wrong ones, and the lines it is answered with. */
import { describe, expect, it } from "vitest";
import type { Reply } from "../../../src/agents/contract/driver.ts";
import { type Fields, inner, parseLine } from "../../../src/agents/process/fields.ts";
import type { Update } from "../../../src/agents/contract/updates.ts";
import { shortenLine } from "../../../src/agents/claude/agent.ts";
import { ClaudeTranslation } from "../../../src/agents/claude/translate.ts";
import { only } from "../stage.ts";
import { linesOf } from "./streams.ts";

const BASH = { command: "touch /home/dev/app/c1/y2", description: "mock command" };
const COLOURS = [
  { label: "Red", description: "the warm one" },
  { label: "Blue", description: "the cold one" },
];

/** A whole stream, each request answered as soon as it comes. */
function play(
  lines: readonly (string | object)[],
  word: (asked: Update) => Reply | null,
): { updates: Update[]; replies: Fields[] } {
  const translation = new ClaudeTranslation(null, () => 0);
  const [updates, replies]: [Update[], Fields[]] = [[], []];
  for (const line of lines) {
    const taken = translation.translate(parseLine(typeof line === "string" ? line : JSON.stringify(line))!);
    updates.push(...taken.updates);
    replies.push(...taken.replies);
    for (const update of taken.updates) {
      const reply = "id" in update && update.id !== undefined ? word(update) : null;
      if (reply !== null && "id" in update) replies.push(...translation.answer(update.id!, reply));
    }
  }
  return { updates, replies };
}

const asks = (tool_name: unknown, input: unknown, request_id: unknown = "r1"): object => ({
  type: "control_request",
  request_id,
  request: {
    subtype: "can_use_tool",
    tool_name,
    input,
    tool_use_id: "t1",
    permission_suggestions: [{ type: "setMode", mode: "acceptEdits" }],
  },
});
const responseOf = (line: Fields): unknown => inner(line, "response")["response"];

describe("a true stream", () => {
  it("of a tool that is denied: the agent hears why, and it is told as denied once, right when it is", () => {
    const { updates, replies } = play(linesOf("stream-perm-deny"), ({ kind }) =>
      kind === "permission" ? { kind: "deny", message: "no thanks" } : null,
    );
    expect(only(updates, "permission")).toEqual([
      {
        kind: "permission",
        cwd: "/home/dev/app/c1",
        id: "19404dff-f8fb-42ec-9c1e-f57168768d1b",
        tool: "Bash",
        title: BASH.command,
        input: BASH,
        options: [],
      },
    ]);
    const response = {
      subtype: "success",
      request_id: "19404dff-f8fb-42ec-9c1e-f57168768d1b",
      response: { behavior: "deny", message: "no thanks" },
    };
    expect(replies).toEqual([{ type: "control_response", response }]);
    expect(only(updates, "denied")).toEqual([
      { kind: "denied", tool: "Bash", id: "toolu_mock000087", reason: BASH.command },
    ]);
    const kinds = updates.map(({ kind }) => kind);
    expect(kinds.indexOf("denied")).toBe(kinds.indexOf("permission") + 1);
    expect(kinds.indexOf("denied")).toBeLessThan(kinds.indexOf("tool_finished"));
  });

  it("of a tool and of questions that are answered gives the lines that Claude took", () => {
    const { updates, replies } = play(linesOf("stream-perm"), (asked) => {
      if (asked.kind === "permission") return { kind: "allow", input: asked.input };
      return asked.kind === "question"
        ? {
            kind: "answers",
            answers: Object.fromEntries(
              asked.questions.map(({ question, multiple }) => [question, multiple ? "Red, Blue" : "Blue"]),
            ),
          }
        : null;
    });
    const [one, ...several] = only(updates, "question");
    const colour = { question: "Which colour?", header: "Colour", multiple: false, words: true, options: COLOURS };
    expect(one?.questions).toEqual([colour]);
    expect(several.map(({ questions }) => questions)).toEqual([
      [colour, { ...colour, question: "Which others?", header: "More", multiple: true }],
    ]);
    const asked = (question: string, header: string, multiSelect: boolean): object => ({
      question,
      header,
      options: COLOURS,
      multiSelect,
    });
    const first = asked("Which colour?", "Colour", false);
    expect(replies.map(responseOf)).toEqual([
      { behavior: "allow", updatedInput: { command: "touch /home/dev/app/c1/y", description: "mock command" } },
      { behavior: "allow", updatedInput: { questions: [first], answers: { "Which colour?": "Blue" } } },
      {
        behavior: "allow",
        updatedInput: {
          questions: [first, asked("Which others?", "More", true)],
          answers: { "Which colour?": "Blue", "Which others?": "Red, Blue" },
        },
      },
    ]);
    expect(only(updates, "denied")).toEqual([]);
  });

  it("of a plan that is not in its file yet shows the plan of the call, and is approved with what was shown", () => {
    const { updates, replies } = play(linesOf("stream-plan2"), (asked) =>
      asked.kind === "plan_approval" ? { kind: "approve", input: asked.input } : null,
    );
    expect(only(updates, "plan_approval")).toMatchObject([{ input: { plan: "# Plan\n1. A" } }]);
    expect(replies.map(responseOf)).toEqual([{ behavior: "allow", updatedInput: { plan: "# Plan\n1. A" } }]);
  });
});

describe("a subagent's request", () => {
  it("of a true stream names the subagent by its kind and its task", () => {
    const { updates, replies } = play(linesOf("subagent"), (asked) =>
      asked.kind === "permission" ? { kind: "allow", input: asked.input } : null,
    );
    const command = "touch /tmp/p/x";
    expect(only(updates, "permission")).toMatchObject([
      { tool: "Bash", title: command, subagent: "general-purpose: look around", input: { command } },
    ]);
    expect(replies).toHaveLength(1);
  });

  it("of one whose start was not told is a subagent's all the same, and one of a hostile name is on one short line", () => {
    const by = (...lines: object[]): unknown =>
      only(
        play(
          [
            ...lines,
            {
              ...asks("Bash", BASH),
              request: { subtype: "can_use_tool", tool_name: "Bash", input: BASH, tool_use_id: "t1", agent_id: "a1" },
            },
          ],
          () => null,
        ).updates,
        "permission",
      )[0]?.subagent;
    expect(by()).toBe("subagent");
    const started = (description: string): object => ({
      type: "system",
      subtype: "task_started",
      task_id: "a1",
      subagent_type: "x",
      description,
    });
    expect(by(started("two\nlines"))).toBe("x: two lines");
    expect(String(by(started("y".repeat(5000)))).length).toBeLessThan(101);
    for (const kind of ["AskUserQuestion", "ExitPlanMode"]) {
      const input = kind === "ExitPlanMode" ? { plan: "p" } : { questions: [{ question: "Which?", options: [] }] };
      const request = {
        type: "control_request",
        request_id: "r2",
        request: { subtype: "can_use_tool", tool_name: kind, input, tool_use_id: "t1", agent_id: "a1" },
      };
      expect(play([started("z"), request], () => null).updates).toContainEqual(
        expect.objectContaining({ subagent: "x: z" }),
      );
    }
  });
});

describe("a request", () => {
  it("for a plan in its file is approved with all of its input, and rejected with the words; it is no denied tool", () => {
    const input = { plan: "# Plan\n1. B", planFilePath: "/home/dev/.claude/plans/x.md" };
    const approved = play([asks("ExitPlanMode", input)], () => ({ kind: "approve", input: { plan: "as shown" } }));
    expect(only(approved.updates, "plan_approval")).toEqual([{ kind: "plan_approval", id: "r1", input }]);
    expect(approved.replies.map(responseOf)).toEqual([{ behavior: "allow", updatedInput: { plan: "as shown" } }]);
    const denial = {
      type: "result",
      permission_denials: [{ tool_name: "ExitPlanMode", tool_use_id: "t1", tool_input: input }],
    };
    const rejected = play([asks("ExitPlanMode", input), denial], ({ kind }) =>
      kind === "plan_approval" ? { kind: "reject", message: "smaller" } : null,
    );
    expect(rejected.replies.map(responseOf)).toEqual([{ behavior: "deny", message: "smaller" }]);
    expect(only(rejected.updates, "denied")).toEqual([]);
  });

  it("for a plan brings every field of its input to be shown, known or not", () => {
    const input = { plan: "# x", allowedPrompts: [{ tool: "Bash", prompt: "anything" }], pushToRemote: true };
    expect(only(play([asks("ExitPlanMode", input)], () => null).updates, "plan_approval")).toEqual([
      { kind: "plan_approval", id: "r1", input },
    ]);
  });

  it("with a question brings what else is in it to be shown, by its place", () => {
    const asked = { question: "A?", options: [{ label: "x", description: "", preview: "# see" }], hint: 1 };
    const { updates } = play(
      [asks("AskUserQuestion", { questions: [asked], answers: { "A?": "x" }, metadata: { source: "y" } })],
      () => null,
    );
    const more = {
      answers: { "A?": "x" },
      metadata: { source: "y" },
      question_1_hint: 1,
      question_1_option_1_preview: "# see",
    };
    expect(only(updates, "question")).toMatchObject([{ more }]);
  });

  it("is allowed with what was shown and nothing wider, whatever the agent suggests", () => {
    const { replies } = play([asks("Bash", BASH)], () => ({ kind: "allow", input: BASH }));
    expect(replies.map(responseOf)).toEqual([{ behavior: "allow", updatedInput: BASH }]);
  });

  it("is answered once; one that is withdrawn not at all", () => {
    const translation = new ClaudeTranslation(null, () => 0);
    const cancel = { type: "control_cancel_request", request_id: "r1" };
    translation.translate(asks("Bash", BASH) as Fields);
    expect(translation.translate(cancel).updates).toEqual([{ kind: "withdrawn", id: "r1" }]);
    expect(translation.answer("r1", { kind: "allow", input: BASH })).toEqual([]);
    expect(translation.translate(cancel)).toEqual({ updates: [], replies: [], end: null });
    translation.translate(asks("Bash", BASH, "r2") as Fields);
    expect(translation.answer("r2", { kind: "deny", message: "no" })).toHaveLength(1);
    expect(translation.answer("r2", { kind: "allow", input: BASH })).toEqual([]);
    expect(translation.unknown).toEqual(new Map());
  });

  it.each<[string, unknown, unknown, string?]>([
    ["without an input", "Bash", undefined],
    ["with an input that is none", "Bash", "rm -rf ~"],
    ["with a list for an input", "Bash", ["rm"]],
    ["without a tool", undefined, { command: "rm" }],
    ["under a name that is a text of its own", "Bash", BASH, "r".repeat(201)],
    ["of no questions", "AskUserQuestion", { questions: [] }],
    ["of questions that are none", "AskUserQuestion", { questions: "which?" }],
    ["of a question without words", "AskUserQuestion", { questions: [{ options: COLOURS }] }],
    ["of questions of which one is none", "AskUserQuestion", { questions: [{ question: "A?" }, "and rm -rf?"] }],
    [
      "of a question with options that are none",
      "AskUserQuestion",
      { questions: [{ question: "A?", options: ["Red"] }] },
    ],
    [
      "of a question with a heading that is none",
      "AskUserQuestion",
      { questions: [{ question: "A?", header: { toString: "x" } }] },
    ],
    ["of two questions that say the same", "AskUserQuestion", { questions: [{ question: "A?" }, { question: "A?" }] }],
  ])("%s is refused at once, for nobody could say yes to it", (_, tool, input, id = "r1") => {
    const { updates, replies } = play([asks(tool, input, id)], () => null);
    expect(replies.map(responseOf)).toMatchObject([{ behavior: "deny" }]);
    expect(updates.map(({ kind }) => kind)).toEqual(["denied"]);
  });
});

describe("an elicitation", () => {
  const elicits = (more: object, request_id = "e1"): object => ({
    type: "control_request",
    request_id,
    request: { subtype: "elicitation", mcp_server_name: "shop", message: "Which city?", ...more },
  });
  const form = {
    mode: "form",
    requested_schema: {
      type: "object",
      properties: { city: { type: "string", title: "City" }, count: { type: "integer" } },
      required: ["city"],
    },
    property_order: ["count", "city"],
  };
  const url = { mode: "url", url: "https://shop.example/login", elicitation_id: "login-1" };
  const replied = (line: object, reply: Reply): unknown =>
    play([line], ({ kind }) => (kind === "question" ? reply : null)).replies.map(responseOf)[0];

  it("of a form is a question of its server, with the fields in their order, and its answers are the content", () => {
    const { updates, replies } = play([elicits(form)], () => ({
      kind: "answers",
      answers: { City: "Seoul", count: "3" },
    }));
    expect(updates).toMatchObject([
      {
        kind: "question",
        id: "e1",
        form: true,
        subagent: "MCP shop",
        more: { message: "Which city?" },
        questions: [{ question: "count" }, { question: "City" }],
      },
    ]);
    expect(replies).toEqual([
      {
        type: "control_response",
        response: {
          subtype: "success",
          request_id: "e1",
          response: { action: "accept", content: { count: 3, city: "Seoul" } },
        },
      },
    ]);
    const { mode: _mode, ...modeless } = form;
    expect(play([elicits(modeless)], () => null).updates).toHaveLength(1);
    expect(
      play([elicits({ ...form, title: "Shipping", description: "Of the order" })], () => null).updates,
    ).toMatchObject([{ more: { message: "Shipping\n\nWhich city?\n\nOf the order" } }]);
  });

  it("of a page is the question whether its owner has seen to it", () => {
    expect(play([elicits(url)], () => null).updates).toMatchObject([
      { kind: "question", form: true, questions: [{ question: "Which city?", type: "page", url: url.url }] },
    ]);
    expect(replied(elicits(url), { kind: "answers", answers: { "Which city?": "done" } })).toEqual({
      action: "accept",
    });
  });

  it.each([
    ["declined", { kind: "declined", how: "decline" }, "decline"],
    ["put off", { kind: "declined", how: "cancel" }, "cancel"],
    ["refused because nobody can be asked", { kind: "deny", message: "no" }, "cancel"],
    ["answered with what does not fit", { kind: "answers", answers: { City: "", count: "" } }, "cancel"],
  ] as const)("%s is answered so", (_, reply, action) => {
    expect(replied(elicits(form), reply)).toEqual({ action });
    expect(replied(elicits(url), reply)).toEqual({ action });
  });

  it("that cannot be asked is declined, and said", () => {
    for (const more of [{ mode: "form" }, { mode: "voice" }, { ...url, url: "file:///etc/passwd" }]) {
      const { updates, replies } = play([elicits(more)], () => null);
      expect(updates).toEqual([{ kind: "notice", code: "form_declined", text: "Which city?" }]);
      expect(replies.map(responseOf)).toEqual([{ action: "decline" }]);
    }
    expect(play([elicits(form, "x".repeat(201))], () => null).replies.map(responseOf)).toEqual([{ action: "decline" }]);
  });

  it("is asked again under a new id, answered under Claude's own, and withdrawn by it", () => {
    const translation = new ClaudeTranslation(null, () => 0);
    const take = (line: object) => translation.translate(parseLine(JSON.stringify(line))!).updates;
    take(elicits(form));
    expect(translation.askAgain("e1")).toMatchObject({ id: "e1:1", questions: [{ question: "count" }, {}] });
    expect(translation.askAgain("e1")).toBeNull();
    expect(translation.askAgain("e1:1")).toMatchObject({ id: "e1:2" });
    expect(take({ type: "control_cancel_request", request_id: "e1" })).toEqual([{ kind: "withdrawn", id: "e1:2" }]);
    expect(take({ type: "control_cancel_request", request_id: "e1" })).toEqual([]);
    take(elicits(form, "e2"));
    translation.askAgain("e2");
    expect(translation.answer("e2:3", { kind: "declined", how: "decline" })).toMatchObject([
      { response: { request_id: "e2", response: { action: "decline" } } },
    ]);
  });

  it("that waits at the end of a turn is handed over", () => {
    const translation = new ClaudeTranslation(null, () => 0);
    translation.translate(parseLine(JSON.stringify(elicits(form)))!);
    const next = new ClaudeTranslation(null, () => 0);
    const left = translation.handOver();
    expect(translation.refuseAll()).toEqual([]);
    expect(next.carryOver(left)).toMatchObject([{ id: "e1", handedOver: true, form: true }]);
    expect(next.answer("e1", { kind: "deny", message: "" }).map(responseOf)).toEqual([{ action: "cancel" }]);
  });

  it("that is too long to be read whole is no longer than its beginning", () => {
    const line = Buffer.from(JSON.stringify(elicits({ ...form, message: "x".repeat(3_000_000) })));
    const short = shortenLine({ bytes: line });
    expect(short).toMatchObject({ cut: line.length });
    const read = "bytes" in short ? parseLine(short.bytes.toString())! : {};
    expect(new ClaudeTranslation(null, () => 0).translate(read, line.length).updates).toMatchObject([
      { kind: "question", cut: line.length },
    ]);
    const dropped = shortenLine({ dropped: 9_000_000, beginning: line.subarray(0, 1_000) });
    expect(play(["bytes" in dropped ? dropped.bytes.toString() : ""], () => null).replies.map(responseOf)).toEqual([
      { action: "decline" },
    ]);
  });
});
