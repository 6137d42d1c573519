/**
 * Random histories: messages in any order and more than once, edits and deletions, ends and crashes at any point (also
 * such as keep only the beginning of what was written together), waits, decisions, choices made and not made; and
 * the two ways in which a law is held against them: after every step, and over the record.
 */
import { match } from "node:assert/strict";
import fc from "fast-check";
import { BellhopError } from "../../src/base/errors.ts";
import type { Command } from "../../src/core/slices.ts";
import type { RecordedEvent } from "../../src/core/state.ts";
import { changedWait, liftedPart, type Changed } from "../../src/core/projects/checkout.ts";
import type { Progress } from "../../src/core/jobs/run.ts";
import { outsideThreads } from "../../src/core/sessions/thread.ts";
import { deciding, DECIDING } from "./decisions/decision-history.ts";
import { OUTSIDE, outside } from "./jobs/outside-history.ts";
import { message, Scene } from "./scene.ts";

const LONG = process.env["BELLHOP_TEST_LONG"] === "1";
export const RUNS = { numRuns: LONG ? 10_000 : 300 };
export const MANY = LONG ? 2_000 : 60;
/** Each with a session. */
export const THREADS = ["100000000000000010", "100000000000000020", "100000000000000030", "100000000000000040"];
/** No prompt of a history is longer, so an edit to a longer one is refused. */
export const PROMPT_CHARS = 12;

const CHOOSING = [
  "complete",
  "gone",
  "fail",
  "cancelled",
  "tool",
  "changes",
  "checkout",
  "checkout_end",
  "process",
  "session_key",
  "denied",
  "put_back",
  "send_now",
  "sent",
  "not_sent",
  "retry",
  "continue",
  "discard",
  "cancel_job",
  "move_first",
  "post",
  "read",
  "edit",
  "delete",
  "clear",
  "unpark",
  "checked",
  "tool_changed",
  ...DECIDING,
  ...OUTSIDE,
] as const;

/** What may happen next; `pick` chooses among what there is at the time. */
export type Happening =
  | { kind: "hear"; thread: number; number: number; blank: boolean }
  | { kind: (typeof CHOOSING)[number]; pick: number }
  | { kind: "crash"; kept: number };

const pick = fc.nat(1000);
const some = (weight: number, ...kinds: (typeof CHOOSING)[number][]): fc.WeightedArbitrary<Happening> => ({
  weight,
  arbitrary: fc.record({ kind: fc.constantFrom(...kinds), pick }),
});

const happening: fc.Arbitrary<Happening> = fc.oneof(
  {
    weight: 10,
    arbitrary: fc.record({
      kind: fc.constant("hear" as const),
      thread: fc.nat(3),
      number: fc.nat(60),
      blank: fc.boolean(),
    }),
  },
  some(12, "complete", "gone", "gone"),
  some(4, "fail", "cancelled", "retry", "continue", "discard", "post", "read"),
  some(6, "edit", "delete", "cancel_job", "move_first", "clear", "tool_changed"),
  some(5, "unpark", "unpark", "edit"),
  some(5, "put_back", "tool", "changes", "checkout_end"),
  some(4, "waiting", "waiting", "planning", "asking", "mcp_asks", "placed", "shown"),
  some(4, "decided", "decided", "typed", "typed", "replied", "paged", "delivered"),
  some(1, "lapsed", "disconnected", "reminded", "voided", "revoked"),
  some(2, "process", "session_key", "denied", "checkout"),
  some(4, "process", "send_now", "send_now", "sent", "not_sent"),
  some(4, "checked"),
  some(4, ...OUTSIDE, "outside_begins", "outside_ends", "outside_ends"),
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("crash" as const), kept: fc.nat(4) }) },
);
/** `size`: without it most histories would be a handful of steps long, and hardly anything would happen in them. */
export const history = fc.array(happening, { maxLength: 120, size: "max" });

/** The same with little but messages that are sent into running turns, and taken back. */
export const sendingHistory = fc.array(
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        kind: fc.constant("hear" as const),
        thread: fc.nat(1),
        number: fc.nat(60),
        blank: fc.boolean(),
      }),
    },
    some(6, "process", "send_now", "send_now", "sent", "not_sent"),
    some(4, "edit", "delete", "cancel_job", "clear"),
    some(2, "complete", "gone", "outside_begins", "outside_ends"),
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("crash" as const), kept: fc.nat(4) }) },
  ),
  { maxLength: 60, size: "max" },
);

