/**
 * What stands in Discord to remind the owner, in the strict local one: who is called, where, once, and what becomes of
 * it.
 */
import type { APIMessage } from "discord-api-types/v10";
import { expect, test } from "vitest";
import { decisionsIn } from "../../../../src/core/decisions/decision.ts";
import { reminderPosts } from "../../../../src/discord/views/decisions/reminders.ts";
import { openPostBench, type PostBench, type Process } from "../../../fakes/post-bench.ts";

const view =
  (bench: PostBench) =>
  ({ state }: Process["engine"], threadId: string) =>
    decisionsIn(state, threadId).flatMap((one) =>
      reminderPosts(state, one, { locale: "en", ownerId: bench.sandbox.ownerId }),
    );
const start = (bench: PostBench): Process => bench.start(view(bench));
const calls = (bench: PostBench): APIMessage[] => bench.said().filter(({ content }) => content.includes("<@"));

/** In the session's thread something is asked through MCP, and its prompt stands there. */
async function asked(bench: PostBench, { engine }: Process, labels = ["A) Red", "B) Blue"]): Promise<APIMessage> {
  const asker = {
    by: "mcp",
    project: "app",
    pending_dir: "/p",
    timeout_seconds: null,
    wanted_thread: null,
    channel_id: bench.sandbox.channelId,
    bot_id: bench.sandbox.botId,
  } as const;
  const questions = [
    {
      question: "Which **one**? @everyone",
      header: "",
      options: labels.map((label) => ({ label, description: "" })),
      many: false,
      words: true,
    },
  ];
  await engine.submit({
    type: "ask",
    decision_id: "q",
    thread_id: null,
    kind: "question",
    asker,
    context: "",
    questions,
    subject: null,
    lapses_at: null,
  });
  await engine.submit({
    type: "place_decision",
    decision_id: "q",
    thread_id: bench.threadId,
    channel_id: bench.sandbox.channelId,
    guild_id: bench.sandbox.guildId,
    bot_id: bench.sandbox.botId,
    since: bench.threadId,
  });
  const prompt = await bench.owner.send("stands for the prompt");
  await engine.submit({
    type: "record_post",
    subject: "q",
    part: "prompt",
    channel_id: bench.threadId,
    message_id: prompt.id,
    hash: "h",
    is: "said",
  });
  return prompt;
}

async function remind(
  bench: PostBench,
  { engine, postSync }: Process,
  step: number,
  by: "mention" | "direct",
): Promise<void> {
  await engine.submit({ type: "remind", decision_id: "q", step, by });
  await bench.run(postSync.idle());
}

/** The direct messages as the record has them. */
function direct(
  bench: PostBench,
  { engine }: Process,
  step: number,
): { channel: string; message: APIMessage | undefined } {
  const post = engine.state.posts["q"]?.[`reminder:${step}`];
  const channel = post?.channel_id ?? "";
  return { channel, message: bench.said(channel).find(({ id }) => id === post?.message_id) };
}

test("a call by name replies to the prompt and pings its owner, and nobody else whatever the agent wrote", async () => {
  const bench = await openPostBench();
  const process = start(bench);
  const prompt = await asked(bench, process);
  await remind(bench, process, 1, "mention");
  const [call] = calls(bench);
  expect(call?.mentions.map(({ id }) => id)).toEqual([bench.sandbox.ownerId]);
  expect(call?.mention_everyone).toBe(false);
  expect(call?.message_reference?.message_id).toBe(prompt.id);
  for (const part of ["Which", "Red", "Blue", `/${prompt.id}`]) expect(call?.embeds[0]?.description).toContain(part);
  expect(JSON.stringify(call?.components)).toContain("B) Blue");
});

test("however it is reminded, its options are named as its prompt names them, with what can be pressed", async () => {
  for (const by of ["mention", "direct"] as const) {
    const bench = await openPostBench();
    const process = start(bench);
    await asked(
      bench,
      process,
      Array.from({ length: 24 }, (_, at) => `Colour ${at + 1}`),
    );
    await remind(bench, process, 1, by);
    const message = by === "mention" ? calls(bench)[0] : direct(bench, process, 1).message;
    for (const line of ["**A** Colour 1", "**X** Colour 24"])
      expect(message?.embeds[0]?.description?.split("\n")).toContain(line);
    expect(JSON.stringify(message?.components)).toContain('"label":"X · Colour 24"');
  }
});

test("of a permission it names what would be done, where it is called by name as well", async () => {
  const bench = await openPostBench();
  const process = start(bench);
  const { engine } = process;
  await engine.submit({
    type: "hear",
    thread_id: bench.threadId,
    discord_message_id: (await bench.owner.send("go")).id,
    prompt: "go",
    files: [],
    refused_files: [],
    reply_to: null,
  });
  const [job_id = ""] = Object.keys(engine.state.jobs);
  const options = ["Allow once", "Allow for this session", "Deny"].map((label) => ({ label, description: "" }));
  const subject = {
    tool: "Bash",
    title: "rm -rf build",
    sha256: "0".repeat(64),
    pages: 1,
    grant_until: "2027-01-01T00:00:00.000Z",
  };
  await engine.submit({
    type: "ask",
    decision_id: "q",
    kind: "permission",
    thread_id: bench.threadId,
    asker: { by: "job", job_id, request_id: "r" },
    context: "",
    lapses_at: null,
    questions: [{ question: "", header: "", options, many: false, words: false }],
    subject,
  });
  await remind(bench, process, 1, "mention");
  expect(calls(bench)[0]?.embeds[0]?.description).toContain("rm -rf build");
  // All of it is shown only in its prompt, so it can only be allowed there.
  expect(calls(bench)[0]?.components).toEqual([]);
});

