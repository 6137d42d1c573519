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

/** How the connection stands. Ages in milliseconds on the monotonic clock. */
export interface Condition {
  phase: Phase;
  /** Since the last frame of any kind; answered heartbeats keep it low in the quietest guild. */
  heard_ms: number;
  /** Since the last event; null before the first. */
  dispatch_ms: number | null;
  /** Live and heard from, or else about to try again: false only where our own machinery has stopped. */
  healthy: boolean;
}

const HELLO_MS = 20_000;
const READY_MS = 20_000;
const SETTLED_MS = 60_000;
const LONGEST_WAIT_MS = 60_000;
/** Below this many IDENTIFYs left today we wait for the new day: at zero Discord resets the token (fault D4). */
const IDENTIFY_RESERVE = 50;
const MAX_FRAME_BYTES = 64 * 1024 * 1024;
const HALF_OPEN_MS = 1_000;
const PROPERTIES = { os: process.platform, browser: "bellhop", device: "bellhop" };
/** A live connection is given up by its own heartbeat after two silent intervals, so more is a sign that nothing beats. */
const SILENT_INTERVALS = 2.5;
/** So long what is due may be late, on a machine that was asleep or very busy. */
const LATE_MS = 60_000;
const FIND_MS = 5 * 60_000;
/** Any code but 1000 and 1001 leaves the session resumable. */
const CLOSE_AND_RESUME = 4000;

export class Gateway {
  /** Resolves when Discord refuses us for good: token (4004) or intents (4013, 4014) and the like. */
  readonly refused: Promise<BellhopError>;
  readonly #options: GatewayOptions;
  readonly #hand = newHandshake();
  readonly #refuse: (error: BellhopError) => void;
  #socket: WebSocket | null = null;
  #ended = false;
  #tries = 0;
  #heardAt: number;
  #dispatchedAt: number | null = null;
  #beatMs = 60_000;
  /** When the next step of a connection that is not live has to have come. */
  #dueAt = 0;
  #stopBeat = (): void => undefined;
  #stopWait = (): void => undefined;

