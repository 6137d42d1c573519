import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CodexTranslation, spentIn, type Spent } from "../../../src/agents/codex/translate.ts";
import { only, textOf } from "../stage.ts";
import { expectOneAnswer } from "../streams.ts";
import { linesOf, translate } from "./streams.ts";

const key = "01a1faf6-ec68-7971-a182-e1dbf229a97e";
const started = { type: "thread.started", thread_id: key };
const turn = { type: "turn.started" };
const used = (input: number, cached: number, output: number): object => ({
  type: "turn.completed",
  usage: { input_tokens: input, cached_input_tokens: cached, output_tokens: output },
});
const done = used(10, 0, 5);
const item = (event: string, fields: object): object => ({ type: `item.${event}`, item: { id: "item_1", ...fields } });
const message = (id: string, text: string): object => ({
  type: "item.completed",
  item: { id, type: "agent_message", text },
});
const failedWith = (text: string): object => ({ type: "turn.failed", error: { message: text } });

it.each([[{ a: 1 }], [12], [null], [undefined]])("an answer that is %j is no answer, so the job fails", (words) => {
  const item = { id: "item_1", type: "agent_message", text: words };
  const { ends } = translate([started, turn, { type: "item.completed", item }, { type: "turn.completed", usage: {} }]);
  expect(ends).toMatchObject([{ outcome: "failed", code: "E_ADAPTER_PARSE" }]);
});

describe("a true stream", () => {
  it.each([
    ["new-skipgit", "hello"],
    ["lastmsg", "last"],
    ["resume", 'HISTORY ["user:echo:hello","assistant:hello"]'],
    ["after-kill-resume", 'HISTORY ["user:slow:40:250"]'],
    ["think", "thought: hard"],
  ])("of %s is one answer, its deltas exactly its result", (name, answer) => {
    expectOneAnswer(translate(linesOf(name)), answer);
  });

  it("of a table keeps every line of it", () => {
    const { updates, ends } = translate(linesOf("table"));
    expect(ends[0]).toMatchObject({ outcome: "done", result: textOf(updates) });
    expect(
      textOf(updates)
        .split("\n")
        .filter((line) => line.startsWith("|")),
    ).toHaveLength(4);
  });

  it("of a command shows what runs, what came of it, and both texts around it", () => {
    const { updates, ends } = translate(linesOf("tool"));
    const [tool] = only(updates, "tool_started");
    expect(tool).toMatchObject({
      name: "shell",
      title: "echo hi; echo there",
      input: { command: "/bin/bash -lc 'echo hi; echo there'" },
    });
    expect(only(updates, "tool_finished")).toEqual([
      { kind: "tool_finished", id: tool!.id, ok: true, summary: "hi\nthere" },
    ]);
    expect(textOf(updates)).toMatch(/^Running a command\.\n\nAFTER_TOOL /);
    expect(ends[0]).toMatchObject({ outcome: "done", result: textOf(updates) });
  });

  it("of a command that fails is a good answer with a bad command in it", () => {
    const { updates, ends } = translate(linesOf("tool-full"));
    expect(only(updates, "tool_finished")).toMatchObject([{ ok: false }]);
    expect(ends).toMatchObject([{ outcome: "done" }]);
  });

  it("of a command the sandbox refused tells only the words about it, as Codex does", () => {
    const { updates, ends } = translate(linesOf("tool-write-ro"));
    expect(only(updates, "tool_started")).toEqual([]);
    expect(ends).toMatchObject([{ outcome: "done" }]);
    expect(textOf(updates)).toContain("Read-only file system");
  });

  it("of written files names them", () => {
    expect(only(translate(linesOf("patch-add")).updates, "tool_started")).toMatchObject([
      { name: "apply_patch", title: "/home/dev/app/a.txt, /home/dev/app/b.txt" },
    ]);
  });

  it("of thinking leaves the thought out of the answer, and knows it for one", () => {
    const { updates, unknown } = translate(linesOf("think"));
    expect(textOf(updates)).not.toContain("Let me think about");
    expect(unknown).toEqual([]);
  });

  it("with a warning among its items is no failure, and the warning is told", () => {
    const { updates, ends } = translate(linesOf("new-skipgit"));
    expect(only(updates, "notice")).toMatchObject([
      { code: "told", text: expect.stringContaining("Model metadata") as string },
    ]);
    expect(ends).toMatchObject([{ outcome: "done" }]);
  });

  it.each([
    ["err400", "E_CLI_EXIT_NONZERO", { reason: "mock error 400" }],
    ["err401", "E_AGENT_LOGIN", { login: "codex login" }],
    ["err429", "E_SERVICE_BUSY", { status: 429 }],
    ["err500", "E_SERVICE_BUSY", { temporary: true }],
    ["err503", "E_SERVICE_BUSY", { status: 503, temporary: true }],
    ["cut", "E_SERVICE_BUSY", { temporary: true }],
  ])("of %s is one failure: %s", (name, code, details) => {
    const { ends, updates } = translate(linesOf(name));
    expect(ends).toMatchObject([{ outcome: "failed", code, details }]);
    expect("temporary" in (ends[0] as { details: object }).details).toBe("temporary" in details);
    expect(textOf(updates)).toBe("");
  });

  it("that reconnects says so, and continues", () => {
    const { updates } = translate(linesOf("err500"));
    expect(only(updates, "notice").map(({ code }) => code)).toEqual(["told", "model_retry"]);
    const [reconnects] = linesOf("err500").filter((line) => line.includes("Reconnecting"));
    expect(translate([started, turn, reconnects!, message("a", "fine"), done]).ends).toMatchObject([
      { outcome: "done", result: "fine" },
    ]);
  });

  it.each(["sigint", "sigterm"])("cut off by %s has a session key and no end", (name) => {
    const { updates, ends } = translate(linesOf(name));
    expect(only(updates, "session_key")).toHaveLength(1);
    expect(ends).toEqual([]);
  });
});

