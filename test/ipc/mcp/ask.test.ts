import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { questionId } from "../../../src/ipc/mcp/ask.ts";
import type { AskResult } from "../../../src/protocol/mcp.ts";
import { createApp } from "../../core/scene.ts";
import { BOT, CHANNEL, mcpScene, THREAD, type McpScene } from "./mcp-scene.ts";

const PLACE = {
  type: "place_decision",
  thread_id: THREAD,
  channel_id: CHANNEL,
  guild_id: "3",
  bot_id: BOT,
  since: THREAD,
} as const;
const YES_NO = { options: ["yes", "no"] };

/** The id of the only question, once it is on disk. */
async function asked({ engine }: McpScene): Promise<string> {
  return engine.until(({ decisions }) => Object.keys(decisions)[0]);
}

async function openSession({ engine }: McpScene): Promise<void> {
  await engine.submit(createApp);
  await engine.submit({
    type: "start_session",
    request_id: "200000000000000100",
    project_name: "app",
    channel_id: CHANNEL,
    guild_id: "3",
    bot_id: BOT,
  });
  await engine.submit({ type: "open_session", request_id: "200000000000000100", thread_id: THREAD });
}

async function answer({ engine }: McpScene, decision_id: string, place: number): Promise<void> {
  await engine.submit({
    type: "answer",
    decision_id,
    question: 0,
    answer: { places: [place], words: null },
    sha256: null,
  });
}

test("a question is on disk before anybody learns of it, with all that its client brought and no token", async () => {
  const scene = mcpScene();
  const { parts } = scene.ask(
    { ...YES_NO, context: "because", timeout_seconds: 90 },
    {
      DISCORD_BOT_TOKEN: "Bot token-of-a-client",
      DISCORD_CHANNEL_ID: CHANNEL,
      PROJECT_NAME: "내 app",
      PENDING_DIR: "/elsewhere",
    },
  );
  const id = await asked(scene);
  expect(id).toMatch(/^app-[0-9a-f]{6}_20260301_[0-9a-f]{6}$/);
  expect(scene.engine.state.decisions[id]).toMatchObject({
    asker: {
      by: "mcp",
      project: "내 app",
      pending_dir: "/elsewhere",
      timeout_seconds: 90,
      wanted_thread: null,
      channel_id: CHANNEL,
    },
    context: "because",
    lapses_at: "2026-03-01T12:01:30.000Z",
  });
  await scene.clock.settle();
  expect(parts).toEqual([{ question_id: id, thread_id: null, state: "open" }]);
  expect(JSON.stringify(scene.journal.events)).not.toContain("token-of-a-client");
});

test("each end is reported in the documented fields", async () => {
  const base = { success: false, answer: null, selected_option: null, timed_out: false, aborted: false };
  const ends: [(scene: McpScene, id: string) => Promise<unknown>, Partial<AskResult>][] = [
    [(scene, id) => answer(scene, id, 1), { success: true, answer: "no", selected_option: "no" }],
    [
      ({ engine }, decision_id) =>
        engine.submit({
          type: "answer",
          decision_id,
          question: 0,
          answer: { places: [], words: "ask me tomorrow" },
          sha256: null,
        }),
      { success: true, answer: "ask me tomorrow" },
    ],
    [
      ({ engine }, decision_id) =>
        engine.submit({ type: "lapse", decision_id, lapses_at: engine.state.decisions[decision_id]?.lapses_at ?? "" }),
      { timed_out: true },
    ],
    [({ engine }, decision_id) => engine.submit({ type: "void", decision_id, why: "withdrawn" }), { aborted: true }],
  ];
  for (const [end, told] of ends) {
    const scene = mcpScene();
    const caller = scene.ask({ ...YES_NO, timeout_seconds: 5 });
    const id = await asked(scene);
    await scene.engine.submit({ ...PLACE, decision_id: id });
    await end(scene, id);
    expect(await caller.answer).toEqual({ ...base, question_id: id, thread_id: THREAD, ...told });
    expect([caller.parts.at(-1)?.thread_id, scene.held()]).toEqual([THREAD, 0]);
  }
});

