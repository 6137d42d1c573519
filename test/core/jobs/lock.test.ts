/** While Bellhop is locked nothing starts and nothing is allowed, whoever asks; afterwards nothing does by itself. */
import fc from "fast-check";
import { AssertionError, deepEqual, equal, ok } from "node:assert/strict";
import { expect, test } from "vitest";
import { BellhopError, type ErrorCode } from "../../../src/base/errors.ts";
import { firstSnowflake } from "../../../src/base/ids.ts";
import { openDecisions } from "../../../src/core/decisions/decision.ts";
import { lockedSince, whileLocked } from "../../../src/core/jobs/lock.ts";
import type { Command } from "../../../src/core/slices.ts";
import type { RecordedEvent } from "../../../src/core/state.ts";
import { begunByItself, happen, history, jobOf, RUNS, THREADS, type Happening } from "../history.ts";
import { message, Scene } from "../scene.ts";

const T = "100000000000000010";
const AFTER = message(90);

function scene(): Scene {
  const one = new Scene().withSessions(T);
  one.hear(T, message(1));
  one.hear(T, message(2));
  return one;
}

const running = ({ state }: Scene): string => state.sessions[T]?.running_job_id ?? "";
const lock = (one: Scene): string[] => one.types({ type: "lock", by: "discord" });
const unlock = (one: Scene, interaction_id = AFTER): string[] =>
  one.types({ type: "unlock", by: "set", interaction_id });

function codeOf(act: () => unknown): ErrorCode | "nothing" {
  try {
    act();
    return "nothing";
  } catch (error) {
    // Histories expect the refusals of an open Bellhop.
    const thrown: unknown = error instanceof AssertionError ? error.actual : error;
    if (thrown instanceof BellhopError) return thrown.code;
    if (thrown === "E_LOCKED") return thrown;
    throw error;
  }
}

/** What runs ends, as the runner reports it. */
function stopped(one: Scene, job_id: string): void {
  one.do({ type: "cancelled", job_id });
  one.do({ type: "progress", job_id, progress: { kind: "gone" } });
}

test("the lock comes first, then what it ends; what waits stays and does not start", () => {
  const one = scene();
  const job = running(one);
  one.ask(job, "dec_1");
  one.question("dec_2", ["A?"]);
  expect(lock(one)).toEqual(["Locked", "DecisionVoided", "DecisionVoided", "JobCancelRequested"]);
  expect(lock(one)).toEqual([]);
  stopped(one, job);
  expect(one.state.jobs[job]?.state).toBe("cancelled");
  expect(one.state.sessions[T]).toMatchObject({ running_job_id: null, queue: [expect.any(String)] });
});

test("grants end with the lock, and starts under way are dropped", () => {
  const one = scene();
  const job = running(one);
  one.ask(job, "dec_1");
  one.show("dec_1", message(3));
  one.press("dec_1", [1]);
  expect(one.state.grants[T]).toHaveLength(1);
  const place = { channel_id: "2", guild_id: "3", bot_id: "4" };
  one.do({ type: "start_session", request_id: "r", project_name: "app", ...place });
  expect(lock(one)).toContain("SessionRequestDropped");
  expect(one.state.grants).toEqual({});
  expect(one.state.starts).toEqual({});
});

test("what was allowed and its hook has not heard is not allowed any more", () => {
  const one = new Scene().withSessions(T);
  const asker = { by: "hook", request_id: "r", claude_session: "c", pid: 9 } as const;
  one.ask("", "dec_1", 1, { thread_id: T, asker });
  one.show("dec_1", message(3));
  one.press("dec_1", [0]);
  expect(one.state.decisions["dec_1"]?.state).toBe("answered");
  expect(lock(one)).toEqual(["Locked", "DecisionVoided"]);
  expect(one.state.decisions["dec_1"]).toMatchObject({ state: "void", voided: "locked" });
});

test("a crash that keeps the lock and loses what it ends ends it at the restart", () => {
  const one = scene();
  one.do({
    type: "begin_outside_turn",
    turn_id: "turn_1",
    thread_id: T,
    tool: "claude",
    origin: "background",
  });
  one.question("dec_2", ["A?"]);
  lock(one);
  one.crash(1);
  expect(lockedSince(one.state)).not.toBeNull();
  expect(one.types({ type: "restart" })).toContain("DecisionVoided");
  expect(openDecisions(one.state)).toEqual([]);
});