describe("a usage limit", () => {
  it.each([
    ["limit-today", new Date(2026, 10, 21, 7, 56)],
    ["limit-later", new Date(2026, 10, 23, 14, 29)],
  ])("of %s is told with the time it lifts, and is the end", (name, lifts) => {
    const { ends } = translate(linesOf(name));
    expect(ends).toMatchObject([{ outcome: "failed", code: "E_USAGE_LIMIT", details: { resets_at: lifts.getTime() } }]);
  });

  it("without a time is a limit all the same", () => {
    for (const [words, code] of [
      ["You've hit your usage limit. Try again later.", "E_USAGE_LIMIT"],
      ["Your workspace is out of credits. Add credits to continue.", "E_OUT_OF_CREDITS"],
    ] as const) {
      const { ends } = translate([started, turn, failedWith(words)]);
      expect(ends).toEqual([{ kind: "end", outcome: "failed", code, details: { reason: words } }]);
    }
  });

  it("of one who is not logged in names the command for the machine's terminal", () => {
    const { ends } = translate([
      started,
      turn,
      failedWith(
        "unexpected status 401 Unauthorized: Missing bearer or basic authentication in header, url: https://x",
      ),
    ]);
    expect(ends).toMatchObject([{ code: "E_AGENT_LOGIN", details: { login: "codex login" } }]);
  });

  it("is never what a throttled request is taken for", () => {
    expect(translate(linesOf("err429")).ends).toMatchObject([{ code: "E_SERVICE_BUSY" }]);
  });
});

describe("usage", () => {
  const shares = (names: string[]): (object | undefined)[] => {
    let spent: Spent | null = null;
    return names.map((name, turnNumber) => {
      const { updates } = translate(linesOf(name), { resume: turnNumber === 0 ? null : key, spent });
      const usage = only(updates, "usage")[0]?.usage;
      spent = spentIn(usage?.counters ?? null);
      return usage;
    });
  };

  it("of each run of a conversation is that run's own, though Codex counts from the beginning", () => {
    const own = { input: 1134, cacheRead: 100, output: 56 };
    const told = shares(["new-skipgit", "resume", "resume2"]);
    expect(told).toEqual([
      { ...own, counters: { conversation_input: 1234, conversation_cached: 100, conversation_output: 56 } },
      { ...own, counters: { conversation_input: 2468, conversation_cached: 200, conversation_output: 112 } },
      { ...own, counters: { conversation_input: 3702, conversation_cached: 300, conversation_output: 168 } },
    ]);
  });

  it("of a run after one whose count is not known is not made up, and the next is known again", () => {
    const { updates } = translate(linesOf("resume"), { resume: key, spent: null });
    expect(only(updates, "usage")).toEqual([
      {
        kind: "usage",
        usage: { counters: { conversation_input: 2468, conversation_cached: 200, conversation_output: 112 } },
      },
    ]);
  });

  it("that is less than before is not made up either", () => {
    const { updates } = translate([started, turn, used(100, 0, 5), done], {
      resume: key,
      spent: { input: 2468, cached: 200, output: 112 },
    });
    expect(only(updates, "usage")[0]!.usage).toEqual({
      counters: { conversation_input: 100, conversation_cached: 0, conversation_output: 5 },
    });
  });

  it("is for any history of turns exactly what each turn added, where the turn before was told", () => {
    const tokens = fc.record({ input: fc.nat(1e6), cached: fc.nat(1e6), output: fc.nat(1e6), told: fc.boolean() });
    fc.assert(
      fc.property(fc.array(tokens, { minLength: 1 }), (turns) => {
        let total = { input: 0, cached: 0, output: 0 };
        let spent: Spent | null = null;
        for (const [at, { input, cached, output, told }] of turns.entries()) {
          total = { input: total.input + input + cached, cached: total.cached + cached, output: total.output + output };
          const { updates } = translate([started, turn, used(total.input, total.cached, total.output)], {
            resume: at === 0 ? null : key,
            spent,
          });
          const { counters, ...own } = only(updates, "usage")[0]!.usage;
          expect(own).toEqual(at === 0 || spent !== null ? { input, cacheRead: cached, output } : {});
          expect(spentIn(counters ?? null)).toEqual(total);
          spent = told ? total : null;
        }
      }),
    );
  });
});

