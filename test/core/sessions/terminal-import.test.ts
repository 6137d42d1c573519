/** An earlier bridge's threads become sessions once, in the channel of their project, with nothing of their past. */
import { expect, test } from "vitest";
import type { Command } from "../../../src/core/slices.ts";
import { Scene } from "../scene.ts";

const CHANNEL = "200000000000000010";
const SINCE = "200000000000000020";
const OLD = "200000000000000005";
const WORKTREE = { path: "/srv/app/.claude/worktrees/old", branch: "worktree-old" };
const earlier = (more: object = {}): Extract<Command, { type: "import_terminal_state" }> => ({
  type: "import_terminal_state",
  threads: [{ thread_id: OLD, channel_id: CHANNEL, project_name: "app", ...more }],
});

function withChannel(): Scene {
  const scene = new Scene().withSessions();
  scene.do({
    type: "take_place",
    kind: "channel",
    thread_id: CHANNEL,
    channel_id: CHANNEL,
    project_name: "app",
    guild_id: "3",
    bot_id: "4",
    since: SINCE,
  });
  return scene;
}

test("a thread becomes a session with its worktree, is heard from then on, and never a second time", () => {
  const scene = withChannel();
  expect(scene.types(earlier({ worktree: WORKTREE }))).toEqual([
    "SessionCreated",
    "WorktreeMade",
    "TerminalStateImported",
  ]);
  expect(scene.events.at(-1)).toMatchObject({ payload: { count: 1 } });
  expect([scene.state.threads[OLD], scene.state.worktrees?.[OLD], scene.state.watermarks[OLD]]).toMatchObject([
    { kind: "found", channel_id: CHANNEL },
    { ...WORKTREE, is: "there" },
    SINCE,
  ]);
  expect(scene.do(earlier({ thread_id: "200000000000000006" }))).toEqual([]);
  scene.checkReplay();
});

test.each<[string, object]>([
  ["a thread of a channel that is no session", { channel_id: "200000000000000011" }],
  ["one of an unknown project", { project_name: "other" }],
  ["one that is a session already", { thread_id: CHANNEL }],
])("%s is not taken, nor its worktree", (_name, more) => {
  const scene = withChannel();
  expect(scene.types(earlier({ worktree: WORKTREE, ...more }))).toEqual(["TerminalStateImported"]);
  expect([scene.events.at(-1), Object.keys(scene.state.worktrees)]).toMatchObject([{ payload: { count: 0 } }, []]);
});
