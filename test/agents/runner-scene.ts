/**
 * A runner on a core of its own, with agents that a test speaks for, a checkout that it may change, and a clock that
 * it sets. Everything waits on facts of the state.
 */
import { onTestFinished } from "vitest";
import type { Driver, Reply, Run, RunRequest } from "../../src/agents/driver.ts";
import type { RunnerOptions } from "../../src/agents/means.ts";
import { openParking } from "../../src/agents/parking.ts";
import { openRunner, type Runner } from "../../src/agents/runner.ts";
import type { RunEnded, Update } from "../../src/agents/updates.ts";
import { silentLog, type Log } from "../../src/base/log.ts";
import type { Checkout } from "../../src/core/checkout.ts";
import { emptyState, evolve, type Command, type Recorded } from "../../src/core/house.ts";
import { createEngine, type Engine } from "../../src/engine/engine.ts";
import { createSignals, type JobSignal } from "../../src/engine/signals.ts";
import { digestOf } from "../../src/host/decision-files.ts";
import type { Difference } from "../../src/host/difference.ts";
import { rules } from "../core/scene.ts";
import { createFakeClock, type FakeClock } from "../fakes/fake-clock.ts";
import { silentLog as silentJobLog } from "./stage.ts";

export const T1 = "200000000000000010";
export const T2 = "200000000000000020";
export const today = (number: number): string => `job_20260301_${String(number).padStart(4, "0")}`;

/** A run that says and does what the test tells it to. */
export class Puppet implements Run {
  readonly process = Promise.resolve({ pid: 4711, startTime: "1" });
  readonly gone: Promise<void>;
  readonly request: RunRequest;
  /** Somebody wants it to end; then it does, as cancelled. */
  stopped = false;
  /** It has written nothing since its start; else it writes all the time. */
  quiet = false;
  /** What it was told of its requests, and may be told: after its end it takes nothing. */
  readonly told: { id: string; reply: Reply }[] = [];
  readonly #clock: FakeClock;
  readonly #said: Update[] = [];
  #heard: () => void = () => undefined;
  #listened: () => void = () => undefined;
  readonly #leave: () => void;

  constructor(request: RunRequest, clock: FakeClock) {
    this.request = request;
    this.#clock = clock;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.gone = promise;
    this.#leave = resolve;
  }

  say(...updates: Update[]): void {
    this.#said.push(...updates);
    this.#heard();
  }

  /** Its last word; its process stays where `stays`. */
  end(outcome: Omit<RunEnded, "kind"> | object, stays = false): void {
    this.say({ kind: "end", ...outcome } as RunEnded);
    if (!stays) this.#leave();
  }

  done(result = "said"): void {
    this.end({ outcome: "done", result });
  }

  fail(details: object = {}, code = "E_CLI_EXIT_NONZERO"): void {
    this.end({ outcome: "failed", code, details: { reason: "it broke", ...details } });
  }

  leave(): void {
    this.#leave();
  }

  get updates(): AsyncIterable<Update> {
    return this.#read();
  }

  async answer(id: string, reply: Reply): Promise<boolean> {
    this.told.push({ id, reply });
    this.#listened();
    return true;
  }

