/**
 * What holds of decisions in every history: one end each and the first answer counts, nothing is let be done but by
 * the owner's own word on what he was shown, silence settles nothing, and no crash makes an answer up (R24's core).
 */
import { deepEqual, equal, ok } from "node:assert/strict";
import fc from "fast-check";
import { expect, test } from "vitest";
import { compareSnowflakes } from "../../../src/base/ids.ts";
import { isOpen, openOf, type Decision, type DecisionEvent } from "../../../src/core/decisions/decision.ts";
import { allows } from "../../../src/core/decisions/may-answer.ts";
import type { RecordedEvent } from "../../../src/core/state.ts";
import { isHandled } from "../../../src/core/inbox/redelivered-messages.ts";
import { DIRECT } from "./decision-history.ts";
import { always, decisionHistory, happen, history, recorded, RUNS, THREADS } from "../history.ts";
import { message, Scene } from "../scene.ts";

const END = /^Decision(Answered|Lapsed|Aborted|Voided)$/;
const idOf = ({ payload }: RecordedEvent): string => ("decision_id" in payload ? payload.decision_id : "");
const isDeciding = (event: RecordedEvent): event is RecordedEvent & DecisionEvent =>
  /^Decision|^QuestionAnswered$|^AnswerDelivered$/.test(event.type);

test("each decision is asked once and ends once, and after its end nothing of it changes but that it was delivered, once; before it, only that a time limit is over", () => {
  for (const over of [history, decisionHistory]) {
    recorded((events) => {
      const was = new Map<string, "open" | "told" | "over" | "delivered">();
      const limited = new Set<string>();
      for (const event of events.filter(isDeciding)) {
        const id = idOf(event);
        const state = was.get(id);
        if ("lapses_at" in event.payload && event.payload.lapses_at !== null) limited.add(id);
        if (event.type === "DecisionAsked") equal(state, undefined);
        else if (event.type === "AnswerDelivered")
          ok(state === "over" || (state === "open" && limited.has(id)), `delivered of one that is ${state}`);
        else ok(state === "open" || state === "told", `${event.type} of one that is ${state}`);
        if (event.type === "AnswerDelivered") was.set(id, state === "open" ? "told" : "delivered");
        else if (END.test(event.type))
          was.set(id, state === "told" && event.type !== "DecisionAnswered" ? "delivered" : "over");
        else was.set(id, state ?? "open");
      }
    }, over);
  }
});

test("the state says of each decision what the record says, and an end without an answer has none and grants nothing", () => {
  recorded((events, { state }) => {
    const ends = new Map(events.flatMap((event) => (END.test(event.type) ? [[idOf(event), event] as const] : [])));
    for (const one of Object.values(state.decisions)) {
      const end = ends.get(one.decision_id);
      equal(isOpen(one), end === undefined);
      if (end?.type === "DecisionAnswered") deepEqual(one.answers, end.payload.answers);
      if (end?.type === "DecisionAnswered") equal(one.state === "answered" && one.settled_by, end.payload.by);
      else ok(!("settled_by" in one), "nobody has answered it");
      if (end?.type !== "DecisionAnswered") ok(one.answers.includes(null), "an answer that nobody gave");
    }
    const granting = new Set(
      events.flatMap((event) =>
        event.type === "DecisionAnswered" && event.payload.answers[0]?.places[0] === 1 && event.payload.by !== "grant"
          ? [idOf(event)]
          : [],
      ),
    );
    for (const grant of Object.values(state.grants).flat())
      ok(granting.has(grant.decision_id), "a grant that nobody gave");
  }, decisionHistory);
});

test("I4: nothing is let be done but by a press or a word of the owner after it was asked, or by his grant for these very bytes, and never what he was not shown whole", () => {
  always(
    () =>
      (scene, happened, { kind }) => {
        for (const event of happened) {
          if (event.type !== "DecisionAnswered") continue;
          const decision = scene.state.decisions[event.payload.decision_id];
          const [answer] = event.payload.answers;
          if (!decision || !answer || !allows(decision, answer)) continue;
          if (event.payload.by === "grant") equal(kind, "waiting");
          if (event.payload.by === "grant")
            ok(wasGranted(scene.events, decision, event.ts), "allowed by a grant that there is not");
          else ok(wasSeen(scene.events, decision), "allowed unseen");
          if (event.payload.by === "press") equal(kind, "decided");
          if (event.payload.by === "words")
            ok(["typed", "replied"].includes(kind) || wasBelow(happened, event.payload), `${kind} allows`);
        }
      },
    decisionHistory,
  );
});

