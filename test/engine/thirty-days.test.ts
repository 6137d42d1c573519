/**
 * R24: what is asked waits thirty days, over a hundred restarts and crashes on a real journal and a clock that is moved
 * by a year both ways, while others are asked, answered and forgotten around it. Nobody makes an answer up, and then
 * it is answered, by a press and in words, once.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { nodeDisk } from "../../src/base/disk.ts";
import { silentLog } from "../../src/base/log.ts";
import type { AskCommand } from "../../src/core/decisions/decision.ts";
import { emptyState, restoreState, type RecordedEvent, type State } from "../../src/core/state.ts";
import { evolve, understands } from "../../src/core/evolve.ts";
import { openReminders } from "../../src/discord/threads/reminders.ts";
import { createEngine, type Engine } from "../../src/engine/engine.ts";
import { discordTime } from "../fakes/discord-time.ts";
import { openExpiry } from "../../src/engine/decision-expiry.ts";
import { openJournal, type Journal } from "../../src/journal/journal.ts";
import { botContext } from "../fakes/bot-context.ts";
import { createFakeClock } from "../fakes/fake-clock.ts";
import { asItIs } from "../fakes/no-secrets.ts";

const HOUR = 3_600_000;
const YEAR = 365 * 24 * HOUR;
const RESTARTS = 100;
const OPEN = ["q-press", "q-words", "q-direct", "q-green", "q-two", "p-hook", "plan-hook"];
const DIRECT = "70";
const SHA = "0".repeat(64);

const clock = createFakeClock();
const dir = mkdtempSync(join(tmpdir(), "bellhop-r24-"));

interface Daemon {
  engine: Engine;
  journal: Journal;
  /** As `kill -9`: nothing it promised is kept from here on, and nothing is tidied up. */
  kill(): void;
}

async function start(): Promise<Daemon> {
  let state: State = emptyState();
  let killed = false;
  const journal = await openJournal({
    dir,
    disk: nodeDisk,
    clock,
    canRead: understands,
    restore: (snapshot) => void (state = restoreState(snapshot as object | null)),
    apply: (event) => evolve(state, event as unknown as RecordedEvent),
    rhythm: { everyEvents: 50, everyMs: 5000 },
  });
  let { seq } = journal.last;
  const engine = createEngine({
    redact: asItIs,
    state,
    clock,
    rules: () => ({
      max_queue_per_session: 20,
      global_max_running: 2,
      after_crash: "wait",
      resume_after_limit: "ask",
      max_prompt_chars: 1000,
    }),
    append: (events) => (killed ? new Promise<never>(() => undefined) : journal.append(events, events[0]?.ts)),
    believed(events) {
      seq += events.length;
      journal.snapshotSoon(() => ({ seq, state }));
    },
    reconcilerFailed(error) {
      throw error;
    },
  });
  // The Claudes whose hooks ask stand in a terminal, which outlives the daemon.
  await engine.submit({ type: "restart", alive: ["p-hook", "plan-hook"].map(threadOf) });
  const keepers = [
    openExpiry({ engine, clock, time: discordTime(clock), log: silentLog, hasHeard: async () => true }),
    openReminders(botContext({ engine, clock, botId: "4" })),
  ];
  return {
    engine,
    journal,
    kill() {
      killed = true;
      for (const keeper of keepers) keeper.close();
    },
  };
}

function ask(decision_id: string, lapses_at: string | null = null): AskCommand {
  const mcp = {
    by: "mcp",
    project: "app",
    pending_dir: "/p",
    timeout_seconds: null,
    wanted_thread: null,
    channel_id: "2",
    bot_id: "4",
  } as const;
  const hook = { by: "hook", pid: 4711, request_id: decision_id } as const;
  const labels =
    decision_id === "p-hook"
      ? ["Allow once", "Allow for this session", "Deny"]
      : decision_id === "plan-hook"
        ? ["Approve", "Reject"]
        : ["A) Red", "B) Blue"];
  const question = {
    question: `${decision_id}?`,
    header: "",
    options: labels.map((label) => ({ label, description: "" })),
    many: false,
    words: !decision_id.endsWith("hook"),
  };
  const subject = decision_id.endsWith("hook")
    ? { tool: "Bash", title: "ls", sha256: SHA, pages: 1, grant_until: "2026-03-02T00:00:00.000Z" }
    : null;
  const kind = decision_id === "p-hook" ? "permission" : decision_id === "plan-hook" ? "plan" : "question";
  const questions = decision_id === "q-two" ? [question, { ...question, question: "and?" }] : [question];
  return {
    type: "ask",
    decision_id,
    thread_id: null,
    kind,
    asker: subject === null ? mcp : hook,
    context: "",
    questions,
    subject,
    lapses_at,
  };
}