  /** Resolves with what it was told, once it was told so often. */
  async tells(count: number): Promise<Reply[]> {
    while (this.told.length < count) await new Promise<void>((resolve) => (this.#listened = resolve));
    return this.told.map(({ reply }) => reply);
  }

  heardAt(): number {
    return this.quiet ? 0 : this.#clock.monotonic();
  }

  stop(): Promise<void> {
    if (!this.stopped) this.end({ outcome: "cancelled" });
    this.stopped = true;
    return this.gone;
  }

  async *#read(): AsyncGenerator<Update> {
    for (;;) {
      const update = this.#said.shift();
      if (update === undefined) await new Promise<void>((resolve) => (this.#heard = resolve));
      else yield update;
      if (update?.kind === "end") return;
    }
  }
}

export class RunnerScene {
  readonly clock: FakeClock;
  readonly engine: Engine;
  readonly events: Recorded[] = [];
  readonly runs: Puppet[] = [];
  readonly signals = createSignals<JobSignal>();
  readonly patches = new Map<string, string>();
  readonly failures: unknown[] = [];
  /** What was to be allowed, by the decision's id. */
  readonly decided = new Map<string, string>();
  readonly forgotten: string[] = [];
  /** The disk fails the next write, and with it the journal. */
  broken: Error | null = null;
  /** As it was kept last. */
  runner: Runner | null = null;
  /** Seconds after which what is asked lapses, where set. */
  lapses: { question?: number; permission?: number; plan?: number } = {};
  /** The project's directory, and its arguments for claude. */
  project: { path: string; args: string[] } = { path: "/srv/app", args: [] };
  /** Where the project stands now. */
  checkout: Checkout = { cwd: "/srv/app", branch: "main", head: "a".repeat(40), tree: "1".repeat(40) };
  /** Commits that have all earlier ones among their ancestors. */
  onTop = new Set<string>();
  /** What is found to lie between two different trees. */
  difference: Difference | null = { files: 1, added: 2, removed: 1, stat: " a.txt | 3 ++-", patch: Buffer.from("+a\n") };
  readonly options: RunnerOptions;
  readonly #awaiting: (() => void)[] = [];
  #messages: bigint;

  /** @param events what an earlier process wrote down */
  constructor(events: readonly Recorded[] = [], clock: FakeClock = createFakeClock(Date.UTC(2026, 2, 1, 12))) {
    const state = emptyState();
    this.clock = clock;
    for (const event of events) evolve(state, structuredClone(event));
    this.events.push(...events);
    this.#messages = 300_000_000_000_000_000n + BigInt(events.length);
    this.engine = createEngine({
      state,
      append: async (written) => {
        if (this.broken) throw this.broken;
        this.events.push(...structuredClone(written));
      },
      clock,
      rules: () => rules,
      keeperFailed: (error) => void this.failures.push(error),
    });
    const log: Log = { ...silentLog, failure: (_text, error) => void this.failures.push(error) };
    this.options = {
      engine: this.engine,
      drivers: new Map(["claude", "codex"].map((tool) => [tool, this.#driver(tool)])),
      signals: this.signals,
      results: {
        save: () => Promise.resolve("0".repeat(64)),
        read: () => Promise.resolve(undefined),
        savePatch: async (jobId, patch) => {
          this.patches.set(jobId, Buffer.from(patch).toString());
          return "f".repeat(64);
        },
        readPatch: () => Promise.resolve(undefined),
      },
      decisionFiles: {
        write: async (id, bytes) => {
          this.decided.set(id, bytes);
          return digestOf(bytes);
        },
        read: async (id) => this.decided.get(id) ?? null,
      },
      locale: "en",
      git: {
        stand: () => ({ ...this.checkout, tree: null }),
        take: () => Promise.resolve({ ...this.checkout }),
        compare: (_job, from, to) => Promise.resolve(from.tree === to.tree ? { files: 0, added: 0, removed: 0, stat: "", patch: null } : this.difference),
        follows: (_job, _cwd, _older, newer) => Promise.resolve(this.onTop.has(newer)),
        forget: async (jobId) => void this.forgotten.push(jobId),
        forgetAllBut: () => Promise.resolve(),
      },
      clock,
      log,
      environment: () => ({}),
      grants: () => [],
      openLog: () => silentJobLog,
      redact: (text) => text.replaceAll("SECRET", "***"),
      redactBytes: (bytes) => Buffer.from(bytes.toString().replaceAll("SECRET", "***")),
      redactStream: () => ({ push: (chunk) => chunk }),
      isDirectory: () => true,
      lapseSeconds: (kind) => this.lapses[kind],
      limits: () => ({ silenceMs: 900_000, excerptChars: 400 }),
    };
  }

  /** The keepers, as the daemon starts them. */
  keep(): this {
    const runner = openRunner(this.options);
    this.runner = runner;
    const parking = openParking(this.options);
    onTestFinished(() => {
      for (const run of this.runs) run.leave();
      parking.close();
    });
    runner.start();
    parking.start();
    return this;
  }

  /** The same for a session in each of these threads. */
  async withSessions(...threads: string[]): Promise<this> {
    const { path, args: claude } = this.project;
    const project = { name: "app", path, enabled_tools: ["claude", "codex"], default_tool: "claude", default_args: { claude } };
    await this.engine.submit({ type: "create_project", project });
    for (const thread_id of threads) {
      const request_id = `r${thread_id}`;
      await this.engine.submit({ type: "start_session", request_id, project_name: "app", channel_id: "2", guild_id: "3", bot_id: "4" });
      await this.engine.submit({ type: "open_session", request_id, thread_id });
    }
    return this.keep();
  }

  async hear(prompt = "do it", thread_id = T1, files: string[] = []): Promise<void> {
    await this.engine.submit({ type: "hear", thread_id, discord_message_id: String(this.#messages++), prompt, files, refused_files: [], reply_to: null });
  }

  async do(command: Command): Promise<string[]> {
    return (await this.engine.submit(command)).map(({ type }) => type);
  }

  /** The run of this number, counted from 1, once it is there. */
  async run(number: number): Promise<Puppet> {
    while (this.runs.length < number) await new Promise<void>((resolve) => this.#awaiting.push(resolve));
    return this.runs[number - 1] as Puppet;
  }

  /** Resolves when the job is in this state. */
  is(number: number, state: string): Promise<true> {
    return this.engine.until(({ jobs }) => jobs[today(number)]?.state === state);
  }

  /** Resolves when nothing of a job is left in the thread's way. */
  free(thread_id = T1): Promise<true> {
    return this.engine.until(({ threads }) => threads[thread_id]?.busy_job === null);
  }

  waits(thread_id = T1): Promise<true> {
    return this.engine.until(({ threads }) => threads[thread_id]?.wait != null);
  }

  /** One job from its message to its end, in a conversation that can be gone on with. */
  async answered(prompt = "first"): Promise<void> {
    const before = this.runs.length;
    await this.hear(prompt);
    const run = await this.run(before + 1);
    run.say({ kind: "session_key", key: "s1" });
    run.done();
    await this.free();
  }

  #driver(tool: string): Driver {
    return {
      tool,
      probe: () => Promise.resolve({ found: true, tried: true, install: "" }),
      refuses: () => null,
      run: (request) => {
        const run = new Puppet(request, this.clock);
        this.runs.push(run);
        for (const resolve of this.#awaiting.splice(0)) resolve();
        return run;
      },
    };
  }
}
