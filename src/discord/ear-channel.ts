/**
 * One session's thread as the ear knows it: how far it is caught up, what came in between, and in which order its
 * messages pass the door. Losing all of it costs a read, never a message.
 */
import { InOrder } from "./in-order.ts";
import type { Page } from "./recheck.ts";

export interface Channel {
  readonly id: string;
  /** What the gateway brings is heard as it comes. */
  caughtUp: boolean;
  /** The gateway brought something while we were reading: read once more before believing we are caught up. */
  more: boolean;
  /** `failed`: Discord would not let us read; the next connection or message asks again. */
  is: "idle" | "in line" | "being read" | "failed";
  /** The connection was lost for a while: what waits in the queue is looked up again. */
  recheck: boolean;
  /** Queued messages still to be looked up, oldest first; null: not begun. */
  unchecked: string[] | null;
  /** Pages that were read for the queue's sake and serve the reading back too, one beginning where the last one ends. */
  ahead: Page[];
  /** Told by the gateway while we were reading: what messages say now, null where they were deleted. */
  readonly changed: Map<string, string | null>;
  /** Handled since the watermark last moved, while caught up. */
  above: Set<string>;
  readonly order: InOrder;
}

export function newChannel(id: string): Channel {
  return {
    id,
    caughtUp: false,
    more: false,
    is: "idle",
    recheck: false,
    unchecked: null,
    ahead: [],
    changed: new Map(),
    above: new Set(),
    order: new InOrder(),
  };
}
