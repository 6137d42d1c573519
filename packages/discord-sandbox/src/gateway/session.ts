/**
 * A gateway session and the socket that may be under it: the shapes, without what is done with them.
 */
export interface Payload {
  op: number;
  t: string | null;
  s: number | null;
  d: unknown;
}

/** Where a session's payloads go while it is connected. */
export interface Line {
  send(payload: Payload): void;
  close(code: number, reason: string): void;
}

/** A socket, as faults see it. */
export interface Connection extends Line {
  readonly session: Session | null;
  /** Sends past every fault. */
  sendNow(payload: Payload): void;
  /** Closes without blaming anybody. */
  drop(code: number, reason: string): void;
  /** Sends this text as it is. */
  say(frame: string): void;
  /** Cuts the socket in the middle of a frame. */
  breakOff(): void;
  /** Cuts the socket without a closing handshake. */
  cut(): void;
}

export interface Session {
  readonly id: string;
  readonly userId: string;
  readonly isBot: boolean;
  readonly intents: number;
  readonly shard: readonly [id: number, count: number];
  /** The language the client has said it is in; interactions begun in it carry it. */
  readonly locale: string;
  seq: number;
  /** Dispatches still kept for a resume, oldest first. */
  kept: Payload[];
  line: Line | null;
  /** When its socket went away, on the monotonic clock. */
  lostAt: number;
}

export interface SessionStart {
  userId: string;
  isBot: boolean;
  intents: number;
  shard: readonly [id: number, count: number];
  locale: string;
}
