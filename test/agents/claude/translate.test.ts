import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { only, textOf } from "../stage.ts";
import { expectOneAnswer } from "../streams.ts";
import { linesOf, translate } from "./streams.ts";

const key = "6d3040e7-7186-4cfc-b5f1-36b24e8e3400";
const init = { type: "system", subtype: "init", session_id: key, model: "m" };
const done = { type: "result", subtype: "success", is_error: false, session_id: key };
const spoken = (id: string, ...content: object[]): object => ({
  type: "assistant",
  session_id: key,
  message: { id, content },
});
const words = (text: string): object => ({ type: "text", text });
const event = (event: object): object => ({ type: "stream_event", session_id: key, event });
const start = (id: string): object => event({ type: "message_start", message: { id, usage: {} } });
const begin = event({ type: "content_block_start", content_block: { type: "text" } });
const piece = (text: string): object => event({ type: "content_block_delta", delta: { type: "text_delta", text } });
const stop = event({ type: "content_block_stop" });

describe("a true stream", () => {
  it.each([
    ["new", "hello"],
    ["partial", "hello partial"],
    ["resume", 'HISTORY ["user:echo:hello","assistant:hello"]'],
    ["think", "thought: hard"],
    ["err529once", "recovered"],
  ])("of %s is one answer, its deltas exactly its result", (name, answer) => {
    expectOneAnswer(translate(linesOf(name)), answer);
  });

  it("of a tool call shows what runs, what came of it, and both texts around it", () => {
    const { updates, ends } = translate(linesOf("tool"));
    expect(only(updates, "tool_started")).toMatchObject([
      { name: "Bash", title: "echo hi; ls /", input: { command: "echo hi; ls /" } },
    ]);
    const [finished] = only(updates, "tool_finished");
    expect(finished).toMatchObject({ id: only(updates, "tool_started")[0]!.id, ok: true });
    expect(finished!.summary.startsWith("hi\nbin\nboot")).toBe(true);
    expect(ends[0]).toMatchObject({ outcome: "done", result: textOf(updates) });
    expect(textOf(updates).startsWith("Running a command.\n\nAFTER_TOOL hi\nbin")).toBe(true);
  });

  it("of a denied tool shows it as denied, once, and continues to a good end", () => {
    const { updates, ends } = translate(linesOf("tool-denied"));
    expect(only(updates, "denied")).toMatchObject([{ tool: "Bash", id: "toolu_mock000013" }]);
    expect(only(updates, "denied")[0]!.reason).toContain("needs approval");
    expect(only(updates, "tool_finished")).toMatchObject([{ ok: false }]);
    expect(ends).toMatchObject([{ outcome: "done" }]);
  });

  it.each([
    ["err429", 429],
    ["err500", 500],
  ])("of a model's failure (%s) is a failure, though it says success", (name, status) => {
    const { updates, ends } = translate(linesOf(name));
    expect(ends).toMatchObject([{ outcome: "failed", code: "E_SERVICE_BUSY", details: { status } }]);
    expect(String((ends[0] as { details?: { reason?: string } }).details?.reason)).toContain(`mock error ${status}`);
    expect(only(updates, "notice")).toMatchObject([{ code: "model_retry" }]);
    expect(textOf(updates)).toBe("");
    expect("temporary" in (ends[0] as { details: object }).details).toBe(status === 500);
  });

  it.each(["badresume", "badresume-nonuuid"])(
    "of a session that is not there (%s) says so, and gives no key to store",
    (name) => {
      const { updates, ends } = translate(linesOf(name), "11111111-2222-3333-4444-555555555555");
      expect(only(updates, "session_key")).toEqual([]);
      expect(ends).toMatchObject([{ outcome: "failed", code: "E_RESUME_UNKNOWN", details: { resume: "unknown" } }]);
    },
  );

  it("of an interrupted turn is none of an answer", () => {
    const { updates, ends } = translate(linesOf("sigint"));
    expect(ends).toMatchObject([{ outcome: "failed" }]);
    expect(textOf(updates)).toMatch(/^chunk1 .*chunk11 $/);
  });

  it("that was killed has no end", () => {
    const { updates, ends } = translate(linesOf("sigterm2"));
    expect(ends).toEqual([]);
    expect(only(updates, "session_key")).toHaveLength(1);
  });

  it("cut after any of its lines gives the same updates until there", () => {
    const lines = linesOf("tool");
    const whole = translate(lines).updates;
    for (let count = 0; count <= lines.length; count += 1) {
      const { updates } = translate(lines.slice(0, count));
      expect(updates).toEqual(whole.slice(0, updates.length));
    }
  });
});

