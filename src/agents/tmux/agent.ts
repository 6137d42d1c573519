/**
 * A Claude in a window: its hooks say what it does, its screen whether something can be typed. Nothing is typed while a
 * dialog may be open, because the key that submits a prompt would answer it. It outlives the daemon, and stays when it
 * has nothing to do.
 */
import type { TerminalReason } from "../../core/projects/checkout.ts";
import type { AgentFacts } from "../../core/sessions/told.ts";
import type { JobLog } from "../../host/files/job-log.ts";
import { computes, isAlive, type ProcessIdentity, type ProcessTable } from "../../host/processes/process-table.ts";
import type { Screen, Tmux } from "../../host/terminal/tmux.ts";
import type { HookPayload, PayloadOf } from "../../protocol/hooks.ts";
import type { Agent, Prompt, Resumed, Turn } from "../contract/driver.ts";
import type { Outcome } from "../contract/updates.ts";
import { reasonDetails } from "../process/dialect.ts";
import { Feed } from "../process/reading.ts";
import { OwnCommands, interrupt, isCompaction, isUnseen, TypedPrompt, isReport, isSame, typedText } from "./typing.ts";
import { isAtRest, containsTypedPrompt, isInterrupted, promptBoxOf, screenContainsOnly } from "./prompt-box.ts";
import {
  Readiness,
  AskingDialog,
  Glances,
  LOOK_MS,
  WindowPane,
  UntoldDialog,
  terminalBusyOutcome,
  closeAfter,
  failedOutcome,
  outcomeOfUntypedPrompt,
} from "./window-pane.ts";
import { factsOf } from "./status-facts.ts";
import { isInTurn, PermissionMode, WindowTurn, type MissedBeginning } from "./turn.ts";
import type { Clock } from "../../base/clock.ts";
import type { Window } from "../../core/sessions/windows.ts";
import type { StatusLine } from "../../protocol/status-line.ts";

const START_MS = 20_000;
/** A box may be drawn a moment after the hook that tells that Claude is ready. */
const SETTLED_MS = 2_000;
const ALIVE_MS = 1_000;

export class WindowAgent implements Agent {
  readonly process: ProcessIdentity;
  readonly between = new Feed<Turn>();
  readonly background: readonly string[] = [];
  readonly gone: Promise<void>;
  /** Resolves when it goes on with a turn that an earlier daemon left; at once where it can have none. */
  readonly resumed = Promise.withResolvers<void>();
  readonly #options: WindowAgentOptions;
  readonly #gone = Promise.withResolvers<void>();
  readonly #ready: Readiness;
  readonly #mode: PermissionMode;
  readonly #glances = new Glances();
  readonly asking: AskingDialog;
  readonly untold: UntoldDialog;
  readonly #pane: WindowPane;
  /** The prompt that was typed and is not confirmed. */
  #typing: TypedPrompt | null = null;
  #current: WindowTurn | null = null;
  /** A turn that was joined in its middle: its end may have been told before that. */
  #joined: WindowTurn | null = null;
  /** What was last told by the name of a turn before it. */
  #unnamed: PayloadOf<"UserPromptSubmit"> | null = null;
  /** What was typed last: Claude puts an interrupted prompt that was not answered at all back into the box. */
  #text = "";
  readonly #own: OwnCommands;
  #closing = false;
  #isGone = false;
  /** If it has not said by then that it is ready, its owner is told what its window shows. */
  #late: number;
  /** How a turn ends that begins when it is gone. */
  #end: Outcome = failedOutcome({ because: "why_window_gone" });
  #forget = (): void => undefined;

