/**
 * What Claude may always do, as it has written that down itself when its user said so at the terminal. It keeps nothing
 * waiting, but whatever is new among it is told in the thread of the next job.
 */
import type { Slice } from "../slice.ts";
import type { State } from "../state.ts";

export interface RulesEvent {
  type: "RulesAllowed";
  /** `project_name`: as of `seenName`; `rules`: all of them. */
  payload: { project_name: string; thread_id: string; job_id: string; rules: string[] };
}

/** These rules stand where the job runs. `rules`: sorted. */
export type RulesCommand = { type: "note_rules" } & RulesEvent["payload"];

/** Those that are known where the session works. */
export function knownRules({ seen, worktrees }: State, threadId: string, projectName: string): readonly string[] {
  return worktrees[threadId]?.allowed ?? seen[projectName]?.allowed ?? [];
}

export function decideRules(state: State, { type: _type, ...payload }: RulesCommand): RulesEvent[] {
  const known = knownRules(state, payload.thread_id, payload.project_name);
  return !state.runs[payload.job_id] || JSON.stringify(known) === JSON.stringify(payload.rules)
    ? []
    : [{ type: "RulesAllowed", payload }];
}

export function evolveRules(state: State, { payload }: RulesEvent): void {
  const { project_name, thread_id, job_id, rules } = payload;
  const known = new Set(knownRules(state, thread_id, project_name));
  const place = state.worktrees[thread_id] ?? state.seen[project_name];
  if (place) place.allowed = [...rules];
  const run = state.runs[job_id];
  const fresh = rules.filter((rule) => !known.has(rule));
  if (run && fresh.length > 0) run.allowed = [...(run.allowed ?? []), ...fresh];
}

export const rulesSlice: Slice<RulesCommand, RulesEvent> = {
  decide: { note_rules: decideRules },
  evolve: { RulesAllowed: evolveRules },
  kinds: "notice",
};