describe("what was used", () => {
  it("is this run's alone, though a resumed session counts from its beginning", () => {
    for (const name of ["new", "resume"]) {
      const usage = Object.assign(
        {},
        ...only(translate(linesOf(name)).updates, "usage").map((update) => update.usage),
      ) as object;
      expect(usage).toMatchObject({
        input: 1234,
        output: 56,
        cacheRead: 100,
        cacheWritten: 0,
        model: "claude-opus-5-5",
        contextSize: 1_000_000,
      });
      expect((usage as { cost: { amount: number } }).cost.amount).toBeCloseTo(0.006076);
      expect((usage as { durationMs: number }).durationMs).toBeGreaterThan(0);
    }
  });

  it("of the context is what the last exchange held", () => {
    const told = only(translate(linesOf("partial")).updates, "usage").map(({ usage }) => usage.contextUsed);
    expect(told.filter((used) => used !== undefined)).toEqual([1234 + 100 + 56]);
  });
});

describe("the answer", () => {
  it("holds every block once: streamed and told again, or told only", () => {
    const { updates, ends } = translate([
      init,
      start("a"),
      begin,
      piece("one "),
      piece("two"),
      spoken("a", words("one two")),
      stop,
      spoken("a", { type: "tool_use", id: "t", name: "Bash", input: {} }),
      spoken("b", words("three")),
      { ...done, result: "three" },
    ]);
    expect(textOf(updates)).toBe("one two\n\nthree");
    expect(ends).toMatchObject([{ result: "one two\n\nthree" }]);
  });

  it("gets what the stream left out: the end of a block, or a result nobody streamed", () => {
    expect(textOf(translate([init, start("a"), begin, piece("one "), spoken("a", words("one two"))]).updates)).toBe(
      "one two",
    );
    expect(textOf(translate([init, { ...done, result: "from a slash command" }]).updates)).toBe("from a slash command");
    expect(textOf(translate([init, spoken("a", words("x")), { ...done, result: "y" }]).updates)).toBe("x\n\ny");
  });

  it("keeps what was read of a reply that the model began anew", () => {
    const { updates, ends } = translate([
      init,
      start("a"),
      begin,
      piece("chunk1 chunk2"),
      start("b"),
      begin,
      piece("chunk1 chunk2 chunk3"),
      spoken("b", words("chunk1 chunk2 chunk3")),
      stop,
      { ...done, result: "chunk1 chunk2 chunk3" },
    ]);
    expect(textOf(updates)).toBe("chunk1 chunk2\n\nchunk1 chunk2 chunk3");
    expect(ends).toMatchObject([{ result: textOf(updates) }]);
  });

  it("does not repeat a broken stream's words when they are told whole under another name", () => {
    const broken = [init, start("a"), begin, piece("chunk1 "), piece("chunk2"), stop];
    expect(textOf(translate([...broken, spoken("z", words("chunk1 chunk2"))]).updates)).toBe("chunk1 chunk2");
    expect(textOf(translate([...broken, spoken("z", words("another"))]).updates)).toBe("chunk1 chunk2\n\nanother");
  });

  it("has no words of subagents", () => {
    const sub = { ...spoken("s", words("inner")), parent_tool_use_id: "t" };
    expect(textOf(translate([init, sub, { ...(piece("x") as object), parent_tool_use_id: "t" }]).updates)).toBe("");
  });

  it("is for any cutting of any blocks exactly what was streamed", () => {
    const block = fc.record({
      pieces: fc.array(fc.string({ unit: "binary" })),
      told: fc.boolean(),
      streamed: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(block, { maxLength: 6 }), fc.boolean(), (blocks, withResult) => {
        const lines = blocks.flatMap(({ pieces, told, streamed }, i) => [
          ...(streamed ? [start(`${i}`), begin, ...pieces.map(piece)] : []),
          ...(told || !streamed ? [spoken(`${i}`, words(pieces.join("")))] : []),
        ]);
        const last = blocks.at(-1)?.pieces.join("") ?? "";
        const { updates, ends } = translate([init, ...lines, { ...done, ...(withResult ? { result: last } : {}) }]);
        expect(ends).toMatchObject([{ outcome: "done", result: textOf(updates) }]);
        for (const { pieces } of blocks) expect(textOf(updates)).toContain(pieces.join(""));
        const total = blocks.reduce((sum, { pieces }) => sum + pieces.join("").length, 0);
        expect(textOf(updates).length).toBeLessThanOrEqual(total + 2 * blocks.length);
      }),
    );
  });
});

