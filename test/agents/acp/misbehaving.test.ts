/**
 * An agent that misbehaves, as a real process: whatever it sends, the turn ends once and truthfully, nothing is allowed
 * that nobody allowed, and no process is left.
 */
import { describe, expect, test } from "vitest";
import type { Reply } from "../../../src/agents/contract/driver.ts";
import type { Update } from "../../../src/agents/contract/updates.ts";
import { createFakeClock } from "../../fakes/fake-clock.ts";
import { all, only, textOf } from "../stage.ts";
import { loginTo } from "../../../src/agents/acp/errors.ts";
import { acpScene, scripted } from "./acp-scene.ts";

async function play(text: string, start = "fine", key: string | null = null): Promise<Update[]> {
  const scene = await acpScene(scripted(start));
  const turn = await scene.prompt(text, { key });
  const updates = await all(turn);
  await turn.over;
  expect(only(updates, "end")).toHaveLength(1);
  return updates;
}

const endOf = (updates: readonly Update[]): Update | undefined => updates.at(-1);
const done = (result: string): object => ({ kind: "end", outcome: "done", result });
const failed = (code: string, details: object = {}): object => ({
  kind: "end",
  outcome: "failed",
  code,
  details: expect.objectContaining(details) as object,
});

describe("before the session is open", () => {
  test.each([
    ["exits", "exit", { because: "why_exit_code", exit_code: 3 }],
    ["prints a banner and exits", "banner-exit", { because: "why_exit_code", exit_code: 0 }],
    ["speaks another version", "version", { because: "why_version", version: "2", ours: 1 }],
    ["opens a session without an id", "no-id", { because: "why_no_session_id" }],
    ["refuses a session", "refuse-new", { reason: "no room" }],
    ["cannot be set to a mode that asks", "stuck", { because: "why_mode_loose", mode: "auto" }],
  ])("one that %s could not be started", async (_what, start, details) => {
    const updates = await play("echo hi", start);
    expect(endOf(updates)).toMatchObject(failed("E_AGENT_START_FAILED", { tool: "acp", ...details }));
    expect(only(updates, "session_key")).toEqual([]);
  });

  test("a command that is not there could not be started", async () => {
    const scene = await acpScene({ command: null });
    expect(await scene.driver.probe()).toMatchObject({ found: false });
    const turn = await scene.prompt("echo hi");
    expect(await all(turn)).toEqual([
      failed("E_AGENT_START_FAILED", { tool: "acp", because: "why_not_in_path", command: "no-such-agent" }),
    ]);
    expect(await turn.process).toBeNull();
    await turn.over;
  });

  test.each(["--yolo", "-y", "--dangerously-skip-permissions", "--allow-dangerously-x", "a\0b"])(
    "an argument that lets it act without asking is refused: %j",
    async (argument) => {
      const scene = await acpScene();
      expect(scene.driver.refuses(["--verbose", argument])).toBe(argument);
      const turn = await scene.prompt("echo hi", { args: ["--verbose", argument] });
      expect(await all(turn)).toMatchObject([failed("E_ARGUMENT_REFUSED", { tool: "acp" })]);
      await turn.over;
    },
  );

  test("one that never answers is given up after 30 s, and ended", async () => {
    const clock = createFakeClock();
    const scene = await acpScene({ ...scripted("hang"), clock });
    const turn = await scene.prompt("echo hi");
    const updates = all(turn);
    await clock.advance(30_000);
    expect(endOf(await updates)).toMatchObject(
      failed("E_AGENT_START_FAILED", { because: "why_no_session", seconds: 30 }),
    );
    await turn.over;
  });

  test("one that needs a login names the command to run, or the ways that it offers", async () => {
    expect(endOf(await play("echo hi", "login"))).toEqual({
      kind: "end",
      ...failed("E_AGENT_LOGIN"),
      details: { ways: "Log in with a browser, key" },
    });
    expect(endOf(await play("echo hi", "logged-out"))).toEqual({
      kind: "end",
      ...failed("E_AGENT_LOGIN"),
      details: {},
    });
    expect(loginTo({ agentInfo: { name: "gemini-cli" } }, undefined)).toEqual({ login: "gemini" });
    expect(loginTo({}, "codex login")).toEqual({ login: "codex login" });
  });

  test("a banner before the protocol does no harm", async () => {
    expect(endOf(await play("echo hi", "banner"))).toMatchObject(done("hi"));
  });

  test("a mode that does not ask is changed to one that does", async () => {
    const scene = await acpScene(scripted("auto"));
    const turn = await scene.prompt("echo hi");
    expect(endOf(await all(turn))).toMatchObject(done("hi"));
    await scene.close();
    expect(scene.received().map(({ method }) => method)).toEqual([
      "initialize",
      "session/new",
      "session/set_mode",
      "session/prompt",
      "session/close",
    ]);
    expect(scene.received()[2]).toMatchObject({ params: { modeId: "default" } });
  });

  test("an agent that cannot ask is used as it is where the owner said so", async () => {
    const scene = await acpScene({ ...scripted("stuck"), asIs: true });
    const turn = await scene.prompt("echo hi");
    expect(endOf(await all(turn))).toMatchObject(done("hi"));
    await turn.over;
  });

  test("what it asks before that is refused, and shown to nobody", async () => {
    const scene = await acpScene(scripted("early"));
    const updates = await all(await scene.prompt("echo hi"));
    expect([endOf(updates), only(updates, "permission")]).toMatchObject([done("hi"), []]);
    await scene.close();
    expect(scene.received()[2]).toMatchObject({ result: { outcome: { outcome: "cancelled" } } });
  });

  test("an agent nobody knows is used, and this is said", async () => {
    expect(only(await play("echo hi", "stranger"), "notice")).toMatchObject([
      { code: "unknown_agent", text: "default" },
    ]);
  });
});

