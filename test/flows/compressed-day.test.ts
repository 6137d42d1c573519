/**
 * A day at the desk, compressed: turns from Discord and from the terminal, mixed by a seed, while daemons, windows,
 * Claudes and tmux servers are killed. Nothing is lost, nothing is done twice, and nothing that nobody asked for; the
 * conversation goes on through all of it. With BELLHOP_TEST_LONG, 200 turns.
 */
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { type Asked, type End, JOB_ENDS, SEED, type Side } from "./day.ts";
import { type Desk, did, hasTmux, openDesk, started } from "./desk.ts";
import { events } from "./mcp/asked.ts";
import { inJournal, open } from "./workshop.ts";
import type { Daemon } from "./world.ts";

const long = process.env["BELLHOP_TEST_LONG"] !== undefined;

/** Each step leaves the window at rest, or closed. */
class Day {
  readonly asked: Asked[] = [];
  readonly #desk: Desk;
  readonly #thread: string;
  #daemon: Daemon;

  constructor(desk: Desk, daemon: Daemon, thread: string) {
    [this.#desk, this.#daemon, this.#thread] = [desk, daemon, thread];
  }

  readonly steps: Record<string, () => Promise<void>> = {
    "a turn from Discord": () => this.#turn("discord"),
    "a turn at the desk": () => this.#turn("desk"),
    "a daemon killed in a turn of the desk, back before its end": () => this.#daemonAway("desk", "before", "SIGKILL"),
    "a daemon killed in a turn of the desk, back after its end": () => this.#daemonAway("desk", "after", "SIGKILL"),
    "a daemon killed in a job, back before its end": () => this.#daemonAway("discord", "before", "SIGKILL"),
    "a daemon killed in a job, back after its end": () => this.#daemonAway("discord", "after", "SIGKILL"),
    "a daemon stopped in a job, back after its end": () => this.#daemonAway("discord", "after", "SIGTERM"),
    "a turn at the desk while no daemon runs": async () => {
      await this.#daemon.kill("SIGKILL");
      const word = this.#ask("desk", "done");
      await this.#desk.enter(`count:${word}`);
      await this.#desk.done(word);
      await this.#again();
      await this.#ended();
    },
    "Claude killed at rest": () => this.#lost(() => process.kill(this.#claude(), "SIGKILL")),
    "Claude killed in a job": () => this.#lost(() => process.kill(this.#claude(), "SIGKILL"), "discord"),
    "Claude killed in a turn of the desk": () => this.#lost(() => process.kill(this.#claude(), "SIGKILL"), "desk"),
    "the window killed at rest": () => this.#lost(() => void this.#desk.tmux("kill-window")),
    "the window killed in a job": () => this.#lost(() => void this.#desk.tmux("kill-window"), "discord"),
    "the tmux server killed at rest": () => this.#lost(() => void this.#desk.tmux("kill-server")),
    "the tmux server killed in a turn of the desk": () => this.#lost(() => void this.#desk.tmux("kill-server"), "desk"),
    "daemon and tmux server killed in a job": async () => {
      await this.#begun("discord", "never", "unknown");
      await this.#daemon.kill("SIGKILL");
      this.#desk.tmux("kill-server");
      await this.#again();
      await this.#closed();
      await this.#ended();
      await this.#turn("discord");
    },
    "Escape at the desk in a job": async () => {
      await this.#begun("discord", "never", "cancelled");
      this.#desk.tmux("send-keys", "Escape");
      await this.#ended();
    },
    "two jobs that wait for a turn of the desk": async () => {
      const word = await this.#begun("desk", null, "done");
      for (const _ of [1, 2]) await this.#write(`count:${this.#ask("discord", "done")}`);
      open(this.#desk.world, word);
      await this.#ended();
    },
    "a job written during a compaction": async () => {
      const { world, enter } = this.#desk;
      rmSync(join(world.home, "compacted"), { force: true });
      await enter("/compact");
      await this.#desk.shows("esc to interrupt");
      await this.#write(`count:${this.#ask("discord", "done")}`);
      await inJournal(
        world,
        () => events(world, "JobStarted").at(-1)?.["job_id"] === events(world, "JobEnqueued").at(-1)?.["job_id"],
      );
      open(world, "compacted");
      await this.#ended();
    },
    "a permission given at the desk": async () => {
      await this.#permission();
      this.#desk.tmux("send-keys", "Enter");
      await this.#ended();
    },
    "a permission given in Discord": async () => {
      const prompt = await this.#permission();
      await this.#desk.world.owner(this.#thread).clickButton(prompt, "Allow");
      await this.#ended();
    },
  };

  /** How many turns were begun so far. */
  get turns(): number {
    return this.asked.length;
  }

  async check(): Promise<void> {
    const { world } = this.#desk;
    const done = this.asked.filter(({ end }) => end === "done").map(({ word }) => word);
    expect(did(world).toSorted()).toEqual(done.toSorted());
    const ofDesk = this.asked.filter(({ side }) => side === "desk");
    expect(events(world, "OutsideTurnBegan").map(({ prompt }) => String(prompt).split(":").at(-1))).toEqual(
      ofDesk.map(({ word }) => word),
    );
    expect(events(world, "OutsideTurnEnded").map(({ outcome }) => outcome)).toEqual(ofDesk.map(({ end }) => end));
    for (const [end, type] of Object.entries(JOB_ENDS))
      expect([type, events(world, type).length]).toEqual([type, this.#jobs.filter((one) => one.end === end).length]);
    const words = this.asked.map(({ word }) => word);
    await this.#write("hist");
    this.asked.push({ side: "discord", word: "hist", end: "done" });
    await this.#ended();
    const said = await world.saying(
      this.#thread,
      (all) => all.some(({ content }) => content.startsWith("I was asked")) && all,
    );
    // An answer goes on below what its owner wrote meanwhile.
    const texts = said.map(({ content }) => content).join("\n");
    expect([...texts.matchAll(/\bdid\s+(w\d+)/g)].map(([, word]) => word).toSorted()).toEqual(done.toSorted());
    const { job_id } = events(world, "JobCompleted").at(-1) ?? {};
    const history = readFileSync(join(world.stateDir, "results", `${String(job_id)}.md`), "utf8");
    expect([...history.matchAll(/\w+:(?:\w+:)?(w\d+)/g)].map(([, word]) => word)).toEqual(words);
  }

  get #jobs(): Asked[] {
    return this.asked.filter(({ side }) => side === "discord");
  }

  async #turn(side: Side): Promise<void> {
    const word = this.#ask(side, "done");
    await (side === "desk" ? this.#desk.enter(`count:${word}`) : this.#write(`count:${word}`));
    await this.#ended();
  }

  async #daemonAway(side: Side, back: "before" | "after", signal: "SIGKILL" | "SIGTERM"): Promise<void> {
    const word = await this.#begun(side, null, "done");
    await this.#daemon.kill(signal);
    if (back === "before") await this.#again();
    open(this.#desk.world, word);
    await this.#desk.done(word);
    if (back === "after") await this.#again();
    await this.#ended();
  }

  /** Something ends Claude, at rest or in a turn of this side; the next job goes on with the conversation. */
  async #lost(kill: () => void, inTurn?: Side): Promise<void> {
    if (inTurn !== undefined) await this.#begun(inTurn, "never", "failed");
    kill();
    await this.#closed();
    if (inTurn !== undefined) await this.#ended();
    await this.#turn("discord");
  }

  /** A turn that waits at a gate, by its word unless told otherwise; resolves with the word when Claude works on it. */
  async #begun(side: Side, gate: string | null, end: End): Promise<string> {
    const { world, enter } = this.#desk;
    const word = this.#ask(side, end);
    const prompt = `until:${gate ?? word}:${word}`;
    await (side === "desk" ? enter(prompt) : this.#write(prompt));
    const [type, name] =
      side === "desk" ? (["OutsideTurnBegan", "turn_id"] as const) : (["JobEnqueued", "job_id"] as const);
    const count = this.asked.filter((one) => one.side === side).length;
    await inJournal(world, () => {
      const all = events(world, type);
      return (
        all.length === count &&
        events(world, "JobProgress").some(({ kind, job_id }) => kind === "process" && job_id === all.at(-1)?.[name])
      );
    });
    return word;
  }

  /** A job that asks; resolves with the message that shows it, when the dialog stands at the desk too. */
  async #permission(): Promise<string> {
    const { world } = this.#desk;
    const before = events(world, "DecisionAsked").length;
    await this.#write(`may:${this.#ask("discord", "done")}`);
    await inJournal(world, () => events(world, "DecisionAsked").length > before);
    const asked = events(world, "DecisionAsked").at(-1)?.["decision_id"];
    const shown = (): unknown =>
      events(world, "PostRecorded").find(({ subject, part }) => subject === asked && part === "prompt")?.["message_id"];
    await inJournal(world, () => typeof shown() === "string");
    await this.#desk.shows("Do you want to proceed?");
    return String(shown());
  }

  #ask(side: Side, end: End): string {
    const word = `w${this.asked.length + 1}`;
    this.asked.push({ side, word, end });
    return word;
  }

