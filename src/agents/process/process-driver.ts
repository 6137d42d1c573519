/**
 * The driver of an agent that is a command-line program: it finds the program, its version and its login. One that runs
 * one process per turn is built from its dialect; another says how its conversations open. The probe and the start of a
 * process look up the program in the same way.
 */
import type { Clock } from "../../base/clock.ts";
import type { Processes } from "../../host/processes/processes.ts";
import { withEmptyFolder } from "../../host/empty-folder.ts";
import { answerOf, type ProbeRequest, programNow, versionOf, which } from "../../host/processes/which.ts";
import type { Agent, Prompt, Turn, Reply, Driver, Opening, Probe } from "../contract/driver.ts";
import {
  type Dialect,
  type LoginCheck,
  type ProcessSetting,
  type Program,
  refusedArgument,
  noUpdates,
  type Beginning,
  type Translation,
  startProcess,
} from "./dialect.ts";
import type { Child } from "../../host/processes/child.ts";
import type { ProcessIdentity } from "../../host/processes/process-table.ts";
import type { TurnEnded, Update } from "../contract/updates.ts";
import { jsonLine } from "./fields.ts";
import { OutputReading } from "./reading.ts";
import { LineSplitter } from "../../host/processes/pipes.ts";

export interface ProcessDriverOptions {
  processes: Processes;
  clock: Clock;
  /**
   * From the config: a name to find in PATH or an absolute path, then its first arguments. Default: the tool's own
   * name.
   */
  command?: readonly string[];
  /** The scrubbed environment for the probe; the agent is looked up in its PATH. */
  env: Readonly<Record<string, string>>;
  /** How long the process may stay alive after its result, for its own cleanup. */
  lingerMs?: number;
  /** How long an agent may take to answer a request of ours before its process is ended. */
  controlMs?: number;
}

/** Some agents are a hundred megabytes of script, compiled at each start, which takes long on a busy machine. */
const VERSION_MS = 30_000;

/** One process a turn. */
export function processDriver(dialect: Dialect, options: ProcessDriverOptions): Driver {
  const driver = programDriver(dialect, options, (opening, setting) =>
    oneShot((prompt) => new ProcessTurn(dialect, opening, prompt, setting)),
  );
  return { ...driver, lives: false };
}

/** A process that lives as long as its conversation is open. */
export function programDriver(
  program: Program,
  options: ProcessDriverOptions,
  open: (opening: Opening, setting: ProcessSetting) => Agent,
): Driver {
  const { tool, keyName, store, install, login, loginCheck, tried, rules } = program;
  const { command = [tool], processes, clock, lingerMs = 10_000, controlMs = 3_000 } = options;
  const env = { ...options.env, ...program.env };
  return {
    tool,
    keyName,
    store: () => store,
    silence: "bytes",
    lives: true,
    access: (args, settings) => rules.access(args, settings),
    offers: (what, args, settings) => program.offers(what, args, settings),
    ...(program.compacts && { compacts: program.compacts }),
    ...(program.choosesWithPrompt && { choosesWithPrompt: true }),
    writing: rules.writing,
    ...(program.readBy && { readBy: (key, names) => program.readBy?.(env, key, names) ?? Promise.resolve(new Map()) }),
    async probe(): Promise<Probe> {
      const [name = "", ...args] = command;
      const path = which(name, env["PATH"]);
      const howTo = { install, login };
      if (path === null) return { found: false, tried: false, ...howTo };
      const asked = { processes, clock, env, file: path, args, cwd: "/", withinMs: VERSION_MS };
      const version = await versionOf(asked);
      if (version === null) return { found: true, path, tried: false, ...howTo };
      const answer = loginCheck && isSince(version, loginCheck.since) ? await askLogin(asked, loginCheck) : null;
      return {
        found: true,
        path,
        version,
        tried: tried.has(version),
        ...howTo,
        ...((answer === 0 || answer === 1) && { loggedIn: answer === 0 }),
      };
    },
    refuses: (args) => refusedArgument(rules, args)?.argument ?? null,
    programNow: (its) => programNow(command, its["PATH"]),
    open: async (opening) => open(opening, { processes, clock, command, lingerMs, controlMs }),
  };
}

/** The exit code, or null if the agent does not answer or is not asked. */
async function askLogin(program: ProbeRequest, { args, home }: LoginCheck): Promise<number | null> {
  const state = home?.state(program.env) ?? "used";
  if (state === "unclear") return null;
  if (home === undefined || state === "used") return answerOf(program, args);
  // If the folder cannot be made, the agent is not asked.
  return withEmptyFolder((folder) =>
    answerOf({ ...program, env: { ...program.env, [home.variable]: folder } }, args),
  ).catch(() => null);
}