  constructor(options: WindowAgentOptions) {
    this.#options = options;
    const { clock, table, tmux, window } = options;
    this.process = { pid: window.pid, startTime: window.start_time };
    this.#late = clock.monotonic() + START_MS;
    this.#pane = new WindowPane({
      clock,
      tmux,
      pane_id: window.pane_id,
      isGone: () => this.#isGone,
      computes: () => computes(table, window.pid),
    });
    this.#own = new OwnCommands({
      pane: this.#pane,
      isOpen: (screen) => this.#ready.isOpen(screen),
      isGone: () => this.#isGone,
    });
    this.asking = new AskingDialog(this.#pane);
    this.untold = new UntoldDialog(this.#pane, this.asking, options.onDialog);
    this.#mode = new PermissionMode(options.mode);
    this.#ready = new Readiness(options.stood ? "unknown" : "starting", () => options.isReached());
    if (options.stood) this.#ready.recordRefusal(true);
    else this.resumed.resolve();
    this.gone = this.#gone.promise;
    this.#watch();
  }

  /** Its owner started it, and only he ends it. */
  get isAdopted(): boolean {
    return this.#options.window.adopted;
  }

  /** Claude's name for the turn that it is at, or was at last. */
  get promptId(): string | null {
    return this.#current?.promptId ?? null;
  }

  /** A terminal may be silent for any time. */
  heardAt(): number {
    return this.#options.clock.monotonic();
  }

  facts(): AgentFacts {
    const { statusLine: says, window } = this.#options;
    const line = says();
    return line === null ? {} : factsOf(line, window.pid);
  }

  prompt({ text, log }: Prompt): Turn {
    const turn = this.#newTurn(log, null);
    void this.#type(turn, text).catch((error: unknown) => turn.end(failedOutcome(reasonDetails(String(error)))));
    return turn;
  }

  renew(): void {
    this.#own.renews = true;
  }

  resume({ log = this.#options.log, name, before }: Resumed): Turn {
    const turn = this.#newTurn(log, null, before === undefined ? {} : { before });
    turn.begin(this.process, name);
    this.#current = turn;
    this.resumed.resolve();
    this.#ready.told = "works";
    void this.#watchInterruption(turn);
    return turn;
  }

  detach(): Promise<void> {
    this.#isGone = true;
    this.#forget();
    void this.#current?.detach();
    void this.#typing?.turn.detach();
    this.between.close();
    this.#gone.resolve();
    return this.gone;
  }

  async close(): Promise<void> {
    this.#closing = true;
    if (this.#isGone) return this.gone;
    // The owner's Claude goes on with what it is at, without us.
    if (this.isAdopted) return this.detach();
    await this.#options.tmux.close(this.#options.window);
    await this.#checkProcess();
    return this.gone;
  }

  /** Takes a hook of this Claude; returns the turn that ended with it. */
  onHook(payload: HookPayload, late = false): WindowTurn | null {
    this.#glances.reset();
    this.asking.recordHook(payload);
    this.#adoptPromptId(payload);
    const turn = this.#turnOf(payload);
    this.#mode.readFrom(turn, payload);
    switch (payload.hook_event_name) {
      case "SessionStart":
        this.#own.onBegun(payload.source);
        // After a compaction, the turn goes on.
        if (payload.source !== "compact" || this.turn === null) this.#becomeReady();
        return null;
      case "UserPromptSubmit":
        this.#submitted(payload);
        return null;
      case "PermissionRequest":
        this.#ready.hasDialog = true;
        return null;
      case "Notification":
        if (payload.notification_type !== "idle_prompt") return null;
        this.#current?.end({ outcome: "cancelled" });
        return this.#ended(this.#current);
      case "SessionEnd":
        // The conversation is cleared, and Claude goes on.
        if (payload.reason === "clear") return null;
        this.#current?.end(failedOutcome({ because: "why_window_left" }));
        if (late) return this.#ended(this.#current);
        // It is gone a moment later, or begins with another conversation.
        [this.#ready.told, this.#late] = ["starting", this.#options.clock.monotonic() + START_MS];
        return this.#current;
      case "Stop":
      case "StopFailure":
        if (turn === null && !late && (this.turn === null || !this.#isKnown(payload))) this.#becomeReady();
        if (turn === null) return null;
        turn.onHook(payload, late);
        return this.#ended(turn);
      default:
        this.#ready.hasDialog &&= payload.hook_event_name === "MessageDisplay";
        turn?.onHook(payload);
        return null;
    }
  }

  /** Takes the prompt of a turn that may have begun long before this, which its hooks are heard from only now. */
  join(payload: PayloadOf<"UserPromptSubmit">, begunAt: number | null): void {
    this.#submitted(payload, { before: "", ...(begunAt !== null && { begunAt }) });
    this.#joined = this.#current;
  }

  /**
   * A prompt that waited for the end of a turn may be told by the name of that turn: its own is in the hooks that
   * follow.
   */
  #adoptPromptId(payload: HookPayload): void {
    const { prompt_id } = payload;
    if (this.#unnamed !== null && prompt_id !== undefined && isInTurn(payload) && !this.#isKnown(payload))
      this.#submitted({ ...this.#unnamed, prompt_id });
  }

  #ended(turn: WindowTurn | null): WindowTurn | null {
    this.#becomeReady();
    return turn;
  }

  /** Whether the hook is about a turn that is known by Claude's name for it. */
  #isKnown({ prompt_id }: HookPayload): boolean {
    return prompt_id !== undefined && (prompt_id === this.promptId || this.#options.isKnown(prompt_id));
  }

  /** The turn that a hook is about, by Claude's name for it where both are known. */
  #turnOf({ prompt_id }: HookPayload): WindowTurn | null {
    const turn = this.#current;
    if (turn === null || turn.promptId === null || prompt_id === undefined) return turn;
    return turn.promptId === prompt_id ? turn : null;
  }

  /** Whether it has become free since a prompt was last refused. */
  get wasFreed(): boolean {
    return this.#ready.wasFreed;
  }

  #becomeReady(): void {
    this.#ready.becomeReady();
    this.#options.onReady();
  }

  #submitted(payload: PayloadOf<"UserPromptSubmit">, joined?: MissedBeginning): void {
    const { session_id, prompt_id, prompt } = payload;
    const typing = this.#typing;
    // Told once more, or still by the name of the turn before.
    this.#unnamed = this.#isKnown(payload) ? payload : null;
    if (this.#unnamed !== null) return;
    this.#ready.becomeBusy();
    // The next prompt tells that the turn before it is over.
    this.#current?.followed();
    const isOurs = typing !== null && isSame(typing.text, prompt);
    const turn = isOurs ? typing.turn : this.#newTurn(this.#options.log, isReport(prompt) ? null : prompt, joined);
    this.#current = turn;
    turn.begin(this.process, prompt_id ?? null, session_id);
    this.#mode.readFrom(turn, payload);
    if (turn.stopped) void this.#stop(turn);
    if (isOurs) return typing.onTaken();
    typing?.onOtherPrompt(prompt);
    void this.between.give(turn);
  }

  #newTurn(log: JobLog, typed: string | null, joined: MissedBeginning = {}): WindowTurn {
    return new WindowTurn({ clock: this.#options.clock, log, typed, ...joined, stop: (one) => void this.#stop(one) });
  }

  async #type(turn: WindowTurn, prompt: string): Promise<void> {
    const typed = isCompaction(prompt) ? { text: prompt } : typedText(prompt);
    if ("command" in typed)
      return turn.end({ outcome: "failed", code: "E_PROMPT_IS_COMMAND", details: { first: typed.command } });
    if (typed.text === "") return turn.end({ outcome: "failed", code: "E_EMPTY_PROMPT", details: {} });
    const waits = await this.#unsafe();
    if (this.#isGone)
      return this.gone.then(() =>
        turn.end(this.#options.stood || this.#ready.rests > 0 ? outcomeOfUntypedPrompt(this.#end) : this.#end),
      );
    if (turn.stopped) return turn.end({ outcome: "cancelled" });
    const left = waits ?? (this.#own.renews ? await this.#leaveConversation() : null);
    if (left !== null) return turn.end(left);
    if (isCompaction(prompt)) {
      this.#current = turn;
      return this.#own.compact(turn, this.process, prompt).then(() => this.#becomeReady());
    }
    turn.log.writeNote(`typed ${Buffer.byteLength(typed.text)} bytes into ${this.#options.window.pane_id}`);
    const { text } = typed;
    this.#text = text;
    this.#typing = new TypedPrompt(
      {
        pane: this.#pane,
        isOpen: (screen) => this.#ready.isOpen(screen),
        refusePrompt: () => this.#refusePrompt(text),
      },
      turn,
      text,
    );
    try {
      const end = await this.#typing.submit();
      if (end !== null) turn.end(end);
    } finally {
      this.#typing = null;
    }
  }

  /** Nothing is typed into the old conversation. Resolves with null once the new one is there. */
  async #leaveConversation(): Promise<Outcome | null> {
    return (await this.#own.clear()) ? this.#unsafe() : this.#busyOutcome("hidden");
  }

  /** Why nothing may be typed now; null: it may. */
  async #unsafe(): Promise<Outcome | null> {
    const { clock, table } = this.#options;
    while (this.#ready.told === "starting" && !this.#isGone) {
      if (clock.monotonic() > this.#late) return this.#busyOutcome("start");
      await this.#pane.pause(LOOK_MS);
    }
    await this.#takeOut();
    const before = this.#ready.rests;
    const reasons: (TerminalReason | null)[] = [];
    const isFree = await this.#pane.patiently(
      SETTLED_MS,
      (screen) => reasons.push(this.#ready.refusalReason(screen)) > 0 && reasons.at(-1) === null,
    );
    if (isFree) return null;
    // Claude is gone a moment after its pane: it tells its hooks that it ends, and waits for them.
    for (
      const from = clock.monotonic();
      isAlive(table, this.process) && clock.monotonic() - from < START_MS;
      await this.#pane.pause(LOOK_MS)
    ) {
      const screen = await this.#pane.screen();
      if (screen !== null && !screen.dead) return this.#busyOutcome(reasons.at(-1) ?? "hidden", before);
    }
    await this.#checkProcess();
    return this.#end;
  }

  /** Leaves copy mode, and erases what may be: its owner could do neither from afar. */
  async #takeOut(): Promise<void> {
    if (await this.#pane.until(LOOK_MS, (screen) => this.#ready.isOnlyInMode(screen))) await this.#pane.leaveMode();
    const left = this.#options.erasableTexts();
    const isLeft = (screen: Screen): boolean => {
      const box = promptBoxOf(screen);
      return (
        box !== null &&
        this.#ready.isOpen(screen) &&
        this.#ready.refusalReason(screen) !== "busy" &&
        left.some((prompt) => containsTypedPrompt(box, prompt))
      );
    };
    if (left.length > 0 && (await this.#pane.until(LOOK_MS, isLeft)))
      await this.#pane.erase((screen) => this.#ready.isOpen(screen));
  }

  /** The prompt was typed, could not be seen, and was erased. */
  async #refusePrompt(text: string): Promise<Outcome> {
    const end = await this.#busyOutcome("hidden");
    this.#ready.recordUnseen(text);
    return end;
  }

  async #busyOutcome(reason: TerminalReason, before = this.#ready.rests): Promise<Outcome> {
    this.#ready.recordRefusal(reason !== "start", before);
    return terminalBusyOutcome(reason, this.#options.window, this.#pane);
  }

  async #stop(turn: WindowTurn): Promise<void> {
    if (turn !== this.#current) return;
    await interrupt({ ...this.#options, pane: this.#pane }, turn, turn.typed ?? this.#text);
    // A prompt that was not answered at all is put back into the box, a moment after Claude is free.
    const isBack = await this.#pane.until(turn.isSilent ? SETTLED_MS : LOOK_MS, (screen) =>
      screenContainsOnly(screen, this.#text),
    );
    if (isBack) await this.#pane.erase((screen) => this.#ready.isOpen(screen));
    turn.end({ outcome: "cancelled" });
    this.#becomeReady();
  }

  /**
   * No hook tells of a turn that was interrupted while no daemon listened, so the screen is watched. A turn at work
   * tells its own end.
   */
  async #watchInterruption(turn: WindowTurn): Promise<void> {
    await this.#options.caughtUp;
    if (!(await isUnseen(this.#options.clock, this.#pane, turn))) return;
    turn.end({ outcome: "cancelled" });
    this.#becomeReady();
  }

  /** No hook tells of a Claude that was killed. */
  #watch(): void {
    if (this.#isGone) return;
    this.#forget = this.#options.clock.after(
      ALIVE_MS,
      () =>
        void this.#checkProcess()
          .then(() => this.#glance())
          .then(() => this.#watch()),
    );
  }

  /**
   * Looks for what no hook tells: an interruption at the terminal, an end that came before anybody listened, or the end
   * of work that is no turn, such as a compaction. While Claude computes, its screen may be out of date.
   */
  async #glance(): Promise<void> {
    if (!this.#isGone) this.#options.onDialogAnswered(await this.asking.takeAnswered());
    if (!this.#isGone)
      await this.untold.check({ inTurn: this.turn !== null, isUnheard: this.#ready.told === "unknown" });
    const turn = this.turn;
    if (this.#isGone || this.#typing !== null || (turn === null ? !this.#ready.mayPass : turn.stopped)) return;
    let isCancelled = false;
    const isOver = async (screen: Screen): Promise<boolean> => {
      if (this.#pane.computes()) return false;
      if (turn === null) return this.#ready.refusalReason(screen) === null;
      // What it shows of an interruption depends on the dialog in which it came; what it writes down does not.
      const isWritten = async (): Promise<boolean> =>
        isAtRest(screen) && turn.promptId !== null && this.#options.wasInterrupted(turn.promptId);
      isCancelled = isInterrupted(screen, turn.typed ?? this.#text) || (await isWritten());
      return isCancelled || (turn === this.#joined && this.#ready.isWaiting(screen));
    };
    if (
      !(await this.#glances.confirm(() => this.#pane.until(LOOK_MS, isOver))) ||
      turn !== this.turn ||
      turn?.stopped === true
    )
      return;
    // What its owner typed is left in the box.
    if (turn?.typed === null && (await this.#pane.until(LOOK_MS, (screen) => screenContainsOnly(screen, this.#text))))
      await this.#pane.erase((screen) => this.#ready.isOpen(screen));
    if (isCancelled) turn?.end({ outcome: "cancelled" });
    else turn?.endUntold();
    this.#options.onDialogAnswered(this.asking.endDialog());
    this.#becomeReady();
  }

  /** The current turn; null if it is over. */
  get turn(): WindowTurn | null {
    return this.#current?.ended === false ? this.#current : null;
  }

  async #checkProcess(): Promise<void> {
    const { table, closed } = this.#options;
    while (this.#closing && isAlive(table, this.process)) await this.#pane.pause(LOOK_MS);
    if (this.#isGone || isAlive(table, this.process)) return;
    this.#isGone = true;
    this.#forget();
    const { end, code } = await closeAfter(this.#options, this.#pane, this.#closing);
    this.#end = end;
    this.#current?.end(this.#end);
    this.#typing?.turn.end(this.#typing.isEntered ? this.#end : outcomeOfUntypedPrompt(this.#end));
    this.between.close();
    await closed(this.#closing ? "stopped" : "exit", code);
    this.#options.onReady();
    this.#gone.resolve();
  }
}

/* What the Claude in a window is told of its world when it is opened or taken up, and whom it tells what of itself. */

interface WindowAgentOptions {
  clock: Clock;
  table: ProcessTable;
  tmux: Tmux;
  window: Window;
  log: JobLog;
  /** The window was there before this daemon. */
  stood: boolean;
  /** Whether a turn with this name of Claude's is on record. */
  isKnown(promptId: string): boolean;
  /** Whether the conversation that it is to resume is recorded nowhere. */
  isLost(): boolean;
  /** Whether Claude has written down that the turn with this name was interrupted. */
  wasInterrupted(promptId: string): Promise<boolean>;
  /** Whether what is typed reaches this Claude, and not the shell from which its owner started it. */
  isReached(): boolean;
  /**
   * What may be erased in its box: prompts that may have been typed without being sent, and what its owner had cleared.
   */
  erasableTexts(): readonly string[];
  /** The permission mode that its thread was last told. */
  mode: string;
  /** Resolves when what its hooks kept while no daemon ran has been heard. */
  caughtUp: Promise<void>;
  /** What it has last said for its status line; null: nothing. */
  statusLine(): StatusLine | null;
  /** Called when something may be typed again. */
  onReady(): void;
  /** Called when what its dialogs asked was answered in them. */
  onDialogAnswered(asked: PayloadOf<"PermissionRequest"> | null): void;
  /** Called with the text of a dialog that no hook told of, for as long as it stands; null: none stands. */
  onDialog(dialog: string | null): void;
  /** Called when it is gone: it ended by itself, or was ended by us. */
  closed(why: "exit" | "stopped", exitCode: number | null): Promise<void>;
}
