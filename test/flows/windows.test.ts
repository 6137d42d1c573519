/**
 * Windows in which a scripted Claude sits: who is told what in a turn at the terminal, and what a killed daemon leaves.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { APIMessage } from "discord-api-types/v10";
import { expect, test } from "vitest";
import { did, hasTmux, openDesk, started } from "./desk.ts";
import { events } from "./mcp/asked.ts";
import { canTrace, tracer } from "./tracer.ts";
import { inJournal, learnt, open, recorded, withPanel } from "./workshop.ts";
import { inFolder, unlinked, type World } from "./world.ts";

/** Resolves when such a hook is kept for the next daemon. */
function kept(world: World, hook: string): Promise<void> {
  const spool = join(world.stateDir, "hooks", "spool");
  return inFolder(spool, () =>
    readdirSync(spool).some(
      (name) => !name.startsWith(".") && readFileSync(join(spool, name), "utf8").startsWith(`${hook} `),
    ),
  );
}

/** The next daemon's first look at the window takes long. */
function slowLook({ home }: World): void {
  writeFileSync(
    join(home, "bin", "tmux"),
    `#!/bin/sh\ncase "$*" in *display-message*) mkdir '${join(home, "looked")}' 2>/dev/null && sleep 2 ;; esac\nexec /usr/bin/tmux "$@"\n`,
    { mode: 0o755 },
  );
}

/** The daemon learns of a turn long before that is on disk. */
const slowDisk = (world: World): ReturnType<typeof tracer> =>
  tracer(world, ["-o", "/dev/null", "-e", "trace=fdatasync", "-e", "inject=fdatasync:delay_enter=250000"]);

test.skipIf(!hasTmux).each(canTrace ? ["as it is", "slow"] : ["as it is"])(
  "a turn at the terminal and what it asks are silent posts; the key pressed there answers; with the disk %s",
  async (disk) => {
    const desk = await openDesk();
    const { world, tmux, enter, done } = desk;
    await started(world, disk === "slow" ? slowDisk(world) : {});
    const thread = await world.session();
    await world.marked((await world.owner(thread).send("count:one")).id, "✅");
    await recorded(world, ({ type, payload }) => type === "PostRecorded" && payload["part"] === "end");
    const before = world.sandbox.notifications.length;
    await enter("may:two");
    await recorded(world, ({ type, payload }) => type === "PostRecorded" && payload["part"] === "prompt");
    tmux("send-keys", "Enter");
    await done("two");
    await recorded(world, ({ type }) => type === "OutsideTurnEnded");
    await recorded(
      world,
      ({ type, payload }) =>
        type === "PostRecorded" && payload["part"] === "end" && String(payload["subject"]).startsWith("turn_"),
    );
    expect(events(world, "DecisionVoided")).toMatchObject([{ why: "terminal", outcome: "allowed" }]);
    expect(world.sandbox.notifications.slice(before).filter(({ how }) => how !== "silent")).toEqual([]);
  },
);

test.skipIf(!hasTmux)(
  "an idle window ends with its archived thread, and its end says so; the next message resumes the conversation",
  async () => {
    const { world, tmux, done } = await openDesk();
    await started(world);
    const thread = await world.session();
    await world.marked((await world.owner(thread).send("count:one")).id, "✅");
    // What is posted later would open the thread again.
    const last = (part: string): Record<string, unknown> | undefined =>
      events(world, "PostRecorded").findLast((one) => one["part"] === part);
    await inJournal(
      world,
      () =>
        events(world, "JobProgress").some(({ kind }) => kind === "gone") &&
        last("end") !== undefined &&
        last("card")?.["message_id"] == null,
    );
    await world.owner(thread).archive();
    await recorded(world, ({ type }) => type === "ArchiveDone");
    expect(events(world, "WindowClosed")).toMatchObject([{ why: "archived" }]);
    expect(() => tmux("list-panes", "-a")).toThrow();
    await world.owner(thread).send("count:two");
    await done("two");
    expect(events(world, "WindowOpened")).toHaveLength(2);
  },
);