test("messages written while it is locked, or before and heard later, become nothing; a thread is told once", () => {
  const one = scene();
  stopped(one, running(one));
  stopped(one, running(one));
  lock(one);
  expect(one.hear(T, message(4)).map(({ type }) => type)).toEqual(["MessageKeptOut"]);
  expect(one.hear(T, message(4))).toEqual([]);
  expect(one.hear(T, message(5)).map(({ type }) => type)).toEqual(["MessageKeptOut"]);
  expect(Object.values(one.state.notices).map(({ code }) => code)).toEqual(["E_LOCKED"]);
  unlock(one, message(20));
  for (const late of [3, 6, 20]) expect(one.hear(T, message(late)).map(({ type }) => type)).toEqual(["MessageKeptOut"]);
  expect(Object.values(one.state.notices).map(({ code }) => code)).toEqual(["E_LOCKED", "E_KEPT_OUT"]);
  expect(one.hear(T, message(21)).map(({ type }) => type)).toEqual(["JobEnqueued", "JobStarted"]);
});

test("what an owner's message says is not changed while it is locked, nor later by an edit from then", () => {
  const one = scene();
  stopped(one, running(one));
  one.hear(T, message(3));
  lock(one);
  const [, queued = ""] = [running(one), one.state.sessions[T]?.queue[0]];
  const edit = { type: "edit_message", thread_id: T, discord_message_id: message(3), prompt: "evil" } as const;
  expect(one.do(edit)).toEqual([]);
  const through = firstSnowflake(Date.parse("2026-02-26T15:00:00.000Z"));
  one.do({ type: "unlock", by: "set", interaction_id: through });
  expect(one.do({ ...edit, edited_at: "2026-02-26T14:59:59.000Z" })).toEqual([]);
  expect(one.types({ ...edit, edited_at: "2026-02-26T15:00:01.000Z", prompt: "good" })).toEqual(["JobEdited"]);
  expect(one.state.jobs[queued]?.prompt).toBe("good");
});

test("after it is opened, what waited starts only when its owner continues", () => {
  const one = scene();
  const job = running(one);
  lock(one);
  stopped(one, job);
  expect(unlock(one)).toEqual(["SessionParked", "Unlocked"]);
  const queued = one.state.sessions[T]?.queue[0] ?? "";
  expect(one.state.threads[T]?.wait).toMatchObject({ kind: "stuck", cause: "locked", job_id: queued });
  expect(one.types({ type: "start_waiting" })).toEqual([]);
  expect(one.types({ type: "unpark", thread_id: T, job_id: queued, by: "owner" })).toEqual([
    "SessionUnparked",
    "JobStarted",
  ]);
});

test("a limit that would end by itself does not, once it was locked", () => {
  const one = scene();
  const job = running(one);
  one.do({ type: "put_back", job_id: job, why: "limit" });
  const wait = { kind: "limit", job_id: job, until: "2026-02-26T14:01:00.000Z" } as const;
  one.do({ type: "park", thread_id: T, job_id: job, wait });
  one.do({ type: "progress", job_id: job, progress: { kind: "gone" } });
  one.rules.resume_after_limit = "go_on";
  lock(one);
  expect(one.do({ type: "lift_limit", thread_id: T, job_id: job })).toEqual([]);
  unlock(one);
  expect(one.do({ type: "lift_limit", thread_id: T, job_id: job })).toEqual([]);
  expect(one.state.threads[T]?.wait).toMatchObject({ cause: "locked" });
});

test("what the owner does at his terminal is not recorded, and what an agent begins by itself ends at once", () => {
  const one = new Scene().withSessions(T);
  lock(one);
  const turn = { type: "begin_outside_turn", turn_id: "turn_1", thread_id: T, tool: "claude" } as const;
  expect(one.types({ ...turn, origin: "terminal", prompt: "x" })).toEqual([]);
  expect(one.types({ ...turn, origin: "background" })).toEqual(["OutsideTurnBegan", "JobCancelRequested"]);
});

test("a thread that somebody makes becomes no session; the channel that config.json names does", () => {
  const one = new Scene().withSessions(T);
  lock(one);
  const place = { channel_id: "2", guild_id: "3", bot_id: "4", project_name: "app", since: message(1) };
  const found = { type: "take_place", kind: "found", thread_id: "100000000000000077", ...place } as const;
  expect(one.types(found)).toEqual([]);
  expect(one.types({ ...found, kind: "channel", thread_id: "2" })).toEqual(["SessionCreated"]);
});

