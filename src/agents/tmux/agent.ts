/**
 * A Claude in a window: its hooks say what it does, its screen whether something can be typed. Nothing is typed while a
 * dialog may be open, because the key that submits a prompt would answer it. It outlives the daemon, and stays when it
 * has nothing to do.
 */
import type { Clock } from "../../base/clock.ts";
import type { TerminalReason } from "../../core/projects/checkout.ts";
import type { JobLog } from "../../host/files/job-log.ts";
import { isAlive, type ProcessIdentity, type ProcessTable } from "../../host/processes/process-table.ts";
import type { Screen, Tmux } from "../../host/terminal/tmux.ts";
import type { HookPayload, PayloadOf } from "../../protocol/hooks.ts";
import type { Agent, Prompt, Resumed, Turn } from "../contract/agent.ts";
import type { Outcome } from "../contract/updates.ts";
import { why } from "../process/failed.ts";
import { Feed } from "../process/feed.ts";
import { interrupt } from "./interrupt.ts";
import { PermissionMode } from "./permission-mode.ts";
import { askedText, holdsOurs, isInterrupted, promptBoxOf, shows } from "./prompt-box.ts";
import { WindowTurn } from "./turn.ts";
import { TypedPrompt } from "./typed-prompt.ts";
import { isSame, typedText } from "./typed-text.ts";
import { AskingDialog, Glances, LOOK_MS, WatchedScreen } from "./watched-screen.ts";
import { endOf, failed } from "./window-end.ts";

const START_MS = 20_000;
/** A box may be drawn a moment after the hook that tells that Claude is ready. */
const SETTLED_MS = 2_000;
/** A turn that began with an earlier daemon, and of which nothing is to be seen for so long, is over. */
const UNSEEN_MS = 3_000;
const LOOKED_MS = 8_000;
const ALIVE_MS = 1_000;

/** Whether Claude waits for a prompt: as its last hook told, or not told since this daemon listens. */
type Told = "starting" | "ready" | "works" | "unknown";

export interface WindowAgentOptions {
  clock: Clock;
  table: ProcessTable;
  tmux: Tmux;
  window_id: string;
  pane_id: string;
  process: ProcessIdentity;
  log: JobLog;
  /** The command by which its owner sees the window. */
  attach: string;
  /** It stood before this daemon. */
  stood: boolean;
  /** Whether a turn with this name of Claude's is on record. */
  isKnown(promptId: string): boolean;
  /** Whether the conversation that it is to resume is recorded nowhere. */
  isLost(): boolean;
  /** Its owner started it, and only he ends it. What shows that what is typed reaches it, and not his shell. */
  adopted: { hasTerminal(): boolean } | null;
  /** Prompts that an earlier daemon may have typed without sending them. */
  left(): readonly string[];
  /** The permission mode that its thread was told last. */
  mode: string;
  /** Resolves when what its hooks kept while no daemon ran has been heard. */
  caughtUp: Promise<void>;
  /** Something may be typed again. */
  freed(): void;
  /** What its dialogs asked was answered in them. */
  answered(): void;
  /** It is gone: it ended by itself, or was ended by us. */
  closed(why: "exit" | "stopped", exitCode: number | null): Promise<void>;
}

export class WindowAgent implements Agent {
  readonly process: ProcessIdentity;
  readonly between = new Feed<Turn>();
  readonly background: readonly string[] = [];
  readonly gone: Promise<void>;
  /** Resolves when it is at a turn again that an earlier daemon left. */
  readonly resumed = Promise.withResolvers<void>();
  readonly #options: WindowAgentOptions;
  readonly #gone = Promise.withResolvers<void>();
  #told: Told;
  readonly #mode: PermissionMode;
  #dialog = false;
  /** How often a prompt could have been typed again, and how often when one last could not. */
  #rests = 0;
  #refusedAt = 0;
  #passes = false;
  /** The prompt that was last typed without being seen in the box. */
  #unseen: string | null = null;
  readonly #glances = new Glances();
  readonly #asking = new AskingDialog();
  readonly #screen: WatchedScreen;
  /** The prompt that was typed and is not confirmed. */
  #typing: TypedPrompt | null = null;
  #current: WindowTurn | null = null;
  /** What was typed last: an interrupted prompt that was not answered at all is put back into the box. */
  #text = "";
  #closing = false;
  #isGone = false;
  /** When it is told what stands in its window, if it has not said until then that it is ready. */
  readonly #late: number;
  /** How a turn ends that begins when it is gone. */
  #end: Outcome = failed({ because: "why_window_gone" });
  #forget = (): void => undefined;