test("a caller that asks the same at the moment when another one has received the answer is answered, or asks anew", async () => {
  const outcomes = new Set<string>();
  for (let turn = 0; turn < 30; turn += 1) {
    const scene = mcpScene();
    const first = scene.ask(YES_NO);
    const id = await asked(scene);
    await scene.engine.submit({ ...PLACE, decision_id: id });
    await answer(scene, id, 0);
    await first.answer;
    const second = scene.ask(YES_NO);
    let isAnswered = false;
    void second.answer.then(() => (isAnswered = true));
    for (let before = 0; before < turn; before += 1) await undefined;
    await scene.engine.submit({ type: "answer_delivered", decision_id: id });
    await scene.clock.settle();
    outcomes.add(isAnswered ? "answered" : `${Object.keys(scene.engine.state.decisions).length} questions`);
  }
  expect([...outcomes].sort()).toEqual(["2 questions", "answered"]);
});

test("a press that no caller received becomes final before it is handed over, by whichever tool; one that was taken back is not reported", async () => {
  for (const tool of ["ask", "pending"] as const) {
    const scene = mcpScene();
    const first = scene.ask(YES_NO);
    const id = await asked(scene);
    await scene.engine.submit({ ...PLACE, decision_id: id });
    first.hangUp();
    await first.answer.catch(() => undefined);
    await scene.mcp.whenDisconnectsRecorded();
    await answer(scene, id, 0);
    expect(scene.engine.state.decisions[id]).toHaveProperty("revocable");
    // In the very moment in which it is asked for.
    const taken = scene.engine.submit({ type: "take_back", decision_id: id });
    const next = tool === "ask" ? scene.ask(YES_NO) : scene.call("mcp_pending", {});
    await taken;
    if (tool === "pending") expect(await next.answer).toMatchObject({ has_pending: true, resolved_questions: [] });
    else await scene.engine.until(({ decisions }) => decisions[id]?.state === "open");
    await answer(scene, id, 1);
    const told = tool === "ask" ? next : scene.call("mcp_pending", {});
    expect(await told.answer).toMatchObject(
      tool === "ask" ? { success: true, answer: "no" } : { has_pending: false, resolved_questions: [{ answer: "no" }] },
    );
    expect(await scene.engine.submit({ type: "take_back", decision_id: id })).toEqual([]);
  }
});

test("one that is answered while nobody waits is handed over to a caller that asks again, and can no longer be taken back", async () => {
  const scene = mcpScene();
  const first = scene.ask(YES_NO);
  const id = await asked(scene);
  first.hangUp();
  await first.answer.catch(() => undefined);
  await scene.mcp.whenDisconnectsRecorded();
  await answer(scene, id, 0);
  expect(await scene.ask(YES_NO).answer).toMatchObject({ success: true, answer: "yes" });
  expect(scene.journal.events.map(({ type }) => type).slice(-2)).toEqual(["DecisionAnswered", "AnswerStands"]);
});

test("a question that was asked and then lost every place ends as aborted, and the caller is told so", async () => {
  const scene = mcpScene();
  const caller = scene.ask(YES_NO);
  const id = await asked(scene);
  await scene.engine.submit({ ...PLACE, decision_id: id });
  await scene.engine.submit({ type: "void", decision_id: id, why: "no_place" });
  expect(await caller.answer).toMatchObject({
    success: false,
    answer: null,
    timed_out: false,
    aborted: true,
    placeless: true,
    thread_id: THREAD,
  });
});

test("a channel that Discord will not have is told by its variable", async () => {
  const scene = mcpScene();
  const caller = scene.ask();
  await scene.engine.submit({ type: "void", decision_id: await asked(scene), why: "no_place" });
  await expect(caller.answer).rejects.toMatchObject({
    code: "E_CONFIG_INVALID",
    details: { where: "DISCORD_CHANNEL_ID", found: `"${CHANNEL}"` },
  });
});

test("where there is no place for it the caller is told which, and asking again tries again", async () => {
  const scene = mcpScene();
  const caller = scene.ask({ thread_id: THREAD });
  await scene.engine.submit({ type: "void", decision_id: await asked(scene), why: "no_place" });
  await expect(caller.answer).rejects.toMatchObject({
    code: "E_THREAD_ACCESS_FAILED",
    details: { thread: `<#${THREAD}>` },
  });
  scene.ask({ thread_id: THREAD });
  await scene.engine.until(
    ({ decisions }) => Object.values(decisions).filter(({ state }) => state === "open").length === 1,
  );
});

