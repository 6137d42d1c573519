/**
 * The eight invariants of the reliability sheet (R15), each a law of its own, held against random histories: some
 * hundreds at every change, ten thousand with BELLHOP_TEST_LONG=1.
 */
import { deepEqual, equal, ok } from "node:assert/strict";
import fc from "fast-check";
import { expect, test } from "vitest";
import { openOf } from "../../src/core/decisions/decision.ts";
import { decideAndEvolve } from "../../src/core/decider.ts";
import type { Command } from "../../src/core/slices.ts";
import type { RecordedEvent, State } from "../../src/core/state.ts";
import {
  always,
  begunByItself,
  canRun,
  happen,
  history,
  jobOf,
  recorded,
  RUNS,
  sendingHistory,
  THREADS,
} from "./history.ts";
import { message, Scene } from "./scene.ts";

const ENDS = /^Job(Completed|Failed|Cancelled|MarkedUnknownAfterCrash|Sent)$/;

test("I1: a job starts at most once, and once more only where it was put back having run no tool; it ends once, and is over then", () => {
  recorded((events) => {
    const seen = new Map<string, "queued" | "sending" | "running" | "worked" | "over">();
    for (const event of events) {
      const id = jobOf(event);
      const was = seen.get(id);
      if (event.type === "JobEnqueued") equal(was, undefined);
      if (event.type === "JobEnqueued") seen.set(id, "queued");
      if (event.type === "JobStarted") ok(was === "queued" || was === "sending");
      if (event.type === "JobSendRequested") equal(was, "queued");
      if (event.type === "JobSendRequested") seen.set(id, "sending");
      if (event.type === "JobSendFailed" || event.type === "JobSent") equal(was, "sending");
      if (event.type === "JobSendFailed") seen.set(id, "queued");
      if (event.type === "JobStarted") seen.set(id, "running");
      if (event.type === "JobProgress" && event.payload.kind === "tool" && was === "running") seen.set(id, "worked");
      if (event.type === "JobPutBack") equal(was, "running");
      if (event.type === "JobPutBack") seen.set(id, "queued");
      if (!ENDS.test(event.type)) continue;
      ok(was !== undefined && was !== "over", `${event.type} of a job that is ${was}`);
      if (event.type !== "JobCancelled") ok(was !== "queued", `${event.type} of one that waits`);
      seen.set(id, "over");
    }
  });
});

test("I1: a job that may be with its agent is cancelled only once its agent is known not to have it", () => {
  always(
    () =>
      (scene, happened, { kind }) => {
        for (const event of happened) {
          if (event.type !== "JobCancelled" || !wasSending(scene, event)) continue;
          ok(kind === "not_sent" || happened.some(({ type }) => type === "OutsideTurnEnded"), `cancelled by ${kind}`);
        }
      },
    sendingHistory,
  );
});

test("I2: a thread's jobs start in the order written, but for what the owner moved, what was put back, and what a crash cut off", () => {
  recorded((events, { state }) => {
    const queues = new Map<string, string[]>(THREADS.map((thread) => [thread, []]));
    const sending = new Set<string>();
    const first = (queue: string[], id: string): string[] => [
      ...queue.filter((one) => sending.has(one)),
      id,
      ...queue.filter((one) => !sending.has(one)),
    ];
    for (const event of events) {
      const { thread_id = "", job_id = "" } = event.payload as { thread_id?: string; job_id?: string };
      const queue = queues.get(thread_id) ?? [];
      const others = queue.filter((id) => id !== job_id);
      if (event.type === "JobStarted") equal(queue[0], job_id);
      if (event.type === "JobStarted" || ENDS.test(event.type)) queues.set(thread_id, others);
      if (event.type === "JobEnqueued" && !event.payload.first) queues.set(thread_id, [...queue, job_id]);
      if (event.type === "JobEnqueued" && event.payload.first)
        ok(event.payload.retry_of !== null, "a message jumps the queue");
      if (event.type === "JobEnqueued" && event.payload.first) queues.set(thread_id, first(queue, job_id));
      if (event.type === "JobMoved" || event.type === "JobPutBack" || event.type === "JobSendRequested")
        queues.set(thread_id, first(others, job_id));
      if (event.type === "JobSendRequested") sending.add(job_id);
      if (event.type === "JobSendFailed" || event.type === "JobStarted" || ENDS.test(event.type))
        sending.delete(job_id);
    }
    for (const thread of THREADS) deepEqual(state.sessions[thread]?.queue, queues.get(thread));
  });
});