describe("a session key", () => {
  it("is never that of another conversation than the one asked for: the run ends before it does anything", () => {
    const { updates, ends } = translate([started, turn], { resume: "01a1faf6-0000-7971-a182-e1dbf229a97e" });
    expect(only(updates, "session_key")).toEqual([]);
    expect(ends).toMatchObject([
      { outcome: "failed", code: "E_RESUME_UNKNOWN", details: { resume: "unknown" }, abandon: true },
    ]);
  });

  it.each(["", "--last", "../x", "a b", "x".repeat(65)])("of the form %j is not believed", (thread_id) => {
    const { updates, ends, unknown } = translate([{ type: "thread.started", thread_id }, turn, done]);
    expect(only(updates, "session_key")).toEqual([]);
    expect(ends).toMatchObject([
      { outcome: "failed", code: "E_ADAPTER_SESSION_KEY_MISSING", details: { tool: "codex" } },
    ]);
    expect(unknown).toHaveLength(1);
  });
});

describe("items", () => {
  it("are tools that start once and finish, however often they are told", () => {
    const command = {
      type: "command_execution",
      command: 'bash -c "echo \\"a\\" \\$HOME"',
      aggregated_output: "a",
      exit_code: 0,
      status: "completed",
    };
    const { updates } = translate([
      started,
      item("started", command),
      item("updated", command),
      item("completed", command),
    ]);
    expect(updates.map(({ kind }) => kind)).toEqual(["session_key", "tool_started", "tool_finished"]);
    expect(only(updates, "tool_started")[0]!.title).toBe('echo "a" $HOME');
  });

  it("that are only told finished have started too", () => {
    const search = { type: "web_search", query: "how to", action: { type: "search" } };
    const { updates } = translate([item("completed", search)]);
    expect(updates).toMatchObject([
      { kind: "tool_started", name: "web_search", title: "how to" },
      { kind: "tool_finished", ok: true },
    ]);
  });

  it("of an MCP server show its tool, what it was given and what it answered", () => {
    const call = { type: "mcp_tool_call", server: "files", tool: "read", arguments: { path: "a.txt" } };
    const good = {
      ...call,
      status: "completed",
      result: { content: [{ type: "text", text: "hello" }, { type: "image" }] },
    };
    const bad = { ...call, status: "failed", error: { message: "no such file" } };
    const { updates } = translate([item("started", call), item("completed", good)]);
    expect(updates).toMatchObject([
      { kind: "tool_started", name: "files/read", title: "a.txt", input: { path: "a.txt" } },
      { kind: "tool_finished", ok: true, summary: "hello\n[image]" },
    ]);
    expect(translate([item("completed", bad)]).updates.at(-1)).toMatchObject({ ok: false, summary: "no such file" });
  });

  it("that were declined are denied", () => {
    const { updates } = translate([
      item("completed", { type: "command_execution", command: "rm -r x", status: "declined" }),
    ]);
    expect(updates.slice(1)).toEqual([
      { kind: "tool_finished", id: "item_1", ok: false, summary: "" },
      { kind: "denied", tool: "shell", id: "item_1", reason: "rm -r x" },
    ]);
  });

  it("that its sandbox kept from writing are denied, and others that speak of it are not", () => {
    const ended = (aggregated_output: string, exit_code: number): string[] => {
      const status = exit_code === 0 ? "completed" : "failed";
      const run = { type: "command_execution", command: "sh x", aggregated_output, exit_code, status };
      return translate([item("completed", run)]).updates.map(({ kind }) => kind);
    };
    expect(ended("before\ntouch: cannot touch 'zz': Read-only file system\n", 1)).toContain("denied");
    expect(ended("log: a: Read-only file system\n", 0)).not.toContain("denied");
    expect(ended("a: Read-only file system\nall else failed\n", 1)).not.toContain("denied");
    const hear = (line: string) => new CodexTranslation({ resume: null, spent: null }, () => 0).overhear(line);
    expect(
      hear(
        "2026-11-28T15:42:43.760746Z ERROR codex_core::tools::router: error=patch rejected: writing is blocked by read-only sandbox; rejected by user approval settings",
      ),
    ).toEqual([
      {
        kind: "denied",
        tool: "apply_patch",
        reason: "patch rejected: writing is blocked by read-only sandbox; rejected by user approval settings",
      },
    ]);
    expect(hear("ERROR codex_core::tools::router: error=apply_patch verification failed: no such file")).toEqual([]);
  });

  it("of a to-do list are the plan, whole each time", () => {
    const list = (completed: boolean): object => ({
      type: "todo_list",
      items: [
        { text: "one", completed },
        { text: "two", completed: false },
      ],
    });
    const { updates } = translate([item("started", list(false)), item("updated", list(true))]);
    expect(only(updates, "plan").map(({ entries }) => entries.map(({ state }) => state))).toEqual([
      ["pending", "pending"],
      ["done", "pending"],
    ]);
  });

  it("of two messages are one answer with a blank line between", () => {
    const { updates, ends } = translate([
      started,
      turn,
      message("a", "first"),
      message("b", "second\n"),
      message("c", ""),
      message("d", "third"),
      done,
    ]);
    expect(textOf(updates)).toBe("first\n\nsecond\n\nthird");
    expect(ends[0]).toMatchObject({ result: textOf(updates) });
  });

  it("are for any texts of any messages exactly the answer", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: "binary" })), (texts) => {
        const { updates, ends } = translate([started, ...texts.map((text, at) => message(`m${at}`, text)), done]);
        expect(ends[0]).toMatchObject({ outcome: "done", result: textOf(updates) });
        for (const text of texts) expect(textOf(updates)).toContain(text);
      }),
    );
  });
});

