/**
 * The control panel: which projects run Claude at a terminal, started and stopped from there, and what opens at the
 * start.
 */
import { execFileSync } from "node:child_process";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { APIMessage } from "discord-api-types/v10";
import { expect, onTestFinished, test, type TestContext } from "vitest";
import { events } from "./mcp/asked.ts";
import { openTwoServers } from "./two-servers.ts";
import { configure, descriptionOf, recorded } from "./workshop.ts";
import { openWorld, type World } from "./world.ts";

/** What a press was answered with, to its presser alone. */
async function told(pressing: Promise<{ followUps(n: number): Promise<APIMessage[]> }>): Promise<string> {
  const [answer] = await (await pressing).followUps(1);
  return answer?.content ?? "";
}

/** A world whose Claude only stands in its window, and the lines of its tmux. */
async function openStage({ skip }: TestContext, world: World): Promise<(...args: string[]) => string[]> {
  try {
    execFileSync("tmux", ["-V"], { stdio: "ignore" });
  } catch {
    skip("tmux is missing");
  }
  const claude = join(world.home, "bin", "claude");
  writeFileSync(
    claude,
    '#!/bin/sh\ncase "$1" in --settings) exec sleep 100000 ;; *) echo "2.1.0 (Claude Code)" ;; esac\n',
  );
  chmodSync(claude, 0o755);
  const tmux = (...args: string[]): string[] =>
    execFileSync("tmux", ["-S", join(world.stateDir, "bellhop.tmux"), ...args], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    })
      .trim()
      .split("\n");
  onTestFinished(() => {
    try {
      tmux("kill-server");
    } catch {
      // It ends with its last window.
    }
  });
  return tmux;
}

async function openPanelWorld(context: TestContext): Promise<{
  world: World;
  tmux: (...args: string[]) => string[];
  panels(): APIMessage[];
  shows(words: RegExp): Promise<APIMessage>;
}> {
  const world = await openWorld({ tools: ["tmux"], agent: "none", unlimited: true });
  const tmux = await openStage(context, world);
  const { sandbox } = world;
  configure(
    world,
    (config) =>
      (config.servers = {
        main: { guild_id: sandbox.guildId, general_channel_id: sandbox.channelId, tmux_session: "work" },
      }),
  );
  const panels = (): APIMessage[] =>
    world.said(sandbox.channelId).filter(({ embeds }) => embeds[0]?.title === "Control panel");
  return {
    world,
    tmux,
    panels,
    shows: (words) => world.saying(sandbox.channelId, () => panels().find((one) => words.test(descriptionOf(one)))),
  };
}

test("its buttons open and end a project's window for the owner only; it stands once, edited, or moved to the end", async (context) => {
  const { world, tmux, panels, shows } = await openPanelWorld(context);
  const { sandbox } = world;
  await world.daemon().ready;
  const first = await shows(/^⭕ \*\*app\*\* stopped$/);
  const { id: mallory } = sandbox.addUser("mallory", { admin: true });
  const refused = await sandbox.channel(sandbox.channelId).user(mallory).clickButton(first.id, "▶ Start app");
  expect([await refused.ephemeral(), (await refused.answer()).content]).toEqual([
    true,
    expect.stringContaining("E_OWNER_ONLY"),
  ]);
  expect(events(world, "WindowOpened")).toEqual([]);

  const owner = world.owner(sandbox.channelId);
  const started = await told(owner.clickButton(first.id, "▶ Start app"));
  const thread = /<#(\d+)>/.exec(started)?.[1] ?? "";
  const running = await shows(new RegExp(`^🟢 \\*\\*app\\*\\* running <#${thread}>$`));
  expect(tmux("list-windows", "-a", "-F", "#{session_name}")).toEqual(["work"]);
  // The message that its thread hangs on was posted below it.
  expect(panels().map(({ id }) => id)).toEqual([running.id]);
  expect(sandbox.messages(sandbox.channelId).at(-1)?.id).toBe(running.id);

  expect(await told(owner.clickButton(running.id, "🛑 Stop app"))).toContain("windows ended: 1");
  const stopped = await shows(/stopped/);
  expect(stopped.id).toBe(running.id);
  expect(events(world, "WindowClosed")).toMatchObject([{ thread_id: thread, why: "stopped" }]);

  await owner.send("a word below it");
  await told(owner.clickButton(stopped.id, "▶ Start app"));
  const again = await shows(/running/);
  expect(events(world, "WindowOpened").map((one) => one["thread_id"])).toEqual([thread, thread]);
  expect(panels().map(({ id }) => id)).toEqual([again.id]);
  expect(again.id).not.toBe(stopped.id);
});

