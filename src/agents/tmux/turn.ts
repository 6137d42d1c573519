/**
 * One turn of a Claude in a window: a prompt of ours, one that was typed at the terminal, or its own report. What
 * happens in it is told by Claude's hooks; those that ask something are answered elsewhere
 * (`run/asking/hook-asking.ts`).
 */
import { withTimeout, type Clock } from "../../base/clock.ts";
import type { JobLog } from "../../host/files/job-log.ts";
import type { ProcessIdentity } from "../../host/processes/process-table.ts";
import type { HookPayload, PayloadOf } from "../../protocol/hooks.ts";
import { limitOf, failureOf, titleOf } from "../claude/messages.ts";
import type { Turn } from "../contract/driver.ts";
import type { Outcome, Update } from "../contract/updates.ts";
import { oneLine } from "../process/fields.ts";
import { reasonDetails } from "../process/dialect.ts";
import { Feed } from "../process/reading.ts";

/** How long the end of a turn waits for what Claude still displays. */
const LAST_WORDS_MS = 2_000;
/** How long what Claude asks waits for what it said before: it may have said nothing, and nothing tells that. */
const FIRST_WORDS_MS = 500;

/** The hooks that only a turn has, after the one that tells its prompt. */
const IN_TURN: ReadonlySet<string> = new Set([
  "MessageDisplay",
  "PreToolUse",
  "PermissionRequest",
  "PermissionDenied",
  "PostToolUse",
  "PostToolUseFailure",
  "Stop",
  "StopFailure",
]);

/** Of a turn that had begun before it was heard. */
export interface MissedBeginning {
  /** What was said before this daemon listened; absent: it is heard from its beginning on. */
  before?: string;
  /** When it began, in milliseconds since the epoch; absent: now, or it is not known. */
  begunAt?: number;
}

export interface WindowTurnOptions extends MissedBeginning {
  clock: Clock;
  log: JobLog;
  /** What was typed at the terminal; null: a prompt of ours, or one that nobody typed. */
  typed: string | null;
  /** Called once, to make Claude end the turn. */
  stop(turn: WindowTurn): void;
}

export class WindowTurn implements Turn {
  readonly process: Promise<ProcessIdentity | null>;
  readonly updates: Feed<Update>;
  readonly over: Promise<void>;
  readonly typed: string | null;
  readonly before: string;
  readonly begunAt: number | null;
  readonly log: JobLog;
  /** Claude's name of the turn, once it is known. */
  promptId: string | null = null;
  readonly #options: WindowTurnOptions;
  readonly #taken = Promise.withResolvers<ProcessIdentity | null>();
  readonly #over = Promise.withResolvers<void>();
  readonly #parts: AnswerParts;
  #text = "";
  #key: string | null = null;
  #last: string | null = null;
  /** The size of the hook if its last message was left out; 0: it was not. */
  #leftOut = 0;
  #forget = (): void => undefined;
  #tools = 0;
  /** Messages that were displayed before its last tool ended. */
  #before = 0;
  #displayed = Promise.withResolvers<void>();
  #stopped = false;
  #ended = false;

  constructor(options: WindowTurnOptions) {
    this.#options = options;
    this.typed = options.typed;
    this.log = options.log;
    this.process = this.#taken.promise;
    this.over = this.#over.promise;
    this.before = options.before ?? "";
    this.begunAt = options.begunAt ?? null;
    this.#parts = new AnswerParts(options.before);
    // The pace of hooks is Claude's own: nothing holds it back.
    this.updates = new Feed({ onStop: () => void this.cancel() });
  }

  get ended(): boolean {
    return this.#ended;
  }

  get stopped(): boolean {
    return this.#stopped;
  }

  /** Whether nothing was said or done in it. */
  get isSilent(): boolean {
    return this.#text === "" && this.#tools === 0;
  }

  /** What is asked in it is answered through the hooks that ask. */
  answer(): Promise<boolean> {
    return Promise.resolve(false);
  }

  /** A terminal may be silent for any time. */
  heardAt(): number {
    return this.#options.clock.monotonic();
  }

  cancel(): Promise<void> {
    if (!this.#stopped && !this.#ended) {
      this.#stopped = true;
      this.#options.stop(this);
    }
    return this.over;
  }

  detach(): Promise<void> {
    this.end({ outcome: "cancelled" });
    return this.over;
  }

  /** Claude has begun with the prompt. */
  begin(process: ProcessIdentity, promptId: string | null, session?: string): void {
    this.promptId = promptId;
    if (session !== undefined) this.#reportKey(session);
    this.#taken.resolve(process);
  }

