/**
 * What else holds in every history, tried on hundreds of random ones: slots, fairness, what an agent is given, and
 * replay (R12, R16).
 */
import fc from "fast-check";
import { deepEqual, equal, ok } from "node:assert/strict";
import { expect, test } from "vitest";
import { openOf } from "../../src/core/decisions/decision.ts";
import { PERMISSION, PLAN } from "../../src/core/decisions/may-answer.ts";
import { KEPT_JOBS } from "../../src/core/jobs/ending.ts";
import type { RecordedEvent } from "../../src/core/state.ts";
import { isHandled } from "../../src/core/inbox/redelivered-messages.ts";
import {
  always,
  begunByItself,
  canRun,
  happen,
  history,
  jobOf,
  MANY,
  PROMPT_CHARS,
  recorded,
  RUNS,
  THREADS,
} from "./history.ts";
import { message, Scene } from "./scene.ts";

test("nothing starts beyond the limit, a waiting decision holds no slot, and a free slot is never left to a thread that may run", () => {
  always(() => (scene, happened) => {
    const { state, rules } = scene;
    const busy = Object.values(state.threads).flatMap(({ busy_job }) => busy_job ?? []);
    // What an agent does by itself takes a slot too, where no job of its thread has one.
    const byThemselves = Object.values(state.threads).flatMap(({ outside, busy_job }) =>
      busy_job === null ? (outside ?? []) : [],
    );
    const holding = [...busy, ...byThemselves].filter((id) => openOf(state, id).length === 0).length;
    // Only those that go on after a decision, or a smaller limit, are ever beyond it.
    const goesOn = happened.some(
      (event) =>
        event.type === "DecisionAnswered" || (event.type === "JobStarted" && begunByItself(scene, jobOf(event))),
    );
    if (!goesOn && happened.some(({ type }) => type === "JobStarted")) ok(holding <= rules.global_max_running);
    if (THREADS.some((thread) => canRun(scene, thread))) ok(holding >= rules.global_max_running);
    equal(new Set(busy).size, busy.length);
  });
});

test("a thread has one outside turn at a time; it begins and ends once, asks nobody any more at its end, and starts nothing meanwhile", () => {
  recorded((events) => {
    const running = new Map<string, string>();
    const ended = new Set<string>();
    const underWay = new Set<string>();
    for (const event of events) {
      if (event.type === "OutsideTurnBegan") {
        ok(!running.has(event.payload.thread_id) && !ended.has(event.payload.turn_id), "it begins again");
        running.set(event.payload.thread_id, event.payload.turn_id);
      }
      if (event.type === "JobSendRequested") underWay.add(event.payload.job_id);
      if (event.type === "JobSendFailed" || event.type === "JobEnqueued") underWay.delete(event.payload.job_id);
      // What its agent was sent has begun there, with or without a record of it.
      if (event.type === "JobStarted" && !underWay.has(event.payload.job_id))
        ok(!running.has(event.payload.thread_id), "a job starts beside it");
      if (event.type !== "OutsideTurnEnded") continue;
      equal(running.get(event.payload.thread_id), event.payload.turn_id);
      running.delete(event.payload.thread_id);
      ended.add(event.payload.turn_id);
    }
  });
  always(() => ({ state }, happened) => {
    for (const event of happened)
      if (event.type === "OutsideTurnEnded" && state.turns?.[event.payload.turn_id])
        deepEqual(openOf(state, event.payload.turn_id), []);
    for (const { outside, wait, turns = [] } of Object.values(state.threads)) {
      if (outside !== undefined) equal(state.turns?.[outside]?.state, "running");
      // What its thread waits because of can still be named.
      if (wait?.job_id.startsWith("turn_")) ok([...turns, outside].includes(wait.job_id));
    }
  });
});