test.skipIf(!hasTmux).each([
  ["line", 0],
  ["card", 1],
] as const)(
  "what Claude says of itself stands below its answer: footer %s; its owner's own line stands at the terminal",
  async (footer, at) => {
    const { world, tmux } = await openDesk({ footer });
    mkdirSync(join(world.home, ".claude"));
    writeFileSync(
      join(world.home, ".claude", "settings.json"),
      JSON.stringify({ statusLine: { type: "command", command: "echo my line; echo has two" } }),
    );
    const told = join(world.project, "told.txt");
    writeFileSync(
      join(world.home, "bin", "curl"),
      `#!/bin/sh\n/usr/bin/curl "$@"\ncase "$*" in *StatusLine*) echo told >>'${told}' ;; esac\n`,
      { mode: 0o755 },
    );
    await started(world);
    const thread = await world.session();
    const { id } = await world.owner(thread).send("until:gate:one");
    // The second, after the one at its start.
    await inFolder(world.project, () => existsSync(told) && readFileSync(told, "utf8").split("\n").length > 2);
    open(world, "gate");
    await world.marked(id, "✅");
    const shown = ({ content, embeds }: APIMessage): boolean => `${content} ${embeds[0]?.description}`.includes("📊");
    await world.saying(thread, (all) => all.some(shown));
    const said = world.said(thread).filter(shown);
    const line = "📊 Opus \\*4.6\\* 50% │ session:45%(2h30m) │ weekly:12%";
    expect([`${said[0]?.content}`, `${said[0]?.embeds[0]?.description}`][at]?.split("\n").at(-1)).toBe(
      at === 0 ? `-# ${line}` : line,
    );
    expect(said).toHaveLength(1);
    const [file = ""] = readdirSync(join(world.stateDir, "results")).filter((name) => name.endsWith(".md"));
    expect(readFileSync(join(world.stateDir, "results", file), "utf8").trim()).toBe("did one");
    expect(tmux("capture-pane", "-p")).toMatch(/my line\s+has two/);
  },
);

test.skipIf(!hasTmux)(
  "what Claude said of itself last is known after a restart: below its next answer, and in /agent status and usage",
  async () => {
    const { world } = await openDesk();
    const told = join(world.project, "told.txt");
    const curl = join(world.home, "bin", "curl");
    writeFileSync(curl, `#!/bin/sh\n/usr/bin/curl "$@"\ncase "$*" in *StatusLine*) echo told >>'${told}' ;; esac\n`, {
      mode: 0o755,
    });
    const daemon = await started(world);
    const thread = await world.session();
    const { id } = await world.owner(thread).send("until:gate:one");
    await inFolder(world.project, () => existsSync(told) && readFileSync(told, "utf8").split("\n").length > 2);
    open(world, "gate");
    await world.marked(id, "✅");
    await recorded(world, ({ type, payload }) => type === "AgentTold" && JSON.stringify(payload).includes("limits"));
    await daemon.kill("SIGKILL");
    writeFileSync(curl, `#!/bin/sh\ncase "$*" in *StatusLine*) exit 7 ;; esac\nexec /usr/bin/curl "$@"\n`, {
      mode: 0o755,
    });
    await started(world);
    await world.marked((await world.owner(thread).send("count:two")).id, "✅");
    await world.saying(thread, (said) =>
      said.some(
        ({ content }) =>
          content.startsWith("did two") &&
          content.endsWith("-# 📊 Opus \\*4.6\\* 50% │ session:45%(2h30m) │ weekly:12%"),
      ),
    );
    const fields = async (command: string): Promise<string> =>
      JSON.stringify((await (await world.owner(thread).slash(command)).answer()).embeds);
    expect(await fields("agent status")).toContain("`Opus *4.6*`");
    expect(await fields("agent usage")).toContain("100,000 / 200,000");
  },
);

test.skipIf(!hasTmux)("a window that its daemon did not live to write down is closed by the next one", async () => {
  const { world, tmux, done } = await openDesk();
  const daemon = await started(world);
  const thread = await world.session();
  // When the window is there, and before its daemon has been told so.
  const kills = join(world.home, "bin", "tmux");
  writeFileSync(
    kills,
    `#!/bin/sh\n/usr/bin/tmux "$@"\ncode=$?\ncase "$*" in *new-session*) kill -9 ${daemon.pid} ;; esac\nexit $code\n`,
    { mode: 0o755 },
  );
  await Promise.race([world.owner(thread).send("count:one"), daemon.exited]);
  await daemon.exited;
  rmSync(kills);
  expect(events(world, "WindowOpened")).toEqual([]);
  expect(tmux("list-panes", "-a").trim().split("\n")).toHaveLength(1);
  await started(world);
  await world.owner(thread).send("count:two");
  await done("two");
  expect(tmux("list-panes", "-a", "-F", "#{pane_pid}").trim().split("\n").map(Number)).toEqual([
    events(world, "WindowOpened").at(-1)?.["pid"],
  ]);
  expect(did(world)).toEqual(["two"]);
});

