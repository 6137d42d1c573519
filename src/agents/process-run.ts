/**
 * One run of an agent that is one process a job, from its start to the last of its processes. Its updates are
 * pulled: a reader that is slow makes the agent wait, one that goes away ends it. What the agent's lines mean is
 * its dialect's; that there is exactly one end, and that it is an honest one, is promised here.
 */
import type { Clock } from "../base/clock.ts";
import type { ErrorCode, ErrorDetails } from "../base/errors.ts";
import type { Child, Exit } from "../host/child.ts";
import type { Line } from "../host/lines.ts";
import type { ProcessIdentity } from "../host/process-table.ts";
import type { Processes } from "../host/processes.ts";
import { which } from "../host/which.ts";
import { Asides } from "./asides.ts";
import type { Reply, Run, RunRequest } from "./driver.ts";
import { oneLine } from "./excerpts.ts";
import { type Fields, jsonLine, parseLine } from "./fields.ts";
import { type ArgumentRules, refusedArgument } from "./refused-argument.ts";
import type { RunEnded, Update } from "./updates.ts";

/** How one agent is spoken to. */
export interface Dialect {
  /** The tool's name in the config and in commands. */
  readonly tool: string;
  /** What a person types to have it. */
  readonly install: string;
  /** Versions whose streams the tests were run with. */
  readonly tried: ReadonlySet<string>;
  readonly rules: ArgumentRules;
  /** What it is started with, or the end of a run that cannot begin. The session key and the arguments are checked. */
  begin(request: RunRequest): Beginning | RunEnded;
  /** @param now the wall clock, for a time that the agent names by the hour alone */
  translation(request: RunRequest, now: () => number): Translation;
}

export interface Beginning {
  args: readonly string[];
  /** Written to its stdin at once. */
  input: string;
  /** Whether it is answered on its stdin; else that is closed after the input. */
  conversation: boolean;
  /** What it needs in its environment beside what every agent has. */
  env?: Readonly<Record<string, string>>;
}

/** Turns lines into updates: pure, in order, one for each run. */
export interface Translation {
  /** Whether any line of the protocol has come. */
  readonly started: boolean;
  /** Kinds of lines that were not understood, with how often. */
  readonly unknown: ReadonlyMap<string, number>;
  take(line: Fields): Translated;
  /** For an agent whose objects go over several lines: looks at a line first; null where it is not part of one. */
  piece?(line: string): Translated | null;
  /** What a line of stderr tells; told at once, among the lines of stdout. An `end` among it stops the agent. */
  overhear?(line: string): Update[];
  /** What to write to the agent's stdin for the owner's word on this request; nothing where it does not wait for one. */
  answer?(id: string, reply: Reply): Fields[];
  /**
   * What the end of the process means where no line was the end, in this agent's own codes and words; null: what
   * it means for any program. Not asked where the run was stopped, or could not be started.
   */
  ending?(exit: Exit, stderr: string): RunEnded | null;
}

export interface Translated {
  updates: Update[];
  /** Lines to write to the agent's stdin. */
  replies: Fields[];
  /**
   * The run's end, if this line was it; `aborted` where a signal or an interrupt cut it off, `abandon` where the
   * agent must not go on with what it is at.
   */
  end: (RunEnded & { aborted: boolean; abandon?: boolean }) | null;
}

export interface RunSetting {
  processes: Processes;
  clock: Clock;
  /** A name to find in PATH or an absolute path, and arguments that are put before all others. */
  command: readonly string[];
  lingerMs: number;
}

/** Session keys go into an argv later: nothing that could be read as an option or a path passes. */
export const SESSION_KEY = /^[A-Za-z0-9][\w.-]{0,63}$/;

/** How much of a line that could not be read is repeated in the log's note. */
const NOTED_CHARS = 200;