  /** @param late it was kept while no daemon ran, so that nothing more of the turn comes */
  onHook(payload: HookPayload, late = false): void {
    this.#reportKey(payload.session_id);
    switch (payload.hook_event_name) {
      case "MessageDisplay":
        if (payload.agent_id !== undefined) return;
        this.#say(this.#parts.add(payload));
        if (this.#isDisplayed) this.#displayed.resolve();
        if (this.#last !== null && this.#isComplete(this.#last)) this.#finish();
        return;
      case "PostToolUse":
      case "PostToolUseFailure":
        return this.#tool(payload);
      case "PermissionDenied":
        return this.#push([
          {
            kind: "denied",
            tool: payload.tool_name,
            ...(payload.tool_use_id !== undefined && { id: payload.tool_use_id }),
            reason: oneLine(payload.reason ?? ""),
          },
        ]);
      case "Stop":
        this.#last = payload.last_assistant_message ?? "";
        this.#leftOut = payload.left_out ?? 0;
        if (late || this.#isComplete(this.#last)) return this.#finish();
        this.#forget = this.#options.clock.after(LAST_WORDS_MS, () => this.#finish());
        return;
      case "StopFailure":
        return this.#fail(payload);
      default:
        return;
    }
  }

  /** Resolves when what Claude said before it asks was displayed and taken down: the hooks of both run at once. */
  async saidAll(): Promise<void> {
    const said = this.#displayed.promise.then(() => this.updates.whenRead());
    await withTimeout(this.#options.clock, FIRST_WORDS_MS, said);
  }

  /** Its conversation is shorter now. */
  compacted(): void {
    this.#push([{ kind: "compacted", before: null, after: null }]);
  }

  /** Claude is in another permission mode now. */
  changeMode(mode: string): void {
    this.#push([{ kind: "mode", mode, by: "agent", changed: true }]);
  }

  /** Another one has begun: this one is over, also where no hook has told that. */
  followed(): void {
    if (this.#last !== null) this.#finish();
    else this.end({ outcome: "cancelled" });
  }

  /** It is over, as its window shows, and no hook tells that any more. */
  endUntold(): void {
    this.#last ??= "";
    this.#finish();
  }

  /** What was displayed is kept, however it ends. */
  end(outcome: Outcome): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#forget();
    this.updates.close({
      kind: "end",
      ...(this.#stopped && outcome.outcome === "failed" ? ({ outcome: "cancelled" } as const) : outcome),
    });
    this.#taken.resolve(null);
    this.#over.resolve();
  }

  /** Whether a message was displayed to its end since the last tool. */
  get #isDisplayed(): boolean {
    return this.#parts.whole > this.#before;
  }

  #isComplete(last: string): boolean {
    return this.#leftOut > 0 ? this.#isDisplayed : this.#parts.isComplete(last);
  }

  #finish(): void {
    this.#say(this.#parts.missingPart(this.#last ?? ""));
    if (this.#leftOut > 0 && !this.#isDisplayed)
      return this.end({ outcome: "failed", code: "E_LINE_REFUSED", details: { bytes: this.#leftOut } });
    this.end(this.#stopped ? { outcome: "cancelled" } : { outcome: "done", result: this.#text });
  }

  #fail({ error = "", last_assistant_message }: PayloadOf<"StopFailure">): void {
    const result = last_assistant_message ?? error;
    const limit = limitOf({ result }, null, this.#options.clock.now());
    const end = failureOf({ is_error: true, result }, null, limit, error);
    const said = reasonDetails(result, { because: "why_nothing_said" });
    const { code, details } = end?.outcome === "failed" ? end : { code: "E_CLI_EXIT_NONZERO" as const, details: said };
    // What was typed may have had an effect, so it is not typed again by itself.
    const { temporary: _temporary, ...rest } = details;
    this.end({ outcome: "failed", code, details: { tool: "tmux", ...rest } });
  }

  #tool({
    hook_event_name,
    tool_name: name,
    tool_input: input,
    tool_use_id,
    ...more
  }: PayloadOf<"PostToolUse"> | PayloadOf<"PostToolUseFailure">): void {
    this.#tools += 1;
    this.#before = this.#parts.whole;
    this.#displayed = Promise.withResolvers();
    const id = tool_use_id ?? `tool-${this.#tools}`;
    const summary = "error" in more && more.error !== undefined ? oneLine(more.error) : "";
    this.#push([
      { kind: "tool_started", id, name, title: titleOf(name, input), input },
      { kind: "tool_finished", id, ok: hook_event_name === "PostToolUse", summary },
    ]);
  }

  /** Compaction may give the conversation another one. */
  #reportKey(key: string): void {
    if (key === this.#key) return;
    this.#key = key;
    this.#push([{ kind: "session_key", key }]);
  }

  #say(delta: string): void {
    this.#text += delta;
    if (delta !== "") this.#push([{ kind: "text", delta }]);
  }

  #push(updates: readonly Update[]): void {
    if (!this.#ended) void this.updates.give(...updates);
  }
}

/** A subagent may go on with what another turn began. */
export function isInTurn({ hook_event_name, agent_id }: HookPayload): boolean {
  return IN_TURN.has(hook_event_name) && agent_id === undefined;
}

/**
 * The permission mode that a thread was last told. Claude's dialogs and keys change it without a hook: the next hook
 * that comes names it, and its turn says it.
 */
export class PermissionMode {
  #told: string;

  constructor(told: string) {
    this.#told = told;
  }

