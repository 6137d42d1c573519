/**
 * The law of time limits: what the owner wrote to a question before its time was over answers it, whenever it is heard;
 * what he wrote after that never does. All of it is in Discord's time: the ids of messages, and the limit.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { placesOf } from "../../../src/core/decisions/answering.ts";
import { isOpen } from "../../../src/core/decisions/decision.ts";
import { firstSnowflake } from "../../../src/base/ids.ts";
import type { RecordedEvent } from "../../../src/core/state.ts";
import { AT, CHANNEL, job, message, Scene, T1 } from "../scene.ts";

const DM = "100000000000000070";
const Q = "100000000000000080";
const D = "d";
const ASKED_MS = Date.parse(AT);
const LIMIT_MS = 60_000;
const iso = (ms: number): string => new Date(ASKED_MS + ms).toISOString();
/** What was written so long after it was asked; `number`: several at once. */
const written = (ms: number, number = 0): string => String(BigInt(firstSnowflake(ASKED_MS + ms)) + BigInt(number));
const LIMIT = iso(LIMIT_MS);
const PROMPT = written(1_000);
const ANNOUNCEMENT = written(900);
const types = (events: readonly { type: string }[]): string[] => events.map(({ type }) => type);

/** A question with a limit of a minute stands in its thread, and its announcement in the channel. */
function asked(): Scene {
  const made = new Scene();
  made.do({
    type: "open_channel",
    channel_id: CHANNEL,
    guild_id: "3",
    bot_id: "4",
    kind: "watched",
    since: written(0),
  });
  made.do({ type: "open_channel", channel_id: DM, guild_id: null, bot_id: "4", kind: "direct", since: written(0) });
  made.question(D, ["When?"], LIMIT);
  made.do({
    type: "record_post",
    subject: D,
    part: "announcement",
    channel_id: CHANNEL,
    message_id: ANNOUNCEMENT,
    hash: "h",
    is: "said",
  });
  made.place(D, Q, written(950));
  made.show(D, PROMPT);
  return made;
}

const PLACES = {
  "its thread": (made: Scene, id: string, words: string) => made.hear(Q, id, words),
  "direct messages": (made: Scene, id: string, words: string) => made.hear(DM, id, words),
  "a reply to its announcement": (made: Scene, id: string, words: string) =>
    made.reply(CHANNEL, id, words, ANNOUNCEMENT),
  "a reply to its prompt": (made: Scene, id: string, words: string) => made.reply(Q, id, words, PROMPT),
};

/** What happens between the writing and the hearing. */
const MEANWHILE: Record<string, (made: Scene) => void> = {
  "at once": () => undefined,
  "after a restart": (made) => void made.do({ type: "restart" }),
  "after its asker was told that the time is over": (made) => {
    made.do({ type: "disconnect", decision_id: D });
    made.do({ type: "answer_delivered", decision_id: D });
  },
  "after it was asked again, too late": (made) => {
    made.do({ type: "restart" });
    made.question("again", ["When?"], iso(90_000), { now: iso(80_000) });
  },
};

describe.each(Object.entries(PLACES))("written in %s", (place, write) => {
  test.each(Object.entries(MEANWHILE))("in time and heard %s: the answer", (_when, meanwhile) => {
    const made = asked();
    meanwhile(made);
    expect(types(write(made, written(LIMIT_MS), "A"))).toEqual(["DecisionAnswered"]);
    expect(made.state.decisions[D]).toMatchObject({
      state: "answered",
      answers: [{ places: [0], words: null }],
      delivered: false,
    });
    expect([Object.keys(made.state.inbox), Object.keys(made.state.decisions)]).toEqual([[], [D]]);
    made.checkReplay();
  });

  test.each(Object.entries(MEANWHILE))(
    "a millisecond too late and heard %s: none, and the question stays as it was",
    (_when, meanwhile) => {
      const made = asked();
      meanwhile(made);
      const before = structuredClone(made.state.decisions[D]);
      const events = types(write(made, written(LIMIT_MS + 1), "A"));
      // Its writer is told that it came too late.
      delete made.state.decisions[D]?.typed.pointed;
      delete made.replayed.decisions[D]?.typed.pointed;
      expect(made.state.decisions[D]).toEqual(before);
      expect(events).toEqual([place === "its thread" ? "InboxReceived" : "MessagePointed"]);
      made.checkReplay();
    },
  );
});