export class ProcessRun implements Run {
  readonly process: Promise<ProcessIdentity | null>;
  readonly updates: AsyncGenerator<Update, void>;
  readonly gone: Promise<void>;
  readonly #dialect: Dialect;
  readonly #request: RunRequest;
  readonly #setting: RunSetting;
  readonly #translation: Translation;
  readonly #asides: Asides | null;
  readonly #child: Promise<Child | RunEnded>;
  #heardAt: () => number;
  #stopped = false;
  #ended = false;
  #words = 0;
  #brokenLines = 0;
  #oversized = 0;

  constructor(dialect: Dialect, request: RunRequest, setting: RunSetting) {
    const bornAt = setting.clock.monotonic();
    this.#dialect = dialect;
    this.#request = request;
    this.#setting = setting;
    this.#translation = dialect.translation(request, setting.clock.now);
    const translation = this.#translation;
    this.#asides = translation.overhear ? new Asides((line) => translation.overhear?.(line) ?? []) : null;
    this.#heardAt = () => bornAt;
    this.#child = this.#start();
    this.process = this.#child.then((child) => ("kind" in child ? null : child.identity));
    this.gone = this.#child.then((child) => ("kind" in child ? undefined : child.gone));
    this.updates = this.#listen();
  }

  heardAt(): number {
    return this.#heardAt();
  }

