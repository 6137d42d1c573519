/**
 * Reads the lines of one turn: what is a line of the protocol is translated, what is none is noted in the job's log,
 * and the turn gets exactly one, truthful end, also when its process exits without reporting one.
 */
import { isModest } from "../../base/json-size.ts";
import type { Exit } from "../../host/processes/child.ts";
import type { JobLog } from "../../host/files/job-log.ts";
import type { OutputLine } from "../../host/processes/pipes.ts";
import type { LineLeftOut, TurnEnded } from "../contract/updates.ts";
import { type Program, type Translated, type Translation, failedTurn, notStarted, reasonDetails } from "./dialect.ts";
import { parseLine } from "./fields.ts";

/** How much of an unreadable line is repeated in the log. */
const NOTED_CHARS = 200;

export class OutputReading {
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

  translateLine(line: OutputLine): Translated {
    if ("dropped" in line) return this.#leaveOut({ kind: "left_out", why: "long", bytes: line.dropped });
    const text = line.bytes.toString();
    const piece = this.#translation.piece?.(text) ?? null;
    if (piece !== null) return piece;
    const message = parseLine(text);
    if (message !== null) return this.#translation.translate(message, line.cut);
    const start = text.trimStart();
    if (start.startsWith("{") && !isModest(start))
      return this.#leaveOut({ kind: "left_out", why: "deep", bytes: line.bytes.length });
    if (start !== "") {
      // Plain text between the lines is diagnostics and stays in the log; text that starts with a brace may be a broken
      // line.
      if (start.startsWith("{")) this.#brokenLines += 1;
      else this.#words += 1;
      this.#log.writeNote(`not a line of the protocol: ${JSON.stringify(text.slice(0, NOTED_CHARS))}`);
    }
    return { updates: [], replies: [], end: null };
  }

  /**
   * The agent's own end. If we asked for it, it is a cancellation, however the agent puts it.
   * @param stopped whether we asked it to end
   */
  finalEnd({ abandon: _abandon, ...end }: NonNullable<Translated["end"]>, stopped: boolean): TurnEnded {
    return stopped ? { kind: "end", outcome: "cancelled" } : end;
  }

