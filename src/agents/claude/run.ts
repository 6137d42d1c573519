/**
 * One run of Claude Code from its start to the last of its processes. Its updates are pulled: a reader that is
 * slow makes the agent wait, one that goes away ends it.
 */
import type { Clock } from "../../base/clock.ts";
import type { ErrorCode, ErrorDetails } from "../../base/errors.ts";
import type { Child, Exit } from "../../host/child.ts";
import type { Line } from "../../host/lines.ts";
import type { ProcessIdentity } from "../../host/process-table.ts";
import type { Processes } from "../../host/processes.ts";
import { which } from "../../host/which.ts";
import type { Run, RunRequest } from "../driver.ts";
import type { RunEnded, Update } from "../updates.ts";
import { argumentsOf, refusedArgument } from "./arguments.ts";
import { oneLine } from "./tools.ts";
import { parseLine, SESSION_KEY, type Translated, Translation } from "./translate.ts";

export interface RunSetting {
  processes: Processes;
  clock: Clock;
  command: string;
  install: string;
  lingerMs: number;
}

/** How much of a line that could not be read is repeated in the log's note. */
const NOTED_CHARS = 200;

export class ClaudeRun implements Run {
  readonly process: Promise<ProcessIdentity | null>;
  readonly updates: AsyncGenerator<Update, void>;
  readonly gone: Promise<void>;
  readonly #request: RunRequest;
  readonly #setting: RunSetting;
  readonly #translation: Translation;
  readonly #child: Promise<Child | RunEnded>;
  #heardAt: () => number;
  #stopped = false;
  #badLines = 0;
  #oversized = 0;

  constructor(request: RunRequest, setting: RunSetting) {
    const bornAt = setting.clock.monotonic();
    this.#request = request;
    this.#setting = setting;
    this.#translation = new Translation(request.resume);
    this.#heardAt = () => bornAt;
    this.#child = this.#start();
    this.process = this.#child.then((child) => ("kind" in child ? null : child.identity));
    this.gone = this.#child.then((child) => ("kind" in child ? undefined : child.gone));
    this.updates = this.#listen();
  }

  heardAt(): number {
    return this.#heardAt();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    const child = await this.#child;
    if (!("kind" in child)) await child.stop();
  }

  async #start(): Promise<Child | RunEnded> {
    const { args, cwd, env, grants, log, prompt, resume } = this.#request;
    if (resume !== null && !SESSION_KEY.test(resume)) {
      return failed("E_RESUME_UNKNOWN", { resume: "unknown", session: oneLine(resume), reason: "not a session id" });
    }
    const file = which(this.#setting.command, env["PATH"]);
    if (file === null) return this.#notStarted(`${this.#setting.command} is not in PATH`);
    if (this.#stopped) return { kind: "end", outcome: "cancelled" };
    const refused = refusedArgument(args);
    if (refused) return failed("E_ARGUMENT_REFUSED", { tool: "claude", argument: oneLine(refused.argument) });
    const argv = argumentsOf(resume, grants, args);
    log.note(`started: ${JSON.stringify([file, ...argv])} in ${JSON.stringify(cwd)}`);
    const child = this.#setting.processes.spawn({
      file,
      args: argv,
      cwd,
      env,
      onStdout: (chunk) => log.stdout(chunk),
      onStderr: (chunk) => log.stderr(chunk),
    });
    this.#heardAt = () => child.heardAt();
    void child.input?.write(userLine(prompt));
    return child;
  }

  async *#listen(): AsyncGenerator<Update, void> {
    const child = await this.#child;
    if ("kind" in child) return yield child;
    let ended = false;
    try {
      for await (const line of child.lines) {
        const { updates, replies, end } = this.#take(line);
        for (const reply of replies) void child.input?.write(`${JSON.stringify(reply)}\n`);
        yield* updates;
        if (end === null) continue;
        ended = true;
        child.finish(this.#setting.lingerMs);
        return yield this.#settled(end);
      }
      ended = true;
      yield this.#unsettled(await child.exit, child.stderrTail());
    } finally {
      this.#noteDrift();
      // The reader went away: nobody wants this answer any more.
      if (!ended) void child.stop();
    }
  }

  #take(line: Line): Translated {
    if ("dropped" in line) {
      this.#oversized += 1;
      this.#request.log.note(`a line of ${line.dropped} bytes was left out`);
      const text = String(line.dropped);
      return { updates: this.#oversized === 1 ? [{ kind: "notice", code: "oversized_line", text }] : [], replies: [], end: null };
    }
    const text = line.bytes.toString();
    const message = parseLine(text);
    if (message !== null) return this.#translation.take(message);
    if (text.trim() !== "") {
      this.#badLines += 1;
      this.#request.log.note(`not a line of the protocol: ${JSON.stringify(text.slice(0, NOTED_CHARS))}`);
    }
    return { updates: [], replies: [], end: null };
  }

  /** The agent's own end. Cut off by us it is a cancellation; cut off by somebody else, a failure. */
  #settled({ aborted, ...end }: RunEnded & { aborted: boolean }): RunEnded {
    return aborted && this.#stopped ? { kind: "end", outcome: "cancelled" } : end;
  }

  /** The process ended, and never said how the turn did. */
  #unsettled({ code, signal, failure }: Exit, stderr: string): RunEnded {
    if (this.#stopped) return { kind: "end", outcome: "cancelled" };
    if (failure !== null) return this.#notStarted(failure);
    const reason = oneLine(stderr.trim().split("\n").at(-1) ?? "");
    // What the kernel could not run: the words are those of the program that tried.
    if ((code === 126 || code === 127) && this.#heardNothing()) return this.#notStarted(reason);
    if (signal !== null) return failed("E_CLI_EXIT_NONZERO", { reason: reason || `ended by ${signal}`, signal });
    if (code !== 0) return failed("E_CLI_EXIT_NONZERO", { reason: reason || `exit code ${code}`, exit_code: code ?? -1 });
    const unread = this.#badLines + this.#oversized;
    return unread > 0
      ? failed("E_ADAPTER_PARSE", { reason: `${unread} lines could not be read`, exit_code: 0 })
      : failed("E_ADAPTER_MISSING_RESULT", { reason: reason || "it ended without a result", exit_code: 0 });
  }

  #heardNothing(): boolean {
    return this.#badLines === 0 && !this.#translation.started;
  }

  #notStarted(reason: string): RunEnded {
    return failed("E_AGENT_START_FAILED", { tool: "claude", install: this.#setting.install, reason });
  }

  #noteDrift(): void {
    const kinds = [...this.#translation.unknown].map(([kind, times]) => `${kind} ×${times}`);
    if (kinds.length > 0) this.#request.log.note(`not understood: ${kinds.join(", ")}`);
  }
}

/**
 * The prompt as the one line Claude reads it from. All that could end a line is escaped: JSON does so for the
 * ASCII ones, but leaves the two separators of Unicode, at which some readers of lines end one too.
 */
function userLine(prompt: string): string {
  const message = { role: "user", content: [{ type: "text", text: prompt }] };
  const line = JSON.stringify({ type: "user", message });
  return `${line.replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029")}\n`;
}

function failed(code: ErrorCode, details: ErrorDetails): RunEnded {
  return { kind: "end", outcome: "failed", code, details };
}
