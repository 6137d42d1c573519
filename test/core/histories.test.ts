/**
 * Laws that hold in every history, tried on thousands of random ones: messages in any order and more than once, ends
 * and crashes at any point, choices made and not made. The numbers are those of the reliability sheet (R15).
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Recorded } from "../../src/core/house.ts";
import { KEPT_JOBS } from "../../src/core/ending.ts";
import { message, Scene } from "./scene.ts";

const LONG = process.env["BELLHOP_TEST_LONG"] === "1";
const RUNS = { numRuns: LONG ? 10_000 : 300 };
const THREADS = ["100000000000000010", "100000000000000020", "100000000000000030", "100000000000000040"];

/** What may happen next; `pick` chooses among what there is at the time. */
type Happening =
  | { kind: "hear"; thread: number; number: number; blank: boolean }
  | { kind: "complete" | "fail" | "cancel" | "gone" | "retry" | "discard" | "post" | "read"; pick: number }
  | { kind: "wake" };

const pick = fc.nat(1000);
const happening: fc.Arbitrary<Happening> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant("hear" as const), thread: fc.nat(3), number: fc.nat(60), blank: fc.boolean() }) },
  { weight: 8, arbitrary: fc.record({ kind: fc.constantFrom("complete" as const, "gone" as const, "gone" as const), pick }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom("fail" as const, "cancel" as const, "retry" as const, "discard" as const, "post" as const, "read" as const), pick }) },
  { weight: 1, arbitrary: fc.constant({ kind: "wake" as const }) },
);
const history = fc.array(happening, { maxLength: 120 });

function happen(scene: Scene, what: Happening): Recorded[] {
  const jobs = Object.keys(scene.state.jobs);
  const chosen = "pick" in what ? (jobs[what.pick % Math.max(1, jobs.length)] ?? "none") : "";
  const busy = Object.values(scene.state.threads).flatMap(({ busy_job }) => busy_job ?? []);
  const live = "pick" in what ? (busy[what.pick % Math.max(1, busy.length)] ?? chosen) : "";
  switch (what.kind) {
    case "hear":
      return scene.hear(THREADS[what.thread] ?? "", message(what.number), what.blank && what.number % 7 === 0 ? " " : `p${what.number}`);
    case "complete":
      return scene.complete(live);
    case "fail":
      return scene.fail(live);
    case "cancel":
      return scene.do({ type: "cancelled", job_id: live });
    case "gone":
      return scene.do({ type: "progress", job_id: live, progress: { kind: "gone" } });
    case "retry":
      return attempt(() => scene.do({ type: "retry", job_id: chosen }));
    case "discard":
      return scene.do({ type: "discard", job_id: chosen });
    case "post":
      return scene.post(chosen, what.pick % 5 === 0 ? null : message(what.pick % 80));
    case "read":
      return read(scene, what.pick);
    case "wake":
      return scene.do({ type: "wake" });
  }
}

/** The watermark comes up behind what was heard, and no further. */
function read(scene: Scene, picked: number): Recorded[] {
  const thread = THREADS[picked % THREADS.length] ?? "";
  const heard = Object.keys(scene.state.dedupe).filter((key) => key.startsWith(`${thread}:`)).map((key) => key.slice(thread.length + 1));
  const through = heard.sort()[picked % Math.max(1, heard.length)];
  return through === undefined ? [] : scene.do({ type: "channel_read", channel_id: thread, through });
}

function attempt(what: () => Recorded[]): Recorded[] {
  try {
    return what();
  } catch (error) {
    expect(error).toMatchObject({ code: "E_JOB_NOT_RETRYABLE" });
    return [];
  }
}

/** Runs a history and asks `law` after every step. */
function always(law: (scene: Scene, happened: Recorded[]) => void, change: ConstructorParameters<typeof Scene>[0] = {}): void {
  fc.assert(
    fc.property(history, fc.integer({ min: 1, max: 3 }), (steps, global_max_running) => {
      const scene = new Scene({ global_max_running, max_queue_per_session: 6, ...change }).withSessions(...THREADS);
      for (const what of steps) law(scene, happen(scene, what));
    }),
    RUNS,
  );
}