test("a job whose decision is made continues at once, whatever else runs", () => {
  always(() => (scene) => {
    for (const { busy_job } of Object.values(scene.state.threads)) {
      if (busy_job === null || openOf(scene.state, busy_job).length === 0) continue;
      expect(scene.state.jobs[busy_job]?.state).toBe("running");
      for (const { decision_id, kind, answers } of openOf(scene.state, busy_job)) {
        // A no needs no page to be shown.
        const place = kind === "permission" ? PERMISSION.deny : PLAN.reject;
        for (const [question, answer] of answers.entries())
          if (answer === null) scene.press(decision_id, [kind === "question" ? 0 : place], null, question);
      }
      expect([openOf(scene.state, busy_job).length, scene.state.jobs[busy_job]?.state]).toEqual([0, "running"]);
    }
  });
});

test("a thread that may run is passed over by each other thread at most once", () => {
  fc.assert(
    fc.property(history, (steps) => {
      const scene = new Scene({ global_max_running: 1, max_queue_per_session: 6, after_crash: "go_on" }).withSessions(
        ...THREADS,
      );
      const passed = new Map<string, Set<string>>(THREADS.map((thread) => [thread, new Set()]));
      for (const what of steps) {
        const waited = THREADS.filter((thread) => canRun(scene, thread));
        for (const event of happen(scene, what)) {
          if (event.type !== "JobStarted" || begunByItself(scene, jobOf(event))) continue;
          const served = event.payload.thread_id;
          passed.set(served, new Set());
          for (const thread of waited.filter((one) => one !== served)) {
            equal(passed.get(thread)?.has(served), false);
            passed.get(thread)?.add(served);
          }
        }
        for (const thread of THREADS) if (!canRun(scene, thread)) passed.set(thread, new Set());
      }
    }),
    RUNS,
  );
});

test("a crash, a wait or a queue not looked up again keeps its own thread still until it is settled", () => {
  always(() => {
    let still = new Set<string>();
    return (scene, happened) => {
      const { state } = scene;
      for (const event of happened) {
        if (event.type === "JobStarted" && !begunByItself(scene, jobOf(event))) ok(!still.has(event.payload.thread_id));
        if (["QueueResumed", "QueueChecked", "SessionUnparked", "ToolChanged", "SessionParked"].includes(event.type))
          still = new Set();
      }
      const threads = Object.values(state.threads).filter(
        ({ hold, wait, stale }) => hold !== null || wait !== null || stale,
      );
      still = new Set(threads.map(({ thread_id }) => thread_id));
      for (const { hold, wait } of threads) {
        if (hold !== null) equal(state.jobs[hold]?.state, "unknown_after_crash");
        if (wait?.kind === "changed") equal(state.jobs[wait.job_id]?.state, "queued");
      }
    };
  });
});

test("what an agent is given is what the message said when its job began, and a message that was taken back by then is given to none", () => {
  recorded((events) => {
    const texts = new Map<string, { prompt: string; files: readonly object[] }>();
    const over = new Set<string>();
    for (const event of events) {
      if (event.type === "JobCancelled") over.add(event.payload.job_id);
      if (event.type === "JobStarted") ok(!over.has(event.payload.job_id));
      if (event.type === "JobEdited")
        texts.set(event.payload.job_id, {
          files: texts.get(event.payload.job_id)?.files ?? [],
          prompt: event.payload.prompt,
        });
      if (event.type !== "JobEnqueued") continue;
      const { job_id, retry_of, prompt, files = [] } = event.payload;
      if (retry_of !== null) deepEqual({ prompt, files }, texts.get(retry_of));
      texts.set(job_id, { prompt, files });
    }
    for (const { prompt, files } of texts.values()) ok(prompt.trim() !== "" || files.length > 0);
    for (const { prompt } of texts.values()) ok(prompt.length <= PROMPT_CHARS);
  });
  always(() => ({ state }, happened) => {
    const last = happened.findLast((event) => event.type === "JobEdited" || event.type === "JobEnqueued");
    if (last && state.jobs[last.payload.job_id]) equal(state.jobs[last.payload.job_id]?.prompt, last.payload.prompt);
  });
});

