import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { nodeDisk } from "../../../src/base/disk.ts";
import { silentLog } from "../../../src/base/log.ts";
import { openPendingFiles } from "../../../src/ipc/mirrors/question-files.ts";
import { importEarlierQuestions } from "../../../src/ipc/mirrors/import-questions.ts";
import { createFakeClock } from "../../fakes/fake-clock.ts";
import { createMemoryJournal } from "../../fakes/memory-journal.ts";
import { BOT, CHANNEL, THREAD } from "../mcp/mcp-scene.ts";
import { asItIs } from "../../fakes/no-secrets.ts";

const FILE = {
  question_id: "q",
  project: "app",
  question: "Deploy?",
  context: "c",
  options: ["yes", "no"],
  thread_id: THREAD,
  message_id: "200000000000000021",
  status: "pending",
};

function machine() {
  const home = mkdtempSync(join(tmpdir(), "bellhop-earlier-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const pendingDir = join(home, "pending");
  mkdirSync(pendingDir);
  const { engine } = createMemoryJournal(createFakeClock()).open();
  return {
    engine,
    put: (name: string, change: object = {}) =>
      writeFileSync(join(pendingDir, `${name}.json`), JSON.stringify({ ...FILE, question_id: name, ...change })),
    take: () =>
      importEarlierQuestions({
        engine,
        files: openPendingFiles(nodeDisk, asItIs),
        disk: nodeDisk,
        log: silentLog,
        stateDir: home,
        pendingDir,
        channelId: CHANNEL,
        botId: BOT,
      }),
    taken: () => Object.keys(engine.state.decisions),
  };
}

test("an open question is taken over as one without a caller, with the place where it stands", async () => {
  const { engine, put, take } = machine();
  put("one");
  put("two", { status: "disconnected", options: [], message_id: null });
  await take();
  expect(engine.state.decisions["one"]).toMatchObject({
    state: "disconnected",
    asker: { by: "mcp", project: "app", channel_id: CHANNEL, wanted_thread: null, bot_id: BOT },
    questions: [{ question: "Deploy?", options: [{ label: "yes" }, { label: "no" }], words: true }],
    context: "c",
    lapses_at: null,
  });
  expect(engine.state.posts["one"]?.["prompt"]).toMatchObject({ channel_id: THREAD, message_id: FILE.message_id });
  expect(engine.state.posts["two"]?.["prompt"]).toMatchObject({ channel_id: THREAD, message_id: null });
});

test("it keeps the time at which it was asked, where the file tells one that can be", async () => {
  const { engine, put, take } = machine();
  put("told", { asked_at: "2026-02-01T10:30:00Z" });
  for (const [name, asked_at] of [
    ["old", "1970-01-01T00:00:00Z"],
    ["none", undefined],
    ["wrong", "yesterday"],
    ["other", 5],
  ] as const)
    put(name, { asked_at, question: `${name}?` });
  await take();
  const { told, ...others } = engine.state.decisions;
  expect(told?.asked_at).toBe("2026-02-01T10:30:00.000Z");
  expect(new Set(Object.values(others).map((one) => one.asked_at))).toEqual(new Set(["2026-03-01T12:00:00.000Z"]));
});

test.each<[string, object]>([
  ["settled", { status: "resolved" }],
  ["without a thread", { thread_id: "" }],
  ["under another name than its file's", { question_id: "other" }],
  ["without a question", { question: " " }],
  ["of another kind", { question: 5 }],
])("one that is %s is passed over", async (_what, change) => {
  const { put, take, taken } = machine();
  put("one", change);
  put("good");
  await take();
  expect(taken()).toEqual(["good"]);
});

test("that is done once: what comes to stand there later is a mirror and nothing else", async () => {
  const { put, take, taken } = machine();
  await take();
  put("later");
  await take();
  expect(taken()).toEqual([]);
});
