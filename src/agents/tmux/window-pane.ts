/**
 * The pane in which a Claude runs: what is typed there, and its screen, which is looked at until something is to be
 * seen there, or now and then for what no hook tells.
 */
import { pause, type Clock } from "../../base/clock.ts";
import type { Screen, Tmux, VisibleLines } from "../../host/terminal/tmux.ts";
import type { HookPayload, PayloadOf } from "../../protocol/hooks.ts";
import { promptBoxOf, askedText, draftIn, screenText, dialogText } from "./prompt-box.ts";
import { theirWords, type ErrorDetails } from "../../base/errors.ts";
import { oneLine } from "../../base/text.ts";
import type { TerminalReason } from "../../core/projects/checkout.ts";
import type { Window } from "../../core/sessions/windows.ts";
import { attachToWindow } from "../contract/found-agents.ts";
import type { Outcome } from "../contract/updates.ts";

export const LOOK_MS = 20;
/** No machine is so slow that this would not do. */
const LONGEST_MS = 120_000;
const ERASED_MS = 5_000;
/** How long a dialog takes to be drawn. */
const DRAWN_MS = 2_000;
/** How long one that stood has to be out of sight where an answer comes from elsewhere. */
const AWAY_MS = 300;

interface WindowPaneOptions {
  clock: Clock;
  tmux: Tmux;
  pane_id: string;
  /** Whether its Claude is gone: then it is not looked at any more. */
  isGone(): boolean;
  /** Whether its Claude uses the processor now, or waits for it. */
  computes(): boolean;
}

export class WindowPane {
  readonly #options: WindowPaneOptions;

  constructor(options: WindowPaneOptions) {
    this.#options = options;
  }

  /** Null if the pane is not there any more. */
  screen(): Promise<Screen | null> {
    return this.#options.tmux.screen(this.#options.pane_id);
  }

  /** Whether nothing runs there any more. */
  async isClosed(): Promise<boolean> {
    return (await this.screen())?.dead !== false;
  }

  /** Looks until the fact is true; false if it is not in that time. */
  async until(ms: number, fact: (screen: Screen) => boolean | Promise<boolean>): Promise<boolean> {
    const { clock, isGone } = this.#options;
    for (const from = clock.monotonic(); !isGone() && clock.monotonic() - from < ms; await this.pause(LOOK_MS)) {
      const screen = await this.screen();
      if (screen === null || screen.dead) return false;
      if (await fact(screen)) return true;
    }
    return false;
  }

  /**
   * The same, but the time does not pass while Claude computes, or waits for the processor: on a slow machine it draws
   * late what it was given.
   * @param progress the time begins anew when this changes
   */
  async patiently(
    ms: number,
    fact: (screen: Screen) => boolean | Promise<boolean>,
    progress: (screen: Screen) => string = () => "",
  ): Promise<boolean> {
    const { clock } = this.#options;
    let [waited, last, seen, isSo] = [0, clock.monotonic(), "", false];
    await this.until(LONGEST_MS, async (screen) => {
      const [before, drawn] = [last, progress(screen)];
      last = clock.monotonic();
      if (drawn !== seen) waited = 0;
      else if (!this.computes()) waited += last - before;
      seen = drawn;
      isSo = await fact(screen);
      return isSo || waited >= ms;
    });
    return isSo;
  }

  computes(): boolean {
    return this.#options.computes();
  }

  write(bytes: string): Promise<boolean> {
    return this.#options.tmux.write(this.#options.pane_id, bytes);
  }

  press(key: "Enter" | "Escape"): Promise<boolean> {
    return this.#options.tmux.press(this.#options.pane_id, key);
  }

  leaveMode(): Promise<void> {
    return this.#options.tmux.leaveMode(this.#options.pane_id);
  }

  /** Clears the prompt box. @param isOpen whether a key may be pressed there now */
  erase(isOpen: (screen: Screen) => boolean): Promise<boolean> {
    const { tmux, pane_id } = this.#options;
    const erased = async (screen: Screen): Promise<boolean> => {
      const box = promptBoxOf(screen);
      if (box?.text === "") return true;
      if (box !== null && isOpen(screen)) await tmux.erase(pane_id);
      return false;
    };
    return this.patiently(ERASED_MS, erased, inBox);
  }

