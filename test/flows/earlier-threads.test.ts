/** Threads of an earlier bridge for tmux go on as sessions, in their worktrees. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { events } from "./mcp/asked.ts";
import { git, recorded, repository } from "./workshop.ts";
import { openWorld } from "./world.ts";

test("a thread that an earlier bridge kept is a session in its worktree, without its past, and is taken over once", async () => {
  const world = await openWorld({ unlimited: true });
  repository(world);
  const path = join(world.project, ".claude", "worktrees", "old");
  git(world, "worktree", "add", "-q", "-b", "worktree-old", path);
  const channel = world.sandbox.channelId;
  const thread = await world.owner(channel).createThread("from before");
  await world.owner(thread.id).send("count:1000");
  mkdirSync(join(world.home, ".discord-bridge"));
  const earlier = {
    paneId: "%1",
    paneStartedAt: "2026-02-21T12:00:00.000Z",
    parentChannelId: channel,
    worktreePath: path,
    projectPath: world.project,
    serverName: "work",
    createdAt: "2026-02-21T12:00:00.000Z",
    launchCmd: "claude -w old",
  };
  writeFileSync(
    join(world.home, ".discord-bridge", "thread-state.json"),
    JSON.stringify({ threads: { [thread.id]: earlier } }),
  );
  const file = join(world.stateDir, "config.json");
  const config = JSON.parse(readFileSync(file, "utf8")) as { projects: { app: object } };
  config.projects.app = { ...config.projects.app, channel_id: channel };
  writeFileSync(file, JSON.stringify(config));
  const daemon = world.daemon();
  await daemon.ready;
  await recorded(world, ({ type }) => type === "TerminalStateImported");
  await world.marked((await world.owner(thread.id).send("count:1")).id, "✅");
  expect(world.agentStarts().map(({ prompt }) => prompt)).toEqual(["count:1"]);
  expect([
    git(world, "-C", path, "status", "--porcelain") !== "",
    git(world, "status", "--porcelain", "--", "a.txt"),
  ]).toEqual([true, ""]);
  await daemon.kill("SIGKILL");
  await world.daemon().ready;
  await world.marked((await world.owner(thread.id).send("count:2")).id, "✅");
  expect(events(world, "TerminalStateImported")).toEqual([{ count: 1 }]);
});