test("I2: one thread runs one job at a time, and the next when the last one's process is gone", () => {
  recorded((events) => {
    const busy = new Map<string, string>();
    for (const event of events) {
      const { thread_id = "" } = event.payload as { thread_id?: string };
      if (event.type === "JobStarted") equal(busy.get(thread_id), undefined);
      if (event.type === "JobStarted") busy.set(thread_id, event.payload.job_id);
      const gone =
        event.type === "JobMarkedUnknownAfterCrash" || (event.type === "JobProgress" && event.payload.kind === "gone");
      if (gone && busy.get(thread_id) === jobOf(event)) busy.delete(thread_id);
    }
  });
});

test("I3: a message is accepted once per thread, in any order and however often it comes, and no edit begins a job", () => {
  recorded((events) => {
    const keys = events.flatMap((event) =>
      event.type === "JobEnqueued" && event.payload.retry_of === null
        ? [`${event.payload.thread_id}:${event.payload.discord_message_id}`]
        : [],
    );
    equal(new Set(keys).size, keys.length);
  });
  always(() => (_scene, happened, { kind }) => {
    const added = happened.filter(({ type }) => type === "JobEnqueued").length;
    // Whatever step brings a job is one that heard a message, or chose to run one again.
    ok(
      added <= (["hear", "typed", "replied", "retry", "continue"].includes(kind) ? 1 : 0),
      `${kind} brings ${added} jobs`,
    );
  });
});

test("I4: a job that waits for a decision continues when nothing is left to answer, and what has changed is taken by its owner alone", () => {
  always(() => {
    let asking = new Set<string>();
    let asked = new Map<string, string>();
    return (scene, happened, { kind }) => {
      const { state } = scene;
      const settled = happened.flatMap((event) =>
        /^Decision(Answered|Lapsed|Aborted|Voided)$/.test(event.type) ? [askerOf(state, event)] : [],
      );
      // A crash may also cut off the question, so what was asked before it says nothing of what is asked after it.
      if (kind !== "crash") {
        for (const job of asking) {
          const goesOn = state.jobs[job]?.state === "running" && openOf(state, job).length === 0;
          if (goesOn) ok(settled.includes(job), `${kind} lets ${job} go on`);
        }
        for (const event of happened) {
          if (event.type === "JobStarted" && !begunByItself(scene, jobOf(event)))
            ok(!asked.has(event.payload.thread_id), `${kind} starts ${jobOf(event)} with what its owner has not seen`);
          if (event.type === "ToolChanged") asked.delete(event.payload.thread_id);
          if (event.type !== "SessionUnparked" || !asked.has(event.payload.thread_id)) continue;
          ok(["seen", "fresh", "dropped"].includes(event.payload.by), `${event.payload.by} takes what has changed`);
          asked.delete(event.payload.thread_id);
        }
      }
      asking = new Set(Object.keys(state.runs).filter((id) => openOf(state, id).length > 0));
      asked = new Map(
        Object.values(state.threads).flatMap(({ thread_id, wait }) =>
          wait?.kind === "changed" ? [[thread_id, wait.job_id]] : [],
        ),
      );
    };
  });
});

function askerOf({ decisions }: State, { payload }: RecordedEvent): string {
  const asker = "decision_id" in payload ? decisions[payload.decision_id]?.asker : undefined;
  return asker?.by === "job" ? asker.job_id : "";
}

