/**
 * What starting a sandbox takes and gives. The types other code is written against.
 */
import type { Clock } from "./clock.ts";
import type { UserActor } from "./actors/user-actor.ts";
import type { FaultControl } from "./faults/faults.ts";
import type { Exchange } from "./context.ts";
import type { Settings } from "./state/settings.ts";
import type { WorldView } from "./state/world-view.ts";

export interface SandboxOptions {
  /** Default 0: any free port. */
  port?: number;
  /** Where the world is kept between runs (0600, attachments beside it); without it, in memory. */
  file?: string;
  /** Static files served at `/` in place of the package's own page. */
  pageDir?: string;
  /** What a new world calls its server and its bot; by default "Sandbox" and "bot". */
  names?: { guild: string; bot: string };
  /** Another sandbox: its owner owns this new world too, and no other id of it is used here. */
  beside?: { owner: { id: string } };
  clock?: Clock;
  /** `session_start_limit.max_concurrency`, default 16. */
  maxConcurrency?: number;
  /** IDENTIFYs a day, default 1000. */
  identifyTotal?: number;
  /** Default 41250. */
  heartbeatMs?: number;
  /** Other rate limits by operationId. */
  buckets?: Record<string, { limit: number; perMs: number }>;
  /** Every exchange once it is over, and every gateway payload as it is numbered. */
  observe?: {
    exchange?(exchange: Exchange): void;
    dispatch?(dispatch: { op: number; t: string | null; d: unknown; s: number | null; to: "bot" | "user" }): void;
  };
}

export interface Sandbox extends WorldView, Settings {
  /** `http://127.0.0.1:PORT`. */
  readonly url: string;
  /** The base address of the REST API; clients append `/v10/…`. */
  readonly api: string;
  /** Opens the page as the owner. */
  readonly link: string;
  /** For the header `x-sandbox-control` of `/control/…`. */
  readonly controlToken: string;
  readonly botToken: string;
  readonly applicationId: string;
  readonly owner: { id: string; token: string };
  channel(id: string): { user(userId: string): UserActor };
  /** Resolves with the first value that is neither undefined nor false, looked at after every change. Never by time. */
  until<T>(fact: (world: WorldView) => T | undefined | false): Promise<T>;
  readonly faults: FaultControl;
  /** Ends every connection and saves. */
  close(): Promise<void>;
}