/** The same with little but decisions in it. */
export const decisionHistory = fc.array(
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        kind: fc.constant("hear" as const),
        thread: fc.nat(1),
        number: fc.nat(60),
        blank: fc.boolean(),
      }),
    },
    some(4, "complete", "gone", "gone", "put_back", "checked", "cancel_job", "tool"),
    some(9, "waiting", "waiting", "waiting", "planning", "asking", "mcp_asks", "mcp_asks", "placed", "shown"),
    some(12, "decided", "decided", "typed", "typed", "typed", "replied", "paged", "delivered"),
    some(3, "lapsed", "disconnected", "reminded", "snoozed", "voided", "revoked"),
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("crash" as const), kept: fc.nat(4) }) },
  ),
  { maxLength: 120, size: "max" },
);

/** One thing happens; returns what was recorded. */
export function happen(scene: Scene, what: Happening): RecordedEvent[] {
  if (what.kind === "hear") {
    const { thread, number, blank } = what;
    const files = number % 5 === 0 ? [`/up/${number}`] : [];
    return scene.hear(
      THREADS[thread] ?? "",
      message(number),
      blank && number % 7 === 0 ? " " : `p${number}`,
      number % 11 === 0 ? ["x.exe"] : [],
      files,
    );
  }
  if (what.kind === "crash") {
    scene.crash(what.kept);
    return scene.do({ type: "restart" });
  }
  return chosen(scene, what);
}

function chosen(scene: Scene, { kind, pick: picked }: Extract<Happening, { pick: number }>): RecordedEvent[] {
  const jobs = Object.keys(scene.state.jobs);
  const any = jobs[picked % Math.max(1, jobs.length)] ?? "none";
  const busy = Object.values(scene.state.threads).flatMap(({ busy_job }) => busy_job ?? []);
  const live = busy[picked % Math.max(1, busy.length)] ?? any;
  const thread_id = THREADS[picked % THREADS.length] ?? "";
  switch (kind) {
    case "complete":
      return scene.complete(live);
    case "fail":
      return scene.fail(live);
    case "post":
      return scene.post(any, picked % 5 === 0 ? null : message(picked % 80));
    case "read":
      return read(scene, thread_id, picked);
    case "put_back":
      return putBack(scene, live, picked);
    case "retry":
    case "continue":
      return attempt(scene, { type: kind, job_id: any });
    case "discard":
    case "move_first":
      return scene.do({ type: kind, job_id: any });
    case "cancelled":
      return scene.do({ type: kind, job_id: live });
    case "cancel_job":
      return scene.do({ type: kind, job_id: picked % 3 === 0 ? live : any, by: "owner" });
    case "edit":
    case "delete":
      return rewritten(scene, kind, thread_id, picked);
    case "clear":
      return picked % 4 === 0 ? scene.do({ type: "clear_queue", thread_id }) : [];
    case "send_now":
    case "sent":
    case "not_sent":
      return sending(scene, kind, live, picked);
    case "unpark":
      return unpark(scene, picked);
    case "checked":
      return scene.do({ type: "queue_checked", thread_id });
    case "tool_changed":
      return scene.do({
        type: "change_tool",
        thread_id,
        tool: picked % 2 === 0 ? "claude" : "codex",
        ...(picked % 3 === 0 && { key_name: "moved_key" }),
      });
    default:
      if (isOutside(kind)) return outside(scene, kind, picked, thread_id);
      if (isDeciding(kind)) return deciding(scene, kind, picked, live, THREADS);
      return scene.do({ type: "progress", job_id: kind === "changes" ? any : live, progress: progress(kind) });
  }
}

function isOutside(kind: string): kind is (typeof OUTSIDE)[number] {
  return (OUTSIDE as readonly string[]).includes(kind);
}

function isDeciding(kind: string): kind is (typeof DECIDING)[number] {
  return (DECIDING as readonly string[]).includes(kind);
}