describe("in the turn", () => {
  test.each([
    ["garbage", "fine"],
    ["batch", "fine"],
    ["twice", "fine"],
    ["unversioned", "fine"],
    ["utf8", "a\ufffd\ufffdz"],
    ["other", 'fine {"outcome":{"outcome":"cancelled"}}'],
    ["form-elsewhere", '{"action":"decline"}'],
    ["no-reason", "fine"],
    ["api-words", "API Error: 400 is what you asked about."],
    ["refusal", "I would rather not."],
  ])("%s: the answer is what belongs to it", async (prompt, answer) => {
    const updates = await play(prompt);
    expect(endOf(updates)).toMatchObject(done(answer));
    expect(textOf(updates)).toBe(answer);
    expect([...only(updates, "permission"), ...only(updates, "question"), ...only(updates, "notice")]).toEqual([]);
  });

  test("of another session's updates nothing is told as its own", async () => {
    const scene = await acpScene();
    const agent = await scene.open();
    await all(scene.say(agent, "other"));
    expect(agent.facts?.()).toEqual({});
  });

  test("a failure that it says twice is told once", async () => {
    const updates = await play("api-error");
    expect([textOf(updates), endOf(updates)]).toMatchObject([
      "",
      failed("E_CLI_EXIT_NONZERO", { status: 400, reason: "API Error: 400 mock error 400" }),
    ]);
  });

  test.each(["long", "deep"] as const)("a line that is too %s is left out, and said once", async (why) => {
    const updates = await play(why);
    expect(only(updates, "left_out")).toMatchObject([{ why }]);
    expect(endOf(updates)).toMatchObject(done("fine"));
  });

  test("half an answer is no answer", async () => {
    expect(endOf(await play("half"))).toMatchObject(failed("E_CLI_EXIT_NONZERO", { exit_code: 0 }));
  });

  test("a flood arrives whole", async () => {
    const updates = await play("flood");
    expect(textOf(updates)).toHaveLength(500_000);
    expect(endOf(updates)).toMatchObject({ outcome: "done" });
  });

  test("one that dies has failed, with what it said kept", async () => {
    const updates = await play("die");
    expect(textOf(updates)).toBe("half an ans");
    expect(endOf(updates)).toMatchObject(failed("E_CLI_EXIT_NONZERO", { signal: "SIGKILL" }));
  });

  test("one whose turn it cancels itself has failed", async () => {
    expect(endOf(await play("cancel-itself"))).toMatchObject(failed("E_CLI_EXIT_NONZERO"));
  });

  test.each(["refusal", "max_tokens", "max_turn_requests"])(
    "an answer that ends early is one, and why is said: %s",
    async (why) => {
      const updates = await play(why);
      expect(only(updates, "ended_early")).toEqual([{ kind: "ended_early", why }]);
      expect(endOf(updates)).toMatchObject({ outcome: "done" });
    },
  );

  test("any other reason for its end is told in the agent's words", async () => {
    expect(only(await play("tired_of_it"), "notice")).toMatchObject([{ code: "told", text: "tired of it" }]);
  });

  test("429 is a usage limit", async () => {
    expect(endOf(await play("error"))).toMatchObject(failed("E_USAGE_LIMIT", { status: 429 }));
  });

  test("it gets no files and no terminals from us", async () => {
    expect(textOf(await play("fs"))).toContain("-32601");
  });

  test("a mode in which it would not ask is set back, and said", async () => {
    const updates = await play("loosen", "auto");
    expect(only(updates, "notice")).toMatchObject([{ code: "mode_set_back", text: "auto" }]);
    expect(endOf(updates)).toMatchObject(done("default"));
  });
});

