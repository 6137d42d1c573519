/**
 * The gateway's protocol, without socket or clock: what each frame, close and silence means and what to do next
 * (Discord, events/gateway: connections, resuming, close codes). Separate so that every order of events can be tested
 * in a table. A session ends only when Discord itself says that it is gone.
 */
import { GatewayOpcodes as Op } from "discord-api-types/v10";
import { BellhopError, type ErrorDetails } from "../../../base/errors.ts";
import { uptime } from "node:os";
import type { Clock } from "../../../base/clock.ts";

export interface GatewaySession {
  id: string;
  resumeUrl: string;
  sequence: number;
}

export type Phase = "down" | "greeting" | "identifying" | "resuming" | "live";

/** The state of the connection. Ages in milliseconds on the monotonic clock. */
export interface Condition {
  phase: Phase;
  /** Since the last frame of any kind; answered heartbeats keep it low even in a quiet guild. */
  heard_ms: number;
  /** Since the last event; null before the first. */
  dispatch_ms: number | null;
  /** Live and receiving frames, or about to try again: false only if our own machinery has stopped. */
  healthy: boolean;
  /** Until the next try, if one is waiting. */
  next_try_ms: number | null;
  /** Why there is no connection, or why the last one ended; null if it is live. */
  why: string | null;
  /** The same, to be said to a person in their language. */
  why_said: ErrorDetails | null;
}

export interface Handshake {
  phase: Phase;
  session: GatewaySession | null;
  /** Whether the last heartbeat was answered. */
  acknowledged: boolean;
  sequence: number | null;
}

/** What is to be done with the socket, in order. */
export type GatewayAction =
  | { do: "identify" }
  | { do: "resume"; session: GatewaySession }
  /** `asked`: Discord asks for it now, in addition to those that are due. */
  | { do: "beat"; sequence: number | null; asked: boolean }
  | { do: "beat_every"; ms: number }
  /** Close this connection and connect again; 4000 keeps the session alive, 1000 would end it. */
  | { do: "reconnect"; why: ErrorDetails }
  | { do: "live"; resumed: boolean }
  | { do: "dispatch"; t: string; d: unknown }
  | { do: "stop"; code: number };

/** Close codes after which trying again cannot help (Discord, topics/opcodes-and-status-codes). */
const FATAL = new Set([4004, 4010, 4011, 4012, 4013, 4014]);
/** After these the session cannot be resumed. */
const SESSION_GONE = new Set([4003, 4007, 4009]);

export function newHandshake(): Handshake {
  return { phase: "down", session: null, acknowledged: true, sequence: null };
}

export function onSocketOpen(hand: Handshake): void {
  hand.phase = "greeting";
  hand.acknowledged = true;
}

/** One frame, already parsed; anything in it may be missing or of another type. */
export function onFrame(hand: Handshake, frame: unknown): GatewayAction[] {
  if (typeof frame !== "object" || frame === null) return [];
  const { op, t, s, d } = frame as { op?: unknown; t?: unknown; s?: unknown; d?: unknown };
  switch (op) {
    case Op.Hello:
      return hello(hand, d);
    case Op.Heartbeat:
      return [{ do: "beat", sequence: hand.sequence, asked: true }];
    case Op.HeartbeatAck:
      hand.acknowledged = true;
      return [];
    case Op.Reconnect:
      return [{ do: "reconnect", why: { because: "why_asked" } }];
    case Op.InvalidSession:
      if (d !== true) hand.session = null;
      return [{ do: "reconnect", why: { because: "why_invalid_session" } }];
    case Op.Dispatch:
      return typeof t === "string" ? dispatched(hand, t, s, d) : [];
    default:
      return [];
  }
}

/** A heartbeat is due: a connection that did not answer the last one is dead even if it looks open. */
export function beatDue(hand: Handshake): GatewayAction[] {
  if (!hand.acknowledged) return [{ do: "reconnect", why: { because: "why_no_heartbeat" } }];
  hand.acknowledged = false;
  return [{ do: "beat", sequence: hand.sequence, asked: false }];
}

export function onSocketClose(hand: Handshake, code: number): GatewayAction[] {
  hand.phase = "down";
  if (FATAL.has(code)) return [{ do: "stop", code }];
  if (SESSION_GONE.has(code)) hand.session = null;
  return [{ do: "reconnect", why: { because: "why_disconnected", close_code: code } }];
}

function hello(hand: Handshake, d: unknown): GatewayAction[] {
  const interval = (d as { heartbeat_interval?: unknown } | null | undefined)?.heartbeat_interval;
  if (hand.phase !== "greeting" || typeof interval !== "number" || !(interval > 0)) return [];
  const beat: GatewayAction = { do: "beat_every", ms: interval };
  if (hand.session) {
    hand.phase = "resuming";
    return [beat, { do: "resume", session: hand.session }];
  }
  hand.phase = "identifying";
  hand.sequence = null;
  return [beat, { do: "identify" }];
}

/** The sequence advances together with the event that is passed on, so a resume replays whatever was not. */
function dispatched(hand: Handshake, t: string, s: unknown, d: unknown): GatewayAction[] {
  if (typeof s === "number" && Number.isSafeInteger(s)) {
    hand.sequence = s;
    if (hand.session) hand.session.sequence = s;
  }
  if (t === "RESUMED") {
    hand.phase = "live";
    return [{ do: "live", resumed: true }];
  }
  if (t !== "READY") return [{ do: "dispatch", t, d }];
  const { session_id: id, resume_gateway_url: resumeUrl } = (d ?? {}) as Record<string, unknown>;
  hand.phase = "live";
  if (typeof id === "string" && typeof resumeUrl === "string") {
    hand.session = { id, resumeUrl, sequence: hand.sequence ?? 0 };
  }
  return [{ do: "live", resumed: false }];
}

/** What a fatal close says to a person. */
export function refusal(close_code: number): BellhopError {
  if (close_code === 4004) return new BellhopError("E_TOKEN_REFUSED", { close_code });
  const intents = close_code === 4013 || close_code === 4014;
  return new BellhopError(intents ? "E_INTENT_REFUSED" : "E_GATEWAY_REFUSED", { close_code });
}

/*
 * Detects that the machine slept, or that this process was stopped: timers stand still then, and the other side has
 * most likely given up a connection that looks open. On Linux the monotonic clock stands still too while the machine
 * sleeps, so it is compared with the time since the machine was started, which does not.
 */

interface SleepWatch {
  clock: Clock;
  /** Milliseconds since the machine was started, sleep included. */
  sinceBoot: () => number;
  /** How long nothing ran, in milliseconds beyond what was due. */
  slept(ms: number): void;
}

const LOOK_EVERY_MS = 5_000;
/** Less than this is only a busy machine. */
const NOTICED_MS = 3_000;

export const sinceBoot = (): number => uptime() * 1000;

/** Returns a function that stops it. */
export function watchSleep({ clock, sinceBoot, slept }: SleepWatch): () => void {
  let stop = (): void => undefined;
  const arm = (): void => {
    const [ticked, booted] = [clock.monotonic(), sinceBoot()];
    stop = clock.after(LOOK_EVERY_MS, () => {
      const passed = Math.max(clock.monotonic() - ticked, sinceBoot() - booted);
      arm();
      if (passed - LOOK_EVERY_MS > NOTICED_MS) slept(passed - LOOK_EVERY_MS);
    });
  };
  arm();
  return () => stop();
}