const checkout = { cwd: "/srv/app", branch: "main", head: "1", tree: null };

type Told = "gone" | "tool" | "changes" | "checkout" | "checkout_end" | "process" | "session_key" | "denied";

function progress(kind: Told): Progress {
  switch (kind) {
    case "process":
      return { kind, pid: 42, start_time: "7", steers: true };
    case "session_key":
      return { kind, adapter_state: { session_id: "s", thread_id: "t" } };
    case "denied":
      return { kind, name: "Bash" };
    case "gone":
      return { kind };
    case "tool":
      return { kind, name: "Bash", title: "ls", ok: true };
    case "changes":
      return { kind, changes: { files: 1, added: 2, removed: 3, patch: null }, stat: "a | 5" };
    case "checkout":
    case "checkout_end":
      return { kind, checkout };
  }
}

/** As the runner does it: back into the queue, then the thread waits, then the process is gone. */
function putBack(scene: Scene, job_id: string, picked: number): RecordedEvent[] {
  const thread_id = scene.state.jobs[job_id]?.thread_id ?? "none";
  const why = picked % 2 === 0 ? "limit" : "changed";
  const back = scene.do({ type: "put_back", job_id, why });
  const changed: Changed = {
    ...(picked % 3 !== 0 && { checkout: { was: checkout, is: { ...checkout, head: "2" } } }),
    ...(picked % 3 !== 1 && { place: { project_name: "app", was: checkout.cwd, is: "/data/app" } }),
  };
  const wait =
    why === "limit"
      ? ({ kind: why, job_id, until: "2026-02-27T00:00:00.000Z" } as const)
      : changedWait(job_id, changed);
  if (back.length === 0 || picked % 7 === 0) return back;
  return [...back, ...scene.do({ type: "park", thread_id, job_id, wait })];
}

/** A waiting message, into what runs in its thread: a job's turn, or what the agent does by itself. */
function sending(scene: Scene, kind: "send_now" | "sent" | "not_sent", job: string, picked: number): RecordedEvent[] {
  const outside = outsideThreads(scene.state)[picked % 3];
  const live = outside?.outside ?? job;
  const { queue = [] } = scene.state.sessions[outside?.thread_id ?? scene.state.jobs[live]?.thread_id ?? ""] ?? {};
  const job_id = queue[kind === "send_now" ? picked % Math.max(1, queue.length) : 0] ?? "none";
  if (kind === "send_now") return scene.do({ type: kind, job_id });
  return scene.do(kind === "sent" ? { type: kind, job_id, into: live } : { type: kind, job_id, code: "E_SEND_FAILED" });
}

/** By whatever might press or ring, whether it can end this wait or not. */
function unpark(scene: Scene, picked: number): RecordedEvent[] {
  const waiting = Object.values(scene.state.threads).filter(({ wait }) => wait !== null);
  const { thread_id, wait } = waiting[picked % Math.max(1, waiting.length)] ?? {
    thread_id: THREADS[0] ?? "",
    wait: null,
  };
  const job_id = wait?.job_id ?? "none";
  const by = (["time", "owner", "seen", "fresh"] as const)[Math.floor(picked / 5) % 4] ?? "time";
  if (by === "owner") return scene.do({ type: "unpark", thread_id, job_id, by });
  if (by !== "time") {
    const digest = wait?.kind === "changed" && picked % 7 !== 0 ? wait.digest : "of something else";
    return scene.do({ type: "accept_changed", thread_id, job_id, digest, by });
  }
  scene.rules = { ...scene.rules, resume_after_limit: Math.floor(picked / 20) % 2 === 0 ? "ask" : "go_on" };
  const lifted = scene.do({ type: "lift_limit", thread_id, job_id });
  // Its question stands below what was heard so far, or somewhere above it.
  if (wait?.kind === "limit" && wait.lifted !== true)
    lifted.push(...scene.post(job_id, message(picked % 61), liftedPart(wait)));
  return lifted;
}