  async #write(text: string): Promise<void> {
    await this.#desk.world.owner(this.#thread).send(text);
  }

  async #again(): Promise<void> {
    this.#daemon = await started(this.#desk.world);
  }

  /** Resolves when all that was begun has ended. */
  #ended(): Promise<void> {
    const { world } = this.#desk;
    const jobs = (): number => Object.values(JOB_ENDS).flatMap((type) => events(world, type)).length;
    return inJournal(
      world,
      () =>
        jobs() >= this.#jobs.length &&
        events(world, "OutsideTurnEnded").length >= this.asked.length - this.#jobs.length,
    );
  }

  #closed(): Promise<void> {
    const { world } = this.#desk;
    return inJournal(world, () => events(world, "WindowClosed").length === events(world, "WindowOpened").length);
  }

  #claude(): number {
    return Number(events(this.#desk.world, "WindowOpened").at(-1)?.["pid"]);
  }
}

test.skipIf(!hasTmux)(
  `in a day of turns from both sides, with kills of all that can be killed, each is done once and recorded once (seed ${SEED})`,
  { timeout: (long ? 60 : 3) * 60_000 },
  async () => {
    const desk = await openDesk();
    const daemon = await started(desk.world);
    const day = new Day(desk, daemon, await desk.world.session());
    const names = Object.keys(day.steps);
    const orders = fc.sample(fc.shuffledSubarray(names, { minLength: names.length }), { seed: SEED, numRuns: 20 });
    const took: string[] = [];
    try {
      await day.steps["a turn from Discord"]?.();
      for (const name of long ? orders.flat() : (orders[0] ?? [])) {
        if (day.turns >= 200) break;
        took.push(name);
        await day.steps[name]?.();
      }
      await day.check();
    } catch (error) {
      throw new Error(`seed ${SEED}, step ${took.length} (${took.at(-1)}) of turn ${day.turns}: ${String(error)}`, {
        cause: error,
      });
    }
  },
);