  async answer(id: string, reply: Reply): Promise<boolean> {
    const child = await this.#child;
    if ("kind" in child || this.#ended || this.#stopped) return false;
    const lines = this.#translation.answer?.(id, reply) ?? [];
    if (lines.length > 0) this.#request.log.note(`answered ${id}: ${reply.kind}`);
    const taken = await Promise.all(lines.map((line) => child.input?.write(jsonLine(line)) ?? false));
    return taken.length > 0 && taken.every(Boolean);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    const child = await this.#child;
    if (!("kind" in child)) await child.stop();
  }

  /** Never waits before the agent is there: a run that is stopped has one to stop. */
  async #start(): Promise<Child | RunEnded> {
    const { args, cwd, env, log, resume } = this.#request;
    const { rules, tool } = this.#dialect;
    if (resume !== null && !SESSION_KEY.test(resume)) {
      return failed("E_RESUME_UNKNOWN", { resume: "unknown", session: oneLine(resume), reason: "not a session id" });
    }
    const [command = "", ...before] = this.#setting.command;
    const file = which(command, env["PATH"]);
    if (file === null) return this.#notStarted(`${command} is not in PATH`);
    const refused = refusedArgument(rules, args);
    if (refused) return failed("E_ARGUMENT_REFUSED", { tool, argument: oneLine(refused.argument) });
    const beginning = this.#dialect.begin(this.#request);
    if ("kind" in beginning) return beginning;
    const argv = [...before, ...beginning.args];
    log.note(`started: ${JSON.stringify([file, ...argv])} in ${JSON.stringify(cwd)}`);
    const child = this.#setting.processes.spawn({
      file,
      args: argv,
      cwd,
      env: beginning.env ? { ...env, ...beginning.env } : env,
      onStdout: (chunk) => log.stdout(chunk),
      onStderr: (chunk) => {
        log.stderr(chunk);
        this.#asides?.push(chunk);
      },
    });
    this.#heardAt = () => child.heardAt();
    if (beginning.input !== "") void child.input?.write(beginning.input);
    if (!beginning.conversation) child.input?.end();
    return child;
  }

  async *#listen(): AsyncGenerator<Update, void> {
    const child = await this.#child;
    if ("kind" in child) return yield child;
    try {
      for await (const line of this.#asides?.among(child.lines) ?? child.lines) {
        if (Array.isArray(line)) {
          const heard = this.#overheard(line);
          this.#ended = heard.at(-1)?.kind === "end";
          if (this.#ended) void child.stop();
          yield* heard;
          if (!this.#ended) continue;
          return;
        }
        const { updates, replies, end } = this.#take(line);
        for (const reply of replies) void child.input?.write(jsonLine(reply));
        yield* updates;
        if (end === null) continue;
        this.#ended = true;
        child.finish(end.abandon ? 0 : this.#setting.lingerMs);
        return yield this.#settled(end);
      }
      // Its last words on stderr may come after the end of its lines; once it is gone they have all been heard.
      await child.gone;
      const last = this.#overheard(this.#asides?.rest() ?? []);
      this.#ended = true;
      yield* last;
      if (last.at(-1)?.kind !== "end") yield this.#unsettled(await child.exit, child.stderrTail());
    } finally {
      this.#noteDrift();
      // The reader went away: nobody wants this answer any more.
      if (!this.#ended) void child.stop();
    }
  }

  /** What was said aside, up to the end where it tells one: what comes after it is of no account. */
  #overheard(updates: Update[]): Update[] {
    const end = updates.find((update) => update.kind === "end");
    return end === undefined ? updates : [...updates.slice(0, updates.indexOf(end)), this.#settled({ ...end, aborted: true })];
  }

  #take(line: Line): Translated {
    if ("dropped" in line) {
      this.#oversized += 1;
      this.#request.log.note(`a line of ${line.dropped} bytes was left out`);
      const text = String(line.dropped);
      return { updates: this.#oversized === 1 ? [{ kind: "notice", code: "oversized_line", text }] : [], replies: [], end: null };
    }
    const text = line.bytes.toString();
    const piece = this.#translation.piece?.(text) ?? null;
    if (piece !== null) return piece;
    const message = parseLine(text);
    if (message !== null) return this.#translation.take(message);
    const start = text.trimStart();
    if (start !== "") {
      // Words among the lines are diagnostics and stay in the log; what begins like a line may have been one.
      if (start.startsWith("{")) this.#brokenLines += 1;
      else this.#words += 1;
      this.#request.log.note(`not a line of the protocol: ${JSON.stringify(text.slice(0, NOTED_CHARS))}`);
    }
    return { updates: [], replies: [], end: null };
  }

  /** The agent's own end. Cut off by us it is a cancellation; cut off by somebody else, a failure. */
  #settled({ aborted, abandon: _abandon, ...end }: RunEnded & { aborted: boolean; abandon?: boolean }): RunEnded {
    return aborted && this.#stopped ? { kind: "end", outcome: "cancelled" } : end;
  }

  /** The process ended, and never said how the turn did. */
  #unsettled(exit: Exit, stderr: string): RunEnded {
    const { code, signal, failure } = exit;
    if (this.#stopped) return { kind: "end", outcome: "cancelled" };
    if (failure !== null) return this.#notStarted(failure);
    const reason = oneLine(stderr.trim().split("\n").at(-1) ?? "");
    // What the kernel could not run: the words are those of the program that tried.
    if ((code === 126 || code === 127) && this.#heardNothing()) return this.#notStarted(reason);
    const own = this.#translation.ending?.(exit, stderr) ?? null;
    if (own !== null) return own;
    if (signal !== null) return failed("E_CLI_EXIT_NONZERO", { reason: reason || `ended by ${signal}`, signal });
    if (code !== 0) return failed("E_CLI_EXIT_NONZERO", { reason: reason || `exit code ${code}`, exit_code: code ?? -1 });
    const unread = this.#brokenLines + this.#oversized;
    return unread > 0
      ? failed("E_ADAPTER_PARSE", { reason: `${unread} lines could not be read`, exit_code: 0 })
      : failed("E_ADAPTER_MISSING_RESULT", { reason: reason || "it ended without a result", exit_code: 0 });
  }

  #heardNothing(): boolean {
    return this.#brokenLines + this.#words === 0 && !this.#translation.started;
  }

  #notStarted(reason: string): RunEnded {
    return failed("E_AGENT_START_FAILED", { tool: this.#dialect.tool, install: this.#dialect.install, reason });
  }

  #noteDrift(): void {
    const kinds = [...this.#translation.unknown].map(([kind, times]) => `${kind} ×${times}`);
    if (kinds.length > 0) this.#request.log.note(`not understood: ${kinds.join(", ")}`);
  }
}

export function failed(code: ErrorCode, details: ErrorDetails): RunEnded {
  return { kind: "end", outcome: "failed", code, details };
}