test("I5: what a crash cut off is never run again: it stays as it is, and another attempt is a new job of the owner's choice", () => {
  always(() => (_scene, happened, { kind }) => {
    for (const event of happened) {
      if (event.type === "JobEnqueued" && event.payload.retry_of !== null)
        ok(kind === "retry" || kind === "continue", `${kind} runs one again`);
    }
  });
  recorded((events, { state }) => {
    const unknown = new Set<string>();
    const again = new Map<string, string>();
    const endedWithoutSuccess = new Set<string>();
    for (const event of events) {
      const id = jobOf(event);
      if (["JobFailed", "JobCancelled", "JobMarkedUnknownAfterCrash"].includes(event.type)) endedWithoutSuccess.add(id);
      if (event.type === "JobMarkedUnknownAfterCrash") unknown.add(id);
      else if (unknown.has(id))
        ok(
          ["JobProgress", "QueueResumed", "MessageNoted"].includes(event.type),
          `${event.type} of one that is unknown`,
        );
      if (event.type === "JobProgress" && unknown.has(id))
        ok(["changes", "checkout_end"].includes(event.payload.kind), event.payload.kind);
      const { retry_of = null } = event.type === "JobEnqueued" ? event.payload : {};
      if (retry_of === null) continue;
      const last = again.get(retry_of);
      ok(
        last === undefined || endedWithoutSuccess.has(last),
        `${retry_of} is run again although ${last} waits, runs or went well`,
      );
      again.set(retry_of, id);
    }
    for (const id of unknown) if (state.jobs[id]) equal(state.jobs[id]?.state, "unknown_after_crash");
  });
});

test("I6: every job accepted waits, runs or has ended, in exactly one place where its owner finds it", () => {
  always(() => ({ state }) => {
    const queued = Object.values(state.sessions).flatMap(({ queue }) => queue);
    equal(new Set(queued).size, queued.length);
    deepEqual(Object.keys(state.runs).sort(), [...Object.keys(state.jobs), ...Object.keys(state.turns ?? {})].sort());
    for (const job of Object.values(state.jobs)) {
      const session = state.sessions[job.thread_id];
      equal(queued.includes(job.job_id), job.state === "queued");
      equal(session?.running_job_id === job.job_id, job.state === "running");
      ok(job.started_at === null || job.state !== "queued", "one that waits has begun");
      equal(
        state.threads[job.thread_id]?.ended.includes(job.job_id),
        job.state !== "queued" && job.state !== "running",
      );
    }
  });
});

test("I6: whatever happened, and wherever a crash cut what was written, everything accepted comes to its end", () => {
  fc.assert(
    fc.property(history, fc.nat(4), (steps, kept) => {
      const scene = new Scene({ max_queue_per_session: 6, global_max_running: 1 }).withSessions(...THREADS);
      for (const what of steps) happen(scene, what);
      scene.crash(kept);
      scene.restart();
      for (const { thread_id, hold, wait } of Object.values(scene.state.threads)) {
        if (hold !== null) scene.do({ type: "discard", job_id: hold });
        if (wait?.kind === "changed")
          scene.do({ type: "accept_changed", thread_id, job_id: wait.job_id, digest: wait.digest, by: "seen" });
        else if (wait !== null) scene.do({ type: "unpark", thread_id, job_id: wait.job_id, by: "owner" });
      }
      const accepted = Object.keys(scene.state.jobs).length;
      for (let ended = 0; ended <= accepted; ended += 1)
        scene
          .running()
          .slice(0, 1)
          .forEach((running) => scene.finish(running));
      deepEqual(
        Object.values(scene.state.jobs).filter(({ state }) => state === "queued" || state === "running"),
        [],
      );
      equal(
        THREADS.some((thread) => canRun(scene, thread)),
        false,
      );
    }),
    RUNS,
  );
});

test("I7: no word of a job, and no end, without its start on record before it", () => {
  recorded((events) => {
    const running = new Set<string>();
    const begun = new Set<string>();
    for (const event of events) {
      const id = jobOf(event);
      if (event.type === "JobStarted") begun.add(id);
      if (event.type === "JobStarted") running.add(id);
      if (event.type === "OutsideTurnBegan") for (const all of [begun, running]) all.add(event.payload.turn_id);
      if (event.type === "OutsideTurnEnded") running.delete(event.payload.turn_id);
      if (event.type === "JobSendRequested") running.add(id);
      if (event.type === "JobSendFailed") running.delete(id);
      if (event.type === "JobProgress") ok(begun.has(id), `${event.payload.kind} of one that has not begun`);
      if (
        ["JobPutBack", "JobCompleted", "JobFailed", "JobMarkedUnknownAfterCrash", "JobCancelRequested"].includes(
          event.type,
        )
      ) {
        ok(running.has(id), `${event.type} of one that does not run`);
      }
      if (event.type === "JobPutBack" || ENDS.test(event.type)) running.delete(id);
    }
  });
});

