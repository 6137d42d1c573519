/**
 * The pane in which a Claude runs: what is typed there, and its screen, which is looked at until something is to be
 * seen there, or now and then for what no hook tells.
 */
import { pause, type Clock } from "../../base/clock.ts";
import type { Screen, Tmux } from "../../host/terminal/tmux.ts";
import type { HookPayload, PayloadOf } from "../../protocol/hooks.ts";
import { promptBoxOf } from "./prompt-box.ts";

export const LOOK_MS = 20;
/** No machine is so slow that this would not do. */
const LONGEST_MS = 120_000;
const ERASED_MS = 5_000;
/** How long a dialog takes to be drawn. */
const DRAWN_MS = 2_000;
/** How long one that stood has to be out of sight where an answer comes from elsewhere. */
const AWAY_MS = 300;

export interface WindowPaneOptions {
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
  heard(payload: HookPayload): void {
    this.#glances.heard();
    if (payload.hook_event_name !== "PermissionRequest" || payload.agent_id !== undefined) return;
    [this.#is, this.#asked] = ["asked", payload];
    // It may be answered before it is looked at the next time.
    void this.#pane.until(DRAWN_MS, (seen) => this.#stands(seen)).catch(() => undefined);
  }

  /** Looks once; what was asked in a dialog that is over, once for each. */
  async answered(): Promise<PayloadOf<"PermissionRequest"> | null> {
    if (this.#is === "none") return null;
    if (!(await this.#glances.confirm(() => this.#pane.until(LOOK_MS, (seen) => this.#isOver(seen))))) return null;
    this.#is = "none";
    return this.#asked;
  }

  /** Its turn was interrupted, whether its dialog was ever seen or not. */
  over(): PayloadOf<"PermissionRequest"> | null {
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
    return !this.#stands(seen) && this.#is === "stands" && box?.whole === true && box.text === "";
  }

  #stands(seen: Screen): boolean {
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
  heard(): void {
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