test("what Discord refused is told as it was kept, the permission by its name", async () => {
  const scene = mcpScene();
  const caller = scene.ask();
  const refused = {
    code: "E_PLACE_REFUSED",
    details: { place: `<#${CHANNEL}>`, because: "why_rights", rights: "Create Public Threads" },
  } as const;
  await scene.engine.submit({ type: "void", decision_id: await asked(scene), why: "no_place", refused });
  await expect(caller.answer).rejects.toMatchObject(refused);
});

test("a question has a listener as long as one of its callers waits, however they come and go", async () => {
  const scene = mcpScene();
  const first = scene.ask();
  const id = await asked(scene);
  const state = (): string | undefined => scene.engine.state.decisions[id]?.state;
  const second = scene.ask();
  await scene.clock.settle();
  first.hangUp();
  await scene.mcp.whenDisconnectsRecorded();
  expect(scene.journal.events.map(({ type }) => type)).toEqual(["DecisionAsked"]);
  // The last one leaves when the next one has asked and is not counted yet.
  const { submit } = scene.engine;
  scene.engine.submit = (command) => {
    const done = submit(command);
    if (command.type === "ask") second.hangUp();
    return done;
  };
  const third = scene.ask();
  await scene.clock.settle();
  await scene.mcp.whenDisconnectsRecorded();
  expect(scene.journal.events.map(({ type }) => type)).toEqual([
    "DecisionAsked",
    "DecisionDisconnected",
    "DecisionReconnected",
  ]);
  expect(state()).toBe("open");
  third.hangUp();
  await scene.mcp.whenDisconnectsRecorded();
  expect(state()).toBe("disconnected");
  expect(Object.keys(scene.engine.state.decisions)).toEqual([id]);
  expect(scene.held()).toBe(0);
});

test("a daemon that begins again takes up the question when it is asked again, with the same id", async () => {
  const scene = mcpScene();
  scene.ask(YES_NO);
  const id = await asked(scene);
  const next = mcpScene(scene.journal);
  await next.engine.submit({ type: "restart" });
  const again = next.ask(YES_NO);
  await next.engine.until(({ decisions }) => decisions[id]?.state === "open");
  await answer(next, id, 0);
  expect(await again.answer).toMatchObject({ question_id: id, answer: "yes" });
});

