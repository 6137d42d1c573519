/**
 * Whether a Claude in a window can be given a prompt, as its hooks tell it and its screen shows it, and whether it has
 * become free since it was last refused one. Knows no time and types nothing.
 */
import type { TerminalReason } from "../../core/projects/checkout.ts";
import type { Screen } from "../../host/terminal/tmux.ts";
import { promptBoxOf } from "./prompt-box.ts";

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

  rest(): void {
    this.rests += 1;
    this.told = "ready";
    this.hasDialog = false;
  }

  works(): void {
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
  reason(screen: Screen): TerminalReason | null {
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
    return screen.inMode && [null, "draft"].includes(this.reason({ ...screen, inMode: false }));
  }

  /** Whether keys go to the prompt box, as far as anybody has told. */
  isOpen(screen: Screen): boolean {
    return !this.hasDialog && !screen.dead && !screen.inMode && this.#isReached();
  }

  /** Whether it is seen to wait for a prompt. */
  waits(screen: Screen): boolean {
    const box = promptBoxOf(screen);
    return this.isOpen(screen) && box?.whole === true && !box.busy;
  }

  /**
   * A prompt was refused.
   * @param passes whether that may be over without a hook
   * @param rests how often it had become free when it was looked at
   */
  refused(passes: boolean, rests = this.rests): void {
    this.#refusedAt = rests;
    this.#passes = passes;
  }

  /**
   * What was typed could not be seen. It is tried only once more by itself: a terminal that cannot show it never will.
   */
  unseen(text: string): void {
    this.#passes &&= this.#unseen !== text;
    this.#unseen = text;
  }
}