function counted(events: Recorded[], type: Recorded["type"], key: (event: Recorded) => string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const event of events) if (event.type === type) counts.set(key(event), (counts.get(key(event)) ?? 0) + 1);
  return counts;
}

const jobOf = (event: Recorded): string => ("job_id" in event.payload ? event.payload.job_id : "");

test("I1, I5: a job starts at most once, whatever crashed, and ends at most once", () => {
  always((scene) => {
    for (const count of counted(scene.events, "JobStarted", jobOf).values()) expect(count).toBe(1);
    const ends = scene.events.filter(({ type }) => /^Job(Completed|Failed|Cancelled|MarkedUnknownAfterCrash)$/.test(type));
    expect(new Set(ends.map(jobOf)).size).toBe(ends.length);
  });
});

test("I2: within a thread jobs start in the order they were written, but for a retry of what a crash cut off", () => {
  always((scene) => {
    for (const thread of THREADS) {
      const of = (type: Recorded["type"]): string[] =>
        scene.events.filter((event) => event.type === type && "thread_id" in event.payload && event.payload.thread_id === thread).map(jobOf);
      const first = new Set(scene.events.flatMap((event) => (event.type === "JobEnqueued" && event.payload.first ? [event.payload.job_id] : [])));
      const started = of("JobStarted").filter((id) => !first.has(id));
      const enqueued = of("JobEnqueued").filter((id) => !first.has(id));
      expect(started).toEqual(enqueued.slice(0, started.length));
    }
  });
});

test("I3: a message is accepted once per thread, in any order and however often it comes", () => {
  always((scene) => {
    const key = (event: Recorded): string =>
      event.type === "JobEnqueued" && event.payload.retry_of === null ? `${event.payload.thread_id}:${event.payload.discord_message_id}` : "";
    const counts = counted(scene.events, "JobEnqueued", key);
    counts.delete("");
    for (const count of counts.values()) expect(count).toBe(1);
  });
});

test("never more at once than the limit, never two of one thread, and a free slot is never left to a waiting job", () => {
  always((scene) => {
    const threads = Object.values(scene.state.threads);
    const busy = threads.filter(({ busy_job }) => busy_job !== null).length;
    expect(busy).toBeLessThanOrEqual(scene.rules.global_max_running);
    const waiting = threads.some(
      ({ thread_id, busy_job, hold }) => busy_job === null && hold === null && (scene.state.sessions[thread_id]?.queue.length ?? 0) > 0,
    );
    if (waiting) expect(busy).toBe(scene.rules.global_max_running);
  });
});

test("a thread that waits is passed over by each other thread at most once", () => {
  fc.assert(
    fc.property(history, (steps) => {
      const scene = new Scene({ global_max_running: 1, max_queue_per_session: 6, after_crash: "go_on" }).withSessions(...THREADS);
      const passed = new Map<string, Set<string>>(THREADS.map((thread) => [thread, new Set()]));
      for (const what of steps) {
        const waited = THREADS.filter((thread) => canRun(scene, thread));
        for (const event of happen(scene, what)) {
          if (event.type !== "JobStarted") continue;
          const served = event.payload.thread_id;
          passed.set(served, new Set());
          for (const thread of waited.filter((one) => one !== served)) {
            expect(passed.get(thread)?.has(served)).toBe(false);
            passed.get(thread)?.add(served);
          }
        }
        for (const thread of THREADS) if (!canRun(scene, thread)) passed.set(thread, new Set());
      }
    }),
    RUNS,
  );
});

function canRun(scene: Scene, thread: string): boolean {
  const { busy_job, hold } = scene.state.threads[thread] ?? {};
  return busy_job === null && hold === null && (scene.state.sessions[thread]?.queue.length ?? 0) > 0;
}

test("a crash holds a thread until its owner chooses, and nothing of that thread runs meanwhile", () => {
  always((scene, happened) => {
    const held = new Set(THREADS.filter((thread) => scene.state.threads[thread]?.hold));
    for (const event of happened) if (event.type === "JobStarted") expect(held.has(event.payload.thread_id)).toBe(false);
    for (const thread of held) expect(scene.state.jobs[scene.state.threads[thread]?.hold ?? ""]?.state).toBe("unknown_after_crash");
  });
});