  pause(ms: number): Promise<void> {
    return pause(this.#options.clock, ms);
  }
}

/** What stands in the prompt box, as far as it is visible. */
export function inBox(screen: Screen): string {
  return promptBoxOf(screen)?.text ?? "";
}

/**
 * Notices that what Claude asks was answered at the terminal while what was allowed there still runs, which no hook
 * tells: its dialog was seen, and is not there any more. While its owner types, Claude holds a dialog back.
 */
export class AskingDialog {
  #is: "none" | "asked" | "stands" = "none";
  #asked: PayloadOf<"PermissionRequest"> | null = null;
  readonly #glances = new Glances();
  readonly #pane: WindowPane;

  constructor(pane: WindowPane) {
    this.#pane = pane;
  }

  /** A hook came. What a subagent asks may have no dialog. */
  recordHook(payload: HookPayload): void {
    this.#glances.reset();
    if (payload.hook_event_name !== "PermissionRequest" || payload.agent_id !== undefined) return;
    [this.#is, this.#asked] = ["asked", payload];
    // It may be answered before it is looked at the next time.
    void this.#pane.until(DRAWN_MS, (seen) => this.#isDialogShown(seen)).catch(() => undefined);
  }

  /** Looks once; what was asked in a dialog that is over, once for each. */
  async takeAnswered(): Promise<PayloadOf<"PermissionRequest"> | null> {
    if (this.#is === "none") return null;
    if (!(await this.#glances.confirm(() => this.#pane.until(LOOK_MS, (seen) => this.#isOver(seen))))) return null;
    this.#is = "none";
    return this.#asked;
  }

  /** Its turn was interrupted, whether its dialog was ever seen or not. */
  endDialog(): PayloadOf<"PermissionRequest"> | null {
    const asked = this.#is === "none" ? null : this.#asked;
    this.#is = "none";
    return asked;
  }

  /** Whether a hook has told of the dialog that stands, or stood last. */
  get isTold(): boolean {
    return this.#is !== "none";
  }

  /** Looks until it is seen to stand, or long enough not to. */
  async isOutOfSight(): Promise<boolean> {
    if (this.#is !== "stands") return false;
    let isOver = false;
    await this.#pane.until(AWAY_MS, (seen) => {
      isOver = this.#isOver(seen);
      return !isOver;
    });
    return isOver;
  }

  #isOver(seen: Screen): boolean {
    const box = promptBoxOf(seen);
    return !this.#isDialogShown(seen) && this.#is === "stands" && box?.whole === true && box.text === "";
  }

  #isDialogShown(seen: Screen): boolean {
    const isShown = promptBoxOf(seen) === null;
    if (isShown && this.#is === "asked") this.#is = "stands";
    return isShown;
  }
}

/**
 * A screen is drawn a moment after its program has moved on: what it shows counts when it was seen twice, and no hook
 * came meanwhile.
 */
export class Glances {
  #hooks = 0;
  #since = 0;
  #times = 0;

  /** A hook came: what was seen before is out of date. */
  reset(): void {
    this.#hooks += 1;
  }

  /** @param isSo looks once; not asked while hooks come */
  async confirm(isSo: () => Promise<boolean>): Promise<boolean> {
    const hooks = this.#hooks;
    const isQuiet = hooks === this.#since;
    this.#since = hooks;
    this.#times = isQuiet && (await isSo()) ? this.#times + 1 : 0;
    return this.#times >= 2 && hooks === this.#hooks;
  }
}

/* How a turn ends whose window, or Claude, is gone, or takes no prompt now. */

/** Of what Claude said at its end. */
const SAID_CHARS = 400;

interface Ended {
  tmux: Tmux;
  window: Window;
  /** Whether what it is to resume is recorded nowhere. */
  isLost(): boolean;
}

export function failedOutcome(details: ErrorDetails): Outcome {
  return { outcome: "failed", code: "E_CLI_EXIT_NONZERO", details: { tool: "tmux", ...details } };
}

/**
 * What its last screen tells of its end, which may be nothing.
 * @param screen null: it cannot be seen any more
 * @param code Claude's exit code, if it is known
 * @param isLost what it was to resume is recorded nowhere
 */
export function endOf(screen: VisibleLines | null, code: number | null, isLost: boolean): Outcome {
  // One that was killed has left its prompt box as it was.
  const said = screen === null || (code === null && promptBoxOf(screen) !== null) ? "" : lastWords(screen);
  const last: ErrorDetails = said === "" ? { because: "why_window_closed" } : { reason: theirWords(said) };
  if (isLost || /No conversation found with session ID/i.test(said))
    return { outcome: "failed", code: "E_RESUME_UNKNOWN", details: { resume: "unknown", session: "-", ...last } };
  return {
    outcome: "failed",
    code: "E_CLI_EXIT_NONZERO",
    details: { tool: "tmux", ...last, ...(code !== null && { exit_code: code }) },
  };
}

/**
 * Closes the window after its Claude, and tells what it showed last. After the end of an adopted Claude, its pane shows
 * what is the owner's own.
 */
export async function closeAfter(
  { tmux, window, isLost }: Ended,
  pane: WindowPane,
  isClosing: boolean,
): Promise<{ end: Outcome; code: number | null }> {
  const screen = window.adopted ? null : await pane.screen();
  const code = screen?.exit_code ?? null;
  if (!window.adopted) await tmux.close(window);
  return { end: endOf(screen, code, !isClosing && isLost()), code };
}

/** What is told of the screen, by why nothing can be typed. */
const TOLD: Partial<Record<TerminalReason, (screen: Screen) => string | null>> = {
  start: askedText,
  hidden: askedText,
  draft: draftIn,
};

/** The job goes back to its queue. */
export async function terminalBusyOutcome(reason: TerminalReason, window: Window, pane: WindowPane): Promise<Outcome> {
  const screen = TOLD[reason] && (await pane.screen());
  const told = screen && TOLD[reason]?.(screen);
  return {
    outcome: "failed",
    code: "E_TERMINAL_BUSY",
    details: { terminal: reason, attach: attachToWindow(window), ...(told && { screen: told }) },
  };
}

/** The end of a turn whose prompt was not typed: it is typed in the next window. */
export function outcomeOfUntypedPrompt(end: Outcome): Outcome {
  return end.outcome === "failed" && end.code === "E_CLI_EXIT_NONZERO"
    ? { ...end, details: { ...end.details, temporary: true } }
    : end;
}

/** The last lines, below what could be chosen. */
function lastWords(screen: VisibleLines): string {
  const lines = screenText(screen)
    .split("\n")
    .filter((line) => /\p{L}/u.test(line) && !line.startsWith("Pane is dead"));
  const below = lines.slice(lines.findLastIndex((line) => line.includes("❯")) + 1).map((line) => line.trim());
  while (below.length > 1 && below.join(" ").length > SAID_CHARS) below.shift();
  return oneLine(below.join(" "), SAID_CHARS);
}

/*
 * Whether a Claude in a window can be given a prompt, as its hooks tell it and its screen shows it, and whether it has
 * become free since it was last refused one. Knows no time and types nothing.
 */

export class Readiness {
  /** Whether it waits for a prompt, as its last hook told; `unknown`: no hook has told since this daemon listens. */
  told: "starting" | "ready" | "works" | "unknown";
  /** A hook has told that it asks something, and none that this is over. */
  hasDialog = false;
  /** How often it has become free for a prompt, and that number when a prompt was last refused. */
  rests = 0;
  #refusedAt = 0;
  #passes = false;
  /** The prompt that was last typed without being seen in the box. */
  #unseen: string | null = null;
  readonly #isReached: () => boolean;

  /** @param isReached whether what is typed reaches this Claude */
  constructor(told: "starting" | "unknown", isReached: () => boolean) {
    this.told = told;
    this.#isReached = isReached;
  }

  becomeReady(): void {
    this.rests += 1;
    this.told = "ready";
    this.hasDialog = false;
  }

  becomeBusy(): void {
    this.told = "works";
    this.hasDialog = false;
  }

  /** Whether it has become free since a prompt was last refused. */
  get wasFreed(): boolean {
    return this.rests > this.#refusedAt;
  }

  /** Whether a prompt waits, and what it waits for may end without a hook. */
  get mayPass(): boolean {
    return this.#passes && !this.wasFreed;
  }

  /** Why nothing may be typed now; null: it may. */
  refusalReason(screen: Screen): TerminalReason | null {
    if (this.hasDialog) return "dialog";
    if (!this.#isReached()) return "hidden";
    if (screen.inMode) return "mode";
    const box = promptBoxOf(screen);
    if (box === null || !box.whole) return "hidden";
    if (this.told === "works" || box.busy) return "busy";
    return box.text === "" ? null : "draft";
  }

  /** Whether nothing but copy mode or the like is in the way, or a text in the box besides. */
  isOnlyInMode(screen: Screen): boolean {
    return screen.inMode && [null, "draft"].includes(this.refusalReason({ ...screen, inMode: false }));
  }

  /** Whether keys go to the prompt box, as far as anybody has told. */
  isOpen(screen: Screen): boolean {
    return !this.hasDialog && !screen.dead && !screen.inMode && this.#isReached();
  }

  /** Whether it is seen to wait for a prompt. */
  isWaiting(screen: Screen): boolean {
    const box = promptBoxOf(screen);
    return this.isOpen(screen) && box?.whole === true && !box.busy;
  }

  /**
   * A prompt was refused.
   * @param passes whether that may be over without a hook
   * @param rests how often it had become free when it was looked at
   */
  recordRefusal(passes: boolean, rests = this.rests): void {
    this.#refusedAt = rests;
    this.#passes = passes;
  }

  /**
   * What was typed could not be seen. It is tried only once more by itself: a terminal that cannot show it never will.
   */
  recordUnseen(text: string): void {
    this.#passes &&= this.#unseen !== text;
    this.#unseen = text;
  }
}

/*
 * A dialog that stands on the screen of a Claude and of which no hook has told, as far as is known: its hook could not
 * reach a daemon, or is gone. It counts when it has stood for a while, because a hook may be late.
 */

/** So often the same was seen, a second apart. */
const SURE = 5;
/** How often one that was taken up is looked at before any hook has come. */
const FIRST_LOOKS = 15;

export class UntoldDialog {
  readonly #pane: WindowPane;
  readonly #asking: AskingDialog;
  readonly #onDialog: (dialog: string | null) => void;
  #seen: { text: string | null; times: number } = { text: null, times: 0 };
  /** It was told, and not its end. */
  #stood = false;
  #first = FIRST_LOOKS;

  constructor(pane: WindowPane, asking: AskingDialog, stands: (dialog: string | null) => void) {
    [this.#pane, this.#asking, this.#onDialog] = [pane, asking, stands];
  }

  /**
   * Whoever sits there opens dialogs too: only one in a turn, or one that stood there before this daemon, is Claude's.
   */
  async check({ inTurn, isUnheard }: { inTurn: boolean; isUnheard: boolean }): Promise<void> {
    if (!inTurn && this.#first > 0) this.#first -= 1;
    if (!inTurn && !this.#stood && !(isUnheard && this.#first > 0)) return;
    const now = this.#asking.isTold ? null : await this.#now();
    if (now === undefined) return;
    this.#seen = { text: now, times: now === this.#seen.text ? this.#seen.times + 1 : 1 };
    if (this.#seen.times < (now === null ? 2 : SURE)) return;
    if (now === null && !this.#stood) return;
    this.#stood = now !== null;
    this.#onDialog(now);
  }

  /** Null: there is none; undefined: that is not sure now. */
  async #now(): Promise<string | null | undefined> {
    const screen = await this.#pane.screen();
    return screen === null || screen.dead || screen.inMode || this.#pane.computes() ? undefined : dialogText(screen);
  }

  /** Presses Escape in the dialog that stands, if this is what it asks. */
  async refuse(isIt: (text: string) => boolean): Promise<boolean> {
    const screen = await this.#pane.screen();
    const text = screen === null || screen.dead || screen.inMode ? null : dialogText(screen);
    return text !== null && isIt(text) && this.#pane.press("Escape");
  }
}