test("a message that is heard counts as handled, and has its job on record or the reason why it has none", () => {
  always(() => ({ state }, _happened, what) => {
    if (what.kind === "hear") ok(isHandled(state, THREADS[what.thread] ?? "", message(what.number)));
  });
  const handled = ({ payload }: RecordedEvent): string[] => {
    if ("message_id" in payload && "author" in payload)
      return [`${payload.thread_id ?? payload.channel_id}:${payload.message_id}`];
    if (!("discord_message_id" in payload) || payload.discord_message_id === null) return [];
    const place = "channel_id" in payload ? payload.channel_id : payload.thread_id;
    return [`${place}:${payload.discord_message_id}`];
  };
  recorded((events, { state }) => {
    const told = new Set(events.flatMap(handled));
    const jobs = new Set(events.flatMap((event) => (event.type === "JobEnqueued" ? [event.payload.job_id] : [])));
    for (const [key, job] of Object.entries(state.dedupe)) ok(job === null ? told.has(key) : jobs.has(job));
  });
});

test("R12: the recorded events alone make the same state, and the state hangs on none of them", () => {
  fc.assert(
    fc.property(history, fc.constantFrom("wait" as const, "go_on" as const), (steps, after_crash) => {
      const scene = new Scene({ after_crash, max_queue_per_session: 6 }).withSessions(...THREADS);
      for (const what of steps) happen(scene, what);
      scene.checkReplay();
    }),
    RUNS,
  );
});

test("R16: events redelivered one to five times and reordered in a window of fifty make as many jobs as there are messages", () => {
  const deliveries = fc
    .array(
      fc.record({
        thread: fc.nat(3),
        copies: fc.integer({ min: 1, max: 5 }),
        shifts: fc.array(fc.nat(49), { minLength: 5, maxLength: 5 }),
      }),
      { minLength: 1, maxLength: 200, size: "max" },
    )
    .map((sent) =>
      sent
        .flatMap(({ thread, copies, shifts }, index) =>
          shifts.slice(0, copies).map((shift) => ({ thread, number: index, at: index + shift })),
        )
        .sort((a, b) => a.at - b.at),
    );
  fc.assert(
    fc.property(deliveries, (delivered) => {
      const scene = new Scene({ max_queue_per_session: 1000 }).withSessions(...THREADS);
      let newest = 0;
      for (const { thread, number } of delivered) {
        scene.hear(THREADS[thread] ?? "", message(number));
        newest = Math.max(newest, number);
        // The listener keeps the watermark well behind what Discord may still reorder.
        if (newest > 64)
          for (const id of THREADS) scene.do({ type: "channel_read", channel_id: id, through: message(newest - 64) });
      }
      const distinct = new Set(delivered.map(({ thread, number }) => `${THREADS[thread]}:${message(number)}`));
      const enqueued = scene.events.flatMap((event: RecordedEvent) =>
        event.type === "JobEnqueued" ? [`${event.payload.thread_id}:${event.payload.discord_message_id}`] : [],
      );
      expect(enqueued.length).toBe(distinct.size);
      expect(new Set(enqueued)).toEqual(distinct);
    }),
    { numRuns: MANY },
  );
});

test("the live state is bounded by count: ended jobs leave it, the same ones in every replay", () => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ thread: fc.nat(1), end: fc.nat(4) }), { minLength: 120, maxLength: 220 }),
      (steps) => {
        const scene = new Scene().withSessions(...THREADS.slice(0, 2));
        for (const [index, { thread, end }] of steps.entries()) {
          scene.hear(THREADS[thread] ?? "", message(index));
          const [job = ""] = scene.running();
          if (end === 0) scene.fail(job);
          else if (end === 1) scene.do({ type: "cancelled", job_id: job });
          else if (end === 2)
            scene.do({ type: "delete_message", thread_id: THREADS[thread] ?? "", discord_message_id: message(index) });
          else scene.complete(job);
          scene.learn(job, { kind: "gone" });
          scene.post(job, job);
        }
        for (const thread of Object.values(scene.state.threads))
          expect(thread.ended.length).toBeLessThanOrEqual(KEPT_JOBS);
        const live = Object.values(scene.state.threads).flatMap(({ ended }) => ended);
        const all = new Set([
          ...live,
          ...Object.values(scene.state.sessions).flatMap(({ queue }) => queue),
          ...scene.running(),
        ]);
        for (const record of [scene.state.jobs, scene.state.runs]) expect(new Set(Object.keys(record))).toEqual(all);
        scene.checkReplay();
      },
    ),
    { numRuns: Math.ceil(MANY / 6) },
  );
});

