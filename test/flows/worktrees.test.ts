/**
 * A session of an isolated project works in a git worktree of its own, before and after a restart, and never anywhere
 * else.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { APIMessage } from "discord-api-types/v10";
import { expect, test } from "vitest";
import { eventsOf } from "./acceptance/stage.ts";
import { descriptionOf, git, learnt, open, recorded, repository } from "./workshop.ts";
import { openWorld, type World } from "./world.ts";

/** The project's threads are isolated. */
export function isolate(world: World): void {
  const file = join(world.stateDir, "config.json");
  const config = JSON.parse(readFileSync(file, "utf8")) as { projects: { app: object } };
  config.projects.app = { ...config.projects.app, thread: { isolation: "worktree" } };
  writeFileSync(file, JSON.stringify(config));
}

const placeOf = (world: World, thread: string): string =>
  join(world.project, ".claude", "worktrees", `bellhop-${thread}`);
const textOf = (message: APIMessage): string => descriptionOf(message).replaceAll("\\", "");
const codes = (world: World, channel: string): string[] =>
  world.said(channel).flatMap((one) => /`(E_\w+)`/.exec(textOf(one))?.[1] ?? []);

async function fails(world: World, thread: string, prompt: string, code: string): Promise<void> {
  const before = codes(world, thread).length;
  await runs(world, thread, prompt, "❌");
  await world.saying(thread, () => codes(world, thread).slice(before).includes(code));
}

async function runs(world: World, thread: string, prompt: string, sign = "✅"): Promise<void> {
  await world.marked((await world.owner(thread).send(prompt)).id, sign);
}

/** Its agent writes NAME.txt once the checkout that the change is measured from is on disk. */
async function changes(world: World, thread: string, name: string, number: number): Promise<void> {
  const { id } = await world.owner(thread).send(`work:${name}`);
  await learnt(world, "checkout", number);
  open(world, name);
  open(world, `${name}-end`);
  await world.marked(id, "✅");
}

test("each session has its own worktree, keeps it over a restart, and shows what it changed there", async () => {
  const world = await openWorld({ unlimited: true });
  repository(world);
  mkdirSync(join(world.project, ".claude"));
  writeFileSync(join(world.project, ".claude", "settings.local.json"), '{"env":{"A":"1"}}');
  let daemon = world.daemon();
  await daemon.ready;
  const root = await world.session();
  await changes(world, root, "root", 1);
  await daemon.kill("SIGTERM");
  isolate(world);
  daemon = world.daemon();
  await daemon.ready;
  const [one, two] = [await world.session(), await world.session()];
  await changes(world, one, "one", 2);
  await runs(world, two, "count:two");
  // What has begun in the project's directory stays there.
  await runs(world, root, "count:again");
  const left = [world.project, placeOf(world, one), placeOf(world, two)].map((folder) =>
    readdirSync(folder)
      .filter((name) => name.endsWith(".txt"))
      .toSorted(),
  );
  expect(left).toEqual([
    ["a.txt", "done.txt", "root.txt"],
    ["a.txt", "one.txt"],
    ["a.txt", "done.txt"],
  ]);
  expect(git(world, "branch", "--format=%(refname:short)").split("\n").toSorted()).toEqual(
    ["main", `worktree-bellhop-${one}`, `worktree-bellhop-${two}`].toSorted(),
  );
  await world.saying(one, (said) => said.some((message) => descriptionOf(message).includes(`worktree-bellhop-${one}`)));
  await recorded(
    world,
    ({ payload }) => payload["thread_id"] === one && String(payload["stat"]).startsWith(" one.txt | 1 +\n"),
  );
  await recorded(
    world,
    ({ payload }) => payload["thread_id"] === root && String(payload["stat"]).startsWith(" root.txt | 1 +\n"),
  );

  await daemon.kill("SIGKILL");
  await world.daemon().ready;
  await runs(world, one, "hist:");
  await world.saying(one, (said) => JSON.stringify(said.at(-1)).includes("work:one"));
  expect(world.agentStarts().map(({ prompt }) => prompt)).toEqual([
    "work:root",
    "work:one",
    "count:two",
    "count:again",
    "hist:",
  ]);
  expect(git(world, "worktree", "list").split("\n")).toHaveLength(3);
  // Neither the worktrees nor what keeps them apart is a change of the project.
  expect(git(world, "status", "--porcelain", "--untracked-files=all").split("\n")).toEqual([
    "?? .claude/settings.local.json",
    "?? done.txt",
    "?? root.txt",
  ]);
});

