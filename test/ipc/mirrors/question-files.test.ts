import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { nodeDisk } from "../../../src/base/disk.ts";
import { silentLog, type Log } from "../../../src/base/log.ts";
import type { AskCommand } from "../../../src/core/decisions/decision.ts";
import { openPendingFiles, openMirrors } from "../../../src/ipc/mirrors/question-files.ts";
import { createFakeClock } from "../../fakes/fake-clock.ts";
import { createMemoryJournal, type MemoryJournal } from "../../fakes/memory-journal.ts";
import { CHANNEL, question, THREAD } from "../mcp/mcp-scene.ts";
import { asItIs } from "../../fakes/no-secrets.ts";

const ID = "app_20260301_abc123";

function folder(): string {
  const directory = mkdtempSync(join(tmpdir(), "bellhop-pending-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

function asked(pending_dir: string): AskCommand {
  const { asker, ...rest } = question(ID);
  return { ...rest, asker: { ...asker, pending_dir } as AskCommand["asker"] };
}

function daemon(journal: MemoryJournal, log: Log = silentLog) {
  const { engine } = journal.open();
  return {
    engine,
    mirrors: openMirrors({ engine, clock: createFakeClock(), files: openPendingFiles(nodeDisk, asItIs), log }),
  };
}

const read = (directory: string, id = ID): Record<string, unknown> =>
  JSON.parse(readFileSync(join(directory, `${id}.json`), "utf8")) as Record<string, unknown>;

test("a question's file says after each change what is, for its owner alone", async () => {
  const directory = join(folder(), "not", "yet", "there");
  const { engine, mirrors } = daemon(createMemoryJournal(createFakeClock()));
  await engine.submit(asked(directory));
  await mirrors.whenWritten();
  expect(read(directory)).toMatchObject({ status: "pending", thread_id: "" });
  await engine.submit({
    type: "place_decision",
    decision_id: ID,
    thread_id: THREAD,
    channel_id: CHANNEL,
    guild_id: "3",
    bot_id: "4",
    since: THREAD,
  });
  await mirrors.whenWritten();
  expect(read(directory)).toMatchObject({ thread_id: THREAD });
  await engine.submit({ type: "disconnect", decision_id: ID });
  await engine.submit({
    type: "answer",
    decision_id: ID,
    question: 0,
    answer: { places: [], words: "yes" },
    sha256: null,
  });
  await mirrors.whenWritten();
  expect(read(directory)).toMatchObject({ status: "resolved", resolution: "yes" });
  expect(statSync(join(directory, `${ID}.json`)).mode & 0o777).toBe(0o600);
  expect(statSync(directory).mode & 0o777).toBe(0o700);
  expect(readdirSync(directory)).toEqual([`${ID}.json`]);
});

test("what a kill left of a question's file is removed at the next start, and nothing else", async () => {
  const directory = folder();
  const journal = createMemoryJournal(createFakeClock());
  const first = daemon(journal);
  await first.engine.submit(asked(directory));
  await first.mirrors.close();
  const others = [
    ".app_20260301_0000ff.json.0123456789abcdef.tmp",
    ".settings.json.0123456789abcdef.tmp",
    `.${ID}.json.tmp`,
  ];
  for (const name of [`.${ID}.json.0123456789abcdef.tmp`, ...others]) writeFileSync(join(directory, name), "{");
  await daemon(journal).mirrors.whenWritten();
  expect(readdirSync(directory).toSorted()).toEqual([...others, `${ID}.json`].toSorted());
});

test("what somebody writes into it changes nothing, and a link in its place is replaced, not followed", async () => {
  const directory = folder();
  const journal = createMemoryJournal(createFakeClock());
  const first = daemon(journal);
  await first.engine.submit(asked(directory));
  await first.mirrors.close();
  const victim = join(folder(), "victim");
  writeFileSync(victim, "keep me");
  rmSync(join(directory, `${ID}.json`));
  symlinkSync(victim, join(directory, `${ID}.json`));
  const { engine, mirrors } = daemon(journal);
  await mirrors.whenWritten();
  expect(readFileSync(victim, "utf8")).toBe("keep me");
  writeFileSync(join(directory, `${ID}.json`), JSON.stringify({ status: "resolved", resolution: "forged" }));
  await engine.submit({ type: "disconnect", decision_id: ID });
  await mirrors.whenWritten();
  expect(read(directory)).toMatchObject({ status: "disconnected", resolution: null });
});

test("after a restart an open question's file is put right, and one that is settled only where its owner has left it", async () => {
  const directory = folder();
  const journal = createMemoryJournal(createFakeClock());
  const first = daemon(journal);
  await first.engine.submit(asked(directory));
  await first.mirrors.close();
  // The daemon is killed before it can write what it has just believed.
  await first.engine.submit({
    type: "answer",
    decision_id: ID,
    question: 0,
    answer: { places: [], words: "yes" },
    sha256: null,
  });
  expect(read(directory)).toMatchObject({ status: "pending" });
  await daemon(journal).mirrors.close();
  expect(read(directory)).toMatchObject({ status: "resolved" });
  rmSync(join(directory, `${ID}.json`));
  await daemon(journal).mirrors.close();
  expect(readdirSync(directory)).toEqual([]);
});

test("of many changes the last one is what its file says at the end, one written at a time", async () => {
  const { engine } = createMemoryJournal(createFakeClock()).open();
  let writing = 0;
  let most = 0;
  const last = new Map<string, unknown>();
  const write = async (_directory: string, id: string, content: object): Promise<void> => {
    most = Math.max(most, (writing += 1));
    await Promise.resolve();
    last.set(id, content);
    writing -= 1;
  };
  const mirrors = openMirrors({
    engine,
    clock: createFakeClock(),
    files: { write, has: async () => true, tidy: async () => undefined },
    log: silentLog,
  });
  const ids = Array.from({ length: 30 }, (_, at) => `app_20260301_${String(at).padStart(6, "0")}`);
  for (const [at, id] of ids.entries()) {
    const { questions, ...rest } = question(id);
    await engine.submit({ ...rest, questions: questions.map((one) => ({ ...one, question: `Deploy ${at}?` })) });
    void engine.submit({ type: "disconnect", decision_id: id });
  }
  for (const decision_id of ids)
    await engine.submit({
      type: "answer",
      decision_id,
      question: 0,
      answer: { places: [], words: "yes" },
      sha256: null,
    });
  await mirrors.whenWritten();
  expect(most).toBe(1);
  expect(ids.map((id) => (last.get(id) as { status: string }).status)).toEqual(ids.map(() => "resolved"));
});

test("a directory that cannot be written is said once, and the question continues", async () => {
  const directory = join(folder(), "file");
  writeFileSync(directory, "");
  const said: string[] = [];
  const log = { ...silentLog, failure: (text: string) => void said.push(text) };
  const { engine, mirrors } = daemon(createMemoryJournal(createFakeClock()), log);
  await engine.submit(asked(directory));
  await mirrors.whenWritten();
  await engine.submit({ type: "disconnect", decision_id: ID });
  await mirrors.whenWritten();
  expect(said).toEqual(["a pending question cannot be mirrored"]);
  expect(engine.state.decisions[ID]?.state).toBe("disconnected");
});

test("a directory that could not be written is tried again by itself, with what its questions are then", async () => {
  const directory = join(folder(), "file");
  writeFileSync(directory, "");
  const clock = createFakeClock();
  const { engine } = createMemoryJournal(clock).open();
  const mirrors = openMirrors({ engine, clock, files: openPendingFiles(nodeDisk, asItIs), log: silentLog });
  await engine.submit(asked(directory));
  await mirrors.whenWritten();
  rmSync(directory);
  await engine.submit({ type: "disconnect", decision_id: ID });
  await clock.advance(1_000);
  await mirrors.whenWritten();
  expect(read(directory)).toMatchObject({ status: "disconnected" });
});

test.each(["", "..", "../x", "a/b", "a\0b", ".hidden", "x".repeat(200), "é"])(
  "%j is no name for a file",
  async (id) => {
    const directory = folder();
    await expect(openPendingFiles(nodeDisk, asItIs).write(directory, id, {})).rejects.toMatchObject({ code: "EINVAL" });
    expect(readdirSync(directory)).toEqual([]);
  },
);
