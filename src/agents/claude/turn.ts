/**
 * One turn of a living Claude, whether it was prompted or began by itself. It gets the lines of the process while it is
 * the current one, and has exactly one end. What it asked and nobody answered is refused at its end, or Claude would
 * wait for ever; what a subagent or a server of its tools asks is handed over to the next turn instead, because that one
 * goes on.
 */
import type { Clock } from "../../base/clock.ts";
import type { Child, Exit } from "../../host/processes/child.ts";
import type { JobLog } from "../../host/files/job-log.ts";
import type { OutputLine } from "../../host/processes/pipes.ts";
import type { ProcessIdentity } from "../../host/processes/process-table.ts";
import type { Prompt, Reply, Steered, Turn } from "../contract/driver.ts";
import type { TurnEnded, Update } from "../contract/updates.ts";
import type { Program } from "../process/dialect.ts";
import { Feed, OutputReading } from "../process/reading.ts";
import { type Fields, jsonLine } from "../process/fields.ts";
import type { Shell, Subagents } from "./messages.ts";
import type { PendingClaudeRequest } from "./requests.ts";
import { ClaudeTranslation } from "./translate.ts";

/** What all turns of a conversation share. */
export interface ClaudeConversation {
  program: Program;
  child: Child;
  clock: Clock;
  subagents: Subagents;
  shell: Shell;
  /** Called once a turn, to make Claude end it. */
  interrupt(turn: ClaudeTurn): void;
  /** Writes a line to Claude while it is at a turn. */
  steer(prompt: Prompt, takenBack?: Promise<void>): Promise<Steered>;
}

interface ClaudeTurnStart {
  /** Names the prompt in Claude's lines; null for a turn that Claude began. */
  uuid: string | null;
  /** The session key that the process was started to resume, for its first turn; else null. */
  resume: string | null;
  log: JobLog;
}

export class ClaudeTurn implements Turn {
  readonly process: Promise<ProcessIdentity | null>;
  readonly updates: Feed<Update>;
  readonly over: Promise<void>;
  readonly uuid: string | null;
  readonly log: JobLog;
  /**
   * Claude itself is at it: has begun with the prompt, or speaks without one. Until then a `result` is another turn's.
   */
  begun = false;
  /** Requests of subagents and servers that wait for their answers after its end. */
  left: PendingClaudeRequest[] = [];
  readonly #conversation: ClaudeConversation;
  readonly #translation: ClaudeTranslation;
  readonly #reading: OutputReading;
  readonly #bornAt: number;
  readonly #over = Promise.withResolvers<void>();
  #stopped = false;
  #ended = false;

  constructor(conversation: ClaudeConversation, { uuid, resume, log }: ClaudeTurnStart) {
    const { program, child, clock, subagents, shell } = conversation;
    this.#conversation = conversation;
    this.#bornAt = clock.monotonic();
    this.#translation = new ClaudeTranslation(resume, clock.now, subagents, shell);
    this.#reading = new OutputReading(program, this.#translation, log);
    this.uuid = uuid;
    this.log = log;
    this.process = Promise.resolve(child.identity);
    this.updates = new Feed({ most: 0, onStop: () => void this.cancel() });
    this.over = this.#over.promise;
  }

  get ended(): boolean {
    return this.#ended;
  }

  get stopped(): boolean {
    return this.#stopped;
  }