test("the histories come to everything that the laws speak of: every event, starts after a return, waits beyond the limit, groups cut by a crash", () => {
  const reached = new Map<string, number>();
  const reach = (what: string): unknown => reached.set(what, (reached.get(what) ?? 0) + 1);
  for (const steps of fc.sample(history, { numRuns: 300, seed: 15 })) {
    const scene = new Scene({
      global_max_running: 1,
      max_queue_per_session: 6,
      max_prompt_chars: PROMPT_CHARS,
    }).withSessions(...THREADS);
    const back = new Set<string>();
    for (const what of steps) {
      const before = scene.events.length;
      const happened = happen(scene, what);
      if (what.kind === "crash" && scene.events.length - happened.length < before)
        reach("a crash that cut something off");
      for (const event of happened) {
        reach(event.type === "JobProgress" ? `JobProgress ${event.payload.kind}` : event.type);
        if (event.type === "JobCancelRequested" && event.payload.job_id.startsWith("turn_"))
          reach("an outside turn that is being stopped");
        if (event.type === "SessionParked" && event.payload.job_id.startsWith("turn_"))
          reach("a limit in an outside turn");
        if (event.type === "JobPutBack") back.add(event.payload.job_id);
        if (event.type === "JobStarted" && back.has(event.payload.job_id)) reach("a second start");
        if (event.type === "SessionUnparked") reach(`SessionUnparked by ${event.payload.by}`);
        if (event.type === "QueueResumed") reach(`QueueResumed by ${event.payload.by}`);
        if (event.type === "JobCancelled") reach(`JobCancelled by ${event.payload.by ?? ""}`);
      }
      if (scene.running().length > 1) reach("one runs while another waits for its decision");
      if (
        Object.values(scene.state.threads).filter(
          ({ busy_job }) => busy_job !== null && openOf(scene.state, busy_job).length === 0,
        ).length > 1
      )
        reach("more run than slots");
    }
  }
  const rare = [
    "JobEnqueued",
    "JobStarted",
    "JobEdited",
    "JobMoved",
    "JobPutBack",
    "JobCancelRequested",
    "JobCompleted",
    "JobFailed",
    "JobMarkedUnknownAfterCrash",
    "MessageNoted",
    "MessageRefused",
    "ChannelRead",
    "QueueStale",
    "QueueChecked",
    "SessionParked",
    "LimitLifted",
    "ToolChanged",
    "JobProgress process",
    "JobProgress session_key",
    "JobProgress denied",
    "JobProgress checkout",
    "JobProgress tool",
    "JobProgress changes",
    "JobProgress checkout_end",
    "JobProgress gone",
    "SessionUnparked by time",
    "SessionUnparked by owner",
    "SessionUnparked by seen",
    "SessionUnparked by fresh",
    "SessionUnparked by dropped",
    "QueueResumed by retry",
    "QueueResumed by continue",
    "QueueResumed by discard",
    "QueueResumed by message",
    "JobCancelled by owner",
    "JobCancelled by deleted",
    "JobCancelled by cleared",
    "JobCancelled by agent",
    "OutsideTurnBegan",
    "OutsideTurnEnded",
    "an outside turn that is being stopped",
    "a limit in an outside turn",
    "DecisionAsked",
    "DecisionAnswered",
    "DecisionVoided",
    "DecisionRefreshed",
    "MessagePointed",
    "InboxReceived",
    "a crash that cut something off",
    "a second start",
    "one runs while another waits for its decision",
    "more run than slots",
  ];
  expect(rare.filter((what) => (reached.get(what) ?? 0) < 3)).toEqual([]);
});