describe("what a caller is bound to", () => {
  const SESSION = { thread_id: THREAD };
  const OTHER_CHANNEL = "200000000000000003";
  /** What a `.mcp.json` in a repository may say. */
  const HOSTILE = {
    DISCORD_BOT_TOKEN: "Bot another-token",
    DISCORD_CHANNEL_ID: OTHER_CHANNEL,
    PROJECT_NAME: "other",
    PENDING_DIR: "/elsewhere",
    BELLHOP_SESSION: "200000000000000099",
  };

  test("a session's capability counts before anything its variables say: it asks in its session's thread, for its project", async () => {
    const scene = mcpScene();
    await openSession(scene);
    scene.ask({}, HOSTILE, SESSION);
    const id = await asked(scene);
    expect(scene.engine.state.decisions[id]).toMatchObject({
      thread_id: THREAD,
      asker: { project: "app", pending_dir: "/pending", channel_id: null, wanted_thread: null },
    });
    expect(
      await scene.call(
        "mcp_notify",
        { message: "hi", level: "info", thread_id: null, request_id: "request-1" },
        HOSTILE,
        SESSION,
      ).answer,
    ).toMatchObject({ thread_id: THREAD });
    expect(scene.said).toMatchObject([{ channel_id: THREAD }]);
  });

  test("without a capability a session cannot be claimed, and without a channel the variable is named", async () => {
    const scene = mcpScene();
    await openSession(scene);
    for (const caller of [
      scene.ask({}, { BELLHOP_SESSION: THREAD }),
      scene.call("mcp_pending", {}, { BELLHOP_SESSION: THREAD }),
    ]) {
      await expect(caller.answer).rejects.toMatchObject({
        code: "E_CONFIG_INVALID",
        details: { where: "DISCORD_CHANNEL_ID" },
      });
    }
    await expect(scene.ask({}, {}, { thread_id: "200000000000000099" }).answer).rejects.toMatchObject({
      code: "E_SESSION_NOT_FOUND",
    });
  });

  test("two sessions of one project that ask the same are two, each answered by itself", async () => {
    const scene = mcpScene();
    await openSession(scene);
    const next = { request_id: "200000000000000101", channel_id: CHANNEL, guild_id: "3", bot_id: BOT };
    await scene.engine.submit({ type: "start_session", project_name: "app", ...next });
    await scene.engine.submit({ type: "open_session", request_id: next.request_id, thread_id: "200000000000000021" });
    scene.ask(YES_NO, {}, SESSION);
    scene.ask(YES_NO, {}, { thread_id: "200000000000000021" });
    await scene.clock.settle();
    expect(Object.values(scene.engine.state.decisions).map(({ thread_id }) => thread_id)).toEqual([
      THREAD,
      "200000000000000021",
    ]);
  });

  test.each(["mcp_ask", "mcp_notify", "mcp_report"] as const)(
    "%s writes in its own channel or a thread of it, and nowhere else that is known",
    async (method) => {
      const scene = mcpScene();
      await openSession(scene);
      scene.ask({ question: "elsewhere" }, { DISCORD_CHANNEL_ID: OTHER_CHANNEL });
      const elsewhere = {
        ...PLACE,
        channel_id: OTHER_CHANNEL,
        thread_id: "200000000000000030",
        since: "200000000000000030",
        decision_id: await asked(scene),
      };
      await scene.engine.submit(elsewhere);
      const params = {
        question: "Deploy?",
        context: "",
        options: [],
        timeout_seconds: null,
        title: "t",
        summary: "s",
        details: [],
        message: "hi",
        level: "info",
        request_id: "request-1",
      };
      for (const [thread_id, variables, scope] of [
        [THREAD, undefined, undefined],
        [elsewhere.thread_id, undefined, undefined],
        [CHANNEL, {}, SESSION],
        [elsewhere.thread_id, {}, SESSION],
        ["200000000000000098", {}, SESSION],
      ] as const) {
        await expect(scene.call(method, { ...params, thread_id }, variables, scope).answer).rejects.toMatchObject({
          code: "E_LINK_REFUSED",
          details: { why: expect.stringContaining(thread_id) as string },
        });
      }
      expect(scene.said).toEqual([]);
      expect(Object.keys(scene.engine.state.decisions)).toEqual([elsewhere.decision_id]);
    },
  );

  test("its own channel named as a thread is the channel: a notice is in it, a question gets a thread of its own", async () => {
    const scene = mcpScene();
    expect(
      await scene.call("mcp_notify", { message: "hi", level: "info", thread_id: CHANNEL, request_id: "request-1" })
        .answer,
    ).toMatchObject({ thread_id: null });
    scene.ask({ thread_id: CHANNEL });
    expect(scene.engine.state.decisions[await asked(scene)]).toMatchObject({
      asker: { wanted_thread: null, channel_id: CHANNEL },
    });
  });

  test("an answer is given, and counted as received, only to those who asked: by project, channel and session", async () => {
    const scene = mcpScene();
    await openSession(scene);
    const asker = scene.ask(YES_NO);
    const id = await asked(scene);
    asker.hangUp();
    await scene.engine.submit({
      ...PLACE,
      thread_id: "200000000000000031",
      since: "200000000000000031",
      decision_id: id,
    });
    await answer(scene, id, 0);
    const strangers = [
      [{ DISCORD_CHANNEL_ID: CHANNEL, PROJECT_NAME: "another" }, {}],
      [{ DISCORD_CHANNEL_ID: OTHER_CHANNEL, PROJECT_NAME: "app" }, {}],
      [{ DISCORD_CHANNEL_ID: CHANNEL, PROJECT_NAME: "app" }, SESSION],
    ] as const;
    for (const [variables, scope] of strangers) {
      expect(await scene.call("mcp_pending", {}, variables, scope).answer).toEqual({
        has_pending: false,
        pending_questions: [],
        resolved_questions: [],
        caught_up: true,
      });
      await scene.call("mcp_delivered", { question_id: id }, variables, scope).answer;
    }
    expect(scene.engine.state.decisions[id]).toMatchObject({ delivered: false });
    expect(await scene.call("mcp_pending", {}).answer).toMatchObject({ resolved_questions: [{ question_id: id }] });
  });
});