describe("an error that may pass by itself", () => {
  it("is not called so once anything of the answer was there: a tool may have run unseen", () => {
    const cut = failedWith("stream disconnected before completion: error decoding response body");
    const details = (lines: object[]): object => (translate(lines).ends[0] as { details: object }).details;
    expect(details([started, turn, cut])).toMatchObject({ temporary: true });
    expect(details([started, turn, message("a", "Running a command."), cut])).not.toHaveProperty("temporary");
    expect(details([started, turn, failedWith("unexpected status 400 Bad Request: no")])).not.toHaveProperty(
      "temporary",
    );
  });
});

describe("a line nobody foresaw", () => {
  it("is counted, and changes nothing", () => {
    const { ends, unknown } = translate([
      started,
      { type: "thread.compacted" },
      item("completed", { type: "hologram" }),
      { type: "thread.compacted" },
      done,
    ]);
    expect(unknown).toEqual([
      ["thread.compacted", 2],
      ["item/hologram", 1],
    ]);
    expect(ends).toMatchObject([{ outcome: "done", result: "" }]);
  });

  it("of any form never throws", () => {
    const types = fc.constantFrom(
      "thread.started",
      "turn.completed",
      "turn.failed",
      "error",
      "item.started",
      "item.updated",
      "item.completed",
      "x",
    );
    const items = fc.constantFrom(
      "agent_message",
      "reasoning",
      "command_execution",
      "file_change",
      "mcp_tool_call",
      "collab_tool_call",
      "web_search",
      "todo_list",
      "error",
    );
    const fields = fc.dictionary(
      fc.constantFrom(
        "id",
        "text",
        "command",
        "changes",
        "arguments",
        "result",
        "error",
        "items",
        "status",
        "exit_code",
        "query",
        "message",
      ),
      fc.jsonValue(),
    );
    const lines = fc.record({
      type: types,
      thread_id: fc.jsonValue(),
      usage: fc.jsonValue(),
      error: fc.jsonValue(),
      message: fc.jsonValue(),
      item: fc.record({ type: items, extra: fields }).map(({ type, extra }) => ({ ...extra, type })),
    });
    fc.assert(
      fc.property(fc.array(lines), (all) => {
        const { updates } = translate(all);
        for (const { key: learnt } of only(updates, "session_key")) expect(learnt).toMatch(/^[A-Za-z0-9][\w.-]{0,63}$/);
      }),
    );
  });
});
