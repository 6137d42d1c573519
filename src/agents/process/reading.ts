/**
 * Reads the lines of one turn: what is a line of the protocol is translated, what is none is noted in the job's log,
 * and the turn gets exactly one, truthful end, also when its process exits without reporting one.
 */
import { isModest } from "../../base/json-size.ts";
import type { Exit } from "../../host/processes/child.ts";
import type { JobLog } from "../../host/files/job-log.ts";
import type { Line } from "../../host/processes/pipes.ts";
import type { LineLeftOut, TurnEnded } from "../contract/updates.ts";
import type { Program, Translated, Translation } from "./dialect.ts";
import { failed, notStarted, why } from "./failed.ts";
import { parseLine } from "./fields.ts";

/** How much of an unreadable line is repeated in the log. */
const NOTED_CHARS = 200;

export class Reading {
  readonly #program: Program;
  readonly #translation: Translation;
  readonly #log: JobLog;
  #words = 0;
  #brokenLines = 0;
  /** The first line that was refused. */
  #leftOut: LineLeftOut | null = null;

  constructor(program: Program, translation: Translation, log: JobLog) {
    this.#program = program;
    this.#translation = translation;
    this.#log = log;
  }

  /** Whether nothing has come yet, neither a line nor words. */
  get heardNothing(): boolean {
    return this.#brokenLines + this.#words === 0 && !this.#translation.started;
  }

  take(line: Line): Translated {
    if ("dropped" in line) return this.#leaveOut({ kind: "left_out", why: "long", bytes: line.dropped });
    const text = line.bytes.toString();
    const piece = this.#translation.piece?.(text) ?? null;
    if (piece !== null) return piece;
    const message = parseLine(text);
    if (message !== null) return this.#translation.take(message, line.cut);
    const start = text.trimStart();
    if (start.startsWith("{") && !isModest(start))
      return this.#leaveOut({ kind: "left_out", why: "deep", bytes: line.bytes.length });
    if (start !== "") {
      // Plain text between the lines is diagnostics and stays in the log; text that starts with a brace may be a broken
      // line.
      if (start.startsWith("{")) this.#brokenLines += 1;
      else this.#words += 1;
      this.#log.note(`not a line of the protocol: ${JSON.stringify(text.slice(0, NOTED_CHARS))}`);
    }
    return { updates: [], replies: [], end: null };
  }

  /**
   * The agent's own end. If we asked for it, it is a cancellation, however the agent puts it.
   * @param stopped whether we asked it to end
   */
  settled({ abandon: _abandon, ...end }: NonNullable<Translated["end"]>, stopped: boolean): TurnEnded {
    return stopped ? { kind: "end", outcome: "cancelled" } : end;
  }

  /** The process exited without reporting how the turn ended. */
  unsettled(exit: Exit, stderr: string, stopped: boolean): TurnEnded {
    const { code, signal, failure } = exit;
    if (stopped) return { kind: "end", outcome: "cancelled" };
    if (failure !== null) return notStarted(this.#program, why(failure));
    const said = stderr.trim().split("\n").at(-1) ?? "";
    // The kernel could not run it; the text comes from the program that tried.
    if ((code === 126 || code === 127) && this.heardNothing)
      return notStarted(this.#program, why(said, { because: "why_exit_code", exit_code: code }));
    const own = this.#translation.ending?.(exit, stderr) ?? null;
    if (own !== null) return own;
    if (signal !== null) return failed("E_CLI_EXIT_NONZERO", { ...why(said, { because: "why_signal" }), signal });
    if (code !== 0)
      return failed("E_CLI_EXIT_NONZERO", { ...why(said, { because: "why_exit_code" }), exit_code: code ?? -1 });
    if (this.#leftOut !== null) return failed("E_LINE_REFUSED", { bytes: this.#leftOut.bytes, exit_code: 0 });
    return this.#brokenLines > 0
      ? failed("E_ADAPTER_PARSE", { because: "why_lines_unread", lines: this.#brokenLines, exit_code: 0 })
      : failed("E_ADAPTER_MISSING_RESULT", { ...why(said), exit_code: 0 });
  }

  /** Notes once, at the end, what was not understood. */
  noteDrift(): void {
    const kinds = [...this.#translation.unknown].map(([kind, times]) => `${kind} ×${times}`);
    if (kinds.length > 0) this.#log.note(`not understood: ${kinds.join(", ")}`);
  }

  /** Reported once, because many lines may be refused. */
  #leaveOut(left: LineLeftOut): Translated {
    noteLeftOut(this.#log, left);
    const isFirst = this.#leftOut === null;
    this.#leftOut ??= left;
    return { updates: isFirst ? [left] : [], replies: [], end: null };
  }
}

/** Notes in the job's log which line was refused. */
export function noteLeftOut(log: Pick<JobLog, "note">, { bytes, why }: LineLeftOut): void {
  log.note(
    `a line of ${bytes} bytes was left out: ${why === "long" ? "longer than any that is read" : "nested too deeply, or of too many values"}`,
  );
}