  /** A subagent may be in another. */
  readFrom(turn: WindowTurn | null, { permission_mode: mode, agent_id }: HookPayload): void {
    if (turn === null || turn.ended || mode === undefined || agent_id !== undefined || mode === this.#told) return;
    this.#told = mode;
    turn.changeMode(mode);
  }
}

/*
 * A turn's answer from the pieces that Claude displays: in the order of its messages, whatever order their hooks come
 * in, and completed by the last message that the end of the turn brings. Of a turn that is heard only from its middle
 * on, the message that was being displayed then has no beginning, which comes with the end if it is the last. Pure.
 */

interface MessagePieces {
  pieces: Map<number, string>;
  /** Pieces that were given out. */
  given: number;
  /** The number of its last piece; null: not known yet. */
  last: number | null;
  text: string;
}

export class AnswerParts {
  readonly #messages = new Map<string, MessagePieces>();
  /** What was said before this daemon listened. */
  readonly #before: string;
  /** The first message may have begun before this daemon listened. */
  readonly #isJoined: boolean;
  #isEmpty: boolean;

  /**
   * @param before what was said of a turn that is heard only from its middle on; absent: it is heard from its beginning
   * on
   */
  constructor(before?: string) {
    this.#before = before ?? "";
    this.#isJoined = before !== undefined;
    this.#isEmpty = this.#before === "";
  }

  /** How many messages were displayed to their end. */
  get whole(): number {
    return [...this.#messages.values()].filter(isWhole).length;
  }

  /** What can be added to the answer now. */
  add({
    message_id,
    index,
    final,
    delta,
  }: Pick<PayloadOf<"MessageDisplay">, "message_id" | "index" | "final" | "delta">): string {
    const known = this.#messages.get(message_id) ?? {
      pieces: new Map<number, string>(),
      given: 0,
      last: null,
      text: "",
    };
    this.#messages.set(message_id, known);
    if (index >= known.given) known.pieces.set(index, delta);
    if (final) known.last = index;
    return this.#ready();
  }

  /** Whether all of the last message was displayed. */
  isComplete(last: string): boolean {
    if (last.trim() === "") return true;
    const [message] = [...this.#messages.values()].slice(-1);
    return (
      (message !== undefined && isWhole(message) && message.text.trim() === last.trim()) ||
      this.#before.trimEnd().endsWith(last.trim())
    );
  }

  /** What is missing of the answer at its end. */
  missingPart(last: string): string {
    const all = [...this.#messages.values()];
    const newest = all.at(-1);
    const isCut = newest !== undefined && this.#isCut(newest, last);
    // Pieces that wait for others will wait no longer. Where the beginning is missing, the end has all of it.
    const more = all.map((message) => (isCut && message === newest ? "" : this.#giveAll(message))).join("");
    if (this.isComplete(last)) return more;
    if (isCut || newest === undefined) return more + this.#partAfterStart(last);
    const text = newest.text.trim();
    if (text !== "" && last.trim().startsWith(text)) return more + last.trim().slice(text.length);
    return more + this.#block(last);
  }

  #ready(): string {
    const all = [...this.#messages.values()];
    let more = "";
    for (const message of all) {
      while (message.pieces.has(message.given)) more += this.#give(message, message.given);
      if (isWhole(message)) continue;
      // What it waits for was displayed before anybody listened.
      if (!this.#isFirst(message) || message === all.at(-1)) break;
      more += this.#giveAll(message);
    }
    return more;
  }

  #isFirst(message: MessagePieces): boolean {
    return this.#isJoined && message === this.#messages.values().next().value;
  }

  /** Whether it is the last message of its turn, and its beginning was displayed before anybody listened. */
  #isCut(message: MessagePieces, last: string): boolean {
    return (
      this.#isFirst(message) &&
      message.given === 0 &&
      last.trim() !== "" &&
      [...message.pieces.values()].every((piece) => last.includes(piece.trim()))
    );
  }

  #giveAll(message: MessagePieces): string {
    const order = [...message.pieces.keys()].sort((a, b) => a - b);
    return order.map((index) => this.#give(message, index)).join("");
  }

  #give(message: MessagePieces, index: number): string {
    const piece = message.pieces.get(index) ?? "";
    message.pieces.delete(index);
    message.given = index + 1;
    const more = message.text === "" ? this.#block(piece) : piece;
    message.text += piece;
    return more;
  }

  /** The last message, without what of it was said before this daemon listened. */
  #partAfterStart(last: string): string {
    const [said, whole] = [this.#before.trimEnd(), last.trim()];
    const starts = [0, ...[...said.matchAll(/\n\n/g)].map(({ index }) => index + 2)].filter(
      (at) => at < said.length && said.length - at <= whole.length,
    );
    const start = starts.find((at) => whole.startsWith(said.slice(at)));
    if (start === undefined) return this.#block(last);
    const rest = whole.slice(said.length - start);
    const blank = this.#before.slice(said.length);
    return rest.startsWith(blank) ? rest.slice(blank.length) : rest;
  }

  /** A text of its own, below what was said before. */
  #block(text: string): string {
    if (text === "") return "";
    const separator = this.#isEmpty ? "" : "\n\n";
    this.#isEmpty = false;
    return separator + text;
  }
}

function isWhole({ given, last }: MessagePieces): boolean {
  return last !== null && given > last;
}
