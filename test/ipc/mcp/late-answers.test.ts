/** A question whose time is over while what was written to it cannot be read: what its callers are told, and when. */
import { expect, test } from "vitest";
import { firstSnowflake } from "../../../src/base/ids.ts";
import { BOT, CHANNEL, mcpScene, THREAD, type McpScene } from "./mcp-scene.ts";

const YES_NO = { options: ["yes", "no"], timeout_seconds: 60 };
const TIMED_OUT = { success: false, answer: null, timed_out: true, aborted: false };

/** Asked, and placed in its thread. */
async function asked({ engine }: McpScene): Promise<string> {
  const id = await engine.until(({ decisions }) => Object.keys(decisions)[0]);
  await engine.submit({
    type: "place_decision",
    decision_id: id,
    thread_id: THREAD,
    channel_id: CHANNEL,
    guild_id: "3",
    bot_id: BOT,
    since: THREAD,
  });
  return id;
}

/** What the owner wrote so many seconds after the start is read now. */
async function read({ engine }: McpScene, seconds: number, prompt = "yes"): Promise<void> {
  const discord_message_id = firstSnowflake(Date.UTC(2026, 2, 1, 12) + seconds * 1000);
  await engine.submit({
    type: "hear",
    thread_id: THREAD,
    discord_message_id,
    prompt,
    files: [],
    refused_files: [],
    reply_to: null,
  });
}

/** Its time is over and its caller was told so, 15 seconds late, and confirms that. */
async function told(scene: McpScene): Promise<string> {
  const caller = scene.ask(YES_NO);
  const id = await asked(scene);
  await scene.clock.advance(75_000);
  expect(await caller.answer).toMatchObject({ ...TIMED_OUT, question_id: id });
  await scene.call("mcp_delivered", { question_id: id }).answer;
  await scene.clock.settle();
  return id;
}

test("a caller is told 15 seconds after its time at the latest, and the question stays answerable", async () => {
  const scene = mcpScene();
  const caller = scene.ask(YES_NO);
  let isTold = false;
  void caller.answer.then(() => (isTold = true));
  const id = await asked(scene);
  await scene.clock.advance(74_999);
  expect(isTold).toBe(false);
  await scene.clock.advance(1);
  expect(await caller.answer).toMatchObject({ ...TIMED_OUT, question_id: id });
  await scene.clock.settle();
  expect(scene.engine.state.decisions[id]?.state).toBe("disconnected");
});

test("what was written in time and is read after that is in the next check for open questions, once", async () => {
  const scene = mcpScene();
  const id = await told(scene);
  expect(await scene.call("mcp_pending", {}).answer).toMatchObject({
    has_pending: true,
    pending_questions: [{ question_id: id, status: "disconnected" }],
    resolved_questions: [],
  });
  expect(scene.said).toEqual([]);
  await read(scene, 59);
  expect(await scene.call("mcp_pending", {}).answer).toMatchObject({
    has_pending: false,
    resolved_questions: [{ question_id: id, answer: "yes", selected_option: "yes" }],
  });
  expect(await scene.call("mcp_pending", {}).answer).toMatchObject({ resolved_questions: [] });
});

test.each(["before it is asked again", "after that"])(
  "the same question asked again is answered by what was written in time and is read %s",
  async (when) => {
    const scene = mcpScene();
    const id = await told(scene);
    if (when === "before it is asked again") await read(scene, 59);
    const again = scene.ask(YES_NO);
    await scene.clock.settle();
    if (when === "after that") await read(scene, 59);
    expect(await again.answer).toMatchObject({ success: true, answer: "yes", question_id: id });
    expect(Object.keys(scene.engine.state.inbox)).toEqual([]);
  },
);

test("where there was nothing in time, the same question asked again becomes a new one with its whole time, and what was written too late answers neither", async () => {
  const scene = mcpScene();
  const id = await told(scene);
  const again = scene.ask(YES_NO);
  await scene.clock.settle();
  await read(scene, 61);
  await scene.engine.submit({
    type: "lapse",
    decision_id: id,
    lapses_at: scene.engine.state.decisions[id]?.lapses_at ?? "",
  });
  const other = await scene.engine.until(({ decisions }) => Object.keys(decisions).find((one) => one !== id));
  expect(scene.engine.state.decisions[other]).toMatchObject({ state: "open", lapses_at: "2026-03-01T12:02:15.000Z" });
  await scene.engine.submit({
    type: "answer",
    decision_id: other,
    question: 0,
    answer: { places: [1], words: null },
    sha256: null,
  });
  expect(await again.answer).toMatchObject({ success: true, answer: "no", question_id: other });
});

test("a caller that comes back when the time is over is told 15 seconds after it, or has five seconds to be answered", async () => {
  for (const [back, ms] of [
    [61_500, 13_500],
    [600_000, 5_000],
  ] as const) {
    const before = mcpScene();
    before.ask(YES_NO).answer.catch(() => undefined);
    const id = await asked(before);
    const scene = mcpScene(before.journal);
    await scene.engine.submit({ type: "restart" });
    await scene.clock.advance(back);
    const caller = scene.ask(YES_NO);
    let isTold = false;
    void caller.answer.then(() => (isTold = true));
    await scene.clock.advance(ms - 1);
    expect([isTold, scene.engine.state.decisions[id]?.lapses_at]).toEqual([false, "2026-03-01T12:01:00.000Z"]);
    await scene.clock.advance(1);
    expect(await caller.answer).toMatchObject({ ...TIMED_OUT, question_id: id });
  }
});
