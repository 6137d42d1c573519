/**
 * A prompt on its way into Claude's window: it is typed, submitted when the box shows it whole, and taken out of the box
 * again where Claude does not take it.
 */
import type { Screen } from "../../host/terminal/tmux.ts";
import type { Outcome } from "../contract/updates.ts";
import { holds, promptBoxOf, shows } from "./prompt-box.ts";
import type { WindowTurn } from "./turn.ts";
import { keysFor } from "./typed-text.ts";
import type { WindowPane } from "./window-pane.ts";

const SHOWN_MS = 5_000;
const TAKEN_MS = 10_000;

const NOT_TAKEN: Outcome = { outcome: "failed", code: "E_PROMPT_NOT_TAKEN", details: {} };

export interface TypingPlace {
  pane: WindowPane;
  /** Whether what is typed goes into the prompt box. */
  isOpen(screen: Screen): boolean;
  /** How its turn ends when the box is clear again: the job goes back to its queue. */
  refused(): Promise<Outcome>;
}

export class TypedPrompt {
  readonly turn: WindowTurn;
  readonly text: string;
  readonly #place: TypingPlace;
  readonly #taken = Promise.withResolvers<void>();

  constructor(place: TypingPlace, turn: WindowTurn, text: string) {
    this.#place = place;
    this.turn = turn;
    this.text = text;
  }

  /** A hook has told that Claude took it. */
  taken(): void {
    this.#taken.resolve();
  }

  /** Resolves with null when Claude has taken it, else with the end of its turn. */
  async submit(): Promise<Outcome | null> {
    const { pane } = this.#place;
    await pane.write(keysFor(this.text));
    const isShown = await pane.until(SHOWN_MS, (screen) => this.#stands(screen));
    if (!isShown || this.turn.stopped) return this.#takeBack();
    await pane.press("Enter");
    if (await this.#isTaken()) return null;
    // Nobody knows whether it was taken, unless it still stands there.
    const screen = await pane.screen();
    const box = screen === null ? null : promptBoxOf(screen);
    return box !== null && holds(box, this.text) ? this.#takeBack() : NOT_TAKEN;
  }

  /** Enter once more, if it was lost and nothing but the prompt can take it. */
  async #isTaken(): Promise<boolean> {
    const { pane } = this.#place;
    const within = (ms: number): Promise<boolean> => Promise.race([this.#taken.promise.then(() => true), pane.pause(ms).then(() => false)]);
    if (await within(TAKEN_MS / 5)) return true;
    const screen = await pane.screen();
    if (screen !== null && this.#stands(screen)) await pane.press("Enter");
    return within((TAKEN_MS * 4) / 5);
  }

  #stands(screen: Screen): boolean {
    return this.#place.isOpen(screen) && shows(screen, this.text);
  }

  async #takeBack(): Promise<Outcome> {
    const { pane, isOpen, refused } = this.#place;
    const isClear = await pane.erase((screen) => isOpen(screen));
    if (this.turn.stopped) return { outcome: "cancelled" };
    return isClear ? refused() : NOT_TAKEN;
  }
}