test("what is not understood, or puts it off, counts for it in time and not after that", () => {
  for (const [words, event] of [
    ["A or B", "DecisionReasked"],
    ["not yet", "DecisionKeptOpen"],
  ] as const) {
    expect(types(asked().hear(Q, written(LIMIT_MS), words))).toEqual([event]);
    expect(types(asked().hear(Q, written(LIMIT_MS + 1), words))).toEqual(["InboxReceived"]);
  }
});

test("a message after its time is the next job in a session, and answers another question that still has time", () => {
  const made = new Scene().withSessions(T1);
  made.hear(T1, message(1));
  const thread = { thread_id: T1, asker: { by: "job" as const, job_id: job(1), request_id: D } };
  made.question(D, ["When?"], LIMIT, thread);
  made.show(D, PROMPT);
  expect(types(made.hear(T1, written(LIMIT_MS + 1), "do this next"))).toEqual(["JobEnqueued"]);
  made.question("other", ["Where?"], iso(2 * LIMIT_MS), { ...thread, asker: { ...thread.asker, request_id: "other" } });
  made.show("other", written(LIMIT_MS + 1, 1));
  expect(types(made.hear(T1, written(LIMIT_MS + 2), "A"))).toEqual(["DecisionAnswered"]);
  expect([made.state.decisions[D]?.state, made.state.decisions["other"]?.state]).toEqual(["open", "answered"]);
});

test("what waited in the queue or the inbox for the record of the prompt is its answer only if it was written in time", () => {
  for (const [ms, state] of [
    [LIMIT_MS, "answered"],
    [LIMIT_MS + 1, "open"],
  ] as const) {
    const made = new Scene().withSessions(T1);
    made.hear(T1, message(1));
    made.question(D, ["When?"], LIMIT, { thread_id: T1, asker: { by: "job", job_id: job(1), request_id: D } });
    made.hear(T1, written(ms), "A");
    made.show(D, PROMPT);
    expect(made.state.decisions[D]?.state).toBe(state);
    const early = new Scene();
    early.do({
      type: "open_channel",
      channel_id: CHANNEL,
      guild_id: "3",
      bot_id: "4",
      kind: "watched",
      since: written(0),
    });
    early.question(D, ["When?"], LIMIT);
    early.place(D, Q, written(950));
    early.reply(CHANNEL, written(ms), "A", ANNOUNCEMENT);
    early.do({
      type: "record_post",
      subject: D,
      part: "announcement",
      channel_id: CHANNEL,
      message_id: ANNOUNCEMENT,
      hash: "h",
      is: "said",
    });
    expect([early.state.decisions[D]?.state, Object.keys(early.state.inbox).length]).toEqual([
      state,
      state === "answered" ? 0 : 1,
    ]);
  }
});

test("a permission or a plan ends with its timer: no time that was written in brings it back, and its lapse allows nothing", () => {
  for (const kind of ["permission", "plan"] as const) {
    const made = new Scene().withSessions(T1);
    made.hear(T1, message(1));
    made.ask(job(1), D, 1, {
      kind,
      lapses_at: LIMIT,
      ...(kind === "plan" && {
        questions: [
          {
            question: "",
            header: "",
            options: ["Approve", "Reject"].map((label) => ({ label, description: "" })),
            many: false,
            words: false,
          },
        ],
      }),
    });
    made.show(D, PROMPT);
    made.do({ type: "lapse", decision_id: D, lapses_at: LIMIT });
    made.reply(T1, written(LIMIT_MS - 1), "yes", PROMPT);
    expect(made.state.decisions[D]).toMatchObject({ state: "lapsed", answers: [null] });
    expect(made.state.grants[T1] ?? []).toEqual([]);
  }
});