function rewritten(scene: Scene, kind: "edit" | "delete", thread_id: string, picked: number): RecordedEvent[] {
  const [first] = scene.state.sessions[thread_id]?.queue ?? [];
  const waits = first === undefined ? undefined : scene.state.jobs[first]?.discord_message_id;
  const discord_message_id = (picked % 3 > 0 ? waits : undefined) ?? message(picked % 61);
  if (kind === "delete") return scene.do({ type: "delete_message", thread_id, discord_message_id });
  const prompt = picked % 9 === 0 ? "" : picked % 9 === 1 ? "x".repeat(PROMPT_CHARS + 1) : `e${picked % 3}`;
  return scene.do({ type: "edit_message", thread_id, discord_message_id, prompt });
}

/** The watermark comes up behind what was heard, and no further. */
function read(scene: Scene, thread: string, picked: number): RecordedEvent[] {
  const heard = Object.keys(scene.state.dedupe)
    .filter((key) => key.startsWith(`${thread}:`))
    .map((key) => key.slice(thread.length + 1));
  const through = heard.sort()[picked % Math.max(1, heard.length)];
  return through === undefined ? [] : scene.do({ type: "channel_read", channel_id: thread, through });
}

function attempt(scene: Scene, command: Command): RecordedEvent[] {
  try {
    return scene.do(command);
  } catch (error) {
    match(error instanceof BellhopError ? error.code : String(error), /^E_JOB_NOT_RETRYABLE$/);
    return [];
  }
}

/** Throws where it is broken: `happened` in the last step, and what that was. */
export type Law = (scene: Scene, happened: RecordedEvent[], what: Happening) => void;

/** Runs histories and asks `law` after every step; each history gets its own. */
export function always(law: () => Law, over = history): void {
  tried(over, (scene, steps) => {
    const holds = law();
    for (const what of steps) holds(scene, happen(scene, what), what);
  });
}

/** A record, and what it came to. */
export type Record = Pick<Scene, "events" | "state">;

/**
 * Runs histories and holds `law` against the record of each. A law about events in their order is true of every
 * beginning of a record of which it is true, so it is asked at the end, and before a crash takes some of it away.
 */
export function recorded(law: (events: readonly RecordedEvent[], record: Record) => void, over = history): void {
  tried(over, (scene, steps) => recordsOf(scene, steps, (record) => law(record.events, record)));
}

function recordsOf(scene: Scene, steps: readonly Happening[], take: (record: Record) => void): void {
  for (const what of steps) {
    if (what.kind === "crash") take(scene);
    happen(scene, what);
  }
  take(scene);
}

type Given = [steps: readonly Happening[], global_max_running: number, after_crash: "wait" | "go_on"];

const RULES = [fc.integer({ min: 1, max: 3 }), fc.constantFrom("wait" as const, "go_on" as const)] as const;

function begun(...[steps, global_max_running, after_crash]: Given): { scene: Scene; steps: readonly Happening[] } {
  const rules = { global_max_running, after_crash, max_queue_per_session: 6, max_prompt_chars: PROMPT_CHARS };
  return { scene: new Scene(rules).withSessions(...THREADS), steps };
}

function tried(over: typeof history, run: (scene: Scene, steps: readonly Happening[]) => void): void {
  fc.assert(
    fc.property(over as fc.Arbitrary<readonly Happening[]>, ...RULES, (...given) => {
      const { scene, steps } = begun(...given);
      run(scene, steps);
    }),
    RUNS,
  );
}

/** Whether the thread has something to run and nothing that keeps it. */
export function canRun({ state }: Pick<Scene, "state">, threadId: string): boolean {
  const thread = state.threads[threadId];
  const free =
    thread?.busy_job === null &&
    thread.hold === null &&
    thread.wait === null &&
    !thread.stale &&
    thread.outside === undefined;
  return free && (state.sessions[threadId]?.queue.length ?? 0) > 0;
}

/** Whether its agent had begun with the job, which it was sent in another one's turn, before it was started. */
export function begunByItself({ events }: Pick<Scene, "events">, jobId: string): boolean {
  const last = events.findLast(
    (event) => jobOf(event) === jobId && ["JobSendRequested", "JobSendFailed", "JobEnqueued"].includes(event.type),
  );
  return last?.type === "JobSendRequested";
}

export const jobOf = (event: RecordedEvent): string => ("job_id" in event.payload ? event.payload.job_id : "");
