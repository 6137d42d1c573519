/**
 * A thread that waits because something has changed: one wait for all of it, an answer to exactly that, and nothing
 * that was not shown counts as seen.
 */
import { describe, expect, test } from "vitest";
import { changedWait, type Changed, type ChangedWait, type Checkout } from "../../../src/core/projects/checkout.ts";
import { job, message, Scene, T1, T2 } from "../scene.ts";

const digest = (entry: string): string => entry.repeat(64);
const main: Checkout = { cwd: "/data/app", branch: "main", head: "1", tree: null };
const other: Checkout = { ...main, branch: "other" };
const files = { project_name: "app", was: digest("a"), is: digest("b"), shown: digest("c") };

const PLACE: Changed = { place: { project_name: "app", was: "/srv/app", is: "/data/app" } };
const CHECKOUT: Changed = { checkout: { was: main, is: other } };
const CONFIGURATION: Changed = { configuration: files };
const FURTHER: Changed = { configuration: { ...files, is: digest("e"), shown: digest("f") } };

/** Every combination of what can have changed. */
const COMBINATIONS: [string, Changed][] = [
  ["the place", PLACE],
  ["the checkout", CHECKOUT],
  ["the configuration", CONFIGURATION],
  ["the place and the checkout", { ...PLACE, ...CHECKOUT }],
  ["the place and the configuration", { ...PLACE, ...CONFIGURATION }],
  ["the checkout and the configuration", { ...CHECKOUT, ...CONFIGURATION }],
  ["all three", { ...PLACE, ...CHECKOUT, ...CONFIGURATION }],
];

const park = (number: number, thread_id: string, changed: Changed) =>
  ({ type: "park", thread_id, job_id: job(number), wait: changedWait(job(number), changed) }) as const;
const accept = (number: number, thread_id: string, changed: Changed, by: "seen" | "fresh" = "seen") => {
  const { job_id, digest: shown } = changedWait(job(number), changed);
  return { type: "accept_changed", thread_id, job_id, digest: shown, by } as const;
};

/** A conversation in each of these threads, whose next job waits for this. */
function waiting(...changes: Changed[]): Scene {
  const threads = [T1, T2].slice(0, changes.length);
  const scene = new Scene({ global_max_running: 9 }).withSessions(...threads);
  scene.do({ type: "see_project", project_name: "app", path: "/srv/app", configuration: digest("a") });
  threads.forEach((thread_id, index) => {
    scene.hear(thread_id, message(index + 1));
    const job_id = job(index + 1);
    const adapter_state = { session_id: `s${index}` };
    scene.do({ type: "progress", job_id, progress: { kind: "session_key", adapter_state } });
    scene.do({ type: "progress", job_id, progress: { kind: "checkout_end", checkout: { ...main, cwd: "/srv/app" } } });
    scene.do({ type: "put_back", job_id, why: "changed" });
    scene.do(park(index + 1, thread_id, changes[index] ?? {}));
    scene.do({ type: "progress", job_id, progress: { kind: "gone" } });
  });
  return scene;
}

const waitIn = (scene: Scene, thread = T1): ChangedWait | null => {
  const wait = scene.state.threads[thread]?.wait;
  return wait?.kind === "changed" ? wait : null;
};

