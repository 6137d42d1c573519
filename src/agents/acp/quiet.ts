/** Ends a turn that the agent began by itself, when nothing of it is open and nothing has come for a while. */
import type { Clock } from "../../base/clock.ts";
import type { AcpTurn } from "./turn.ts";

const QUIET_MS = 10_000;
/** The same, once the agent was asked to end it, or a prompt waits for that. */
const SOON_MS = 1_000;

/** @returns shortens the quiet that is waited for; there is one watch, however often it is called */
export function watchQuiet(clock: Clock, turn: AcpTurn, finish: () => void): () => void {
  let limit = QUIET_MS;
  let forget = (): void => undefined;
  const look = (): void => {
    forget();
    if (turn.ended) return;
    const isOpen = !turn.stopped && (turn.asks || turn.openTools.size > 0);
    const left = isOpen ? limit : turn.heardAt() + limit - clock.monotonic();
    if (left <= 0) return finish();
    forget = clock.after(left, look);
  };
  void turn.over.then(() => forget());
  look();
  return () => {
    limit = SOON_MS;
    look();
  };
}