  constructor(options: WindowAgentOptions) {
    this.#options = options;
    this.process = options.process;
    this.#late = options.clock.monotonic() + START_MS;
    this.#screen = new WatchedScreen(options, () => this.#isGone);
    this.#mode = new PermissionMode(options.mode);
    this.#told = options.stood ? "unknown" : "starting";
    this.gone = this.#gone.promise;
    this.#watch();
  }

  get isAdopted(): boolean {
    return this.#options.adopted !== null;
  }

  /** Claude's name of the turn that it is at, or was at last. */
  get promptId(): string | null {
    return this.#current?.promptId ?? null;
  }

  /** A terminal may be silent for any time. */
  heardAt(): number {
    return this.#options.clock.monotonic();
  }

  prompt({ text, log }: Prompt): Turn {
    const turn = this.#newTurn(log, null);
    void this.#type(turn, text).catch((error: unknown) => turn.end(failed(why(String(error)))));
    return turn;
  }

  resume({ log = this.#options.log, name, before }: Resumed): Turn {
    const turn = this.#newTurn(log, null, before);
    turn.begin(this.process, name);
    this.#current = turn;
    this.resumed.resolve();
    this.#told = "works";
    void this.#seen(turn);
    return turn;
  }

  detach(): Promise<void> {
    this.#isGone = true;
    this.#forget();
    void this.#current?.detach();
    void this.#typing?.turn.detach();
    this.between.end();
    this.#gone.resolve();
    return this.gone;
  }

  async close(): Promise<void> {
    this.#closing = true;
    if (this.#isGone) return this.gone;
    const { tmux, window_id, process, adopted } = this.#options;
    // The owner's Claude goes on with what it is at, without us.
    if (adopted !== null) return this.detach();
    await tmux.close({ window_id, pid: process.pid });
    await this.#look();
    return this.gone;
  }

  /** Takes a hook of this Claude; returns the turn that ended with it. */
  hear(payload: HookPayload, late = false): WindowTurn | null {
    this.#glances.heard();
    this.#asking.heard(payload, this.#screen);
    const turn = this.#turnOf(payload);
    this.#mode.learn(turn, payload);
    switch (payload.hook_event_name) {
      case "SessionStart":
        // A turn goes on after it was made room for.
        if (payload.source !== "compact" || this.turn === null) this.#rest();
        return null;
      case "UserPromptSubmit":
        if (!late || payload.prompt_id === undefined || !this.#options.isKnown(payload.prompt_id)) this.#submitted(payload);
        return null;
      case "PermissionRequest":
        this.#dialog = true;
        return null;
      case "Notification":
        if (payload.notification_type !== "idle_prompt") return null;
        this.#current?.end({ outcome: "cancelled" });
        return this.#ended(this.#current);
      case "SessionEnd":
        // The conversation is cleared, and Claude goes on.
        if (payload.reason === "clear") return null;
        this.#current?.end(failed({ because: "why_window_left" }));
        return this.#ended(this.#current);
      case "Stop":
      case "StopFailure":
        if (turn === null && !late) this.#rest();
        if (turn === null) return null;
        turn.hear(payload, late);
        return this.#ended(turn);
      default:
        this.#dialog &&= payload.hook_event_name === "MessageDisplay";
        turn?.hear(payload);
        return null;
    }
  }

  #ended(turn: WindowTurn | null): WindowTurn | null {
    this.#rest();
    return turn;
  }

  /** By Claude's name of the turn, where both are known. */
  #turnOf({ prompt_id }: HookPayload): WindowTurn | null {
    const turn = this.#current;
    if (turn === null || turn.promptId === null || prompt_id === undefined) return turn;
    return turn.promptId === prompt_id ? turn : null;
  }

  /** It was free once more since it last was not. */
  get wasFreed(): boolean {
    return this.#rests > this.#refusedAt;
  }

  #rest(): void {
    this.#rests += 1;
    this.#told = "ready";
    this.#dialog = false;
    this.#options.freed();
  }