describe("while it asks", () => {
  test.each([
    ["no-options", { outcome: { outcome: "cancelled" } }],
    ["always-only", { outcome: { outcome: "selected", optionId: "no" } }],
  ])(
    "a permission that cannot be given once is asked, says so, and is refused whatever is answered: %s",
    async (prompt, wire) => {
      const scene = await acpScene();
      const turn = await scene.prompt(prompt);
      const updates: Update[] = [];
      for await (const update of turn.updates) {
        updates.push(update);
        if (update.kind === "permission") expect(await turn.answer(update.id, { kind: "allow", input: {} })).toBe(true);
      }
      await turn.over;
      expect(only(updates, "permission")).toMatchObject([{ shown: "call", noYes: true }]);
      expect(textOf(updates)).toBe(JSON.stringify(wire));
      expect(only(updates, "denied")).toHaveLength(1);
    },
  );

  test.each([
    [{ kind: "allow", input: {} }, { outcome: { outcome: "selected", optionId: "yes" } }],
    [{ kind: "deny", message: "no" }, { outcome: { outcome: "selected", optionId: "no" } }],
  ] as const)("the option that holds once is chosen by its kind: %o", async (reply, wire) => {
    const scene = await acpScene();
    const turn = await scene.prompt("permit");
    const updates: Update[] = [];
    for await (const update of turn.updates) {
      updates.push(update);
      if (update.kind === "permission") expect(await turn.answer(update.id, reply)).toBe(true);
    }
    await turn.over;
    expect(textOf(updates)).toBe(JSON.stringify(wire));
    expect(only(updates, "permission")).toMatchObject([
      {
        tool: "execute",
        title: "rm -rf build",
        input: { rawInput: { command: "rm -rf build" }, title: "rm -rf build" },
      },
    ]);
    expect(only(updates, "permission")[0]?.input).not.toHaveProperty("toolCallId");
    expect(only(updates, "denied")).toHaveLength(reply.kind === "deny" ? 1 : 0);
  });

  test("an answer counts once, and none after the end", async () => {
    const scene = await acpScene();
    const turn = await scene.prompt("permit");
    for await (const update of turn.updates) {
      if (update.kind !== "permission") continue;
      const answers = await Promise.all([
        turn.answer(update.id, { kind: "allow", input: {} }),
        turn.answer(update.id, { kind: "allow", input: {} }),
      ]);
      expect(answers).toEqual([true, false]);
    }
    expect(await turn.answer("acp-1", { kind: "allow", input: {} })).toBe(false);
    await turn.over;
  });

  test("it dies: the turn has failed, and the answer reaches nobody", async () => {
    const scene = await acpScene();
    const turn = await scene.prompt("die-asking");
    const updates = await all(turn);
    expect(endOf(updates)).toMatchObject(failed("E_CLI_EXIT_NONZERO", { exit_code: 9 }));
    expect(await turn.answer(only(updates, "permission")[0]?.id ?? "", { kind: "allow", input: {} })).toBe(false);
    await turn.over;
  });

  test("what it withdraws is said, and a later answer reaches nobody", async () => {
    const scene = await acpScene();
    const turn = await scene.prompt("withdraw");
    const updates: Update[] = [];
    for await (const update of turn.updates) {
      updates.push(update);
      if (update.kind !== "withdrawn") continue;
      expect(await turn.answer(update.id, { kind: "allow", input: {} })).toBe(false);
      void turn.cancel();
    }
    await turn.over;
    expect(updates.map(({ kind }) => kind)).toEqual(["session_key", "permission", "withdrawn", "end"]);
  });

  test.each([
    [
      { kind: "answers", answers: { "How many?": "3" } },
      { action: "accept", content: { count: 3 } },
    ],
    [{ kind: "answers", answers: { "How many?": "many" } }, { action: "cancel" }],
    [{ kind: "declined", how: "decline" }, { action: "decline" }],
    [{ kind: "declined", how: "cancel" }, { action: "cancel" }],
    [{ kind: "deny", message: "nobody answered" }, { action: "cancel" }],
  ] as const)(
    "a form is answered, declined or cancelled as its owner means it, and can be seen again before: %o",
    async (reply, wire) => {
      const scene = await acpScene();
      const turn = await scene.prompt("form");
      const replies: Reply[] = [{ kind: "again" }, reply];
      const updates: Update[] = [];
      for await (const update of turn.updates) {
        updates.push(update);
        const next = update.kind === "question" ? replies.shift() : undefined;
        if (update.kind === "question" && next) await turn.answer(update.id, next);
      }
      await turn.over;
      expect(only(updates, "question")).toHaveLength(2);
      expect(textOf(updates)).toBe(JSON.stringify(wire));
    },
  );
});

