/**
 * The reconciler of the files that agents send: Bellhop's own copy of a file is kept until it is posted in Discord, or
 * until it is known that it never will be. The agent's file stays where it is.
 */
import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import { isRunning } from "../../core/decisions/asker.ts";
import type { State } from "../../core/state.ts";
import { reconcile, type Reconciler, type Reconciling } from "../../engine/reconcile.ts";
import type { Results } from "../../host/files/results.ts";
import { isSent } from "../views/jobs/file-posts.ts";

export interface SentFilesOptions {
  engine: Reconciling["engine"];
  results: Pick<Results, "attached" | "dropAttached">;
  clock: Clock;
  log: Log;
}

/** Stands for the look at all kept files, including those of an earlier daemon. */
const ALL = "all";

export function keepSentFiles({ engine, results, clock, log }: SentFilesOptions): Reconciler {
  const done = new Set<string>();

  function step(key: string): Promise<void> | null {
    if (done.has(key)) return null;
    if (key === ALL) return lookAtAll();
    const [jobId = "", place = ""] = key.split(" ");
    // While it runs, its files may be kept and not recorded yet.
    return isOwed(engine.state, jobId, Number(place)) || isRunning(engine.state, jobId)
      ? null
      : drop(key, jobId, Number(place));
  }

  async function lookAtAll(): Promise<void> {
    for (const { jobId, place } of await results.attached()) files.look(keyOf(jobId, place));
    done.add(ALL);
  }

  async function drop(key: string, jobId: string, place: number): Promise<void> {
    await results.dropAttached(jobId, place);
    done.add(key);
  }

  const files = reconcile({
    engine,
    clock,
    log,
    failure: "a file that was sent could not be removed",
    details: (key) => ({ job_id: key.split(" ")[0] ?? "" }),
    follows: { all: () => [ALL], about: sentIn },
    step,
  });
  files.start();
  return files;
}

function keyOf(jobId: string, place: number): string {
  return `${jobId} ${place}`;
}

/** It is to be posted, and is not yet. */
function isOwed(state: State, jobId: string, place: number): boolean {
  return state.runs[jobId]?.attachments?.[place]?.why === null && !isSent(state, jobId, place);
}

function sentIn(threadId: string, state: State): string[] {
  const thread = state.threads[threadId];
  return [...(thread?.ended ?? []), ...(thread?.turns ?? [])].flatMap((id) =>
    (state.runs[id]?.attachments ?? []).flatMap(({ why }, place) =>
      why === null && isSent(state, id, place) ? [keyOf(id, place)] : [],
    ),
  );
}