test("five wrong words close it for a quarter of an hour, also for the right one", () => {
  const one = new Scene().withSessions(T);
  expect(codeOf(() => unlock(one))).toBe("E_NOT_LOCKED");
  lock(one);
  const wrong = (): unknown => one.do({ type: "refuse_word" })[0]?.payload;
  for (let number = 1; number < 5; number += 1) expect(wrong()).toEqual({ wrong: number });
  expect(wrong()).toMatchObject({ wrong: 5, closed_until: expect.any(String) });
  expect(codeOf(() => unlock(one))).toBe("E_WORD_CLOSED");
  expect(codeOf(wrong)).toBe("E_WORD_CLOSED");
  one.do({ type: "restart" });
  one.now += 14 * 60_000;
  expect(codeOf(() => unlock(one))).toBe("E_WORD_CLOSED");
  one.now += 60_000;
  expect(wrong()).toEqual({ wrong: 1 });
  expect(unlock(one)).toEqual(["Unlocked"]);
});

test("what its owner or an agent asks for is refused, by whatever door", () => {
  const one = scene();
  lock(one);
  const refused = Object.entries(whileLocked).flatMap(([type, rule]) => (rule === "refused" ? [type] : []));
  expect(refused).toContain("start_session");
  for (const type of refused.filter((name) => name !== "hear"))
    expect(
      codeOf(() => one.do({ type } as Command)),
      type,
    ).toBe("E_LOCKED");
  const again = { thread_id: T, discord_message_id: message(2), prompt: "", reply_to: null };
  for (const how of [{ reopens: true }, { anyway: true }] as const)
    expect(codeOf(() => one.do({ type: "hear", ...again, files: [], refused_files: [], ...how }))).toBe("E_LOCKED");
});

/** None of these is recorded while it is locked. */
const FORBIDDEN: ReadonlySet<string> = new Set([
  "JobEnqueued",
  "JobEdited",
  "JobMoved",
  "JobSendRequested",
  "DecisionAnswered",
  "QuestionAnswered",
  "DecisionReconnected",
  "AnswerStands",
  "InboxReceived",
  "SessionRequested",
  "SessionCreated",
  "SessionReopened",
  "LimitLifted",
  "ToolChanged",
] satisfies RecordedEvent["type"][]);

function tried(one: Scene, what: Happening): RecordedEvent[] {
  const before = one.events.length;
  const code = codeOf(() => happen(one, what));
  ok(["nothing", "E_LOCKED", "E_DECISION_CLOSED", "E_JOB_NOT_RETRYABLE"].includes(code), code);
  return one.events.slice(before);
}

test("in no history anything starts, is asked or is allowed while it is locked, and all that runs is to end", () => {
  fc.assert(
    fc.property(history, history, (before, during) => {
      const one = new Scene().withSessions(...THREADS);
      for (const what of before) tried(one, what);
      one.do({ type: "lock", by: "machine" });
      for (const what of during) {
        const happened = tried(one, what);
        // A crash may have lost the lock itself.
        if (lockedSince(one.state) === null) one.do({ type: "lock", by: "machine" });
        else
          for (const event of happened) {
            ok(!FORBIDDEN.has(event.type), event.type);
            if (event.type === "JobStarted") ok(begunByItself(one, jobOf(event)), "it starts");
          }
        deepEqual(openDecisions(one.state), []);
        equal(Object.keys(one.state.starts).length, 0);
        for (const { busy_job, outside } of Object.values(one.state.threads)) {
          if (one.state.jobs[busy_job ?? ""]?.state === "running")
            equal(one.state.runs[busy_job ?? ""]?.cancelling, true);
          if (outside !== undefined) equal(one.state.runs[outside]?.cancelling, true);
        }
      }
      const opened = one.do({ type: "unlock", by: "set", interaction_id: AFTER });
      for (const event of opened) ok(event.type !== "JobStarted" || begunByItself(one, jobOf(event)));
      for (const { queue, thread_id } of Object.values(one.state.sessions)) {
        const { hold, wait, closed } = one.state.threads[thread_id] ?? {};
        ok(queue.length === 0 || hold != null || wait != null || closed !== undefined, "it waits for nothing");
      }
    }),
    RUNS,
  );
});
