/**
 * Windows in which a scripted Claude sits: used from both sides while daemons, Claudes and the tmux server are killed. Nothing
 * is lost, nothing is done twice, and nothing that nobody asked for.
 */
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import type { APIMessage } from "discord-api-types/v10";
import { expect, onTestFinished, test } from "vitest";
import { events } from "./mcp/asked.ts";
import { canTrace, tracer } from "./tracer.ts";
import { open, recorded } from "./workshop.ts";
import { inFolder, openWorld, type Daemon, type World } from "./world.ts";

const long = process.env["BELLHOP_TEST_LONG"] !== undefined;
const hasTmux = existsSync("/usr/bin/tmux");
if (!hasTmux) process.stderr.write("Windows are not tested: there is no /usr/bin/tmux (Debian: apt-get install tmux).\n");

interface Desk {
  world: World;
  tmux(...args: string[]): string;
  /** Types at the terminal, and presses Enter when it stands there. */
  enter(text: string): Promise<void>;
  /** Resolves when it has been done. */
  done(word: string): Promise<void>;
}

async function openDesk(config: Record<string, unknown> = {}): Promise<Desk> {
  const world = await openWorld({ tools: ["tmux"], agent: "none", unlimited: true, config: { after_crash: "go_on", ...config } });
  const claude = join(world.home, "bin", "claude");
  writeFileSync(claude, `#!/bin/sh\nexec '${process.execPath}' '${join(import.meta.dirname, "..", "fakes", "agents", "terminal.mjs")}' "$@"\n`);
  chmodSync(claude, 0o755);
  const tmux = (...args: string[]): string => execFileSync("tmux", ["-u", "-S", join(world.stateDir, "bellhop.tmux"), ...args], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  onTestFinished(() => {
    try {
      tmux("kill-server");
    } catch {
      // It may be gone already.
    }
  });
  const shows = async (words: string): Promise<void> => {
    // Nothing tells of what a terminal draws.
    while (!tmux("capture-pane", "-p").includes(words)) await setImmediate();
  };
  return {
    world,
    tmux,
    async enter(text) {
      await shows("? for shortcuts");
      tmux("send-keys", "-l", text);
      await shows(`❯ ${text}`);
      tmux("send-keys", "Enter");
    },
    done: (word) => inFolder(world.project, () => did(world).includes(word)),
  };
}

function did({ project }: World): string[] {
  const file = join(project, "done.txt");
  return existsSync(file) ? readFileSync(file, "utf8").split("\n").slice(0, -1) : [];
}

async function started(world: World, options?: Parameters<World["daemon"]>[0]): Promise<Daemon> {
  const daemon = world.daemon(options);
  await daemon.ready;
  return daemon;
}

const ENDS = new Set(["JobCompleted", "JobFailed", "JobCancelled", "JobMarkedUnknownAfterCrash"]);
/** Resolves when so many jobs have ended. */
const ended = (world: World, count: number): Promise<void> => recorded(world, () => [...ENDS].flatMap((type) => events(world, type)).length >= count);
const turnsEnded = (world: World, count: number): Promise<void> => recorded(world, () => events(world, "OutsideTurnEnded").length >= count);

/** The daemon learns of a turn long before that is on disk. */
const slowDisk = (world: World): ReturnType<typeof tracer> => tracer(world, ["-o", "/dev/null", "-e", "trace=fdatasync", "-e", "inject=fdatasync:delay_enter=250000"]);

test.skipIf(!hasTmux).each(canTrace ? ["as it is", "slow"] : ["as it is"])("a turn at the terminal and what it asks are silent posts; the key pressed there answers; with the disk %s", async (disk) => {
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
  await turnsEnded(world, 1);
  await recorded(world, ({ type, payload }) => type === "PostRecorded" && payload["part"] === "end" && String(payload["subject"]).startsWith("turn_"));
  expect(events(world, "DecisionVoided")).toMatchObject([{ why: "terminal", outcome: "allowed" }]);
  expect(world.sandbox.notifications.slice(before).filter(({ how }) => how !== "silent")).toEqual([]);
});

test.skipIf(!hasTmux)("an idle window ends with its archived thread, and its end says so; the next message resumes the conversation", async () => {
  const { world, tmux, done } = await openDesk();
  await started(world);
  const thread = await world.session();
  await world.marked((await world.owner(thread).send("count:one")).id, "✅");
  // What is posted later would open the thread again.
  const last = (part: string): Record<string, unknown> | undefined => events(world, "PostRecorded").findLast((one) => one["part"] === part);
  await recorded(world, () => events(world, "JobProgress").some(({ kind }) => kind === "gone") && last("end") !== undefined && last("card")?.["message_id"] === null);
  await world.owner(thread).archive();
  await recorded(world, ({ type }) => type === "ArchiveDone");
  expect(events(world, "WindowClosed")).toMatchObject([{ why: "archived" }]);
  expect(() => tmux("list-panes", "-a")).toThrow();
  await world.owner(thread).send("count:two");
  await done("two");
  expect(events(world, "WindowOpened")).toHaveLength(2);
});

test.skipIf(!hasTmux).each([["line", 0], ["card", 1]] as const)("what Claude says of itself stands below its answer: footer %s; its owner's own line stands at the terminal", async (footer, at) => {
  const { world, tmux } = await openDesk({ footer });
  mkdirSync(join(world.home, ".claude"));
  writeFileSync(join(world.home, ".claude", "settings.json"), JSON.stringify({ statusLine: { type: "command", command: "echo my line; echo has two" } }));
  const told = join(world.project, "told.txt");
  writeFileSync(join(world.home, "bin", "curl"), `#!/bin/sh\n/usr/bin/curl "$@"\ncase "$*" in *StatusLine*) echo told >>'${told}' ;; esac\n`, { mode: 0o755 });
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
  expect([`${said[0]?.content}`, `${said[0]?.embeds[0]?.description}`][at]?.split("\n").at(-1)).toBe(at === 0 ? `-# ${line}` : line);
  expect(said).toHaveLength(1);
  const [file = ""] = readdirSync(join(world.stateDir, "results")).filter((name) => name.endsWith(".md"));
  expect(readFileSync(join(world.stateDir, "results", file), "utf8").trim()).toBe("did one");
  expect(tmux("capture-pane", "-p")).toMatch(/my line\s+has two/);
});

test.skipIf(!hasTmux)("a window that its daemon did not live to write down is closed by the next one", async () => {
  const { world, tmux, done } = await openDesk();
  const daemon = await started(world);
  const thread = await world.session();
  // When the window is there, and before its daemon has been told so.
  const kills = join(world.home, "bin", "tmux");
  writeFileSync(kills, `#!/bin/sh\n/usr/bin/tmux "$@"\ncode=$?\ncase "$*" in *new-session*) kill -9 ${daemon.pid} ;; esac\nexit $code\n`, { mode: 0o755 });
  await Promise.race([world.owner(thread).send("count:one"), daemon.exited]);
  await daemon.exited;
  rmSync(kills);
  expect(events(world, "WindowOpened")).toEqual([]);
  expect(tmux("list-panes", "-a").trim().split("\n")).toHaveLength(1);
  await started(world);
  await world.owner(thread).send("count:two");
  await done("two");
  expect(tmux("list-panes", "-a", "-F", "#{pane_pid}").trim().split("\n").map(Number)).toEqual([events(world, "WindowOpened").at(-1)?.["pid"]]);
  expect(did(world)).toEqual(["two"]);
});

test.skipIf(!hasTmux)("the end of a turn that no daemon heard is heard by the next one, however long it takes to find the window", async () => {
  const { world, done } = await openDesk();
  const daemon = await started(world);
  const thread = await world.session();
  await world.owner(thread).send("until:gate:one");
  await recorded(world, ({ payload }) => payload["kind"] === "process");
  await daemon.kill("SIGKILL");
  open(world, "gate");
  await done("one");
  const spool = join(world.stateDir, "hooks", "spool");
  await inFolder(spool, () => readdirSync(spool).some((name) => !name.startsWith(".") && readFileSync(join(spool, name), "utf8").startsWith("Stop ")));
  // Its first look at the window takes long.
  writeFileSync(join(world.home, "bin", "tmux"), `#!/bin/sh\ncase "$*" in *display-message*) mkdir '${join(world.home, "looked")}' 2>/dev/null && sleep 2 ;; esac\nexec /usr/bin/tmux "$@"\n`, { mode: 0o755 });
  await started(world);
  await ended(world, 1);
  expect([events(world, "JobCompleted").length, events(world, "JobCancelled").length]).toEqual([1, 0]);
});

test.skipIf(!hasTmux)("Stop on the control panel cancels what runs, and tells what waits and goes on", async () => {
  const { world, done } = await openDesk();
  const { channelId, guildId } = world.sandbox;
  const file = join(world.stateDir, "config.json");
  const config = JSON.parse(readFileSync(file, "utf8")) as object;
  writeFileSync(file, JSON.stringify({ ...config, servers: { main: { guild_id: guildId, general_channel_id: channelId } } }));
  await started(world);
  const thread = await world.session();
  const running = await world.owner(thread).send("until:never:one");
  await recorded(world, ({ payload }) => payload["kind"] === "process");
  await world.marked((await world.owner(thread).send("count:two")).id, "⏳");
  const panel = await world.saying(channelId, (said) => said.find((one) => JSON.stringify(one.components).includes("Stop app")));
  const [told] = await (await world.owner(channelId).clickButton(panel.id, "🛑 Stop app")).followUps(1);
  expect(told?.content).toBe("app: 1 window(s) ended. 1 waiting message(s) go on in a new window; `/queue` takes them back.");
  await world.marked(running.id, "🚫");
  await done("two");
});

/** What happens to a window in a day, one thing after another; each leaves it at rest. */
class Day {
  readonly asked = { discord: [] as string[], desk: [] as string[] };
  readonly #desk: Desk;
  #daemon: Daemon;
  readonly #thread: string;
  #count = 0;
  #lost = 0;

  constructor(desk: Desk, daemon: Daemon, thread: string) {
    [this.#desk, this.#daemon, this.#thread] = [desk, daemon, thread];
  }

  readonly steps: (() => Promise<void>)[] = [
    async () => this.#send("count"),
    async () => {
      const word = this.#type();
      await this.#desk.enter(`count:${word}`);
      await this.#turnOver();
    },
    // The daemon is killed in a turn of either side, and comes back before its end, or after it.
    async () => this.#interrupted("desk", "before"),
    async () => this.#interrupted("desk", "after"),
    async () => this.#interrupted("discord", "before"),
    async () => this.#interrupted("discord", "after"),
    // While no daemon runs.
    async () => {
      await this.#daemon.kill("SIGKILL");
      const word = this.#type();
      await this.#desk.enter(`count:${word}`);
      await this.#desk.done(word);
      await this.#again();
      await this.#turnOver();
    },
    // Its Claude is killed at rest, and in a turn.
    async () => {
      process.kill(this.#claude(), "SIGKILL");
      await this.#closed();
      await this.#send("count");
    },
    async () => {
      const word = this.#word();
      this.#lost += 1;
      await this.#desk.world.owner(this.#thread).send(`until:never:${word}`);
      await this.#begun("discord");
      process.kill(this.#claude(), "SIGKILL");
      await this.#closed();
      await this.#settled();
      await this.#send("count");
    },
    // The tmux server is killed.
    async () => {
      this.#desk.tmux("kill-server");
      await this.#closed();
      await this.#send("count");
    },
  ];

  /** Nothing twice, nothing unasked; what was typed at the desk is recorded once, and what was asked in Discord is done. */
  check(): void {
    const { world } = this.#desk;
    const all = did(world);
    expect(new Set(all).size).toBe(all.length);
    expect(all.toSorted()).toEqual([...this.asked.discord, ...this.asked.desk].toSorted());
    expect(events(world, "OutsideTurnBegan").map(({ prompt }) => String(prompt).split(":").at(-1))).toEqual(this.asked.desk);
    expect(events(world, "OutsideTurnEnded").map(({ outcome }) => outcome)).toEqual(this.asked.desk.map(() => "done"));
    expect(events(world, "JobCompleted")).toHaveLength(this.asked.discord.length);
    expect(events(world, "JobFailed")).toHaveLength(this.#lost);
    expect(events(world, "JobMarkedUnknownAfterCrash")).toEqual([]);
  }

  async #interrupted(by: "desk" | "discord", back: "before" | "after"): Promise<void> {
    const { world, enter, done } = this.#desk;
    const word = by === "desk" ? this.#type() : this.#asked();
    const begun = by === "desk" ? enter(`until:${word}:${word}`) : world.owner(this.#thread).send(`until:${word}:${word}`);
    await begun;
    await this.#begun(by);
    await this.#daemon.kill("SIGKILL");
    if (back === "before") await this.#again();
    open(world, word);
    await done(word);
    if (back === "after") await this.#again();
    await (by === "desk" ? this.#turnOver() : this.#settled());
  }

  async #send(how: string): Promise<void> {
    await this.#desk.world.owner(this.#thread).send(`${how}:${this.#asked()}`);
    await this.#settled();
  }

  async #again(): Promise<void> {
    this.#daemon = await started(this.#desk.world);
  }

  #settled(): Promise<void> {
    return ended(this.#desk.world, this.asked.discord.length + this.#lost);
  }

  #turnOver(): Promise<void> {
    return turnsEnded(this.#desk.world, this.asked.desk.length);
  }

  #closed(): Promise<void> {
    const count = (): number => events(this.#desk.world, "WindowClosed").length;
    return recorded(this.#desk.world, () => count() === events(this.#desk.world, "WindowOpened").length);
  }

  #claude(): number {
    return Number(events(this.#desk.world, "WindowOpened").at(-1)?.["pid"]);
  }

  /** Resolves when Claude works on what was asked last. */
  #begun(by: "desk" | "discord"): Promise<void> {
    const { world } = this.#desk;
    const [type, name, count] = by === "desk" ? (["OutsideTurnBegan", "turn_id", this.asked.desk.length] as const) : (["JobEnqueued", "job_id", this.asked.discord.length + this.#lost] as const);
    return recorded(world, ({ payload }) => {
      const all = events(world, type);
      return all.length === count && payload["kind"] === "process" && payload["job_id"] === all.at(-1)?.[name];
    });
  }

  #asked(): string {
    this.asked.discord.push(this.#word());
    return this.asked.discord.at(-1) ?? "";
  }

  #type(): string {
    this.asked.desk.push(this.#word());
    return this.asked.desk.at(-1) ?? "";
  }

  #word(): string {
    this.#count += 1;
    return `w${this.#count}`;
  }
}

test.skipIf(!hasTmux)("in a day of turns from both sides, with kills of daemon, Claude and tmux server, each is done once and recorded once", { timeout: (long ? 60 : 2) * 60_000 }, async () => {
  const desk = await openDesk();
  const daemon = await started(desk.world);
  const day = new Day(desk, daemon, await desk.world.session());
  await day.steps[0]?.();
  for (let round = 0; round < (long ? 20 : 1); round += 1) {
    // Each time in another order.
    const order = day.steps.map((step, at) => ({ step, at: (at * 7 + round * 3) % day.steps.length })).sort((a, b) => a.at - b.at);
    for (const { step } of order) await step();
  }
  day.check();
});
