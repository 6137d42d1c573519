/** A window that was asked for without a prompt and cannot be opened: its presser is told, and its thread, once. */
import { mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { APIMessage } from "discord-api-types/v10";
import { expect, test } from "vitest";
import { hasTmux, openDesk, started, type Desk } from "./desk.ts";
import { events } from "./mcp/asked.ts";
import { configure, descriptionOf, inJournal, recorded, withPanel } from "./workshop.ts";
import type { World } from "./world.ts";

/**
 * A desk with a control panel. `old`: its tmux is too old, until it is mended; it kills a daemon that asks it while
 * `kills` is there.
 */
async function openPanelDesk(): Promise<Desk & { old(): void; mended(): void }> {
  const desk = await openDesk();
  const { world } = desk;
  withPanel(world);
  const tmux = join(world.home, "bin", "tmux");
  return {
    ...desk,
    old: () =>
      writeFileSync(
        tmux,
        `#!/bin/sh\n[ "$1" = -V ] || exec /usr/bin/tmux "$@"\n[ -e '${join(world.home, "kills")}' ] && kill -9 $PPID\necho 'tmux 3.0a'\n`,
        { mode: 0o755 },
      ),
    mended: () => rmSync(tmux),
  };
}

/** Presses Start, and resolves with what its presser is told. */
async function press(world: World): Promise<string> {
  const [told] = await (await pressed(world)).followUps(1);
  return told?.content ?? "";
}

async function pressed(world: World): Promise<Awaited<ReturnType<ReturnType<World["owner"]>["clickButton"]>>> {
  const { channelId } = world.sandbox;
  const hasStart = ({ id, components }: APIMessage): boolean =>
    JSON.stringify(components ?? []).includes("Start app") &&
    events(world, "PostRecorded").some((one) => one["message_id"] === id);
  await inJournal(world, () => world.said(channelId).some(hasStart));
  const { id } = await world.saying(channelId, (said) => said.find(hasStart));
  return world.owner(channelId).clickButton(id, "▶ Start app");
}

/** What the thread says of windows that were not opened. */
function unopened(world: World, thread: string): string[] {
  return world
    .said(thread)
    .map(descriptionOf)
    .filter((said) => said.includes("window was not opened"));
}

const threadOf = (world: World): string => String(events(world, "SessionCreated")[0]?.["thread_id"]);

/** A PATH with all that the usual one has, but no tmux. */
function withoutTmux(world: World): string {
  const folder = join(world.home, "tools");
  mkdirSync(folder);
  for (const name of readdirSync("/usr/bin"))
    if (name !== "tmux") symlinkSync(join("/usr/bin", name), join(folder, name));
  return `${join(world.home, "bin")}:${folder}`;
}

test.skipIf(!hasTmux).each(["old", "missing"])(
  "Start that finds no usable tmux (%s) is told with its code to its presser and in the thread, and Start again opens the window",
  async (how) => {
    const { world, old, mended: renewed, done } = await openPanelDesk();
    const isMissing = how === "missing";
    const mended = isMissing ? () => symlinkSync("/usr/bin/tmux", join(world.home, "bin", "tmux")) : renewed;
    if (!isMissing) old();
    await started(world, isMissing ? { env: { PATH: withoutTmux(world) } } : {});
    expect(await press(world)).toContain("E_TMUX_MISSING");
    const thread = threadOf(world);
    await world.saying(thread, () => unopened(world, thread).length > 0);
    expect(unopened(world, thread)).toEqual([
      expect.stringMatching(
        /^This session's window was not opened\. tmux is missing .*`E_TMUX_MISSING` The next message here tries again\.$/,
      ),
    ]);
    mended();
    expect(await press(world)).toMatch(/^app runs in <#\d+>\.$/);
    await world.owner(thread).send("count:one");
    await done("one");
    expect([
      unopened(world, thread).length,
      events(world, "WindowOpened").length,
      events(world, "SessionCreated").length,
    ]).toEqual([1, 1, 1]);
  },
);

test.skipIf(!hasTmux)(
  "Start that a killed daemon left is carried out by the next one; that it cannot be is told once",
  async () => {
    const { world, old } = await openPanelDesk();
    old();
    const daemon = await started(world);
    writeFileSync(join(world.home, "kills"), "");
    await Promise.race([pressed(world), daemon.exited]);
    expect((await daemon.exited).signal).toBe("SIGKILL");
    expect([events(world, "WindowRefused").length, events(world, "SessionCreated").length]).toEqual([0, 1]);
    const thread = threadOf(world);
    rmSync(join(world.home, "kills"));
    const second = await started(world);
    await recorded(
      world,
      ({ type, payload }) => type === "PostRecorded" && String(payload["part"]).startsWith("window:"),
    );
    await second.kill("SIGKILL");
    await started(world);
    await press(world);
    await inJournal(world, () => events(world, "WindowRefused").length === 2);
    await world.saying(thread, () => unopened(world, thread).length === 2);
    expect(world.sandbox.threads()).toHaveLength(1);
  },
);

test.skipIf(!hasTmux)(
  "a window of config.json's that cannot be opened is told once over many starts, and opened by the first that can",
  async () => {
    const { world, old, mended } = await openPanelDesk();
    const first = await started(world);
    const thread = await world.session();
    await first.kill("SIGTERM");
    configure(world, ({ projects }) =>
      Object.assign(projects.app, { threads: [{ thread_id: thread, startup: true }] }),
    );
    old();
    for (const starts of [1, 2, 3]) {
      const daemon = await started(world);
      await inJournal(world, () => events(world, "WindowRefused").length === starts);
      await recorded(
        world,
        ({ type, payload }) => type === "PostRecorded" && String(payload["part"]).startsWith("window:"),
      );
      await daemon.kill("SIGTERM");
    }
    expect(unopened(world, thread)).toEqual([expect.stringContaining("E_TMUX_MISSING")]);
    mended();
    await started(world);
    await recorded(world, ({ type }) => type === "WindowOpened");
    expect(unopened(world, thread)).toHaveLength(1);
  },
);

test.skipIf(!hasTmux)(
  "Start in a project that has changed runs nothing of it, and its thread says where its owner is asked",
  async () => {
    const { world, tmux, done } = await openPanelDesk();
    await started(world);
    const thread = await world.session();
    await world.marked((await world.owner(thread).send("count:one")).id, "✅");
    await inJournal(world, () => events(world, "JobProgress").some(({ kind }) => kind === "gone"));
    tmux("kill-server");
    await recorded(world, ({ type }) => type === "WindowClosed");
    mkdirSync(join(world.project, ".claude"));
    writeFileSync(
      join(world.project, ".claude", "settings.json"),
      JSON.stringify({ hooks: { SessionStart: [{ hooks: [{ type: "command", command: "touch ran" }] }] } }),
    );
    expect(await press(world)).toContain("Nothing was started");
    await world.saying(thread, () => unopened(world, thread).length > 0);
    expect(unopened(world, thread)).toEqual([expect.stringContaining("E_PROJECT_CHANGED")]);
    expect(events(world, "WindowOpened")).toHaveLength(1);
    await world.owner(thread).send("count:two");
    const asked = await world.saying(thread, (said) =>
      said.find(({ components }) => JSON.stringify(components ?? []).includes("Go on")),
    );
    await world.owner(thread).clickButton(asked.id, "Go on");
    await done("two");
  },
);
