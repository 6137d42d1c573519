/**
 * `tail`: a running job, reported in parts: which job it is, what it says and does, and finally how it ended. It only
 * listens, so watchers never affect the job. What each running job has said and done so far is kept for those that join
 * later; like the live events it consists of, it is not journaled.
 */
import { entryOf } from "../base/entry.ts";
import { BellhopError, type ErrorCode } from "../base/errors.ts";
import type { State } from "../core/state.ts";
import type { Job, JobState } from "../core/jobs/job.ts";
import type { Engine } from "../engine/engine.ts";
import type { JobLiveEvent, LiveEvents } from "../engine/live.ts";
import type { Call, Method } from "./connection.ts";

/** Sent before the live events: which job this is, and its tools so far if no live events cover them. */
export interface TailBegin {
  kind: "job";
  job_id: string;
  thread_id: string;
  tool: string;
  state: JobState;
  tools: { name: string; title: string; ok: boolean }[];
}

export type TailPart = TailBegin | JobLiveEvent;

export interface TailEnd {
  job_id: string;
  state: JobState;
  error_code: ErrorCode | null;
  finished_at: string | null;
  result_excerpt: string | null;
}

/** Characters kept per job and per piece: several times a terminal's scrollback, far less than a frame. */
const KEPT_CHARACTERS = 200_000;
const PIECE_CHARACTERS = 10_000;
/** The cost of a live event besides its text. */
const SIGNAL_CHARACTERS = 100;

/**
 * Params: `{target}`, a job's id or a session's (then its running job, else its next or last one). Waits for a queued
 * job.
 * @returns the method; it throws E_SESSION_NOT_FOUND {session}, E_JOB_NOT_FOUND {job}
 */
export function tailMethod(engine: Engine, liveEvents: LiveEvents<JobLiveEvent>): Method {
  const transcripts = rememberTranscripts(engine, liveEvents);
  return (call) => {
    const job = find(engine.state, targetOf(call.params));
    const { job_id, thread_id, tool, state } = job;
    const before = transcripts.of(job_id);
    const tools = before.length > 0 ? [] : (engine.state.runs[job_id]?.begun?.tools ?? []);
    call.part({ kind: "job", job_id, thread_id, tool, state, tools } satisfies TailBegin);
    for (const signal of before) call.part(signal);
    return follow(job, call, engine, liveEvents);
  };
}

function follow(
  job: Job,
  { part, cancelled }: Call,
  engine: Engine,
  liveEvents: LiveEvents<JobLiveEvent>,
): Promise<TailEnd> {
  return new Promise((resolve) => {
    const stopListening = liveEvents.listen((signal) => {
      if (signal.job_id === job.job_id) part(signal);
    });
    const stopWatching = engine.watch(["run", "end"], look);
    cancelled.addEventListener("abort", stop, { once: true });
    look();

    function look(): void {
      // A job that has left the live state has ended; its record no longer changes.
      const now = engine.state.jobs[job.job_id] ?? job;
      if (now === engine.state.jobs[job.job_id] && (now.state === "queued" || now.state === "running")) return;
      stop();
      const { job_id, state, error_code, finished_at, result_excerpt } = now;
      resolve({ job_id, state, error_code, finished_at, result_excerpt });
    }

    function stop(): void {
      stopListening();
      stopWatching();
    }
  });
}

function targetOf(params: unknown): string {
  const target = typeof params === "object" && params !== null && "target" in params ? params.target : undefined;
  return typeof target === "string" ? target.slice(0, 80) : "";
}

function find({ sessions, jobs }: State, target: string): Job {
  const session = entryOf(sessions, target);
  if (session === undefined && /^\d+$/.test(target)) throw new BellhopError("E_SESSION_NOT_FOUND", { session: target });
  const id = session === undefined ? target : (session.running_job_id ?? session.queue[0] ?? session.last_job_id ?? "");
  const job = entryOf(jobs, id);
  if (job === undefined) throw new BellhopError("E_JOB_NOT_FOUND", { job: id || target });
  return job;
}

interface Transcripts {
  /** The events of this job, oldest first; empty if it has said nothing yet. */
  of(jobId: string): readonly JobLiveEvent[];
}

interface TailBuffer {
  liveEvents: JobLiveEvent[];
  characters: number;
}

/** A transcript ends with its job or the daemon; of a very long one only the end is kept. */
export function rememberTranscripts(engine: Engine, liveEvents: LiveEvents<JobLiveEvent>): Transcripts {
  const jobs = new Map<string, TailBuffer>();
  liveEvents.listen((signal) => {
    const kept = jobs.get(signal.job_id) ?? { liveEvents: [], characters: 0 };
    jobs.set(signal.job_id, kept);
    keep(kept, signal);
  });
  engine.watch(["run", "end"], () => {
    for (const id of jobs.keys()) if (engine.state.jobs[id]?.state !== "running") jobs.delete(id);
  });
  return { of: (jobId) => jobs.get(jobId)?.liveEvents ?? [] };
}

function keep(kept: TailBuffer, signal: JobLiveEvent): void {
  const last = kept.liveEvents.at(-1);
  if (signal.kind === "text" && last?.kind === "text" && last.delta.length < PIECE_CHARACTERS) {
    kept.liveEvents[kept.liveEvents.length - 1] = { ...last, delta: last.delta + signal.delta };
    kept.characters += signal.delta.length;
  } else {
    kept.liveEvents.push(signal);
    kept.characters += costOf(signal);
  }
  while (kept.characters > KEPT_CHARACTERS && kept.liveEvents.length > 1)
    kept.characters -= costOf(kept.liveEvents.shift()!);
}

function costOf(signal: JobLiveEvent): number {
  return SIGNAL_CHARACTERS + (signal.kind === "text" ? signal.delta.length : 0);
}
