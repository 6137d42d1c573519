/**
 * What agents do by themselves in a random history: a turn begins beside or between jobs, runs a tool, asks, meets a
 * usage limit, is stopped by its owner, and ends, also twice.
 */
import type { RecordedEvent } from "../../../src/core/state.ts";
import type { Progress } from "../../../src/core/jobs/run.ts";
import type { Scene } from "../scene.ts";

export const OUTSIDE = [
  "outside_begins",
  "outside_works",
  "outside_asks",
  "outside_limited",
  "outside_cancelled",
  "outside_ends",
] as const;

const did: Progress[] = [
  { kind: "tool", name: "Bash", title: "ls", ok: true },
  { kind: "gone" },
  { kind: "process", pid: 42, start_time: "7", steers: true },
];

/** @param thread_id where it begins; everything else is about one that runs, or about the last */
export function outside(
  scene: Scene,
  kind: (typeof OUTSIDE)[number],
  picked: number,
  thread_id: string,
): RecordedEvent[] {
  const { state } = scene;
  const all = Object.values(state.turns ?? {});
  const running = all.filter((turn) => turn.state === "running");
  const turn = (picked % 7 === 0 ? undefined : running[picked % Math.max(1, running.length)]) ?? all.at(-1);
  if (kind === "outside_begins")
    return scene.do({
      type: "begin_outside_turn",
      turn_id: `turn_${thread_id}_${picked}`,
      thread_id,
      tool: "claude",
      origin: picked % 3 === 0 ? "terminal" : "background",
    });
  if (!turn) return [];
  const { turn_id } = turn;
  switch (kind) {
    case "outside_works":
      return scene.do({ type: "progress", job_id: turn_id, progress: did[picked % did.length] ?? { kind: "gone" } });
    case "outside_asks":
      return scene.ask(turn_id, `dec_${turn_id}_${picked % 3}`, 1, {
        thread_id: turn.thread_id,
        asker: { by: "turn", turn_id, request_id: "p", ...(picked % 2 === 0 && { subagent: "Explore" }) },
      });
    case "outside_limited":
      return scene.do({
        type: "park",
        thread_id: turn.thread_id,
        job_id: turn_id,
        wait: { kind: "limit", job_id: turn_id, until: "2026-02-27T00:00:00.000Z" },
      });
    case "outside_cancelled":
      return scene.do({ type: "cancel_job", job_id: turn_id, by: "owner" });
    case "outside_ends": {
      const outcome = (["done", "failed", "cancelled", "unknown"] as const)[picked % 4] ?? "done";
      return scene.do({
        type: "end_outside_turn",
        turn_id,
        outcome,
        ...(outcome === "failed" && { error_code: "E_USAGE_LIMIT" as const }),
        goes_on: picked % 5 === 0,
      });
    }
  }
}