/** Heard before, from below the prompt that is written down only now. */
function wasBelow(
  happened: readonly RecordedEvent[],
  { decision_id, discord_message_id }: { decision_id: string; discord_message_id: string | null },
): boolean {
  return happened.some(
    ({ type, payload }) =>
      type === "PostRecorded" &&
      payload.subject === decision_id &&
      payload.part === "prompt" &&
      compareSnowflakes(payload.message_id ?? "", discord_message_id ?? "") < 0,
  );
}

/** Every page, in its order, on record before. */
function wasSeen(events: readonly RecordedEvent[], { decision_id, subject }: Decision): boolean {
  const pages = events.flatMap((event) =>
    event.type === "DecisionPageSeen" && idOf(event) === decision_id ? [event.payload.page] : [],
  );
  deepEqual(
    pages,
    pages.map((_, index) => index + 2),
  );
  return subject !== null && pages.length + 1 >= subject.pages;
}

function wasGranted(events: readonly RecordedEvent[], { thread_id, subject }: Decision, at: string): boolean {
  const asked = new Map(
    events.flatMap((event) => (event.type === "DecisionAsked" ? [[idOf(event), event.payload] as const] : [])),
  );
  const given = events.findLast((event) => {
    const before = asked.get(idOf(event));
    const same =
      before?.subject?.sha256 === subject?.sha256 && before?.thread_id === thread_id && before?.kind === "permission";
    return (
      same &&
      event.type === "DecisionAnswered" &&
      event.payload.by !== "grant" &&
      event.payload.answers[0]?.places[0] === 1
    );
  });
  if (!given) return false;
  const revoked = events.some((event) => event.type === "GrantRevoked" && idOf(event) === idOf(given));
  return !revoked && Date.parse(at) - Date.parse(given.ts) <= 60_000;
}

test("a message that was written above a prompt answers it only in reply, or in the thread that was made for it", () => {
  always(
    () =>
      (scene, happened, { kind }) => {
        if (kind !== "typed") return;
        for (const event of happened) {
          if (event.type !== "DecisionAnswered" && event.type !== "QuestionAnswered") continue;
          const { shown, thread_id = null } = scene.state.decisions[idOf(event)] ?? {};
          if (shown === undefined || shown.first === null)
            ok(!THREADS.includes(thread_id ?? ""), "answered before it was shown");
          else
            ok(
              (event.payload.discord_message_id ?? "") > shown.first || isOwnThread(scene, event),
              "answered from above",
            );
        }
      },
    decisionHistory,
  );
});

function isOwnThread(
  { state }: Scene,
  { payload }: RecordedEvent & { type: "DecisionAnswered" | "QuestionAnswered" },
): boolean {
  const { asker, thread_id } = state.decisions[payload.decision_id] ?? {};
  return asker?.by === "mcp" && asker.wanted_thread === null && payload.channel_id === thread_id;
}

test("asking the very same again while it can be answered, or was answered and not delivered, asks nothing anew", () => {
  always(
    () =>
      ({ state }, happened, { kind }) => {
        const asked = happened.filter((event) => event.type === "DecisionAsked");
        ok(asked.length <= (["waiting", "planning", "asking", "mcp_asks"].includes(kind) ? 1 : 0), `${kind} asks`);
        const live = Object.values(state.decisions).filter(
          (one) => isOpen(one) || (!one.delivered && one.state !== "void"),
        );
        const keys = live.map(({ kind: of, asker, questions, subject }) =>
          JSON.stringify([of, asker, questions, subject?.sha256]),
        );
        equal(new Set(keys).size, keys.length);
      },
    decisionHistory,
  );
});

test("no job that is over, or that its owner stopped, has anything open; and a restart leaves nothing open that nobody can hear", () => {
  for (const over of [history, decisionHistory]) {
    always(
      () =>
        ({ state }, _happened, { kind }) => {
          for (const one of Object.values(state.decisions)) {
            if (one.asker.by !== "job" || !isOpen(one)) continue;
            equal(state.jobs[one.asker.job_id]?.state, "running");
            equal(state.runs[one.asker.job_id]?.cancelling, false);
            ok(kind !== "crash", "open after a restart");
          }
        },
      over,
    );
  }
});

