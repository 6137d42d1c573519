/**
 * A dialog that stands on the screen of a Claude and of which no hook has told, as far as is known: its hook could not
 * reach a daemon, or is gone. It counts when it has stood for a while, because a hook may be late.
 */
import { dialogText } from "./prompt-box.ts";
import type { AskingDialog, WindowPane } from "./window-pane.ts";

/** So often the same was seen, a second apart. */
const SURE = 5;
/** How often one that was taken up is looked at before any hook has come. */
const FIRST_LOOKS = 15;

export class UntoldDialog {
  readonly #pane: WindowPane;
  readonly #asking: AskingDialog;
  readonly #stands: (dialog: string | null) => void;
  #seen: { text: string | null; times: number } = { text: null, times: 0 };
  /** It was told, and not its end. */
  #stood = false;
  #first = FIRST_LOOKS;

  constructor(pane: WindowPane, asking: AskingDialog, stands: (dialog: string | null) => void) {
    [this.#pane, this.#asking, this.#stands] = [pane, asking, stands];
  }

  /**
   * Whoever sits there opens dialogs too: only one in a turn, or one that stood there before this daemon, is Claude's.
   */
  async look({ inTurn, isUnheard }: { inTurn: boolean; isUnheard: boolean }): Promise<void> {
    if (!inTurn && this.#first > 0) this.#first -= 1;
    if (!inTurn && !this.#stood && !(isUnheard && this.#first > 0)) return;
    const now = this.#asking.isTold ? null : await this.#now();
    if (now === undefined) return;
    this.#seen = { text: now, times: now === this.#seen.text ? this.#seen.times + 1 : 1 };
    if (this.#seen.times < (now === null ? 2 : SURE)) return;
    if (now === null && !this.#stood) return;
    this.#stood = now !== null;
    this.#stands(now);
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
