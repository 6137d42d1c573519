/** The one check of an answer: a yes counts for exactly what was shown, a no for anything, and nothing counts twice. */
import { describe, expect, test } from "vitest";
import { openDecisions, type Decision, type OpenDecision } from "../../../src/core/decisions/decision.ts";
import { answerEvent, PERMISSION, type Saw } from "../../../src/core/decisions/may-answer.ts";
import { job, message, Scene, settledAs, T1 } from "../scene.ts";

/** Nothing of it. */
const UNSEEN = { first: null, pages: 0 };
const NOWHERE = { discord_message_id: null, channel_id: null };

function asked(change: Partial<OpenDecision> = {}): OpenDecision {
  const scene = new Scene().withSessions(T1);
  scene.hear(T1, message(1));
  scene.ask(job(1), "d");
  scene.show("d", message(10));
  const [decision] = openDecisions(scene.state);
  if (decision?.subject == null) throw new Error("nothing was asked");
  return { ...decision, ...change };
}

const counts = (decision: Decision, place: number, saw: Saw): boolean =>
  answerEvent(decision, { question: 0, answer: { places: [place], words: null }, saw }, NOWHERE) !== null;

describe.each([
  ["once", PERMISSION.once],
  ["for the session", PERMISSION.session],
] as const)("a yes %s", (_, yes) => {
  test("counts when all of it was shown: with the button, or where the words were written", () => {
    const decision = asked();
    expect(counts(decision, yes, { sha256: decision.subject?.sha256 ?? null })).toBe(true);
    expect(counts(decision, yes, { all: true })).toBe(true);
  });

  test.each<[string, Partial<OpenDecision>, Saw | null]>([
    ["other bytes were shown with the button", {}, { sha256: "e".repeat(64) }],
    ["no bytes were shown with the button", {}, { sha256: null }],
    ["not all of it stands where the words were written", {}, { all: false }],
    ["not all of its pages were shown, pressed", { shown: UNSEEN }, null],
    ["not all of its pages were shown, written", { shown: UNSEEN }, { all: true }],
    [
      "its agent takes none",
      {
        subject: {
          tool: "Bash",
          title: "ls",
          sha256: "a".repeat(64),
          pages: 1,
          grant_until: "2027-01-01T00:00:00.000Z",
          no_yes: true,
        },
      },
      null,
    ],
    ["its bytes are not known", { subject: null }, { sha256: null }],
  ])("does not count when %s", (_case, change, saw) => {
    const decision = asked(change);
    expect(counts(decision, yes, saw ?? { sha256: decision.subject?.sha256 ?? null })).toBe(false);
  });

  test("does not count when it is settled", () => {
    const decision = asked();
    const saw = { sha256: decision.subject?.sha256 ?? null };
    expect(counts(settledAs(decision, { state: "lapsed" }), yes, saw)).toBe(false);
  });
});

test("a no counts wherever it is given, but only to what was shown with its button, and only while it is open", () => {
  const decision = asked({ shown: UNSEEN });
  expect(counts(decision, PERMISSION.deny, { all: false })).toBe(true);
  expect(counts(decision, PERMISSION.deny, { sha256: decision.subject?.sha256 ?? null })).toBe(true);
  expect(counts(decision, PERMISSION.deny, { sha256: "e".repeat(64) })).toBe(false);
  const answers = [{ places: [PERMISSION.deny], words: null }];
  const answered = settledAs(decision, { state: "answered", settled_by: "press", answers });
  expect(counts(answered, PERMISSION.deny, { all: true })).toBe(false);
});

test("an option that is not there, two of one, and a question that was not asked are no answers", () => {
  const decision = asked();
  const given = (question: number, places: number[]): unknown =>
    answerEvent(decision, { question, answer: { places, words: null }, saw: { all: true } }, NOWHERE);
  expect(given(0, [3])).toBeNull();
  expect(given(0, [0, 2])).toBeNull();
  expect(given(0, [])).toBeNull();
  expect(given(1, [0])).toBeNull();
});
