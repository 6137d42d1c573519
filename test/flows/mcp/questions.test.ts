/**
 * An agent's question through the built daemon: asked once, answered in Discord, heard however long and whatever ends
 * in between.
 */
import { statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { AskPart } from "../../../src/protocol/mcp.ts";
import { agentEnvironment, appears, openSession, openWorld } from "../world.ts";
import { filesHolding, mirror, openAsker, promptOf } from "./asker.ts";

const OPTIONS = ["A) Execute now", "B) Staging first", "C) Hold"];

test("a question gets a thread with the owner in it, his words become the answer, and the thread is put away when it was delivered", async () => {
  const world = await openWorld({ agent: "none" });
  await world.daemon().ready;
  const agent = await openAsker(world);
  const parts: AskPart[] = [];
  const asked = agent.ask(
    { question: "Run DB migration?", context: "v1→v2 schema change", options: OPTIONS },
    { parts },
  );
  const thread = await promptOf(world, "Run DB migration?");
  await world.sandbox.until(({ threadMembers }) => threadMembers(thread).includes(world.sandbox.owner.id));
  await world.owner(thread).send("2번");
  const answer = await asked;
  const { question_id } = answer;
  expect(answer).toEqual({
    success: true,
    answer: OPTIONS[1],
    selected_option: OPTIONS[1],
    question_id,
    timed_out: false,
    aborted: false,
    thread_id: thread,
  });
  expect(question_id).toMatch(/^app_\d{8}_[0-9a-f]{6}$/);
  expect(parts.map(({ thread_id, state }) => [thread_id, state])).toEqual([
    [null, "open"],
    [thread, "open"],
    [thread, "answered"],
  ]);
  expect(world.sandbox.channelObject(thread)).toMatchObject({ thread_metadata: { archived: false } });
  await agent.delivered(question_id);
  await world.sandbox.until(({ threads }) =>
    threads().some(({ id, thread_metadata }) => id === thread && thread_metadata?.archived === true),
  );
  const file = await mirror(world, question_id, "resolved");
  expect(Object.keys(file)).toEqual(MIRRORED);
  expect(file).toMatchObject({
    project: "app",
    options: OPTIONS,
    thread_id: thread,
    status: "resolved",
    resolution: OPTIONS[1],
    selected_option: OPTIONS[1],
    clarify_attempts: 0,
    timeout_seconds: null,
  });
});

/** The file's fields, in their order. */
const MIRRORED = [
  "question_id",
  "project",
  "question",
  "context",
  "options",
  "timeout_seconds",
  "thread_id",
  "message_id",
  "asked_at",
  "status",
  "clarify_attempts",
  "resolved_at",
  "resolution",
  "selected_option",
];

test("a daemon that is killed while a question is open is asked again, keeps its one thread, and the answer given meanwhile counts", async () => {
  const world = await openWorld({ agent: "none" });
  const first = world.daemon();
  await first.ready;
  const agent = await openAsker(world);
  const asked = agent.ask({ question: "Which color shall the shed have?" });
  const thread = await promptOf(world, "Which color shall the shed have?");
  await first.kill("SIGKILL");
  await world.owner(thread).send("Green, like the fence");
  await world.daemon().ready;
  expect(await asked).toMatchObject({ success: true, answer: "Green, like the fence", selected_option: null });
  expect(world.sandbox.threads().map(({ id }) => id)).toEqual([thread]);
});

test("a caller that stops waiting leaves its question open; it can still be answered, and the answer is given when it is asked for", async () => {
  const world = await openWorld({ agent: "none" });
  await world.daemon().ready;
  const agent = await openAsker(world);
  const gone = new AbortController();
  const parts: AskPart[] = [];
  const asked = agent.ask(
    { question: "Delete the old branch?", options: ["yes", "no"] },
    { parts, signal: gone.signal },
  );
  const thread = await promptOf(world, "Delete the old branch?");
  gone.abort(new Error("the client gave up"));
  await expect(asked).rejects.toThrow("the client gave up");
  const id = parts[0]?.question_id ?? "";
  const waits = await agent.pending();
  expect(waits).toMatchObject({
    has_pending: true,
    pending_questions: [
      { question_id: id, question: "Delete the old branch?", thread_id: thread, status: "disconnected" },
    ],
    resolved_questions: [],
  });
  expect(waits.pending_questions[0]?.asked_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
  // That it waits on is said in its thread, once.
  await world.saying(thread, (said) => said.some(({ embeds }) => embeds[0]?.description?.startsWith("🔄")));
  await agent.pending();
  await world.owner(thread).send("no");
  await mirror(world, id, "resolved");
  expect(world.said(thread).filter(({ embeds }) => embeds[0]?.description?.startsWith("🔄"))).toHaveLength(1);
  expect(await agent.pending()).toMatchObject({
    has_pending: false,
    resolved_questions: [{ question_id: id, answer: "no", selected_option: "no", thread_id: thread }],
  });
  expect(await agent.pending()).toEqual({
    has_pending: false,
    pending_questions: [],
    resolved_questions: [],
    caught_up: true,
  });
});

test("to ask the same again is to wait for the same answer; what was delivered and is asked again is new", async () => {
  const world = await openWorld({ agent: "none" });
  await world.daemon().ready;
  const [one, other] = [await openAsker(world), await openAsker(world)];
  const asked = [one.ask({ question: "Ship it?" }), other.ask({ question: "Ship it?" })];
  const thread = await promptOf(world, "Ship it?");
  await world.owner(thread).send("Not before Monday");
  const [first, second] = await Promise.all(asked);
  expect(second).toEqual(first);
  // Not delivered yet, so it is read again.
  expect(await one.ask({ question: "Ship it?" })).toEqual(first);
  await one.delivered(first?.question_id ?? "");
  const gone = new AbortController();
  const parts: AskPart[] = [];
  const again = other.ask({ question: "Ship it?" }, { parts, signal: gone.signal }).catch(() => undefined);
  await world.sandbox.until(({ threads }) => threads().length === 2);
  expect(parts[0]?.question_id).not.toBe(first?.question_id);
  gone.abort();
  await again;
});

test("a question whose time runs out is withdrawn, says so in its thread, and nothing was decided", async () => {
  const world = await openWorld({ agent: "none" });
  await world.daemon().ready;
  const agent = await openAsker(world);
  // Long enough for its thread to be made on a busy machine.
  const result = await agent.ask({ question: "Quick, left or right?", options: ["left", "right"], timeout_seconds: 5 });
  expect(result).toMatchObject({
    success: false,
    answer: null,
    selected_option: null,
    timed_out: true,
    aborted: false,
  });
  const thread = await promptOf(world, "Quick, left or right?");
  await world.saying(thread, (said) => said.some(({ embeds }) => embeds[0]?.description?.startsWith("⌛")));
  expect(await mirror(world, result.question_id, "aborted")).toMatchObject({ resolution: null, timeout_seconds: 5 });
});

test("a thread that the agent names is used as it is, opened again where it was archived, and not put away; one that is none of ours is refused", async () => {
  const world = await openWorld({ agent: "none" });
  await world.daemon().ready;
  const agent = await openAsker(world);
  const owner = world.owner(world.sandbox.channelId);
  const theirs = await owner.createThread("plans");
  await world.owner(theirs.id).send("written before anything was asked");
  await world.owner(theirs.id).archive();
  const asked = agent.ask({ question: "And now?", thread_id: theirs.id });
  await world.sandbox.until(({ messages }) =>
    messages(theirs.id).some(({ author }) => author.id === world.sandbox.botId),
  );
  await world.owner(theirs.id).send("go on with the second step");
  const answer = await asked;
  expect(answer).toMatchObject({ answer: "go on with the second step", thread_id: theirs.id });
  await agent.delivered(answer.question_id);
  await expect(agent.ask({ question: "Here?", thread_id: world.sandbox.addChannel("random") })).rejects.toMatchObject({
    code: "E_THREAD_FOREIGN",
  });
  await expect(agent.ask({ question: "Here?", thread_id: "100000000000000001" })).rejects.toMatchObject({
    code: "E_THREAD_ACCESS_FAILED",
  });
  expect(world.sandbox.channelObject(theirs.id)).toMatchObject({ thread_metadata: { archived: false } });
  await expect((await openAsker(world, { DISCORD_CHANNEL_ID: "" })).ask({ question: "Where?" })).rejects.toMatchObject({
    code: "E_CONFIG_INVALID",
  });
});

test("another project's bot has its own thread in its own channel beside ours, and its token is nowhere", async () => {
  const world = await openWorld({ agent: "none" });
  const { sandbox } = world;
  const bot = sandbox.addUser("other-bot", { bot: true });
  const channel = sandbox.addChannel("other");
  await world.daemon().ready;
  const ours = await openAsker(world);
  const dir = join(world.home, "elsewhere", "pending");
  const theirs = await openAsker(world, {
    DISCORD_BOT_TOKEN: bot.token,
    DISCORD_CHANNEL_ID: channel,
    PROJECT_NAME: "other project",
    PENDING_DIR: dir,
  });
  const asked = [ours.ask({ question: "Ours?" }), theirs.ask({ question: "Theirs?" })];
  const [here, there] = [await promptOf(world, "Ours?"), await promptOf(world, "Theirs?")];
  expect([sandbox.channelObject(here)?.["parent_id"], sandbox.channelObject(there)?.["parent_id"]]).toEqual([
    sandbox.channelId,
    channel,
  ]);
  expect(sandbox.messages(there).every(({ author }) => author.id !== sandbox.botId)).toBe(true);
  await world.owner(there).send("theirs it is");
  await world.owner(here).send("ours it is");
  const [first, second] = await Promise.all(asked);
  expect([first?.answer, second?.answer]).toEqual(["ours it is", "theirs it is"]);
  expect(second?.question_id).toMatch(/^other-project_/);
  const file = join(dir, `${second?.question_id}.json`);
  await appears(file);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(statSync(dir).mode & 0o777).toBe(0o700);
  await expect(
    openAsker(world, { DISCORD_BOT_TOKEN: `${bot.token}x` }).then((wrong) => wrong.ask({})),
  ).rejects.toMatchObject({ code: "E_TOKEN_REFUSED" });
  const lost = sandbox.addUser("third-bot", { bot: true });
  const hidden = sandbox.addChannel("hidden", { hidden: true });
  await expect(
    openAsker(world, { DISCORD_BOT_TOKEN: lost.token, DISCORD_CHANNEL_ID: hidden }).then((wrong) => wrong.ask({})),
  ).rejects.toMatchObject({ code: "E_CONFIG_INVALID", details: { where: "DISCORD_CHANNEL_ID" } });
  expect(filesHolding(world.stateDir, bot.token)).toEqual([]);
  expect(sandbox.commands().every(({ applicationId }) => applicationId === sandbox.applicationId)).toBe(true);
});

test("an answer that is not understood is asked again twice, then the question is aborted, visibly, and nothing is guessed", async () => {
  const world = await openWorld({ agent: "none" });
  await world.daemon().ready;
  const agent = await openAsker(world);
  const asked = agent.ask({ question: "Which one?", options: ["A) red", "B) blue"] });
  const thread = await promptOf(world, "Which one?");
  for (const unclear of ["A or B", "not A", "maybe"]) await world.owner(thread).send(unclear);
  const result = await asked;
  expect(result).toMatchObject({
    success: false,
    answer: null,
    selected_option: null,
    timed_out: false,
    aborted: true,
  });
  expect(await mirror(world, result.question_id, "aborted")).toMatchObject({ clarify_attempts: 2, resolution: null });
});

test("a question of ten thousand characters with ninety-nine options is asked whole and answered", async () => {
  const world = await openWorld({ agent: "none" });
  await world.daemon().ready;
  const agent = await openAsker(world);
  const options = Array.from({ length: 99 }, (_, at) => `variant number ${at + 1} ${"v".repeat(150)}`);
  const question = `Which of these? ${"word ".repeat(1_990)}`.slice(0, 10_000);
  const asked = agent.ask({ question, context: "context ".repeat(5_000), options });
  const thread = await world.sandbox.until(({ threads }) => threads()[0]?.id);
  await world.saying(thread, (said) => said.some(({ components }) => (components?.length ?? 0) > 0));
  await world.owner(thread).send("73");
  expect(await asked).toMatchObject({ success: true, answer: options[72], selected_option: options[72] });
});

test("another bot's question outlives a daemon too: its client brings the token again, and the answer given meanwhile is found", async () => {
  const world = await openWorld({ agent: "none" });
  const { sandbox } = world;
  const bot = sandbox.addUser("other-bot", { bot: true });
  const first = world.daemon();
  await first.ready;
  const agent = await openAsker(world, { DISCORD_BOT_TOKEN: bot.token, PROJECT_NAME: "other" });
  const asked = agent.ask({ question: "Still there?" });
  const thread = await promptOf(world, "Still there?");
  await first.kill("SIGTERM");
  await world.owner(thread).send("yes, still here");
  await world.daemon().ready;
  expect(await asked).toMatchObject({ answer: "yes, still here", thread_id: thread });
  expect(sandbox.threads()).toHaveLength(1);
  expect(sandbox.messages(thread).every(({ author }) => author.id !== sandbox.botId)).toBe(true);
});

test("an agent of a session that has no channel of its own asks in the session's thread, where its job continues and its thread stays", async () => {
  const { world, thread } = await openSession();
  await world.owner(thread).send("hang:");
  await world.agents(1);
  const agent = await openAsker(world, {}, agentEnvironment(world)["BELLHOP_CAPABILITY"]);
  const asked = agent.ask({ question: "May I go on?", options: ["yes", "no"] });
  await world.saying(thread, (said) =>
    said.some(
      ({ embeds, components }) => JSON.stringify(embeds).includes("May I go on?") && (components?.length ?? 0) > 0,
    ),
  );
  await world.owner(thread).send("yes");
  const answer = await asked;
  expect(answer).toMatchObject({ answer: "yes", thread_id: thread });
  await agent.delivered(answer.question_id);
  const said = await agent.notify({ message: "on it" });
  expect(said.thread_id).toBe(thread);
  expect(world.sandbox.channelObject(thread)).toMatchObject({ thread_metadata: { archived: false } });
  expect(world.agentStarts()).toHaveLength(1);
});
