/** What an archived thread's session still has ends only where it surely may, and else its owner is asked. */
import { expect, test } from "vitest";
import { openPutAway } from "../../../../src/agents/run/worktrees/put-away.ts";
import { BellhopError, theirWords } from "../../../../src/base/errors.ts";
import { silentLog } from "../../../../src/base/log.ts";
import { archiveMark } from "../../../../src/core/sessions/archives.ts";
import { createEngine } from "../../../../src/engine/engine.ts";
import type { Remains } from "../../../../src/host/git/worktrees.ts";
import { message, rules, Scene, T1 } from "../../../core/scene.ts";
import { createFakeClock } from "../../../fakes/fake-clock.ts";

const AT = "2026-02-26T14:30:00.000Z";
const PATH = "/srv/app/.claude/worktrees/a";
const CLEAN: Remains = {
  uncommitted: { files: 0, added: 0, removed: 0, stat: "" },
  commits: 1,
  unkept: false,
  mark: "1".repeat(32),
};

interface Has {
  window?: "own" | "adopted";
  worktree?: Remains;
  busy?: true;
  surely?: boolean;
  ended?: Remains;
  fails?: true;
}

/** @param has `ended`: what stands there when its agent has ended; `fails`: git removes nothing */
async function archived({ window, worktree, busy, surely = true, ended, fails }: Has) {
  const scene = new Scene().withSessions(T1);
  if (window)
    scene.do({
      type: "open_window",
      thread_id: T1,
      server: window === "own" ? "own" : "owner",
      socket: "/run/x.tmux",
      window_id: "@1",
      pane_id: "%1",
      pid: 7,
      start_time: "1@b",
      cwd: "/srv/app",
      adopted: window === "adopted",
    });
  if (worktree) scene.do({ type: "made_worktree", thread_id: T1, path: PATH, branch: "worktree-a" });
  if (busy) scene.hear(T1, message(1));
  const clock = createFakeClock();
  const engine = createEngine({
    redact: (value) => value,
    state: scene.state,
    append: () => Promise.resolve(),
    clock,
    rules: () => rules,
    reconcilerFailed: (error) => {
      throw error;
    },
  });
  const did: string[] = [];
  let now = worktree;
  const agents = {
    endAgent: (thread: string, how?: string) =>
      Promise.resolve(void (did.push(`end ${thread} ${how}`), (now = ended ?? now))),
  };
  const worktrees = {
    exists: () => true,
    remains: () => Promise.resolve(now ?? CLEAN),
    remove: (_directory: string, { path }: { path: string }) =>
      fails
        ? Promise.reject(
            new BellhopError("E_WORKTREE_FAILED", { path, branch: "worktree-a", reason: theirWords("it is locked") }),
          )
        : Promise.resolve(void did.push(`remove ${path}`)),
  };
  openPutAway({ engine, clock, log: silentLog, agents, worktrees } as unknown as Parameters<typeof openPutAway>[0]);
  const settle = async (): Promise<void> => {
    for (let turns = 0; turns < 20; turns += 1) await clock.settle();
  };
  await engine.submit({ type: "archive_thread", thread_id: T1, at: AT, surely });
  await settle();
  const agree = async (changed?: Remains): Promise<void> => {
    now = changed ?? now;
    await engine.submit({
      type: "remove_worktree",
      thread_id: T1,
      mark: archiveMark({ at: AT, left: engine.state.archives?.[T1]?.left ?? null }),
    });
    await settle();
  };
  return { engine, did, agree, is: () => engine.state.archives?.[T1]?.is };
}

test.each<[string, Has, string | undefined, string[]]>([
  ["an idle window of ours", { window: "own" }, "done", [`end ${T1} away`]],
  ["a clean worktree", { worktree: CLEAN }, "done", [`end ${T1} away`, `remove ${PATH}`]],
  ["a window that may have been archived by Discord itself", { window: "own", surely: false }, "asks", []],
  ["a clean worktree that may have been", { worktree: CLEAN, surely: false }, "asks", []],
  ["a window with a job", { window: "own", busy: true }, "asks", []],
  [
    "files that are not committed",
    { worktree: { ...CLEAN, uncommitted: { files: 2, added: 1, removed: 0, stat: "" } } },
    "asks",
    [],
  ],
  ["a worktree that could not be read", { worktree: { ...CLEAN, uncommitted: null } }, "asks", []],
  ["commits on no branch", { worktree: { ...CLEAN, unkept: true } }, "asks", []],
  [
    "a worktree that its agent wrote to until it ended",
    {
      worktree: CLEAN,
      ended: { ...CLEAN, uncommitted: { files: 1, added: 1, removed: 0, stat: "" }, mark: "2".repeat(32) },
    },
    "asks",
    [`end ${T1} away`],
  ],
  [
    "a worktree in which its agent committed until it ended",
    { worktree: CLEAN, ended: { ...CLEAN, mark: "2".repeat(32) } },
    "done",
    [`end ${T1} away`, `end ${T1} away`, `remove ${PATH}`],
  ],
  ["a worktree that git does not remove", { worktree: CLEAN, fails: true }, "asks", [`end ${T1} away`]],
  ["a window that its owner started", { window: "adopted" }, undefined, []],
  ["a session without any of it", {}, undefined, []],
])("%s", async (_name, has, is, did) => {
  const scene = await archived(has);
  expect([scene.is(), scene.did]).toEqual([is, did]);
});

test("the owner's yes ends what he was shown, and asks again where it is not that any more", async () => {
  const dirty = { ...CLEAN, uncommitted: { files: 1, added: 1, removed: 0, stat: "" } };
  const scene = await archived({ worktree: dirty });
  await scene.agree({ ...dirty, mark: "2".repeat(32) });
  expect([scene.is(), scene.did]).toEqual(["asks", []]);
  await scene.agree();
  expect([scene.is(), scene.did, scene.engine.state.worktrees?.[T1]?.is]).toEqual([
    "done",
    [`end ${T1} away`, `remove ${PATH}`],
    "removed",
  ]);
});

test("why git did not remove a worktree is told, also after the owner's yes, and his next one tries again", async () => {
  const scene = await archived({ worktree: CLEAN, surely: false, fails: true });
  const left = () => scene.engine.state.archives?.[T1]?.left?.failed;
  expect(left()).toBeUndefined();
  await scene.agree();
  expect([scene.is(), left(), scene.did]).toEqual([
    "asks",
    expect.objectContaining({ reason: "it is locked" }),
    [`end ${T1} away`],
  ]);
  await scene.agree();
  expect([scene.is(), left(), scene.did.length]).toEqual([
    "asks",
    expect.objectContaining({ reason: "it is locked" }),
    2,
  ]);
});

test("with the owner's yes a running job is cancelled first; a thread that is opened again keeps everything", async () => {
  const scene = await archived({ window: "own", busy: true });
  await scene.agree();
  const [running = ""] = Object.keys(scene.engine.state.runs);
  expect([scene.is(), scene.did, scene.engine.state.runs[running]?.cancelling]).toEqual(["agreed", [], true]);
  await scene.engine.submit({ type: "reopen_thread", thread_id: T1 });
  await scene.engine.submit({ type: "cancelled", job_id: running });
  await scene.engine.submit({ type: "progress", job_id: running, progress: { kind: "gone" } });
  expect([scene.is(), scene.did]).toEqual(["reopened", []]);
});