describe("cancelled", () => {
  test("a turn ends as cancelled, with what was said", async () => {
    const scene = await acpScene();
    const turn = await scene.prompt("withdraw");
    const updates: Update[] = [];
    for await (const update of turn.updates) {
      updates.push(update);
      if (update.kind === "withdrawn") void turn.cancel();
    }
    await turn.over;
    expect(endOf(updates)).toEqual({ kind: "end", outcome: "cancelled" });
    expect(scene.received().map(({ method }) => method)).toContain("session/cancel");
  });

  test("one that never answers is ended after 5 s", async () => {
    const clock = createFakeClock();
    const scene = await acpScene({ clock });
    const turn = await scene.prompt("deaf");
    const updates: Update[] = [];
    for await (const update of turn.updates) {
      updates.push(update);
      if (update.kind !== "text") continue;
      void turn.cancel();
      while (clock.armed < 1) await clock.settle();
      await clock.advance(5_000);
    }
    expect(endOf(updates)).toEqual({ kind: "end", outcome: "cancelled" });
    await turn.over;
  });

  test("while it opens, it ends at once", async () => {
    const scene = await acpScene(scripted("hang"));
    const turn = await scene.prompt("echo hi");
    void turn.cancel();
    expect(endOf(await all(turn))).toEqual({ kind: "end", outcome: "cancelled" });
    await turn.over;
  });
});

