import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { nodeDisk } from "../../src/base/disk.ts";
import { silentLog } from "../../src/base/log.ts";
import { openPendingFiles } from "../../src/host/pending-files.ts";
import { importEarlierQuestions } from "../../src/link/earlier-questions.ts";
import { createFakeClock } from "../fakes/fake-clock.ts";
import { createMemoryJournal } from "../fakes/memory-journal.ts";
import { BOT, CHANNEL, THREAD } from "./mcp-scene.ts";

const FILE = { question_id: "q", project: "app", question: "Deploy?", context: "c", options: ["yes", "no"], thread_id: THREAD, message_id: "200000000000000021", status: "pending" };

function machine() {
  const home = mkdtempSync(join(tmpdir(), "bellhop-earlier-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const pendingDir = join(home, "pending");
  mkdirSync(pendingDir);
  const { engine } = createMemoryJournal(createFakeClock()).open();
  return {
    engine,
    put: (name: string, change: object = {}) => writeFileSync(join(pendingDir, `${name}.json`), JSON.stringify({ ...FILE, question_id: name, ...change })),
    take: () => importEarlierQuestions({ engine, files: openPendingFiles(nodeDisk), disk: nodeDisk, log: silentLog, stateDir: home, pendingDir, channelId: CHANNEL, botId: BOT }),
    taken: () => Object.keys(engine.state.decisions),
  };
}

test("an open question is taken over as one that nobody hears, with the place where it stands", async () => {
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
