import fc from "fast-check";
import { expect, test } from "vitest";
import { questionId } from "../../src/link/mcp-ask.ts";
import type { AskResult } from "../../src/link/mcp-protocol.ts";
import { createApp } from "../core/scene.ts";
import { BOT, CHANNEL, mcpScene, THREAD, type McpScene } from "./mcp-scene.ts";

const PLACE = { type: "place_decision", thread_id: THREAD, channel_id: CHANNEL, guild_id: "3", bot_id: BOT, since: THREAD } as const;
const YES_NO = { options: ["yes", "no"] };

/** The id of the only question, once it is on disk. */
async function asked({ engine }: McpScene): Promise<string> {
  return engine.until(({ decisions }) => Object.keys(decisions)[0]);
}

async function openSession({ engine }: McpScene): Promise<void> {
  await engine.submit(createApp);
  await engine.submit({ type: "start_session", request_id: "200000000000000100", project_name: "app", channel_id: CHANNEL, guild_id: "3", bot_id: BOT });
  await engine.submit({ type: "open_session", request_id: "200000000000000100", thread_id: THREAD });
}

async function answer({ engine }: McpScene, decision_id: string, place: number): Promise<void> {
  await engine.submit({ type: "answer", decision_id, question: 0, answer: { places: [place], words: null }, sha256: null });
}

test("a question is on disk before anybody is told of it, with all its face brought and no token", async () => {
  const scene = mcpScene();
  const { parts } = scene.ask({ ...YES_NO, context: "because", timeout_seconds: 90 }, { DISCORD_BOT_TOKEN: "Bot token-of-a-face", DISCORD_CHANNEL_ID: CHANNEL, PROJECT_NAME: "내 app", PENDING_DIR: "/elsewhere" });
  const id = await asked(scene);
  expect(id).toMatch(/^app_20260301_[0-9a-f]{6}$/);
  expect(scene.engine.state.decisions[id]).toMatchObject({
    asker: { by: "mcp", project: "내 app", pending_dir: "/elsewhere", timeout_seconds: 90, wanted_thread: null, channel_id: CHANNEL },
    context: "because",
    lapses_at: "2026-03-01T12:01:30.000Z",
  });
  await scene.clock.settle();
  expect(parts).toEqual([{ question_id: id, thread_id: null, state: "open" }]);
  expect(JSON.stringify(scene.journal.events)).not.toContain("token-of-a-face");
});