test("an answer that was delivered is not given again; one that no caller received is given by discord_check_pending, once", async () => {
  const scene = mcpScene();
  const caller = scene.ask(YES_NO);
  const id = await asked(scene);
  caller.hangUp();
  const pending = (): Promise<unknown> => scene.call("mcp_pending", {}).answer;
  expect(await pending()).toMatchObject({
    has_pending: true,
    pending_questions: [{ question_id: id, asked_at: "2026-03-01T12:00:00Z", status: "disconnected" }],
  });
  await scene.engine.submit({ ...PLACE, decision_id: id });
  await pending();
  await pending();
  expect(scene.said.map(({ what, channel_id }) => [what, channel_id])).toEqual([["restarted", THREAD]]);
  await answer(scene, id, 0);
  expect(
    await scene.call("mcp_pending", {}, { DISCORD_CHANNEL_ID: CHANNEL, PROJECT_NAME: "another" }).answer,
  ).toMatchObject({ resolved_questions: [] });
  expect(await pending()).toMatchObject({
    has_pending: false,
    resolved_questions: [{ question_id: id, answer: "yes", selected_option: "yes", thread_id: THREAD }],
  });
  expect(await pending()).toMatchObject({ resolved_questions: [] });
  expect(scene.engine.state.decisions[id]).toMatchObject({ delivered: true });
});

test("only what an agent asked through its tools can be marked as delivered by one, and only when it is settled", async () => {
  const scene = mcpScene();
  scene.ask();
  const id = await asked(scene);
  await scene.call("mcp_delivered", { question_id: id }).answer;
  expect(scene.engine.state.decisions[id]).toMatchObject({ state: "open", told_over: false });
  await scene.call("mcp_delivered", { question_id: "constructor" }).answer;
});

test("a question's id is a plain name, whatever the project is called, and no other has it", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.nat(1), (project, taken) => {
      let tries = 0;
      const id = questionId(project, Date.UTC(2026, 2, 1), () => tries++ < taken);
      expect(id).toMatch(/^[A-Za-z0-9_-]{1,40}_20260301_[0-9a-f]{6}$/);
      expect(tries).toBe(taken + 1);
    }),
  );
  expect(questionId("My Project!", 0, () => false)).toMatch(/^My-Project_19700101_/);
});

test("projects whose names are not plain ASCII keep their ids apart, and each its own from day to day", () => {
  const prefix = (project: string): string => questionId(project, 0, () => false).replace(/_19700101_.*/, "");
  const names = ["프로젝트", "결제", "プロジェクト", "專案", "ca", "çá"];
  expect(new Set(names.map(prefix)).size).toBe(names.length);
  for (const name of names) expect(prefix(name)).toBe(prefix(name.normalize("NFD")));
  expect(prefix("결제")).toMatch(/^project-[0-9a-f]{6}$/);
});

test("each caller waits as long as it said: one that gives less time is told so, and the question stays open for the other", async () => {
  const scene = mcpScene();
  const patient = scene.ask({ ...YES_NO, timeout_seconds: 100 });
  const id = await asked(scene);
  const hasty = scene.ask({ ...YES_NO, timeout_seconds: 10 });
  await scene.clock.settle();
  const endless = scene.ask({ ...YES_NO, timeout_seconds: null });
  await scene.clock.settle();
  expect(scene.engine.state.decisions[id]?.lapses_at).toBeNull();
  await scene.clock.advance(12_000);
  expect(await hasty.answer).toMatchObject({ success: false, timed_out: true, answer: null });
  await scene.clock.advance(90_000);
  expect(await patient.answer).toMatchObject({ timed_out: true });
  expect(scene.engine.state.decisions[id]?.state).toBe("open");
  await answer(scene, id, 0);
  expect(await endless.answer).toMatchObject({ success: true, answer: "yes" });
});

test("the first check for open questions waits until what was written meanwhile has been read, and says so where that cannot be", async () => {
  const scene = mcpScene();
  const caller = scene.ask(YES_NO);
  const id = await asked(scene);
  await scene.engine.submit({ ...PLACE, decision_id: id });
  caller.hangUp();
  expect(await scene.call("mcp_pending", {}).answer).toMatchObject({ caught_up: true });
  expect(scene.heard).toEqual(expect.arrayContaining([THREAD, CHANNEL]));
  scene.stopListening.is = true;
  expect(await scene.call("mcp_pending", {}).answer).toMatchObject({ has_pending: true, caught_up: false });
});

test("a question without a time limit of its own expires by the setting, where there is one; its own time counts before that", async () => {
  for (const [timeout_seconds, lapses_at] of [
    [null, "2026-03-01T12:05:00.000Z"],
    [90, "2026-03-01T12:01:30.000Z"],
  ] as const) {
    const scene = mcpScene(null, 300);
    scene.ask({ question: "Deploy?", timeout_seconds });
    expect((await scene.engine.until(({ decisions }) => Object.values(decisions)[0])).lapses_at).toBe(lapses_at);
  }
});