describe.each(COMBINATIONS)("where %s changed", (_name, changed) => {
  const begins = [
    ...(changed.place || changed.configuration ? ["ProjectSeen"] : []),
    "SessionUnparked",
    "JobStarted",
  ] as const;
  const seen = {
    path: changed.place ? "/data/app" : "/srv/app",
    configuration: changed.configuration ? digest("b") : digest("a"),
  };

  test("nothing runs whatever else is pressed, and Go on runs it in the same conversation, once", () => {
    const scene = waiting(changed);
    expect(waitIn(scene)).toEqual(changedWait(job(1), changed));
    for (const by of ["owner", "cleared", "terminal"] as const)
      expect(scene.types({ type: "unpark", thread_id: T1, job_id: job(1), by })).toEqual([]);
    expect(scene.types({ type: "lift_limit", thread_id: T1, job_id: job(1) })).toEqual([]);
    expect(scene.types(accept(2, T1, changed))).toEqual([]);
    expect(scene.types(accept(1, T1, changed))).toEqual(begins);
    expect(scene.state.seen?.["app"]).toEqual(seen);
    expect(scene.state.sessions[T1]?.adapter_state).toEqual({ session_id: "s0" });
    expect(scene.state.threads[T1]?.checkout).toEqual(changed.checkout ? other : { ...main, cwd: seen.path });
    expect(scene.types(accept(1, T1, changed))).toEqual([]);
    scene.checkReplay();
  });

  test("New conversation here counts as seen too, and forgets the old conversation and its checkout", () => {
    const scene = waiting(changed);
    expect(scene.types(accept(1, T1, changed, "fresh"))).toEqual(begins);
    expect(scene.state.seen?.["app"]).toEqual(seen);
    expect([scene.state.sessions[T1]?.adapter_state, scene.state.threads[T1]?.checkout]).toEqual([{}, null]);
    scene.checkReplay();
  });

  test("the owner can do without the job, and has seen nothing then", () => {
    const scene = waiting(changed);
    expect(scene.types({ type: "cancel_job", job_id: job(1), by: "owner" })).toEqual([
      "SessionUnparked",
      "JobCancelled",
    ]);
    expect(scene.state.seen?.["app"]).toEqual({ path: "/srv/app", configuration: digest("a") });
    expect(scene.state.threads[T1]?.checkout?.cwd).toBe("/srv/app");
  });

  test("a further change asks again, and an answer to what was shown before counts nowhere", () => {
    const scene = waiting(changed, changed);
    const further: Changed = { ...changed, ...FURTHER };
    expect(scene.types(park(1, T1, further))).toEqual(["SessionParked"]);
    expect(scene.types(park(1, T1, further))).toEqual([]);
    for (const by of ["seen", "fresh"] as const) expect(scene.types(accept(1, T1, changed, by))).toEqual([]);
    expect(waitIn(scene)).toEqual(changedWait(job(1), further));
    expect(scene.types(accept(1, T1, further))).toContain("JobStarted");
    expect(scene.types(accept(1, T1, changed))).toEqual([]);
    scene.checkReplay();
  });

  test.each(["seen", "fresh"] as const)(
    "another thread that waits for the same goes on after an answer by %s, but asks itself for its own checkout",
    (by) => {
      const scene = waiting(changed, changed);
      scene.do(accept(1, T1, changed, by));
      const rest = changed.checkout ? changedWait(job(2), CHECKOUT) : null;
      expect([waitIn(scene, T2), scene.state.jobs[job(2)]?.state]).toEqual([rest, rest ? "queued" : "running"]);
      expect(scene.state.threads[T2]?.checkout).toEqual({ ...main, cwd: seen.path });
      if (rest) expect(scene.types(accept(2, T2, CHECKOUT))).toEqual(["SessionUnparked", "JobStarted"]);
      expect(scene.state.sessions[T2]?.adapter_state).toEqual({ session_id: "s1" });
      scene.checkReplay();
    },
  );

  test("is told apart from every other combination", () => {
    const { digest: own } = changedWait(job(1), changed);
    expect(COMBINATIONS.filter(([, one]) => changedWait(job(1), one).digest === own)).toHaveLength(1);
  });
});

test("a thread that waits for more is asked for the rest alone, and its conversation moves with its project", () => {
  const scene = waiting({ ...PLACE, ...CONFIGURATION }, { ...PLACE, ...FURTHER });
  expect(scene.types(accept(1, T1, { ...PLACE, ...CONFIGURATION }))).toEqual([
    "ProjectSeen",
    "SessionUnparked",
    "SessionParked",
    "JobStarted",
  ]);
  expect(waitIn(scene, T2)).toEqual(changedWait(job(2), FURTHER));
  expect(scene.state.threads[T2]?.checkout?.cwd).toBe("/data/app");
  expect(scene.types(accept(2, T2, { ...PLACE, ...FURTHER }))).toEqual([]);
  expect(scene.types(accept(2, T2, FURTHER))).toEqual(["ProjectSeen", "SessionUnparked", "JobStarted"]);
  expect(scene.state.seen?.["app"]).toEqual({ path: "/data/app", configuration: digest("e") });
  scene.checkReplay();
});

test("a thread that waits for something else stays as it is, and its conversation where it was", () => {
  for (const wait of [FURTHER, { place: { project_name: "app", was: "/srv/app", is: "/third" } }]) {
    const scene = waiting({ ...PLACE, ...CONFIGURATION }, wait);
    scene.do(accept(1, T1, { ...PLACE, ...CONFIGURATION }));
    expect(waitIn(scene, T2)).toEqual(changedWait(job(2), wait));
    scene.do(park(2, T2, FURTHER));
    expect(scene.state.threads[T2]?.checkout?.cwd).toBe("/srv/app");
  }
});