  #submitted(payload: PayloadOf<"UserPromptSubmit">, { session_id, prompt_id, prompt } = payload): void {
    const typing = this.#typing;
    // Told once more.
    if (prompt_id !== undefined && this.#current?.promptId === prompt_id) return;
    this.#told = "works";
    this.#dialog = false;
    // The next prompt tells that the turn before it is over.
    this.#current?.end({ outcome: "cancelled" });
    const isOurs = typing !== null && isSame(typing.text, prompt);
    const turn = isOurs ? typing.turn : this.#newTurn(this.#options.log, prompt);
    this.#current = turn;
    turn.begin(this.process, prompt_id ?? null, session_id);
    this.#mode.learn(turn, payload);
    if (turn.stopped) void this.#stop(turn);
    if (isOurs) typing.taken();
    else this.between.give(turn);
  }

  #newTurn(log: JobLog, typed: string | null, before = ""): WindowTurn {
    return new WindowTurn({ clock: this.#options.clock, log, typed, before, stop: (one) => void this.#stop(one) });
  }

  async #type(turn: WindowTurn, prompt: string): Promise<void> {
    const typed = typedText(prompt);
    if ("command" in typed) return turn.end({ outcome: "failed", code: "E_PROMPT_IS_COMMAND", details: { first: typed.command } });
    if (typed.text === "") return turn.end({ outcome: "failed", code: "E_EMPTY_PROMPT", details: {} });
    const waits = await this.#unsafe();
    if (this.#isGone) {
      await this.gone;
      return turn.end(this.#end);
    }
    if (turn.stopped) return turn.end({ outcome: "cancelled" });
    if (waits !== null) return turn.end(waits);
    turn.log.note(`typed ${Buffer.byteLength(typed.text)} bytes into ${this.#options.pane_id}`);
    const { text } = typed;
    this.#text = text;
    this.#typing = new TypedPrompt({ ...this.#options, watched: this.#screen, isOpen: (screen) => this.#isOpen(screen), refused: () => this.#refused(text) }, turn, text);
    try {
      const end = await this.#typing.submit();
      if (end !== null) turn.end(end);
    } finally {
      this.#typing = null;
    }
  }

  /** No dialog is open, as far as anybody has told. */
  #isOpen(screen: Screen): boolean {
    return !this.#dialog && !screen.dead && !screen.inMode && this.#isReached();
  }

  /** What is typed goes to this Claude. */
  readonly #isReached = (): boolean => this.#options.adopted?.hasTerminal() ?? true;

  /** Why nothing may be typed now; null: it may. */
  async #unsafe(): Promise<Outcome | null> {
    const { clock, tmux, pane_id, table, process } = this.#options;
    while (this.#told === "starting" && !this.#isGone) {
      if (clock.monotonic() > this.#late) return this.#waits("start");
      await this.#screen.pause(LOOK_MS);
    }
    await this.#takeOut();
    const before = this.#rests;
    const reasons: (TerminalReason | null)[] = [];
    const isFree = await this.#screen.until(SETTLED_MS, (screen) => reasons.push(this.#reason(screen)) > 0 && reasons.at(-1) === null);
    if (isFree) return null;
    const screen = await tmux.screen(pane_id);
    if (screen !== null && !screen.dead && isAlive(table, process)) return this.#waits(reasons.at(-1) ?? "hidden", before);
    await this.#look();
    return this.#end;
  }