test.skipIf(!hasTmux)(
  "the end of a turn that no daemon heard is heard by the next one, however long it takes to find the window",
  async () => {
    const { world, done } = await openDesk();
    const daemon = await started(world);
    const thread = await world.session();
    await world.owner(thread).send("until:gate:one");
    await recorded(world, ({ payload }) => payload["kind"] === "process");
    await daemon.kill("SIGKILL");
    open(world, "gate");
    await done("one");
    await kept(world, "Stop");
    slowLook(world);
    await started(world);
    await recorded(world, ({ type }) => type === "JobCompleted" || type === "JobCancelled");
    expect([events(world, "JobCompleted").length, events(world, "JobCancelled").length]).toEqual([1, 0]);
  },
);

test.skipIf(!hasTmux)(
  "a job that is interrupted while no daemon runs is over, and what its owner enters next is a turn",
  async () => {
    const { world, tmux, shows, enter, done } = await openDesk();
    const daemon = await started(world);
    const thread = await world.session();
    await world.owner(thread).send("until:gate:one");
    await recorded(world, ({ payload }) => payload["kind"] === "process");
    await daemon.kill("SIGKILL");
    tmux("send-keys", "Escape");
    await shows("Interrupted");
    await enter("count:two");
    await done("two");
    await kept(world, "Stop");
    slowLook(world);
    await started(world);
    await recorded(world, ({ type }) => type === "JobCompleted" || type === "JobCancelled");
    await recorded(world, ({ type }) => type === "OutsideTurnEnded");
    expect([events(world, "JobCancelled").length, events(world, "OutsideTurnEnded")]).toMatchObject([
      1,
      [{ outcome: "done", result_excerpt: "did two" }],
    ]);
  },
);

test.skipIf(!hasTmux)(
  "a prompt that was told to a killed daemon by the name of the turn before it is a turn, with its answer",
  async () => {
    const { world, shows, enter, done } = await openDesk();
    const daemon = await started(world);
    const thread = await world.session();
    await world.marked((await world.owner(thread).send("count:one")).id, "✅");
    await enter("queued:gate:two");
    await shows("(told)");
    await daemon.kill("SIGKILL");
    open(world, "gate");
    await done("two");
    await kept(world, "Stop");
    await started(world);
    await recorded(world, ({ type }) => type === "OutsideTurnEnded");
    expect(events(world, "OutsideTurnBegan")).toMatchObject([{ origin: "terminal", prompt: "queued:gate:two" }]);
    expect(events(world, "OutsideTurnEnded")).toMatchObject([{ outcome: "done", result_excerpt: "did two" }]);
  },
);

test.skipIf(!hasTmux)("Stop on the control panel cancels what runs, and tells what waits and goes on", async () => {
  const { world, done } = await openDesk();
  const { channelId } = world.sandbox;
  withPanel(world);
  await started(world);
  const thread = await world.session();
  const running = await world.owner(thread).send("until:never:one");
  await recorded(world, ({ payload }) => payload["kind"] === "process");
  await world.marked((await world.owner(thread).send("count:two")).id, "⏳");
  const panel = await world.saying(channelId, (said) =>
    said.find((one) => JSON.stringify(one.components).includes("Stop app")),
  );
  const [told] = await (await world.owner(channelId).clickButton(panel.id, "🛑 Stop app")).followUps(1);
  expect(unlinked(told ?? {})).toHaveProperty(
    "content",
    "app: windows ended: 1. Messages still waiting: 1. They continue in a new window; `/queue` cancels them.",
  );
  await world.marked(running.id, "🚫");
  await done("two");
});

