/**
 * A day with the real Claude Code in a window, compressed: turns from Discord and from the terminal, mixed by a seed,
 * while daemon, Claude, its window and the tmux server are killed. Nothing is lost, nothing is done twice, and nothing
 * that nobody asked for; the conversation goes on through all of it.
 */
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { type Asked, type End, JOB_ENDS, SEED, type Side } from "../../flows/day.ts";
import { did } from "../../flows/desk.ts";
import { inJournal, open } from "../../flows/workshop.ts";
import { type Daemon, inFolder } from "../../flows/world.ts";
import { type Desk, enter, openDesk } from "./desk.ts";

const wordOf = (prompt: string): string | undefined => /(?:echo |hang:)(w\d+)/.exec(prompt)?.[1];

/** Each step leaves the window at rest. */
class Day {
  readonly asked: Asked[] = [];
  readonly #desk: Desk;
  readonly #thread: string;
  #daemon: Daemon;

  constructor(desk: Desk, daemon: Daemon, thread: string) {
    [this.#desk, this.#daemon, this.#thread] = [desk, daemon, thread];
  }

  readonly steps: Record<string, () => Promise<void>> = {
    "a turn at the desk": () => this.#turn("desk"),
    "the daemon killed in a turn of the desk, back before its end": () => this.#daemonAway("desk", "before"),
    "the daemon killed in a turn of the desk, back after its end": () => this.#daemonAway("desk", "after"),
    "the daemon killed in a job, back before its end": () => this.#daemonAway("discord", "before"),
    "the daemon killed in a job, back after its end": () => this.#daemonAway("discord", "after"),
    "a turn at the desk while no daemon runs": async () => {
      await this.#daemon.kill("SIGKILL");
      await this.#done(await this.#begin("desk"));
      this.#daemon = await this.#desk.start();
      await this.#ended();
    },
    "two jobs that wait for a turn of the desk": async () => {
      const word = await this.#gated("desk");
      for (const _ of [1, 2]) await this.#begin("discord");
      open(this.#desk.world, word);
      await this.#ended();
    },
    "Claude killed in a job": () => this.#lost(() => this.#killClaude(), "discord"),
    "the window killed in a turn of the desk": () => this.#lost(() => this.#tmux("kill-window"), "desk"),
    "the tmux server killed in a job": () => this.#lost(() => this.#tmux("kill-server"), "discord"),
    "daemon and tmux server killed in a job": async () => {
      await this.#written();
      await this.#hanging("discord", "unknown");
      await this.#daemon.kill("SIGKILL");
      this.#tmux("kill-server");
      this.#daemon = await this.#desk.start();
      await this.#closed();
      await this.#ended();
      await this.#turn("discord");
    },
  };

  /** The first turn, which opens the window. */
  begin(): Promise<void> {
    return this.#turn("discord");
  }

  async check(): Promise<void> {
    const { world, all, model } = this.#desk;
    const done = this.asked.filter(({ end }) => end === "done").map(({ word }) => word);
    expect(did(world)).toEqual(done);
    const ofDesk = this.asked.filter(({ side }) => side === "desk");
    expect(all("OutsideTurnBegan").map(({ prompt }) => wordOf(String(prompt)))).toEqual(ofDesk.map(({ word }) => word));
    expect(all("OutsideTurnEnded").map(({ outcome }) => outcome)).toEqual(ofDesk.map(({ end }) => end));
    for (const [end, type] of Object.entries(JOB_ENDS))
      expect([type, all(type).length]).toEqual([type, this.#jobs.filter((one) => one.end === end).length]);
    const posted = await world.saying(this.#thread, (said) => {
      const words = said.flatMap(({ content }) => [...content.matchAll(/AFTER_TOOL (w\d+)/g)].map(([, word]) => word));
      return done.every((word) => words.includes(word)) && words;
    });
    expect(posted.toSorted()).toEqual(done.toSorted());
    await world.marked((await world.owner(this.#thread).send("hist:")).id, "✅");
    const told = model.asked
      .at(-1)
      ?.turns.filter(({ role, text }) => role === "user" && text?.includes("tool:bash:") === true);
    expect(told?.map(({ text }) => wordOf(text ?? ""))).toEqual(done);
  }

  get #jobs(): Asked[] {
    return this.asked.filter(({ side }) => side === "discord");
  }

  async #turn(side: Side): Promise<void> {
    await this.#begin(side);
    await this.#ended();
  }

  async #daemonAway(side: Side, back: "before" | "after"): Promise<void> {
    const word = await this.#gated(side);
    await this.#daemon.kill("SIGKILL");
    if (back === "before") this.#daemon = await this.#desk.start();
    open(this.#desk.world, word);
    await this.#done(word);
    if (back === "after") this.#daemon = await this.#desk.start();
    await this.#ended();
  }

  /** Something ends Claude in a turn of this side; the next job goes on with the conversation. */
  async #lost(kill: () => void, side: Side): Promise<void> {
    await this.#written();
    await this.#hanging(side, "failed");
    kill();
    await this.#closed();
    await this.#ended();
    await this.#turn("discord");
  }

  /** Asks for a word to be written; resolves with it. */
  async #begin(side: Side, before = ""): Promise<string> {
    const word = this.#ask(side, "done");
    await this.#prompt(side, `tool:bash:${before.replaceAll("WORD", word)}echo ${word} | tee -a done.txt`);
    return word;
  }

  /** The same, at a gate with the name of the word; resolves when Claude works on it. */
  async #gated(side: Side): Promise<string> {
    const word = await this.#begin(side, "until [ -e ../WORD ]; do sleep 0.1; done; ");
    await this.#works(side);
    return word;
  }

  /** A turn whose model never answers. */
  async #hanging(side: Side, end: End): Promise<void> {
    await this.#prompt(side, `hang:${this.#ask(side, end)}`);
    await this.#works(side);
  }