  heardAt(): number {
    return Math.max(this.#bornAt, this.#conversation.child.heardAt());
  }

  async answer(id: string, reply: Reply): Promise<boolean> {
    if (this.#ended || this.#stopped) return false;
    const again = reply.kind === "again" ? this.#translation.askAgain(id) : null;
    if (again !== null) {
      this.emit(again);
      return false;
    }
    const lines = this.#translation.answer(id, reply);
    if (lines.length > 0) this.log.writeNote(`answered ${id}: ${reply.kind}`);
    const taken = await Promise.all(lines.map((line) => this.#write(line)));
    this.#endAside();
    return taken.length > 0 && taken.every(Boolean);
  }

  async steer(prompt: Prompt, takenBack?: Promise<void>): Promise<Steered> {
    return this.#ended || this.#stopped ? { kind: "refused" } : this.#conversation.steer(prompt, takenBack);
  }

  cancel(): Promise<void> {
    if (!this.#stopped && !this.#ended) {
      this.#stopped = true;
      // The end may come behind lines that nobody reads any more.
      this.updates.free();
      // Claude itself does nothing that could be interrupted: what its subagents asked is refused.
      if (this.isAside) this.#end([{ kind: "end", outcome: "cancelled" }]);
      else this.#conversation.interrupt(this);
    }
    return this.over;
  }

  /** Takes a line of the process. Resolves when the reader has taken what it means. */
  async onLine(line: OutputLine): Promise<void> {
    const { updates, replies, end } = this.#reading.translateLine(line);
    for (const reply of replies) void this.#write(reply);
    if (end !== null) return this.#end([...updates, this.#reading.finalEnd(end, this.#stopped)]);
    await this.updates.give(...updates);
    if (updates.some(({ kind }) => kind === "withdrawn")) this.#endAside();
  }

  /** Reports what is not in its lines. */
  emit(update: Update): void {
    if (!this.#ended) void this.updates.give(update);
  }

  /** Ends it, whatever Claude still says. @param gone nobody is left who asks */
  break(end: TurnEnded, gone = false): void {
    if (!this.#ended) this.#end([end], gone);
  }

  /** Takes over what subagents have asked in an earlier turn. */
  carryOver(left: readonly PendingClaudeRequest[]): void {
    void this.updates.give(...this.#translation.carryOver(left));
  }

  /** Whether it only asks for subagents, while Claude itself does nothing. */
  get isAside(): boolean {
    return this.uuid === null && !this.begun;
  }

  #endAside(): void {
    if (this.isAside && !this.#ended && !this.#translation.asks)
      this.#end([{ kind: "end", outcome: "done", result: "" }]);
  }

  /** The process has ended, or never started. `again`: it had lived before, so that the prompt surely was not begun. */
  fail(exit: Exit, again: boolean): void {
    if (this.#ended) return;
    const isUnheard = again && this.#reading.heardNothing;
    const end = this.#reading.unsettled(exit, this.#conversation.child.stderrTail(), this.#stopped);
    this.#end([isUnheard ? passing(end) : end], true);
  }

  /** @param gone nobody is left who asks */
  #end(updates: readonly Update[], gone = false): void {
    this.#ended = true;
    if (!this.#stopped && !gone) this.left = this.#translation.handOver();
    for (const line of this.#translation.refuseAll()) void this.#write(line);
    this.#reading.noteDrift();
    const left = this.left.map(({ asked }) => asked.id);
    this.updates.close(...updates.map((one) => (one.kind === "end" && left.length > 0 ? { ...one, left } : one)));
    this.#over.resolve();
  }

  #write(line: Fields): Promise<boolean> {
    return this.#conversation.child.input?.write(jsonLine(line)) ?? Promise.resolve(false);
  }
}

/** The same prompt may work at once, in a new process. */
function passing(end: TurnEnded): TurnEnded {
  return end.outcome === "failed" && end.code === "E_CLI_EXIT_NONZERO"
    ? { ...end, details: { ...end.details, temporary: true } }
    : end;
}

/*
 * What is written to a living Claude while it is at a turn. Claude names each such line by its id: it reads it at the
 * end of the next tool, or begins a turn of its own with it when this one is over, or never begins with it because its
 * process ends. Results are not counted: several lines may share one.
 */

interface Steer {
  log: JobLog;
  settle: (steered: Steered) => void;
}

/** How long Claude may take, once a turn is over, to begin with a line that it was sent in it. */
const BEGIN_MS = 10_000;

export class Steers {
  readonly #waiting = new Map<string, Steer>();
  readonly #clock: Clock;
  readonly #end: () => void;
  #forget: () => void = () => undefined;

  /** @param end ends Claude's process, which then surely begins with nothing */
  constructor(clock: Clock, end: () => void) {
    this.#clock = clock;
    this.#end = end;
  }

  /** @param write whether the line has reached Claude */
  async send(uuid: string, log: JobLog, write: () => Promise<boolean>): Promise<Steered> {
    const { promise, resolve } = Promise.withResolvers<Steered>();
    this.#waiting.set(uuid, { log, settle: resolve });
    if (!(await write())) this.settleSteer(uuid, { kind: "refused" });
    return promise;
  }

  /** The log of a line that Claude has not begun with; undefined for any other. */
  logOf(uuid: string): JobLog | undefined {
    return this.#waiting.get(uuid)?.log;
  }

  settleSteer(uuid: string, steered: Steered): void {
    this.#waiting.get(uuid)?.settle(steered);
    this.#waiting.delete(uuid);
    if (this.#waiting.size === 0) this.#forget();
  }

  /** A turn is over: what waits is begun at once, or Claude is stuck. */
  turnOver(): void {
    this.#forget();
    if (this.#waiting.size > 0) this.#forget = this.#clock.after(BEGIN_MS, this.#end);
  }

  /** A turn is begun: Claude works. */
  turnBegun(): void {
    this.#forget();
  }

  /** Claude's process has ended. */
  refuseAll(): void {
    for (const uuid of [...this.#waiting.keys()]) this.settleSteer(uuid, { kind: "refused" });
  }
}