test("asked again in time it waits anew; asked again after its time it is not extended, and once it lapsed it is a new question", () => {
  const made = asked();
  made.do({ type: "disconnect", decision_id: D });
  expect(types(made.question("second", ["When?"], iso(LIMIT_MS + 50_000), { now: iso(50_000) }))).toEqual([
    "DecisionReconnected",
  ]);
  expect(made.state.decisions[D]?.lapses_at).toBe(iso(LIMIT_MS + 50_000));
  const late = { now: iso(LIMIT_MS + 50_001) };
  expect(types(made.question("third", ["When?"], iso(200_000), late))).toEqual([]);
  made.do({ type: "disconnect", decision_id: D });
  expect(types(made.question("third", ["When?"], iso(200_000), late))).toEqual(["DecisionReconnected"]);
  expect(made.state.decisions[D]?.lapses_at).toBe(iso(LIMIT_MS + 50_000));
  made.do({ type: "answer_delivered", decision_id: D });
  made.do({ type: "lapse", decision_id: D, lapses_at: iso(LIMIT_MS + 50_000) });
  expect(made.state.decisions[D]).toMatchObject({ state: "lapsed", delivered: true });
  expect(types(made.question("third", ["When?"], iso(200_000), late))).toEqual(["DecisionAsked"]);
  made.checkReplay();
});

test("it may be answered in its thread, at its announcement, and wherever it is shown", () => {
  const made = asked();
  made.do({
    type: "record_post",
    subject: D,
    part: "reminder:1",
    channel_id: DM,
    message_id: written(5_000),
    hash: "h",
    is: "said",
  });
  expect(placesOf(made.state, made.state.decisions[D]!).toSorted()).toEqual([CHANNEL, DM, Q].toSorted());
});

const steps = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant("hear" as const) }) },
  fc.record({
    do: fc.constantFrom("restart" as const, "disconnect" as const, "told" as const, "asked again" as const),
  }),
);
const messages = fc.array(
  fc.record({
    ms: fc.integer({ min: LIMIT_MS - 50, max: LIMIT_MS + 50 }),
    place: fc.constantFrom(...Object.keys(PLACES)) as fc.Arbitrary<keyof typeof PLACES>,
    words: fc.constantFrom("A", "B", "not yet"),
  }),
  { minLength: 1, maxLength: 6 },
);

test("however hearing, restarts, asking again and being told are interleaved: the first words in time that name an option are the answer, and nothing later ever is", () => {
  fc.assert(
    fc.property(messages, fc.array(steps, { maxLength: 20 }), (owner, between) => {
      const made = asked();
      // Each place is read in its order; the places in any.
      const all = owner.map((one, number) => ({ ...one, id: written(one.ms, number) }));
      let isRead = 0;
      let expected: string | null = null;
      const hear = (): void => {
        const one = all[isRead++];
        if (!one) return;
        const events: RecordedEvent[] = PLACES[one.place](made, one.id, one.words);
        const counts = one.ms <= LIMIT_MS && expected === null;
        if (counts && one.words !== "not yet") expected = one.id;
        const by = events.flatMap((event) =>
          event.type === "DecisionAnswered" || event.type === "DecisionKeptOpen"
            ? [event.payload.discord_message_id]
            : [],
        );
        expect(by).toEqual(counts ? [one.id] : []);
        if (counts) expect(made.state.inbox[one.id]).toBeUndefined();
      };
      for (const { do: what } of between) {
        if (what === "hear") hear();
        else if (what === "restart") made.do({ type: "restart" });
        else if (what === "disconnect") made.do({ type: "disconnect", decision_id: D });
        // Once it has its answer, that is what would be delivered.
        else if (what === "told" && expected === null) made.do({ type: "answer_delivered", decision_id: D });
        else if (what === "asked again")
          made.question(`again ${made.events.length}`, ["When?"], iso(500_000), { now: iso(LIMIT_MS + 100) });
      }
      while (isRead < all.length) hear();
      // Everything is read, so it is over.
      if (isOpen(made.state.decisions[D]!)) made.do({ type: "lapse", decision_id: D, lapses_at: LIMIT });
      expect(made.state.decisions[D]?.state).toBe(expected === null ? "lapsed" : "answered");
      if (expected !== null) expect(made.state.decisions[D]).toMatchObject({ delivered: false });
      made.checkReplay();
    }),
    { numRuns: 300 },
  );
});
