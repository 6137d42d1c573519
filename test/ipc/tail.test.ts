/**
 * What a running job has said so far: all of it where it fits, its end where it does not, nothing once it has ended.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Engine } from "../../src/engine/engine.ts";
import { createLiveEvents, type JobLiveEvent } from "../../src/engine/live.ts";
import { emptyState } from "../../src/core/state.ts";
import { rememberTranscripts } from "../../src/ipc/tail.ts";

const ids = { job_id: "job_20260226_0001", thread_id: "123456789012345678" };

/** As much of an engine as is looked at: the state, and how to be told that it changed. */
function scene() {
  const state = emptyState();
  const keepers = new Set<() => void>();
  const engine = {
    state,
    watch: (_kinds: unknown, keeper: () => void) => (keepers.add(keeper), () => undefined),
  } as unknown as Engine;
  const liveEvents = createLiveEvents<JobLiveEvent>();
  const said = rememberTranscripts(engine, liveEvents);
  const set = (jobState: "running" | "success"): void => {
    state.jobs[ids.job_id] = { ...ids, state: jobState } as (typeof state.jobs)[string];
    for (const keeper of keepers) keeper();
  };
  set("running");
  return { liveEvents, said, set };
}

const words = (liveEvents: readonly JobLiveEvent[]): string =>
  liveEvents.map((signal) => (signal.kind === "text" ? signal.delta : `[${signal.kind}]`)).join("");

test("told in its order, in few pieces, however small those it came in", () => {
  const part = fc.oneof(
    fc.string({ maxLength: 20 }).map((delta): JobLiveEvent => ({ kind: "text", ...ids, delta })),
    fc.constant<JobLiveEvent>({ kind: "tool_started", ...ids, id: "t", name: "Bash", title: "" }),
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 50, size: "max" }), (parts) => {
      const { liveEvents, said } = scene();
      for (const one of parts) liveEvents.send(one);
      expect(words(said.of(ids.job_id))).toBe(words(parts));
      const kinds = said.of(ids.job_id).map(({ kind }) => kind);
      expect(kinds.some((kind, index) => kind === "text" && kinds[index + 1] === "text")).toBe(false);
    }),
  );
});

test("of a job that says very much the end is kept, and no piece is too long for a frame", () => {
  const { liveEvents, said } = scene();
  let all = "";
  for (let index = 0; index < 50_000; index += 1) {
    const delta = `${index} said. `;
    all += delta;
    liveEvents.send({ kind: "text", ...ids, delta });
  }
  const kept = said.of(ids.job_id);
  expect(all.endsWith(words(kept))).toBe(true);
  expect(words(kept).length).toBeGreaterThan(100_000);
  expect(words(kept).length).toBeLessThan(250_000);
  expect(Math.max(...kept.map((signal) => JSON.stringify(signal).length))).toBeLessThan(100_000);
});

test("a job that has ended is forgotten, and another's words are not its own", () => {
  const { liveEvents, said, set } = scene();
  liveEvents.send({ kind: "text", ...ids, delta: "mine" });
  liveEvents.send({ kind: "text", ...ids, job_id: "job_20260226_0002", delta: "other" });
  expect(words(said.of(ids.job_id))).toBe("mine");
  set("success");
  expect(said.of(ids.job_id)).toEqual([]);
});