/** Whether a version is at least another, by their three numbers. */
function isSince(version: string, since: string): boolean {
  const [one, other] = [version, since].map((text) => text.split(/[.+-]/, 3).map(Number));
  for (const [at, number] of (other ?? []).entries()) if (one?.[at] !== number) return (one?.[at] ?? 0) > number;
  return true;
}

/** A conversation that opens for nothing: each prompt starts a process, and between two there is none. */
function oneShot(start: (prompt: Prompt) => Turn): Agent {
  let turn: Turn | null = null;
  const { promise: gone, resolve } = Promise.withResolvers<void>();
  return {
    process: null,
    background: [],
    heardAt: () => turn?.heardAt() ?? 0,
    between: noUpdates(),
    gone,
    prompt: (prompt) => (turn = start(prompt)),
    async close() {
      await turn?.cancel();
      resolve();
    },
  };
}

/*
 * One turn of an agent that has one process per turn, from its start until its last process is gone. Updates are
 * pulled: a slow reader makes the agent wait, a reader that stops ends it. The dialect interprets the agent's lines;
 * this class guarantees exactly one, truthful end.
 */

class ProcessTurn implements Turn {
  readonly process: Promise<ProcessIdentity | null>;
  readonly updates: AsyncGenerator<Update, void>;
  readonly over: Promise<void>;
  readonly #prompt: Prompt;
  readonly #setting: ProcessSetting;
  readonly #translation: Translation;
  readonly #reading: OutputReading;
  readonly #stderrEvents: StderrEvents | null;
  readonly #child: Child | TurnEnded;
  readonly #bornAt: number;
  #stopped = false;
  #ended = false;

  constructor(dialect: Dialect, opening: Opening, prompt: Prompt, setting: ProcessSetting) {
    this.#bornAt = setting.clock.monotonic();
    this.#prompt = prompt;
    this.#setting = setting;
    const translation = dialect.translation({ key: opening.key, counters: prompt.counters }, setting.clock.now);
    this.#translation = translation;
    this.#reading = new OutputReading(dialect, translation, prompt.log);
    this.#stderrEvents = translation.overhear ? new StderrEvents((line) => translation.overhear?.(line) ?? []) : null;
    const child = this.#start(dialect, opening);
    this.#child = child;
    this.process = Promise.resolve("kind" in child ? null : child.identity);
    this.over = "kind" in child ? Promise.resolve() : child.gone;
    this.updates = this.#listen(child);
  }

  heardAt(): number {
    return "kind" in this.#child ? this.#bornAt : this.#child.heardAt();
  }

