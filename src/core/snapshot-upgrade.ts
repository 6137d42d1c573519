/**
 * Restores the state from a snapshot of any version: what has been added to the state since then gets the value that a
 * replay of the same journal would have given it.
 */
import { emptyRecord } from "./indexed.ts";
import { emptyState, type State } from "./state.ts";
import { newRun } from "./jobs/run.ts";

/** `snapshot` is the state of any version, or null for none. The returned state takes it over. */
export function restored(snapshot: object | null): State {
  const state: State = { ...emptyState(), ...unborn(snapshot ?? {}) };
  for (const [id, run] of Object.entries(state.runs)) state.runs[id] = { ...newRun(), ...run };
  for (const id of Object.keys(state.jobs)) state.runs[id] ??= newRun();
  for (const [id, thread] of Object.entries(state.threads)) {
    state.threads[id] = { ...thread, wait: thread.wait ?? null, stale: thread.stale ?? false, checkout: thread.checkout ?? null };
  }
  for (const [id, notice] of Object.entries(state.notices)) {
    state.notices[id] = { ...notice, subject: notice.subject ?? id, change: notice.change ?? null };
  }
  return state;
}

/** Removes the prototypes of its records again, because JSON does not preserve that. */
function unborn(snapshot: object): object {
  const entries = Object.entries(snapshot).map(([key, value]: [string, unknown]) => {
    const isRecord = typeof value === "object" && value !== null && key !== "count";
    return [key, isRecord ? Object.assign(emptyRecord<unknown>(), value) : value];
  });
  return Object.fromEntries(entries) as object;
}
