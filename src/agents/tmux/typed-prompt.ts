/**
 * A prompt on its way into Claude's window: it is typed, submitted when the box shows it whole, and taken out of the
 * box again where Claude does not take it. While Claude computes or its screen changes, it is waited for: a machine may
 * be slow.
 */
import type { Screen } from "../../host/terminal/tmux.ts";
import type { Outcome } from "../contract/updates.ts";
import { holds, promptBoxOf, shows } from "./prompt-box.ts";
import type { WindowTurn } from "./turn.ts";
import { isWithin, keysFor } from "./typed-text.ts";
import { inBox, type WindowPane } from "./window-pane.ts";

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
  /** Enter was pressed, so that Claude may have it. */
  #isEntered = false;
  #isTold = false;
  /** Claude was given it together with something else. */
  #isMixed = false;

  constructor(place: TypingPlace, turn: WindowTurn, text: string) {
    this.#place = place;
    this.turn = turn;
    this.text = text;
  }

  get isEntered(): boolean {
    return this.#isEntered;
  }

  /** A hook has told that Claude took it. */
  taken(): void {
    this.#isTold = true;
    this.#taken.resolve();
  }

  /** A hook has told of another prompt. */
  another(prompt: string): void {
    this.#isMixed ||= isWithin(this.text, prompt);
  }

  /** Resolves with null when Claude has taken it, else with the end of its turn. */
  async submit(): Promise<Outcome | null> {
    const { pane } = this.#place;
    await pane.write(keysFor(this.text));
    const isShown = await pane.patiently(
      SHOWN_MS,
      (screen) => this.#isTold || this.#isMixed || this.#stands(screen),
      inBox,
    );
    // Its owner, who sits there, may have pressed Enter.
    if (this.#isTold) return null;
    if (this.#isMixed) return NOT_TAKEN;
    if (!isShown || this.turn.stopped) return this.#takeBack();
    this.#isEntered = true;
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
    if (await Promise.race([this.#taken.promise.then(() => true), pane.pause(TAKEN_MS / 5).then(() => false)]))
      return true;
    if (await this.#willBeTold(TAKEN_MS / 5)) return true;
    const screen = await pane.screen();
    if (screen !== null && this.#stands(screen)) await pane.press("Enter");
    return this.#willBeTold((TAKEN_MS * 3) / 5);
  }

  /** Claude's hooks may be late while it is seen to work. */
  #willBeTold(ms: number): Promise<boolean> {
    return this.#place.pane.patiently(
      ms,
      () => this.#isTold,
      ({ lines }) => lines.join("\n"),
    );
  }

  #stands(screen: Screen): boolean {
    return this.#place.isOpen(screen) && shows(screen, this.text);
  }

  async #takeBack(): Promise<Outcome | null> {
    const { pane, isOpen, refused } = this.#place;
    const isClear = await pane.erase((screen) => isOpen(screen));
    // The box is empty too where Enter has come through before the keys that erase.
    if (this.#isTold || (this.#isEntered && (await this.#willBeTold(TAKEN_MS)))) return null;
    if (this.turn.stopped) return { outcome: "cancelled" };
    return isClear || (!this.#isEntered && (await pane.isClosed())) ? refused() : NOT_TAKEN;
  }
}