test("where no worktree can be made nothing runs, and the next message tries again", async () => {
  const world = await openWorld({ unlimited: true });
  isolate(world);
  await world.daemon().ready;
  const thread = await world.session();
  await fails(world, thread, "count:one", "E_WORKTREE_NO_COMMIT");
  repository(world);
  // In its place stands something of somebody else's.
  mkdirSync(placeOf(world, thread), { recursive: true });
  writeFileSync(join(placeOf(world, thread), "mine"), "");
  await fails(world, thread, "count:two", "E_WORKTREE_IN_USE");
  rmSync(placeOf(world, thread), { recursive: true });
  await runs(world, thread, "count:three");
  expect(world.agentStarts().map(({ prompt }) => prompt)).toEqual(["count:three"]);
  expect(readdirSync(placeOf(world, thread)).toSorted()).toEqual([".git", "a.txt", "done.txt"]);
});

test("a repository full of folders that are named like worktrees does not fill the owner's channel", async () => {
  const world = await openWorld({ unlimited: true });
  repository(world);
  const places = Array.from({ length: 30 }, (_, place) =>
    placeOf(world, `2000000000000001${String(place).padStart(2, "0")}`),
  );
  for (const place of places) mkdirSync(place, { recursive: true });
  const daemon = world.daemon();
  await daemon.ready;
  await recorded(world, ({ type }) => type === "WorktreeOrphaned");
  await daemon.kill("SIGTERM");
  expect(
    eventsOf(world)
      .filter(({ type }) => type === "WorktreeOrphaned")
      .map(({ payload }) => payload["path"]),
  ).toEqual(places.slice(0, 20));
});

test("a worktree that is gone is told once, and nothing runs elsewhere; one that belongs to nobody too", async () => {
  const world = await openWorld({ unlimited: true });
  repository(world);
  isolate(world);
  let daemon = world.daemon();
  await daemon.ready;
  const [one, two] = [await world.session(), await world.session()];
  await runs(world, one, "count:one");
  await runs(world, two, "count:two");
  rmSync(placeOf(world, one), { recursive: true });
  await fails(world, one, "count:lost", "E_WORKTREE_GONE");
  await recorded(world, ({ type, payload }) => type === "WorktreeLost" && payload["thread_id"] === one);
  const said = await world.saying(one, (all) =>
    all.find((message) => textOf(message).startsWith("This session's worktree")),
  );
  expect(textOf(said)).toContain(
    `${placeOf(world, one)} is gone, so nothing runs here any more. Please archive this thread`,
  );

  await daemon.kill("SIGTERM");
  rmSync(placeOf(world, two), { recursive: true });
  const orphan = placeOf(world, "200000000000000099");
  mkdirSync(orphan, { recursive: true });
  daemon = world.daemon();
  await daemon.ready;
  await world.saying(two, () => codes(world, two).includes("E_WORKTREE_GONE"));
  await world.saying(world.sandbox.channelId, (all) => all.some((message) => textOf(message).includes(orphan)));
  await daemon.kill("SIGTERM");
  daemon = world.daemon();
  await daemon.ready;
  await fails(world, two, "count:lost", "E_WORKTREE_GONE");
  const orphans = world.said(world.sandbox.channelId).filter((message) => textOf(message).includes(orphan));
  expect([orphans.length, codes(world, one).length, codes(world, two).length, existsSync(orphan)]).toEqual([
    1,
    2,
    2,
    true,
  ]);
  expect(existsSync(join(world.project, "done.txt"))).toBe(false);
});