test("what was put off comes again as a new message that calls its owner, with the question, its options and its buttons", async () => {
  const bench = await openPostBench();
  const process = start(bench);
  await asked(bench, process);
  const until = "2026-11-22T12:15:00.000Z";
  await process.engine.submit({ type: "snooze", decision_id: "q", until });
  await process.engine.submit({ type: "remind", decision_id: "q", step: 1, by: "mention", snoozed_until: until });
  await bench.run(process.postSync.idle());
  const [call] = calls(bench);
  expect(call?.mentions.map(({ id }) => id)).toEqual([bench.sandbox.ownerId]);
  for (const part of ["Which", "Red", "Blue", "You wanted to be asked again now"])
    expect(call?.embeds[0]?.description).toContain(part);
  for (const label of ["A) Red", "B) Blue", "Later…"])
    expect(JSON.stringify(call?.components)).toContain(`"label":"${label}"`);
  await process.engine.submit({
    type: "answer",
    decision_id: "q",
    question: 0,
    answer: { places: [0], words: null },
    sha256: null,
  });
  await bench.run(process.postSync.idle());
  expect(calls(bench)).toEqual([]);
});

test("a direct message has the question, its options and a link, and a word in reply to it is the answer, once", async () => {
  const bench = await openPostBench();
  const process = start(bench);
  const prompt = await asked(bench, process);
  await remind(bench, process, 1, "mention");
  await remind(bench, process, 2, "direct");
  const { channel, message } = direct(bench, process, 2);
  expect(channel).not.toBe(bench.threadId);
  expect(process.engine.state.channels[channel]?.kind).toBe("direct");
  const text = message?.embeds[0]?.description ?? "";
  for (const part of ["Which", "Red", "Blue", `/${prompt.id}`, "Reply to this message"]) expect(text).toContain(part);
  expect(text).not.toContain("**one**");
  expect(JSON.stringify(message?.components)).toContain("B) Blue");
  const heard = {
    type: "hear" as const,
    thread_id: channel,
    prompt: "B",
    files: [],
    refused_files: [],
    reply_to: message?.id ?? "",
  };
  const later = (more: bigint): string => String(BigInt(message?.id ?? 0) + more);
  const first = await process.engine.submit({ ...heard, discord_message_id: later(1n) });
  expect(first.map(({ type }) => type)).toEqual(["DecisionAnswered"]);
  expect(await process.engine.submit({ ...heard, discord_message_id: later(1n) })).toEqual([]);
  const second = await process.engine.submit({ ...heard, discord_message_id: later(2n), prompt: "A" });
  expect(second.map(({ type }) => type)).toEqual(["MessagePointed"]);
  expect(process.engine.state.decisions["q"]?.answers).toEqual([{ places: [1], words: null }]);
});

test("when it is settled the calls are gone and the direct message says so; nothing more is posted, also after a restart", async () => {
  const bench = await openPostBench();
  let process = start(bench);
  await asked(bench, process);
  await remind(bench, process, 1, "mention");
  await remind(bench, process, 2, "direct");
  await process.engine.submit({
    type: "answer",
    decision_id: "q",
    question: 0,
    answer: { places: [0], words: null },
    sha256: null,
  });
  await bench.run(process.postSync.idle());
  expect(calls(bench)).toEqual([]);
  const { channel, message } = direct(bench, process, 2);
  expect(message?.embeds[0]?.description).toMatch(/^Settled/);
  process.kill();
  process = start(bench);
  await bench.run(process.postSync.idle());
  expect([calls(bench).length, bench.said(channel).length]).toEqual([0, 1]);
});

test("a step that was on disk and not in Discord is posted by the next process, once; one that was overtaken is not", async () => {
  const bench = await openPostBench();
  const before = start(bench);
  await asked(bench, before);
  before.kill();
  const { engine } = bench.journal.open();
  await engine.submit({ type: "remind", decision_id: "q", step: 1, by: "mention" });
  await engine.submit({ type: "remind", decision_id: "q", step: 2, by: "mention" });
  for (let restart = 0; restart < 3; restart += 1) {
    const process = start(bench);
    await bench.run(process.postSync.idle());
    process.kill();
  }
  expect(calls(bench)).toHaveLength(1);
});

test("a process that is killed when its call is posted and not written down does not call twice", async () => {
  const bench = await openPostBench();
  const first = start(bench);
  await asked(bench, first);
  bench.killAt(
    () => first,
    (method, path) => method === "POST" && path.endsWith("/messages"),
  );
  await first.engine.submit({ type: "remind", decision_id: "q", step: 1, by: "mention" });
  await bench.until(() => calls(bench).length > 0);
  const second = start(bench);
  await bench.run(second.postSync.idle());
  expect(calls(bench)).toHaveLength(1);
  expect(second.engine.state.posts["q"]?.["reminder:1"]?.message_id).toBe(calls(bench)[0]?.id);
});

test("what was settled before it could be posted is never called for", async () => {
  const bench = await openPostBench();
  const process = start(bench);
  await asked(bench, process);
  const { engine } = process;
  await Promise.all([
    engine.submit({ type: "remind", decision_id: "q", step: 1, by: "mention" }),
    engine.submit({
      type: "answer",
      decision_id: "q",
      question: 0,
      answer: { places: [0], words: null },
      sha256: null,
    }),
  ]);
  await bench.run(process.postSync.idle());
  expect(calls(bench)).toEqual([]);
});