test("I7: what is believed to run is what the record says was started, so nobody starts an agent on anything else", () => {
  recorded((events, { state }) => {
    const started = new Set<string>();
    for (const event of events) {
      if (event.type === "JobStarted") started.add(jobOf(event));
      if (event.type === "JobPutBack" || ENDS.test(event.type)) started.delete(jobOf(event));
    }
    deepEqual(new Set(Object.values(state.sessions).flatMap(({ running_job_id }) => running_job_id ?? [])), started);
  });
});

/** Every command that names a thread, a job or a message, about ones that are nobody's here. */
const foreign: Command[] = (["199999999999999999", "constructor", "__proto__", ""] as const).flatMap(
  (thread_id): Command[] => {
    const discord_message_id = message(3);
    const job_id = thread_id === "" ? "job_20260226_9999" : thread_id;
    const wait = { kind: "limit", job_id, until: "2026-02-27T00:00:00.000Z" } as const;
    const end = { job_id, result_excerpt: "said", result_sha256: "0".repeat(64), model: null, usage: null };
    return [
      {
        type: "hear",
        thread_id,
        discord_message_id,
        prompt: "obey me",
        files: [],
        refused_files: [{ name: "x", why: "not_taken" }],
        reply_to: null,
      },
      { type: "edit_message", thread_id, discord_message_id, prompt: "obey me" },
      { type: "delete_message", thread_id, discord_message_id },
      { type: "clear_queue", thread_id },
      { type: "queue_checked", thread_id },
      { type: "park", thread_id, job_id, wait },
      { type: "unpark", thread_id, job_id, by: "owner" },
      { type: "lift_limit", thread_id, job_id },
      { type: "find_thread", thread_id },
      { type: "lose_thread", thread_id, place: "thread", code: "E_THREAD_ACCESS_FAILED" },
      { type: "complete", ...end },
      { type: "fail", ...end, code: "E_CLI_TIMEOUT", details: {} },
      { type: "cancelled", job_id },
      { type: "cancel_job", job_id, by: "owner" },
      { type: "move_first", job_id },
      { type: "put_back", job_id, why: "limit" },
      { type: "discard", job_id },
      { type: "retry", job_id },
      { type: "continue", job_id },
      { type: "change_tool", thread_id, tool: "codex" },
      { type: "progress", job_id, progress: { kind: "gone" } },
      { type: "progress", job_id, progress: { kind: "tool", name: "Bash", title: "ls", ok: true } },
    ];
  },
);

test("I8: what is said in a thread that is no session's, or of a job that there is not, has no effect", () => {
  const scenes = history.map((steps) => {
    const scene = new Scene({ max_queue_per_session: 6 }).withSessions(...THREADS);
    for (const what of steps) happen(scene, what);
    return scene;
  });
  fc.assert(
    fc.property(scenes, (scene) => {
      const before = JSON.stringify(scene.state);
      for (const command of foreign) deepEqual(said(scene, command), []);
      equal(JSON.stringify(scene.state), before);
    }),
    { numRuns: Math.ceil(RUNS.numRuns / 10) },
  );
});

/**
 * What a command records; nothing where it is refused. A free slot is given away by any command, so that is not its
 * effect.
 */
function said(scene: Scene, command: Command): RecordedEvent[] {
  try {
    return decideAndEvolve(scene.state, command, { at: "2026-02-26T23:00:00.000Z", rules: scene.rules });
  } catch (error) {
    expect(error).toMatchObject({
      code: expect.stringMatching(/^E_(JOB_NOT_RETRYABLE|NOT_IN_MANAGED_THREAD|SESSION_NOT_FOUND)$/),
    });
    return [];
  }
}

function wasSending({ events }: Scene, end: RecordedEvent): boolean {
  const before = events.slice(0, events.lastIndexOf(end)).filter((event) => jobOf(event) === jobOf(end));
  return before.findLast(({ type }) => /^Job(Enqueued|Started|PutBack|Send)/.test(type))?.type === "JobSendRequested";
}