test("each end is told in seed A's fields", async () => {
  const base = { success: false, answer: null, selected_option: null, timed_out: false, aborted: false };
  const ends: [(scene: McpScene, id: string) => Promise<unknown>, Partial<AskResult>][] = [
    [(scene, id) => answer(scene, id, 1), { success: true, answer: "no", selected_option: "no" }],
    [({ engine }, decision_id) => engine.submit({ type: "answer", decision_id, question: 0, answer: { places: [], words: "ask me tomorrow" }, sha256: null }), { success: true, answer: "ask me tomorrow" }],
    [({ engine }, decision_id) => engine.submit({ type: "lapse", decision_id, lapses_at: engine.state.decisions[decision_id]?.lapses_at ?? "" }), { timed_out: true }],
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

test("where there is no place for it the caller is told which, and asking again tries again", async () => {
  const scene = mcpScene();
  const caller = scene.ask({ thread_id: THREAD });
  await scene.engine.submit({ type: "void", decision_id: await asked(scene), why: "no_place" });
  await expect(caller.answer).rejects.toMatchObject({ code: "E_THREAD_ACCESS_FAILED", details: { thread: `<#${THREAD}>` } });
  scene.ask({ thread_id: THREAD });
  await scene.engine.until(({ decisions }) => Object.values(decisions).filter(({ state }) => state === "open").length === 1);
});

test("a question is heard as long as one of its callers waits, however they come and go", async () => {
  const scene = mcpScene();
  const first = scene.ask();
  const id = await asked(scene);
  const state = (): string | undefined => scene.engine.state.decisions[id]?.state;
  const second = scene.ask();
  await scene.clock.settle();
  first.hangUp();
  await scene.mcp.settled();
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
  await scene.mcp.settled();
  expect(scene.journal.events.map(({ type }) => type)).toEqual(["DecisionAsked", "DecisionDisconnected", "DecisionReconnected"]);
  expect(state()).toBe("open");
  third.hangUp();
  await scene.mcp.settled();
  expect(state()).toBe("disconnected");
  expect(Object.keys(scene.engine.state.decisions)).toEqual([id]);
  expect(scene.held()).toBe(0);
});

test("a daemon that begins again takes up the question when it is asked again, with the same id", async () => {
  const scene = mcpScene();
  scene.ask(YES_NO);
  const id = await asked(scene);
  const next = mcpScene(scene.journal);
  await next.engine.submit({ type: "wake" });
  const again = next.ask(YES_NO);
  await next.engine.until(({ decisions }) => decisions[id]?.state === "open");
  await answer(next, id, 0);
  expect(await again.answer).toMatchObject({ question_id: id, answer: "yes" });
});

test("what is asked by an agent of a session stands in the session's thread; without channel and session it is an error that names the variable", async () => {
  const scene = mcpScene();
  const nowhere = scene.ask({}, { BELLHOP_SESSION: THREAD });
  await expect(nowhere.answer).rejects.toMatchObject({ code: "E_CONFIG_INVALID", details: { where: "DISCORD_CHANNEL_ID" } });
  await openSession(scene);
  scene.ask({}, { BELLHOP_SESSION: THREAD });
  const id = await asked(scene);
  expect(scene.engine.state.decisions[id]).toMatchObject({ thread_id: THREAD, asker: { channel_id: null } });
});

test("an answer that was delivered is not told again; one that nobody heard is told by what is asked for at the start, once", async () => {
  const scene = mcpScene();
  const caller = scene.ask(YES_NO);
  const id = await asked(scene);
  caller.hangUp();
  const pending = (): Promise<unknown> => scene.call("mcp_pending", {}).answer;
  expect(await pending()).toMatchObject({ has_pending: true, pending_questions: [{ question_id: id, asked_at: "2026-03-01T12:00:00Z", status: "disconnected" }] });
  await scene.engine.submit({ ...PLACE, decision_id: id });
  await pending();
  await pending();
  expect(scene.said.map(({ what, channel_id }) => [what, channel_id])).toEqual([["restarted", THREAD]]);
  await answer(scene, id, 0);
  expect(await scene.call("mcp_pending", {}, { DISCORD_CHANNEL_ID: CHANNEL, PROJECT_NAME: "another" }).answer).toMatchObject({ resolved_questions: [] });
  expect(await pending()).toMatchObject({ has_pending: false, resolved_questions: [{ question_id: id, answer: "yes", selected_option: "yes", thread_id: THREAD }] });
  expect(await pending()).toMatchObject({ resolved_questions: [] });
  expect(scene.engine.state.decisions[id]?.delivered).toBe(true);
});

test("only what an agent asked through its tools can be marked as delivered by one, and only when it is settled", async () => {
  const scene = mcpScene();
  scene.ask();
  const id = await asked(scene);
  await scene.call("mcp_delivered", { question_id: id }).answer;
  expect(scene.engine.state.decisions[id]).toMatchObject({ state: "open", delivered: false });
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
  expect(questionId("프로젝트", 0, () => false)).toMatch(/^project_/);
});

test("a question that brings no time of its own lapses by the setting, where there is one; its own time counts before that", async () => {
  for (const [timeout_seconds, lapses_at] of [[null, "2026-03-01T12:05:00.000Z"], [90, "2026-03-01T12:01:30.000Z"]] as const) {
    const scene = mcpScene(null, 300);
    scene.ask({ question: "Deploy?", timeout_seconds });
    expect((await scene.engine.until(({ decisions }) => Object.values(decisions)[0])).lapses_at).toBe(lapses_at);
  }
});
