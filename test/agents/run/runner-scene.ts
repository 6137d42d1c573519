/**
 * A runner on a core of its own, with agents that a test speaks for, a checkout that it may change, and a clock that
 * it sets. Everything waits on facts of the state.
 */
import { onTestFinished } from "vitest";
import type { Agent, Prompt, Reply, Turn, Access, Driver, Opening } from "../../../src/agents/contract/driver.ts";
import { openLivingAgents, type LiveDependencies } from "../../../src/agents/live/living-agents.ts";
import { noUpdates } from "../../../src/agents/process/dialect.ts";
import type { MachineContext } from "../../../src/agents/process/machine.ts";
import type { RunContext } from "../../../src/agents/run/run-context.ts";
import { outsideTurns } from "../../../src/agents/run/outside-turn.ts";
import { openLimitWait } from "../../../src/agents/run/starts.ts";
import { openRunner, type Runner } from "../../../src/agents/run/runner.ts";
import { Steering } from "../../../src/agents/run/steering.ts";
import type { TurnEnded, Update } from "../../../src/agents/contract/updates.ts";
import { silentLog, type Log } from "../../../src/base/log.ts";
import { Redactor } from "../../../src/base/redact.ts";
import { defaultConfig } from "../../../src/config/config-file.ts";
import type { Checkout } from "../../../src/core/projects/checkout.ts";
import type { Command } from "../../../src/core/slices.ts";
import { emptyState, type RecordedEvent } from "../../../src/core/state.ts";
import { evolve } from "../../../src/core/evolve.ts";
import { part } from "../../fakes/part.ts";
import { createHookChannel } from "../../../src/engine/hook-channel.ts";
import { createEngine, type Engine } from "../../../src/engine/engine.ts";
import { createLiveEvents, type JobLiveEvent } from "../../../src/engine/live.ts";
import type { ConfigurationEntry } from "../../../src/core/projects/agent-configuration.ts";
import { configurationOf } from "../../../src/host/files/agent-configuration.ts";
import { digestOf } from "../../../src/host/files/kept-files.ts";
import type { JobLog } from "../../../src/host/files/job-log.ts";
import type { AnswerFile } from "../../../src/host/files/answer-writing.ts";
import type { Difference } from "../../../src/host/git/git-process.ts";
import type { Rules } from "../../../src/core/jobs/job.ts";
import type { RuleFacts } from "../../../src/core/rules/judge.ts";
import type { AskedToJudge } from "../../../src/host/files/rule-facts.ts";
import { rules } from "../../core/scene.ts";
import { createFakeClock, type FakeClock } from "../../fakes/fake-clock.ts";
import { silentLog as silentJobLog } from "../stage.ts";
import { asItIs } from "../../fakes/no-secrets.ts";
import { discordTime } from "../../fakes/discord-time.ts";

export const T1 = "200000000000000010";
export const T2 = "200000000000000020";
export const today = (number: number): string => `job_20260301_${String(number).padStart(4, "0")}`;

/** What a turn was asked for, and in what conversation. */
export interface Asked extends Opening, Prompt {
  jobId: string;
}

/** A turn that says and does what the test tells it to; its conversation has no process besides. */
const NOT_ISOLATED: Pick<RunContext, "worktrees"> = {
  worktrees: {
    make: () => Promise.reject(new Error("nothing is isolated")),
    exists: () => false,
    madeThere: () => null,
    list: () => new Map(),
    remains: () => Promise.reject(new Error("nothing is isolated")),
    remove: () => Promise.resolve(),
  },
};

export class Puppet implements Turn {
  readonly process = Promise.resolve({ pid: 4711, startTime: "1" });
  readonly over: Promise<void>;
  readonly request: Asked;
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

  constructor(request: Asked, clock: FakeClock) {
    this.request = request;
    this.#clock = clock;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.over = promise;
    this.#leave = resolve;
  }

  say(...updates: Update[]): void {
    this.#said.push(...updates);
    this.#heard();
  }