  /** Resolves when Claude is at the side's last turn. */
  #works(side: Side): Promise<void> {
    const [type, name] =
      side === "desk" ? (["OutsideTurnBegan", "turn_id"] as const) : (["JobEnqueued", "job_id"] as const);
    const count = this.asked.filter((one) => one.side === side).length;
    return inJournal(this.#desk.world, () => {
      const all = this.#desk.all(type);
      return (
        all.length === count &&
        this.#desk.all("JobProgress").some(({ kind, job_id }) => kind === "process" && job_id === all.at(-1)?.[name])
      );
    });
  }

  #ask(side: Side, end: End): string {
    const word = `w${this.asked.length + 1}`;
    this.asked.push({ side, word, end });
    return word;
  }

  async #prompt(side: Side, text: string): Promise<void> {
    await (side === "desk" ? enter(this.#desk, text) : this.#desk.world.owner(this.#thread).send(text));
  }

  #done(word: string): Promise<void> {
    const { world } = this.#desk;
    return inFolder(world.project, () => did(world).includes(word));
  }

  /** Resolves when all that was begun has ended. */
  #ended(): Promise<void> {
    const { world, all } = this.#desk;
    const jobs = (): number => Object.values(JOB_ENDS).flatMap((type) => all(type)).length;
    return inJournal(
      world,
      () => jobs() >= this.#jobs.length && all("OutsideTurnEnded").length >= this.asked.length - this.#jobs.length,
    );
  }

  /**
   * Resolves when Claude has written down its last answer, which it does a moment after it; before that there is
   * nothing to go on with.
   */
  async #written(): Promise<void> {
    const { world } = this.#desk;
    const { word } = this.asked.findLast(({ end }) => end === "done") ?? { word: "" };
    const conversations = join(world.home, ".claude", "projects", world.project.replace(/[^a-zA-Z0-9]/g, "-"));
    await inFolder(conversations, () =>
      readdirSync(conversations).some(
        (name) =>
          name.endsWith(".jsonl") &&
          readFileSync(join(conversations, name), "utf8").includes(`"text":"AFTER_TOOL ${word}"`),
      ),
    );
  }

  #closed(): Promise<void> {
    const { world, all } = this.#desk;
    return inJournal(world, () => all("WindowClosed").length === all("WindowOpened").length);
  }

  #killClaude(): void {
    process.kill(Number(this.#desk.all("WindowOpened").at(-1)?.["pid"]), "SIGKILL");
  }

  #tmux(command: string): void {
    execFileSync("tmux", ["-S", join(this.#desk.world.stateDir, "bellhop.tmux"), command], { stdio: "ignore" });
  }
}

test(
  `in a day of turns from both sides, with kills of all that can be killed, each is done once and recorded once (seed ${SEED})`,
  { timeout: 180_000 },
  async (context) => {
    const desk = await openDesk(context, { after_crash: "go_on" }, ["Bash"]);
    const daemon = await desk.start();
    const day = new Day(desk, daemon, await desk.world.session());
    const names = Object.keys(day.steps);
    const [order = []] = fc.sample(fc.shuffledSubarray(names, { minLength: names.length }), { seed: SEED, numRuns: 1 });
    const took: string[] = [];
    try {
      await day.begin();
      for (const name of order) {
        took.push(name);
        await day.steps[name]?.();
      }
      await day.check();
    } catch (error) {
      throw new Error(
        `seed ${SEED}, step ${took.length} (${took.at(-1)}) of turn ${day.asked.length}: ${String(error)}`,
        { cause: error },
      );
    }
  },
);