test("pressed twice at once, Start makes one thread with one window", async (context) => {
  const { world, tmux, shows } = await openPanelWorld(context);
  await world.daemon().ready;
  const { id } = await shows(/stopped/);
  const owner = world.owner(world.sandbox.channelId);
  const presses = [1, 2].map(() => told(owner.clickButton(id, "▶ Start app")));
  const [first, second] = await Promise.all(presses);
  expect([first, second]).toEqual([expect.stringMatching(/^app runs in <#\d+>\.$/), first]);
  expect(["SessionRequested", "SessionCreated", "WindowOpened"].map((type) => events(world, type).length)).toEqual([
    1, 1, 1,
  ]);
  expect(tmux("list-panes", "-a", "-F", "#{pane_dead}")).toEqual(["0"]);
});

test("pressed while /start makes a session of the same project, Start opens the window of that one", async (context) => {
  const { world, shows } = await openPanelWorld(context);
  const { sandbox } = world;
  await world.daemon().ready;
  const { id } = await shows(/stopped/);
  await sandbox.until(({ commands }) => commands().some(({ name }) => name === "start"));
  const stuck = sandbox.faults.hold({ method: "POST", path: /\/messages\/\d+\/threads$/ });
  const owner = world.owner(sandbox.channelId);
  const started = await owner.slash("start", { project_name: "app" });
  await stuck.hit();
  const pressed = told(owner.clickButton(id, "▶ Start app"));
  await recorded(world, ({ type, payload }) => type === "SessionRequested" && payload["window"] === true);
  stuck.lift();
  const [thread = ""] = /\d{17,20}/.exec((await started.answer()).content) ?? [];
  expect(await pressed).toBe(`app runs in <#${thread}>.`);
  expect(
    ["SessionCreated", "WindowOpened"].map((type) => events(world, type).map(({ thread_id }) => thread_id)),
  ).toEqual([[thread], [thread]]);
});

test("after a restart the panel that is still the last message stays, and one that is not is moved", async (context) => {
  const { world, panels, shows } = await openPanelWorld(context);
  const daemon = world.daemon();
  await daemon.ready;
  const { id } = await shows(/stopped/);
  await recorded(world, ({ type, payload }) => type === "PostRecorded" && payload["message_id"] === id);
  await daemon.kill("SIGKILL");
  const second = world.daemon();
  await second.ready;
  await world.session();
  await second.kill("SIGTERM");
  expect(panels().map((one) => one.id)).toEqual([id]);
  await world.daemon().ready;
  const moved = await world.saying(world.sandbox.channelId, () => panels().find((one) => one.id !== id));
  expect(panels().map((one) => one.id)).toEqual([moved.id]);
});

test("a panel that may not be posted is there after the next start or change that finds it allowed", async (context) => {
  const { world, panels, shows } = await openPanelWorld(context);
  const { sandbox } = world;
  const mayWrite = (may: boolean): void =>
    sandbox.setOverwrites(
      sandbox.channelId,
      may ? [] : [{ id: sandbox.botId, type: 1, allow: "0", deny: String(0x800n) }],
    );
  mayWrite(false);
  const refused = (): Promise<void> =>
    recorded(
      world,
      ({ type, payload }) => type === "PostRecorded" && payload["part"] === "panel" && payload["message_id"] === null,
    );
  const first = world.daemon();
  await first.ready;
  await refused();
  await first.kill("SIGTERM");
  mayWrite(true);
  const second = world.daemon();
  await second.ready;
  const { id } = await shows(/stopped/);
  await recorded(world, ({ payload }) => payload["message_id"] === id);
  expect(panels().map((one) => one.id)).toEqual([id]);
});

test("startup opens a thread's window at the start without a prompt, and its absence closes none", async (context) => {
  const { world, tmux } = await openPanelWorld(context);
  const first = world.daemon();
  await first.ready;
  const thread = await world.session();
  await first.kill("SIGTERM");
  configure(world, ({ projects }) => Object.assign(projects.app, { threads: [{ thread_id: thread, startup: true }] }));
  const second = world.daemon();
  await second.ready;
  await recorded(world, ({ type }) => type === "WindowOpened");
  expect(events(world, "WindowOpened")).toMatchObject([{ thread_id: thread, adopted: false }]);
  expect(events(world, "JobEnqueued")).toEqual([]);
  await second.kill("SIGTERM");
  configure(world, ({ projects }) => Object.assign(projects.app, { threads: [{ thread_id: thread, startup: false }] }));
  await world.daemon().ready;
  expect(tmux("list-panes", "-a", "-F", "#{pane_dead}")).toEqual(["0"]);
  expect(events(world, "WindowClosed")).toEqual([]);
});

test("each server's panel shows and starts what runs in that server", async (context) => {
  const servers = await openTwoServers({ tools: ["tmux"], agent: "none", unlimited: true }, (second) => ({
    general_channel_id: second.channelId,
    tmux_session: "second",
  }));
  const { world, second } = servers;
  const tmux = await openStage(context, world);
  const { sandbox } = world;
  configure(
    world,
    (config) =>
      (config.servers = {
        ...config.servers,
        main: { guild_id: sandbox.guildId, general_channel_id: sandbox.channelId },
      }),
  );
  await servers.daemon().ready;
  const isPanel = ({ embeds }: APIMessage): boolean => embeds[0]?.title === "Control panel";
  const here = await world.saying(sandbox.channelId, (said) => said.find(isPanel));
  const there = await servers.saying(second.channelId, (said) => said.find(isPanel));
  await told(servers.owner(second.channelId).clickButton(there.id, "▶ Start app"));
  await servers.saying(second.channelId, (said) =>
    said.find((one) => isPanel(one) && descriptionOf(one).includes("running")),
  );
  expect(tmux("list-windows", "-a", "-F", "#{session_name}")).toEqual(["second"]);
  expect(descriptionOf(world.said(sandbox.channelId).find(({ id }) => id === here.id)!)).toContain("stopped");
  expect(events(world, "SessionCreated")).toMatchObject([{ guild_id: second.guildId, bot_id: second.botId }]);
  await told(world.owner(sandbox.channelId).clickButton(here.id, "▶ Start app"));
  expect(tmux("list-windows", "-a", "-F", "#{session_name}").toSorted()).toEqual(["bellhop", "second"]);
});
