/** When the owner is reminded: by the ladder, once a step, not at night, and whatever restarts and clocks do. */
import { describe, expect, onTestFinished, test } from "vitest";
import type { AskCommand } from "../../../src/core/decisions/decision.ts";
import { defaultConfig, type Config } from "../../../src/config/config-file.ts";
import { openReminders } from "../../../src/discord/threads/reminders.ts";
import { quietUntil } from "../../../src/discord/views/rings.ts";
import type { Engine } from "../../../src/engine/engine.ts";
import { botContext } from "../../fakes/bot-context.ts";
import { createFakeClock, type FakeClock } from "../../fakes/fake-clock.ts";
import { createMemoryJournal, type MemoryJournal } from "../../fakes/memory-journal.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const YEAR = 365 * DAY;

type Settings = Pick<Config, "reminders" | "quiet_hours" | "mention" | "decision_lapse_s">;

class Bench {
  readonly clock: FakeClock;
  readonly journal: MemoryJournal;
  settings: Settings = { reminders: defaultConfig().reminders, mention: defaultConfig().mention, decision_lapse_s: {} };
  engine!: Engine;
  #close = (): void => undefined;

  constructor(startMs?: number) {
    this.clock = createFakeClock(startMs);
    this.journal = createMemoryJournal(this.clock);
    this.start();
    onTestFinished(() => this.#close());
  }

  /** A new process on what is on disk; the one before it is gone. */
  start(): void {
    this.#close();
    const { engine, kill } = this.journal.open();
    const config = (): Config => ({ ...defaultConfig(), ...this.settings });
    const keeper = openReminders(botContext({ engine, clock: this.clock, botId: "4", config }));
    this.engine = engine;
    this.#close = () => (keeper.close(), kill());
  }

  async restart(): Promise<void> {
    this.start();
    await this.engine.submit({ type: "restart" });
    await this.clock.settle();
  }

  /** Asked, placed, and its prompt stands; `shown` null: it does not yet. */
  async ask(
    decision_id = "q",
    { shown = "90", bot_id = "4", project = "app" }: { shown?: string | null; bot_id?: string; project?: string } = {},
  ): Promise<void> {
    const asker = {
      by: "mcp",
      project,
      pending_dir: "/p",
      timeout_seconds: null,
      wanted_thread: null,
      channel_id: "2",
      bot_id,
    } as const;
    const questions = [{ question: `${decision_id}?`, header: "", options: [], many: false, words: true }];
    await this.engine.submit({
      type: "ask",
      decision_id,
      thread_id: null,
      kind: "question",
      asker,
      context: "",
      questions,
      subject: null,
      lapses_at: null,
    });
    await this.engine.submit({
      type: "place_decision",
      decision_id,
      thread_id: `8${decision_id}`,
      channel_id: "2",
      guild_id: "3",
      bot_id,
      since: "8",
    });
    if (shown !== null) await this.show(decision_id, shown);
  }

  show(decision_id: string, message_id: string): Promise<unknown> {
    return this.engine.submit({
      type: "record_post",
      subject: decision_id,
      part: "prompt",
      channel_id: "9",
      message_id,
      hash: "h",
      is: "said",
    });
  }

  answer(decision_id = "q"): Promise<unknown> {
    return this.engine.submit({
      type: "answer",
      decision_id,
      question: 0,
      answer: { places: [], words: "so" },
      sha256: null,
    });
  }

  /** Each as its step and its way, with the minutes since the clock began. */
  reminded(): string[] {
    const [first] = this.journal.events;
    return this.journal.events.flatMap((event) =>
      event.type === "DecisionReminded"
        ? [
            `${event.payload.step} ${event.payload.by} ${Math.round((Date.parse(event.ts) - Date.parse(first?.ts ?? "")) / MINUTE)}`,
          ]
        : [],
    );
  }
}

test("by the ladder: by name after ten minutes, in direct messages after an hour, by name after four, and then no more", async () => {
  const bench = new Bench();
  await bench.ask();
  await bench.clock.advance(9.9 * MINUTE);
  expect(bench.reminded()).toEqual([]);
  await bench.clock.advance(30 * DAY);
  expect(bench.reminded()).toEqual(["1 mention 10", "2 direct 60", "3 mention 240"]);
  expect(bench.clock.armed).toBe(0);
});

describe("nobody is reminded of", () => {
  test.each<[string, (bench: Bench) => unknown]>([
    ["what is answered", (bench) => bench.answer()],
    ["what is void", (bench) => bench.engine.submit({ type: "void", decision_id: "q", why: "withdrawn" })],
    [
      "anything, where the ladder is empty",
      (bench) => (bench.settings = { mention: [], reminders: [], decision_lapse_s: {} }),
    ],
  ])("%s", async (_name, settle) => {
    const bench = new Bench();
    await bench.ask();
    await settle(bench);
    await bench.clock.advance(DAY);
    expect(bench.reminded()).toEqual([]);
    expect(bench.clock.armed).toBe(0);
  });

  test("what another bot asks, and what does not stand in Discord yet; when it does, he is", async () => {
    const bench = new Bench();
    await bench.ask("theirs", { bot_id: "5" });
    await bench.ask("late", { shown: null });
    await bench.clock.advance(2 * HOUR);
    expect(bench.reminded()).toEqual([]);
    await bench.show("late", "91");
    await bench.clock.settle();
    expect(bench.reminded()).toEqual(["1 mention 120"]);
    await bench.clock.advance(49 * MINUTE);
    expect(bench.reminded()).toHaveLength(1);
  });
});

test("what is answered between two steps has the first alone", async () => {
  const bench = new Bench();
  await bench.ask();
  await bench.clock.advance(30 * MINUTE);
  await bench.answer();
  await bench.clock.advance(DAY);
  expect(bench.reminded()).toEqual(["1 mention 10"]);
});

test("a restart neither repeats a step nor loses one, whenever it comes", async () => {
  const bench = new Bench();
  await bench.ask();
  for (let minutes = 0; minutes < 300; minutes += 3) {
    await bench.clock.advance(3 * MINUTE);
    await bench.restart();
  }
  const steps = bench.reminded().map((line) => line.split(" "));
  expect(steps.map(([step, by]) => `${step} ${by}`)).toEqual(["1 mention", "2 direct", "3 mention"]);
  for (const [index, due] of [10, 60, 240].entries())
    expect(Math.abs(Number(steps[index]?.[2]) - due)).toBeLessThanOrEqual(6);
});

describe("what is put off", () => {
  const snooze = (bench: Bench, minutes: number): Promise<unknown> =>
    bench.engine.submit({
      type: "snooze",
      decision_id: "q",
      until: new Date(bench.clock.now() + minutes * MINUTE).toISOString(),
    });

  test("is called up again then, once, and the ladder rests until then and continues from there", async () => {
    const bench = new Bench();
    await bench.ask();
    await bench.clock.advance(5 * MINUTE);
    await snooze(bench, 60);
    await bench.clock.advance(59 * MINUTE);
    expect(bench.reminded()).toEqual([]);
    await bench.clock.advance(30 * DAY);
    expect(bench.reminded()).toEqual(["1 mention 65", "2 mention 75", "3 direct 125", "4 mention 305"]);
    expect(
      bench.journal.events.flatMap((event) => (event.type === "DecisionReminded" ? [event.payload.after_snooze] : [])),
    ).toEqual([true, undefined, undefined, undefined]);
  });

  test("comes once also over restarts, and where the ladder is empty or at its end", async () => {
    const bench = new Bench();
    bench.settings = { mention: [], reminders: [], decision_lapse_s: {} };
    await bench.ask();
    await snooze(bench, 15);
    for (let minutes = 0; minutes < 60; minutes += 3) {
      await bench.clock.advance(3 * MINUTE);
      await bench.restart();
    }
    const reminded = bench.reminded();
    expect(reminded).toHaveLength(1);
    expect(Number(reminded[0]?.split(" ")[2])).toBeLessThanOrEqual(18);
  });

  test("comes at the later time where it is put off again, and not at all once it is answered", async () => {
    const bench = new Bench();
    await bench.ask();
    await snooze(bench, 15);
    await bench.clock.advance(10 * MINUTE);
    await snooze(bench, 60);
    await bench.clock.advance(59 * MINUTE);
    expect(bench.reminded()).toEqual([]);
    await bench.answer();
    await bench.clock.advance(DAY);
    expect(bench.reminded()).toEqual([]);
  });

  test("is kept waiting by no clock that is put back", async () => {
    const bench = new Bench();
    bench.settings = { mention: [], reminders: [], decision_lapse_s: {} };
    await bench.ask();
    await snooze(bench, 60);
    await bench.clock.settle();
    bench.clock.move(-YEAR);
    await bench.clock.advance(61 * MINUTE);
    expect(bench.reminded()).toHaveLength(1);
  });
});

test("a process that dies between the word and the disk leaves the step to the next one", async () => {
  const bench = new Bench();
  await bench.ask();
  await bench.clock.advance(5 * MINUTE);
  bench.start();
  await bench.clock.advance(5 * MINUTE);
  expect(bench.reminded()).toEqual(["1 mention 10"]);
});

describe("quiet hours", () => {
  const at = (hour: number, minute = 0, day = 10): number => new Date(2026, 2, day, hour, minute).getTime();

  test.each<[string, string | undefined, number, number | null]>([
    ["in the evening", "22:00-08:00", at(22), at(8, 0, 11)],
    ["at midnight", "22:00-08:00", at(0), at(8)],
    ["in the last minute", "22:00-08:00", at(7, 59), at(8)],
    ["at their end", "22:00-08:00", at(8), null],
    ["before they begin", "22:00-08:00", at(21, 59), null],
    ["by day", "12:30-13:15", at(13), at(13, 15)],
    ["after those by day", "12:30-13:15", at(13, 15), null],
    ["before those by day", "12:30-13:15", at(12, 29), null],
    ["until midnight", "20:00-00:00", at(23, 59), at(0, 0, 11)],
    ["none", undefined, at(3), null],
  ])("%s", (_name, hours, now, until) => expect(quietUntil(now, hours)).toBe(until));

  test.each<[string, string, string, string | null]>([
    ["Asia/Seoul", "22:00-08:00", "2026-02-26T13:00:00Z", "2026-02-26T23:00:00.000Z"],
    ["Asia/Seoul", "22:00-08:00", "2026-02-26T12:59:00Z", null],
    // The night is an hour shorter, or longer.
    ["Europe/Berlin", "22:00-08:00", "2026-03-28T21:00:00Z", "2026-03-29T06:00:00.000Z"],
    ["Europe/Berlin", "22:00-08:00", "2026-10-24T20:00:00Z", "2026-10-25T07:00:00.000Z"],
    // Their end is skipped, or shown twice.
    ["Europe/Berlin", "22:00-02:30", "2026-03-29T00:59:00Z", "2026-03-29T01:30:00.000Z"],
    ["Europe/Berlin", "22:00-02:30", "2026-10-25T00:29:00Z", "2026-10-25T00:30:00.000Z"],
    ["Europe/Berlin", "22:00-02:30", "2026-10-25T01:10:00Z", "2026-10-25T01:11:00.000Z"],
  ])("in %s, %s at %s", (zone, hours, now, until) => {
    const end = quietUntil(Date.parse(now), hours, zone);
    expect(end === null ? null : new Date(end).toISOString()).toBe(until);
  });

  test("what falls into them comes at their end, one step of it, and the next as long after that as ever", async () => {
    const bench = new Bench(at(21, 55));
    bench.settings = { ...bench.settings, quiet_hours: "22:00-08:00" };
    await bench.ask();
    await bench.clock.advance(10 * HOUR + 4 * MINUTE);
    expect(bench.reminded()).toEqual([]);
    await bench.clock.advance(2 * MINUTE);
    expect(bench.reminded()).toEqual(["1 mention 605"]);
    await bench.clock.advance(48 * MINUTE);
    expect(bench.reminded()).toEqual(["1 mention 605"]);
    await bench.clock.advance(3 * MINUTE);
    expect(bench.reminded()).toEqual(["1 mention 605", "2 direct 655"]);
  });
});

describe("a clock that is moved by a year", () => {
  test.each<[string, number]>([
    ["forward", YEAR],
    ["back", -YEAR],
  ])("%s while it waits: at most one step comes early, none comes late, none twice", async (_name, ms) => {
    const bench = new Bench();
    await bench.ask();
    await bench.clock.advance(20 * MINUTE);
    bench.clock.move(ms);
    await bench.clock.advance(MINUTE);
    expect(bench.reminded().length).toBeLessThanOrEqual(2);
    await bench.clock.advance(4 * HOUR + MINUTE);
    expect(bench.reminded().map((line) => line.split(" ")[0])).toEqual(["1", "2", "3"]);
  });

  test.each<[string, number]>([
    ["forward", YEAR],
    ["back", -YEAR],
  ])(
    "%s while no daemon was there: one step at most at once, and the others as far apart as ever, though it is started again every hour",
    async (_name, ms) => {
      const bench = new Bench();
      await bench.ask();
      await bench.clock.advance(5 * MINUTE);
      bench.clock.move(ms);
      await bench.restart();
      expect(bench.reminded().length).toBeLessThanOrEqual(1);
      for (let hours = 0; hours < 6; hours += 1) {
        const before = bench.reminded().length;
        await bench.clock.advance(HOUR);
        await bench.restart();
        expect(bench.reminded().length - before).toBeLessThanOrEqual(2);
      }
      expect(bench.reminded().map((line) => line.split(" ")[0])).toEqual(["1", "2", "3"]);
    },
  );
});

test("two hundred that wait are each reminded once a step", async () => {
  const bench = new Bench();
  for (let number = 0; number < 200; number += 1) await bench.ask(`q${number}`, { project: `app-${number % 10}` });
  await bench.clock.advance(2 * HOUR);
  expect(bench.reminded()).toHaveLength(400);
});

test("a ladder that is changed meanwhile holds from the next look on", async () => {
  const bench = new Bench();
  await bench.ask();
  await bench.clock.advance(2 * MINUTE);
  bench.settings = { ...bench.settings, mention: [], reminders: [{ after_minutes: 5, by: "direct" }] };
  await bench.clock.advance(DAY);
  expect(bench.reminded()).toEqual(["1 direct 5"]);
});

describe("a dialog in a turn that its owner typed at the terminal", () => {
  async function asked(mention: Settings["mention"], ask: Partial<AskCommand> = {}): Promise<Bench> {
    const bench = new Bench();
    const { engine } = bench;
    bench.settings = { ...bench.settings, mention };
    const project = { name: "app", path: "/srv/app", enabled_tools: ["tmux"], default_tool: "tmux", default_args: {} };
    await engine.submit({ type: "create_project", project });
    await engine.submit({
      type: "start_session",
      request_id: "r",
      project_name: "app",
      channel_id: "2",
      guild_id: "3",
      bot_id: "4",
    });
    await engine.submit({ type: "open_session", request_id: "r", thread_id: "7" });
    await engine.submit({
      type: "begin_outside_turn",
      turn_id: "turn_1",
      thread_id: "7",
      tool: "tmux",
      origin: "terminal",
      prompt: "x",
    });
    const questions = [{ question: "q?", header: "", options: [], many: false, words: true }];
    await engine.submit({
      type: "ask",
      decision_id: "q",
      thread_id: "7",
      kind: "question",
      asker: { by: "hook", pid: 4711, request_id: "h", turn_id: "turn_1" },
      context: "",
      questions,
      subject: null,
      lapses_at: null,
      ...ask,
    });
    await bench.show("q", "90");
    return bench;
  }

  test("calls its owner when it has stood for ten seconds, and then by the ladder", async () => {
    const bench = await asked(["waiting"]);
    await bench.clock.advance(9_900);
    expect(bench.reminded()).toEqual([]);
    await bench.clock.advance(200);
    expect(bench.reminded()).toEqual(["1 mention 0"]);
    await bench.clock.advance(DAY);
    expect(bench.reminded()).toEqual(["1 mention 0", "2 mention 10", "3 direct 60", "4 mention 240"]);
  });

  test("that nobody typed, calls its owner when the terminal has asked for two minutes too, or for as long as is set", async () => {
    const plan = { kind: "plan", asker: { by: "hook", pid: 4711, request_id: "h" } } as const;
    const bench = await asked(["waiting"], plan);
    await bench.clock.advance(119_000);
    expect(bench.reminded()).toEqual([]);
    await bench.clock.advance(DAY);
    expect(bench.reminded()).toEqual(["1 mention 2", "2 mention 10", "3 direct 60", "4 mention 240"]);
    const later = await asked(["waiting"], plan);
    later.settings = { ...later.settings, decision_lapse_s: { by_tool: { tmux: { plan: 1_200 } } } };
    await later.clock.advance(DAY);
    expect(later.reminded()).toEqual(["1 mention 10", "2 mention 20", "3 direct 60", "4 mention 240"]);
  });

  test("does not where its owner is not to be mentioned at once", async () => {
    const bench = await asked([]);
    await bench.clock.advance(11 * MINUTE);
    expect(bench.reminded()).toEqual(["1 mention 10"]);
  });
});
