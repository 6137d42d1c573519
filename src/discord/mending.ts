/**
 * One post that is being put right, and the tools that takes: what the writer and its fallbacks hand each other.
 */
import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import type { Locale } from "../base/words/say.ts";
import type { Place } from "../core/thread.ts";
import type { Engine } from "../engine/engine.ts";
import type { Desk, Memory } from "./desk.ts";
import type { Lane, Owed } from "./owed.ts";
import type { Rest } from "./rest.ts";

export interface Mending {
  owed: Owed;
  desk: Desk;
  /** Of the most urgent post that waits behind this one, where that is more urgent than its own. */
  lane: Lane;
  memory: Memory;
}

/** Where a thread's posts go now. */
export interface Spot {
  place: Place;
  channelId: string;
}

export interface Tools {
  engine: Engine;
  rest: Rest;
  clock: Clock;
  log: Log;
  botId: string;
  ownerId: string;
  locale: Locale;
  /** Between two edits of one growing message, in milliseconds. */
  editIntervalMs(): number;
  /** Has the desk look again in `ms`; 0: next. */
  lookLater(desk: Desk, ms: number): void;
}
