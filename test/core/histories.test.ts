/** Laws that hold in every history, tried on hundreds of random ones. The numbers are those of the reliability sheet (R15). */
import fc from "fast-check";
import { expect, test } from "vitest";
import { KEPT_JOBS } from "../../src/core/ending.ts";
import type { Recorded } from "../../src/core/house.ts";
import { always, canRun, happen, history, jobOf, MANY, RUNS, THREADS } from "./history.ts";
import { message, Scene } from "./scene.ts";

const ENDS = /^Job(Completed|Failed|Cancelled|MarkedUnknownAfterCrash)$/;

test("I1, I5: a job starts once, or again after it was put back, which only one is that ran no tool; it ends once, and is over then", () => {
  always(() => ({ events }) => {
    const seen = new Map<string, "queued" | "running" | "worked" | "over">();
    for (const event of events) {
      const id = jobOf(event);
      const was = seen.get(id);
      if (event.type === "JobEnqueued") seen.set(id, "queued");
      if (event.type === "JobStarted") expect(was).toBe("queued");
      if (event.type === "JobStarted") seen.set(id, "running");
      if (event.type === "JobProgress" && event.payload.kind === "tool" && was === "running") seen.set(id, "worked");
      if (event.type === "JobPutBack") expect(was).toBe("running");
      if (event.type === "JobPutBack") seen.set(id, "queued");
      if (!ENDS.test(event.type)) continue;
      expect(was).not.toBe("over");
      if (event.type !== "JobCancelled") expect(was).not.toBe("queued");
      seen.set(id, "over");
    }
  });
});

test("I2: a thread's queue is the order written, but for what the owner moved, what was put back, and what a crash cut off", () => {
  always(() => ({ events, state }) => {
    const queues = new Map<string, string[]>(THREADS.map((thread) => [thread, []]));
    for (const event of events) {
      const { thread_id = "", job_id = "" } = event.payload as { thread_id?: string; job_id?: string };
      const queue = queues.get(thread_id) ?? [];
      const others = queue.filter((id) => id !== job_id);
      if (event.type === "JobStarted") expect(queue[0]).toBe(job_id);
      if (event.type === "JobStarted" || ENDS.test(event.type)) queues.set(thread_id, others);
      if (event.type === "JobEnqueued" && !event.payload.first) queues.set(thread_id, [...queue, job_id]);
      if (event.type === "JobEnqueued" && event.payload.first) queues.set(thread_id, [job_id, ...queue]);
      if (event.type === "JobMoved" || event.type === "JobPutBack") queues.set(thread_id, [job_id, ...others]);
    }
    for (const thread of THREADS) expect(state.sessions[thread]?.queue).toEqual(queues.get(thread));
  });
});

test("I3: a message is accepted once per thread, in any order and however often it comes, and no edit begins a job", () => {
  always(() => {
    let jobs = 0;
    return ({ events }, happened) => {
      const fresh = events.flatMap((event) => (event.type === "JobEnqueued" && event.payload.retry_of === null ? [event.payload] : []));
      const keys = fresh.map(({ thread_id, discord_message_id }) => `${thread_id}:${discord_message_id}`);
      expect(new Set(keys).size).toBe(keys.length);
      // Whatever step brings a job is one that heard a message, or chose to run one again.
      const added = happened.filter((event) => event.type === "JobEnqueued").length;
      expect(added).toBeLessThanOrEqual(1);
      if (happened.some(({ type }) => type === "JobEdited" || type === "MessageNoted")) expect(added).toBe(0);
      jobs += added;
    };
  });
});

test("nothing starts beyond the limit, a waiting decision holds no slot, and a free slot is never left to a thread that may run", () => {
  always(() => (scene, happened) => {
    const { state, rules } = scene;
    const busy = Object.values(state.threads).flatMap(({ busy_job }) => busy_job ?? []);
    const holding = busy.filter((id) => !state.runs[id]?.waiting).length;
    // Only those that go on after a decision, or a smaller limit, are ever beyond it.
    if (happened.some(({ type }) => type === "JobStarted")) expect(holding).toBeLessThanOrEqual(rules.global_max_running);
    if (THREADS.some((thread) => canRun(scene, thread))) expect(holding).toBeGreaterThanOrEqual(rules.global_max_running);
    expect(new Set(busy).size).toBe(busy.length);
  });
});