  /** Connects at once, and again for as long as it is not closed or refused. */
  constructor(options: GatewayOptions) {
    const refused = Promise.withResolvers<BellhopError>();
    this.#options = options;
    this.#heardAt = options.clock.monotonic();
    this.refused = refused.promise;
    this.#refuse = (error) => {
      this.#ended = true;
      this.#drop(CLOSE_AND_RESUME);
      refused.resolve(error);
    };
    void this.#connect();
  }

  get phase(): Phase {
    return this.#hand.phase;
  }

  /** Monotonic milliseconds of the last frame of any kind. */
  get heardAt(): number {
    return this.#heardAt;
  }

  get condition(): Condition {
    const now = this.#options.clock.monotonic();
    const heard_ms = now - this.#heardAt;
    const { phase } = this.#hand;
    const healthy = phase === "live" ? heard_ms < SILENT_INTERVALS * this.#beatMs : now < this.#dueAt + LATE_MS;
    return { phase, heard_ms, dispatch_ms: this.#dispatchedAt === null ? null : now - this.#dispatchedAt, healthy: healthy && !this.#ended };
  }

  close(): void {
    this.#ended = true;
    this.#drop(1000);
  }

  #dueIn(ms: number): void {
    this.#dueAt = this.#options.clock.monotonic() + ms;
  }

  async #connect(): Promise<void> {
    this.#dueIn(FIND_MS);
    try {
      const url = this.#hand.session?.resumeUrl ?? (await this.#findGateway());
      if (this.#ended || url === null) return;
      this.#listen(new WebSocket(`${url}/?v=10&encoding=json`, { perMessageDeflate: false, maxPayload: MAX_FRAME_BYTES }));
      opened(this.#hand);
      this.#expect("greeting", HELLO_MS);
    } catch (error) {
      this.#again(error instanceof Error ? error.message : String(error));
    }
  }

  async #findGateway(): Promise<string | null> {
    const { info, clock, log } = this.#options;
    const { url, session_start_limit: starts } = await info();
    if (starts.remaining >= IDENTIFY_RESERVE) return url;
    log.warn("too few IDENTIFYs are left today; waiting for Discord's new count", { ...starts });
    const wait = Math.max(1_000, starts.reset_after);
    this.#dueIn(wait);
    this.#stopWait = clock.after(wait, () => void this.#connect());
    return null;
  }

  #listen(socket: WebSocket): void {
    this.#socket = socket;
    socket.on("message", (data) => {
      if (this.#socket !== socket) return;
      this.#heardAt = this.#options.clock.monotonic();
      this.#act(framed(this.#hand, parse(String(data))));
    });
    socket.on("error", (error) => this.#options.log.warn("gateway connection", { reason: error.message }));
    socket.on("close", (code) => {
      if (this.#socket !== socket) return;
      this.#socket = null;
      this.#act(closed(this.#hand, code));
    });
  }

  #act(actions: Action[]): void {
    for (const action of actions) {
      if (this.#ended) return;
      this.#perform(action);
    }
  }

  #perform(action: Action): void {
    const { token, intents, live, dispatch } = this.#options;
    switch (action.do) {
      case "beat_every":
        return this.#beatEvery(action.ms);
      case "beat":
        return this.#send(Op.Heartbeat, action.sequence);
      case "identify":
        this.#expect("identifying", READY_MS);
        return this.#send(Op.Identify, { token, intents, properties: PROPERTIES });
      case "resume": {
        const { id, sequence } = action.session;
        this.#expect("resuming", READY_MS);
        return this.#send(Op.Resume, { token, session_id: id, seq: sequence });
      }
      case "live":
        this.#settle();
        return this.#guarded(() => live(action.resumed, action.data));
      case "dispatch":
        this.#dispatchedAt = this.#heardAt;
        return this.#guarded(() => dispatch(action.t, action.d));
      case "reconnect":
        return this.#again(action.why);
      case "stop":
        return this.#refuse(refusal(action.code));
    }
  }

  /** A phase that must not last: the socket may be open and silent for ever. */
  #expect(phase: Phase, ms: number): void {
    this.#stopWait();
    this.#dueIn(ms);
    this.#stopWait = this.#options.clock.after(ms, () => {
      if (this.#hand.phase === phase) this.#again(`nothing came while ${phase}`);
    });
  }

  /** Only a connection that lasts earns a quick next try: one that dies young again and again must not burn IDENTIFYs. */
  #settle(): void {
    this.#stopWait();
    this.#stopWait = this.#options.clock.after(SETTLED_MS, () => {
      this.#tries = 0;
    });
  }

  #beatEvery(ms: number): void {
    const { clock, random } = this.#options;
    this.#beatMs = ms;
    const beat = (): void => {
      this.#stopBeat = clock.after(ms, beat);
      this.#act(beatDue(this.#hand));
    };
    this.#stopBeat();
    this.#stopBeat = clock.after(ms * random(), beat);
  }

  /** Drops this connection, however it stands, and tries again after a wait that grows with each try in vain. */
  #again(why: string): void {
    const { clock, random, log } = this.#options;
    this.#drop(CLOSE_AND_RESUME);
    if (this.#ended) return;
    const wait = this.#tries === 0 ? 0 : random() * Math.min(LONGEST_WAIT_MS, 1_000 * 2 ** this.#tries);
    this.#tries += 1;
    this.#dueIn(wait);
    log.info("connecting again", { why, wait_ms: Math.round(wait), resumable: this.#hand.session !== null });
    this.#stopWait = clock.after(wait, () => void this.#connect());
  }

  #drop(code: number): void {
    this.#stopBeat();
    this.#stopWait();
    this.#hand.phase = "down";
    const socket = this.#socket;
    this.#socket = null;
    if (!socket) return;
    if (socket.readyState === WebSocket.OPEN) socket.close(code);
    // A half-open socket never answers a close: it is ours to end.
    this.#options.clock.after(HALF_OPEN_MS, () => socket.terminate());
  }

  #send(op: number, d: unknown): void {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify({ op, d }));
  }

  #guarded(call: () => void): void {
    try {
      call();
    } catch (error) {
      this.#options.log.failure("an event could not be handled", error);
    }
  }
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