const threadOf = (id: string): string => `8${OPEN.indexOf(id)}`;

async function asked({ engine }: Daemon, id: string, lapses_at: string | null = null): Promise<void> {
  await engine.submit(ask(id, lapses_at));
  const thread_id = OPEN.includes(id) ? threadOf(id) : "99";
  await engine.submit({
    type: "place_decision",
    decision_id: id,
    thread_id,
    channel_id: "2",
    guild_id: "3",
    bot_id: "4",
    since: thread_id,
  });
  await engine.submit({
    type: "record_post",
    subject: id,
    part: "prompt",
    channel_id: thread_id,
    message_id: `${1000 + engine.state.count.jobs}`,
    hash: "h",
    is: "said",
  });
}

/** What goes on around what waits: others come and go, and the owner writes elsewhere. */
async function around({ engine }: Daemon, round: number): Promise<void> {
  for (const number of [0, 1, 2, 3]) {
    const id = `other-${round}-${number}`;
    await asked({ engine } as Daemon, id);
    if (number === 0) await engine.submit({ type: "void", decision_id: id, why: "withdrawn" });
    else
      await engine.submit({
        type: "answer",
        decision_id: id,
        question: 0,
        answer: { places: [0], words: null },
        sha256: null,
      });
    await engine.submit({ type: "answer_delivered", decision_id: id });
  }
  await engine.submit({
    type: "hear",
    thread_id: "12345",
    discord_message_id: `${20_000 + round}`,
    prompt: "yes",
    files: [],
    refused_files: [],
    reply_to: null,
  });
  await engine.submit({
    type: "hear",
    thread_id: DIRECT,
    discord_message_id: `${30_000 + round}`,
    prompt: "A",
    files: [],
    refused_files: [],
    reply_to: null,
  });
  // Whoever asked comes back, and is gone again.
  if (round % 7 === 0)
    expect((await engine.submit(ask("q-again-" + String(round)))).map(({ type }) => type)).toEqual(["DecisionAsked"]);
  if (round % 3 === 0) for (const id of OPEN) await engine.submit({ ...ask(id), decision_id: `${id}-again` });
}

function record(): RecordedEvent[] {
  const files = readdirSync(dir)
    .filter((name) => name.startsWith("events"))
    .sort((one, other) => (one === "events.ndjson" ? 1 : other === "events.ndjson" ? -1 : one < other ? -1 : 1));
  return files
    .flatMap((name) => readFileSync(join(dir, name), "utf8").trim().split("\n"))
    .map((line) => JSON.parse(line) as RecordedEvent);
}