test("I6: every job accepted is waiting, running or has ended, and a waiting one is in exactly one queue", () => {
  always((scene) => {
    const queued = Object.values(scene.state.sessions).flatMap(({ queue }) => queue);
    expect(new Set(queued).size).toBe(queued.length);
    for (const job of Object.values(scene.state.jobs)) {
      const session = scene.state.sessions[job.thread_id];
      const place = { queued: queued.includes(job.job_id), running: session?.running_job_id === job.job_id };
      expect(place).toEqual({ queued: job.state === "queued", running: job.state === "running" });
      const kept = scene.state.threads[job.thread_id]?.ended.includes(job.job_id);
      expect(kept).toBe(job.state !== "queued" && job.state !== "running");
    }
  });
});

test("I7: no agent without a start on record, no start without a job, no end and no word of a job that did not start", () => {
  always((scene) => {
    const known = new Map<string, string>();
    for (const event of scene.events) {
      const id = jobOf(event);
      if (event.type === "JobEnqueued") known.set(id, "queued");
      if (event.type === "JobStarted") expect(known.get(id)).toBe("queued");
      if (event.type === "JobStarted") known.set(id, "started");
      if (event.type.startsWith("Job") && event.type !== "JobEnqueued") expect(known.get(id)).toBe("started");
    }
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
    .array(fc.record({ thread: fc.nat(3), copies: fc.integer({ min: 1, max: 5 }), shifts: fc.array(fc.nat(49), { minLength: 5, maxLength: 5 }) }), { minLength: 1, maxLength: 200 })
    .map((sent) =>
      sent
        .flatMap(({ thread, copies, shifts }, index) => shifts.slice(0, copies).map((shift) => ({ thread, number: index, at: index + shift })))
        .sort((a, b) => a.at - b.at),
    );
  fc.assert(
    fc.property(deliveries, (delivered) => {
      const scene = new Scene({ max_queue_per_session: 1000 }).withSessions(...THREADS);
      let newest = 0;
      for (const { thread, number } of delivered) {
        scene.hear(THREADS[thread] ?? "", message(number));
        newest = Math.max(newest, number);
        // The ear keeps the watermark well behind what Discord may still reorder.
        if (newest > 64) for (const id of THREADS) scene.do({ type: "channel_read", channel_id: id, through: message(newest - 64) });
      }
      const distinct = new Set(delivered.map(({ thread, number }) => `${THREADS[thread]}:${message(number)}`));
      const enqueued = scene.events.flatMap((event) =>
        event.type === "JobEnqueued" ? [`${event.payload.thread_id}:${event.payload.discord_message_id}`] : [],
      );
      expect(enqueued.length).toBe(distinct.size);
      expect(new Set(enqueued)).toEqual(distinct);
    }),
    { numRuns: LONG ? 2_000 : 60 },
  );
});

test("the live state is bounded by count: ended jobs leave it, the same ones in every replay", () => {
  fc.assert(
    fc.property(fc.array(fc.record({ thread: fc.nat(1), end: fc.nat(3) }), { minLength: 120, maxLength: 220 }), (steps) => {
      const scene = new Scene().withSessions(...THREADS.slice(0, 2));
      for (const [index, { thread, end }] of steps.entries()) {
        scene.hear(THREADS[thread] ?? "", message(index));
        const [job = ""] = scene.running();
        if (end === 0) scene.fail(job);
        else if (end === 1) scene.do({ type: "cancelled", job_id: job });
        else scene.complete(job);
        scene.do({ type: "progress", job_id: job, progress: { kind: "gone" } });
      }
      for (const thread of Object.values(scene.state.threads)) expect(thread.ended.length).toBeLessThanOrEqual(KEPT_JOBS);
      const live = Object.values(scene.state.threads).flatMap(({ ended }) => ended);
      expect(new Set(Object.keys(scene.state.jobs))).toEqual(new Set([...live, ...Object.values(scene.state.sessions).flatMap(({ queue }) => queue), ...scene.running()]));
      scene.checkReplay();
    }),
    { numRuns: LONG ? 300 : 10 },
  );
});