  async answer(id: string, reply: Reply): Promise<boolean> {
    const child = this.#child;
    if ("kind" in child || this.#ended || this.#stopped) return false;
    const lines = this.#translation.answer?.(id, reply) ?? [];
    if (lines.length > 0) this.#prompt.log.writeNote(`answered ${id}: ${reply.kind}`);
    const taken = await Promise.all(lines.map((line) => child.input?.write(jsonLine(line)) ?? false));
    return taken.length > 0 && taken.every(Boolean);
  }

  async cancel(): Promise<void> {
    this.#stopped = true;
    if (!("kind" in this.#child)) await this.#child.stop();
  }

  #start(dialect: Dialect, opening: Opening): Child | TurnEnded {
    const { log, text } = this.#prompt;
    let beginning: Beginning | null = null;
    const onStderr = (chunk: Buffer): void => {
      log.stderr(chunk);
      this.#stderrEvents?.add(chunk);
    };
    const child = startProcess(
      { program: dialect, opening, setting: this.#setting, log, onStdout: (chunk) => log.stdout(chunk), onStderr },
      () => {
        const begun = dialect.begin(opening, text);
        if (!("kind" in begun)) beginning = begun;
        return begun;
      },
    );
    const { input, conversation } = (beginning as Beginning | null) ?? { input: "", conversation: true };
    if ("kind" in child) return child;
    if (input !== "") void child.input?.write(input);
    if (!conversation) child.input?.close();
    return child;
  }

  async *#listen(child: Child | TurnEnded): AsyncGenerator<Update, void> {
    if ("kind" in child) return yield child;
    try {
      for await (const line of this.#stderrEvents?.among(child.lines) ?? child.lines) {
        if (Array.isArray(line)) {
          const heard = this.#overheard(line);
          this.#ended = heard.at(-1)?.kind === "end";
          if (this.#ended) void child.stop();
          yield* heard;
          if (!this.#ended) continue;
          return;
        }
        const { updates, replies, end } = this.#reading.translateLine(line);
        for (const reply of replies) void child.input?.write(jsonLine(reply));
        yield* updates;
        if (end === null) continue;
        this.#ended = true;
        child.finishOutput(end.abandon ? 0 : this.#setting.lingerMs);
        return yield this.#reading.finalEnd(end, this.#stopped);
      }
      // The last lines of stderr may come after the end of stdout; all have arrived once the process is gone.
      await child.gone;
      const last = this.#overheard(this.#stderrEvents?.remainingUpdates() ?? []);
      this.#ended = true;
      yield* last;
      if (last.at(-1)?.kind !== "end")
        yield this.#reading.unsettled(await child.exit, child.stderrTail(), this.#stopped);
    } finally {
      this.#reading.noteDrift();
      // The reader stopped, so nobody needs this answer any more.
      if (!this.#ended) void child.stop();
    }
  }

  /** The updates from stderr up to an end, if there is one; those after it are dropped. */
  #overheard(updates: Update[]): Update[] {
    const end = updates.find((update) => update.kind === "end");
    return end === undefined
      ? updates
      : [...updates.slice(0, updates.indexOf(end)), this.#reading.finalEnd(end, this.#stopped)];
  }
}

const LINE_CAP_BYTES = 64 * 1024;
const MOST_WAITING = 50;

/**
 * Reports what an agent writes to stderr among its lines as soon as it arrives, because the next line may be a minute
 * away. No line is lost because of that, and only the first few remarks are kept while nobody reads them.
 */
class StderrEvents {
  readonly #translate: (line: string) => Update[];
  readonly #splitter = new LineSplitter(LINE_CAP_BYTES);
  #waiting: Update[] = [];
  #bell = Promise.withResolvers<void>();

  /** @param hear the updates that a line of stderr means */
  constructor(hear: (line: string) => Update[]) {
    this.#translate = hear;
  }

  add(chunk: Buffer): void {
    for (const line of this.#splitter.push(chunk)) {
      if (!("bytes" in line)) continue;
      this.#waiting.push(...this.#translate(line.bytes.toString()));
      const dropped = this.#waiting.splice(MOST_WAITING);
      this.#waiting.push(...dropped.filter(({ kind }) => kind === "end"));
    }
    if (this.#waiting.length > 0) this.#bell.resolve();
  }

  /** The updates not yet reported, including those of an unfinished last line of stderr. */
  remainingUpdates(): Update[] {
    const last = this.#splitter
      .lastLine()
      .flatMap((line) => ("bytes" in line ? this.#translate(line.bytes.toString()) : []));
    return [...this.#waiting.splice(0), ...last];
  }

  /**
   * The lines, with the updates from stderr between them; ends with the lines, once all pending updates are reported.
   */
  async *among<L>(lines: AsyncIterableIterator<L>): AsyncGenerator<L | Update[], void> {
    let got: IteratorResult<L> | null = null;
    const ask = (): void =>
      void lines.next().then((result) => {
        got = result;
        this.#bell.resolve();
      });
    try {
      ask();
      for (;;) {
        await this.#bell.promise;
        // A new promise each time: racing one long-lived promise would keep every race in memory.
        this.#bell = Promise.withResolvers();
        if (this.#waiting.length > 0) yield this.#waiting.splice(0);
        const line = got as IteratorResult<L> | null;
        if (line === null) continue;
        if (line.done) return;
        got = null;
        yield line.value;
        ask();
      }
    } finally {
      void lines.return?.();
    }
  }
}

/*
 * Which sessions were opened just now, for an agent that loses one if it is opened again within the same minute of the
 * clock.
 */

const MINUTE_MS = 60_000;
/** The agent's clock and ours are the same, but its minute may be read a little later. */
const MARGIN_MS = 500;
/** A job's agent may open its session this long after the job's start. */
const OPENING_MS = 30_000;

export class RecentOpenings {
  readonly #clock: Clock;
  readonly #minutes = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  recordOpening(key: string): void {
    const minute = minuteOf(this.#clock.now());
    for (const [other, its] of this.#minutes) if (its !== minute) this.#minutes.delete(other);
    this.#minutes.set(key, minute);
  }

  /**
   * Milliseconds until the session may be opened again.
   * @param begunAt when its last job began, which may be one of the daemon before this one; milliseconds since the
   * epoch
   */
  wait(key: string, begunAt?: number): number {
    const now = this.#clock.now();
    const own = this.#minutes.get(key);
    const begun =
      begunAt !== undefined && minuteOf(begunAt) <= minuteOf(now) && minuteOf(now) <= minuteOf(begunAt + OPENING_MS);
    const isRecent = own === undefined ? begun : own === minuteOf(now);
    return isRecent ? MINUTE_MS - (now % MINUTE_MS) + MARGIN_MS : 0;
  }
}

function minuteOf(ms: number): number {
  return Math.floor(ms / MINUTE_MS);
}