describe("going on with a session", () => {
  test("it is resumed with its own id", async () => {
    const scene = await acpScene();
    const turn = await scene.prompt("echo hi", { key: "session-1" });
    const updates = await all(turn);
    await turn.over;
    expect(only(updates, "session_key")).toEqual([{ kind: "session_key", key: "session-1" }]);
    expect(scene.received()[1]).toMatchObject({
      method: "session/resume",
      params: { sessionId: "session-1", cwd: scene.cwd, mcpServers: [] },
    });
  });

  test("what is replayed, before the answer and after it, is no part of the turn", async () => {
    const updates = await play("echo hi", "load", "session-1");
    expect(textOf(updates)).toBe("hi");
    expect(endOf(updates)).toMatchObject(done("hi"));
  });

  test.each(["lost", "lost-later", "no-resume"])(
    "one that is gone, or cannot be had, is unknown: %s",
    async (start) => {
      expect(endOf(await play("echo hi", start, "session-1"))).toMatchObject(
        failed("E_RESUME_UNKNOWN", { resume: "unknown" }),
      );
    },
  );

  describe("an agent that refuses", () => {
    const refusing = async (error: object): Promise<Update | undefined> => {
      const scene = await acpScene(scripted("refuse-resume", JSON.stringify(error)));
      const turn = await scene.prompt("echo hi", { key: "session-1" });
      const end = endOf(await all(turn));
      await turn.over;
      return end;
    };
    const internal = (details: string): object => ({ code: -32603, message: "Internal error", data: { details } });

    // What Claude, Codex, Gemini, OpenCode and agents like them answer for a session that is not there.
    test.each([
      { code: -32002, message: "Resource not found", data: { sessionId: "session-1" } },
      { code: -32602, message: "Invalid params", data: { sessionId: "session-1" } },
      { code: -32602, message: "Session not found: session-1" },
      { code: -32603, message: "Session session-1 not found" },
      { code: -32603, message: "Unknown session" },
      internal("no rollout found for thread id session-1"),
      internal('Invalid session identifier "session-1".\n  Searched for sessions in /home/dev/.gemini/chats.'),
      internal("No previous sessions found for this project."),
      internal(
        'Claude Code returned an error result: Error: --resume requires a valid session ID or session title. Provided value "session-1" is not a UUID and does not match any session title.',
      ),
      { code: -32603, message: "Internal error: OpenCode service failure", data: { service: "session" } },
    ])("because it does not know the session: %j", async (error) => {
      expect(await refusing(error)).toMatchObject(
        failed("E_RESUME_UNKNOWN", { resume: "unknown", session: "session-1" }),
      );
    });

    test.each([
      [
        {
          code: -32603,
          message: "Internal error: Invalid proxy URL in HTTPS_PROXY",
          data: { startupFailureReason: "proxy_invalid" },
        },
        "Invalid proxy URL in HTTPS_PROXY",
      ],
      [
        { code: -32602, message: "Invalid params: `cwd` does not exist", data: { cwd: "/gone" } },
        "Invalid params: `cwd` does not exist",
      ],
      [internal("connect ECONNREFUSED 127.0.0.1:4096"), "Internal error: connect ECONNREFUSED 127.0.0.1:4096"],
    ])("because it cannot work now could not be started, and its session is kept: %j", async (error, reason) => {
      const end = await refusing(error);
      expect(end).toMatchObject(failed("E_AGENT_START_FAILED", { tool: "acp", reason }));
      expect(JSON.stringify(end)).not.toContain("resume");
    });

    test.each([
      { code: -32000, message: "Authentication required" },
      { code: -32603, message: "You are not logged in" },
    ])("because it is not logged in says that: %j", async (error) => {
      expect(await refusing(error)).toMatchObject(failed("E_AGENT_LOGIN"));
    });
  });
});
