/**
 * The real Claude Code in a window and in its owner's terminal: what it says for its status line stands below its
 * answers.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { withButton } from "../../flows/workshop.ts";
import { inFolder, type World } from "../../flows/world.ts";
import { openDesk } from "./desk.ts";
import { installHooks, openOwnTerminal } from "./own-terminal.ts";

/** With a status line of the owner's own; resolves `told` when the daemon has heard how full the context is. */
function withLine({ home }: World): { told(): Promise<void> } {
  const settings = join(home, ".claude", "settings.json");
  const own = { statusLine: { type: "command", command: "printf 'mine: '; cut -c 1-13; echo 'and more'" } };
  writeFileSync(settings, JSON.stringify({ ...(JSON.parse(readFileSync(settings, "utf8")) as object), ...own }));
  const heard = join(home, "bin", "heard");
  const curl = `case "$*" in *StatusLine*) tee -a '${heard}.part' | /usr/bin/curl "$@"; mv '${heard}.part' '${heard}' ;; *) exec /usr/bin/curl "$@" ;; esac`;
  writeFileSync(join(home, "bin", "curl"), `#!/bin/sh\n${curl}\n`, { mode: 0o755 });
  return {
    told: () =>
      inFolder(
        join(home, "bin"),
        () => existsSync(heard) && readFileSync(heard, "utf8").includes('"used_percentage":0'),
      ),
  };
}

function answers(world: World, thread: string, words: string): Promise<true> {
  return world.saying(thread, (said) => said.some(({ content }) => content === words));
}

test("below an answer in a window, and the owner's own line is shown there", async (context) => {
  const desk = await openDesk(context);
  const { world } = desk;
  const { told } = withLine(world);
  await desk.start();
  const thread = await world.session();
  await world.marked((await world.owner(thread).send("echo:one")).id, "✅");
  await told();
  await world.owner(thread).send("echo:two");
  await answers(world, thread, "two\n-# 📊 Opus 5.5 0%");
  await desk.shows('mine: {"session_id"');
  await desk.shows("and more");
});

test("below an answer of an adopted Claude; without Bellhop its owner's settings are as before", async (context) => {
  const desk = await openDesk(context);
  const { world } = desk;
  const { told } = withLine(world);
  const before = readFileSync(join(world.home, ".claude", "settings.json"), "utf8");
  installHooks(desk);
  await desk.start();
  await world.session();
  const own = openOwnTerminal(desk);
  own.line("claude");
  const channel = world.sandbox.channelId;
  await world.saying(channel, (said) => withButton(said, "ad-take"));
  await own.shows('mine: {"session_id"');
  await (
    await world.owner(channel).clickButton(withButton(world.said(channel), "ad-take")?.id ?? "", "Adopt")
  ).answer();
  const [opened] = await desk.came("WindowOpened");
  const thread = String(opened?.["thread_id"]);
  await world.marked((await world.owner(thread).send("echo:one")).id, "✅");
  await told();
  await world.owner(thread).send("echo:two");
  await answers(world, thread, "two\n-# 📊 Opus 5.5 0%");
  await own.shows("and more");
  installHooks(desk, "remove");
  expect(readFileSync(join(world.home, ".claude", "settings.json"), "utf8")).toBe(before);
});