  /** Its last word; its process stays where `stays`. */
  end(outcome: Omit<TurnEnded, "kind"> | object, stays = false): void {
    this.say({ kind: "end", ...outcome } as TurnEnded);
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

  cancel(): Promise<void> {
    if (!this.stopped) this.end({ outcome: "cancelled" });
    this.stopped = true;
    return this.over;
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
  readonly events: RecordedEvent[] = [];
  readonly runs: Puppet[] = [];
  readonly liveEvents = createLiveEvents<JobLiveEvent>();
  readonly patches = new Map<string, string>();
  /** What was said, by the job's id, once it is on the disk. */
  readonly answers = new Map<string, string>();
  /** An answer is being put on the disk. */
  finishing: (jobId: string) => void = () => undefined;
  readonly failures: unknown[] = [];
  rules: Rules = rules;
  /** What was to be allowed, by the decision's id. */
  readonly decided = new Map<string, string>();
  readonly forgotten: string[] = [];
  /** The disk fails the next write, and with it the journal. */
  broken: Error | null = null;
  /** As it was kept last. */
  runner: Runner | null = null;
  /** Seconds after which what is asked expires, if set. */
  lapses: { question?: number; permission?: number; plan?: number } = {};
  /** The project's directory, and its arguments for claude. */
  project: { path: string; args: string[] } = { path: "/srv/app", args: [] };
  /** Where the project stands now. */
  checkout: Checkout = { cwd: "/srv/app", branch: "main", head: "a".repeat(40), tree: "1".repeat(40) };
  /** Commits that have all earlier ones among their ancestors. */
  onTop = new Set<string>();
  /** What is found to lie between two different trees. */
  difference: Difference | null = {
    root: "/srv/app",
    files: 1,
    added: 2,
    removed: 1,
    stat: " a.txt | 3 ++-",
    patch: Buffer.from("+a\n"),
  };
  /** Where paths lead that are links. */
  readonly directories = new Map<string, { path: string; ours: boolean }>();
  /** The project's files by which agents run code, as they stand now, and those that were kept. */
  configuration: ConfigurationEntry[] = [];
  /** The tool whose program reads `.env`; null: none does. */
  readsDotenv: string | null = null;
  /** What Claude may always do. */
  allowed: string[] = [];
  readonly configurations = new Map<string, ConfigurationEntry[]>();
  /** What the owner's rules were to judge, and what the machine says of it. */
  readonly judged: AskedToJudge[] = [];
  ruleFacts: RuleFacts = {
    ...{ thread_id: T1, project: "app", root: "/srv/app", cwd: "/srv/app" },
    ...{ real: new Map(), files: new Set<string>(), definition: null },
  };
  readonly differences: string[] = [];
  /** How its agents may write. */
  access: Access = "asks";
  /** Answers that need not be in memory any more. */
  readonly released: string[] = [];
  readonly options: RunContext;
  /** What its agents live by: none idles. */
  readonly live: LiveDependencies;
  readonly #awaiting: (() => void)[] = [];
  /** Whose log it is. */
  readonly #logs = new WeakMap<object, string>();
  #messages: bigint;

  /** @param events what an earlier process wrote down */
  constructor(events: readonly RecordedEvent[] = [], clock: FakeClock = createFakeClock(Date.UTC(2026, 2, 1, 12))) {
    const state = emptyState();
    this.clock = clock;
    for (const event of events) evolve(state, structuredClone(event));
    this.events.push(...events);
    this.#messages = 300_000_000_000_000_000n + BigInt(events.length);
    this.engine = createEngine({
      redact: asItIs,
      state,
      append: (written) => this.#append(written),
      clock,
      rules: () => this.rules,
      reconcilerFailed: (error) => void this.failures.push(error),
    });
    const log: Log = { ...silentLog, failure: (_text, error) => void this.failures.push(error) };
    this.live = this.#living(log);
    this.options = {
      engine: this.engine,
      drivers: new Map(["claude", "codex"].map((tool) => [tool, this.#driver(tool)])),
      liveEvents: this.liveEvents,
      results: {
        beginAnswer: (jobId) => this.#answer(jobId),
        recover: () => Promise.reject(new Error("nothing is unfinished")),
        writtenBefore: async () => "",
        ...{
          jobsWithEndNote: async () => [],
          notedEnd: async () => undefined,
          forgetEnd: async () => undefined,
          unfinished: async () => [],
          drop: async () => undefined,
          attach: async () => null,
          readAttached: async () => undefined,
          attached: async () => [],
          dropAttached: async () => undefined,
          unsaved: async () => [],
          releaseAnswer: async (jobId) => void this.released.push(jobId),
        },
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
      ...NOT_ISOLATED,
      git: {
        readCheckout: () => ({ ...this.checkout, tree: null }),
        recordCheckout: () => Promise.resolve({ ...this.checkout }),
        changes: (_job, from) =>
          Promise.resolve(
            from.tree === null
              ? null
              : from.tree === this.checkout.tree
                ? { root: "/srv/app", files: 0, added: 0, removed: 0, stat: "", patch: null }
                : this.difference,
          ),
        follows: (_job, _cwd, _older, newer) => Promise.resolve(this.onTop.has(newer)),
        removeRecords: async (jobId) => void this.forgotten.push(jobId),
        forgetAllBut: () => Promise.resolve(),
      },
      clock,
      time: discordTime(clock),
      log,
      agents: openLivingAgents(this.live),
      machine: part<MachineContext>({}),
      hooks: createHookChannel(),
      isAlive: () => true,
      home: "/home/me",
      folders: {
        outputsRoot: "/outputs",
        outputs: (id) => `/outputs/${id}`,
        granted: () => [],
        assignSession: () => undefined,
      },
      openLog: (jobId) => this.#openLog(jobId),
      steering: new Steering({ engine: this.engine, log, openLog: (jobId) => this.#openLog(jobId) }),
      redactor: {
        redactText: (text) => text.replaceAll("SECRET", "***"),
        value: (value) => JSON.parse(JSON.stringify(value).replaceAll("SECRET", "***")) as typeof value,
        fingerprint: (text) => digestOf(`key ${text}`),
        bytes: (bytes) => Buffer.from(Buffer.from(bytes).toString().replaceAll("SECRET", "***")),
        stream: () => new Redactor([]).stream(),
      },
      configurations: {
        currentConfiguration: (_directory, dotenv) =>
          configurationOf(
            dotenv ? [...this.configuration, { name: ".env", is: "read" }] : this.configuration,
            this.allowed,
          ),
        save: async ({ digest, entries }) => void this.configurations.set(digest, entries),
        read: async (digest) => this.configurations.get(digest) ?? null,
        saveDifference: async (text) => (this.differences.push(text), digestOf(text)),
        readDifference: async (digest) => this.differences.find((text) => digestOf(text) === digest) ?? null,
      },
      directoryAt: (path) => this.directories.get(path) ?? { path, ours: false },
      ruleFacts: (asked) => (this.judged.push(asked), Promise.resolve(this.ruleFacts)),
      config: () => ({
        ...defaultConfig(),
        thoughts: "folded",
        decision_lapse_s: this.lapses,
        limits: { ...defaultConfig().limits, resume_after_limit: this.rules.resume_after_limit },
      }),
    };
  }

  async #append(written: readonly RecordedEvent[]): Promise<void> {
    if (this.broken) throw this.broken;
    this.events.push(...structuredClone(written));
  }

  #living(log: Log): LiveDependencies {
    return {
      engine: this.engine,
      clock: this.clock,
      log,
      environment: () => ({}),
      capability: () => undefined,
      openSessionLog: () => silentJobLog,
      ...outsideTurns(() => this.options),
      reportLostWork: async () => undefined,
      idleLimits: () => ({ agents: 0, idleMs: 1, backgroundMs: 1 }),
    };
  }

  #openLog(jobId: string): JobLog {
    const opened = { ...silentJobLog };
    this.#logs.set(opened, jobId);
    return opened;
  }

  /** Kept in memory, redacted as a whole. */
  #answer(jobId: string): AnswerFile {
    let said = "";
    return {
      write: async (bytes) => void (said += Buffer.from(bytes).toString()),
      complete: () => undefined,
      noteEnd: () => undefined,
      finish: async () => {
        const beginning = this.options.redactor.redactText(said);
        try {
          this.finishing(jobId);
        } catch (error) {
          return { sha256: null, beginning, error };
        }
        this.answers.set(jobId, said);
        return { sha256: "0".repeat(64), beginning };
      },
      discard: async () => undefined,
    };
  }

  /** The reconcilers, as the daemon starts them. */
  keep(): this {
    const runner = openRunner(this.options);
    this.runner = runner;
    const parking = openLimitWait(this.options);
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
    const project = {
      name: "app",
      path,
      enabled_tools: ["claude", "codex"],
      default_tool: "claude",
      default_args: { claude },
    };
    await this.engine.submit({ type: "create_project", project });
    await this.engine.submit({
      type: "see_project",
      project_name: "app",
      path,
      configuration: configurationOf(this.configuration).digest,
    });
    for (const thread_id of threads) {
      const request_id = `r${thread_id}`;
      await this.engine.submit({
        type: "start_session",
        request_id,
        project_name: "app",
        channel_id: "2",
        guild_id: "3",
        bot_id: "4",
      });
      await this.engine.submit({ type: "open_session", request_id, thread_id });
    }
    return this.keep();
  }

  async hear(prompt = "do it", thread_id = T1, files: string[] = []): Promise<void> {
    await this.engine.submit({
      type: "hear",
      thread_id,
      discord_message_id: String(this.#messages++),
      prompt,
      files: files.map((path) => ({ path, sha256: "" })),
      refused_files: [],
      reply_to: null,
    });
  }

  async do(command: Command): Promise<string[]> {
    return (await this.engine.submit(command)).map(({ type }) => type);
  }

  /** The owner's answer to all that the job waits for. */
  accept(job_id: string, by: "seen" | "fresh" = "seen"): Promise<string[]> {
    const wait = this.engine.state.threads[this.engine.state.jobs[job_id]?.thread_id ?? ""]?.wait;
    const digest = wait?.kind === "changed" ? wait.digest : "nothing";
    return this.do({ type: "accept_changed", thread_id: T1, job_id, digest, by });
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
      probe: () => Promise.resolve({ found: true, tried: true, install: "", login: "log in" }),
      refuses: () => null,
      access: () => this.access,
      writing: null,
      offers: () => null,
      store: () => (this.readsDotenv === tool ? { name: tool, dotenv: true, attach: () => [] } : null),
      keyName: "session_id",
      silence: "bytes",
      lives: false,
      open: async (opening): Promise<Agent> => {
        const { promise: gone, resolve: end } = Promise.withResolvers<void>();
        return {
          prompt: (prompt) => {
            const run = new Puppet({ ...opening, ...prompt, jobId: this.#logs.get(prompt.log) ?? "?" }, this.clock);
            this.runs.push(run);
            for (const resolve of this.#awaiting.splice(0)) resolve();
            return run;
          },
          close: async () => end(),
          process: null,
          background: [],
          heardAt: () => 0,
          between: noUpdates(),
          gone,
        };
      },
    };
  }
}