  /** Its owner cannot send or delete from afar what is not his. */
  async #takeOut(): Promise<void> {
    const left = this.#options.stood ? this.#options.left() : [];
    const isLeft = (screen: Screen): boolean => this.#reason(screen) === "draft" && left.some((prompt) => holdsOurs(promptBoxOf(screen)!, prompt));
    if (left.length > 0 && (await this.#screen.until(LOOK_MS, isLeft))) await this.#screen.erase((screen) => this.#isOpen(screen));
  }

  #reason(screen: Screen): TerminalReason | null {
    if (this.#dialog) return "dialog";
    if (!this.#isReached()) return "hidden";
    if (screen.inMode) return "mode";
    const box = promptBoxOf(screen);
    if (box === null || !box.whole) return "hidden";
    if (this.#told === "works" || box.busy) return "busy";
    return box.text === "" ? null : "draft";
  }

  /** Typed, not to be seen, and erased. Once more by itself: what this terminal cannot show would be typed for ever. */
  async #refused(text: string): Promise<Outcome> {
    const end = await this.#waits("hidden");
    this.#passes &&= this.#unseen !== text;
    this.#unseen = text;
    return end;
  }

  async #waits(reason: TerminalReason, before = this.#rests): Promise<Outcome> {
    const { tmux, pane_id, attach } = this.#options;
    this.#refusedAt = before;
    // Other work is over some time, and a busy machine draws the box late.
    this.#passes = reason === "busy" || (reason === "hidden" && !this.isAdopted);
    const screen = reason === "start" || reason === "hidden" ? await tmux.screen(pane_id) : null;
    return { outcome: "failed", code: "E_TERMINAL_BUSY", details: { terminal: reason, attach, ...(screen && { screen: askedText(screen) }) } };
  }

  async #stop(turn: WindowTurn): Promise<void> {
    if (turn !== this.#current) return;
    await interrupt({ ...this.#options, screen: this.#screen, isReached: this.#isReached }, turn, turn.typed ?? this.#text);
    // A prompt that was not answered at all is put back into the box, a moment after Claude is free.
    const isBack = await this.#screen.until(turn.isSilent ? SETTLED_MS : LOOK_MS, (screen) => shows(screen, this.#text));
    if (isBack) await this.#screen.erase((screen) => this.#isOpen(screen));
    turn.end({ outcome: "cancelled" });
    this.#rest();
  }

  /** Nothing tells of a turn that was interrupted while no daemon listened. One that is at work tells its end. */
  async #seen(turn: WindowTurn): Promise<void> {
    const { clock, caughtUp } = this.#options;
    await caughtUp;
    let since = clock.monotonic();
    await this.#screen.until(LOOKED_MS, (screen) => {
      const box = promptBoxOf(screen);
      if (turn.ended || box === null || box.busy) return true;
      if (!box.whole) since = clock.monotonic();
      if (clock.monotonic() - since < UNSEEN_MS) return false;
      turn.end({ outcome: "cancelled" });
      this.#rest();
      return true;
    });
  }

  /** No hook tells of a Claude that was killed. */
  #watch(): void {
    if (this.#isGone) return;
    this.#forget = this.#options.clock.after(ALIVE_MS, () => void this.#look().then(() => this.#glance()).then(() => this.#watch()));
  }

  /** What no hook tells: a turn was interrupted at the terminal, and what was no turn is over, such as a compaction. */
  async #glance(): Promise<void> {
    if (!this.#isGone && (await this.#asking.isAnswered(this.#screen))) this.#options.answered();
    const turn = this.turn;
    if (this.#isGone || this.#typing !== null || (turn === null ? this.wasFreed || !this.#passes : turn.stopped)) return;
    const isOver = (screen: Screen): boolean => (turn === null ? this.#reason(screen) === null : isInterrupted(screen, turn.typed ?? this.#text));
    if (!(await this.#glances.confirm(() => this.#screen.until(LOOK_MS, isOver))) || turn !== this.turn || turn?.stopped === true) return;
    // Not what its owner typed.
    if (turn?.typed === null && (await this.#screen.until(LOOK_MS, (screen) => shows(screen, this.#text)))) await this.#screen.erase((screen) => this.#isOpen(screen));
    turn?.end({ outcome: "cancelled" });
    this.#rest();
  }

  /** That is not over. */
  get turn(): WindowTurn | null {
    return this.#current?.ended === false ? this.#current : null;
  }

  async #look(): Promise<void> {
    const { table, process, tmux, pane_id, window_id, adopted, closed } = this.#options;
    while (this.#closing && isAlive(table, process)) await this.#screen.pause(LOOK_MS);
    if (this.#isGone || isAlive(table, process)) return;
    this.#isGone = true;
    this.#forget();
    // What the owner's pane shows after its Claude is his.
    const screen = adopted === null ? await tmux.screen(pane_id) : null;
    const code = screen?.exit_code;
    if (adopted === null) await tmux.close({ window_id, pid: process.pid });
    this.#end = endOf(screen, code ?? null, !this.#closing && this.#options.isLost());
    for (const turn of [this.#current, this.#typing?.turn]) turn?.end(this.#end);
    this.between.end();
    await closed(this.#closing ? "stopped" : "exit", code ?? null);
    this.#options.freed();
    this.#gone.resolve();
  }
}