test.skipIf(!hasTmux)(
  "a permission mode that is changed at the terminal is said below the next answer, once, also by the next daemon",
  async () => {
    const { world, tmux } = await openDesk();
    const daemon = await started(world);
    const thread = await world.session();
    await world.marked((await world.owner(thread).send("count:one")).id, "✅");
    tmux("send-keys", "BTab");
    await world.marked((await world.owner(thread).send("count:two")).id, "✅");
    await world.marked((await world.owner(thread).send("count:three")).id, "✅");
    await daemon.kill("SIGKILL");
    await started(world);
    await world.marked((await world.owner(thread).send("count:four")).id, "✅");
    tmux("send-keys", "BTab");
    await world.marked((await world.owner(thread).send("count:five")).id, "✅");
    const ends = (said: APIMessage[]): string[] =>
      said.flatMap(({ embeds: [embed] }) =>
        embed?.description?.startsWith("✅") ? [/in its mode `(\w+)`/.exec(embed.description)?.[1] ?? ""] : [],
      );
    expect(await world.saying(thread, (said) => ends(said).length === 5 && ends(said))).toEqual([
      "",
      "acceptEdits",
      "",
      "",
      "default",
    ]);
  },
);

test.skipIf(!hasTmux)(
  "a cancelled turn is over only when Claude has stopped, also where it lost the key while it began with the prompt",
  async () => {
    const { world, tmux, done } = await openDesk();
    await started(world);
    const thread = await world.session();
    const { id } = await world.owner(thread).send("deaf:gate");
    await recorded(world, ({ payload }) => payload["kind"] === "process");
    await (await world.owner(thread).slash("cancel")).answer();
    await done("lost a key");
    open(world, "gate");
    await world.marked(id, "🚫");
    expect(tmux("capture-pane", "-p")).toContain("Interrupted");
    await world.marked((await world.owner(thread).send("count:two")).id, "✅");
  },
);

test.skipIf(!hasTmux).each(["at once", "a while later"])(
  "a tmux server that dies: what was typed fails, and what waits is typed in the next window; Claude is gone %s",
  async (when) => {
    const { world, tmux } = await openDesk();
    await started(world);
    const thread = await world.session();
    const owner = world.owner(thread);
    await world.marked((await owner.send("count:one")).id, "✅");
    const typed = await owner.send("until:never:two");
    await learnt(world, "process", 2);
    const waiting = [await owner.send("count:three"), await owner.send("count:four")];
    await world.marked(waiting[1]?.id ?? "", "⏳");
    if (when !== "at once") open(world, "lingers");
    tmux("kill-server");
    await world.marked(typed.id, "❌");
    await inJournal(world, () => events(world, "JobStarted").length > 2);
    open(world, "left");
    for (const { id } of waiting) await world.marked(id, "✅");
    expect(did(world)).toEqual(["one", "three", "four"]);
    expect([events(world, "WindowOpened").length, events(world, "JobFailed").length]).toEqual([2, 1]);
    expect(events(world, "JobProgress").filter(({ kind }) => kind === "checkout")).toHaveLength(4);
  },
);

test.skipIf(!hasTmux)("a message that waits while its owner leaves Claude is typed in the next window", async () => {
  const { world, tmux, shows, done } = await openDesk();
  await started(world);
  const thread = await world.session();
  await world.marked((await world.owner(thread).send("count:one")).id, "✅");
  tmux("send-keys", "-l", "/exit");
  await shows("❯ /exit");
  const { id } = await world.owner(thread).send("count:two");
  await recorded(world, ({ type }) => type === "SessionParked");
  open(world, "lingers");
  tmux("send-keys", "Enter");
  await shows("Goodbye!");
  open(world, "left");
  await world.marked(id, "✅");
  await done("two");
  expect([did(world), events(world, "WindowOpened").length, events(world, "JobFailed").length]).toEqual([
    ["one", "two"],
    2,
    0,
  ]);
});

test.skipIf(!hasTmux)(
  "a message that waits for a window, which is gone while no daemon runs, is typed in the next window",
  async () => {
    const { world, tmux, shows, done } = await openDesk();
    const daemon = await started(world);
    const thread = await world.session();
    await world.marked((await world.owner(thread).send("count:one")).id, "✅");
    tmux("send-keys", "-l", "a draft");
    await shows("❯ a draft");
    const { id } = await world.owner(thread).send("count:two");
    await recorded(world, ({ type }) => type === "SessionParked");
    await daemon.kill("SIGKILL");
    tmux("kill-server");
    await started(world);
    await world.marked(id, "✅");
    await done("two");
    expect([did(world), events(world, "WindowOpened").length]).toEqual([["one", "two"], 2]);
  },
);