test("a job whose decision is made goes on at once, whatever else runs", () => {
  always(() => (scene) => {
    for (const { busy_job } of Object.values(scene.state.threads)) {
      if (busy_job === null || !scene.state.runs[busy_job]?.waiting) continue;
      expect(scene.state.jobs[busy_job]?.state).toBe("running");
      expect(scene.learn(busy_job, { kind: "waiting", waiting: false })[0]).toBe("JobProgress");
      expect([scene.state.runs[busy_job]?.waiting, scene.state.jobs[busy_job]?.state]).toEqual([false, "running"]);
    }
  });
});

test("a thread that may run is passed over by each other thread at most once", () => {
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

test("a crash, a wait or a queue not looked up again keeps its own thread still until it is settled", () => {
  always(() => {
    let still = new Set<string>();
    return ({ state }, happened) => {
      for (const event of happened) {
        if (event.type === "JobStarted") expect(still.has(event.payload.thread_id)).toBe(false);
        if (["QueueResumed", "QueueChecked", "SessionUnparked", "ToolChanged", "SessionParked"].includes(event.type)) still = new Set();
      }
      const threads = Object.values(state.threads).filter(({ hold, wait, stale }) => hold !== null || wait !== null || stale);
      still = new Set(threads.map(({ thread_id }) => thread_id));
      for (const { hold, wait } of threads) {
        if (hold !== null) expect(state.jobs[hold]?.state).toBe("unknown_after_crash");
        if (wait?.kind === "checkout") expect(state.jobs[wait.job_id]?.state).toBe("queued");
      }
    };
  });
});

test("I6: every job accepted is waiting, running or has ended, and a waiting one is in exactly one queue", () => {
  always(() => ({ state }) => {
    const queued = Object.values(state.sessions).flatMap(({ queue }) => queue);
    expect(new Set(queued).size).toBe(queued.length);
    expect(Object.keys(state.runs)).toEqual(Object.keys(state.jobs));
    for (const job of Object.values(state.jobs)) {
      const session = state.sessions[job.thread_id];
      const place = { queued: queued.includes(job.job_id), running: session?.running_job_id === job.job_id };
      expect(place).toEqual({ queued: job.state === "queued", running: job.state === "running" });
      expect(job.started_at === null || job.state !== "queued").toBe(true);
      const kept = state.threads[job.thread_id]?.ended.includes(job.job_id);
      expect(kept).toBe(job.state !== "queued" && job.state !== "running");
    }
  });
});

test("I6: whatever happened, and wherever a crash cut what was written, everything accepted comes to its end", () => {
  fc.assert(
    fc.property(history, fc.nat(4), (steps, kept) => {
      const scene = new Scene({ max_queue_per_session: 6, global_max_running: 1 }).withSessions(...THREADS);
      for (const what of steps) happen(scene, what);
      scene.crash(kept);
      scene.wake();
      for (const thread of Object.values(scene.state.threads)) {
        if (thread.hold !== null) scene.do({ type: "discard", job_id: thread.hold });
        if (thread.wait !== null) scene.do({ type: "unpark", thread_id: thread.thread_id, job_id: thread.wait.job_id, by: "owner" });
      }
      for (let [running] = scene.running(); running !== undefined; [running] = scene.running()) scene.finish(running);
      expect(Object.values(scene.state.jobs).filter(({ state }) => state === "queued" || state === "running")).toEqual([]);
    }),
    RUNS,
  );
});

test("I7: no agent without a start on record, and no word of a job that has not begun", () => {
  always(() => ({ events }) => {
    const running = new Set<string>();
    const begun = new Set<string>();
    for (const event of events) {
      const id = jobOf(event);
      if (event.type === "JobStarted") begun.add(id);
      if (event.type === "JobStarted") running.add(id);
      if (event.type === "JobProgress") expect(begun.has(id)).toBe(true);
      if (event.type === "JobPutBack") expect(running.has(id)).toBe(true);
      if (["JobCompleted", "JobFailed", "JobMarkedUnknownAfterCrash"].includes(event.type)) expect(running.has(id)).toBe(true);
      if (event.type === "JobPutBack" || ENDS.test(event.type)) running.delete(id);
    }
  });
});

test("what an agent is given is what the message said when its job began, and a message that was taken back by then is given to none", () => {
  always(() => {
    const texts = new Map<string, string>();
    return ({ state, events }, happened) => {
      for (const event of happened) {
        if (event.type === "JobEnqueued" || event.type === "JobEdited") texts.set(event.payload.job_id, event.payload.prompt);
        if (event.type === "JobStarted") expect(state.jobs[event.payload.job_id]?.prompt).toBe(texts.get(event.payload.job_id));
      }
      for (const { job_id, prompt } of Object.values(state.jobs)) {
        expect(prompt.trim() !== "" || (state.runs[job_id]?.files.length ?? 0) > 0).toBe(true);
        expect(prompt.length).toBeLessThanOrEqual(12);
      }
      const retries = events.flatMap((event) => (event.type === "JobEnqueued" && event.payload.retry_of !== null ? [event.payload] : []));
      for (const { job_id, retry_of } of retries) {
        const [run, old] = [state.runs[job_id], state.runs[retry_of ?? ""]];
        if (run && old) expect(run.files).toEqual(old.files);
      }
    };
  });
});

test("a message that counts as handled has its job on record, or the reason why it has none", () => {
  always(() => ({ state, events }) => {
    const told = new Set(events.flatMap((event) => (event.type === "MessageRefused" ? [`${event.payload.thread_id}:${event.payload.discord_message_id}`] : [])));
    const jobs = new Set(events.flatMap((event) => (event.type === "JobEnqueued" ? [event.payload.job_id] : [])));
    for (const [key, job] of Object.entries(state.dedupe)) expect(job === null ? told.has(key) : jobs.has(job)).toBe(true);
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
    .array(fc.record({ thread: fc.nat(3), copies: fc.integer({ min: 1, max: 5 }), shifts: fc.array(fc.nat(49), { minLength: 5, maxLength: 5 }) }), { minLength: 1, maxLength: 200, size: "max" })
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
      const enqueued = scene.events.flatMap((event: Recorded) =>
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
    fc.property(fc.array(fc.record({ thread: fc.nat(1), end: fc.nat(4) }), { minLength: 120, maxLength: 220 }), (steps) => {
      const scene = new Scene().withSessions(...THREADS.slice(0, 2));
      for (const [index, { thread, end }] of steps.entries()) {
        scene.hear(THREADS[thread] ?? "", message(index));
        const [job = ""] = scene.running();
        if (end === 0) scene.fail(job);
        else if (end === 1) scene.do({ type: "cancelled", job_id: job });
        else if (end === 2) scene.do({ type: "delete_message", thread_id: THREADS[thread] ?? "", discord_message_id: message(index) });
        else scene.complete(job);
        scene.learn(job, { kind: "gone" });
      }
      for (const thread of Object.values(scene.state.threads)) expect(thread.ended.length).toBeLessThanOrEqual(KEPT_JOBS);
      const live = Object.values(scene.state.threads).flatMap(({ ended }) => ended);
      const all = new Set([...live, ...Object.values(scene.state.sessions).flatMap(({ queue }) => queue), ...scene.running()]);
      for (const record of [scene.state.jobs, scene.state.runs]) expect(new Set(Object.keys(record))).toEqual(all);
      scene.checkReplay();
    }),
    { numRuns: Math.ceil(MANY / 6) },
  );
});
