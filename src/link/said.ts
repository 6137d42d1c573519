/**
 * What each running job has said and done so far, for whoever comes to watch it later. As little as the signals it is
 * made of it is a fact: it ends with the job or the daemon, and of a job that says very much only the end is kept.
 */
import type { Engine } from "../engine/engine.ts";
import type { JobSignal, Signals } from "../engine/signals.ts";

export interface Said {
  /** Of this job, oldest first; empty for one that has said nothing yet. */
  of(jobId: string): readonly JobSignal[];
}

/** Characters kept of a job, and in one piece: several times what a terminal scrolls back, far from what a frame holds. */
const KEPT_CHARACTERS = 200_000;
const PIECE_CHARACTERS = 10_000;
/** What a signal costs beside its text. */
const SIGNAL_CHARACTERS = 100;

interface Kept {
  signals: JobSignal[];
  characters: number;
}

export function rememberSaid(engine: Engine, signals: Signals<JobSignal>): Said {
  const jobs = new Map<string, Kept>();
  signals.listen((signal) => {
    const kept = jobs.get(signal.job_id) ?? { signals: [], characters: 0 };
    jobs.set(signal.job_id, kept);
    keep(kept, signal);
  });
  engine.watch(() => {
    for (const id of jobs.keys()) if (engine.state.jobs[id]?.state !== "running") jobs.delete(id);
  });
  return { of: (jobId) => jobs.get(jobId)?.signals ?? [] };
}

function keep(kept: Kept, signal: JobSignal): void {
  const last = kept.signals.at(-1);
  if (signal.kind === "text" && last?.kind === "text" && last.delta.length < PIECE_CHARACTERS) {
    kept.signals[kept.signals.length - 1] = { ...last, delta: last.delta + signal.delta };
    kept.characters += signal.delta.length;
  } else {
    kept.signals.push(signal);
    kept.characters += costOf(signal);
  }
  while (kept.characters > KEPT_CHARACTERS && kept.signals.length > 1) kept.characters -= costOf(kept.signals.shift()!);
}

function costOf(signal: JobSignal): number {
  return SIGNAL_CHARACTERS + (signal.kind === "text" ? signal.delta.length : 0);
}
