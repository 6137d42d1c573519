/**
 * The connection to Discord's gateway: one socket at a time, resumed where it can be, begun anew where it must be,
 * with full jitter between tries. Everything the socket brings is handed on in order; nothing it brings can throw
 * out of here. Ours rather than a library's because liveness, IDENTIFY thrift and the order of events decide
 * whether a message is lost.
 */
import { WebSocket } from "ws";
import { GatewayOpcodes as Op, type APIGatewayBotInfo } from "discord-api-types/v10";
import type { Clock } from "../base/clock.ts";
import { BellhopError } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import { beatDue, closed, framed, newHandshake, opened, type Action, type Phase } from "./handshake.ts";

export interface GatewayOptions {
  token: string;
  /** Discord's bit field of what we want to hear. */
  intents: number;
  /** Asks Discord where the gateway is and how many IDENTIFYs are left. */
  info(): Promise<APIGatewayBotInfo>;
  clock: Clock;
  random(): number;
  log: Log;
  /** The connection carries events again: `resumed` with nothing missed, or anew. Called before any event after it. */
  live(resumed: boolean, data: unknown): void;
  dispatch(t: string, d: unknown): void;
}

export interface Gateway {
  readonly phase: Phase;
  /** Monotonic milliseconds of the last frame of any kind. */
  readonly heardAt: number;
  /** Resolves when Discord refuses us for good: token (4004) or intents (4013, 4014) and the like. */
  readonly refused: Promise<BellhopError>;
  close(): void;
}

const HELLO_MS = 20_000;
const READY_MS = 20_000;
const SETTLED_MS = 60_000;
const LONGEST_WAIT_MS = 60_000;
/** Below this many IDENTIFYs left today we wait for the new day: at zero Discord resets the token (fault D4). */
const IDENTIFY_RESERVE = 50;
/** Any code but 1000 and 1001 leaves the session resumable. */
const CLOSE_AND_RESUME = 4000;

export function openGateway(options: GatewayOptions): Gateway {
  const { clock, log } = options;
  const hand = newHandshake();
  const refused = Promise.withResolvers<BellhopError>();
  let socket: WebSocket | null = null;
  let ended = false;
  let tries = 0;
  let heardAt = clock.monotonic();
  let stopBeat = (): void => {};
  let stopWait = (): void => {};

  /** A phase that must not last: the socket may be open and silent for ever. */
  function expect(phase: Phase, ms: number): void {
    stopWait();
    stopWait = clock.after(ms, () => {
      if (hand.phase === phase) act([{ do: "reconnect", why: `nothing came while ${phase}` }]);
    });
  }

  async function connect(): Promise<void> {
    try {
      const url = hand.session?.resumeUrl ?? (await findGateway());
      if (ended || url === null) return;
      listen(new WebSocket(`${url}/?v=10&encoding=json`, { perMessageDeflate: false, maxPayload: 64 << 20 }));
      opened(hand);
      expect("greeting", HELLO_MS);
    } catch (error) {
      if (error instanceof BellhopError && error.code === "E_TOKEN_REFUSED") refuse(error);
      else again(error instanceof Error ? error.message : String(error));
    }
  }

  async function findGateway(): Promise<string | null> {
    const info = await options.info();
    const { remaining, reset_after } = info.session_start_limit;
    if (remaining >= IDENTIFY_RESERVE) return info.url;
    log.warn("too few IDENTIFYs are left today; waiting for Discord's new count", { remaining, reset_after });
    stopWait = clock.after(Math.max(1_000, reset_after), () => void connect());
    return null;
  }

  function listen(next: WebSocket): void {
    socket = next;
    next.on("message", (data) => {
      if (socket !== next) return;
      heardAt = clock.monotonic();
      act(framed(hand, parse(String(data))));
    });
    next.on("error", (error) => log.warn("gateway connection", { reason: error.message }));
    next.on("close", (code) => {
      if (socket !== next) return;
      socket = null;
      act(closed(hand, code));
    });
  }

  function act(actions: Action[]): void {
    for (const action of actions) {
      if (ended) return;
      perform(action);
    }
  }

  function perform(action: Action): void {
    switch (action.do) {
      case "beat_every":
        return beatEvery(action.ms);
      case "beat":
        return send(Op.Heartbeat, action.sequence);
      case "identify":
        expect("identifying", READY_MS);
        return send(Op.Identify, {
          token: options.token,
          intents: options.intents,
          properties: { os: process.platform, browser: "bellhop", device: "bellhop" },
        });
      case "resume": {
        expect("resuming", READY_MS);
        const { id, sequence } = action.session;
        return send(Op.Resume, { token: options.token, session_id: id, seq: sequence });
      }
      case "live":
        settle();
        return guarded(() => options.live(action.resumed, action.data));
      case "dispatch":
        return guarded(() => options.dispatch(action.t, action.d));
      case "reconnect":
        return again(action.why);
      case "stop":
        return refuse(refusal(action.code));
    }
  }

  /** Only a connection that lasts earns a quick next try: one that dies young again and again must not burn IDENTIFYs. */
  function settle(): void {
    stopWait();
    stopWait = clock.after(SETTLED_MS, () => {
      tries = 0;
    });
  }

  function beatEvery(ms: number): void {
    stopBeat();
    const beat = (): void => {
      stopBeat = clock.after(ms, beat);
      act(beatDue(hand));
    };
    stopBeat = clock.after(ms * options.random(), beat);
  }

  /** Drops this connection, however it stands, and tries again after a wait that grows with each try in vain. */
  function again(why: string): void {
    drop(CLOSE_AND_RESUME);
    if (ended) return;
    const wait = tries === 0 ? 0 : options.random() * Math.min(LONGEST_WAIT_MS, 1_000 * 2 ** tries);
    tries += 1;
    log.info("connecting again", { why, wait_ms: Math.round(wait), resumable: hand.session !== null });
    stopWait = clock.after(wait, () => void connect());
  }

  function drop(code: number): void {
    stopBeat();
    stopWait();
    hand.phase = "down";
    const old = socket;
    socket = null;
    if (!old) return;
    if (old.readyState === WebSocket.OPEN) old.close(code);
    // A half-open socket never answers a close: it is ours to end.
    clock.after(1_000, () => old.terminate());
  }

  function send(op: number, d: unknown): void {
    if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify({ op, d }));
  }

  function guarded(call: () => void): void {
    try {
      call();
    } catch (error) {
      log.failure("an event could not be handled", error);
    }
  }

  function refuse(error: BellhopError): void {
    ended = true;
    drop(CLOSE_AND_RESUME);
    refused.resolve(error);
  }

  void connect();
  return {
    get phase() {
      return hand.phase;
    },
    get heardAt() {
      return heardAt;
    },
    refused: refused.promise,
    close() {
      ended = true;
      drop(1000);
    },
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function refusal(code: number): BellhopError {
  if (code === 4013 || code === 4014) return new BellhopError("E_INTENT_REFUSED", { close_code: code });
  return new BellhopError("E_TOKEN_REFUSED", { close_code: code });
}