  /** The process exited without reporting how the turn ended. */
  unsettled(exit: Exit, stderr: string, stopped: boolean): TurnEnded {
    const { code, signal, failure } = exit;
    if (stopped) return { kind: "end", outcome: "cancelled" };
    if (failure !== null) return notStarted(this.#program, reasonDetails(failure));
    const said = stderr.trim().split("\n").at(-1) ?? "";
    // The kernel could not run it; the text comes from the program that tried.
    if ((code === 126 || code === 127) && this.heardNothing)
      return notStarted(this.#program, reasonDetails(said, { because: "why_exit_code", exit_code: code }));
    const own = this.#translation.ending?.(exit, stderr) ?? null;
    if (own !== null) return own;
    if (signal !== null)
      return failedTurn("E_CLI_EXIT_NONZERO", { ...reasonDetails(said, { because: "why_signal" }), signal });
    if (code !== 0)
      return failedTurn("E_CLI_EXIT_NONZERO", {
        ...reasonDetails(said, { because: "why_exit_code" }),
        exit_code: code ?? -1,
      });
    if (this.#leftOut !== null) return failedTurn("E_LINE_REFUSED", { bytes: this.#leftOut.bytes, exit_code: 0 });
    return this.#brokenLines > 0
      ? failedTurn("E_ADAPTER_PARSE", { because: "why_lines_unread", lines: this.#brokenLines, exit_code: 0 })
      : failedTurn("E_ADAPTER_MISSING_RESULT", { ...reasonDetails(said), exit_code: 0 });
  }

  /** Notes once, at the end, what was not understood. */
  noteDrift(): void {
    const kinds = [...this.#translation.unknown].map(([kind, times]) => `${kind} ×${times}`);
    if (kinds.length > 0) this.#log.writeNote(`not understood: ${kinds.join(", ")}`);
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
export function noteLeftOut(log: JobLog, { bytes, why }: LineLeftOut): void {
  log.writeNote(
    `a line of ${bytes} bytes was left out: ${why === "long" ? "longer than any that is read" : "nested too deeply, or of too many values"}`,
  );
}

/*
 * The growing answer: all text of the turn addressed to the user, in order, each block once, with a blank line between
 * two blocks. Streamed text stays: a reply that the model restarted appears twice, because the user has already read
 * it. The agent's `result` is only its last block and is used if the stream did not contain it. Whatever the length,
 * only the beginning, the end and the beginning of the last block are kept here; the rest was passed on.
 */

/** Characters kept of each part: enough to compare with earlier text and with the end of the answer. */
const KEPT = 1024 * 1024;

export class AnswerCollector {
  #beginning = "";
  #end = "";
  #length = 0;
  /** The last block that was streamed but has not come whole yet, with its message. */
  #open: { message: string; text: string; length: number } | null = null;

  /** The whole answer, or the beginning of one that is too long. */
  get whole(): string {
    return this.#beginning;
  }

  /** Starts a streamed block of a message. */
  beginBlock(message: string): void {
    this.#open = { message, text: "", length: 0 };
  }

  /** Adds a piece of the streamed block; returns the text to append. */
  piece(delta: string): string {
    if (this.#open === null) this.beginBlock("");
    const open = this.#open!;
    const first = open.length === 0;
    if (open.length <= KEPT) open.text += delta;
    open.length += delta.length;
    return this.#add(delta, first);
  }

  /**
   * Adds a whole block, which may repeat the streamed one (after a broken stream, under another message's id); returns
   * the part that was not streamed.
   */
  block(message: string, whole: string): string {
    const open = this.#open;
    this.#open = null;
    if (open === null || open.length === 0) return this.#add(whole, true);
    if (whole.startsWith(open.text)) return this.#add(whole.slice(open.length), false);
    return open.message === message ? "" : this.#add(whole, true);
  }

  /** Adds the agent's final result; returns it unless the answer already ends with it. */
  conclude(result: string): string {
    const [told, last] = [solid(this.#end), solid(result)];
    const isTold = told.endsWith(last) || (this.#length > this.#end.length && last.endsWith(told));
    return isTold ? "" : this.#add(result, true);
  }

  #add(delta: string, begins: boolean): string {
    if (delta === "") return "";
    const added = begins ? `${this.#gap()}${delta}` : delta;
    this.#length += added.length;
    if (this.#beginning.length < KEPT) this.#beginning += added.slice(0, KEPT - this.#beginning.length);
    this.#end += added;
    if (this.#end.length > 2 * KEPT) this.#end = this.#end.slice(-KEPT);
    return added;
  }

  #gap(): string {
    if (this.#length === 0 || this.#end.endsWith("\n\n")) return "";
    return this.#end.endsWith("\n") ? "\n" : "\n\n";
  }
}

function solid(text: string): string {
  return text.replace(/\s+/g, "");
}

/*
 * Things on their way to their one reader, in order: the updates of a turn, or the turns that an agent begins by
 * itself. What comes before there is a reader waits for it. A writer that awaits `give` is held back while too much
 * waits, so that a slow reader makes the agent wait and a fast agent costs no memory.
 */

export class Feed<T> implements AsyncIterable<T> {
  readonly #onReaderStopped: () => void;
  #most: number;
  #waiting: T[] = [];
  #given = 0;
  /** How many the reader has dealt with. */
  #dealt = 0;
  #ended = false;
  /** Resolves at each change of these. */
  #changed = Promise.withResolvers<void>();

  /**
   * @param most how many may be with the reader or wait for it before the writer has to wait; absent: any number
   * @param left called if the reader stops before the end
   */
  constructor({
    most = Number.POSITIVE_INFINITY,
    onStop: left = () => undefined,
  }: { most?: number; onStop?: () => void } = {}) {
    this.#most = most;
    this.#onReaderStopped = left;
  }

  /** Resolves when more may be given. What is given after the end is dropped. */
  async give(...more: T[]): Promise<void> {
    if (this.#ended || more.length === 0) return;
    this.#waiting.push(...more);
    this.#given += more.length;
    this.#change();
    await this.room();
  }

  /** Gives the last, if there is one more. */
  close(...last: T[]): void {
    void this.give(...last);
    this.#ended = true;
    this.#change();
  }

  /** Resolves when more may be given, or nobody reads any more. */
  room(): Promise<void> {
    return this.#until(() => this.#given - this.#dealt <= this.#most);
  }

  /** Resolves when the reader has dealt with all that was given so far, or nobody will. */
  whenRead(): Promise<void> {
    const all = this.#given;
    return this.#until(() => this.#dealt >= all);
  }

  /** From now on the writer never has to wait. */
  free(): void {
    this.#most = Number.POSITIVE_INFINITY;
    this.#change();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void> {
    try {
      for (;;) {
        if (this.#waiting.length === 0) await this.#until(() => this.#waiting.length > 0);
        const one = this.#waiting.shift();
        if (one === undefined) return;
        if (this.#isOver) this.#change();
        yield one;
        this.#dealt += 1;
        this.#change();
      }
    } finally {
      const isEarly = !this.#isOver;
      this.#ended = true;
      this.#waiting = [];
      this.#change();
      if (isEarly) this.#onReaderStopped();
    }
  }

  /** The reader has the last: nobody has to wait for it. */
  get #isOver(): boolean {
    return this.#ended && this.#waiting.length === 0;
  }

  async #until(fact: () => boolean): Promise<void> {
    while (!this.#isOver && !fact()) await this.#changed.promise;
  }

  #change(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }
}
