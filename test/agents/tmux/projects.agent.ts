/**
 * The real Claude Code in the windows of a project's channel and of a worktree, opened and ended by startup and the
 * control panel.
 */
import { execFileSync } from "node:child_process";
import { readFileSync, readlinkSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { APIMessage } from "discord-api-types/v10";
import { expect, test } from "vitest";
import { isAlive, systemProcessTable } from "../../../src/host/processes/process-table.ts";
import { descriptionOf, git, inJournal, repository } from "../../flows/workshop.ts";
import type { Daemon } from "../../flows/world.ts";
import { configure, type Desk, enter, openDesk, posted } from "./desk.ts";

/** Resolves when the control panel in this channel says so. */
function panel({ world }: Desk, channel: string, words: string): Promise<APIMessage> {
  return world.saying(channel, (said) =>
    said.find(
      ({ embeds: [embed], ...one }) =>
        embed?.title === "Control panel" && descriptionOf({ embeds: [embed], ...one } as APIMessage).includes(words),
    ),
  );
}

test("a channel's window is there from the start, also after the machine was started anew, and the panel shows and ends it", async (context) => {
  const desk = await openDesk(context);
  const { world, model } = desk;
  const { sandbox } = world;
  const channel = sandbox.addChannel("app");
  const general = sandbox.channelId;
  configure(
    world,
    { channel_id: channel, startup: true },
    { servers: { main: { guild_id: sandbox.guildId, general_channel_id: general } } },
  );
  const owner = world.owner(channel);
  const daemon = await desk.start();
  const running = `🟢 **app** running <#${channel}>`;
  await panel(desk, general, running);
  await desk.shows("manual mode on");
  expect(desk.all("WindowOpened")).toMatchObject([{ thread_id: channel, adopted: false }]);
  expect(model.asked).toEqual([]);
  await world.marked((await owner.send("echo:violet")).id, "✅");
  await posted(world, channel, "violet");
  await enter(desk, "echo:typed in the channel's window");
  await desk.came("OutsideTurnEnded");
  await posted(world, channel, "typed in the channel's window");

  await daemon.kill("SIGKILL");
  execFileSync("tmux", ["-S", join(world.stateDir, "bellhop.tmux"), "kill-server"]);
  const asked = model.asked.length;
  await desk.start();
  await desk.came("WindowOpened", 2);
  expect(desk.all("WindowClosed")).toMatchObject([{ thread_id: channel, why: "lost" }]);
  await desk.shows("● typed in the channel's window");
  expect(model.asked).toHaveLength(asked);
  await world.marked((await owner.send("hist:")).id, "✅");
  expect(JSON.stringify(model.asked.at(-1)?.turns)).toMatch(/violet.*typed in the channel's window/);

  const [, { pid, start_time }] = (await desk.came("WindowOpened", 2)) as [
    unknown,
    { pid: number; start_time: string },
  ];
  await world.owner(general).clickButton((await panel(desk, general, running)).id, "🛑 Stop app");
  const { id } = await panel(desk, general, "⭕ **app** stopped");
  expect(isAlive(systemProcessTable(), { pid, startTime: start_time })).toBe(false);
  await world.owner(general).clickButton(id, "▶ Start app");
  await panel(desk, general, running);
  await desk.shows("● typed in the channel's window");
  expect(desk.all("JobEnqueued")).toHaveLength(2);
});

/** Presses Start, and has the daemon killed when the window stands and it has not been told so. */
async function cutOff(desk: Desk, daemon: Daemon): Promise<void> {
  const { world } = desk;
  const { id } = await panel(desk, world.sandbox.channelId, "⭕ **app** stopped");
  await inJournal(world, () => desk.all("PostRecorded").some((one) => one["message_id"] === id));
  const tmux = join(world.home, "bin", "tmux");
  const program = readlinkSync(tmux);
  rmSync(tmux);
  writeFileSync(
    tmux,
    `#!/bin/sh\n'${program}' "$@"\ncode=$?\ncase "$*" in *new-session*|*new-window*) kill -9 ${daemon.pid} ;; esac\nexit $code\n`,
    { mode: 0o755 },
  );
  await Promise.race([world.owner(world.sandbox.channelId).clickButton(id, "▶ Start app"), daemon.exited]);
  expect((await daemon.exited).signal).toBe("SIGKILL");
  rmSync(tmux);
  symlinkSync(program, tmux);
}

test("Start that a killed daemon left is carried out by the next one: of a new session, and of one whose conversation is resumed", async (context) => {
  const desk = await openDesk(context);
  const { world, model } = desk;
  const { sandbox } = world;
  configure(world, {}, { servers: { main: { guild_id: sandbox.guildId, general_channel_id: sandbox.channelId } } });
  await cutOff(desk, await desk.start());
  expect([desk.all("SessionCreated").length, desk.all("WindowOpened").length]).toEqual([1, 0]);
  const daemon = await desk.start();
  const [{ thread_id: thread }] = (await desk.came("WindowOpened")) as [{ thread_id: string }];
  await desk.shows("manual mode on");
  expect(model.asked).toEqual([]);
  await world.marked((await world.owner(thread).send("echo:violet")).id, "✅");
  await posted(world, thread, "violet");

  await world
    .owner(sandbox.channelId)
    .clickButton((await panel(desk, sandbox.channelId, "🟢 **app** running")).id, "🛑 Stop app");
  await cutOff(desk, daemon);
  expect([desk.all("WindowRequested").length, desk.all("WindowOpened").length]).toEqual([1, 1]);
  await desk.start();
  await desk.came("WindowOpened", 2);
  await desk.shows("● violet");
  await world.marked((await world.owner(thread).send("hist:")).id, "✅");
  expect(JSON.stringify(model.asked.at(-1)?.turns)).toContain("violet");
  expect([desk.all("WindowOpened").length, desk.all("SessionCreated").length, sandbox.threads().length]).toEqual([
    2, 1, 1,
  ]);
  expect(
    execFileSync("tmux", ["-S", join(world.stateDir, "bellhop.tmux"), "list-panes", "-a", "-F", "#{pane_pid}"], {
      encoding: "utf8",
    })
      .trim()
      .split("\n")
      .map(Number),
  ).toEqual([desk.all("WindowOpened").at(-1)?.["pid"]]);
});

test("a session in a worktree works only there, from both sides, and its conversation is resumed there, also when its window was lost with the daemon", async (context) => {
  const desk = await openDesk(context, {}, ["Bash"]);
  const { world, model } = desk;
  const { sandbox } = world;
  repository(world);
  configure(
    world,
    { thread: { isolation: "worktree" } },
    { servers: { main: { guild_id: sandbox.guildId, general_channel_id: sandbox.channelId } } },
  );
  const daemon = await desk.start();
  const thread = await world.session();
  const place = join(realpathSync(world.project), ".claude", "worktrees", `bellhop-${thread}`);
  await world.marked((await world.owner(thread).send("tool:bash:pwd | tee discord.txt")).id, "✅");
  await enter(desk, "tool:bash:pwd | tee desk.txt");
  await desk.came("OutsideTurnEnded");
  expect(["discord.txt", "desk.txt"].map((name) => readFileSync(join(place, name), "utf8").trim())).toEqual([
    place,
    place,
  ]);
  expect(git(world, "status", "--porcelain")).toBe("");
  await panel(desk, sandbox.channelId, `worktree-bellhop-${thread}`);

  const [{ pid }] = (await desk.came("WindowOpened")) as [{ pid: number }];
  process.kill(pid, "SIGKILL");
  await desk.came("WindowClosed");
  await world.marked((await world.owner(thread).send("hist:")).id, "✅");
  expect(JSON.stringify(model.asked.at(-1)?.turns)).toMatch(/discord\.txt.*desk\.txt/);
  expect(desk.all("WindowOpened").map(({ cwd }) => cwd)).toEqual([place, place]);

  await daemon.kill("SIGKILL");
  execFileSync("tmux", ["-S", join(world.stateDir, "bellhop.tmux"), "kill-server"]);
  await desk.start();
  expect((await desk.came("WindowOpened", 3)).map(({ cwd }) => cwd)).toEqual([place, place, place]);
  await world.marked((await world.owner(thread).send("hist:")).id, "✅");
  expect(JSON.stringify(model.asked.at(-1)?.turns)).toMatch(/discord\.txt.*desk\.txt/);
  expect(desk.all("WindowOpened")).toHaveLength(3);
}, 240_000);
