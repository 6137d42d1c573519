/**
 * Gateway sessions: what was sent under which number, kept so that a resumed connection gets every missed event,
 * in order and once. A session outlives its socket for a while.
 */
import { randomBytes } from "node:crypto";
import { isBlank, receives } from "./audience.ts";
import type { Json } from "../rest/form.ts";
import { limits } from "../limits.ts";
import type { Dispatch, Context } from "../context.ts";
import type { Line, Payload, Session, SessionStart } from "./session.ts";

export class Sessions {
  readonly #context: () => Context;
  readonly #all = new Map<string, Session>();
  readonly #sent: (payload: Payload, session: Session) => void;

  /** `sent` sees every dispatch as it is numbered, whether or not a socket is there to take it. */
  constructor(context: () => Context, sent: (payload: Payload, session: Session) => void) {
    this.#context = context;
    this.#sent = sent;
  }

  open(start: SessionStart, line: Line): Session {
    const session: Session = { ...start, id: randomBytes(16).toString("hex"), seq: 0, kept: [], line, lostAt: 0 };
    this.#all.set(session.id, session);
    return session;
  }

  get(id: string): Session | undefined {
    this.#forgetOld();
    return this.#all.get(id);
  }

  /** A user's sessions, connected or still resumable. */
  of(userId: string): Session[] {
    return [...this.#all.values()].filter((session) => session.userId === userId);
  }

  /** Sessions with a socket now. */
  connected(): Session[] {
    return [...this.#all.values()].filter((session) => session.line !== null);
  }

  end(session: Session): void {
    this.#all.delete(session.id);
    session.line = null;
  }

  /** The socket went away; the session can be resumed for a while. */
  lose(session: Session): void {
    session.line = null;
    session.lostAt = this.#context().clock.monotonic();
  }

  /** What a client that has seen everything up to `seq` has missed; undefined where that is no longer known. */
  missed(session: Session, seq: number): Payload[] | undefined {
    const first = session.kept[0]?.s ?? session.seq + 1;
    if (seq < first - 1) return undefined;
    return session.kept.filter((payload) => (payload.s ?? 0) > seq);
  }

  /** Sends an event to every session that may receive it. */
  dispatch(event: Dispatch): void {
    const { world } = this.#context();
    this.#forgetOld();
    for (const session of this.#all.values()) {
      if (!receives(world, session, event)) continue;
      const d = typeof event.d === "function" ? event.d(session.userId, isBlank(world, session)) : event.d;
      this.tell(session, event.t, d);
    }
  }

  /** Sends one event to one session. */
  tell(session: Session, t: string, d: Json): void {
    session.seq += 1;
    const payload: Payload = { op: 0, t, s: session.seq, d };
    // The end of one replay is no part of the next.
    if (t !== "RESUMED") session.kept.push(payload);
    if (session.kept.length > limits.sessionBuffer) session.kept.shift();
    this.#sent(payload, session);
    session.line?.send(payload);
  }

  #forgetOld(): void {
    const now = this.#context().clock.monotonic();
    for (const session of this.#all.values()) {
      if (session.line === null && now - session.lostAt > limits.sessionKeptMs) this.#all.delete(session.id);
    }
  }
}
