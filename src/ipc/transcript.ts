/**
 * What each running job has said and done so far, for watchers that join later. Like the live events it consists of, it
 * is not journaled: it ends with the job or the daemon, and only the end of a very long one is kept.
 */
import type { Engine } from "../engine/engine.ts";
import type { JobLiveEvent, LiveEvents } from "../engine/live-events.ts";

export interface Transcripts {
  /** The events of this job, oldest first; empty if it has said nothing yet. */
  of(jobId: string): readonly JobLiveEvent[];
}

/** Characters kept per job and per piece: several times a terminal's scrollback, far less than a frame. */
const KEPT_CHARACTERS = 200_000;
const PIECE_CHARACTERS = 10_000;
/** The cost of a live event besides its text. */
const SIGNAL_CHARACTERS = 100;

interface Kept {
  liveEvents: JobLiveEvent[];
  characters: number;
}

export function rememberTranscripts(engine: Engine, liveEvents: LiveEvents<JobLiveEvent>): Transcripts {
  const jobs = new Map<string, Kept>();
  liveEvents.listen((signal) => {
    const kept = jobs.get(signal.job_id) ?? { liveEvents: [], characters: 0 };
    jobs.set(signal.job_id, kept);
    keep(kept, signal);
  });
  engine.watch(() => {
    for (const id of jobs.keys()) if (engine.state.jobs[id]?.state !== "running") jobs.delete(id);
  });
  return { of: (jobId) => jobs.get(jobId)?.liveEvents ?? [] };
}

function keep(kept: Kept, signal: JobLiveEvent): void {
  const last = kept.liveEvents.at(-1);
  if (signal.kind === "text" && last?.kind === "text" && last.delta.length < PIECE_CHARACTERS) {
    kept.liveEvents[kept.liveEvents.length - 1] = { ...last, delta: last.delta + signal.delta };
    kept.characters += signal.delta.length;
  } else {
    kept.liveEvents.push(signal);
    kept.characters += costOf(signal);
  }
  while (kept.characters > KEPT_CHARACTERS && kept.liveEvents.length > 1) kept.characters -= costOf(kept.liveEvents.shift()!);
}

function costOf(signal: JobLiveEvent): number {
  return SIGNAL_CHARACTERS + (signal.kind === "text" ? signal.delta.length : 0);
}