test("R24: thirty days, a hundred restarts, a clock moved by a year both ways: no answer is made up, and each is answered once", async () => {
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  let daemon = await start();
  await daemon.engine.submit({
    type: "open_channel",
    channel_id: DIRECT,
    guild_id: null,
    bot_id: "4",
    kind: "direct",
    since: "0",
  });
  for (const id of OPEN) await asked(daemon, id);
  // One has a time limit, and the client that asked it dies before that: it expires, once, without an answer.
  await asked(daemon, "q-lapses", "2026-03-01T18:00:00.000Z");
  await daemon.engine.submit({ type: "disconnect", decision_id: "q-lapses" });
  for (let round = 0; round < RESTARTS; round += 1) {
    await clock.advance((30 * 24 * HOUR) / RESTARTS);
    if (round % 10 === 3) clock.move(YEAR);
    if (round % 10 === 7) clock.move(-YEAR);
    await around(daemon, round);
    daemon.kill();
    await daemon.journal.close();
    daemon = await start();
    for (const id of OPEN)
      expect(daemon.engine.state.decisions[id]).toMatchObject({
        state: "disconnected",
        told_over: false,
      });
    for (const id of OPEN)
      expect(daemon.engine.state.decisions[id]?.answers.every((answer) => answer === null)).toBe(true);
  }
  await settleAll(daemon);
  daemon.kill();
  await daemon.journal.close();
  daemon = await start();
  const answers = Object.fromEntries(OPEN.map((id) => [id, daemon.engine.state.decisions[id]?.answers]));
  expect(answers).toEqual({
    "q-press": [{ places: [1], words: null }],
    "q-words": [{ places: [0], words: null }],
    "q-direct": [{ places: [1], words: null }],
    "q-green": [{ places: [], words: "neither of them, take green" }],
    "q-two": [
      { places: [0], words: null },
      { places: [1], words: null },
    ],
    "p-hook": [{ places: [2], words: null }],
    "plan-hook": [{ places: [0], words: null }],
  });
  const events = record();
  expect(daemon.engine.state.decisions["q-lapses"]?.answers ?? [null]).toEqual([null]);
  expect(
    events
      .filter(
        ({ type, payload }) =>
          /^Decision(Answered|Lapsed)$/.test(type) && "decision_id" in payload && payload.decision_id === "q-lapses",
      )
      .map(({ type }) => type),
  ).toEqual(["DecisionLapsed"]);
  const ends = events.filter(({ type }) => /^Decision(Answered|Lapsed|Aborted|Voided)$/.test(type));
  for (const id of OPEN)
    expect(ends.filter(({ payload }) => "decision_id" in payload && payload.decision_id === id)).toHaveLength(1);
  // Of each no more reminders than the ladder has, however often it was begun again; of a dialog one more, after two
  // minutes.
  const reminders = (id: string): number =>
    events.filter((event) => event.type === "DecisionReminded" && event.payload.decision_id === id).length;
  expect(OPEN.map(reminders)).toEqual(OPEN.map((id) => (id.endsWith("-hook") ? 4 : 3)));
  expect(Object.keys(daemon.engine.state.decisions).length).toBeLessThan(300);
  daemon.kill();
  await daemon.journal.close();
});

/** Each by another way, and then everything once more, which changes nothing. */
async function settleAll({ engine }: Daemon): Promise<void> {
  const write = (
    thread_id: string,
    discord_message_id: string,
    prompt: string,
    reply_to: string | null = null,
  ): Promise<readonly RecordedEvent[]> =>
    engine.submit({ type: "hear", thread_id, discord_message_id, prompt, files: [], refused_files: [], reply_to });
  const press = (decision_id: string, place: number, question = 0): Promise<readonly RecordedEvent[]> =>
    engine.submit({
      type: "answer",
      decision_id,
      question,
      answer: { places: [place], words: null },
      sha256: decision_id.endsWith("hook") ? SHA : null,
    });
  // In direct messages it is not plain which of them is meant, but by a reply.
  expect((await write(DIRECT, "90000", "B")).map(({ type }) => type)).toEqual(["MessagePointed"]);
  await engine.submit({
    type: "record_post",
    subject: "q-direct",
    part: "reminder:2",
    channel_id: DIRECT,
    message_id: "89000",
    hash: "h",
    is: "said",
  });
  for (const round of ["first", "again"]) {
    const happened = await Promise.allSettled([
      press("q-press", 1),
      write(threadOf("q-words"), "90001", "A"),
      write(DIRECT, "90002", "B", "89000"),
      write(threadOf("q-green"), "90003", "neither of them, take green"),
      press("q-two", 0),
      write(threadOf("q-two"), "90004", "B"),
      write(threadOf("p-hook"), "90005", "deny"),
      press("plan-hook", 0),
    ]);
    const settled = happened.map((one) => (one.status === "fulfilled" ? one.value.length : one.reason));
    const closed = expect.objectContaining({ code: "E_DECISION_CLOSED" }) as unknown;
    expect(settled).toEqual(round === "first" ? happened.map(() => 1) : [closed, 0, 0, 0, closed, 0, 0, closed]);
  }
}