test("a restart settles nothing that somebody may still come for: it waits on, refreshed, and a word or a press answers it", () => {
  fc.assert(
    fc.property(decisionHistory, fc.nat(4), fc.boolean(), (steps, kept, byPress) => {
      const scene = new Scene({ global_max_running: 2, max_queue_per_session: 6 }).withSessions(...THREADS);
      for (const what of steps) happen(scene, what);
      scene.crash(kept);
      const before = Object.values(scene.state.decisions).filter((one) => isOpen(one) && one.asker.by === "mcp");
      for (let restart = 0; restart < 3; restart += 1) scene.do({ type: "restart" });
      for (const { decision_id, answers } of before) {
        const one = scene.state.decisions[decision_id];
        deepEqual([one?.state, one?.answers], ["disconnected", answers]);
        if (one?.thread_id === null) scene.place(decision_id, "100000000000000080");
        scene.show(decision_id, message(500));
        const words = Object.values(scene.state.posts[decision_id] ?? {})[0]?.message_id ?? "";
        for (const [question, answer] of answers.entries()) {
          if (answer !== null) continue;
          if (byPress) scene.press(decision_id, [0], null, question);
          else scene.reply(one?.thread_id ?? "100000000000000080", message(600 + scene.events.length), "A", words);
        }
        equal(scene.state.decisions[decision_id]?.state, "answered");
      }
      scene.checkReplay();
    }),
    RUNS,
  );
});

test("whatever is typed where it is listened to counts as handled, and is never both an answer and a job", () => {
  always(
    () =>
      ({ state }, happened, { kind }) => {
        if (kind !== "typed" && kind !== "replied") return;
        const answers = happened.filter((event) =>
          /^(DecisionAnswered|QuestionAnswered|DecisionReasked|DecisionAborted)$/.test(event.type),
        );
        const jobs = happened.filter((event) => event.type === "JobEnqueued");
        const entries = happened.filter((event) => event.type === "InboxReceived");
        ok(answers.length + jobs.length + entries.length <= 1, "one message, two meanings");
        for (const { payload } of [...answers, ...jobs]) {
          const id = "discord_message_id" in payload ? (payload.discord_message_id ?? "") : "";
          const place =
            "channel_id" in payload ? payload.channel_id : "thread_id" in payload ? payload.thread_id : null;
          ok(isHandled(state, place ?? "", id));
        }
      },
    decisionHistory,
  );
});

test("a waiting decision holds no slot, and many of one job hold none either", () => {
  always(
    () =>
      ({ state, rules }, happened) => {
        // One that goes on after its decision may be one too many.
        if (
          !happened.some(({ type }) => type === "JobStarted") ||
          happened.some(({ type }) => type === "DecisionAnswered")
        )
          return;
        const busy = Object.values(state.threads).flatMap(({ busy_job }) => busy_job ?? []);
        ok(busy.filter((id) => openOf(state, id).length === 0).length <= rules.global_max_running);
      },
    decisionHistory,
  );
});

test("the histories come to every event of a decision, each way it is answered, and each reason why a message answers nothing", () => {
  const reached = new Map<string, number>();
  for (const steps of fc.sample(decisionHistory, { numRuns: 300, seed: 4 })) {
    const scene = new Scene({ global_max_running: 2, max_queue_per_session: 6 }).withSessions(...THREADS);
    for (const what of steps) {
      for (const event of happen(scene, what)) {
        const more =
          event.type === "DecisionAnswered"
            ? ` by ${event.payload.by}`
            : event.type === "MessagePointed"
              ? ` ${event.payload.why}`
              : "";
        reached.set(event.type + more, (reached.get(event.type + more) ?? 0) + 1);
        if (event.type === "DecisionAnswered" && event.payload.channel_id === DIRECT)
          reached.set("in direct messages", (reached.get("in direct messages") ?? 0) + 1);
      }
    }
  }
  const rare = [
    "DecisionAsked",
    "DecisionPlaced",
    "DecisionPageSeen",
    "QuestionAnswered",
    "DecisionReasked",
    "DecisionAborted",
    "DecisionReminded",
    "DecisionRefreshed",
    "DecisionLapsed",
    "DecisionDisconnected",
    "DecisionReconnected",
    "DecisionVoided",
    "AnswerDelivered",
    "GrantRevoked",
    "InboxReceived",
    "in direct messages",
    "DecisionAnswered by press",
    "DecisionAnswered by words",
    "DecisionAnswered by grant",
    ...["which", "unseen", "open", "settled", "nothing"].map((why) => `MessagePointed ${why}`),
  ];
  expect(rare.filter((what) => (reached.get(what) ?? 0) < 3)).toEqual([]);
});
