/**
 * The server's conversation with its client: what it offers, what it answers, and what becomes of a call that waits.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { BellhopError } from "../../../src/base/errors.ts";
import { noToken, notRunning } from "../../../src/client/mcp/daemon.ts";
import { APART_MS, TOLD_EVERY_MS, SERVER_NAME, tools } from "../../../src/client/mcp/server.ts";
import { openScene, OUTCOME, wordsOf } from "./scene.ts";

const QUESTION = { question: "Run the migration?", context: "v1 to v2", options: ["A) Now", "B) Later"] };

describe("the tools", () => {
  test("are the six of the design, with its parameters and defaults", async () => {
    const scene = await openScene();
    scene.send({ id: 2, method: "tools/list" });
    const { result } = await scene.line(({ id }) => id === 2);
    const listed = (result?.["tools"] ?? []) as {
      name: string;
      description: string;
      inputSchema: {
        properties: Record<string, { type: unknown; default?: unknown }>;
        required: string[];
        additionalProperties: boolean;
      };
    }[];
    const shape = listed.map(({ name, inputSchema: { properties, required } }) => [
      name,
      Object.entries(properties).map(([parameter, one]) => [
        parameter,
        one.type,
        required.includes(parameter) ? "required" : one.default,
      ]),
    ]);
    expect(shape).toEqual([
      [
        "discord_ask_decision",
        [
          ["question", "string", "required"],
          ["context", "string", "required"],
          ["options", "array", []],
          ["timeout_seconds", ["number", "null"], null],
          ["thread_id", ["string", "null"], null],
        ],
      ],
      [
        "discord_notify",
        [
          ["message", "string", "required"],
          ["level", "string", "info"],
          ["thread_id", ["string", "null"], null],
        ],
      ],
      [
        "discord_report_progress",
        [
          ["title", "string", "required"],
          ["summary", "string", "required"],
          ["details", "array", []],
          ["thread_id", ["string", "null"], null],
        ],
      ],
      ["discord_check_pending", []],
      [
        "discord_read_inbox",
        [
          ["unread_only", "boolean", true],
          ["mark_read", "boolean", false],
        ],
      ],
      ["discord_clear_inbox", [["read_only", "boolean", true]]],
    ]);
    for (const { description, inputSchema } of listed) {
      expect(description.length).toBeGreaterThan(150);
      expect(inputSchema.additionalProperties).toBe(false);
    }
  });

  test("of asking says when to ask, and that no answer must be made up", () => {
    const words = tools[0]?.description ?? "";
    for (const said of [
      "cannot be undone",
      "Never go on as if you had an answer",
      "same question",
      "empty array",
      "context",
    ])
      expect(words).toContain(said);
  });

  test("pass on what was sent, with the defaults for what was not", async () => {
    const scene = await openScene();
    await scene.call("discord_notify", { message: "done" });
    await scene.call("discord_report_progress", { title: "T", summary: "S", details: null, thread_id: "" });
    await scene.call("discord_check_pending", {});
    await scene.call("discord_read_inbox", { mark_read: true });
    await scene.call("discord_clear_inbox", {});
    const request_id = expect.stringMatching(/^[\w-]{8,100}$/) as string;
    expect(scene.asked).toEqual([
      { method: "notify", params: { message: "done", level: "info", thread_id: null, request_id } },
      { method: "report", params: { title: "T", summary: "S", details: [], thread_id: null, request_id } },
      { method: "pending", params: {} },
      { method: "readInbox", params: { unread_only: true, mark_read: true } },
      { method: "clearInbox", params: { read_only: true } },
    ]);
    const ids = scene.asked.flatMap(({ params }) => (params as { request_id?: string }).request_id ?? []);
    expect(new Set(ids).size).toBe(2);
  });

  test("answer with the result's fields, as text and as an object", async () => {
    const scene = await openScene();
    const done = await scene.call("discord_notify", { message: "done" });
    expect(done).toEqual({
      content: [{ type: "text", text: JSON.stringify(done.structuredContent) }],
      structuredContent: { success: true, message_id: "900000000000000002", thread_id: null },
    });
  });
});

describe("what is wrong is answered with what to send instead", () => {
  const cases: [string, string, unknown, RegExp][] = [
    [
      "a parameter nobody knows",
      "discord_ask_decision",
      { ...QUESTION, timeout: 5 },
      /no parameter "timeout".*Did you mean timeout_seconds\?.*It takes: question/,
    ],
    ["one where none is taken", "discord_check_pending", { all: true }, /takes no parameters; send \{\}/],
    [
      "a missing question",
      "discord_ask_decision",
      { context: "", options: [] },
      /^question is missing\. Send it: The one question/,
    ],
    ["an empty question", "discord_ask_decision", { ...QUESTION, question: " \n" }, /^question is empty/],
    [
      "options in one string",
      "discord_ask_decision",
      { ...QUESTION, options: '["A"]' },
      /^options must be an array of strings, such as \["A\) Now"/,
    ],
    [
      "an option that is no text",
      "discord_ask_decision",
      { ...QUESTION, options: ["A", 2] },
      /^options\[1\] must be a string; what came is 2/,
    ],
    [
      "an option twice",
      "discord_ask_decision",
      { ...QUESTION, options: ["A", "A "] },
      /^options\[1\] is the same as one before it/,
    ],
    [
      "too many options",
      "discord_ask_decision",
      { ...QUESTION, options: Array.from({ length: 101 }, (_, n) => `${n}`) },
      /^options has 101 entries; at most 100 are allowed/,
    ],
    [
      "a question that is too long",
      "discord_ask_decision",
      { ...QUESTION, question: "q".repeat(10_001) },
      /^question has 10001 characters; at most 10000 are allowed\. Shorten it/,
    ],
    [
      "seconds as text",
      "discord_ask_decision",
      { ...QUESTION, timeout_seconds: "60" },
      /^timeout_seconds must be a number of seconds over 0.*or null.*what came is "60"/,
    ],
    ["no seconds", "discord_ask_decision", { ...QUESTION, timeout_seconds: 0 }, /^timeout_seconds must be/],
    [
      "a thread as a number",
      "discord_ask_decision",
      { ...QUESTION, thread_id: Number("1234567890123456789") },
      /^thread_id must be a string: as a number its last digits are lost/,
    ],
    [
      "a thread by name",
      "discord_ask_decision",
      { ...QUESTION, thread_id: "general" },
      /^thread_id must be the id of a Discord thread.*what came is "general"/,
    ],
    [
      "an unknown level",
      "discord_notify",
      { message: "m", level: "warn" },
      /^level must be one of "info", "warning", "success", "error"; what came is "warn"/,
    ],
    [
      "a truth in quotes",
      "discord_read_inbox",
      { mark_read: "true" },
      /^mark_read must be true or false, without quotes/,
    ],
    [
      "an unknown tool",
      "discord_ask",
      {},
      /There is no tool "discord_ask"\. .*There are: discord_ask_decision, discord_notify/,
    ],
  ];

  test.each(cases)("%s", async (_, name, args, says) => {
    const scene = await openScene();
    const result = await scene.call(name, args);
    expect(result.isError).toBe(true);
    expect(wordsOf(result)).toMatch(says);
    expect(scene.asked).toEqual([]);
    expect(scene.failures).toEqual([]);
  });

  test("a channel that is missing, unless a thread is named or the session has one", async () => {
    const scene = await openScene({ known: false });
    for (const [name, args] of [
      ["discord_ask_decision", QUESTION],
      ["discord_notify", { message: "m" }],
      ["discord_report_progress", { title: "t", summary: "s" }],
    ] as const) {
      const result = await scene.call(name, args);
      expect(wordsOf(result)).toContain("DISCORD_CHANNEL_ID is not set. Ask the user to put");
    }
    expect(scene.asked).toEqual([]);
    expect(
      (await scene.call("discord_notify", { message: "m", thread_id: "900000000000000001" })).isError,
    ).toBeUndefined();
  });

  test("whatever the arguments are, the answer is a result and never a broken protocol", async () => {
    const scene = await openScene();
    const names = tools.map(({ name }) => name);
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...names),
        fc.dictionary(
          fc.constantFrom("question", "context", "options", "message", "level", "title", "thread_id", "__proto__", "x"),
          fc.jsonValue(),
        ),
        async (name, args) => {
          const answer = scene.call(name, args);
          const question = scene.nextQuestion();
          await Promise.race([answer, question.then((one) => one.answer({}))]);
          expect((await answer).content[0]?.type).toBe("text");
        },
      ),
      { numRuns: 150, seed: 4 },
    );
    expect(scene.failures).toEqual([]);
  });
});

describe("what goes wrong with the daemon is said with what to do", () => {
  test("there is none and none can be started", async () => {
    const scene = await openScene({ daemon: { notify: () => Promise.reject(noToken()) } });
    expect(wordsOf(await scene.call("discord_notify", { message: "m" }))).toMatch(
      /no bot token.*Nothing was sent\. Ask the user to put DISCORD_BOT_TOKEN/,
    );
  });

  test("it refuses by a code, or with a sentence of its own", async () => {
    const coded = await openScene({ daemon: { notify: () => Promise.reject(new BellhopError("E_TOKEN_REFUSED")) } });
    expect(wordsOf(await coded.call("discord_notify", { message: "m" }))).toMatch(/^E_TOKEN_REFUSED: \w+/);
    const said = await openScene({
      daemon: {
        notify: () =>
          Promise.reject(new BellhopError("E_LINK_REFUSED", { why: "message is empty; it has to say something" })),
      },
    });
    expect(wordsOf(await said.call("discord_notify", { message: "m" }))).toBe(
      "message is empty; it has to say something",
    );
  });

  test("a bug of ours is told without its insides, and goes to standard error whole", async () => {
    const scene = await openScene({ daemon: { pending: () => Promise.reject(new TypeError("secret insides")) } });
    const result = await scene.call("discord_check_pending", {});
    expect(wordsOf(result)).toMatch(/^E_INTERNAL/);
    expect(wordsOf(result)).not.toContain("insides");
    expect(scene.failures.map(({ message }) => message)).toEqual(["secret insides"]);
  });
});

describe("a question", () => {
  test("waits for its answer, and counts as delivered once that is written", async () => {
    const scene = await openScene();
    const result = scene.call("discord_ask_decision", QUESTION);
    const question = await scene.nextQuestion();
    expect(question.params).toEqual({ ...QUESTION, timeout_seconds: null, thread_id: null });
    expect(scene.waiting()).toBe(1);
    expect(scene.delivered).toEqual([]);
    question.answer({});
    expect((await result).structuredContent).toEqual(OUTCOME);
    await scene.clock.settle();
    expect(scene.delivered).toEqual([OUTCOME.question_id]);
    expect(scene.waiting()).toBe(0);
  });

  test("without an answer says beside the result that nothing was decided", async () => {
    const scene = await openScene();
    const result = scene.call("discord_ask_decision", { ...QUESTION, timeout_seconds: 60 });
    (await scene.nextQuestion()).answer({ success: false, answer: null, selected_option: null, timed_out: true });
    expect((await result).structuredContent).toMatchObject({
      success: false,
      answer: null,
      timed_out: true,
      aborted: false,
    });
    expect((await result).content[1]?.text).toMatch(/has not answered\. Nothing was decided/);
    expect((await result).isError).toBeUndefined();
  });

  test("keeps its client told for as long as it waits, ever more, and only where the client asked to be", async () => {
    const scene = await openScene();
    const result = scene.call("discord_ask_decision", QUESTION, { id: 7, progressToken: "mine" });
    const silent = scene.call("discord_ask_decision", { ...QUESTION, question: "Another?" }, { id: 8 });
    const [first, second] = [await scene.nextQuestion(), await scene.nextQuestion()];
    first.part({ question_id: "q", thread_id: "900000000000000001", state: "open" });
    await scene.clock.advance(60 * 60_000);
    const told = scene.lines
      .filter(({ method }) => method === "notifications/progress")
      .map(({ params }) => params as { progressToken: unknown; progress: number; message: string });
    expect(told.length).toBe(1 + (60 * 60_000) / TOLD_EVERY_MS);
    expect(new Set(told.map(({ progressToken }) => progressToken))).toEqual(new Set(["mine"]));
    expect(told.every(({ progress }, at) => at === 0 || progress > (told[at - 1]?.progress ?? 0))).toBe(true);
    expect(told.at(-1)?.message).toContain("in thread 900000000000000001");
    first.answer({});
    second.answer({});
    await scene.clock.advance(APART_MS);
    await Promise.all([result, silent]);
    expect(scene.clock.armed).toBe(0);
  });

  test("never tells anything in the same breath as its result", async () => {
    const scene = await openScene();
    void scene.call("discord_ask_decision", QUESTION, { id: 7, progressToken: 1 });
    const question = await scene.nextQuestion();
    question.part({ question_id: "q", thread_id: "900000000000000001", state: "open" });
    question.answer({});
    await scene.clock.advance(APART_MS - 1);
    expect(scene.lines.some(({ id }) => id === 7)).toBe(false);
    await scene.clock.advance(1);
    expect(scene.lines.at(-1)?.id).toBe(7);
    expect(scene.lines.at(-2)?.method).toBe("notifications/progress");
  });

  test("that its client cancels is given up, answered with nothing and not delivered", async () => {
    const scene = await openScene();
    void scene.call("discord_ask_decision", QUESTION, { id: 7 });
    const question = await scene.nextQuestion();
    scene.send({ method: "notifications/cancelled", params: { requestId: 7 } });
    await new Promise((resolve) => question.signal.addEventListener("abort", resolve));
    await scene.clock.settle();
    expect(scene.waiting()).toBe(0);
    await scene.call("discord_check_pending", {});
    expect(scene.lines.some(({ id, method }) => id === 7 && method === undefined)).toBe(false);
    expect(scene.delivered).toEqual([]);
    expect(scene.failures).toEqual([]);
  });

  test("whose client is gone is given up and not delivered", async () => {
    const scene = await openScene();
    void scene.call("discord_ask_decision", QUESTION, { id: 7 });
    const question = await scene.nextQuestion();
    const given = new Promise((resolve) => question.signal.addEventListener("abort", resolve));
    scene.stdin.end();
    await given;
    await scene.server.closed;
    await scene.server.close();
    expect(scene.delivered).toEqual([]);
    expect(scene.waiting()).toBe(0);
  });

  test("whose answer cannot be written is not delivered", async () => {
    const scene = await openScene();
    void scene.call("discord_ask_decision", QUESTION, { id: 7 });
    const question = await scene.nextQuestion();
    scene.stdout.destroy(new Error("EPIPE"));
    question.answer({});
    await scene.server.closed;
    await scene.clock.settle();
    await scene.server.close();
    expect(scene.delivered).toEqual([]);
  });

  test("answered right before the client leaves is known as delivered before we go", async () => {
    const told = Promise.withResolvers<void>();
    const order: string[] = [];
    const scene = await openScene({
      daemon: { delivered: () => told.promise.then(() => void order.push("delivered")) },
    });
    const result = scene.call("discord_ask_decision", QUESTION);
    (await scene.nextQuestion()).answer({});
    await result;
    scene.stdin.end();
    await scene.server.closed;
    const closed = scene.server.close().then(() => order.push("closed"));
    await scene.clock.settle();
    expect(order).toEqual([]);
    told.resolve();
    await closed;
    expect(order).toEqual(["delivered", "closed"]);
  });
});

test("the server goes by the design's name", async () => {
  const scene = await openScene();
  expect(scene.lines[0]?.result).toMatchObject({
    serverInfo: { name: SERVER_NAME },
    instructions: expect.stringContaining("discord_check_pending") as string,
  });
  expect(SERVER_NAME).toBe("discord-decision-mcp");
});

test("why no daemon could be started is told as one sentence after the other, whatever it ends with", () => {
  for (const why of [
    "choose Copy ID and start again.",
    "choose Copy ID and start again",
    "choose Copy ID and start again. ",
  ]) {
    expect(notRunning(why).message).toContain(
      "could not be started: choose Copy ID and start again. Nothing was sent.",
    );
  }
});
