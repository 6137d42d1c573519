/** The real Claude Code in the windows of a project's channel and of a worktree, opened and ended by startup and the control panel. */
import { execFileSync } from "node:child_process";
import { readFileSync, realpathSync } from "node:fs";
import { join } from "node:path";
import type { APIMessage } from "discord-api-types/v10";
import { expect, test } from "vitest";
import { isAlive, systemProcessTable } from "../../../src/host/processes/process-table.ts";
import { descriptionOf, git, repository } from "../../flows/workshop.ts";
import { configure, type Desk, enter, openDesk, posted } from "./desk.ts";

/** Resolves when the control panel in this channel says so. */
function panel({ world }: Desk, channel: string, words: string): Promise<APIMessage> {
  return world.saying(channel, (said) => said.find(({ embeds: [embed], ...one }) => embed?.title === "Control panel" && descriptionOf({ embeds: [embed], ...one } as APIMessage).includes(words)));
}

test("a channel's window is there from the start, also after the machine was started anew, and the panel shows and ends it", async (context) => {
  const desk = await openDesk(context);
  const { world, model } = desk;
  const { sandbox } = world;
  const channel = sandbox.addChannel("app");
  const general = sandbox.channelId;
  configure(world, { channel_id: channel, startup: true }, { servers: { main: { guild_id: sandbox.guildId, general_channel_id: general } } });
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

  const [, { pid, start_time }] = (await desk.came("WindowOpened", 2)) as [unknown, { pid: number; start_time: string }];
  await world.owner(general).clickButton((await panel(desk, general, running)).id, "🛑 Stop app");
  const { id } = await panel(desk, general, "⭕ **app** stopped");
  expect(isAlive(systemProcessTable(), { pid, startTime: start_time })).toBe(false);
  await world.owner(general).clickButton(id, "▶ Start app");
  await panel(desk, general, running);
  await desk.shows("● typed in the channel's window");
  expect(desk.all("JobEnqueued")).toHaveLength(2);
});

test("a session in a worktree works only there, from both sides, and its conversation is resumed there", async (context) => {
  const desk = await openDesk(context, {}, ["Bash"]);
  const { world, model } = desk;
  const { sandbox } = world;
  repository(world);
  configure(world, { thread: { isolation: "worktree" } }, { servers: { main: { guild_id: sandbox.guildId, general_channel_id: sandbox.channelId } } });
  await desk.start();
  const thread = await world.session();
  const place = join(realpathSync(world.project), ".claude", "worktrees", `bellhop-${thread}`);
  await world.marked((await world.owner(thread).send("tool:bash:pwd | tee discord.txt")).id, "✅");
  await enter(desk, "tool:bash:pwd | tee desk.txt");
  await desk.came("OutsideTurnEnded");
  expect(["discord.txt", "desk.txt"].map((name) => readFileSync(join(place, name), "utf8").trim())).toEqual([place, place]);
  expect(git(world, "status", "--porcelain")).toBe("");
  await panel(desk, sandbox.channelId, `worktree-bellhop-${thread}`);

  const [{ pid }] = (await desk.came("WindowOpened")) as [{ pid: number }];
  process.kill(pid, "SIGKILL");
  await desk.came("WindowClosed");
  await world.marked((await world.owner(thread).send("hist:")).id, "✅");
  expect(JSON.stringify(model.asked.at(-1)?.turns)).toMatch(/discord\.txt.*desk\.txt/);
  expect(desk.all("WindowOpened").map(({ cwd }) => cwd)).toEqual([place, place]);
});