describe("a line nobody foresaw", () => {
  it("is counted and changes nothing", () => {
    const { updates, unknown, ends } = translate([
      init,
      { type: "novelty" },
      { type: "system", subtype: "novelty" },
      { type: "novelty" },
      {},
      event({ type: "novelty" }),
      { type: "assistant", session_id: key, message: { content: [{ type: "novelty" }] } },
      { ...done, result: "ok" },
    ]);
    expect(textOf(updates)).toBe("ok");
    expect(unknown).toEqual([
      ["novelty", 2],
      ["system/novelty", 1],
      ["(no type)", 1],
      ["stream_event/novelty", 1],
      ["assistant/novelty", 1],
    ]);
    expect(ends).toHaveLength(1);
  });

  it("that asks for something gets an error, not silence", () => {
    const { replies } = translate([
      { type: "control_request", request_id: "r1", request: { subtype: "hook_callback" } },
    ]);
    expect(replies).toMatchObject([{ response: { subtype: "error", request_id: "r1" } }]);
  });

  it("of any form never throws, and never gives a key of an odd form", () => {
    const types = [
      "system",
      "assistant",
      "user",
      "result",
      "stream_event",
      "control_request",
      "control_cancel_request",
      "tool_progress",
      "rate_limit_event",
    ];
    const line = fc.record(
      {
        type: fc.constantFrom(...types),
        subtype: fc.constantFrom("init", "success", "api_retry", "permission_denied", "error_during_execution"),
        session_id: fc.oneof(fc.string(), fc.constant("../x"), fc.constant("-r"), fc.integer()),
        message: fc.anything(),
        event: fc.anything(),
        request: fc.anything(),
        result: fc.anything(),
        errors: fc.anything(),
        permission_denials: fc.anything(),
        rate_limit_info: fc.anything(),
        usage: fc.anything(),
        model_usage_since_last_result: fc.anything(),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.array(line), (lines) => {
        const { updates } = translate(lines);
        for (const { key } of only(updates, "session_key")) expect(key).toMatch(/^[A-Za-z0-9][\w.-]{0,63}$/);
      }),
      { numRuns: process.env["BELLHOP_TEST_LONG"] ? 3_000 : 100 },
    );
  }, 300_000);

  it("of random bytes among the lines leaves the next good line as it is", () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.string({ unit: "binary" }), fc.json(), fc.constant("{"), fc.constant("{}}"))),
        (noise) => {
          const lines = ["", ...noise.flatMap((text) => text.split("\n"))].filter((text) => !text.includes('"type"'));
          const { updates, ends } = translate([
            ...lines,
            init,
            spoken("a", words("fine")),
            { ...done, result: "fine" },
          ]);
          expect(textOf(updates)).toBe("fine");
          expect(ends).toHaveLength(1);
        },
      ),
    );
  });
});

describe("a run's end", () => {
  it("without a session key is a failure: the next message would begin anew without a word", () => {
    const { session_id: _, ...nameless } = done;
    expect(translate([{ ...nameless, result: "x" }]).ends).toMatchObject([
      { outcome: "failed", code: "E_ADAPTER_SESSION_KEY_MISSING" },
    ]);
  });

  it("with an error subtype is a failure even where is_error is missing", () => {
    const { is_error: _, ...odd } = { ...done, subtype: "error_max_turns" };
    expect(translate([init, odd]).ends).toMatchObject([
      { outcome: "failed", code: "E_CLI_EXIT_NONZERO", details: { kind: "error_max_turns" } },
    ]);
  });
});
