/**
 * Ends a turn of a Claude in a window by Escape. Claude may lose one that comes while it begins with a prompt, and its
 * screen is drawn a moment after: the key is pressed again while it is seen to work, and Claude counts as free when
 * it was seen to wait for a while.
 */
import type { Clock } from "../../base/clock.ts";
import { isInterrupted, promptBoxOf } from "./prompt-box.ts";
import type { WindowTurn } from "./turn.ts";
import type { WindowPane } from "./window-pane.ts";

const AGAIN_MS = 1_000;
const LONGEST_MS = 10_000;
/** How long it has to be seen to wait: where it says that it was interrupted, and where only nothing is at work. */
const FREE_MS = { said: 200, silent: 5_000 } as const;
/** A turn that began under an earlier daemon is over when the screen has shown nothing of it for this long. */
const UNSEEN_MS = 3_000;
const LOOKED_MS = 8_000;

export interface Interrupted {
  clock: Clock;
  pane: WindowPane;
  /** What is typed goes to this Claude. */
  isReached(): boolean;
}

/** @param text of the turn's prompt. Resolves when Claude waits, or does not in time. */
export async function interrupt(
  { clock, pane, isReached }: Interrupted,
  turn: WindowTurn,
  text: string,
): Promise<void> {
  const never = Number.NEGATIVE_INFINITY;
  let pressed = never;
  let worked = never;
  await pane.until(LONGEST_MS, async (seen) => {
    const now = clock.monotonic();
    if (turn.ended || !isReached()) return true;
    const isBusy = promptBoxOf(seen)?.busy !== false;
    if (pressed === never || (isBusy && now - pressed >= AGAIN_MS)) {
      await pane.press("Escape");
      [pressed, worked] = [now, now];
    } else if (isBusy) worked = now;
    return now - worked >= (isInterrupted(seen, text) ? FREE_MS.said : FREE_MS.silent);
  });
}

/** Whether nothing is to be seen of a turn that an earlier daemon left. */
export async function isUnseen(clock: Clock, pane: WindowPane, turn: WindowTurn): Promise<boolean> {
  let since = clock.monotonic();
  let isOver = false;
  await pane.until(LOOKED_MS, (screen) => {
    const box = promptBoxOf(screen);
    if (turn.ended || box === null || box.busy) return true;
    if (!box.whole) since = clock.monotonic();
    return (isOver = clock.monotonic() - since >= UNSEEN_MS);
  });
  return isOver;
}