test("a crash within an answer leaves nothing half answered: what still waits takes its answer again", () => {
  const all = { ...PLACE, ...CHECKOUT, ...CONFIGURATION };
  for (const kept of [0, 1, 2, 3]) {
    const scene = waiting(all, all);
    scene.do(accept(1, T1, all));
    scene.crash(kept);
    scene.restart();
    for (const thread_id of [T1, T2]) scene.do({ type: "queue_checked", thread_id });
    expect(waitIn(scene)).toEqual(kept < 2 ? changedWait(job(1), all) : null);
    if (kept < 2) scene.do(accept(1, T1, all));
    const left = waitIn(scene, T2);
    expect(left).toEqual(changedWait(job(2), kept === 2 ? all : CHECKOUT));
    expect(scene.types(accept(2, T2, left ?? {}))).toContain("JobStarted");
    expect(scene.running().toSorted()).toEqual([job(1), job(2)]);
    expect(scene.state.seen?.["app"]).toEqual({ path: "/data/app", configuration: digest("b") });
    for (const thread of [T1, T2]) expect(scene.state.threads[thread]?.checkout).toEqual(other);
    scene.checkReplay();
  }
});

test("what is in a session's own worktree is seen there alone", () => {
  for (const own of [T1, T2]) {
    const scene = waiting({ ...PLACE, ...CONFIGURATION }, { ...PLACE, ...CONFIGURATION });
    scene.do({ type: "made_worktree", thread_id: own, path: "/srv/app/.claude/worktrees/w", branch: "w" });
    expect(scene.types(accept(1, T1, { ...PLACE, ...CONFIGURATION }))).toEqual([
      "ProjectSeen",
      ...(own === T1 ? ["WorktreeSeen"] : []),
      "SessionUnparked",
      "SessionParked",
      "JobStarted",
    ]);
    const configuration = own === T1 ? digest("a") : digest("b");
    expect(scene.state.seen?.["app"]).toEqual({ path: "/data/app", configuration });
    expect(scene.state.worktrees?.[own]?.configuration).toBe(own === T1 ? digest("b") : null);
    expect(waitIn(scene, T2)).toEqual(changedWait(job(2), CONFIGURATION));
    scene.checkReplay();
  }
});

test("the digest is over all that is shown, and not over a work tree's files, which are not", () => {
  const shown = (changed: Changed): string => changedWait(job(1), changed).digest;
  expect(shown({ checkout: { was: { ...main, tree: "2" }, is: other } })).toBe(shown(CHECKOUT));
  for (const [field, value] of Object.entries({ cwd: "/x", branch: null, head: "9" })) {
    expect(shown({ checkout: { was: main, is: { ...other, [field]: value } } })).not.toBe(shown(CHECKOUT));
    expect(shown({ checkout: { was: { ...main, [field]: value }, is: other } })).not.toBe(shown(CHECKOUT));
  }
  for (const field of Object.keys(files))
    expect(shown({ configuration: { ...files, [field]: "x" } })).not.toBe(shown(CONFIGURATION));
});

test("nothing is asked about a job that was cancelled meanwhile", () => {
  const scene = new Scene().withSessions(T1);
  scene.hear(T1, message(1));
  scene.do({ type: "cancel_job", job_id: job(1), by: "owner" });
  scene.do({ type: "cancelled", job_id: job(1) });
  expect(scene.types(park(1, T1, PLACE))).toEqual([]);
});

test("another tool's conversation waits for no checkout of this one, and is looked at anew", () => {
  for (const [changed, types] of [
    [{ ...PLACE, ...CHECKOUT }, ["ToolChanged", "SessionUnparked", "JobStarted"]],
    [PLACE, ["ToolChanged"]],
  ] as const) {
    const scene = waiting(changed);
    expect(scene.types({ type: "change_tool", thread_id: T1, tool: "codex" })).toEqual(types);
    expect(scene.state.seen?.["app"]?.path).toBe("/srv/app");
    expect(scene.types(accept(1, T1, { ...PLACE, ...CHECKOUT }))).toEqual([]);
  }
});
