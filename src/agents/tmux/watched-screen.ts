/** Looks at the screen of Claude's window: until something is to be seen there, or now and then for what no hook tells. */
import type { Clock } from "../../base/clock.ts";
import type { Screen, Tmux } from "../../host/terminal/tmux.ts";
import { promptBoxOf } from "./prompt-box.ts";

export const LOOK_MS = 20;
const ERASED_MS = 5_000;

export class WatchedScreen {
  readonly #window: { clock: Clock; tmux: Tmux; pane_id: string };
  readonly #isGone: () => boolean;

  constructor(window: { clock: Clock; tmux: Tmux; pane_id: string }, isGone: () => boolean) {
    this.#window = window;
    this.#isGone = isGone;
  }

  /** Looks until the fact is true; false if it is not in that time. */
  async until(ms: number, fact: (screen: Screen) => boolean | Promise<boolean>): Promise<boolean> {
    const { clock, tmux, pane_id } = this.#window;
    for (const from = clock.monotonic(); !this.#isGone() && clock.monotonic() - from < ms; await this.pause(LOOK_MS)) {
      const screen = await tmux.screen(pane_id);
      if (screen === null || screen.dead) return false;
      if (await fact(screen)) return true;
    }
    return false;
  }

  /** Clears the prompt box. @param isOpen whether a key is pressed there now */
  erase(isOpen: (screen: Screen) => boolean): Promise<boolean> {
    const { tmux, pane_id } = this.#window;
    return this.until(ERASED_MS, async (screen) => {
      const box = promptBoxOf(screen);
      if (box?.text === "") return true;
      if (box !== null && isOpen(screen)) await tmux.erase(pane_id);
      return false;
    });
  }

  pause(ms: number): Promise<void> {
    return new Promise((resolve) => void this.#window.clock.after(ms, resolve));
  }
}

/** A screen is drawn a moment after its program has moved on: what it shows counts when it was seen twice, and no hook came meanwhile. */
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
